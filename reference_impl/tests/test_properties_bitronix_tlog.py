"""Properties of the Bitronix reference on drawn journals, and agreement of all descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from journalspec.bitronix_tlog import kaitai, schema
from journalspec.observation import VERDICTS, Observation, Record
from journalspec.schemas import SchemaError
from journalspec_corpus.strategies import DrawnJournal, faults, journals
from journalspec_reference.api import load
from journalspec_reference.storage import MemoryStorage

FORMAT = "bitronix_tlog"
EDITIONS = ("seed", "2.1", "3.0", "nio")
DISK = ("2.1", "3.0")
POLICIES = ("strict", "salvage")
REFERENCE = load(FORMAT)

#: The same examples in every run: a failure here is a failure everywhere.
STEADY = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
each_edition = pytest.mark.parametrize("edition", EDITIONS)


def as_json(records: Iterable[Record]) -> list[Any]:
    return [record.to_json() for record in records]


def without_forensics(seen: Observation) -> dict[str, Any]:
    """Return the observation without what only a forensic reader is asked for."""
    out = seen.to_json()
    out.pop("unanchored", None)
    notes = (note for note in out["notes"] if note["code"] != "unanchored")
    out["notes"] = sorted(((note["code"], note.get("file"), note.get("off")) for note in notes), key=str)
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
    reference = without_forensics(REFERENCE.read(journal.files, edition=edition))
    assert without_forensics(schema.parse(journal.files, edition)) == reference
    assert without_forensics(kaitai.parse(journal.files, edition)) == reference
    for name, content in journal.files.items():
        assert schema.build(schema.decode(content, edition, name), edition) == content


@pytest.mark.parametrize("edition", DISK)
@STEADY
@given(data=st.data())
def test_a_tail_on_a_record_boundary_gives_exactly_the_records_before_it(
    edition: str, data: st.DataObject
) -> None:
    journal = data.draw(journals(FORMAT, edition))
    (place,) = (field for field in journal.pointers if field.file == journal.state["active"])
    for count, record in enumerate(journal.recovered):
        moved = with_tail(journal, place.file, record.at.off)
        for policy in POLICIES:
            outcome = REFERENCE.recover(moved, edition=edition, policy=policy)
            assert as_json(outcome.records) == as_json(journal.recovered[:count])


@pytest.mark.parametrize("edition", DISK)
@STEADY
@given(data=st.data())
def test_salvage_of_any_tail_within_the_log_gives_a_prefix(edition: str, data: st.DataObject) -> None:
    journal = data.draw(journals(FORMAT, edition))
    assume(journal.recovered)
    active = journal.recovered[0].at.file
    last = journal.recovered[-1].at
    tail = data.draw(st.integers(21, last.off + last.length))
    outcome = REFERENCE.recover(with_tail(journal, active, tail), edition=edition, policy="salvage")
    whole = [record for record in journal.recovered if record.at.off + record.at.length <= tail]
    assert as_json(outcome.records) == as_json(whole)


def with_tail(journal: DrawnJournal, name: str, tail: int) -> Mapping[str, bytes]:
    content = journal.files[name]
    return {**journal.files, name: content[:13] + tail.to_bytes(8, "big") + content[21:]}


@pytest.mark.parametrize("edition", ["seed", "nio"])
@STEADY
@given(data=st.data())
def test_salvage_of_any_byte_prefix_gives_a_prefix(edition: str, data: st.DataObject) -> None:
    journal = data.draw(journals(FORMAT, edition))
    ((name, content),) = journal.files.items()
    kept = content[: data.draw(st.integers(1024 if edition == "nio" else 0, len(content)))]
    outcome = REFERENCE.recover({name: kept}, edition=edition, policy="salvage")
    whole = [record for record in journal.recovered if record.at.off + record.at.length <= len(kept)]
    assert as_json(outcome.records) == as_json(whole)


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
        assert strict.verdict == "clean"
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
            parsed = without_forensics(description.parse(fault.files, edition))
        except SchemaError:
            assert seen.verdict != "clean"
        else:
            assert parsed == without_forensics(seen)


@each_edition
@STEADY
@given(data=st.data())
def test_recovering_twice_changes_nothing(edition: str, data: st.DataObject) -> None:
    journal = data.draw(journals(FORMAT, edition))
    copy = {name: bytes(bytearray(content)) for name, content in journal.files.items()}
    first = REFERENCE.recover(journal.files, edition=edition)
    assert dict(journal.files) == copy, "recovery wrote to its input"
    assert REFERENCE.recover(journal.files, edition=edition).to_json() == first.to_json()
    # And through a writer that opens and closes the journal in between.
    storage = MemoryStorage(dict(journal.files))
    writer = REFERENCE.writer(storage, edition=edition, params={"files": ",".join(journal.files)})
    writer.apply({"op": "open"})
    writer.apply({"op": "close"})
    again = REFERENCE.recover(dict(storage.files), edition=edition)
    assert again.verdict == "clean"
    assert again.state == first.state


@each_edition
@STEADY
@given(data=st.data())
def test_no_bytes_make_the_reader_raise(edition: str, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(["btm1.tlog", "btm2.tlog", "x"]), max_size=3, unique=True))
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
    places = [(record.at.file, record.at.off, record.at.length) for record in answer.records]
    places += [(region.file, region.off, region.length) for region in answer.dropped]
    for file, off, length in sorted(places):
        assert taken.get(file, 0) <= off
        assert off + length <= len(files[file])
        taken[file] = off + length
