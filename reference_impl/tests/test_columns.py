"""Plans and columns of all formats: a scan and a read give equal objects and equal Arrow arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from journalspec.files import shown
from journalspec.formats import format_ids
from journalspec.observation import REFUSED
from journalspec_corpus.case import Case
from journalspec_corpus.draws import drawn_cases
from journalspec_corpus.load import load_cases
from journalspec_reference import load
from journalspec_reference.batches import ReadingRefused, Stretch

#: Fields whose columns contain the stored form, and fields that have a column for each member.
NESTED = {
    "derby_log": {"header", "table", "rows", "global_id"},
    "jboss_journal": {"pairs"},
    "kahadb_journal": {"destination", "transaction"},
    "swiftmq_store": {"actions"},
}


def cases(format_id: str) -> Iterator[Case]:
    yield from drawn_cases(format_id, 7, range(120))
    yield from (case for case in load_cases(format_id)[::40] if case.input.files and case.write is None)


def plain(value: Any) -> Any:
    """Return a value in the form that it has in an array."""
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return shown(value) if isinstance(value, str) else value


@pytest.mark.parametrize("format_id", format_ids())
def test_records_of_a_plan_equal_those_of_a_read(format_id: str) -> None:
    implementation, compared = load(format_id), 0
    for case in cases(format_id):
        asked: dict[str, Any] = {"edition": case.edition, "params": case.params}
        seen = implementation.read(case.files(), **asked)
        plan = implementation.plan(case.files(), **asked)
        try:
            found = [(part, batch) for part in plan for batch in part.scan()]
        except ReadingRefused:
            assert seen.verdict == REFUSED, case.id
            continue
        assert [each for part, batch in found for each in part.tell(batch)] == list(seen.records), case.id
        if seen.verdict != REFUSED:
            regions = [
                (part.file, start, end - start, why)
                for part, batch in found
                for start, end, why in batch.damage
            ]
            told = [(each.file, each.off, each.length, each.reason) for each in seen.dropped]
            assert sorted(regions) == sorted(told), case.id
        compared += len(seen.records)
    assert compared > 100


def planned(plan: Iterable[Stretch]) -> Iterator[Stretch]:
    """Yield the ranges of a plan, up to the place where reading refuses."""
    with suppress(ReadingRefused):
        yield from plan


@pytest.mark.parametrize("format_id", format_ids())
def test_columns_equal_the_fields_of_records(format_id: str) -> None:
    pytest.importorskip("pyarrow", reason="PyArrow is missing: pip install 'journalspec[corpus]'")
    from journalspec_reference.arrow import array, columns_of, type_of

    kinds = {name: type_of(kind) for name, kind in columns_of(format_id).items()}
    nested, compared = NESTED.get(format_id, set()), 0
    for case in cases(format_id):
        for part in planned(load(format_id).plan(case.files(), edition=case.edition, params=case.params)):
            for batch in part.scan():
                if not len(batch) or part.columns is None:
                    continue
                columns = part.columns(batch)
                found = {
                    name: array(each, kinds[name], batch.data).to_pylist() for name, each in columns.items()
                }
                for row, record in enumerate(part.tell(batch)):
                    assert found["type"][row] == record.type
                    for name, value in record.fields.items():
                        if name not in nested:
                            assert found[name][row] == plain(value), (case.id, name)
                            compared += 1
    assert compared > 200


@pytest.mark.parametrize(
    ("stored", "alias"),
    [("i8", "int64"), ("u4", "uint32"), ("i4", "int64"), ("f8", "double"), ("?", "bool"), ("O", "string")],
)
@pytest.mark.parametrize("count", [0, 1, 9])
def test_masked_values_are_null(stored: str, alias: str, count: int) -> None:
    np, pa = pytest.importorskip("numpy"), pytest.importorskip("pyarrow")
    from journalspec_reference.arrow import array

    values: list[Any] = [f"text {number}" if stored == "O" else number % 2 for number in range(count)]
    # The values of the column are not adjacent in memory.
    column = np.ma.masked_array(
        np.repeat(np.array(values, stored), 2)[::2], [number == 0 for number in range(count)]
    )
    found = array(column, pa.type_for_alias(alias), b"")
    found.validate(full=True)
    assert found.type == pa.type_for_alias(alias)
    assert found.to_pylist() == [None, *values[1:]][:count]
