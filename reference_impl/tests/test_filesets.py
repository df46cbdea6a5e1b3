"""From a path to journals: the files that are read, the files that are omitted and why, and sets of files."""

from __future__ import annotations

import errno
import gzip
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from journalspec.formats import UnknownFormat, format_ids
from journalspec_corpus.load import load_cases
from journalspec_reference import filesets, packed
from journalspec_reference.answers import ask
from journalspec_reference.filesets import (
    FilesetError,
    LeftOut,
    Loaded,
    NoJournal,
    appeared,
    below,
    find_journals,
    load,
)

#: The smallest pair that a writer leaves: two headers and no records.
EMPTY = bytes.fromhex("42746e78") + (7).to_bytes(8, "big") + b"\0" + (21).to_bytes(8, "big")
OTHER = bytes.fromhex("42746e78") + (5).to_bytes(8, "big") + b"\0" + (21).to_bytes(8, "big")


def make_pair(directory: Path, size: int = 100) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "btm1.tlog").write_bytes(EMPTY.ljust(size, b"\0"))
    (directory / "btm2.tlog").write_bytes(OTHER.ljust(size, b"\0"))
    return directory


def test_directory_gives_only_its_regular_files(tmp_path: Path) -> None:
    make_pair(tmp_path)
    make_pair(tmp_path / "deeper")
    (tmp_path / "nothing").write_bytes(b"")
    loaded = load(tmp_path)
    assert list(loaded.files) == ["btm1.tlog", "btm2.tlog", "nothing"]
    assert bytes(loaded.files["nothing"]) == b""
    assert loaded.left_out == ()
    (journal,) = find_journals(loaded)
    assert (journal.format, journal.edition, list(journal.files)) == (
        "bitronix_tlog",
        "2.1",
        ["btm1.tlog", "btm2.tlog"],
    )


PAIR = ["btm1.tlog", "btm2.tlog"]
OTHERS = ["other1.tlog", "other2.tlog"]


@pytest.mark.parametrize(
    ("names", "asked", "journals", "missing"),
    [
        (["btm1.tlog"], "", [["btm1.tlog"]], ["btm2.tlog"]),
        ([*PAIR, *OTHERS], "", [PAIR, OTHERS], []),
        # The path of one file selects the pair to which the file belongs.
        ([*PAIR, *OTHERS], "other1.tlog", [OTHERS], []),
        *((names, "", [names], []) for names in (["one", "two"], ["log.a", "tx.b"], ["a1.tlog", "b2.tlog"])),
        # A copy of a file in the same directory is omitted.
        *(([*PAIR, f"btm1{copy}"], "", [PAIR], []) for copy in ("-copy.tlog", " (1).tlog", ".tlog.bak")),
        *(([*PAIR, f"btm1{copy}"], "", [PAIR], []) for copy in (".tlog~", "_old.tlog")),
    ],
)
def test_pairs_are_found_by_their_names_or_their_content(
    names: list[str], asked: str, journals: list[list[str]], missing: list[str], tmp_path: Path
) -> None:
    for number, name in enumerate(names):
        (tmp_path / name).write_bytes((EMPTY, OTHER)[number % 2].ljust(100, b"\0"))
    found = find_journals(load(tmp_path / asked))
    assert [sorted(journal.files) for journal in found] == journals
    assert [name for journal in found for name in journal.missing] == missing


def test_gzip_files_keep_their_names(tmp_path: Path) -> None:
    (tmp_path / "btm1.tlog.gz").write_bytes(gzip.compress(EMPTY.ljust(1 << 20, b"\0")))
    # A file with two members, as `cat a.gz b.gz` makes it.
    (tmp_path / "btm2.tlog.gz").write_bytes(
        gzip.compress(OTHER) + gzip.compress(bytes((1 << 20) - len(OTHER)))
    )
    (journal,) = find_journals(load(tmp_path))
    assert {name: len(data) for name, data in journal.files.items()} == {
        "btm1.tlog.gz": 1 << 20,
        "btm2.tlog.gz": 1 << 20,
    }
    assert bytes(journal.files["btm2.tlog.gz"][:21]) == OTHER


