"""Journals as DataFrames: the records are those that the reference reads; one partition per journal."""

from __future__ import annotations

import errno
import json
import os
import re
import runpy
import shutil
import struct
import sys
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from journalspec.formats import format_ids
from journalspec_corpus import load_cases
from journalspec_corpus.load import find_case
from journalspec_reference import content, load
from journalspec_reference.answers import ask
from journalspec_reference.contents import contents, with_state
from journalspec_reference.filesets import FilesetError, find_journals
from journalspec_reference.filesets import load as load_files
from tables import literals

ROWS = literals(__file__)

CHECKOUT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def spark() -> Any:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is missing on PATH")
    from journalspec_corpus.pipeline.spark import session

    made = session("local[2]")
    from journalspec_reference.spark import register

    register(made)
    return made


@pytest.fixture(scope="module")
def journals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return directories with the inputs of a few published cases; each directory is one journal."""
    root = tmp_path_factory.mktemp("journals")
    for format_id in format_ids():
        for case in load_cases(format_id)[:400:50]:
            directory = root / case.id
            if case.input.files:
                case.materialize(directory)
                try:
                    for journal in find_journals(load_files(directory)):
                        ask(journal)
                except FilesetError:  # Another test covers this format.
                    shutil.rmtree(directory)
    return root


def test_programs_on_the_spark_page_and_in_the_readme_run(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The programs run in the existing session, because starting one takes longer than all their work."""
    for case in load_cases("bitronix_tlog"):
        if case.id.startswith("btm.torn-beyond-tail."):
            case.materialize(tmp_path / case.id)
    page = CHECKOUT / "docs" / "examples" / "lost_records.py"
    monkeypatch.setattr(sys, "argv", [str(page), str(tmp_path)])
    runpy.run_path(str(page), run_name="__main__")
    told = capsys.readouterr().out
    assert "reason" in told
    assert "gtrid" in told
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert block.count("/data/tlogs/*") == 1
    program = tmp_path / "readme.py"
    program.write_text(block.replace("/data/tlogs/*", f"{tmp_path}/btm.*"), encoding="utf-8")
    runpy.run_path(str(program), {"spark": spark}, "__main__")
    assert "bitronix_tlog" in capsys.readouterr().out


def expected(directory: Path, *, every: bool = False) -> list[tuple[Any, ...]]:
    """Return file, offset, length, kind, type or reason of rows; `every` adds rows outside the state."""
    rows: list[tuple[Any, ...]] = []
    for journal in find_journals(load_files(directory)):
        edition = ask(journal).journal.edition
        seen = load(journal.format).read(journal.seen, edition=edition, params=journal.params)
        rows += [(r.at.file, r.at.off, r.at.length, "record", r.type) for r in seen.records]
        if every:
            rows += [(r.at.file, r.at.off, r.at.length, "unanchored", r.type) for r in seen.unanchored]
        rows += [(d.file, d.off, d.length, "dropped", d.reason) for d in seen.dropped]
        if seen.verdict == "refused" and not seen.dropped:
            rows += [(name, 0, len(data), "dropped", seen.code) for name, data in journal.files.items()]
    return sorted(rows)


def shown(rows: list[Any]) -> list[tuple[Any, ...]]:
    found = [row for row in rows if row["kind"] != "note"]
    return sorted((r["file"], r["off"], r["len"], r["kind"], r["type"] or r["reason"]) for r in found)


def read(**options: str) -> list[dict[str, Any]]:
    """Return the rows of a query, without Spark."""
    from journalspec_reference.spark import JournalReader

    reader = JournalReader(options)
    return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


@pytest.mark.parametrize("every", [False, True])
def test_rows_are_the_records_of_the_reference(spark: Any, journals: Path, every: bool) -> None:
    frame = (
        spark.read.format("journalspec").option("rows", "all" if every else "records").load(f"{journals}/*")
    )
    by_journal: dict[str, list[Any]] = {}
    for row in frame.collect():
        by_journal.setdefault(row["journal"], []).append(row)
    directories = sorted(journals.iterdir())
    assert len(directories) > 3
    for directory in directories:
        assert shown(by_journal.get(str(directory), [])) == expected(directory, every=every)


