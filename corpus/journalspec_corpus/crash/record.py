"""A format's writer, recorded: its changes of files, and the meaning of each write.

A format derives from :class:`Recorder`. It opens its writer, and notes for each write the records that it
holds and those that it makes live. The name of a record and the time of its acknowledgement come
from the operations that were requested.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, ClassVar, Protocol, TypeVar, cast

from journalspec.formats import get_format
from journalspec.layout import Field, Layout, Structure
from journalspec.observation import jsonable
from journalspec_corpus.crash.second_crash import CrashImage
from journalspec_corpus.crash.trace import (
    SECOND_LIFE,
    Ack,
    Mark,
    Op,
    Publish,
    RecordingStorage,
    Release,
    Trace,
    Workload,
    Write,
)
from journalspec_corpus.model import Model
from journalspec_reference import load
from journalspec_reference.api import Params, Writer, WriterRefused

#: The unit in which a disk writes.
SECTOR = 512
#: A background of blocks of another journal: the disk set them aside without clearing them.
FOREIGN = "stale-foreign"
#: size of a record in a long workload -> where the record ends, from a sector's edge
EDGES = {"x": -1, "y": 0, "z": 1}

Operation = dict[str, Any]
#: (start, name) of the fields of a record in order, and the record's length in bytes
Places = tuple[tuple[tuple[int, str], ...], int]


#: Only these are remembered: nothing that can change, and no view that keeps a file.
_PLAIN = frozenset([str, int, bool, bytes, type(None)])


@dataclass(frozen=True)
class Keys:
    """The name of a record in a format: the values of some fields, with colons between.

    `fields` are these, in order, each with its value in a record without it: None where there is no such
    record, so that whoever leaves the field out has not answered.
    """

    format: str
    fields: Mapping[str, Any]

    def of(self, values: Mapping[str, Any]) -> str:
        """Return the key of a record; bytes are hex, members of a list have commas between.

        Raises KeyError if a field is missing that every record has.
        """
        out = []
        for name, default in self.fields.items():
            value = values[name] if default is None else values.get(name, default)
            # Nearly all records are of these types; a lookup by name is the cheapest.
            kind = type(value)
            out.append(value if kind is str else str(value) if kind is int else _text(value))
        return ":".join(out)

    def read(self, key: str) -> dict[str, str]:
        """Return the fields of a key."""
        return dict(zip(self.fields, key.split(":", len(self.fields) - 1), strict=True))

    def record_json(self, keys: Iterable[str]) -> dict[str, Any]:
        """Return what every edition lists of a record in an observation, as far as all its `keys` agree.

        A copy of it may have fields of its own, and another type.
        """
        rows = [self.read(key) for key in keys]
        told = [_told(self.format, row.get("type", "")) for row in rows]
        out: dict[str, Any] = {}
        for name, text in rows[0].items():
            if all(row[name] == text for row in rows) and all(name in kinds for kinds in told):
                out[name] = text if told[0][name] != "list" else text.split(",") if text else []
        return out


def json_key(kind: str, fields: Mapping[str, Any]) -> str:
    """Return a reader's key of a record whose key is JSON: its type, and all these fields of it."""
    if _PLAIN.issuperset(map(type, fields.values())):
        return _plain_key(kind, tuple(fields), *fields.values())
    said = {name: jsonable(value) for name, value in fields.items()}
    return json.dumps({"type": kind, **said}, sort_keys=True, separators=(",", ":"))


#: The states of a trace share nearly all of their records. A truth value equals a number and is another text.
@lru_cache(1 << 12, typed=True)
def _plain_key(kind: str, names: tuple[str, ...], *values: object) -> str:
    said = {name: jsonable(value) for name, value in zip(names, values, strict=True)}
    return json.dumps({"type": kind, **said}, sort_keys=True, separators=(",", ":"))


def record_of_json(keys: Sequence[str]) -> dict[str, Any]:
    """Return a record as an observation lists it, of a key that is JSON; one record has one key."""
    found: dict[str, Any] = json.loads(keys[0])
    return found


@cache
def _told(format_id: str, kind: str) -> Mapping[str, str]:
    """Return field -> kind of value for the fields that a record type has in every edition."""
    form = get_format(format_id)
    told = [
        {item.name: item.kind for item in form.vocabulary.fields_of(kind, edition)}
        for edition in form.editions
    ]
    return {
        "type": "str",
        **{name: of for name, of in told[0].items() if all(name in fields for fields in told)},
    }


