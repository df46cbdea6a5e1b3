"""What SwiftMQ's store gives to the crash engine."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from struct import unpack_from
from typing import Any

from journalspec.observation import CLEAN, REFUSED, Observation, jsonable
from journalspec_corpus.crash.adapter import CrashFormat, StateReader, refuses
from journalspec_corpus.crash.effects import ALONE, DECISION, RECORD, Action, Effect, Semantics, State
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.crash.workloads import Continuations, LongWorkloads
from journalspec_corpus.swiftmq_store import workloads as tables
from journalspec_corpus.swiftmq_store.author import CHAIN, PAGE
from journalspec_corpus.swiftmq_store.model import PREPARED, QueuedMessages
from journalspec_corpus.swiftmq_store.recording import FORMAT, LongRun, build, key_of, record_json, resumed

#: Number -> the page, as far as a log has made it.
Kept = Mapping[int, bytes]
INDEX, ENTRY = 17, 33
#: What comes before the body of a branch's message.
BODY = 48
_DECIDED = {"queues", "in_doubt"}
_MEMBERS = ("key", "priority", "deliveries", "expiration", "length", "sha256")
_NAMES = ("format_id", "gtrid", "bqual", "routing", "queue", "inserts", "keys")


class LoggedPages:
    """The pages that the records of a log make, one record after the other (SMQ-RCV-028)."""

    def begin(self, state: Mapping[str, Any]) -> Kept:
        """Return what there is before the first record: no page."""
        return {}

    def after(self, kept: Kept, op: Mapping[str, Any], edition: str) -> Kept:
        """Return the pages after one record; one that was rolled back leaves them as they were."""
        if op["op"] != "COMMIT":
            return kept
        pages = dict(kept)
        for action in op["actions"]:
            number, page = int(action["page"]), bytearray(pages.get(int(action["page"]), bytes(PAGE)))
            if action["action"] == "INSERT":
                page = bytearray(PAGE)
            elif action["action"] == "DELETE":
                page = bytearray(b"\1".ljust(PAGE, b"\0"))
            else:
                off, data = int(action["offset"]), bytes.fromhex(action["after"])
                page[off : off + len(data)] = data
                page[0] = 0
            pages[number] = bytes(page)
        return pages

    def shown(self, kept: Kept) -> dict[str, Any]:
        """Return what recovery must report."""
        queues = [{"name": name.hex(), "messages": [*_messages(kept, head)]} for name, head in _queues(kept)]
        branches = [
            branch
            for name, head in _queues(kept)
            if name == PREPARED.encode()
            for branch in _branches(kept, head)
        ]
        return {"queues": queues, "in_doubt": branches}


def _numbers(kept: Kept, number: int) -> Iterator[int]:
    # What records lead to that no log has together may go round in circles.
    passed = set[int]()
    while number in kept and number not in passed:
        passed.add(number)
        yield number
        (number,) = unpack_from(">i", kept[number], 5)


def _queues(kept: Kept) -> Iterator[tuple[bytes, int]]:
    for number in _numbers(kept, 0) if 0 in kept else ():
        page, off = kept[number], INDEX
        (slots,) = unpack_from(">i", page, 9)
        for _ in range(slots):
            valid, length = unpack_from(">Bi", page, off)
            name = page[off + 5 : off + 5 + length]
            if valid == 1:
                yield name, unpack_from(">i", page, off + 5 + length)[0]
            off += 13 + length


def _entries(kept: Kept, head: int) -> Iterator[tuple[int, ...]]:
    """Yield priority, deliveries, expiration, key and page of the messages of a queue."""
    for number in _numbers(kept, head):
        (slots,) = unpack_from(">i", kept[number], 9)
        for slot in range(slots):
            valid, *entry = unpack_from(">Biiqqi", kept[number], INDEX + slot * ENTRY)
            if valid == 1:
                yield tuple(entry)


def _data(kept: Kept, first: int) -> bytes:
    return b"".join(
        kept[number][CHAIN : unpack_from(">i", kept[number], 9)[0]] for number in _numbers(kept, first)
    )


def _messages(kept: Kept, head: int) -> Iterator[dict[str, Any]]:
    for priority, deliveries, expiration, key, page in _entries(kept, head):
        data = _data(kept, page)
        digest = hashlib.sha256(data).hexdigest()
        yield dict(zip(_MEMBERS, (key, priority, deliveries, expiration, len(data), digest), strict=True))


def _branches(kept: Kept, head: int) -> Iterator[dict[str, Any]]:
    for *_, page in _entries(kept, head):
        data = _data(kept, page)[BODY:]
        kind, length = unpack_from(">iH", data, 9)
        at = 15 + length
        queue = data[15:at].decode()
        routing, form = unpack_from(">?i", data, at)
        at += 5
        parts = []
        for _ in range(2):
            there = data[at]
            (length,) = unpack_from(">i", data, at + 1) if there else (0,)
            start = at + (5 if there else 1)
            at = start + length
            parts.append(data[start:at].hex())
        (count,) = unpack_from(">i", data, at)
        keys = [unpack_from(">q", data, at + 4 + number * (4 + ENTRY) + 4 + 17)[0] for number in range(count)]
        yield dict(zip(_NAMES, (form, parts[1], parts[0], routing, queue, kind != 0, keys), strict=True))


def canonical(shown: Mapping[str, Any]) -> State:
    """Return a state as it is told, in tuples; nobody says that there is an empty queue of branches."""
    queues = (
        (
            _hex(queue["name"]),
            tuple(tuple(_hex(one.get(name, "")) for name in _MEMBERS) for one in queue["messages"]),
        )
        for queue in shown["queues"]
    )
    branches = (
        (*(_hex(one[name]) for name in _NAMES[:-1]), tuple(_hex(key) for key in one["keys"]))
        for one in shown["in_doubt"]
    )
    return tuple(queues), tuple(sorted(branches))


def _message(one: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(_hex(one.get(name, "")) for name in _MEMBERS)


def _hex(value: Any) -> str:
    return str(jsonable(value))


def answer(observation: Observation) -> Answer:
    """Return what an observation amounts to: the ends of transactions, and the state."""
    if observation.verdict == REFUSED:
        return Answer((), observation.code)
    keys = tuple(
        key_of(record.type, record.fields) for record in observation.records if record.type != "START"
    )
    found: Mapping[str, Any] = observation.state or {}
    decided = canonical(found) if found.keys() >= _DECIDED else None
    return Answer(keys, None, observation.verdict != CLEAN, state=decided)


MODEL = LoggedPages()
#: A state that no store is in: a queue has a name.
NONSENSE: State = ((("", ()),), ())


def state(kept: Kept) -> State:
    """Return what the model keeps, in the same form; NONSENSE of pages that no log makes.

    What a first crash tore was not there for what came later: without it the pages are right, or with it.
    """
    try:
        return canonical(MODEL.shown(kept))
    except (struct.error, LookupError, UnicodeDecodeError):
        return NONSENSE


def effects(decided: State) -> Iterator[Effect]:
    """Yield an effect for each queue, message and branch."""
    queues, branches = decided
    for name, messages in queues:
        yield Effect(RECORD, name, "queue")
        for key, _, deliveries, *_, digest in messages:
            yield Effect(RECORD, f"{name}:{key}", f"{digest}:{deliveries}")
    for form, gtrid, bqual, *rest in branches:
        yield Effect(DECISION, f"{form}:{gtrid}:{bqual}", str(rest))


def told(decided: State) -> dict[str, Any]:
    """Return what an observation says of them."""
    queues, branches = decided
    return {
        "queues": [
            {"name": name, "messages": [dict(zip(_MEMBERS, one, strict=True)) for one in messages]}
            for name, messages in queues
        ],
        "in_doubt": [
            {
                **dict(zip(_NAMES, one, strict=True)),
                **{name: one[_NAMES.index(name)] == "True" for name in ("routing", "inserts")},
                "keys": list(one[-1]),
            }
            for one in branches
        ],
    }


def action(key: str) -> Action:
    """Return what the record called `key` does; each stands alone."""
    said = json.loads(key)
    return Action({"op": said["type"], **said}, "", ALONE)


#: Two policies of the reference, which differ in what they refuse.
READERS = (
    StateReader("strict", "strict"),
    StateReader("default", "default", salvaging=True, differs=refuses),
)

CRASH = CrashFormat(
    format=FORMAT,
    first_lives=tables.TABLES.workloads,
    record=build,
    workload_of=tables.TABLES.workload_of,
    state_readers=READERS,
    answer=answer,
    record_json=record_json,
    semantics=Semantics(MODEL, action, state, effects, told, in_order=True),
    obeys=tables.TABLES.obeys,
    long=LongWorkloads(
        tables.TABLES, LongRun, tables.REDUCTION.shorter, QueuedMessages(), tables.pools, tables.meaning
    ),
    second=Continuations(resumed, tables.TABLES).second_lives(),
    smaller=tables.REDUCTION.smaller,
)
