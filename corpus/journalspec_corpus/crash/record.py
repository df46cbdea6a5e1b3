"""Records the work of a format's writer: how the files change, and what each write means.

A format's module derives a class from :class:`Recorder`. The class opens the writer and notes, for each
write, which records the write contains and which records it makes live. The requested operations determine
the name of a record and the time of its acknowledgement.
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

#: The unit in which a disk writes data.
SECTOR = 512
#: A background of blocks of another journal, which the file system reused without clearing them.
FOREIGN = "stale-foreign"
#: Maps the size of a record in a long workload to the distance of the record's end from a sector boundary.
EDGES = {"x": -1, "y": 0, "z": 1}

Operation = dict[str, Any]
#: The start and name of each field of a record, in order, and the length of the record in bytes.
Places = tuple[tuple[tuple[int, str], ...], int]


#: Only values of these types are cached, because they are immutable and keep no file in memory.
_PLAIN = frozenset([str, int, bool, bytes, type(None)])


@dataclass(frozen=True)
class Keys:
    """Represents the name of a record in a format: the values of some fields, with colons between.

    `fields` are these fields in order, each with its default. The default None means that every record has
    the field, so an answer that omits it is incomplete.
    """

    format: str
    fields: Mapping[str, Any]

    def of(self, values: Mapping[str, Any]) -> str:
        """Return the key of a record; bytes are in hex, members of a list are separated by commas.

        Raises KeyError if a field is missing that every record has.
        """
        out = []
        for name, default in self.fields.items():
            value = values[name] if default is None else values.get(name, default)
            # Nearly all values have one of these two types, so these are checked first.
            kind = type(value)
            out.append(value if kind is str else str(value) if kind is int else _text(value))
        return ":".join(out)

    def read(self, key: str) -> dict[str, str]:
        """Return the fields of a key, by name."""
        return dict(zip(self.fields, key.split(":", len(self.fields) - 1), strict=True))

    def record_json(self, keys: Iterable[str]) -> dict[str, Any]:
        """Return those fields that every edition lists for a record, and that are equal in all its `keys`.

        A copy may have another type and additional fields.
        """
        rows = [self.read(key) for key in keys]
        told = [_told(self.format, row.get("type", "")) for row in rows]
        out: dict[str, Any] = {}
        for name, text in rows[0].items():
            if all(row[name] == text for row in rows) and all(name in kinds for kinds in told):
                out[name] = text if told[0][name] != "list" else text.split(",") if text else []
        return out


def json_key(kind: str, fields: Mapping[str, Any]) -> str:
    """Return the key of a record as JSON: the type of the record and all of `fields`."""
    if _PLAIN.issuperset(map(type, fields.values())):
        return _plain_key(kind, tuple(fields), *fields.values())
    said = {name: jsonable(value) for name, value in fields.items()}
    return json.dumps({"type": kind, **said}, sort_keys=True, separators=(",", ":"))


#: The result is cached, because the states of a trace share most records. With `typed`, True and 1 are
#: different keys, because their JSON texts differ.
@lru_cache(1 << 12, typed=True)
def _plain_key(kind: str, names: tuple[str, ...], *values: object) -> str:
    said = {name: jsonable(value) for name, value in zip(names, values, strict=True)}
    return json.dumps({"type": kind, **said}, sort_keys=True, separators=(",", ":"))


def record_of_json(keys: Sequence[str]) -> dict[str, Any]:
    """Return a record as an observation lists it, from its JSON key."""
    found: dict[str, Any] = json.loads(keys[0])
    return found


@cache
def _told(format_id: str, kind: str) -> Mapping[str, str]:
    """Map those fields that a record type has in every edition to the kinds of their values."""
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
    """The offsets of the fields in a format's records, from its `layout`.

    `labels` maps a field of the layout to its name in traces; an empty name omits it.
    """

    layout: Layout
    labels: Mapping[str, str]
    #: maps (edition, type) to the structure, its fields that vary in length, and the results for their
    #: lengths
    _known: dict[tuple[str, str], tuple[Structure, tuple[Field, ...], dict[tuple[int, ...], Places]]] = field(
        default_factory=dict, init=False, compare=False
    )

    def starts(self, edition: str, kind: str, values: Mapping[str, Any]) -> Places:
        """Return (start, name) of each field of a record in order, and the record's length in bytes.

        `kind` is the record's type if the fields depend on it, else empty; `values` contains the fields of
        variable length.
        """
        if (edition, kind) not in self._known:
            laid = self.layout.structure("record", edition, kind)
            self._known[edition, kind] = laid, tuple(item for item in laid.fields if not item.width), {}
        structure, varying, known = self._known[edition, kind]
        # The offsets depend only on the lengths.
        key = tuple([_length(item, values) for item in varying])
        if key not in known:
            starts, ends = structure.places(values)
            named = [(at, self.labels.get(name, name)) for name, at in starts.items() if ends[name] > at]
            known[key] = tuple((at, name) for at, name in named if name), max(ends.values())
        return known[key]


def _length(item: Field, values: Mapping[str, Any]) -> int:
    """Return a number that is equal for values of a variable field with the same size.

    For a list, it contains the bytes of all elements in the upper bits, and the number of elements.
    """
    if item.type != "list":
        return len(values.get(item.name, b""))
    rows = values[item.name]
    varying = [member.name for member in item.of if not member.width]
    return sum([len(row[name]) for row in rows for name in varying]) << 32 | len(rows)


class PlayedWorkload(Workload, Protocol):
    """Represents a workload as the trace describes it."""

    @property
    def tags(self) -> Mapping[str, str]:
        """The topic of the run, for classes and selection."""

    @property
    def background(self) -> str:
        """The content of unused space."""


class Recorder:
    """A journal in memory, the writer on it, and the trace so far with its annotations.

    It begins without files, or continues from the crash `image`. In the second case, the ids of its records
    begin at SECOND_LIFE. `life` is the number of the files' generation, in the format's own count. `marks`
    contains all written records. `ends` maps a file to the end of its last record in the present generation.
    `header_size` bytes precede the first record.
    """

    #: The format's id.
    format: ClassVar[str]
    #: The model of the operations. The model, not the writer, decides which records are required.
    model: ClassVar[Model | None] = None
    #: Maps a word of a long workload that concerns no record to the names of its operations.
    plain: ClassVar[Mapping[str, Sequence[str]]] = {}
    #: Whether an operation may refer to an object that a crash has removed. If so, a ValueError of the writer
    #: counts as a refusal.
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
        #: Records that are not acknowledged yet, and the open transaction of each record (0: none).
        self.pending: list[tuple[str, int]] = []
        self._base: dict[str, bytes] = {}
        self._standing: tuple[Mark, ...] = ()
        self._forces = 0
        #: The model's state after the operations that were reported with :meth:`learn`.
        self.kept: Any = self.model.begin({}) if self.model else None

    def open(self) -> None:
        """Start a writer on the existing files: the reference's writer under `params`."""
        self.writer = load(self.format).writer(self.storage, edition=self.edition, params=self.params)
        self.apply({"op": "open"})

    def did(self, item: Op, op: Operation) -> None:
        """Add `item`, which the writer performed for `op`, to the trace, together with its annotations."""
        raise NotImplementedError

    def promised(self, op: Operation, *, durable: bool) -> Sequence[str]:
        """Return the records that are safe after `op`. The records are no longer pending."""
        if not durable:
            return ()
        safe = [record for record, tx in self.pending if not tx]
        self.pending = [entry for entry in self.pending if entry[1]]
        return safe

    def perform(self, op: Operation, *, together: bool) -> None:
        """Do one operation of a workload; its fsync comes at once, or later `together` with others.

        By default this method performs no fsync, because some writers perform it themselves.
        """
        self.apply(op)

    def worded(self, word: str) -> Operation | None:
        """Return the operation that a word of a long workload requests.

        Return None if the object of the word does not exist.
        """
        raise NotImplementedError

    def do(self, word: str) -> bool:
        """Do the operation of a word of a long workload; return whether it was done.

        A word in `plain` represents operations without a record, such as ``open``. Other operations may fail,
        because the record is too long or its object does not exist.
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
        """Return the end of the last record of file `name` in its present generation."""
        return self.ends.get(name, self.header_size)

    def last_end(self, name: str) -> int:
        """Return the end of the last record in file `name`, live or not."""
        ends = [mark.off + mark.length for mark in self.marks if mark.file == name]
        return max(ends, default=self.header_size)

    def settle(self, image: CrashImage) -> None:
        """Finish what recovery of a crash `image` leaves unfinished, before any other operation."""
        raise NotImplementedError

    def continued(self, then: str, ops: list[Operation], image: CrashImage) -> list[Operation]:
        """Return the operations `ops` with the changes of the continuation `then`; by default unchanged."""
        return ops

    def forcing(self, number: int) -> Operation | None:
        """Return the operation that performs fsync number `number` (from 1 on).

        Return None if there is none.
        """
        return {"op": "force"}

    def apply(self, op: Operation) -> None:
        """Do one operation and annotate its effect, even if it ends with WriterRefused."""
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
                # The exception and this frame refer to each other: break the cycle, so that memory is freed
                # at once.
                del refused
        safe = self.promised(op, durable=durable)
        if safe:
            self.storage.note(Ack(tuple(safe)))

    def marked(self, mark: Mark) -> None:
        """Record that the last write encodes the record of `mark`."""
        self.storage.note(mark)
        self.marks.append(mark)

    def overwritten(self, item: Write) -> None:
        """Forget the records of an earlier generation at the offset where `item` was written."""
        end = item.off + len(item.data)
        self.marks = [
            mark
            for mark in self.marks
            if mark.file != item.file or mark.off + mark.length <= item.off or mark.off >= end
        ]

    def tell(self, what: type[Publish | Release], records: Iterable[str]) -> None:
        """Add the annotation `what` for `records`, without repetitions and only if there are any."""
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
        """Begin the trace here: earlier operations are durable, `standing` records (default: all) live."""
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
        """Return the operations for `work` since :meth:`begin`, or all operations if it was not called."""
        head = self.format, self.edition, work.name, self._base, tuple(self.storage.ops), work.background
        return Trace(*head, self._standing, tuple(stale), crash_from, work.tags, tuple(possible))

    def lay(self, background: str, earlier: Callable[[int], Recorder], names: Sequence[str]) -> list[Mark]:
        """Put `background` after the last record of the files `names`. Return the stale records in the
        background.

        `earlier(life)` returns an earlier generation whose records end after those of this run.
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
        """Put bytes that do not look like a record after the last record of each file."""
        for number, name in enumerate(sorted(self.storage.files)):
            content, end = self.storage.files[name], self.end_of(name)
            content[end:] = _noise(len(content) - end, number)

    def lay_foreign(self, other: Recorder, sources: Mapping[str, str]) -> list[Mark]:
        """Fill the sectors after the last record with the start of `other`'s files. Return the records in
        these bytes.

        `sources` maps each file to the file of the other journal that is used.
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

    `defaults` are parameters that the table lacks. The writer works on one file at a time.
    """

    journals: ClassVar[Mapping[str, Params]]
    defaults: Params = {}  # noqa: RUF012 - replaced, never changed

    def __init__(self, writer: str, life: int = 0, image: CrashImage | None = None) -> None:
        self.params = told = {**self.defaults, **self.journals[writer]}
        super().__init__(told.pop("edition"), life, image)
        #: The file to which the writer wrote last.
        self.file = ""


R = TypeVar("R", bound=Recorder)
#: The number of recorders that are cached in their initial state.
_KEPT = 1 << 10
_begun: dict[tuple[Hashable, ...], Recorder] = {}


def begun(begin: Callable[..., R], *how: Hashable) -> R:
    """Return a copy of the recorder ``begin(*how)``, which is cached.

    Many workloads begin with the same journal in the same state.
    """
    if (begin, *how) not in _begun:
        if len(_begun) >= _KEPT:
            _begun.clear()
        _begun[begin, *how] = begin(*how)
    return cast(R, deepcopy(_begun[begin, *how]))


def edge_at(off: int) -> int:
    """Return the first sector boundary at or after `off`."""
    return -(-off // SECTOR) * SECTOR


def missing(end: int, size: str) -> int:
    """Return the bytes by which a record that would end at `end` must grow for `size`, a key of EDGES."""
    return edge_at(end + 1) + EDGES[size] - end


@lru_cache(maxsize=256)
def _noise(length: int, number: int) -> bytes:
    """Return `length` pseudo-random bytes. Every call returns the same bytes."""
    state = 0x9E3779B9 + number
    out = bytearray()
    while len(out) < length:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out += (state >> 32).to_bytes(4, "big")
    return bytes(out[:length])
