"""Tests harm that one probe causes in the runner.

The harm becomes the result of that probe, and the other probes still run.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import _deeds

from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.errors import Problem
from journalspec_conformance.result import Result
from journalspec_corpus import Input, InputFile, Probe
from judged import PROBE, Scripted, right_answer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and rights of POSIX")

READ, STRICT = PROBE["btm.judge.clean/read"], PROBE["btm.judge.clean/recover.strict"]
Deed = Callable[[Path], Any]


@pytest.fixture(autouse=True)
def quick_scratch(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Create scratch directories in memory, because thousands of them take seconds on a busy disk."""
    tmp_path_factory.getbasetemp()  # pytest's own directory stays on the disk
    if os.access("/dev/shm", os.W_OK):  # noqa: S108 - names in it are not guessed
        monkeypatch.setattr(tempfile, "tempdir", "/dev/shm")  # noqa: S108 - names in it are not guessed


@contextmanager
def asked(probe: Probe, deed: Deed, *features: str, times: int = 1) -> Iterator[Engine]:
    """Yield an engine; its implementation runs `deed` on its directory `times` times, and answers."""
    deeds = [deed] * times

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        told: dict[str, Any] | None = deeds.pop()(Path(request["dir"])) if deeds else None
        return {"ok": right_answer(*probe.expect)} if told is None else told

    engine = Engine(Scripted(reply, in_memory=False, features=["damage", *features]), Options())
    try:
        yield engine
    finally:
        engine.close()


def two(deed: Deed, *features: str, probe: Probe = READ) -> tuple[Result, Result]:
    """Return two results: of the question at which `deed` runs, and of the same question when it is asked
    again.
    """
    with asked(probe, deed, *features) as engine:
        first, second = engine.run_all([probe] * 2)
    return first, second


def swapped(directory: Path) -> None:
    """Replace the question's directory by another one with the same files."""
    directory.rename(directory.with_name("moved"))
    directory.mkdir()
    for path in directory.with_name("moved").iterdir():
        (directory / path.name).write_bytes(path.read_bytes())


def linked(directory: Path) -> None:
    (directory / "btm1.tlog").rename(directory / "../x")
    (directory / "btm1.tlog").symlink_to("../x")


def piped(directory: Path) -> None:
    (directory / "btm1.tlog").unlink()
    os.mkfifo(directory / "btm1.tlog")


def raising(error: BaseException) -> Deed:
    def deed(_: Path) -> None:
        raise error

    return deed


def by_reason(value: object) -> str:
    """Return the part of a test's id for a value: the text, or a constant for a function."""
    return value if isinstance(value, str) else "deed"


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize(
    ("deed", "result_class", "reason"),
    [
        (lambda _: {"step": "0", "durable": True}, "error", "a step is not an answer to read"),
        (lambda _: {"ok": {"verdict": "\ud800"}}, "fail", "\\ud800"),
        (lambda _: {"ok": {"verdict": "clean", "\udc80": 1}}, "fail", "records"),
        (lambda _: {"error": {"message": "\udfff"}}, "error", "\\udfff"),
        (lambda _: {"ok": {"verdict": "clean", "records": [1]}}, "error", "not an object"),
        (lambda _: {"ok": {"verdict": "clean", "records": [{"type": []}]}}, "", ""),
        (raising(OSError(5, "Input/output error")), "error", "OSError: [Errno 5]"),
        (raising(MemoryError()), "error", "it could not be judged: MemoryError"),
        (raising(RecursionError("deep")), "error", "RecursionError: deep"),
        (raising(Unprintable()), "error", "(it cannot be shown)"),
        (raising(ValueError("x" * 10**6)), "error", "ValueError: xxx"),
    ],
    ids=by_reason,
)
def test_damage_by_one_probe_is_the_result_of_that_probe(deed: Deed, result_class: str, reason: str) -> None:
    first, second = two(deed)
    assert first.red
    assert result_class in first.result_class
    assert reason in first.reason
    assert len(first.reason) < 2000
    json.dumps(first.to_json(), ensure_ascii=False).encode("utf-8")
    assert second.result_class == "pass"
    if "could not be judged" in first.reason:
        assert "Traceback" in first.stderr


