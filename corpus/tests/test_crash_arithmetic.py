"""The number of torn records that a check size accepts: a formula compared with the engine's count."""

from __future__ import annotations

import pytest

from journalspec_corpus.crash.disk import StateContents
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.formats import answers, crash_format
from journalspec_corpus.crash.oracle import REFUSALS, expected_at
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import get_preset
from journalspec_corpus.crash.verdict import judge
from journalspec_corpus.jboss_journal.workloads import Step, Workload

#: Maps the background of a workload to the number of sectors that a torn record needs to look intact. Over
#: zeros, these are the first and the last sector. Over an earlier record with the same offset and length,
#: only the first sector is needed.
BACKGROUNDS = {"zero": 2, "stale-same": 1}


def formula(edition: str, sectors: int, background: str) -> int:
    """Return the number of ways to lose sectors that a check size accepts; a hash accepts none."""
    free = 0 if edition == "seed+hash" else sectors - BACKGROUNDS[background]
    return (1 << free) - 1


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("edition", ["seed", "v2", "seed+hash"])
@pytest.mark.parametrize("sectors", [2, 3, 8])
def test_reader_accepts_as_many_torn_records_as_the_formula_gives(
    edition: str, background: str, sectors: int
) -> None:
    """One record is in flight, over `sectors` sectors. Each sector has arrived or not."""
    adapter = crash_format("jboss_journal")
    step = Step("add", 1, (sectors - 1) * 512 + 100)
    trace = adapter.build(Workload("append", edition, (step,), "type", background=background))
    (mark,) = trace.marks["ADD-1"]
    assert (mark.off % 512, (mark.off + mark.length - 4) // 512 - mark.off // 512) == (0, sectors - 1)
    states = next(
        states
        for states in crash_states(trace, (get_preset("epoch-subset-512"),), 1)
        if len(states) and len(states.point.blocks) == sectors
    )
    found, which = answers(StateContents(states.point, states.codes), adapter.read)
    expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
    verdicts = [
        judge(found[at][0], expected, REFUSALS[refusal], holes_allowed=False)
        for at, refusal in zip(which.tolist(), Facts(states).refusals.tolist(), strict=True)
    ]
    arrived = [sum(row) for row in states.codes.tolist()]
    torn = [verdict for verdict, count in zip(verdicts, arrived, strict=True) if 0 < count < sectors]
    assert len(torn) == 2**sectors - 2 == len(states) - 2
    assert sum(verdict in ("torn-accepted", "silent") for verdict in torn) == formula(
        edition, sectors, background
    )
    # The intact record is also accepted.
    assert verdicts[arrived.index(sectors)] == "pass"
