"""The files that the products wrote: untouched, and read by the reference as they were written.

What was written is known from the operations that were asked for and from the
product's own getters (``expected.json``), not from any reader of ours.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from journalspec.observation import REFUSED, jsonable
from journalspec_conformance.compare import Claims, compare
from journalspec_conformance.products import get_product
from journalspec_reference import load

CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured" / "bitronix_tlog"
DIRECTORIES = sorted(path.parent for path in CAPTURED.glob("*/*/provenance.toml"))
PAIR = ("btm1.tlog", "btm2.tlog")

pytestmark = pytest.mark.skipif(not DIRECTORIES, reason="captured files are in a checkout only")


def label(directory: Path) -> str:
    return f"{directory.parent.name}/{directory.name}"


each_directory = pytest.mark.parametrize("directory", DIRECTORIES, ids=label)


def provenance(directory: Path) -> dict[str, Any]:
    return tomllib.loads((directory / "provenance.toml").read_text(encoding="utf-8"))


def files(directory: Path) -> dict[str, bytes]:
    return {name: (directory / name).read_bytes() for name in PAIR}


def plain(records: list[dict[str, Any]]) -> list[tuple[str, str, list[str]]]:
    return [(record["type"], record["gtrid"], record["names"]) for record in records]


def test_there_are_captures_of_all_versions() -> None:
    names = {path.parent.name for path in DIRECTORIES}
    assert names == {"bitronix-2.1.2", "bitronix-2.1.4", "bitronix-3.0.0-mk1"}


@each_directory
def test_the_files_are_those_that_the_product_wrote(directory: Path) -> None:
    told = provenance(directory)
    assert told["sha256"] == {
        name: hashlib.sha256(data).hexdigest() for name, data in files(directory).items()
    }
    product = get_product(told["product"])
    assert told["jar_sha256"] == product.main_jar.sha256
    assert told["coordinates"] == product.main_jar.coordinates


def expected(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / "expected.json").read_text(encoding="utf-8"))
    return found


#: The others the product itself does not read back; what is right there was said by hand.
READABLE = [path for path in DIRECTORIES if expected(path)["written"]["agreed"]]
LOADED = [path for path in DIRECTORIES if provenance(path)["loads"]["strict"]["verdict"] != REFUSED]


@pytest.mark.parametrize("directory", READABLE, ids=label)
def test_the_reference_reads_what_was_written(directory: Path) -> None:
    seen = load("bitronix_tlog").read(files(directory), edition=provenance(directory)["edition"]).to_json()
    assert seen["verdict"] == "clean"
    for name in PAIR:
        wanted = plain(expected(directory)["written"]["files"][name])
        assert plain([record for record in seen["records"] if record["at"]["file"] == name]) == wanted


@each_directory
def test_the_reference_gives_a_permitted_answer(directory: Path) -> None:
    reference, edition = load("bitronix_tlog"), provenance(directory)["edition"]
    for entry in expected(directory)["expect"]:
        when = entry["when"]
        seen = (
            reference.read(files(directory), edition=edition)
            if when["op"] == "read"
            else reference.recover(files(directory), edition=edition, policy=when["policy"])
        )
        assert compare(entry, seen.to_json(), Claims()) is None, when


@pytest.mark.parametrize("directory", LOADED, ids=label)
def test_the_reference_recovers_what_the_product_loads(directory: Path) -> None:
    """Both elect alike (by the odd timestamp too), so wherever the product answers they must agree."""
    told = provenance(directory)
    product = told["loads"]["strict"]
    seen = load("bitronix_tlog").recover(files(directory), edition=told["edition"], policy="strict")
    assert seen.state is not None
    state = jsonable(seen.state)
    assert state["active"] == product["active"]
    assert state["unfinished"] == [dict(entry) for entry in product["unfinished"]]
