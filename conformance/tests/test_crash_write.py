"""The tier `crash-write`: a writer is judged on possible crash states of its own writes."""

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
REFUSING = "btm.write.refused-name-empty"


class ForgetsFsync(Reference):
    """Performs no fsync after its journal is open, but acknowledges as before."""

    def changed(self, reply: dict[str, Any]) -> dict[str, Any]:
        if reply.get("step", "0") == "0" or "io" not in reply:
            return reply
        return {**reply, "io": [entry for entry in reply["io"] if entry["op"] != "sync"]}

    def write(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield from map(self.changed, super().write(request))


class AcknowledgesEarly(ForgetsFsync):
    """Performs each fsync, but acknowledges every operation as durable, even an unsynced one."""

    def changed(self, reply: dict[str, Any]) -> dict[str, Any]:
        return {**reply, "durable": True} if "step" in reply and "refused" not in reply else reply


class TellsOtherWrites(ForgetsFsync):
    """Performs each fsync, but omits one write from its report."""

    def changed(self, reply: dict[str, Any]) -> dict[str, Any]:
        io = reply.get("io", [])
        last = max((at for at, one in enumerate(io) if one["op"] == "write"), default=-1)
        return {**reply, "io": [one for at, one in enumerate(io) if at != last]} if io else reply


class TellsNoWrites(Reference):
    """Writes step by step, but reports no storage operations."""

    def hello(self) -> dict[str, Any]:
        said = super().hello()
        for entry in said["formats"].values():
            entry["features"].remove("io-trace")
        return said


class ReportsNoRefusals(ForgetsFsync):
    """Performs each fsync, but does not report which operations it refused."""

    def changed(self, reply: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in reply.items() if name != "refused"}


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    paths = f"{Path(__file__).parent}:{Path(__file__).parent / 'support'}"
    monkeypatch.setenv("PYTHONPATH", paths, prepend=":")


def run(name: str, *arguments: object, status: int) -> Result:
    impl = name if name == "reference" else f"py:test_crash_write:{name}"
    chosen = ("--tier", "crash-write", "--seed", 1, "--jobs", 1, *arguments)
    return call("run", "--impl", impl, *chosen, status=status)


@pytest.mark.parametrize("format_id", format_ids())
def test_reference_writer_loses_nothing_and_an_omitted_fsync_is_detected(format_id: str) -> None:
    counts = json.loads(run("reference", "--format", format_id, "--json", status=0).stdout)["counts"]
    assert set(counts) == {"pass"}
    assert counts["pass"] > 20
    told = json.loads(run("ForgetsFsync", "--format", format_id, "--json", status=1).stdout)
    assert {one["fingerprint"] for one in told["failed"]} == {"not-durable"}
    assert told["counts"]["fail"] > told["probes"] / 2


@pytest.mark.parametrize(
    ("name", "fingerprint"), [("AcknowledgesEarly", "not-durable"), ("TellsOtherWrites", "wrote-invalid")]
)
def test_early_acknowledgement_and_unreported_writes_are_detected(name: str, fingerprint: str) -> None:
    done = run(name, "--select", f"{SWAP}/write", "--json", status=1)
    assert [failed["fingerprint"] for failed in json.loads(done.stdout)["failed"]] == [fingerprint]


def test_operations_that_the_case_refuses_must_be_refused() -> None:
    chosen = ("--select", f"{REFUSING}/write", "--count", 2, "--json")
    run("reference", *chosen, status=0)
    told = json.loads(run("ReportsNoRefusals", *chosen, status=1).stdout)
    assert [failed["fingerprint"] for failed in told["failed"]] == ["refused:writer"]


def test_write_that_arrived_in_part_counts_as_issued() -> None:
    """Under this preset, a crash may also come after the last byte of a write."""
    run("reference", "--select", "khd.write.go-on/write", "--preset", "prefix-sector-512", status=0)


def test_weaker_persistence_model_reveals_a_loss() -> None:
    """A reader cannot detect a torn record in a log without checksums."""
    chosen = ("--format", "swiftmq_store", "--select", "smq.power.records/write")
    run("reference", *chosen, status=0)
    assert "epoch-subset-512" in run("reference", *chosen, "--preset", "epoch-subset-512", status=1).stdout


def test_a_writer_without_a_trace_is_unsupported() -> None:
    assert "feature io-trace" in run("TellsNoWrites", "--format", FORMAT, status=2).stderr
