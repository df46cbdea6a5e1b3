"""Deviations that no answer shows: seen by looking at the files themselves."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from journalspec_conformance.harnesses.bitronix_tlog.races import covered
from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.products import get_product, is_fetched

CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured" / "bitronix_tlog"
STATE_AT = 12

pytestmark = [pytest.mark.product, pytest.mark.java]


def needs(name: str) -> None:
    pytest.importorskip("jpype", reason="JPype is missing: install journalspec[products]")
    if shutil.which("java") is None:
        pytest.skip("no Java runtime on PATH")
    if not is_fetched(get_product(name)):
        pytest.skip(f"{name} is missing: run `journalspec products fetch {name}`")


@pytest.mark.parametrize("name", ["bitronix-2.1.2", "bitronix-2.1.4", "bitronix-3.0.0-mk1"])
def test_recovery_writes_the_state_byte_and_nothing_else(name: str, tmp_path: Path) -> None:
    needs(name)
    source = CAPTURED / name / "basic-clean"
    work = tmp_path / "work"
    shutil.copytree(source, work)
    module = "journalspec_conformance.harnesses.bitronix_tlog"
    connection = ProcessConnection([sys.executable, "-m", module, "--product", name])
    request = {"cmd": "recover", "policy": "strict", "format": "bitronix_tlog", "edition": "2.1"}
    answer = connection.ask({**request, "dir": str(work), "observe": "state"})
    connection.close()
    assert answer["ok"]["state"]["active"] == "btm1.tlog"
    before, after = (bytearray((place / "btm1.tlog").read_bytes()) for place in (source, work))
    assert (before[STATE_AT], after[STATE_AT]) == (0, 255)
    after[STATE_AT] = 0
    assert after == before
    assert (work / "btm2.tlog").read_bytes() == (source / "btm2.tlog").read_bytes()


def test_a_record_is_covered_if_it_ends_at_or_below_the_tail() -> None:
    gtrid = b"T000-000001"
    record_end = 30 + len(gtrid) + 13
    content = bytearray(100)
    content[30 : 30 + len(gtrid)] = gtrid
    for tail, answer in ((record_end - 1, False), (record_end, True), (21, False), (100, True)):
        content[13:21] = tail.to_bytes(8, "big")
        assert covered(bytes(content), gtrid) is answer
    assert not covered(bytes(content), b"T000-000002")


def test_the_sequential_writer_covers_every_forced_record() -> None:
    """Of the concurrent one this cannot be said, and when it fails is chance."""
    needs("bitronix-2.1.4")
    module = "journalspec_conformance.harnesses.bitronix_tlog.races"
    command = [sys.executable, "-m", module, "--product", "bitronix-2.1.4", "--rounds", "40"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "0 of 160 forced records" in done.stdout