def poke(path: Path, off: int) -> None:
    """Change one bit of a file."""
    with path.open("r+b") as stream:
        stream.seek(off)
        byte = stream.read(1)
        stream.seek(off)
        stream.write(bytes([byte[0] ^ 1]))


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        (lambda d: (d / "new").touch(), "new is new"),
        (lambda d: (d / "new").mkdir(), "new is new, a directory"),
        (_deeds.deep, "d is new, a directory"),
        (lambda d: (d / "new").symlink_to("/etc/passwd"), "new is new, a symbolic link"),
        (lambda d: (d / "new").symlink_to("new"), "new is new, a symbolic link"),
        (lambda d: os.mkfifo(d / "new"), "new is new, a pipe"),
        (linked, "btm1.tlog was a file and is a symbolic link"),
        (piped, "btm1.tlog was a file and is a pipe"),
        (lambda d: (d / "btm1.tlog").chmod(0o4755), "btm1.tlog had the rights 644 and has 4755"),
        (lambda d: (d / "btm1.tlog").chmod(0), "btm1.tlog had the rights 644 and has 0"),
        (lambda d: d.chmod(0), "the directory itself has other permissions"),
        (lambda d: (d / "btm1.tlog").unlink(), "btm1.tlog is gone"),
        (lambda d: d.rename(d.with_name("moved")) and None, "the directory itself was removed"),
        (swapped, "the directory itself is another one"),
        (_deeds.huge, "huge is new"),
        (lambda d: os.truncate(d / "btm1.tlog", 40 << 30), f"and has {40 << 30}"),
        (lambda d: poke(d / "btm1.tlog", 3), "btm1.tlog, offset 3: "),
    ],
    ids=by_reason,
)
def test_pure_implementation_changes_nothing(deed: Deed, reason: str) -> None:
    os.umask(0o022)
    with asked(READ, deed, "pure") as engine:
        first, second = engine.run_all([READ, READ])
        root = engine.workspace.root
    assert (first.result_class, first.fingerprint) == ("fail", "modified")
    assert reason in first.reason
    assert second.result_class == "pass"
    assert root is not None
    assert not root.exists()


def test_changed_times_and_rewritten_equal_content_are_not_a_change() -> None:
    def touched(directory: Path) -> None:
        path = directory / "btm1.tlog"
        path.write_bytes(path.read_bytes())
        os.utime(path, (0, 0))

    with asked(READ, touched, "pure") as engine:
        assert engine.run(READ).result_class == "pass"


def test_impure_implementation_may_leave_files_up_to_the_size_limit() -> None:
    for deed, result_class, reason in (
        (_deeds.deep, "pass", ""),
        (lambda d: os.mkfifo(d / "new"), "pass", ""),
        (lambda d: (d / "btm1.tlog").chmod(0), "pass", ""),
        (lambda d: (d / "new").symlink_to("/etc"), "pass", ""),
        (_deeds.huge, "error", "files of more than"),
    ):
        first, second = two(deed, probe=STRICT)
        assert (first.result_class, second.result_class) == (result_class, "pass")
        assert reason in first.reason


def test_too_many_entries_are_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("journalspec_conformance.programs.ENTRIES", 50)
    first, second = two(lambda d: [(d / str(n)).write_bytes(b"") for n in range(60)] and None, "pure")
    assert (first.result_class, second.result_class) == ("error", "pass")
    assert "more than 50 entries" in first.reason


def test_deleted_scratch_directory_is_created_again() -> None:
    def vanish(directory: Path) -> None:
        _deeds.empties(directory)
        directory.parent.rmdir()

    with asked(READ, vanish) as engine:
        root = engine.workspace.root
        _, second = engine.run_all([READ, READ])
        assert engine.workspace.root != root
    assert second.result_class == "pass"


def test_link_in_place_of_the_scratch_directory_is_not_followed(tmp_path: Path) -> None:
    """An earlier runner followed a link at the place where it was about to write."""
    moved: list[Path] = []

    def swap(directory: Path) -> None:
        root = directory.parent
        moved.append(root.rename(root.with_name(f"{root.name}-moved")))
        root.symlink_to(tmp_path)

    with asked(READ, swap) as engine:
        link = engine.workspace.root
        list(engine.run_all([READ, READ]))
        assert engine.workspace.root != link
    assert list(tmp_path.iterdir()) == []
    shutil.rmtree(moved[0])


def test_names_of_scratch_directories_are_unpredictable() -> None:
    seen: list[Path] = []
    with asked(READ, seen.append, times=3) as engine:
        list(engine.run_all([READ] * 3))
        assert seen[0].parent.stat().st_mode & 0o777 == 0o700
    assert len({path.name for path in seen}) == 3
    assert min(len(path.name) for path in seen) == 32


def test_sparse_file_is_compared_without_being_held_in_memory() -> None:
    size = 200 << 20
    big = InputFile("big", size, 0, ((size - 1, b"x"),))
    case = replace(READ.case, input=Input((*READ.case.input.files, big)))
    (wide,) = (other for other in case.probes if other.id == READ.id)
    with asked(wide, lambda d: poke(d / "big", size - 1), "pure") as engine:
        tracemalloc.start()
        try:
            seen = engine.run(wide)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert f"big, offset {size - 1}: 78 became 79" in seen.reason
    assert most < 32 << 20


@pytest.mark.parametrize("error", [Problem("the user's"), KeyboardInterrupt()])
def test_error_that_belongs_to_no_probe_ends_the_run(error: BaseException) -> None:
    with asked(READ, raising(error)) as engine, pytest.raises(type(error)):
        engine.run(READ)


@pytest.mark.parametrize(
    ("number", "said"), [("ENOSPC", True), ("EMFILE", True), ("EFBIG", True), ("EIO", False)]
)
def test_full_scratch_disk_is_reported_as_an_error_of_the_runner(
    number: str, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = OSError(getattr(errno, number), "so it is", "btm1.tlog")
    monkeypatch.setattr("journalspec_conformance.scratch.write_files", lambda *_: raising(error)(Path()))
    with asked(READ, lambda _: None) as engine:
        seen = engine.run(READ)
    assert seen.result_class == "error"
    assert ("the runner's scratch directory cannot hold the case" in seen.reason) == said
    assert "so it is" in seen.reason
