"""What `inspect` and `recover` share: options, finding and asking journals, writing about them for people."""

from __future__ import annotations

import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

from journalspec import jsontext
from journalspec.files import shown
from journalspec.formats import Format, get_format
from journalspec.observation import CLEAN, RECOVERED, REFUSED, Dropped, Missing, Note, Observation, Record
from journalspec.reread import LISTS, Changed
from journalspec_conformance.cli._tables import PipeConsole
from journalspec_conformance.cli.places import Asked, Directory, Stores, UsageProblem, problem
from journalspec_conformance.cli.redaction import Redactor
from journalspec_reference.answers import (
    ASSUMED,
    CHANGED,
    IN_USE,
    UNCHECKED,
    Answer,
    UnknownEdition,
    ask,
    lost,
)
from journalspec_reference.content import Content
from journalspec_reference.filesets import FilesetError, Journal, LeftOut, by_reason

#: Values that can be printed on a line: text, or text with a rich style.
Part = str | tuple[str, str]

#: The policy unless the user says otherwise.
STRICT = "strict"
#: Of what --json and --ndjson write: keys are added within one version, anything else is a new one.
VERSION = "1"
#: A verdict's exit status; of several journals the worst counts. 2 is left for usage.
STATUSES = {CLEAN: 0, RECOVERED: 1, REFUSED: 3}
EXIT_STATUS = (
    "Exit status: 0 clean; 1 recovered: something is damaged or was omitted, and the rest is reported;"
    " 3 refused; of several journals the worst. 2 usage or configuration: no such path, no journal there,"
    " an unknown format, edition, policy or parameter, an edition that cannot be detected, or files that "
    "differ or cannot be read when they are read a second time. A journal that changes during the read is "
    "never clean: recovered, with the note changed-while-read."
    " 130 interrupted, 141 closed pipe."
)
#: Notes that are above the tables already.
SAID = (ASSUMED, UNCHECKED)
VERDICT_STYLES = {"clean": "bold green", "recovered": "bold yellow", "refused": "bold red"}
MIN_FIELDS = 28
#: This many records outside the result, or entries within an entry, are reported one by one.
MOST_TOLD = 40
#: Bytes of a field that are reported whole, and how many are shown of a field that has more.
MOST_BYTES, SOME_BYTES = 64, 16


class Painter:
    """Lines for people: styled on a terminal, bare text in a pipe, never more than asked."""

    def __init__(self) -> None:
        # Names in a journal may hold anything; the terminal may be able to show little.
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
        self.console = PipeConsole(file=sys.stdout, highlight=False, markup=False, emoji=False)
        self.columns = max(40, self.console.width)
        #: Asked once: a dump has a line for every few bytes.
        self.on_terminal = self.console.is_terminal

    def line(self, *parts: Part) -> None:
        """Write one line made of `parts`."""
        if self.on_terminal:
            self.console.print(Text.assemble(*parts), soft_wrap=True)
        else:
            text = "".join(part if isinstance(part, str) else part[0] for part in parts)
            sys.stdout.write(text.rstrip() + "\n")

    def lines(self, lines: Iterable[Sequence[Part]]) -> None:
        """Write lines, each made of its parts."""
        for line in lines:
            self.line(*line)

    def wrapped(self, first: str, text: str, style: str = "") -> None:
        """Write `text` after `first`, continued under itself."""
        room = max(self.columns - len(first), MIN_FIELDS)
        head: Part = (first, style)
        for piece in wrapped_lines(text, room):
            self.line(head, piece)
            head = " " * len(first)


