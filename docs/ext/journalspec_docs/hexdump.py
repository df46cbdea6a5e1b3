"""Annotated hexdumps as HTML: every byte is labelled with its field.

Two styles. ``fields`` shows each field on a line with its name and value, as in a worked example. ``grid``
shows 16 bytes per line, coloured by field, as in a usual hexdump. The meaning of the bytes comes from the
reference's spans.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby

from journalspec_docs.ksy import role_of_name
from journalspec_reference.api import Span
from journalspec_reference.hexdump import text_cells

FIELD_WIDTH = 8
GRID_WIDTH = 16
#: A run of equal bytes outside all fields is folded if it is longer than this.
FOLD = 32
#: A field with more lines than LONG is shortened to its first HEAD lines, the number of omitted bytes, and
#: its last line.
LONG, HEAD = 6, 4
#: The maximum number of lines of a dump. Further lines are only counted; `journalspec hexdump` shows a
#: complete file.
MAX_LINES = 48

#: The maximum number of characters of a value. A name may have 32,767 characters, which would make the page
#: extremely wide.
MAX_VALUE = 48

#: The distance of tab stops in a dump (characters). The bytes, their text, name and value each begin at a tab
#: stop. Blanks instead of tabs would take a twentieth of the site. The style sheet contains the same number.
TAB = 9
TEXT_AT, NAME_AT, VALUE_AT = 4 * TAB, 5 * TAB, 7 * TAB

CONTAINERS = ("header", "record")
#: Kinds of regions that are not part of the answer; well-formed records may lie in them.
OUTSIDE = ("dropped", "stale")

#: Maps a colour class to its letter in a dump. The name is that short because the site has a hundred thousand
#: coloured fields.
SHORT = {
    "role-magic": "m",
    "role-type": "t",
    "role-length": "l",
    "role-value": "v",
    "role-check": "c",
    "role-payload": "y",
    "role-pointer": "p",
    "kind-dropped": "d",
    "kind-stale": "s",
    "kind-header": "v",
    "kind-record": "v",
    "kind-fill": "f",
    "kind-unused": "f",
}

Roles = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes [`start`, `end`) of one file that belong to one innermost span (None: no span)."""

    start: int
    end: int
    span: Span | None


def leaf(path: str) -> str:
    """Return the field name at the end of a span's path: ``record[3].names[1]`` gives ``names``."""
    return path.rpartition(".")[2].partition("[")[0]


def value_of(span: Span) -> str:
    """Return the value of a span, or its beginning."""
    if len(span.value) <= MAX_VALUE:
        return span.value
    return f"{span.value[:MAX_VALUE]}… ({len(span.value)} letters)"


def css_class(span: Span | None, roles: Roles) -> str:
    """Return the colour class of a span: the role of its field, or its kind."""
    if span is None:
        return "kind-unused"
    if span.kind == "field":
        name = leaf(span.path)
        return f"role-{roles.get(name) or role_of_name(name)}"
    return f"kind-{span.kind}"


def fields_html(
    content: bytes,
    spans: Iterable[Span],
    roles: Roles,
    most: int = MAX_LINES,
    rest: str = "",
    only: Span | None = None,
) -> str:
    """Return one file as a dump with lines per field, at most `most`; the command `rest` shows all.

    With `only`, the dump contains only the bytes of that span.
    """
    known = list(spans)
    heads = containers(known)
    out: list[str] = []
    outside = 0
    for segment in flatten(known, len(content)):
        if only and not only.off <= segment.start < only.off + only.length:
            continue
        for span in heads.get(segment.start, ()):
            out.append(_heading(span))
            outside = 0 if span.kind in CONTAINERS else span.off + span.length
        pieces = _unfolded(segment, content, FIELD_WIDTH)
        mark = " class=d" if segment.start < outside else ""
        between = pieces[-1][0] - pieces[HEAD][0] if len(pieces) > LONG else 0
        pieces = [*pieces[:HEAD], pieces[-1]] if between else pieces
        if len(out) > most:
            # Lines that are not shown are only counted. This saves time, because there are ten times as many
            # of them.
            out += [""] * (len(pieces) + bool(between))
            continue
        rows = [_field_line(segment, content, start, end, roles, mark) for start, end in pieces]
        if between:
            rows.insert(HEAD, f'<span class="more">… {between} more bytes of it</span>')
        out += rows
    return _pre(out, "fields", most, rest)


