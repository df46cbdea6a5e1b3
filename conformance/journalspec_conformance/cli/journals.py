"""``journalspec inspect``, ``recover`` and ``check``: commands on the content and the losses of journals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, replace
from functools import partial
from heapq import merge
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any

import click

from journalspec import observation
from journalspec.files import shown
from journalspec.formats import Format
from journalspec.observation import RECOVERED, REFUSED, Level, Observation, Record
from journalspec.reread import LISTS, Unstored, by_file, files_of
from journalspec_conformance.cli import journal_view as view
from journalspec_conformance.cli import places, rebuild
from journalspec_conformance.cli.facts import damage, trouble
from journalspec_conformance.cli.ndjson import write_journals
from journalspec_conformance.cli.row_output import show_rows
from journalspec_conformance.cli.selection import Question, questions
from journalspec_conformance.cli.summary import SummaryScreen, kept, next_steps
from journalspec_reference import hexdump
from journalspec_reference.answers import CHANGED, IN_USE, UNCHECKED
from journalspec_reference.api import Span, spans_by_file
from journalspec_reference.api import load as load_implementation
from journalspec_reference.filesets import Journal, LeftOut, by_reason

LEVELS = [level.name.lower() for level in Level]
LEVEL_HELP = (
    "How much to report with --json, --ndjson and --all; default: layout. Implies --all. With contents,"
    " --json also has the rows of all tables."
)
STREAMED = click.option(
    "--ndjson",
    "as_ndjson",
    is_flag=True,
    help="Lines of JSON during the read: the kind of journal, each record, then the remaining answer.",
)
#: Colours depend on the kind of region, and alternate between fields. Colours by field name would depend on
#: the format.
KIND_STYLES = {"header": "cyan", "dropped": "red", "stale": "yellow", "fill": "dim", "unused": "dim"}
TURNS = ("green", "blue", "magenta", "bright_green", "bright_blue", "bright_magenta")
#: The largest number of records outside the result, or entries within an entry, that are listed one by one.
MOST_TOLD = 40
BARE_KINDS = ("stale", "fill", "unused")
#: The parts of an answer, and the parts that each level shows.
RECORDS, FILES, STATE, NOTES, HEX = "records", "files", "state", "notes", "hex"
WHOLE = {
    Level.VERDICT: frozenset[str](),
    Level.RECORDS: frozenset({RECORDS}),
    Level.STATE: frozenset({RECORDS, STATE}),
    Level.LAYOUT: frozenset({RECORDS, FILES, STATE, NOTES}),
    Level.CONTENTS: frozenset({RECORDS, FILES, STATE, NOTES}),
}


@click.command("inspect", epilog=view.EXIT_STATUS)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@places.options()
@click.option(
    "--records", "with_records", is_flag=True, help="List each record of each file, instead of the summary."
)
@click.option("--files", "with_files", is_flag=True, help="Each file: header, damage, unused bytes.")
@click.option("--notes", "with_notes", is_flag=True, help="List each note, instead of the summary.")
@click.option(
    "--all", "with_all", is_flag=True, help="The complete answer: files, records, the state, notes."
)
@click.option("--level", type=click.Choice(LEVELS), help=LEVEL_HELP)
@click.option(
    "--hex",
    "as_hex",
    is_flag=True,
    help="An annotated hexdump instead of the summary, with the fields of all intact records.",
)
@click.option("--json", "as_json", is_flag=True, help="The observation as one JSON object.")
@STREAMED
@questions()
def inspect_command(
    level: str | None, as_hex: bool, as_json: bool, as_ndjson: bool, with_all: bool, **what: Any
) -> None:
    """Show kind, content and losses of the journals at PATH on one screen.

    PATH is a data directory of a broker, a directory of a database, the directory that holds the journal's
    files, a directory with several stores, one of the files (the other files are found), an archive (.tar,
    .tgz, .zip), or - for standard input. Several files are one journal, such as a pair in two directories.
    Files whose names end in .gz are unpacked for reading. PATH is only read.
    """
    if as_hex + as_json + as_ndjson > 1:
        raise click.UsageError("--hex, --json and --ndjson exclude each other.")
    selection = Question(**places.taken(what, fields(Question)))
    parts = {name for name in (RECORDS, FILES, NOTES) if what.pop(f"with_{name}")}
    asked, chosen = places.Asked(**what), Level[level.upper()] if level else Level.LAYOUT
    if as_hex and (asked.redact or selection != Question()):
        raise click.UsageError("--hex shows all bytes as they are: no --redact, and no question about rows.")
    found = places.find(asked)
    if selection != Question():
        if as_json:
            raise click.UsageError("--json is one object for the whole journal: use --ndjson for rows.")
        show_rows(found, selection, as_ndjson)
    if level or with_all:
        parts |= WHOLE[chosen]
    if as_ndjson:
        write_journals(found, "inspect", chosen)
    in_full = parts or level or as_hex
    wanted = WHOLE[Level.LAYOUT] - {RECORDS} | {HEX} if as_hex else frozenset(parts)
    view.present(
        "inspect",
        found,
        members=partial(_members, chosen) if as_json else None,
        screen=None if as_json or in_full else SummaryScreen("inspect", None),
        write=lambda out, part: _write_journal(out, part, wanted),
    )


def _members(level: Level, part: view.Part) -> dict[str, object]:
    """Return the JSON of an answer; at the level of contents with the rows of all tables."""
    seen = part.seen
    if level >= Level.CONTENTS and (contents := part.contents) is not None:
        rows = {name: Unstored(partial(contents.members, name)) for name in contents.names}
        seen = replace(seen, contents=rows)
    return seen.members(level)


@click.command("recover", epilog=f"{view.EXIT_STATUS} {rebuild.EXIT_STATUS}")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@places.options()
@click.option(
    "--policy",
    show_default=view.STRICT,
    metavar="POLICY",
    help="The rules for damage: strict refuses; salvage reports the remaining data and the losses; default "
    "acts like the format's product. Not every format has all policies: for a wrong policy, the command "
    "lists the right policies.",
)
@click.option("--notes", "with_notes", is_flag=True, help="List each note, instead of the summary.")
@click.option("--all", "with_all", is_flag=True, help="The complete answer: damage, the state, notes.")
@click.option("--level", type=click.Choice(LEVELS), help=LEVEL_HELP)
@click.option("--json", "as_json", is_flag=True, help="The observation as one JSON object.")
@STREAMED
@rebuild.options()
def recover_command(
    policy: str | None,
    level: str | None,
    as_json: bool,
    as_ndjson: bool,
    with_notes: bool,
    with_all: bool,
    **what: Any,
) -> None:
    """Show the result of recovery of the journals at PATH on one screen.

    PATH is as for `journalspec inspect`. With --to, write a new store with exactly the recovered data, and a
    report of everything else. PATH is only read.
    """
    if as_json and as_ndjson:
        raise click.UsageError("--json and --ndjson exclude each other.")
    wanted = rebuild.NewStoreAsked.taken(what)
    asked, chosen = places.Asked(**what), Level[level.upper()] if level else Level.LAYOUT
    found = places.find(asked)
    if policy is not None:
        places.known_policy(found, policy)
    if wanted:
        if as_ndjson or level or with_all or with_notes:
            raise click.UsageError(
                "--to and --dry-run print a report: --ndjson, --level, --all and --notes exclude them."
            )
        rebuild.rebuild(found, asked, policy, wanted, as_json=as_json)
    policy = policy or view.STRICT
    if as_ndjson:
        write_journals(found, "recover", chosen, policy)

    def write(out: view.Painter, part: view.Part) -> None:
        if with_notes and not with_all:
            _write_title(out, part)
            _write_notes(out, part.description, part.seen.notes)
        else:
            _write_outcome(out, part, policy, chosen)

    in_full = level or with_all or with_notes
    view.present(
        "recover",
        found,
        policy,
        members=(lambda part: {**_members(chosen, part), "policy": policy}) if as_json else None,
        screen=None if as_json or in_full else SummaryScreen("recover", policy),
        write=write,
    )


@click.command(
    "check",
    epilog=f"{view.EXIT_STATUS} 1 also if the files are undamaged, but a start of the product is known to "
    "fail on them or to lose data.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@places.options()
@click.option("--json", "as_json", is_flag=True, help="Print the answers as one JSON object.")
def check_command(as_json: bool, **what: Any) -> None:
    """Print one line for each journal at PATH: clean, recovered or refused, and the reason.

    This command is for monitoring. Verdict and PATH are those of `journalspec recover`. If the verdict is
    clean, but a start of the product would fail or lose data, the line reports this. A path without an
    answer is reported on standard error; the other paths are still answered.
    """
    found, problems = _found(places.Asked(**what))
    statuses: list[int] = []

    def wrong(part: view.Part) -> str:
        """Return the fault of a journal, or the failure of a start, which sets an exit status, too."""
        if says := trouble(part):
            statuses.append(view.STATUSES[RECOVERED])
        return damage(part) or says

    def members(part: view.Part) -> dict[str, object]:
        return {**part.seen.members(Level.VERDICT), "says": wrong(part)}

    view.present(
        "check",
        found,
        view.STRICT,
        members=members if as_json else None,
        screen=None if as_json else CheckLines(wrong),
        problems=problems,
        more=statuses,
    )


class CheckLines(view.Screen):
    """Represents the output of `check`: one line for each journal, with the result of `wrong`."""

    def __init__(self, wrong: Callable[[view.Part], str]) -> None:
        self._wrong = wrong

    def row(self, parts: Sequence[view.Part]) -> list[str]:
        """Return the lines on the journals of a store."""
        lines = []
        for part in parts:
            wrong = self._wrong(part)
            first = f", {next(iter(part.answer.journal.files), '')}" if len(part.place.journals) > 1 else ""
            lines.append(shown(f"{part.asked}{first}: {part.seen.verdict}{f': {wrong}' if wrong else ''}"))
        return lines

    def of_several(self, rows: Sequence[Sequence[str]], unlisted: Sequence[LeftOut]) -> Iterator[view.Line]:
        """Yield the lines on several stores."""
        left = (shown(f"{entry.name}: not looked at: {entry.why}") for entry in unlisted)
        return ((line,) for line in (*chain.from_iterable(rows), *left))


def _found(asked: places.Asked) -> tuple[places.Stores, list[places.UsageProblem]]:
    """Return stores, and problems of unusable paths; raises UsageProblem if all are unusable."""
    try:
        return places.find(asked), []
    except places.UsageProblem as error:
        bad, good = [], []
        for path in asked.paths:
            try:
                places.find(replace(asked, paths=(path,)))
                good.append(path)
            except places.UsageProblem as of_one:
                bad.append(of_one)
        if not good or not bad:
            raise error from None
        return places.find(replace(asked, paths=tuple(good))), bad


# The printed form of an answer, entry by entry.


def _write_journal(out: view.Painter, part: view.Part, parts: AbstractSet[str]) -> None:
    """Write the given parts of the answer of reading."""
    journal, seen, description = part.answer.journal, part.seen, part.description
    _write_title(out, part)
    # Recovery may refuse a journal that reads cleanly: an intact record may have unusable content.
    if refusal := part.unfit:
        told = f"{view.STRICT} refuses, {refusal.phase}/{refusal.code}: {shown(refusal.message)}"
        out.wrapped("recovery ", f"{told} (`journalspec recover` shows what to do)", "bold yellow")
    if HEX in parts:
        _write_dump(out, journal)
    elif parts & {RECORDS, FILES}:
        _write_files(out, description, journal, seen, parts)
    if FILES in parts:
        _write_missing(out, description, seen.missing)
    if STATE in parts and seen.state is not None:
        lost = seen.given_up if FILES in parts else ()
        if lost:
            _write_outside(out, description, seen, lost)
        out.line("")
        _write_state(out, description, seen.state)
    if NOTES in parts:
        _write_notes(out, description, seen.notes)


def _write_files(
    out: view.Painter, description: Format, journal: Journal, seen: Observation, parts: AbstractSet[str]
) -> None:
    """Write a table of the files.

    It contains the role of each file, its records, and the regions that are not records.
    """
    records = by_file(observation.record_place, seen.records)
    beside = by_file(observation.record_place, seen.unanchored)
    dropped = by_file(observation.region_place, seen.dropped)
    entries = {entry.file: entry for entry in seen.files}
    for name, spans in spans_by_file(journal.files, _spans(journal, fields=False) if FILES in parts else ()):
        out.line("")
        if FILES not in parts:
            out.line((shown(name), "bold"))
            _write_counted(out, records(name))
            continue
        entry = entries.get(name) or observation.FileMap(name, len(journal.files[name]), "unknown")
        out.line((f"{shown(name)}: {entry.length} bytes, {entry.role}", "bold"))
        fields = {**entry.header, **entry.content}
        width = max(map(len, fields), default=0)
        for field, value in fields.items():
            out.wrapped(f"  {field:<{width}}  ", view.value_text(value))
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


def _write_counted(out: view.Painter, records: Sequence[Record]) -> None:
    out.line(f"  {len(records)} record(s)")
    _write_records(out, records)


def _spans(journal: Journal, *, fields: bool) -> Iterator[Span]:
    spans = load_implementation(journal.format).spans
    return spans(journal.files, edition=journal.edition, params=journal.params, fields=fields)


def _untold(spans: Iterable[Span], *records: Iterable[Record]) -> Iterator[Span]:
    """Yield the regions that are neither records nor dropped, without stale regions that are in `records`.

    All regions and records are of one file, in the order of offsets.
    """
    told = merge(*records, key=lambda record: record.at.off)
    at = -1
    for span in spans:
        if span.kind not in BARE_KINDS or not span.length:
            continue
        # Only stale regions may also be in `records`.
        while span.kind == "stale" and at < span.off and (record := next(told, None)) is not None:
            at = record.at.off
        if span.kind != "stale" or at != span.off:
            yield span


def _write_dump(out: view.Painter, journal: Journal) -> None:
    for name, spans in spans_by_file(journal.files, _spans(journal, fields=True)):
        data = journal.files[name]
        out.line("")
        out.line((f"== {shown(name)}: {len(data)} bytes", "bold"))
        turns: dict[str, str] = {}
        for line in hexdump.lines(data, spans, name):
            first, *below = hexdump.text_of(line, out.columns)
            if isinstance(line, hexdump.Head):
                out.line((first, f"bold {KIND_STYLES.get(line.kind, 'green')}"))
            elif isinstance(line, hexdump.Fold):
                out.line((first, "dim"))
            elif out.on_terminal:
                cells = hexdump.hex_cells(line.data)
                off, _, text = first.partition(f"  {cells}  ")
                blank = " " * (len(cells) - 3 * len(line.data) + 2)
                out.line((off, "dim"), "  ", *_coloured(line, turns), blank, text)
            else:
                out.line(first)
            for note in below:
                out.line((note, "italic"))


def _coloured(row: hexdump.Row, turns: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the cells of a row, one piece per field; `turns` maps field names to colours."""
    cells = zip(row.data, row.kinds, row.paths, strict=True)
    for (kind, path), group in groupby(cells, key=lambda cell: cell[1:]):
        name = path.rpartition(".")[2].partition("[")[0]
        style = KIND_STYLES.get(kind) or turns.setdefault(name, TURNS[len(turns) % len(TURNS)])
        yield "".join(f"{byte:02x} " for byte, _, _ in group), style


