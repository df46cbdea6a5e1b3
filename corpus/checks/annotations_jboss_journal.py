"""What the gate on annotations knows of the journal: records, transactions, files used again, compactions.

Written from the specification (JBM-WRT, JBM-RCV, JBM-CMP); bytes are decoded by the table of fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from annotations import Call, Disk, Found, breaks
from journalspec.jboss_journal import LAYOUT
from journalspec.jboss_journal.plain import CONTROL, next_candidate
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import Op, Rename, Trace, Unlink, Write
from journalspec_corpus.crash.workloads import LongWorkload
from journalspec_corpus.jboss_journal import naive
from journalspec_corpus.jboss_journal.workloads import TABLES, VICTIM, Workload, step_of

EXTENSIONS: Mapping[str, str] = TABLES.rows["extensions"]
#: What ends or prepares a transaction, and what changes something.
ENDS, CHANGES = ("COMMIT", "ROLLBACK", "PREPARE"), ("ADD", "UPDATE", "DELETE")
_LONG, _INT = 8, 4
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


def record_at(edition: str, file: str, data: bytes, at: int, off: int) -> Found | None:
    """Return the record at `at` of `data`, which stands at `off` of `file`."""
    told = record_in(edition, data, at)
    if told is None:
        return None
    name, values, raw = told
    tx, number = values.get("tx", 0), values.get("id", 0)
    user, body, extra = values.get("user_type", 0), values.get("body", b""), values.get("extra", b"")
    base = name.removesuffix("_TX")
    key = f"{name}:{tx}:{number}:{user}:{body.hex()}:{extra.hex()}"
    # A copy of a record of a transaction may be a plain one; a DELETE_TX that was rolled back is another one.
    what = (base, tx if base in ENDS else number, tx if base == "DELETE" else user, body)
    return Found(
        file, off, len(raw), key, what, (name, tx, number, user, body), _fields(edition, raw, values)
    )


def _fields(edition: str, raw: bytes, values: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the bytes of every field, with the names that marks give them, from what they say."""

    def number(name: str, size: int) -> bytes:
        return int(values.get(name, 0)).to_bytes(size, "big", signed=True)

    pairs = values.get("pairs", [])
    body, extra = values.get("body", b""), values.get("extra", b"")
    return {
        "type": raw[:1],
        "file_id": raw[1 : 1 + _INT],
        "compact": number("compact_count", 1),
        "tx": number("tx", _LONG),
        "id": number("id", _LONG),
        "length": len(body or extra).to_bytes(_INT, "big"),
        "user_type": raw[:0] + bytes([values.get("user_type", 0) & 0xFF]),
        "body": body,
        "extra": extra,
        "tally": number("count", _INT),
        "listed": len(pairs).to_bytes(_INT, "big"),
        "pairs": b"".join(
            row[name].to_bytes(_INT, "big", signed=True) for row in pairs for name in ("file_id", "count")
        ),
        "check": raw[-_INT:],
    }


def state_of(log: Iterable[tuple[str, Found]]) -> tuple[Any, Any]:
    """Return the records in effect and the open transactions with a PREPARE, of records with their types.

    A delete holds whatever its place, a transaction that has an end is judged by that; nothing is counted.
    """
    live: set[tuple[Any, ...]] = set()
    deleted: set[int] = set()
    members: dict[int, list[Found]] = {}
    prepared: set[int] = set()
    ended: dict[int, str] = {}
    entries = list(log)
    for name, found in entries:
        if name.endswith("_TX"):
            members.setdefault(found.wants[1], []).append(found)
        elif name == "PREPARE":
            prepared.add(found.wants[1])
        elif name in ENDS:
            ended[found.wants[1]] = name
    for name, found in entries:
        tx = found.wants[1]
        if name.endswith("_TX") and ended.get(tx) != "COMMIT":
            continue
        if name.startswith("DELETE"):
            deleted.add(found.wants[2])
        elif name not in ENDS:
            live.add(found.what)
    return (
        frozenset(what for what in live if what[1] not in deleted),
        frozenset(
            (tx, frozenset(found.what for found in members.get(tx, ()))) for tx in prepared if tx not in ended
        ),
    )


