"""How far recovery can look into the files of a format: what lies after that is not worth enumerating."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from journalspec_corpus.crash.blocks import Timeline
from journalspec_corpus.crash.losses import SECTOR
from journalspec_corpus.crash.trace import Create, Rename, Trace, Truncate, Unlink, Write


@dataclass(frozen=True)
class Reach:
    """How far recovery can look into each file.

    ``ends(heads, sizes)`` takes the first `head` bytes of each file (fewer of a shorter one) and its
    size, by name, and returns for each an offset. Nothing at or behind it changes any reader's answer,
    under whichever policy.
    """

    head: int
    ends: Callable[[Mapping[str, bytes], Mapping[str, int]], Mapping[str, int]]


def visible_ends(reach: Reach | None, files: Mapping[str, bytes]) -> dict[str, int]:
    """Return how many bytes of each of `files` recovery can look at, at most its size."""
    sizes = {name: len(content) for name, content in files.items()}
    if reach is None:
        return sizes
    ends = reach.ends({name: content[: reach.head] for name, content in files.items()}, sizes)
    return {name: min(size, ends[name]) for name, size in sizes.items()}


def unread_writes(trace: Trace, reach: Reach | None) -> frozenset[int]:
    """Return the writes of `trace` of which recovery can look at no byte, if all before has arrived.

    Such a write begins where nobody looks any more and does not make its file longer. So whatever
    arrives of it, names, sizes, heads and thus ends stay what they were, and so does all before them.
    """
    if reach is None:
        return frozenset()
    out = set()
    line, ends = Timeline(trace, SECTOR), None
    for index, op in enumerate(trace.ops):
        files = line.memory()
        if isinstance(op, Write) and reach.head <= op.off and op.off + len(op.data) <= len(files[op.file]):
            ends = visible_ends(reach, files) if ends is None else ends
            if op.off >= ends[op.file]:
                out.add(index)
        elif isinstance(op, (Create, Rename, Truncate, Unlink, Write)):
            ends = None
        line.step(op)
    return frozenset(out)
