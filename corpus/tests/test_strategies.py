"""The public strategies draw the documented values, in every edition and for every kind of fault."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from journalspec.formats import UnknownFormat, get_format
from journalspec_corpus.draws import formats_with_draws
from journalspec_corpus.strategies import KINDS, DrawnJournal, faults, journals

FORMATS = [*formats_with_draws()]
EDITIONS = [(format_id, edition) for format_id in FORMATS for edition in get_format(format_id).editions]
QUICK = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def test_unknown_format_and_edition_are_named() -> None:
    with pytest.raises(UnknownFormat, match="no format 'nonsense'"):
        journals("nonsense")
    with pytest.raises(UnknownFormat, match="no edition '99'"):
        journals(FORMATS[0], "99")


@pytest.mark.parametrize(("format_id", "edition"), EDITIONS)
@QUICK
@given(data=st.data())
def test_drawn_journal_is_consistent(format_id: str, edition: str, data: st.DataObject) -> None:
    journal = data.draw(journals(format_id, edition))
    assert (journal.format, journal.edition) == (format_id, edition)
    assert journal.files.keys() == journal.before.keys()
    for name, content in journal.files.items():
        assert len(content) == len(journal.before[name])
    for record in journal.records:
        assert 0 <= record.at.off < record.at.off + record.at.length <= len(journal.files[record.at.file])
    assert set(map(id, journal.recovered)) <= set(map(id, journal.records))
    told = get_format(format_id).vocabulary.state
    assert set(journal.state) == {item.name for item in told if not item.editions or edition in item.editions}
    for field in journal.fields:
        assert field.off + field.length <= len(journal.files[field.file])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format_id", FORMATS)
@QUICK
@given(data=st.data())
def test_fault_changes_only_its_range(format_id: str, kind: str, data: st.DataObject) -> None:
    editions = st.sampled_from(sorted(get_format(format_id).editions))
    journal = data.draw(editions.flatmap(lambda edition: journals(format_id, edition)))
    if kind == "pointer" and not journal.pointers:
        with pytest.raises(ValueError, match="no pointer"):
            faults(journal, (kind,))
        return
    fault = data.draw(faults(journal, (kind,)))
    for name, content in journal.files.items():
        if name != fault.file:
            assert fault.files[name] == content
    damaged, sound = fault.files[fault.file], journal.files[fault.file]
    assert damaged[: fault.off] == sound[: fault.off]
    if kind != "truncation":
        assert damaged[fault.off + fault.length :] == sound[fault.off + fault.length :]
    if fault.strict == "open":
        assert fault.why, "a fault that may go unnoticed says why"
    assert set(map(id, fault.intact)) <= set(map(id, journal.recovered))


def test_drawn_faults_have_every_verdict() -> None:
    """Each possible result of strict recovery (same, refused, open) occurs in the drawn faults."""
    seen: dict[str, Any] = {}

    @settings(QUICK, max_examples=60, phases=(Phase.generate,))
    @given(st.data())
    def collect(data: st.DataObject) -> None:
        fault = data.draw(faults(data.draw(journals(FORMATS[0]))))
        seen.setdefault(fault.strict, fault)

    collect()
    assert seen.keys() == {"same", "refused", "open"}


@settings(QUICK, max_examples=1)
@given(journals(FORMATS[0]))
def test_unknown_kind_of_fault_is_refused(journal: DrawnJournal) -> None:
    with pytest.raises(ValueError, match="no such kind of fault: nonsense"):
        faults(journal, ("nonsense",))
