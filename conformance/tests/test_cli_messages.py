"""``journalspec explain``: a message of a product, what it means, and what of it is in the files."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from messages import foretold

from journals import COMMITTING, HORNETQ, PARTIAL_COMMIT, decision, pair
from journalspec.formats import format_ids
from journalspec.messages import every_message, messages
from judged import call, harmless, has


def explain(*arguments: object) -> str:
    """Return what is printed about a message that is found."""
    return call("explain", *arguments, columns=100, status=0).stdout


def pasted(text: str) -> str:
    """Return a text as a shell takes it, lines that a backslash breaks put together."""
    return " ".join(text.replace("\\\n", "").split())


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A log whose second record has a wrong checksum."""
    first, last = (decision(COMMITTING, gtrid, b"db1") for gtrid in (b"A", b"C"))
    return pair(tmp_path, first, decision(COMMITTING, b"B", b"db1", broken=True), last)


def test_all_details_are_an_option_away() -> None:
    text = explain("-v", "XSDB4")
    for head in (
        "logger",
        "versions  this text: 10.",
        "state",
        "known     made on Apache Derby 10.14.2.0",
        "answers",
    ):
        assert head in text


@pytest.mark.parametrize("entry", every_message(), ids=lambda entry: entry.id)
def test_every_message_fits_a_screen(entry: object) -> None:
    name = entry.id  # type: ignore[attr-defined]
    for more in ((), ("-v",)):
        lines = explain(name, *more).splitlines()
        assert len(lines) <= 40
        assert max(map(len, lines)) <= 100
        assert lines[0].startswith(f"message   {name}")


def test_of_many_messages_three_are_shown_and_the_rest_counted() -> None:
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
def test_a_hostile_text_neither_controls_the_terminal_nor_fills_it(text: str) -> None:
    done = call("explain", "--", text, status=1)
    harmless(done.stdout)
    assert len(done.stdout) < 3000


def test_cause_of_a_message_is_found_at_the_path(damaged: Path) -> None:
    before = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in damaged.iterdir()}
    text = explain("corrupted log found at position 81(invalid CRC, recorded: 1, calculated: 2)", damaged)
    has(text, "here      refused, bad-checksum", "btm1.tlog:")
    assert f"journalspec recover {damaged} --policy salvage" in pasted(text)
    assert {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in damaged.iterdir()} == before


def test_a_directory_that_must_be_beside_the_journal_is_looked_for(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    shutil.copytree(HORNETQ / "adds", journal, ignore=shutil.ignore_patterns("*.toml", "*.json"))
    text = explain("AMQ222043", journal)
    assert f"here {tmp_path / 'bindings'}: not there, or empty" in " ".join(text.split())
    assert pasted(text).endswith(f"journalspec inspect {journal}")
    (tmp_path / "bindings").mkdir()
    (tmp_path / "bindings" / "activemq-bindings-1.bindings").write_bytes(b"")
    assert "not there, or empty" not in explain("AMQ222043", journal)


def test_absent_parts_are_reported() -> None:
    text = " ".join(explain("BTM-MSG-017", PARTIAL_COMMIT).split())
    assert "here nothing in the files makes a start print it" in text
    text = " ".join(explain("AMQ222049", HORNETQ / "adds").split())
    assert "here the files of the journal do not show the cause of this message" in text
    text = " ".join(explain("XSDB4", PARTIAL_COMMIT).split())
    assert "here no journal of this product at the path, but of bitronix_tlog" in text


def test_a_refusal_foretells_its_message_under_an_older_id(tmp_path: Path) -> None:
    for path in (HORNETQ / "adds").glob("*.hq"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    first = min(tmp_path.iterdir())
    first.write_bytes(bytes([0, 0, 0, 9]) + first.read_bytes()[4:])
    text = explain("HQ149002", tmp_path, "--edition", "v2")
    assert "bad-version" in text[text.index("here") : text.index("see also")]


def test_every_message_that_has_commands_names_ones_that_exist() -> None:
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


def test_messages_of_common_damage_are_foretold() -> None:
    def ids(name: str, *codes: str) -> set[str]:
        return {entry.id for entry in foretold(name, codes)}

    assert "AMQ142014" in ids("jboss_journal", "unhealthy-commit")
    assert "AMQ224009" in ids("jboss_journal", "record")
    assert {"KHD-MSG-006", "KHD-MSG-007"} <= ids("kahadb_journal", "file")
    assert "XSDB4" in ids("derby_log", "old-page")
    assert "BTM-MSG-017" in ids("bitronix_tlog", "bad-checksum")
