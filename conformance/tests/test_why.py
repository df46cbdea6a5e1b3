"""`journalspec why`: ids that brokers assigned, files outside journals, long lists, redacted names."""

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
THREE = CHECKOUT / "corpus" / "captured" / "kahadb_journal" / "activemq-6.1.7" / "three"
ROLLOVER = CHECKOUT / "corpus" / "captured" / "jboss_journal" / "artemis-2.44.0" / "rollover"


@pytest.mark.parametrize("format_id", format_ids())
def test_captured_journals_fit_on_a_screen(format_id: str) -> None:
    seen = 0
    for group in sorted((CHECKOUT / "corpus" / "captured" / format_id).glob("*/*"))[::11]:
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


def test_stores_in_an_archive_are_examined(tmp_path: Path) -> None:
    packed = tmp_path / "kahadb.tar.gz"
    with tarfile.open(packed, "w:gz") as out:
        out.add(THREE, "kahadb")
    done = call("why", packed, columns=100, status=0)
    # A command does not accept the path of a file inside an archive, so the output suggests no such command.
    assert "next" not in done.stdout
    assert "held by" in done.stdout


def test_each_of_many_journals_is_one_line(tmp_path: Path) -> None:
    for number in range(30):
        shutil.copytree(THREE, tmp_path / f"broker-{number}")
    out = call("why", tmp_path, columns=100)
    assert len(out.stdout.splitlines()) <= 40
    has(flat(out), "store 30 journals", "KEPT 1 file; none can be deleted now", "... 20 more (--all)")
    assert "one of them: journalspec why" in flat(out)
    assert call("why", tmp_path, "--all").stdout.count("store     ") == 30


def test_files_to_delete_and_files_to_keep_are_on_one_screen() -> None:
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
