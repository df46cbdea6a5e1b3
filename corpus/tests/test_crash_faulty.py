"""Recoveries that decide wrongly are asked about crash states, and what they decide is another thing."""

from __future__ import annotations

from dataclasses import replace

import pytest

import faulty
from faulty import REPLAYS, FaultyReplay, FaultyRun, ReplayRow, replays
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.mutants import MutantError

FORMATS = ("bitronix_tlog", "jboss_journal")


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
    assert ReplayRow(FaultyReplay("r")).enough


def test_the_reference_itself_is_never_wrong() -> None:
    adapter = crash_format("bitronix_tlog")
    found = FaultyRun(adapter, replays("bitronix_tlog")[:1])
    found._asked[1] = found._asked[0]
    found.look_at(adapter.build(next(adapter.workloads("smoke"))))
    assert found.states > 10
    assert found.rows[0].asked > 10
    assert found.rows[0].wrong == 0


def test_the_command_fails_for_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert faulty.main(["--format", "no_such"]) == 2
    assert faulty.main(["--format", "bitronix_tlog", "--scope", "no_such"]) == 2
    assert capsys.readouterr().err.startswith("error: ")