def _text(value: Any) -> str:
    if isinstance(value, (bytes, memoryview)):
        return value.hex()
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


@dataclass(frozen=True)
class RecordFields:
    """Where the fields of a format's records begin, by its `layout`.

    `labels` are fields that have other names, and those that have none of their own (an empty one).
    """

    layout: Layout
    labels: Mapping[str, str]
    #: (edition, type) -> the structure, its fields that vary in length, and the results for their lengths
    _known: dict[tuple[str, str], tuple[Structure, tuple[Field, ...], dict[tuple[int, ...], Places]]] = field(
        default_factory=dict, init=False, compare=False
    )

    def starts(self, edition: str, kind: str, values: Mapping[str, Any]) -> Places:
        """Return (start, name) of each field of a record in order, and the record's length in bytes.

        `kind` is its type where that decides over the fields, else empty; `values` are what varies in length.
        """
        if (edition, kind) not in self._known:
            laid = self.layout.structure("record", edition, kind)
            self._known[edition, kind] = laid, tuple(item for item in laid.fields if not item.width), {}
        structure, varying, known = self._known[edition, kind]
        # Where fields are follows from lengths alone.
        key = tuple([_length(item, values) for item in varying])
        if key not in known:
            starts, ends = structure.places(values)
            named = [(at, self.labels.get(name, name)) for name, at in starts.items() if ends[name] > at]
            known[key] = tuple((at, name) for at, name in named if name), max(ends.values())
        return known[key]


def _length(item: Field, values: Mapping[str, Any]) -> int:
    """Return the number of bytes of a variable field's values, the fixed members of a list omitted."""
    if item.type != "list":
        return len(values.get(item.name, b""))
    rows = values[item.name]
    varying = [member.name for member in item.of if not member.width]
    return sum([len(row[name]) for row in rows for name in varying]) << 32 | len(rows)


class PlayedWorkload(Workload, Protocol):
    """A workload as its trace describes it."""

    @property
    def tags(self) -> Mapping[str, str]:
        """What the run is about, for classes and selection."""

    @property
    def background(self) -> str:
        """What unused space holds."""


