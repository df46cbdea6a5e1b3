"""The harness gives the answers that were recorded from the real classes, input by input."""

from __future__ import annotations

import json
import shutil
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance.errors import TimedOut
from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.products import get_product, is_fetched

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real" / "bitronix_tlog"
#: Seconds after which a call that never returns is believed not to (the others take milliseconds).
TIMEOUT = 3.0
RECORDED = {"bitronix-2.1.4": "btm-2.1.4", "bitronix-3.0.0-mk1": "btm-3.0.0-mk1"}
POLICIES = {"strict": "strict", "skip": "salvage"}
#: Where the record says no more than this many characters, it was cut there.
CUT = "..."

pytestmark = [pytest.mark.product, pytest.mark.java, pytest.mark.real]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = REAL / "outcome-inputs.tar.gz"
    if not archive.is_file():
        pytest.skip(f"real files are missing: {archive}")
    folder = tmp_path_factory.mktemp("outcome-inputs")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module", params=sorted(RECORDED))
def product(request: pytest.FixtureRequest) -> Iterator[tuple[str, ProcessConnection]]:
    pytest.importorskip("jpype", reason="JPype is missing: install journalspec[products]")
    if shutil.which("java") is None:
        pytest.skip("no Java runtime on PATH")
    if not is_fetched(get_product(request.param)):
        pytest.skip(f"{request.param} is missing: run `journalspec products fetch {request.param}`")
    module = "journalspec_conformance.harnesses.bitronix_tlog"
    connection = ProcessConnection(
        [sys.executable, "-m", module, "--product", request.param], timeout=TIMEOUT
    )
    yield RECORDED[request.param], connection
    connection.close()


def in_the_words_of_the_record(answer: dict[str, Any]) -> str:
    """Return `answer` in the form in which the outcomes were recorded."""
    observed = answer["ok"]
    if observed["verdict"] == "refused":
        where, _, thrown = observed["message"].partition(": ")
        name, _, text = thrown.partition(": ")
        step = "OPEN-THROW" if where == "open" else "COLLECT-THROW"
        return f"{step} {name.rpartition('.')[2]}: {text}".strip()
    found = [
        f"g{int(entry['gtrid'][-2:], 16)}[{', '.join(entry['names'])}]"
        for entry in observed["state"]["unfinished"]
    ]
    return f"DANGLING [{', '.join(sorted(found))}]"


def ask(connection: ProcessConnection, source: Path, policy: str, work: Path) -> str:
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(source, work)
    request = {"cmd": "recover", "policy": policy, "format": "bitronix_tlog", "edition": "2.1"}
    try:
        return in_the_words_of_the_record(connection.ask({**request, "dir": str(work), "observe": "state"}))
    except TimedOut:
        return "HANG (>6s)"


def same(recorded: str, seen: str) -> bool:
    if recorded.endswith(CUT):
        return seen.startswith(recorded.removesuffix(CUT))
    return recorded.strip() == seen


def test_every_recorded_outcome_is_reproduced(
    inputs: Path, product: tuple[str, ProcessConnection], tmp_path: Path
) -> None:
    column, connection = product
    recorded = json.loads((REAL / "outcomes.json").read_text(encoding="utf-8"))
    different = []
    for entry in recorded:
        for word, policy in POLICIES.items():
            wanted = entry[column][word]
            seen = ask(connection, inputs / entry["case"], policy, tmp_path / "work")
            if not same(wanted, seen):
                different.append(f"{entry['case']} {word}: recorded {wanted!r}, seen {seen!r}")
    assert recorded
    assert different == []
