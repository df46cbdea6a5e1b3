"""What a format cannot promise is not held against who reads it as specified, and nothing else is let off."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="PyArrow is missing: install journalspec[corpus]")

from journalspec_conformance.crashes.known import MEMBERS
from journalspec_corpus.crash.verdict import first_that_covers, limits
from judged import judge_crashes

FAKES = Path(__file__).parent / "data"
#: What is left to fail for the reference in 700 states: (stratum, verdict, limit) -> answers. A number
#: that changes is a change of the format, the engine or the reference; understand it before writing it here.
PINNED = {
    "bitronix_tlog": {
        ("R", "lost", "garbage-in-a-shared-sector"): 39,
        ("R", "lost", "position-as-timestamp"): 2,
        ("R", "refused", "pair-half-made"): 4,
        ("R", "resurrected", "no-lap-in-a-record"): 10,
        ("C", "silent", "header-without-checksum"): 10,
    },
    "jboss_journal": {
        ("R", "lost", "garbage-in-a-shared-sector"): 8,
        ("R", "lost", "left-file-not-forced"): 6,
        ("R", "resurrected", "old-record-under-a-new-head"): 4,
        ("R", "silent", "commit-without-records"): 14,
        ("R", "silent", "garbage-in-a-shared-sector"): 8,
        ("R", "torn-accepted", "no-checksum"): 78,
        ("C", "silent", "nothing-counts-records"): 24,
        ("C", "torn-accepted", "no-checksum"): 14,
        ("L", "torn-accepted", "no-checksum"): 6,
    },
}


def limits_of(facts: dict[str, Any]) -> dict[tuple[str, str, str], int]:
    found: Counter[tuple[str, str, str]] = Counter()
    for entry in facts["failures"]:
        for limit, answers in entry["limits"].items():
            found[entry["representative"]["stratum"], entry["verdict"], limit] += answers
    return dict(found)


@pytest.mark.parametrize("format_id", PINNED)
def test_who_reads_as_specified_fails_nowhere(format_id: str) -> None:
    done = judge_crashes("reference", format_id, "--count", 700, "--jobs", 1, "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["new"] == []
    assert limits_of(facts) == PINNED[format_id]
    assert sum(entry["answers"] for entry in facts["limits"]) == sum(PINNED[format_id].values())


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
