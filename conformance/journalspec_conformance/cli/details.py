"""What is written about a journal entry by entry instead of on a screen: files, records, notes, bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import merge
from itertools import groupby, islice

from journalspec.files import shown
from journalspec.formats import Format
from journalspec.observation import (
    REFUSED,
    Dropped,
    FileMap,
    Level,
    Missing,
    Note,
    Observation,
    Record,
    record_place,
    region_place,
)
from journalspec.reread import LISTS, by_file, files_of
from journalspec_conformance.cli.journal_view import (
    MOST_BYTES,
    SAID,
    STRICT,
    VERDICT_STYLES,
    Painter,
    Part,
    refused_by_recovery,
    value_text,
)
from journalspec_conformance.cli.summary import kept, next_steps
from journalspec_reference import hexdump
from journalspec_reference.answers import CHANGED, IN_USE, UNCHECKED
from journalspec_reference.api import Span, spans_by_file
from journalspec_reference.api import load as load_implementation
from journalspec_reference.filesets import Journal, LeftOut, by_reason

#: Colours by field name would need to know the format; by kind and turn they do not.
KIND_STYLES = {"header": "cyan", "dropped": "red", "stale": "yellow", "fill": "dim", "unused": "dim"}
TURNS = ("green", "blue", "magenta", "bright_green", "bright_blue", "bright_magenta")
#: This many records outside the result, or entries within an entry, are reported one by one.
MOST_TOLD = 40
BARE_KINDS = ("stale", "fill", "unused")


#: Parts of an answer in full, and those that a level has.
RECORDS, FILES, STATE, NOTES, HEX = "records", "files", "state", "notes", "hex"
WHOLE = {
    Level.VERDICT: frozenset[str](),
    Level.RECORDS: frozenset({RECORDS}),
    Level.STATE: frozenset({RECORDS, STATE}),
    Level.LAYOUT: frozenset({RECORDS, FILES, STATE, NOTES}),
    Level.CONTENTS: frozenset({RECORDS, FILES, STATE, NOTES}),
}


def write_journal(out: Painter, part: Part, parts: AbstractSet[str]) -> None:
    """Write parts of what reading found."""
    journal, seen, description = part.answer.journal, part.answer.observation, part.description
    write_title(out, part)
    # A record may be intact, and of no use to a product.
    if refusal := refused_by_recovery(part.answer, redact=part.place.asked.redact):
        told = f"{STRICT} refuses, {refusal.phase}/{refusal.code}: {shown(refusal.message)}"
        out.wrapped("recovery ", f"{told} (`journalspec recover` shows what to do)", "bold yellow")
    if HEX in parts:
        _write_dump(out, journal)
    elif parts & {RECORDS, FILES}:
        _write_files(out, description, journal, seen, parts)
    if parts & {FILES, HEX}:
        _write_missing(out, description, seen.missing)
    if parts & {STATE, HEX} and seen.state is not None:
        lost = seen.given_up if parts & {FILES, HEX} else ()
        if lost:
            out.line("")
            _write_outside(out, description, seen, lost)
        out.line("")
        _write_state(out, description, seen.state)
    if parts & {NOTES, HEX}:
        write_notes(out, description, seen.notes)


def _write_files(
    out: Painter, description: Format, journal: Journal, seen: Observation, parts: AbstractSet[str]
) -> None:
    """Write a table of each file: what it is, its records, and what is not a record."""
    records = by_file(record_place, seen.records)
    beside = by_file(record_place, seen.unanchored)
    dropped = by_file(region_place, seen.dropped)
    entries = {entry.file: entry for entry in seen.files}
    for name, spans in spans_by_file(journal.files, _spans(journal, fields=False) if FILES in parts else ()):
        out.line("")
        if FILES not in parts:
            out.line((shown(name), "bold"))
            _write_counted(out, records(name))
            continue
        entry = entries.get(name) or FileMap(name, len(journal.files[name]), "unknown")
        out.line((f"{shown(name)}: {entry.length} bytes, {entry.role}", "bold"))
        fields = {**entry.header, **entry.content}
        width = max(map(len, fields), default=0)
        for field, value in fields.items():
            out.wrapped(f"  {field:<{width}}  ", value_text(value))
        if RECORDS in parts:
            _write_counted(out, records(name))
        else:
            out.line(f"  {len(records(name))} record(s)")
        _write_dropped(out, description, dropped(name))
        outside = beside(name)
        for span in _untold(spans, records(name), outside):
            fill = hexdump.uniform(journal.files[name], span.off, span.length)
            content = span.value if fill is None else f"all {fill:02x}"
            text = (
                f"  {span.kind} {span.off}..{span.off + span.length} ({span.length} bytes) {shown(content)}"
            )
            out.line((text, KIND_STYLES.get(span.kind, "")))
        if outside:
            out.line((f"  {len(outside)} valid record(s) outside the log, not part of the state:", "yellow"))
            _write_records(out, outside)


def _write_counted(out: Painter, records: Sequence[Record]) -> None:
    out.line(f"  {len(records)} record(s)")
    _write_records(out, records)


def _spans(journal: Journal, *, fields: bool) -> Iterator[Span]:
    spans = load_implementation(journal.format).spans
    return spans(journal.files, edition=journal.edition, params=journal.params, fields=fields)


def _untold(spans: Iterable[Span], *records: Iterable[Record]) -> Iterator[Span]:
    """Yield the ranges that hold no record and were not dropped either; `records` are reported otherwise.

    All are of one file, each in offset order.
    """
    told = merge(*records, key=lambda record: record.at.off)
    at = -1
    for span in spans:
        if span.kind not in BARE_KINDS or not span.length:
            continue
        # Only what is stale may be reported as a record too.
        while span.kind == "stale" and at < span.off and (record := next(told, None)) is not None:
            at = record.at.off
        if span.kind != "stale" or at != span.off:
            yield span


def _write_dump(out: Painter, journal: Journal) -> None:
    for name, spans in spans_by_file(journal.files, _spans(journal, fields=True)):
        data = journal.files[name]
        out.line("")
        out.line((f"== {shown(name)}: {len(data)} bytes", "bold"))
        turns: dict[str, str] = {}
        for line in hexdump.lines(data, spans, name):
            if isinstance(line, hexdump.Head):
                out.line((hexdump.head_text(line), f"bold {KIND_STYLES.get(line.kind, 'green')}"))
            elif isinstance(line, hexdump.Fold):
                out.line((hexdump.fold_text(line), "dim"))
            else:
                _write_row(out, line, turns)


def _write_row(out: Painter, row: hexdump.Row, turns: dict[str, str]) -> None:
    beside, below = hexdump.notes(row.labels, out.columns)
    if out.on_terminal:
        blank = " " * (len(hexdump.hex_cells(b"")) - 3 * len(row.data) + 2)
        text = hexdump.text_cells(row.data).ljust(hexdump.WIDTH + 2 if beside else 0)
        out.line((f"{row.off:08x}", "dim"), "  ", *_coloured(row, turns), blank, text, beside)
    else:
        out.line(hexdump.row_text(row, beside))
    for line in below:
        out.line((line, "italic"))


def _coloured(row: hexdump.Row, turns: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the cells of a row, one piece a field; `turns` gives each field name its colour."""
    cells = zip(row.data, row.kinds, row.paths, strict=True)
    for (kind, path), group in groupby(cells, key=lambda cell: cell[1:]):
        name = path.rpartition(".")[2].partition("[")[0]
        style = KIND_STYLES.get(kind) or turns.setdefault(name, TURNS[len(turns) % len(TURNS)])
        yield "".join(f"{byte:02x} " for byte, _, _ in group), style


