"""Bring an expectation file up to date with a report, keeping what people wrote in it.

The file is cut into blocks (an entry with the comments above it), each block
is edited by itself, and the blocks are sorted by case. New entries get a
reason that the lint refuses until a person has replaced it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import tomlkit
from tomlkit.items import AoT

from journalspec_conformance.errors import Problem
from journalspec_conformance.expect import TODO, parse_toml
from journalspec_conformance.patterns import matches
from journalspec_conformance.result import Result

_HEADER = re.compile(r"^\s*\[\[\s*expect\s*\]\]", re.MULTILINE)
_FAILED = frozenset({"fail", "crash", "timeout", "error"})


@dataclass(frozen=True, slots=True)
class Update:
    """The new text, and what was done to which cases."""

    text: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


def update(text: str, results: Iterable[Result], source: str = "the file") -> Update:
    """Return `text` brought up to date with `results`; raises Problem if it cannot be taken apart."""
    preamble, blocks = _cut(text, source)
    by_probe = {result.probe: result for result in results}
    kept, removed, changed = _revise(blocks, by_probe)
    covered = [case for case, _ in kept]
    new = [result for result in by_probe.values() if _needs_entry(result, covered)]
    kept += [(result.probe, _new_block(result)) for result in new]
    kept.sort(key=lambda block: block[0])
    parts = [part.strip("\n") for part in (preamble, *(body for _, body in kept))]
    out = "\n\n".join(part for part in parts if part) + "\n"
    tomllib.loads(out)
    return Update(out, tuple(sorted(result.probe for result in new)), tuple(removed), tuple(changed))


def _cut(text: str, source: str) -> tuple[str, list[tuple[str, str]]]:
    """Return (preamble, [(case, block text)]); a block begins with the comments right above its header."""
    whole = parse_toml(text, source).get("expect", [])
    lines = text.splitlines(keepends=True)
    starts = []
    for number, line in enumerate(lines):
        if _HEADER.match(line):
            while number > 0 and lines[number - 1].lstrip().startswith("#"):
                number -= 1  # noqa: PLW2901 - the comment block above belongs to the entry
            starts.append(number)
    ends = [*starts[1:], len(lines)]
    bodies = ["".join(lines[at:end]) for at, end in zip(starts, ends, strict=False)]
    try:
        found = [tomllib.loads(body)["expect"][0] for body in bodies]
    except (tomllib.TOMLDecodeError, KeyError):
        found = []
    if found != whole:
        raise Problem(
            f"{source}: the entries cannot be told apart; write each as [[expect]] on a line of its own"
        )
    preamble = "".join(lines[: starts[0]] if starts else lines)
    return preamble, [(str(entry.get("case", "")), body) for entry, body in zip(found, bodies, strict=True)]


def _revise(
    blocks: list[tuple[str, str]], by_probe: Mapping[str, Result]
) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """Drop entries of which everything passes, correct literal entries that fail in another way."""
    kept, removed, changed = [], [], []
    for case, body in blocks:
        about = [result for probe, result in by_probe.items() if matches(case, probe)]
        if about and all(result.result_class == "fixed" for result in about):
            removed.append(case)
            continue
        single = by_probe.get(case)
        if single is not None and single.result_class in _FAILED:
            changed.append(case)
            kept.append((case, _corrected(body, single)))
        else:
            kept.append((case, body))
    return kept, removed, changed


def _corrected(body: str, result: Result) -> str:
    document = tomlkit.parse(body)
    entries = document["expect"]
    if not isinstance(entries, AoT):
        raise AssertionError("_cut made sure that this is an array of tables")
    entry = entries[0]
    entry["outcome"] = result.result_class
    if result.fingerprint:
        entry["fingerprint"] = result.fingerprint
    elif "fingerprint" in entry:
        del entry["fingerprint"]
    return tomlkit.dumps(document)


def _needs_entry(result: Result, covered: list[str]) -> bool:
    return result.result_class in _FAILED and not any(matches(case, result.probe) for case in covered)


def _new_block(result: Result) -> str:
    entry = tomlkit.table()
    entry["case"] = result.probe
    entry["outcome"] = result.result_class
    if result.fingerprint:
        entry["fingerprint"] = result.fingerprint
    entry["why"] = f"{TODO}: {' '.join(result.reason.split())[:160]}"
    entries = tomlkit.aot()
    entries.append(entry)
    document = tomlkit.document()
    document["expect"] = entries
    return tomlkit.dumps(document)
