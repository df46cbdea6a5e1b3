"""``journalspec explain``: a message of a product, its meaning, and its evidence in the files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from messages import foretold

from journals import HORNETQ
from journalspec.formats import format_ids
from journalspec.messages import messages
from judged import call, harmless


def explain(*arguments: object) -> str:
    """Return the output about a known message."""
    return call("explain", *arguments, columns=100, status=0).stdout


def pasted(text: str) -> str:
    """Return a text as a shell reads it: lines that a backslash breaks are joined."""
    return " ".join(text.replace("\\\n", "").split())


@pytest.mark.parametrize("name", format_ids())
def test_every_message_fits_a_screen(name: str) -> None:
    for entry in messages(name):
        for more in ((), ("-v",)):
            lines = explain(entry.id, *more).splitlines()
            assert len(lines) <= 40
            assert max(map(len, lines)) <= 100
            assert lines[0].startswith(f"message   {entry.id}")


def test_only_three_of_many_messages_are_shown_and_the_others_counted() -> None:
    lines = explain("corrupted log found").splitlines()
    assert len(lines) <= 40
    shown = [line for line in lines if "BTM-MSG-" in line and not line.startswith("see also")]
    rest = int(lines[-1].split()[0])
    assert lines[-1] == f"{rest} more (--all)"
    assert len(shown) == 3
    assert explain("corrupted log found", "--all").count("verdict   ") == 3 + rest


def test_unknown_text_lists_the_three_nearest_messages() -> None:
    done = call("explain", "the broker is fine", status=1)
    lines = done.stdout.splitlines()
    assert lines[0] == "no message matches: the broker is fine"
    assert len(lines) == 5
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    "text", ["\x1b[31mred\x1b[0m\x07", "a" * 1_000_000, "\u202e\x9b2J", "%s{}\\", "-- (["]
)
def test_hostile_text_is_escaped_and_shortened(text: str) -> None:
    done = call("explain", "--", text, status=1)
    harmless(done.stdout)
    assert len(done.stdout) < 3000


def test_missing_or_empty_directory_next_to_the_journal_is_reported(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    shutil.copytree(HORNETQ / "adds", journal, ignore=shutil.ignore_patterns("*.toml", "*.json"))
    text = explain("AMQ222043", journal)
    assert f"here {tmp_path / 'bindings'}: not there, or empty" in " ".join(text.split())
    assert pasted(text).endswith(f"journalspec inspect {journal}")
    (tmp_path / "bindings").mkdir()
    (tmp_path / "bindings" / "activemq-bindings-1.bindings").write_bytes(b"")
    assert "not there, or empty" not in explain("AMQ222043", journal)


def test_commands_advised_for_messages_exist() -> None:
    from journalspec_conformance.cli import COMMANDS

    for name in format_ids():
        for entry in messages(name):
            for line in entry.next:
                if line.startswith("$ "):
                    words = line.split()
                    assert words[1] == "journalspec"
                    assert words[2] in COMMANDS
                    assert words[-1] == "PATH"


def test_answer_predicts_messages_of_a_start() -> None:
    order = ["loss", "refusal", "doubt", "risk", "none"]
    for name in format_ids():
        for entry in messages(name):
            for code in entry.start:
                found = foretold(name, [code])
                assert entry in found
                assert [order.index(one.impact) for one in found] == sorted(
                    order.index(one.impact) for one in found
                )
        assert foretold(name, ()) == foretold(name, ["no-such-code"]) == ()


def test_messages_of_common_damage_are_predicted() -> None:
    """The table of messages would not reveal a missing code, so codes that users often meet are tested."""

    def ids(name: str, *codes: str) -> set[str]:
        return {entry.id for entry in foretold(name, codes)}

    assert "AMQ142014" in ids("jboss_journal", "unhealthy-commit")
    assert "AMQ224009" in ids("jboss_journal", "record")
    assert {"KHD-MSG-006", "KHD-MSG-007"} <= ids("kahadb_journal", "file")
    assert "XSDB4" in ids("derby_log", "old-page")
    assert "BTM-MSG-017" in ids("bitronix_tlog", "bad-checksum")
