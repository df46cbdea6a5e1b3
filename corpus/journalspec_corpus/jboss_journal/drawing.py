"""Random JBoss journals: valid journals, and journals with wrong fields in records."""

from __future__ import annotations

import random
from typing import Any

from journalspec.jboss_journal import LAYOUT
from journalspec.jboss_journal.plain import has, versioned
from journalspec_corpus.drawn import DrawnJournal, drawn, lie, varied, written
from journalspec_corpus.jboss_journal.author import build, name_of
from journalspec_corpus.jboss_journal.naive import replayed

#: Upper bounds of the bytes of a file besides its records, and of the bytes of a record; then the minimum
#: size of a file.
HEADROOM, LARGEST_RECORD, LEAST = 64, 160, 1024
KINDS = ("ADD", "ADD_TX", "COMMIT", "UPDATE", "DELETE_TX", "PREPARE", "UPDATE_TX", "DELETE", "ROLLBACK")
#: Wrong sizes and counts for hostile input. The check sizes are right.
LIES = (-(2**31), -(2**29), -1000, -8, -1, 0, 1, 2, 17, 255, 256, 1024, 2**28, 2**29, 2**30, 2**31 - 1)
LYING_FIELDS = ("size", "extra_size", "num_files", "check", "type", "stamp", "count")
BODIES = (b"", b"a", b"q" * 40, bytes.fromhex("0b00000001"), bytes(9))


def base(edition: str, rng: random.Random, *, wide: bool = False) -> DrawnJournal:
    """Return a small valid journal of `edition`: up to four records in each of one to three files.

    File ids rise from file to file, and are different in each generation (see :mod:`.drawn`).
    """
    high = rng.choice((0, 0, 1 << 31)) if wide and versioned(edition) else 0
    files: list[dict[str, Any]] = [
        {"id": high + number + 4, "records": _life(edition, rng, wide), "before": _life(edition, rng, wide)}
        for number in range(rng.choice((1, 1, 2, 3)))
    ]
    for file in files:
        _with_adds(file["records"], files[0]["records"])
    # Records are not aligned, because old bytes between aligned records would be holes.
    align = 1
    slack = rng.randrange(60)
    # A size into which every generation of every file fits: a multiple of the alignment.
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
    """Turn UPDATEs into ADDs, except for ids that the first records of the first file add."""
    added = [record["id"] for record in first[:1] if record["kind"] == "ADD"]
    for record in records:
        if record["kind"].startswith("UPDATE") and record["id"] not in added:
            record["kind"] = record["kind"].replace("UPDATE", "ADD")


def _life(edition: str, rng: random.Random, wide: bool) -> list[dict[str, Any]]:
    return [_record(edition, rng, wide) for _ in range(rng.choice((0, 1, 2, 4)))]


def _record(edition: str, rng: random.Random, wide: bool = False) -> dict[str, Any]:
    """Return a record; values for which its type has no field are ignored in the layout."""
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
    """Return files with records that have wrong fields, but a valid layout and valid check sizes."""
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
