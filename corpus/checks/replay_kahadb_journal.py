"""The naive model of KahaDB: what a store holds, by looking at the whole history (KHD-RCV, KHD-TXN).

Nothing is carried from command to command: what is there follows from which changes took effect when.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, cast

from journalspec.observation import jsonable
from journalspec_corpus.kahadb_journal.author import payload

Operation = Mapping[str, Any]
EDITIONS = ("5.16", "5.12", "5.14")
TXS = ("tx=c:1", "tx=c:2", "xa=1:01:02", "xa=1:0f:02")
ENDS = ("PREPARE", "COMMIT", "ROLLBACK")
#: What a command says: its words, and what they are about.
Said = dict[str, str]
#: When a change took effect: at which command, and which of those it brought about.
When = tuple[int, int]


def drawn(rng: random.Random, before: Sequence[Operation], edition: str) -> Operation:
    """Return a command about one of two queues and a topic, in a transaction or not, or its end."""
    what, number = rng.random(), len(before)
    ident = f"id=m{rng.randrange(4)}"
    tx = rng.choice(TXS) if rng.random() < 0.4 else ""
    if what < 0.2:
        return _op(f"r{number} {rng.choice(ENDS)} {rng.choice(TXS)}")
    if what < 0.3:
        sub = f"r{number} SUBSCRIPTION t=T sub=c:{rng.choice('st')}"
        return _op(sub + rng.choice((" info=01", " info=01", " info=01 retro=1", "")))
    if what < 0.35:
        return _op(f"r{number} REMOVE_DESTINATION {rng.choice(('q=Q', 't=T'))}")
    place = rng.choice(("q=Q", "q=R", "t=T", "t=T"))
    if what < 0.55:
        sub = f" sub=c:{rng.choice('st')}" if place == "t=T" and rng.random() < 0.8 else ""
        return _op(f"r{number} REMOVE_MESSAGE {place} {ident}{sub} {tx}")
    if what < 0.65:
        return _op(f"r{number} UPDATE_MESSAGE {place} {ident} prio={rng.randrange(3, 6)}")
    prio = f"prio={rng.randrange(3, 6)}" if rng.random() < 0.5 else ""
    return _op(f"r{number} {place} {ident} {prio} {tx}")


def _op(text: str) -> Operation:
    return {"op": "append", "payload": payload(text).hex(), "text": text}


def _said(op: Operation) -> Said:
    label, *words = str(op["text"]).split()
    kind = words.pop(0) if words and "=" not in words[0] else "ADD_MESSAGE"
    pairs = dict(word.split("=", 1) for word in words)
    tx = next((word for word in words if word.startswith(("tx=", "xa="))), "")
    where = "TOPIC:T" if "t" in pairs else f"QUEUE:{pairs.get('q', '')}"
    return {**pairs, "is": kind, "place": where, "tx": tx, "body": "4d" + label[1:].encode().hex()}


def _taken(ops: Sequence[Operation]) -> tuple[list[tuple[When, Said]], dict[str, list[Said]]]:
    """Return what took effect, in that order, and the commands of each transaction in doubt."""
    said = [_said(op) for op in ops]
    done = [((at, at), each) for at, each in enumerate(said) if not each["tx"]]
    doubtful: dict[str, list[Said]] = {}
    for tx in TXS:
        mine = [(at, each) for at, each in enumerate(said) if each["tx"] == tx]
        while mine:
            # KHD-TXN-008: the changes up to an end, and from a PREPARE on those behind it by themselves.
            cut = next((n for n, (_, each) in enumerate(mine) if each["is"] in ENDS), len(mine))
            changes, rest = mine[:cut], mine[cut:]
            if not rest:
                break
            (at, end), mine = rest[0], rest[1:]
            if end["is"] == "PREPARE":
                if changes:
                    doubtful[tx] = [each for _, each in changes]
                continue
            ended = [each for _, each in changes] if changes else doubtful.pop(tx, [])
            if end["is"] == "COMMIT":
                done += [((at, number), each) for number, each in enumerate(ended)]
    return sorted(done, key=lambda item: item[0]), doubtful


def _life(changes: Sequence[Said]) -> Sequence[Said]:
    """Return the changes of a destination since it went last."""
    start = 0
    for at, each in enumerate(changes):
        if each["is"] == "REMOVE_DESTINATION" or (_ends_all(changes[start : at + 1])):
            start = at + 1
    return changes[start:]


def _ends_all(changes: Sequence[Said]) -> bool:
    """Tell whether the last change ends the last subscription (KHD-RCV-009)."""
    last = changes[-1]
    return last["is"] == "SUBSCRIPTION" and "info" not in last and not _subscribed(changes)


def _subscribed(changes: Sequence[Said]) -> dict[str, int]:
    """Return the subscriptions at the end of a destination's changes, each with where it last began."""
    found: dict[str, int] = {}
    for name in {each["sub"] for each in changes if each["is"] == "SUBSCRIPTION"}:
        mine = [n for n, each in enumerate(changes) if each["is"] == "SUBSCRIPTION" and each["sub"] == name]
        ended = [n for n in mine if "info" not in changes[n]]
        begun = [n for n in mine if "info" in changes[n] and n > max(ended, default=-1)]
        if begun:
            found[name] = begun[0]
    return found


