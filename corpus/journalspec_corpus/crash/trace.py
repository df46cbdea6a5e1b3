"""Write traces, and presets. A trace contains the operations of a writer in program order, and its
acknowledgements.

A trace is recorded by putting :class:`RecordingStorage` between a writer and its files. Acknowledgements,
record spans and releases are annotations: they are not part of the writer's bytes, but the oracle needs them.

Each *preset* is one hypothesis about devices and file systems. Few of them document their guarantees. So
there are several presets, and every state is labelled with its preset. A failure is reported with the
*strongest* preset under which it still occurs. :data:`PRESETS` is ordered from the strongest preset to the
weakest. A preset need not contain the states of the preset before it.

Bytes are identified by the ids of their pages, which states share. The id of a page is blake2b-128 of its 512
bytes, the smallest granule of the model; the last page may be short. Lists of more than 32 ids are shortened:
each group of 32, and the rest, is hashed to one id, until at most 32 are left. Ids of traces and states
depend on this rule, so it never changes. Nothing here needs NumPy, so that verdicts can be read and builds
verified without it.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from operator import itemgetter
from typing import Any, Protocol

from journalspec_corpus.rows import members
from journalspec_reference.storage import MemoryStorage

#: The id of a trace depends on the bytes of files up to this size, and on the page ids of longer files. This
#: size never changes.
PLAIN = 1 << 16


@dataclass(frozen=True, slots=True)
class Create:
    """The empty file `file` is created."""

    file: str


@dataclass(frozen=True, slots=True)
class Write:
    """`data` is written at byte offset `off` of `file`. If needed, the file is extended."""

    file: str
    off: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    """`file` is truncated or extended (with zeros) to `size` bytes."""

    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """The content and size of `file` are made durable."""

    file: str


@dataclass(frozen=True, slots=True)
class SyncDir:
    """All names are made durable."""


@dataclass(frozen=True, slots=True)
class Rename:
    """`old` is renamed to `new`. An existing file `new` is replaced."""

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
    """The writer has reported to its caller that `records` are safe."""

    records: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """Recovery need not keep `records` any more, because their effect has been superseded."""

    records: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Bytes ``[off, off + length)`` of `file`, written just before, encode `record`.

    `key` is the key that a reader would compute; the format defines the computation. The key comes from the
    written bytes, never from recovered ones. `fields` are the start offsets of the record's fields, relative
    to `off`, by name.
    """

    record: str
    file: str
    off: int
    length: int
    key: str
    fields: tuple[tuple[int, str], ...] = ()

    @property
    def alternative(self) -> tuple[str | int, ...]:
        """The key of the mark's alternative. A record exists if one of its alternatives is complete."""
        return self.file, self.off, self.length


@dataclass(frozen=True, slots=True)
class Part(Mark):
    """Represents a mark on a part of `record`. The bytes of such a record are in several places.

    Examples are a message that is chained over pages, and a row over two log records. All parts of one `copy`
    are needed: a record with only some of its parts is torn. A part that is written again at its place counts
    as the same part. Another copy, or a plain :class:`Mark`, is an alternative. All parts have the key of the
    whole record.
    """

    copy: int = 0

    @property
    def alternative(self) -> tuple[str | int, ...]:
        """The key that identifies the alternative to which this part belongs. All parts of one copy have the
        same key.
        """
        return (self.copy,)


@dataclass(frozen=True, slots=True)
class Publish:
    """The write just before makes `records` live.

    Such a write sets a tail pointer or a header, or is a commit.
    """

    records: tuple[str, ...]


#: One part of an alternative: the marks at one offset, each with the index of its write. The index BEFORE
#: means that it was written before the trace. One intact mark is enough.
Written = list[tuple[int, Mark]]
#: The index that stands for the content before the trace.
BEFORE = -1


