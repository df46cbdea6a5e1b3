"""Databases from the field: damage in the middle, what a full disk leaves, pages older than the log."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from field import FIELD, unpacked
from journalspec.observation import CLEAN, RECOVERED, REFUSED, Observation
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load

pytestmark = pytest.mark.real
REAL, CONTENTS = FIELD.parent / "real" / "derby_log", FIELD.parent / "contents" / "derby_log"


def answer(path: Path, policy: str | None = None) -> Observation:
    """Return the answer about the only journal at a path."""
    (journal,) = find_journals(load(log_of(path)))
    return ask(journal, policy).observation


def texts(seen: Observation, code: str) -> list[str]:
    return [note.text for note in seen.notes if note.code == code]


def log_of(path: Path) -> Path:
    """Return the directory of the log: an input may be a database or its log."""
    return path / "log" if (path / "log").is_dir() else path


@pytest.fixture
def middle(tmp_path: Path) -> Path:
    return log_of(unpacked("derby-middle-damage-looks-like-torn-tail", tmp_path))


def test_damage_in_the_middle_names_the_groups_after_it(middle: Path) -> None:
    for seen in (answer(middle), answer(middle, "default")):
        assert seen.verdict == RECOVERED
        assert [(region.off, region.length) for region in seen.dropped] == [(106904, 6833)]
        assert texts(seen, "groups-after")[0].startswith("18 sound group(s)")
    strict = answer(middle, "strict")
    assert (strict.verdict, strict.code) == (REFUSED, "lost-middle")


def damages(data: bytes, at: int) -> Iterator[bytes]:
    yield data[:at] + bytes(512) + data[at + 512 :]
    yield data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :]
    yield data[:at] + data[at + 100 :] + bytes(100)


@pytest.mark.parametrize("quarter", [0, 1, 2, 3])
def test_every_kind_of_damage_in_the_middle_is_noticed(middle: Path, quarter: int) -> None:
    path = middle / "log1.dat"
    # What was damaged before is left out. The log begins where recovery does.
    sound = path.read_bytes()[:106904] + bytes(1000)
    path.write_bytes(sound)
    start = answer(middle, "default").records[0].at.off
    for damaged in damages(sound, start + 150 + (105000 - start) * quarter // 4):
        path.write_bytes(damaged)
        assert texts(answer(middle), "groups-after")
        assert answer(middle, "strict").verdict != CLEAN


def test_a_full_disk_at_a_switch_is_no_reason_to_refuse(tmp_path: Path) -> None:
    log = log_of(unpacked("derby-disk-full-header-only-next-file", tmp_path))
    for policy in (None, "default", "strict"):
        seen = answer(log, policy)
        assert seen.verdict == RECOVERED
        assert texts(seen, "unfinished-switch")
        assert not texts(seen, "lost-middle")
    # The rows: 5735 inserts are committed in the two files and before them (real 10.14.2.0).
    for name in ("log.ctrl", "logmirror.ctrl"):
        (log / name).unlink()
    assert answer(log, "default").verdict == RECOVERED  # the last checkpoint record counts


def test_a_page_that_is_older_than_the_log_is_named_with_both_versions(tmp_path: Path) -> None:
    path = unpacked("ibm-swg21288806-page-older-than-log", tmp_path)
    for place in (path, path / "log"):
        said = "page 1 of container 1168 (../seg0/c490.dat) is at version 22, the log needs 52"
        read = answer(place)
        assert (read.verdict, texts(read, "old-page")) == (RECOVERED, [said])
        seen = answer(place, "default")
        assert (seen.verdict, seen.code) == (REFUSED, "bad-page")
        assert said in seen.message
        assert "XSDB4" in seen.message
        assert "from version 22 to 51" in seen.message


def healthy() -> Iterator[Path]:
    for root in (REAL, CONTENTS):
        yield from (path for path in sorted(root.glob("*")) if path.is_dir())


TORN = ("torn-before-10.16", "xaorphan-0-before", "xaorphan-2-after-recovery2")


@pytest.mark.parametrize("source", list(healthy()), ids=lambda path: path.name)
def test_healthy_databases_are_clean(source: Path, tmp_path: Path) -> None:
    if source.name in TORN:
        pytest.skip("damaged on purpose")
    place: Any = tmp_path / source.name
    shutil.copytree(source, place)
    for archive in place.glob("*.tar.gz"):
        shutil.unpack_archive(archive, place, filter="data")
    for policy in (None, "default", "strict"):
        seen = answer(place, policy)
        assert not seen.missing
        # Of an encrypted log nothing but the wrappers is read.
        assert seen.verdict == (RECOVERED if source.name.startswith("enc") else CLEAN)
    shutil.rmtree(place)
