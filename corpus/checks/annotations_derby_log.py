"""What the gate on annotations knows of Derby's log: groups, transactions, forces of the whole log.

Written from the specification (DRB-REC, DRB-SUM, DRB-WRT); bodies are decoded by the naive reader. A record
has the place of its group, without checksums its own. One call writes several records, and a force lets
everything out that others have written. Nothing is ever released, and no file begins a second life.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import annotations as gate
from annotations import Call, Disk, Found
from journalspec.observation import jsonable
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import Op, Trace, Write
from journalspec_corpus.crash.workloads import LongWorkload
from journalspec_corpus.derby_log import naive
from journalspec_corpus.derby_log.author import LATER_TABLES, TABLES
from journalspec_corpus.derby_log.bodies import NoBody, body, rows
from journalspec_corpus.derby_log.workloads import TABLES as WORKLOADS
from journalspec_corpus.derby_log.workloads import Step, step_of, value

HEADER, AROUND = 24, 16
#: What a body begins with: the format id of a log record.
BODY = b"\0\x81"
TOLD = (
    *("type", "instant", "transaction", "group", "status", "global_id"),
    *("container", "page", "page_version", "record_id", "data"),
)
NAMES = {number: "TU"[at] for pair in (*TABLES.values(), LATER_TABLES) for at, number in enumerate(pair)}
CHANGES, UNDONE = ("INSERT", "UPDATE", "DELETE"), ("PHYSICAL_UNDO", "LOGICAL_UNDO")
#: The status of a transaction of the engine's own, and of those that are rolled back, prepared and committed.
INTERNAL, BACK, PREPARED, DONE = 16, 1, 2, 4
#: Records about pages, which a change may need.
PAGES = ("INIT_PAGE", "ALLOC_PAGE", "CHAIN_ALLOC_PAGE")
#: What forces the log when it is done within a transaction; other changes of one wait.
ENDS = ("commit", "prepare")


class Witness(gate.Witness):
    """One trace of a log."""

    reader, tables, buffers = naive, WORKLOADS, True

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, trace.edition)
        self.summed = trace.edition != "10.0"
        #: Place -> row; number of a transaction -> its turn in this trace ("" before it), and what it did.
        self.rows: dict[tuple[int, int, int], tuple[str, str]] = {}
        self.turns: dict[int, str] = {}
        self.done: dict[int, list[tuple[Any, ...]]] = {}
        self.begun = 0
        self.first: dict[int, tuple[str, ...]] = {}
        #: The transactions that take pages into use, for others.
        self.paging: set[int] = set()
        #: The instants of two records that move a row; the value that it gets.
        self.moved: dict[int, str] = {}
        #: What each change was, by its instant.
        self.changed: dict[int, tuple[Any, ...]] = {}
        #: Of the calls: names of transactions -> turns and changes, branches, and whether one opens.
        self.open_turns: dict[str, str] = {}
        self.open_done: dict[str, list[tuple[Any, ...]]] = {}
        self.asked = self.forces = self.skipped = 0
        #: The row that the transaction changes first that was asked to begin last.
        self.about: tuple[str, ...] = ()
        self.branches: dict[str, str] = {}
        self.decided: set[str] = set()
        self.recovering = self.undone = False
        #: Where the log ends, and the redo and undo instants of the checkpoint that is in force.
        self.end = 0
        self.instants = (0, 0)
        named = self._checkpoint(trace.base)
        for found, said in self._everywhere(trace.base):
            self._wants(said)
            self._goes_on(found)
            if said["instant"] == named:
                self.instants = said["redo_from"], said["undo_from"]
        self.turns = {each: turn if turn == "internal" else "" for each, turn in self.turns.items()}
        self.begun = 0

    @staticmethod
    def _checkpoint(files: Mapping[str, bytes]) -> int:
        """Return the instant that both control files name; 0 if they do not."""
        said = {files.get(name, b"")[8:16] for name in ("log.ctrl", "logmirror.ctrl")}
        return int.from_bytes(said.pop(), "big") if len(said) == 1 else 0

    def _goes_on(self, found: Found) -> None:
        self.end = int(found.file[3:-4]) << 32 | (found.off + found.length)

    @property
    def _short(self) -> bool:
        """Whether a recovery that has nothing to roll back takes no checkpoint (DRB-RCV-070)."""
        redo, undo = self.instants
        return redo > 0 and redo >> 32 == undo >> 32 == self.end >> 32 and self.end < redo + 1000

    # Bytes

    def _record(self, data: bytes, at: int, number: int, off: int) -> tuple[int, dict[str, Any]] | None:
        """Return the length and the body of a record that is whole by itself."""
        length = int.from_bytes(data[at : at + 4], "big")
        end = at + AROUND + length
        if length == 0 or end > len(data) or data[end - 4 : end] != data[at : at + 4]:
            return None
        if data[at + 4 : at + 12] != (number << 32 | off).to_bytes(8, "big"):
            return None
        try:
            return end - at, {"instant": number << 32 | off, **body(data[at + 12 : end - 4])}
        except NoBody:
            return None

    def _group(self, file: str, data: bytes, at: int, off: int) -> list[tuple[Found, dict[str, Any]]]:
        """Return the records of a whole group at `at`, which stands at `off`: without checksums one."""
        number = int(file[3:-4])
        first = self._record(data, at, number, off)
        if first is None:
            return []
        length, said = first
        if not self.summed:
            own = [("length", 4), ("instant", 8), ("body", length - AROUND), ("trailer", 4)]
            return [(self._found(file, off, length, said, _cut(data[at : at + length], own)), said)]
        if said["type"] != "CHECKSUM":
            return []
        size = said["data_length"]
        covered = data[at + length : at + length + size]
        if len(covered) < size or zlib.crc32(covered) != said["checksum"]:
            return []
        cuts = (
            ("length", 4),
            ("instant", 8),
            ("body", 9),
            ("data_length", 4),
            ("checksum", 8),
            ("trailer", 4),
        )
        whole = data[at : at + length + size]
        values = {**_cut(whole[:length], cuts), "more": whole[length:]}
        out: list[tuple[Found, dict[str, Any]]] = []
        behind = length
        while behind < len(whole):
            record = self._record(whole, behind, number, off + behind)
            if record is None:
                return []
            out.append((self._found(file, off, len(whole), record[1], values), record[1]))
            behind += record[0]
        return out

    @staticmethod
    def _found(
        file: str, off: int, length: int, said: Mapping[str, Any], values: Mapping[str, bytes]
    ) -> Found:
        told = {name: jsonable(said[name]) for name in TOLD if said.get(name) is not None}
        key = json.dumps(told, sort_keys=True, separators=(",", ":"))
        return Found(file, off, length, key, (key,), (), values)

    def decoded(self, op: Write) -> list[Found]:
        """Return the records of the groups of which a write consists, with what they say of transactions."""
        groups: list[list[tuple[Found, dict[str, Any]]]] = []
        at = 0
        while self._is_log(op.file) and op.off >= HEADER and at < len(op.data):
            group = self._group(op.file, op.data, at, op.off + at)
            if not group:
                break
            groups.append(group)
            at += group[0][0].length
        self._look_ahead([said for group in groups for _, said in group])
        out = []
        for group in groups:
            for record, said in group:
                out.append(Found(*record.place, record.key, record.what, self._wants(said), record.values))
                if said["type"] == "CHECKPOINT":
                    self.instants = said["redo_from"], said["undo_from"]
            self._goes_on(group[-1][0])
        return out

    def _look_ahead(self, told: Sequence[Mapping[str, Any]]) -> None:
        """Note which transactions of a write take pages into use, and the row that each changes first."""
        self.paging |= {said["transaction"] for said in told if said["type"] in PAGES}
        self.first = {}
        last: dict[int, Mapping[str, Any]] = {}
        for said in told:
            if said["type"] in CHANGES:
                self._named(said)
                row, before = self.rows.get(_place(said), ()), last.get(said["transaction"])
                self.first.setdefault(said["transaction"], row)
                moves = before and (before["type"], said["type"]) == ("DELETE", "INSERT")
                if before and moves and self.rows.get(_place(before)) == row:
                    self.moved |= {before["instant"]: _text(said), said["instant"]: ""}
            last[said.get("transaction", 0)] = said

    def _named(self, said: Mapping[str, Any]) -> None:
        if said["type"] == "INSERT":
            key = rows(said["data"])[0][1][0]
            self.rows[_place(said)] = NAMES[said["container"]], str(int.from_bytes(key, "big", signed=True))

    @staticmethod
    def _is_log(file: str) -> bool:
        return re.fullmatch(r"log\d+\.dat", file) is not None

    def whole(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return the records of every whole group at any offset."""
        return [found for found, _ in self._everywhere(files)]

    def _everywhere(self, files: Mapping[str, bytes]) -> Iterator[tuple[Found, dict[str, Any]]]:
        for file in sorted(filter(self._is_log, files)):
            for match in re.finditer(re.escape(BODY), files[file]):
                at = match.start() - 12
                yield from self._group(file, files[file], at, at) if at >= HEADER else ()

    def read(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return the records that the naive reader finds and that whole groups hold."""
        known = {said["instant"]: found for found, said in self._everywhere(files)}
        told = self.reader.recover(files, self.edition, "default").get("records", ())
        return [known[record["instant"]] for record in told if record["instant"] in known]

    # What records say

    def _wants(self, said: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return what a record does, in which transaction by its turn; records come in their order."""
        kind, number = said["type"], said.get("transaction", 0)
        branch = (said.get("global_id") or {}).get("gtrid", b"").hex()
        if kind == "BEGIN":
            if said["status"] == INTERNAL or number in self.paging:
                self.turns[number], self.done[number] = "page" if number in self.paging else "internal", []
            else:
                self.begun += 1
                self.turns[number], self.done[number] = str(self.begun), []
            return ("BEGIN", self.turns[number], branch, self.first.get(number, ()), self._short)
        turn, done = self.turns.get(number, ""), self.done.setdefault(number, [])
        if kind == "END":
            return ("END", turn, said["status"], branch, len(done) if said["status"] == BACK else 0)
        if kind in UNDONE:
            what = self.changed.get(said["undone"], ("unknown",))
            if done[-1:] != [what]:
                return ("UNDO OUT OF ORDER", turn, *what)
            done.pop()
            return ("UNDO", turn, *what)
        if kind not in CHANGES:
            return (kind, turn)
        self._named(said)
        what = (kind, *self.rows.get(_place(said), ("", "")), _text(said))
        if said["instant"] in self.moved:
            # A row that grows beyond its page is updated by taking it away and putting it in elsewhere.
            what = ("MOVED" if kind == "INSERT" else "UPDATE", *what[1:3], self.moved[said["instant"]])
        done.append(what)
        self.changed[said["instant"]] = what
        return (what[0], turn, *what[1:])

    # Calls

    def _row(self, op: Mapping[str, Any], kind: str) -> tuple[Any, ...]:
        return kind, op["table"], op["key"], op.get("value", "")

    def _asks(self, op: Mapping[str, Any]) -> Iterator[Call]:
        """Yield what one operation asks for, record by record; the last one's force promises them all."""
        self.recovering = op["op"] == "open"
        kind, tx = op["op"], op.get("tx", "")
        if kind == "open":
            self._lost()
            yield Call(opens=True)
            self.recovering = self.undone = False
            self.open_turns = {name: turn for name, turn in self.open_turns.items() if name in self.decided}
        elif kind in ("checkpoint", "close"):
            yield from self._of_engine(closing=kind == "close")
        elif kind == "start":
            self.branches[tx] = op["gtrid"]
        elif kind.upper() in CHANGES:
            yield from self._change(op, tx)
        elif kind == "decide":
            name = next((name for name, gtrid in self.branches.items() if gtrid == op["gtrid"]), op["gtrid"])
            yield from self._end(name, DONE if op["commit"] else BACK, op["gtrid"], durable=True)
        else:
            status = {"commit": DONE, "prepare": PREPARED, "rollback": BACK}[kind]
            branch = self.branches.get(tx, "")
            yield from self._end(tx, status, branch, durable=kind in ENDS)

    def _of_engine(self, *, closing: bool) -> Iterator[Call]:
        for tx in [name for name in self.open_turns if name not in self.decided] if closing else ():
            # What is open is rolled back first.
            yield from self._end(tx, BACK, self.branches.get(tx, ""), durable=False)
        yield Call(("BEGIN", "internal", ""), durable=False, opens=True)
        yield Call(("CHECKPOINT", "internal"), durable=not closing)
        if closing:
            yield Call(("END", "internal", DONE, "", 0))

    def _change(self, op: Mapping[str, Any], tx: str) -> Iterator[Call]:
        what = self._row(op, op["op"].upper())
        turn = self.open_turns.get(tx, "")
        if not turn:
            self.asked += 1
            turn = str(self.asked)
            self.about = what[1:3]
            yield Call(("BEGIN", turn, self.branches.get(tx, "")), durable=False, opens=True)
        yield Call((what[0], turn, *what[1:]), durable=False, opens=True)
        if tx:
            self.open_turns[tx] = turn
            self.open_done.setdefault(tx, []).append(what)
        else:
            yield Call(("END", turn, DONE, "", 0))

    def _end(self, tx: str, status: int, branch: str, *, durable: bool) -> Iterator[Call]:
        turn, done = self.open_turns.get(tx, ""), self.open_done.get(tx, [])
        for what in reversed(done) if status == BACK else ():
            yield Call(("UNDO", turn, *what), durable=False, opens=True)
        yield Call(("END", turn, status, branch, 0), durable=durable, opens=True)
        if status == PREPARED:
            self.decided.add(tx)
        else:
            self.open_turns.pop(tx, None)
            self.open_done.pop(tx, None)
            self.branches.pop(tx, None)

    def _lost(self) -> None:
        """A boot rolls back what is neither committed nor prepared: its records come unasked."""
        going = {turn for name, turn in self.open_turns.items() if name not in self.decided}
        self.losers = {"", "internal", *going}

    def recovers(self, found: Found) -> bool:
        """Tell whether this comes unasked: pages that are begun, the end of a checkpoint's transaction.

        Opening and closing roll back what is open, and opening may end with a checkpoint.
        """
        kind, turn, *rest = found.wants
        if kind not in ("BEGIN", "CHECKPOINT", "END", "UNDO", *CHANGES):
            return kind in ("MOVED", *PAGES)
        if kind == "UNDO" and rest[0] == "MOVED":
            return True
        if turn == "page":
            return True
        if turn == "internal" and kind == "END" and rest[0] == DONE:
            return True
        if not self.recovering:
            return False
        if turn == "internal" and kind in ("BEGIN", "CHECKPOINT"):
            return kind == "CHECKPOINT" or bool(self.undone or not rest[-1])
        self.undone |= kind == "END"
        return bool(turn in self.losers and kind in ("UNDO", "END") and rest[0] not in (PREPARED, DONE))

    def calls(self, work: Any) -> Iterator[Call]:
        """Yield what is asked of the writer; what is in memory when it is left behind may be lost."""
        if not isinstance(work, LongWorkload):
            yield from super().calls(work)
            return
        words = work.rules.split()
        for number, word in enumerate(words):
            following = next((each for each in words[number:] if each == "n" or self._forces(each)), "")
            for call in self.word(word):
                if following != "n" or not call.wants:
                    yield call
                    continue
                skipped, wants = self.skipped, call.wants
                yield replace(call, wants=(*wants, self.about) if wants[0] == "BEGIN" else wants, may=True)
                # What is left of it has to be rolled back.
                self.undone |= self.skipped == skipped

    @staticmethod
    def _forces(word: str) -> bool:
        # What is done in a transaction does not, but for these ends of one.
        return word in ("k", "o") or word[0] in "cpyz" or (word[0] in "iud" and not step_of(word).tx)

    def unwritten(self, call: Call) -> None:
        """A transaction that never began takes no turn."""
        self.skipped += 1
        self.asked -= call.wants[0] == "BEGIN"

    def word(self, word: str) -> Iterator[Call]:
        """Do what a word says."""
        plain = WORKLOADS.rows["long"]["plain"]
        for op in [{"op": name} for name in plain[word]] if word in plain else [step_of(word).operation(0)]:
            yield from self._asks(op)

    def _steps(self, steps: Sequence[Step], life: int) -> Iterator[Call]:
        for step in steps:
            yield from self._asks(step.operation(life))

    def _force(self, life: int) -> Iterator[Call]:
        """A row of the other table is put in; they are counted."""
        self.forces += 1
        key = 100000 + 1000 * life + self.forces
        yield from self._asks({"op": "insert", "table": "U", "key": str(key), "value": value(key, 4)})

    def small(self, work: Any) -> Iterator[Call]:
        """Create a log, or go on with one, and do each step, with a force behind them all."""
        if work.kind == "create":
            # A row stands before every workload.
            yield from self._asks({"op": "open"})
            yield from self._asks(Step("insert", 91, 4).operation(0))
        yield from self._steps(work.steps, 0)
        if self.together:
            yield from self._force(0)

    def again(self, work: SecondLife, steps: Sequence[Any]) -> Iterator[Call]:
        """Open, commit what is owed and in doubt if that is asked for, do the steps, and force."""
        yield from self._asks({"op": "open"})
        if work.then == "settle":
            yield from self._settled()
        # Lives 1 and 2 are those of a background.
        yield from self._steps(steps, work.life + 1)
        yield from self._force(work.life + 1)

    def _settled(self) -> Iterator[Call]:
        ends = [said for mark in self.trace.standing if (said := json.loads(mark.key))["type"] == "END"]
        last = {said["transaction"]: said for said in ends}
        for said in reversed(last.values()):
            if int(said["status"]) == PREPARED:
                yield from self._asks({"op": "decide", "gtrid": said["global_id"]["gtrid"], "commit": True})

    def repeats(self, step: Any) -> bool:
        """What stands before all can be taken away once."""
        return bool(step.id != 91)  # as the table says

    def promised(self, written: Sequence[Found], before: Sequence[Found]) -> set[tuple[Any, ...]]:
        """A force is of the whole log, and so of what others have done so far (DRB-WRT-080)."""
        return {found.what for found in written}

    # What a trace comes to

    def copies(self, op: Write) -> bool:
        """Nothing is written twice."""
        return False

    def did(self, op: Op, found: Sequence[Found], disk: Disk) -> None:
        """Nothing but the bytes decides what counts."""

    def published(self, found: Sequence[Found]) -> tuple[set[tuple[Any, ...]], ...]:
        """A group makes itself count."""
        return ({each.what for each in found},)

    def state(self, without: set[tuple[Any, ...]]) -> object:
        """Nothing may be let go: what is taken away stays readable."""
        return sorted(without)

    def owes(self, what: tuple[Any, ...]) -> bool:
        """What was promised once is owed for ever."""
        return True


def _text(said: Mapping[str, Any]) -> str:
    columns = rows(said["data"])[0][1] if said.get("data") else {}
    return columns[1][2:].decode() if 1 in columns else ""


def _place(said: Mapping[str, Any]) -> tuple[int, int, int]:
    return said["container"], said["page"], said["record_id"]


def _cut(raw: bytes, cuts: Sequence[tuple[str, int]]) -> dict[str, bytes]:
    out, at = {}, 0
    for name, length in cuts:
        out[name] = raw[at : at + length]
        at += length
    return out
