"""The naive model of a store: what the records of its log make of a file of pages (SMQ-RCV-028, SMQ-RCV-029).

Keys are JSON of what a record says. The log is one: a set is closed if it holds everything of its life that
stands before one of its records. Pages are one run of bytes, and indexes and messages are walked in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from brute_effects import Effect, FoldModel, IssuedOp, State, of_life
from journalspec.swiftmq_store.schema import BRANCH

SIZE = 2048
Image = bytearray


def _number(data: bytes, at: int, size: int = 4) -> int:
    return int.from_bytes(data[at : at + size], "big", signed=True)


def changed(image: Image, said: Mapping[str, Any]) -> None:
    """Do one record on the pages. One that is rolled back is as if it had never been."""
    for action in said["actions"] if said["type"] == "COMMIT" else ():
        start = int(action["page"]) * SIZE
        image += bytes(max(0, start + SIZE - len(image)))
        if action["action"] in ("INSERT", "DELETE"):
            image[start : start + SIZE] = bytes(SIZE)
        else:
            data = bytes.fromhex(action["after"])
            at = start + int(action["offset"])
            image[at : at + len(data)] = data
        image[start] = action["action"] == "DELETE"


def _chain(image: Image, number: int) -> Iterator[bytes]:
    # Pages that nothing was made of yet lead to page 0.
    passed: set[int] = set()
    while number >= 0 and number not in passed:
        passed.add(number)
        page = bytes(image[number * SIZE : (number + 1) * SIZE])
        yield page
        number = _number(page, 5)


def _slots(image: Image, head: int, length: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield name and entry of what is valid in an index; `length` is that of an entry without its name."""
    for page in _chain(image, head):
        at = 17
        for _ in range(_number(page, 9)):
            named = _number(page, at + 1) if length == 13 else 0
            if page[at] == 1:
                yield page[at + 5 : at + 5 + named], page[at : at + length + named]
            at += length + named


def fold(keys: Sequence[str]) -> State:
    """Return what the records make of no pages."""
    image = Image()
    for said in map(json.loads, keys):
        changed(image, said)
    return walked(image)


def walked(image: Image) -> State:
    """Return the queues of a file of pages, their messages, and what is in doubt."""
    found: set[Effect] = set()
    for name, root in _slots(image, 0, 13) if any(image[1:17]) else ():
        queue = name.hex()
        found.add(("queue", queue))
        for _, entry in _slots(image, _number(root, len(root) - 8), 33):
            data = b"".join(page[13 : _number(page, 9)] for page in _chain(image, _number(entry, 25)))
            digest = hashlib.sha256(data).hexdigest()
            numbers = (_number(entry, 17, 8), _number(entry, 1), _number(entry, 5), _number(entry, 9, 8))
            found.add(("message", queue, *map(str, numbers), str(len(data)), digest))
            if name == b"sys$prepared":
                found.add(_branch(data[48:]))
    return frozenset(found)


def _branch(body: bytes) -> Effect:
    """Return what the body of a branch's message says, as the schema has it."""
    found = BRANCH.parse(body)
    gtrid, bqual = (one.value.data.hex() if one.value else "" for one in (found.gtrid, found.bqual))
    keys = ",".join(str(_number(image.data, 17, 8)) for image in found["keys"])
    told = (str(found.format_id), gtrid, bqual, str(found.routing == 1), found.queue.data.decode())
    return ("in doubt", *told, str(found.kind == 1), keys)


def effects(state: Mapping[str, Any]) -> State:
    """Return the same of an observation's state."""
    found: set[Effect] = set()
    for queue in state["queues"]:
        name = _text(queue["name"])
        found.add(("queue", name))
        for one in queue["messages"]:
            members = ("key", "priority", "deliveries", "expiration", "length")
            found.add(("message", name, *(str(one[each]) for each in members), _text(one.get("sha256", ""))))
    for one in state["in_doubt"]:
        ids = str(one["format_id"]), _text(one["gtrid"]), _text(one["bqual"]), str(one["routing"])
        keys = ",".join(map(str, one["keys"]))
        found.add(("in doubt", *ids, one["queue"], str(one["inserts"]), keys))
    return frozenset(found)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else bytes(value).hex()


def _sources(effect: Effect, ops: Sequence[IssuedOp]) -> set[int]:
    """Return the operations with which it comes, if all are done in order."""
    states = [fold([op.key for op in ops[:count]]) for count in range(len(ops) + 1)]
    return {at for at in range(len(ops)) if effect in states[at + 1] and effect not in states[at]}


MODEL = FoldModel(
    operations=list,
    needs=of_life,
    loose=lambda ops: [set() for _ in ops],
    fold=fold,
    effects=effects,
    sources=_sources,
    transaction=lambda key: "",
    ends=lambda key: "",
    decisions=frozenset({"in doubt"}),
)
