"""What `inspect` and `recover` share: finding journals, and writing about them for people."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from journalspec.formats import Format, UnknownFormat, get_format
from journalspec.observation import REFUSED, Dropped, Note, Observation, Record
from journalspec_reference.filesets import FilesetError, Journal, Loaded, find_journals, load

#: What can be painted on a line: text, or text with a rich style.
Part = str | tuple[str, str]

VERDICT_STYLES = {"clean": "bold green", "recovered": "bold yellow", "refused": "bold red"}
MIN_FIELDS = 28
#: So many records that do not count are told one by one.
MOST_TOLD = 40


class UsageProblem(click.ClickException):
    """Exit status 2: nothing was read, because the question could not be understood."""

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}\n  hint: {hint}" if hint else message)


class Painter:
    """Lines for people: styled on a terminal, bare text in a pipe, never more than asked."""

    def __init__(self) -> None:
        # Names in a journal may hold anything; the terminal may be able to show little.
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
        self.console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
        self.columns = max(40, self.console.width)

    def line(self, *parts: Part) -> None:
        """Write one line made of `parts`."""
        if self.console.is_terminal:
            self.console.print(Text.assemble(*parts), soft_wrap=True)
        else:
            text = "".join(part if isinstance(part, str) else part[0] for part in parts)
            sys.stdout.write(text.rstrip() + "\n")

    def wrapped(self, first: str, text: str, style: str = "") -> None:
        """Write `text` behind `first`, continued under itself."""
        indent = " " * len(first)
        room = self.columns - len(first)
        pieces = textwrap.wrap(text, max(room, MIN_FIELDS), break_on_hyphens=False) or [""]
        for number, piece in enumerate(pieces):
            self.line(indent if number else (first, style), piece)

    def panel(self, title: str, fields: Mapping[str, object]) -> None:
        """Write a box with one field a line."""
        width = max((len(name) for name in fields), default=0)
        body = "\n".join(f"{name:<{width}}  {value_text(value)}" for name, value in fields.items())
        self.console.print(
            Panel(Text(body or "(no header)"), title=Text(title), title_align="left", expand=False)
        )


def shown(text: str) -> str:
    """Return `text` with everything escaped that could steer a terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def value_text(value: object) -> str:
    """Return a field's value for people: bytes in hex, lists with commas, a dash for nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex() or "-"
    if isinstance(value, Mapping):
        return " ".join(f"{key} {value_text(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(value_text(item) for item in value) or "-"
    return shown(str(value)) or '""'


def find(path: Path, format_id: str | None, edition: str | None) -> tuple[Loaded, list[Journal]]:
    """Return the files at `path` and the journals among them; raises UsageProblem with a hint."""
    try:
        loaded = load(path)
        journals = find_journals(loaded, format_id, edition)
    except FilesetError as error:
        raise UsageProblem(str(error), error.hint) from None
    except UnknownFormat as error:
        raise UsageProblem(str(error)) from None
    for left_out in loaded.left_out:
        click.echo(f"warning: {shown(left_out.name)} was left out: {left_out.why}", err=True)
    return loaded, journals


def tagged(journal: Journal, path: Path, observation: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON object of one journal: what it is, where, and the observation."""
    return {"format": journal.format, "edition": journal.edition, "path": str(path), **observation}


