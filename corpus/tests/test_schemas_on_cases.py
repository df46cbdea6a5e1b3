"""Three descriptions of each format agree on every byte of every case and captured file.

The reference reports the places of headers and records. Both kinds of schemas read the same values at these
places, field by field, and find no record in dropped bytes. This also holds for damaged journals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from kaitaistruct import KaitaiStruct

from journalspec import parsers
from journalspec.elements import codec_of
from journalspec.formats import format_module, get_format
from journalspec.observation import CLEAN, At, Dropped, FileMap, Observation
from journalspec.schemas import KINDS, Journal, Plain, SchemaError, codec, described, record_reader, reread
from journalspec_corpus import Case, load_cases
from journalspec_reference import load


def read_cases() -> Iterator[Any]:
    for format_id in described():
        for tier in ("smoke", "captured"):
            if tier == "smoke" or not get_format(format_id).uncaptured:
                yield pytest.param(format_id, tier, id=f"{format_id}-{tier}")


#: Bytes of an earlier generation can look like a current record. A reader distinguishes them; a schema
#: cannot.
RESEMBLING = {"JBM-RDR-025", "JBM-RDR-026"}


@pytest.mark.parametrize(("format_id", "tier"), list(read_cases()))
def test_reference_and_both_schemas_read_the_same_fields(format_id: str, tier: str) -> None:
    found = load_cases(format_id, tier=tier)[:: 1 if tier == "smoke" else 2]
    cases = [case for case in found if case.write is None]
    records, whole, cut = 0, Counter[str](), 0
    first: dict[str, int] = {}
    for case in cases:
        files = {name: bytes(data) for name, data in case.files().items()}
        seen = load(format_id).read(files, edition=case.edition, params=case.params)
        for kind in KINDS:
            assert_read_again(case, kind, files, seen)
            assert_taken_nowhere(case, kind, files, seen)
        if seen.verdict != CLEAN:
            continue
        records += len(seen.records)
        if RESEMBLING & {*case.obeys}:
            continue
        # A schema of a whole file supports only the default sizes.
        if not {"file_size", "page_size"} & case.params.keys():
            assert_built_again(case, files, seen)
        if not case.params:
            whole[case.edition] += read_whole(case, files, seen, first)
            if seen.records and cut < 50:
                cut += 1
                assert_ends_at_damage(case, files, seen.records[0].at)
    assert records > 0
    if cases[0].tier == "smoke":
        assert {edition for edition, count in whole.items() if count} == set(get_format(format_id).editions)


def assert_read_again(case: Case, kind: str, files: dict[str, bytes], wanted: Observation) -> None:
    seen = reread(case.format, kind, files, case.edition, wanted, case.params)
    assert seen.files == wanted.files, case.id
    assert list(seen.records) == list(wanted.records), case.id
    assert list(seen.unanchored) == list(wanted.unanchored), case.id


def record_at(format_id: str, kind: str, journal: Journal, region: Dropped) -> Plain:
    """Return the record that a schema reads at the start of a region; raises SchemaError."""
    data = journal.files[region.file][: region.end]
    if whole := record_reader(format_id, kind):
        return whole(replace(journal, files={**journal.files, region.file: data}), region.file, region.off)
    return codec(format_id, kind).read("record", journal.edition, data, region.off, region.file)


#: Valid values of a record depend on the number of pages in another file, which no schema of the log reads.
OF_THE_STORE = "SMQ-LOG-027"


def assert_taken_nowhere(case: Case, kind: str, files: dict[str, bytes], seen: Observation) -> None:
    """Assert that a schema, like the reference, finds no record at the start of a dropped region."""
    reasons = get_format(case.format).vocabulary.reasons
    headers = {entry.file: entry.header for entry in seen.files}
    for region in seen.dropped:
        if reasons[region.reason].whole or region.length == len(files[region.file]):
            continue
        if [*case.breaks] == [OF_THE_STORE]:
            continue
        layout = format_module("journalspec", case.format).LAYOUT
        edition = layout.behind(case.edition, headers[region.file])
        with pytest.raises(SchemaError):
            record_at(case.format, kind, Journal(files, edition, case.params), region)


def places(tree: Any) -> tuple[list[tuple[int, int]], bool]:
    """Return two values: the (offset, end) of each record that construct finds in a file, and whether the
    schema continues after gaps.

    Other bytes lie between the last record of a batch and the first one of the next.
    """
    pieces = [piece.record for piece in tree.get("pieces", ())]
    batched = [record for batch in tree.get("batches", ()) for run in batch.runs for record in run.records]
    start = [tree.start] if tree.get("start") else []
    found = [*start, *(pieces or batched or tree.get("records", ()))]
    return [(item.off, item.end) for item in found], bool({"pieces", "batches"} & set(tree))


def without_gap(found: list[At], behind_gaps: bool) -> Iterator[tuple[int, int]]:
    end = found[0].off if found else 0
    for place in found:
        if place.off > end and not behind_gaps:
            return
        end = place.off + place.length
        yield place.off, end


def is_log(entry: FileMap) -> bool:
    # A Derby file that is shorter than its header contains no structure of the schema.
    is_short = entry.role == "old" and not entry.header
    return entry.role in ("active", "passive", "data", "log", "old") and not is_short


def assert_built_again(case: Case, files: dict[str, bytes], seen: Observation) -> None:
    """Assert that the schema of a whole file finds its records, and builds the file byte for byte."""
    schemas = codec_of(case.format)
    for entry in filter(is_log, seen.files):
        tree = schemas.decode(files[entry.file], case.edition, entry.file)
        found, behind_gaps = places(tree)
        wanted = [record.at for record in seen.records if record.at.file == entry.file]
        assert found == list(without_gap(wanted, behind_gaps)), case.id
        assert schemas.build(tree, case.edition) == files[entry.file]


def assert_ends_at_damage(case: Case, files: dict[str, bytes], at: At) -> None:
    """Assert that a schema of a whole file refuses a file that is cut within a record."""
    with pytest.raises(SchemaError):
        codec_of(case.format).decode(files[at.file][: at.off + at.length - 1], case.edition, at.file)


def parsed_as(tree: Any, kind: tuple[type, ...]) -> Iterator[Any]:
    """Yield those parts of Kaitai's result for a file that are structures of these classes."""
    if isinstance(tree, kind):
        yield tree
    elif isinstance(tree, list):
        for item in tree:
            yield from parsed_as(item, kind)
    elif isinstance(tree, KaitaiStruct):
        for key, part in vars(tree).items():
            if not key.startswith("_"):
                yield from parsed_as(part, kind)


def read_whole(case: Case, files: dict[str, bytes], seen: Observation, first: dict[str, int]) -> int:
    """Read files by the .ksy alone, if no bytes lie between records; return the number of such files."""
    kaitai, taken = parsers.codec_of(case.format), 0
    for entry in filter(is_log, seen.files):
        wanted = [record.at for record in seen.records if record.at.file == entry.file]
        batched = "batches" in codec_of(case.format).decode(files[entry.file], case.edition, entry.file)
        back_to_back = len(wanted) == len(list(without_gap(wanted, batched)))
        if not wanted or seen.unanchored or not back_to_back:
            continue
        if wanted[0].off != first.setdefault(case.edition, wanted[0].off):
            continue
        tree = kaitai.whole(files[entry.file], case.edition, entry.file)
        heads = format_module("journalspec", case.format).LAYOUT.heads
        found = list(parsed_as(tree, tuple(kaitai.parser_of(name, case.edition) for name in heads)))
        assert len(found) == len(wanted), case.id
        taken += 1
    return taken
