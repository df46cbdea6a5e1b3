"""Sequences that are read again: parts in memory, parts that are only counted, files that change."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

import pytest

from journalspec import jsontext, reread
from journalspec.observation import At, Dropped, Note, Observation, Record, record_place
from journalspec.reread import Changed, Deferred, Lazy, Part, by_file, few, joined, parts_of


def records(file: str, count: int, size: int = 10) -> list[Record]:
    return [
        Record("ADD", {"id": number, "body": bytes(size)}, At(file, number * size, size))
        for number in range(count)
    ]


def test_sequence_that_is_read_again_behaves_like_a_list() -> None:
    files = {"a": records("a", 4), "c": records("c", 3)}
    kept = (*files["a"], *files["c"])
    made = Deferred(7, lambda: iter(kept))
    again = Lazy([Part(name, found.__iter__, len(found)) for name, found in files.items()])
    for sequence in (made, again):
        assert sequence == kept
        assert (len(sequence), sequence[0], sequence[-1], sequence[3:5]) == (7, kept[0], kept[-1], kept[3:5])
        assert sequence[::-1] == kept[::-1]
        with pytest.raises(IndexError):
            sequence[7]
        of = by_file(record_place, sequence)
        assert [list(of(name)) for name in "abc"] == [files["a"], [], files["c"]]


def test_joined_journals_keep_their_files() -> None:
    kept = tuple(records("a", 2))
    assert joined(record_place, (), kept, ()) is kept
    assert joined(record_place, kept, kept) == (*kept, *kept)
    lazy = Lazy([Part("b", lambda: records("b", 2), 2)])
    both = joined(record_place, kept, lazy)
    assert isinstance(both, Lazy)
    assert list(both) == [*kept, *lazy]
    of = by_file(record_place, both)
    assert (of("a"), of("b")) == (kept, lazy)
    parts = [Deferred(2, lambda: kept, lambda: {10: 1, 11: 1}), Deferred(2, lambda: kept, lambda: {11: 2})]
    assert joined(record_place, *parts).codes == {10: 1, 11: 3}  # type: ignore[attr-defined]  # of a Deferred


@pytest.mark.parametrize("kind", [tuple, list, lambda kept: Deferred(len(kept), lambda: kept)])
def test_late_sequence_is_computed_once_at_the_first_access(
    kind: Callable[[list[Record]], Sequence[Record]],
) -> None:
    kept, made = [*records("a", 2), *records("b", 1)], []

    def make() -> Iterator[Part[Record]]:
        made.append(1)
        yield from parts_of(record_place, kind(kept))

    late = Lazy(make)
    assert made == []
    assert (len(late), late[2], list(late), late == kept) == (3, kept[2], kept, True)
    assert list(by_file(record_place, late)("b")) == kept[2:]
    assert list(joined(record_place, late, kept)) == [*kept, *kept]
    assert made == [1]


def test_parts_are_requested_again_after_a_failure() -> None:
    kept, faults = records("a", 2), [MemoryError()]

    def make() -> list[Part[Record]]:
        if faults:
            raise faults.pop()
        return [Part("a", kept.__iter__, len(kept))]

    late = Lazy(make)
    with pytest.raises(MemoryError):
        len(late)
    assert list(late) == kept


def test_file_with_other_content_at_the_second_read_is_detected() -> None:
    now = iter([records("a", 2), records("a", 3)])
    found = Lazy([Part("a", lambda: next(now), 3)])
    with pytest.raises(Changed, match="a changed while it was read"):
        list(found)
    assert len(list(found)) == 3


def test_few_items_are_kept_and_many_are_read_each_time() -> None:
    asked = []

    def again() -> Iterator[bytes]:
        asked.append(1)
        yield from (b"1", b"22")

    assert few(again, 2, len) == [b"1", b"22"]
    assert isinstance(few(again, 2, lambda item: reread.KEEP), Lazy)
    count = reread.KEEP // reread.COST + 1
    many = few(lambda: iter(range(count)), count, lambda item: 0)
    assert isinstance(many, Lazy)
    assert (len(asked), sum(many)) == (2, sum(range(count)))


def test_given_up_records_are_the_unanchored_ones_in_dropped_regions() -> None:
    dropped = (Dropped("a", 10, 20, "torn"), Dropped("a", 50, 10, "torn"), Dropped("b", 0, 10, "torn"))
    unanchored = records("a", 8) + records("c", 2)
    seen = Observation("recovered", dropped=dropped, unanchored=tuple(unanchored))
    assert [(item.at.file, item.at.off) for item in seen.given_up] == [("a", 10), ("a", 20), ("a", 50)]
    lazy = Observation("recovered", dropped=dropped, unanchored=Lazy([Part("a", lambda: unanchored, 10)]))
    assert lazy.given_up == seen.given_up
    assert Observation("clean", dropped=dropped).given_up == ()


def test_json_text_in_pieces_equals_that_of_json_dumps() -> None:
    many = tuple(records("a", 3)) + (Record("ADD", {"body": bytes(200_000)}, At("a", 1, 200_000)),) * 2
    seen = Observation(
        "recovered",
        records=Lazy([Part("a", lambda: many, len(many))]),
        dropped=(Dropped('a"\n', 1, 2, "torn"),) * 100,
        state={
            "live": Lazy([Part("", lambda: [{"id": 1, "none": None, "no": False}], 1)]),
            "left": [],
            "m": {},
        },
        notes=(Note("n"), Note("n", "f", 3, "\u00e9")),
        unanchored=many,
    )
    document = {"journals": [{"format": "f", **seen.members()}] * 2, "one": {"a": {"b": ["c", ["d"]]}}}
    wanted = {"journals": [{"format": "f", **seen.to_json()}] * 2, "one": document["one"]}
    pieces = list(jsontext.pieces(document))
    assert "".join(pieces) == json.dumps(wanted, indent=1)
    assert max(map(len, pieces)) <= 2 * jsontext.BLOCK


def test_deferred_values_are_computed_once_on_demand() -> None:
    asked: list[int] = []

    def numbers() -> Iterator[int]:
        for number in (5, 6):
            asked.append(number)
            yield number

    made = Deferred(2, numbers)
    assert len(made) == 2
    assert asked == []
    assert (list(made), made[1], made == (5, 6)) == ([5, 6], 6, True)
    assert asked == [5, 6]
