"""A failure counts against every writer that reaches the state, though the state is kept once."""

from __future__ import annotations

import pytest

from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.persistence import get_preset, rank
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import Shard
from journalspec_corpus.pipeline.tables import Reached, counted, reached, readers_of, tabulate

Kind = tuple[str, str, str, str, str]


def strongest(entries: set[Reached]) -> dict[Kind, str]:
    """Return the strongest preset of each (stratum, writer, edition, reader, verdict)."""
    out: dict[Kind, str] = {}
    for stratum, writer, edition, preset, reader, verdict in entries:
        kind = (stratum, writer, edition, reader, verdict)
        out[kind] = min(preset, out.get(kind, preset), key=rank)
    return out


@pytest.mark.parametrize(
    ("format_id", "numbers"), [("bitronix_tlog", (3, 60, 100)), ("jboss_journal", (4, 50))]
)
def test_it_is_as_if_each_trace_had_been_judged_alone(format_id: str, numbers: tuple[int, ...]) -> None:
    plan = Plan(format_id, "core")
    adapter = crash_format(format_id)
    presets = tuple(get_preset(name) for name in plan.presets)
    repeats = 0
    for number in numbers:
        together, alone = Shard(adapter, presets, plan.seed), set[Reached]()
        for work in plan.shard_workloads(number)[:9]:
            trace = adapter.build(work)
            together.add(trace)
            one = Shard(adapter, presets, plan.seed)
            one.add(trace)
            table = one.table()
            alone |= reached(counted(table), readers_of(table.schema))
        table = together.table()
        own = reached(counted(table), readers_of(table.schema))
        both = own | set(together.repeated(table))
        repeats += both != own
        assert strongest(both) == strongest(alone)
    assert repeats


def test_what_another_writer_reaches_decides_what_is_safe_for_it() -> None:
    labels = ("R", "one", "e", "rotate", "zero", "", True)
    seen = {
        (*labels, "prefix-byte", "allowed", "pass"): 5,
        (*labels, "epoch-subset-512", "allowed", "lost"): 2,
    }
    entries: set[Reached] = {
        ("R", "one", "e", "prefix-byte", "", ""),
        ("R", "one", "e", "epoch-subset-512", "", ""),
        ("R", "one", "e", "epoch-subset-512", "strict", "lost"),
        # The same state, kept for the first writer.
        ("R", "two", "e", "prefix-sector-512", "", ""),
        ("R", "two", "e", "prefix-byte", "", ""),
        ("R", "two", "e", "prefix-byte", "strict", "lost"),
        ("R", "two", "e", "alice-weak", "strict", "append-lost"),
    }
    from collections import Counter

    tables = tabulate(Counter(seen), entries, (), ("strict",), "strict")["R"]
    assert [
        (row["writer"], row["weakest"], row["fails_under"], row["breaks"]) for row in tables["safe_under"]
    ] == [
        ("one", "prefix-byte", "epoch-subset-512", ["I1"]),
        ("two", "prefix-sector-512", "prefix-byte", ["I1"]),
    ]
    assert tables["safe_under"][1]["besides"] == {"I9": "alice-weak"}
    failures = {(row["writer"], row["verdict"]): row for row in tables["failures"]}
    assert failures["two", "lost"]["strongest_preset"] == "prefix-byte"
    assert failures["two", "lost"]["states"] == {}
    assert failures["one", "lost"]["states"] == {"epoch-subset-512": 2}
    assert failures["one", "lost"]["breaks"] == list(VERDICTS["lost"])
