"""Hostile archives, options and queries: each ends with a documented exit status and an error message."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from journalspec_conformance.cli import cli
from judged import call, start

KAHADB = Path(__file__).parents[2] / "corpus/captured/kahadb_journal/activemq-5.11.4/in-doubt"
JOURNAL = (KAHADB / "db-1.log").read_bytes()


def tar(*entries: tuple[str, bytes], **headers: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT, pax_headers=headers) as archive:
        for name, content in entries:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def packed(name: str = "a", content: bytes = b"x") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def asked(form: str, content: bytes, place: Path) -> str:
    """Return the output of `check` on bytes in a file with this ending, or on standard input (`-`)."""
    if form != "-":
        (place / f"a{form}").write_bytes(content)
    path = "-" if form == "-" else str(place / f"a{form}")
    done = CliRunner().invoke(cli, ["check", path], input=content)
    assert "fault of journalspec" not in done.stderr, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("form", [".tar", "-"])
def test_zip_signature_at_the_end_does_not_hide_another_archive(form: str, tmp_path: Path) -> None:
    assert ": clean" in asked(form, tar(("db-1.log", JOURNAL), ("z.zip", packed())), tmp_path)
    assert ": recovered" in asked("-", JOURNAL + packed(), tmp_path)


@pytest.mark.parametrize("form", [".zip", ".tar", ".tgz", "-"])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (packed("é").replace("é".encode(), b"\xff\xfe"), "broken"),
        (gzip.compress(JOURNAL)[:60], "broken"),
        (b"\x1f\x8b\x08" + bytes(7) + b"\xff" * 200, "broken"),
        (tar(("a/" * 900 + "x", b"")), "too long a name"),
        (tar(("x" * 300, b"")), "too long a name"),
        # Some versions of Python try each of these digits as the start of a number, which takes quadratic
        # time.
        (tar(("x", b""), comment="1" * 1_000_000), "a header of"),
    ],
    ids=["no-text", "cut", "no-gzip", "deep", "long", "digits"],
)
def test_broken_archive_is_reported(form: str, content: bytes, says: str, tmp_path: Path) -> None:
    assert any(each in asked(form, content, tmp_path) for each in (says, "broken"))


@pytest.mark.parametrize("option", ["--queue", "--where"])
def test_text_that_is_not_utf8_is_compared(option: str) -> None:
    text = "destination_name = '\udcff'" if option == "--where" else "\udcff"
    rows = "records" if option == "--where" else "messages"
    assert f" 0 {rows} match" in call("inspect", KAHADB, option, text).stdout


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """A store below a name that is not UTF-8."""
    place = tmp_path / os.fsdecode("é".encode() + b"\xff\x1b")
    try:
        shutil.copytree(KAHADB, place)
    except OSError:
        pytest.skip("this file system does not permit such names")
    return place


@pytest.mark.parametrize("table", ["files", "transactions", "records"])
def test_query_accepts_paths_that_are_not_utf8(table: str, strange: Path) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is missing: pip install 'journalspec[query]'")
    done = call("query", strange, f"FROM {table} SELECT DISTINCT journal", status=0)
    assert done.stdout.endswith("é\\udcff\\x1b\n")


def test_csv_is_escaped_if_standard_output_is_ascii(strange: Path) -> None:
    done = start("inspect", strange, "--csv", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, r"\xe9\udcff\x1b" in done.stdout) == (0, True), done.stderr


def test_query_that_cannot_be_interrupted_is_ended(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is missing: pip install 'journalspec[query]'")
    (tmp_path / "a.tar").write_bytes(tar(("db-1.log", JOURNAL)))
    sql = "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))"
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    done = start("query", tmp_path / "a.tar", sql, "--timeout", "0.5", env=env, timeout=60)
    assert (done.returncode, "took longer than 0.5 s" in done.stderr) == (2, True), done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["a.tar"], "the unpacked files are removed"


@pytest.mark.skipif(os.name != "posix", reason="needs a limit for the size of files")
@pytest.mark.parametrize("asked", [["inspect", KAHADB], ["query", KAHADB, "select 1"]])
def test_full_disk_leaves_no_part_of_a_parquet_file(asked: list[object], tmp_path: Path) -> None:
    import resource  # Windows does not have it.

    (tmp_path / "dangling").symlink_to("nowhere")
    call(*asked, "--parquet", tmp_path / "dangling", status=2)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        done = call(*asked, "--parquet", tmp_path / "rows.parquet", status=2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "rows.parquet: File too large" in done.stderr
    assert [*map(str, tmp_path.iterdir())] == [str(tmp_path / "dangling")]
    call(*asked, "--parquet", tmp_path / "rows.parquet")
    assert (tmp_path / "rows.parquet").read_bytes()[-4:] == b"PAR1"
