"""Screens of `inspect` and `recover` are short for every store, PATH may be of several kinds, and no file is
written.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import io
import json
import os
import pty
import shutil
import struct
import subprocess
import sys
import tarfile
import termios
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from field import FIELD
from journals import CAPTURED, add, page
from journalspec.contents import described
from journalspec.formats import format_ids, get_format
from journalspec.jboss_journal import LAYOUT
from journalspec_conformance.cli import cli
from journalspec_conformance.cli.journal_view import MOST_LINES, Listing, Section
from journalspec_corpus.load import load_cases
from judged import call, has
from situations import store

ROOT = Path(__file__).resolve().parents[2]
SHARED = FIELD.parent
#: One in this many cases is checked.
STEP = 37


def stores(root: Path) -> Iterator[Path]:
    """Yield the directories below a path that contain files."""
    yield from (Path(path) for path, _, files in os.walk(root) if files)


def held_to_the_rules(path: Path, command: str, columns: int) -> str:
    """Return the output of a command about a path, after checks that it fits a screen."""
    # Commands in the output never break a long name, so this test uses a short one.
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        result = call(command, path.name, columns=columns)
    finally:
        os.chdir(before)
    assert result.exit_code in (0, 1, 2, 3), result.output
    assert "fault of journalspec" not in result.stderr, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) <= 40, result.stdout
    assert [line for line in lines if len(line) > columns] == []
    if result.exit_code != 2:
        assert lines[0].startswith("store     ")
        verdict = next(line for line in lines if line.startswith("verdict   "))
        assert lines.index(verdict) <= 1 + any(line.startswith("in use") for line in lines), result.stdout
    return result.stdout


#: Commands and widths, in turn: each store is read only once.
TURNS = (("inspect", 100), ("recover", 80), ("inspect", 80), ("recover", 100))


def all_short(paths: Iterable[Path]) -> int:
    """Check the screens of paths; return the number of screens."""
    return sum(bool(held_to_the_rules(path, *turn)) for path, turn in zip(paths, cycle(TURNS), strict=False))


@pytest.mark.parametrize("format_id", format_ids())
def test_screen_of_every_captured_set_is_short(format_id: str) -> None:
    assert all_short(islice(stores(CAPTURED / format_id), 0, None, 3)) or get_format(format_id).uncaptured


@pytest.mark.parametrize("format_id", format_ids())
def test_screen_of_a_case_is_short(format_id: str, tmp_path: Path) -> None:
    cases = [case for case in load_cases() if case.format == format_id][::STEP]
    for number, case in enumerate(cases):
        case.materialize(tmp_path / str(number))
    assert all_short(sorted(tmp_path.iterdir())) > 5


@pytest.mark.real
@pytest.mark.skipif(not FIELD.is_dir(), reason="needs the products' files beside the checkout")
@pytest.mark.parametrize(("part", "every"), [("field/*", 1), ("real/*/*", 3), ("contents/*/*", 1)])
def test_screen_of_a_real_store_is_short(part: str, every: int) -> None:
    found = [path for path in sorted(SHARED.glob(part)) if path.is_dir()][::every]
    assert all_short([*found, *(archive for path in found for archive in path.glob("*.tar.gz"))]) > 10


# The text on the screen.


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """An undamaged transaction log."""
    return store("clean", tmp_path)


def test_notes_of_one_kind_are_one_line_with_a_count(tmp_path: Path) -> None:
    opened = [
        LAYOUT.build("record", "v2", "ADD_TX", file_id=7, tx=number + 1, id=number + 1, body=b"ab")
        for number in range(30)
    ]
    page(tmp_path / "d-1.amq", "v2", *opened, size=1 << 12)
    text = call("inspect", tmp_path, "--edition", "v2", columns=100).stdout
    assert "30 x incomplete-transaction: a transaction without an end was discarded" in text
    full = call("inspect", tmp_path, "--edition", "v2", "--notes", columns=100).stdout
    assert full.count("- transaction ") == 30


def test_long_list_shows_the_largest_and_counts_the_rest() -> None:
    rows = [(f"q{number}", str(number)) for number in range(10)]
    listing = Listing(rows, 500, ("queue", "messages"), [100] * 10, 13040, "message")
    assert listing.rest(10) == "... 490 more, 12,040 messages (--all)"
    assert listing.rest(4) == "... 496 more, 12,640 messages (--all)"
    assert Listing(rows, 10).rest(10) == ""


@pytest.mark.parametrize("width", [40, 100, 200])
def test_screen_is_shortened_until_it_fits(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from journalspec_conformance.cli.journal_view import screen

    monkeypatch.setenv("COLUMNS", str(width))
    long = "x" * 500
    rows = [(f"{long}{number}", "1", "word " * 200) for number in range(10)]
    listing = Listing(rows, 100_000, ("name", "messages", ""), [1] * 10, 100_000, "message")
    sections = [Section(f"part {number}", [long], listing, apart=True) for number in range(12)]
    lines = [
        "".join(part if isinstance(part, str) else part[0] for part in line) for line in screen(sections)
    ]
    assert len(lines) == MOST_LINES
    assert max(map(len, lines)) <= min(width, 100)
    assert lines[-1].endswith("more lines (--all)")


def test_codes_in_at_start_tables_exist() -> None:
    """Each code must exist, because the sentence of an unknown code would never be shown."""
    for format_id in format_ids():
        description = get_format(format_id)
        words = description.vocabulary
        known = {*words.notes, *words.reasons, *words.codes, *words.missing}
        known |= {"clean", "in-doubt", "beside", *(f"refused-{code}" for code in words.codes)}
        known |= {f"without-{part.strip('*')}" for part in description.parts}
        if (contents := described(format_id)) is not None:
            known |= {f"contents-{code}" for code in contents.remarks}
        assert {code for row in description.at_start for code in (*row.when, *row.unless)} <= known
        assert {*description.phrases} <= {*words.notes, *words.codes, *words.missing, *words.reasons}
        assert {*description.after} <= {*words.notes}
        lists = {state.name for state in words.state}
        assert {row.list for row in description.holds} - {""} <= lists
        assert {row.list for row in description.in_doubt} <= lists


@pytest.mark.parametrize(
    ("format_id", "codes", "said", "unsaid"),
    [
        ("kahadb_journal", ["torn-tail", "records"], "Rolled back", "nothing that was acknowledged is lost"),
        ("bitronix_tlog", ["missing-file", "in-doubt"], "do not start", "recovery commits"),
        ("derby_log", ["unfinished-switch"], "Derby 10.14: boots", "XSLAM"),
    ],
)
def test_effects_of_a_start_are_consistent(format_id: str, codes: list[str], said: str, unsaid: str) -> None:
    text = " ".join(row.says for row in get_format(format_id).at_start if row.applies(codes))
    assert said in text
    assert unsaid not in text


def test_check_prints_one_line_for_each_journal(clean: Path, tmp_path: Path) -> None:
    seen = call("check", clean)
    assert (seen.exit_code, seen.stdout, seen.stderr) == (0, f"{clean}: clean\n", "")
    other = tmp_path / "data"
    other.mkdir()
    page(other / "d-1.amq", "v2", add("v2", 1), bytes(40), add("v2", 2))
    seen = call("check", other, "--edition", "v2", status=1)
    assert seen.stdout == f"{other}: recovered: 1 hole of 40 bytes in d-1.amq\n"
    (told,) = [json.loads(call("check", other, "--edition", "v2", "--json").stdout)]
    assert (told["verdict"], told["says"]) == ("recovered", "1 hole of 40 bytes in d-1.amq")
    page(other / "d-1.amq", "v2", add("v2", 1), user_version=9)
    seen = call("check", other, "--edition", "v2", status=3)
    assert seen.stdout.startswith(
        f"{other}: refused: d-1.amq:0: the user version is not the configured one ("
    )


def digests(root: Path) -> dict[str, tuple[str, int]]:
    """Return digest and modification time of each file below a directory."""
    found = {}
    for path in [root, *root.rglob("*")]:
        data = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (hashlib.sha256(data).hexdigest(), path.stat().st_mtime_ns)
    return found


def test_stores_below_several_paths_have_different_names(tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(CAPTURED / "kahadb_journal/activemq-6.1.7/three", tmp_path / name / "kahadb")
    for command in ("inspect", "check"):
        # Long paths are broken into several lines.
        screen = "".join(call(command, tmp_path / "one", tmp_path / "two").stdout.split())
        assert "one/kahadb" in screen
        assert "two/kahadb" in screen


def test_check_reads_readable_paths_and_reports_others(clean: Path, tmp_path: Path) -> None:
    empty, gone = tmp_path / "empty", tmp_path / "gone"
    empty.mkdir()
    unknown = tmp_path / "unknown.zip"
    unknown.write_bytes(b"no archive")
    other = tmp_path / "other"
    other.mkdir()
    page(other / "d-1.amq", "v2", add("v2", 1), user_version=9)
    seen = call("check", empty, clean, gone, unknown)
    assert (seen.exit_code, seen.stdout) == (2, f"{clean}: clean\n")
    for bad in (empty, gone, unknown):
        assert str(bad) in seen.stderr
    seen = call("check", gone, other, clean, "--json")
    assert [entry["verdict"] for entry in json.loads(seen.stdout)["journals"]] == ["refused", "clean"]
    assert (seen.exit_code, str(gone) in seen.stderr) == (3, True)
    seen = call("check", empty, gone)
    assert (seen.exit_code, seen.stdout) == (2, "")


# Kinds of PATH.


def test_several_stores_are_listed_in_one_block_worst_first(clean: Path, tmp_path: Path) -> None:
    root = tmp_path / "many"
    for number in range(45):
        shutil.copytree(clean, root / f"store-{number:02}")
    bad = root / "store-07" / "btm1.tlog"
    bad.write_bytes(bad.read_bytes()[:40] + b"\xff" + bad.read_bytes()[41:])
    seen = call("recover", root, columns=100)
    lines = seen.stdout.splitlines()
    assert seen.exit_code == 3
    assert lines[0] == "store     45 stores: 45 Bitronix transaction logs"
    assert lines[1].startswith("verdict   REFUSED   ")
    has(lines[1], "44 clean", "1 REFUSED")
    assert next(line for line in lines if "store-" in line).split()[:2] == ["store-07", "REFUSED"]
    assert "... 35 more (--all)" in seen.stdout
    assert len(lines) <= 40


def tar_of(path: Path, *members: tarfile.TarInfo | tuple[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]  # the mode is given
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
            else:
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                archive.addfile(info, io.BytesIO(member[1]))
    return path


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory in which archives are unpacked."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


@pytest.mark.parametrize("kind", ["gztar", "zip", "tar", "xztar", "bztar"])
def test_archive_is_read_and_no_file_is_left(kind: str, clean: Path, tmp_path: Path, temporary: Path) -> None:
    archive = Path(shutil.make_archive(str(tmp_path / "backup"), kind, clean.parent, clean.name))
    plain, packed = (call("recover", path, columns=100) for path in (clean, archive))
    assert (packed.exit_code, packed.stderr) == (0, "")
    assert archive.name in packed.stdout
    assert str(temporary) not in packed.stdout
    assert packed.stdout.splitlines()[:2] == plain.stdout.splitlines()[:2]
    last = packed.stdout.replace("\\\n", "").splitlines()[-1]
    assert " ".join(last.split()) == f"journalspec recover {archive} --all"
    told = json.loads(call("recover", archive, "--json").stdout)
    assert told["path"] == str(archive / clean.name)
    assert told["state"] == json.loads(call("recover", clean, "--json").stdout)["state"]
    assert [*temporary.iterdir()] == []


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def long_header(path: Path) -> Path:
    """A name of 1 GiB, which is kept in memory while its header is read."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    path.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20))
    return path