def _write_outcome(out: view.Painter, part: view.Part, policy: str, level: Level) -> None:
    """Write the result of recovery of a journal: the parts that the level includes."""
    seen, description = part.seen, part.description
    _write_title(out, part)
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
        for line in next_steps(part, "recover", policy, kept(part, policy)[1]):
            if line.startswith("  "):
                out.line(f"         {line}")
            else:
                out.wrapped("next     ", line)
        if seen.unanchored:
            _write_outside(out, description, seen, lost)
    else:
        out.line(f"records  {len(seen.records)} counted")
        dropped = by_file(observation.region_place, seen.dropped)
        for name in files_of(observation.region_place, seen.dropped):
            out.line(f"lost in {shown(name)}:")
            _write_dropped(out, description, dropped(name))
        _write_missing(out, description, seen.missing)
        if seen.unanchored:
            _write_outside(out, description, seen, lost)
        out.line("")
        _write_doubt(out, description, seen, lost)
        _write_state(out, description, seen.state)
    _write_notes(out, description, seen.notes)


def _write_title(out: view.Painter, part: view.Part) -> None:
    """Write the identity of the journal, the assumptions, what was not read, and the verdict."""
    answer, description = part.answer, part.description
    journal, seen = answer.journal, part.seen
    title = description.edition(journal.edition).title
    # The title contains the product of the edition. It is omitted if the edition is only assumed, because
    # other editions would give the same answer.
    edition = f"{journal.edition}, assumed" if answer.trials else f"{journal.edition}: {title}"
    names = ", ".join(shown(name) for name in journal.files) or "no files"
    out.line((f"{description.title}", "bold"), f" ({journal.format}, edition {edition})")
    if told := answer.assumption or journal.evidence:
        out.wrapped("edition  ", told, "cyan")
    out.wrapped("path     ", shown(str(part.asked)))
    out.wrapped("files    ", names)
    for why, names in by_reason(journal.unread).items():
        out.wrapped("not read ", shown(f"{names}: {why}"), "red")
    out.line("verdict  ", (seen.verdict, view.VERDICT_STYLES.get(seen.verdict, "")))
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