def wrapped_lines(text: str, room: int) -> Iterator[str]:
    """Yield `text` on lines of at most `room` characters, as `textwrap.wrap` breaks it; at least one.

    A body in hexadecimal is one word of any length: it costs time by its length and not by its square.
    """
    line, told = "", False
    # One by one: the state of a destination is one text, and as long as all its messages.
    for chunk in (found[0] for found in re.finditer(r" +|[^ ]+", text)) if len(text) > room else [text]:
        if len(line) + len(chunk) <= room:
            # A line does not begin with a blank, except the first.
            line += chunk if line or not told or chunk.strip(" ") else ""
            continue
        begin = 0
        if len(chunk) > room:
            begin = room - len(line)
            line += chunk[:begin]
        if line.rstrip(" "):
            yield line.rstrip(" ")
            told = True
        if not chunk.strip(" "):
            line = ""
            continue
        while len(chunk) - begin > room:
            yield chunk[begin : begin + room]
            begin, told = begin + room, True
        line = chunk[begin:]
    if line.rstrip(" ") or not told:
        yield line.rstrip(" ")


def value_text(value: object, most: int = MOST_BYTES, some: int = SOME_BYTES) -> str:
    """Return a field's value for people: bytes in hex, lists by commas, - for nothing.

    Of more than `most` bytes only `some` are shown.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (bytes, bytearray, memoryview)):
        if len(value) > most:
            return f"{bytes(value[:some]).hex()}... ({len(value)} bytes)"
        return bytes(value).hex() or "-"
    if isinstance(value, Mapping):
        return " ".join(f"{key} {value_text(item)}" for key, item in value.items())
    if isinstance(value, LISTS):
        return ",".join(value_text(item) for item in value) or "-"
    return shown(str(value)) or '""'


@contextmanager
def reading(total: int) -> Iterator[Callable[[], None]]:
    """Show on a terminal (standard error) how far reading `total` bytes is, from the first second on.

    Gives a function that takes the bar away before something else is shown.
    """
    done, start = threading.Event(), Content.asked_for

    def watch() -> None:
        if done.wait(1):
            return
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        with bar:
            task = bar.add_task("reading", total=total)
            while not done.wait(0.1):
                # What does not fit into memory is read again.
                turn, part = divmod(Content.asked_for - start, total)
                bar.update(task, completed=part, description="reading again" if turn else "reading")

    if not total or not sys.stderr.isatty():
        yield lambda: None
        return
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()

    def end() -> None:
        done.set()
        watcher.join()

    try:
        yield end
    finally:
        end()


@dataclass
class Beside:
    """Results besides the answers: problems of other paths, and exit statuses."""

    problems: list[UsageProblem]
    statuses: list[int] = field(default_factory=list)


def present(
    command: str,
    found: Stores,
    policy: str | None = None,
    *,
    members: Callable[[Directory, Answer], dict[str, object]] | None = None,
    write: Callable[[Painter, Answer, Asked], None] | None = None,
    screens: Callable[[Given], Iterable[Sequence[Part]]] | None = None,
    beside: Beside | None = None,
) -> None:
    """Ask the journals that were found and show each answer, by the first of these that is given.

    `members` of each answer are written as JSON; `screens` are lines; `write` writes about an answer. Ends
    the command with the exit status of the worst verdict. Meanwhile a terminal shows how far it is, unless
    the answer goes there.
    Lines of several stores are made of one after the other, and of each no more is kept than they say.
    `beside` has what counts as well. With it, a path that gives no answer is put there, and all problems are
    shown after the answers; without it, the first one ends the command.
    """
    statuses: list[int] = []
    with unchanging(found.journals), reading(found.size) as bar:
        one_by_one = screens is not None and not found.is_one
        places = found.by_store().places if one_by_one else found.places
        answered = _answered(places, command, policy, statuses, beside)
        given = Given(answered if one_by_one else [*answered], found.unlisted)
        out = Painter()
        if screens is not None:
            lines = [*screens(given)]
            bar()
            out.lines(lines)
        else:
            if sys.stdout.isatty():
                bar()
            if members is not None:
                jsontext.write(document(given, members), sys.stdout)
            elif write is not None:
                for number, (place, answer) in enumerate(given):
                    if number:
                        out.line("")
                    write(out, answer, place.asked)
                write_beside(out, given)
    # What could not be listed may hold a journal that was not read.
    if found.unlisted:
        statuses.append(STATUSES[RECOVERED])
    if beside is not None:
        statuses += [*beside.statuses, *map(_shown, beside.problems)]
    raise SystemExit(max(statuses))


def _answered(
    places: Iterable[Directory],
    command: str,
    policy: str | None,
    statuses: list[int],
    beside: Beside | None,
) -> Iterator[tuple[Directory, Answer]]:
    """Yield what came of each journal, with its place, and add its exit status.

    A problem goes to `beside`, if there is that.
    """
    for place in places:
        for journal in place.journals:
            try:
                answer = answer_of(place.asked, command, journal, policy)
            except UsageProblem as error:
                if beside is None:
                    raise
                beside.problems.append(error)
                break
            statuses.append(STATUSES[answer.observation.verdict])
            yield place, answer


def _shown(error: UsageProblem) -> int:
    error.show()
    return error.exit_code


def answer_of(
    asked: Asked, command: str, journal: Journal, policy: str | None, usual: str = STRICT
) -> Answer:
    """Return what came of a journal; UsageProblem says what to type if its edition is unknown.

    The `usual` policy of the command needs not be typed.
    """
    try:
        answer = ask(journal, policy)
    except UnknownEdition as error:
        more = () if policy in (None, usual) else ("--policy", policy)
        lines = [
            asked.again(command, *more, journal=journal, edition=trial.edition) for trial in error.trials
        ]
        raise problem(error, lines) from None
    return Redactor(answer.journal, asked.redact).answer(answer)


def refused_by_recovery(answer: Answer, *, redact: bool) -> Observation | None:
    """Return the refusal of strict recovery for a journal that reads cleanly, if there is one."""
    redactor = Redactor(answer.journal, redact)
    seen = answer.observation
    if seen.verdict != CLEAN:
        return None
    if all(note.code in SAID for note in seen.notes):
        # Without an oddity recovery would take as long again, and a reason for its refusal is usually seen.
        return seen.unfit and redactor.observation(seen.unfit)
    strict = ask(replace(answer.journal, editions=()), STRICT).observation
    return redactor.observation(strict) if strict.verdict == REFUSED else None


@contextmanager
def unchanging(journals: Sequence[Journal]) -> Iterator[None]:
    """Turn files that say something else, or nothing, when read again into a problem that says what to do.

    So it does with files that turn out to be no journal of any edition.
    """
    what = ""
    try:
        yield
    except FilesetError as error:
        raise problem(error) from None
    except Changed as error:
        what = str(error)
    gone = next(lost(journals), None)
    if not what and gone is None:
        return
    sys.stdout.flush()
    hint = "stop the program that writes there, or read a copy"
    if gone is not None:
        name, (start, end, why) = gone
        what = f"{name}, offset {start}, {end - start} bytes: read once, and not again: {why}"
        hint = "copy the files from that disk (ddrescue), and look at the copy"
    raise UsageProblem(f"{shown(what)}: the output above is incomplete", hint)


@dataclass(frozen=True)
class Given:
    """The answers about journals, each with its place, and what was not looked into."""

    answers: Iterable[tuple[Directory, Answer]]
    unlisted: Sequence[LeftOut] = ()

    def __iter__(self) -> Iterator[tuple[Directory, Answer]]:
        """Yield the answers, each with its place: only once, where there are several stores and lines."""
        return iter(self.answers)

    def beside(self) -> Iterator[LeftOut]:
        """Yield entries at the paths that belong to no journal shown, with the reason."""
        places: dict[int, tuple[Directory, list[Answer]]] = {}
        for place, answer in self:
            places.setdefault(id(place), (place, []))[1].append(answer)
        for place, found in places.values():
            told = {name for answer in found for name in answer.journal.files}
            told |= {name for answer in found for name in answer.journal.neighbours}
            told |= {entry.name for answer in found for entry in answer.journal.unread}
            left_out = {entry.name: entry.why for entry in place.loaded.left_out}
            for name in sorted({*place.loaded.files, *left_out} - told):
                shown_as = name if len(places) == 1 else str(place.loaded.root / name)
                yield LeftOut(shown_as, left_out.get(name, "not part of a journal shown here"))
        yield from self.unlisted


def left_json(entries: Iterable[LeftOut]) -> list[dict[str, str]]:
    """Return the omitted entries in JSON form."""
    return [{"file": entry.name, "why": entry.why} for entry in entries]


def document(given: Given, members: Callable[[Directory, Answer], dict[str, object]]) -> dict[str, object]:
    """Return the JSON of a command: of each journal what it is, where, what was not read, its members."""
    tagged = []
    for place, answer in given:
        journal = answer.journal
        head: dict[str, object] = {
            "version": VERSION,
            "format": journal.format,
            "edition": journal.edition,
            "path": place.asked.called(place.asked.paths[0]),
        }
        if len(place.asked.paths) > 1:
            head["paths"] = [place.asked.called(path) for path in place.asked.paths]
        if answer.trials:
            trials = [trial.to_json() for trial in answer.trials]
            head["edition_assumed"] = {"why": answer.assumption, "trials": trials}
        if journal.unread:
            head["not_read"] = left_json(journal.unread)
        tagged.append(head | members(place, answer))
    whole = tagged[0] if len(tagged) == 1 else {"journals": tagged}
    beside = left_json(given.beside())
    return whole | ({"left_out": beside} if beside else {})


def write_beside(out: Painter, given: Given) -> None:
    """Write what is at the paths and was omitted."""
    entries = by_reason(given.beside())
    if entries:
        out.line("")
    for why, names in entries.items():
        out.wrapped("left out ", shown(f"{names}: {why}"), "yellow")


def write_title(out: Painter, answer: Answer, asked: Asked) -> None:
    """Write what the journal is, what was assumed, what was not read, and what came of it."""
    journal, seen = answer.journal, answer.observation
    description = get_format(journal.format)
    title = description.edition(journal.edition).title
    # A title tells whose files they are; where other editions read alike, nothing does.
    edition = f"{journal.edition}, assumed" if answer.trials else f"{journal.edition}: {title}"
    names = ", ".join(shown(name) for name in journal.files) or "no files"
    out.line((f"{description.title}", "bold"), f" ({journal.format}, edition {edition})")
    if told := answer.assumption or journal.evidence:
        out.wrapped("edition  ", told, "cyan")
    out.wrapped("path     ", shown(str(asked)))
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
        write_refusal(out, description, seen)


def write_refusal(out: Painter, description: Format, seen: Observation) -> None:
    """Write what was refused, where and why."""
    code = seen.code or ""
    meaning = description.meaning("reasons", code) or description.meaning("codes", code)
    out.wrapped("what     ", shown(seen.message) or f"{seen.phase}: {seen.code}")
    if seen.at is not None:
        size = f"{seen.at.length} bytes"
        out.wrapped("where    ", f"file {shown(seen.at.file)}, offset {seen.at.off} ({size} from there)")
    out.wrapped("why      ", f"{seen.phase}/{seen.code}: {meaning}")


def write_records(out: Painter, records: Sequence[Record]) -> None:
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


def write_dropped(out: Painter, description: Format, dropped: Iterable[Dropped]) -> None:
    """Write the byte ranges that hold no record, and what the reason means."""
    for region in dropped:
        first = f"  dropped {region.off}..{region.off + region.length} ({region.length} bytes) "
        out.wrapped(first, f"{region.reason}: {description.meaning('reasons', region.reason)}", "yellow")


def write_missing(out: Painter, description: Format, missing: Iterable[Missing]) -> None:
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


def write_outside(out: Painter, description: Format, seen: Observation, lost: Sequence[Record]) -> None:
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


def write_doubt(out: Painter, description: Format, seen: Observation, lost: Sequence[Record]) -> None:
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


def write_state(out: Painter, description: Format, state: Mapping[str, object] | None) -> None:
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
