"""SwiftMQ's file store as commands answer for it: real stores, hostile files, paths that hold none."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from journalspec.observation import CLEAN
from journalspec_conformance.cli import cli
from journalspec_reference.answers import ask
from journalspec_reference.content import FileSource
from journalspec_reference.filesets import appeared, find_journals
from journalspec_reference.filesets import load as load_files
from judged import has

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real" / "swiftmq_store"
real = pytest.mark.skipif(
    not REAL.is_dir(), reason="real files are missing beside the checkout (../shared/real)"
)
STORES = sorted(path.name for path in REAL.iterdir() if path.is_dir()) if REAL.is_dir() else []
FORMAT = "swiftmq_store"
TOOL = Path(__file__).parents[2] / "tools" / "memory.py"


def command(*words: str, status: int = 0) -> str:
    """Return what a command says, to people if it fails."""
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == status, done.stderr[-2000:]
    return done.stdout or done.stderr


def answer(*words: str, status: int = 0) -> Any:
    return json.loads(command(*words, "--json", status=status))


def path(store: str) -> str:
    backup = next((REAL / store / "backup").glob("*"), None) if (REAL / store / "backup").is_dir() else None
    return str(backup or REAL / store)


@real
@pytest.mark.parametrize("store", [name for name in STORES if name != "outcomes"])
def test_the_bytes_of_every_real_store_are_shown(store: str) -> None:
    assert command("inspect", "--hex", path(store))


def copied(store: str, to: Path, **changed: bytes) -> Path:
    """Copy a store with its files unpacked, some of them changed."""
    for source in (REAL / store).rglob("*"):
        if source.is_file():
            target = to / source.relative_to(REAL / store)
            target.parent.mkdir(parents=True, exist_ok=True)
            data = source.read_bytes()
            target.with_name(target.name.removesuffix(".gz")).write_bytes(
                gzip.decompress(data) if source.suffix == ".gz" else data
            )
    for name, data in changed.items():
        next(to.rglob(f"{name}.*")).write_bytes(data)
    return to


@real
def test_another_page_size_is_reported_by_the_pages(tmp_path: Path) -> None:
    store = str(REAL / "r1-resized-4096")
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
        # What the log makes has no root index by itself.
        ("page", b"", 1),
        ("page", b"\xff" * 20480, 1),
        ("transaction", b"", 0),
        ("transaction", b"\0\0\0\1", 1),
        ("transaction", b"\0\0\0\1" + b"\xff" * 8, 1),
        ("transaction", b"\x7f\xff\xff\xff" * 1000, 1),
    ],
)
def test_hostile_files(tmp_path: Path, name: str, data: bytes, status: int) -> None:
    """None of it is a fault of the command: what it says is one of its answers."""
    store = copied("12-one-commit-after-checkpoint", tmp_path, **{name: data})
    for words in (("inspect", "--json"), ("recover", "--json"), ("inspect", "--hex")):
        done = CliRunner().invoke(cli, (*words, str(store)))
        assert done.exit_code in (0, 1, 3), done.output[-500:]
        assert not done.stderr
    assert CliRunner().invoke(cli, ("inspect", "--json", str(store))).exit_code == status


@real
def test_paths_that_hold_no_store(tmp_path: Path) -> None:
    store = copied("12-one-commit-after-checkpoint", tmp_path / "store")
    for part in ("db", "db/page.db", "log", "log/transaction.log"):
        said = command("inspect", str(store / part), status=2)
        has(said, "it is a part of one", f"give the directory above it: '{store}'")
    assert "verdict  clean" in command("inspect", "--all", str(tmp_path))
    (store / "swap").mkdir()
    (store / "swap" / "other.txt").write_bytes(b"x")
    assert "other.txt" not in command("inspect", str(store))


@pytest.mark.parametrize("name", ["db/page.db", "durables/c$n.durable", "swap/q-0.swap"])
def test_a_file_that_appears_in_a_directory_is_noticed(tmp_path: Path, tool: ModuleType, name: str) -> None:
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
    """Indexes are read first, then messages: a page of an index that is between them costs no more."""
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