def _write_refusal(out: view.Painter, description: Format, seen: Observation) -> None:
    """Write the refusal: its code, position and reason."""
    code = seen.code or ""
    meaning = description.meaning("reasons", code) or description.meaning("codes", code)
    out.wrapped("what     ", shown(seen.message) or f"{seen.phase}: {seen.code}")
    if seen.at is not None:
        size = f"{seen.at.length} bytes"
        out.wrapped("where    ", f"file {shown(seen.at.file)}, offset {seen.at.off} ({size} from there)")
    out.wrapped("why      ", f"{seen.phase}/{seen.code}: {meaning}")


def _write_records(out: view.Painter, records: Sequence[Record]) -> None:
    """Write a table of records. A value that all records share is written once, above the table."""
    if not records:
        return
    common, form = _columns(records)
    if common:
        text = ", ".join(f"{name} {view.value_text(value)}" for name, value in common.items())
        out.wrapped("  in every record: ", text)
    out.line((f"{form.format('offset', 'length', 'type')}fields", "dim"))
    for record in records:
        fields = (
            f"{name} {view.value_text(value)}" for name, value in record.fields.items() if name not in common
        )
        first = form.format(record.at.off, record.at.length, shown(record.type))
        out.wrapped(first, "; ".join(fields))


def _columns(records: Sequence[Record]) -> tuple[dict[str, object], str]:
    """Return the fields that have the same value in all of several records, and the form of a line."""
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
    if common is None or len(records) < 3:  # With fewer records, it is shorter to repeat the values.
        common = {}
    numbers = "".join(f"  {{:>{max(6, len(str(most)))}}}" for most in (off, length))
    return common, f"{numbers}  {{:<{max(4, *map(len, types))}}}  "


