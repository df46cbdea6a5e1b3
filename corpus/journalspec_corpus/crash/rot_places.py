"""Where corruption strikes: the bytes of a settled journal that are in use, and some that are not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from journalspec_corpus.crash.cells import Group
from journalspec_corpus.crash.combos import draws
from journalspec_corpus.crash.trace import Mark

#: A file's header ends where its first record begins, and here at the latest.
HEADER = 64
#: Every bit of a record of up to so many bytes; of a longer one every bit of its front and
#: its back, and so many others: inside a long run of payload all bits say the same.
EVERY_BIT, FRONT, BACK, BETWEEN = 128, 64, 32, 32
#: Of a long journal so many of the last records are treated like that; of the others so many bits are drawn.
RECENT, DISTANT = 12, 16
_Span = tuple[str, int, int]


class Places:
    """The places of one settled group; every choice is a function of seed, trace and crash point."""

    def __init__(self, group: Group, seed: int) -> None:
        self.group = group
        self._key = f"{seed}/{group.trace.id}/{group.crash_index}/rot"
        marks = self._marks()
        self.records = sorted(set(marks))
        self.recent = sorted(set(marks[-RECENT:]))
        self.headers = self._headers()

    def _marks(self) -> list[_Span]:
        """Return ``(file, from, to)`` of every record that stood before or was written, in that order."""
        trace = self.group.trace
        marks = [*trace.standing, *(op for op in trace.ops[: self.group.crash_index] if isinstance(op, Mark))]
        spans = [(mark.file, mark.off, mark.off + mark.length) for mark in marks]
        return [span for span in spans if span[2] <= self._size(span[0])]

    def _size(self, name: str) -> int:
        number = self.group.names.get(name)
        return 0 if number is None else self.group.sizes[number]

    def _headers(self) -> list[_Span]:
        out = []
        for name in sorted(self.group.names):
            first = min((start for file, start, _ in self.records if file == name), default=HEADER)
            end = min(first, HEADER, self._size(name))
            if end:
                out.append((name, 0, end))
        return out

    def bits(self, elsewhere: int) -> Iterator[tuple[str, int, int]]:
        """Yield ``(file, byte, bit)``: all of headers and records, and `elsewhere` others per file."""
        seen: set[tuple[str, int]] = set()
        for name, start, end in [*self.headers, *self.recent]:
            for off in self._bytes(name, start, end):
                if (name, off) not in seen:
                    seen.add((name, off))
                    for bit in range(8):
                        yield name, off, bit
        for name, start, end in [span for span in self.records if span not in self.recent]:
            drawn = draws(f"{self._key}/{name}/{start}/distant", DISTANT, (end - start) * 8)
            yield from ((name, start + place // 8, place % 8) for place in sorted({*drawn}))
        for name in sorted(self.group.names):
            room = self._size(name)
            for place in draws(f"{self._key}/elsewhere/{name}", elsewhere, room * 8):
                if (name, place // 8) not in seen:
                    yield name, place // 8, place % 8

    def _bytes(self, name: str, start: int, end: int) -> list[int]:
        if end - start <= EVERY_BIT:
            return list(range(start, end))
        drawn = draws(f"{self._key}/{name}/{start}", BETWEEN, end - start - FRONT - BACK)
        between = sorted({start + FRONT + place for place in drawn})
        return [*range(start, start + FRONT), *between, *range(end - BACK, end)]

    def pairs(self, number: int) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
        """Yield `number` pairs of bits, each inside one record or header."""
        for name, start, end, one, two in self._drawn("pairs", number, 8):
            yield name, (start + one // 8, one % 8), (start + two % ((end - start) * 8) // 8, two % 8)

    def bursts(self, number: int, longest: int) -> Iterator[tuple[str, int, int]]:
        """Yield `number` bursts ``(file, byte, bits)`` that begin inside a record or header."""
        for name, start, _, one, two in self._drawn("bursts", number, 1):
            length = 2 + two % (longest - 1)
            if start + one + (length + 7) // 8 <= self._size(name):
                yield name, start + one, length

    def _drawn(self, what: str, number: int, unit: int) -> Iterator[tuple[str, int, int, int, int]]:
        spans = [*self.headers, *self.records]
        for at in range(number if spans else 0):
            which, one, two = draws(f"{self._key}/{what}/{at}", 3, 1 << 62)
            name, start, end = spans[which % len(spans)]
            yield name, start, end, one % ((end - start) * unit), two

    def sectors(self, name: str, unit: int, most: int) -> list[int]:
        """Return the numbers of the units of a file, evenly thinned to at most `most`."""
        count = -(-self._size(name) // unit)
        step = -(-count // most) or 1
        return list(range(0, count, step))

    def edges(self) -> list[tuple[str, int]]:
        """Return where records begin and end, per file."""
        return sorted({(name, edge) for name, start, end in self.records for edge in (start, end)})


def flipped(content: bytes, off: int, bit: int) -> bytes:
    """Return the byte at `off` with one bit (0 is the lowest) turned over."""
    return bytes([content[off] ^ (1 << bit)])


def burst(content: bytes, off: int, length: int, key: str) -> bytes:
    """Return the bytes from `off` on that a burst of `length` bits changes, as they are after it.

    It begins with the highest bit of byte `off`. Its first and its last bit are
    wrong, those between as `key` says.
    """
    size = (length + 7) // 8
    wrong = int.from_bytes(hashlib.shake_128(key.encode()).digest(size), "big") >> (size * 8 - length)
    wrong |= 1 | 1 << (length - 1)
    mask = (wrong << (size * 8 - length)).to_bytes(size, "big")
    return bytes(old ^ turn for old, turn in zip(content[off : off + size], mask, strict=True))
