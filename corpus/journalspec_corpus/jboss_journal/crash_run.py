"""One recorded run of the writer, annotated: what each write holds, and when what is promised.

A transaction's records are promised when it is committed or prepared. What a
delete, an update's end or a rollback takes back is owed no more from the moment
that this is asked for. A delete is owed for as long as the file that holds what
it deletes is still there: without it that would come back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from journalspec_corpus.crash.trace import (
    SECOND_LIFE,
    Ack,
    Mark,
    Publish,
    RecordingStorage,
    Release,
    Rename,
    Reuse,
    Unlink,
    Write,
)
from journalspec_corpus.jboss_journal.steps import Step
from journalspec_reference.api import WriterRefused
from journalspec_reference.jboss_journal.codec import (
    DIALECTS,
    PROLOGUE,
    Dialect,
    Fault,
    JournalRecord,
    decode_record,
    direct,
    forms,
)
from journalspec_reference.jboss_journal.fileset import CONTROL
from journalspec_reference.jboss_journal.write import RECORD_OPS, JournalWriter
from journalspec_reference.storage import MemoryStorage

FORMAT = "jboss_journal"
#: edition -> extension of data files
EXTENSIONS = {
    "seed": "jbm",
    "seed+hash": "jbm",
    "s1": "jbm",
    "s2": "jbm",
    "v1": "hq",
    "v2": "hq",
    "v2e": "amq",
}


def size_of(op: dict[str, Any], dialect: Dialect) -> int:
    """Return the bytes that a record operation takes (COMMIT and PREPARE: with one file listed)."""
    return fields_of(op, dialect)[-1][0] + 4


def fields_of(op: dict[str, Any], dialect: Dialect) -> tuple[tuple[int, str], ...]:
    """Return the start of every field of the record that `op` makes, from the record's start."""
    form = forms(dialect)[dialect.codes[RECORD_OPS[op["op"]]]]
    pairs = 1 if form.listed is not None else 0
    return _fields(form.kind.code, dialect, len(op.get("body", "")) // 2, pairs)


def _fields(code: int, dialect: Dialect, size: int, pairs: int) -> tuple[tuple[int, str], ...]:
    form = forms(dialect)[code]
    named = [(at, name) for name, at in zip(form._fields[3:], form[3:], strict=True) if at is not None]
    out, at = [(0, "type"), (1, "file_id")], PROLOGUE
    widths = {"compact": 1, "tx": 8, "id": 8, "length": 4, "user_type": 1, "tally": 4, "listed": 4}
    for _, name in sorted(named):
        out.append((at, name))
        at += widths[name]
    if size:
        out.append((at, "body"))
    if pairs:
        out.append((at + size, "pairs"))
    return (*out, (at + size + 8 * pairs, "check"))


def key(kind: str, tx: int, ident: int, user_type: int, body: str, extra: str) -> str:
    """Return what a reader calls a record; bytes as hex."""
    return f"{kind}:{tx}:{ident}:{user_type}:{body}:{extra}"


def key_of(record: JournalRecord) -> str:
    """Return the key of a record."""
    return key(
        record.kind.name,
        record.tx,
        record.id,
        record.user_type,
        record.body.hex(),
        record.extra.hex(),
    )


def _plain(record: str) -> str:
    """Return the id of a record without what tells lives apart."""
    return record.removeprefix(SECOND_LIFE)


class Run:
    """A journal in memory, the writer on it, and the trace so far with its annotations."""

    def __init__(self, edition: str, file_size: int, fill: str, order: str = "spec") -> None:
        self.edition = edition
        self.dialect = DIALECTS[edition]
        self.memory = MemoryStorage()
        self.storage = RecordingStorage(self.memory)
        self._params = {
            "prefix": "j",
            "extension": EXTENSIONS[edition],
            "file_size": str(file_size),
            "fill": fill,
            "order": order,
        }
        self.marks: list[Mark] = []
        #: file -> where its last record ends in its present life
        self.ends: dict[str, int] = {}
        self._bodies: dict[str, tuple[int, str]] = {}
        #: record -> its files, as long as they keep it
        self._places: dict[str, set[str]] = {}
        self._pending: list[tuple[str, int]] = []
        self._members: dict[int, list[str]] = {}
        self._kept: set[str] = set()
        #: What the ids of records begin with that this run writes first, and those that it only copies.
        self._prefix = ""
        self._inherited: set[str] = set()
        self._writer = self._new_writer()

    def _new_writer(self) -> JournalWriter:
        return JournalWriter(self.storage, self.edition, self._params)

    @property
    def first_offset(self) -> int:
        """Where the first record of a file goes."""
        return self.dialect.header_size

    @property
    def position(self) -> int:
        """Where the next record goes."""
        current = self._writer.current
        return self.ends.get(current.name, self.first_offset) if current else self.first_offset

    @property
    def taken_back(self) -> tuple[str, ...]:
        """Records of the present life that are owed no more."""
        return tuple(name for name in self._places if name not in self._kept)

    @property
    def unpromised(self) -> set[str]:
        """Records that were written and not acknowledged: those of open transactions."""
        return {name for name, _ in self._pending}

    @property
    def living(self) -> set[int]:
        """Ids of the records that were added and not deleted."""
        plain = map(_plain, self._kept)
        return {int(record.split("-")[1]) for record in plain if record.startswith(("ADD-", "UPDATE-"))}

    def start_life(self) -> None:
        """Forget which records there were: all of them are of an earlier life now."""
        self._kept.clear()
        self._pending.clear()
        self._places.clear()

    def go_on(self, files: Mapping[str, bytes], whole: Sequence[Mark], owed: Collection[str]) -> None:
        """Go on with what a crash left: in `files` the records `whole` stand, and `owed` are promised."""
        self.memory.files.clear()
        self.memory.files.update((name, bytearray(data)) for name, data in files.items())
        self._prefix = SECOND_LIFE
        self._inherited = {mark.record for mark in whole}
        self._kept = set(owed)
        self.ends = {name: self.first_offset for name in files if self._is_data(name)}
        for mark in whole:
            self._recall(mark)
        self._writer = self._new_writer()

    def _recall(self, mark: Mark) -> None:
        """Note what a record of an earlier life says, from its key."""
        name, _, _, user_type, body, _ = mark.key.split(":")
        tx, ident = (int(text) for text in mark.key.split(":")[1:3])
        base = name.removesuffix("_TX")
        self.marks.append(mark)
        self._places.setdefault(mark.record, set()).add(mark.file)
        if mark.file in self.ends:
            self.ends[mark.file] = max(self.ends[mark.file], mark.off + mark.length)
        if base in ("ADD", "UPDATE"):
            self._bodies[f"{base}-{ident}"] = (int(user_type), body)
        if name.endswith("_TX") and mark.record not in self._members.get(tx, ()):
            self._members.setdefault(tx, []).append(mark.record)
        elif name in ("COMMIT", "ROLLBACK"):
            self._members.pop(tx, None)

    def play(self, steps: tuple[Step, ...], life: int, force: str) -> int:
        """Do `steps`; return the index of the first operation of the last one."""
        last = 0
        for step in steps:
            last = len(self.storage.ops)
            op = step.operation(life)
            self.apply({**op, "sync": "false"} if force == "end" else op)
        if force == "end":
            self.apply({"op": "force"})
        return last

    def end_transactions(self) -> None:
        """Commit what is prepared or open."""
        for tx in sorted(self._members):
            self.apply({"op": "commit", "tx": str(tx)})

    def open(self) -> None:
        """Start the writer on the files that are there."""
        self.apply({"op": "open"})

    def reopen(self) -> None:
        """Start again on the same files; what has no end is rolled back."""
        self._writer = self._new_writer()
        self.apply({"op": "open"})

    def apply(self, op: dict[str, Any]) -> None:
        """Do one operation and annotate what it did, also if it ends with WriterRefused."""
        name = RECORD_OPS.get(op["op"])
        if name is not None and "body" in op:
            base = "UPDATE" if name.startswith("UPDATE") else "ADD"
            self._bodies[f"{base}-{op['id']}"] = (int(op["user_type"]), op["body"])
        before = len(self.storage.ops)
        refused, durable = None, False
        try:
            durable = bool(self._writer.apply(op)["durable"])
        except WriterRefused as refusal:
            refused = refusal
        done = self.storage.ops[before:]
        del self.storage.ops[before:]
        for item in done:
            if isinstance(item, Rename):
                self._renamed(item)
            elif isinstance(item, Unlink):
                self._let_go({item.file})
            if isinstance(item, Write):
                if item.file == CONTROL and item.off:
                    # Written under its own name: from its record on the new files count.
                    self._decided()
                self._written(item)
            else:
                self.storage.ops.append(item)
        if refused is not None:
            raise refused
        if durable:
            self._promise()

    def _decided(self) -> None:
        """Let go of what is in the old files alone: a compaction's control file is about to count."""
        self._let_go({name for name in self.ends if not name.endswith(".cmp")})

    def _renamed(self, item: Rename) -> None:
        if item.new == CONTROL:
            self._decided()
        if item.old in self.ends:
            self.ends[item.new] = self.ends.pop(item.old)
        for held in self._places.values():
            if item.old in held:
                held.remove(item.old)
                held.add(item.new)

    def _is_data(self, name: str) -> bool:
        return name.endswith("." + EXTENSIONS[self.edition])

    def _written(self, item: Write) -> None:
        data_file = self._is_data(item.file)
        if data_file and item.off == 0:
            self._let_go({item.file})
            self.storage.note(Reuse(item.file), item)
            self.ends[item.file] = self.first_offset
        elif data_file or item.file.endswith(".cmp"):
            records = self._parse(item)
            for record in records:
                self._take_back(record)
            self.storage.ops.append(item)
            for record in records:
                self._mark(item, record)
        else:
            self.storage.ops.append(item)

    def _parse(self, item: Write) -> list[JournalRecord]:
        # A file that a compaction writes at once begins with its header and ends with zeros.
        out, at = [], 0 if item.off else self.first_offset
        while at < len(item.data) and item.data[at]:
            record = decode_record(item.data, at, len(item.data), self.dialect, direct)
            if isinstance(record, Fault):
                raise ValueError(f"{item.file}: the writer wrote no record at {item.off + at}: {record}")
            out.append(record)
            at = record.end
        return out

    @staticmethod
    def _name(record: JournalRecord) -> str:
        """Return what a record is called: copies and records of transactions as what they amount to."""
        kind = record.kind.name
        if not record.id:
            return f"{kind}-{record.tx}"
        return f"{kind.removesuffix('_TX')}-{record.id}"

    def _called(self, base: str) -> str:
        """Return the id of the record `base`: what an earlier life wrote keeps its own, but for an end."""
        fresh = base not in self._inherited or base.startswith(("COMMIT", "ROLLBACK"))
        return self._prefix + base if fresh else base

    def _mark(self, item: Write, record: JournalRecord) -> None:
        base = self._name(record)
        name = self._called(base)
        user_type, body = self._bodies.get(base, (0, ""))
        text = key(record.kind.name, record.tx, record.id, user_type, body, record.extra.hex())
        fields = _fields(record.kind.code, self.dialect, len(body) // 2, len(record.pairs))
        mark = Mark(name, item.file, item.off + record.off, record.end - record.off, text, fields)
        self.storage.note(mark)
        self.marks.append(mark)
        self.ends[item.file] = item.off + record.end
        self._places.setdefault(name, set()).add(item.file)
        if item.file.endswith(".cmp"):
            return
        self._kept.add(name)
        tx = record.tx
        if record.kind.tx and record.id:
            self._members.setdefault(tx, []).append(name)
            self._pending.append((name, tx))
            return
        self._pending.append((name, 0))
        ended = self._members.get(tx, []) if record.kind.ends else []
        self.storage.note(Publish((*ended, name)))
        if ended:
            # From now on its records are promised with the next force, those of an earlier life too.
            self._pending = [(entry, 0 if owner == tx else owner) for entry, owner in self._pending]
            if record.kind.name == "COMMIT":
                known = {entry for entry, _ in self._pending} | self._kept
                self._pending += [(entry, 0) for entry in ended if entry not in known]
                self._kept.update(ended)
        if record.kind.name in ("COMMIT", "ROLLBACK"):
            self._members.pop(tx, None)

    def _take_back(self, record: JournalRecord) -> None:
        """Release what `record`, about to be written, ends."""
        kind, tx = record.kind.name, record.tx
        gone: list[str] = []
        if kind == "DELETE":
            gone += self._holders(record.id)
        elif kind in ("COMMIT", "ROLLBACK"):
            members = self._members.get(tx, [])
            gone.append(self._called(f"PREPARE-{tx}"))
            if kind == "ROLLBACK":
                gone += members
                self._pending = [entry for entry in self._pending if entry[1] != tx]
            else:
                deleted = [name for name in map(_plain, members) if name.startswith("DELETE-")]
                gone += [held for name in deleted for held in self._holders(name.removeprefix("DELETE-"))]
        self._release(gone)

    def _holders(self, ident: int | str) -> list[str]:
        return [self._called(f"{base}-{ident}") for base in ("ADD", "UPDATE")]

    def _let_go(self, files: set[str]) -> None:
        """Release what only says that something ended and is in `files` alone, which go out of use."""
        gone = []
        for name, places in self._places.items():
            if not places or not places <= files:
                continue
            kind, _, ident = _plain(name).partition("-")
            what = [place for held in self._holders(ident) for place in self._places.get(held, ())]
            if kind in ("COMMIT", "ROLLBACK", "PREPARE") or (kind == "DELETE" and set(what) <= files):
                gone.append(name)
        self._release(gone)
        for held in self._places.values():
            held.difference_update(files)

    def _release(self, names: list[str]) -> None:
        known = tuple(name for name in names if name in self._kept)
        self._kept.difference_update(known)
        if known:
            self.storage.note(Release(known))

    def _promise(self) -> None:
        safe = [name for name, tx in self._pending if not tx]
        self._pending = [entry for entry in self._pending if entry[1]]
        if safe:
            self.storage.note(Ack(tuple(safe)))