class Witness:
    """One trace of a journal."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.edition = trace.edition
        self._data = "." + EXTENSIONS[trace.edition]
        #: Records in effect or on the way to it, each with its type and the number of its file.
        self.log: list[tuple[str, Found, int]] = []
        #: The same of what a compaction writes: they count once it is decided.
        self._aside: list[tuple[str, Found, int]] = []
        self._active = -1
        self._members: dict[int, list[tuple[Any, ...]]] = {}
        numbers = Disk(trace.base).numbers
        for found in self.counting(trace.base):
            self.log.append((found.wants[0], found, numbers[found.file]))
        for file, data in trace.base.items():
            if file.endswith(self._data + ".cmp"):
                self._aside += [(found.wants[0], found, numbers[file]) for found in self._own(file, data)]
        if self._lists(trace.base) is not None:
            self._decide(trace.base, numbers)
        #: What the base holds.
        self._before = {found.what for _, found, _ in self.log}
        #: The transactions in doubt there.
        self._doubtful = sorted(tx for tx, _ in state_of((name, found) for name, found, _ in self.log)[1])

    def decoded(self, op: Write) -> list[Found]:
        """Return the records of a write to a data file; what a compaction writes whole has a header first."""
        if not op.file.endswith((self._data, self._data + ".cmp")):
            return []
        out: list[Found] = []
        at = 0 if op.off else LAYOUT.structure("header", self.edition).size
        while (found := record_at(self.edition, op.file, op.data, at, op.off + at)) is not None:
            out.append(found)
            at += found.length
        return out

    def _own(self, file: str, data: bytes) -> list[Found]:
        """Return the records of one file that carry its own id."""
        scanned = naive.searched(file, data, self.edition)
        found = (
            record_at(self.edition, file, data, entry["at"]["off"], entry["at"]["off"])
            for entry in scanned.records
        )
        return [record for record in found if record is not None]

    def whole(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return every whole record at any offset of any file, whatever id it carries."""
        out = []
        for file, data in files.items():
            if file == CONTROL or file.startswith(CONTROL):
                continue
            at: int | None = LAYOUT.structure("header", self.edition).size
            while at is not None and (at := next_candidate(data, at, self.edition, None)) is not None:
                found = record_at(self.edition, file, data, at, at)
                out += [found] if found else []
                at += 1
        return out

    def counting(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return the records of all data files that carry the id of their file."""
        return [
            found
            for file, data in sorted(files.items())
            if file.endswith(self._data)
            for found in self._own(file, data)
        ]

    def copies(self, op: Write) -> bool:
        """Tell whether a compaction writes."""
        return op.file.endswith(".cmp")

    def calls(self, work: Any, trace: Trace) -> Iterator[Call]:
        """Return what is asked of the writer; what belongs to a transaction is promised with its end."""
        if isinstance(work, Workload):
            if work.kind == "create":
                yield Call()
            elif work.kind == "reopen":
                yield Call(opens=True)
            elif work.kind == "compact":
                yield Call(may=True)
            else:
                together = work.force == "end"
                yield from (_call(op, full=True, forced=not together) for op in work.operations())
                if together:
                    yield Call()
        elif isinstance(work, LongWorkload):
            for word in work.rules.split():
                if word in TABLES.rows["long"]["plain"]:
                    if word == "n" and not self._keeps_left():
                        continue
                    yield from _DURABLE.get(word, ())
                    continue
                yield _call(step_of(word).operation(0), may=True, forced=not word.endswith("-"))
        elif isinstance(work, SecondLife) and trace.ops:
            yield from self._again(work)

    def _keeps_left(self) -> bool:
        """Tell whether going to the next file makes the one before durable."""
        return not breaks(self.trace, "left")

    def _again(self, work: SecondLife) -> Iterator[Call]:
        yield Call(opens=True)
        if work.then == "settle":
            for tx in self._doubtful:
                yield Call(("COMMIT", tx), may=True)
        together = self.trace.tags.get("force") == "end"
        before = getattr(work.origin, "steps", ()) if work.then == "same" else ()
        again = [step for step in before if not step.op.startswith(("update", "delete"))]
        steps = () if work.then == "open" else again or TABLES.then[work.then] or TABLES.then["typical"]
        if work.then == "over" and self._keeps_left():
            yield Call()
        if work.then == "compact":
            yield Call(may=True)
        for step in steps:
            yield _call(step.operation(work.life), may=True, forced=not together)
        if work.then == "delete":
            yield Call(("DELETE", 0, VICTIM), may=True, durable=not together)
        yield Call()

    def recovers(self, found: Found) -> bool:
        """Opening rolls back what has no end (JBM-WRT-015)."""
        return bool(found.wants[0] == "ROLLBACK")

    def promised(self, written: Sequence[Found], before: Sequence[Found]) -> set[tuple[Any, ...]]:
        """What is of a transaction is promised with its PREPARE or COMMIT, the rest at once (JBM-WRT-007)."""
        ends = {(found.wants[0], found.wants[1]) for found in written}
        out = {
            found.what
            for found in written
            if not found.wants[0].endswith("_TX")
            or {("PREPARE", found.wants[1]), ("COMMIT", found.wants[1])} & ends
        }
        for found in before:
            kind, tx, *_ = found.key.split(":")
            if kind.endswith("_TX") and ("COMMIT", int(tx)) in ends and found.what in self._before:
                out.add(found.what)
        return out

    def did(self, op: Op, found: Sequence[Found], disk: Disk) -> None:
        """Follow records, new lives of files, and a compaction from its control file on."""
        self._members = {}
        for name, record, _ in self.log:
            if name.endswith("_TX"):
                self._members.setdefault(record.wants[1], []).append(record.what)
        if isinstance(op, Write):
            number = disk.numbers[op.file]
            if op.file.endswith(self._data) and op.off == 0:
                self._drop({number})
            target = self._aside if self.copies(op) else self.log
            target += [(record.wants[0], record, number) for record in found]
            if found and not self.copies(op):
                self._active = number
            if op.file == CONTROL and op.off and self._lists(disk.seen()) is not None:
                self._decide(disk.seen(), disk.numbers)
        elif isinstance(op, Rename) and op.new == CONTROL:
            self._decide(disk.seen(), disk.numbers)
        elif isinstance(op, Unlink):
            self._drop({number for _, _, number in self.log} - set(disk.numbers.values()))

    def _drop(self, numbers: set[int]) -> None:
        self.log = [entry for entry in self.log if entry[2] not in numbers]

    def _lists(self, files: Mapping[str, bytes]) -> tuple[set[str], set[str]] | None:
        """Return the old and the new names of a control file, None if it holds no record."""
        data = files.get(CONTROL, b"")
        header = LAYOUT.structure("header", self.edition).size
        told = record_in(self.edition, data, header) if len(data) > header else None
        if told is None or told[1].get("id") != 1:
            return None
        lists = LAYOUT.read("control", self.edition, told[1]["body"])
        old, new = ({row["name"].decode() for row in lists[name]} for name in ("old_names", "new_names"))
        return old, new

    def _decide(self, files: Mapping[str, bytes], numbers: Mapping[str, int]) -> None:
        """Let the new files take the place of the old ones."""
        lists = self._lists(files)
        if lists is None:
            return
        old, new = lists
        self._drop({numbers[name] for name in old if name in numbers})
        wanted = {numbers[name] for name in new if name in numbers}
        self.log += [entry for entry in self._aside if entry[2] in wanted]
        self._aside = []

    def published(self, found: Sequence[Found], disk: Disk) -> tuple[set[tuple[Any, ...]], ...]:
        """A plain record counts with its own write, those of a transaction with what ends or prepares it."""
        out: set[tuple[Any, ...]] = set()
        for record in found:
            name, tx = record.wants[:2]
            if record.file.endswith(".cmp") or name.endswith("_TX"):
                continue
            out.add(record.what)
            if name in ("COMMIT", "PREPARE"):
                out.update(self._members.get(tx, ()))
        return (out,)

    def behind(self, op: Op) -> bool:
        """What takes something back may take effect while it is written."""
        return False

    def state(self, without: set[tuple[Any, ...]]) -> object:
        """Return what is in effect and what is in doubt."""
        return state_of((name, found) for name, found, _ in self.log if found.what not in without)

    def owes(self, what: tuple[Any, ...]) -> bool:
        """What changes or prepares is owed while the state has it, what ends while it lies in a file."""
        there = [found for _, found, _ in self.log if found.what == what]
        live, prepared = state_of((name, found) for name, found, _ in self.log)
        kind = what[0]
        if kind in ("ADD", "UPDATE"):
            return what in live or any(what in members for _, members in prepared)
        if kind == "PREPARE":
            return what[1] in {tx for tx, _ in prepared}
        return bool(there)

    def unkept(self, what: tuple[Any, ...], disk: Disk) -> str:
        """A record may lie in a file that was left without a force."""
        lies = {number for _, found, number in self.log if found.what == what}
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