@pytest.mark.parametrize("asked", ["", "db-1.log.gz"])
def test_compressed_files_are_recognised_by_their_original_names(tmp_path: Path, asked: str) -> None:
    (tmp_path / "db-1.log.gz").write_bytes(gzip.compress(b"-qMa4"))
    (journal,) = find_journals(load(tmp_path / asked))
    assert (journal.format, list(journal.files), journal.packed) == ("kahadb_journal", ["db-1.log"], {})
    (tmp_path / "db-2.log").write_bytes(b"-qMa4")
    (journal,) = find_journals(load(tmp_path / asked))
    assert (list(journal.files), journal.packed) == (["db-1.log", "db-2.log"], {"db-1.log": "db-1.log.gz"})
    answer = ask(journal)
    assert [(note.code, note.file) for note in answer.observation.notes if note.code == "compressed"] == [
        ("compressed", "db-1.log")
    ]


def test_gz_name_without_gzip_content_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "plain.gz").write_bytes(EMPTY)
    assert bytes(load(tmp_path).files["plain.gz"]) == EMPTY


PACKED = gzip.compress(EMPTY)


@pytest.mark.parametrize(
    ("contents", "taken", "why"),
    [
        ([gzip.compress(bytes(50 << 20))], 0, "more than 1048576 bytes"),
        # The bound is for all compressed files together.
        ([gzip.compress(bytes(600_000))] * 4, 1, "more than "),
        *(([PACKED[:cut]], 0, "end early") for cut in (5, 18, 25)),
        ([PACKED[:-6] + bytes([PACKED[-6] ^ 1]) + PACKED[-5:]], 0, "not a valid gzip file"),
    ],
)
def test_broken_archive_member_is_omitted(
    tmp_path: Path, contents: list[bytes], taken: int, why: str
) -> None:
    for number, content in enumerate(contents):
        (tmp_path / f"{number}.gz").write_bytes(content)
    loaded = load(tmp_path, max_bytes=1 << 20)
    assert list(loaded.files) == [f"{number}.gz" for number in range(taken)]
    assert [entry.name for entry in loaded.left_out] == [f"{n}.gz" for n in range(taken, len(contents))]
    assert all(why in entry.why for entry in loaded.left_out)
    if not taken:
        with pytest.raises(FilesetError, match=why):
            load(tmp_path / "0.gz", max_bytes=1 << 20)


@pytest.mark.parametrize(
    ("asked", "omitted"), [("btm1.tlog.gz", ["dump.sql.gz"]), ("dump.sql.gz", []), ("", [])]
)
def test_large_archive_that_is_neither_requested_nor_named_as_a_journal_is_not_unpacked(
    asked: str, omitted: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "MAX_OTHERS", 1 << 16)
    for name in ("btm1.tlog.gz", "btm2.tlog.gz", "dump.sql.gz"):
        (tmp_path / name).write_bytes(gzip.compress(bytes(1 << 17)))
    (tmp_path / "short.gz").write_bytes(gzip.compress(bytes(1 << 16)))
    loaded = load(tmp_path / asked)
    assert [entry.name for entry in loaded.left_out] == omitted
    assert {len(data) for name, data in loaded.files.items() if name != "short.gz"} == {1 << 17}


def test_large_archive_that_begins_like_no_journal_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "MAX_OTHERS", 1 << 16)
    monkeypatch.setattr(packed, "BEGIN", 1 << 10)
    names = "backup.gz", "decisions.gz", "LOG.TLOG.gz", "short.gz"
    for name, begin, size in zip(
        names, (b"", EMPTY, b"", b""), (1 << 20, 1 << 17, 1 << 17, 1 << 16), strict=True
    ):
        (tmp_path / name).write_bytes(gzip.compress(begin.ljust(size, b"\0")))
    assert len(load(tmp_path).files) == len(names)
    loaded = load(tmp_path, sift=True)
    assert [entry.name for entry in loaded.left_out] == ["backup.gz"]
    assert "more than 65536 bytes" in loaded.left_out[0].why
    assert {name: len(data) for name, data in loaded.files.items()} == {
        "decisions.gz": 1 << 17,
        "LOG.TLOG.gz": 1 << 17,
        "short.gz": 1 << 16,
    }