OUT, LINK, LARGE = "has a path outside the archive", "is a link or a device", "unpacks to more than 2 MiB"
#: A function that creates an archive, and the reason for the refusal of this archive. See
#: test_hostile_questions.py for broken archives.
HARMFUL: dict[str, tuple[Callable[[Path], Path], str]] = {
    "dots": (lambda path: tar_of(path, ("a/../../btm1.tlog", b"x")), OUT),
    "absolute": (lambda path: tar_of(path, ("/etc/btm1.tlog", b"x")), OUT),
    "backslash": (lambda path: tar_of(path, ("..\\btm1.tlog", b"x")), OUT),
    "link": (lambda path: tar_of(path, link("btm1.tlog", "/etc/passwd")), LINK),
    "hard link": (lambda path: tar_of(path, link("btm1.tlog", "/etc/passwd", tarfile.LNKTYPE)), LINK),
    "pipe": (lambda path: tar_of(path, link("btm1.tlog", "", tarfile.FIFOTYPE)), LINK),
    "twice": (
        lambda path: tar_of(path, ("btm1.tlog", b"x"), ("btm1.tlog", b"y")),
        "two entries have the name",
    ),
    "bomb": (lambda path: tar_of(path, ("btm1.tlog", bytes(3 << 20))), LARGE),
    "long header": (long_header, "the archive is broken: a header of 1,073,741,824 bytes"),
    "zip of dots": (lambda path: zip_of(path, "../btm1.tlog", b"x"), OUT),
    "zip bomb": (lambda path: zip_of(path, "btm1.tlog", bytes(3 << 20)), LARGE),
    "zip of a link": (lambda path: zip_of(path, "btm1.tlog", b"/etc/passwd", 0o120777), LINK),
}


