"""Commands on SwiftMQ's file store: real stores, hostile files, paths without a store."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import products
from journalspec.observation import CLEAN
from journalspec_reference.answers import ask
from journalspec_reference.content import FileSource
from journalspec_reference.filesets import appeared, find_journals
from journalspec_reference.filesets import load as load_files
from judged import call, has
from unpacked import copied

REAL = products.REAL / "swiftmq_store"
real = pytest.mark.skipif(
    not REAL.is_dir(), reason="real files are missing beside the checkout (../shared/real)"
)
STORES = sorted(path.name for path in REAL.iterdir() if path.is_dir()) if REAL.is_dir() else []
FORMAT, COMMITTED = "swiftmq_store", REAL / "12-one-commit-after-checkpoint"
TOOL = Path(__file__).parents[2] / "tools" / "memory.py"


def answer(*words: object, status: int = 0) -> Any:
    return json.loads(call(*words, "--json", status=status).stdout)


def path(store: str) -> Path:
    return next((REAL / store).glob("backup/*"), REAL / store)


@real
@pytest.mark.parametrize("store", [name for name in STORES if name != "outcomes"])
def test_bytes_of_every_real_store_are_shown(store: str) -> None:
    assert call("inspect", "--hex", path(store), status=0).stdout


@real
def test_unusual_page_size_is_derived_from_the_pages(tmp_path: Path) -> None:
    store = REAL / "r1-resized-4096"
    seen = answer("recover", store, "--param", "page_size=2048", status=3)
    assert (seen["phase"], seen["code"]) == ("replay", "bad-queue")
    assert "page_size=4096 makes sense of it" in seen["message"]
    notes = answer("inspect", store, "--param", "page_size=2048", status=1)["notes"]
    said = [note["text"] for note in notes if note["code"] == "page-size"]
    assert said == ["page_size=4096 makes sense of it, 2048 was asked for"]
    seen = answer("inspect", store, "--param", "page_size=40", status=3)
    assert (seen["phase"], seen["code"]) == ("fileset", "bad-page-size")


@real
@pytest.mark.parametrize(
    ("name", "data", "status"),
    [
        # Without the page file, the pages in the log contain no root index.
        ("page", b"", 1),
        ("page", b"\xff" * 20480, 1),
        ("transaction", b"", 0),
        ("transaction", b"\0\0\0\1", 1),
        ("transaction", b"\0\0\0\1" + b"\xff" * 8, 1),
        ("transaction", b"\x7f\xff\xff\xff" * 1000, 1),
    ],
)
def test_hostile_file_of_a_store_causes_no_internal_error(
    tmp_path: Path, name: str, data: bytes, status: int
) -> None:
    """The command has no internal error: it prints one of its normal answers."""
    store = copied(COMMITTED, tmp_path)
    next(store.rglob(f"{name}.*")).write_bytes(data)
    for words in (("recover", "--json"), ("inspect", "--hex")):
        done = call(*words, store)
        assert done.exit_code in (0, 1, 3), done.output[-500:]
        assert not done.stderr
    assert not call("inspect", "--json", store, status=status).stderr


@real
def test_part_of_a_store_is_refused_with_the_path_of_the_store(tmp_path: Path) -> None:
    store = copied(COMMITTED, tmp_path / "store")
    for part in ("db", "db/page.db", "log", "log/transaction.log"):
        said = call("inspect", store / part, status=2).stderr
        has(said, "it is a part of one", f"give the directory above it: '{store}'")
    assert "verdict  clean" in call("inspect", "--all", tmp_path, status=0).stdout
    (store / "swap").mkdir()
    (store / "swap" / "other.txt").write_bytes(b"x")
    assert "other.txt" not in call("inspect", store, status=0).stdout


@pytest.mark.parametrize("name", ["db/page.db", "durables/c$n.durable", "swap/q-0.swap"])
def test_file_that_appears_in_a_directory_is_detected(tmp_path: Path, tool: ModuleType, name: str) -> None:
    tool.MAKERS[FORMAT](tmp_path, 1 << 14, tool.SHAPES["live"])
    (tmp_path / "db" / "page.db").rename(tmp_path / "kept")
    for directory in ("swap", "durables"):
        (tmp_path / directory).mkdir()
    (journal,) = find_journals(load_files(tmp_path))
    assert appeared(journal) == []
    (tmp_path / name).write_bytes(b"")
    (tmp_path / "swap" / "other").write_bytes(b"")
    assert appeared(journal) == [name]


def test_each_page_is_read_once(tmp_path: Path, tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading takes indexes first, then messages: index pages between messages are not read twice."""
    tool.MAKERS[FORMAT](tmp_path, 1 << 22, tool.SHAPES["live"])
    (journal,) = find_journals(load_files(tmp_path))
    read = 0
    plain = FileSource.read

    def counted(source: FileSource, off: int, size: int) -> bytes:
        nonlocal read
        data = plain(source, off, size)
        read += len(data)
        return data

    monkeypatch.setattr(FileSource, "read", counted)
    assert ask(journal).observation.verdict == CLEAN
    assert (1 << 22) <= read < 2 * (1 << 22)
