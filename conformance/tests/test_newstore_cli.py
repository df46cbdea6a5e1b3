"""``recover --to`` and ``export`` as commands: files, output, refusals, redaction."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from journalspec_corpus.bitronix_tlog import author
from journalspec_reference import artemis_xml, newstore
from journalspec_reference.answers import Answer, ask
from journalspec_reference.filesets import Journal
from judged import PROGRAM, call, flat
from situations import changed, store

ROOT = Path(__file__).parents[2]
HORNETQ = ROOT / "reference_impl/tests/data/hornetq_contents.tar.xz"
BITRONIX = ROOT / "corpus/captured/bitronix_tlog/bitronix-2.1.4"
KAHADB = ROOT / "corpus/captured/kahadb_journal/activemq-5.11.4/in-doubt"
SCHEMA = json.loads((ROOT / "reference_impl/journalspec_reference/loss-report.schema.json").read_text())


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A Bitronix log with a transaction that recovery commits, next to a file of another kind."""
    place = store("bitronix_tlog/bitronix-2.1.4/partial-commit", tmp_path)
    changed(place, "remove *.toml; remove *.json; write notes.txt mine")
    return place.rename(tmp_path / "tlogs")


def digests(place: Path) -> dict[Path, str]:
    return {
        path: hashlib.sha256(path.read_bytes()).hexdigest() for path in place.rglob("*") if path.is_file()
    }


def report(target: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(f"{target}.loss-report.json").read_text())
    Draft202012Validator(SCHEMA).validate(found)
    return found


def test_new_store_is_written_and_reported_on_the_screen(pair: Path) -> None:
    before, target = digests(pair), pair.parent / "new"
    done = call("recover", pair, "--to", target, columns=100)
    assert (done.exit_code, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) <= 40
    assert digests(pair) == before
    assert call("inspect", target).exit_code == 0
    found = report(target)
    assert [each["file"] for each in found["beside"]] == ["notes.txt"]
    assert "already exists" in call("recover", pair, "--to", target, status=2).stderr


def test_directory_of_several_stores_keeps_its_paths(tmp_path: Path) -> None:
    target = tmp_path / "new"
    done = call("recover", BITRONIX, "--to", target, "--policy", "salvage", status=1)
    assert len(done.stdout.splitlines()) <= 40
    assert "more (report)" in done.stdout
    assert "--all" not in done.stdout
    assert {path.name for path in target.iterdir()} >= {"partial-commit", "long-name"}
    assert len(report(target)["stores"]) == len(list(target.iterdir())) == 30


def test_archive_can_be_the_path(pair: Path) -> None:
    archive = pair.parent / "old.tar.gz"
    with tarfile.open(archive, "w:gz") as out:
        out.add(pair, "data/tlogs")
    found = json.loads(call("recover", archive, "--to", pair.parent / "new", "--json", status=0).stdout)
    assert found == report(pair.parent / "new")
    assert found["source"] == str(archive)
    assert found["source_files"][0]["file"] == str(archive)
    assert found["source_files"][1]["file"] == f"{archive}/data/tlogs/btm1.tlog"
    assert (pair.parent / "new/data/tlogs/btm1.tlog").is_file()


def test_dry_run_prints_the_report_and_writes_nothing(pair: Path) -> None:
    before = sorted(pair.parent.rglob("*"))
    page = call("recover", pair, "--dry-run", "--salvage-records", status=0)
    assert page.stdout.splitlines()[1] == "# Content of `NEWDIR`, and what was not carried over"
    found = json.loads(call("recover", pair, "--to", pair.parent / "new", "--dry-run", "--json").stdout)
    Draft202012Validator(SCHEMA).validate(found)
    assert found["files"] == []
    assert sorted(pair.parent.rglob("*")) == before


def test_running_product_is_detected(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newstore, "held", lambda *_: iter([("btm1.tlog", "process 7")]))
    done = call("recover", pair, "--to", pair.parent / "new", status=2)
    assert "process 7 has a lock on btm1.tlog" in done.stderr
    assert not (pair.parent / "new").exists()


def test_effect_of_a_choice_is_in_the_report_unless_it_is_hidden(pair: Path) -> None:
    table = call("export", pair, "--as", "jsonl", "--table", "transactions").stdout.splitlines()
    named = json.loads(table[0])
    done = call("recover", pair, "--to", pair.parent / "new", "--drop", named["id"], status=1)
    assert named["id"] in flat(done)
    found = report(pair.parent / "new")
    assert found["choices"] == {"drop": [named["id"]]}
    assert found["not_carried_over"] != "0"
    done = call("recover", pair, "--to", pair.parent / "hid", "--drop", named["id"], "--redact", status=1)
    written = "".join(path.read_text() for path in pair.parent.glob("hid.loss-report.*"))
    for hidden in (named["id"], named["gtrid"]):
        assert hidden not in written
        assert hidden not in done.output


