"""Files that the tools read or write: output is complete or absent, input is bounded and regular, names are
escaped.
"""

from __future__ import annotations

import errno
import gzip
import os
import re
import stat
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from journalspec import files
from journalspec.files import Unfit, making, read_bytes, reading, replace_text, replacing, shown

unix = pytest.mark.skipif(os.name != "posix", reason="needs links, pipes and limits of POSIX")


def names_in(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


@pytest.fixture(params=["unnamed", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return str(request.param)


def test_old_content_stays_until_the_new_file_is_complete(tmp_path: Path, way: str) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o640)
    with replacing(path) as stream:
        stream.write("new ✓\n")
        stream.flush()
        assert path.read_text() == "old"
    assert path.read_bytes() == "new ✓\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names_in(tmp_path) == ["file"]


def test_exception_changes_no_file(tmp_path: Path, way: str) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail() -> None:
        with replacing(path, "wb") as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["file"]


@unix
def test_full_disk_changes_no_file_and_the_error_has_the_file_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    script = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from journalspec.files import replace_bytes\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9))\n"
        "try: replace_bytes(Path(sys.argv[1]), bytes(1000))\n"
        "except OSError as error: print(error.errno, error.filename)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "file")], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(errno.EFBIG), str(tmp_path / "file")]
    assert (tmp_path / "file").read_text() == "old"
    assert names_in(tmp_path) == ["file"]


@unix
def test_symbolic_link_stays_and_its_target_is_replaced(tmp_path: Path, way: str) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("old")
    (tmp_path / "link").symlink_to("kept/file")
    replace_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "kept" / "file").read_text() == "new"


@unix
def test_writing_to_a_pipe_works(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    replace_text(tmp_path / "pipe", "said")
    assert os.read(reader, 10) == b"said"
    os.close(reader)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_unwritable_path_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "missing" / "file", tmp_path / "file" / "below", tmp_path):
        with pytest.raises(OSError, match=re.escape(str(path))):
            replace_text(path, "")


def test_new_file_has_the_usual_permissions(tmp_path: Path, way: str) -> None:
    replace_text(tmp_path / "ours", "")
    (tmp_path / "usual").write_text("")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


@unix
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError, match=r"regular|directory"):
            read_bytes(path)


def test_gzip_is_recognised_by_content_and_bounded(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(b"one") + gzip.compress(b"two") + bytes(20))
    assert read_bytes(path) == b"onetwo"
    bomb = zlib.compressobj(9, wbits=31)
    path.write_bytes(b"".join(bomb.compress(bytes(1 << 20)) for _ in range(64)) + bomb.flush())
    with pytest.raises(Unfit, match="holds more than 4096 bytes"):
        read_bytes(path, 4096)
    with reading(path, 4096) as stream:
        assert len(stream.read(100)) == 100
    path.write_bytes(bytes(4096))
    assert len(read_bytes(path, 4096)) == 4096
    with pytest.raises(Unfit):
        read_bytes(path, 4095)


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_damaged_gzip_is_reported(tmp_path: Path, damage: str) -> None:
    data = bytearray(gzip.compress(os.urandom(1000)))
    if damage == "cut":
        del data[-20:]
    else:
        data[-6] ^= 1
    (tmp_path / "file.gz").write_bytes(data)
    with pytest.raises(Unfit, match="gzip"):
        read_bytes(tmp_path / "file.gz")


def test_control_characters_in_names_are_escaped() -> None:
    assert shown("plain ✓.log") == "plain ✓.log"
    assert shown("a\x1b[2Jb\nc") == "a\\x1b[2Jb\\nc"
    assert shown(os.fsdecode(b"bad\xff")) == "bad\\udcff"


@unix
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_standard_output_may_be_a_file_or_a_pipe(tmp_path: Path, name: str) -> None:
    """Standard output is never replaced: a shell may have the file open, and a pipe has no name."""
    code = (
        "import pathlib; from journalspec.files import replace_text; print('before', flush=True);"
        f"replace_text(pathlib.Path({name!r}), 'told\\n'); print('after')"
    )
    command = [sys.executable, "-c", code]
    with (tmp_path / "out").open("w") as stream:
        subprocess.run(command, stdout=stream, check=True)
    piped = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    assert (tmp_path / "out").read_text() == piped.stdout == "before\ntold\nafter\n"


def test_directory_is_created_atomically(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    with making(out) as place:
        (place / "sub").mkdir()
        replace_text(place / "sub" / "file", "x")
        assert not out.exists()
    assert (out / "sub" / "file").read_text() == "x"
    with pytest.raises(FileExistsError, match="choose an empty or new directory"), making(out):
        raise AssertionError
    with pytest.raises(ZeroDivisionError), making(tmp_path / "no") as place:
        (place / "file").write_text(str(1 // 0))
    with pytest.raises(FileExistsError), making(out / "sub" / "file"):
        raise AssertionError
    assert names_in(tmp_path) == ["deep"]
    assert names_in(tmp_path / "deep") == ["out"]
    (tmp_path / "empty").mkdir()
    before = (tmp_path / "empty").stat().st_ino
    with making(tmp_path / "empty") as place:
        replace_text(place / "file", "x")
    assert names_in(tmp_path / "empty") == ["file"]
    assert (tmp_path / "empty").stat().st_ino == before


def test_names_of_partial_files_are_unpredictable(tmp_path: Path) -> None:
    names = {files._partial(tmp_path / "x").name for _ in range(50)}
    assert len(names) == 50
