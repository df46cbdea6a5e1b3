"""``journalspec recover PATH --to NEWDIR``: writes a new store with the recovered data, and a loss report."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path, PurePath
from posixpath import normpath
from typing import Any

import click

from journalspec.files import shown
from journalspec.formats import get_format
from journalspec.observation import CLEAN, RECOVERED, REFUSED, Note
from journalspec_conformance.cli import journal_view as view
from journalspec_conformance.cli import places
from journalspec_conformance.cli._options import Command, apply
from journalspec_conformance.cli._tables import progress_bar
from journalspec_conformance.cli.archives import is_archive
from journalspec_conformance.cli.facts import grouped
from journalspec_conformance.cli.places import taken
from journalspec_conformance.cli.redaction import Redactor
from journalspec_reference import newstore
from journalspec_reference.answers import ASSUMED, UNCHECKED, Answer
from journalspec_reference.filesets import FilesetError, Journal, LeftOut
from journalspec_reference.lossreport import LossReport, PartAccount, Tally

#: The text at the end of a truncated list. On other screens it refers to the option --all, here to the
#: report, which contains the complete list.
ALL, IN_REPORT = "(--all)", "(report)"
#: The name that stands for the new directory in the report of --dry-run.
NOWHERE = "NEWDIR"
EXIT_STATUS = (
    "With --to: 0 everything was copied, 1 something was omitted, 2 nothing was written because of the"
    " command line, a change, a lock or the disk, 3 nothing can be copied."
)
#: The meaning of each verdict on the old store.
VERDICTS = {
    CLEAN: "nothing in the journal is damaged or missing",
    RECOVERED: "something is damaged or missing, and the rest can be read",
    REFUSED: "recovery gives no result; the data was read without recovery",
}
_NAMED = (
    ("drop", "TX|ID|QUEUE", "With --to: omit this transaction, message or queue."),
    ("keep", "TX|ID|QUEUE", "With --to: copy this item, even if it is not verified or a start drops it."),
    ("commit", "XID", "With --to: commit this branch in doubt. Other resources are not changed."),
    ("rollback", "XID", "With --to: roll back this branch in doubt. Other resources are not changed."),
)


def options() -> Callable[[Command], Command]:
    """Return the options of a new store, whose values become a :class:`NewStoreAsked`."""
    return apply(
        click.option(
            "--to",
            type=click.Path(path_type=Path),
            metavar="NEWDIR",
            help="Write the recovered data as a new store for the product to this new directory. "
            "NEWDIR.loss-report.md and .json list everything that the new store lacks. Default policy: "
            "salvage.",
        ),
        *(
            click.option(f"--{name}", multiple=True, metavar=metavar, help=f"{text} May be repeated.")
            for name, metavar, text in _NAMED
        ),
        click.option(
            "--queue",
            "queues",
            multiple=True,
            metavar="NAME",
            help="With --to: only this queue, topic or table. May be repeated.",
        ),
        click.option(
            "--salvage-records",
            is_flag=True,
            help="With --to: also copy complete records of a damaged unit, without verification.",
        ),
        click.option(
            "--index-acks",
            is_flag=True,
            help="With --to: also use acknowledgements that exist only in the index, db.data.",
        ),
        click.option("--dry-run", is_flag=True, help="Print the report of --to, and write nothing."),
    )


@dataclass(frozen=True)
class NewStoreAsked:
    """The values of the options for a new store, except for the policy."""

    to: Path | None
    dry_run: bool
    choices: newstore.StoreChoices

    @classmethod
    def taken(cls, what: dict[str, Any]) -> NewStoreAsked:
        """Create an instance from the arguments of a command, which are removed from `what`."""
        choices = newstore.StoreChoices(**taken(what, fields(newstore.StoreChoices)))
        found = cls(what.pop("to"), what.pop("dry_run"), choices)
        if not found and found.choices != newstore.StoreChoices():
            raise click.UsageError("Choices such as --drop and --queue are about a new store: give --to.")
        return found

    def __bool__(self) -> bool:
        """Return whether the user requested a new store."""
        return self.to is not None or self.dry_run


def policy_of(journal: Journal, given: str | None) -> str:
    """Return the policy for a journal's new store: the given policy, or the one that keeps the most data."""
    return given or get_format(journal.format).keeps_most


