"""Annotated hexdumps and file maps, from the byte ranges that a format names.

The input consists of :class:`~journalspec_reference.api.Span` values and bytes. The output consists of plain
values, because terminals, the documentation and failure texts format these differently. Output is produced
row by row. A long run of equal bytes becomes a fold, which takes little time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from journalspec_reference.api import Span
from journalspec_reference.content import hole_end

WIDTH = 16
#: Kinds of regions that can contain well-formed records. Such records are not part of the answer.
AROUND = frozenset({"dropped", "stale", "unused"})
#: A run of equal bytes is folded if it would fill more rows than this.
FOLD_ABOVE = 3
CHUNK = 1 << 16
PRINTABLE = range(0x20, 0x7F)


@dataclass(frozen=True, slots=True)
class Head:
    """Represents the line above a region, with the meaning of the bytes after it."""

    off: int
    length: int
    title: str
    kind: str


@dataclass(frozen=True, slots=True)
class Row:
    """Represents up to WIDTH bytes at `off`: the bytes, kind and path of each byte, and the labels of the
    fields that start in this row.
    """

    off: int
    data: bytes
    kinds: tuple[str, ...]
    paths: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def length(self) -> int:
        """The number of these bytes."""
        return len(self.data)


@dataclass(frozen=True, slots=True)
class Fold:
    """Represents `length` bytes at `off` that all have the same value. They are not printed one by one."""

    off: int
    length: int
    byte: int
    kind: str


Line = Head | Row | Fold


@dataclass(frozen=True)
class Region:
    """Represents a top-level range of a file (a header, a record, a dropped region, ...) with its fields."""

    span: Span
    fields: tuple[Span, ...]


def regions(spans: Iterable[Span], file: str, length: int) -> Iterator[Region]:
    """Yield the regions of `file` in offset order, covering all of its `length` bytes.

    A range without a span becomes a region of kind ``unused``; spans that lie within an earlier span become
    its fields. A record inside a part that normally contains no record is a separate region, and splits this
    part into pieces. Ranges beyond the end of the file are truncated.
    """
    at = 0
    whole: Span | None = None
    open_span: Span | None = None
    fields: list[Span] = []

    def until(stop: int) -> Iterator[Region]:
        """Yield the open region, then the part of `whole` from the end of that region up to `stop`."""
        nonlocal at, open_span
        if open_span is not None:
            yield Region(open_span, tuple(fields))
            at, open_span = _end(open_span), None
        if whole is not None and at < (stop := min(_end(whole), stop)):
            yield Region(_part(whole, at, stop), ())
            at = stop

    for span in spans:
        if span.file != file or span.off >= length:
            continue
        if open_span is not None and _end(span) <= _end(open_span):
            if span.kind == "field" or open_span.kind not in AROUND or span.kind not in AROUND:
                fields.append(span)
                continue
            # The open span encloses this span. It becomes `whole`, a region without fields.
            whole, open_span = open_span, None
        yield from until(span.off)
        if whole is not None and _end(span) > _end(whole):
            yield from until(length)
            whole = None
        if span.off > at:
            yield Region(Span(file, at, span.off - at, "unnamed", "unused"), ())
        begin = max(span.off, at)
        size = min(_end(span), length) - begin
        at = begin
        open_span, fields = Span(file, begin, max(size, 0), span.path, span.kind, span.value), []
    yield from until(length)
    if at < length:
        yield Region(Span(file, at, length - at, "unnamed", "unused"), ())


def _end(span: Span) -> int:
    return span.off + span.length


def _part(whole: Span, start: int, end: int) -> Span:
    """Return a part of a region, with the name of the region."""
    if (start, end) == (whole.off, _end(whole)):
        return whole
    said = f"{whole.value}, part of {whole.length} bytes at {whole.off}".lstrip(", ")
    return Span(whole.file, start, end - start, whole.path, whole.kind, said)


def lines(data: Any, spans: Iterable[Span], file: str) -> Iterator[Line]:
    """Yield the annotated dump of `file`, whose content is `data` (any buffer).

    Each region begins a new row, so no row contains bytes of two regions.
    """
    for region in regions(spans, file, len(data)):
        span = region.span
        title = f"{span.path} {span.value}".rstrip()
        yield Head(span.off, span.length, title, span.kind)
        yield from _region_lines(data, region)


def _region_lines(data: Any, region: Region) -> Iterator[Line]:
    end = region.span.off + region.span.length
    at = region.span.off
    fields = _Cursor(region)
    while at < end:
        run = _run(data, at, min(end, fields.next_start(at)))
        if run > FOLD_ABOVE * WIDTH:
            yield Fold(at, run, data[at], fields.at(at).kind)
            at += run
            continue
        stop = min(at + WIDTH, end)
        yield _row(bytes(data[at:stop]), at, fields)
        at = stop


def _row(content: bytes, off: int, fields: _Cursor) -> Row:
    kinds: list[str] = []
    paths: list[str] = []
    at, stop = off, off + len(content)
    while at < stop:
        span = fields.at(at)
        size = min(stop, fields.same_until()) - at
        kinds += [span.kind] * size
        paths += [span.path] * size
        at += size
    return Row(off, content, tuple(kinds), tuple(paths), tuple(fields.starting(off, stop)))


class _Cursor:
    """Finds the innermost field at an offset, which may only move forward."""

    def __init__(self, region: Region) -> None:
        self.outer = region.span
        # Fields without bytes label an offset but never cover a byte.
        self._fields = region.fields
        self._next = 0
        self._stack: list[Span] = [region.span]
        self._labelled = 0

    def at(self, off: int) -> Span:
        while self._next < len(self._fields) and self._fields[self._next].off <= off:
            self._stack.append(self._fields[self._next])
            self._next += 1
        while len(self._stack) > 1 and self._stack[-1].off + self._stack[-1].length <= off:
            self._stack.pop()
        return self._stack[-1]

    def same_until(self) -> int:
        """Return the offset up to which the field that `at` returned last stays the innermost one."""
        end = self._stack[-1].off + self._stack[-1].length
        return min(end, self._fields[self._next].off) if self._next < len(self._fields) else end

    def next_start(self, off: int) -> int:
        """Return the offset at or after `off` where the next field begins.

        Return the region's end if there is none.
        """
        self.at(off)
        index = self._labelled
        while index < len(self._fields) and self._fields[index].off < off:
            index += 1
        if index < len(self._fields):
            return max(self._fields[index].off, off)
        return self.outer.off + self.outer.length

    def starting(self, off: int, stop: int) -> Iterator[str]:
        while self._labelled < len(self._fields) and self._fields[self._labelled].off < stop:
            span = self._fields[self._labelled]
            self._labelled += 1
            if span.off >= off:
                yield label(span, self.outer)


def label(span: Span, outer: Span) -> str:
    """Return ``name=value``, with the name relative to the enclosing region."""
    name = span.path
    if name.startswith(outer.path):
        name = name[len(outer.path) :].lstrip(".") or name
    return f"{name}={span.value}" if span.value else name


def _run(data: Any, at: int, end: int) -> int:
    """Return the number of equal bytes from `at` on, at most up to `end`."""
    if end - at <= FOLD_ABOVE * WIDTH:
        return 0
    value = bytes([data[at]])
    head = bytes(data[at : at + WIDTH * FOLD_ABOVE])
    if head != value * len(head):
        return 0
    return _same_until(data, at, end, value) - at


def _same_until(data: Any, at: int, end: int, value: bytes) -> int:
    """Return the offset of the first byte from `at` on that is not `value`. Return `end` if there is none."""
    pattern = value * min(end - at, CHUNK)
    while at < end:
        if value == b"\0" and (hole := min(end, hole_end(data, at))) > at:
            at = hole
            continue
        piece = bytes(data[at : min(at + CHUNK, end)])
        if piece != pattern[: len(piece)]:
            return at + len(piece) - len(piece.lstrip(value))
        at += len(piece)
    return end


def uniform(data: Any, off: int, length: int) -> int | None:
    """Return the value that all `length` bytes at `off` have.

    Return None if they differ or there are no bytes.
    """
    if length <= 0:
        return None
    value = data[off]
    return value if _same_until(data, off, off + length, bytes([value])) == off + length else None


def printable(text: str) -> str:
    """Return `text` with every control and non-ASCII character escaped, so it is safe on any terminal."""
    return "".join(
        char if ord(char) in PRINTABLE else char.encode("unicode_escape").decode("ascii") for char in text
    )


def hex_cells(data: bytes) -> str:
    """Return the two-digit cells of one row, padded to the full width of a row."""
    return data.hex(" ").ljust(3 * WIDTH - 1)


def text_cells(data: bytes) -> str:
    """Return the bytes of one row as ASCII, with a dot for unprintable bytes; not padded."""
    return "".join(chr(byte) if byte in PRINTABLE else "." for byte in data)


def row_text(row: Row, beside: str) -> str:
    """Return a row as a line: offset, bytes, the bytes as text, and the note `beside` them, if any."""
    text = text_cells(row.data)
    if beside:
        text = text.ljust(WIDTH + 2) + beside
    return f"{row.off:08x}  {hex_cells(row.data)}  {text}"


#: The columns before the notes: eight digits, two blanks, the cells, two blanks, the text, two blanks.
NOTES_AT = 8 + 2 + (3 * WIDTH - 1) + 2 + WIDTH + 2
#: The number of columns of a line if no width is given.
COLUMNS = 116
#: If fewer columns than this are left after the bytes, the notes are printed below the bytes.
MIN_NOTES = 36
BELOW_AT = 10


def notes(labels: Iterable[str], columns: int) -> tuple[str, list[str]]:
    """Return the text after the bytes of a row, and the full lines below it."""
    beside = columns - NOTES_AT >= MIN_NOTES
    indent = NOTES_AT if beside else BELOW_AT
    pieces = _packed([printable(item) for item in labels], max(columns - indent, MIN_NOTES))
    below = [" " * indent + piece for piece in (pieces[1:] if beside else pieces)]
    return (pieces[0] if beside and pieces else ""), below


def _packed(items: list[str], room: int) -> list[str]:
    """Return the items, separated by commas, on as few lines as possible.

    Only an item longer than a line is broken.
    """
    packed: list[str] = []
    for number, item in enumerate(items):
        text = item if number + 1 == len(items) else f"{item},"
        if packed and len(packed[-1]) + 1 + len(text) <= room:
            packed[-1] += f" {text}"
            continue
        packed.extend(text[at : at + room] for at in range(0, len(text), room))
    return packed


def plain(data: Any, spans: Iterable[Span], file: str, *, columns: int = COLUMNS) -> Iterator[str]:
    """Yield the annotated dump as ASCII text lines, for pipes, pages and failure texts."""
    for line in lines(data, spans, file):
        yield from text_of(line, columns)


def text_of(line: Line, columns: int = COLUMNS) -> list[str]:
    """Return a line of a dump as text, with the notes that are printed below it."""
    if isinstance(line, Head):
        return [head_text(line)]
    if isinstance(line, Fold):
        return [fold_text(line)]
    beside, below = notes(line.labels, columns)
    return [row_text(line, beside), *below]


def head_text(line: Head) -> str:
    """Return the text of the line above a region."""
    return f"-- {printable(line.title)}: {line.length} bytes at {line.off} ({line.kind})"


def fold_text(line: Fold) -> str:
    """Return the text that replaces a folded run."""
    return f"{line.off:08x}  {line.byte:02x} * {line.length} bytes, up to {line.off + line.length:08x}"
