from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance import connect
from journalspec_conformance.bounds import BOUNDS, Bounds
from journalspec_conformance.connection import Connection
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.expect import Expectations
from journalspec_conformance.harnesses.product import serving
from journalspec_conformance.products import get_product, problems
from journalspec_conformance.running import parse_impl
from programs import source

MakeEngine = Callable[..., Engine]
ReadyProduct = Callable[[str], Any]
Program = Callable[..., Any]
ConnectProduct = Callable[..., Connection]
_MEMORY = Path("/dev/shm")  # noqa: S108 - directories with random names are made in it


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
        engine = Engine(parse_impl(impl, mode).connect(timeout=chosen.timeout), chosen, expectations)
        made.append(engine)
        return engine

    yield make
    for engine in made:
        engine.close()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    """Return a function that connects to a program; the program runs `body` at each question."""
    made: list[Any] = []

    def make(body: str, timeout: float = 20.0, kind: Any = connect.to, **options: Any) -> Any:
        path = tmp_path / f"program{len(made)}.py"
        path.write_text(source(body))
        made.append(kind([sys.executable, "-S", str(path)], timeout=timeout, **options))
        return made[-1]

    yield make
    for connection in made:
        connection.close()


@pytest.fixture(scope="session")
def ready_product() -> ReadyProduct:
    """Return a function that returns a product by its id, or skips the test if it cannot be run."""

    def ready(product_id: str) -> Any:
        pytest.importorskip("jpype", reason="JPype is missing: install journalspec[products]")
        if shutil.which("java") is None:
            pytest.skip("no Java runtime on PATH")
        product = get_product(product_id)
        if problems(product):
            pytest.skip(f"{product_id} is missing: run `journalspec products fetch {product_id}`")
        return product

    return ready


@pytest.fixture(scope="module")
def connect_product(ready_product: ReadyProduct) -> Iterator[ConnectProduct]:
    """Return a function that starts a product's harness by the product's id, or skips the test.

    The tests of a file share the harness, because starting a JVM and loading its classes takes a second each
    time.
    """
    made: list[Connection] = []

    @cache
    def connected(product_id: str, timeout: float = 60, bounds: Bounds = BOUNDS) -> Connection:
        command = serving(ready_product(product_id).id)
        made.append(connect.to(command, timeout=timeout, bounds=bounds))
        return made[-1]

    yield connected
    for connection in made:
        connection.close()


@pytest.fixture(scope="session")
def every(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """Return a function that selects samples: every `number`-th input by default, every input in a whole
    run.
    """
    whole = request.config.getoption("--products") == "whole"
    return lambda number: 1 if whole else number


@pytest.fixture
def memory_path() -> Iterator[Path]:
    """Return an empty directory, in memory if possible, because products often wait for the disk."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        yield Path(folder)
