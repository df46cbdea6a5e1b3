"""What the states of a crash point hold: their permanent ids, their files, and what a reader says of them.

``content_id`` is blake2b-128 over the files in name order: name, size, and what names their bytes
(:mod:`.pages`). ``case_id`` adds format, edition, stratum and the records that are owed. Both are permanent:
an id never changes. Two descriptors with one case id are one case.

A state costs what its row changes. A page in flight is named once per version, a file once per versions of
its own blocks, and bytes are made when a reader asks for them. Of states that look alike to recovery one is
read: a format's `look` says what recovery can see of the files (:mod:`.adapter`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import DATA, Codes, CrashPoint
from journalspec_corpus.crash.pages import PAGE, blake, page_ids, shortened
from journalspec_corpus.crash.verdict import Answer

#: Answers that are remembered, some thousand bytes each; what was seen of single files, a hundred bytes each.
ANSWERS, LOOKS = 1 << 13, 1 << 15
#: From the files of a state and the edition to what all readers of a format say about them.
Read = Callable[[Mapping[str, bytes], str], tuple[Answer, ...]]
T = TypeVar("T")
#: Most crash points of a trace share their files.
_page_ids = lru_cache(1 << 6)(page_ids)


def file_head(name: str, size: int) -> bytes:
    """Return what stands before a file's page ids."""
    raw = name.encode()
    return len(raw).to_bytes(4, "big") + raw + size.to_bytes(8, "big")


def content_id(files: Mapping[str, bytes]) -> bytes:
    """Return the 16-byte id of a directory's content."""
    parts = []
    for name in sorted(files):
        parts += [file_head(name, len(files[name])), *shortened(page_ids(files[name]))]
    return blake(b"".join(parts))


def case_id(content: bytes, promised: bytes) -> bytes:
    """Return the 16-byte id of a case."""
    return blake(content + promised)


def case_ids(contents: list[bytes], promised: bytes) -> list[bytes]:
    """Return the case id of every content id under one promise."""
    return [blake(content + promised) for content in contents]


def content_ids(point: CrashPoint, codes: Codes) -> list[bytes]:
    """Return the content id of every row, equal to :func:`content_id` of its files."""
    return Contents(point, codes).ids


class _Moving(NamedTuple):
    """A page that lies in a block: its number, the block's, and which bytes of the block are in it."""

    page: int
    block: int
    start: int
    end: int


class _File(NamedTuple):
    """A file of states with the same names and sizes.

    `ids` are those of its pages with version 0 of every block, `moving` its pages in `blocks`. `named` are
    the files as they are under the versions of these blocks that have occurred: what the content id has
    of them.
    """

    name: str
    number: int
    size: int
    head: bytes
    ids: list[bytes]
    moving: list[_Moving]
    blocks: tuple[int, ...]
    named: dict[tuple[int, ...], bytes]


