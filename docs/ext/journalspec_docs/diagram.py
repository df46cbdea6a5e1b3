"""Byte diagrams in plain SVG: a type as rows of 16 bytes, or its alternatives side by side with 8.

No script and no fixed colours: classes are styled by the site's style sheet, which knows the light and the
dark theme. A field of variable length has its own dashed row. The ruler starts again after that row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from journalspec_docs.ksy import Extent, Field, Type


@dataclass(frozen=True, slots=True)
class Grid:
    """The bytes per row, the width of a byte, and the width of the margin with the offsets (pixels)."""

    per_row: int
    cell: int
    label: int

    @property
    def width(self) -> int:
        """The width of a row including its margin, in pixels."""
        return self.label + self.per_row * self.cell + 2


WIDE = Grid(per_row=16, cell=40, label=104)
#: The grid of alternatives: as wide as a telephone's screen, so that two of them fit side by side on a page.
SIDE = Grid(per_row=8, cell=35, label=66)
ROW = 40
GAP = 8
RULER = 22
CHAR = 7.4
#: A fixed field that is longer than this is drawn like a variable field, as a strip.
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
    """Represents one row of the diagram. A strip is a row with one field of variable length."""

    offset: Extent
    pieces: tuple[Piece, ...]
    strip: bool = False
    #: The field before this row. Its name labels the row if the expression for the offset is too long.
    after: str = ""


def rows(kind: Type, grid: Grid = WIDE) -> Iterator[DiagramRow]:
    """Divide the fields of `kind` into rows of the length that `grid` defines."""
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
            yield DiagramRow(
                field.offset, (Piece(field, 0, grid.per_row, True, True),), strip=True, after=before
            )
            pieces, column, before = [], 0, field.id
            continue
        left = field.size.fixed
        while left:
            if column == grid.per_row:
                yield DiagramRow(base, tuple(pieces), after=after)
                pieces, column = [], 0
            if column == 0:
                base, after = field.offset + Extent(field.size.fixed - left), before
            cells = min(left, grid.per_row - column)
            pieces.append(Piece(field, column, cells, left == field.size.fixed, left == cells))
            column += cells
            left -= cells
        before = field.id
    if pieces:
        yield DiagramRow(base, tuple(pieces), after=after)


def describe(kind: Type) -> str:
    """Return the diagram in words, for readers who cannot see it; the table explains the fields."""
    parts = [f"{field.id} {field.size}" for field in kind.fields if not field.is_group]
    return f"Bytes of {kind.name}: " + ", ".join(parts) if parts else f"{kind.name} has no bytes"


#: The meaning of the colours, by the roles of fields.
ROLES = {
    "magic": "constant",
    "type": "type or state",
    "length": "length or count",
    "pointer": "place in a file",
    "value": "number",
    "check": "checksum",
    "payload": "content",
}


def figure(kind: Type) -> str:
    """Return the diagram of `kind` as one ``<figure>``."""
    numbers: dict[str, int] = {}
    drawn = f'<div class="jspec-scroll">{svg(kind, WIDE, numbers)}</div>'
    return f'<figure class="jspec-diagram">{drawn}{_keys(numbers, [kind])}</figure>'


def sides(kinds: Sequence[Type]) -> str:
    """Return the diagrams of alternatives side by side as one ``<figure>``, each under its name."""
    numbers: dict[str, int] = {}
    parts = "".join(f"<div><p>{escape(kind.name)}</p>{svg(kind, SIDE, numbers)}</div>" for kind in kinds)
    drawn = f'<div class="jspec-sides">{parts}</div>'
    # The key to the colours is first, because there may be many alternatives.
    return f'<figure class="jspec-diagram">{_keys(numbers, kinds)}{drawn}</figure>'


def svg(kind: Type, grid: Grid, numbers: dict[str, int]) -> str:
    """Return the drawing of `kind`. A name that does not fit into its box is replaced by the next of
    `numbers`.
    """
    body: list[str] = []
    y = RULER
    for row in rows(kind, grid):
        body += _row(row, y, grid, numbers)
        y += ROW + (GAP if row.strip else 0)
    return (
        f'<svg viewBox="0 0 {grid.width} {y + 4}" width="{grid.width}" height="{y + 4}" role="img" '
        f'aria-label="{escape(describe(kind))}">{_ruler(grid)}{"".join(body)}</svg>'
    )


def _keys(numbers: dict[str, int], kinds: Iterable[Type]) -> str:
    """Return the list of numbered names, and the key to the colours in the diagrams."""
    legend = "".join(
        f"<li><b>{number}</b> <code>{escape(name)}</code></li>" for name, number in numbers.items()
    )
    used = {field.role for kind in kinds for field in kind.fields if not field.is_group}
    items = "".join(
        f'<li><span class="role-{role}">{ROLES[role]}</span></li>' for role in ROLES if role in used
    )
    return (
        f'<ol class="jspec-legend">{legend}</ol>' if legend else ""
    ) + f'<ul class="jspec-colours" aria-hidden="true">{items}</ul>'


def _ruler(grid: Grid) -> str:
    # In SVG, each letter of a text can have its own position.
    places = " ".join(str(grid.label + column * grid.cell + grid.cell // 2) for column in range(grid.per_row))
    marks = "".join(f"{column:x}" for column in range(grid.per_row))
    return f'<text class="ruler" x="{places}" y="{RULER - 8}">{marks}</text>'


def _row(row: DiagramRow, y: int, grid: Grid, numbers: dict[str, int]) -> list[str]:
    return [_offset(row, y, grid)] + [_piece(piece, y, row.strip, grid, numbers) for piece in row.pieces]


def _offset(row: DiagramRow, y: int, grid: Grid) -> str:
    """Return the label in the margin: a number, a short expression, or the name of the previous field."""
    text = f"{row.offset.fixed:#04x}" if row.offset.is_fixed else str(row.offset)
    limit = int(grid.label / CHAR) - 1
    middle, x = y + ROW // 2, grid.label - 10
    if len(text) <= limit:
        return f'<text class="offset" x="{x}" y="{middle + 3}">{escape(text)}</text>'
    name = row.after if len(row.after) <= limit else row.after[: limit - 1] + "…"
    return (
        f'<text class="offset" y="{middle - 4}"><tspan x="{x}">after</tspan>'
        f'<tspan x="{x}" dy="14">{escape(name)}</tspan></text>'
    )


def _piece(piece: Piece, y: int, strip: bool, grid: Grid, numbers: dict[str, int]) -> str:
    field = piece.field
    x = grid.label + piece.column * grid.cell
    width = piece.cells * grid.cell
    classes = f"role-{field.role}" + (" strip" if strip else "")
    # The table below the diagram has a row for each field, which explains it.
    hint = f"{field.id}: {field.type}, {field.size} bytes at {field.offset}"
    shape = f'<rect class="{classes}" x="{x}" y="{y}" width="{width}" height="{ROW - 4}" rx="2"/>'
    marks = "".join(f"M{x + step * grid.cell} {y + ROW - 8}v4" for step in range(1, piece.cells) if not strip)
    ticks = f'<path d="{marks}"/>' if marks else ""
    text = _caption(piece, width, strip, numbers)
    label = f'<text x="{x + width // 2}" y="{y + ROW // 2 + 3}">{escape(text)}</text>'
    return f'<g data-f="{escape(field.id)}"><title>{escape(hint)}</title>{shape}{ticks}{label}</g>'


def _caption(piece: Piece, width: int, strip: bool, numbers: dict[str, int]) -> str:
    name = piece.field.id
    room = int((width - 4) / CHAR)
    if strip:
        size = str(piece.field.size)
        whole = f"{name} · variable" if size.startswith("size(") else f"{name} · {size} bytes"
        return whole if len(whole) <= room else name
    whole = name if piece.first else f"… {name}"
    if len(whole) <= room:
        return whole
    if not piece.first and name not in numbers:
        return "…"
    return str(numbers.setdefault(name, len(numbers) + 1))
