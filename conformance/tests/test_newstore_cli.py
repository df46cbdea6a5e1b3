"""``recover --to`` and ``export`` as they are typed: what is written, printed, refused, hidden."""

from __future__ import annotations

import csv
import errno
import gzip
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

import pytest
from jsonschema import Draft202012Validator

from journalspec_corpus.case import write_files
from journalspec_corpus.load import find_case
from journalspec_reference import artemis_xml, newstore
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load
from judged import call, flat, has, start

ROOT = Path(__file__).parents[2]
HORNETQ = ROOT / "reference_impl/tests/data/hornetq_contents.tar.xz"
BITRONIX = ROOT / "corpus/captured/bitronix_tlog/bitronix-2.1.4"
KAHADB = ROOT / "corpus/captured/kahadb_journal/activemq-5.11.4/in-doubt"
SCHEMA = json.loads((ROOT / "reference_impl/journalspec_reference/loss-report.schema.json").read_text())


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A Bitronix log with a transaction that recovery commits, next to a file of another kind."""
    place = tmp_path / "tlogs"
    place.mkdir()
    for file in (BITRONIX / "partial-commit").glob("*.tlog"):
        shutil.copy(file, place)
    (place / "notes.txt").write_text("mine")
    return place


def digests(place: Path) -> dict[Path, str]:
    return {
        path: hashlib.sha256(path.read_bytes()).hexdigest() for path in place.rglob("*") if path.is_file()
    }


def report(target: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(Path(f"{target}.loss-report.json").read_text())
    Draft202012Validator(SCHEMA).validate(found)
    return found


def test_a_new_store_is_written_and_the_screen_reports_it(pair: Path) -> None:
    before, target = digests(pair), pair.parent / "new"
    done = call("recover", pair, "--to", target, columns=100)
    assert (done.exit_code, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) <= 40
    assert digests(pair) == before
    assert call("inspect", target).exit_code == 0
    found = report(target)
    assert [each["file"] for each in found["beside"]] == ["notes.txt"]  # type: ignore[attr-defined]
    assert "is there already" in call("recover", pair, "--to", target, status=2).stderr


def test_a_directory_of_several_stores_keeps_its_paths(tmp_path: Path) -> None:
    target = tmp_path / "new"
    done = call("recover", BITRONIX, "--to", target, "--policy", "salvage", status=1)
    assert len(done.stdout.splitlines()) <= 40
    assert "more (report)" in done.stdout
    assert "--all" not in done.stdout
    assert {path.name for path in target.iterdir()} >= {"partial-commit", "long-name"}
    stores = report(target)["stores"]
    assert isinstance(stores, list)
    assert len(stores) == len(list(target.iterdir())) == 30


def test_an_archive_is_a_path_too(pair: Path) -> None:
    archive = pair.parent / "old.tar.gz"
    with tarfile.open(archive, "w:gz") as out:
        out.add(pair, "data/tlogs")
    found = json.loads(call("recover", archive, "--to", pair.parent / "new", "--json", status=0).stdout)
    assert found == report(pair.parent / "new")
    assert found["source"] == str(archive)
    assert found["source_files"][0]["file"] == str(archive)
    assert found["source_files"][1]["file"] == f"{archive}/data/tlogs/btm1.tlog"
    assert (pair.parent / "new/data/tlogs/btm1.tlog").is_file()


def test_a_dry_run_prints_the_report_and_writes_nothing(pair: Path) -> None:
    before = sorted(pair.parent.rglob("*"))
    page = call("recover", pair, "--dry-run", "--salvage-records", status=0)
    assert page.stdout.splitlines()[1] == "# What is in `NEWDIR`, and what is not"
    found = json.loads(call("recover", pair, "--to", pair.parent / "new", "--dry-run", "--json").stdout)
    Draft202012Validator(SCHEMA).validate(found)
    assert found["files"] == []
    assert sorted(pair.parent.rglob("*")) == before


def test_a_store_of_which_nothing_can_be_kept_is_status_3(pair: Path) -> None:
    for file in pair.glob("*.tlog"):
        file.write_bytes(b"\xff" * 300)
    assert call("recover", pair, "--to", pair.parent / "new", status=3).stderr.startswith("journalspec: ")
    assert not (pair.parent / "new").exists()


def test_a_running_product_is_noticed(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newstore, "held", lambda *_: iter([("btm1.tlog", "process 7")]))
    done = call("recover", pair, "--to", pair.parent / "new", status=2)
    assert "process 7 has a lock on btm1.tlog" in done.stderr
    assert not (pair.parent / "new").exists()


def test_a_trace_of_a_lost_file_is_on_the_screen_and_in_the_report(tmp_path: Path) -> None:
    place = tmp_path / "kahadb"
    place.mkdir()
    for file in (KAHADB.parent / "rollover").glob("db-*.log"):
        shutil.copy(file, place)
    (place / "db-2.log").rename(place / "db-3.log")
    assert "notes file-id-gap: " in flat(call("recover", place, "--to", tmp_path / "new", columns=100))
    stores = report(tmp_path / "new")["stores"]
    assert isinstance(stores, list)
    assert "file-id-gap" in {each["code"] for each in stores[0]["notes"]}
    assert "### Noted in the old store" in (tmp_path / "new.loss-report.md").read_text()


def test_content_of_damaged_bytes_is_reported_as_not_counted(pair: Path) -> None:
    assert "is not counted" not in flat(call("recover", pair, "--to", pair.parent / "sound"))
    for path in pair.glob("*.tlog"):
        data = bytearray(path.read_bytes())
        data[60] ^= 1
        path.write_bytes(data)
    done = call("recover", pair, "--to", pair.parent / "new", columns=100, status=1)
    said = "What damaged bytes and missing files held is not counted: more may be lost."
    has(flat(done), f"lost {said}", "old store recovered: something is damaged or missing")
    assert said in (pair.parent / "new.loss-report.md").read_text().splitlines()


def test_effect_of_a_choice_is_in_the_report(pair: Path) -> None:
    named = json.loads(
        call("export", pair, "--as", "jsonl", "--table", "transactions").stdout.splitlines()[0]
    )
    done = call("recover", pair, "--to", pair.parent / "new", "--drop", named["id"], status=1)
    assert named["id"] in flat(done)
    found = report(pair.parent / "new")
    assert found["choices"] == {"drop": [named["id"]]}
    assert found["not_carried_over"] != "0"


def test_redaction_hides_ids_in_report_and_screen(pair: Path) -> None:
    named = json.loads(
        call("export", pair, "--as", "jsonl", "--table", "transactions").stdout.splitlines()[0]
    )
    done = call("recover", pair, "--to", pair.parent / "new", "--drop", named["id"], "--redact", status=1)
    written = "".join(path.read_text() for path in pair.parent.glob("new.loss-report.*"))
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


def test_an_export_is_of_the_policy_that_was_given(tmp_path: Path) -> None:
    rows = call("export", KAHADB, "--as", "csv")
    assert call("export", KAHADB, "--as", "csv", "--policy", "default").stdout == rows.stdout
    place = tmp_path / "tlogs"
    place.mkdir()
    for file in (BITRONIX / "partial-commit").glob("*.tlog"):
        data = bytearray(file.read_bytes())
        data[60] ^= 1
        (place / file.name).write_bytes(data)
    asked = ("export", place, "--as", "csv", "--table", "transactions")
    assert call(*asked, "--policy", "salvage").exit_code == 1
    strict = call(*asked, "--policy", "strict", "--to", tmp_path / "rows.csv", columns=200, status=3)
    assert "--policy strict refuses it: " in strict.stderr
    assert not (tmp_path / "rows.csv").exists()
    assert "choose one of strict, salvage" in call(*asked, "--policy", "no-such", status=2).stderr


def test_rows_of_a_damaged_page_are_reported_where_others_are_exported(tmp_path: Path) -> None:
    with tarfile.open(ROOT / "reference_impl/tests/data/derby_database.tar.xz") as archive:
        archive.extractall(tmp_path / "db", filter="data")
    asked = ("export", tmp_path / "db", "--as", "csv", "--table", "APP.T")
    sound = call(*asked)
    assert "bad-page" not in sound.stderr
    with (tmp_path / "db/seg0/c470.dat").open("r+b") as file:
        file.seek(32768 + 100)
        file.write(b"\xff\xfe")
    damaged = call(*asked)
    assert "note bad-page: The checksum of a page is wrong; " in " ".join(damaged.stderr.split())
    assert damaged.stdout.count("\n") < sound.stdout.count("\n")


def test_an_export_is_a_new_file_or_none(tmp_path: Path) -> None:
    target = tmp_path / "rows.csv"
    assert call("export", KAHADB, "--as", "csv", "--to", target).exit_code in (0, 1)
    assert target.read_text() == call("export", KAHADB, "--as", "csv").stdout
    assert "is there already" in call("export", KAHADB, "--as", "csv", "--to", target, status=2).stderr
    other = tmp_path / "other.csv"
    assert call("export", KAHADB, "--as", "csv", "--queue", "no such", "--to", other).exit_code == 2
    assert sorted(tmp_path.iterdir()) == [target]


def test_an_export_is_not_part_of_the_journal(tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(KAHADB, old)
    (tmp_path / "link").symlink_to("old")
    before = digests(old)
    for target in (old / "db-2.log", tmp_path / "link" / "rows.jsonl"):
        assert "which is only read" in call("export", old, "--as", "jsonl", "--to", target, status=2).stderr
    assert digests(old) == before


def test_an_export_that_fails_leaves_no_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert call("export", KAHADB, "--as", "parquet").exit_code == 2


def test_messages_are_exported_for_artemis_and_what_is_lost_is_counted_before(tmp_path: Path) -> None:
    done = call("export", HORNETQ, "--as", "artemis-xml")
    rows = call("export", HORNETQ, "--as", "jsonl").stdout.splitlines()
    # A message in several queues is one there.
    assert done.stdout.count("            <queue name=") == len(rows) > done.stdout.count("<message ")
    assert f"not kept  {done.stdout.count('<message ')} messages, xml-new-id" in done.stderr
    assert "`recover --to` keeps more" in done.stderr
    target = tmp_path / "messages.xml"
    assert call("export", HORNETQ, "--as", "artemis-xml", "--to", target).exit_code == done.exit_code
    assert target.read_text() == done.stdout
    stores = report(target)["stores"]
    assert isinstance(stores, list)
    (store,) = stores
    assert {"what": "message", "code": "xml-new-id", "count": "57", "bytes": "0"} in store["totals"][
        "left_out"
    ]
    assert "artemis data imp" in Path(f"{target}.loss-report.md").read_text()


def test_unread_export_ends_without_a_message() -> None:
    done = start("export", KAHADB, "--as", "jsonl", "--redact")
    assert done.returncode in (0, 1)
    assert str(json.loads(done.stdout.splitlines()[0])["queue"]).startswith("text(")


def test_a_pair_in_two_directories_stays_in_two_directories(pair: Path) -> None:
    apart = pair.parent / "apart"
    for name in ("btm1.tlog", "btm2.tlog"):
        (apart / f"{name}.d").mkdir(parents=True)
        (pair / name).rename(apart / f"{name}.d" / name)
    files = sorted(path for path in apart.rglob("*") if path.is_file())
    for target, paths in (("one", files), ("two", [apart])):
        call("recover", *paths, "--to", pair.parent / target, status=0)
        new = [path for path in (pair.parent / target).rglob("*") if path.is_file()]
        assert sorted(path.parent.name for path in new) == ["btm1.tlog.d", "btm2.tlog.d"]


def test_files_that_are_compressed_are_digested_as_they_are_stored(tmp_path: Path) -> None:
    place = tmp_path / "packed"
    place.mkdir()
    for file in (BITRONIX / "partial-commit").glob("*.tlog"):
        (place / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
    assert call("recover", place, "--to", tmp_path / "new").exit_code == 0
    found = {Path(file["file"]).name: file["sha256"] for file in report(tmp_path / "new")["source_files"]}  # type: ignore[attr-defined]
    assert found == {path.name: digest for path, digest in digests(place).items()}


def test_configuration_of_a_product_applies_to_the_new_store(tmp_path: Path) -> None:
    case = find_case("smq.files.page-size-4096")
    case.materialize(tmp_path / "old")
    page_size = f"page_size={case.params['page_size']}"
    done = call("recover", tmp_path / "old", "--param", page_size, "--to", tmp_path / "new")
    assert done.exit_code in (0, 1), done.output
    assert call("inspect", tmp_path / "new", "--param", page_size).exit_code == 0


def test_a_place_in_what_the_new_store_accounts_for_is_refused(tmp_path: Path) -> None:
    """The log is given, and the database is read and written with it."""
    home = tmp_path / "db"
    shutil.copytree(ROOT / "corpus/captured/derby_log/derby-10.14.2.0/changes", home / "log")
    (home / "seg0").mkdir()
    (home / "seg0" / "c10.dat").write_bytes(bytes(4096))
    before = digests(home)
    assert "which is only read" in call("recover", home / "log", "--to", home / "new", status=2).stderr
    assert digests(home) == before


def test_a_database_without_a_container_is_a_log_alone(tmp_path: Path) -> None:
    home = tmp_path / "db"
    shutil.copytree(ROOT / "corpus/captured/derby_log/derby-10.14.2.0/changes", home / "log")
    (home / "seg0").mkdir()
    assert call("recover", home / "log", "--to", tmp_path / "new").exit_code == 0
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "log.ctrl", "log1.dat", "logmirror.ctrl"
    ]  # fmt: skip


def test_holes_cost_no_time(tmp_path: Path) -> None:
    old, target = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    shutil.copy(KAHADB / "db-1.log", old)
    with (old / "db-1.log").open("r+b") as file:
        file.truncate(1 << 40)
    if (old / "db-1.log").stat().st_blocks > 1 << 20:
        pytest.skip("this file system has no holes")
    assert call("recover", old, "--to", target).exit_code == 0
    sources = report(target)["source_files"]
    assert isinstance(sources, list)
    (source,) = sources
    assert source.keys() == {"file", "length", "why"}
    assert source["length"] == str(1 << 40)
    piece = bytes(8) + (KAHADB / "db-1.log").read_bytes().ljust(1 << 20, b"\0")
    assert source["why"].endswith(f": {hashlib.sha256(piece).hexdigest()}")
    call("export", old, "--as", "artemis-xml", "--to", tmp_path / "new.xml", status=0)
    assert report(tmp_path / "new.xml")["source_files"] == sources


def test_a_change_of_a_sparse_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "db-1.log"
    path.write_bytes(b"data")
    with path.open("r+b") as file:
        file.truncate(5 << 30)
        (before,) = newstore.digests([("it", path)])
        file.seek((3 << 30) + 5)
        # Zeros instead of a hole are the same content.
        file.write(bytes(10))
        file.flush()
        assert newstore.digests([("it", path)]) == [before]
        file.write(b"x")
        file.flush()
        assert newstore.digests([("it", path)]) != [before]


@pytest.mark.parametrize("choice", [("--drop", "secret-id"), ("--commit", "secret-id")])
def test_redaction_hides_why_a_choice_is_refused(tmp_path: Path, choice: tuple[str, str]) -> None:
    shutil.copytree(KAHADB, tmp_path / "old")
    asked = ("recover", tmp_path / "old", "--to", tmp_path / "new", *choice)
    plain, hidden = call(*asked, columns=200), call(*asked, "--redact", columns=200)
    assert plain.exit_code == hidden.exit_code == 2
    assert "secret-id" in plain.stderr
    assert ("in doubt: " in plain.stderr) == (choice[0] == "--commit")
    assert "secret-id" not in hidden.stderr
    assert "in doubt" not in hidden.stderr
    has(hidden.stderr, "the reason may quote stored data: text(", "without --redact")


def test_redaction_hides_why_no_store_can_be_made(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise newstore.CannotRebuild("it holds 'secret'", "see 'secret'")

    monkeypatch.setattr(newstore, "new_store", refused)
    asked = ("recover", pair, "--to", pair.parent / "new")
    plain, hidden = call(*asked), call(*asked, "--redact", columns=200)
    assert plain.exit_code == hidden.exit_code == 3
    assert plain.stderr.count("secret") == 2
    assert "secret" not in hidden.stderr
    assert "text(17)" in hidden.stderr


def test_redaction_hides_why_a_new_store_was_removed(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unclean(*_: object) -> None:
        raise newstore.CannotRebuild("what was written has 'secret'")

    monkeypatch.setattr(newstore, "write", unclean)
    hidden = call("recover", pair, "--to", pair.parent / "new", "--redact", columns=200, status=3)
    assert "secret" not in hidden.stderr
    assert "text(29)" in hidden.stderr


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_empty_export_of_a_refused_journal_gives_no_file(pair: Path, kind: str) -> None:
    for file in pair.glob("*.tlog"):
        file.write_bytes(b"\xff" * 300)
    before = sorted(pair.parent.rglob("*"))
    asked = ("export", pair, "--as", kind, "--table", "transactions", "--to", pair.parent / "rows")
    done, hidden = call(*asked, columns=200), call(*asked, "--redact", columns=200)
    assert done.exit_code == hidden.exit_code == 3
    assert "nothing was written: header/bad-format-id: btm1.tlog: begins" in done.stderr
    assert "begins" not in hidden.stderr
    assert sorted(pair.parent.rglob("*")) == before
    strict = call(*asked, "--redact", "--policy", "strict", columns=200)
    assert "--policy strict refuses it: header/bad-format-id: text(" in strict.stderr


def test_refused_journal_without_messages_gives_no_file(tmp_path: Path) -> None:
    with tarfile.open(HORNETQ) as archive:
        archive.extractall(tmp_path / "old", filter="data")
    for file in (tmp_path / "old/journal").iterdir():
        file.write_bytes(b"\xff" * 16 + file.read_bytes()[16:])
    asked = ("export", tmp_path / "old/journal", "--format", "jboss_journal", "--edition", "v2e", "--as")
    done = call(*asked, "artemis-xml", "--to", tmp_path / "new.xml", columns=200, status=3)
    assert "nothing was written: header/bad-version: " in done.stderr
    assert [*tmp_path.iterdir()] == [tmp_path / "old"]
    assert "not kept  2 regions, bad-version: " in call(*asked, "artemis-xml").stderr


def test_files_unpacked_by_a_killed_run_are_removed_by_the_next(pair: Path) -> None:
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
    own = {**os.environ, "TMPDIR": str(room)}
    with subprocess.Popen(
        [sys.executable, "-c", code], env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        left = Path(running.stdout.readline().strip())
        look = [sys.executable, "-m", "journalspec_conformance", "inspect", str(archive)]
        try:
            assert subprocess.run(look, env=own, capture_output=True, check=False).returncode == 0
            # It is in use: it stays.
            assert (left / "file").read_text() == "unpacked"
        finally:
            running.kill()
    assert [*room.iterdir()] == [left]
    (room / "journalspec-unpacked-file").write_text("no directory")
    assert subprocess.run(look, env=own, capture_output=True, check=False).returncode == 0
    assert [each.name for each in room.iterdir()] == ["journalspec-unpacked-file"]


def test_messages_of_queues_that_the_bindings_do_not_have_are_reported_before_a_start(tmp_path: Path) -> None:
    store, new = tmp_path / "store", tmp_path / "new"
    with tarfile.open(HORNETQ) as archive:
        archive.extractall(store, filter="data")
    assert call("check", store).exit_code == 0
    (store / "bindings" / "hornetq-bindings-1.bindings").unlink()
    assert call("check", store).exit_code == 1
    screen = flat(call("inspect", store))
    (journal,) = find_journals(load(store / "journal"))
    missing = ask(journal).observation.missing
    number = sum(entry.count or 0 for entry in missing)
    has(screen, "verdict recovered", f"the bindings do not have queue {missing[0].name}")
    steps = flat(call("recover", store, "--to", new)).partition(" next ")[2]
    assert steps.startswith(f"{number} messages are not in the new store: the bindings do not have")
    report(new)
    assert '"no-binding"' in Path(f"{new}.loss-report.json").read_text()


def test_a_store_that_was_only_read_is_under_no_policy(tmp_path: Path) -> None:
    case, store, new = find_case("smq.branches.keys-hostile"), tmp_path / "store", tmp_path / "new"
    store.mkdir()
    write_files(store, ((file.path, file.pieces()) for file in case.input.files))
    done = call("recover", store, "--to", new, "--drop", "sys$prepared", "--policy", "default", status=1)
    assert "policy none: recovery refuses this store under each policy" in flat(done)
    (written,) = json.loads(Path(f"{new}.loss-report.json").read_text())["stores"]
    assert written["policy"] == "none"
    assert "- policy: none: recovery refuses" in Path(f"{new}.loss-report.md").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_an_export_to_a_full_disk_says_what_to_do(pair: Path) -> None:
    command = [sys.executable, "-m", "journalspec_conformance", "export", str(pair), "--as", "csv"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*command, "--table", "transactions"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert "No space left on device\n  next  make room, or write to another disk" in done.stderr
