"""The compiled engine against the one in Python: the same table, the same repeats, the same counts.

They are compared compiled, and interpreted in a process of its own, where a mistake shows as what it is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np
import pytest

from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.engine_layout import (
    CATEGORY,
    FIELD,
    G_CRASH,
    G_TORN,
    GROUP,
    NEW,
    PRESET,
    REFUSAL,
    TEAR,
    TraceLayout,
    unfit,
)
from journalspec_corpus.crash.expected import expected_at
from journalspec_corpus.crash.facts import Facts, categories, fields
from journalspec_corpus.crash.ids import state_words
from journalspec_corpus.crash.persistence import PRESETS, REACHABLE, get_preset
from journalspec_corpus.crash.reading import keys_of
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.switches import ENGINE_SWITCH
from journalspec_corpus.crash.trace import (
    Ack,
    Create,
    Mark,
    Op,
    Part,
    Preallocate,
    Publish,
    Release,
    Rename,
    Reuse,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
)
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import Shard, is_compiled, owed_pair

numba = pytest.importorskip("numba")
SEED = 1
FORMATS = ("bitronix_tlog", "jboss_journal")
TIMEOUT = 900


def traces(format_id: str, count: int) -> list[Trace]:
    adapter = crash_format(format_id)
    works = Plan(format_id, "core", every=31).workloads()
    return [adapter.build(work) for work in works[:: max(1, len(works) // count)]]


def judged(format_id: str, lives: list[Trace], presets: Any = PRESETS, *, compiled: bool) -> Shard:
    shard = Shard(crash_format(format_id), presets, SEED, compiled=compiled)
    for trace in lives:
        shard.add(trace)
    return shard


def differing(one: Shard, two: Shard) -> list[str]:
    """Return the names of the columns in which two shards differ, and what else does."""
    a, b = one.table(), two.table()
    out = [name for name in a.schema.names if not a[name].equals(b[name])]
    out += [] if one.repeated(a) == two.repeated(b) else ["repeated"]
    out += [] if one.tally.generated == two.tally.generated else ["generated"]
    return out + ([] if one.sampled == two.sampled else ["sampled"])


def compared(format_id: str, count: int, presets: Any = PRESETS, *, fault: bool = False) -> dict[str, Any]:
    """Return in what the two engines differ on some traces, how many states there were, and what was left."""
    lives = traces(format_id, count)
    plain = judged(format_id, lives, presets, compiled=False)
    right = TraceLayout._flat

    def wrong(self: TraceLayout) -> Any:
        flat = right(self)
        flat.promises[:] = 0
        return flat

    with pytest.MonkeyPatch.context() as patch:
        if fault:
            patch.setattr(TraceLayout, "_flat", wrong)
        fast = judged(format_id, lives, presets, compiled=True)
    states = fast.table().num_rows
    return {"differing": differing(fast, plain), "states": states, "left": fast.left, "on": bool(fast.engine)}


def record(name: str, off: int, length: int, file: str = "log") -> tuple[Write, Mark]:
    mark = Mark(name, file, off, length, name, ((0, "head"), (8, "body")))
    return Write(file, off, name.encode() * length), mark


def toy(base: dict[str, bytes], *ops: Op, background: str = "zero", **more: Any) -> Trace:
    return Trace("toy", "1", "toy", base, ops, background, **more)


#: What no workload of a format does, or few do: space that is set aside in each way, files that are cut,
#: that grow from the edge of a granule, names that come and go, and half a record of an earlier crash.
TOYS = {
    "space": toy(
        {"log": b"h" * 512, "spare": b"s" * 600},
        *record("a", 100, 40),
        Preallocate("log", 512, 1024, "unwritten"),
        *record("b", 510, 20),
        Publish(("a", "b")),
        Sync("log"),
        Ack(("a", "b")),
        Preallocate("log", 1536, 512, "sparse"),
        *record("c", 1530, 12),
        Truncate("spare", 512),
        Release(("a",)),
        Truncate("spare", 700),
        Preallocate("spare", 700, 30, "pattern-filled", 7),
        Sync("spare"),
        *record("d", 2040, 20),
        Ack(("c",)),
    ),
    "names": toy(
        {"log": b"l" * 9, "old": b"o" * 512},
        Create("tmp"),
        Write("tmp", 0, b"n" * 20),
        Sync("tmp"),
        Rename("tmp", "log"),
        Unlink("old"),
        SyncDir(),
        Create("x"),
        Preallocate("x", 0, 600, "zero-written"),
        *record("a", 0, 30, "x"),
        Sync("x"),
        Ack(("a",)),
        Rename("x", "old"),
        background="garbage",
    ),
    "life": toy(
        {"log": b"P" + bytes(511) + b"S" * 512 + b"T" * 1024},
        *record("a", 512, 300),
        *record("b", 1024, 40),
        Write("log", 0, b"Q"),
        Publish(("a", "b")),
        Sync("log"),
        Ack(("a", "b")),
        Reuse("log"),
        *record("e", 1400, 200),
        Write("log", 0, b"R"),
        Publish(("e",)),
        Sync("log"),
        Ack(("e",)),
        background="stale-same",
        stale=(Mark("s", "log", 512, 512, "s"),),
        possible=(Mark("p", "log", 1024, 0, "p"),),
        standing=(Mark("t", "log", 1536, 512, "t"),),
        life=2,
        tags={"opened": "2"},
    ),
}
HONEST = tuple(preset for preset in PRESETS if preset.stratum == REACHABLE)


def plainly(trace: Trace) -> list[list[Any]]:
    """Return place, preset, tear, refusal, category, field and name of each honest state, from Python."""
    out: list[list[Any]] = []
    for states in crash_states(trace, HONEST, SEED):
        facts = Facts(states)
        of_field, names = fields(facts)
        owed = expected_at(trace, states.point.crash_index, states.torn)
        words, _ = state_words(states.point, states.codes, owed_pair(trace, owed))
        columns = (states.preset, states.tear, facts.refusals, categories(facts), of_field)
        for row, name in zip(
            zip(*(each.tolist() for each in columns), strict=True), words.tolist(), strict=True
        ):
            out.append([states.point.crash_index, states.torn, *row[:-1], names[row[-1]], name])
    return out


def flatly(trace: Trace) -> list[list[Any]]:
    """Return the same from the compiled engine."""
    from journalspec_corpus.crash.engine_states import states_of  # it needs Numba

    layout = TraceLayout(trace, HONEST, SEED)
    table = np.zeros((1 << 14, 2), np.uint64), np.full(1 << 14, -1, np.int64)
    made = states_of(layout.flat, *table, 0, np.empty(1 << 16, np.uint8))
    out: list[list[Any]] = []
    for row, name in zip(made.rows.tolist(), made.states.tolist(), strict=True):
        group = made.groups[row[GROUP]].tolist()
        said = [row[at] for at in (PRESET, TEAR, REFUSAL, CATEGORY)]
        out.append([group[G_CRASH], group[G_TORN], *said, layout.field_names[row[FIELD]], name])
    return out


def interpreted(*arguments: str) -> Any:
    """Return what :func:`compared` gives where nothing is compiled, or how many states the toys have."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    environment["PYTHONPATH"] = os.pathsep.join(part for part in sys.path if part)
    done = subprocess.run(
        [sys.executable, __file__, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("format_id", FORMATS)
def test_both_engines_make_the_same_table(format_id: str) -> None:
    found = interpreted(format_id, "3", "", "")
    assert found["differing"] == []
    assert found["on"]
    assert found["left"] == 0
    assert found["states"] > 300


@pytest.mark.parametrize("name", ["prefix-byte", "alice-weak"])
def test_both_engines_agree_under_a_single_preset(name: str) -> None:
    assert interpreted("jboss_journal", "2", name, "")["differing"] == []


def test_both_engines_agree_on_what_the_formats_hardly_do() -> None:
    found = interpreted("toys", "", "", "")
    assert found.keys() == TOYS.keys()
    for name, (states, wrong) in found.items():
        assert wrong == [], name
        assert states > 600


def test_a_fault_in_the_layout_is_seen() -> None:
    assert "state_id" in interpreted("bitronix_tlog", "2", "", "fault")["differing"]


@pytest.mark.parametrize("format_id", FORMATS)
def test_both_engines_make_the_same_table_compiled(format_id: str) -> None:
    found = compared(format_id, 40)
    assert found["differing"] == []
    assert found["left"] == 0


def test_the_states_of_a_shard_are_told_apart_by_both_halves_of_their_names_however_many_there_are() -> None:
    """Numbered as a dictionary numbers them, while the table grows from its first size to a larger one."""
    from journalspec_corpus.crash.engine import SeenStates  # it needs Numba

    draw = np.random.default_rng(1)
    halves = np.asarray([0, 1, 1 << 12, 1 << 63, (1 << 64) - 1], np.uint64)
    # All pairs of these; most begin at the first or the last place of the table.
    pairs = np.stack(np.meshgrid(halves, halves), axis=-1).reshape(-1, 2)
    many = draw.integers(0, 1 << 64, (9000, 2), np.uint64)
    seen, known = SeenStates(), dict[tuple[int, ...], int]()
    for lanes in (pairs, many[:700], many[::-1], pairs[::-1], many):
        due = [known.setdefault(row, len(known)) for row in map(tuple, lanes.tolist())]
        assert seen.take(lanes).tolist() == due
    assert seen.filled == len(known) == 9025


@pytest.mark.parametrize(
    ("value", "every", "on"), [(None, 1, True), (None, 61, False), ("1", 61, True), ("0", 1, False)]
)
def test_the_engine_is_on_for_large_plans_unless_somebody_says(
    value: str | None, every: int, on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ENGINE_SWITCH, raising=False)
    if value is not None:
        monkeypatch.setenv(ENGINE_SWITCH, value)
    assert is_compiled(Plan(FORMATS[0], "core", every=every)) is on


def test_a_trace_that_is_not_for_it_goes_through_python() -> None:
    trace = next(each for each in traces("bitronix_tlog", 3) if each.marks)
    assert unfit(trace) == ""
    mark = next(op for op in trace.ops if isinstance(op, Mark))
    part = Part(mark.record, mark.file, mark.off, mark.length, mark.key, mark.fields)
    chained = replace(trace, ops=tuple(part if op is mark else op for op in trace.ops))
    assert unfit(chained) == "records in parts"
    assert unfit(replace(trace, ops=(mark, *trace.ops))) == "an annotation before any write"
    assert unfit(replace(trace, ops=(*trace.ops, Write(mark.file, 0, bytes(1 << 22))))) == "large files"


if __name__ == "__main__":
    format_of, number, preset, planted = sys.argv[1:]
    if format_of == "toys":
        both = {name: (plainly(trace), flatly(trace)) for name, trace in TOYS.items()}
        told = {
            name: (len(one), [pair for pair in zip_longest(one, two) if pair[0] != pair[1]][:1])
            for name, (one, two) in both.items()
        }
        print(json.dumps(told))
        sys.exit()
    chosen = (get_preset(preset),) if preset else PRESETS
    print(json.dumps(compared(format_of, int(number), chosen, fault=bool(planted))))


@pytest.mark.parametrize("rows", [[(1, 2), (1, 2), (5, 2)], [(1, 2), (1, 3), (1, 2), (5, 2)]])
def test_signatures_are_told_apart_by_both_halves(rows: list[tuple[int, int]]) -> None:
    from journalspec_corpus.crash.engine import distinct  # it needs Numba

    first, which = distinct(np.array(rows, np.uint64))
    assert [rows[first[number]] for number in which] == rows
    assert len(first) == len(set(rows))


@pytest.mark.parametrize("format_id", FORMATS)
def test_what_the_shard_has_is_not_signed_again(format_id: str) -> None:
    """But for states in whose answers something stands that nobody wrote: these are signed in each trace."""
    from journalspec_corpus.crash.engine import SeenStates, engine_of  # it needs Numba

    presets = tuple(preset for preset in PRESETS if preset.stratum == REACHABLE)
    engine, seen = engine_of(crash_format(format_id), presets, SEED), SeenStates()
    assert engine is not None
    kept = 0
    for trace in traces(format_id, 6):
        first = engine.batch(trace, seen)
        assert first is not None
        given, new = first.answer.copy(), first.judged.rows[:, NEW] > 0
        again = engine.batch(trace, seen)
        assert again is not None
        assert not again.judged.rows[:, NEW].any()
        assert [engine.answers[at] for at in again.answer] == [engine.answers[at] for at in given]
        keys = keys_of(trace)
        foreign = [
            any(not keys.issuperset((*answer.keys, *answer.aside)) for answer in engine.answers[at])
            for at in given
        ]
        signed = again.signed.signatures.any(axis=1)
        assert (signed == np.asarray(foreign)).all()
        kept += int((new & ~signed).sum())
    assert kept
