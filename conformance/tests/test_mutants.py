"""Required checks: the cases detect every mutant, a mutant proves every MUST, a lost fsync is detected."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zlib import crc32

import pytest
from mutants import Mutant, load_mutants
from mutation import (
    Proof,
    enough_killers,
    fails,
    faults,
    judging,
    killers,
    main,
    proofs,
    proofs_json,
    shuffled,
)

from journalspec.formats import format_ids
from journalspec.observation import refused
from journalspec_conformance.asking import recovered
from journalspec_conformance.connect import in_process
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.errors import Misbehaved
from journalspec_conformance.harnesses.reference import Reference
from journalspec_conformance.power import Disk
from journalspec_corpus import load_cases
from journalspec_corpus.model import history, model_of
from journalspec_reference import load
from tables import table

#: A default run tries one in this many mutants: the proofs below break each MUST with a mutant, and run its
#: cases.
ONE_IN = 10


def sampled(mutant: Mutant) -> list[pytest.MarkDecorator]:
    """Return the mark of a mutant that only a whole run tries; the mutant's id decides."""
    return [] if crc32(mutant.id.encode()) % ONE_IN == 0 else [pytest.mark.whole]


MUTANTS = [
    pytest.param(mutant, id=f"{format_id}-{mutant.id}", marks=sampled(mutant))
    for format_id in format_ids()
    for mutant in load_mutants(format_id)
]
mixed = cache(lambda format_id: shuffled(load_cases(format_id)))
PUBLISHED = Path(__file__).parents[2] / "docs" / "data"


@pytest.mark.parametrize("format_id", format_ids())
def test_reference_fails_no_case(format_id: str) -> None:
    """No case of a sample fails on the reference itself; test_smoke_tier runs all cases on it."""
    assert [case.id for case in load_cases(format_id)[::40] if fails(case)] == []


def test_a_case_that_the_reference_fails_detects_no_mutant() -> None:
    case = load_cases("bitronix_tlog")[0]
    refused = tuple({**each, "verdict": "refused"} for each in case.expect)
    wrong = replace(case, id="btm.wrong", expect=refused)
    assert fails(wrong)
    assert not fails(case)
    assert killers(load_mutants("bitronix_tlog")[0].implementation(), [wrong]) == []


def test_files_that_a_mutant_leaves_are_read_by_the_mutant() -> None:
    """A fault in the reference's source would be in its writer and in its reader."""

    class Refusing:
        format_id = "bitronix_tlog"

        def recover(self, *_: Any, **__: Any) -> Any:
            return refused("header", "bad-position", "")

    case = load_cases("bitronix_tlog")[0]
    assert "refused" not in recovered(case, case.files())
    with judging(Refusing()):
        assert recovered(case, case.files()) == {"refused": "header/bad-position"}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_every_mutant_fails_enough_cases(mutant: Mutant) -> None:
    found = enough_killers(mutant, mixed(mutant.format))
    assert len(found) >= mutant.enough, found


