"""Files that the products wrote: they are unchanged, and the reference reads the content that was written.

The written content is known from the requested operations and from the products' own readers
(``expected.json``), not from this project's readers.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from captures import EXPECTED, PROVENANCE, capture_of, told_steps

from journalspec.formats import format_ids
from journalspec.observation import REFUSED, Observation, jsonable
from journalspec.requirements import requirements
from journalspec_conformance.compare import Claims, compare
from journalspec_conformance.products import get_product, product_ids
from journalspec_reference import load

CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured"
#: A product may be added before its format; then its captures have their own tests.
DIRECTORIES = sorted(
    path.parent for path in CAPTURED.glob("*/*/*/provenance.toml") if path.parts[-4] in format_ids()
)
#: A product that the user adds to the class path has no captures here.
PLAYED = [name for name in product_ids() if get_product(name).formats and not get_product(name).own]
PAIRS = [path for path in DIRECTORIES if path.parts[-3] == "bitronix_tlog"]
JOURNALS = [path for path in DIRECTORIES if path.parts[-3] == "jboss_journal"]

pytestmark = pytest.mark.skipif(not DIRECTORIES, reason="captured files are in a checkout only")


def by_product(directories: list[Path]) -> pytest.MarkDecorator:
    """Pass all directories of a product to one test: 400 separate tests would cost more than the checks."""
    found: dict[str, list[Path]] = {}
    for directory in directories:
        found.setdefault(directory.parent.name, []).append(directory)
    return pytest.mark.parametrize("directories", found.values(), ids=found)


each_directory = by_product(DIRECTORIES)
each_journal = by_product(JOURNALS)


@cache
def provenance(directory: Path) -> dict[str, Any]:
    return tomllib.loads((directory / PROVENANCE).read_text(encoding="utf-8"))


@cache
def expected(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / EXPECTED).read_text(encoding="utf-8"))
    return found


def files(directory: Path) -> dict[str, bytes]:
    beside = (PROVENANCE, EXPECTED)
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name not in beside}


def answer(directory: Path, when: dict[str, str]) -> Observation:
    """Return the reference's answer to a question of ``expected.json``."""
    reference, told = load(directory.parts[-3]), expected(directory)
    common = {"edition": told["edition"], "params": told.get("params")}
    if when["op"] == "read":
        return reference.read(files(directory), **common)
    return reference.recover(files(directory), policy=when["policy"], **common)


@pytest.mark.parametrize("name", PLAYED)
def test_every_product_ran_every_scenario_that_it_supports(name: str) -> None:
    product = get_product(name)
    names = [scenario.name for scenario in capture_of(product.harness).scenarios(product)]
    assert len(names) == len(set(names))
    assert {path.name for path in DIRECTORIES if path.parts[-2] == name} == set(names)


@each_directory
def test_provenance_matches_the_scenario(directories: list[Path]) -> None:
    """The files obey and break the requirements that the table lists."""
    for directory in directories:
        maker, told = capture_of(directory.parts[-3]), expected(directory)
        run = maker.told_in(directory)
        done = tuple(tuple(op for op, _ in steps) for _, steps in run.sessions)
        if run.scenario.sessions:
            assert done == run.scenario.sessions, directory.name
        else:
            fates = [[op["fate"] for op in ops] for ops in done]
            assert fates == [run.scenario.told["fates"]], directory.name
        shown = {key: told[key] for key in ("obeys", "breaks")}
        assert maker.shows(run.product, run.scenario) == shown, directory.name


@each_directory
def test_files_are_those_that_the_product_wrote(directories: list[Path]) -> None:
    for directory in directories:
        told = provenance(directory)
        digests = {name: hashlib.sha256(data).hexdigest() for name, data in files(directory).items()}
        assert told["sha256"] == digests, directory.name
        product = get_product(told["product"])
        jar = product.main_jar
        assert (jar is not None) == bool(product.java), directory.name
        of_jar = (jar.sha256, jar.coordinates) if jar else (None, None)
        assert (told.get("jar_sha256"), told.get("coordinates")) == of_jar, directory.name


@each_directory
def test_reference_gives_a_permitted_answer(directories: list[Path]) -> None:
    """The expectations refer to requirements of their edition."""
    for directory in directories:
        told, known = expected(directory), requirements(directory.parts[-3])
        for entry in told["expect"]:
            found = compare(entry, answer(directory, entry["when"]).to_json(), Claims())
            assert found is None, (directory.name, entry["when"], found)
        named = [*told["obeys"], *told["breaks"]]
        assert [name for name in named if told["edition"] not in known[name].editions] == [], directory.name


def plain(records: list[dict[str, Any]]) -> list[tuple[str, str, list[str]]]:
    return [(record["type"], record["gtrid"], record["names"]) for record in records]


@by_product(PAIRS)
def test_reference_reads_what_was_written_and_recovers_what_the_product_loads(
    directories: list[Path],
) -> None:
    """The reference and the product choose the same file, even with an unusual timestamp, so their answers
    are equal.

    Files that the product cannot read are not compared: a person has listed their content.
    """
    compared = 0
    for directory in directories:
        written, product = expected(directory)["written"], provenance(directory)["loads"]["strict"]
        if written["agreed"]:
            seen = answer(directory, {"op": "read"}).to_json()
            assert seen["verdict"] == ("recovered" if seen.get("missing") else "clean"), directory.name
            for name, records in written["files"].items():
                found = [record for record in seen["records"] if record["at"]["file"] == name]
                assert plain(found) == plain(records), directory.name
        if product["verdict"] != REFUSED:
            state = jsonable(answer(directory, {"op": "recover", "policy": "strict"}).state)
            assert state["active"] == product["active"], directory.name
            assert state["unfinished"] == [dict(entry) for entry in product["unfinished"]], directory.name
            compared += 1
    assert compared


@each_journal
def test_expected_content_follows_from_the_requested_operations(directories: list[Path]) -> None:
    """Rejected operations are omitted; a copy made during a compaction has no answers."""
    for directory in directories:
        asked = capture_of("jboss_journal").asked(capture_of("jboss_journal").told_in(directory))
        for entry in expected(directory)["expect"]:
            assert asked.seen(entry["state"]) == asked.shown[-1], directory.name


def test_rejected_operation_is_recorded_with_its_reply() -> None:
    op = {"op": "delete", "id": "8"}
    refused = {"refused": {"code": "unknown-record", "message": ""}}
    assert told_steps([{**op, "answer": refused}, op]) == [(op, refused), (op, {})]
