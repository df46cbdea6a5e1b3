"""The report next to a new store. It lists the content of the store, and each omitted item of the old store
with the reason.

It is written while the old store is read, so that a long report takes no memory: first as JSON
(``loss-report.schema.json``), then as a page with totals and the first items of each kind.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any

from journalspec import __version__
from journalspec.files import shown
from journalspec.formats import Format, get_format
from journalspec_reference.answers import Answer
from journalspec_reference.contents import Count
from journalspec_reference.filesets import LeftOut
from journalspec_reference.newstore import BYTES, FILE, MARK, Digest, LossItem, Part

#: The version of the JSON; new members can be added without a new version.
VERSION = 1
#: The page lists at most this many items of each kind.
FIRST = 100
#: The kind of an item that is a note.
NOTE = "note"
#: The code of an intact record in dropped bytes. If the bytes before the record were intact, it might be
#: live.
GIVEN_UP = "given-up"
_GIVEN_UP = "an intact record in bytes that cannot be used"
#: The members of an item in the JSON, in order.
MEMBERS = ("what", "id", "queue", "file", "off", "length", "code", "text")
#: The tables in which a format explains codes.
TABLES = ("reasons", "missing", "notes")


def losses(answer: Answer, below: str = "") -> Iterator[LossItem]:
    """Yield the dropped, missing and lost items of an answer; files are put `below` a directory."""
    described, seen = get_format(answer.journal.format), answer.observation

    def place(name: str) -> str:
        return f"{below}{name}" if name else ""

    for region in seen.dropped:
        text = described.meaning("reasons", region.reason)
        yield LossItem(
            BYTES, region.reason, text, file=place(region.file), off=region.off, length=region.length
        )
    for gone in seen.missing:
        word = described.vocabulary.missing.get(gone.code)
        counted = word.count if word is not None else ""
        is_file = word is not None and "file" in word.names
        what = FILE if is_file else counted.removesuffix("s") or "record"
        said = ": ".join(filter(None, (described.meaning("missing", gone.code), gone.text)))
        many = f"; {gone.count} {counted}" if counted and gone.count else ""
        yield LossItem(what, gone.code, said + many, gone.name, file=place(gone.file), off=gone.off)
    yield from _notes(answer, below, loss=True)
    for record in seen.each_given_up():
        at = record.at
        named = ", ".join(
            f"{name} {record.fields[name]!s}" for name in described.identity if name in record.fields
        )
        yield LossItem(
            "record", GIVEN_UP, _GIVEN_UP, named, file=place(at.file), off=at.off, length=at.length
        )


def remarks(answer: Answer, below: str = "") -> Iterator[LossItem]:
    """Yield the notes of an answer that are not losses by themselves; files are put `below` a directory.

    A note can be the only sign of a loss. Examples are notes on a gap in the numbers of the files, or on a
    file that is too short.
    """
    return _notes(answer, below, loss=False)


def _notes(answer: Answer, below: str, *, loss: bool) -> Iterator[LossItem]:
    described = get_format(answer.journal.format)
    for note in answer.observation.notes:
        known = described.vocabulary.notes.get(note.code)
        if (known is not None and known.loss) == loss:
            said = ": ".join(filter(None, (described.meaning("notes", note.code), note.text)))
            file = f"{below}{note.file}" if note.file else ""
            yield LossItem(NOTE, note.code, said, file=file, off=note.off)


@dataclass
class Tally:
    """Counts the items listed so far: the number per kind and code, and the first items of each kind.

    The format defines the meaning of a code. If it does not, the meaning is the reason of the first item with
    that code.
    """

    described: Format | None = None
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    bytes: Counter[tuple[str, str]] = field(default_factory=Counter)
    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    first: dict[str, list[LossItem]] = field(default_factory=dict)

    def add(self, item: LossItem) -> None:
        """Count an item."""
        key = item.what, item.code
        self.counts[key] += 1
        self.bytes[key] += item.length or 0
        if key not in self.texts:
            known = (self.described.meaning(table, item.code) for table in TABLES if self.described)
            self.texts[key] = next(filter(None, known), item.text)
        kept = self.first.setdefault(item.what, [])
        if len(kept) < FIRST:
            kept.append(item)

    @property
    def total(self) -> int:
        """The number of items."""
        return self.counts.total()


@dataclass
class PartAccount:
    """Represents the facts about one part of the new store after it was written."""

    part: Part
    carried: list[Count] = field(default_factory=list)
    left_out: Tally = field(default_factory=Tally)
    unverified: Tally = field(default_factory=Tally)
    noted: Tally = field(default_factory=Tally)
    chosen: list[str] = field(default_factory=list)


@dataclass
class LossReport:
    """Represents the report on a new store made from `source`. `undone` maps each store for which no new
    store was made to the reason.

    `hide` replaces user data (ids, names, texts) that must not be shown.
    """

    source: str
    target: str
    parts: Sequence[Part]
    undone: Mapping[str, str] = field(default_factory=dict)
    #: Files at the source that are not part of a store or were not read, with the reason.
    beside: Sequence[LeftOut] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    hide: Callable[[Part, str], str] | None = None
    found: list[PartAccount] = field(default_factory=list, init=False)
    before: Sequence[Digest] = field(default=(), init=False)
    written: Sequence[Digest] = field(default=(), init=False)

    @property
    def lost(self) -> int:
        """The number of items that were not carried over. It is known only after the report was written."""
        return len(self.undone) + sum(each.left_out.total for each in self.found)

    @property
    def uncounted(self) -> str:
        """A sentence for the reader if more items may be lost than are listed, else an empty text.

        The sentence is known only after the report was written.
        """
        kinds = {what for one in self.found for what, _ in one.left_out.counts}
        if not kinds & {BYTES, FILE}:
            return ""
        messages = any(each.table == "messages" for one in self.found for each in one.carried)
        back = ", and consumed messages may be delivered again" if messages else ""
        return f"The content of damaged bytes and missing files is not counted: more may be lost{back}."

    def write_json(self, out: IO[str], before: Sequence[Digest], written: Sequence[Digest] = ()) -> None:
        """Write the report as JSON, one entry per line; `before` are the files that were read."""
        self.found.clear()
        self.before, self.written = before, written
        head = {"report": MARK, "version": VERSION, "journalspec": __version__}
        head |= {"source": self.source, "target": self.target, "choices": dict(self.choices)}
        out.write(f"{_json(head)[:-1]},\n")
        _list(out, "source_files", map(_digest, before))
        out.write('"stores": [')
        for number, part in enumerate(self.parts):
            out.write(",\n" if number else "\n")
            self._store(out, part)
        out.write("\n],\n")
        _list(out, "not_rebuilt", ({"path": path, "why": why} for path, why in self.undone.items()))
        _list(out, "beside", ({"file": each.name, "why": each.why} for each in self.beside))
        _list(out, "files", map(_digest, written))
        out.write(f'"not_carried_over": {_json(self.lost)}}}\n')

    def _store(self, out: IO[str], part: Part) -> None:
        journal = part.answer.journal
        described = get_format(journal.format)
        one = PartAccount(part, [], Tally(described), Tally(described), Tally(described))
        self.found.append(one)
        head = {"path": part.path or ".", "format": journal.format, "edition": journal.edition}
        head |= {"edition_assumed": part.answer.assumption} if part.answer.assumption else {}
        head |= {"verdict": part.verdict, "policy": part.policy}
        head |= {"product": part.store.product}
        out.write(f"{_json(head)[:-1]},\n")
        one.carried = [self._counted(part, each) for each in part.store.carried()]
        names = ("table", "name", "rows", "bytes")
        _list(out, "carried_over", ({name: getattr(each, name) for name in names} for each in one.carried))
        _list(out, "left_out", map(_members, self._items(part, one.left_out, self._left_out(part))))
        _list(out, "notes", map(_members, self._items(part, one.noted, _of_all(part, remarks))))
        _list(out, "unverified", map(_members, self._items(part, one.unverified, part.store.unverified())))
        one.chosen = [self._hidden(part, each) for each in part.store.chosen()]
        _list(out, "chosen", one.chosen)
        _list(out, "steps", part.store.steps())
        totals = {
            name: [
                {"what": what, "code": code, "count": count, "bytes": tally.bytes[what, code]}
                for (what, code), count in sorted(tally.counts.items())
            ]
            for name, tally in (("left_out", one.left_out), ("unverified", one.unverified))
        }
        out.write(f'"totals": {_json(totals)}}}')

    def _left_out(self, part: Part) -> Iterator[LossItem]:
        yield from _of_all(part, losses)
        yield from part.store.left_out()

    def _items(self, part: Part, tally: Tally, items: Iterable[LossItem]) -> Iterator[LossItem]:
        for found in items:
            item = found
            if self.hide is not None:
                # The reason can quote texts that users stored.
                text = item.text if item.what in (BYTES, FILE) else ""
                id, queue = self._hidden(part, item.id), self._hidden(part, item.queue)
                item = replace(item, id=id, queue=queue, text=text)
            tally.add(item)
            yield item

    def _counted(self, part: Part, count: Count) -> Count:
        # The name of a user's table is hidden; other names are those of the format.
        table = self._hidden(part, count.table) if count.table == count.name else count.table
        return replace(count, table=table, name=self._hidden(part, count.name))

    def _hidden(self, part: Part, text: str) -> str:
        return text if self.hide is None or not text else self.hide(part, text)

    def write_page(self, out: IO[str]) -> None:
        """Write the report as a page; call :meth:`write_json` first."""
        out.writelines(f"{line}\n" for line in self._page())

    def _page(self) -> Iterator[str]:
        yield f"<!-- {MARK}, version {VERSION}, journalspec {__version__} -->"
        yield f"# Content of {_word(self.target)}, and what was not carried over"
        yield ""
        carried = Counter[str]()
        for each in (count for one in self.found for count in one.carried):
            carried[each.table] += each.rows
        many = ", ".join(f"{rows:,} in {table}" for table, rows in carried.items()) or "nothing"
        yield f"It was made from {_word(self.source)}, which was only read. Carried over: {many}."
        doubtful = sum(each.unverified.total for each in self.found)
        yield f"Not carried over: {self.lost:,}. Not verified: {doubtful:,}."
        yield from filter(None, [self.uncounted])
        for path, why in self.undone.items():
            yield f"\nNo new store was made from {_word(path)}: {_prose(why)}"
        for one in self.found:
            yield from self._page_of(one)
        if self.written:
            yield from _table(
                "Files of the new store", ("file", "bytes", "SHA-256"), map(_cells, self.written)
            )
        after = "; they did not change" if self.written else ""
        yield from _table(
            f"Files that were read{after}", ("file", "bytes", "SHA-256"), map(_cells, self.before)
        )

    def _page_of(self, one: PartAccount) -> Iterator[str]:
        part = one.part
        journal = part.answer.journal
        described = get_format(journal.format)
        yield ""
        yield f"## {described.title}" + (f" in {_word(part.path)}" if part.path else "")
        yield ""
        yield f"- product: {shown(part.store.product)}"
        yield f"- edition: {part.answer.assumption or journal.edition}"
        yield f"- policy: {part.policy}: {part.policy_text}"
        yield f"- verdict on the old store: {part.verdict}"
        yield from (f"- choice: {shown(each)}" for each in one.chosen)
        rows = ((each.table, _word(each.name), f"{each.rows:,}", f"{each.bytes:,}") for each in one.carried)
        yield from _table("Carried over", ("table", "name", "rows", "bytes"), rows)
        for title, tally in (
            ("Not carried over", one.left_out),
            ("Carried over, not verified", one.unverified),
            ("Notes on the old store", one.noted),
        ):
            kinds = (
                (what, code, f"{number:,}", f"{tally.bytes[what, code]:,}", shown(tally.texts[what, code]))
                for (what, code), number in sorted(tally.counts.items())
            )
            yield from _table(title, ("what", "reason", "number", "bytes", "meaning"), kinds)
            for what, items in tally.first.items():
                number = sum(count for (each, _), count in tally.counts.items() if each == what)
                first = f", the first {FIRST} of {number:,}" if number > FIRST else ""
                yield from _table(
                    f"{title}: {what}{first}", ("id", "queue or table", "place", "reason", ""),
                    ((_word(i.id), _word(i.queue), _place(i), i.code, _prose(i.text)) for i in items),
                )  # fmt: skip
        yield ""
        yield "### How to put it in place"
        yield ""
        yield from (f"{number}. {shown(step)}" for number, step in enumerate(part.store.steps(), start=1))


def _of_all(part: Part, items: Callable[[Answer, str], Iterator[LossItem]]) -> Iterator[LossItem]:
    """Yield the items of a part's answer, and of the other answers that its store includes."""
    yield from items(part.answer, "")
    for each in part.covered:
        root = each.journal.root
        beside = root is not None and part.answer.journal.root is not None
        yield from items(each, f"../{root.name}/" if root is not None and beside else "")


