"""Three descriptions of each format, on every case and every captured file: they say the same of every byte.

The reference says where headers and records stand; both kinds of schemas read the same there,
field by field, and find nothing sound in what it dropped. This holds for damaged journals too.
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
            cases = [case for case in load_cases(format_id, tier=tier) if case.write is None]
            if not cases and get_format(format_id).uncaptured and tier == "captured":
                continue
            yield pytest.param(format_id, cases, id=f"{format_id}-{tier}")


each_tier = pytest.mark.parametrize(("format_id", "cases"), list(read_cases()))


def read(case: Case) -> tuple[dict[str, bytes], Observation]:
    files = {name: bytes(data) for name, data in case.files().items()}
    return files, load(case.format).read(files, edition=case.edition, params=case.params)


@pytest.mark.parametrize("kind", KINDS)
@each_tier
def test_a_schema_reads_what_the_reference_reads(format_id: str, cases: list[Case], kind: str) -> None:
    taken: Counter[str] = Counter()
    for case in cases:
        files, wanted = read(case)
        seen = reread(format_id, kind, files, case.edition, wanted, case.params)
        assert seen.files == wanted.files, case.id
        assert list(seen.records) == list(wanted.records), case.id
        assert list(seen.unanchored) == list(wanted.unanchored), case.id
        taken[wanted.verdict] += len(wanted.records)
    assert taken[CLEAN] > 0


def record_at(format_id: str, kind: str, journal: Journal, region: Dropped) -> Plain:
    """Return the record that a schema has at the start of a region; raises SchemaError."""
    data = journal.files[region.file][: region.end]
    if whole := record_reader(format_id, kind):
        return whole(replace(journal, files={**journal.files, region.file: data}), region.file, region.off)
    return codec(format_id, kind).read("record", journal.edition, data, region.off, region.file)


@pytest.mark.parametrize("kind", KINDS)
@each_tier
def test_a_schema_takes_no_region_that_the_reference_drops(
    format_id: str, cases: list[Case], kind: str
) -> None:
    layout = format_module("journalspec", format_id).LAYOUT
    reasons = get_format(format_id).vocabulary.reasons
    for case in cases:
        files, seen = read(case)
        headers = {entry.file: entry.header for entry in seen.files}
        for region in seen.dropped:
            if reasons[region.reason].whole or region.length == len(files[region.file]):
                continue
            edition = layout.behind(case.edition, headers[region.file])
            with pytest.raises(SchemaError):
                record_at(format_id, kind, Journal(files, edition, case.params), region)


def places(tree: Any) -> tuple[list[tuple[int, int]], bool]:
    """Return (offset, end) of the records of a file as construct has it, and whether it looks behind gaps.

    In batches there is something between the last record of one and the first of the next.
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
    return entry.role in ("active", "passive", "data", "log", "old")


@each_tier
def test_the_schema_of_a_file_finds_its_records_and_builds_it_again(
    format_id: str, cases: list[Case]
) -> None:
    schemas = codec_of(format_id)
    for case in cases:
        files, seen = read(case)
        # A schema of a whole file knows no sizes but the usual ones.
        if seen.verdict != CLEAN or {"file_size", "page_size"} & case.params.keys():
            continue
        for entry in filter(is_log, seen.files):
            tree = schemas.decode(files[entry.file], case.edition, entry.file)
            found, behind_gaps = places(tree)
            wanted = [record.at for record in seen.records if record.at.file == entry.file]
            assert found == list(without_gap(wanted, behind_gaps)), case.id
            assert schemas.build(tree, case.edition) == files[entry.file]


def parsed_as(tree: Any, kind: tuple[type, ...]) -> Iterator[Any]:
    """Yield the parts of what Kaitai made of a file that are structures of these classes."""
    if isinstance(tree, kind):
        yield tree
    elif isinstance(tree, list):
        for item in tree:
            yield from parsed_as(item, kind)
    elif isinstance(tree, KaitaiStruct):
        for key, part in vars(tree).items():
            if not key.startswith("_"):
                yield from parsed_as(part, kind)


@pytest.mark.parametrize("format_id", described())
def test_the_ksy_alone_reads_whole_files(format_id: str) -> None:
    """As whoever takes the .ksy alone gets it: the records, where they stand back to back."""
    kaitai, taken = parsers.codec_of(format_id), Counter[str]()
    first: dict[str, int] = {}
    for case in load_cases(format_id):
        if case.write is not None or case.params:
            continue
        files, seen = read(case)
        for entry in filter(is_log, seen.files if seen.verdict == CLEAN else ()):
            wanted = [record.at for record in seen.records if record.at.file == entry.file]
            batched = "batches" in codec_of(format_id).decode(files[entry.file], case.edition, entry.file)
            back_to_back = len(wanted) == len(list(without_gap(wanted, batched)))
            if not wanted or seen.unanchored or not back_to_back:
                continue
            if wanted[0].off != first.setdefault(case.edition, wanted[0].off):
                continue
            tree = kaitai.whole(files[entry.file], case.edition, entry.file)
            heads = format_module("journalspec", format_id).LAYOUT.heads
            found = list(parsed_as(tree, tuple(kaitai.parser_of(name, case.edition) for name in heads)))
            assert len(found) == len(wanted), case.id
            taken[case.edition] += 1
    assert set(taken) == set(get_format(format_id).editions)


@pytest.mark.parametrize("format_id", described())
def test_a_file_cut_within_a_record_fits_no_schema(format_id: str) -> None:
    """Nothing is swallowed: a schema of a whole file ends at damage, not before it."""
    refused = 0
    for case in load_cases(format_id):
        if case.write is not None or case.params:
            continue
        files, seen = read(case)
        if seen.verdict != CLEAN or not seen.records:
            continue
        at = seen.records[0].at
        with pytest.raises(SchemaError):
            codec_of(format_id).decode(files[at.file][: at.off + at.length - 1], case.edition, at.file)
        refused += 1
        if refused == 50:
            break
    assert refused > 0
