"""What the screen of a store says: headings with sentences and lists. How it looks is :mod:`.screen`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from heapq import nlargest
from itertools import islice
from pathlib import PurePath
from typing import Any

from journalspec.files import shown
from journalspec.formats import Format, Holds, InDoubt, format_module, get_format
from journalspec.observation import CLEAN, RECOVERED, REFUSED, Dropped, Note, Observation
from journalspec.reread import LISTS, Lazy
from journalspec_conformance.cli.journal_view import (
    STATUSES,
    STRICT,
    Directory,
    Given,
    amount,
    left_beside,
    value_text,
)
from journalspec_reference.answers import (
    ASSUMED,
    CHANGED,
    IN_USE,
    UNCHECKED,
    UNREAD,
    Answer,
    UnknownEdition,
    ask,
)
from journalspec_reference.api import natural_key
from journalspec_reference.filesets import LeftOut

#: Of a list so many entries are shown, the largest ones; of names in a sentence so many.
MOST, FEW = 10, 3
#: Codes in `at_start` of a format for what is no code of an answer.
IN_DOUBT = "in-doubt"
#: Titles of editions longer than this are left out (characters).
MOST_TITLE = 60
#: A longer text of a note explains itself (characters).
SENTENCE = 24
#: How a verdict is shown.
WORDS = {CLEAN: "clean", RECOVERED: "recovered", REFUSED: "REFUSED"}


@dataclass(frozen=True)
class Listing:
    """Rows of text cells, the most important ones first, of the `number` that there are.

    Of each row `counts` says how much of `total` it has (in `noun`). A row is shown in columns under `head`;
    the last one may take several lines. `drop` are columns that go first where room is short.
    """

    rows: Sequence[Sequence[str]]
    number: int
    head: Sequence[str] = ()
    counts: Sequence[int] = ()
    total: int = 0
    noun: str = ""
    drop: Sequence[str] = ()

    def rest(self, cap: int) -> str:
        """Return the line on what is left out if `cap` rows are shown; empty: nothing is."""
        left = self.number - min(cap, len(self.rows))
        if not left:
            return ""
        count = self.total - sum(self.counts[:cap])
        return f"... {left:,} more{f', {amount(count, self.noun)}' if self.noun else ''} (--all)"


@dataclass(frozen=True)
class Section:
    """A heading, the sentences below it, and a list. `apart`: a blank line goes before it."""

    heading: str
    text: Sequence[str] = ()
    listing: Listing | None = None
    apart: bool = False


@dataclass(frozen=True)
class Part:
    """A journal of a store: where it is, and what came of it."""

    place: Directory
    answer: Answer

    @property
    def description(self) -> Format:
        """What its format is."""
        return get_format(self.answer.journal.format)


@dataclass
class _Amounts:
    """What a list of the state holds: by name how many and how many bytes."""

    rule: Holds
    count: Counter[str] = field(default_factory=Counter)
    size: Counter[str] = field(default_factory=Counter)
    remarks: dict[str, str] = field(default_factory=dict)


def worst(verdicts: Iterable[str]) -> str:
    """Return the worst of several verdicts."""
    return max(verdicts, key=STATUSES.__getitem__)


# What is wrong, in one sentence.


def damage(answer: Answer) -> str:
    """Return in one sentence what is damaged, missing or refused; empty: nothing is."""
    seen, description = answer.observation, get_format(answer.journal.format)
    if seen.verdict == REFUSED:
        code = seen.code or ""
        meaning = (
            description.meaning("reasons", code) or description.meaning("codes", code).partition(": ")[2]
        )
        where = f"{shown(seen.at.file)}:{seen.at.off}: " if seen.at is not None else ""
        return f"{where}{description.phrases.get(code, code)}; {shown(seen.message) or meaning}"
    parts = []
    for entries in _by(seen.missing, lambda entry: entry.code).values():
        count = sum(entry.count or 0 for entry in entries)
        noun = description.vocabulary.missing[entries[0].code].count.rstrip("s")
        names = _names([entry.name for entry in entries])
        phrase = description.phrases.get(entries[0].code, "missing: {names}").format(names=names)
        parts.append(phrase + (f", {amount(count, noun)}" if count and noun else ""))
    number, size, reasons, files = 0, 0, set(), set()
    for region in seen.dropped:
        number += 1
        size += region.length
        reasons.add(region.reason)
        files.add(region.file)
    if number:
        word = next(iter(reasons)) if len(reasons) == 1 and "hole" in reasons else "damaged region"
        place = shown(next(iter(files))) if len(files) == 1 else amount(len(files), "file")
        parts.append(f"{amount(number, word)} of {amount(size, 'byte')} in {place}")
    losses = Counter(note.code for note in seen.notes if _is_loss(description, note))
    parts += [
        description.phrases.get(code, code) + (f" ({count:,} times)" if count > 1 else "")
        for code, count in losses.items()
    ]
    if not parts and seen.verdict == RECOVERED:
        parts.append("a part of it does not count; see the notes")
    return "; ".join(parts)


def _is_loss(description: Format, note: Note) -> bool:
    word = description.vocabulary.notes.get(note.code)
    return note.code == CHANGED or bool(word and word.loss)


def _by(items: Iterable[Any], key: Callable[[Any], str]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def _names(names: Sequence[str], most: int = FEW) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(shown(name) for name in names[:most]) + more


# What it holds.


def held(description: Format, seen: Observation) -> list[_Amounts]:
    """Return what the lists of the state hold; each is gone through once, and of its items none is kept."""
    found = []
    for rule in description.holds:
        amounts = _Amounts(rule)
        if not rule.list:
            amounts.count.update(seen.tallies)
        elif seen.state is None or rule.list not in seen.state:
            continue
        else:
            _count(amounts, seen.state[rule.list])
        if amounts.count or rule.list:
            found.append(amounts)
    return found


def _count(amounts: _Amounts, entries: Any) -> None:
    rule = amounts.rule
    if not rule.count and (brief := getattr(entries, "brief", None)) is not None:
        for called, size in brief():
            name = f"{rule.prefix} {called}".strip()
            amounts.count[name] += 1
            amounts.size[name] += size
        return
    for entry in entries:
        parts = [_plain(entry[member]) for member in rule.names]
        name = " ".join(part for part in (rule.prefix, *parts) if part) or "all"
        items = entry[rule.count] if rule.count else (entry,)
        if name in rule.own:
            continue
        amounts.count[name] += len(items)
        for item in items if rule.size else ():
            value = item[rule.size]
            amounts.size[name] += value if isinstance(value, int) else len(value)
        waiting = entry.get(rule.owners, ()) if rule.owners else ()
        if len(waiting):
            keys = [f"{one['key']} ({len(one['pending']):,})" for one in islice(waiting, FEW)]
            more = f" and {len(waiting) - FEW:,} more" if len(waiting) > FEW else ""
            amounts.remarks[name] = shown(f"for {', '.join(keys)}{more}")


def _plain(value: object) -> str:
    """Return a name for people: words in capitals in small letters, bytes that are text as text."""
    if isinstance(value, (bytes, memoryview)):
        data = bytes(value)
        return data.decode("ascii") if data and all(0x20 <= byte < 0x7F for byte in data) else data.hex()
    text = str(value)
    return text.lower().replace("_", " ") if text in ("QUEUE", "TOPIC", "TEMP_QUEUE", "TEMP_TOPIC") else text


def _listed(amounts: _Amounts) -> Listing:
    rule = amounts.rule
    largest = nlargest(MOST, amounts.count, key=lambda name: (amounts.count[name], amounts.size[name]))
    largest.sort(key=lambda name: (-amounts.count[name], name))
    rows = [
        [shown(name), f"{amounts.count[name]:,}"]
        + ([f"{amounts.size[name]:,}"] if rule.size else [])
        + ([amounts.remarks.get(name, "")] if amounts.remarks else [])
        for name in largest
    ]
    head = [rule.head, amount(2, rule.noun).removeprefix("2 "), *(["bytes"] if rule.size else [])]
    counts = [amounts.count[name] for name in largest]
    return Listing(
        rows,
        len(amounts.count),
        head + ([""] if amounts.remarks else []),
        counts,
        amounts.count.total(),
        rule.noun,
        ("bytes",),
    )


def _total(found: Sequence[_Amounts]) -> str:
    """Return what all lists hold together: ``5 messages (2 destinations)``."""
    words = []
    for amounts in found:
        rule = amounts.rule
        names, count = len(amounts.count), amounts.count.total()
        within = f" in {amount(names, rule.head)}" if names and (rule.names or not rule.list) else ""
        words.append(amount(count, rule.noun) + within)
    return ", ".join(words)


# Transactions.


def doubtful(description: Format, seen: Observation) -> tuple[Listing, str]:
    """Return the transactions without an end, and how many there are in words; empty: none."""
    rows: list[tuple[str]] = []
    total = 0
    try:
        called = format_module("journalspec_reference", description.id, "screen").called
    except LookupError:
        called = _called
    numbers: Counter[str] = Counter()
    for rule in description.in_doubt:
        for entry in (seen.state or {}).get(rule.list, ()):  # type: ignore[attr-defined]  # a list
            if any(entry[name] != value for name, value in rule.where.items()):
                continue
            total += 1
            numbers[rule.noun] += 1
            if len(rows) < MOST:
                rows.append((f"{shown(called(rule, entry))}: {shown(_says(rule, entry))}",))
    words = [
        f"{amount(count, 'transaction')} {'is' if count == 1 else 'are'} {noun}"
        for noun, count in numbers.items()
    ]
    return Listing(rows, total, noun="transaction", counts=[1] * len(rows), total=total), ", ".join(words)


def _called(rule: InDoubt, entry: Mapping[str, Any]) -> str:
    parts = [(name, _plain(entry[name])) for name in rule.ids]
    return ", ".join(f"{name.replace('_', ' ')} {text}" for name, text in parts if text)


def _says(rule: InDoubt, entry: Mapping[str, Any]) -> str:
    return rule.says.format_map({name: _value(rule, value) for name, value in entry.items()})


def _value(rule: InDoubt, value: object) -> str:
    if not isinstance(value, LISTS):
        return _plain(value) if isinstance(value, (bytes, memoryview)) else value_text(value)
    if rule.by and value and all(name in value[0] for name in rule.by):
        verb, *names = rule.by
        alike = Counter((item[verb], " ".join(_plain(item[name]) for name in names)) for item in value)
        shares = [
            f"{amount(count, 'message')} {rule.words.get(kind, kind)} {name}"
            for (kind, name), count in alike.most_common(FEW)
        ]
        return ", ".join(shares) + (f" and {len(alike) - FEW:,} more" if len(alike) > FEW else "")
    if not len(value) or isinstance(value[0], Mapping):
        return f"{len(value):,}"
    more = f" and {len(value) - MOST:,} more" if len(value) > MOST else ""
    return ", ".join(_plain(item) for item in islice(value, MOST)) + more


# What was lost.


def _lost(description: Format, seen: Observation) -> Iterator[Section]:
    """Yield what is damaged, what follows a damage, and what is missing."""
    codes = description.after
    notes = [note for note in seen.notes if _is_loss(description, note) and note.code not in codes]
    inside = Counter(record.type for record in seen.given_up)
    text = [_grouped(description, group) for group in _by(notes, lambda note: note.code).values()]
    if inside:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in inside.most_common(MOST))
        text.append(f"{amount(inside.total(), 'sound record')} in it, which do not count: {kinds}")
    regions, number, size = _regions(seen.dropped)
    rows = [
        (f"{shown(item.file)}:{item.off}..{item.end}", f"{amount(item.length, 'byte')}: {_short(why)}")
        for item in regions
        for why in [f"{item.reason}: {description.meaning('reasons', item.reason)}"]
    ]
    listing = Listing(rows, number, (), [item.length for item in regions], size, "byte")
    yield Section("lost", text or ([] if number else ["nothing is damaged"]), listing if number else None)
    after = [note for note in seen.notes if note.code in codes]
    if after:
        yield Section(
            "after it",
            [_grouped(description, group) for group in _by(after, lambda note: note.code).values()],
        )
    if seen.missing:
        yield Section("missing", (), _gone(description, seen))


def _regions(dropped: Iterable[Dropped]) -> tuple[list[Dropped], int, int]:
    """Return the largest regions in the order in which they come, how many there are, and their bytes."""
    number = size = 0

    def counted() -> Iterator[tuple[int, int, Dropped]]:
        nonlocal number, size
        for region in dropped:
            number += 1
            size += region.length
            yield region.length, -number, region

    largest = nlargest(MOST, counted(), key=lambda item: item[:2])
    return [region for _, _, region in sorted(largest, key=lambda item: -item[1])], number, size


def _gone(description: Format, seen: Observation) -> Listing:
    rows: list[tuple[str]] = []
    counts: list[int] = []
    total = 0
    for entry in seen.missing:
        word = description.vocabulary.missing[entry.code]
        total += entry.count or 0
        if len(rows) == MOST:
            continue
        count = f"{amount(entry.count, word.count.rstrip('s'))}; " if entry.count and word.count else ""
        where = shown(entry.file) + ("" if entry.off is None else f":{entry.off}")
        proof = f"; evidence: {where}" if where else ""
        why = shown(entry.text) if len(entry.text) > SENTENCE else _short(word.doc)
        rows.append((f"{shown(entry.name)}: {count}{why}{proof}",))
        counts.append(entry.count or 0)
    noun = description.vocabulary.missing[seen.missing[0].code].count.rstrip("s") if total else ""
    return Listing(rows, len(seen.missing), (), counts, total, noun)


def _short(text: str) -> str:
    """Return the first sentence of an explanation."""
    return text.partition(". ")[0]


def _grouped(description: Format, notes: Sequence[Note]) -> str:
    """Return the line on notes of one code."""
    first = notes[0]
    if first.code == UNCHECKED:
        return f"not checked by any checksum: {first.text.partition(': ')[0]}"
    where = shown(first.file) + ("" if first.off is None else f":{first.off}")
    text = f"{first.code}: {_short(description.meaning('notes', first.code))}"
    if len(notes) > 1:
        return f"{len(notes):,} x {text}" + (f"; the first at {where}" if where else "")
    if len(first.text) > SENTENCE:
        # It says all that there is to say.
        return f"{first.code}: {shown(first.text)}" + (f" ({where})" if where else "")
    return text + "".join(f"; {part}" for part in (where, shown(first.text)) if part)


# The screen.


def summary(given: Given, unlisted: Sequence[LeftOut], command: str, policy: str | None) -> Iterator[Section]:
    """Yield the sections on what is at the paths: of one store in full, of several one line for each."""
    stores = _stores(given)
    if len(stores) > 1:
        yield from several(stores, command, policy)
    else:
        yield from sections(stores[0], command, policy, left_beside(given, unlisted))


def _stores(given: Given) -> list[list[Part]]:
    """Return the stores, each as its journals: directories side by side may be one store."""
    stores: list[list[Part]] = []
    known: dict[tuple[object, str], list[Part]] = {}
    for place, answers in given:
        for answer in answers:
            part = Part(place, answer)
            root, patterns = place.loaded.root, part.description.parts
            if len(answers) > 1 or not any(fnmatchcase(root.name, pattern) for pattern in patterns):
                stores.append([part])
                continue
            key = (root.parent, part.description.id)
            if key not in known:
                known[key] = []
                stores.append(known[key])
            known[key].append(part)
    for parts in stores:
        patterns = parts[0].description.parts
        parts.sort(key=lambda part: [not fnmatchcase(part.place.loaded.root.name, name) for name in patterns])
    return stores


def sections(
    parts: Sequence[Part], command: str, policy: str | None, left: Iterable[LeftOut] = ()
) -> Iterator[Section]:
    """Yield the sections on one store: its journals, the one that holds what people ask for first.

    `policy` is that of recovery; None: it was read. Of a journal that strict recovery refuses, what another
    policy keeps is shown. `left` is what is at the path and belongs to none of them.
    """
    main, description = parts[0], parts[0].description
    verdict = worst(part.answer.observation.verdict for part in parts)
    shown_part, kept_by = _kept(main, policy)
    seen = shown_part.answer.observation
    found = held(description, seen)
    doubt, in_words = doubtful(description, seen)
    yield Section("store", [_store(parts)])
    yield from _in_use(parts)
    damages = [_of_part(part, parts) for part in parts if damage(part.answer)]
    fact = "; ".join(damages) if damages else "nothing is damaged or missing"
    total = _total(found)
    changed = [note for note in main.answer.observation.notes if note.code == CHANGED]
    consequence = [f"{in_words}"] if in_words else []
    if changed:
        files = _names([note.file or "" for note in changed])
        consequence.append(f"the journal changed while it was read ({files}): the answer may mix two moments")
    if verdict == CLEAN:
        fact += f"; {total}" if total else ""
    elif total:
        consequence.insert(0, f"it holds {total}" if seen.verdict != REFUSED else total)
    if kept_by:
        consequence.append(f"what follows is what --policy {kept_by} keeps")
    elif policy not in (None, STRICT):
        consequence.append(f"by --policy {policy}")
    sentence = "; ".join(consequence)
    yield Section("verdict", [f"{WORDS[verdict]}   {fact}", *([_sentence(sentence)] if sentence else [])])
    yield from _files(parts, shown_part, left)
    yield _records(parts, shown_part)
    for number, amounts in enumerate(found):
        if amounts.count:
            yield Section("" if number else "holds", (), _listed(amounts), apart=not number)
    known = seen.state is not None and any(rule.list in seen.state for rule in description.in_doubt)
    if doubt.number or (known and policy is not None):
        yield Section("in doubt", () if doubt.number else ["none"], doubt if doubt.number else None)
    if policy is not None or verdict != CLEAN:
        yield from _lost(description, seen)
    yield from _remarks(parts)
    yield from _starts(parts, shown_part, doubtful=bool(doubt.number))
    yield _next(parts, command, policy, kept_by, verdict, doubtful=bool(doubt.number))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _of_part(part: Part, parts: Sequence[Part]) -> str:
    where = f"{part.place.loaded.root.name}: " if len(parts) > 1 else ""
    return where + damage(part.answer)


def _kept(part: Part, policy: str | None) -> tuple[Part, str]:
    """Return what is left of a journal that recovery refuses, and by which policy; else it, and nothing."""
    if policy is None or part.answer.observation.verdict != REFUSED:
        return part, ""
    journal = replace(part.answer.journal, editions=())
    for name in part.description.policies:
        if name in (STRICT, policy):
            continue
        try:
            answer = ask(journal, name)
        except UnknownEdition:
            continue
        if answer.observation.verdict != REFUSED:
            return replace(part, answer=answer), name
    return part, ""


def _store(parts: Sequence[Part]) -> str:
    """Return what a store is, in one line."""
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


def _in_use(parts: Sequence[Part]) -> Iterator[Section]:
    notes = [note for part in parts for note in part.answer.observation.notes if note.code == IN_USE]
    if notes:
        who = {f"{note.text} holds a lock on {note.file}" for note in notes}
        yield Section("in use", [shown(f"{'; '.join(sorted(who))}: what follows is not final")])


def _files(parts: Sequence[Part], main: Part, left: Iterable[LeftOut]) -> Iterator[Section]:
    """Yield the files: those of one role are one line, and so are those that were not read for one reason."""
    rows: list[Sequence[str]] = []
    if archive := parts[0].place.asked.archive:
        packed = f"{archive.stat().st_size:,}" if archive.exists() else ""
        rows.append((shown(archive.name), "unpacked", packed, "to be read; what it held follows"))
    for part in parts:
        answer = main.answer if part.place is main.place else part.answer
        journal = answer.journal
        roles = {entry.file: entry.role for entry in answer.observation.files}
        for role, names in _by(journal.files, lambda name: roles.get(name, "not part of it")).items():  # noqa: B023
            size = sum(len(journal.files[name]) for name in names)
            where = f"{part.place.loaded.root.name}/" if len(parts) > 1 else ""
            rows.append((where + _span(names), amount(len(names), "file"), f"{size:,}", role))
        said = {note.file: f": {note.text}" for note in answer.observation.notes if note.text}
        beside = _by(journal.neighbours, lambda name: f"read beside it{said.get(name, '')}")  # noqa: B023
        for text, names in beside.items():
            size = sum(len(journal.neighbours[name]) for name in names)
            rows.append((_span(names), amount(len(names), "file"), f"{size:,}", shown(text)))
        for why, missed in _by(journal.unread, lambda entry: entry.why).items():
            rows.append((_names([entry.name for entry in missed]), "not read", "", shown(why)))
    locks = {name for part in parts for name in part.description.locks}
    others = (entry for entry in left if PurePath(entry.name).name not in locks)
    for why, missed in _by(others, lambda entry: entry.why).items():
        rows.append((_names([entry.name for entry in missed]), "left out", "", shown(why)))
    root = parts[0].place.loaded.root.parent
    for path in sorted(root.iterdir()) if len(parts) > 1 else ():
        if path.is_dir() and any(fnmatchcase(path.name, name) for name in parts[0].description.beside):
            files = [each.stat().st_size for each in path.rglob("*") if each.is_file()]
            rows.append(
                (f"{shown(path.name)}/", amount(len(files), "file"), f"{sum(files):,}", "not looked at")
            )
    yield Section("files", (), Listing(rows[:MOST], len(rows), ("", "", "bytes", "")), apart=True)


def _span(names: Sequence[str]) -> str:
    """Return the first and the last of several names, as people count."""
    first, *_, last = sorted(names, key=natural_key) * 2
    return shown(first) + (f" to {shown(last)}" if last != first else "")


def _records(parts: Sequence[Part], main: Part) -> Section:
    """Return how many records there are of each type."""
    lines = []
    for part in parts:
        answer = main.answer if part.place is main.place else part.answer
        seen = answer.observation
        where = f"{part.place.loaded.root.name}: " if len(parts) > 1 else ""
        types = _types(answer)
        kinds = ", ".join(f"{count:,} {name}" for name, count in types.most_common(MOST))
        more = f", {len(types) - MOST} other types" if len(types) > MOST else ""
        beside = len(seen.unanchored)
        outside = f"; {amount(beside, 'sound record')} outside the log, which do not count" if beside else ""
        lines.append(f"{where}{len(seen.records):,}{': ' if types else ''}{kinds}{more}{outside}")
    return Section("records", lines)


def _types(answer: Answer) -> Counter[str]:
    """Return how many records there are of each type; none if counting them takes another pass."""
    records = answer.observation.records
    numbers: Mapping[int, int] | None = getattr(records, "codes", None)
    layout = format_module("journalspec", answer.journal.format).LAYOUT
    names = {number: name for name, number in layout.types(answer.journal.edition).items()}
    if numbers is not None and numbers.keys() <= names.keys():
        return Counter({names[number]: count for number, count in numbers.items() if count})
    return Counter() if isinstance(records, Lazy) else Counter(record.type for record in records)


def _remarks(parts: Sequence[Part]) -> Iterator[Section]:
    """Yield the notes that no other section has, those of one code as one line."""
    lines = []
    for part in parts:
        description, seen = part.description, part.answer.observation
        beside = part.answer.journal.neighbours
        rest = [
            note
            for note in seen.notes
            if note.code not in (IN_USE, CHANGED, ASSUMED, *description.after)
            and not _is_loss(description, note)
            and not (note.file in beside and note.text)
        ]
        lines += [_grouped(description, group) for group in _by(rest, lambda note: note.code).values()]
    lines = list(dict.fromkeys(lines))
    if lines:
        yield Section("notes", (), Listing([(line,) for line in lines[:MOST]], len(lines)))


def _starts(parts: Sequence[Part], kept: Part, *, doubtful: bool) -> Iterator[Section]:
    """Yield what a start of the product does with these files, as far as that is known."""
    rows: dict[str, None] = {}
    for part in parts:
        answers = [part.answer.observation] + ([kept.answer.observation] if part is parts[0] else [])
        codes = {IN_DOUBT} if doubtful and part is parts[0] else set()
        for seen in answers:
            codes |= {note.code for note in seen.notes} | {entry.code for entry in seen.missing}
            codes |= {region.reason for region in seen.dropped} | {seen.code or ""}
        if part.answer.observation.verdict == CLEAN:
            codes.add(CLEAN)
        codes |= {f"without-{name}" for name in _without(part)}
        rows |= dict.fromkeys(row.says for row in part.description.at_start if not codes.isdisjoint(row.when))
    if rows:
        listing = Listing([(says,) for says in rows], len(rows))
        yield Section("at start", (), listing, apart=True)


def _without(part: Part) -> list[str]:
    """Return which directories there should be beside the one that holds what people ask for, and are not."""
    root, patterns = part.place.loaded.root, part.description.parts
    if not patterns or part.place.asked.archive == root or not fnmatchcase(root.resolve().name, patterns[0]):
        return []
    names = [path.name for path in root.resolve().parent.iterdir() if path.is_dir()]
    return [each.strip("*") for each in patterns[1:] if not any(fnmatchcase(name, each) for name in names)]


def _next(
    parts: Sequence[Part], command: str, policy: str | None, kept_by: str, verdict: str, *, doubtful: bool
) -> Section:
    """Return what to do, the first step of which changes nothing."""
    part = max(parts, key=lambda one: STATUSES[one.answer.observation.verdict])
    seen, description, again = part.answer.observation, part.description, part.place.asked.whole.again
    lines = []
    word = description.vocabulary.codes.get(seen.code or "")
    if word is not None and word.advice:
        lines.append(word.advice)
    if seen.code == UNREAD:
        lines.append(
            "make readable what could not be read: rights, mounts, a copy by ddrescue from a bad disk"
        )
    if verdict != CLEAN:
        lines.append("copy all files before anything opens them for writing, then look at the damage:")
        lines.append(f"  {again('inspect', '--files')}")
    if kept_by:
        lines += [f"see in full what {kept_by} keeps:", f"  {again('recover', '--policy', kept_by, '--all')}"]
    elif verdict == REFUSED and policy is not None:
        others = [name for name in description.policies if name not in (STRICT, policy)]
        if others:
            lines.append(f"other policies do not help, they refuse as well: {', '.join(others)}")
    if policy is None and verdict != REFUSED:
        lines += ["what recovery makes of it:", f"  {again('recover')}"]
    if doubtful:
        lines.append("end the transactions in doubt in the product, after the start")
    if verdict == CLEAN and policy is not None:
        lines += ["each entry in full:", f"  {again(command, '--all')}"]
    return Section("next", lines, apart=True)


# Several stores.


def several(stores: Sequence[Sequence[Part]], command: str, policy: str | None) -> Iterator[Section]:
    """Yield the sections on several stores: the worst verdict, totals, and one line for each."""
    verdicts, rows, doubts = Counter[str](), [], 0
    totals: Counter[str] = Counter()
    for parts in stores:
        main = parts[0]
        verdict = worst(part.answer.observation.verdict for part in parts)
        verdicts[verdict] += 1
        shown_part, _ = _kept(main, policy)
        seen = shown_part.answer.observation
        found = held(main.description, seen)
        for amounts in found:
            totals[amounts.rule.noun] += amounts.count.total()
        doubt, words = doubtful(main.description, seen)
        doubts += doubt.number
        wrong = "; ".join(_of_part(part, parts) for part in parts if damage(part.answer))
        facts = [text for text in (wrong, _total(found), words) if text]
        rows.append((STATUSES[verdict], shown(main.place.asked.name), WORDS[verdict], "; ".join(facts)))
    kinds = Counter(parts[0].description.brand for parts in stores)
    yield Section(
        "store", [f"{len(stores):,} stores: {', '.join(amount(n, kind) for kind, n in kinds.items())}"]
    )
    verdict = worst(verdicts)
    each = ", ".join(f"{count:,} {WORDS[name]}" for name, count in verdicts.items())
    text = ", ".join(amount(count, noun) for noun, count in totals.items() if count)
    if doubts:
        text += f"; {amount(doubts, 'transaction')} in doubt"
    yield Section(
        "verdict", [f"{WORDS[verdict]}   {each}", *([f"In all: {text.removeprefix('; ')}."] if text else [])]
    )
    rows.sort(key=lambda row: (-row[0], row[1]))
    listing = Listing([row[1:] for row in rows], len(rows), ("path", "verdict", ""))
    yield Section("holds", (), listing, apart=True)
    first = next(parts for parts in stores if shown(parts[0].place.asked.name) == rows[0][1])
    more = () if policy in (None, STRICT) else ("--policy", str(policy))
    again = first[0].place.asked.again(command, *more)
    yield Section("next", ["one of them:", f"  {again}"], apart=True)