#: One encoder encodes all items, because creating an encoder takes longer than using it.
_ENCODED = json.JSONEncoder(separators=(", ", ": ")).encode


def _json(value: Any) -> str:
    return _ENCODED(_texts(value))


def _texts(value: Any) -> Any:
    """Return a value with all its integers as decimal strings."""
    if isinstance(value, Mapping):
        # Most members are texts, and a report may have a million items.
        return {name: each if type(each) is str else _texts(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_texts, value)]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _list(out: IO[str], name: str, entries: Iterable[Any]) -> None:
    """Write a member that is a list, one entry per line."""
    out.write(f'"{name}": [')
    for number, entry in enumerate(entries):
        out.write(f"{',' if number else ''}\n  {_json(entry)}")
    out.write("],\n")


def _digest(one: Digest) -> dict[str, Any]:
    return {
        "file": one.file,
        "length": one.length,
        **({"why": one.why} if one.why else {"sha256": one.sha256}),
    }


def _members(item: LossItem) -> dict[str, Any]:
    """Return those members of an item that have a value."""
    found = {name: getattr(item, name) for name in MEMBERS}
    return {name: value for name, value in found.items() if value not in ("", None)}


def _cells(one: Digest) -> Sequence[str]:
    return _word(one.file), f"{one.length:,}", one.sha256 or one.why


#: Characters of a quoted name that could end a table cell, begin an element, a link or an image, or take away
#: the effect of a backslash before such a character.
_MARKUP = {ord("|"): "\\|", ord("<"): "&lt;", ord("["): "\\[", ord("\\"): "\\\\"}


def _prose(text: str) -> str:
    """Return a sentence that can quote names from the files, without their markup."""
    return shown(text).translate(_MARKUP)


def _word(text: str) -> str:
    """Return a text as Markdown code that stays within one table cell."""
    text = shown(text).replace("`", "'").replace("|", "\\|")
    return f"`{text}`" if text else ""


def _place(item: LossItem) -> str:
    if not item.file:
        return ""
    end = (
        ""
        if item.off is None
        else f":{item.off}" + ("" if item.length is None else f"..{item.off + item.length}")
    )
    return _word(item.file + end)


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a table below a heading; nothing if there is no row."""
    for number, row in enumerate(rows):
        if not number:
            yield from ("", f"### {title}", "", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}")
        yield f"| {' | '.join(row)} |"
