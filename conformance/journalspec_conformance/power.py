"""Computes the possible files after a power failure from the trace of a writer's I/O.

A killed process loses nothing, because the operating system still writes its cached data. A power failure can
lose everything that was not fsynced. :class:`Disk` applies every storage operation of a writer (the feature
``io-trace``), and computes the possible files by four rules:

- a write is complete or absent; before a ``sync`` of its file, any write may be present without the others,
  regardless of their order;
- a ``sync`` of a file makes all earlier writes and sizes of that file durable;
- changes of names (create, rename, remove) are durable after the next ``sync-dir``; until then, the directory
  may have the first changes in their order, or all but one;
- bytes that were never written are zeros.

Torn writes are only in the crash engine (``journalspec corpus``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from journalspec_conformance.errors import Misbehaved
from journalspec_corpus.form import MAX_BYTES

#: Maps a storage operation to its members besides `op`, as in the schema `reply-step`.
MEMBERS: Mapping[str, tuple[str, ...]] = {
    "create": ("file",),
    "write": ("file", "off", "data"),
    "truncate": ("file", "size"),
    "sync": ("file",),
    "sync-dir": (),
    "rename": ("file", "to"),
    "unlink": ("file",),
}
#: The largest journal of a case. A larger offset is a mistake of the writer. It is refused before memory is
#: allocated.
LARGEST = MAX_BYTES

Files = dict[str, bytes]


#: A write of bytes at an offset without an fsync so far, or (with None) a truncation to that size.
_Change = tuple[int, bytes | None]
_UNSET = re.compile(rb"\0+")


@dataclass(slots=True, eq=False)
class _Body:
    """The content of one file: the durable part, the pending changes, and the result of both."""

    lasting: bytes = b""
    whole: bytearray = field(default_factory=bytearray)
    pending: list[_Change] = field(default_factory=list)
    #: The content without one change, for each of the changes. It is empty if it was not requested since the
    #: last change.
    without: list[bytes] = field(default_factory=list)
    #: The number of fsyncs of the file.
    forced: int = 0

    def change(self, change: _Change) -> None:
        self.pending.append(change)
        self.without = []
        _lay(self.whole, change)

    def force(self) -> None:
        self.lasting, self.pending, self.forced = bytes(self.whole), [], self.forced + 1
        self.without = []

    def content(self, rest: bool, but: int | None) -> bytes:
        """Return the content with all pending changes (`rest`) or none; change `but` is the exception."""
        if but is None:
            return bytes(self.whole) if rest else self.lasting
        if rest:
            self.without = self.without or [*self._without_each()]
            return self.without[but]
        out = bytearray(self.lasting)
        _lay(out, self.pending[but])
        return bytes(out)

    def _without_each(self) -> Iterator[bytes]:
        """Yield the content without one pending change, for each of them in turn.

        If a later change sets a byte, the byte is equal in both contents. Only other bytes can differ.
        They are as before the change, so no change is applied again for each of the others.
        """
        most = max(len(self.lasting), *(off + len(data or b"") for off, data in self.pending))
        #: For each byte, whether a later change sets it. A later change sets all bytes from `cut` on.
        later, cut = bytearray(most), most
        #: Two lengths: the one that later writes need, and the one after the last truncation.
        needed, length = 0, None
        own: list[tuple[list[tuple[int, int]], int, int | None]] = []
        for off, data in reversed(self.pending):
            end = cut if data is None else min(cut, off + len(data))
            own.append(([found.span() for found in _UNSET.finditer(later, off, end)], needed, length))
            if data is None:
                cut, length = min(cut, off), max(off, needed) if length is None else length
            elif off < end:
                later[off:end] = b"\1" * (end - off)
            needed = max(needed, off + len(data or b""))
        before = bytearray(self.lasting)
        for change, (spans, needed, length) in zip(self.pending, reversed(own), strict=True):
            out = self.whole.ljust(most, b"\0")
            for start, end in spans:
                out[start:end] = before[start:end].ljust(end - start, b"\0")
            yield bytes(out[: max(len(before), needed) if length is None else length])
            _lay(before, change)

    def key(self, rest: bool, but: int | None) -> tuple[object, ...]:
        """Return a key for the content without computing the content."""
        return self, self.forced, rest and len(self.pending), but


class Disk:
    """The files of one directory: as a reader sees them, and as a power failure now may leave them."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """Begin with `files`, all of which are durable."""
        self._names: dict[str, _Body] = {
            name: _Body(bytes(data), bytearray(data)) for name, data in files.items()
        }
        self._lasting: dict[str, _Body] = dict(self._names)
        #: The directory after each change of a name since the last sync-dir.
        self._later: list[dict[str, _Body]] = []
        #: Each of these changes: the old name, the new name (empty if there is none), and the file.
        self._changes: list[tuple[str, str, _Body]] = []

    def do(self, entry: Mapping[str, Any]) -> None:
        """Apply one storage operation; raises Misbehaved if it is invalid or impossible."""
        name = str(entry.get("op"))
        if name not in MEMBERS or not all(isinstance(entry.get(key), str) for key in MEMBERS[name]):
            raise Misbehaved(f"io: {dict(entry)!r:.120} is none of {', '.join(MEMBERS)} with its members")
        file = entry.get("file", "")
        if name not in ("create", "sync-dir") and file not in self._names:
            raise Misbehaved(f"io: {name} of {file!r}, which does not exist")
        if name in ("write", "truncate"):
            self._change(self._names[file], entry)
        elif name == "sync":
            self._names[file].force()
        elif name == "sync-dir":
            self._lasting, self._later, self._changes = dict(self._names), [], []
        else:
            self._rename(name, file, entry.get("to", ""))

    def _change(self, body: _Body, entry: Mapping[str, Any]) -> None:
        try:
            off = int(entry["off"] if entry["op"] == "write" else entry["size"])
            data = bytes.fromhex(entry["data"]) if entry["op"] == "write" else None
        except ValueError as error:
            raise Misbehaved(f"io: {entry['op']} of {entry['file']!r}: {error}") from None
        if not 0 <= off <= LARGEST - len(data or b""):
            raise Misbehaved(f"io: {entry['op']} of {entry['file']!r} at {off}: not within 0..{LARGEST}")
        body.change((off, data))

    def _rename(self, what: str, file: str, to: str) -> None:
        if what == "create" and file in self._names:
            raise Misbehaved(f"io: create of {file!r}, which already exists")
        body = _Body() if what == "create" else self._names[file]
        before, after = ("", file) if what == "create" else (file, to)
        self._changes.append((before, after, body))
        _changed(self._names, before, after, body)
        self._later.append(dict(self._names))

    def _but_one(self) -> Iterator[dict[str, _Body]]:
        """Yield the directory without one pending change and without the changes that depend on it."""
        for left_out in range(len(self._changes)):
            names = dict(self._lasting)
            for number, (before, after, body) in enumerate(self._changes):
                if number != left_out and (not before or names.get(before) is body):
                    _changed(names, before, after, body)
            yield names

    def files(self) -> Files:
        """Return the files without a power failure."""
        return {name: bytes(body.whole) for name, body in self._names.items()}

    def after_power_failure(self, known: set[object] | None = None) -> Iterator[Files]:
        """Yield the possible files after a power failure, each once.

        The lost pending writes are: all, all but one, one alone, or none. The present changes of names are
        the first ones (none to all), or all but one. Files that an earlier call with the same set `known` has
        yielded are omitted. Use each set for one disk only.
        """
        seen: set[tuple[tuple[str, bytes], ...]] = set()
        known = set() if known is None else known
        directories = [self._lasting, *self._later, *self._but_one()]
        ends = [self._lasting, self._later[-1]] if self._later else directories
        bodies = dict.fromkeys(body for names in directories for body in names.values())
        pending = [(body, index) for body in bodies for index in range(len(body.pending))]
        states: list[tuple[dict[str, _Body], bool, _Body | None, int]] = [
            (names, rest, None, 0) for names in directories for rest in (False, True)
        ]
        states += [(names, rest, *one) for names in ends for rest in (False, True) for one in pending]
        for names, rest, other, index in states:
            parts = [(name, body, index if body is other else None) for name, body in names.items()]
            made = tuple((name, body.key(rest, but)) for name, body, but in parts)
            if made in known:
                continue
            known.add(made)
            files = {name: body.content(rest, but) for name, body, but in parts}
            key = tuple(sorted(files.items()))
            if key not in seen:
                seen.add(key)
                yield files


def _changed(names: dict[str, _Body], before: str, after: str, body: _Body) -> None:
    """Apply one change of a name from `before` to `after`, which are empty if there is none."""
    names.pop(before, None)
    if after:
        names[after] = body


def _lay(content: bytearray, change: _Change) -> None:
    """Apply one change to `content`."""
    off, data = change
    end = off + len(data or b"")
    content.extend(bytes(max(0, end - len(content))))
    if data is None:
        del content[off:]
    else:
        content[off:end] = data
