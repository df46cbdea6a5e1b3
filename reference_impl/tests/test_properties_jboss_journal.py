"""Properties of the JBoss journal reference on drawn journals, and agreement of all descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from journalspec.jboss_journal import kaitai, schema
from journalspec.observation import VERDICTS, Observation, Record
from journalspec.schemas import SchemaError
from journalspec_corpus.jboss_journal.naive import searched
from journalspec_corpus.strategies import DrawnJournal, faults, journals
from journalspec_reference.api import load
from journalspec_reference.storage import MemoryStorage

FORMAT = "jboss_journal"
EDITIONS = ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e")
POLICIES = ("strict", "salvage")
REFERENCE = load(FORMAT)

#: The same examples in every run: a failure here is a failure everywhere.
STEADY = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
each_edition = pytest.mark.parametrize("edition", EDITIONS)


def as_json(records: Iterable[Record]) -> list[Any]:
    return [record.to_json() for record in records]


def comparable(seen: Observation) -> dict[str, Any]:
    """Return the observation with its notes in an order of their own."""
    out = seen.to_json()
    out["notes"] = sorted(
        ((note["code"], note.get("file"), note.get("off")) for note in out["notes"]), key=str
    )
    return out


@each_edition
@STEADY
@given(data=st.data())
def test_what_was_written_is_read_and_recovered(edition: str, data: st.DataObject) -> None:
    journal = data.draw(journals(FORMAT, edition))
    seen = REFERENCE.read(journal.files, edition=edition)
    assert seen.verdict == "clean"
    assert as_json(seen.records) == as_json(journal.records)
    assert seen.state == journal.state
    for policy in POLICIES:
        outcome = REFERENCE.recover(journal.files, edition=edition, policy=policy)
        assert outcome.verdict == "clean"
        assert as_json(outcome.records) == as_json(journal.recovered)
        assert outcome.state == journal.state


@each_edition
@STEADY
@given(data=st.data())
def test_all_three_descriptions_agree(edition: str, data: st.DataObject) -> None:
    journal = data.draw(journals(FORMAT, edition))
    reference = comparable(REFERENCE.read(journal.files, edition=edition))
    assert comparable(schema.parse(journal.files, edition)) == reference
    assert comparable(kaitai.parse(journal.files, edition)) == reference
    for name, content in journal.files.items():
        assert schema.build(schema.decode(content, edition, name), edition) == content


@each_edition
@STEADY
@given(data=st.data())
def test_the_plainest_reader_finds_the_same_places(edition: str, data: st.DataObject) -> None:
    """Every offset looked at, one rule per line, no shared code: also on damaged files."""
    fault = data.draw(faults(data.draw(journals(FORMAT, edition))))
    seen = REFERENCE.recover(fault.files, edition=edition, policy="salvage")
    left_out = {region.file for region in seen.dropped if region.off == 0}
    for name, content in fault.files.items():
        if name not in left_out:
            found = [(record.at.off, record.at.length) for record in seen.records if record.at.file == name]
            plain = searched(name, content, edition).records
            assert found == [(record["at"]["off"], record["at"]["len"]) for record in plain]


@each_edition
@STEADY
@given(data=st.data())
def test_any_prefix_of_the_last_file_gives_the_records_that_are_whole_in_it(
    edition: str, data: st.DataObject
) -> None:
    journal = data.draw(journals(FORMAT, edition))
    assume(journal.records)
    last = journal.records[-1].at.file
    content = journal.files[last]
    header = schema_header(edition)
    kept = content[: data.draw(st.integers(header, len(content)))]
    outcome = REFERENCE.recover({**journal.files, last: kept}, edition=edition, policy="salvage")
    whole = [r for r in journal.records if r.at.file != last or r.at.off + r.at.length <= len(kept)]
    assert as_json(outcome.records) == as_json(whole)


def schema_header(edition: str) -> int:
    return 16 if edition in ("v1", "v2", "v2e") else 4


@each_edition
@STEADY
@given(data=st.data())
def test_a_single_fault_is_noticed_or_known_to_be_beyond_notice(edition: str, data: st.DataObject) -> None:
    journal = data.draw(journals(FORMAT, edition))
    fault = data.draw(faults(journal))
    strict = REFERENCE.recover(fault.files, edition=edition, policy="strict")
    if fault.strict == "refused":
        assert strict.verdict == "refused"
        assert (strict.records, strict.state) == ((), None)
    elif fault.strict == "same":
        assert as_json(strict.records) == as_json(journal.recovered)
        assert strict.state == journal.state
    salvaged = iter(as_json(REFERENCE.recover(fault.files, edition=edition, policy="salvage").records))
    for record in fault.intact:
        assert record.to_json() in salvaged, "a record that the fault did not touch is lost"


@each_edition
@STEADY
@given(data=st.data())
def test_schemas_refuse_what_the_reference_does_not_call_clean(edition: str, data: st.DataObject) -> None:
    fault = data.draw(faults(data.draw(journals(FORMAT, edition))))
    seen = REFERENCE.read(fault.files, edition=edition)
    for description in (schema, kaitai):
        try:
            parsed = comparable(description.parse(fault.files, edition))
        except SchemaError:
            assert seen.verdict != "clean"
        else:
            assert parsed == comparable(seen)


@each_edition
@STEADY
@given(data=st.data())
def test_recovering_twice_changes_nothing(edition: str, data: st.DataObject) -> None:
    journal = data.draw(journals(FORMAT, edition))
    copy = {name: bytes(bytearray(content)) for name, content in journal.files.items()}
    first = REFERENCE.recover(journal.files, edition=edition)
    assert dict(journal.files) == copy, "recovery wrote to its input"
    assert REFERENCE.recover(journal.files, edition=edition).to_json() == first.to_json()
    # And through a writer that opens and closes the journal in between, twice.
    storage = MemoryStorage(dict(journal.files))
    for _ in range(2):
        reopened(journal, storage)
        again = REFERENCE.recover(dict(storage.files), edition=edition)
        assert again.verdict == "clean"
        assert first.state is not None
        assert again.state is not None
        assert again.state["live"] == first.state["live"]
        assert again.state["prepared"] == first.state["prepared"]
        assert again.state["discarded"] == [], "what had no end is rolled back"


def reopened(journal: DrawnJournal, storage: MemoryStorage) -> None:
    name, content = next(iter(journal.files.items()))
    prefix, _, extension = name.partition("-data-")[0] + "-data", "", name.rpartition(".")[2]
    size = max(len(content), 1024)
    params = {"prefix": prefix, "extension": extension, "file_size": str(size)}
    writer = REFERENCE.writer(storage, edition=journal.edition, params=params)
    writer.apply({"op": "open"})
    writer.apply({"op": "close"})


@each_edition
@STEADY
@given(data=st.data())
def test_no_bytes_make_the_reader_raise(edition: str, data: st.DataObject) -> None:
    names = data.draw(
        st.lists(
            st.sampled_from(["activemq-data-1.amq", "jbm-data-2.jbm", "journal-rename-control.ctr", "x"]),
            max_size=3,
            unique=True,
        )
    )
    files: dict[str, bytes] = {name: data.draw(st.binary(max_size=200)) for name in names}
    if data.draw(st.booleans()):
        journal = data.draw(journals(FORMAT, edition))
        files = {name: spliced(data, content) for name, content in journal.files.items()}
    REFERENCE.detect(files)
    list(REFERENCE.spans(files, edition=edition))
    answers = [REFERENCE.read(files, edition=edition)]
    answers += [REFERENCE.recover(files, edition=edition, policy=policy) for policy in POLICIES]
    for answer in answers:
        assert answer.verdict in VERDICTS
        assert (answer.verdict == "refused") == (answer.phase is not None and answer.code is not None)
        assert_within(answer, files)


def spliced(data: st.DataObject, content: bytes) -> bytes:
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    return content[:start] + data.draw(st.binary(max_size=40)) + content[end:]


def assert_within(answer: Observation, files: Mapping[str, bytes]) -> None:
    """Assert that what is reported lies in the files, each byte in one record or region at most."""
    taken: dict[str, int] = {}
    places_ = [(record.at.file, record.at.off, record.at.length) for record in answer.records]
    places_ += [(region.file, region.off, region.length) for region in answer.dropped]
    for file, off, length in sorted(places_):
        assert taken.get(file, 0) <= off
        assert off + length <= len(files[file])
        taken[file] = off + length
