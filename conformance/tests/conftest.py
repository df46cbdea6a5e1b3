from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from journalspec_conformance.connect import parse_impl
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.expect import Expectations
from journalspec_conformance.selection import cases_of, probes_of
from journalspec_corpus import Case, Probe

CASES = Path(__file__).parent / "data" / "cases.jsonl"

MakeEngine = Callable[..., Engine]


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
    return lambda name: f"{sys.executable} -m journalspec_conformance.fakes.{name}"


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
