"""Naming the bytes of a store's files, for maps and annotated hexdumps.

Pages are named by what the file itself makes of them: what the log does to them is not in the file yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from journalspec.layout import Spot
from journalspec.swiftmq_store import LAYOUT
from journalspec_reference.api import Files, Inside, Params, Piece, Span, file_spans
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.codec import INDEX_HEADER, SMALLEST_PAGE
from journalspec_reference.swiftmq_store.log import (
    ABORT,
    COMMIT,
    DELETE,
    INSERT,
    PORTION,
    START,
    START_SIZE,
    Log,
    ReplayedPages,
)
from journalspec_reference.swiftmq_store.recover import LOG, PAGES, SWAP, lies_in, named
from journalspec_reference.swiftmq_store.store import Walk

_LOOK = 1 << 16
_KINDS = {START: "START", COMMIT: "COMMIT", ABORT: "ABORT"}


def spans(files: Files, edition: str, params: Params, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of a store: pages, records of the log, entries of swap files."""
    size = int(params.get("page_size", "2048"))
    plain_names = {name: plain for plain, name in named(files).items()}
    for name, data in files.items():
        plain = plain_names.get(name, name)
        pieces: list[Piece] | Iterator[Piece] = []
        fits: Any = None
        inside: Inside | None = None
        if plain == PAGES and size >= SMALLEST_PAGE:
            walk = Walk(ReplayedPages(data, size))
            pieces = _pages(data, size, walk)
            fits = partial(_of_page, data, size, walk, edition)
        elif plain == LOG and size >= SMALLEST_PAGE:
            log = Log(data, size, _count(files, size))
            pieces = _records(log, data)
            fits = partial(_of_record, log, data, edition)
            inside = partial(_beyond, log)
        elif lies_in(SWAP, plain) and plain.endswith(".swap"):
            pieces = (Piece(one.off, one.end, "record", "") for one in codec.swapped(data))
            fits = partial(_of_swap, data, edition)
        yield from file_spans(name, pieces, len(data), fits if fields else None, inside)


def _count(files: Files, size: int) -> int:
    for name in files:
        if name.removesuffix(".gz") == PAGES:
            return len(files[name]) // size
    return 0


def _pages(data: Any, size: int, walk: Walk) -> Iterator[Piece]:
    for number in range(len(data) // size):
        start, use = number * size, walk.use(number)
        if use:
            text = {"root_entry": "root index", "queue_entry": "index of a queue"}.get(use, "message")
            yield Piece(start, start + size, "record", text, series="page")
        else:
            free = data[start] == 1
            kind, text = ("fill", "free") if free else ("unused", "nothing refers to it")
            yield Piece(start, start + size, kind, text, f"page[{number}]", series="page")


def _of_page(data: Any, size: int, walk: Walk, edition: str, piece: Piece) -> Iterator[Spot]:
    use = walk.use(piece.off // size)
    page = bytes(data[piece.off : piece.end])
    if use == "message_page":
        yield from LAYOUT.spans(use, edition, page)
        return
    yield from LAYOUT.spans("index", edition, page[:INDEX_HEADER])
    off = INDEX_HEADER
    for slot in range(codec.index(page).slots):
        end = off
        for spot in LAYOUT.spans(use, edition, page[off:]):
            yield Spot(f"entry[{slot}].{spot.name}", off + spot.off, spot.length, spot.value)
            end = off + spot.off + spot.length
        off = end


def is_damage(log: Log, data: Any) -> bool:
    """Tell whether what ends the log is damage: behind the end of a sound one are zeros, or old records."""
    if log.reason in ("", "empty"):
        return False
    if log.reason == "not-a-record":
        return not log.tagged and not _zeros(data, log.end)
    if log.reason == "other-generation":
        found = int.from_bytes(bytes(data[log.end + 4 : log.end + 12]), signed=True)
        # Only there does a record stand where one began; farther on old ones are cut anywhere.
        return log.end == START_SIZE and found > log.generation
    return True


def _zeros(data: Any, off: int) -> bool:
    return all(not any(bytes(data[at : at + _LOOK])) for at in range(off, len(data), _LOOK))


def _records(log: Log, data: Any) -> Iterator[Piece]:
    for record in log.records(starts=True):
        yield Piece(record.off, record.end, "record", _KINDS[record.kind])
    if log.end < len(data):
        if is_damage(log, data):
            yield Piece(log.end, len(data), "dropped", log.reason)
        else:
            rest = "zeros" if _zeros(data, log.end) else "old bytes"
            yield Piece(log.end, len(data), "unused", rest, "rest")


def _beyond(log: Log, start: int, end: int) -> Iterator[Piece]:
    return (Piece(item.off, item.end, "record", _KINDS[item.kind]) for item in log.beyond(start, end))


def _of_record(log: Log, data: Any, edition: str, piece: Piece) -> Iterator[Spot]:
    image = bytes(data[piece.off : piece.end])
    if piece.value == "START":
        yield from LAYOUT.spans("start", edition, image)
        return
    yield from LAYOUT.spans("record" if log.tagged else "untagged_record", edition, image)
    off, number = 24 if log.tagged else 16, 0
    names = {INSERT: "insert", DELETE: "delete", PORTION: "portion"}
    while off < len(image):
        kind = int.from_bytes(image[off : off + 4])
        yield Spot(f"action[{number}].kind", off, 4, str(kind))
        if kind not in names:
            # Pictures of whole pages, which no writer that is known has written.
            return
        form = "new_portion" if kind == PORTION and image[off + 12] != 1 else names[kind]
        end = off + 4
        for spot in LAYOUT.spans(form, edition, image[off + 4 :]):
            end = off + 4 + spot.off + spot.length
            yield Spot(f"action[{number}].{spot.name}", off + 4 + spot.off, spot.length, spot.value)
        off, number = end, number + 1


def _of_swap(data: Any, edition: str, piece: Piece) -> Iterator[Spot]:
    return LAYOUT.spans("swap_entry", edition, bytes(data[piece.off : piece.end]))
