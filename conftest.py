"""Settings of all tests: signals as in a terminal, the order of files, and samples for products."""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

# A shell makes background processes ignore Ctrl-C, and nohup makes a process ignore the end of the terminal.
# Child processes inherit both settings, so the usual handlers are restored here.
for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        with suppress(ValueError):  # Only the main thread may set a handler.
            signal.signal(number, usual)

#: The files that take longest, in the order in which workers should begin them (see tox.ini). The first file
#: builds the site, and the last file needs the built site.
LONG_FIRST = (
    "test_docs_build.py",
    "test_types.py",
    "test_crash_limits.py",
    "test_hot_copies.py",
    "test_parsers.py",
    "test_upstream.py",
    "test_crash_builds.py",
    "test_crash_judging_findings.py",
    "test_docs_commands.py",
    "test_spark_source.py",
    "test_crash_brute.py",
    "test_mutants.py",
    "test_memory.py",
    "test_product_derby.py",
    "test_product_show.py",
    "test_query.py",
    "test_docs_transcripts.py",
    "test_contents_kahadb.py",
    "test_families.py",
    "test_crash_reduce.py",
    "test_spec_families.py",
    "test_bounds.py",
    "test_product_scans.py",
    "test_crash_machine.py",
    "test_sixth_format.py",
    "test_product_tier.py",
    "test_crash_pipeline.py",
    "test_corpus_verify.py",
    "test_crash_reading.py",
    "test_commands.py",
    "test_product_swiftmq.py",
    "test_crash_model.py",
    "test_closed_output.py",
    # This file is last. If it began earlier, its worker would only wait for the site.
    "test_docs_browser.py",
)
#: Thresholds of Python's garbage collector. The tests have many objects in common (cases and their caches),
#: so repeated collections took a tenth of the time.
COLLECTED = (10_000, 20, 50)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than there are cores: tests wait for brokers, disks and time limits."""
    return (os.cpu_count() or 1) + 1


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option --products, with which a run tests all real products on all inputs."""
    parser.addoption(
        "--products",
        choices=("sample", "whole"),
        default="sample",
        help="Test a sample of the products and mutants (default), or all of them.",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put long files first; omit tests that are marked `whole` unless a whole run is requested."""
    place = {name: number for number, name in enumerate(LONG_FIRST)}
    items.sort(key=lambda item: place.get(item.path.name, len(place)))
    if config.getoption("--products") == "whole":
        return
    left_out = [item for item in items if item.get_closest_marker("whole")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("whole")]


def pytest_configure(config: pytest.Config) -> None:
    """Collect garbage less often, which saves a seventh of the import time. Use the same random examples in
    every run.
    """
    gc.set_threshold(*COLLECTED)
    # The fixed profile would ignore a seed from the command line.
    if all(config.getoption(f"--hypothesis-{name}", None) is None for name in ("seed", "profile")):
        settings.register_profile("same", derandomize=True, database=None, deadline=None)
        settings.load_profile("same")


def pytest_collection_finish() -> None:
    """Exclude the objects that all tests share from later garbage collections."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def tool(request: pytest.FixtureRequest) -> ModuleType:
    """Load the program at the path `TOOL` of the test's module, because tools/ is not a package."""
    path = request.module.TOOL
    spec = importlib.util.spec_from_file_location(f"journalspec_tools_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """Return a function that returns a directory. The first worker that needs the directory fills it."""
    base = tmp_path_factory.getbasetemp()
    room = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, fill: Callable[[Path], None]) -> Path:
        import fcntl  # noqa: PLC0415 - exists only on POSIX systems

        out = room / name
        out.mkdir(exist_ok=True)
        with (out / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (out / "done").exists():
                fill(out)
                (out / "done").touch()
        return out

    return made


@pytest.fixture(scope="session")
def live_report(made_once: Callable[[str, Callable[[Path], None]], Path]) -> Callable[[str, str], Path]:
    """Return a function that returns the report of a Python harness on a tier, made once for all tests."""
    from journalspec_conformance.engine import Engine, Options  # noqa: PLC0415
    from journalspec_conformance.report import make_header, open_report, write_report  # noqa: PLC0415
    from journalspec_conformance.running import parse_impl  # noqa: PLC0415 - few tests need these
    from journalspec_conformance.selection import cases_of, probes_of  # noqa: PLC0415

    def report(name: str, tier: str) -> Path:
        file = f"{name}-{tier}.jsonl"

        def fill(out: Path) -> None:
            engine = Engine(parse_impl(name).connect(), Options())
            probes = probes_of(cases_of(tier))
            started = time.process_time()
            results = list(engine.run_all(probes))
            seconds = time.process_time() - started
            header = make_header(dict(engine.hello.impl), name, tier, seconds=seconds)
            engine.close()
            with open_report(out / file) as stream:
                write_report(stream, header, results)

        return made_once(f"report-{name}-{tier}", fill) / file

    return report


@pytest.fixture(scope="session")
def core_build(made_once: Callable[[str, Callable[[Path], None]], Path]) -> Callable[[Any], Path]:
    """Return a function that returns the directory of a plan's build.

    The build is made once and never changed.
    """

    def built(plan: Any) -> Path:
        from journalspec_corpus.pipeline.build import Builder, build  # noqa: PLC0415 - optional packages

        def fill(place: Path) -> None:
            build(plan, place / "out", Builder())

        return made_once(f"core-{plan.fingerprint}", fill) / "out"

    return built