@pytest.mark.parametrize("asked", ["", "db-1.log"])
def test_compressed_file_of_a_journal_that_cannot_be_decompressed_is_not_missing(
    tmp_path: Path, asked: str
) -> None:
    (tmp_path / "db-1.log").write_bytes(b"-qMa4")
    broken = gzip.compress(b"-qMa4")[:-3]
    for name in ("db-2.log.gz", "notes.gz"):
        (tmp_path / name).write_bytes(broken)
    (tmp_path / "db-3.log.gz").mkdir()
    loaded = load(tmp_path / asked)
    (journal,) = find_journals(loaded)
    assert [*journal.files] == ["db-1.log"]
    assert journal.unread == (LeftOut("db-2.log", "the gzip data end early", len(broken)),)
    assert [entry.name for entry in loaded.left_out] == ["db-2.log", "notes.gz"]
    seen = ask(journal).observation
    assert [(part.file, part.reason) for part in seen.dropped] == [("db-2.log", "unreadable-file")]
    assert ask(journal, "strict").observation.verdict == "refused"


def test_links_are_followed_and_pipes_and_broken_links_are_omitted(tmp_path: Path) -> None:
    pair = make_pair(tmp_path / "real")
    here = tmp_path / "links"
    here.mkdir()
    for name in ("btm1.tlog", "btm2.tlog"):
        (here / name).symlink_to(pair / name)
    (here / "gone").symlink_to(tmp_path / "nowhere")
    os.mkfifo(here / "pipe")
    loaded = load(here)
    (journal,) = find_journals(loaded)
    assert list(journal.files) == ["btm1.tlog", "btm2.tlog"]
    assert {item.name: item.why.partition(":")[0] for item in loaded.left_out} == {
        "gone": "broken symbolic link",
        "pipe": "not a regular file",
    }
    with pytest.raises(FilesetError, match="neither a file nor a directory"):
        load(here / "pipe")


def test_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FilesetError, match="No such file") as raised:
        load(tmp_path / "nowhere")
    assert raised.value.hint


def test_directory_without_a_journal_lists_the_journals_below(tmp_path: Path) -> None:
    make_pair(tmp_path / "a" / "b")
    make_pair(tmp_path / "c")
    (tmp_path / "readme.txt").write_text("nothing to see\n")
    with pytest.raises(FilesetError, match="no journal in") as raised:
        find_journals(load(tmp_path))
    assert raised.value.hint.splitlines()[1:] == [f"  {tmp_path / 'a' / 'b'}", f"  {tmp_path / 'c'}"]
    assert below(tmp_path, at_most=1) == [tmp_path / "a" / "b"]


def test_unreadable_journal_below_is_found_by_its_name(tmp_path: Path) -> None:
    make_pair(tmp_path / "a")
    (tmp_path / "b" / "old.tlog").mkdir(parents=True)
    for number in (1, 2):
        (tmp_path / "a" / f"btm{number}.tlog").unlink()
        (tmp_path / "a" / f"btm{number}.tlog").symlink_to("/nowhere/at/all")
    assert below(tmp_path) == below(tmp_path, every=True) == [tmp_path / "a"]


def test_search_for_every_journal_below_reports_skipped_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = make_pair(tmp_path.joinpath(*"abcdefgh"))
    assert below(tmp_path) == []
    assert below(tmp_path, every=True) == [pair]
    real = os.scandir

    def refusing(path: Any) -> Any:
        if str(path).endswith("c"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refusing)
        assert below(tmp_path) == []
        with pytest.raises(FilesetError, match=r"cannot list '.*c': Permission denied"):
            below(tmp_path, every=True)
    monkeypatch.setattr(filesets, "MAX_DIRECTORIES", 3)
    assert below(tmp_path, at_most=3) == []
    with pytest.raises(FilesetError, match="holds more than 3 directories"):
        below(tmp_path, at_most=3, every=True)


def test_unknown_file_can_be_read_as_the_format_that_the_user_gives(tmp_path: Path) -> None:
    path = tmp_path / "ruin.bin"
    path.write_bytes(bytes(60))
    with pytest.raises(FilesetError) as raised:
        find_journals(load(path))
    assert "--format" in raised.value.hint
    (journal,) = find_journals(load(path), "bitronix_tlog")
    assert (journal.edition, list(journal.files)) == ("2.1", ["ruin.bin"])


