"""How far recovery can look into the files of a format: what lies after that is not worth enumerating."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from journalspec_corpus.crash.trace import Create, Preallocate, Rename, Trace, Truncate, Unlink, Write


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
    heads = {name: content[: reach.head] for name, content in trace.base.items()}
    sizes = {name: len(content) for name, content in trace.base.items()}
    out = set()
    ends: Mapping[str, int] | None = None
    for index, op in enumerate(trace.ops):
        if isinstance(op, Write) and reach.head <= op.off and op.off + len(op.data) <= sizes[op.file]:
            ends = reach.ends(heads, sizes) if ends is None else ends
            if op.off >= ends[op.file]:
                out.add(index)
            continue
        if isinstance(op, (Write, Preallocate, Truncate)):
            _change(op, heads, sizes, reach.head)
        elif isinstance(op, Create):
            heads[op.file], sizes[op.file] = b"", 0
        elif isinstance(op, Rename):
            heads[op.new], sizes[op.new] = heads.pop(op.old), sizes.pop(op.old)
        elif isinstance(op, Unlink):
            del heads[op.file], sizes[op.file]
        else:
            continue
        ends = None
    return frozenset(out)


def _change(
    op: Write | Preallocate | Truncate, heads: dict[str, bytes], sizes: dict[str, int], most: int
) -> None:
    """Do `op` to the head and the size of its file."""
    head, size = heads[op.file], sizes[op.file]
    if isinstance(op, Truncate):
        size = op.size
    else:
        data = op.data or b""
        size = max(size, op.off + (op.length if isinstance(op, Preallocate) else len(data)))
        if data and op.off < most:
            front = head[: op.off].ljust(op.off, b"\0")
            head = front + data[: most - op.off] + head[op.off + len(data) :]
    heads[op.file] = head[: min(size, most)].ljust(min(size, most), b"\0")
    sizes[op.file] = size
