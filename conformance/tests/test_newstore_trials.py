"""The tool that tries new stores of damaged ones finds what is wrong, and counts what is right."""

from __future__ import annotations

import newstore_trials
import pytest

from journalspec_reference.api import load
from journalspec_reference.newstore import StoreChoices


def counts(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, list[int]]]:
    """Run the tool; return its exit status and the numbers of each kind of state."""
    status = newstore_trials.main(arguments)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["state", "kept", "exported", "nothing", "wrong", "started"]
    return status, {name: [*map(int, numbers)] for name, *numbers in rows[1 : 2 + len(newstore_trials.KINDS)]}


@pytest.mark.parametrize(
    "format_id", ["bitronix_tlog", "derby_log", "jboss_journal", "kahadb_journal", "swiftmq_store"]
)
def test_the_law_holds_for_a_sample(format_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = counts(capsys, "--format", format_id, "--count", "40")
    assert (status, found["all"][3]) == (0, 0)
    assert found["all"][0] > 30
    assert all(sum(numbers) == 8 for kind, numbers in found.items() if kind != "all")


def test_a_new_store_that_lacks_something_is_wrong(
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


def test_one_trial_is_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = counts(capsys, "--format", "bitronix_tlog", "--only", "3")
    assert status == 0
    assert sum(found["all"]) == sum(found["hostile"]) == 1