def rebuild(
    found: places.Stores, asked: places.Asked, policy: str | None, wanted: NewStoreAsked, *, as_json: bool
) -> None:
    """Write a new store of each journal that was found; ends the command with the exit status."""
    journals = found.journals
    kept = {path for place in found.places for path in _directories(place)}
    with view.unchanging(journals), _none_made(), progress_bar() as show:
        if wanted.to is not None:
            newstore.refuse_target(wanted.to, kept)
        newstore.refuse_running(journals)
        progress = _progress(show, sum(len(data) for one in journals for data in one.seen.values()))
        # The command must also not change the given archives, so their digests are compared, too.
        archives = [(str(path), path) for path in asked.paths if is_archive(path)]
        files = [*archives, *newstore.sources(journals)]
        before = newstore.digests(files, progress)
    with view.unchanging(journals), _none_made(), view.reading(found.size):
        given = []
        for place, journal in found.pairs:
            # If the edition is unknown, the suggested commands do not contain --redact.
            plain = replace(place.asked, redact=False)
            answer = view.answer_of(plain, "recover", journal, policy_of(journal, policy), usual="")
            given.append(view.Part(place, answer))
        parts, undone = _parts(given, policy, wanted.choices)
    hidden = parts[0].answer.journal if asked.redact else None
    with view.unchanging(journals), _none_made(hidden), progress_bar() as show:
        progress = _progress(show, sum(each.length for each in before))
        if wanted.to is not None:
            newstore.refuse_target(wanted.to, (each for part in parts for each in newstore.covered(part)))
        more = [*newstore.sources((), (each for part in parts for each in newstore.covered(part)))]
        more = [each for each in more if each not in files]
        before += newstore.digests(more, progress)
        beside = [*view.left_out(given, found.unlisted)]
        report = _report(asked, wanted, parts, undone, beside)
        named = [(_called(found.places, name), path) for name, path in (*files, *more)]
        before = [replace(each, file=name) for each, (name, _) in zip(before, named, strict=True)]
        if wanted.to is not None and not wanted.dry_run:
            newstore.write(parts, wanted.to, report.write_json, report.write_page, named, before, progress)
    if wanted.dry_run:
        with nullcontext(sys.stdout) if as_json else Path(os.devnull).open("w", encoding="utf-8") as out:
            report.write_json(out, before)
        if not as_json:
            report.write_page(sys.stdout)
    elif as_json and wanted.to is not None:
        with Path(f"{wanted.to}{newstore.REPORT}.json").open(encoding="utf-8") as stream:
            shutil.copyfileobj(stream, sys.stdout)
    else:
        out = view.Painter()
        for line in view.screen(_sections(report)):
            # The report contains the rows for which the screen has no room.
            out.line(*(part.replace(ALL, IN_REPORT) if isinstance(part, str) else part for part in line))
    clean = all(part.verdict == CLEAN for part in parts)
    raise SystemExit(view.STATUSES[CLEAN if clean and not report.lost and not found.unlisted else RECOVERED])


@contextmanager
def _none_made(hidden: Journal | None = None) -> Iterator[None]:
    """Turn CannotRebuild into :class:`NothingKept`; if the journal `hidden` is given, redact the text."""
    try:
        yield
    except newstore.CannotRebuild as found:
        error = found if hidden is None else _hidden(found, hidden)
        raise places.NothingKept(shown(str(error)), shown(error.hint)) from None


def _hidden(error: FilesetError, journal: Journal) -> FilesetError:
    """Return an error with a redacted text, because the text may quote data of users."""
    text = f"the reason may quote stored data: {Redactor(journal).text(str(error), None)}"
    return type(error)(text, "repeat the command without --redact where the reason may be seen")


def _progress(show: Callable[[str, int, int], None], total: int) -> newstore.Progress:
    """Return a function that shows the progress of a step, in MiB."""
    done: Counter[str] = Counter()

    def progress(what: str, size: int) -> None:
        done[what] += size
        show(f"{what}, MiB", done[what] >> 20, max(total, done[what]) >> 20)

    return progress


def _called(known: Sequence[places.Directory], name: str) -> str:
    """Return the path of a file for display."""
    for place in known:
        if place.asked.below is not None and Path(name).is_relative_to(place.asked.below):
            return place.asked.called(Path(name))
    return name


