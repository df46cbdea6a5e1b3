"""Which combinations of versions are looked at: all of them while they are few.

Cells that allow at most ``EXHAUSTIVE`` combinations are enumerated whole (12
granules with two versions each). Beyond that, rows with at most two deviations
from "everything arrived" and from "nothing arrived" are taken: most faults need
few lost writes. To them come samples, each a function of the stream and its own
number; nothing is sampled that can be counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import Codes

#: 2 to the 12th: twelve granules, each lost or kept.
EXHAUSTIVE = 4096
#: A group that is too large to be enumerated gets as many samples as the largest that is not.
SAMPLES = EXHAUSTIVE


def subsets(dims: tuple[int, ...], stream: int = 0) -> Codes:
    """Return all combinations of cell versions, or those with at most two deviations and samples.

    Each row is one combination; rows are distinct and in a fixed order. `stream`
    chooses the samples.
    """
    total = 1
    for size in dims:
        total *= size
        if total > EXHAUSTIVE:
            return distinct(np.concatenate([_deviations(dims), samples(dims, stream)]))[0]
    return np.stack(np.unravel_index(np.arange(total), dims), axis=1).astype(np.uint16)


def _deviations(dims: tuple[int, ...]) -> Codes:
    rows: dict[bytes, Codes] = {}
    for base in (np.asarray(dims, np.uint16) - 1, np.zeros(len(dims), np.uint16)):
        for count in range(3):
            for where in combinations(range(len(dims)), count):
                for row in changed_at(base.astype(np.uint16), where, dims):
                    rows.setdefault(row.tobytes(), row)
    return np.stack(list(rows.values()))


def samples(dims: tuple[int, ...], stream: int, number: int = SAMPLES) -> Codes:
    """Return `number` uniform rows, drawn by counter: row i does not depend on the others."""
    sizes = np.asarray(dims, np.uint64)
    count = np.arange(number * len(dims), dtype=np.uint64).reshape(number, len(dims)) + np.uint64(1)
    value = np.uint64(stream) + count * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    # The upper half: with so few versions per cell the bias is below one in a billion.
    return (((value ^ (value >> np.uint64(31))) >> np.uint64(32)) % sizes).astype(np.uint16)


def distinct(rows: Codes) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Return the rows without repetitions, in order of first appearance, and where each first was."""
    flat = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))
    _, first = np.unique(flat[:, 0], return_index=True)
    first = np.sort(first)
    return np.asarray(rows[first]), first


def changed_at(base: Codes, where: tuple[int, ...], dims: tuple[int, ...]) -> Iterator[Codes]:
    """Yield `base` with every other version at the places `where`."""
    if not where:
        yield base.copy()
        return
    for code in range(dims[where[0]]):
        if code != base[where[0]]:
            changed = base.copy()
            changed[where[0]] = code
            yield from changed_at(changed, where[1:], dims)


def stream_of(text: str) -> int:
    """Return a 64-bit number for the start of a stream of samples."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def selected(trace: str, share: int) -> bool:
    """Tell whether `trace` is among the about one in `share`, whatever the seed.

    Those chosen for 128 are among those for 32.
    """
    return stream_of(f"{trace}/selected") % share == 0


def draws(key: str, number: int, bound: int) -> list[int]:
    """Return `number` integers below `bound`, by counter."""
    return [stream_of(f"{key}/{at}") % bound for at in range(number)] if bound > 0 else []
