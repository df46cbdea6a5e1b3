"""Recoveries that decide wrongly are asked about crash states; both oracles notice what they decide."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import chain, islice

import pytest

import brute
import faulty
from faulty import FLOOR, REPLAYS, FaultyReplay, FaultyRun, ReplayRow, misread, replays
from journalspec.formats import format_ids
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.mutants import MutantError

#: format -> replay -> names of workloads in whose states it can be wrong
WORKLOADS = {
    "bitronix_tlog": {
        "uncommitted-delivered": "append/spec/committing-1-tiny/*",
        "rollback-applied": "long/spec/1500/*+f+r*",
        "delete-ignored": "append/3.0/committing-1-typical+committed-1-typical/*",
        "partial-commit-accepted": "append/2.1.4/committing-1-typical/*",
        "unfinished-empty": "append/spec/committing-1-typical/*",
        "decision-dropped": "append/3.0/committing-1-typical/*",
        "first-of-a-life-ignored": "long/spec/1500/*+[ok]+c*",
    },
    "jboss_journal": {
        "uncommitted-delivered": "append/seed/add_tx-1-40+delete_tx-91+commit-1/*",
        "rollback-applied": "append/v2/add_tx-1-600+prepare-1+rollback-1/*",
        "delete-ignored": "append/seed+hash/delete-91/*",
        "transactional-delete-ignored": "append/v2/add_tx-1-40+delete_tx-91+commit-1/*",
        "partial-commit-accepted": "append/v2/add_tx-1-600+add_tx-2-40+commit-1/*",
        "unfinished-empty": "append/seed/update_tx-91-600+add_tx-2-600+prepare-1/*",
        "decision-dropped": "append/v2/add_tx-1-40+prepare-1+commit-1/*",
        "update-ignored": "append/v2/update-91-40/*",
        "first-of-a-life-ignored": "again/0/same/append/seed+hash/add-1-600+add-2-1400/*",
    },
    "kahadb_journal": {
        "uncommitted-delivered": "append/5.16/add-1-600-l1+remove-91-l1+commit-l1/*/each/zero",
        "rollback-applied": "append/5.16/add-1-600-x1+prepare-x1+rollback-x1/*/each/zero",
        "delete-ignored": "append/5.12/remove-91/*",
        "transactional-delete-ignored": "append/5.16/add-1-600-l1+remove-91-l1+commit-l1/*/each/zero",
        "partial-commit-accepted": "append/5.16/add-1-600-l1+remove-91-l1+commit-l1/*/each/zero",
        "unfinished-empty": "append/5.16/add-1-600-x1+ack-92-x1+prepare-x1/*/each/zero",
        "decision-dropped": "append/5.16/add-1-40-x1+prepare-x1+commit-x1/*/each/zero",
        "update-ignored": "append/5.16/update-91-40/*",
        "first-of-a-life-ignored": "over/5.16/add-1-40+add-2-600/*/each/zero",
    },
    "derby_log": {
        "uncommitted-delivered": "append/10.16/sync/insert-1-600-l1+update-91-40-l1+insert-2-40/*",
        "rollback-applied": "append/10.16/sync/insert-1-600-l1+update-91-600-l1+rollback-l1+insert-2-40/*",
        "delete-ignored": "append/10.1/sync/delete-91/*",
        "partial-commit-accepted": "append/10.16/sync/insert-1-600-l1+update-91-40-l1+insert-2-40/*",
        "unfinished-empty": "append/10.16/sync/start-x1+insert-1-600-x1+delete-91-x1+prepare-x1/*",
        "decision-dropped": "append/10.0/sync/start-x1+insert-1-40-x1+prepare-x1+accept-x1/*",
        "update-ignored": "append/10.16/sync/update-91-40/*",
        "first-of-a-life-ignored": "over/10.16/sync/insert-1-600+insert-2-40/*",
    },
    "swiftmq_store": {
        "rollback-applied": "transaction/*+rollback-*",
        "delete-ignored": "remove/remove-queue=q-key=0",
        "unfinished-empty": "branch/insert-queue=q-body=a-tx=t+prepare-tx=t",
        "update-ignored": "insert/insert-queue=q-body=a",
        "first-of-a-life-ignored": "checkpoint/insert-queue=q-body=a+checkpoint+*",
    },
}
FORMATS = [name for name in WORKLOADS if name in format_ids()]
PAIRS = [(format_id, replay) for format_id in FORMATS for replay in WORKLOADS[format_id]]
LARGE = [(format_id, known.id) for format_id in FORMATS for known in replays(format_id) if known.large]


def small_ones(adapter: CrashFormat, pattern: str, count: int, *, large: bool = False) -> list[Trace]:
    """The first traces of workloads with such names, core ones first; `large`: also large ones."""
    works = chain(adapter.workloads("core"), adapter.long.lines if adapter.long else ())
    found = (adapter.build(work) for work in works if fnmatchcase(work.name, pattern))
    return list(islice((trace for trace in found if large or brute.is_small(trace, 256)), count))


@pytest.mark.parametrize(("format_id", "replay"), PAIRS)
def test_what_it_decides_wrongly_is_noticed(format_id: str, replay: str) -> None:
    adapter = crash_format(format_id)
    table = [known for known in replays(format_id) if known.id == replay]
    found = FaultyRun(adapter, table)
    large = table[0].large
    for trace in small_ones(adapter, WORKLOADS[format_id][replay], 1 if large else 2, large=large):
        found.look_at(trace)
    (row,) = found.rows
    assert row.wrong >= 4, row.line()
    # Nobody can call a refusal wrong that is allowed.
    refused = row.explained if row.replay.refuses else 0
    assert row.noticed >= FLOOR * (row.wrong - refused), row.line()


@pytest.mark.parametrize(("format_id", "replay"), [pair for pair in PAIRS if pair not in LARGE])
def test_both_oracles_agree_on_what_it_decides(format_id: str, replay: str) -> None:
    adapter = misread(crash_format(format_id), replay)
    report = brute.OracleReport()
    for trace in small_ones(adapter, WORKLOADS[format_id][replay], 1):
        brute.Comparison(adapter, trace, brute.KNOWN, report).run()
    assert report.effects > 20
    assert not report.kinds, "\n".join(report.lines())
    assert set(report.verdicts) - {"pass", "acceptable"}


def test_a_table_covers_what_a_format_can_do_wrongly() -> None:
    for format_id in FORMATS:
        assert [replay.id for replay in replays(format_id) if replay.mutant] == list(WORKLOADS[format_id])
    with pytest.raises(LookupError, match="no replay 'update-ignored'"):
        misread(crash_format("bitronix_tlog"), "update-ignored")


@pytest.mark.parametrize("format_id", FORMATS)
def test_each_format_answers_for_every_replay(format_id: str) -> None:
    table = replays(format_id)
    assert tuple(replay.id for replay in table) == REPLAYS
    assert all(replay.none or replay.mutant for replay in table)
    assert all(len(replay.none) > 40 for replay in table if replay.none)
    for replay in table:
        if replay.mutant is not None:
            assert replay.what
            assert replay.mutant.source()


def test_a_table_without_one_of_them_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faulty, "REPLAYS", (*REPLAYS, "another"))
    with pytest.raises(MutantError, match=r"expected .*another"):
        replays("bitronix_tlog")


def test_only_what_is_noticed_counts() -> None:
    row = ReplayRow(FaultyReplay("r"), asked=100, wrong=10)
    assert not row.enough
    row.verdicts.update({"pass": 1, "lost": 9})
    assert (row.noticed, row.enough) == (9, True)
    assert row.line() == "r" + " " * 35 + "10 wrong of      100, noticed   90.0%  lost 9, pass 1"
    assert not replace(row, wrong=11).enough
    # What is explained is not wrong.
    assert replace(row, wrong=11, explained=1).enough
    assert ", explained 1  lost 9" in replace(row, wrong=11, explained=1).line()
    assert ReplayRow(FaultyReplay("r")).enough


def test_the_reference_itself_is_never_wrong() -> None:
    adapter = crash_format("bitronix_tlog")
    found = FaultyRun(adapter, replays("bitronix_tlog")[:1])
    found._asked[1] = found._asked[0]
    found.look_at(adapter.build(next(adapter.workloads("smoke"))))
    assert found.states > 10
    assert found.rows[0].asked > 10
    assert found.rows[0].wrong == 0


def test_a_replay_that_is_never_wrong_does_not_count_as_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    names = "append/spec/committing-1-tiny/status@1024/each/zero"
    assert faulty.main(["--format", "bitronix_tlog", "--every", "1", "--names", names]) == 1
    told = capsys.readouterr()
    assert "uncommitted-delivered" in told.out
    assert "error: no answer of rollback-applied" in told.err
    assert "uncommitted-delivered" not in told.err
    possible, impossible = replays("bitronix_tlog")[0], FaultyReplay("r", none="not here")
    assert ReplayRow(possible).idle
    assert not ReplayRow(possible, wrong=1).idle
    assert not ReplayRow(impossible).idle


def test_the_command_fails_for_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert faulty.main(["--format", "no_such"]) == 2
    assert faulty.main(["--format", "bitronix_tlog", "--scope", "no_such"]) == 2
    assert capsys.readouterr().err.startswith("error: ")
