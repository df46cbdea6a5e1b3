"""The fuzzer: its inputs are reproducible, and it finds each kind of misbehaviour."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, cast

import fuzz
import pytest
from bodies import Decoder, all_families, decoders
from families_ksy import ksy_id
from fuzz import LEAST_KEPT, Bodies, BodyReaders, Readers, Source, Unsound, judge

from journalspec import reread
from journalspec.families import Family
from journalspec.formats import UnknownFormat, format_ids
from journalspec.observation import At, Dropped, Observation, Record
from journalspec_corpus.drawn import drawing_of
from journalspec_reference.api import Span, load

FORMAT = format_ids()[0]


class Fake:
    """Imitates a reader that does one thing wrong."""

    times = fuzz.TIMES_INPUT

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act

    def run(self, files: Mapping[str, bytes], edition: str) -> str:
        self.act()
        return "fine"


def deeper() -> object:
    return deeper()


def endless() -> None:
    while True:
        pass


def test_input_depends_only_on_seed_and_number() -> None:
    one, two = Source(FORMAT, 7), Source(FORMAT, 7)
    forwards = [one[number] for number in range(120)]
    backwards = [two[number] for number in reversed(range(120))]
    assert forwards == backwards[::-1]
    assert len({str(item.files) for item in forwards}) > 90
    assert Source(FORMAT, 8)[3].files != one[3].files


def test_format_without_mutations_is_refused() -> None:
    with pytest.raises(UnknownFormat):
        Source("nonsense", 1)


def test_readers_survive_a_few_hundred_inputs() -> None:
    source, readers = Source(FORMAT, 1), Readers(FORMAT)
    judged = [judge(readers, source[number], measure=number % 40 == 39) for number in range(400)]
    assert [problem for _, problem in judged if problem] == []
    assert len({outcome for outcome, _ in judged}) > 8, "the inputs are all alike"


@pytest.mark.parametrize("format_id", format_ids())
def test_reference_alone_survives_a_few_hundred_inputs(format_id: str) -> None:
    source, readers = Source(format_id, 1), Readers(format_id, schemas=False)
    usual = [getattr(owner, name) for owner, name, _ in fuzz.small_stretches(format_id, 64)]
    judged = [judge(readers, source[number], measure=number % 100 == 99) for number in range(200)]
    assert [problem for _, problem in judged if problem] == []
    assert not readers.schemas
    assert [getattr(owner, name) for owner, name, _ in fuzz.small_stretches(format_id, 64)] == usual


@pytest.mark.parametrize("format_id", format_ids())
def test_small_stretches_are_those_of_the_scan(format_id: str) -> None:
    load(format_id)
    found: dict[tuple[str, str], Any] = {
        (str(owner), name): value for owner, name, value in fuzz.small_stretches(format_id, 77)
    }
    scans = [value for (owner, _), value in found.items() if re.search(r"function (Log\.)?scan ", owner)]
    assert scans
    assert all(77 in (value.values() if isinstance(value, dict) else value) for value in scans)


def least_for_numpy(format_id: str, size: int) -> list[int]:
    load(format_id)
    return [
        cast(int, value) for _, name, value in fuzz.small_stretches(format_id, size) if name in fuzz.LIMITS
    ]


@pytest.mark.parametrize(
    "format_id", [each for each in format_ids() if hasattr(drawing_of(each), "long_base")]
)
def test_one_journal_in_many_has_enough_records_for_numpy(format_id: str) -> None:
    source = Source(format_id, 7)
    long = [source.sound(turn * fuzz.LONG_EVERY - 1) for turn in range(1, len(source.editions) + 1)]
    assert {journal.edition for journal in long} == {*source.editions}
    (least,) = {*least_for_numpy(format_id, 64)}
    assert all(least <= len(journal.records) < 2 * least for journal in long)
    assert len(source.sound(0).records) < least


def test_few_records_are_decoded_like_many_in_some_small_stretches() -> None:
    found = {
        size: {*chain.from_iterable(least_for_numpy(each, size) for each in format_ids())}
        for size in fuzz.SMALL
    }
    assert {size for size, least in found.items() if least == {1}} == {*fuzz.AS_MANY}
    assert all(min(least) > 100 for size, least in found.items() if size not in fuzz.AS_MANY)


def test_answer_that_depends_on_the_stretches_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = Readers(FORMAT, schemas=False)
    read = readers.reference.read

    def other(files: Mapping[str, bytes], *, edition: str) -> Observation:
        return replace(read(files, edition=edition), message="" if reread.KEEP else "another")

    monkeypatch.setattr(readers.reference, "read", other)
    found = [judge(readers, Source(FORMAT, 1)[number])[1] for number in range(20)]
    assert 0 < sum("['message']: not the same for " in problem for problem in found) < len(found)


def test_byte_range_beyond_its_file_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = Readers(FORMAT, schemas=False)
    monkeypatch.setattr(
        readers.reference, "names", lambda files, *_: [Span(min(files), 9999, 1, "r", "record")]
    )
    found = [judge(readers, Source(FORMAT, 1)[number])[1] for number in range(20)]
    assert 0 < sum("r extends beyond " in problem for problem in found) < len(found)


def test_readers_survive_expensive_inputs() -> None:
    """The test limits the time of every input. Memory is slow to measure, so it is limited only for each
    fourth input.
    """
    source, readers = Source(FORMAT, 1), Readers(FORMAT)
    inputs = list(fuzz.costly(source))
    assert len(inputs) > 40
    found = [judge(readers, item, measure=number % 4 == 3) for number, item in enumerate(inputs)]
    assert [problem for _, problem in found if problem] == []


each_family = pytest.mark.parametrize("family", [*all_families()], ids=ksy_id)


@each_family
def test_decoders_survive_changed_bodies(family: Family) -> None:
    source, readers = Bodies(family.format_id, family.name, 1), BodyReaders(family.format_id, family.name)
    judged = [judge(readers, source[number], measure=number % 100 == 99) for number in range(2000)]
    assert [problem for _, problem in judged if problem] == []
    outcomes = {outcome for outcome, _ in judged}
    roots = {root for name, root in decoders(family.format_id) if name == family.name}
    assert {outcome.partition(":")[0] for outcome in outcomes} == roots
    assert {outcome.partition(": ")[2] for outcome in outcomes} == {"decoded", "something is wrong"}


#: A serialised Java table is refused completely, as in the product; the values of all columns are one field.
REFUSED_WHOLE = {"durable", "sql"}
#: Families that need a larger number of inputs than the others.
LEAST = {"openwire": 0.97}


@each_family
def test_changed_byte_leaves_the_other_fields(family: Family) -> None:
    if family.name in REFUSED_WHOLE:
        pytest.skip("a body of it has one field, or is refused whole")
    found = Bodies(family.format_id, family.name, 1).one_byte(1000)
    kept, tried = (sum(numbers[at] for numbers in found.values()) for at in (0, 1))
    assert kept >= LEAST.get(family.name, LEAST_KEPT) * tried > 800


def test_fault_in_a_body_that_a_product_wrote_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    source, readers = Bodies("kahadb_journal", "openwire", 1), BodyReaders("kahadb_journal", "openwire")
    refuses: Decoder = lambda *_: ({}, "all of it")  # noqa: E731 # mypy needs the type
    monkeypatch.setattr(readers, "_decoders", dict.fromkeys(decoders("kahadb_journal"), refuses))
    found = {source[number].kind: judge(readers, source[number])[1] for number in range(100)}
    assert "a product wrote it: all of it" in found["real"]
    assert not any(problem for kind, problem in found.items() if kind != "real")


@pytest.mark.parametrize(
    ("act", "seen"),
    [
        (lambda: None, ""),
        (lambda: dict[str, int]()["missing"], "KeyError"),
        (deeper, "RecursionError"),
        (endless, "no answer within 0.05 s"),
        (lambda: bytearray(64 << 20), "allocated at once"),
    ],
)
def test_misbehaviour_is_a_finding(
    act: Callable[[], object], seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz, "SECONDS", 0.05)
    before = signal.signal(signal.SIGPROF, fuzz.raise_too_long)
    try:
        _, problem = judge(cast("Readers", Fake(act)), Source(FORMAT, 1)[3], measure=True)
    finally:
        signal.signal(signal.SIGPROF, before)
    assert seen in problem
    assert bool(seen) == bool(problem)


@pytest.mark.parametrize(
    "dropped",
    [
        (Dropped("f", 0, 11, "x"),),
        (Dropped("f", 0, 5, "x"), Dropped("f", 4, 2, "x")),
        (Dropped("f", 3, -1, "x"),),
    ],
)
def test_impossible_observation_is_a_finding(dropped: tuple[Dropped, ...]) -> None:
    with pytest.raises(Unsound):
        fuzz.sound(Observation("recovered", dropped=dropped), {"f": bytes(10)})


@pytest.mark.parametrize(
    ("seen", "strict", "other", "problem"),
    [
        (("clean", 1), ("clean", 1), ("clean", 1), ""),
        (("recovered", 0), ("recovered", 0), ("recovered", 1), ""),
        (("refused", 0), ("recovered", 1), ("recovered", 0), ""),
        (("recovered", 0), ("recovered", 1), ("recovered", 0), "reading does not find"),
        (("clean", 0), ("recovered", 0), ("clean", 0), "strict recovery is not"),
        (("recovered", 1), ("clean", 1), ("clean", 0), "other recovery is not, or has another result"),
    ],
)
def test_answers_that_cannot_all_be_true_are_a_finding(
    seen: tuple[str, int], strict: tuple[str, int], other: tuple[str, int], problem: str
) -> None:
    """An answer is given by its verdict and its number of records."""
    record, found = Record("x", {}, At("f", 0, 4)), ""
    read, *recovered = [Observation(verdict, (record,) * count) for verdict, count in (seen, strict, other)]
    try:
        fuzz.agree(read, dict(zip(("strict", "other"), recovered, strict=True)))
    except Unsound as error:
        found = str(error)
    assert problem in found
    assert bool(problem) == bool(found)


def test_readers_of_bodies_cannot_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        fuzz.main(["--format", "kahadb_journal", "--family", "openwire", "--readers", "reference"])
    assert ended.value.code == 2
    assert "bodies have no schemas" in capsys.readouterr().err