def messages(*arguments: object) -> list[dict[str, object]]:
    done = call("export", KAHADB, "--as", "jsonl", *arguments)
    assert done.exit_code in (0, 1), done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_rows_are_exported_as_they_are_shown() -> None:
    rows = messages()
    shown = call("inspect", KAHADB, "--contents", "messages", "--ndjson").stdout.splitlines()
    inside = [json.loads(line)["row"] for line in shown if line.startswith('{"row"')]
    assert rows == [{name: value for name, value in row.items() if name != "journal"} for row in inside]
    done = call("export", KAHADB, "--as", "csv")
    table = [*csv.reader(io.StringIO(done.stdout))]
    assert table[0] == [*rows[0]]
    assert len(table) == len(rows) + 1
    queue = str(rows[0]["queue"])
    assert messages("--queue", queue) == [row for row in rows if row["queue"] == queue]


def test_export_does_not_replace_a_file(tmp_path: Path) -> None:
    target = tmp_path / "rows.csv"
    assert call("export", KAHADB, "--as", "csv", "--to", target).exit_code in (0, 1)
    assert target.read_text() == call("export", KAHADB, "--as", "csv").stdout
    assert "already exists" in call("export", KAHADB, "--as", "csv", "--to", target, status=2).stderr
    other = tmp_path / "other.csv"
    assert call("export", KAHADB, "--as", "csv", "--queue", "no such", "--to", other).exit_code == 2
    assert sorted(tmp_path.iterdir()) == [target]


