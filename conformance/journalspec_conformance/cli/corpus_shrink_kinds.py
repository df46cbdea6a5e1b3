"""``journalspec corpus shrink --kinds``: one state of every kind of failure in a build, made small."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import click
from rich.console import Console

from journalspec.files import making, replacing
from journalspec_conformance.cli._tables import show_table
from journalspec_corpus.case import Case
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.case_builder import as_case, case_of
from journalspec_corpus.crash.reading import named_reader
from journalspec_corpus.crash.reduction import Reduced, reduce_state
from journalspec_corpus.pipeline.failures import Place, Sample, places, plan_of, samples

_HEAD = (
    "stratum",
    "writer",
    "category",
    "reader",
    "verdict",
    "states",
    "records",
    "deviations",
    "preset",
    "case",
)


def shrink_kinds(directory: Path, name: str, out: Path | None, budget: int, *, as_json: bool) -> None:
    """Shrink one state of each kind, and print a table of what is left; `name` limits it to one reader.

    Raises NotThere if `directory` is no build, and LookupError for an unknown reader.
    """
    adapter = crash_format(plan_of(directory)["format"])
    if name and name not in adapter.readers:
        raise LookupError(f"no reader {name!r} in the build: choose one of {', '.join(adapter.readers)}")
    found = samples(directory, (name,) if name else adapter.readers)
    known = places(directory, {sample.case_id for sample in found})
    done: list[tuple[Sample, Place, Reduced]] = []
    with Console(stderr=True).status("shrinking") as status:
        for number, sample in enumerate(found, start=1):
            status.update(f"{number} of {len(found)}: {' '.join(sample.kind)}")
            place = known[sample.case_id]
            done.append((sample, place, _shrunk(place, sample, budget)))
    if out is not None:
        _write(out, done)
    if as_json:
        click.echo(json.dumps([_line(sample, shrunk) for sample, _, shrunk in done], indent=2))
    else:
        _show(done)


def _shrunk(place: Place, sample: Sample, budget: int) -> Reduced:
    reader = named_reader(place.adapter.format, sample.kind.reader)
    return reduce_state(
        place.adapter,
        place.workload,
        place.descriptor,
        reader.reader,
        sample.kind.verdict,
        salvaging=reader.salvaging,
        budget=budget,
    )


def _line(sample: Sample, shrunk: Reduced) -> dict[str, Any]:
    return {
        **sample.kind._asdict(),
        "states": sample.states,
        "records": shrunk.records,
        "deviations": shrunk.deviations,
        "earlier_deviations": shrunk.earlier,
        "preset": shrunk.descriptor.preset,
        "workload": shrunk.workload.name,
        "case": shrunk.state.case_id,
        "shrunk_from": sample.case_id.hex(),
        "tried": shrunk.tried,
        "minimal": shrunk.minimal,
    }


def _show(done: Sequence[tuple[Sample, Place, Reduced]]) -> None:
    lines = [_line(sample, shrunk) for sample, _, shrunk in done]
    show_table(list(_HEAD), [[str(line[name]) for name in _HEAD] for line in lines])
    if not lines:
        click.echo("no reader fails anywhere")
        return
    records, lost = ([line[name] for line in lines] for name in ("records", "deviations"))
    open_ = sum(not line["minimal"] for line in lines)
    click.echo(
        f"{len(lines)} kinds; median {median(records):g} records (at most {max(records)}), "
        f"median {median(lost):g} deviations (at most {max(lost)})"
        + (f"; for {open_} the budget ended first" if open_ else "")
    )


def _write(out: Path, done: Sequence[tuple[Sample, Place, Reduced]]) -> None:
    """Write both forms of each kind as cases, every case once."""
    cases: dict[str, Case] = {}
    for _, place, shrunk in done:
        for case in (case_of(place.adapter, place.state), as_case(place.adapter, shrunk)):
            cases.setdefault(case.id, case)
    with making(out) as folder, replacing(folder / "cases.jsonl") as stream:
        for case in cases.values():
            stream.write(json.dumps(case.to_json(), separators=(",", ":")) + "\n")