def test_small_journals_share_a_task_and_a_long_file_has_its_own(
    journals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from journalspec_reference import spark as source

    reader = source.JournalReader({"path": f"{journals}/*"})
    assert len(reader.partitions()) == 1
    monkeypatch.setattr(source, "TOGETHER", 1)
    apart = reader.partitions()
    assert len(apart) > len(list(journals.iterdir()))
    rows = [row for part in apart for batch in reader.read(part) for row in batch.to_pylist()]
    assert rows == read(path=f"{journals}/*")


def emptied(path: Path, off: int) -> bytes:
    """Replace the records from `off` on by unused space. Return the previous bytes."""
    data = path.read_bytes()
    path.write_bytes(data[:off].ljust(len(data), b"\0"))
    return data


def test_tasks_of_a_log_with_several_files_scan_only_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records of a Derby log depend on all earlier files, which are scanned once for all tasks."""
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    from journalspec_reference import spark as source
    from journalspec_reference.derby_log import fileset
    from journalspec_reference.derby_log.scan import scan

    find_case("drb.edges.undo-in-file-before").materialize(tmp_path)
    rows, scanned = read(path=str(tmp_path)), set[int]()

    def noted(data: Any, number: int, *args: Any, **given: Any) -> Any:
        scanned.add(number)
        return scan(data, number, *args, **given)

    monkeypatch.setattr(source, "TOGETHER", 1)
    reader = source.JournalReader({"path": str(tmp_path)})
    parts = reader.partitions()
    monkeypatch.setattr(fileset, "scan", noted)
    found, by_task = [], []
    for part in parts:
        found += [row for batch in reader.read(part) for row in batch.to_pylist()]
        by_task.append({*scanned})
        scanned.clear()
    assert found == rows
    assert by_task == [{1}, {1}, {2}]
    # Tasks are enough if there are several logs.
    for name in ("one", "two"):
        find_case("drb.edges.undo-in-file-before").materialize(tmp_path / "several" / name)
    scanned.clear()
    assert len(source.JournalReader({"path": str(tmp_path / "several")}).partitions()) == 2
    assert not scanned


def test_a_log_can_grow_while_it_is_read_but_earlier_files_cannot_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    from journalspec_reference import spark as source

    find_case("drb.edges.undo-in-file-before").materialize(tmp_path)
    monkeypatch.setattr(source, "TOGETHER", 1)
    rows = read(path=str(tmp_path))
    last = {row["file"]: row["off"] for row in rows if row["type"] == "CHECKSUM"}
    assert {*last} == {"log1.dat", "log2.dat"}
    reader = source.JournalReader({"path": str(tmp_path)})

    def read_again(parts: Any) -> list[dict[str, Any]]:
        return [row for part in parts for batch in reader.read(part) for row in batch.to_pylist()]

    whole = emptied(tmp_path / "log2.dat", last["log2.dat"])
    parts = reader.partitions()
    fewer = read_again(parts)
    assert 0 < len(fewer) < len(rows)
    (tmp_path / "log2.dat").write_bytes(whole)
    assert read_again(parts) == rows
    emptied(tmp_path / "log1.dat", last["log1.dat"])
    with pytest.raises(source.JournalError, match="the files have changed since the query began"):
        read_again(parts)


def test_checkpoint_between_the_tasks_of_a_log_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log begins elsewhere then, and some rows would be in no task, or in two."""
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    from journalspec_reference import spark as source

    find_case("drb.edges.undo-in-file-before").materialize(tmp_path)
    monkeypatch.setattr(source, "TOGETHER", 1)
    off = max(row["off"] for row in read(path=str(tmp_path)) if row["file"] == "log2.dat")
    reader = source.JournalReader({"path": str(tmp_path)})
    *done, last = reader.partitions()
    assert [batch for part in done for batch in reader.read(part)]
    control = bytearray((tmp_path / "log.ctrl").read_bytes())
    struct.pack_into(">II", control, 8, 2, off)
    struct.pack_into(">Q", control, 40, crc32(control[:40]))
    for name in ("log.ctrl", "logmirror.ctrl"):
        (tmp_path / name).write_bytes(control)
    # The task ends before its first row.
    with pytest.raises(source.JournalError, match="the files have changed since the query began"):
        next(iter(reader.read(last)))
    again = source.JournalReader({"path": str(tmp_path)})
    assert [batch for part in again.partitions() for batch in again.read(part)]


def test_directory_of_journals_is_searched_and_fields_are_text(spark: Any, journals: Path) -> None:
    read = spark.read.format("journalspec").option("fields", "true")
    rows = read.load(str(journals)).where("kind = 'record'").collect()
    assert len(rows) > 3
    for row in rows:
        assert row["reason"] is None
        assert all(value is None or isinstance(value, str) for value in row["fields"].values())
        for value in row["fields"].values():
            if value is not None and value.startswith("["):
                json.loads(value)


@pytest.mark.parametrize("pushed", ["true", "false"])
def test_filters_give_the_same_rows_wherever_they_are_evaluated(
    spark: Any, journals: Path, pushed: str
) -> None:
    read = spark.read.format("journalspec").option("format", "jboss_journal").option("pushdown", pushed)
    frame = read.load(f"{journals}/jbm*")
    spark.conf.set("spark.sql.python.filterPushdown.enabled", pushed)
    try:
        rows = frame.collect()
        found = frame.where(
            "kind = 'record' and id >= 2 and type in ('ADD', 'ADD_TX') and off < 500"
        ).collect()
    finally:
        spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    wanted = [
        row
        for row in rows
        if row["kind"] == "record"
        and (row["id"] or 0) >= 2
        and row["type"] in ("ADD", "ADD_TX")
        and row["off"] < 500
    ]
    assert sorted(found) == sorted(wanted)
    assert 0 < len(found) < len(rows)


def test_selected_columns_are_the_only_ones_that_are_read(spark: Any, journals: Path) -> None:
    frame = (
        spark.read.format("journalspec").schema("file string, off bigint, kind string").load(str(journals))
    )
    rows = [(row["file"], row["off"]) for row in frame.collect() if row["kind"] == "record"]
    every = [row for directory in journals.iterdir() for row in expected(directory)]
    assert sorted(rows) == sorted((row[0], row[1]) for row in every if row[3] == "record")


def test_format_journals_has_one_row_for_each_journal(spark: Any, journals: Path) -> None:
    rows = spark.read.format("journalspec").option("view", "journals").load(f"{journals}/*").collect()
    found = {row["journal"]: row for row in rows}
    for directory in journals.iterdir():
        (journal, *_) = find_journals(load_files(directory))
        seen = ask(journal).observation
        row = found[str(directory)]
        told = (row["format"], row["verdict"], row["records"], row["dropped"], row["missing"])
        assert told == (journal.format, seen.verdict, len(seen.records), len(seen.dropped), len(seen.missing))
        assert row["dropped_bytes"] == sum(region.length for region in seen.dropped)
        assert set((row["notes"] or "").split(", ")) - {""} == {note.code for note in seen.notes}


#: A case for each kind of table: a list of participants, messages with bodies, and tables of users.
STORED = dict(ROWS["STORED"])


def stored_rows(directory: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows of a contents table; nested values must be JSON, and are not compared."""
    (journal,) = find_journals(load_files(directory))
    found = contents(with_state(ask(journal)))
    assert found is not None
    return [dict(row) for row in found.rows(table)]


@pytest.mark.parametrize(("case", "table"), STORED.items())
def test_contents_are_rows_with_the_columns_of_their_table(
    spark: Any, tmp_path: Path, case: str, table: str
) -> None:
    find_case(case).materialize(tmp_path / "store")
    wanted = stored_rows(tmp_path / "store", table)
    assert wanted
    frame = spark.read.format("journalspec").option("contents", table).load(str(tmp_path))
    assert frame.columns == ["journal", "format", "edition", *wanted[0]]
    for row, own in zip(frame.collect(), wanted, strict=True):
        assert (row["journal"], row["format"]) == (str(tmp_path / "store"), find_case(case).format)
        for name, value in own.items():
            if isinstance(value, dict | list | tuple):
                assert len(json.loads(row[name])) == len(value)
            else:
                assert row[name] == value, name


def test_contents_are_filtered_and_pruned_and_large_tables_come_in_parts(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_case("drb.captured.derby-10-1-3-1.long-transaction").materialize(tmp_path / "store")
    rows = stored_rows(tmp_path / "store", "?.c300")
    name = next(name for name, value in rows[0].items() if isinstance(value, int))
    wanted = [row[name] for row in rows if row[name] >= rows[20][name]]
    frame = spark.read.format("journalspec").option("contents", "?.c300").load(str(tmp_path / "store"))
    found = frame.where(f"`{name}` >= {rows[20][name]}").select(f"`{name}`").collect()
    assert [row[0] for row in found] == wanted
    assert 0 < len(wanted) < len(rows)
    from journalspec_reference import spark as source

    monkeypatch.setattr(source, "CONTENTS_ROWS", 7)
    assert [row[name] for row in read(path=str(tmp_path), contents="?.c300")] == [row[name] for row in rows]


def test_contents_of_a_damaged_journal_are_partial_unless_the_query_must_fail(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    find_case("khd.captured.activemq-5-11-4.one-batch").materialize(tmp_path / "store")
    asked = {"path": str(tmp_path), "contents": "messages"}
    sound = read(**asked, mode="FAILFAST")
    path = tmp_path / "store" / "db-1.log"
    data = bytearray(path.read_bytes())
    at = data.rindex(sound[-1]["id"].encode())
    data[at : at + 4] = bytes(4)
    path.write_bytes(data)
    kept = [row["id"] for row in read(**asked)]
    assert kept == [row["id"] for row in sound[: len(kept)]]
    assert len(kept) < len(sound)
    with pytest.raises(Exception, match=r"db-1\.log: bad-"):
        read(**asked, mode="FAILFAST")


def test_contents_of_several_formats_are_refused(spark: Any, tmp_path: Path) -> None:
    for case in STORED:
        find_case(case).materialize(tmp_path / case)
    asked = spark.read.format("journalspec").option("contents", "transactions")
    with pytest.raises(Exception, match="contents are of journals of one format"):
        asked.load(str(tmp_path)).collect()
    rows = asked.option("format", "bitronix_tlog").load(str(tmp_path)).collect()
    assert len(rows) == len(stored_rows(tmp_path / next(iter(STORED)), "transactions"))


def short_files(directory: Path, *bodies: bytes) -> Path:
    """Return files with headers of 4 bytes and the ids 1, 2, ...; `bodies` are records without file id and
    check size.
    """
    directory.mkdir()
    for number, body in enumerate(bodies, start=1):
        record = body[:1] + struct.pack(">i", number) + body[1:]
        content = struct.pack(">i", number) + record + struct.pack(">i", len(record) + 4)
        (directory / f"data-{number}.jbm").write_bytes(content.ljust(200, b"J"))
    return directory


ADD = b"\x0b" + struct.pack(">qiB", 1, 0, 0)
#: No edition accepts the size at the end of this record.
TORN = b"\x10" + bytes(30)


def test_assumed_edition_is_a_row(spark: Any, tmp_path: Path) -> None:
    read = spark.read.format("journalspec").option("rows", "all")
    directory = short_files(tmp_path / "a", ADD, b"\x10" + struct.pack(">q", 1))
    notes = {row["reason"]: row for row in read.load(str(directory)).where("kind = 'note'").collect()}
    assert "read otherwise, seed: recovered" in notes["edition-assumed"]["fields"]["text"]
    assert notes["edition-assumed"]["edition"] == "s2"
    told = read.option("edition", "s1").option("param.extension", "jbm").load(str(directory))
    assert {row["edition"] for row in told.collect()} == {"s1"}
    assert "edition-assumed" not in [row["reason"] for row in told.collect()]


def test_unknown_edition_is_damage(spark: Any, tmp_path: Path) -> None:
    directory = short_files(tmp_path / "a", ADD, TORN)
    read = spark.read.format("journalspec")
    rows = read.load(str(directory)).collect()
    assert {(row["kind"], row["reason"]) for row in rows} == {("dropped", "unknown-edition")}
    (row,) = read.option("view", "journals").load(str(directory)).collect()
    assert (row["verdict"], row["code"]) == ("refused", "unknown-edition")
    with pytest.raises(Exception, match="which edition of jboss_journal wrote data-1"):
        spark.read.format("journalspec").option("mode", "FAILFAST").load(str(directory)).collect()


@pytest.mark.parametrize("rows", ["records", "all"])
def test_unreadable_parts_are_dropped_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: str
) -> None:
    """One row is for an unread bad sector after the records, and one row is for a missing file."""
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    directory = short_files(tmp_path / "a", ADD)
    path = directory / "data-1.jbm"
    path.write_bytes(path.read_bytes() + bytes(1 << 17))
    bad, sound = (1 << 16) - 4096, content._read

    def read_sectors(handle: int, size: int, off: int) -> bytes:
        if off < bad + 4096 and off + size > bad:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return sound(handle, size, off)

    monkeypatch.setattr(content, "_read", read_sectors)
    asked = {"path": str(directory), "edition": "s1", "param.extension": "jbm", "rows": rows}

    def told(kind: str, *names: str) -> list[tuple[Any, ...]]:
        return sorted(tuple(row[name] for name in names) for row in read(**asked) if row["kind"] == kind)

    assert told("dropped", "role", "off", "len") == [("data", bad, 4096)]
    # Type, file id, id, size, user type and check size.
    assert told("record", "role", "off", "len") == [("data", 4, 1 + 4 + 8 + 4 + 1 + 4)]
    with pytest.raises(Exception, match=rf"data-1\.jbm: unreadable at {bad}"):
        read(**asked, mode="FAILFAST")
    (directory / "data-2.jbm").symlink_to("/nowhere/at/all")
    assert ("data-2.jbm", "unreadable-file") in told("dropped", "file", "reason")
    assert told("record", "file") == [("data-1.jbm",)]


@pytest.mark.parametrize(("path", "option", "said"), ROWS["what_is_asked_wrongly_is_named"])
def test_invalid_options_are_reported(
    spark: Any, tmp_path: Path, path: str, option: dict[str, str], said: str
) -> None:
    directory = short_files(tmp_path / "a", ADD)
    with pytest.raises(Exception, match=said):
        spark.read.format("journalspec").options(**option).load(path or str(directory)).collect()


def test_terminal_controls_and_invalid_text_in_names_are_escaped(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    strange = os.fsdecode(b"a\x1b\n\xff")
    escaped = r"a\x1b\n\udcff"
    find_case("btm.clean.two-phase").materialize(tmp_path / strange)
    first = min((tmp_path / strange).iterdir())
    (first.parent / strange).write_bytes(first.read_bytes())
    rows = read(path=f"{tmp_path}/*")
    assert {row["journal"] for row in rows} == {str(tmp_path / escaped)}
    assert escaped in {row["file"] for row in rows}


def test_stream_has_each_record_once_while_a_journal_grows(spark: Any, tmp_path: Path) -> None:
    """Records may be incomplete at first, in a new file, or in a file that is written again."""

    def write(name: int, number: int, ids: range, cut: int = 0) -> None:
        adds = [struct.pack(">BIbqiB5si", 11, number, 0, each, 5, 45, b"hello", 28) for each in ids]
        data = struct.pack(">iiq", 2, 0, number) + b"".join(adds)
        path = tmp_path / f"activemq-data-{name}.amq"
        path.write_bytes(data[: len(data) - cut].ljust(4096, b"\0"))

    def seen() -> list[int]:
        query.processAllAvailable()
        return sorted(row["id"] for row in spark.table("grown").collect())

    source = spark.readStream.format("journalspec").option("format", "jboss_journal")
    write(1, 1, range(1, 4), cut=9)
    query = source.load(str(tmp_path)).select("id").writeStream.format("memory").queryName("grown").start()
    try:
        assert seen() == [1, 2]
        write(1, 1, range(1, 4))
        write(2, 2, range(4, 6))
        assert seen() == [1, 2, 3, 4, 5]
        write(1, 3, range(6, 10))
        assert seen() == [*range(1, 10)]
    finally:
        query.stop()
    with pytest.raises(Exception, match="a stream has records"):
        source.option("view", "journals").load(str(tmp_path)).writeStream.format(
            "noop"
        ).start().awaitTermination()
