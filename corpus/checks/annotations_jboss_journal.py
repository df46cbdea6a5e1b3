"""What the gate on annotations knows of the journal: records, transactions, files used again, compactions.

Written from the specification (JBM-WRT, JBM-RCV, JBM-CMP); bytes are decoded by the table of fields, what
records amount to says the naive model (:mod:`replay_jboss_journal`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import witnesses
from journalspec.jboss_journal import LAYOUT
from journalspec.jboss_journal.plain import CONTROL, next_candidate
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import Op, Rename, Trace, Unlink, Write
from journalspec_corpus.jboss_journal import naive
from journalspec_corpus.jboss_journal.workloads import RECORDS, TABLES, VICTIM, step_of
from replay_jboss_journal import in_doubt, in_effect
from witnesses import Call, Disk, Found

#: Words of long workloads that promise what came before them; a compaction may be refused.
_DURABLE = {"f": [Call()], "n": [Call()], "m": [Call(may=True)], "o": [Call(), Call(opens=True)]}


@lru_cache(maxsize=4096)
def record_in(edition: str, data: bytes, at: int) -> tuple[str, dict[str, Any], bytes] | None:
    """Return (type, values, bytes) of the whole record at `at`, of whatever file; None: there is none."""
    name = LAYOUT.type_name(edition, data[at]) if at < len(data) else ""
    if not name:
        return None
    reason, end = naive.claim(data, at, edition)
    if reason:
        return None
    raw = data[at:end]
    return name, LAYOUT.read("record", edition, raw), raw


class Witness(witnesses.Witness):
    """One trace of a journal."""

    reader, tables = naive, TABLES

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, trace.edition)
        self._data = "." + TABLES.rows["extensions"][trace.edition]
        self._header = LAYOUT.structure("header", trace.edition).size
        numbers = Disk(trace.base).numbers
        #: Records in effect or on the way to it, in the order of recovery, each with the number of its file.
        self.log = [(found, numbers[found.file]) for found in self.counting(trace.base)]
        #: The same of what a compaction writes: they count once it is decided.
        self._aside = [
            (found, numbers[file])
            for file, data in trace.base.items()
            if file.endswith(self._data + ".cmp")
            for found in self.read({file: data})
        ]
        self._active = -1
        self._before_it: list[Found] = []
        #: What the state is while some records are left out, as long as nothing is done.
        self._states: dict[frozenset[tuple[Any, ...]], tuple[Any, Any]] = {}
        self._decide(trace.base, numbers)
        #: What the base holds.
        self._base = {found.what for found, _ in self.log}
        #: The transactions in doubt there.
        self._doubtful = sorted(tx for tx, _ in self.state(set())[1])

    def record(self, file: str, data: bytes, at: int, off: int) -> Found | None:
        """Return the record at `at`, of whatever life."""
        told = record_in(self.edition, data, at)
        if told is None:
            return None
        name, values, raw = told
        tx, number = values.get("tx", 0), values.get("id", 0)
        user, body, extra = values.get("user_type", 0), values.get("body", b""), values.get("extra", b"")
        base = name.removesuffix("_TX")
        key = f"{name}:{tx}:{number}:{user}:{body.hex()}:{extra.hex()}"
        # A copy of a record of a transaction may be a plain one; a DELETE_TX that was rolled back is another.
        ends = name in ("COMMIT", "ROLLBACK", "PREPARE")
        what = (base, tx if ends else number, tx if base == "DELETE" else user, body)
        fields = witnesses.cut(LAYOUT, self.edition, raw, RECORDS.labels)
        return Found(file, off, len(raw), key, what, (name, tx, number, user, body), fields)

    def starts(self, op: Write) -> int | None:
        """What a compaction writes whole has a header first; only data files have records."""
        at = 0 if op.off else self._header
        return at if op.file.endswith((self._data, self._data + ".cmp")) else None

    def candidates(self, file: str, data: bytes) -> Iterator[int]:
        """Yield where the type of a record stands, whatever id follows it."""
        at: int | None = None if file.startswith(CONTROL) else self._header
        while at is not None and (at := next_candidate(data, at, self.edition, None)) is not None:
            yield at
            at += 1

    def counts(self, file: str) -> bool:
        """A restart reads data files, and of them what carries their own id."""
        return file.endswith(self._data)

    def copies(self, op: Write) -> bool:
        """Tell whether a compaction writes."""
        return op.file.endswith(".cmp")

    def small(self, work: Any) -> Iterator[Call]:
        """Do the steps, each forced by itself or all at the end."""
        if work.kind in ("create", "reopen", "compact"):
            yield Call(opens=work.kind == "reopen", may=work.kind == "compact")
            return
        for op in work.operations():
            yield _call(op, full=True, forced=not self.together)
        if self.together:
            yield Call()

    def word(self, word: str) -> Iterator[Call]:
        """Do what a word says; a plain one forces, if going to the next file does."""
        if word not in TABLES.rows["long"]["plain"]:
            yield _call(step_of(word).operation(0), may=True, forced=not word.endswith("-"))
        elif word != "n" or self._keeps_left():
            yield from _DURABLE.get(word, ())

    def _keeps_left(self) -> bool:
        """Tell whether going to the next file makes the one before durable."""
        return not witnesses.breaks(self.trace, "left")

    def again(self, work: SecondLife, steps: Sequence[Any]) -> Iterator[Call]:
        """Open, commit what is in doubt if that is asked for, and do the steps."""
        yield Call(opens=True)
        if work.then == "settle":
            yield from (Call(("COMMIT", tx), may=True) for tx in self._doubtful)
        if work.then == "compact" or (work.then == "over" and self._keeps_left()):
            yield Call(may=work.then == "compact")
        for step in steps:
            yield _call(step.operation(work.life), may=True, forced=not self.together)
        if work.then == "delete":
            yield Call(("DELETE", 0, VICTIM), may=True, durable=not self.together)
        yield Call()

    def repeats(self, step: Any) -> bool:
        """What is changed or deleted would have to be there."""
        return not step.op.startswith(("update", "delete"))

    def recovers(self, found: Found) -> bool:
        """Opening rolls back what has no end (JBM-WRT-015)."""
        return bool(found.wants[0] == "ROLLBACK")

    def promised(self, written: Sequence[Found], before: Sequence[Found]) -> set[tuple[Any, ...]]:
        """What is of a transaction is promised with its PREPARE or COMMIT, the rest at once (JBM-WRT-007)."""
        ends = {found.wants[:2] for found in written}
        out = {
            found.what
            for found in written
            if not found.wants[0].endswith("_TX")
            or {("PREPARE", found.wants[1]), ("COMMIT", found.wants[1])} & ends
        }
        for found in before:
            kind, tx, *_ = found.key.split(":")
            if kind.endswith("_TX") and ("COMMIT", int(tx)) in ends and found.what in self._base:
                out.add(found.what)
        return out

    def did(self, op: Op, found: Sequence[Found], disk: Disk) -> None:
        """Follow records, new lives of files, and a compaction from its control file on."""
        self._before_it = [record for record, _ in self.log]
        self._states.clear()
        if isinstance(op, Write):
            number = disk.numbers[op.file]
            if op.file.endswith(self._data) and op.off == 0:
                self._drop({number})
            copies = self.copies(op)
            (self._aside if copies else self.log).extend((record, number) for record in found)
            if found and not copies:
                self._active = number
            if op.file == CONTROL and op.off:
                self._decide(disk.seen(), disk.numbers)
        elif isinstance(op, Rename) and op.new == CONTROL:
            self._decide(disk.seen(), disk.numbers)
        elif isinstance(op, Unlink):
            self._drop({number for _, number in self.log} - set(disk.numbers.values()))

    def _drop(self, numbers: set[int]) -> None:
        self.log = [entry for entry in self.log if entry[1] not in numbers]

    def _decide(self, files: Mapping[str, bytes], numbers: Mapping[str, int]) -> None:
        """Let new files take the place of old ones, if there is a control file with a record that says so."""
        data = files.get(CONTROL, b"")
        told = record_in(self.edition, data, self._header)
        if told is None or told[1].get("id") != 1:
            return
        lists = LAYOUT.read("control", self.edition, told[1]["body"])
        old, new = (
            {numbers[name] for row in lists[each] if (name := row["name"].decode()) in numbers}
            for each in ("old_names", "new_names")
        )
        self._drop(old)
        # A compaction is about the oldest files: what it wrote is read first.
        self.log = [*(entry for entry in self._aside if entry[1] in new), *self.log]
        self._aside = []

    def published(self, found: Sequence[Found]) -> tuple[set[tuple[Any, ...]], ...]:
        """A plain record counts with its own write, those of a transaction with what ends or prepares it."""
        alone = [
            record
            for record in found
            if not record.file.endswith(".cmp") and not record.wants[0].endswith("_TX")
        ]
        whole = {record.wants[1] for record in alone if record.wants[0] in ("COMMIT", "PREPARE")}
        members = [
            record
            for record in self._before_it
            if record.wants[0].endswith("_TX") and record.wants[1] in whole
        ]
        return ({record.what for record in (*alone, *members)},)

    def state(self, without: set[tuple[Any, ...]]) -> tuple[Any, Any]:
        """Return what is in effect and what is in doubt."""
        key = frozenset(without)
        if key not in self._states:
            log = [found for found, _ in self.log if found.what not in without]
            names = ("op", "tx", "id", "what")
            ops = [
                dict(zip(names, (found.wants[0].lower(), *found.wants[1:3], found.what), strict=True))
                for found in log
            ]
            live = frozenset(op["what"] for op in in_effect(ops))
            doubtful = in_doubt(ops).items()
            held = frozenset((tx, frozenset(op["what"] for op in changes)) for tx, (_, changes) in doubtful)
            self._states[key] = live, held
        return self._states[key]

    def owes(self, what: tuple[Any, ...]) -> bool:
        """What changes or prepares is owed while the state has it, what ends while it lies in a file."""
        live, prepared = self.state(set())
        if what[0] in ("ADD", "UPDATE"):
            return what in live or any(what in members for _, members in prepared)
        if what[0] == "PREPARE":
            return what[1] in {tx for tx, _ in prepared}
        return any(found.what == what for found, _ in self.log)

    def unkept(self, what: tuple[Any, ...], disk: Disk) -> str:
        """A record may lie in a file that was left without a force."""
        lies = {number for found, number in self.log if found.what == what}
        return "left" if lies and self._active not in lies else ""

    def begins(self, op: Op, disk: Disk) -> bool | None:
        """A file that counts already begins anew with a header."""
        return isinstance(op, Write) and op.off == 0 and bool(op.file.endswith(self._data))


def _call(op: Mapping[str, Any], *, full: bool = False, may: bool = False, forced: bool) -> Call:
    """Return the call of an operation: one of a transaction that is no end promises nothing."""
    name, tx, number = op["op"].upper(), int(op.get("tx", "0")), int(op.get("id", "0"))
    wants: tuple[Any, ...] = (name, tx, number)
    if full:
        wants += (int(op.get("user_type", "0")), bytes.fromhex(op.get("body", "")))
    return Call(wants, durable=forced and not name.endswith("_TX"), may=may)