def test_export_is_not_read_as_part_of_the_journal(tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(KAHADB, old)
    (tmp_path / "link").symlink_to("old")
    before = digests(old)
    for target in (old / "db-2.log", tmp_path / "link" / "rows.jsonl"):
        assert "which is only read" in call("export", old, "--as", "jsonl", "--to", target, status=2).stderr
    assert digests(old) == before


def test_export_that_fails_leaves_no_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> Iterator[bytes]:
        yield b"<"
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(artemis_xml, "write", full)
    call("export", KAHADB, "--as", "artemis-xml", "--to", tmp_path / "new.xml", status=2)
    assert [*tmp_path.iterdir()] == []


def test_parquet_has_the_types_of_the_columns(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    target = tmp_path / "rows.parquet"
    assert call("export", KAHADB, "--as", "parquet", "--to", target).exit_code in (0, 1)
    table = pq.read_table(target)
    assert table.num_rows == len(messages())
    assert str(table.schema.field("timestamp").type) == "timestamp[ms, tz=UTC]"


def test_messages_are_exported_for_artemis_and_losses_are_counted_before(tmp_path: Path) -> None:
    done = call("export", HORNETQ, "--as", "artemis-xml")
    rows = call("export", HORNETQ, "--as", "jsonl").stdout.splitlines()
    # In the XML, a message in several queues is one message.
    assert done.stdout.count("            <queue name=") == len(rows) > done.stdout.count("<message ")
    assert f"not kept  {done.stdout.count('<message ')} messages, xml-new-id" in done.stderr
    assert "`recover --to` preserves more data" in done.stderr
    target = tmp_path / "messages.xml"
    assert call("export", HORNETQ, "--as", "artemis-xml", "--to", target).exit_code == done.exit_code
    assert target.read_text() == done.stdout
    left_out = report(target)["stores"][0]["totals"]["left_out"]
    assert {"what": "message", "code": "xml-new-id", "count": "57", "bytes": "0"} in left_out
    assert "artemis data imp" in Path(f"{target}.loss-report.md").read_text()


def test_pair_in_two_directories_stays_in_two_directories(pair: Path) -> None:
    apart = pair.parent / "apart"
    for name in ("btm1.tlog", "btm2.tlog"):
        (apart / f"{name}.d").mkdir(parents=True)
        (pair / name).rename(apart / f"{name}.d" / name)
    files = sorted(path for path in apart.rglob("*") if path.is_file())
    for target, paths in (("one", files), ("two", [apart])):
        call("recover", *paths, "--to", pair.parent / target, status=0)
        new = [path for path in (pair.parent / target).rglob("*") if path.is_file()]
        assert sorted(path.parent.name for path in new) == ["btm1.tlog.d", "btm2.tlog.d"]


def test_compressed_files_are_digested_in_their_stored_form(pair: Path) -> None:
    changed(pair, "pack btm?.tlog; remove notes.txt")
    call("recover", pair, "--to", pair.parent / "new", status=0)
    found = {Path(file["file"]).name: file["sha256"] for file in report(pair.parent / "new")["source_files"]}
    assert found == {path.name: digest for path, digest in digests(pair).items()}


def test_new_store_may_not_be_inside_the_old_store(tmp_path: Path) -> None:
    """The argument is the log, but the command also reads the database around it, so it refuses that
    directory too.
    """
    home = tmp_path / "db"
    shutil.copytree(ROOT / "corpus/captured/derby_log/derby-10.14.2.0/changes", home / "log")
    (home / "seg0").mkdir()
    (home / "seg0" / "c10.dat").write_bytes(bytes(4096))
    before = digests(home)
    assert "which is only read" in call("recover", home / "log", "--to", home / "new", status=2).stderr
    assert digests(home) == before

    # If a container is missing, only the log of the database is used.
    (home / "seg0" / "c10.dat").unlink()
    call("recover", home / "log", "--to", tmp_path / "new", status=0)
    made = {"log.ctrl", "log1.dat", "logmirror.ctrl"}
    assert {path.name for path in (tmp_path / "new").iterdir()} == made


def test_holes_in_files_are_skipped_quickly(tmp_path: Path) -> None:
    old, target = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    shutil.copy(KAHADB / "db-1.log", old)
    with (old / "db-1.log").open("r+b") as file:
        file.truncate(1 << 40)
    if (old / "db-1.log").stat().st_blocks > 1 << 20:
        pytest.skip("this file system has no holes")
    assert call("recover", old, "--to", target).exit_code == 0
    (source,) = sources = report(target)["source_files"]
    assert source.keys() == {"file", "length", "why"}
    assert source["length"] == str(1 << 40)
    piece = bytes(8) + (KAHADB / "db-1.log").read_bytes().ljust(1 << 20, b"\0")
    assert source["why"].endswith(f": {hashlib.sha256(piece).hexdigest()}")
    call("export", old, "--as", "artemis-xml", "--to", tmp_path / "new.xml", status=0)
    assert report(tmp_path / "new.xml")["source_files"] == sources


def test_change_of_a_sparse_file_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "db-1.log"
    path.write_bytes(b"data")
    with path.open("r+b") as file:
        file.truncate(5 << 30)
        (before,) = newstore.digests([("it", path)])
        file.seek((3 << 30) + 5)
        # Zeros have the same content as a hole.
        file.write(bytes(10))
        file.flush()
        assert newstore.digests([("it", path)]) == [before]
        file.write(b"x")
        file.flush()
        assert newstore.digests([("it", path)]) != [before]


@pytest.mark.parametrize("step", ["new_store", "write"])
def test_redaction_hides_data_in_the_reason_for_a_refusal(
    step: str, pair: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise newstore.CannotRebuild("it holds 'secret'", "see 'secret'")

    monkeypatch.setattr(newstore, step, refused)
    asked = ("recover", pair, "--to", pair.parent / "new")
    plain = call(*asked, status=3).stderr
    hidden = call(*asked, "--redact", columns=200, status=3).stderr
    assert (plain.count("secret"), "secret" in hidden, "text(17)" in hidden) == (2, False, True)


def test_files_unpacked_by_a_killed_run_are_removed_by_the_next_run(
    pair: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, room = pair.parent / "old.tar", pair.parent / "room"
    room.mkdir()
    with tarfile.open(archive, "w") as out:
        out.add(pair, "tlogs")
    code = (
        "from journalspec_conformance.cli.archives import place_to_unpack\n"
        "with place_to_unpack() as place:\n"
        "    (place / 'file').write_text('unpacked')\n"
        "    print(place, flush=True)\n"
        "    input()\n"
    )
    command, own = [sys.executable, "-c", code], {**os.environ, "TMPDIR": str(room)}
    monkeypatch.setattr("tempfile.tempdir", str(room))
    with subprocess.Popen(
        command, env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        left = Path(running.stdout.readline().strip())
        try:
            call("inspect", archive, status=0)
            # The directory is in use, so it must not be removed.
            assert (left / "file").read_text() == "unpacked"
        finally:
            running.kill()
    assert [*room.iterdir()] == [left]
    (room / "journalspec-unpacked-file").write_text("no directory")
    call("inspect", archive, status=0)
    assert [each.name for each in room.iterdir()] == ["journalspec-unpacked-file"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_export_to_a_full_disk_prints_the_next_step(pair: Path) -> None:
    command = [*PROGRAM, "export", str(pair), "--as", "csv", "--table", "transactions"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "No space left on device\n  next  make room, or write to another disk" in done.stderr


def test_stores_of_one_directory_are_read_again_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").mkdir()
    for at in range(8):
        for name, data in author.build({"size": 400, "records": ["r1"]}, "2.1").files.items():
            (tmp_path / "old" / f"{'abcdefgh'[at]}-{name}").write_bytes(data)
    asked: list[Journal] = []

    def counted(journal: Journal, policy: str) -> Answer:
        asked.append(journal)
        return ask(journal, policy)

    monkeypatch.setattr(newstore, "ask", counted)
    call("recover", "--to", tmp_path / "new", tmp_path / "old", "--format", "bitronix_tlog")
    assert len({*map(str, (tmp_path / "new").iterdir())}) == 16
    assert len(asked) == 8
