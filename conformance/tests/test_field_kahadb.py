"""What KahaDB journals of the field have to come to, and real journals as a crash cuts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from field import FIELD, unpacked
from journalspec.observation import CLEAN, RECOVERED, REFUSED
from journalspec_reference.answers import Answer, ask
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.kahadb_journal.implementation import MARKED

CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured" / "kahadb_journal"
REAL = FIELD.parent


def asked(directory: Path, policy: str = "strict") -> Answer:
    """Return what recovery of the only journal of a directory gives; evidence is the journal alone."""
    (journal,) = find_journals(load(directory), "kahadb_journal")
    return ask(journal, policy)


def messages(answer: Answer) -> dict[str, int]:
    """Return how many messages each destination holds."""
    state: Any = answer.observation.state
    return {each["name"]: len(each["messages"]) for each in state["destinations"]}


@pytest.mark.real
@pytest.mark.parametrize("policy", ["strict", "salvage", "default"])
def test_a_tail_of_zeros_is_no_sign_of_an_old_edition(policy: str, tmp_path: Path) -> None:
    answer = asked(unpacked("crash-tail-of-zeros-wrong-edition", tmp_path), policy)
    seen = answer.observation
    assert answer.journal.edition == "5.16"
    assert seen.verdict == RECOVERED
    assert [tuple(region.members().values()) for region in seen.dropped] == [
        ("db-2.log", 0, 4096, "bad-checksum")
    ]
    assert "torn-tail" in {note.code for note in seen.notes}
    assert messages(answer) == {"Q": 11}


@pytest.mark.real
def test_a_sound_store_is_clean(tmp_path: Path) -> None:
    seen = asked(unpacked("kahadb-small", tmp_path)).observation
    assert (seen.verdict, len(seen.missing)) == (CLEAN, 0)


@pytest.mark.real
def test_containers_of_old_messages_are_sound(tmp_path: Path) -> None:
    assert asked(unpacked("openwire-version-upgrade-eof", tmp_path)).observation.verdict == CLEAN


@pytest.mark.real
def test_acknowledgements_without_a_commit_leave_the_messages(tmp_path: Path) -> None:
    assert messages(asked(unpacked("amq-8201-acks-without-commit", tmp_path))) == {"PIN": 1, "WORK": 149}


@pytest.mark.real
@pytest.mark.parametrize("kind", ["real", "contents"])
def test_journals_of_healthy_products_miss_nothing(kind: str) -> None:
    directories = {path.parent for path in (REAL / kind / "kahadb_journal").rglob("db-*.log*")}
    if not directories:
        pytest.skip("needs the real journals beside the checkout")
    for directory in (path for path in directories if "missing" not in str(path.parent)):
        assert not asked(directory).observation.missing, directory


def cuts(files: Mapping[str, bytes]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield what a crash leaves: the last file zeroed from some byte on, cut there, or all zeros."""
    last = list(files)[-1]
    data = files[last]
    used = len(data.rstrip(b"\0")) if data.endswith(b"\0") else data.find(b"-qMa4" + bytes(8)) + 5
    used = used if used > 4 else len(data)
    for at in range(0, used, max(1, used // 24)):
        yield f"zeroed from {at}", {**files, last: data[:at] + bytes(len(data) - at)}
        if at:
            yield f"cut at {at}", {**files, last: data[:at]}
    yield "zeros", {**files, last: bytes(len(data))}


@pytest.mark.parametrize("version", ["5.15.16", "6.1.7"])
@pytest.mark.parametrize("scenario", ["rollover", "larger-than-a-file"])
def test_a_journal_that_a_crash_cut_keeps_its_edition(scenario: str, version: str, tmp_path: Path) -> None:
    """No healthy byte refuses: the files before the last one are read as ever, whatever the last one is."""
    source = CAPTURED / f"activemq-{version}" / scenario
    found = {path.name: path.read_bytes() for path in source.glob("**/db-*.log")}
    files = dict(sorted(found.items(), key=lambda item: int(item[0][3:-4])))
    used = {name: data for name, data in files.items() if not data.startswith(b"-qMa4")}
    assert len(used) > 1
    before = None
    for number, (what, left) in enumerate(cuts(used)):
        directory = tmp_path / str(number)
        directory.mkdir()
        for name, data in left.items():
            directory.joinpath(name).write_bytes(data)
        answer = asked(directory)
        assert answer.journal.edition in MARKED, what
        assert answer.observation.verdict != REFUSED, what
        last = list(used)[-1]
        kept = [record for record in answer.observation.records if record.at.file != last]
        before = before or kept
        assert kept == before, what
