"""Write traces: the operations of a writer in program order, and its acknowledgements; and presets.

A trace is recorded by putting :class:`RecordingStorage` between a writer and its files.
Acknowledgements, record spans and releases are annotations: the writer's bytes never show them, the
oracle lives from them.

Each *preset* is one guess about devices and file systems. None of them guarantees these things in writing.
That is why there are several, why every state names its preset, and why a failure is quoted with the
*strongest* guarantee that still shows it. The order of :data:`PRESETS` is from the strongest to the weakest;
two neighbours need not contain each other.

Bytes are named by the ids of their pages, which states share. The id of a page is blake2b-128 of its 512
bytes, the smallest granule of the model; the last page may be short. Lists of more than 32 ids are
shortened: each 32 of them, and what is left at the end, become one, until 32 are enough. Ids of traces and
states depend on this: it never changes. Nothing here needs NumPy: verdicts are read, and a build is
verified, without it.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from operator import itemgetter
from typing import Any, Protocol

from journalspec_reference.storage import MemoryStorage

#: Files of up to this many bytes are part of a trace's id unchanged. Ids depend on it: it never changes.
PLAIN = 1 << 16


@dataclass(frozen=True, slots=True)
class Create:
    """An empty file `file` comes into being."""

    file: str


@dataclass(frozen=True, slots=True)
class Write:
    """`data` is written at byte offset `off` of `file`, extending it if needed."""

    file: str
    off: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    """`file` is cut or extended (with zeros) to `size` bytes."""

    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """`file`'s content and size are made durable."""

    file: str


@dataclass(frozen=True, slots=True)
class SyncDir:
    """All names are made durable."""


@dataclass(frozen=True, slots=True)
class Rename:
    """`old` becomes `new`, which is replaced."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Unlink:
    """The name `file` is removed."""

    file: str


@dataclass(frozen=True, slots=True)
class Reuse:
    """`file` starts a new generation here; its old bytes stay until they are overwritten."""

    file: str


@dataclass(frozen=True, slots=True)
class Ack:
    """The caller has learned that `records` are safe."""

    records: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """From here on recovery no longer requires `records` (their effect has been superseded)."""

    records: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Bytes ``[off, off + length)`` of `file`, written just before, encode `record`.

    `key` is the key that a reader would use (the format says how), from the written bytes, never from the
    recovered ones. `fields` are the start offsets of the record's fields, relative to `off`, by name.
    """

    record: str
    file: str
    off: int
    length: int
    key: str
    fields: tuple[tuple[int, str], ...] = ()

    @property
    def alternative(self) -> tuple[str | int, ...]:
        """Which of the alternatives of its record this is: the record exists if one of them is whole."""
        return self.file, self.off, self.length


@dataclass(frozen=True, slots=True)
class Part(Mark):
    """A mark of some of the bytes of `record`, which is in several places at once.

    A message that is chained over pages has such parts, or a row over two log records. Those of one
    `copy` are needed together, and what is independent is torn; a part that is written again at its
    place is the same part. Other copies do instead, and so does a plain :class:`Mark`. All of
    them have the key of the whole record.
    """

    copy: int = 0

    @property
    def alternative(self) -> tuple[str | int, ...]:
        """The copy, for all its parts."""
        return (self.copy,)


@dataclass(frozen=True, slots=True)
class Publish:
    """The write just before makes `records` count: a tail pointer, a header, a commit."""

    records: tuple[str, ...]


#: One part of an alternative: the marks of one place, each with the index of its write (BEFORE if it was
#: there before the trace). One of them is enough.
Written = list[tuple[int, Mark]]
#: The index of the content that existed before the trace.
BEFORE = -1


def alternatives(marks: Iterable[tuple[int, Mark]]) -> dict[str, list[list[Written]]]:
    """Return for each record its alternatives, each with all the parts that it needs; in order of writing."""
    found: dict[str, dict[tuple[str | int, ...], dict[tuple[str, int], Written]]] = {}
    for index, mark in marks:
        parts = found.setdefault(mark.record, {}).setdefault(mark.alternative, {})
        parts.setdefault((mark.file, mark.off), []).append((index, mark))
    return {record: [list(parts.values()) for parts in each.values()] for record, each in found.items()}