def alternatives(marks: Iterable[tuple[int, Mark]]) -> dict[str, list[list[Written]]]:
    """Return the alternatives of each record in the order of writing, each with all its parts."""
    found: dict[str, dict[tuple[str | int, ...], dict[tuple[str, int], Written]]] = {}
    for index, mark in marks:
        parts = found.setdefault(mark.record, {}).setdefault(mark.alternative, {})
        parts.setdefault((mark.file, mark.off), []).append((index, mark))
    return {record: [list(parts.values()) for parts in each.values()] for record, each in found.items()}


#: The prefix of the ids of records that were written after a first crash.
SECOND_LIFE = "b-"

Op = Create | Write | Truncate | Sync | SyncDir | Rename | Unlink | Reuse | Ack | Release | Mark | Publish


class Workload(Protocol):
    """Represents the parameters of one run of a writer: a frozen value of a class of the format."""

    @property
    def name(self) -> str:
        """A readable name, unique among the workloads of the format."""


@dataclass(frozen=True)
class Trace:
    """Represents one recorded run.

    `base` is the durable content before the run (file name -> content). `standing` contains the live and
    acknowledged records in the base, `stale` the records of an earlier generation that are not live.
    `possible` contains records that had been issued but not acknowledged at an earlier crash: they may be
    kept, but are not required. `life` is 1, or 2 for operations after a first crash (ids of records written
    then begin with :data:`SECOND_LIFE`). `background` describes the content of unused space. `tags` describe
    the topic of the run, for classes and selection. `crash_from` is the index of the first operation after
    which a crash is of interest, because a shorter trace covers earlier crashes. `during` is the category of
    all states of a run that has a single topic, such as ``compact``. `order` lists the standing and possible
    records in the order of issue, if that differs from the order of these two members. `done` contains
    records of `base` that had been acknowledged and deleted before. `unread` contains the indices of writes
    of which recovery reads no byte, whichever part of them arrives. `during`, `order`, `done` and `unread`
    are not part of the trace's id.
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
        """Return the required and the possible records, in the order in which they were issued."""
        return self.order or (*self.standing, *self.possible)

    @cached_property
    def derived(self) -> dict[str, Any]:
        """A cache for values that other modules compute from this trace, each under its own name."""
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
        """Return the alternatives of every standing record, and of every record written in this run."""
        before = [(BEFORE, mark) for mark in self.standing]
        return alternatives([*before, *((at, op) for at, op in self.annotated if isinstance(op, Mark))])

    @cached_property
    def writes(self) -> tuple[tuple[int, Write], ...]:
        """Return every write with its index."""
        return tuple((index, op) for index, op in enumerate(self.ops) if isinstance(op, Write))

    def writes_over(self, file: str, off: int, length: int) -> tuple[tuple[int, Write], ...]:
        """Return every write into ``[off, off + length)`` of `file` with its index; cached."""
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
        """Return the records that another record makes live.

        The write of that record is their first Publish.
        """
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
        """Map each record to the indices of the writes that make it live, in order."""
        found: dict[str, list[int]] = {}
        for index, op in self.annotated:
            if isinstance(op, Publish):
                for record in op.records:
                    found.setdefault(record, []).append(index)
        return {record: tuple(indices) for record, indices in found.items()}

    def issued(self, upto: int) -> list[tuple[int, Mark]]:
        """Return every record that ``ops[:upto]`` write, with the index of its write."""
        marks = self._marked
        # Each mark follows its write, so the indices ascend.
        return marks[: bisect_left(marks, upto, key=itemgetter(0))]

    @cached_property
    def _marked(self) -> list[tuple[int, Mark]]:
        return [(index, op) for index, op in self.annotated if isinstance(op, Mark)]

    def acknowledged(self, upto: int) -> tuple[str, ...]:
        """Return the records acknowledged by ``ops[:upto]``, in order; standing records come first."""
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
    """Files in memory that record every operation."""

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
        """Truncate or extend `name`."""
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
        """Rename a file; an existing file is replaced."""
        super().rename(old, new)
        self.ops.append(Rename(old, new))

    def unlink(self, name: str) -> None:
        """Remove `name`."""
        super().unlink(name)
        self.ops.append(Unlink(name))

    def note(self, *annotations: Op) -> None:
        """Add annotations (Ack, Mark, Publish, Release, Reuse) after the operations so far."""
        self.ops.extend(annotations)


def writer_of(trace: Trace) -> str:
    """Return the name of the writer of `trace`, which determines the order of writes."""
    return trace.tags.get("order", "")


PAGE = 512
ID_BYTES = 16
#: This many ids are hashed to one id.
FAN = 32


def blake(data: bytes) -> bytes:
    """Return the 16-byte blake2b of `data`."""
    return hashlib.blake2b(data, digest_size=ID_BYTES).digest()


#: The id of a page; most pages occur in many states.
page_id = lru_cache(1 << 14)(blake)


def page_ids(content: bytes) -> list[bytes]:
    """Return the ids of the pages of a file."""
    return [page_id(content[at : at + PAGE]) for at in range(0, len(content), PAGE)]


def shortened(ids: list[bytes]) -> list[bytes]:
    """Return at most 32 ids that identify a file with these pages."""
    while len(ids) > FAN:
        ids = [blake(b"".join(ids[at : at + FAN])) for at in range(0, len(ids), FAN)]
    return ids


def promise(format_id: str, edition: str, stratum: str, acknowledged: Iterable[str]) -> bytes:
    """Return the part of a case id that does not depend on the content."""
    text = "\0".join((format_id, edition, stratum, *sorted(acknowledged)))
    return blake(text.encode())


REACHABLE, LYING, CORRUPTED = "R", "L", "C"
#: Classes of crash states, in the order in which they are reported, and their meaning.
STRATA = {
    REACHABLE: "reachable by a crash of an honest device",
    LYING: "reachable only if the device ignored an fsync",
    CORRUPTED: "corrupted after it was durable",
}


@dataclass(frozen=True, slots=True, eq=False)
class Preset:
    """Represents one persistence model.

    `granule` is the unit that is never torn, in bytes. With `trash`, one granule in flight may hold garbage.
    With `broken`, any number of granules may hold garbage or be half old.

    `order` defines which writes may persist:

    ``prefix``   writes in the order of issue; only the last one may be torn, so that its front arrives
    ``subset``   each granule written since the last fsync, in any version, or not at all
    ``lied``     any writes; even those before an fsync may be missing
    ``settled``  all writes; they are corrupted afterwards

    `append` defines how a file grows:

    ``together``        with its data
    ``whole``           by complete writes only
    ``data-first``      a size persists after all new blocks below it
    ``own-data-first``  a size persists after the blocks of the write that set it
    ``any``             a size persists at any time

    `metadata` defines how names and sizes persist:

    ``journaled``  in order; an fsync of any file makes all earlier names and sizes durable
    ``in-order``   names persist in order, sizes at any time
    ``any``        each binding of a name persists independently

    `fresh` is the content of new space in which no write arrived: zero, foreign (blocks of other files) or
    garbage. `force` describes the device: honest, ignored or fails-clean. `rot` is the kind of corruption. A
    preset with `share` n is applied to about every n-th trace. `imitates` lists devices and file systems that
    behave like the preset, and `assumes` its assumptions. `also` are other names for the same states.
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
        """Whether all its states consist only of versions that were written."""
        return not self.trash and not self.rot and self.fresh == "zero" and self.metadata != "any"


def _listed() -> tuple[Preset, ...]:
    text = files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")
    return tuple(Preset(**members(row)) for row in tomllib.loads(text)["preset"])


#: The presets of ``presets.toml``, in its order.
PRESETS = _listed()
_BY_NAME = {name: preset for preset in PRESETS for name in (preset.name, *preset.also)}


def get_preset(name: str) -> Preset:
    """Return the preset with this name or alias; raises ValueError that lists the known presets."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ValueError(f"no preset {name!r}: choose one of {', '.join(_BY_NAME)}") from None


def rank(name: str) -> int:
    """Return the position of preset `name`; a smaller position means stronger guarantees."""
    return PRESETS.index(get_preset(name))
