"""The sections of a screen: damage, content, transactions, losses, and the effects of a product's start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from heapq import heappop, heappush, nlargest
from itertools import islice
from operator import attrgetter, itemgetter
from typing import Any

from journalspec.files import shown
from journalspec.formats import AtStart, Format, Holds, InDoubt
from journalspec.observation import CLEAN, RECOVERED, REFUSED, Dropped, Note, Observation
from journalspec.reread import LISTS
from journalspec_conformance.cli.contents import MESSAGES, Holdings, Moment
from journalspec_conformance.cli.journal_view import Listing, Part, Section, value_text
from journalspec_conformance.cli.places import amount, place_text
from journalspec_conformance.cli.redaction import Redacted
from journalspec_reference.answers import CHANGED, COMPRESSED, UNCHECKED
from journalspec_reference.xids import gtrid_in_full

#: Two limits: the number of entries of a list that are shown, beginning with the largest, and the number of
#: names in a sentence.
MOST, FEW = 10, 3
#: The table of transactions. It has the columns _XID if it contains XIDs that the state lacks.
TRANSACTIONS, _XID = "transactions", frozenset(("xid", "recovery", "sends", "acknowledges"))
#: The additional columns of a table of messages, if each message has an offset in a journal that is written
#: in order of time.
_PLACED = frozenset(("id", "queue", "timestamp", "file", "off"))
#: The state of undecided transactions of a transaction manager, and what happens to each of them after a
#: crash.
PENDING = "pending"
_RECOVERY = {
    "commit": "recovery commits it",
    "wait-for-parent": "another server decides",
    "operator": "an operator must end it",
}
#: The phrases below a verdict for losses that can occur in every format.
PHRASES = {
    CHANGED: CHANGED,
    COMPRESSED: "compressed, so that the product does not find it: {names}",
}
#: In the rows `at_start` of a format, codes of remarks on contents begin with this prefix.
_OF_CONTENTS = "contents-"
#: The members of a region without records.
_REGION: Callable[[Dropped], tuple[str, int, int, str]] = attrgetter("file", "off", "length", "reason")
#: A note's own text replaces the general explanation if it is longer than this (characters).
SENTENCE = 24


@dataclass
class Amounts:
    """Represents the content of a list of the state: for each name, the number of items and their bytes."""

    rule: Holds
    count: Counter[str] = field(default_factory=Counter)
    size: Counter[str] = field(default_factory=Counter)
    remarks: dict[str, str] = field(default_factory=dict)
    #: For each name, the oldest and the newest time, if the items have times.
    times: dict[str, tuple[int, int]] = field(default_factory=dict)


# The fault in one sentence.


def damage(part: Part) -> str:
    """Return one sentence on damaged, missing or refused parts, or an empty text."""
    seen, description = part.seen, part.description
    if seen.verdict == REFUSED:
        code = seen.code or ""
        where = f"{shown(seen.at.file)}:{seen.at.off}: " if seen.at is not None else ""
        if phrase := description.phrases.get(code):
            return f"{where}{phrase}; {shown(seen.message)}"
        meaning = description.meaning("reasons", code)
        return f"{where}{meaning if where and meaning else shown(seen.message)} ({code})"
    parts = []
    for entries in by_key(seen.missing, lambda entry: entry.code).values():
        count = sum(entry.count or 0 for entry in entries)
        noun = description.vocabulary.missing[entries[0].code].count.rstrip("s")
        names = some_of([*dict.fromkeys(entry.name for entry in entries)])
        phrase = description.phrases.get(entries[0].code, "missing: {names}").format(
            names=names, number=len(entries)
        )
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
    losses = by_key((note for note in seen.notes if is_loss(description, note)), lambda note: note.code)
    for code, notes in losses.items():
        phrase = description.phrases.get(code, PHRASES.get(code, code))
        times = f" ({len(notes):,} times)" if len(notes) > 1 and "{names}" not in phrase else ""
        parts.append(phrase.format(names=some_of([note.file or "" for note in notes])) + times)
    if not parts and seen.verdict == RECOVERED:
        parts.append("some of its data is not part of the state; see the notes")
    return "; ".join(parts)


def is_loss(description: Format, note: Note) -> bool:
    """Return whether a note reports a loss."""
    word = description.vocabulary.notes.get(note.code)
    return note.code in PHRASES or bool(word and word.loss)


def by_key(items: Iterable[Any], key: Callable[[Any], str]) -> dict[str, list[Any]]:
    """Return the items grouped by key; groups are in the order of their first items."""
    found: dict[str, list[Any]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def some_of(items: Sequence[Any], most: int = FEW, text: Callable[[Any], str] = shown) -> str:
    """Return the first few names (or the `text` of items), and the number of the others."""
    more = f" and {len(items) - most:,} more" if len(items) > most else ""
    return ", ".join(map(text, islice(items, most))) + more


# The content.


def held(part: Part, *, lists: bool = True) -> list[Amounts]:
    """Return the amounts in queues and tables; if all are empty and `lists` is set, those in the state."""
    found: dict[str, Amounts] = {}
    contents = part.contents
    for each in contents.contents.counts() if contents is not None else ():
        assert contents is not None
        # Rows of a user's own table are counted under the name of that table.
        own = each.table not in contents.known
        noun = contents.noun(each.table)
        if noun == "transaction":
            continue  # Transactions without an end have a section of their own.
        head = "table" if own else next(iter(contents.contents.tables[each.table].columns)).name
        amounts = found.setdefault(noun, Amounts(Holds(each.table, noun, head, (head,), size="bytes")))
        name = contents.hidden(each.name)
        amounts.count[name] += each.rows
        amounts.size[name] += each.bytes
        if each.oldest is not None and each.newest is not None:
            amounts.times[name] = each.oldest, each.newest
    if filled := [amounts for amounts in found.values() if amounts.count.total()]:
        return filled
    return _in_state(part.description, part.seen) if lists else []


def _in_state(description: Format, seen: Observation) -> list[Amounts]:
    """Return the items of the state's lists; each list is read once, and no item is kept."""
    found = []
    for rule in description.holds:
        amounts = Amounts(rule)
        if not rule.list:
            amounts.count.update(seen.tallies)
        elif seen.state is None or rule.list not in seen.state:
            continue
        else:
            _count(amounts, seen.state[rule.list])
        if amounts.count or rule.list:
            found.append(amounts)
    return found