def write_outcome(out: Painter, part: Part, policy: str, level: Level) -> None:
    """Write what recovery made of a journal, as far as a level has it."""
    asked, answer, description = part.place.asked, part.answer, part.description
    seen = answer.observation
    write_title(out, part)
    out.wrapped("policy   ", f"{policy}: {description.policies[policy]}")
    if seen.verdict != REFUSED and level < Level.LAYOUT:
        if level >= Level.RECORDS:
            out.line(f"records  {len(seen.records)} counted")
        if level >= Level.STATE:
            out.line("")
            _write_state(out, description, seen.state)
        return
    lost = seen.given_up
    if seen.verdict == REFUSED:
        kept_by = kept(answer, policy, redact=False)[1]
        for line in next_steps(asked, answer, "recover", policy, kept_by, doubtful=False):
            if line.startswith("  "):
                out.line(f"         {line}")
            else:
                out.wrapped("next     ", line)
        if seen.unanchored:
            out.line("")
            _write_outside(out, description, seen, lost)
    else:
        out.line(f"records  {len(seen.records)} counted")
        dropped = by_file(region_place, seen.dropped)
        for name in files_of(region_place, seen.dropped):
            out.line(f"lost in {shown(name)}:")
            _write_dropped(out, description, dropped(name))
        _write_missing(out, description, seen.missing)
        if seen.unanchored:
            out.line("")
            _write_outside(out, description, seen, lost)
        out.line("")
        _write_doubt(out, description, seen, lost)
        _write_state(out, description, seen.state)
    write_notes(out, description, seen.notes)


