"""Deviations that no answer shows: seen by looking at the files themselves."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.products import get_product, is_fetched

CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured" / "bitronix_tlog"
STATE_AT = 12

pytestmark = [pytest.mark.product, pytest.mark.java]


@pytest.mark.parametrize("name", ["bitronix-2.1.4", "bitronix-3.0.0-mk1"])
def test_recovery_writes_the_state_byte_and_nothing_else(name: str, tmp_path: Path) -> None:
    pytest.importorskip("jpype", reason="JPype is missing: install journalspec[products]")
    if shutil.which("java") is None:
        pytest.skip("no Java runtime on PATH")
    if not is_fetched(get_product(name)):
        pytest.skip(f"{name} is missing: run `journalspec products fetch {name}`")
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