def _times(amounts: Amounts, names: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of times by their headings; the date is omitted if it is the same for all times."""
    known = [time for name in names for time in amounts.times.get(name, ())]
    days = {str(Moment(time))[:10] for time in known}

    def text(at: int, name: str) -> str:
        if name not in amounts.times:
            return ""
        day, _, clock = str(Moment(amounts.times[name][at])).rstrip("Z").partition("T")
        return clock if len(days) == 1 else f"{day} {clock[:8]}"

    heads = ("oldest", f"newest, UTC{f' on {min(days)}' if len(days) == 1 else ''}")
    return {head: [*map(partial(text, at), names)] for at, head in enumerate(heads)}


def _count(amounts: Amounts, entries: Any) -> None:
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
            amounts.size[name] += (
                value
                if isinstance(value, int)
                else value.length
                if isinstance(value, Redacted)
                else len(value)
            )
        waiting = entry.get(rule.owners, ()) if rule.owners else ()
        if len(waiting):
            some = some_of(waiting, text=lambda one: f"{one['key']} ({len(one['pending']):,})")
            amounts.remarks[name] = shown(f"for {some}")


def _plain(value: object) -> str:
    """Return a value for display: destination types in lower case, ASCII bytes as text."""
    if isinstance(value, (bytes, memoryview)):
        data = bytes(value)
        return data.decode("ascii") if data and all(0x20 <= byte < 0x7F for byte in data) else data.hex()
    text = str(value)
    return text.lower().replace("_", " ") if text in ("QUEUE", "TOPIC", "TEMP_QUEUE", "TEMP_TOPIC") else text


def listed(amounts: Amounts) -> Listing:
    """Return a listing of the names in a list of the state, beginning with the largest."""
    rule = amounts.rule
    largest = nlargest(MOST, amounts.count, key=lambda name: (amounts.count[name], amounts.size[name]))
    largest.sort(key=lambda name: (-amounts.count[name], name))
    counts = [amounts.count[name] for name in largest]
    columns = {rule.head: [*map(shown, largest)]}
    columns[amount(2, rule.noun).removeprefix("2 ")] = [f"{count:,}" for count in counts]
    if rule.size:
        columns["bytes"] = [f"{amounts.size[name]:,}" for name in largest]
    times = _times(amounts, largest) if amounts.times else {}
    columns |= times
    if amounts.remarks:
        columns[""] = [amounts.remarks.get(name, "") for name in largest]
    rows = [*zip(*columns.values(), strict=True)]
    drop = ([*times][-1], "bytes", "oldest") if times else ("bytes",)
    total = amounts.count.total()
    return Listing(rows, len(amounts.count), [*columns], counts, total, rule.noun, drop)


def in_all(found: Sequence[Amounts]) -> str:
    """Return the total of all lists: ``5 messages (2 destinations)``."""
    words = []
    for amounts in found:
        rule = amounts.rule
        names, count = len(amounts.count), amounts.count.total()
        within = f" in {amount(names, rule.head)}" if names and (rule.names or not rule.list) else ""
        words.append(amount(count, rule.noun) + within)
    return ", ".join(words)


# Transactions.


def doubtful(part: Part) -> tuple[Listing, str]:
    """Return the transactions without an end, and their number in words; both are empty if there are none.

    In some formats, the state contains XIDs only within bytes of the application. Then the rows come from the
    contents, which decode the XIDs.
    """
    contents, state = part.contents, part.seen.state or {}
    if contents is not None and {*contents.columns_of(TRANSACTIONS)} >= _XID:
        return _in_transactions(contents)
    rows: list[tuple[str]] = []
    numbers: Counter[str] = Counter()
    for rule in part.description.in_doubt:
        for entry in state.get(rule.list, ()):  # type: ignore[attr-defined]  # a list
            if any(entry[name] != value for name, value in rule.where.items()):
                continue
            numbers[rule.noun] += 1
            if len(rows) < MOST:
                says = rule.says.format_map({name: _value(rule, value) for name, value in entry.items()})
                rows.append((f"{shown(_called(rule, entry))}: {shown(says)}",))
    return _without_end(rows, numbers)


def _in_transactions(contents: Holdings) -> tuple[Listing, str]:
    """Return the result of :func:`doubtful` from the contents of a broker or a transaction manager."""
    rows: list[tuple[str]] = []
    words: Counter[str] = Counter()
    for kept in contents.rows(TRANSACTIONS):
        by_broker = kept["recovery"] is None
        if kept["state"] != "prepared" if by_broker else kept["recovery"] not in _RECOVERY:
            continue
        words["in doubt" if by_broker else PENDING] += 1
        if len(rows) < MOST:
            row = contents.shown(TRANSACTIONS)(kept)
            name = f"tx {row['id']}, xid {row['xid']}" if by_broker else f"{row['uid']}, node {row['node']}"
            rows.append((f"{shown(name)}: {_sends(row) if by_broker else _decision(row)}",))
    return _without_end(rows, words)


def _without_end(rows: Sequence[tuple[str]], words: Counter[str]) -> tuple[Listing, str]:
    total = words.total()
    text = ", ".join(
        f"{amount(count, 'transaction')} {'is' if count == 1 else 'are'} {word}"
        for word, count in words.items()
    )
    return Listing(rows, total, noun="transaction", counts=[1] * len(rows), total=total), text


def _sends(row: Mapping[str, Any]) -> str:
    sends, taken = row["sends"], row["acknowledges"]
    parts = [f"puts {amount(sends, 'message')} into queues"] if sends else []
    parts += [f"takes {amount(taken, 'message')} out of queues"] if taken else []
    return f"prepared: a commit {' and '.join(parts) or 'changes no message'}"


def _decision(row: Mapping[str, Any]) -> str:
    alone = f", {row['heuristics']:,} decided by itself" if row["heuristics"] else ""
    left = amount(row["participants"] or 0, "participant")
    return f"{row['state']}: {_RECOVERY[row['recovery']]}; {left} left{alone}"


def _called(rule: InDoubt, entry: Mapping[str, Any]) -> str:
    # A redacted name cannot be split into its parts.
    if rule.ids == ("gtrid",) and not isinstance(entry["gtrid"], Redacted):
        return gtrid_in_full(bytes(entry["gtrid"]))
    parts = [(name, _plain(entry[name])) for name in rule.ids]
    return ", ".join(f"{name.replace('_', ' ')} {text}" for name, text in parts if text)


def _value(rule: InDoubt, value: object) -> str:
    if not isinstance(value, LISTS):
        return _plain(value) if isinstance(value, (bytes, memoryview)) else value_text(value)
    if rule.by and value and all(name in value[0] for name in rule.by):
        verb, *names = rule.by
        alike = Counter((item[verb], " ".join(_plain(item[name]) for name in names)) for item in value)
        shares = [
            f"{amount(count, 'message')} {rule.words.get(kind, kind)} {name}"
            for (kind, name), count in alike.most_common()
        ]
        return some_of(shares, text=str)
    if not len(value) or isinstance(value[0], Mapping):
        return f"{len(value):,}"
    return some_of(value, MOST, _plain)


# Losses.


def losses(part: Part, *, around_it: bool = False, beside: Sequence[str] = ()) -> Iterator[Section]:
    """Yield the sections on damage (with `around_it`, also the messages next to it), effects, missing parts.

    `beside` are lines on damage to files next to the journal.
    """
    description, seen = part.description, part.seen
    codes = description.after
    # Further passes over notes or records are avoided, because each pass may read the files again.
    notes, after = [], []
    for note in seen.notes:
        if note.code in codes:
            after.append(note)
        elif is_loss(description, note):
            notes.append(note)
    inside = Counter(map(attrgetter("type"), seen.each_given_up() if seen.unanchored else ()))
    text = [*by_code(description, notes), *beside]
    if inside:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in inside.most_common(MOST))
        text.append(f"{amount(inside.total(), 'sound record')} in it, not part of the state: {kinds}")
    regions, number, size = _regions(seen.dropped)
    rows = [
        (f"{shown(file)}:{off}..{off + length}", f"{amount(length, 'byte')}: {_short(why)}")
        for file, off, length, reason in map(_REGION, regions)
        for why in [f"{reason}: {description.meaning('reasons', reason)}"]
    ]
    listing = Listing(rows, number, (), [item.length for item in regions], size, "byte")
    if not text and not number and seen.verdict != REFUSED:
        text = ["nothing is damaged"]
    if text or number:
        yield Section("lost", text, listing if number else None)
    if around_it and part.contents is not None and (lines := around(part.contents, regions)):
        yield Section("when", lines)
    if after:
        yield Section("after it", by_code(description, after))
    if seen.missing:
        yield Section("missing", (), _gone(description, seen))


def around(contents: Holdings, regions: Sequence[Dropped]) -> list[str]:
    """Return when the data in lost regions was written, given by the messages just before and after them.

    Adjacent regions are merged. Because records are only appended, the order of offsets is the order of time.
    """
    spans: list[tuple[str, int, int]] = []
    for file, off, length, _ in sorted(map(_REGION, regions), key=itemgetter(0, 1)):
        if spans and spans[-1][0] == file and spans[-1][2] == off:
            spans[-1] = (file, spans[-1][1], off + length)
        else:
            spans.append((file, off, off + length))
    if not spans or not {*contents.columns_of(MESSAGES)} >= _PLACED:
        return []
    spans = spans[:FEW]
    files = {file for file, _, _ in spans}
    before: dict[int, Mapping[str, Any]] = {}
    after: dict[int, Mapping[str, Any]] = {}
    near = [Dropped(file, start, end - start, "") for file, start, end in spans]
    for row in contents.rows(MESSAGES, contents.contents.near(near)):
        off = row["off"]
        if row["file"] not in files or off is None:
            continue
        for number, (file, start, end) in enumerate(spans):
            if file != row["file"]:
                continue
            if off < start and (number not in before or off > before[number]["off"]):
                before[number] = row
            elif off >= end and (number not in after or off < after[number]["off"]):
                after[number] = row
    lines = []
    for number, (file, start, end) in enumerate(spans):
        told = [
            f"{word} message {row['id']} of {row['queue']}"
            + (f" ({row['timestamp']})" if row["timestamp"] is not None else "")
            for word, found in (("after", before), ("before", after))
            if number in found
            for row in [contents.shown(MESSAGES)(found[number])]
        ]
        if told:
            lines.append(shown(f"{file}:{start}..{end} was written {' and '.join(told)}"))
    return lines


def _regions(dropped: Iterable[Dropped]) -> tuple[list[Dropped], int, int]:
    """Return the largest regions in their original order, with the number and the bytes of all regions."""
    number = size = 0
    largest: list[tuple[int, int, Dropped]] = []
    for number, region in enumerate(dropped, start=1):
        size += region.length
        heappush(largest, (region.length, -number, region))
        if number > MOST:
            heappop(largest)
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
        where = place_text(entry.file, entry.off)
        proof = f"; evidence: {where}" if where else ""
        why = shown(entry.text) if len(entry.text) > SENTENCE else _short(word.doc)
        rows.append((f"{shown(entry.name)}: {count}{why}{proof}",))
        counts.append(entry.count or 0)
    noun = description.vocabulary.missing[seen.missing[0].code].count.rstrip("s") if total else ""
    return Listing(rows, len(seen.missing), (), counts, total, noun)


def _short(text: str) -> str:
    """Return the first sentence of an explanation."""
    return text.partition(". ")[0]


def by_code(description: Format, notes: Iterable[Note]) -> list[str]:
    """Return a line for each code of the notes."""
    return [*map(partial(grouped, description), by_key(notes, lambda note: note.code).values())]


def grouped(description: Format, notes: Sequence[Note]) -> str:
    """Return the line on all notes with the same code."""
    first = notes[0]
    if first.code == UNCHECKED:
        return f"not checked by any checksum: {first.text.partition(': ')[0]}"
    where = place_text(first.file, first.off)
    text = f"{first.code}: {_short(description.meaning('notes', first.code))}"
    if len(notes) > 1:
        return f"{len(notes):,} x {text}" + (f"; the first at {where}" if where else "")
    if len(first.text) > SENTENCE:
        # The note's own text replaces the explanation of its code.
        return f"{first.code}: {shown(first.text)}" + (f" ({where})" if where else "")
    return text + "".join(f"; {part}" for part in (where, shown(first.text)) if part)


# The effect of the product's start, if it is known: the rows `at_start` of a format.


@dataclass(frozen=True)
class LookedAt:
    """Represents the findings about a journal: the answers, perhaps its contents, and additional codes."""

    answers: Sequence[Part]
    contents: Holdings | None = None
    own: AbstractSet[str] = frozenset()

    @property
    def codes(self) -> set[str]:
        """The codes that select from the rows `at_start` of a format."""
        found = {*self.own, *(f"without-{name}" for name in _without(self.answers[0]))}
        for seen in (part.seen for part in self.answers):
            found |= {note.code for note in seen.notes} | {entry.code for entry in seen.missing}
            found |= {region.reason for region in seen.dropped} | {seen.code or "", f"refused-{seen.code}"}
        if self.answers[0].seen.verdict == CLEAN:
            found.add(CLEAN)
        if self.contents is not None:
            # `judge` omits remarks on objects that a start does not read, such as properties and pages.
            found |= {f"{_OF_CONTENTS}{code}" for code in self.contents.contents.judge()}
        return found

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield the code and text of each missing part, each note on a neighbouring file, and each remark."""
        for part in self.answers:
            yield from ((entry.code, entry.text) for entry in part.seen.missing)
            beside = part.answer.journal.neighbours
            yield from ((note.code, note.text) for note in part.seen.notes if note.file in beside)
        for remark in self.contents.contents.remarks.kept if self.contents is not None else ():
            yield f"{_OF_CONTENTS}{remark.code}", remark.text


def _without(part: Part) -> list[str]:
    """Return the absent directories that should be next to the directory of a journal."""
    root, patterns = part.place.loaded.root, part.description.parts
    alone = not patterns or part.asked.archive == root
    if alone or not fnmatchcase(root.resolve().name, patterns[0]):
        return []
    names = [path.name for path in root.resolve().parent.iterdir() if path.is_dir()]
    return [each.strip("*") for each in patterns[1:] if not any(fnmatchcase(name, each) for name in names)]


def at_start(journals: Iterable[LookedAt]) -> list[AtStart]:
    """Return the rows `at_start` for the journals of a store: the effects of a start."""
    rows: dict[AtStart, None] = {}
    texts: dict[str, dict[str, None]] = {}
    for journal in journals:
        codes = journal.codes
        for code, text in journal.texts():
            texts.setdefault(code, {})[shown(text)] = None
        known = journal.answers[0].description.at_start
        rows |= dict.fromkeys(row for row in known if row.applies(codes))
    return [
        replace(
            row,
            says=row.says.format(texts=some_of([text for code in row.when for text in texts.get(code, ())])),
        )
        for row in rows
    ]


def trouble(part: Part) -> str:
    """Return a sentence if a start fails or loses data although the journal is clean; else empty."""
    if part.seen.verdict != CLEAN:
        return ""
    rows = [row for row in part.description.at_start if row.fails]
    # The computation of contents may read the journal again, so it is done only if a row needs the contents.
    wanted = any(code.startswith(_OF_CONTENTS) for row in rows for code in row.when)
    codes = LookedAt([part], part.contents if wanted else None).codes
    return "; ".join(row.short for row in rows if row.applies(codes))
