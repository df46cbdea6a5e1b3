"""The drill of the gates: a fault in a part is put down to that part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

import drill
import replay
from journalspec_corpus.model import Model, model_of

FORMATS = ("bitronix_tlog", "jboss_journal", "kahadb_journal", "derby_log")
#: Some quick ones; all of them: ``python corpus/checks/drill.py``.
QUICK = (
    "one-branch-ends-all",
    "tie-goes-to-the-first",
    "swap-releases-all",
    "what-is-torn-was-not-issued",
    "rollback-does-it-all",
    "a-force-is-of-all-files",
)


def test_every_part_has_faults_and_each_fits_its_source() -> None:
    found = drill.faults()
    assert len(found) >= 14
    parts = Counter(fault.part for fault in found)
    assert parts.keys() == {*drill.PARTS}
    assert min(parts[part] for part in ("model", "reader", "annotations", "oracle")) >= 3
    for fault in found:
        compile(fault.source(), fault.id, "exec")


@pytest.mark.parametrize("name", QUICK)
def test_the_first_gate_that_objects_names_the_right_part(name: str) -> None:
    (fault,) = (fault for fault in drill.faults() if fault.id == name)
    seen = drill.drill(fault)
    assert seen.first is not None
    assert seen.first.part == fault.part, str(seen)
    assert str(seen).startswith("right")


def test_a_fault_that_does_not_fit_any_more_is_an_error() -> None:
    fault = drill.Fault("x", "model", "f", "journalspec_corpus.model", "no such text", "", "")
    with pytest.raises(drill.DrillError, match="stands 0 times"):
        fault.source()
    with pytest.raises(drill.DrillError, match="no package"):
        drill.Fault("x", "model", "f", "no_such_package.model", "a", "", "").source()


def test_what_is_put_down_to_another_part_is_wrong() -> None:
    fault = drill.faults()[0]
    other = next(part for part in drill.PARTS if part != fault.part)
    assert drill.Seen(None, None).right
    assert not drill.Seen(None, drill.Objection("gate", fault.part, "text")).right
    assert not drill.Seen(fault, None).right
    assert not drill.Seen(fault, drill.Objection("gate", other, "text")).right
    assert drill.Seen(fault, drill.Objection("gate", fault.part, "text")).right


def test_the_command_counts_what_is_right_and_fails_otherwise(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(fault: drill.Fault | None, format_id: str = "") -> drill.Seen:
        return drill.Seen(fault, drill.Objection("gate", fault.part, "as it is") if fault else None)

    monkeypatch.setattr(drill, "drill", told)
    assert drill.main([]) == 0
    assert "WRONG" not in capsys.readouterr().out
    monkeypatch.setattr(drill, "drill", lambda fault, format_id="": drill.Seen(fault, None))
    assert drill.main([QUICK[0]]) == 1
    assert f"WRONG  {QUICK[0]} (in the model): no gate objects" in capsys.readouterr().out
    assert drill.main(["no-such-fault"]) == 2


@pytest.mark.parametrize("format_id", FORMATS)
def test_the_model_is_what_a_naive_replay_says(format_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay.main(["--format", format_id, "--sequences", "150"]) == 0
    assert capsys.readouterr().out == "2100 states compared, 0 differ\n"


@dataclass(frozen=True)
class Forgetful:
    """A model that takes nothing over from a recovered state."""

    right: Model

    def begin(self, state: Mapping[str, Any]) -> Any:
        return self.right.begin({})

    def after(self, kept: Any, op: Mapping[str, Any], edition: str) -> Any:
        return self.right.after(kept, op, edition)

    def shown(self, kept: Any) -> dict[str, Any]:
        return self.right.shown(kept)


@pytest.mark.parametrize("format_id", FORMATS)
def test_a_model_that_does_not_go_on_from_a_state_is_seen(format_id: str) -> None:
    right = model_of(format_id)
    assert right is not None
    found = [entry for entry in replay.differing(format_id, 40, model=Forgetful(right)) if entry]
    assert found
    assert {entry.how for entry in found} == {"from a state"}
    assert "from a state: after op=" in str(found[0])


def test_a_format_without_a_replay_is_a_usage_error() -> None:
    assert replay.main(["--format", "no_such"]) == 2