def zip_of(path: Path, name: str, data: bytes, mode: int = 0o100644) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr, info.compress_type = mode << 16, zipfile.ZIP_DEFLATED
        archive.writestr(info, data)
    return path


@pytest.mark.parametrize("name", HARMFUL)
def test_harmful_archive_is_refused_and_no_file_is_left(name: str, tmp_path: Path, temporary: Path) -> None:
    make, words = HARMFUL[name]
    archive = make(
        tmp_path / ("evil.zip" if "zip" in name else "evil.tar" if "long" in name else "evil.tar.gz")
    )
    before = digests(tmp_path)
    seen = call("recover", archive, "--unpack-limit", 2, status=2)
    assert seen.stdout == ""
    assert seen.stderr.startswith(f"journalspec: {archive}: ")
    assert words in seen.stderr
    assert [*temporary.iterdir()] == []
    after = digests(tmp_path)
    del before[str(temporary)], after[str(temporary)]
    assert after == before


def from_input(data: bytes, *arguments: str) -> str:
    result = CliRunner(env={"COLUMNS": "100"}).invoke(cli, [*arguments, "-"], input=data)
    return result.stdout + result.stderr


def test_standard_input_is_read_as_file_or_archive_or_refused(
    clean: Path, tmp_path: Path, temporary: Path
) -> None:
    journal = next(CAPTURED.glob("kahadb_journal/activemq-6.1.7/**/db-1.log")).read_bytes()
    for data in (journal, gzip.compress(journal)):
        text = from_input(data, "inspect")
        assert text.startswith("store     ActiveMQ KahaDB journal"), text
        assert "journalspec recover -" in text
    archive = Path(shutil.make_archive(str(tmp_path / "backup"), "gztar", clean))
    assert from_input(archive.read_bytes(), "recover").startswith("store     BTM 2.1")
    assert "standard input is neither an archive nor a journal of one file" in from_input(
        b"Lorem ipsum", "inspect"
    )
    assert "unpacks to more than 1 MiB" in from_input(bytes(2 << 20), "check", "--unpack-limit", "1")
    assert [*temporary.iterdir()] == []


