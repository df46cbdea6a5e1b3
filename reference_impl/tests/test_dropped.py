"""Well-formed records that recovery ignores: dumps label and mark them; the answer omits them."""

from __future__ import annotations

import struct
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import pytest

from journalspec.formats import format_ids
from journalspec_corpus.load import find_case, load_cases
from journalspec_reference.api import REST, WELL_FORMED, Span, load
from journalspec_reference.hexdump import Head, lines, regions
from work import LINEAR, Counted, Task, growth

#: One in this many published cases with dropped bytes is checked.
EVERY = 10


def nested(spans: list[Span]) -> list[Span]:
    return [span for span in spans if span.value.endswith(WELL_FORMED)]


@pytest.mark.parametrize("format_id", format_ids())
def test_labelled_record_is_complete_in_a_region_without_records(format_id: str) -> None:
    reference, found = load(format_id), 0
    dropping = [case for case in load_cases(format_id) if any(entry.get("dropped") for entry in case.expect)]
    for case in dropping[::EVERY]:
        files, edition, params = case.files(), case.edition, case.params
        spans = list(reference.spans(files, edition=edition, params=params))
        bare = list(reference.spans(files, edition=edition, params=params, fields=False))
        assert bare == [span for span in spans if span.kind != "field" and span not in nested(spans)]
        answered = {
            (record.at.file, record.at.off)
            for record in reference.read(files, edition=edition, params=params).records
        }
        last: dict[str, int] = {}
        for span in nested(spans):
            found += 1
            around = next(
                each
                for each in bare
                if each.file == span.file and each.off <= span.off < each.off + each.length
            )
            assert span.off + span.length <= around.off + around.length, case.id
            assert around.kind in {"dropped", "unused"}
            assert span.kind == ("dropped" if around.kind == "dropped" else "stale")
            assert last.get(span.file, 0) <= span.off, case.id
            assert (span.file, span.off) not in answered, case.id
            last[span.file] = span.off + span.length
            own = [each for each in spans if each.path.startswith(f"{span.path}.") and each.file == span.file]
            assert sum(each.length for each in own) == span.length, case.id
    assert found > 0


@pytest.mark.parametrize(
    ("case_id", "wanted"),
    [
        (
            "btm.fileset.unequal-before-format-id",
            ["log[0] COMMITTING", "log[1] COMMITTING", "log[2] COMMITTING"],
        ),
        ("drb.end.lost-head", [f"{REST}[0] INSERT", f"{REST}[1] END"]),
        ("jbm.torn-over-old.s2-add-09", [*(f"dropped[{at}] ADD" for at in range(4)), "dropped[4] DELETE"]),
        ("khd.torn-zero-edition.byte-20", ["dropped[0] batch"]),
        ("smq.log.stale", [f"{REST}[0] COMMIT"]),
    ],
)
def test_records_in_the_dropped_bytes_of_a_case_are_listed(case_id: str, wanted: list[str]) -> None:
    case = find_case(case_id)
    spans = list(load(case.format).spans(case.files(), edition=case.edition, params=case.params))
    assert [f"{span.path} {span.value.partition(',')[0]}" for span in nested(spans)] == wanted


Hostile = tuple[str, str, bytes]


def bitronix_frames(size: int) -> Iterator[Hostile]:
    frame = struct.pack(">iiiqiIBi", 8, size, 16, 1, 1, 0, 0, 0)
    yield "seed", "seed.log", frame * (size // len(frame))


def derby_records(size: int) -> Iterator[Hostile]:
    head = struct.pack(">iiqq", 128, 9, 1, 0) + struct.pack(">iq", 5, 7)
    places = range(len(head), size - 16, 16)
    parts = (struct.pack(">iqi", size - at - 16, 1 << 32 | at, 0) for at in places)
    yield "10.16", "log1.dat", head + b"".join(parts)


def jboss_records(size: int) -> Iterator[Hostile]:
    head = struct.pack(">i", 1) + struct.pack(">biqi", 11, 1, 1, size)
    claim = struct.pack(">biqibq", 11, 3, 1, size // 2, 1, 0)
    yield "s2", "jbm-data-1.jbm", head + claim * (size // len(claim))


def kahadb_batches(size: int) -> Iterator[Hostile]:
    control = struct.pack(">ib11siq", 28, 2, b"WRITE BATCH", size, 1)
    for each in (control, control + struct.pack(">ib", 5, 1) * 9):
        yield "5.16", "db-1.log", each * (size // len(each))


def swiftmq_actions(size: int) -> Iterator[Hostile]:
    """Return actions; each contains the bytes that begin a COMMIT, and this COMMIT claims all following
    actions.
    """
    head, inserts = struct.pack(">iq", 1, 7), struct.pack(">ii", 1, 2) * (size // 8)
    for each in (b"", struct.pack(">iqqi", 2, 6, 1, size // 16)):
        yield "13", "transaction.log", head + each + inserts


#: Maps a format to the function that yields edition, name and content of files in which each record claims to
#: contain all following bytes.
HOSTILE: Mapping[str, Callable[[int], Iterator[Hostile]]] = {
    "bitronix_tlog": bitronix_frames,
    "derby_log": derby_records,
    "jboss_journal": jboss_records,
    "kahadb_journal": kahadb_batches,
    "swiftmq_store": swiftmq_actions,
}


@pytest.mark.parametrize("format_id", format_ids())
def test_hostile_bytes_take_linear_time_and_bounded_memory(format_id: str) -> None:
    def dumped(which: int, size: int) -> Task:
        edition, name, content = [*HOSTILE[format_id](size)][which]
        named = partial(load(format_id).spans, {name: Counted(content)}, edition=edition)
        return lambda: Counter(map(type, lines(content, named(), name)))

    for which in range(len([*HOSTILE[format_id](64)])):
        assert growth(partial(dumped, which), 1 << 12) < LINEAR
        task = dumped(which, 1 << 16)
        tracemalloc.start()
        task()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < (8 << 16) + (1 << 21)


def test_region_is_divided_around_labelled_records() -> None:
    spans = [
        Span("f", 0, 100, "dropped", "dropped", "torn"),
        Span("f", 20, 10, "dropped[0]", "dropped", f"ADD, {WELL_FORMED}"),
        Span("f", 20, 4, "dropped[0].id", "field", "7"),
        Span("f", 30, 10, "dropped[1]", "dropped", f"ADD, {WELL_FORMED}"),
        Span("f", 100, 5, "record[0]", "record", "ADD"),
    ]
    found = list(regions(spans, "f", 120))
    assert [(item.span.path, item.span.off, item.span.length) for item in found] == [
        ("dropped", 0, 20),
        ("dropped[0]", 20, 10),
        ("dropped[1]", 30, 10),
        ("dropped", 40, 60),
        ("record[0]", 100, 5),
        ("unnamed", 105, 15),
    ]
    assert [span.path for span in found[1].fields] == ["dropped[0].id"]
    assert found[0].span.value == found[3].span.value == "torn, part of 100 bytes at 0"


def test_dump_begins_before_the_whole_region_is_read() -> None:
    """A region can be a file of gigabytes that is full of old records."""
    asked = 0

    def spans() -> Iterator[Span]:
        nonlocal asked
        yield Span("f", 0, 16_000, "dropped", "dropped", "torn")
        for at in range(0, 16_000, 16):
            asked += 1
            yield Span("f", at, 16, f"dropped[{at // 16}]", "dropped", WELL_FORMED)

    told = lines(bytes(16_000), spans(), "f")
    assert isinstance(next(told), Head)
    assert asked <= 2
    assert sum(isinstance(line, Head) for line in told) == 999
