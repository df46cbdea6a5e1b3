"""A reader that follows the specification fails in a crash state only if a limit of the format causes the
loss.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="PyArrow is missing: install journalspec[corpus]")

from journalspec_conformance.report import load_report
from journalspec_corpus.crash.verdict import limits
from judged import call
from tables import table

PINNED = table("crash_limits")
#: The number of states for each format. If there are two numbers, only a whole run uses the larger one.
ASKED = [
    pytest.param(
        count, format_id, marks=[pytest.mark.whole] if format_id in PINNED["100"] and count != "100" else []
    )
    for count, formats in PINNED.items()
    for format_id in formats
]


def nested(limits_met: dict[str, Any]) -> dict[str, int]:
    """Return the expected counts with keys of the form ``class.verdict.limit``."""
    return {
        f"{stratum}.{verdict}.{limit}": count
        for stratum, verdicts in limits_met.items()
        for verdict, of in verdicts.items()
        for limit, count in of.items()
    }


@pytest.mark.parametrize(("count", "format_id"), ASKED)
def test_reference_fails_only_where_the_format_has_a_limit(
    count: str, format_id: str, tmp_path: Path
) -> None:
    report = tmp_path / "report.jsonl"
    chosen = ("--tier", "crash", "--format", format_id, "--seed", 1, "--count", count, "--jobs", 1)
    call("run", "--impl", "reference", *chosen, "--report", report, status=0)
    met: Counter[str] = Counter()
    for result in load_report(report).results:
        if result.fingerprint:
            assert result.result_class == "allowed"
            met[f"{result.stratum}.{result.fingerprint.partition('/')[0]}.{result.choice}"] += 1
    assert met == nested(PINNED[count][format_id])
    assert {name.rpartition(".")[2] for name in met} <= {limit.id for limit in limits(format_id)}
