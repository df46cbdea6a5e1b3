"""From nested spans to a flat list: which byte is what."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from journalspec_reference.api import Span

CONTAINERS = ("header", "record")


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes [`start`, `end`) of one file that belong to one innermost span (None: nothing known)."""

    start: int
    end: int
    span: Span | None


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
    """Make `at` a boundary and return its index."""
    index = bisect_right(starts, at) - 1
    if starts[index] == at:
        return index
    starts.insert(index + 1, at)
    owners.insert(index + 1, owners[index])
    return index + 1


def containers(spans: Iterable[Span]) -> dict[int, list[Span]]:
    """Return the headers and records by the offset at which they begin, outermost first."""
    found: dict[int, list[Span]] = {}
    for span in spans:
        if span.kind in CONTAINERS:
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
