"""Byte diagrams: a type of a schema as rows of 16 bytes, in plain SVG.

No script and no fixed colours: classes are styled by the site's style sheet,
which knows the light and the dark theme. A field of variable length takes a
dashed row of its own, and the ruler starts again behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from journalspec_docs.ksy import Extent, Field, Type

PER_ROW = 16
CELL = 40
ROW = 40
GAP = 8
LABEL = 104
RULER = 22
CHAR = 7.4
#: A fixed field longer than this is drawn like a variable one: as a strip.
LONGEST = 64


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of one field in one row. `column` and `cells` count bytes."""

    field: Field
    column: int
    cells: int
    first: bool
    last: bool


@dataclass(frozen=True, slots=True)
class DiagramRow:
    """One row of the diagram. A strip holds one field of variable length."""

    offset: Extent
    pieces: tuple[Piece, ...]
    strip: bool = False
    #: The field before this row, which names the offset where an expression would be too long.
    after: str = ""


def rows(kind: Type) -> Iterator[DiagramRow]:
    """Cut the fields of `kind` into rows of 16 bytes."""
    base = Extent()
    column = 0
    before = after = ""
    pieces: list[Piece] = []
    for field in kind.fields:
        if field.is_group or field.size == Extent():
            continue
        if not field.size.is_fixed or field.size.fixed > LONGEST:
            if pieces:
                yield DiagramRow(base, tuple(pieces), after=after)
            yield DiagramRow(field.offset, (Piece(field, 0, PER_ROW, True, True),), strip=True, after=before)
            pieces, column, before = [], 0, field.id
            continue
        left = field.size.fixed
        while left:
            if column == PER_ROW:
                yield DiagramRow(base, tuple(pieces), after=after)
                pieces, column = [], 0
            if column == 0:
                base, after = field.offset + Extent(field.size.fixed - left), before
            cells = min(left, PER_ROW - column)
            pieces.append(Piece(field, column, cells, left == field.size.fixed, left == cells))
            column += cells
            left -= cells
        before = field.id
    if pieces:
        yield DiagramRow(base, tuple(pieces), after=after)


def describe(kind: Type) -> str:
    """Return the diagram in words, for those who do not see it."""
    parts = [
        f"{field.id}: {field.type}, {field.size} bytes at {field.offset}"
        for field in kind.fields
        if not field.is_group
    ]
    return f"{kind.name}, {kind.size} bytes. " + "; ".join(parts) + "."


#: What the colours say; the keys are the roles of fields.
ROLES = {
    "magic": "constant",
    "type": "type or state",
    "length": "length or count",
    "pointer": "place in a file",
    "value": "number",
    "check": "checksum",
    "payload": "content",
}


def svg(kind: Type, ident: str) -> str:
    """Return the diagram of `kind` as one ``<figure>``; `ident` is unique on the page."""
    numbers: dict[str, int] = {}
    body: list[str] = []
    y = RULER
    for row in rows(kind):
        body += _row(row, y, numbers)
        y += ROW + (GAP if row.strip else 0)
    width = LABEL + PER_ROW * CELL + 2
    title = f"Byte layout of {kind.name}"
    legend = "".join(
        f"<li><b>{number}</b> <code>{escape(name)}</code></li>" for name, number in numbers.items()
    )
    return (
        f'<figure class="jspec-diagram"><div class="jspec-scroll">'
        f'<svg viewBox="0 0 {width} {y + 4}" width="{width}" height="{y + 4}" role="img" '
        f'aria-labelledby="{ident}-t {ident}-d" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{ident}-t">{escape(title)}</title><desc id="{ident}-d">{escape(describe(kind))}</desc>'
        f"{_ruler()}{''.join(body)}</svg></div>"
        + (f'<ol class="jspec-legend">{legend}</ol>' if legend else "")
        + _colours(kind)
        + "</figure>"
    )


def _colours(kind: Type) -> str:
    """Return the key to the colours that the diagram uses."""
    used = {field.role for field in kind.fields if not field.is_group}
    items = "".join(
        f'<li><span class="role-{role}">{ROLES[role]}</span></li>' for role in ROLES if role in used
    )
    return f'<ul class="jspec-colours" aria-hidden="true">{items}</ul>'


def _ruler() -> str:
    marks = (
        f'<text class="ruler" x="{LABEL + (column + 0.5) * CELL}" y="{RULER - 8}">{column:x}</text>'
        for column in range(PER_ROW)
    )
    return "".join(marks)


def _row(row: DiagramRow, y: int, numbers: dict[str, int]) -> list[str]:
    return [_offset(row, y)] + [_piece(piece, y, row.strip, numbers) for piece in row.pieces]


def _offset(row: DiagramRow, y: int) -> str:
    """Return the label in the margin: a number, a short expression, or the field before."""
    text = f"{row.offset.fixed:#06x}" if row.offset.is_fixed else str(row.offset)
    limit = int(LABEL / CHAR) - 1
    middle = y + ROW // 2
    if len(text) <= limit:
        return f'<text class="offset" x="{LABEL - 10}" y="{middle + 3}">{escape(text)}</text>'
    name = row.after if len(row.after) <= limit else row.after[: limit - 1] + "…"
    return (
        f'<text class="offset" y="{middle - 4}"><tspan x="{LABEL - 10}">after</tspan>'
        f'<tspan x="{LABEL - 10}" dy="14">{escape(name)}</tspan></text>'
    )


def _piece(piece: Piece, y: int, strip: bool, numbers: dict[str, int]) -> str:
    field = piece.field
    x = LABEL + piece.column * CELL
    width = piece.cells * CELL
    classes = f"cell role-{field.role}" + (" strip" if strip else "")
    hint = f"{field.id}: {field.type}, {field.size} bytes at {field.offset}" + (
        f". {field.doc}" if field.doc else ""
    )
    shape = f'<rect class="{classes}" x="{x}" y="{y}" width="{width}" height="{ROW - 4}" rx="2"/>'
    ticks = "".join(
        f'<path class="tick" d="M{x + step * CELL} {y + ROW - 8}v4"/>'
        for step in range(1, piece.cells)
        if not strip
    )
    text = _caption(piece, strip, numbers)
    label = f'<text class="name" x="{x + width / 2}" y="{y + ROW / 2 + 3}">{escape(text)}</text>'
    return f'<g data-f="{escape(field.id)}"><title>{escape(hint)}</title>{shape}{ticks}{label}</g>'


def _caption(piece: Piece, strip: bool, numbers: dict[str, int]) -> str:
    name = piece.field.id
    if strip:
        size = str(piece.field.size)
        return f"{name} · {size} bytes" if not size.startswith("size(") else f"{name} · variable"
    whole = name if piece.first else f"… {name}"
    if len(whole) * CHAR <= piece.cells * CELL - 6:
        return whole
    if not piece.first and name not in numbers:
        return "…"
    return str(numbers.setdefault(name, len(numbers) + 1))
