"""What a format cannot promise is not held against who reads it as specified, and nothing else is let off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="PyArrow is missing: install journalspec[corpus]")

from journalspec_conformance.crashes.verdicts import MEMBERS
from journalspec_corpus.crash.verdict import first_that_covers, limits
from judged import judge_crashes
from tables import table

pytestmark = pytest.mark.usefixtures("chosen_once")

FAKES = Path(__file__).parent / "data"
PINNED = table("crash_limits")
#: One trace in so many: some formats have more states of each.
EVERY = {"jboss_journal": 101}


def limits_of(facts: dict[str, Any]) -> dict[str, dict[str, dict[str, int]]]:
    """Return stratum -> verdict -> limit -> answers."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for entry in facts["failures"]:
        for limit, answers in entry["limits"].items():
            of = found.setdefault(entry["representative"]["stratum"], {}).setdefault(entry["verdict"], {})
            of[limit] = of.get(limit, 0) + answers
    return found


@pytest.mark.parametrize("format_id", PINNED)
def test_who_reads_as_specified_fails_nowhere(format_id: str) -> None:
    done = judge_crashes("reference", format_id, "--count", 700, "--jobs", 1, "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["new"] == []
    assert limits_of(facts) == PINNED[format_id]
    pinned = [limits.values() for verdicts in PINNED[format_id].values() for limits in verdicts.values()]
    assert sum(entry["answers"] for entry in facts["limits"]) == sum(map(sum, pinned))


@pytest.mark.parametrize("format_id", PINNED)
def test_who_reads_as_specified_fails_nowhere_in_core_either(format_id: str) -> None:
    """Long workloads and second lives are in core only: all states of every 61st of its traces, or fewer."""
    asked = ("--tier", "core", "--every", EVERY.get(format_id, 61), "--count", 0, "--json")
    done = judge_crashes("reference", format_id, *asked)
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["states"] > 5_000
    assert facts["new"] == []
    assert [entry["kind"] for entry in facts["failures"] if entry["counted"]] == []
    assert len(facts["limits"]) > 3


def test_how_many_were_let_off_and_why_is_said_and_can_be_turned_off() -> None:
    chosen = ("--jobs", 1, "--count", 150, "--strata", "R", "--writers", "3.0", "--policies", "salvage")
    done = judge_crashes("reference", "bitronix_tlog", *chosen)
    assert done.exit_code == 0
    assert "what the format itself cannot promise" in done.stdout
    assert "garbage there takes them along" in done.stdout
    assert "10 failures, 0 of them count, 10 are limits of the format" in done.stdout
    strict = judge_crashes("reference", "bitronix_tlog", *chosen, "--no-limits")
    assert strict.exit_code == 1
    assert "R/lost/sector-trash/salvage/3.0" in strict.stdout
    assert "cannot promise" not in strict.stdout


@pytest.mark.parametrize("name", ["Resurrects", "Loses"])
def test_who_fails_where_the_specification_does_not_is_not_let_off(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In states of a kind that a limit covers: the table alone would let them off."""
    monkeypatch.syspath_prepend(str(FAKES))
    chosen = ("--jobs", 1, "--count", 400, "--strata", "R", "--policies", "salvage", "--json")
    done = judge_crashes(f"py:crash_fakes:{name}", "bitronix_tlog", *chosen)
    assert done.exit_code == 1
    known = limits("bitronix_tlog")
    covered = 0
    for entry in json.loads(done.stdout)["failures"]:
        values = [entry["representative"][member] for member in (*MEMBERS, "preset")]
        covered += entry["counted"] if first_that_covers(known, *values) else 0
    assert covered