#: Records written after a first crash have ids that begin so.
SECOND_LIFE = "b-"

Op = Create | Write | Truncate | Sync | SyncDir | Rename | Unlink | Reuse | Ack | Release | Mark | Publish


class Workload(Protocol):
    """One run of a writer, by its parameters: a frozen value of a class of the format's own."""

    @property
    def name(self) -> str:
        """A readable name, unique among the workloads of the format."""


@dataclass(frozen=True)
class Trace:
    """One recorded run.

    `base` is what was durable before it (file name -> content), `standing` the records in it that count and
    are acknowledged, `stale` those of an earlier life that do not. `possible` are records in it that had
    been issued and not acknowledged when an earlier crash came: they may be kept, and nothing is required.
    `life` is 1, or 2 for operations after a first crash (ids of records written then begin with
    :data:`SECOND_LIFE`). `background` names what unused space holds. `tags` say what the run is about, for
    classes and selection. `crash_from` is the index of the first operation after which a crash is of
    interest: what comes before is another, shorter trace's business. `during` is the category of a run that
    is all about one thing (``compact``, say), and no part of its id. `order` are the records of `base` that
    may count, in the order in which they were issued, if that is another one; `done` are those of them that
    had been acknowledged and deleted before. `unread` are the indices of writes of which recovery can look
    at no byte, whichever part of them arrives. None of these is a part of the id.
    """

    format: str
    edition: str
    name: str
    base: Mapping[str, bytes]
    ops: tuple[Op, ...]
    background: str
    standing: tuple[Mark, ...] = ()
    stale: tuple[Mark, ...] = ()
    crash_from: int = 0
    tags: Mapping[str, str] = field(default_factory=dict)
    possible: tuple[Mark, ...] = ()
    life: int = 1
    during: str = ""
    unread: frozenset[int] = frozenset()
    order: tuple[Mark, ...] = ()
    done: frozenset[str] = frozenset()

    @property
    def before(self) -> tuple[Mark, ...]:
        """Return the records of :attr:`base` that may count, in the order in which they were issued."""
        return self.order or (*self.standing, *self.possible)

    @cached_property
    def derived(self) -> dict[str, Any]:
        """What others have worked out of this trace, each under a name of its own."""
        return {}

    @cached_property
    def id(self) -> str:
        """Return 32 hex digits that identify the content of this trace."""
        digest = hashlib.blake2b(digest_size=16)
        head = [self.format, self.edition, self.background, self.crash_from, dict(sorted(self.tags.items()))]
        head.append(self.life)
        digest.update(json.dumps(head).encode())
        for name in sorted(self.base):
            digest.update(f"{name}\0{len(self.base[name])}\0".encode())
            content = self.base[name]
            digest.update(content if len(content) <= PLAIN else b"".join(shortened(page_ids(content))))
        for items in (self.ops, self.standing, self.stale, self.possible):
            digest.update("".join((f"{len(items)}\0", *map(repr, items))).encode())
        return digest.hexdigest()

    @cached_property
    def marks(self) -> dict[str, tuple[Mark, ...]]:
        """Return every record of this run by id, with all places where it was written."""
        found: dict[str, list[Mark]] = {}
        for op in self.ops:
            if isinstance(op, Mark):
                found.setdefault(op.record, []).append(op)
        return {record: tuple(marks) for record, marks in found.items()}

    @cached_property
    def alternatives(self) -> dict[str, list[list[Written]]]:
        """Return the alternatives of every record that counts before this run or is written in it."""
        before = [(BEFORE, mark) for mark in self.standing]
        return alternatives([*before, *((at, op) for at, op in self.annotated if isinstance(op, Mark))])

    @cached_property
    def writes(self) -> tuple[tuple[int, Write], ...]:
        """Return every write with its index."""
        return tuple((index, op) for index, op in enumerate(self.ops) if isinstance(op, Write))

    def writes_over(self, file: str, off: int, length: int) -> tuple[tuple[int, Write], ...]:
        """Return every write into ``[off, off + length)`` of `file` with its index; kept per place."""
        known: dict[tuple[str, int, int], tuple[tuple[int, Write], ...]] = self.derived.setdefault("over", {})
        found = known.get((file, off, length))
        if found is None:
            found = known[file, off, length] = tuple(
                (index, op)
                for index, op in self.writes
                if op.file == file and op.off < off + length and off < op.off + len(op.data)
            )
        return found

    @cached_property
    def members(self) -> frozenset[str]:
        """Return the records that count through another record: what publishes them first is one itself."""
        marks: dict[int, set[str]] = {}
        out, seen = set(), set()
        for index, op in self.annotated:
            if isinstance(op, Mark):
                marks.setdefault(index, set()).add(op.record)
        for index, op in self.annotated:
            if isinstance(op, Publish):
                for record in op.records:
                    if record not in seen and marks.get(index, set()) & {*op.records} - {record}:
                        out.add(record)
                    seen.add(record)
        return frozenset(out)

    @cached_property
    def annotated(self) -> tuple[tuple[int, Mark | Publish], ...]:
        """Return every Mark and Publish with the index of its write."""
        out: list[tuple[int, Mark | Publish]] = []
        last = -1
        for index, op in enumerate(self.ops):
            if isinstance(op, Write):
                last = index
            elif isinstance(op, (Mark, Publish)):
                out.append((last, op))
        return tuple(out)

    @cached_property
    def publishing(self) -> dict[str, tuple[int, ...]]:
        """Return record -> the writes that make it count, in order."""
        found: dict[str, list[int]] = {}
        for index, op in self.annotated:
            if isinstance(op, Publish):
                for record in op.records:
                    found.setdefault(record, []).append(index)
        return {record: tuple(indices) for record, indices in found.items()}

    def issued(self, upto: int) -> list[tuple[int, Mark]]:
        """Return every record that is written by ``ops[:upto]``, with the index of its write."""
        marks = self._marked
        # Marks follow their writes: the indices ascend.
        return marks[: bisect_left(marks, upto, key=itemgetter(0))]

    @cached_property
    def _marked(self) -> list[tuple[int, Mark]]:
        return [(index, op) for index, op in self.annotated if isinstance(op, Mark)]

    def acknowledged(self, upto: int) -> tuple[str, ...]:
        """Return the records acknowledged by ``ops[:upto]``, in order, standing ones first."""
        records = [mark.record for mark in self.standing]
        for index, op in self.acks:
            if index < upto:
                records += op.records
        return tuple(dict.fromkeys(records))

    def released(self, upto: int) -> frozenset[str]:
        """Return the records that ``ops[:upto]`` released."""
        return frozenset(record for index, op in self.releases if index < upto for record in op.records)

    @cached_property
    def acks(self) -> tuple[tuple[int, Ack], ...]:
        """Return every acknowledgement with its index."""
        return tuple((index, op) for index, op in enumerate(self.ops) if isinstance(op, Ack))

    @cached_property
    def releases(self) -> tuple[tuple[int, Release], ...]:
        """Return every release with its index."""
        return tuple((index, op) for index, op in enumerate(self.ops) if isinstance(op, Release))


