"""The content of a file as pages that crash points share, and its name.

One write makes one path of a tree new; everything else is shared with the content
before it. So what a state costs depends on what is written, not on how large files are:
two contents are compared, and named, by the nodes in which they differ.

The id of a file's content is the list of its pages' ids (blake2b-128 of 512 bytes, the
smallest granule of the model; the last page may be short). Lists of more than 32 ids are
shortened: each 32 of them, and what is left at the end, become one, until 32 are enough.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias, overload

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PAGE = 512
ID_BYTES = 16
#: So many children has a node of the tree, and so many ids are taken together.
FAN = 32
#: Up to so many bytes a content is also kept in one piece: it is read byte by byte.
SMALL = 1 << 16

#: One id, or one for each row: shape (rows, ID_BYTES).
Ids: TypeAlias = "bytes | npt.NDArray[np.uint8]"


def blake(data: bytes) -> bytes:
    """Return the 16-byte blake2b of `data`."""
    return hashlib.blake2b(data, digest_size=ID_BYTES).digest()


class Node:
    """A page (no children; always `PAGE` bytes), or `FAN` nodes of the level below."""

    __slots__ = ("_data", "_id", "children")

    def __init__(self, children: tuple[Node, ...], data: bytes = b"") -> None:
        self.children = children
        self._data = data
        self._id = b""

    @property
    def data(self) -> bytes:
        """The bytes of all pages below."""
        self._data = self._data or b"".join([each.data for each in self.children])
        return self._data

    @property
    def id(self) -> bytes:
        """The id of the page, or of the children's ids."""
        self._id = self._id or blake(b"".join([each.id for each in self.children]) or self.data)
        return self._id


#: level -> the node in which everything is zero
_ZEROS = [Node((), bytes(PAGE))]


def zeros(level: int) -> Node:
    """Return the node of a level in which everything is zero: there is one."""
    while len(_ZEROS) <= level:
        _ZEROS.append(Node((_ZEROS[-1],) * FAN))
    return _ZEROS[level]


def _page(data: bytes) -> Node:
    """Return the page that begins with `data`, zeros behind it."""
    padded = data.ljust(PAGE, b"\0")
    return _ZEROS[0] if padded == _ZEROS[0].data else Node((), padded)


def _node(data: bytes) -> Node:
    """Return the node of level 1 that begins with `data`."""
    return Node(tuple(_page(data[at : at + PAGE]) for at in range(0, FAN * PAGE, PAGE)))