def grid_html(
    content: bytes, spans: Iterable[Span], roles: Roles, start: int = 0, end: int | None = None
) -> str:
    """Return the bytes [`start`, `end`) of one file as a dump of 16 bytes per line."""
    stop = len(content) if end is None else min(end, len(content))
    pieces = []
    for segment in flatten(spans, len(content)):
        clipped = Segment(max(segment.start, start), min(segment.end, stop), segment.span)
        if clipped.start < clipped.end:
            pieces += [(first, last, clipped) for first, last in lines(clipped, GRID_WIDTH, aligned=True)]
    rows = [
        _grid_line(base * GRID_WIDTH, list(group), content, roles)
        for base, group in groupby(pieces, key=lambda piece: piece[0] // GRID_WIDTH)
    ]
    return _pre(_squeeze(rows), "grid")


def _pre(rows: list[str], style: str, most: int = MAX_LINES, rest: str = "") -> str:
    if len(rows) > most:
        more = f"… {len(rows) - most} more lines" + (f": {escape(rest)}" if rest else "")
        rows = [*rows[:most], f'<span class="more">{more}</span>']
    body = "\n".join(rows)
    return f'<div class="jspec-scroll"><pre class="jspec-hex-{style}" tabindex="0">{body}</pre></div>'


def _heading(span: Span) -> str:
    value = f" · {escape(value_of(span))}" if span.value else ""
    text = f"{escape(span.path)}{value} · {span.length} bytes at {span.off}"
    return f"<u>{text}</u>" if span.kind in CONTAINERS else f"<u class=d>{text}</u>"


def _unfolded(segment: Segment, content: bytes, width: int) -> list[tuple[int, int]]:
    """Divide a segment into lines, but keep a long run of equal bytes outside all fields in one piece."""
    data = content[segment.start : segment.end]
    plain = segment.span is None or segment.span.kind != "field"
    if plain and len(data) > FOLD and data.count(data[0]) == len(data):
        return [(segment.start, segment.end)]
    return list(lines(segment, width, aligned=False))


def _field_line(segment: Segment, content: bytes, start: int, end: int, roles: Roles, mark: str = "") -> str:
    """Return a line of a field; `mark` marks the offset of a record that is not part of the answer."""
    data = content[start:end]
    folded = len(data) > FIELD_WIDTH
    shown = f"{data[0]:02x} ... ({len(data)} bytes)" if folded else data.hex(" ")
    text = "" if folded else escape(text_cells(data), quote=False)
    note = _note(segment.span) if start == segment.start else ""
    coloured = _coloured(shown, segment.span, roles) + _tabs(TAB + len(shown), TEXT_AT)
    line = f"<i{mark}>{start:08x}</i>\t{coloured}{text}"
    return f"{line}\t{note}" if note else line


def _tabs(at: int, to: int) -> str:
    """Return the tabs from one column to a later tab stop; at least one tab."""
    return "\t" * max(to // TAB - at // TAB, 1)


def _coloured(shown: str, span: Span | None, roles: Roles) -> str:
    """Return bytes in the colour of their field, as short HTML, because there are very many."""
    style = SHORT.get(css_class(span, roles), "")
    return f"<b class={style}>{shown}</b>" if style else shown


def _note(span: Span | None) -> str:
    if span is None:
        return "unused"
    name = (span.path.partition(".")[2] or span.path) if span.kind == "field" else span.kind
    gap = _tabs(NAME_AT + len(name), VALUE_AT)
    return f"{escape(name)}{gap}<em>{escape(value_of(span))}</em>" if span.value else escape(name)


def _grid_line(base: int, pieces: list[tuple[int, int, Segment]], content: bytes, roles: Roles) -> str:
    first, last = pieces[0][0], pieces[-1][1]
    hexes: list[str] = ["   " * (first - base)]
    texts: list[str] = [" " * (first - base)]
    for start, end, segment in pieces:
        style = SHORT.get(css_class(segment.span, roles), "f")
        hint = _hint(segment.span)
        data = content[start:end]
        hexes.append(f'<b class={style} title="{hint}">{data.hex(" ")}</b> ')
        texts.append(f"<b class={style}>{escape(text_cells(data))}</b>")
    hexes.append("   " * (base + GRID_WIDTH - last))
    return f"<i>{base:08x}</i>  {''.join(hexes)} {''.join(texts)}"


def _hint(span: Span | None) -> str:
    if span is None:
        return "unused"
    return escape(f"{span.path} = {value_of(span)}" if span.value else span.path, quote=True)


def _squeeze(rows: list[str]) -> list[str]:
    """Replace repetitions of a line (except for its offset) by one asterisk, as hexdump does."""
    out: list[str] = []
    previous = None
    starred = False
    for index, row in enumerate(rows):
        body = row.split("</i>", 1)[1]
        if body == previous and index != len(rows) - 1:
            if not starred:
                out.append("*")
            starred = True
            continue
        out.append(row)
        previous, starred = body, False
    return out


def flatten(spans: Iterable[Span], length: int) -> list[Segment]:
    """Return segments that cover [0, `length`) without overlap; a later span covers earlier ones."""
    starts = [0]
    owners: list[Span | None] = [None]
    for span in spans:
        begin, end = max(span.off, 0), min(span.off + span.length, length)
        if begin >= end:
            continue
        first = _split(starts, owners, begin)
        last = _split(starts, owners, end) if end < length else len(starts)
        starts[first:last] = [begin]
        owners[first:last] = [span]
    ends = [*starts[1:], length]
    return [
        Segment(start, end, owner)
        for start, end, owner in zip(starts, ends, owners, strict=True)
        if start < end
    ]


def _split(starts: list[int], owners: list[Span | None], at: int) -> int:
    """Split the segment at `at`, if needed, and return the index of the segment that begins there."""
    index = bisect_right(starts, at) - 1
    if starts[index] == at:
        return index
    starts.insert(index + 1, at)
    owners.insert(index + 1, owners[index])
    return index + 1


def containers(spans: Iterable[Span]) -> dict[int, list[Span]]:
    """Return the headers and records by the offset at which they begin, outermost first.

    This includes records that are not part of the answer. Their paths end in a number, unlike the paths of
    other regions that are not part of it.
    """
    found: dict[int, list[Span]] = {}
    for span in spans:
        if span.kind in CONTAINERS or (span.kind in OUTSIDE and span.path.endswith("]")):
            found.setdefault(span.off, []).append(span)
    return found


def lines(segment: Segment, width: int, aligned: bool) -> Iterator[tuple[int, int]]:
    """Cut a segment into [start, end) pieces of at most `width` bytes."""
    pos = segment.start
    while pos < segment.end:
        step = width - pos % width if aligned else width
        end = min(pos + step, segment.end)
        yield pos, end
        pos = end
