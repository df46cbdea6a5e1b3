"""What the gate on annotations knows of a store: a log of changes of bytes, pages, and what they come to.

Written from the specification (SMQ-LOG, SMQ-RCV, SMQ-WRT). What a record does is what it makes of the pages:
they are walked with the second oracle's model before it and behind it. Every record is forced as it is
written (SMQ-WRT-043), and let go with START, when the pages have what it did.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import witnesses
from brute_model_swiftmq_store import Image, changed, walked
from journalspec.observation import jsonable
from journalspec.swiftmq_store import LAYOUT
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import Op, Trace, Write
from journalspec_corpus.swiftmq_store import naive
from journalspec_corpus.swiftmq_store.author import LOG, PAGES
from journalspec_corpus.swiftmq_store.model import PREPARED, QueuedMessages, QueueState
from journalspec_corpus.swiftmq_store.workloads import TABLES, meaning
from witnesses import Call, Disk, Found, difference

START, HEAD = 12, 24
#: What a record's first bytes are, whichever it is.
FIRST = re.compile(rb"\0\0\0[\2\3]")
MODEL = QueuedMessages()
#: What a record comes to: what is there behind it and was not before, and the other way round.
Meaning = tuple[Any, ...]
NOTHING: Meaning = ("COMMIT", (), ())


class Witness(witnesses.Witness):
    """One trace of a store."""

    reader, tables = naive, TABLES

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, trace.edition)
        self.pages = Image(trace.base.get(PAGES, b""))
        #: The records of the present generation, as they say it.
        self.young: list[tuple[Any, ...]] = []
        #: What a torn record has brought: nothing tells that it is torn, for no byte has a checksum. On pages
        #: with half of it, what is asked for may do more than was asked.
        self.torn: set[tuple[Any, ...]] = set()
        known = {(mark.file, mark.off, mark.length) for mark in (*trace.standing, *trace.possible)}
        for found in self.counting(trace.base):
            before = _told(self.pages)
            changed(self.pages, json.loads(found.key))
            if found.place not in known:
                self.torn |= _told(self.pages) - before
            self.young.append(found.what)
        self.disk = Disk(trace.base)
        #: Of the calls: what the model keeps, and the queues that there are.
        state = naive.recover(trace.base, trace.edition, "salvage") if trace.base else {}
        told: Mapping[str, Any] = jsonable(state.get("state", {}))
        self.kept = MODEL.begin(told)
        self.queues = {bytes.fromhex(queue["name"]).decode() for queue in told.get("queues", ())}

    # Bytes

    def record(self, file: str, data: bytes, at: int, off: int) -> Found | None:
        """Return the record at `at` if it is whole."""
        if file != LOG or off < START:
            return None
        found = naive.whole(data, at)
        if found is None:
            return None
        said, end = found
        key = witnesses.json_key(said)
        head = witnesses.cut(LAYOUT, self.edition, data[at : at + HEAD], {"code": "type"})
        return Found(file, off, end - at, key, (key,), (), {**head, "actions": data[at + HEAD : end]})

    def starts(self, op: Write) -> int | None:
        """A write to the log behind START is records, unless it gives the file its length."""
        return 0 if op.file == LOG and op.off >= START and any(op.data) else None

    def candidates(self, file: str, data: bytes) -> Iterator[int]:
        """Yield where a record's kind may stand."""
        if file == LOG:
            yield from (match.start() for match in FIRST.finditer(data, START))

    def whole(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return every whole record of this generation or of an earlier one; a picture may look like one."""
        newest = files.get(LOG, b"")[4:START]
        return [found for found in super().whole(files) if bytes(8) < found.values["generation"] <= newest]

    def decoded(self, op: Write) -> list[Found]:
        """Return the records of a write, with what each of them comes to."""
        return [replace(found, wants=self._meaning(json.loads(found.key))) for found in super().decoded(op)]

    def _meaning(self, said: Mapping[str, Any]) -> Meaning:
        if said["type"] == "ABORT":
            return ("ABORT",)
        before = _told(self.pages)
        changed(self.pages, said)
        return self._difference(before, _told(self.pages))

    def _difference(self, before: set[tuple[Any, ...]], after: set[tuple[Any, ...]]) -> Meaning:
        return ("COMMIT", *difference(before - self.torn, after - self.torn))

    # Calls

    def small(self, work: Any) -> Iterator[Call]:
        """Do each step."""
        yield from self.does(work.steps, 0)

    def again(self, work: SecondLife, steps: Sequence[Any]) -> Iterator[Call]:
        """Do each step."""
        yield from self.does(steps, work.life)

    def calls(self, work: Any) -> Iterator[Call]:
        """Yield what is asked of the writer; small workloads alone may go on with a store that is open."""
        if getattr(work, "kind", "create") == "create":
            yield from self.asks({"op": "open"})
        yield from super().calls(work)

    def meaning(self, word: str) -> Mapping[str, Any]:
        """Return what a word asks for."""
        return meaning(word)

    def recovers(self, found: Found) -> bool:
        """Opening makes the root index, which holds nothing yet, and the queue of the branches."""
        self.queues.add(PREPARED)
        return found.wants in (NOTHING, ("COMMIT", (("queue", PREPARED),), ()))

    def asks(self, op: Mapping[str, Any]) -> Iterator[Call]:
        """Yield the records that an operation asks for; then it returns, and they are promised."""
        if op["op"] == "open":
            yield Call(opens=True)
            self.kept = MODEL.after(self.kept, op, self.edition)
            return
        if op["op"] in ("insert", "remove") and op["queue"] not in self.queues:
            # A queue is made by whoever names it, even in vain.
            self.queues.add(op["queue"])
            yield Call(("COMMIT", (("queue", op["queue"]),), ()), durable=False)
        if not self._can(op):
            return
        yield from (Call(wants, durable=False) for wants in self._records(op))
        yield Call(durable=op["op"] not in ("swap", "unswap"))

    def _records(self, op: Mapping[str, Any]) -> Iterator[Meaning]:
        kind, before = op["op"], self.kept
        if kind == "commit":
            for tx in op["tx"]:
                yield self._after({"op": "commit", "tx": [tx]})
            return
        if kind in ("rollback", "close"):
            back = [op["tx"]] if kind == "rollback" else before.inserted
            yield from (("ABORT",) for tx in back if before.inserted.get(tx))
        now = self._after(op)
        if kind == "prepare":
            # The branch first: what it inserts is there only with somebody to decide on it.
            plus = now[1]
            yield ("COMMIT", tuple(each for each in plus if each[0] == "in doubt"), ())
            if before.inserted.get(op["tx"]):
                yield ("COMMIT", tuple(each for each in plus if each[0] != "in doubt"), ())
        elif kind == "decide":
            # What goes with it goes first.
            rest = ("COMMIT", now[1], tuple(each for each in now[2] if each[0] != "in doubt"))
            yield from (rest,) if rest != NOTHING else ()
            yield ("COMMIT", (), tuple(each for each in now[2] if each[0] == "in doubt"))
        elif kind in ("insert", "remove") and "tx" not in op:
            yield now

    def _after(self, op: Mapping[str, Any]) -> Meaning:
        """Let the model do an operation; return what is there then and was not, and the other way round."""
        before = _kept(self.kept)
        self.kept = MODEL.after(self.kept, op, self.edition)
        return self._difference(before, _kept(self.kept))

    def _can(self, op: Mapping[str, Any]) -> bool:
        """Tell whether the operation is about something that is there."""
        kept, kind, tx = self.kept, op["op"], op.get("tx", "")
        if kind in ("insert", "remove"):
            others = [places for name, places in kept.inserted.items() if name != tx]
            busy = any(queue == op["queue"] for places in others for queue, _ in places)
            gone = kind == "remove" and (op["queue"], int(op["key"])) not in kept.messages
            return not busy and not gone
        if kind == "commit":
            return all(name in {**kept.inserted, **kept.removed} for name in tx)
        if kind in ("rollback", "prepare"):
            return tx in kept.inserted or tx in kept.removed
        if kind == "decide":
            return (op["gtrid"], op["bqual"]) in kept.branches
        return kind != "checkpoint" or not (kept.inserted or kept.removed)

    # What a trace comes to

    def did(self, op: Op, found: Sequence[Found], disk: Disk) -> None:
        """With START a generation begins, and has no records yet."""
        self.disk = disk
        if isinstance(op, Write) and op.file == LOG and op.off == 0 and len(op.data) == START:
            self.young = []
        self.young += [each.what for each in found]

    def state(self, without: set[tuple[Any, ...]]) -> object:
        """Return what the pages have, with what the log does to them."""
        pages = Image(self.disk.files.get(PAGES, b""))
        for what in self.young:
            if what not in without:
                changed(pages, json.loads(what[0]))
        return _told(pages)

    def owes(self, what: tuple[Any, ...]) -> bool:
        """A record is owed as long as its generation is the log's."""
        return what in self.young


def _told(pages: Image) -> set[tuple[Any, ...]]:
    """Return queues, messages and branches, as `_kept` has them."""
    found: set[tuple[Any, ...]] = set()
    for effect in walked(pages):
        what, *rest = effect
        if what == "queue":
            found.add(("queue", bytes.fromhex(rest[0]).decode()))
        elif what == "in doubt":
            _, gtrid, bqual, _, queue, inserts, keys = rest
            found.add(("in doubt", gtrid, bqual, inserts, queue, keys))
        elif (queue := bytes.fromhex(rest[0]).decode()) != PREPARED:
            found.add(("message", queue, int(rest[1]), int(rest[3]), rest[-1]))
    return found


def _kept(kept: QueueState) -> set[tuple[Any, ...]]:
    """Return messages and branches of the model."""
    found: set[tuple[Any, ...]] = {
        ("message", queue, key, one.deliveries, one.sha256)
        for (queue, key), one in kept.messages.items()
        if queue != PREPARED
    }
    for (gtrid, bqual), branch in kept.branches.items():
        queue, keys = branch.places[0][0], ",".join(str(key) for _, key in branch.places)
        found.add(("in doubt", gtrid, bqual, str(branch.inserts), queue, keys))
    return found