class RecordingStorage(MemoryStorage):
    """Files in memory; every operation on them is recorded."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        super().__init__(files)
        self.ops: list[Op] = []

    def create(self, name: str) -> None:
        """Create an empty file."""
        super().create(name)
        self.ops.append(Create(name))

    def write(self, name: str, off: int, data: bytes) -> None:
        """Write `data` at `off`."""
        super().write(name, off, data)
        self.ops.append(Write(name, off, bytes(data)))

    def truncate(self, name: str, size: int) -> None:
        """Cut or extend `name`."""
        super().truncate(name, size)
        self.ops.append(Truncate(name, size))

    def sync(self, name: str) -> None:
        """Make the content of `name` durable."""
        super().sync(name)
        self.ops.append(Sync(name))

    def sync_dir(self) -> None:
        """Make names durable."""
        super().sync_dir()
        self.ops.append(SyncDir())

    def rename(self, old: str, new: str) -> None:
        """Rename, replacing."""
        super().rename(old, new)
        self.ops.append(Rename(old, new))

    def unlink(self, name: str) -> None:
        """Remove `name`."""
        super().unlink(name)
        self.ops.append(Unlink(name))

    def note(self, *annotations: Op) -> None:
        """Add annotations (Ack, Mark, Publish, Release, Reuse) after what was done so far."""
        self.ops.extend(annotations)


def writer_of(trace: Trace) -> str:
    """Return the name of the writer whose order of writes `trace` has."""
    return trace.tags.get("order", "")


PAGE = 512
ID_BYTES = 16
#: This many ids are taken together.
FAN = 32


def blake(data: bytes) -> bytes:
    """Return the 16-byte blake2b of `data`."""
    return hashlib.blake2b(data, digest_size=ID_BYTES).digest()


def page_ids(content: bytes) -> list[bytes]:
    """Return the ids of the pages of a file."""
    return [blake(content[at : at + PAGE]) for at in range(0, len(content), PAGE)]


def shortened(ids: list[bytes]) -> list[bytes]:
    """Return the (at most 32) ids that name a file of these pages."""
    while len(ids) > FAN:
        ids = [blake(b"".join(ids[at : at + FAN])) for at in range(0, len(ids), FAN)]
    return ids


def promise(format_id: str, edition: str, stratum: str, acknowledged: Iterable[str]) -> bytes:
    """Return the part of a case id that does not come from the content."""
    text = "\0".join((format_id, edition, stratum, *sorted(acknowledged)))
    return blake(text.encode())


REACHABLE, LYING, CORRUPTED = "R", "L", "C"
#: Classes of crash states, in the order in which they are reported, and their meaning.
STRATA = {
    REACHABLE: "reachable by a crash, forces honest",
    LYING: "reachable only where the device lies about a force",
    CORRUPTED: "corrupted after it was durable",
}


@dataclass(frozen=True, slots=True, eq=False)
class Preset:
    """One persistence model.

    `granule` is the unit that is never torn, in bytes. `order` says what may persist. ``prefix``: writes in
    issue order; only the last one may be torn, from its front. ``subset``: between two forces any granule
    or not, in any of its versions. ``lied``: what was forced may be missing as well. ``settled``:
    everything; corruption comes after. `trash` allows one
    granule in flight to hold garbage, `broken` any number of them to hold garbage or
    to be half old.

    `append` says how a file grows: ``together`` with its data; ``whole`` writes
    only; ``data-first`` (no size without all new blocks below it); ``own-data-first``
    (none without the blocks of the write that set it); ``any``. `fresh` is what new
    space shows where nothing arrived: zero, foreign (blocks of other files) or
    garbage. `metadata` is ``journaled`` (names and sizes persist in order, and every
    force of a file takes all earlier ones along), ``in-order`` (names persist in
    order, sizes when they like) or ``any`` (each binding of a name for itself).
    `force` is honest, ignored or fails-clean. `rot` names the kind of corruption.
    A preset with `share` n is applied to about every n-th trace.

    `imitates` names what behaves so, `assumes` what is taken for granted, `also`
    are other names for the very same states.
    """

    name: str
    granule: int
    order: str
    imitates: str
    assumes: str
    stratum: str = REACHABLE
    trash: bool = False
    append: str = "any"
    fresh: str = "zero"
    metadata: str = "in-order"
    force: str = "honest"
    broken: bool = False
    rot: str = ""
    share: int = 1
    also: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether it leaves nothing but versions that were written."""
        return not self.trash and not self.rot and self.fresh == "zero" and self.metadata != "any"


def _listed() -> tuple[Preset, ...]:
    text = files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["preset"]
    return tuple(Preset(**{**row, "also": tuple(row.get("also", ()))}) for row in rows)


#: The presets of ``presets.toml``, in its order.
PRESETS = _listed()
_BY_NAME = {name: preset for preset in PRESETS for name in (preset.name, *preset.also)}


def get_preset(name: str) -> Preset:
    """Return the preset `name` (or of that other name); raises ValueError that lists the known ones."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ValueError(f"no preset {name!r}: choose one of {', '.join(_BY_NAME)}") from None


def rank(name: str) -> int:
    """Return the position of preset `name`: smaller means stronger guarantees."""
    return PRESETS.index(get_preset(name))
