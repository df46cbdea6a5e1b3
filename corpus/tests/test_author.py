"""The author modules of all formats: products and the reference accept the journals that these modules
build.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import confirmed
import pytest
import recorded
from publish import collect

from journalspec.formats import format_ids, format_module, get_format
from journalspec.observation import jsonable
from journalspec.schemas import described
from journalspec_corpus import load_cases
from journalspec_corpus.edits import Built
from journalspec_reference import load

#: Records that use every feature. A format without an entry is tested with the bases of its authored cases.
WRITTEN: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "data" / "written_records.toml").read_text(encoding="utf-8")
)


def base_of(format_id: str, records: list[Any], edition: str) -> dict[str, Any]:
    """Return the author's description of a journal with these records."""
    if file := WRITTEN[format_id].get("file"):
        return {"files": [{**file, "records": records}]}
    return {"records": records, "fill": "2e"} | ({"size": 1024} if edition in ("2.1", "3.0") else {})


CASES = Path(__file__).resolve().parents[1] / "cases"
EDITIONS = [(name, edition) for name in format_ids() for edition in get_format(name).editions]
each_edition = pytest.mark.parametrize(("format_id", "edition"), EDITIONS)


def written(format_id: str, edition: str) -> Built:
    if format_id not in WRITTEN:
        return first_base(format_id, edition)
    known = WRITTEN[format_id]
    words = known.get("words", {})
    words = words.get(edition, words.get("*", ()))
    records = [record.format(*words) if isinstance(record, str) else record for record in known["records"]]
    built: Built = author(format_id).build(base_of(format_id, records, edition), edition)
    return built


def first_base(format_id: str, edition: str) -> Built:
    """Return the first base journal of an edition in the format's authored cases."""
    usual = get_format(format_id).default_edition
    groups = [
        tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted((CASES / format_id).glob("*.toml"))
    ]
    bases = [
        base
        for group in groups
        for base in group.get("base", ())
        if edition
        in ([base["edition"]] if "edition" in base else [group.get("edition", usual), *group.get("also", ())])
    ]
    assert bases, f"corpus/cases/{format_id} has no [[base]] of edition {edition}"
    built: Built = author(format_id).build(bases[0], edition)
    return built


def author(format_id: str) -> Any:
    return format_module("journalspec_corpus", format_id).author


@each_edition
def test_reference_reads_the_records_that_the_author_module_lists(format_id: str, edition: str) -> None:
    """Two independent descriptions of the format agree on the bytes, the checksums and the fields."""
    built = written(format_id, edition)
    seen = load(format_id).read(built.content(), edition=edition)
    assert [record.to_json() for record in seen.records] == jsonable(list(built.records.values()))


@pytest.mark.parametrize(("format_id", "edition"), [each for each in EDITIONS if each[0] in described()])
def test_labels_cover_every_byte_of_headers_and_records_once(format_id: str, edition: str) -> None:
    """Only zeros of an alignment or a page, and the fill after the records, have no label."""
    built = written(format_id, edition)
    # A batch has its own header. The labels of complete batches and of complete pages end in `.whole`. The
    # end marker of a log can have the label `.marker`.
    wholes = [name.removesuffix(".whole") for name in built.labels if name.endswith(".whole")]
    owners = tuple(f"{name}." for name in (*built.records, *wholes, "f1.header", "f2.header"))
    # The labels of its fields cover all bytes of a page entry.
    groups = {name.rpartition(".")[0] for name in built.labels} - set(built.records)
    covered = Counter(
        (spot.file, off)
        for name, spot in built.labels.items()
        if (name.startswith(owners) and not name.endswith(".whole") and name not in groups)
        or name == "f1.marker"
        for off in range(spot.off, spot.end)
    )
    assert set(covered.values()) == {1}
    # A store of pages has no label `f1.log`, so the longest range, a whole file, takes its place.
    paged = "f1.log" not in built.labels
    log = max(built.labels.values(), key=lambda spot: spot.length) if paged else built.labels["f1.log"]
    fill = 0 if "f1.marker" in built.labels else ord(".")
    left = [pair for pair in enumerate(built.files[log.file]) if (log.file, pair[0]) not in covered]
    assert all(byte == (0 if off < log.end else fill) for off, byte in left)
    assert paged or not wholes or all(off >= log.end for off, _ in left)


@pytest.mark.parametrize("format_id", format_ids())
def test_every_edition_has_enough_cases(format_id: str) -> None:
    share = Counter(case.edition for case in load_cases(format_id))
    assert set(share) == set(get_format(format_id).editions)
    assert min(share.values()) >= (WRITTEN[format_id]["least"] if format_id in WRITTEN else 1)


@pytest.mark.real
def test_products_that_confirm_a_case_are_those_with_the_recorded_outcome() -> None:
    outcomes = Path(__file__).resolve().parents[2].parent / "shared" / "real" / confirmed.FORMAT / "outcomes"
    if not (outcomes / recorded.INPUTS).is_file():
        pytest.skip(f"needs {outcomes}")
    sources = Path(__file__).resolve().parents[1]
    committed = sources / "cases" / confirmed.FORMAT / "judged.toml"
    found = confirmed.table(outcomes, collect(confirmed.FORMAT, sources)["smoke"])
    assert confirmed.render(found) == committed.read_text(encoding="utf-8")
