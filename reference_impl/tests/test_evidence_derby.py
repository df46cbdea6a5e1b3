"""Evidence in the containers of a Derby database: damaged or missing containers are never `clean`.

Derby 10.16.1.1 was started on databases with the same damage; the tests agree with its results.
"""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from typing import Any

import pytest

from journalspec.observation import CLEAN, RECOVERED, Observation
from journalspec_corpus.load import load_cases
from journalspec_reference.answers import ask
from journalspec_reference.api import load as load_implementation
from journalspec_reference.derby_log.containers import Heap
from journalspec_reference.filesets import find_journals, load
from tables import literals
from unpacked import unpacked

DATA = Path(__file__).resolve().parent / "data"
POLICIES = (None, "default", "strict")


def database(directory: Path, archive: str = "derby_database.tar.xz") -> Path:
    return unpacked(DATA / archive, directory)


def answered(home: Path, policy: str | None = None) -> Observation:
    (journal,) = find_journals(load(home / "log"), "derby_log")
    return ask(journal, policy).observation


def codes(seen: Observation) -> set[str]:
    return {note.code for note in seen.notes} | {entry.code for entry in seen.missing}


def damaged(home: Path, what: str, *more: Any) -> None:
    """Apply a row of the table to a database: change bytes of a file, or whole files."""
    path = home / more[0]
    data = path.read_bytes() if path.is_file() else b""
    if what == "flip":
        path.write_bytes(data[: more[1]] + bytes([data[more[1]] ^ 1]) + data[more[1] + 1 :])
    elif what == "zeros":
        start, size = more[1:] or (0, len(data))
        path.write_bytes(data[:start] + bytes(size) + data[start + size :])
    elif what == "cut":
        path.write_bytes(data[: more[1]])
    elif what == "half":
        path.write_bytes(data[: len(data) // 2])
    elif what == "swap":
        path.write_bytes((home / more[1]).read_bytes())
        (home / more[1]).write_bytes(data)
    elif what == "gzip":
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(data))
        path.unlink()
    elif what == "rename":
        path.rename(home / more[1])
    elif path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


PROPERTIES = "service.properties"
#: Changes of an undamaged database, each with the code that reports it.
DAMAGES = dict(literals(__file__)["DAMAGES"])


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_outside_the_log_is_not_clean(damage: str, tmp_path: Path) -> None:
    home = database(tmp_path)
    for policy in POLICIES:
        seen = answered(home, policy)
        assert (seen.verdict, [*seen.missing]) == (CLEAN, [])
    *done, code = DAMAGES[damage]
    damaged(home, *done)
    for policy in POLICIES:
        seen = answered(home, policy)
        assert seen.verdict == RECOVERED
        assert code in codes(seen)


def test_database_that_derby_boots_is_clean(tmp_path: Path) -> None:
    """A container's name has a capital letter, and the database has a lock file."""
    home = database(tmp_path)
    damaged(home, "rename", "seg0/c430.dat", "seg0/C430.DAT")
    (home / "db.lck").write_bytes(b"")
    assert {answered(home, policy).verdict for policy in POLICIES} == {CLEAN}


def test_properties_without_a_last_line_feed_may_be_complete(tmp_path: Path) -> None:
    home = database(tmp_path)
    (home / PROPERTIES).write_bytes((home / PROPERTIES).read_bytes().rstrip())
    (text,) = [note.text for note in answered(home).notes if note.code == "damaged-properties"]
    assert text == "the last line is truncated: Derby may not start"


@pytest.mark.parametrize(
    ("page", "effect"), [(3, "Derby does not start"), (4, "Derby starts, and cannot read the table")]
)
def test_start_fails_only_on_damage_in_pages_that_redo_reads(page: int, effect: str, tmp_path: Path) -> None:
    """The log changes pages 3 and 5 of this container, whose pages are 32 KiB each."""
    home = database(tmp_path)
    damaged(home, "flip", "seg0/c470.dat", (page << 15) + 2000)
    (text,) = [note.text for note in answered(home, "default").notes if note.code == "damaged-container"]
    assert text == f"page {page} of seg0/c470.dat has a wrong checksum; {effect} (XSDG2)"


def test_page_that_the_log_creates_again_must_be_readable(tmp_path: Path) -> None:
    """Derby 10.16 reports XSDG2 and XSDFI. If the page is not yet on the disk, Derby makes it."""
    home = database(tmp_path, "derby_contents.tar.gz")
    before = {note.file for note in answered(home).notes if note.code == "damaged-container"}
    assert before == set()
    made = {
        record.fields["container"]
        for record in answered(home, "default").records
        if record.type == "CONTAINER" and record.fields["action"] == 1
    }
    found = 0
    for number in (int(str(each)) for each in made):
        path = home / "seg0" / f"c{number:x}.dat"
        if not path.is_file():
            continue
        stored = path.read_bytes()
        size = Heap(number, path.name, stored).size
        for what, start, sound in (("flip", [size + 100], False), ("zeros", [size, size], True)):
            path.write_bytes(stored if what == "flip" else stored[:size])
            damaged(home, what, f"seg0/{path.name}", *start)
            named = {note.file for note in answered(home).notes if note.code == "damaged-container"}
            assert (f"../seg0/{path.name}" not in named) is sound
        path.write_bytes(stored)
        found += 1
    assert found


def test_answer_on_a_log_alone_has_no_findings_about_a_database(tmp_path: Path) -> None:
    home = database(tmp_path)
    shutil.copytree(home / "log", tmp_path / "alone" / "log")
    assert answered(tmp_path / "alone").verdict == CLEAN


def test_container_that_is_dropped_later_is_missing_in_a_database(tmp_path: Path) -> None:
    """Derby 10.16 fails with 40XD2 on such a copy.

    A directory with a log and only some containers proves nothing.
    """
    case = next(each for each in load_cases("derby_log") if each.id.endswith("evidence.missing-container"))
    for name, data in case.files().items():
        path = tmp_path / (name if name.startswith("seg0/") else f"log/{name}")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(data[:]))
    alone = load_implementation("derby_log").read(case.files(), edition=case.edition, params={})
    assert [entry.name for entry in alone.missing if entry.code == "container"] == ["seg0/c4b0.dat"]
    found = [entry.name for entry in answered(tmp_path).missing if entry.code == "container"]
    assert len(found) == 2
    assert "seg0/c4b0.dat" in found
