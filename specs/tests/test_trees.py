"""Trees that others write to: nothing outside is touched, nothing inside stops the work."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from journalspec import trees
from journalspec.trees import Folder, Mounted, TooMuch, place, walk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and rights of POSIX")


def deep(root: Path, depth: int) -> None:
    """Make directories in each other, deeper than any path may be long."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


def test_files_are_placed_with_directories_and_holes(tmp_path: Path) -> None:
    with Folder.at(tmp_path) as root:
        place(root, [("a/b/c", [b"ab", 100_000, b"z", 5]), ("a/d", [])])
    assert (tmp_path / "a/b/c").read_bytes() == b"ab" + bytes(100_000) + b"z" + bytes(5)
    assert (tmp_path / "a/d").read_bytes() == b""
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_no_half_of_a_file_is_left(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes | int]:
        yield b"x" * 100_000
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with Folder.at(tmp_path) as root, pytest.raises(OSError, match="No space"):
        place(root, [("whole", [b"x"]), ("half", pieces())])
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]


def test_nothing_is_placed_through_a_link(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (inside / "way").symlink_to(outside)
    (inside / "file").symlink_to(outside / "file")
    with Folder.at(inside) as root:
        with pytest.raises(OSError, match=r"Not a directory|symbolic"):
            place(root, [("way/file", [b"x"])])
        with pytest.raises(FileExistsError):
            place(root, [("file", [b"x"])])
        with pytest.raises(OSError, match=r"Not a directory|symbolic"):
            root.folder("way")
        with pytest.raises(OSError, match="symbolic"):
            root.read("file")
    with pytest.raises(OSError, match=r"Not a directory|symbolic"):
        Folder.at(inside / "way")
    Folder.at(inside / "way", follow=True).close()
    assert list(outside.iterdir()) == []


def test_a_directory_that_was_moved_away_is_written_to_where_it_is(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    with Folder.at(inside) as root:
        inside.rename(tmp_path / "moved")
        inside.symlink_to(outside)
        place(root, [("file", [b"x"])])
    assert list(outside.iterdir()) == []
    assert (tmp_path / "moved/file").exists()


def test_walking_opens_no_pipe_follows_no_link_and_ends(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a/pipe")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "c").write_bytes(b"x")
    with Folder.at(tmp_path) as root:
        assert [entry.path for entry in walk(root)] == ["a", "a/pipe", "b", "c"]
        assert root.link("b") == "a"
        with pytest.raises(OSError, match="regular") as caught:
            root.folder("a").read("pipe")
        assert caught.value.errno == errno.EINVAL
        with root.read("c") as stream:
            assert stream.read() == b"x"


def test_walking_gives_up_on_depth_and_on_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep(tmp_path, 3000)
    with Folder.at(tmp_path) as root:
        assert len(list(walk(root))) == trees.DEPTH
        monkeypatch.setattr(trees, "ENTRIES", 20)
        with pytest.raises(TooMuch, match="more than 20 entries"):
            list(walk(root))
        root.remove("d")
    assert list(tmp_path.iterdir()) == []


def test_removal_leaves_what_links_lead_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_bytes(b"x")
    (tmp_path / "tree/below").mkdir(parents=True)
    (tmp_path / "tree/below/way").symlink_to(outside)
    (tmp_path / "tree/way").symlink_to(outside)
    (tmp_path / "way").symlink_to(outside)
    with Folder.at(tmp_path) as root:
        root.remove("tree")
        root.remove("way")
        with pytest.raises(FileNotFoundError):
            root.remove("tree")
    assert [path.name for path in tmp_path.iterdir()] == ["outside"]
    assert (outside / "kept").exists()


def test_removal_ends_in_time(tmp_path: Path) -> None:
    (tmp_path / "tree/below").mkdir(parents=True)
    with Folder.at(tmp_path) as root, pytest.raises(TimeoutError, match="in time"):
        root.remove("tree", seconds=-1)


@contextmanager
def somebody_else() -> Iterator[None]:
    """Be nobody for a while: root may do everything, and would see no missing right."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    # Whoever changes his user loses sight of himself in /proc, which a program started by a user does not.
    ctypes.CDLL(None).prctl(4, 1)
    try:
        yield
    finally:
        os.seteuid(0)
        ctypes.CDLL(None).prctl(4, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="another user is played by means of Linux")
def test_removal_takes_rights_back_that_were_given_away() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        with somebody_else():
            for mode in (0o000, 0o100, 0o200, 0o400, 0o500):
                tree = Path(name) / f"{mode:o}"
                (tree / "a/b/c").mkdir(parents=True)
                (tree / "a/b/file").write_bytes(b"x")
                for path in ("a/b/c", "a/b/file", "a/b", "a", ""):
                    (tree / path).chmod(mode)
            with Folder.at(Path(name)) as root:
                assert [entry.path for entry in walk(root)] == [
                    "0",
                    "100",
                    "200",
                    "400",
                    "500",
                    "500/a",
                    "500/a/b",
                    "500/a/b/c",
                    "500/a/b/file",
                ]
                for tree_name in ("0", "100", "200", "400", "500"):
                    root.remove(tree_name)
        assert list(Path(name).iterdir()) == []


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A tree with a directory where another one of the same file system, `outside`, is mounted."""
    outside, where = tmp_path / "outside", tmp_path / "tree/a/b/c"
    outside.mkdir()
    (outside / "precious").mkdir()
    (outside / "precious/file").write_bytes(b"x")
    where.mkdir(parents=True)
    for name in ("tree/0", "tree/z", "tree/a/z", "tree/a/b/z"):
        (tmp_path / name).write_bytes(b"x")
    if subprocess.run(["/bin/mount", "--bind", outside, where], capture_output=True, check=False).returncode:
        pytest.skip("nothing may be mounted here")
    yield tmp_path
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        if (point := line.split()[4]).startswith(str(tmp_path)):
            subprocess.run(["/bin/umount", point], check=True)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs the right to mount (Linux)")
def test_what_is_mounted_is_left_alone(mounted: Path) -> None:
    with Folder.at(mounted) as root:
        assert "tree/a/b/c" in (found := [entry.path for entry in walk(root)])
        assert "tree/a/b/c/precious" not in found
        with pytest.raises(Mounted, match="mounted"):
            root.remove("tree")
    assert (mounted / "outside/precious/file").read_bytes() == b"x"
    assert not any(path.name in {"0", "z"} for path in mounted.rglob("*")), "all the rest is gone"


def test_another_file_system_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tree/a/b").mkdir(parents=True)
    (tmp_path / "tree/a/b/precious").write_bytes(b"x")
    (tmp_path / "tree/z").write_bytes(b"x")
    other = (tmp_path / "tree/a/b").stat().st_ino
    monkeypatch.setattr(trees, "_mount", lambda handle: os.fstat(handle).st_ino == other)
    with Folder.at(tmp_path) as root:
        assert [entry.path for entry in walk(root)] == ["tree", "tree/a", "tree/a/b", "tree/z"]
        with pytest.raises(Mounted, match="mounted"):
            root.remove("tree")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["precious"]
