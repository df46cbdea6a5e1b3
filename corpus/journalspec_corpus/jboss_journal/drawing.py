"""JBoss journals drawn at random: valid ones, records that lie, and files made to cost much."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from journalspec.jboss_journal import LAYOUT
from journalspec.jboss_journal.plain import CONTROL, has, versioned
from journalspec.layout import joined
from journalspec_corpus.drawn import DrawnJournal, drawn, lie, repeated, varied, written
from journalspec_corpus.jboss_journal.author import build, header_parts, name_of, record_bytes
from journalspec_corpus.jboss_journal.naive import replayed

#: What a file needs besides its records, and what a record needs, generously; no writer makes smaller files.
HEADROOM, LARGEST_RECORD, LEAST = 64, 160, 1024
KINDS = ("ADD", "ADD_TX", "COMMIT", "UPDATE", "DELETE_TX", "PREPARE", "UPDATE_TX", "DELETE", "ROLLBACK")
#: Numbers that sizes and counts lie with; a check size over them is right all the same.
LIES = (-(2**31), -(2**29), -1000, -8, -1, 0, 1, 2, 17, 255, 256, 1024, 2**28, 2**29, 2**30, 2**31 - 1)
LYING_FIELDS = ("size", "extra_size", "num_files", "check", "type", "stamp", "count")
BODIES = (b"", b"a", b"q" * 40, bytes.fromhex("0b00000001"), bytes(9))


def base(edition: str, rng: random.Random, *, wide: bool = False) -> DrawnJournal:
    """Return a small valid journal of `edition`: up to four records in each of one to three files.

    Ids rise from file to file, and no life has the id of another one (see :mod:`.drawn`).
    """
    high = rng.choice((0, 0, 1 << 31)) if wide and versioned(edition) else 0
    files: list[dict[str, Any]] = [
        {"id": high + number + 4, "records": _life(edition, rng, wide), "before": _life(edition, rng, wide)}
        for number in range(rng.choice((1, 1, 2, 3)))
    ]
    for file in files:
        _with_adds(file["records"], files[0]["records"])
    # Records touch: between aligned ones old bytes would be holes.
    align = 1
    slack = rng.randrange(60)
    # A multiple of the alignment that every life of every file fits in.
    most = max(len(file["records"]) + len(file["before"]) for file in files)
    needed = max(HEADROOM + most * (LARGEST_RECORD + align) + align + slack, LEAST)
    fill = f"{rng.choice((0, 0x4A, 0xFF) if wide else (0, 0x4A)):02x}"
    frame = {"size": -(-needed // align) * align, "align": align, "fill": fill}
    lives: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for number, file in enumerate(files, start=1):
        stamp = {"stamp": number, "pairs": [(number, 1)], "count": 1}
        old = [{**record, **stamp} for record in file["before"]]
        lives[0].append({**frame, **file, "number": number, "before": old})
        lives[1].append({**frame, "id": number, "number": number, "records": old})
    now, then = (build({"files": life}, edition) for life in lives)
    ids = [file["id"] for file in files]
    entries = [now.records[label] for label in written(now)]
    state, _ = replayed(entries, ids, edition, complete=False)
    return drawn(("jboss_journal", edition), (now, then), state)


def _with_adds(records: list[dict[str, Any]], first: list[dict[str, Any]]) -> None:
    """Turn UPDATEs into ADDs, but for those of ids that the first records of the first file add."""
    added = [record["id"] for record in first[:1] if record["kind"] == "ADD"]
    for record in records:
        if record["kind"].startswith("UPDATE") and record["id"] not in added:
            record["kind"] = record["kind"].replace("UPDATE", "ADD")


def _life(edition: str, rng: random.Random, wide: bool) -> list[dict[str, Any]]:
    return [_record(edition, rng, wide) for _ in range(rng.choice((0, 1, 2, 4)))]


def _record(edition: str, rng: random.Random, wide: bool = False) -> dict[str, Any]:
    """Return a record; what its type has no field for is left out when it is laid."""
    record = {
        "kind": rng.choice((*KINDS, "EVENT") if edition == "v2e" else KINDS),
        "tx": rng.choice((7, 8, -1)),
        "id": rng.choice((1, 2, 3, -(2**63))),
        "user_type": rng.randrange(256),
        "body": rng.choice(BODIES).hex(),
        "extra": rng.choice(BODIES).hex(),
        "compact": rng.randrange(128) if has("record", "compact_count", edition) else 0,
    }
    if not wide:
        return record
    return varied(record, LAYOUT, edition, {}, rng)


def lies(edition: str, rng: random.Random) -> dict[str, bytes]:
    """Return files with records whose fields lie, laid out and checked as if they did not."""
    records = [_liar(edition, rng) for _ in range(rng.choice((1, 2, 3)))]
    files: list[dict[str, Any]] = [{"id": 1, "records": records, "size": 2048}]
    if rng.randrange(3) == 0:
        own_id = rng.choice((1, 2, -1))
        files.append({"id": own_id, "number": 2, "records": [_liar(edition, rng)], "size": 2048})
    if LAYOUT.has("control", edition) and rng.randrange(4) == 0:
        lists = {name: rng.choice(LIES) for name in ("olds", "news", "moves") if rng.randrange(3) == 0}
        old, new = name_of(1, edition), name_of(2, edition) + ".cmp"
        files.append({"control": True, "old": [old], "new": [new], **lists})
    return build({"files": files}, edition).content()


def _liar(edition: str, rng: random.Random) -> dict[str, Any]:
    record = lie(_record(edition, rng), LYING_FIELDS, LIES, rng)
    if "type" in record:
        record["type"] = rng.randrange(8, 22)
    if rng.randrange(3) == 0:
        record["pairs"] = [(rng.choice((1, 2, 7)), rng.choice(LIES)) for _ in range(rng.randrange(4))]
    if "stamp" not in record or rng.randrange(4):
        record["stamp"] = 1
    return record


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes that tempt a reader into more than linear work."""

    def record(kind: str, **fields: Any) -> bytes:
        described = {"id": 1, "tx": 9, "pairs": [], "count": 0, "stamp": 1, "body": "", **fields}
        return record_bytes({"kind": kind, **described}, edition)

    def file(number: int) -> bytes:
        return joined(header_parts({"id": number}, edition))

    add = record("ADD_TX")
    # Heads each of which claims to end with the file, and none does.
    head = len(record("ADD")) - 4
    claims = b"".join(record("ADD", size=size - at - head - 4)[:head] for at in range(0, size - head, head))
    # Records within records, the outermost torn: each level is found once more.
    nested = record("ADD", body="61")
    while len(nested) < size:
        nested = record("ADD", body=nested.hex(), check=1)
    # A COMMIT with as many pairs as fit; elsewhere a PREPARE with much extra data.
    if has("record", "pairs", edition):
        ending = record("COMMIT", pairs=[(2, 1)] * (size // 8))
    else:
        ending = record("PREPARE", extra=f"00*{size}")
    code = bytes([LAYOUT.types(edition)["ADD"]])
    data = {
        # Nothing but a type and the file's id, again and again.
        "prologues": repeated(code + (1).to_bytes(4, "big"), size),
        "all-claim-the-end": claims.ljust(size, b"\0"),
        "small-records": repeated(record("DELETE"), size),
        "open-transactions": b"".join(record("ADD_TX", tx=number) for number in range(-(-size // len(add)))),
        # One transaction of many records, prepared again and again.
        "one-transaction": repeated(add + record("PREPARE", count=1), size),
        "many-pairs": add + ending,
        "nested": nested,
        "types": code * size,
        "zeros": bytes(size),
    }
    first = name_of(1, edition)
    made = {name: {first: file(1) + content} for name, content in data.items()}
    if LAYOUT.has("control", edition):
        # Its first list has as many names without a letter as fit.
        body = ((size // 2).to_bytes(4, "big") + bytes(2 * (size // 2)) + bytes(8)).hex()
        control = build({"files": [{"control": True, "body": body}]}, edition)
        made["control-of-names"] = {first: file(1), CONTROL: bytes(control.files[CONTROL])}
    made["many-files"] = {name_of(number, edition): file(number % 3) for number in range(size // 64)}
    return made
