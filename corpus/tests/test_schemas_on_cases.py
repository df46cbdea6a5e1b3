"""Three descriptions of each format, on every case and every captured file: they say the same of every byte.

The reference says where headers and records stand; both kinds of schemas read the same there,
field by field, and find nothing sound in what it dropped. This holds for damaged journals too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from kaitaistruct import KaitaiStruct

from journalspec import parsers
from journalspec.elements import codec_of
from journalspec.formats import format_module, get_format
from journalspec.observation import CLEAN, At, FileMap, Observation
from journalspec.schemas import KINDS, SchemaError, codec, described, reread
from journalspec_corpus import Case, load_cases
from journalspec_reference import load


def read_cases() -> Iterator[Any]:
    for format_id in described():
        for tier in ("smoke", "captured"):
            cases = [case for case in load_cases(format_id, tier=tier) if case.write is None]
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
        seen = reread(format_id, kind, files, case.edition, wanted)
        assert seen.files == wanted.files, case.id
        assert list(seen.records) == list(wanted.records), case.id
        assert list(seen.unanchored) == list(wanted.unanchored), case.id
        taken[wanted.verdict] += len(wanted.records)
    assert taken[CLEAN] > 0


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
            data = files[region.file]
            if reasons[region.reason].whole or region.length == len(data):
                continue
            edition = layout.behind(case.edition, headers[region.file])
            with pytest.raises(SchemaError):
                codec(format_id, kind).read("record", edition, data[: region.end], region.off, region.file)


def places(tree: Any) -> tuple[list[tuple[int, int]], bool]:
    """Return (offset, end) of the records of a file as construct has it, and whether it looks behind gaps.

    In batches there is something between the last record of one and the first of the next.
    """
    pieces = [piece.record for piece in tree.get("pieces", ())]
    batched = [record for batch in tree.get("batches", ()) for run in batch.runs for record in run.records]
    return [(item.off, item.end) for item in pieces or batched or tree.get("records", ())], bool(
        {"pieces", "batches"} & set(tree)
    )


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
        if seen.verdict != CLEAN or "file_size" in case.params:
            continue
        for entry in filter(is_log, seen.files):
            tree = schemas.decode(files[entry.file], case.edition, entry.file)
            found, behind_gaps = places(tree)
            wanted = [record.at for record in seen.records if record.at.file == entry.file]
            assert found == list(without_gap(wanted, behind_gaps)), case.id
            assert schemas.build(tree, case.edition) == files[entry.file]


def parsed_as(tree: Any, kind: type) -> Iterator[Any]:
    """Yield the parts of what Kaitai made of a file that are structures of one class."""
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
            found = list(parsed_as(tree, kaitai.parser_of("record", case.edition)))
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
