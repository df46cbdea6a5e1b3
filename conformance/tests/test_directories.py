"""Missing parts that a directory shows: parts of a broker's store, files of zeros, files that were cut.

A directory that holds all that its product wrote is clean, and so is a journal that was sent in alone.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from journalspec_corpus.case import write_files
from journalspec_corpus.load import find_case, load_cases
from journalspec_reference.answers import Answer, ask
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.jboss_journal.codec import ADD
from journalspec_reference.jboss_journal.contents.bindings import QUEUE
from journalspec_reference.jboss_journal.contents.store import replay_of
from journalspec_reference.jboss_journal.packing import NewRecord, packing_of
from judged import call, flat, has
from tables import table

ROOT = Path(__file__).parents[2]
HORNETQ = ROOT / "reference_impl/tests/data/hornetq_contents.tar.xz"
CAPTURED = ROOT / "corpus/captured"
Damage = Callable[[Path], object]
#: The type of a DELETE, in all editions.
DELETE = 16


@pytest.fixture
def broker(tmp_path: Path) -> Path:
    """A broker's data directory: journal, bindings, paging, large messages."""
    with tarfile.open(HORNETQ) as archive:
        archive.extractall(tmp_path / "broker", filter="data")
    (tmp_path / "broker/expected.json").unlink()
    return tmp_path / "broker"


def each(path: Path, done: Callable[[Path], object]) -> list[object]:
    return [done(file) for file in sorted(path.iterdir())]


def zeroed(file: Path) -> int:
    return file.write_bytes(bytes(file.stat().st_size))


def large(store: Path) -> Path:
    (found,) = (path for path in store.iterdir() if path.name.startswith("large"))
    return found


def page(store: Path) -> Path:
    return min(store.rglob("*.page"))


def packed(file: Path) -> None:
    file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()


BROKER: dict[str, tuple[Damage, str]] = {
    "no bindings": (lambda at: shutil.rmtree(at / "bindings"), "the bindings of the broker are missing"),
    "bindings renamed": (
        lambda at: (at / "bindings").rename(at / "bindings.old"),
        "the bindings of the broker",
    ),
    "bindings without files": (lambda at: each(at / "bindings", Path.unlink), "the bindings of the broker"),
    "a file of bindings is gone": (
        lambda at: (at / "bindings/hornetq-bindings-1.bindings").unlink(),
        "the bindings do not have queue",
    ),
    "bindings of zeros": (lambda at: each(at / "bindings", zeroed), "the bindings do not have queue"),
    "no journal": (lambda at: shutil.rmtree(at / "journal"), "the journal of the broker is missing"),
    "journal without files": (lambda at: each(at / "journal", Path.unlink), "the journal of the broker"),
    "no large messages": (lambda at: shutil.rmtree(large(at)), "body of a large message missing"),
    "a page file cut": (lambda at: os.truncate(page(at), 1000), "page file damaged or renamed"),
    "a page file of zeros": (lambda at: zeroed(page(at)), "page file damaged or renamed"),
    "a page file set aside": (lambda at: page(at).rename(f"{page(at)}.bak"), "page file damaged or renamed"),
    "a page file compressed": (lambda at: packed(page(at)), "page file damaged or renamed"),
    "no address of pages": (
        lambda at: next(at.rglob("address.txt")).unlink(),
        "page file damaged or renamed",
    ),
    "large messages compressed": (
        lambda at: each(large(at), packed),
        "body of a large message missing",
    ),
    "large messages cut": (
        lambda at: each(large(at), lambda file: os.truncate(file, 1)),
        "body of a large message missing",
    ),
}


@pytest.mark.parametrize("damage", BROKER)
def test_missing_part_of_a_broker_is_never_clean(damage: str, broker: Path) -> None:
    assert call("check", broker).exit_code == 0
    done, says = BROKER[damage]
    done(broker)
    out = call("check", broker)
    assert out.exit_code in (1, 3)
    assert says in flat(out)
    assert "verdict clean" not in flat(call("inspect", broker))


@pytest.mark.parametrize("name", ["empty-file", "half-header"])
def test_check_is_never_0_if_the_product_does_not_start(name: str, tmp_path: Path) -> None:
    # It counts as not yet made, and nothing is lost (DRB-END-049); Derby does not start (DRB-DEV-006).
    (case,) = (case for case in load_cases("derby_log") if case.id == f"drb.switch.{name}")
    for file, data in case.files().items():
        (tmp_path / file).write_bytes(data)
    out = call("check", tmp_path)
    assert (out.exit_code, flat(out).endswith("clean: Derby does not boot")) == (1, True)
    (tmp_path / "log2.dat").unlink()
    assert "Derby does not boot" not in flat(call("check", tmp_path))


@pytest.mark.parametrize("part", ["journal", "bindings"])
def test_a_journal_that_was_sent_in_alone_lacks_nothing(part: str, broker: Path) -> None:
    for path in broker.iterdir():
        if path.name != part:
            shutil.rmtree(path)
    # A start deletes the messages of a journal without bindings, so that a monitor has to report it.
    assert call("check", broker).exit_code == (1 if part == "journal" else 0)
    assert "verdict clean" in flat(call("recover", broker))


