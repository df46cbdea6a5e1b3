"""What the gate on annotations knows of Derby's log: groups, and what the transactions in them come to.

Written from the specification (DRB-REC, DRB-SUM, DRB-WRT); bodies are decoded by the naive reader. A record
has the place of its group, without checksums its own. The end of a transaction means what it changes of the
state, before it and behind it as the second oracle's model has them; until then its changes have to be among
those that were asked for. Whatever else a call writes, and recovery, leaves the state as it is. A force lets
everything out that others have written. Nothing is ever released, and no file begins a second life.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import witnesses
from brute_model_derby_log import CHANGES, UNDONE, fold, told_effects
from journalspec.derby_log.operations import tables_of_all
from journalspec.observation import jsonable
from journalspec_corpus.crash.trace import Trace, Write
from journalspec_corpus.derby_log import naive
from journalspec_corpus.derby_log.model import Kept, TableRows, columns_in, key_in, value_in
from journalspec_corpus.derby_log.workloads import TABLES as WORKLOADS
from journalspec_corpus.derby_log.workloads import VICTIM, Step, forced, meaning
from journalspec_corpus.naive import end_of
from witnesses import Call, Found, difference

HEADER = 24
#: The fields of the body of a checksum record, with their lengths.
SUM = (("body", 9), ("data_length", 4), ("checksum", 8))
#: What a body begins with: the format id of a log record.
BODY = re.compile(rb"\0\x81")
TOLD = (
    *("type", "instant", "transaction", "group", "status", "global_id"),
    *("container", "page", "page_version", "record_id", "data"),
)
#: The status of transactions that are rolled back, and of those that are prepared.
BACK, PREPARED = 1, 2
#: What forces the log when it is done within a transaction; other operations of one wait.
FORCING = ("commit", "prepare", "decide")
MODEL = TableRows()
#: A word, and what becomes of the state with it.
NOTHING: tuple[Any, ...] = ("STATE", (), ())


class Witness(witnesses.GroupWitness):
    """One trace of a log."""

    reader, tables = naive, WORKLOADS
    #: Log files are known by their names (DRB-FIL-101).
    files = re.compile(r"log\d+\.dat")
    sign, before, torn = BODY, 12, True
    meaning = staticmethod(meaning)
    #: What stands before all can be taken away once.
    once = frozenset({VICTIM})

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self.summed = trace.edition != "10.0"
        #: The keys of all records, in their order.
        self.keys: list[str] = []
        #: What they came to when a transaction ended last.
        self.known: frozenset[Any] = frozenset()
        #: Place -> table and key of the row that was put there.
        self.rows: dict[tuple[str, ...], tuple[str, str]] = {}
        #: Transaction -> its changes that were not undone, by their instants.
        self.done: dict[str, list[str]] = {}
        for found in self.whole(trace.base):
            self._wants(found)
        #: Of the calls: what the model keeps, and the rows that changes were asked for.
        told = self.recovered(trace.base) if trace.base else {}
        self.kept = MODEL.begin(jsonable(told.get("state", {})))
        self.asked: list[tuple[str, str, str]] = []

    # Bytes

    def group(self, file: str, data: bytes, at: int) -> list[tuple[int, Found]]:
        """Return the records of a whole group at `at` of a file: without checksums one."""
        number = int(file[3:-4])
        log = naive.Log({number: data}, self.edition)
        first = log.sound(number, at) if at >= HEADER else None
        if first is None or (self.summed and first["type"] != "CHECKSUM"):
            return []
        told = [] if self.summed else [first]
        behind = start = end_of(first)
        end = start + (first["data_length"] if self.summed else 0)
        while behind < end:
            said = log.sound(number, behind)
            if said is None:
                return []
            told.append(said)
            behind = end_of(said)
        body = SUM if self.summed else (("body", first["length"]),)
        values, place = {}, at
        for name, length in (("length", 4), ("instant", 8), *body, ("trailer", 4), ("more", end - start)):
            values[name] = data[place : place + length]
            place += length
        found = []
        for said in told:
            own = {name: said[name] for name in TOLD if said.get(name) is not None}
            what = (key := witnesses.json_key(own), said.get("undone"))
            found.append((said["at"]["off"], Found(file, at, end - at, key, what, (), values)))
        return found

    def decoded(self, op: Write) -> list[Found]:
        """Return the records of the groups of which a write consists, with what they come to."""
        return [replace(found, wants=self._wants(found)) for found in super().decoded(op)]

    def recovered(self, files: Mapping[str, bytes]) -> Mapping[str, Any]:
        """Return what the naive reader recovers under the policy that makes the most of a log."""
        told: Mapping[str, Any] = naive.recover(files, self.edition, "default")
        return told

    # What records say

    def _wants(self, found: Found) -> tuple[Any, ...]:
        """Return what a record comes to; records come in their order."""
        said = json.loads(found.key)
        kind, number = said["type"], said.get("transaction", "")
        self.keys.append(found.key)
        done = self.done.setdefault(number, [])
        if kind == "BEGIN":
            # A number that no recovery has seen is given once more.
            done.clear()
        elif kind in UNDONE and (not done or done.pop() != str(found.what[1])):
            return ("UNDONE OUT OF ORDER", number)
        elif kind in CHANGES:
            place, columns = (said["container"], said["page"], said["record_id"]), columns_in(said)
            if kind == "INSERT":
                self.rows[place] = tables_of_all()[int(said["container"])], key_in(columns)
            done.append(said["instant"])
            return ("CHANGE", *self.rows.get(place, ("", "")), value_in(columns))
        elif kind == "END":
            if int(said["status"]) == BACK and done:
                return ("NOT UNDONE", number)
            before, self.known = self.known, fold(self.keys)
            return ("STATE", *difference(before, self.known))
        return NOTHING

    def recovers(self, found: Found) -> bool:
        """Tell whether this comes besides: changes that were asked for, and what changes nothing."""
        kind, *row = found.wants
        if kind == "CHANGE":
            # A row that grows beyond its page is taken away there, and put in elsewhere.
            return any(asked[:2] == tuple(row[:2]) and row[2] in ("", asked[2]) for asked in self.asked)
        return found.wants == NOTHING

    # Calls

    def asks(self, op: Mapping[str, Any]) -> Iterator[Call]:
        """Yield what one operation comes to; its force promises all that was written before."""
        if op["op"].upper() in CHANGES:
            self.asked.append((op["table"], op["key"], op.get("value", "")))
        before = _effects(self.kept)
        self.kept = MODEL.after(self.kept, op, self.edition)
        wants = ("STATE", *difference(before, _effects(self.kept)))
        durable = op["op"] in FORCING or "tx" not in op
        # What changes nothing, as a boot, need not write anything.
        yield Call(() if wants == NOTHING else wants, durable, may=wants == NOTHING, opens=True)

    def force(self, life: int) -> Iterator[Call]:
        """A row of the other table is put in; they are counted."""
        self.forces += 1
        yield from self.asks(forced(life, self.forces))

    def small(self, work: Any) -> Iterator[Call]:
        """Create a log, or go on with one, and do each step, with a force behind them all."""
        if work.kind == "create":
            # A row stands before every workload.
            yield from self.asks({"op": "open"})
            yield from self.asks(Step("insert", VICTIM, 4).operation(0))
        yield from super().small(work)

    def settles(self, standing: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Commit what was prepared last of all that ends a transaction, the last one first."""
        last = {said["transaction"]: said for said in standing if said["type"] == "END"}
        for said in reversed(last.values()):
            if int(said["status"]) == PREPARED:
                ids = {name: said["global_id"][name] for name in ("gtrid", "bqual")}
                yield {"op": "decide", **ids, "commit": True}


def _effects(kept: Kept) -> frozenset[Any]:
    """Return what the model keeps as the second oracle has it; all XA ids are of format 1."""
    shown = MODEL.shown(kept)
    doubtful = [
        ({"format_id": 1, "gtrid": gtrid, "bqual": bqual}, come, gone)
        for (gtrid, bqual), come, gone in shown["in_doubt"]
    ]
    return told_effects(shown["rows"], doubtful)
