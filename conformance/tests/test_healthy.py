"""No false alarm: two hundred directories, by name, that healthy products wrote are clean."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from field import FIELD, unpacked
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "stores.py"
NAMES = [
    line
    for line in (Path(__file__).parent / "data" / "healthy.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
STORES = [name.removeprefix("store/") for name in NAMES if name.startswith("store/")]
POLICIES = (None, "strict")


def place(name: str, scratch: Path) -> Path:
    kind, _, rest = name.partition("/")
    if kind == "captured":
        return ROOT / "corpus" / "captured" / rest
    if kind == "field":
        return unpacked(rest, scratch)
    found = FIELD.parent / "real" / rest
    if not found.is_dir():
        pytest.skip(f"needs the products' files beside the checkout: {rest}")
    return found


def complaints(directory: Path) -> Iterator[str]:
    for journal in find_journals(load(directory)):
        for policy in POLICIES:
            seen = ask(journal, policy).observation
            if seen.verdict != "clean" or seen.missing:
                why = seen.message or [*seen.dropped, *seen.missing] or seen.notes
                yield f"{journal.format} {policy or 'read'}: {seen.verdict}: {why}"


def test_there_are_two_hundred() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 200


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("captured/")])
def test_a_captured_journal_is_clean(name: str, tmp_path: Path) -> None:
    assert [*complaints(place(name, tmp_path))] == []


@pytest.mark.real
@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith(("real/", "field/"))])
def test_a_journal_of_a_real_product_is_clean(name: str, tmp_path: Path) -> None:
    assert [*complaints(place(name, tmp_path))] == []


@pytest.mark.product
@pytest.mark.java
@pytest.mark.parametrize("name", STORES)
def test_a_store_that_a_broker_wrote_is_clean(tool: ModuleType, name: str, tmp_path: Path) -> None:
    if not (shutil.which("java") and shutil.which("mvn")):
        pytest.skip("needs Java and Maven, which fetches the broker")
    product, version, end = name.split("-")
    try:
        store = tool.written(product, version, end=end)
    except tool.StoreError as error:
        pytest.skip(f"the broker could not be had: {str(error).splitlines()[0]}")
    directories = [store / "journal", store / "bindings"] if product == "artemis" else [store]
    assert [line for directory in directories for line in complaints(directory)] == []