class Contents:
    """The contents of the states of one crash point; row i has version ``codes[i, j]`` of each block j."""

    def __init__(self, point: CrashPoint, codes: Codes) -> None:
        self.point, self.rows = point, codes.tolist()
        self._layouts: dict[tuple[int, ...], list[_File]] = {}
        self._pages: dict[_Moving, dict[int, bytes]] = {}
        self._files = [self.layout(row) for row in self.rows]
        #: Of each row what names its files, one by one.
        self.names = [
            [self._named(file, row) for file in files]
            for files, row in zip(self._files, self.rows, strict=True)
        ]
        #: The content id of each row.
        self.ids = [blake(b"".join(names)) for names in self.names]

    def layout(self, row: list[int]) -> list[_File]:
        """Return the files of a row; rows with the same names and sizes share them."""
        key = tuple([row[at] for at in self.point.unlike_data])
        if key not in self._layouts:
            names, sizes = self.point.layout(row)
            self._layouts[key] = [
                self._file(name, number, sizes[number]) for name, number in sorted(names.items())
            ]
        return self._layouts[key]

    def _file(self, name: str, number: int, size: int) -> _File:
        point, content = self.point, self.point.contents[number]
        # Pages that are the same whatever comes behind them.
        whole = min(size, len(content)) // PAGE
        rest = content[whole * PAGE : size].ljust(size - whole * PAGE, b"\0")
        moving = [
            _Moving(page, at, start, min(start + PAGE, start + size - page * PAGE))
            for at, block in enumerate(point.blocks)
            if block.kind == DATA and block.file == number
            for start in range(0, point.granule, PAGE)
            for page in [(block.index * point.granule + start) // PAGE]
            if page * PAGE < size
        ]
        ids, blocks = (
            [*_page_ids(content)[:whole], *page_ids(rest)],
            dict.fromkeys(each.block for each in moving),
        )
        return _File(name, number, size, file_head(name, size), ids, moving, tuple(blocks), {})

    def _named(self, file: _File, row: list[int]) -> bytes:
        codes = tuple([row[at] for at in file.blocks])
        found = file.named.get(codes)
        if found is None:
            ids = file.ids.copy()
            for place in file.moving:
                ids[place.page] = self._page(place, row[place.block])
            found = file.named[codes] = b"".join([file.head, *shortened(ids)])
        return found

    def _page(self, place: _Moving, code: int) -> bytes:
        known = self._pages.setdefault(place, {})
        if code not in known:
            version = self.point.blocks[place.block].versions[code]
            known[code] = blake(version[place.start : place.end].ljust(place.end - place.start, b"\0"))
        return known[code]

    def state(self, at: int, memory: Memory) -> StateFiles:
        """Return the files of row number `at`."""
        return StateFiles(self.point, self.rows[at], self._files[at], self.names[at], memory)


@dataclass
class Memory:
    """What is remembered from one crash point to the next; no result depends on it."""

    answers: dict[tuple[str, Hashable], tuple[Answer, ...]] = field(default_factory=dict)
    looks: dict[tuple[object, ...], object] = field(default_factory=dict)


class StateFiles(Mapping[str, bytes]):
    """The files of one state. Their names and sizes are known; bytes are made when somebody asks for them."""

    def __init__(
        self, point: CrashPoint, row: list[int], files: list[_File], names: list[bytes], memory: Memory
    ) -> None:
        self._point, self._row, self._memory = point, row, memory
        self._files = {file.name: (file, name) for file, name in zip(files, names, strict=True)}
        self._made: dict[str, bytes] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, name: str) -> bytes:
        if name not in self._made:
            file, _ = self._files[name]
            self._made[name] = self._point.file(file.number, file.size, self._row)
        return self._made[name]

    def size(self, name: str) -> int:
        """Return the size of a file, 0 if it is not there."""
        return self._files[name][0].size if name in self._files else 0

    def same(self, name: str) -> bytes:
        """Return what tells a file with its name from all others that are not equal."""
        return self._files[name][1]

    def once(self, name: str, find: Callable[..., T], *given: object) -> T:
        """Return ``find(content, *given)`` of a file: of one content it is worked out once."""
        looks, place = self._memory.looks, (find, self.same(name), *given)
        if place not in looks:
            if len(looks) >= LOOKS:
                looks.clear()
            looks[place] = find(self[name], *given)
        found: T = looks[place]  # type: ignore[assignment]
        return found


#: What recovery can see of the files in an edition: of states for which it is the same one is read.
Look = Callable[[StateFiles, str], Hashable]


def equal_contents(files: StateFiles, edition: str) -> Hashable:
    """Return what tells files from others that are not equal: all of a file can be seen."""
    return tuple([files.same(name) for name in files])


def digest_of(*parts: bytes | int) -> bytes:
    """Return a digest of `parts`, each for itself."""
    raws = [part if isinstance(part, bytes) else b"%d" % part for part in parts]
    return blake(b"".join([b"%d:" % len(raw) + raw for raw in raws]))


def answers(
    contents: Contents, read: Read, look: Look = equal_contents, memory: Memory | None = None
) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
    """Return the distinct answers of `read` and, for each row of `contents`, the index of its own.

    Of states that look alike one is read. What is in `memory` stays so from one crash point to the next.
    """
    memory, edition = memory or Memory(), contents.point.trace.edition
    number: dict[tuple[Answer, ...], int] = {}
    which, known = [], memory.answers
    for at in range(len(contents.rows)):
        files = contents.state(at, memory)
        place = edition, look(files, edition)
        found = known.get(place)
        if found is None:
            if len(known) >= ANSWERS:
                known.clear()
            found = known[place] = read(dict(files), edition)
        which.append(number.setdefault(found, len(number)))
    return list(number), np.asarray(which, np.int32)
