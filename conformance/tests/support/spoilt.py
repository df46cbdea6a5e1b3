"""Stored objects with bytes changed at random, the same in every run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from random import Random


def spoilt(originals: Sequence[bytes], count: int, *pieces: bytes) -> Iterator[bytes]:
    """Yield originals with numbers, bytes and `pieces` put into them, half of them cut."""
    random = Random(48)
    for _ in range(count):
        data = bytearray(random.choice(originals))
        for _ in range(random.choice((1, 2, 8))):
            at = random.randrange(len(data))
            some = (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0", *pieces, random.randbytes(1))
            data[at : at + random.choice((0, 1, 1, 4))] = random.choice(some)
        del data[random.choice((random.randrange(len(data)), len(data))) :]
        yield bytes(data)


def kept_of(
    originals: Sequence[bytes],
    tries: int,
    lengths: Callable[[bytes], Collection[int]],
    fields: Callable[[bytes], Mapping[str, object]],
) -> float:
    """Return the share of changes of a byte, none of `lengths`, after which at most one field differs."""
    random, kept = Random(47), 0
    for data in originals:
        whole, sizes = fields(data), lengths(data)
        for at in random.sample([at for at in range(len(data)) if at not in sizes], tries):
            found = fields(data[:at] + bytes((data[at] ^ random.randrange(1, 256),)) + data[at + 1 :])
            kept += sum(found.get(name) != value for name, value in whole.items()) <= 1
    return kept / tries / len(originals)