def write_title(out: Painter, part: Part) -> None:
    """Write what the journal is, what was assumed, what was not read, and what came of it."""
    answer, description = part.answer, part.description
    journal, seen = answer.journal, answer.observation
    title = description.edition(journal.edition).title
    # A title tells whose files they are; where other editions read alike, nothing does.
    edition = f"{journal.edition}, assumed" if answer.trials else f"{journal.edition}: {title}"
    names = ", ".join(shown(name) for name in journal.files) or "no files"
    out.line((f"{description.title}", "bold"), f" ({journal.format}, edition {edition})")
    if told := answer.assumption or journal.evidence:
        out.wrapped("edition  ", told, "cyan")
    out.wrapped("path     ", shown(str(part.place.asked)))
    out.wrapped("files    ", names)
    for why, names in by_reason(journal.unread).items():
        out.wrapped("not read ", shown(f"{names}: {why}"), "red")
    out.line("verdict  ", (seen.verdict, VERDICT_STYLES.get(seen.verdict, "")))
    changed = [LeftOut(note.file or "", CHANGED) for note in seen.notes if note.code == CHANGED]
    for names in by_reason(changed).values():
        told = f"the journal changed during the read: {shown(names)}; the answer may mix old and new content"
        out.wrapped("         ", told, "bold yellow")
    for note in seen.notes:
        if note.code == IN_USE:
            told = f"{note.text} has a lock on {note.file}: the product is running"
            out.wrapped("in use   ", shown(told), "bold yellow")
        if note.code == UNCHECKED:
            out.wrapped("         ", f"no check covers {note.text}")
    if seen.verdict == REFUSED:
        _write_refusal(out, description, seen)


def _write_refusal(out: Painter, description: Format, seen: Observation) -> None:
    """Write what was refused, where and why."""
    code = seen.code or ""
    meaning = description.meaning("reasons", code) or description.meaning("codes", code)
    out.wrapped("what     ", shown(seen.message) or f"{seen.phase}: {seen.code}")
    if seen.at is not None:
        size = f"{seen.at.length} bytes"
        out.wrapped("where    ", f"file {shown(seen.at.file)}, offset {seen.at.off} ({size} from there)")
    out.wrapped("why      ", f"{seen.phase}/{seen.code}: {meaning}")


def _write_records(out: Painter, records: Sequence[Record]) -> None:
    """Write a table of records; fields that are the same in all of them are said once."""
    if not records:
        return
    common, widths = _columns(records)
    if common:
        text = ", ".join(f"{name} {value_text(value)}" for name, value in common.items())
        out.wrapped("  in every record: ", text)
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


def _columns(records: Sequence[Record]) -> tuple[dict[str, object], tuple[int, int, int]]:
    """Return the fields that have one value in all of several records, and how wide the columns are."""
    off = length = 0
    types: set[str] = set()
    common: dict[str, object] | None = None
    for record in records:
        off, length = max(off, record.at.off), max(length, record.at.length)
        types.add(record.type)
        if common is None:
            common = dict(record.fields)
        for name in list(common):
            if name not in record.fields or record.fields[name] != common[name]:
                del common[name]
    if common is None or len(records) < 3:  # with fewer, repeating them is shorter
        common = {}
    return common, (max(6, len(str(off))), max(6, len(str(length))), max(4, *map(len, types)))


def _write_dropped(out: Painter, description: Format, dropped: Iterable[Dropped]) -> None:
    """Write the byte ranges that hold no record, and what the reason means."""
    for region in dropped:
        first = f"  dropped {region.off}..{region.off + region.length} ({region.length} bytes) "
        out.wrapped(first, f"{region.reason}: {description.meaning('reasons', region.reason)}", "yellow")


def _write_missing(out: Painter, description: Format, missing: Iterable[Missing]) -> None:
    """Write what belongs to the journal and is not there, each with its proof."""
    for entry in missing:
        word = description.vocabulary.missing.get(entry.code)
        first = f"  missing {shown(entry.name)}: "
        told = description.meaning("missing", entry.code)
        if entry.count is not None and word is not None and word.count:
            told += f"; {entry.count} {word.count}"
        if entry.file:
            where = shown(entry.file) + ("" if entry.off is None else f" at {entry.off}")
            told += f" (proof: {where})"
        out.wrapped(first, f"{told}{': ' if entry.text else ''}{shown(entry.text)}", "yellow")


