"""Random Derby logs: valid logs, and logs with wrong fields under valid checksums."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from journalspec_corpus.derby_log.author import FORMAT, build, seal
from journalspec_corpus.derby_log.model import STATE, Kept, TableRows
from journalspec_corpus.derby_log.naive import UNCHECKED
from journalspec_corpus.drawn import DrawnJournal, drawn, lie_in
from journalspec_corpus.edits import Built

MODEL = TableRows()
#: Invalid values to write into a field. A narrow field takes the first bytes of each.
LIES = [
    bytes.fromhex(lie)
    for lie in ("ff" * 8, "80" + "00" * 7, "7f" + "ff" * 7, "00" * 8, "00" * 7 + "01", "40" + "00" * 7)
]
Groups = list[list[str]]
#: The number of operations of a small log is below this.
FEW = 16
#: The least number of operations of a long log: in editions with checksum records, and in those without. Such
#: a log has more than 1,024 records.
MANY, MANY_UNCHECKED = 500, 800


def base(edition: str, rng: random.Random, *, wide: bool = False, long: bool = False) -> DrawnJournal:
    """Return a valid log of `edition`: a few transactions in one or two files, or `long` and in one file."""
    first = rng.randrange(1, 2**22 - 8 if edition == "10.0" else 2**31 - 8) if wide else rng.randrange(1, 9)
    count = 1 if long else rng.choice((1, 1, 2))
    zeros = rng.choice((0, rng.randrange(5, 60)))
    lives = []
    for _ in range(2):
        groups, state = _life(edition, rng, wide=wide, long=long)
        lives.append((_laid(edition, rng, groups, first, count), state))
    (now, state), (then, _) = lives
    now.files[f"log{first + count - 1}.dat"].extend(bytes(zeros))
    return drawn((FORMAT, edition), (now, then), state, ends=_ends(now, edition))


def long_base(edition: str, rng: random.Random) -> DrawnJournal:
    """Return a valid log with so many records that the reference decodes them in another way."""
    return base(edition, rng, long=True)


def _laid(edition: str, rng: random.Random, groups: Groups, first: int, count: int) -> Built:
    cut = rng.randrange(1, len(groups) + 1) if count > 1 else len(groups)
    files = [{"groups": part} for part in (groups[:cut], groups[cut:])[:count]]
    return build({"first": first, "files": files, "checkpoint": groups[0][0].split()[0]}, edition)


def _ends(built: Built, edition: str) -> list[int]:
    """Return the end of each record's group, because a group with a checksum is valid only as a whole."""
    labels = built.labels.items() if edition not in UNCHECKED else ()
    groups = [spot for label, spot in labels if label.startswith("g") and label.endswith(".whole")]
    found = []
    for record in built.records.values():
        at = record["at"]
        own = int(at["off"]) + int(at["len"])
        whole = (spot.end for spot in groups if spot.file == at["file"] and spot.off < own <= spot.end)
        found.append(next(whole, own))
    return found


def operation(rng: random.Random, kept: Kept, number: int, longest: int = 0) -> dict[str, Any]:
    """Return an operation on a row of one of two tables, in one of a few transactions, or the end of a
    transaction.

    Its new names contain `number`, and a new value has up to `longest` more letters.
    """
    rows, changes, branches = kept
    held = {row[:2] for done in changes.values() for _, row in done}
    free = sorted(row[:2] for row in rows if row[:2] not in held)
    begun = sorted({name for name in (*changes, *branches) if "/" not in name})
    doubt = sorted(ids for name, ids in branches.items() if "/" in name)
    what = rng.random()
    if what < 0.2 and begun:
        tx = rng.choice(begun)
        prepares = ("prepare",) * 4 if tx in branches and tx in changes else ()
        return {"op": rng.choice(("commit", "rollback", *prepares)), "tx": tx}
    if what < 0.27 and doubt:
        gtrid, bqual = rng.choice(doubt)
        return {"op": "decide", "gtrid": gtrid, "bqual": bqual, "commit": rng.choice((True, False))}
    if what < 0.33:
        return {"op": "start", "tx": f"x{number}", "gtrid": f"{number:04x}", "bqual": "09"}
    tx = rng.choice((*begun, f"l{number}", "", ""))
    told = {"tx": tx} if tx else {}
    value = {"value": f"v{number}" + "x" * rng.randrange(longest + 1)}
    if what < 0.6 and free:
        table, key = rng.choice(free)
        row = {"table": table, "key": key, **told}
        return {"op": "delete", **row} if what < 0.45 else {"op": "update", **row, **value}
    return {"op": "insert", "table": rng.choice("TU"), "key": str(number), **value, **told}


