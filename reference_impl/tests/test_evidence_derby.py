"""What the containers of a Derby database prove: damage and absence beside the log are never clean.

What Derby does on each is known from Derby 10.16.1.1, which was started on databases so damaged.
"""

from __future__ import annotations

import gzip
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from journalspec.observation import CLEAN, RECOVERED, Observation
from journalspec_corpus.load import load_cases
from journalspec_reference.answers import ask
from journalspec_reference.api import load as load_implementation
from journalspec_reference.derby_log.containers import Heap
from journalspec_reference.filesets import find_journals, load

DATA = Path(__file__).resolve().parent / "data"
PAGE = 4096
POLICIES = (None, "default", "strict")
Damage = Callable[[Path], None]


def database(directory: Path, archive: str = "derby_database.tar.xz") -> Path:
    with tarfile.open(DATA / archive) as packed:
        packed.extractall(directory, filter="data")
    return directory


def answered(home: Path, policy: str | None = None) -> Observation:
    (journal,) = find_journals(load(home / "log"), "derby_log")
    return ask(journal, policy).observation


def codes(seen: Observation) -> set[str]:
    return {note.code for note in seen.notes} | {entry.code for entry in seen.missing}


def written(name: str, change: Callable[[bytes], bytes]) -> Damage:
    def damage(home: Path) -> None:
        (home / name).write_bytes(change((home / name).read_bytes()))

    return damage


def swapped(one: str, other: str) -> Damage:
    def damage(home: Path) -> None:
        left, right = ((home / name).read_bytes() for name in (one, other))
        (home / one).write_bytes(right)
        (home / other).write_bytes(left)

    return damage


def compressed(home: Path) -> None:
    path = home / "seg0" / "c430.dat"
    (home / "seg0" / "c430.dat.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()


def replaced(at: int, new: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data[:at] + new + data[at + len(new) :]


def flipped(at: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def gone(name: str) -> Damage:
    return lambda home: (home / name).unlink()


PROPERTIES = "service.properties"
#: What is done to a healthy database -> the code that says so.
DAMAGES: dict[str, tuple[Damage, str]] = {
    "a bit of a row": (written("seg0/c90.dat", flipped(PAGE + 2000)), "damaged-container"),
    "a bit of an index": (written("seg0/c71.dat", flipped(PAGE + 2000)), "damaged-container"),
    "a bit of what a container says": (written("seg0/c430.dat", flipped(170)), "damaged-container"),
    "a bit of an allocation page": (written("seg0/c430.dat", flipped(300)), "damaged-container"),
    "a torn page": (written("seg0/c90.dat", replaced(PAGE + 512, bytes(512))), "damaged-container"),
    "the start of a page": (written("seg0/c90.dat", replaced(PAGE, bytes(2))), "damaged-container"),
    "a page of zeros": (written("seg0/c90.dat", replaced(PAGE, bytes(PAGE))), "damaged-container"),
    "a cut container": (written("seg0/c90.dat", lambda data: data[: PAGE + 1000]), "damaged-container"),
    "an empty container": (written("seg0/c90.dat", lambda _: b""), "damaged-container"),
    "a zeroed container": (written("seg0/c90.dat", lambda data: bytes(len(data))), "damaged-container"),
    "two heaps": (swapped("seg0/c1b1.dat", "seg0/c1a1.dat"), "damaged-container"),
    "a heap and an index": (swapped("seg0/c430.dat", "seg0/c361.dat"), "damaged-container"),
    "a container that the catalogue lists": (
        gone("seg0/c430.dat"),
        "listed-container",
    ),
    "an index": (gone("seg0/c71.dat"), "listed-container"),
    "the catalogue": (gone("seg0/c20.dat"), "listed-container"),
    "the properties' container": (gone("seg0/c10.dat"), "listed-container"),
    "all containers": (lambda home: shutil.rmtree(home / "seg0"), "listed-container"),
    "a compressed container": (compressed, "compressed"),
    "no properties": (gone(PROPERTIES), "database-file"),
    "empty properties": (written(PROPERTIES, lambda _: b""), "damaged-properties"),
    "zeros as properties": (
        written(PROPERTIES, lambda data: bytes(len(data))),
        "damaged-properties",
    ),
    "cut properties": (
        written(PROPERTIES, lambda data: data[: len(data) // 2]),
        "damaged-properties",
    ),
    "an empty control file": (written("log/log.ctrl", lambda _: b""), "empty-control"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_beside_the_log_is_not_clean(damage: str, tmp_path: Path) -> None:
    home = database(tmp_path)
    for policy in POLICIES:
        seen = answered(home, policy)
        assert (seen.verdict, [*seen.missing]) == (CLEAN, [])
    act, code = DAMAGES[damage]
    act(home)
    for policy in POLICIES:
        seen = answered(home, policy)
        assert seen.verdict == RECOVERED
        assert code in codes(seen)


@pytest.mark.parametrize(
    "act",
    [
        lambda home: (home / "seg0/c430.dat").rename(home / "seg0/C430.DAT"),
        lambda home: (home / "db.lck").write_bytes(b""),
    ],
    ids=["capitals", "a lock"],
)
def test_what_derby_starts_on_is_healthy(act: Damage, tmp_path: Path) -> None:
    home = database(tmp_path)
    act(home)
    assert {answered(home, policy).verdict for policy in POLICIES} == {CLEAN}


def test_properties_without_a_last_line_feed_may_be_complete(tmp_path: Path) -> None:
    home = database(tmp_path)
    written(PROPERTIES, lambda data: data.rstrip())(home)
    (text,) = [note.text for note in answered(home).notes if note.code == "damaged-properties"]
    assert text == "the last line is cut: Derby may not start"


@pytest.mark.parametrize(
    ("page", "effect"), [(3, "Derby does not start"), (4, "Derby starts, and cannot read the table")]
)
def test_only_what_redo_reads_keeps_derby_from_starting(page: int, effect: str, tmp_path: Path) -> None:
    """The log changes pages 3 and 5 of this container, whose pages have 32 KiB."""
    home = database(tmp_path)
    written("seg0/c470.dat", flipped((page << 15) + 2000))(home)
    (text,) = [note.text for note in answered(home, "default").notes if note.code == "damaged-container"]
    assert text == f"page {page} of seg0/c470.dat has a wrong checksum; {effect} (XSDG2)"


def test_a_page_that_the_log_makes_again_has_to_be_readable(tmp_path: Path) -> None:
    """Derby 10.16: XSDG2, by way of XSDFI; where nothing is on disk yet it makes the page."""
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
        for content, sound in ((flipped(size + 100)(stored), False), (stored[:size] + bytes(size), True)):
            path.write_bytes(content)
            named = {note.file for note in answered(home).notes if note.code == "damaged-container"}
            assert (f"../seg0/{path.name}" not in named) is sound
        path.write_bytes(stored)
        found += 1
    assert found


def test_an_answer_on_a_log_alone_says_nothing_of_a_database(tmp_path: Path) -> None:
    home = database(tmp_path)
    shutil.copytree(home / "log", tmp_path / "alone" / "log")
    assert answered(tmp_path / "alone").verdict == CLEAN


def test_a_container_that_is_dropped_later_is_missing_in_a_database(tmp_path: Path) -> None:
    """Derby 10.16 on a copy of a running database: 40XD2. A log with some containers does not tell."""
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