def _directories(place: places.Directory) -> Iterator[Path]:
    """Yield the directories that contain the files at a place, and the given directory."""
    if place.loaded.is_set:
        yield from ((place.loaded.root / name).parent for name in place.loaded.files)
    else:
        yield from (_top(place), place.loaded.root)


def _top(place: places.Directory) -> Path:
    """Return the old counterpart of the new directory: the given directory, or that of the given files."""
    asked = place.asked
    return asked.below or (asked.given[0] if asked.given else place.loaded.root)


def _parts(
    given: Sequence[view.Part], policy: str | None, choices: newstore.StoreChoices
) -> tuple[list[newstore.Part], dict[str, str]]:
    """Return two values: the parts of the new store, and the reason for each journal that is not rebuilt.

    Raises ChoiceRefused, or CannotRebuild if there is no part at all.
    """
    made: list[newstore.Part] = []
    failed: list[tuple[Answer, str, FilesetError]] = []
    if len({_top(part.place) for part in given}) > 1:
        raise places.UsageProblem("--to is for one path", "give the directory above them, or one at a time")
    for place, answer in ((part.place, part.answer) for part in given):
        below = PurePath(os.path.relpath(place.loaded.root, _top(place))).as_posix()
        try:
            store = newstore.new_store(answer, choices)
        except (newstore.ChoiceRefused, newstore.CannotRebuild) as error:
            why = _hidden(error, answer.journal) if place.asked.redact else error
            failed.append((answer, place.asked.name, why))
            continue
        path = normpath(f"{below}/{store.base}")
        path = path if path.strip("./") else ""
        name = newstore.NO_POLICY if store.unrecovered else policy_of(answer.journal, policy)
        made.append(newstore.Part(path, name, store.answer, store))
    homes = {os.path.realpath(path): part for part in made for path in newstore.covered(part)}
    # If a store refuses a choice, the same refusal by a part of that store, such as its bindings, is ignored.
    below_refused = {
        os.path.realpath(path) for answer, _, error in failed for path in _accounts(answer, error)
    }
    beside: dict[int, list[Answer]] = {}
    for answer in (*(part.answer for part in made), *(answer for answer, _, _ in failed)):
        if (part := homes.get(os.path.realpath(answer.journal.root or ""))) is not None:
            beside.setdefault(id(part), []).append(answer)
    inside = {id(answer) for found in beside.values() for answer in found}
    without = [
        (name, refusal)
        for answer, name, refusal in failed
        if id(answer) not in inside and os.path.realpath(answer.journal.root or "") not in below_refused
    ]
    parts = [
        replace(part, covered=tuple(beside.get(id(part), ())))
        for part in made
        if id(part.answer) not in inside
    ]
    for name, refusal in without:
        if isinstance(refusal, newstore.ChoiceRefused) or not parts:
            if len(without) + len(parts) > 1:
                hint = refusal.hint or "give the path of one store"
                raise type(refusal)(f"{name}: {refusal}", hint) from None
            raise refusal
    return parts, {name: str(refusal) for name, refusal in without}


def _accounts(answer: Answer, refusal: FilesetError) -> list[Path]:
    """Return the directories of a store that refused a choice; none for another error."""
    if not isinstance(refusal, newstore.ChoiceRefused):
        return []
    try:
        store = newstore.new_store(answer, newstore.StoreChoices())
    except newstore.CannotRebuild:
        return []
    return newstore.covered(newstore.Part("", "", answer, store))


def _report(
    asked: places.Asked,
    wanted: NewStoreAsked,
    parts: Sequence[newstore.Part],
    undone: dict[str, str],
    beside: Sequence[LeftOut],
) -> LossReport:
    """Return the report of a new store, redacted if the user requests that."""
    redactors = {id(part): Redactor(part.answer.journal, asked.redact) for part in parts}

    def hide(part: newstore.Part, text: str) -> str:
        return str(redactors[id(part)].text(text))

    choices = {
        name: value if value is True else [hide(parts[0], each) for each in value]
        for name, value in asdict(wanted.choices).items()
        if value
    }
    source, target = str(asked.archive or asked), str(wanted.to or NOWHERE)
    return LossReport(source, target, parts, undone, beside, choices, hide if asked.redact else None)