class _Life:
    """Creates the texts of the records of operations. Transactions get the numbers after `number`."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.texts: list[str] = []
        self.branches: dict[str, str] = {}
        #: Transactions that have changed rows: their number, XA id, and the labels of their changes.
        self.open: dict[str, tuple[int, str, list[str]]] = {}

    def do(self, op: Mapping[str, Any]) -> None:
        kind, tx = op["op"], op.get("tx", "")
        if kind == "start":
            self.branches[tx] = f"{op['gtrid']}:{op['bqual']}"
        elif kind in ("commit", "rollback", "prepare"):
            self.end(tx, {"commit": "COMMIT", "rollback": "ABORT", "prepare": "PREPARE"}[kind])
        elif kind == "decide":
            self.end(f"{op['gtrid']}:{op['bqual']}", "COMMIT" if op["commit"] else "ABORT")
        else:
            self.change(op, tx)
            if not tx:
                self.end("", "COMMIT")

    def change(self, op: Mapping[str, Any], tx: str) -> None:
        if tx not in self.open:
            self.number += 1
            xa = f" xa=1:{self.branches[tx]}" if tx in self.branches else ""
            self.open[tx] = self.number, xa, []
            self.texts.append(f"b{self.number} BEGIN{xa}")
        number, _, labels = self.open[tx]
        labels.append(f"x{len(self.texts)}")
        row = " ".join(f"{name}={op[name]}" for name in ("table", "key", "value") if name in op)
        self.texts.append(f"{labels[-1]} {op['op'].upper()} tx={number} {row}")

    def end(self, tx: str, how: str) -> None:
        if tx not in self.open:
            return
        number, xa, labels = found = self.open.pop(tx)
        for label in reversed(labels) if how == "ABORT" else ():
            self.texts.append(f"u{label} UNDO of={label} tx={number}")
        self.texts.append(f"e{len(self.texts)} {how} tx={number}{xa}")
        if how == "PREPARE":
            self.open[self.branches[tx]] = found


def _life(
    edition: str, rng: random.Random, *, wide: bool = False, long: bool = False
) -> tuple[Groups, Mapping[str, Any]]:
    least = (MANY_UNCHECKED if edition in UNCHECKED else MANY) if long else 0
    if edition == "seed":
        # This edition contains only records whose bodies cannot be read.
        bodies = [rng.randbytes(rng.randrange(1, 40)) for _ in range(2 * least + rng.randrange(1, 6))]
        return [[f"r{at} body={data.hex()}"] for at, data in enumerate(bodies, 1)], {"bodies": bodies}
    life, kept = _Life(rng.randrange(200, 2**60) if wide else 200), MODEL.begin({})
    for number in range(least + rng.randrange(FEW)):
        op = operation(rng, kept, number, 300 if wide else 0)
        life.do(op)
        kept = MODEL.after(kept, op, "")
    # The first group has the checkpoint from which recovery begins.
    groups: Groups = [["k1 CHECKPOINT tx=1 group=0x101 open=1"], ["c1 COMMIT"]]
    for text in life.texts:
        if rng.randrange(2):
            groups.append([text])
        else:
            groups[-1].append(text)
    return groups, _state(MODEL.shown(MODEL.after(kept, {"op": "open"}, "")))


def _state(shown: Mapping[str, Any]) -> Mapping[str, Any]:
    branches = [((1, *map(bytes.fromhex, ids)), come, gone) for ids, come, gone in shown["in_doubt"]]
    return STATE.told((shown["rows"], branches))


def lies(edition: str, rng: random.Random) -> dict[str, bytes]:
    """Return files with wrong fields in records, headers and control files, under valid checksums."""
    groups, _ = _life(edition, rng)
    built = _laid(edition, rng, groups, 1, rng.choice((1, 2)))
    lie_in(built, LIES, rng.choice((1, 1, 2)), rng)
    if edition not in UNCHECKED:
        for number in range(1, len(groups) + 1):
            seal(built, f"g{number}")
    if edition != "seed":
        for label in ("control", "mirror"):
            seal(built, label)
    return built.content()
