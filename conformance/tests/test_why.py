"""`journalspec why`: numbers that brokers gave, files of no journal, long lists, names that are hidden."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest

from journalspec.formats import format_ids, get_format
from journalspec_conformance.cli.journal_view import screen
from journalspec_conformance.cli.why import _of_store
from journalspec_reference.keeping import Holder, Keeping
from judged import call, flat, has

CHECKOUT = Path(__file__).resolve().parents[2]
SHARED = CHECKOUT.parent / "shared"
THREE = CHECKOUT / "corpus" / "captured" / "kahadb_journal" / "activemq-6.1.7" / "three"
ROLLOVER = CHECKOUT / "corpus" / "captured" / "jboss_journal" / "artemis-2.44.0" / "rollover"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="real files are missing beside the checkout (../shared)"
)


@needs_shared
def test_kahadb_files_are_kept_by_what_the_broker_named(tmp_path: Path) -> None:
    with tarfile.open(SHARED / "field" / "kahadb-small" / "kahadb.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    store = flat(call("why", tmp_path, columns=100))
    has(store, "verdict KEPT all 3 files; none can be deleted now", "db-2.log 65,536 128 messages of queue Q")
    first = flat(call("why", tmp_path / "db-1.log", columns=100))
    has(first, "messages of queue Q 26 12,584", "messages of topic T 1 ", "messages of queue ActiveMQ.DLQ 1 ")
    assert "keeps db-3.log, by acknowledgements of messages in db-1.log" in first
    last = flat(call("why", tmp_path / "db-3.log", columns=100))
    assert (
        "last update of the index at 51521 audit of producers at 50440 map of acknowledgements at 51521"
        in last
    )
    has(last, "messages of queue Q 46 22,264", "db-1.log is deleted first")


@needs_shared
def test_artemis_files_wait_for_earlier_ones() -> None:
    journal = SHARED / "examples" / "screens" / "stores" / "artemis-tasks" / "journal"
    second = flat(call("why", journal / "activemq-data-2.amq.gz", columns=100))
    has(second, "records of user type 45 10 741", "deletes of records in activemq-data-1.amq.gz 1")
    assert "keeps activemq-data-3.amq.gz, by 2 deletes of records in activemq-data-2.amq.gz" in second
    assert "FREE nothing in the journal needs this file" in flat(
        call("why", journal / "activemq-data-4.amq.gz")
    )


@needs_shared
def test_a_prepared_transaction_keeps_derbys_files_from_its_begin_on() -> None:
    out = flat(call("why", SHARED / "real" / "derby_log" / "xaorphan-0-before", columns=100))
    assert "log1.dat 100,678 prepared transaction 187, begun at log1.dat:39826" in out
    assert "log2.dat 9,496 the file that Derby writes to; prepared transaction 187" in out


@pytest.mark.parametrize("format_id", format_ids())
def test_captured_journals_fit_on_a_screen(format_id: str) -> None:
    seen = 0
    for group in sorted((CHECKOUT / "corpus" / "captured" / format_id).glob("*/*"))[::7]:
        done = call("why", group, columns=100)
        if done.exit_code == 2:
            continue
        lines = done.stdout.splitlines()
        assert len(lines) <= 40, group
        assert any(line.startswith("verdict   ") for line in lines), group
        seen += 1
    assert seen or format_id == "swiftmq_store"


def test_two_journals_of_a_store_share_a_screen(tmp_path: Path) -> None:
    for name in ("bindings", "journal"):
        (tmp_path / name).mkdir()
        for file in ROLLOVER.glob("*.amq"):
            (tmp_path / name / file.name).write_bytes(file.read_bytes())
    done = call("why", tmp_path, columns=60)
    assert done.stdout.count("store     ") == 2
    assert len(done.stdout.splitlines()) <= 40


def test_an_archive_is_asked_about_completely(tmp_path: Path) -> None:
    packed = tmp_path / "kahadb.tar.gz"
    with tarfile.open(packed, "w:gz") as out:
        out.add(THREE, "kahadb")
    done = call("why", packed, columns=100, status=0)
    # A file in it has no path that a command could be given.
    assert "next" not in done.stdout
    assert "held by" in done.stdout


def test_all_lists_every_file_and_redact_hides_names() -> None:
    shown, every = call("why", THREE, columns=100), call("why", THREE, "--all", columns=100)
    assert [line for line in shown.stdout.splitlines() if line] == [
        line for line in every.stdout.splitlines() if line
    ]
    hidden = call("why", THREE, "--redact", columns=100).stdout
    assert "queue" in shown.stdout
    assert "text(" in hidden


def test_many_journals_are_one_line_each(tmp_path: Path) -> None:
    for number in range(30):
        shutil.copytree(THREE, tmp_path / f"broker-{number}")
    out = call("why", tmp_path, columns=100)
    assert len(out.stdout.splitlines()) <= 40
    has(flat(out), "store 30 journals", "KEPT 1 file; none can be deleted now", "... 20 more (--all)")
    assert "one of them: journalspec why" in flat(out)
    assert call("why", tmp_path, "--all").stdout.count("store     ") == 30


def test_the_files_that_go_and_those_that_stay_are_on_one_screen() -> None:
    lengths = {f"activemq-data-{number}.amq": 1 << 20 for number in range(1, 101)}
    held = [Holder(name, "records", "45", 3) for at, name in enumerate(lengths) if at % 10 < 3]
    found = Keeping(lengths, tuple(held))
    lines = [
        "".join(part if isinstance(part, str) else part[0] for part in line)
        for line in screen(_of_store(get_format("jboss_journal"), found))
    ]
    text = " ".join(" ".join(lines).split())
    assert len(lines) <= 40
    assert "FREE 70 of 100 files, 73,400,320 bytes; 30 files stay" in text
    for first in range(4, 100, 10):
        assert f"activemq-data-{first}.amq to activemq-data-{first + 6}.amq 7 7,340,032" in text
    has(text, "activemq-data-1.amq", "20 more (--all)")