def test_path_without_a_journal_lists_its_content(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("none")
    (tmp_path / "deep").mkdir()
    seen = call("inspect", tmp_path)
    assert (seen.exit_code, seen.stdout) == (2, "")
    lines = seen.stderr.splitlines()
    assert lines[0] == f"journalspec: {tmp_path} has no journal of a known format"
    assert lines[1].startswith("  looked for  Bitronix transaction log, ")
    assert "  found  1 file, 1 directory, 0 links; none has such a name or such a beginning" in lines
    shutil.make_archive(str(tmp_path / "backup"), "gztar", tmp_path / "deep")
    assert f"an archive is there: give its path, {tmp_path / 'backup.tar.gz'}" in flat_error(tmp_path)
    assert f"did you mean {tmp_path / 'notes.txt'}?" in flat_error(tmp_path / "note.txt")
    assert "does not exist" in flat_error(tmp_path / "nothing" / "here")


def flat_error(path: Path) -> str:
    return " ".join(call("inspect", path).stderr.split())


# The progress display.


def test_progress_is_shown_only_at_a_terminal_and_after_a_second(tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(
        "import sys, time\n"
        "from journalspec_conformance.cli.journal_view import reading\n"
        "from journalspec_reference.content import Content\n"
        "with reading(1 << 20) as bar:\n"
        "    for _ in range(int(sys.argv[1])):\n"
        "        Content.asked_for += 1 << 18\n"
        "        time.sleep(0.5)\n"
        "    bar()\n"
        "    print('answer')\n"
    )
    for steps, words in ((6, [b"reading", b"kB/s"]), (1, [])):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        command = [sys.executable, str(script), str(steps)]
        own = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
        said = b""
        with subprocess.Popen(command, stderr=theirs, stdout=subprocess.PIPE, env=own) as running:
            os.close(theirs)
            with suppress(OSError):  # A pseudo-terminal ends with an error when its last program ends.
                while piece := os.read(ours, 4096):
                    said += piece
            assert running.communicate()[0] == b"answer\n"
        assert [word for word in words if word not in said] == [], said
        assert words or said == b"", said
    piped = subprocess.run([sys.executable, str(script), "4"], capture_output=True, check=True)
    assert (piped.stdout, piped.stderr) == (b"answer\n", b"")
