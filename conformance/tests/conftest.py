from __future__ import annotations

import inspect
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from journalspec_conformance.connect import parse_impl
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.expect import Expectations
from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.products import get_product, is_fetched
from journalspec_conformance.selection import cases_of, probes_of
from journalspec_corpus import Case, Probe

CASES = Path(__file__).parent / "data" / "cases.jsonl"

if "mix_stderr" in inspect.signature(CliRunner).parameters:  # before click 8.2 both streams were one
    CliRunner.__init__.__defaults__ = ("utf-8", None, False, False)

MakeEngine = Callable[..., Engine]
ConnectProduct = Callable[[str], ProcessConnection]
_MEMORY = Path("/dev/shm")  # noqa: S108 - directories with random names are made in it


@pytest.fixture(scope="session")
def cases_file() -> Path:
    return CASES


@pytest.fixture(scope="session")
def judge_cases() -> dict[str, Case]:
    """Four cases, by the last part of their id: clean, second-missing, checksum-in-passive, write."""
    return {case.id.rpartition(".")[2]: case for case in cases_of("", files=[CASES])}


@pytest.fixture(scope="session")
def judge_probes(judge_cases: dict[str, Case]) -> dict[str, Probe]:
    return {probe.id: probe for probe in probes_of(list(judge_cases.values()))}


@pytest.fixture(scope="session")
def fake_command() -> Callable[[str], str]:
    return lambda name: f"{sys.executable} -m journalspec_conformance.fakes {name}"


@pytest.fixture
def make_engine() -> Iterator[MakeEngine]:
    made: list[Engine] = []

    def make(
        impl: str,
        options: Options | None = None,
        expectations: Expectations | None = None,
        mode: str = "persistent",
    ) -> Engine:
        chosen = options or Options()
        engine = Engine(parse_impl(impl, mode).open(chosen.timeout), chosen, expectations)
        made.append(engine)
        return engine

    yield make
    for engine in made:
        engine.close()


@pytest.fixture(scope="module")
def connect_product() -> Iterator[ConnectProduct]:
    """Return a function that starts a product's harness by the product's id, or skips the test."""
    made: list[ProcessConnection] = []

    def connect(product_id: str) -> ProcessConnection:
        pytest.importorskip("jpype", reason="JPype is missing: install journalspec[products]")
        if shutil.which("java") is None:
            pytest.skip("no Java runtime on PATH")
        product = get_product(product_id)
        if not is_fetched(product):
            pytest.skip(f"{product_id} is missing: run `journalspec products fetch {product_id}`")
        module = f"journalspec_conformance.harnesses.{product.harness}"
        made.append(ProcessConnection([sys.executable, "-m", module, "--product", product_id], timeout=60))
        return made[-1]

    yield connect
    for connection in made:
        connection.close()


@pytest.fixture
def memory_path() -> Iterator[Path]:
    """Return an empty directory, in memory where the system has such: products wait for the disk a lot."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        yield Path(folder)
