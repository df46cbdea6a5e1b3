"""``journalspec list``, ``show`` and ``materialize``: commands that show the corpus."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import accumulate, takewhile
from pathlib import Path
from typing import Any

import click

from journalspec.files import shown
from journalspec.requirements import requirements
from journalspec_conformance.cli import _options
from journalspec_conformance.cli._tables import say, say_all, show_table, there_already
from journalspec_conformance.errors import Problem
from journalspec_conformance.selection import cases_of, find, probes_of
from journalspec_corpus import Case, CaseError
from journalspec_corpus.case import write_files
from journalspec_corpus.flags import load_flags
from journalspec_reference import load
from journalspec_reference.hexdump import plain

#: `show` omits the dump of a file that is larger than this (bytes).
DUMP_LIMIT = 1 << 20
#: A text in an operation or an answer is truncated to this length. The length is in characters of JSON, where
#: one letter may take twelve characters.
LONGEST_TEXT = 200


@click.command("list", epilog=_options.EXIT_STATUS)
@_options.selection()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per probe.")
def list_command(
    tier: str, formats: tuple[str, ...], select: tuple[str, ...], cases: tuple[Path, ...], as_json: bool
) -> None:
    """List the probes of the corpus: each case with its questions."""
    probes = probes_of(cases_of(tier, formats, cases, select=select), select)
    if as_json:
        for probe in probes:
            members = {"probe": probe.id, "edition": probe.case.edition, "title": _title(probe.case)}
            say(json.dumps(members | {"requirements": list(probe.case.requirements)}))
        return
    rows = [[p.id, p.case.edition, p.case.stratum, p.case.level, _title(p.case)] for p in probes]
    show_table(["probe", "edition", "stratum", "level", "title"], rows)


def _title(case: Case) -> str:
    return f"{case.title}: {case.fault}" if case.fault else case.title


@click.command("show", epilog=_options.EXIT_STATUS)
@click.argument("case_id", metavar="CASE")
@click.option(
    "--cases", multiple=True, type=_options.FILE, metavar="FILE", help="Search in FILE, not in the tiers."
)
@click.option("--json", "as_json", is_flag=True, help="The case in its published form.")
@click.option("--no-hex", is_flag=True, help="Omit the bytes.")
def show_command(case_id: str, cases: tuple[Path, ...], as_json: bool, no_hex: bool) -> None:
    """Show CASE (a case or probe id): its bytes, the questions, and the permitted answers."""
    case = find(case_id.partition("/")[0], cases)
    if as_json:
        say(json.dumps(case.to_json()))
        return
    say_all(_story(case))
    if not no_hex:
        say_all(_dumps(case))


def _story(case: Case) -> Iterator[str]:
    yield f"{case.id}: {case.title}"
    yield f"  {case.format}, edition {case.edition}, tier {case.tier}, stratum {case.stratum}, {case.level}"
    yield f"  category {case.category}; needs {', '.join(case.needs) or 'nothing'}"
    origin = case.origin
    how = " ".join(part for part in (origin.kind, origin.base, origin.how) if part)
    yield f"  origin: {how}; checked by {', '.join(origin.checked_by) or 'none'}"
    known = {item.id: item for item in requirements(case.format)}
    for verb, names in (("obeys", case.obeys), ("breaks", case.breaks)):
        for name in names:
            text = known[name].text if name in known else "(unknown)"
            yield from _block(f"{verb} {name}: {text}")
    flags = load_flags(case.format)
    for name in case.flags:
        yield from _block(f"flag {name}: {flags[name].effect if name in flags else '(unknown)'}")
    if case.write is not None:
        yield "writes:"
        yield from (f"  {number}: {_line(op)}" for number, op in enumerate(case.write["ops"]))
    for probe in case.probes:
        yield f"asked: {probe.id}"
        for index, entry in enumerate(probe.expect):
            yield "  permitted:" if index == 0 else "  or:"
            yield from _answer(entry)


def _block(text: str) -> list[str]:
    return textwrap.wrap(" ".join(text.split()), 110, initial_indent="  ", subsequent_indent="    ")


def _answer(entry: Mapping[str, Any]) -> Iterator[str]:
    for name, value in entry.items():
        if name == "when":
            continue
        if isinstance(value, list) and value:
            yield f"    {name}:"
            yield from (f"      {_line(item)}" for item in value)
        else:
            yield f"    {name}: {value if isinstance(value, str) else _line(value)}"


def _line(value: Any) -> str:
    return json.dumps(_cut(value))


def _cut(value: Any) -> Any:
    """Return a value with its texts truncated to a readable length. `--json` prints them completely."""
    if isinstance(value, str):
        ends = accumulate(len(json.dumps(letter)) - len('""') for letter in value)
        fitting = sum(1 for _ in takewhile(lambda end: end <= LONGEST_TEXT, ends))
        return value if fitting == len(value) else f"{value[:fitting]}... ({len(value)} letters)"
    if isinstance(value, dict):
        return {name: _cut(item) for name, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value


def _dumps(case: Case) -> Iterator[str]:
    files = case.files()
    for name, data in files.items():
        yield f"{name}: {len(data)} bytes"
        if len(data) <= DUMP_LIMIT:
            spans = load(case.format).spans(files, edition=case.edition)
            yield from (f"  {line}" for line in plain(data, spans, name))


@click.command("materialize", epilog=_options.EXIT_STATUS)
@click.argument("directory", type=_options.FILE, metavar="DIR")
@_options.selection()
def materialize_command(
    directory: Path, tier: str, formats: tuple[str, ...], select: tuple[str, ...], cases: tuple[Path, ...]
) -> None:
    """Write the journal of every selected case to DIR/CASE, with the case itself next to it as CASE.json."""
    probes = probes_of(cases_of(tier, formats, cases, select=select), select)
    every = {probe.case.id: probe.case for probe in probes}
    chosen = [case for case in every.values() if not case.fault]
    try:
        with _nothing_left(directory) as made:
            for case in chosen:
                _write(case, directory, made)
    except FileExistsError as error:
        raise there_already(error) from None
    except (OSError, CaseError) as error:
        raise Problem(f"{shown(str(directory))} cannot be written: {shown(str(error))}") from None
    say(f"{len(chosen)} {'case' if len(chosen) == 1 else 'cases'} in {directory}")
    for case in every.values():
        if case.fault:
            say(f"quarantined, and not written: {case.id}: {case.fault}", err=True)
    raise click.exceptions.Exit(int(len(chosen) < len(every)))


@contextmanager
def _nothing_left(directory: Path) -> Iterator[list[Path]]:
    """Create `directory`, and provide a list to which the caller adds created paths.

    After an exception, these paths are removed, and `directory` if it was new.
    """
    new = [path for path in (directory, *directory.parents) if not path.exists()]
    made: list[Path] = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        yield made
    except BaseException:
        for path in made:
            with suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in new:
            with suppress(OSError):
                path.rmdir()
        raise


def _write(case: Case, root: Path, made: list[Path]) -> None:
    """Write a case below `root`. The JSON file is written last. If it exists, the journal's files are
    complete.

    The paths that it creates are appended to `made`.
    """
    case.check_names()
    directory = root / case.id
    directory.mkdir()
    made.append(directory)
    write_files(directory, ((file.path, file.pieces()) for file in case.input.files))
    name = f"{case.id}.json"
    write_files(root, [(name, [json.dumps(case.to_json(), indent=1).encode() + b"\n"])])
    made.append(root / name)
