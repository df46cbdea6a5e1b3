"""Writes the text about a failed probe, for the person who repairs the implementation.

The text contains the title, the requirements, the consequences of a violation, the first difference, the
annotated bytes around it, and a command that repeats the probe.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from journalspec.files import shown
from journalspec.requirements import requirements
from journalspec_conformance.compare import Claims, closest
from journalspec_conformance.result import Result
from journalspec_conformance.wording import beside, spelled
from journalspec_corpus import Case
from journalspec_corpus.flags import load_flags
from journalspec_reference import load
from journalspec_reference.hexdump import Head, lines, text_of

WIDTH = 110
#: The number of bytes shown before and after the place of the difference.
AROUND = 48
#: More digits than any offset has (a signed 64-bit number has 19).
DIGITS = 20
#: At most this many lines of bytes and of standard error are shown.
DUMP_LINES = 24
STDERR_LINES = 20
#: At most this many rows of the two answers are shown.
ANSWER_LINES = 40
#: At most this many requirements are shown. Some cases have dozens, which would make the failure hard to
#: find.
MOST_REQUIREMENTS = 6
#: At most this many characters of a value are shown.
MOST_LETTERS = 2000


def explain(result: Result, case: Case, target: str) -> str:
    """Return the failure text of `result`; `target` is the user's value of ``--impl``."""
    label = " ".join(part for part in (result.result_class, result.fingerprint) if part)
    parts = [f"{label}: {result.probe}", *_wrap(result.title), *_wrap(result.reason)]
    if result.result_class == "quarantined":
        return "\n".join(parts)  # The case's format and requirements may be invalid.
    parts += _requirement_lines(case)
    parts += _flag_lines(case)
    parts += difference_lines(result)
    parts += _answer_lines(result, case)
    parts += dump_lines(result, case)
    parts += ["repeat:", f"  {reproduce(result.probe, target, case.tier)}"]
    parts += stderr_lines(result.stderr)
    return "\n".join(shown(part) for part in parts)


def reproduce(probe: str, target: str, tier: str, more: str = "") -> str:
    """Return the command that runs `probe` alone, with `more` options."""
    option = ("" if tier == "smoke" else f" --tier {tier}") + more
    return f"journalspec run --impl {shlex.quote(target)}{option} --select {shlex.quote(probe)} --details"


def _wrap(text: str, indent: str = "  ") -> list[str]:
    lines_ = " ".join(text.split())
    return textwrap.wrap(lines_, WIDTH, initial_indent=indent, subsequent_indent=indent)


def _requirement_lines(case: Case) -> Iterator[str]:
    known = {item.id: item for item in requirements(case.format)}
    found = [known[name] for name in case.requirements if name in known]
    if found:
        yield "requirements:"
    for item in found[:MOST_REQUIREMENTS]:
        yield from _wrap(f"{item.id} ({item.level}): {item.text}")
    if len(found) > MOST_REQUIREMENTS:
        yield f"  and {len(found) - MOST_REQUIREMENTS} more: journalspec show {case.id}"


def _flag_lines(case: Case) -> Iterator[str]:
    known = load_flags(case.format)
    found = [known[name] for name in case.flags if name in known]
    if found:
        yield "if this is mishandled:"
    for flag in found:
        yield from _wrap(f"{flag.name}: {flag.effect}")


def difference_lines(result: Result) -> Iterator[str]:
    """Yield lines on the first difference of the answer."""
    difference = result.difference
    if difference is None:
        return
    yield f"first difference, at {difference['where']}:"
    yield from _wrap(f"expected {spelled(difference['expected'], MOST_LETTERS)}", "    ")
    yield from _wrap(f"observed {spelled(difference['observed'], MOST_LETTERS)}", "    ")


def _answer_lines(result: Result, case: Case) -> Iterator[str]:
    probe = next((probe for probe in case.probes if probe.id == result.probe), None)
    if result.answer is None or probe is None or probe.op == "write":
        return
    yield "the complete answer beside the expected answer:"
    nearest, _ = closest(probe.expect, result.answer, Claims())
    yield from (f"  {line}" for line in beside(probe.expect[nearest], result.answer, ANSWER_LINES))


def dump_lines(result: Result, case: Case) -> list[str]:
    """Return the bytes around the place of the difference."""
    at: Mapping[str, Any] = (result.difference or {}).get("at") or {}
    content = case.files().get(at.get("file", ""))
    if content is None or case.write is not None:
        return []
    off = min(_number(at.get("off"), 0), len(content))
    stop = min(off + _number(at.get("len"), 1), len(content))
    dump = list(_window(content, case, at["file"], max(0, off - AROUND), stop + AROUND))
    if len(dump) > DUMP_LINES:
        dump = [*dump[:DUMP_LINES], f"... {len(dump) - DUMP_LINES} more lines"]
    return [f"{at['file']} around offset {off}:", *(f"  {line}" for line in dump)]


def _number(value: object, otherwise: int) -> int:
    """Return a number from an answer, or `otherwise` if the value is not a number."""
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < DIGITS else otherwise


def _window(content: bytes, case: Case, file: str, begin: int, end: int) -> Iterator[str]:
    """Yield the annotated dump of the rows that overlap [begin, end), each region with its title."""
    spans = load(case.format).spans({**case.files()}, edition=case.edition)
    title: Head | None = None
    for line in lines(content, spans, file):
        if isinstance(line, Head):
            title = line
            continue
        if line.off + line.length <= begin:
            continue
        if line.off >= end:
            return
        if title is not None:
            yield from text_of(title)
            title = None
        yield from text_of(line)


def stderr_lines(stderr: str) -> Iterator[str]:
    """Yield the last part of standard error."""
    tail = stderr.rstrip().splitlines()[-STDERR_LINES:]
    if tail:
        yield "standard error ends with:"
    for line in tail:
        yield f"  | {line[:400]}"