def test_mutants_use_only_names_that_exist(tmp_path: Path) -> None:
    """Every case detects a mutant that ends with a NameError, so such a mutant proves nothing."""
    for mutant in chain.from_iterable(map(load_mutants, format_ids())):
        (tmp_path / f"{mutant.format}.{mutant.id}.py").write_text(mutant.source(), encoding="utf-8")
    command = ["ruff", "check", "--isolated", "--select", "F821", "--output-format", "concise"]
    done = subprocess.run(
        [sys.executable, "-m", *command, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("format_id", format_ids())
def test_every_must_is_proved_by_a_case_that_refers_to_it(format_id: str) -> None:
    found = proofs(format_id, mixed(format_id))
    assert faults(format_id, found) == []
    path = PUBLISHED / f"proofs-{format_id}.json"
    assert path.is_file(), f"make {path.name}: CONTRIBUTING.md, A mutant"
    published = json.loads(path.read_text(encoding="utf-8"))
    assert proofs_json(found) == published, "make it again: CONTRIBUTING.md, A mutant"


def test_proofs_report_each_must_that_has_neither_mutant_nor_reason() -> None:
    found = [Proof("BTM-RCV-003"), Proof("BTM-RCV-009", mutant="merge-names"), Proof("X", why="because")]
    first, second, *_, last = faults("bitronix_tlog", found)
    assert (first.partition(":")[0], second.partition(":")[0]) == ("BTM-RCV-003", "BTM-RCV-009")
    assert "more than one in 10" in last


def test_command_prints_the_mutant_of_each_requirement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Proof("BTM-RCV-003", "merge-names", ("btm.x", "btm.y")), Proof("BTM-RCV-009", why="because")]
    monkeypatch.setattr("mutation.proofs", lambda *_: found)  # The proofs take long. A test above runs them.
    assert main(["--json", "bitronix_tlog"]) == 0
    wanted = {"BTM-RCV-003": {"mutant": "merge-names", "case": "btm.x"}, "BTM-RCV-009": {"why": "because"}}
    assert json.loads(capsys.readouterr().out) == wanted
    assert main(["nosuch"]) == 2
    assert "nosuch" in capsys.readouterr().err


class Unforced(Reference):
    """The reference without its fsyncs, which it reports as done.

    As long as there is no power failure, the written files are complete.
    """

    def told(self, io: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [entry for entry in io if not entry["op"].startswith("sync")]

    def write(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for reply in super().write(request):
            yield {**reply, "io": self.told(reply["io"])} if "io" in reply else reply


class Untrue(Unforced):
    """Omits a write from its report."""

    def told(self, io: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return io[1:]


@pytest.mark.parametrize("made", [Unforced, Untrue])
def test_omitted_fsyncs_and_omitted_reports_are_detected(made: Callable[[], Reference]) -> None:
    cases = [case for case in load_cases("bitronix_tlog") if case.write and "kill_after" not in case.write]
    engine = Engine(in_process(made), Options(validate=True))
    results = [engine.run(probe) for case in cases for probe in case.probes]
    assert len([result for result in results if result.result_class in ("fail", "error")]) > len(results) // 2
    engine.close()


def test_writer_does_not_define_the_result_of_operations() -> None:
    """The runner never uses the reference's writer, so a wrong reference writer cannot change results."""
    engine = Engine(in_process(Reference), Options())
    (case,) = (case for case in load_cases("bitronix_tlog") if case.id == "btm.power.swap")
    writer = type(load(case.format)).writer
    opened: list[str] = []

    def counted(self: Any, *args: Any, **options: Any) -> Any:
        opened.append(case.id)
        return writer(self, *args, **options)

    with patch.object(type(load(case.format)), "writer", counted):
        (probe,) = case.probes
        assert engine.run(probe).result_class == "pass"
    # The implementation's writer runs twice: once for its files, and once step by step.
    assert len(opened) == 2


def test_power_failure_loses_any_subset_of_unsynced_writes() -> None:
    disk = Disk({"a": b"...."})
    for off, data in (("0", "78"), ("1", "79"), ("2", "7a")):
        disk.do({"op": "write", "file": "a", "off": off, "data": data})
    left = {files["a"] for files in disk.after_power_failure()}
    assert left == {b"....", b"xyz.", b"x...", b".y..", b"..z.", b".yz.", b"x.z.", b"xy.."}
    disk.do({"op": "sync", "file": "a"})
    assert list(disk.after_power_failure()) == [{"a": b"xyz."}] == [disk.files()]


def test_crash_states_with_equal_content_are_yielded_once() -> None:
    disk, known, given = Disk({"a": b""}), set[object](), 0
    for number in range(60):
        disk.do({"op": "write", "file": "a", "off": str(number), "data": "00"})
        given += sum(1 for _ in disk.after_power_failure(known))
        assert list(disk.after_power_failure(known)) == []
    # Each zero adds two states: one with all zeros, and one with all but this zero. The loss of an earlier
    # zero changes no byte, so it adds no state.
    assert given == 2 * 60
    assert len(list(disk.after_power_failure())) == 1 + 60


def test_changes_of_names_are_durable_after_the_directory_fsync() -> None:
    disk = Disk({"a": b"1"})

    def left(*entries: dict[str, str]) -> list[list[str]]:
        for entry in entries:
            disk.do(entry)
        return [sorted(files) for files in disk.after_power_failure()]

    made, renamed = {"op": "create", "file": "b"}, {"op": "rename", "file": "a", "to": "c"}
    # Changes of names may be lost independently, because they have no order until the directory's fsync.
    assert left(made, renamed) == [["a"], ["a", "b"], ["b", "c"], ["c"]]
    assert left({"op": "sync-dir"}, {"op": "unlink", "file": "b"}) == [["b", "c"], ["c"]]


@pytest.mark.parametrize("entry", table("judging")["mutants"]["impossible"])
def test_impossible_storage_operations_are_refused(entry: dict[str, str]) -> None:
    with pytest.raises(Misbehaved, match="io: "):
        Disk({"a": b""}).do(entry)


def test_model_of_decisions_handles_partial_commits_replacements_and_refusals() -> None:
    model = model_of("bitronix_tlog")
    assert model is not None
    logged = [
        ("COMMITTING", "01", ["a", "b"]),
        ("COMMITTED", "01", ["a"]),
        ("COMMITTING", "02", ["c"]),
        ("UNKNOWN", "01", ["b"]),
    ]
    ops = [{"op": "log", "type": kind, "gtrid": gtrid, "names": names} for kind, gtrid, names in logged]
    shown = history(model, {}, ops, frozenset({2}), "2.1").shown
    unfinished = [[entry["names"] for entry in state["unfinished"]] for state in shown]
    assert unfinished == [[], [["a", "b"]], [["b"]], [["b"]], []]
    assert history(model, {}, ops, frozenset({2}), "nio").shown[-1] == shown[-2]