class Pages:
    """The bytes of a file: like ``bytes``, but cheap to change. Never changed itself."""

    __slots__ = ("_flat", "_level", "_root", "_size")

    def __init__(self, size: int = 0, root: Node | None = None, level: int = 1) -> None:
        enough = level
        while FAN**enough * PAGE < size:
            enough += 1
        self._size = size
        self._root = _raised(root or zeros(level), level, enough)
        self._level = enough
        self._flat: bytes | None = None

    @classmethod
    def of(cls, data: bytes) -> Pages:
        """Return the content `data`."""
        nodes = [
            zeros(1) if data.startswith(zeros(1).data, at) else _node(data[at : at + FAN * PAGE])
            for at in range(0, len(data), FAN * PAGE)
        ]
        level = 1
        while len(nodes) > 1:
            parts = [nodes[at : at + FAN] for at in range(0, len(nodes), FAN)]
            nodes = [Node((*part, *(zeros(level),) * (FAN - len(part)))) for part in parts]
            level += 1
        return cls(len(data), nodes[0] if nodes else None, level)

    def __len__(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pages):
            return NotImplemented
        return self._size == other._size and next(self.differing(other), None) is None

    __hash__ = None  # type: ignore[assignment]  # nobody asks, and all bytes would have to be looked at

    @overload
    def __getitem__(self, key: int) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> bytes: ...
    def __getitem__(self, key: int | slice) -> int | bytes:
        if self._size <= SMALL:
            self._flat = self._read(0, self._size) if self._flat is None else self._flat
            return self._flat[key]
        if isinstance(key, int):
            return self.node(0, range(self._size)[key] // PAGE).data[range(self._size)[key] % PAGE]
        start, end, step = key.indices(self._size)
        return self._read(start, end)[::step]

    def __bytes__(self) -> bytes:
        return self[:]

    def _read(self, start: int, end: int) -> bytes:
        if start >= end:
            return b""
        # A few bytes are of one page or two; of long stretches most nodes have been asked before.
        level = int(end - start > FAN * PAGE)
        step = FAN**level * PAGE
        first = start // step
        data = b"".join([self.node(level, number).data for number in range(first, (end - 1) // step + 1)])
        return data[start - first * step : end - first * step]

    def node(self, level: int, number: int) -> Node:
        """Return node `number` of a level (0: pages); zeros behind the end."""
        if number >= FAN ** max(0, self._level - level):
            return zeros(level)
        node = self._root
        for above in range(self._level - 1, level - 1, -1):
            node = node.children[number // FAN ** (above - level) % FAN]
        return node

    def put(self, off: int, data: bytes) -> Pages:
        """Return the content in which `data` is at `off`; zeros where there was nothing."""
        out = Pages(max(self._size, off + len(data)), self._root, self._level)
        at, root = off, out._root
        while at < off + len(data):
            start = at - at % PAGE
            end = min(start + PAGE, off + len(data))
            old = out.node(0, at // PAGE).data
            new = old[: at - start] + data[at - off : end - off] + old[end - start :]
            root = _with(root, out._level, at // PAGE, _page(new))
            at = end
        out._root = root
        return out

    def resized(self, size: int) -> Pages:
        """Return the first `size` bytes, followed by zeros where there are not so many."""
        if size >= self._size:
            return Pages(size, self._root, self._level)
        last, rest = divmod(size, PAGE)
        root = self._root
        if rest:
            root = _with(root, self._level, last, _page(self.node(0, last).data[:rest]))
        for page in range(-(-size // PAGE), -(-self._size // PAGE)):
            root = _with(root, self._level, page, _ZEROS[0])
        return Pages(size, root, self._level)

    def differing(self, other: Pages) -> Iterator[int]:
        """Yield the numbers of the pages that are not those of `other`, which may be longer or shorter."""
        level = max(self._level, other._level)
        one, two = (_raised(each._root, each._level, level) for each in (self, other))
        if one is not two:
            yield from _differing(one, two, level, 0)

    def stretches(self, count: int) -> Iterator[tuple[Node, int, int]]:
        """Yield the fewest nodes that hold the first `count` pages, each with level and first page."""
        if count >= FAN**self._level:
            yield self._root, self._level, 0
            return
        node, first = self._root, 0
        for level in range(self._level - 1, -1, -1):
            whole = (count - first) // FAN**level
            for at in range(whole):
                yield node.children[at], level, first + at * FAN**level
            first += whole * FAN**level
            node = node.children[whole]

    def names(self) -> list[bytes]:
        """Return the (at most 32) ids that name the content."""
        return [part for part in self.ids(self._size, {}) if isinstance(part, bytes)]

    def ids(self, size: int, moved: Mapping[int, Ids]) -> list[Ids]:
        """Return the (at most 32) ids that name the first `size` bytes, `moved` those of pages in flight.

        The ids of `moved` are of as many bytes as the page has within `size`.
        """
        count, rest = -(-size // PAGE), size % PAGE
        known: dict[int, Ids] = {page: ids for page, ids in moved.items() if page < count}
        if rest:
            known.setdefault(count - 1, blake(self.node(0, count - 1).data[:rest]))
        level = 0
        while count > FAN:
            above: dict[int, Ids] = {}
            partial = [count // FAN] if count % FAN else []
            for number in dict.fromkeys([*(page // FAN for page in known), *partial]):
                first = number * FAN
                members = range(first, min(first + FAN, count))
                parts = [known[at] if at in known else self.node(level, at).id for at in members]
                above[number] = named(parts)
            known, level, count = above, level + 1, -(-count // FAN)
        return [known[at] if at in known else self.node(level, at).id for at in range(count)]


def _with(node: Node, level: int, page: int, leaf: Node) -> Node:
    """Return `node` with another page."""
    if not level:
        return leaf
    at, inner = divmod(page, FAN ** (level - 1))
    children = list(node.children)
    children[at] = _with(children[at], level - 1, inner, leaf)
    if children[at] is node.children[at]:
        return node
    return Node(tuple(children))


def _raised(root: Node, level: int, wanted: int) -> Node:
    """Return the root of level `wanted` that begins with `root`, which is of `level`; zeros behind it."""
    if root is zeros(level):
        return zeros(wanted)
    for below in range(level, wanted):
        root = Node((root, *(zeros(below),) * (FAN - 1)))
    return root


def _differing(one: Node, two: Node, level: int, first: int) -> Iterator[int]:
    if not level:
        if one.data != two.data:
            yield first
        return
    for at, (mine, its) in enumerate(zip(one.children, two.children, strict=True)):
        if mine is not its:
            yield from _differing(mine, its, level - 1, first * FAN + at)


def named(parts: list[Ids]) -> Ids:
    """Return the id of `parts` one behind the other: one, or one for each row if a part has rows."""
    rows = next((len(part) for part in parts if not isinstance(part, bytes)), None)
    if rows is None:
        return blake(b"".join(part for part in parts if isinstance(part, bytes)))
    import numpy as np  # noqa: PLC0415  # a build is verified without it

    widths = [len(part) if isinstance(part, bytes) else part.shape[1] for part in parts]
    template = b"".join(part if isinstance(part, bytes) else bytes(part.shape[1]) for part in parts)
    table = np.tile(np.frombuffer(template, np.uint8), (rows, 1))
    at = 0
    for part, width in zip(parts, widths, strict=True):
        if not isinstance(part, bytes):
            table[:, at : at + width] = part
        at += width
    raw, new = table.tobytes(), hashlib.blake2b
    ids = [
        new(raw[at : at + len(template)], digest_size=ID_BYTES).digest()
        for at in range(0, len(raw), len(template))
    ]
    return np.frombuffer(b"".join(ids), np.uint8).reshape(-1, ID_BYTES)
