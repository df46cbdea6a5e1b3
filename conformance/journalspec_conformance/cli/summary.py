"""The screen of a store: headings with sentences and lists. The layout is in :mod:`.journal_view`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import chain, islice
from pathlib import PurePath

from journalspec.files import shown
from journalspec.observation import CLEAN, RECOVERED, REFUSED
from journalspec.reread import Lazy
from journalspec_conformance.cli import facts
from journalspec_conformance.cli import journal_view as view
from journalspec_conformance.cli.contents import Holdings
from journalspec_conformance.cli.facts import doubtful
from journalspec_conformance.cli.places import Asked, amount
from journalspec_reference.answers import ASSUMED, CHANGED, IN_USE, UNREAD, ask, type_numbers
from journalspec_reference.api import natural_key
from journalspec_reference.filesets import LeftOut, by_reason

#: The codes in `at_start` of a format that do not come from an answer.
IN_DOUBT, BESIDE = "in-doubt", "beside"
#: The policy with which recovery acts as the product does.
DEFAULT = "default"
#: Titles of editions longer than this are omitted (characters).
MOST_TITLE = 60
#: In a store with more messages, the messages around damaged regions are not searched for, because that would
#: decode every message.
MOST_LOOKED_AT = 100_000
#: The style in which a verdict is shown.
WORDS = {CLEAN: "clean", RECOVERED: "recovered", REFUSED: "REFUSED"}


def worst(verdicts: Iterable[str], unlisted: Sequence[LeftOut] = ()) -> str:
    """Return the worst of several verdicts, which is at least `recovered` if paths are `unlisted`."""
    return max([*verdicts, *([RECOVERED] if unlisted else [])], key=view.STATUSES.__getitem__)


@dataclass(frozen=True)
class StoreRow:
    """Represents the row of one of several stores: its name, verdict and content, and the command that shows
    more about it.
    """

    name: str
    verdict: str
    brand: str
    counts: Mapping[str, int]
    doubts: int
    text: str
    asked: Asked


class SummaryScreen:
    """The text that `inspect` prints, or with a `policy` the text that `recover` prints.

    Each of several stores takes one line. For a journal that strict recovery refuses, the screen shows the
    data that another policy keeps.
    """

    def __init__(self, command: str, policy: str | None) -> None:
        self._command, self._policy = command, policy

    def of_one(self, parts: Sequence[view.Part], unlisted: Sequence[LeftOut]) -> Iterator[view.Line]:
        """Return the lines on one store and its journals, the main one (such as that of the messages) first.

        A path in `unlisted` may contain a part of the store.
        """
        parts = view.in_order(parts)
        main, policy = parts[0], self._policy
        verdict = worst((part.seen.verdict for part in parts), unlisted)
        shown_parts, part, kept_by = _all_kept(parts, policy)
        first = shown_parts[0]
        seen, contents = first.seen, first.contents
        doubt, in_words = doubtful(first)
        pending = facts.PENDING in in_words
        # The content of a transaction manager is its transactions, which the section on `doubt` lists
        # already.
        found = facts.held(first, lists=not pending)
        beside = _beside(main, contents)
        fact = "; ".join(
            [
                *(_of_part(part, parts) for part in parts if facts.damage(part)),
                *(f"beside it, {line}" for line in beside),
                *(f"{shown(names)}: {why}" for why, names in by_reason(unlisted, facts.FEW).items()),
            ]
        ) or _whole(parts)
        total = facts.in_all(found)
        consequence = [*([in_words] if in_words else []), *_moments(main)]
        if total and verdict == CLEAN:
            fact += f"; {total}"
        elif total:
            consequence.insert(0, f"it holds {total}, perhaps incomplete")
        if policy is None and verdict == CLEAN and (refusal := main.unfit):
            why = f"{refusal.phase}/{refusal.code}: {shown(refusal.message)}"
            consequence.insert(0, f"{view.STRICT} recovery refuses it nevertheless, {why}")
        rest = f"the rest is the result of --policy {kept_by}" if kept_by else f"by --policy {policy}"
        consequence += [rest] if kept_by or policy not in (None, view.STRICT) else []
        # Otherwise the product does not start, or loses the transactions in doubt, so that an operator cannot
        # commit or roll back them.
        left = bool(doubt.number) and not pending and seen.unfit is None
        own = {IN_DOUBT} if left else set[str]()
        own |= {BESIDE} if contents is not None and contents.damaged() else set()
        looked = [
            facts.LookedAt([main, first], contents, own),
            *(facts.LookedAt([part]) for part in parts[1:]),
        ]
        starts = facts.at_start(looked)
        shorts = [row.short for row in starts if row.short]
        consequence += [row.short for row in starts if row.fails] or shorts[:1]
        text = "; ".join(consequence)
        also = [text[:1].upper() + text[1:] + "."] if text else []
        said = view.Section("verdict", [f"{WORDS[verdict]}   {fact}", *also])
        out = [view.Section("store", [_store(parts)]), *_in_use(parts), said]
        out += _files(shown_parts, view.left_out(parts, unlisted), contents=contents is not None)
        out.append(_records(shown_parts))
        out += (
            view.Section("" if number else "holds", (), facts.listed(amounts), apart=not number)
            for number, amounts in enumerate(found)
            if amounts.count
        )
        known = any(rule.list in (seen.state or ()) for rule in main.description.in_doubt)
        if doubt.number or (known and policy is not None):
            title = facts.PENDING if pending else "in doubt"
            out.append(view.Section(title, (), doubt) if doubt.number else view.Section(title, ["none"]))
        if policy is not None or verdict != CLEAN:
            out += _lost(shown_parts, found, beside)
        out += _remarks(parts, contents)
        effects = contents.effects() if contents else []
        if says := [(text,) for text in (*effects, *(row.says for row in starts))]:
            out.append(view.table("at start", says))
        # A start may fail on a clean journal, for example because of an unfinished file.
        gives = bool(total) and (verdict != CLEAN or bool(shorts))
        steps = ["make the unreadable directories readable, or copy them"] if unlisted else []
        steps += next_steps(part, self._command, policy, kept_by, doubtful=left, gives=gives)
        return view.screen([*out, view.Section("next", steps, apart=True)])

    def row(self, parts: Sequence[view.Part]) -> StoreRow:
        """Return the row of one of several stores."""
        parts = view.in_order(parts)
        main = parts[0]
        part = kept(main, self._policy)[0]
        found = facts.held(part)
        counts = Counter[str]()
        for amounts in found:
            counts[amounts.rule.noun] += amounts.count.total()
        doubt, words = doubtful(part)
        wrong = "; ".join(_of_part(part, parts) for part in parts if facts.damage(part))
        text = "; ".join(text for text in (wrong, facts.in_all(found), words) if text)
        file, again = "", main.asked
        if len(main.place.journals) > 1:
            file = f": {next(iter(main.answer.journal.files), '')}"
            again = main.place.of(main.answer.journal)
        verdict, brand = worst(part.seen.verdict for part in parts), main.description.brand
        return StoreRow(shown(main.asked.name + file), verdict, brand, counts, doubt.number, text, again)

    def of_several(self, rows: Sequence[StoreRow], unlisted: Sequence[LeftOut]) -> Iterator[view.Line]:
        """Return the lines on several stores: the worst verdict, totals, and one line for each."""
        verdicts, kinds = Counter(row.verdict for row in rows), Counter(row.brand for row in rows)
        totals = Counter[str]()
        for row in rows:
            totals.update(row.counts)
        brands = ", ".join(amount(n, kind) for kind, n in kinds.items())
        each = ", ".join(f"{count:,} {WORDS[name]}" for name, count in verdicts.items())
        text = ", ".join(amount(count, noun) for noun, count in totals.items() if count)
        if doubts := sum(row.doubts for row in rows):
            text += f"; {amount(doubts, 'transaction')} in doubt"
        rows = sorted(rows, key=lambda row: (-view.STATUSES[row.verdict], row.name))
        listing = view.Listing(
            [(row.name, WORDS[row.verdict], row.text) for row in rows], len(rows), ("path", "verdict", "")
        )
        out = [
            view.Section("store", [f"{len(rows):,} stores: {brands}"]),
            view.Section(
                "verdict",
                [
                    f"{WORDS[worst(verdicts, unlisted)]}   {each}",
                    *([f"In all: {text.removeprefix('; ')}."] if text else []),
                ],
            ),
            view.Section("holds", (), listing, apart=True),
        ]
        if unlisted:
            left = by_reason(unlisted, facts.FEW)
            out.append(view.Section("not read", [f"{shown(names)}: {why}" for why, names in left.items()]))
        more = () if self._policy in (None, view.STRICT) else ("--policy", str(self._policy))
        again = rows[0].asked.again(self._command, *more)
        return view.screen([*out, view.Section("next", ["one of them:", f"  {again}"], apart=True)])


def _all_kept(parts: Sequence[view.Part], policy: str | None) -> tuple[list[view.Part], view.Part, str]:
    """Return three values: the parts with the data that recovery keeps, the part with the worst verdict, and
    the policy that keeps that part's data.
    """
    keeping = [kept(part, policy) for part in parts]
    at = max(range(len(parts)), key=lambda number: view.STATUSES[parts[number].seen.verdict])
    return [part for part, _ in keeping], parts[at], keeping[at][1]


def _lost(
    parts: Sequence[view.Part], found: Iterable[facts.Amounts], beside: Sequence[str]
) -> Iterable[view.Section]:
    """Return the losses of each damaged part, which is not always the first part."""
    few = sum(amounts.count.total() for amounts in found) <= MOST_LOOKED_AT
    main, *others = parts
    hurt = [part for part in others if facts.damage(part)]
    of_main = not hurt or beside or facts.damage(main)
    first = facts.losses(main, around_it=few, beside=beside) if of_main else ()
    return chain(first, *map(facts.losses, hurt))


def _moments(part: view.Part) -> Iterator[str]:
    """Yield a sentence if a journal changed while it was read."""
    if changed := [note.file or "" for note in part.seen.notes if note.code == CHANGED]:
        names = facts.some_of(changed)
        yield f"the journal changed during the read ({names}): the answer may mix two moments"


def _beside(part: view.Part, contents: Holdings | None) -> list[str]:
    """Return lines on damage in files next to a journal if only reading its contents finds this damage."""
    if contents is None:
        return []
    seen = part.seen
    notes = {note.file or "" for note in seen.notes if facts.is_loss(part.description, note)}
    named = notes & part.answer.journal.neighbours.keys() | {entry.name for entry in seen.missing}
    if contents.damaged() <= {name.removeprefix("../") for name in named}:
        return []
    return [*contents.remarks(damages=True)]


def _whole(parts: Sequence[view.Part]) -> str:
    """Return the sentence about an undamaged store. It mentions that a missing file may leave no evidence."""
    said = "nothing is damaged or missing"
    for part in parts:
        words, phrases = part.description.vocabulary.notes, part.description.phrases
        for code in [note.code for note in part.seen.notes if note.code in words]:
            if words[code].neighbour and code in phrases:
                return f"nothing is damaged in the journal; {phrases[code]}"
            if words[code].absence:
                said = "nothing is damaged, and nothing is known to be missing"
    return said


def _of_part(part: view.Part, parts: Sequence[view.Part]) -> str:
    where = f"{part.place.loaded.root.name}: " if len(parts) > 1 else ""
    return where + facts.damage(part)


def kept(part: view.Part, policy: str | None) -> tuple[view.Part, str]:
    """Return the answer of the first policy that does not refuse, and the policy's name.

    If all policies refuse, return `part` and "".
    """
    if policy is None or part.seen.verdict != REFUSED:
        return part, ""
    journal = replace(part.answer.journal, editions=())
    for name in part.description.policies:
        if name not in (view.STRICT, policy):
            other = ask(journal, name, part.answer.observation)
            if other.observation.verdict != REFUSED:
                return view.Part(part.place, other), name
    return part, ""


def _store(parts: Sequence[view.Part]) -> str:
    """Return the description of a store, in one line."""
    main = parts[0]
    answer, description = main.answer, main.description
    names = [trial.edition for trial in answer.trials if trial.agrees] or [answer.journal.edition]
    text = " or ".join(description.edition(name).title for name in names)
    if len(text) > MOST_TITLE:
        names.sort(key=[*description.editions].index)
        word = " to " if len(names) > 2 else " or "
        text = f"{description.brand}, edition {word.join(dict.fromkeys((names[0], names[-1])))}"
    if len(parts) > 1:
        text += f": {', '.join([part.place.loaded.root.name for part in parts])}"
    return text


def _in_use(parts: Sequence[view.Part]) -> Iterator[view.Section]:
    notes = [note for part in parts for note in part.seen.notes if note.code == IN_USE]
    if notes:
        who = {f"{note.text} has a lock on {note.file}" for note in notes}
        yield view.Section("in use", [shown(f"{'; '.join(sorted(who))}: the rest is not final")])


def _files(parts: Sequence[view.Part], left: Iterable[LeftOut], *, contents: bool) -> Iterator[view.Section]:
    """Yield one line on the files of each role, and one for each reason why files were not read."""
    rows: list[Sequence[str]] = []
    if archive := parts[0].asked.archive:
        packed = f"{archive.stat().st_size:,}" if archive.exists() else ""
        rows.append((shown(archive.name), "unpacked", packed, "for reading; its files follow"))
    for part in parts:
        journal, seen = part.answer.journal, part.seen
        roles = dict.fromkeys(journal.files, "not part of it")
        roles |= {entry.file: entry.role for entry in seen.files}
        for role, names in facts.by_key(journal.files, roles.__getitem__).items():
            size = sum(len(journal.files[name]) for name in names)
            where = f"{part.place.loaded.root.name}/" if len(parts) > 1 else ""
            rows.append((where + _span(names), amount(len(names), "file"), f"{size:,}", role))
        said = {
            note.file: f": {note.text}"
            for note in seen.notes
            if note.text and not facts.is_loss(part.description, note)
        }
        by = {name: f"{PurePath(name).parent}{said.get(name)}" for name in journal.neighbours}
        for names in facts.by_key(journal.neighbours, by.__getitem__).values():
            size = sum(len(journal.neighbours[name]) for name in names)
            text = f"read beside it{said.get(names[0], '')}"
            rows.append((_span(names), amount(len(names), "file"), f"{size:,}", shown(text)))
        for why, missed in facts.by_key(journal.unread, lambda entry: entry.why).items():
            rows.append((facts.some_of([entry.name for entry in missed]), "not read", "", shown(why)))
    locks = {name for part in parts for name in part.description.locks}
    others = (entry for entry in left if PurePath(entry.name).name not in locks)
    for why, missed in facts.by_key(others, lambda entry: entry.why).items():
        rows.append((facts.some_of([entry.name for entry in missed]), "left out", "", shown(why)))
    root = parts[0].place.loaded.root.parent
    for path in sorted(root.iterdir()) if len(parts) > 1 else ():
        if path.is_dir() and any(fnmatchcase(path.name, name) for name in parts[0].description.beside):
            files = [each.stat().st_size for each in path.rglob("*") if each.is_file()]
            use = "read for the content of messages" if contents else "not looked at"
            rows.append((f"{shown(path.name)}/", amount(len(files), "file"), f"{sum(files):,}", use))
    listing = view.Listing(rows[: facts.MOST], len(rows), ("", "", "bytes", ""))
    yield view.Section("files", (), listing, apart=True)


def _span(names: Sequence[str]) -> str:
    """Return the first and the last of several names, in numerical order."""
    first, *_, last = sorted(names, key=natural_key) * 2
    return shown(first) + (f" to {shown(last)}" if last != first else "")


def _records(parts: Sequence[view.Part]) -> view.Section:
    """Return the number of records of each type."""
    lines = []
    for part in parts:
        seen = part.seen
        where = f"{part.place.loaded.root.name}: " if len(parts) > 1 else ""
        types = _types(part)
        kinds = ", ".join(f"{count:,} {name}" for name, count in types.most_common(facts.MOST))
        more = f", {len(types) - facts.MOST} other types" if len(types) > facts.MOST else ""
        beside = len(seen.unanchored)
        sound = amount(beside, "sound record")
        outside = f"; {sound} outside the log, not part of the state" if beside else ""
        lines.append(f"{where}{len(seen.records):,}{': ' if types else ''}{kinds}{more}{outside}")
    return view.Section("records", lines)


def _types(part: view.Part) -> Counter[str]:
    """Return the number of records of each type, or none if counting would read the files again."""
    records = part.seen.records
    numbers: Mapping[int, int] | None = getattr(records, "codes", None)
    names = {number: name for name, number in type_numbers(part.answer.journal).items()}
    if numbers is not None and numbers.keys() <= names.keys():
        return Counter({names[number]: count for number, count in numbers.items() if count})
    return Counter() if isinstance(records, Lazy) else Counter(record.type for record in records)


def _remarks(parts: Sequence[view.Part], contents: Holdings | None) -> Iterator[view.Section]:
    """Yield the notes that no other section shows, one line for each code."""
    lines = []
    for part in parts:
        description, seen = part.description, part.seen
        beside = part.answer.journal.neighbours
        rest = [
            note
            for note in seen.notes
            if note.code not in (IN_USE, CHANGED, ASSUMED, *description.after)
            and not facts.is_loss(description, note)
            and not (note.file in beside and note.text)
        ]
        lines += facts.by_code(description, rest)
    lines = list(dict.fromkeys([*lines, *(contents.remarks(damages=False) if contents else ())]))
    if lines:
        yield view.Section("notes", (), view.Listing([(line,) for line in lines[: facts.MOST]], len(lines)))


def next_steps(
    part: view.Part,
    command: str,
    policy: str | None,
    kept_by: str,
    *,
    doubtful: bool = False,
    gives: bool = False,
) -> list[str]:
    """Return the advice on a journal. Commands begin with two blanks; the first command changes nothing.

    `kept_by` is a policy that does not refuse the journal. `doubtful` means that it contains transactions in
    doubt, `gives` that a new store would contain some of its data.
    """
    seen, description, again = part.seen, part.description, part.asked.whole.again
    verdict = seen.verdict
    rebuilt = description.rebuilt if gives else ""
    lines = []
    word = description.vocabulary.codes.get(seen.code or "")
    if word is not None and word.advice:
        lines.append(word.advice)
    if seen.code == UNREAD:
        lines.append(
            "make the unreadable files readable: permissions, mounts, a copy by ddrescue from a bad disk"
        )
    lines += _looked_for(part)
    if verdict != CLEAN:
        lines.append("copy all files before anything opens them for writing, then look at the damage:")
        lines.append(f"  {again('inspect', '--files')}")
    if kept_by:
        lines += [
            f"list everything that {kept_by} keeps:",
            f"  {again('recover', '--policy', kept_by, '--all')}",
        ]
        if DEFAULT in description.policies and DEFAULT not in (kept_by, policy):
            lines += ["the default result of the product:", f"  {again('recover', '--policy', DEFAULT)}"]
    elif verdict == REFUSED and policy is not None and not rebuilt:
        others = [name for name in description.policies if name not in (view.STRICT, policy)]
        if others:
            lines.append(f"other policies do not help, they refuse as well: {', '.join(others)}")
    if policy is None and verdict != REFUSED:
        lines += ["the result of recovery:", f"  {again('recover')}"]
    if rebuilt:
        lines += [f"{rebuilt}:", f"  {again('recover', '--to', 'NEWDIR')}"]
    if doubtful:
        lines.append("end the transactions in doubt in the product, after the start")
    if verdict == CLEAN and policy is not None:
        lines += ["each entry in full:", f"  {again(command, '--all')}"]
    return lines


def _looked_for(part: view.Part) -> Iterator[str]:
    """Yield the places where a missing file may be. They are files with a similar name."""
    words, journal = part.description.vocabulary.missing, part.answer.journal
    # Records that exist only in the other file of a pair are reported as missing, although their file exists.
    names = {
        one.name: None
        for one in part.seen.missing
        if "file" in words[one.code].names and one.name not in journal.files
    }
    for name in islice(names, facts.FEW):
        there = journal.listed or ()
        alike = sorted(other for other in there if name in other and other != name)
        where = (
            f"{facts.some_of(alike)} may be it" if alike else "a renamed copy, another directory, a backup"
        )
        yield f"look for {shown(name)}: {where}"