def _sections(report: LossReport) -> Iterator[view.Section]:
    """Yield the sections of the screen about a new store that was written."""
    size = sum(each.length for each in report.written)
    files = places.amount(len(report.written), "file")
    yield view.Section(
        "new store", [f"{shown(report.target)}   {files}, {size:,} bytes, complete and synced"]
    )
    policies: dict[str, str] = {}
    stores = []
    for one in report.found:
        part = one.part
        described = get_format(part.answer.journal.format)
        policies[part.policy] = part.policy_text
        numbers = (f"{sum(each.rows for each in one.carried):,}", f"{one.left_out.total:,}")
        verdict = part.verdict
        title = f"{described.title}, for {part.store.product}"
        stores.append((shown(part.path or "."), verdict, *numbers, title))
    if len(stores) == 1:
        yield view.Section("of", [stores[0][-1]])
        yield view.Section("old store", [f"{stores[0][1]}: {VERDICTS[stores[0][1]]}"])
    yield view.Section("policy", [f"{name}: {text}" for name, text in policies.items()])
    if len(stores) > 1:
        names = ("path", "verdict", "rows", "lost", "store")
        yield view.table("stores", stores, names)
    rows = sorted((each for one in report.found for each in one.carried), key=lambda each: -each.rows)
    cells = [(each.table, shown(each.name), f"{each.rows:,}", f"{each.bytes:,}") for each in rows]
    counts = [each.rows for each in rows]
    head = ("table", "name", "rows", "bytes")
    listing = view.Listing(cells, len(cells), head, counts, sum(counts), "row") if cells else None
    yield view.Section("carried", [] if cells else ["nothing"], listing, apart=True)
    for heading, tallies in (
        ("lost", [one.left_out for one in report.found]),
        ("doubtful", [one.unverified for one in report.found]),
    ):
        listed = [*_tallied(tallies)]
        text = ["nothing: the new store has all kept data"] if heading == "lost" and not listed else []
        if heading == "lost" and report.uncounted:
            text = [report.uncounted]
        if listed or text:
            columns = ("what", "number", "bytes", "reason") if listed else ()
            yield view.Section(heading, text, view.Listing(listed, len(listed), columns), apart=True)
    notes = [*dict.fromkeys(line for one in report.found for line in _noted(one))]
    if notes:
        yield view.table("notes", [(line,) for line in notes])
    for path, why in report.undone.items():
        yield view.Section("no store", [f"of {shown(path)}: {shown(why)}"])
    chosen = [shown(each) for one in report.found for each in one.chosen]
    if chosen:
        yield view.Section("choices", chosen, apart=True)
    yield view.Section(
        "report", [f"{shown(report.target)}{newstore.REPORT}.md, and .json for programs"], apart=True
    )
    steps = ["The report lists the steps of each store."]
    if len(report.found) == 1:
        steps = [shown(step) for step in report.found[0].part.store.steps()]
    yield view.Section("next", steps, apart=True)


def _noted(one: PartAccount) -> Iterator[str]:
    """Yield a line for each kind of note on the old store: notes on whole files first, then the rarest."""
    described = get_format(one.part.answer.journal.format)
    firsts = {item.code: item for items in one.noted.first.values() for item in reversed(items)}
    lines = []
    for (_, code), number in one.noted.counts.items():
        item = firsts.get(code)
        if item is None:
            lines.append((True, number, f"{number:,} x {code}: {described.meaning('notes', code)}"))
        elif code != ASSUMED:
            own = item.text.removeprefix(described.meaning("notes", code)).removeprefix(": ")
            note = Note(code, item.file, item.off, own)
            within = item.off is not None or code == UNCHECKED
            lines.append((within, number, grouped(described, [note] * number)))
    yield from (line for _, _, line in sorted(lines))


def _tallied(tallies: Sequence[Tally]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each combination of kind and reason, the most frequent first."""
    keys = Counter[tuple[str, str]]()
    for tally in tallies:
        keys.update(tally.counts)
    for (what, code), number in keys.most_common():
        size = sum(tally.bytes[what, code] for tally in tallies)
        said = next((text for each in tallies if (text := each.texts.get((what, code)))), "")
        items = [item for each in tallies for item in each.first.get(what, ()) if item.code == code]
        if number == 1 and items:
            said = ": ".join(filter(None, (items[0].id, items[0].text or said)))
        yield what, f"{number:,}", f"{size:,}" if size else "", f"{code}: {shown(said)}"