def _write_outside(out: Painter, description: Format, seen: Observation, lost: Sequence[Record]) -> None:
    """Write which records are outside the log, and what that means for the state that is reported below.

    `lost` are those of the records that are in dropped bytes.
    """
    rest = len(seen.unanchored) - len(lost)
    if lost:
        kinds = ", ".join(f"{count} {name}" for name, count in Counter(item.type for item in lost).items())
        they = "It is" if len(lost) == 1 else "They are"
        below = "" if seen.state is None else ", and the state below may be incomplete or wrong"
        told = f"{_valid(len(lost))} outside the log, in unusable files or regions: {kinds}."
        told += f" {they} not part of the state{below}:"
        out.wrapped("", told, "bold yellow")
        for record in islice(lost, MOST_TOLD):
            out.wrapped("  - ", _one(description, record))
        if len(lost) > MOST_TOLD:
            out.line(f"  - and {len(lost) - MOST_TOLD} more, which `journalspec inspect` lists")
    if rest:
        told = "after the end of the log, or of an earlier generation: normal, and not part of the state"
        out.wrapped("", f"{_valid(rest)} {told}")


def _write_doubt(out: Painter, description: Format, seen: Observation, lost: Sequence[Record]) -> None:
    """Write that the state may be wrong where something was given up, unless that was said already."""
    words = description.vocabulary.notes
    gone = any(note.code in words and words[note.code].loss for note in seen.notes)
    if (gone or seen.dropped or seen.missing) and not lost:
        told = "A part of the journal was lost or omitted (see above and the notes): what it said is not"
        told += " known, and the state below may be incomplete or wrong."
        out.wrapped("", told, "bold yellow")


def _valid(count: int) -> str:
    return "1 valid record is" if count == 1 else f"{count} valid records are"


def _one(description: Format, record: Record) -> str:
    """Return what a record is, whose, and where it is."""
    whose = [
        f"{name} {value_text(record.fields[name])}" for name in description.identity if name in record.fields
    ]
    return f"{shown(record.type)} {', '.join(whose)} (file {shown(record.at.file)}, offset {record.at.off})"


def _write_state(out: Painter, description: Format, state: Mapping[str, object] | None) -> None:
    """Write each entry of the logical state with the sentence that explains it."""
    if state is None:
        return
    out.line(("state after recovery", "bold"))
    for name, value in state.items():
        items = value if isinstance(value, LISTS) else None
        text = value_text(value) if items is None else f"{len(items)}"
        explained = description.state.get(name, "")
        out.wrapped(f"  {name}: ", f"{text}  ({explained})" if explained else text)
        for item in items or ():
            _write_item(out, item)
    for told in description.vocabulary.state:
        if told.optional and told.name not in state:
            out.wrapped(f"  {told.name}: ", f"not known: {told.optional}")


def _write_item(out: Painter, item: object) -> None:
    """Write one entry of a list; of lists of entries in it the first ones, each on a line of its own."""
    inner: dict[str, Sequence[object]] = {}
    if isinstance(item, Mapping):
        inner = {
            name: value
            for name, value in item.items()
            if isinstance(value, LISTS) and len(value) > 0 and isinstance(value[0], Mapping)
        }
        item = {name: f"{len(inner[name])}" if name in inner else value for name, value in item.items()}
    out.wrapped("    - ", _readable(item))
    for name, entries in inner.items():
        for entry in islice(entries, MOST_TOLD):
            out.wrapped(f"        {name}: ", _readable(entry))
        if len(entries) > MOST_TOLD:
            out.line(f"        {name}: and {len(entries) - MOST_TOLD} more, which --json lists")


def _readable(item: object) -> str:
    """Return an entry of the state; bytes that are a text are shown as one too: names are often stored so."""
    if not isinstance(item, Mapping):
        return value_text(item)
    parts = []
    for name, value in item.items():
        text = value_text(value)
        if isinstance(value, (bytes, memoryview)) and 0 < len(value) <= MOST_BYTES:
            data = bytes(value)
            text += f' "{data.decode("ascii")}"' if all(0x20 <= byte < 0x7F for byte in data) else ""
        parts.append(f"{name} {text}")
    return " ".join(parts)


def write_notes(out: Painter, description: Format, notes: Sequence[Note]) -> None:
    """Write the notes, each kind explained once."""
    codes = list(dict.fromkeys(note.code for note in notes if note.code not in SAID))
    if not codes:
        return
    out.line("")
    out.line(("notes", "bold"))
    for code in codes:
        out.wrapped(f"  {code}: ", description.meaning("notes", code), "cyan")
        for note in notes:
            if note.code == code and (note.file or note.text):
                where = shown(note.file) + ("" if note.off is None else f" at {note.off}")
                out.wrapped("    - ", " ".join(part for part in (where, shown(note.text)) if part))
