"""Directories of users and of real products, each with the right answer: see ``data/field.toml``."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from field import FIELD, unpacked
from journalspec_reference.answers import ask
from journalspec_reference.filesets import Journal, find_journals, load
from tables import table

pytestmark = pytest.mark.real

Row = Mapping[str, Any]
CHECKOUT = Path(__file__).resolve().parents[2]
TABLE = table("field")
ASKED = [
    pytest.param({**row, "edition": edition}, name, policy, id=f"{name}-{policy}-{edition or number}")
    for number, row in enumerate(TABLE["asked"])
    for name in row["rows"]
    for policy in row["by"]
    for edition in row.get("editions", [""])
]


def found(name: str) -> list[Path]:
    """Return the directories that match a name in the table."""
    root = CHECKOUT / "corpus" if name.startswith("captured/") else FIELD.parent
    return sorted(path for path in root.glob(name) if path.is_dir())


def copied(name: str, scratch: Path, row: Row) -> Path:
    """Return a copy of an input with the changes of the row; archives are unpacked."""
    if name.startswith("field/"):
        place = unpacked(name.removeprefix("field/"), scratch)
    else:
        (source,) = found(name) or (None,)
        if source is None:
            pytest.skip(f"needs the products' files beside the checkout: {name}")
        place = scratch / source.name
        shutil.copytree(source, place)
        for path in place.glob("*.gz"):
            if path.name.endswith(".tar.gz"):
                shutil.unpack_archive(path, place, filter="data")
            else:
                path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
                path.unlink()
    for part in row.get("remove", ()):
        shutil.rmtree(place / part) if (place / part).is_dir() else (place / part).unlink()
    for part, other in row.get("put", {}).items():
        shutil.copyfile(FIELD.parent / other, place / part)
    return place


def journals(place: Path, row: Row) -> list[Journal]:
    """Return the journals of a directory, read as the edition of the row if it states one."""
    below = place / row.get("below", "")
    every = find_journals(load(below if below.is_dir() else place), row.get("format"))
    edition = row.get("edition")
    return [replace(one, edition=edition, editions=()) for one in every] if edition else every


def fits(want: Any, have: Any) -> bool:
    """Return whether `have` fits a row. Of an object, only the listed members are compared. For a list, a row
    may contain the number of entries.
    """
    if isinstance(want, Mapping) and isinstance(have, list):
        return all(any(fits(value, entry) for entry in have) for value in want["any"])
    if isinstance(want, Mapping):
        return isinstance(have, Mapping) and all(fits(value, have.get(key)) for key, value in want.items())
    if type(want) is int:
        return isinstance(have, list) and len(have) == want
    if isinstance(want, list):
        same = len(want) == len(have or ())
        return same and all(fits(left, right) for left, right in zip(want, have or (), strict=True))
    return bool(want == have)


def check(wanted: Row, row: Row, journal: Journal, policy: str) -> None:
    seen = ask(journal, None if policy == "read" else policy).observation.to_json()
    told = {"missing": [], "unanchored": [], **seen, "edition": journal.edition}
    assert fits(wanted, told), (*journal.files, {key: told.get(key) for key in wanted})
    notes = [(note["code"], note.get("text", "")) for note in told["notes"]]
    for code, text in row.get("notes", {}).items():
        assert any(code == name and text in said for name, said in notes), (code, notes)
    assert not {code for code, _ in notes} & {*row.get("without", ())}
    for words in row.get("says", ()):
        assert words in told["message"]


@pytest.mark.parametrize(("row", "name", "policy"), ASKED)
def test_answer_on_each_input_is_right(row: Row, name: str, policy: str, tmp_path: Path) -> None:
    (journal,) = journals(copied(name, tmp_path, row), row)
    check(row["rows"][name], row, journal, policy)


@pytest.mark.parametrize("row", TABLE["healthy"], ids=lambda row: row["in"][0])
def test_undamaged_journals_of_products_are_clean(row: Row, tmp_path: Path) -> None:
    looked = 0
    for path in (path for name in row["in"] for path in found(name)):
        out = any(fnmatch(f"{path.parent.name}/{path.name}", f"*{part}") for part in row.get("but", ()))
        if out or not list(path.glob(row.get("having", "*"))):
            continue
        for journal in journals(copied(str(path.relative_to(root_of(path))), tmp_path, {}), row):
            for policy in row["by"]:
                check(row["is"], row, journal, policy)
        shutil.rmtree(tmp_path / path.name)
        looked += 1
    if not FIELD.is_dir() and not looked:
        pytest.skip("needs the products' files beside the checkout")
    assert looked >= row.get("least", 1)


def root_of(path: Path) -> Path:
    return CHECKOUT / "corpus" if path.is_relative_to(CHECKOUT) else FIELD.parent