def as_document(journals: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one journal's object itself, several under ``journals``."""
    return dict(journals[0]) if len(journals) == 1 else {"journals": list(journals)}


def write_title(out: Painter, journal: Journal, path: Path, seen: Observation) -> None:
    """Write what the journal is and what came of it."""
    description = get_format(journal.format)
    title = description.edition(journal.edition).title
    names = ", ".join(shown(name) for name in journal.files) or "no files"
    out.line((f"{description.title}", "bold"), f" ({journal.format}, edition {journal.edition}: {title})")
    out.wrapped("path     ", shown(str(path)))
    out.wrapped("files    ", names)
    out.line("verdict  ", (seen.verdict, VERDICT_STYLES.get(seen.verdict, "")))
    if seen.verdict == REFUSED:
        write_refusal(out, description, seen)


def write_refusal(out: Painter, description: Format, seen: Observation) -> None:
    """Write what was refused, where and why."""
    meaning = description.codes.get(seen.code or "") or description.reasons.get(seen.code or "", "")
    out.wrapped("what     ", shown(seen.message) or f"{seen.phase}: {seen.code}")
    if seen.at is not None:
        size = f"{seen.at.length} bytes"
        out.wrapped("where    ", f"file {shown(seen.at.file)}, offset {seen.at.off} ({size} from there)")
    reason = description.reasons.get(seen.code or "", "")
    out.wrapped("why      ", f"{seen.phase}/{seen.code}: {reason or meaning}")


def write_records(out: Painter, records: Sequence[Record]) -> None:
    """Write a table of records; fields that are the same in all of them are said once."""
    if not records:
        return
    common = _common(records)
    if common:
        text = ", ".join(f"{name} {value_text(value)}" for name, value in common.items())
        out.wrapped("  in every record: ", text)
    widths = [
        max(6, *(len(str(record.at.off)) for record in records)),
        max(6, *(len(str(record.at.length)) for record in records)),
        max(4, *(len(record.type) for record in records)),
    ]
    head = f"  {'offset':>{widths[0]}}  {'length':>{widths[1]}}  {'type':<{widths[2]}}  fields"
    out.line((head, "dim"))
    for record in records:
        first = (
            f"  {record.at.off:>{widths[0]}}  {record.at.length:>{widths[1]}}"
            f"  {shown(record.type):<{widths[2]}}  "
        )
        fields = (
            f"{name} {value_text(value)}" for name, value in record.fields.items() if name not in common
        )
        out.wrapped(first, "; ".join(fields))


def _common(records: Sequence[Record]) -> dict[str, object]:
    """Return the fields that have one value in all of several records."""
    if len(records) < 3:  # with fewer, repeating them is shorter
        return {}
    common = dict(records[0].fields)
    for record in records:
        for name in list(common):
            if name not in record.fields or record.fields[name] != common[name]:
                del common[name]
        if not common:
            break
    return common


def write_dropped(out: Painter, description: Format, dropped: Iterable[Dropped]) -> None:
    """Write the byte ranges that hold no record, and what the reason means."""
    for region in dropped:
        first = f"  dropped {region.off}..{region.off + region.length} ({region.length} bytes) "
        out.wrapped(first, f"{region.reason}: {description.reasons.get(region.reason, '')}", "yellow")


def write_outside(out: Painter, description: Format, seen: Observation) -> None:
    """Write what stands outside the log, and what that means for the state that is told below."""
    lost = seen.given_up
    rest = len(seen.unanchored) - len(lost)
    if lost:
        kinds = ", ".join(f"{count} {name}" for name, count in Counter(item.type for item in lost).items())
        they = "It does" if len(lost) == 1 else "They do"
        below = "" if seen.state is None else ", and the state below may be incomplete or wrong"
        told = f"{_valid(len(lost))} outside the log, in what could not be used: {kinds}."
        told += f" {they} not count{below}:"
        out.wrapped("", told, "bold yellow")
        for record in lost[:MOST_TOLD]:
            out.wrapped("  - ", _one(description, record))
        if len(lost) > MOST_TOLD:
            out.line(f"  - and {len(lost) - MOST_TOLD} more, which `journalspec inspect` lists")
    if rest:
        out.wrapped("", f"{_valid(rest)} behind the end of the log, where records of no account are normal")


def _valid(count: int) -> str:
    return "1 valid record stands" if count == 1 else f"{count} valid records stand"


def _one(description: Format, record: Record) -> str:
    """Return what a record is, whose, and where it stands."""
    whose = [
        f"{name} {value_text(record.fields[name])}" for name in description.identity if name in record.fields
    ]
    return f"{shown(record.type)} {', '.join(whose)} (file {shown(record.at.file)}, offset {record.at.off})"


def write_state(out: Painter, description: Format, state: Mapping[str, object] | None) -> None:
    """Write each entry of the logical state with the sentence that explains it."""
    if state is None:
        return
    out.line(("state after recovery", "bold"))
    for name, value in state.items():
        items = value if isinstance(value, (list, tuple)) else [value]
        text = f"{len(items)}" if isinstance(value, (list, tuple)) else value_text(value)
        explained = description.state.get(name, "")
        out.wrapped(f"  {name}: ", f"{text}  ({explained})" if explained else text)
        if isinstance(value, (list, tuple)):
            for item in items:
                out.wrapped("    - ", value_text(item))


def write_notes(out: Painter, description: Format, notes: Sequence[Note]) -> None:
    """Write the notes, each kind explained once."""
    if not notes:
        return
    out.line(("notes", "bold"))
    by_code: dict[str, list[Note]] = {}
    for note in notes:
        by_code.setdefault(note.code, []).append(note)
    for code, several in by_code.items():
        out.wrapped(f"  {code}: ", description.notes.get(code, ""), "cyan")
        for note in several:
            if note.file or note.text:
                where = shown(note.file) + ("" if note.off is None else f" at {note.off}")
                out.wrapped("    - ", " ".join(part for part in (where, shown(note.text)) if part))
