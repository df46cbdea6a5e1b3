"""Names the bytes of a store's files, for maps and annotated hexdumps.

Only the file of pages determines the names: changes in the log are not in that file yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from journalspec.families import families
from journalspec.layout import Spot
from journalspec.swiftmq_store import ACTIONS, LAYOUT
from journalspec_reference.api import (
    Files,
    Inside,
    Params,
    Piece,
    Span,
    body_fields,
    field_names,
    file_spans,
)
from journalspec_reference.batches import source_of, zeros
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.codec import INDEX_HEADER, SMALLEST_PAGE
from journalspec_reference.swiftmq_store.fileset import named, role
from journalspec_reference.swiftmq_store.scan import HEAD, PORTION, UPDATE, Log, ReplayedPages, actions
from journalspec_reference.swiftmq_store.store import PAGES, Walk

#: The texts for each type of referenced page, and for other pages that are free or not free.
_USES = {"root_entry": "root index", "queue_entry": "index of a queue", "message_page": "message"}
_UNUSED = {True: ("fill", "free"), False: ("unused", "nothing refers to it")}


def spans(files: Files, edition: str, params: Params, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of a store: pages, records of the log, entries of swap files."""
    size, given = int(params.get("page_size", "2048")), named(files)
    plain_names = {name: plain for plain, name in given.items()}
    for name, data in files.items():
        use = role(plain_names.get(name, name))
        pieces: Iterable[Piece] = ()
        fits: Any = None
        inside: Inside | None = None
        if use == "pages" and size >= SMALLEST_PAGE:
            pages = ReplayedPages(source_of(data), size)
            walk = Walk(pages).run()
            pieces = _pages(data, pages, walk)
            fits = partial(_of_page, data, size, walk, edition)
        elif use == "log" and size >= SMALLEST_PAGE:
            log = Log(source_of(data), size, len(files[given[PAGES]]) // size if PAGES in given else 0)
            pieces = _records(log, edition)
            fits = partial(_of_record, log, data, edition)
            inside = partial(_beyond, log, edition)
        elif use == "swap":
            pieces = (Piece(off, end, "record") for off, end in codec.swapped(data))
            fits = partial(_swapped, field_names(LAYOUT, edition, data, "swap_entry"), data)
        yield from file_spans(name, pieces, len(data), fits if fields else None, inside)


def _pages(data: Any, pages: ReplayedPages, walk: Walk) -> Iterator[Piece]:
    """Yield each referenced page, and all other pages as runs of free or unused pages."""
    first, size = 0, pages.page_size
    while first < pages.in_file:
        use, free, end = walk.use(first), data[first * size] == 1, first + 1
        number = first
        while not use and number < pages.in_file:
            if walk.use(number) or (data[number * size] == 1) != free:
                break
            # Holes are not read. The next referenced page is searched for only at a hole: otherwise, n pages
            # would cost n searches.
            hole = number if free else pages.hole_end(number)
            end = number + 1
            if hole > end:
                end = min(hole, walk.next_use(end))
            number = end
        path = f"page[{first}]" if end == first + 1 else f"page[{first}..{end - 1}]"
        of, text = ("record", _USES[use]) if use else _UNUSED[free]
        yield Piece(first * size, end * size, of, text, path)
        first = end


def _of_page(data: Any, size: int, walk: Walk, edition: str, piece: Piece) -> Iterator[Spot]:
    use = walk.use(piece.off // size)
    page = bytes(data[piece.off : piece.end])
    if use == "message_page":
        found = [*LAYOUT.spans(use, edition, page)]
        yield from found
        # A message is decoded only if a single page contains all of it.
        if {("prev", "-1"), ("next", "-1")} <= {(spot.name, spot.value) for spot in found}:
            yield from _of_message(found[-1], page)
        return
    yield from LAYOUT.spans("index", edition, page[:INDEX_HEADER])
    off = INDEX_HEADER
    for slot in range(codec.index(page)[2]):
        for spot in _behind(off, f"entry[{slot}].", LAYOUT.spans(use, edition, page[off:])):
            yield spot
            off = spot.off + spot.length


def _swapped(named: Callable[[Piece], Iterable[Spot]], data: Any, piece: Piece) -> Iterator[Spot]:
    """Yield the fields of an entry of a swap file, and those of its message."""
    found = [*named(piece)]
    yield from found
    if found and found[-1].name == "message":
        yield from _of_message(found[-1], bytes(data[piece.off : piece.end]))


def _of_message(spot: Spot, around: bytes) -> Iterator[Spot]:
    family = families("swiftmq_store")["message"]
    return body_fields(spot, family, "message", around[spot.off : spot.off + spot.length])


def _behind(off: int, prefix: str, spots: Iterable[Spot]) -> Iterator[Spot]:
    """Yield the fields of a part that lies at `off`, with `prefix` before their names."""
    return (Spot(prefix + spot.name, off + spot.off, spot.length, spot.value) for spot in spots)


def _records(log: Log, edition: str) -> Iterator[Piece]:
    size, dropped = log.source.size, False
    for batch in log.scan():
        for off, end, code in zip(batch.off, batch.end, batch.code, strict=True):
            yield Piece(batch.base + off, batch.base + end, "record", LAYOUT.type_name(edition, code))
        for start, end, reason in batch.damage:
            yield Piece(start, end, "dropped", reason)
            dropped = True
    if log.end < size and not dropped:
        rest = "zeros" if zeros(log.source, log.end) else "old bytes"
        yield Piece(log.end, size, "unused", rest, "rest")


def _beyond(log: Log, edition: str, start: int, end: int) -> Iterator[Piece]:
    for off, until, code in log.beyond(start, end):
        yield Piece(off, until, "record", LAYOUT.type_name(edition, code))


def _of_record(log: Log, data: Any, edition: str, piece: Piece) -> Iterator[Spot]:
    image = bytes(data[piece.off : piece.end])
    if piece.value == "START":
        yield from LAYOUT.spans("start", edition, image)
        return
    yield from LAYOUT.spans("record" if log.tagged else "untagged_record", edition, image)
    # Padding, so that the head of the last action can be unpacked.
    padded = image + bytes(HEAD.size)
    every = actions(padded, log.lead, len(image), log.page_size)
    for number, (off, end, kind, _, _, _, before, _) in enumerate(every):
        yield Spot(f"action[{number}].kind", off, 4, str(kind))
        if kind == UPDATE:
            # Images of whole pages are not named: no known writer uses UPDATE.
            return
        form = "new_portion" if kind == PORTION and not before else ACTIONS[kind].lower()
        at = off + 4
        yield from _behind(at, f"action[{number}].", LAYOUT.spans(form, edition, image[at:end]))
