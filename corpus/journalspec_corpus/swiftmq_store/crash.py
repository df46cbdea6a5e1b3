"""This module connects SwiftMQ's store with the crash engine."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from copy import copy
from typing import Any

from journalspec.observation import jsonable
from journalspec_corpus.crash.formats import (
    CrashFormat,
    StateFiles,
    digest_of,
    equal_contents,
    two_policies,
)
from journalspec_corpus.crash.oracle import ALONE, DECISION, RECORD, Action, Effect, Semantics, State
from journalspec_corpus.crash.record import json_key, record_of_json
from journalspec_corpus.crash.verdict import answering
from journalspec_corpus.swiftmq_store import naive
from journalspec_corpus.swiftmq_store import workloads as tables
from journalspec_corpus.swiftmq_store.recording import LongRun, build, resumed
from journalspec_corpus.workloads import Continuations
from journalspec_reference.batches import Memory
from journalspec_reference.swiftmq_store.fileset import DEFAULT_SIZE
from journalspec_reference.swiftmq_store.scan import START_SIZE, Log, ReplayedPages
from journalspec_reference.swiftmq_store.store import LOG, PAGES

_DECIDED = {"queues", "in_doubt"}
_MEMBERS = ("key", "priority", "deliveries", "expiration", "length", "sha256")
_NAMES = ("format_id", "gtrid", "bqual", "routing", "queue", "inserts", "keys")


class LoggedPages:
    """The pages that result from a log, one record after another (SMQ-RCV-028).

    Records are replayed and pages are walked by the naive reader's functions, independent of the reference.
    """

    def begin(self, state: Mapping[str, Any]) -> naive.LaidPages:
        """Return the state before the first record, which has no pages."""
        return naive.LaidPages(b"")

    def after(self, kept: naive.LaidPages, op: Mapping[str, Any], edition: str) -> naive.LaidPages:
        """Return the pages after one record; a record that was rolled back leaves them unchanged."""
        pages = copy(kept)
        if op["op"] == "COMMIT":
            pages.apply({"type": "COMMIT", "actions": [_action(said) for said in op["actions"]]})
        return pages


def _action(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return an action in the naive reader's form, with numbers and bytes instead of texts."""
    numbers = {name: int(said[name]) for name in ("page", "offset") if name in said}
    return {"action": said["action"], **numbers, "after": bytes.fromhex(said.get("after", ""))}


def canonical(shown: Mapping[str, Any]) -> State:
    """Return a reported state as tuples; an empty queue of branches is not reported."""
    queues = ((_hex(queue["name"]), tuple(map(_message, queue["messages"]))) for queue in shown["queues"])
    branches = (
        (*(_hex(one[name]) for name in _NAMES[:-1]), tuple(_hex(key) for key in one["keys"]))
        for one in shown["in_doubt"]
    )
    return tuple(queues), tuple(sorted(branches))


def _message(one: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(_hex(one.get(name, "")) for name in _MEMBERS)


def _hex(value: Any) -> str:
    return str(jsonable(value))


#: A state that no store can have, because every queue has a name.
NONSENSE: State = ((("", ()),), ())


def state(kept: naive.LaidPages) -> State:
    """Return the model's state in the same form; NONSENSE for damaged pages.

    Records torn by a first crash did not exist for later operations, so pages with and without their effects
    are right.
    """
    store = naive.Store(kept)
    store.walk()
    if store.damaged or any(queue.bad or queue.undecided for queue in store.queues):
        return NONSENSE
    return canonical(store.state([]))


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
    """Return the state in the form of an observation."""
    queues, branches = decided
    return {
        "queues": [
            {"name": name, "messages": [dict(zip(_MEMBERS, one, strict=True)) for one in messages]}
            for name, messages in queues
        ],
        "in_doubt": [
            dict(zip(_NAMES, (*xid, routing == "True", queue, inserts == "True", list(keys)), strict=True))
            for *xid, routing, queue, inserts, keys in branches
        ],
    }


def action(key: str) -> Action:
    """Return the effect of the record `key`; each record is independent."""
    said = json.loads(key)
    return Action({"op": said["type"], **said}, "", ALONE)


def look(files: StateFiles, edition: str) -> Hashable:
    """Return the visible content: the log's records, the pages after them, and all other files completely."""
    if not {LOG, PAGES} <= files.keys():
        return equal_contents(files, edition)
    beside = [(name, files.same(name)) for name in files if name not in (LOG, PAGES)]
    return files.once((LOG, PAGES), _seen), *beside


def _seen(content: bytes, stored: bytes) -> bytes:
    """Return a digest of a log and of the pages after its replay.

    The old content of pages that the log replaces is not visible, so most states of the pages between two
    checkpoints are equal.
    """
    source = Memory(content)
    pages = ReplayedPages(Memory(stored), DEFAULT_SIZE, source)
    log, damage = Log(source, DEFAULT_SIZE, pages.count), 0
    for batch in log.scan():
        pages.take(batch)
        damage += len(batch.damage)
    if not pages.in_file or pages.gone:
        # An answer reports missing parts of the file, so all bytes are visible.
        return digest_of(content, stored)
    begun = content[: max(log.end, START_SIZE)]
    cut = b"" if pages.made(pages.in_file) else stored[pages.in_file * DEFAULT_SIZE :]
    return digest_of(begun, damage, cut, *pages.unlike, -1, *map(pages.__getitem__, range(pages.count)))


CRASH = CrashFormat.by_tables(
    tables.TABLES,
    LongRun,
    record=build,
    look=look,
    state_readers=two_policies("default"),
    answer=answering(json_key, canonical, _DECIDED, ("START",)),
    record_json=record_of_json,
    semantics=Semantics(LoggedPages(), action, state, effects, told, in_order=True),
    second=Continuations(resumed, tables.TABLES),
)