def test_format_and_edition_are_checked(tmp_path: Path) -> None:
    loaded = load(make_pair(tmp_path))
    assert find_journals(loaded, "bitronix_tlog", "3.0")[0].edition == "3.0"
    assert find_journals(loaded, None, "3.0")[0].edition == "3.0"
    with pytest.raises(UnknownFormat, match="no format 'nonsense'"):
        find_journals(loaded, "nonsense")
    with pytest.raises(FilesetError, match="is bitronix_tlog, which has no edition '9'"):
        find_journals(loaded, None, "9")


def test_more_files_are_read_than_can_be_open_at_once(tmp_path: Path) -> None:
    big = bytes(300 << 10)
    for number in range(200):
        (tmp_path / f"{number:03}.bin").write_bytes(big)
    make_pair(tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    loaded = load(tmp_path)
    (journal,) = find_journals(loaded)
    assert list(journal.files) == ["btm1.tlog", "btm2.tlog"]
    if before:
        assert len(list(Path("/proc/self/fd").iterdir())) - before < 100


def test_file_with_a_compressed_copy_is_read_once(tmp_path: Path) -> None:
    make_pair(tmp_path)
    for name in ("btm1.tlog", "btm2.tlog"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    loaded = load(tmp_path)
    (journal,) = find_journals(loaded)
    assert list(journal.files) == ["btm1.tlog", "btm2.tlog"]
    assert journal.unread == ()
    assert {entry.name: entry.why for entry in loaded.left_out} == {
        "btm1.tlog.gz": "btm1.tlog lies beside it and is taken",
        "btm2.tlog.gz": "btm2.tlog lies beside it and is taken",
    }
    asked = load(tmp_path / "btm1.tlog.gz")
    assert [entry.name for entry in asked.left_out] == ["btm1.tlog", "btm2.tlog.gz"]
    assert "btm1.tlog.gz" in asked.files


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_second_name_of_a_file_is_omitted(tmp_path: Path, link: Any, copied: bool) -> None:
    for number in (1, 2):
        head = (2).to_bytes(4, "big") + bytes(4) + number.to_bytes(8, "big")
        (tmp_path / f"data-{number}.hq").write_bytes(head + bytes(200))
    # A link whose name does not fit the journal removes no file from it.
    if copied:
        link(tmp_path / "data-1.hq", tmp_path / "a-copy")
    link(tmp_path / "data-1.hq", tmp_path / "data-0.hq" if link is os.symlink else tmp_path / "data-3.hq")
    loaded = load(tmp_path)
    (journal,) = find_journals(loaded)
    assert list(journal.files) == ["data-1.hq", "data-2.hq"]
    assert [entry.why for entry in loaded.left_out] == ["the same file as data-1.hq"]
    asked = load(tmp_path / loaded.left_out[0].name)
    (journal,) = find_journals(asked)
    assert sorted(journal.files) == sorted([loaded.left_out[0].name, "data-2.hq"])


def test_files_of_several_directories_are_one_set(tmp_path: Path) -> None:
    make_pair(tmp_path / "a")
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "btm2.tlog").rename(tmp_path / "b" / "two.part")
    (journal,) = find_journals(load(tmp_path / "b" / "two.part", tmp_path / "a" / "btm1.tlog"))
    assert sorted(journal.files) == ["a/btm1.tlog", "b/two.part"]
    assert ask(journal, "strict").observation.verdict == "clean"
    with pytest.raises(FilesetError) as caught:
        load(tmp_path / "a", tmp_path / "b" / "two.part")
    assert "is a directory" in str(caught.value)


def test_directory_that_cannot_be_listed_is_not_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_pair(tmp_path) / "btm1.tlog"

    def forbidden(path: Any) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "scandir", forbidden)
    (journal,) = find_journals(load(path))
    answer = ask(journal).observation
    assert answer.verdict != "clean"
    assert "unlisted" in [note.code for note in answer.notes]


