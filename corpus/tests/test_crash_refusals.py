"""When a reader may refuse a state: the page's table of examples, and both oracles on these examples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import brute
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.oracle import REFUSALS
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import (
    PRESETS,
    Ack,
    Create,
    Mark,
    Op,
    Publish,
    Release,
    Sync,
    SyncDir,
    Trace,
    Write,
    get_preset,
)
from journalspec_corpus.crash.verdict import Answer

SEED = 7
SECTOR = 512
PAGE = Path(__file__).parents[2] / "docs" / "core-tier.md"
ROW = re.compile(
    r"^\| (?:`(...)`|none) \| `(...)` \| `(...)` \| (allowed|required|forbidden) \|", re.MULTILINE
)
ROWS = ROW.findall(PAGE.read_text("utf-8"))
REACHING = ("prefix-sector-512", "epoch-subset-512", "sector-trash-512")


def trace_of(*ops: Op, base: Mapping[str, bytes], stale: tuple[Mark, ...] = ()) -> Trace:
    return Trace("toy", "1", "toy", base, ops, "zero", stale=stale)


def records(letters: str) -> list[tuple[int, int, str]]:
    """Return (offset, length, letter) of each record in a log that is written as on the page."""
    runs = [(found.start(), found.group()) for found in re.finditer(r"([A-Z])\1*", letters)]
    return [(at * SECTOR, len(run) * SECTOR, run[0]) for at, run in runs]


def drawn(letters: str) -> bytes:
    return b"".join(bytes(SECTOR) if letter == "." else letter.encode() * SECTOR for letter in letters)


def written(letter: str, off: int, length: int) -> tuple[Write, Mark]:
    return Write("log", off, letter.encode() * length), Mark(letter, "log", off, length, letter)


def pointer(letter: str, *names: str) -> tuple[Write, Publish]:
    return Write("log", 0, letter.encode() * SECTOR), Publish(names)


def old(letters: str) -> tuple[Mark, ...]:
    return tuple(Mark(name, "log", off, length, name) for off, length, name in records(letters))


def example(before: str, after: str) -> Trace:
    """Return the trace of the page: a record, the pointer that publishes it, an fsync, an acknowledgement."""
    (_, _, sign), (off, length, letter) = records(after)
    ops = (*written(letter, off, length), *pointer(sign, letter), Sync("log"), Ack((letter,)))
    if not before:
        return trace_of(Create("log"), Sync("log"), SyncDir(), *ops, base={})
    return trace_of(*ops, base={"log": drawn(before)}, stale=old(before))


def shown(files: Mapping[str, bytes]) -> str:
    """Return the log as on the page; a sector that is neither zeros nor one letter is garbage."""
    log = files.get("log", b"").ljust(3 * SECTOR, b"\0")
    sectors = [log[at : at + SECTOR] for at in range(0, len(log), SECTOR)]
    letters = [sector[:1].decode("latin-1") if sector == sector[:1] * SECTOR else "?" for sector in sectors]
    return "".join(letters).replace("\0", ".")


def refusals(trace: Trace, presets: Sequence[str] = REACHING) -> dict[str, set[str]]:
    """Return the refusal classes of each log that a crash before the acknowledgement can leave behind."""
    found: dict[str, set[str]] = {}
    told = next(at for at, op in enumerate(trace.ops) if isinstance(op, Ack))
    for states in crash_states(trace, tuple(map(get_preset, presets)), SEED):
        if states.point.crash_index <= told:
            said = Facts(states).refusals
            for row, codes in enumerate(states.codes):
                name = shown(states.point.materialise(codes))
                found.setdefault(name, set()).add(REFUSALS[said[row]])
    return found


@pytest.mark.parametrize(("before", "after", "left", "refusal"), ROWS)
def test_table_of_the_page_agrees_with_the_engine(before: str, after: str, left: str, refusal: str) -> None:
    assert refusals(example(before, after))[left] == {refusal}


def test_page_has_an_example_of_each_refusal_class() -> None:
    assert len(ROWS) >= 14
    assert {refusal for *_, refusal in ROWS} == set(REFUSALS)


def copied() -> Trace:
    """Return a trace: a published record, a copy of it over an old record, a pointer to the copy."""
    first = (*written("R", SECTOR, SECTOR), *pointer("P", "R"))
    second = (*written("R", 2 * SECTOR, SECTOR), *pointer("Q", "R"))
    return trace_of(*first, *second, Sync("log"), Ack(("R",)), base={"log": drawn("..S")}, stale=old("..S"))


TRACES = {
    **{f"{before or 'none'} {after}": example(before, after) for before, after, *_ in ROWS},
    "copied": copied(),
}


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_second_oracle_gives_the_same_results(trace: Trace) -> None:
    report = brute.compare_trace(trace, lambda files: Answer((), "no"))
    assert not report.kinds, "\n".join(report.lines())
    assert report.rows > 8


def test_old_record_at_the_offset_of_a_copy_is_not_live_until_a_pointer_refers_to_it() -> None:
    found = refusals(copied(), ("epoch-subset-512",))
    assert found["P.S"] == {"required"}
    assert found["Q.S"] == {"allowed"}


def test_deleted_records_need_not_be_reported() -> None:
    trace = example("...", "PR.")
    at = next(at for at, op in enumerate(trace.ops) if isinstance(op, Sync))
    released = replace(trace, ops=(*trace.ops[:at], Release(("R",)), *trace.ops[at:]))
    assert refusals(released)["P.."] == {"required", "allowed"}


def test_refusal_is_allowed_or_required_with_a_lying_device_and_allowed_after_corruption() -> None:
    trace = example(".S.", "PRR")
    more = replace(trace, ops=(*trace.ops, *written("T", SECTOR, SECTOR)))
    said: dict[str, set[str]] = {}
    presets = tuple(preset for preset in PRESETS if preset.stratum != "R")
    for states in crash_states(more, presets, SEED, everywhere=True):
        said.setdefault(states.stratum, set()).update(REFUSALS[code] for code in Facts(states).refusals)
    assert said == {"C": {"allowed"}, "L": {"allowed", "required"}}


def test_refusal_is_allowed_only_if_an_unsynced_file_lost_its_write() -> None:
    ops = (*written("R", 0, SECTOR), Write("other", 0, b"o"), Sync("other"), Ack(("R",)))
    trace = trace_of(*ops, base={"log": drawn("."), "other": b"."})
    found = crash_states(trace, (get_preset("epoch-subset-512"),), SEED)
    (states,) = (states for states in found if states.point.crash_index == 4)
    said = [REFUSALS[code] for code in Facts(states).refusals]
    assert dict(zip(states.codes.ravel().tolist(), said, strict=True)) == {0: "allowed", 1: "forbidden"}


def test_killed_process_may_have_written_the_synced_file_before_the_lost_write() -> None:
    ops = (Write("other", 0, b"o"), *written("R", 0, SECTOR), Sync("other"), Ack(("R",)))
    trace = trace_of(*ops, base={"log": drawn("."), "other": b"."})
    found = crash_states(trace, (get_preset("epoch-subset-512"),), SEED)
    (states,) = (states for states in found if states.point.crash_index == 4)
    assert {REFUSALS[code] for code in Facts(states).refusals} == {"forbidden"}


def test_record_in_place_of_a_torn_one_of_an_earlier_crash_need_not_be_reported() -> None:
    """The bytes of the two records may be equal, so a reader cannot know that the new one is missing."""
    trace = example("...", "PR.")
    assert refusals(trace, ("epoch-subset-512",))["P.."] == {"required"}
    torn = replace(trace, possible=(Mark("b", "log", SECTOR, 0, "b"),))
    assert refusals(torn, ("epoch-subset-512",))["P.."] == {"allowed"}


def test_refusal_is_allowed_if_the_fsync_of_a_name_came_after_the_lost_write() -> None:
    """A killed process leaves the new name only together with the earlier write."""
    ops = (*written("R", 0, SECTOR), Create("other"), SyncDir(), Ack(("R",)))
    found = crash_states(trace_of(*ops, base={"log": drawn(".")}), (get_preset("epoch-subset-512"),), SEED)
    (states,) = (states for states in found if states.point.crash_index == 4)
    said = [REFUSALS[code] for code in Facts(states).refusals]
    assert dict(zip(states.codes.ravel().tolist(), said, strict=True)) == {0: "allowed", 1: "forbidden"}


def test_write_that_is_torn_right_before_a_record_leaves_the_record_intact() -> None:
    ops = (*written("R", 2 * SECTOR, SECTOR), *pointer("P", "R"), Sync("log"), Ack(("R",)))
    over = Write("log", SECTOR, b"W" * 2 * SECTOR)
    trace = trace_of(*ops, over, base={"log": drawn("...")})
    found = crash_states(trace, (get_preset("prefix-byte"),), SEED)
    (states,) = (states for states in found if states.point.crash_index == len(ops))
    said = dict(zip(states.tear.tolist(), Facts(states).refusals.tolist(), strict=True))
    assert [REFUSALS[said[SECTOR + more]] for more in (0, 1)] == ["allowed", "required"]