def _write_dropped(out: view.Painter, description: Format, dropped: Iterable[observation.Dropped]) -> None:
    """Write the byte ranges without a record, and the meaning of each reason."""
    for region in dropped:
        first = f"  dropped {region.off}..{region.off + region.length} ({region.length} bytes) "
        out.wrapped(first, f"{region.reason}: {description.meaning('reasons', region.reason)}", "yellow")


def _write_missing(out: view.Painter, description: Format, missing: Iterable[observation.Missing]) -> None:
    """Write the missing parts of the journal, each with its evidence."""
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


def _write_outside(out: view.Painter, description: Format, seen: Observation, lost: Sequence[Record]) -> None:
    """Write which records are outside the log, and the consequence for the state printed below.

    `lost` contains the records among them whose bytes were dropped.
    """
    rest = len(seen.unanchored) - len(lost)
    out.line("")
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


def _write_doubt(out: view.Painter, description: Format, seen: Observation, lost: Sequence[Record]) -> None:
    """Write that the state may be wrong because regions were dropped, unless that is already written."""
    words = description.vocabulary.notes
    gone = any(note.code in words and words[note.code].loss for note in seen.notes)
    if (gone or seen.dropped or seen.missing) and not lost:
        told = "A part of the journal was lost or omitted (see above and the notes). Its content is"
        told += " unknown, so the state below may be incomplete or wrong."
        out.wrapped("", told, "bold yellow")


