"""Indexes beside KahaDB journals: what people reported and what brokers wrote, with the right values."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from field import FIELD, unpacked
from journalspec.formats import get_format
from journalspec.observation import Observation
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load

pytestmark = pytest.mark.real

POLICIES = (None, *get_format("kahadb_journal").policies)
STORES = FIELD.parent / "contents" / "kahadb_journal"


def _asked(directory: Path, policy: str | None = None) -> Observation:
    (journal,) = find_journals(load(directory))
    return ask(journal, policy).observation


def _missing(seen: Observation) -> list[tuple[str, str, int | None, int | None]]:
    assert all(gone.file == "db.data" for gone in seen.missing)
    return [(gone.code, gone.name, gone.off, gone.count) for gone in seen.missing]


def _told(seen: Observation) -> dict[str, str]:
    """Return the notes about the index, but for the one that every answer has."""
    return {note.code: note.text for note in seen.notes if note.code.startswith("index-")}


def _opened(name: str, scratch: Path) -> Path:
    """Return a copy of a store that a broker wrote, its files unpacked."""
    source = STORES / name
    if not source.is_dir():
        pytest.skip(f"needs the stores beside the checkout: {name}")
    for path in source.iterdir():
        if path.suffix == ".gz":
            (scratch / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
    return scratch


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("name", "count"), [("missing-journal-file-clean", 97), ("kahadb-missing-mid", 128)])
def test_a_file_that_the_index_refers_to_is_missing(
    name: str, count: int, policy: str | None, tmp_path: Path
) -> None:
    """ActiveMQ 5.15.16 and 6.1.7 refuse with these numbers."""
    seen = _asked(unpacked(name, tmp_path), policy)
    assert seen.verdict == "recovered"
    assert _missing(seen) == [("file", "db-2.log", None, count)]
    assert "ignoreMissingJournalfiles" in seen.missing[0].text


@pytest.mark.parametrize("policy", POLICIES)
def test_a_file_that_was_cut_lacks_what_the_index_refers_to(policy: str | None, tmp_path: Path) -> None:
    """Messages 125 to 150. (5.8.0 rolls 24 back: its failed first start wrote over the places of two.)"""
    seen = _asked(unpacked("puppetdb-436-truncated-not-torn", tmp_path), policy)
    assert seen.verdict == "recovered"
    assert [(region.off, region.length) for region in seen.dropped] == [(15504, 58)]
    assert _missing(seen) == [("records", "db-2.log", 15504, 26)]


def test_a_subscription_of_the_index_alone(tmp_path: Path) -> None:
    seen = _asked(unpacked("redhat-276323-durable-sub-only-in-index", tmp_path), "strict")
    assert (seen.verdict, _missing(seen)) == ("clean", [])
    assert _told(seen) == {"index-only-subscription": "client1:sub1 of topic PRICES, 5 pending"}


def test_an_index_that_hides_messages(tmp_path: Path) -> None:
    """6.1.7 delivers 837 with the index and 1919 without it."""
    seen = _asked(unpacked("disk-full-6.1.7-index-hides-1082-messages", tmp_path), "strict")
    assert seen.verdict == "recovered"
    assert _missing(seen) == []
    assert _told(seen) == {"index-hides": "1082 of queue PAY: the journal has 1919, db.data shows 837"}


def test_a_sound_store(tmp_path: Path) -> None:
    directory = unpacked("kahadb-small", tmp_path)
    for policy in POLICIES:
        seen = _asked(directory, policy)
        assert (seen.verdict, _missing(seen), _told(seen)) == ("clean", [], {})


def test_messages_that_are_acknowledged_in_a_transaction_that_was_compacted(tmp_path: Path) -> None:
    """5.15.16 and 6.1.7 deliver them again if they start without the index."""
    seen = _asked(_opened("ackcompact-6.1.7/kahadb", tmp_path), "strict")
    assert (seen.verdict, _missing(seen), list(_told(seen))) == ("clean", [], ["index-acknowledged"])
    assert _told(seen)["index-acknowledged"].startswith("7 of queue Q.A:")


def test_a_store_that_lacks_its_third_file(tmp_path: Path) -> None:
    seen = _asked(_opened("missing-6.1.7/kahadb", tmp_path), "default")
    assert (seen.verdict, _missing(seen)) == ("recovered", [("file", "db-3.log", None, 21)])


@pytest.mark.parametrize(
    ("name", "edition"),
    [
        ("rich-5.3.0-clean/kahadb", "5.3"),
        ("rich-5.11.4-clean/kahadb", "5.3"),
        ("rich-5.15.16-clean/kahadb", "5.15.2"),
        ("rich-6.1.7-clean/kahadb", "5.16"),
        ("multi-6.1.7/mKahaDB/#210", "5.16"),
        ("multi-6.1.7/mKahaDB/queue#3a#2f#2fM.#3e", "5.16"),
    ],
)
def test_stores_that_brokers_wrote_are_clean(name: str, edition: str, tmp_path: Path) -> None:
    """The version in the index tells the edition, and no other edition is tried."""
    (journal,) = find_journals(load(_opened(name, tmp_path)))
    assert (journal.edition, journal.editions) == (edition, ())
    for policy in POLICIES:
        seen = ask(journal, policy).observation
        assert (seen.verdict, _missing(seen), _told(seen)) == ("clean", [], {})
        assert "edition-assumed" not in {note.code for note in seen.notes}
