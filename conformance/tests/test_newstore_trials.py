"""The tool for trials of new stores detects wrong stores, and counts right ones."""

from __future__ import annotations

from random import Random

import newstore_trials
import pytest

from journalspec_reference.api import load
from journalspec_reference.newstore import StoreChoices


def counts(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, list[int]]]:
    """Run the tool; return its exit status and the numbers of each kind of state."""
    status = newstore_trials.main(arguments)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["state", "kept", "exported", "nothing", "wrong", "started", "old"]
    return status, {name: [*map(int, numbers)] for name, *numbers in rows[1 : 2 + len(newstore_trials.KINDS)]}


def test_store_that_lacks_rows_is_wrong(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    implementation = load("bitronix_tlog")
    maker = implementation.new_store

    def empty(answer: object, choices: StoreChoices) -> object:
        store = maker(answer, choices)
        rows = {row["id"] for row in newstore_trials.Hooks("bitronix_tlog").live(answer)}  # type: ignore[arg-type]
        return maker(answer, StoreChoices(drop=(min(rows),))) if rows else store

    monkeypatch.setattr(implementation, "new_store", empty)
    status, found = counts(capsys, "--format", "bitronix_tlog", "--count", "25")
    assert status == 1
    assert found["all"][3] > 10


def test_one_trial_can_be_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = counts(capsys, "--format", "bitronix_tlog", "--only", "3")
    assert status == 0
    assert sum(found["all"]) == sum(found["hostile"]) == 1


def test_simulated_crash_of_derby_loses_the_end_of_its_log() -> None:
    files = {"seg0/c10.dat": b"x" * 9000, "log/log2.dat": b"y" * 8000, "log/log10.dat": b"z" * 2000}
    last = newstore_trials.Hooks("derby_log").last(files)
    assert last == {"log/log10.dat": 24}
    _, left = newstore_trials.reachable(files, Random(1), last)
    assert [name for name in files if files[name] != left[name]] == ["log/log10.dat"]


def test_simulated_crash_of_derby_keeps_what_its_checkpoint_synced() -> None:
    log = bytearray(b"z" * 900)
    # A record of 100 bytes at offset 500, with 16 further bytes for lengths and instant.
    log[500:504] = bytes([0, 0, 0, 100])
    control = bytes([0, 0, 0, 128, 0, 0, 0, 9]) + (7 << 32 | 500).to_bytes(8, "big") + bytes(32)
    files = {"log/log.ctrl": control, "log/log7.dat": bytes(log)}
    last = newstore_trials.Hooks("derby_log").last(files)
    assert last == {"log/log7.dat": 616}
    for seed in range(40):
        _, left = newstore_trials.reachable(files, Random(seed), last)
        assert left["log/log7.dat"][:616] == files["log/log7.dat"][:616]
