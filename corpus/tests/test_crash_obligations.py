"""Sets of operations and tables of verdicts, against what defines them one by one."""

from __future__ import annotations

import numpy as np
import pytest

from journalspec_corpus.crash.disk import StateContents
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.formats import answers, crash_format
from journalspec_corpus.crash.oracle import REFUSALS, expected_at
from journalspec_corpus.crash.trace import PRESETS, Trace
from journalspec_corpus.crash.verdict import VERDICTS, judge
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import rows_of

FORMATS = ("bitronix_tlog", "jboss_journal")
SEED = 1


def traces(format_id: str, tier: str = "core", every: int = 61) -> list[Trace]:
    return list(map(crash_format(format_id).build, Plan(format_id, tier, every=every).workloads()))


@pytest.mark.parametrize("format_id", FORMATS)
def test_verdicts_are_those_of_single_answers(format_id: str) -> None:
    adapter = crash_format(format_id)
    seen = set()
    for trace in traces(format_id, every=331)[:15]:
        for judged in rows_of(trace, PRESETS, SEED):
            states = judged.states
            expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
            found, which = answers(StateContents(states.point, states.codes), adapter.read)
            refusals, table = Facts(states).refusals, judged.judged(adapter).verdicts
            kinds, rows = np.unique(which * len(REFUSALS) + refusals, return_index=True)
            for kind, row in zip(kinds.tolist(), rows.tolist(), strict=True):
                given, refusal = found[kind // len(REFUSALS)], REFUSALS[kind % len(REFUSALS)]
                for reader, answer, column in zip(adapter.readers, given, table, strict=True):
                    holes = reader in adapter.salvaging
                    verdict = judge(answer, expected, refusal, holes_allowed=holes)
                    assert tuple(VERDICTS)[column[row]] == verdict
                    seen.add(verdict)
    assert len(seen) > 4
