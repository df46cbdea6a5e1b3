"""The tier `crash-write`: a writer is judged on what a crash may leave of its own writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

pytest.importorskip("pyarrow", reason="PyArrow is missing: install journalspec[corpus]")

from journalspec.formats import format_ids
from journalspec_conformance.harnesses.reference import Reference
from judged import call

FORMAT = "bitronix_tlog"
SWAP = "btm.write.swap-finished-stay-behind"


class ForgetsFsync(Reference):
    """Makes no fsync once its journal is open, and acknowledges as before."""

    def write(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for reply in super().write(request):
            if reply.get("step", "0") != "0" and "io" in reply:
                reply["io"] = [entry for entry in reply["io"] if entry["op"] != "sync"]
            yield reply


class AcknowledgesEarly(Reference):
    """Says of every operation that it is durable."""

    def write(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for reply in super().write(request):
            yield {**reply, "durable": True} if "step" in reply and "refused" not in reply else reply


class TellsOtherWrites(Reference):
    """Reports a write less than it makes."""

    def write(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for reply in super().write(request):
            if "io" in reply:
                last = max((at for at, one in enumerate(reply["io"]) if one["op"] == "write"), default=-1)
                reply["io"] = [one for at, one in enumerate(reply["io"]) if at != last]
            yield reply


class TellsNoWrites(Reference):
    """Writes step by step and reports no storage operations."""

    def hello(self) -> dict[str, Any]:
        said = super().hello()
        for entry in said["formats"].values():
            entry["features"].remove("io-trace")
        return said


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    paths = f"{Path(__file__).parent}:{Path(__file__).parent / 'support'}"
    monkeypatch.setenv("PYTHONPATH", paths, prepend=":")


def run(name: str, *arguments: object) -> Result:
    impl = name if name == "reference" else f"py:test_crash_write:{name}"
    return call("run", "--impl", impl, "--tier", "crash-write", "--seed", 1, "--jobs", 1, *arguments)


@pytest.mark.parametrize("format_id", format_ids())
def test_the_reference_writer_loses_nothing(format_id: str) -> None:
    done = run("reference", "--format", format_id, "--json")
    assert done.exit_code == 0, done.output
    counts = json.loads(done.stdout)["counts"]
    assert set(counts) == {"pass"}
    assert counts["pass"] > 20


@pytest.mark.parametrize("format_id", format_ids())
def test_a_forgotten_fsync_is_found(format_id: str) -> None:
    done = run("ForgetsFsync", "--format", format_id, "--json")
    assert done.exit_code == 1, done.output
    told = json.loads(done.stdout)
    assert {one["fingerprint"] for one in told["failed"]} == {"not-durable"}
    assert told["counts"]["fail"] > told["probes"] / 2


def test_an_acknowledgement_before_the_fsync_is_found() -> None:
    done = run("AcknowledgesEarly", "--select", f"{SWAP}/write", "--details")
    assert done.exit_code == 1
    assert "not-durable" in done.stdout


def test_a_weaker_disk_shows_what_a_stronger_one_does_not() -> None:
    """A log whose records have no checksum cannot show a torn one."""
    chosen = ("--format", "swiftmq_store", "--select", "smq.power.records/write")
    assert run("reference", *chosen).exit_code == 0
    weak = run("reference", *chosen, "--preset", "epoch-subset-512")
    assert weak.exit_code == 1
    assert "epoch-subset-512" in weak.stdout


def test_storage_operations_that_do_not_lead_to_the_files_are_a_failure() -> None:
    done = run("TellsOtherWrites", "--select", f"{SWAP}/write", "--json")
    assert done.exit_code == 1
    (failed,) = json.loads(done.stdout)["failed"]
    assert failed["fingerprint"] == "wrote-invalid"


def test_a_writer_without_a_trace_is_unsupported() -> None:
    done = run("TellsNoWrites", "--format", FORMAT)
    assert done.exit_code == 2
    assert "feature io-trace" in done.stderr