class Recorder:
    """A journal in memory, the writer on it, and the trace so far with its annotations.

    It begins without files, or continues from the files of a crash, the `image`; then the ids of its
    records begin otherwise. `life` is which life of the files it is, in the format's own count. `marks` are
    all records written, `ends` says of a file where its last record ends in its present life; before the
    first one are `header_size` bytes.
    """

    #: The format's id.
    format: ClassVar[str]
    #: The meaning of the operations: it decides what is kept, not the writer.
    model: ClassVar[Model | None] = None
    #: Words of long workloads that name no record -> operations.
    plain: ClassVar[Mapping[str, Sequence[str]]] = {}
    #: Whether an operation may refer to something that a crash has removed: the writer does not understand it
    #: then.
    in_vain: ClassVar[bool] = False
    header_size: int
    params: Params = {}  # noqa: RUF012 - replaced, never changed
    writer: Writer

    def __init__(self, edition: str, life: int = 0, image: CrashImage | None = None) -> None:
        self.edition = edition
        self.life = life
        self.storage = RecordingStorage({} if image is None else dict(image.files))
        self.prefix = "" if image is None else SECOND_LIFE
        self.marks: list[Mark] = [] if image is None else [*image.whole]
        self.ends: dict[str, int] = {}
        #: Records that are not acknowledged yet, with the open transaction that they belong to, 0 for none.
        self.pending: list[tuple[str, int]] = []
        self._base: dict[str, bytes] = {}
        self._standing: tuple[Mark, ...] = ()
        self._forces = 0
        #: The model's current state, as far as it was reported with :meth:`learn`.
        self.kept: Any = self.model.begin({}) if self.model else None

    def open(self) -> None:
        """Start a writer on the existing files, the reference's under `params`."""
        self.writer = load(self.format).writer(self.storage, edition=self.edition, params=self.params)
        self.apply({"op": "open"})

    def did(self, item: Op, op: Operation) -> None:
        """Note in the trace that the writer did `item` for `op`, and what that means."""
        raise NotImplementedError

    def promised(self, op: Operation, *, durable: bool) -> Sequence[str]:
        """Return the records that are safe now that `op` was done, and forget that they are pending."""
        if not durable:
            return ()
        safe = [record for record, tx in self.pending if not tx]
        self.pending = [entry for entry in self.pending if entry[1]]
        return safe

    def perform(self, op: Operation, *, together: bool) -> None:
        """Do one operation of a workload; it is made durable at once, or `together` with others later.

        A writer that forces by itself, at the end of a transaction, say, is not asked for more.
        """
        self.apply(op)

    def worded(self, word: str) -> Operation | None:
        """Return the operation that a word of a long workload requests, None if its object does not exist."""
        raise NotImplementedError

    def do(self, word: str) -> bool:
        """Do the operation of a word of a long workload; returns whether it could be done.

        `plain` words name operations alone, ``open`` among them; the record of another may be too long.
        """
        if word not in self.plain:
            op = self.worded(word)
            return op is not None and self.attempt(op)
        done = True
        for name in self.plain[word]:
            if name == "open":
                self.open()
            else:
                done = self.attempt({"op": name}) and done
        return done

    def learn(self, op: Operation) -> None:
        """Report the finished operations to the model."""
        if self.model:
            self.kept = self.model.after(self.kept, op, self.edition)

    def end_of(self, name: str) -> int:
        """Return the place where the last record of file `name` ends in its present generation."""
        return self.ends.get(name, self.header_size)

    def last_end(self, name: str) -> int:
        """Return where the last of the records in file `name` ends, whatever counts of them."""
        ends = [mark.off + mark.length for mark in self.marks if mark.file == name]
        return max(ends, default=self.header_size)

    def settle(self, image: CrashImage) -> None:
        """Do what recovery of a crash `image` leaves to be done, before anything else is."""
        raise NotImplementedError

    def continued(self, then: str, ops: list[Operation], image: CrashImage) -> list[Operation]:
        """Return `ops`, to be done after a crash, as the continuation `then` has them: as they are."""
        return ops

    def forcing(self, number: int) -> Operation | None:
        """Return the operation that is the force of this number, from 1 on; None for nothing to do."""
        return {"op": "force"}

    def apply(self, op: Operation) -> None:
        """Do one operation and annotate its effect, also if it ends with WriterRefused."""
        if op["op"] == "force":
            self._forces += 1
            forcing = self.forcing(self._forces)
            if forcing is None:
                return
            op = forcing
        before = len(self.storage.ops)
        refused, durable = None, False
        try:
            durable = bool(self.writer.apply(op)["durable"])
        except WriterRefused as refusal:
            refused = refusal
        except ValueError as error:
            if not self.in_vain:
                raise
            refused = WriterRefused("bad-operation", str(error))
        done = self.storage.ops[before:]
        del self.storage.ops[before:]
        for item in done:
            self.did(item, op)
        if refused is not None:
            try:
                raise refused
            finally:
                # It knows this frame, and through it all that is at work: a circle that nobody looks for.
                del refused
        safe = self.promised(op, durable=durable)
        if safe:
            self.storage.note(Ack(tuple(safe)))

    def marked(self, mark: Mark) -> None:
        """Note that the last write encodes the record of `mark`."""
        self.storage.note(mark)
        self.marks.append(mark)

    def overwritten(self, item: Write) -> None:
        """Forget the records that an earlier generation left where `item` was written."""
        end = item.off + len(item.data)
        self.marks = [
            mark
            for mark in self.marks
            if mark.file != item.file or mark.off + mark.length <= item.off or mark.off >= end
        ]

    def tell(self, what: type[Publish | Release], records: Iterable[str]) -> None:
        """Note `what` of `records`, each named once, if there are any."""
        named = tuple(dict.fromkeys(records))
        if named:
            self.storage.note(what(named))

    def attempt(self, op: Operation) -> bool:
        """Do `op` unless the writer refuses it; returns whether it was done."""
        try:
            self.apply(op)
        except WriterRefused:
            return False
        return True

    def play(self, ops: Iterable[Operation], *, together: bool) -> int:
        """Do `ops`; return the index in the trace at which the last of them begins."""
        last = 0
        for op in ops:
            last = len(self.storage.ops)
            self.perform(op, together=together)
        if together:
            self.apply({"op": "force"})
        return last

    def begin(self, standing: Iterable[Mark] | None = None) -> None:
        """Begin the trace here: earlier operations are durable; their records remain, or only `standing`."""
        self._standing = tuple(self.marks if standing is None else standing)
        self._base = {name: bytes(data) for name, data in self.storage.files.items()}
        self.storage.ops.clear()

    def trace(
        self,
        work: PlayedWorkload,
        stale: Iterable[Mark] = (),
        possible: Iterable[Mark] = (),
        crash_from: int = 0,
    ) -> Trace:
        """Return the operations for `work` since :meth:`begin` (or ever)."""
        head = self.format, self.edition, work.name, self._base, tuple(self.storage.ops), work.background
        return Trace(*head, self._standing, tuple(stale), crash_from, work.tags, tuple(possible))

    def lay(self, background: str, earlier: Callable[[int], Recorder], names: Sequence[str]) -> list[Mark]:
        """Put `background` after the last record of files `names`; return the stale records in it.

        `earlier(life)` returns an earlier generation, which has continued further than this run will.
        """
        if background == "garbage":
            self.lay_noise()
        if not background.startswith("stale"):
            return []
        other = earlier(2 if background == "stale-shifted" else 1)
        if background == FOREIGN:
            found = self.lay_foreign(other, {name: name for name in names})
        else:
            for name in names:
                content, end = self.storage.files[name], self.end_of(name)
                content[end:] = other.storage.files[name][end:].ljust(len(content) - end, b"\0")
            found = [mark for mark in other.marks if mark.file in names]
            found = [mark for mark in found if mark.off >= self.last_end(mark.file)]
        return [replace(mark, record=f"stale-{number}") for number, mark in enumerate(found)]

    def lay_noise(self) -> None:
        """Put bytes that look like no record after the last record of each file."""
        for number, name in enumerate(sorted(self.storage.files)):
            content, end = self.storage.files[name], self.end_of(name)
            content[end:] = _noise(len(content) - end, number)

    def lay_foreign(self, other: Recorder, sources: Mapping[str, str]) -> list[Mark]:
        """Let every sector after the last record be one of `other`'s, header first; return its records.

        `sources` says for each file which of the other journal's is taken.
        """
        found = []
        for name, source in sources.items():
            content, old = self.storage.files[name], other.storage.files[source]
            start = edge_at(self.end_of(name))
            content[start:] = old[: len(content) - start]
            moved = [
                replace(mark, file=name, off=mark.off + start) for mark in other.marks if mark.file == source
            ]
            found += [mark for mark in moved if mark.off + mark.length <= len(content)]
        return found