def test_the_queues_that_are_missing_are_listed_with_their_messages(broker: Path) -> None:
    (broker / "bindings/hornetq-bindings-1.bindings").unlink()
    (journal,) = find_journals(load(broker / "journal"))
    seen = ask(journal).observation
    assert {entry.code for entry in seen.missing} == {"queue"}
    assert all(entry.count and entry.off is not None for entry in seen.missing)
    # The journal's own answer is that of its files.
    assert seen.dropped == ()


def rewritten(records: Sequence[NewRecord], answer: Answer, place: Path) -> None:
    """Put files with these records in the place of those of a journal."""
    for path in answer.journal.files:
        (place / path).unlink()
    for file in packing_of(answer).files(records):
        (place / file.name).write_bytes(b"".join(file.parts))


def test_a_queue_that_was_deleted_while_messages_arrived_is_not_missing(broker: Path) -> None:
    """Nor is the body of a message in it: Artemis 2.6 stops with such a store, and starts on it."""
    (bindings,) = map(ask, find_journals(load(broker / "bindings")), ["strict"])
    live = [*replay_of(bindings).live()]
    kept = [NewRecord(ADD, item.id, item.user_type, item.stored) for item in live]
    queues = [item.id for item in live if item.user_type == QUEUE]
    rewritten([*kept, *(NewRecord(DELETE, ident, 0, b"") for ident in queues)], bindings, broker / "bindings")
    each(large(broker), Path.unlink)
    (journal,) = find_journals(load(broker / "journal"))
    assert ask(journal).observation.missing == ()
    rewritten([record for record in kept if record.id not in queues], bindings, broker / "bindings")
    (journal,) = find_journals(load(broker / "journal"))
    assert {entry.code for entry in ask(journal).observation.missing} == {"queue"}


@pytest.mark.parametrize(("name", "files"), table("judging")["directories"]["zeros"])
def test_files_of_zeros_alone_are_never_clean(name: str, files: dict[str, int], tmp_path: Path) -> None:
    for file, size in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
        os.truncate(tmp_path / file, size)
    assert call("check", tmp_path).exit_code in (1, 3), name


@pytest.mark.parametrize("version", ["5.11.4", "5.13.5", "5.15.0", "5.15.16", "5.17.6", "6.1.7"])
def test_a_new_journal_is_clean(version: str) -> None:
    assert call("check", CAPTURED / f"kahadb_journal/activemq-{version}/empty").exit_code == 0


@pytest.mark.parametrize(
    "damage", ["page.db gone", "page.db zeroed", "page.db emptied", "log gone", "log zeroed"]
)
def test_missing_part_of_a_router_is_never_clean(damage: str, tmp_path: Path) -> None:
    case = find_case("smq.log.commit")
    write_files(tmp_path, ((file.path, file.pieces()) for file in case.input.files))
    (tmp_path / "durables").mkdir(exist_ok=True)
    assert call("check", tmp_path).exit_code == 0
    part, _, done = damage.partition(" ")
    file = tmp_path / ("db/page.db" if part == "page.db" else "log/transaction.log")
    damages: dict[str, Damage] = {
        "gone": Path.unlink,
        "zeroed": zeroed,
        "emptied": lambda one: one.write_bytes(b""),
    }
    damages[done](file)
    assert call("check", tmp_path).exit_code == 1


def test_a_file_that_was_cut_after_a_record_is_not_clean(tmp_path: Path) -> None:
    """A cut within a record is seen in the record; one after it in the lengths of the other files."""
    source = CAPTURED / "jboss_journal/artemis-2.44.0/rollover"
    (journal,) = find_journals(load(source))
    records = [record.at for record in ask(journal).observation.records]
    ends = {at.off + at.length for at in records if at.file == "activemq-data-2.amq"}
    size = (source / "activemq-data-2.amq").stat().st_size
    for cut in sorted({16, *range(512, size, 512), *ends} - {size}):
        place = tmp_path / str(cut)
        shutil.copytree(source, place)
        os.truncate(place / "activemq-data-2.amq", cut)
        # Beyond the last record, the cut bytes were never used.
        assert call("check", place).exit_code == (1 if cut <= max(ends) else 0), cut


def test_a_length_that_two_files_have_was_configured_once(tmp_path: Path) -> None:
    source = CAPTURED / "jboss_journal/artemis-2.44.0/rollover"
    shutil.copytree(source, tmp_path / "store")
    (journal,) = find_journals(load(source))
    ends: dict[str, int] = {}
    for record in ask(journal).observation.records:
        ends[record.at.file] = record.at.off + record.at.length
    for name in ("activemq-data-1.amq", "activemq-data-2.amq"):
        os.truncate(tmp_path / "store" / name, ends[name])
    assert call("check", tmp_path / "store").exit_code == 0