def _valid(count: int) -> str:
    return "1 valid record is" if count == 1 else f"{count} valid records are"


def _one(description: Format, record: Record) -> str:
    """Return the type of a record, its keys, and its position."""
    whose = [
        f"{name} {view.value_text(record.fields[name])}"
        for name in description.identity
        if name in record.fields
    ]
    return f"{shown(record.type)} {', '.join(whose)} (file {shown(record.at.file)}, offset {record.at.off})"


def _write_state(out: view.Painter, description: Format, state: Mapping[str, object] | None) -> None:
    """Write each entry of the logical state with the sentence that explains it."""
    if state is None:
        return
    out.line(("state after recovery", "bold"))
    for name, value in state.items():
        items = value if isinstance(value, LISTS) else None
        text = view.value_text(value) if items is None else f"{len(items)}"
        explained = description.state.get(name, "")
        out.wrapped(f"  {name}: ", f"{text}  ({explained})" if explained else text)
        for item in items or ():
            _write_item(out, item)
    for told in description.vocabulary.state:
        if told.optional and told.name not in state:
            out.wrapped(f"  {told.name}: ", f"not known: {told.optional}")


def _write_item(out: view.Painter, item: object) -> None:
    """Write one entry of a list; of each list within it, the first entries, one per line."""
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
    """Return an entry of the state as text; readable bytes, such as names, are shown as text, too."""
    if not isinstance(item, Mapping):
        return view.value_text(item)
    parts = []
    for name, value in item.items():
        text = view.value_text(value)
        if isinstance(value, (bytes, memoryview)) and 0 < len(value) <= view.MOST_BYTES:
            data = bytes(value)
            text += f' "{data.decode("ascii")}"' if all(0x20 <= byte < 0x7F for byte in data) else ""
        parts.append(f"{name} {text}")
    return " ".join(parts)


def _write_notes(out: view.Painter, description: Format, notes: Sequence[observation.Note]) -> None:
    """Write the notes, each kind explained once."""
    codes = list(dict.fromkeys(note.code for note in notes if note.code not in view.SAID))
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
