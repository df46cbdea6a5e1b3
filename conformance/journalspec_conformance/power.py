"""What a power failure leaves, from the records of a writer's I/O alone.

A kill loses nothing: the system still writes what it was given. Power that
fails loses whatever was not forced. :class:`Disk` is given every storage
operation of a writer (the feature ``io-trace``) and says what may be there
afterwards, by four rules:

- a write is there whole or not at all; before a ``sync`` of its file, any of
  them may be there without the others, whatever the order they came in;
- a ``sync`` of a file makes all earlier writes and sizes of that file last;
- names that were created, renamed or removed last from the next ``sync-dir``
  on; until then some first part of these changes, in their order, may be there, or all but one;
- bytes that were never written are zeros.

Tears inside a write are the crash engine's business (``journalspec corpus``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from journalspec_conformance.errors import Misbehaved
from journalspec_corpus.form import MAX_BYTES

#: Storage operation -> its members besides `op`, as in the schema `reply-step`.
MEMBERS: Mapping[str, tuple[str, ...]] = {
    "create": ("file",),
    "write": ("file", "off", "data"),
    "truncate": ("file", "size"),
    "sync": ("file",),
    "sync-dir": (),
    "rename": ("file", "to"),
    "unlink": ("file",),
}
#: No journal of a case is larger; an offset beyond is a mistake, and is refused before anything is allocated.
LARGEST = MAX_BYTES

Files = dict[str, bytes]


@dataclass(slots=True)
class _Body:
    """The content of one file: what lasts, and what came since (offset, bytes; None: cut to the offset)."""

    lasting: bytes = b""
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)

    def with_all(self) -> bytes:
        return _laid(self.lasting, self.pending)


class Disk:
    """The files of one directory: what a reader sees now, and what power failing now may leave."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """Begin with `files`, all of them durable."""
        self._names: dict[str, _Body] = {name: _Body(bytes(data)) for name, data in files.items()}
        self._lasting: dict[str, _Body] = dict(self._names)
        #: The directory after each change of a name since the last sync-dir.
        self._later: list[dict[str, _Body]] = []
        #: These changes: the name before and the name after, empty for none, and the file.
        self._changes: list[tuple[str, str, _Body]] = []

    def do(self, entry: Mapping[str, Any]) -> None:
        """Take in one storage operation; raises Misbehaved if it is none, or cannot have been done."""
        name = str(entry.get("op"))
        if name not in MEMBERS or not all(isinstance(entry.get(key), str) for key in MEMBERS[name]):
            raise Misbehaved(f"io: {dict(entry)!r:.120} is none of {', '.join(MEMBERS)} with its members")
        file = entry.get("file", "")
        if name not in ("create", "sync-dir") and file not in self._names:
            raise Misbehaved(f"io: {name} of {file!r}, which is not there")
        if name in ("write", "truncate"):
            self._change(self._names[file], entry)
        elif name == "sync":
            body = self._names[file]
            body.lasting, body.pending = body.with_all(), []
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
        body.pending.append((off, data))

    def _rename(self, what: str, file: str, to: str) -> None:
        if what == "create" and file in self._names:
            raise Misbehaved(f"io: create of {file!r}, which is there already")
        body = _Body() if what == "create" else self._names[file]
        before, after = ("", file) if what == "create" else (file, to)
        self._changes.append((before, after, body))
        _changed(self._names, before, after, body)
        self._later.append(dict(self._names))

    def _but_one(self) -> Iterator[dict[str, _Body]]:
        """Yield the directory without one of the changes since the last sync-dir, and what rests on it."""
        for left_out in range(len(self._changes)):
            names = dict(self._lasting)
            for number, (before, after, body) in enumerate(self._changes):
                if number != left_out and (not before or names.get(before) is body):
                    _changed(names, before, after, body)
            yield names

    def files(self) -> Files:
        """Return what is there as long as the power does not fail."""
        return {name: body.with_all() for name, body in self._names.items()}

    def after_power_failure(self) -> Iterator[Files]:
        """Yield what may be there afterwards, each once.

        Of the writes that may be lost: all are, all but one, one alone, none. Of
        the changed names every first part, none, all, and all but one.
        """
        seen: set[tuple[tuple[str, bytes], ...]] = set()
        directories = [self._lasting, *self._later, *self._but_one()]
        ends = [self._lasting, self._later[-1]] if self._later else directories
        bodies = {id(body): body for names in directories for body in names.values()}
        pending = [(body, index) for body in bodies.values() for index in range(len(body.pending))]
        everything = frozenset(range(len(pending)))
        choices = [frozenset[int](), everything]
        choices += [frozenset({one}) for one in everything] + [everything - {one} for one in everything]
        pairs = [(names, kept) for names in directories for kept in choices[:2]]
        pairs += [(names, kept) for names in ends for kept in choices[2:]]
        for names, kept in pairs:
            chosen = [pending[number] for number in sorted(kept)]
            files = {
                name: _laid(body.lasting, [one.pending[index] for one, index in chosen if one is body])
                for name, body in names.items()
            }
            key = tuple(sorted(files.items()))
            if key not in seen:
                seen.add(key)
                yield files


def _changed(names: dict[str, _Body], before: str, after: str, body: _Body) -> None:
    """Make one change of a name: from `before` to `after`, empty for none."""
    names.pop(before, None)
    if after:
        names[after] = body


def _laid(content: bytes, changes: Sequence[tuple[int, bytes | None]]) -> bytes:
    """Return `content` with `changes` made to it in their order."""
    if not changes:
        return content
    out = bytearray(content)
    for off, data in changes:
        end = off if data is None else off + len(data)
        if end > len(out):
            out.extend(bytes(end - len(out)))
        if data is None:
            del out[off:]
        else:
            out[off:end] = data
    return bytes(out)
