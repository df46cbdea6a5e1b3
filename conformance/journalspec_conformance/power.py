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

from collections.abc import Iterable, Iterator, Mapping
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
#: A change of a name since the last fsync of the directory: the old name, the new name (empty if there is
#: none), and the file.
_Naming = tuple[str, str, "_Body"]


class _Body:
    """The content of one file: the durable part, the pending changes, and the result of both."""

    def __init__(self, data: bytes = b"") -> None:
        """Begin with `data`, which is durable."""
        #: The content with all changes, and the number of fsyncs of the file.
        self.whole, self.forced = bytearray(data), 0
        self.force()

    def change(self, change: _Change) -> None:
        self.pending.append(change)
        _lay(self.whole, change)

    def force(self) -> None:
        self.lasting, self.forced = bytes(self.whole), self.forced + 1
        self.pending: list[_Change] = []
        #: The content with the first pending changes, and for each of these the content without it.
        self.first, self.without = bytearray(self.whole), list[bytearray]()

    def content(self, rest: bool, but: int | None) -> bytes:
        """Return the content with all pending changes (`rest`) or none; change `but` is the exception."""
        if but is None:
            return bytes(self.whole) if rest else self.lasting
        if not rest:
            out = bytearray(self.lasting)
            _lay(out, self.pending[but])
            return bytes(out)
        # Each change is applied once to each content, so that thousands of changes take little time.
        for change in self.pending[len(self.without) :]:
            for content in self.without:
                _lay(content, change)
            self.without.append(bytearray(self.first))
            _lay(self.first, change)
        return bytes(self.without[but])

    def key(self, rest: bool, but: int | None) -> tuple[object, ...]:
        """Return a key for the content without computing the content."""
        return self, self.forced, rest and len(self.pending), but


class Disk:
    """The files of one directory: as a reader sees them, and as a power failure now may leave them."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """Begin with `files`, all of which are durable."""
        self._names = {name: _Body(data) for name, data in files.items()}
        self._lasting: dict[str, _Body] = dict(self._names)
        self._changes: list[_Naming] = []

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
            self._lasting, self._changes = dict(self._names), []
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
        self._names = _changed(self._names, self._changes[-1:])

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
        number = len(self._changes)
        kept = [self._changes[:end] for end in range(number + 1)]
        kept += [[*self._changes[:at], *self._changes[at + 1 :]] for at in range(number)]
        directories = [_changed(self._lasting, changes) for changes in kept]
        ends = [self._lasting, self._names]
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


def _changed(names: Mapping[str, _Body], changes: Iterable[_Naming]) -> dict[str, _Body]:
    """Return `names` after `changes`, without the changes of files that these names do not contain."""
    out = dict(names)
    for before, after, body in changes:
        if not before or out.get(before) is body:
            out.pop(before, None)
            if after:
                out[after] = body
    return out


def _lay(content: bytearray, change: _Change) -> None:
    """Apply one change to `content`."""
    off, data = change
    end = off + len(data or b"")
    if end > len(content):
        content.extend(bytes(end - len(content)))
    if data is None:
        del content[off:]
    else:
        content[off:end] = data
