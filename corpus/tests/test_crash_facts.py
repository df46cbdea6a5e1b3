"""The facts about states, and the places of corruption, on small traces whose results are listed by hand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from journalspec_corpus.crash import states as engine
from journalspec_corpus.crash.disk import States
from journalspec_corpus.crash.explain import losses, story
from journalspec_corpus.crash.facts import Facts, State, fields
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Ack, Mark, Op, Publish, Sync, Trace, Write, get_preset
from journalspec_corpus.crash.verdict import CATEGORIES

SEED = 7


@pytest.fixture(autouse=True)
def every_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Include every trace, so that none is omitted because of its id."""
    monkeypatch.setattr(engine, "selected", lambda trace, share: True)


def trace_of(*ops: Op, content: bytes, **more: object) -> Trace:
    return Trace("toy", "1", "toy", {"log": content}, ops, "zero", **more)  # type: ignore[arg-type]  # keywords


def record(name: str, off: int, length: int) -> tuple[Write, Mark]:
    mark = Mark(name, "log", off, length, name, ((0, "head"), (8, "body")))
    return Write("log", off, name.encode() * length), mark


# --- The places of corruption ---


def rotted(preset: str, content: bytes, *spans: tuple[int, int]) -> States:
    """Return the corrupted states of a log with records at `spans` (offset, length)."""
    ops = [op for number, (off, length) in enumerate(spans) for op in record(f"{number:x}", off, length)]
    names = tuple(f"{number:x}" for number in range(len(spans)))
    trace = trace_of(*ops, Sync("log"), Ack(names), content=content)
    (states,) = crash_states(trace, (get_preset(preset),), SEED)
    return states


def turned(states: States) -> set[tuple[int, int]]:
    return {(int(off), int(bit)) for _, _, off, bit in (label.split(":") for label in states.rot)}


def test_both_ends_of_a_long_record_are_corrupted_bit_by_bit() -> None:
    """The record has 200 bytes at 300: its first 64 and last 32 bytes are treated completely."""
    ends = [*range(300, 364), *range(468, 500)]
    assert {(off, bit) for off in ends for bit in range(8)} <= turned(
        rotted("bitrot-bit", bytes(1000), (300, 200))
    )


def test_only_the_twelve_latest_records_are_corrupted_bit_by_bit() -> None:
    found = turned(rotted("bitrot-bit", bytes(4096), *((100 * number, 40) for number in range(1, 14))))
    counts = [sum(100 * number <= off < 100 * number + 40 for off, _ in found) for number in range(1, 14)]
    assert counts[1:] == [320] * 12
    # At most 16 bits of the earliest record are drawn, and at most 64 bits of the file.
    assert 1 <= counts[0] <= 80