def _held(changes: Sequence[Said], upto: int) -> list[Said]:
    """Return the messages after the first `upto` changes, as the latest update has them, oldest first."""
    idents = {each["id"] for each in changes[:upto] if "id" in each}
    born = sorted((at, ident) for ident in idents if (at := _born(changes, ident, upto)) >= 0)
    return [
        [
            each
            for n, each in enumerate(changes[at:upto])
            if each.get("id") == ident and (each["is"] == "UPDATE_MESSAGE" or not n)
        ][-1]
        for at, ident in born
    ]


def _born(changes: Sequence[Said], ident: str, upto: int) -> int:
    """Return where the message that is there after the first `upto` changes was put there, -1: none is."""
    born = -1
    for at in range(upto):
        each = changes[at]
        if born < 0:
            puts = each["is"] in ("ADD_MESSAGE", "UPDATE_MESSAGE") and each["id"] == ident
            born = at if puts and (_is_queue(each) or _subscribed(changes[:at])) else -1
        elif _takes(changes, ident, born, at):
            born = -1
    return born


def _is_queue(each: Said) -> bool:
    return each["place"].startswith("QUEUE")


def _takes(changes: Sequence[Said], ident: str, born: int, at: int) -> bool:
    """Tell whether change `at` takes a message away that was put there at `born`."""
    each = changes[at]
    if each["is"] == "REMOVE_MESSAGE" and each["id"] == ident:
        if "sub" not in each:
            return True
        owed = _owed(changes, ident, born, at)
        had = any(
            each["sub"] in _owed(changes, other, _born(changes, other, at), at)
            for other in {one["id"] for one in changes[:at] if "id" in one}
            if _born(changes, other, at) >= 0
        )
        return had and not owed - {each["sub"]}
    if each["is"] == "SUBSCRIPTION" and "info" not in each:
        owed = _owed(changes, ident, born, at)
        return owed == {each["sub"]}
    return False


def _owed(changes: Sequence[Said], ident: str, born: int, upto: int) -> set[str]:
    """Return the subscriptions that are owed a message after the first `upto` changes."""
    out: set[str] = set()
    for name in {each["sub"] for each in changes[:upto] if each["is"] == "SUBSCRIPTION"}:
        owed = name in _subscribed(changes[:born])
        for at in range(born + 1, upto):
            each = changes[at]
            if each.get("sub") != name:
                continue
            if each["is"] == "SUBSCRIPTION":
                owed = (owed or "retro" in each) if "info" in each else False
            elif each["is"] == "REMOVE_MESSAGE" and each["id"] == ident:
                owed = False
        if owed:
            out.add(name)
    return out


def _body(each: Said) -> bytes:
    return bytes.fromhex(each["body"])


def _rank(each: Said) -> int:
    prio = int(each.get("prio", "4"))
    return (prio < 4) - (prio > 4)  # the default


def replayed(ops: Sequence[Operation], edition: str) -> dict[str, Any]:
    """Return destinations with their messages and subscriptions, and what is in doubt."""
    done, doubtful = _taken(ops)
    places = []
    for place in sorted({each["place"] for _, each in done}, key=lambda name: tuple(name.split(":"))):
        changes = _life([each for _, each in done if each["place"] == place])
        if not changes:
            continue
        kind, name = place.split(":")
        held = sorted(_held(changes, len(changes)), key=_rank)
        subscriptions = sorted(_subscribed(changes))
        pending = {
            key: [
                each["id"]
                for each in held
                if key in _owed(changes, each["id"], _born(changes, each["id"], len(changes)), len(changes))
            ]
            for key in subscriptions
        }
        places.append(
            {
                "kind": kind,
                "name": name,
                "messages": [
                    {"id": each["id"], "priority": int(each.get("prio", "4")), "message": _body(each)}
                    for each in held
                ],
                "subscriptions": [{"key": key, "pending": pending[key]} for key in subscriptions],
            }
        )
    in_doubt = []
    for tx in sorted(tx for tx in doubtful if tx.startswith("xa=")):
        form, gtrid, bqual = tx.removeprefix("xa=").split(":")
        commands = [
            dict(
                zip(
                    ("type", "kind", "name", "id"),
                    (each["is"], *each["place"].split(":"), each["id"]),
                    strict=True,
                )
            )
            for each in doubtful[tx]
        ]
        xa = {"format_id": int(form), "gtrid": bytes.fromhex(gtrid), "bqual": bytes.fromhex(bqual)}
        in_doubt.append({**xa, "commands": commands})
    return {"destinations": places, "in_doubt": in_doubt}


def state(ops: Sequence[Operation], edition: str) -> dict[str, Any]:
    """Return the same as recovery reports it, as JSON."""
    return cast(dict[str, Any], jsonable(replayed(ops, edition)))
