"""The files that HornetQ and Artemis wrote: untouched, and read by the reference as they were written.

What was written is known from the operations that were asked for and from the
products' own readers (``expected.json``), not from any reader of ours.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from journalspec.observation import jsonable
from journalspec.requirements import requirements
from journalspec_conformance.compare import Claims, compare
from journalspec_conformance.harnesses.jboss_journal.capture.asked import asked_state, without_counts
from journalspec_conformance.harnesses.jboss_journal.capture.histories import scenarios
from journalspec_conformance.products import get_product
from journalspec_reference import load

FORMAT = "jboss_journal"
CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured" / FORMAT
DIRECTORIES = sorted(path.parent for path in CAPTURED.glob("*/*/provenance.toml"))
BESIDE = ("provenance.toml", "expected.json")
PRODUCTS = ("hornetq-2.4.9", "artemis-2.44.0", "hornetq-2.1.2", "hornetq-2.0.0")

pytestmark = pytest.mark.skipif(not CAPTURED.is_dir(), reason="captured files are in a checkout only")


def label(directory: Path) -> str:
    return f"{directory.parent.name}/{directory.name}"


each_directory = pytest.mark.parametrize("directory", DIRECTORIES, ids=label)


def provenance(directory: Path) -> dict[str, Any]:
    return tomllib.loads((directory / BESIDE[0]).read_text(encoding="utf-8"))


def expected(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / BESIDE[1]).read_text(encoding="utf-8"))
    return found


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name not in BESIDE}


def test_all_products_played_every_scenario_that_they_can() -> None:
    for product in PRODUCTS:
        can = {
            item.name
            for item in scenarios(get_product(product).edition)
            if item.only in ("", product.partition("-")[0])
        }
        assert {path.name for path in DIRECTORIES if path.parent.name == product} == can


@each_directory
def test_the_files_are_those_that_the_product_wrote(directory: Path) -> None:
    told = provenance(directory)
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files(directory).items()}
    assert told["sha256"] == digests
    product = get_product(told["product"])
    assert told["jar_sha256"] == product.main_jar.sha256
    assert told["coordinates"] == product.main_jar.coordinates


@each_directory
def test_what_is_expected_is_what_was_asked_for(directory: Path) -> None:
    """Operations that were turned down aside; a copied moment of a compaction has no answers."""
    done = [
        ({key: value for key, value in op.items() if key != "answer"}, op.get("answer", {}))
        for session in provenance(directory)["session"]
        for op in session["ops"]
    ]
    wanted = asked_state(done)
    for entry in expected(directory)["expect"]:
        assert without_counts(entry["state"]) == wanted


@each_directory
def test_the_reference_gives_the_expected_answers(directory: Path) -> None:
    told = expected(directory)
    reference, params = load(FORMAT), told["params"]
    for entry in told["expect"]:
        when = entry["when"]
        seen = (
            reference.read(files(directory), edition=told["edition"], params=params)
            if when["op"] == "read"
            else reference.recover(
                files(directory), edition=told["edition"], policy=when["policy"], params=params
            )
        )
        found = compare(entry, seen.to_json(), Claims())
        assert found is None, found


@each_directory
def test_every_requirement_named_exists_in_that_edition(directory: Path) -> None:
    told, known = expected(directory), requirements(FORMAT)
    assert [name for name in told["obeys"] if told["edition"] not in known[name].editions] == []


def test_files_of_the_two_newest_products_are_the_same_but_for_the_fill() -> None:
    """Where neither compaction nor a crash makes a difference, only 'J' and zero do."""
    newest = PRODUCTS[:2]
    left, right = ({path.name: path for path in DIRECTORIES if path.parent.name == name} for name in newest)
    compared = 0
    for name in sorted(left.keys() & right.keys()):
        if name.startswith(("compact", "killed")):
            continue
        ours, theirs = (sorted(files(side[name]).items()) for side in (left, right))
        assert len(ours) == len(theirs), name
        for (_, one), (_, other) in zip(ours, theirs, strict=True):
            differing = {(a, b) for a, b in zip(one, other, strict=True) if a != b}
            assert differing <= {(0x4A, 0), (0, 0x4A)}, name
        compared += 1
    assert compared > 20


def test_expectations_are_plain_json() -> None:
    for directory in DIRECTORIES:
        told = expected(directory)
        assert jsonable(told["expect"]) == told["expect"]
