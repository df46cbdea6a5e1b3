"""Rules for the reference of every format, tested on random journals; all descriptions of a format agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from journalspec.elements import codec_of
from journalspec.formats import format_module, get_format
from journalspec.observation import VERDICTS, Observation, Record, jsonable
from journalspec.schemas import KINDS, reread
from journalspec_corpus.draws import formats_with_draws
from journalspec_corpus.strategies import DrawnJournal, faults, journals
from journalspec_reference.api import load
from journalspec_reference.storage import MemoryStorage


class Known(NamedTuple):
    """Represents the facts about a format that these tests need.

    `names` are file names with a meaning in the format. `writer` returns the parameters with which a writer
    accepts a drawn journal. `made` returns a state with those items added that a writer makes when it opens
    the journal.
    """

    names: tuple[str, ...]
    writer: Any
    made: Callable[[dict[str, Any]], dict[str, Any]] = dict


def _of_one_prefix(files: Mapping[str, bytes]) -> dict[str, str]:
    name, content = next(iter(files.items()))
    prefix, extension = name.partition("-data-")[0] + "-data", name.rpartition(".")[2]
    return {"prefix": prefix, "extension": extension, "file_size": str(max(len(content), 1024))}


def _with_queue_of_branches(state: dict[str, Any]) -> dict[str, Any]:
    empty = {"name": b"sys$prepared", "messages": []}
    there = any(queue["name"] == empty["name"] for queue in state["queues"])
    return state if there else {**state, "queues": sorted([*state["queues"], empty], key=itemgetter("name"))}


KNOWN = {
    "bitronix_tlog": Known(("btm1.tlog", "btm2.tlog", "x"), lambda files: {"files": ",".join(files)}),
    "kahadb_journal": Known(("db-1.log", "db-2.log", "x"), lambda _: {"max_file_length": "4096"}),
    "derby_log": Known(
        ("log1.dat", "log2.dat", "log.ctrl", "x"), lambda _: {"log_switch_interval": "100000"}
    ),
    "jboss_journal": Known(
        ("activemq-data-1.amq", "jbm-data-2.jbm", "journal-rename-control.ctr", "x"), _of_one_prefix
    ),
    "swiftmq_store": Known(
        ("db/page.db", "log/transaction.log", "durables/c$n.durable", "x"),
        lambda _: {"page_size": "2048"},
        _with_queue_of_branches,
    ),
}
#: Editions without a writer: the types of their bodies are unknown.
UNWRITTEN = {("derby_log", "seed")}
EDITIONS = [(name, edition) for name in formats_with_draws() for edition in get_format(name).editions]

STEADY = settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def law(test: Any) -> Any:
    """Run a test with parameters (format, edition, data) for every edition of every format."""
    return pytest.mark.parametrize(("format_id", "edition"), EDITIONS)(STEADY(given(data=st.data())(test)))


def as_json(records: Iterable[Record]) -> list[Any]:
    return [record.to_json() for record in records]


@law
def test_written_records_are_read_and_recovered(format_id: str, edition: str, data: st.DataObject) -> None:
    journal = data.draw(journals(format_id, edition))
    seen = load(format_id).read(journal.files, edition=edition)
    # Files that are drawn independently may refer to records that no file has; this is not damage.
    assert seen.verdict == ("recovered" if seen.missing else "clean")
    assert as_json(seen.records) == as_json(journal.records)
    assert seen.state == journal.state
    for policy in get_format(format_id).policies:
        outcome = load(format_id).recover(journal.files, edition=edition, policy=policy)
        assert outcome.verdict == seen.verdict
        assert outcome.missing == seen.missing
        assert as_json(outcome.records) == as_json(journal.recovered)
        assert outcome.state == journal.state


def test_state_of_an_empty_journal_contains_an_empty_list() -> None:
    """Random journals are rarely empty, so the other tests would detect a wrong type only by chance."""
    assert load("kahadb_journal").recover({"db-1.log": b""}, edition="seed").state == {"payloads": []}


@law
def test_every_schema_reads_and_rebuilds_the_records_of_the_reference(
    format_id: str, edition: str, data: st.DataObject
) -> None:
    journal = data.draw(journals(format_id, edition))
    schema = codec_of(format_id)
    for name, content in journal.files.items():
        assert schema.build(schema.decode(content, edition, name), edition) == content
    fault = data.draw(faults(journal))
    for files in (journal.files, fault.files):
        seen = load(format_id).read(files, edition=edition)
        for kind in KINDS:
            assert reread(format_id, kind, files, edition, seen).to_json() == seen.to_json()


@law
def test_naive_reader_returns_the_same_offsets(format_id: str, edition: str, data: st.DataObject) -> None:
    """The naive reader checks every offset and shares no code; both also agree on damaged files."""
    fault = data.draw(faults(data.draw(journals(format_id, edition))))
    naive = format_module("journalspec_corpus", format_id).naive
    for policy in get_format(format_id).policies:
        plain = naive.recover(fault.files, edition, policy)
        seen = load(format_id).recover(fault.files, edition=edition, policy=policy)
        assert seen.verdict == plain["verdict"]
        found = [record.at.members() for record in seen.records]
        assert found == [record["at"] for record in plain.get("records", ())]
        assert jsonable(seen.state) == jsonable(plain.get("state"))
        missing = [
            {key: item for key, item in gone.members().items() if key != "text"} for gone in seen.missing
        ]
        assert missing == plain.get("missing", [])


@law
def test_log_that_ends_early_gives_its_complete_records(
    format_id: str, edition: str, data: st.DataObject
) -> None:
    """Salvage returns a prefix, wherever the log ends.

    Strict recovery does so for every end that a pointer can have.
    """
    journal = data.draw(journals(format_id, edition))
    assume(journal.recovered)
    last = journal.recovered[-1].at
    first = min(record.at.off for record in journal.recovered if record.at.file == last.file)
    borders = [record.at.off for record in journal.recovered] if journal.pointers else []
    for end in (data.draw(st.integers(first, last.off + last.length)), *borders):
        files = ended(journal, last.file, end)
        counting = zip(journal.recovered, journal.ends, strict=True)
        whole = [record for record, until in counting if record.at.file != last.file or until <= end]
        for policy in (
            ("strict", get_format(format_id).keeps_most)
            if end in borders
            else (get_format(format_id).keeps_most,)
        ):
            outcome = load(format_id).recover(files, edition=edition, policy=policy)
            assert as_json(outcome.records) == as_json(whole)


def ended(journal: DrawnJournal, name: str, end: int) -> Mapping[str, bytes]:
    """Return the files; the log in `name` ends at `end`, because of a pointer to it or a cut."""
    content = journal.files[name]
    for place in journal.pointers:
        if place.file == name:
            pointer = end.to_bytes(place.length, place.order)
            return {
                **journal.files,
                name: content[: place.off] + pointer + content[place.off + place.length :],
            }
    return {**journal.files, name: content[:end]}


@law
def test_single_fault_has_the_predicted_result(format_id: str, edition: str, data: st.DataObject) -> None:
    journal = data.draw(journals(format_id, edition))
    fault = data.draw(faults(journal))
    strict = load(format_id).recover(fault.files, edition=edition, policy="strict")
    if fault.strict == "refused":
        assert strict.verdict == "refused"
        assert (strict.records, strict.state) == ((), None)
    elif fault.strict == "same":
        assert as_json(strict.records) == as_json(journal.recovered)
        assert strict.state == journal.state
    salvage = load(format_id).recover(fault.files, edition=edition, policy=get_format(format_id).keeps_most)
    if strict.verdict == "clean":
        assert (strict.records, strict.state) == (salvage.records, salvage.state)
    salvaged = iter(as_json(salvage.records))
    for record in fault.intact:
        assert record.to_json() in salvaged, "a record that the fault did not touch is lost"


@law
def test_recovering_twice_changes_nothing(format_id: str, edition: str, data: st.DataObject) -> None:
    reference = load(format_id)
    journal = data.draw(journals(format_id, edition))
    copy = {name: bytes(bytearray(content)) for name, content in journal.files.items()}
    first = reference.recover(journal.files, edition=edition)
    assert dict(journal.files) == copy, "recovery wrote to its input"
    assert reference.recover(journal.files, edition=edition).to_json() == first.to_json()
    if (format_id, edition) in UNWRITTEN:
        return
    # The journal stays the same if a writer opens and closes it twice.
    storage = MemoryStorage(dict(journal.files))
    for _ in range(2):
        writer = reference.writer(storage, edition=edition, params=KNOWN[format_id].writer(journal.files))
        writer.apply({"op": "open"})
        writer.apply({"op": "close"})
        again = reference.recover(dict(storage.files), edition=edition)
        assert again.verdict == first.verdict
        assert first.state is not None
        # A writer rolls back transactions without an end, if the format has that operation.
        expected = {key: [] if key == "discarded" else value for key, value in first.state.items()}
        assert again.state == KNOWN[format_id].made(expected)


@law
def test_no_bytes_cause_an_exception(format_id: str, edition: str, data: st.DataObject) -> None:
    reference = load(format_id)
    names = data.draw(st.lists(st.sampled_from(KNOWN[format_id].names), max_size=3, unique=True))
    files: dict[str, bytes] = {name: data.draw(st.binary(max_size=200)) for name in names}
    if data.draw(st.booleans()):
        journal = data.draw(journals(format_id, edition))
        files = {name: spliced(data, content) for name, content in journal.files.items()}
    reference.detect(files)
    list(reference.spans(files, edition=edition))
    answers = [reference.read(files, edition=edition)]
    answers += [
        reference.recover(files, edition=edition, policy=policy) for policy in get_format(format_id).policies
    ]
    for answer in answers:
        assert answer.verdict in VERDICTS
        assert (answer.verdict == "refused") == (answer.phase is not None and answer.code is not None)
        assert_within(answer, files)


def spliced(data: st.DataObject, content: bytes) -> bytes:
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    return content[:start] + data.draw(st.binary(max_size=40)) + content[end:]


def assert_within(answer: Observation, files: Mapping[str, bytes]) -> None:
    """Assert that reported ranges are in the files, and that records and regions do not overlap."""
    taken: dict[str, int] = {}
    reported = [(record.at.file, record.at.off, record.at.length) for record in answer.records]
    reported += [(region.file, region.off, region.length) for region in answer.dropped]
    for file, off, length in sorted(reported):
        assert taken.get(file, 0) <= off
        assert off + length <= len(files[file])
        taken[file] = off + length