@pytest.mark.parametrize("gone", [[1], [1, 2]])
def test_first_files_of_a_journal_that_gave_none_up_are_missed(gone: list[int], tmp_path: Path) -> None:
    shutil.copytree(CAPTURED / "jboss_journal/artemis-2.44.0/rollover", tmp_path / "store")
    store = tmp_path / "store"
    # Without the deletes in it: their targets may have been removed.
    for number in (4, 5):
        (store / f"activemq-data-{number}.amq").unlink()
    assert call("check", store).exit_code == 0
    for number in gone:
        (store / f"activemq-data-{number}.amq").unlink()
    assert "data file missing: activemq-data-1.amq" in flat(call("check", store, status=1))


def test_a_file_that_was_cut_between_two_batches_lacks_its_end_marker(tmp_path: Path) -> None:
    source = CAPTURED / "kahadb_journal/activemq-6.1.7/rollover"
    (journal,) = find_journals(load(source))
    places = [record.at for record in ask(journal).observation.records if record.at.file == "db-2.log"]
    ends = [at.off + at.length for at in places]
    for cut in ends:
        place = tmp_path / str(cut)
        shutil.copytree(source, place)
        os.truncate(place / "db-2.log", cut)
        out = call("check", place)
        assert out.exit_code == 1, cut
        assert "the end of a data file is cut off: db-2.log" in flat(out)


def test_a_last_file_of_zeros_is_not_clean_where_files_begin_with_a_marker(tmp_path: Path) -> None:
    shutil.copytree(CAPTURED / "kahadb_journal/activemq-6.1.7/rollover", tmp_path / "store")
    zeroed(tmp_path / "store/db-3.log")
    assert "data file emptied: db-3.log" in flat(call("check", tmp_path / "store", status=1))


@pytest.mark.parametrize("after", [".old", ".bak", "~", "_20261129", " (copy)"])
@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("kahadb_journal/activemq-6.1.7/rollover", "db-2.log"),
        ("kahadb_journal/activemq-5.11.4/rollover", "db-1.log"),
        ("jboss_journal/artemis-2.44.0/rollover", "activemq-data-2.amq"),
        ("jboss_journal/hornetq-2.4.9/rollover", "hornetq-data-1.hq"),
        ("bitronix_tlog/bitronix-2.1.4/partial-commit", "btm2.tlog"),
    ],
)
def test_a_renamed_file_is_missed(name: str, file: str, after: str, tmp_path: Path) -> None:
    shutil.copytree(CAPTURED / name, tmp_path / "store")
    store = tmp_path / "store"
    shutil.copy(store / file, store / f"{file}{after}")
    assert call("check", store).exit_code == 0  # a copy next to it is not part of the journal
    (store / file).unlink()
    assert call("check", store).exit_code in (1, 3)
    # The pair of a transaction manager is read under any names.
    pair = file == "btm2.tlog"
    says = "a file of the pair is present under another name: {0}" if pair else "{0}{1} may be it"
    assert says.format(file, after) in flat(call("inspect", store))


def test_a_name_and_something_after_it_is_not_enough(tmp_path: Path) -> None:
    shutil.copytree(CAPTURED / "kahadb_journal/activemq-6.1.7/rollover", tmp_path / "store")
    (tmp_path / "store/db-7.log.txt").write_text("look at this one")
    assert call("check", tmp_path / "store").exit_code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_with_the_name_of_a_renamed_file_is_not_opened(tmp_path: Path) -> None:
    shutil.copytree(CAPTURED / "kahadb_journal/activemq-6.1.7/rollover", tmp_path / "store")
    os.mkfifo(tmp_path / "store/db-7.log.old")
    assert call("check", tmp_path / "store").exit_code == 0


def test_an_index_alone_is_a_journal_without_its_files(tmp_path: Path) -> None:
    """Beside other stores it would not be checked otherwise, and they are clean."""
    shutil.copytree(CAPTURED / "kahadb_journal/activemq-6.1.7/rollover", tmp_path / "one")
    (tmp_path / "two").mkdir()
    (tmp_path / "two/db.data").write_bytes(index())
    assert "two: refused: there is no data file" in flat(call("check", tmp_path, status=3))
    assert "next look for the data files db-1.log" in flat(call("inspect", tmp_path / "two"))
    (tmp_path / "two/db.data").write_bytes(b"of another program")
    assert call("check", tmp_path).exit_code == 0


def test_a_screen_says_that_an_index_cannot_be_used(tmp_path: Path) -> None:
    """The journal is clean, its index is not: the sentence must not say that nothing is damaged."""
    shutil.copytree(CAPTURED / "kahadb_journal/activemq-6.1.7/rollover", tmp_path / "store")
    (tmp_path / "store/db.data").write_bytes(index()[:100])
    screen = flat(call("inspect", tmp_path / "store", status=0))
    assert "nothing is damaged in the journal; db.data cannot be used" in screen


def index() -> bytes:
    """Return the index of a published case."""
    case = next(case for case in load_cases("kahadb_journal") if "db.data" in case.files())
    return bytes(case.files()["db.data"])


def test_unreadable_directory_is_on_the_screen_and_not_clean(broker: Path) -> None:
    (broker / "/".join("abcdefgh")).mkdir(parents=True)
    assert "not looked at: too deep to be looked into" in flat(call("check", broker, status=1))
    has(flat(call("inspect", broker)), "verdict recovered", "too deep to be looked into")