class TabledRecorder(Recorder):
    """A recorder of a writer whose edition and parameters are one of the `journals` of a format's table.

    `defaults` are parameters that the table does not have. It works on one file at a time, and forces with an
    operation that must be durable at once.
    """

    journals: ClassVar[Mapping[str, Params]]
    defaults: Params = {}  # noqa: RUF012 - replaced, never changed

    def __init__(self, writer: str, life: int = 0, image: CrashImage | None = None) -> None:
        self.params = told = {**self.defaults, **self.journals[writer]}
        super().__init__(told.pop("edition"), life, image)
        #: The file that was written to last.
        self.file = ""


R = TypeVar("R", bound=Recorder)
#: This many recorders are kept in their initial state.
_KEPT = 1 << 10
_begun: dict[tuple[Hashable, ...], Recorder] = {}


def begun(begin: Callable[..., R], *how: Hashable) -> R:
    """Return ``begin(*how)``, a new recorder that continues by itself.

    Many workloads begin alike: with the same journal, brought to the same place.
    """
    if (begin, *how) not in _begun:
        if len(_begun) >= _KEPT:
            _begun.clear()
        _begun[begin, *how] = begin(*how)
    return cast(R, deepcopy(_begun[begin, *how]))


def edge_at(off: int) -> int:
    """Return the first sector's edge at or after `off`."""
    return -(-off // SECTOR) * SECTOR


def missing(end: int, size: str) -> int:
    """Return by how many bytes a record that would end at `end` is too short for `size`, a key of EDGES."""
    return edge_at(end + 1) + EDGES[size] - end


@lru_cache(maxsize=256)
def _noise(length: int, number: int) -> bytes:
    """Return `length` bytes that look like nothing, the same ones every time."""
    state = 0x9E3779B9 + number
    out = bytearray()
    while len(out) < length:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out += (state >> 32).to_bytes(4, "big")
    return bytes(out[:length])
