"""Fingerprints: cheap 128-bit names for states, put together from what differs between them.

A fingerprint is two 64-bit *lanes*. Pages are hashed once, each file is the sum of its pages
at their places, a directory the sum of its files: a state costs what differs from its
neighbour. They tell states apart where there are millions of them. Published cases go by
the ids of :mod:`.ids`. :doc:`/crash-engine` has the argument why two states do not meet.

The functions on numbers are the definition. Those on arrays are the same for many at once.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.pages import PAGE

#: Lanes A and B.
Pair: TypeAlias = tuple[int, int]
Words: TypeAlias = npt.NDArray[np.uint64]

_MASK = (1 << 64) - 1
_WORDS = PAGE // 8
#: The constants K0 to K13. Nothing that is hashed can be chosen against them: they are older.
K = struct.unpack("<14Q", hashlib.shake_256(b"journalspec fingerprints, edition 1").digest(14 * 8))


def mum(one: int, two: int) -> int:
    """Return the halves of a product of two 64-bit numbers, folded: low XOR high."""
    product = one * two
    return (product ^ product >> 64) & _MASK


def leaf(page: bytes) -> Pair:
    """Return the hash of up to 512 bytes, as if zeros stood behind them.

    The words are little-endian; two of them are taken in each round, both by both lanes.
    """
    words = struct.unpack(f"<{_WORDS}Q", page.ljust(PAGE, b"\0"))
    a, b = K[0], K[1]
    for x, y in zip(words[::2], words[1::2], strict=True):
        a, b = mum(a ^ x, y ^ K[2]), mum(b ^ y, x ^ K[3])
    return a, b


def placed(page: bytes, number: int) -> Pair:
    """Return what page `number` of a file adds to its sum; nothing if it is all zeros."""
    return put_at(leaf(page), number) if any(page) else (0, 0)


def put_at(hashed: Pair, number: int) -> Pair:
    """Return what a page that is not zero adds to a file's sum, from its hash and its number."""
    odd = 2 * number + 1
    a, b = hashed
    return mum(a ^ K[4], odd * K[5] & _MASK), mum(b ^ K[6], odd * K[7] & _MASK)


def added(pairs: Iterable[Pair]) -> Pair:
    """Return the sum of `pairs`, lane by lane."""
    a = b = 0
    for one, two in pairs:
        a, b = a + one, b + two
    return a & _MASK, b & _MASK


@lru_cache(maxsize=4096)
def words_of(text: str) -> Pair:
    """Return the blake2b-128 of a name or key as two little-endian words."""
    return cast(Pair, struct.unpack("<2Q", hashlib.blake2b(text.encode(), digest_size=16).digest()))


def file_term(name: str, size: int, pages: Pair) -> Pair:
    """Return what a file adds to its directory: name, size in bytes, and the sum of its pages."""
    n, m = words_of(name)
    a, b = pages
    return (
        mum(a ^ n, m ^ (size * K[8] & _MASK) ^ K[9]),
        mum(b ^ m, n ^ (size * K[10] & _MASK) ^ K[11]),
    )


def content_pair(files: Mapping[str, bytes]) -> Pair:
    """Return the lanes of a directory's content, the plain way."""
    terms = []
    for name, content in files.items():
        starts = range(0, len(content), PAGE)
        pages = added(placed(content[at : at + PAGE], at // PAGE) for at in starts)
        terms.append(file_term(name, len(content), pages))
    return added(terms)


def promise_pair(format_id: str, edition: str, stratum: str, owed: Iterable[str]) -> Pair:
    """Return the lanes of what a state was promised: its kind, and the sum over the keys that are `owed`."""
    return added((words_of("\0".join((format_id, edition, stratum))), *map(words_of, owed)))


def state_pair(content: Pair, promise: Pair) -> Pair:
    """Return the lanes of a state."""
    return added((content, (mum(promise[0], K[12]), mum(promise[1], K[13]))))


def packed(pair: Pair) -> bytes:
    """Return 16 bytes: lane A, lane B, each big-endian."""
    return struct.pack(">2Q", *pair)


_KEYS = np.asarray(K, np.uint64)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


def mums(one: Words, two: Words) -> Words:
    """Return :func:`mum` of each two numbers; shapes as for a product."""
    low, high = one & _LOW, one >> _HALF
    other, above = two & _LOW, two >> _HALF
    mixed, more = low * above, high * other
    carried = ((low * other) >> _HALF) + (mixed & _LOW) + (more & _LOW)
    top = high * above + (mixed >> _HALF) + (more >> _HALF) + (carried >> _HALF)
    return cast(Words, (one * two) ^ top)


def leaves(pages: Words) -> Words:
    """Return :func:`leaf` of each row: shape (n, 64) of little-endian words in, (n, 2) out."""
    columns = np.ascontiguousarray(pages.T)
    lanes = np.empty((2, len(pages)), np.uint64)
    lanes[0], lanes[1] = _KEYS[0], _KEYS[1]
    keys = _KEYS[2:4, None]
    for at in range(0, _WORDS, 2):
        lanes = mums(lanes ^ columns[at : at + 2], columns[at : at + 2][::-1] ^ keys)
    return np.ascontiguousarray(lanes.T)


def page_pairs(pages: Sequence[bytes], numbers: Sequence[int]) -> Words:
    """Return :func:`placed` of each page at its number, shape (n, 2)."""
    table = np.frombuffer(b"".join(page.ljust(PAGE, b"\0") for page in pages), "<u8").reshape(-1, _WORDS)
    odd = np.asarray(numbers, np.uint64)[:, None] * np.uint64(2) + np.uint64(1)
    found = mums(leaves(table) ^ _KEYS[4:8:2], odd * _KEYS[5:8:2])
    found[(table == 0).all(axis=1)] = 0
    return found


def file_terms(names: Words, sizes: Words, pages: Words) -> Words:
    """Return :func:`file_term` of each row: two words of the name, the size, two words of the pages."""
    lengths = sizes[..., None] * _KEYS[8:11:2]
    return mums(pages ^ names, names[..., ::-1] ^ lengths ^ _KEYS[9:12:2])


def states_of(contents: Words, promise: Pair) -> Words:
    """Return :func:`state_pair` of each content's two words under one promise."""
    return contents + np.asarray(state_pair((0, 0), promise), np.uint64)


def packed_rows(pairs: Words) -> list[bytes]:
    """Return :func:`packed` of each row."""
    raw = pairs.astype(">u8").tobytes()
    return [raw[at : at + 16] for at in range(0, len(raw), 16)]