def test_directory_above_is_not_listed_for_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise, among thousands of adjacent stores, each store would list the files of all."""
    make_pair(tmp_path / "store")
    (tmp_path / "service.properties").write_bytes(b"a=b")
    (tmp_path / "service.properties.gz").symlink_to("nowhere")
    listed = list[str]()

    def counted(lists: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def call(path: Any) -> Any:
            listed.append(os.path.realpath(path))
            return lists(path)

        return call

    monkeypatch.setattr(os, "scandir", counted(os.scandir))
    monkeypatch.setattr(os, "listdir", counted(os.listdir))
    loaded = load(tmp_path / "store")
    assert "../service.properties" in loaded.files
    assert [(entry.name, entry.why[:20]) for entry in loaded.left_out] == [
        ("../service.properties.gz", "broken symbolic link")
    ]
    assert listed == [str((tmp_path / "store").resolve())]


def test_unlistable_subdirectory_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_pair(tmp_path / "store")
    (tmp_path / "closed").mkdir()
    scandir = os.scandir

    def forbidden(path: Any) -> Any:
        if os.fspath(path).endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", forbidden)
    with pytest.raises(NoJournal) as caught:
        find_journals(load(tmp_path))
    assert caught.value.stores == (tmp_path / "store",)
    assert [entry.name for entry in caught.value.unlisted] == [str(tmp_path / "closed")]


def test_directory_of_many_pairs_is_listed_again_only_if_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        for end, head in ((1, EMPTY), (2, OTHER)):
            (tmp_path / f"n{number}-{end}.tlog").write_bytes(head.ljust(100, b"\0"))
    (tmp_path / "n29-2.tlog").unlink()
    os.utime(tmp_path, (0, 0))
    now, listed, listdir = time.time_ns(), list[Path](), os.listdir

    def counted(path: Path) -> list[str]:
        listed.extend([path] if path == tmp_path else [])
        return listdir(path)

    monkeypatch.setattr(os, "listdir", counted)
    monkeypatch.setattr(time, "time_ns", lambda: now)
    journals = find_journals(load(tmp_path))
    assert len(journals) == 30
    # A file that has just changed may change again within the same clock tick, so it is listed each time.
    assert [*map(appeared, journals)] == [[]] * 30
    assert len(listed) == 30
    monkeypatch.setattr(time, "time_ns", lambda: now + 10**10)
    assert [*map(appeared, journals)] == [[]] * 30
    assert len(listed) == 31
    (tmp_path / "n29-2.tlog").write_bytes(OTHER)
    assert [name for journal in journals for name in appeared(journal)] == ["n29-2.tlog"]


def test_failed_listing_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "btm1.tlog").write_bytes(EMPTY)
    (journal,) = find_journals(load(tmp_path))
    (tmp_path / "btm2.tlog").write_bytes(OTHER)
    later = time.time_ns() + 10**10
    monkeypatch.setattr(time, "time_ns", lambda: later)

    def failing(_: Path) -> list[str]:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(os, "listdir", failing)
        assert appeared(journal) == []
    assert appeared(journal) == ["btm2.tlog"]


@pytest.mark.parametrize("format_id", format_ids())
@pytest.mark.parametrize("as_is", [True, False])
def test_names_of_files_do_not_change_the_detected_format(
    format_id: str, as_is: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names are only a shortcut: trying every format in turn gives the same formats."""

    def claims(files: Mapping[str, Any]) -> list[Any]:
        loaded = Loaded(Path(), Path(), {**files}, frozenset())
        return filesets._claims(loaded, format_ids())

    cases = [case for case in load_cases(format_id, "smoke") if case.write is None][::12]
    sets = [{name: bytes(data) for name, data in case.files().items()} for case in cases]
    if not as_is:
        # The files receive names that people use for copies, and names of other formats.
        ways = ("{}.gz", "copy of {}", "x/{}", "db-{}.log", "log{}.dat", "{}-1.amq", "a-7.{}", "{}")
        sets = [
            {
                ways[(turn + at) % len(ways)].format(name): data
                for at, (name, data) in enumerate(files.items())
            }
            for turn, files in enumerate(sets)
        ]
    quick = [claims(files) for files in sets]
    monkeypatch.setattr(filesets, "_by_names", lambda formats, names: formats)
    assert quick == [claims(files) for files in sets]
    assert any(quick)