def test_burst_may_end_with_the_last_byte_of_a_file() -> None:
    states = rotted("bitrot-burst", bytes(9), (0, 9))
    places = (map(int, label.split(":")[2:]) for label in states.rot)
    assert {off + (length + 7) // 8 for off, length in places} == set(range(1, 10))


def test_at_most_sixty_four_sectors_of_a_file_are_cleared() -> None:
    """Of a hundred sectors, every second one is taken."""
    states = rotted("bitrot-zero-sector", b"h" * 51200, (0, 40))
    assert [int(label.split(":")[2]) for label in states.rot] == [*range(0, 100, 2)]


@pytest.mark.parametrize(
    ("preset", "hit"),
    [
        ("bitrot-zero-sector", {"zero:log:0": "header", "zero:log:7": "header", "zero:log:8": "head"}),
        ("bitrot-zero-sector", {"zero:log:9": "body", "zero:log:10": "unused"}),
        ("bitrot-lse", {"lse:log:0": "header", "lse:log:1": "head", "eio:log:8": ""}),
        ("bitrot-phantom", {"phantom:log:8": "head", "phantom:log:9": "body"}),
        ("bitrot-misdirect", {"misdirect:log:9:log:0": "body"}),
        ("bitrot-cut", {"cut:log:4096": "", "clear:log:4096": ""}),
    ],
)
def test_corrupted_field_is_at_the_first_changed_byte(preset: str, hit: Mapping[str, str]) -> None:
    """The record begins in sector 8, which is also the second physical sector, and ends in sector 9."""
    found: dict[str, str] = {}
    ops = (*record("a", 4096, 600), Sync("log"), Ack(("a",)))
    for states in crash_states(trace_of(*ops, content=b"h" * 8192), (get_preset(preset),), SEED):
        found.update(zip(states.rot, fields(Facts(states)), strict=True))
    assert {label: found[label] for label in hit} == hit


def test_torn_write_has_one_deviation_and_the_field_of_its_first_missing_byte() -> None:
    """The field "head" begins at byte 0 of the record, and the field "body" at byte 8."""
    trace = trace_of(*record("a", 100, 10), content=bytes(512))
    states, *_ = crash_states(trace, (get_preset("prefix-byte"),), SEED)
    facts = Facts(states)
    assert states.tear.tolist() == [*range(11)]
    assert facts.deviations.tolist() == [0, *[1] * 9, 0]
    assert facts.fields.tolist() == ["", *["head"] * 7, "body", "body", ""]


# --- Facts about states ---


def subsets(*ops: Op, content: bytes, **more: object) -> Facts:
    """Return the facts about the last crash point of the preset with sectors in any order."""
    *_, states = crash_states(
        trace_of(*ops, content=content, **more), (get_preset("epoch-subset-512"),), SEED
    )
    return Facts(states)


def by_codes(facts: Facts, column: list[str]) -> dict[tuple[int, ...], str]:
    return dict(zip(map(tuple, facts.states.codes.tolist()), column, strict=True))


def named(facts: Facts) -> list[str]:
    return [CATEGORIES[at] for at in facts.categories]


def test_record_inside_a_write_is_intact_when_the_file_reaches_its_end() -> None:
    """The write begins with a pointer of 8 bytes, and the file ends with the record."""
    mark = Mark("a", "log", 8, 10, "a")
    facts = subsets(Write("log", 0, b"p" * 8 + b"a" * 10), mark, content=b"")
    intact = [str(there) for there in facts.intact(0, mark).tolist()]
    assert by_codes(facts, intact) == {(0, 0): "False", (0, 1): "False", (1, 0): "False", (1, 1): "True"}


@pytest.mark.parametrize(("off", "torn"), [(481, "header-straddle"), (480, "sector-hole")])
def test_header_of_a_record_ends_after_thirty_two_bytes(off: int, torn: str) -> None:
    found = by_codes(facts := subsets(*record("a", off, 100), content=bytes(1024)), named(facts))
    assert (found[1, 0], found[0, 1]) == (torn, torn)


def test_field_that_begins_with_a_lost_sector_is_torn() -> None:
    """The field "body" begins at offset 512."""
    found = by_codes(facts := subsets(*record("a", 504, 100), content=bytes(1024)), facts.fields.tolist())
    assert found == {(0, 0): "", (1, 0): "body", (0, 1): "head", (1, 1): ""}


def test_crash_interrupts_recovery_until_the_last_operation_of_opening() -> None:
    ops = (Write("log", 0, b"xy"), Sync("log"), *record("a", 100, 10), Sync("log"))
    trace = trace_of(*ops, content=bytes(512), life=2, tags={"opened": "2"})
    found: dict[int, set[str]] = {}
    for states in crash_states(trace, (get_preset("prefix-byte"), get_preset("epoch-subset-512")), SEED):
        found.setdefault(states.point.crash_index, set()).update(named(Facts(states)))
    assert found == {
        0: {"recovery-crash"},
        2: {"second-crash"},
        len(ops): {"second-crash"},
    }


# --- States in words ---

ALL, NONE = "All writes before the crash reached the disk", "No write without an fsync reached the disk"


def described(facts: Facts, row: int) -> tuple[str, list[str]]:
    head, found = losses(State(facts, row))
    return head, [str(loss) for loss in found]


@pytest.mark.parametrize(
    ("codes", "head", "lost"),
    [
        ((1, 1, 1, 1), f"{ALL}.", []),
        ((1, 1, 0, 1), f"{ALL}, except:", ["log, bytes 1024 to 1535: the bytes from before the write"]),
        ((0, 1, 0, 0), f"{NONE}, except:", ["log, bytes 512 to 1023: arrived"]),
        ((0, 0, 0, 0), f"{NONE}.", []),
    ],
)
def test_lost_sectors_are_listed_or_those_that_arrived_if_they_are_fewer(
    codes: tuple[int, ...], head: str, lost: list[str]
) -> None:
    facts = subsets(Write("log", 0, b"x" * 2048), content=bytes(2048))
    row = facts.states.codes.tolist().index([*codes])
    assert described(facts, row) == (head, lost)


def test_torn_write_is_described_by_the_bytes_that_are_missing() -> None:
    trace = trace_of(*record("a", 100, 10), content=bytes(512))
    states, *_ = crash_states(trace, (get_preset("prefix-byte"),), SEED)
    facts = Facts(states)
    torn = "log, bytes 103 to 109: of 10 bytes written at 100, only 3 reached the disk"
    assert described(facts, 3) == ("All earlier writes reached the disk. The last write is torn:", [torn])
    assert described(facts, 0)[1] == described(facts, 10)[1] == []


def test_corruption_is_described_by_the_bytes_that_differ() -> None:
    facts = Facts(rotted("bitrot-bit", bytes(512), (100, 10)))
    label = "bit:log:101:0"
    assert described(facts, facts.states.rot.index(label))[1] == [f"log, bytes 101 to 101: {label}"]


def test_story_contains_the_operations_before_the_crash_with_their_records() -> None:
    ops = (*record("a", 100, 10), Publish(("a", "b")), Sync("log"), Ack(("a",)))
    last = (*record("c", 200, 5), Publish(("c",)), Write("log", 0, b"x"))
    trace = trace_of(*ops, *last, content=bytes(512))
    *_, states = crash_states(trace, (get_preset("epoch-subset-512"),), SEED)
    assert [*story(State(Facts(states), 0))] == [
        "write 10 bytes at 100 of log: a; live from now on: a, b",
        "fsync log",
        "acknowledge a",
        "write 5 bytes at 200 of log: c",
        "write 1 bytes at 0 of log",
        "the crash",
    ]
