"""What records amount to, by looking back from each end of a transaction.

The replay rules of the specification (JBM-RCV), said in another way than a
reader would: a reader keeps books while it goes forward; here every COMMIT,
ROLLBACK and PREPARE asks which records of its transaction stand between it and
the end of the one before. Quadratic, and meant to be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from journalspec_corpus.jboss_journal.layout import SEEDS, TX

#: One record as its expectation describes it; ``file_id`` says where it stands.
Entry = Mapping[str, Any]


def outcome(entries: Iterable[Entry], present: Collection[int], edition: str) -> dict[str, Any]:
    """Return the state after `entries` in reading order; `present` are the ids of all data files."""
    order = list(entries)
    live: list[Entry] = []
    gone: set[int] = set()
    discarded: list[dict[str, Any]] = []
    for index, entry in enumerate(order):
        if entry["type"] in ("ADD", "UPDATE"):
            live.append(entry)
        elif entry["type"] == "DELETE":
            gone.add(entry["id"])
        elif entry["type"] == "COMMIT":
            part = _part(order, index, entry["tx"])
            if not _known(part, edition):
                continue
            if healthy(entry, part, present):
                live += [item for item in part if item["type"] in ("ADD_TX", "UPDATE_TX")]
                gone |= {item["id"] for item in part if item["type"] == "DELETE_TX"}
            else:
                discarded.append({"tx": entry["tx"], "why": "unhealthy-commit"})
    prepared = []
    for tx in dict.fromkeys(entry["tx"] for entry in order if "tx" in entry):
        part = _part(order, len(order), tx)
        if not _known(part, edition):
            continue
        verdicts = [
            healthy(entry, part[:at], present)
            for at, entry in enumerate(part)
            if _counts(entry, part[:at], edition)
        ]
        if verdicts and all(verdicts):
            prepared.append(_in_doubt(tx, part, present, edition))
        else:
            discarded.append({"tx": tx, "why": "unhealthy-prepare" if verdicts else "no-end"})
    return {
        "live": [_delivered(entry) for entry in live if entry["id"] not in gone],
        "prepared": sorted(prepared, key=lambda item: item["tx"]),
        "discarded": sorted(discarded, key=lambda item: item["tx"]),
    }


def _part(order: Sequence[Entry], before: int, tx: int) -> list[Entry]:
    """Return the transaction's records and prepares before `before`, back to its last end."""
    part: list[Entry] = []
    for entry in reversed(order[:before]):
        if entry.get("tx") != tx:
            continue
        if entry["type"] in ("COMMIT", "ROLLBACK"):
            break
        part.append(entry)
    return part[::-1]


def _known(part: Sequence[Entry], edition: str) -> bool:
    """Tell whether anything was read of the transaction; in the seed a PREPARE alone is nothing."""
    return any(entry["type"] in TX or edition not in SEEDS for entry in part)


def _counts(entry: Entry, before: Sequence[Entry], edition: str) -> bool:
    return entry["type"] == "PREPARE" and (edition not in SEEDS or _known(before, edition))


def healthy(ending: Entry, part: Sequence[Entry], present: Collection[int]) -> bool:
    """Tell whether a COMMIT or PREPARE counts what is there."""
    seen = Counter(entry["file_id"] for entry in part if entry["type"] in TX)
    if "count" in ending:
        own = [entry for entry in part if entry["type"] in TX and entry["at"]["file"] == ending["at"]["file"]]
        return bool(ending["count"] == len(own))
    return all(
        seen[pair["file_id"]] == pair["count"] if seen[pair["file_id"]] else pair["file_id"] not in present
        for pair in ending["pairs"]
    )


def _delivered(entry: Entry) -> dict[str, Any]:
    return {
        "kind": entry["type"].removesuffix("_TX"),
        "id": entry["id"],
        "user_type": entry["user_type"],
        "body": entry["body"],
        "compact_count": entry.get("compact_count", 0),
    }


def _in_doubt(tx: int, part: Sequence[Entry], present: Collection[int], edition: str) -> dict[str, Any]:
    """Return the transaction with the extra data of its last PREPARE."""
    [*_, prepare] = [
        entry
        for at, entry in enumerate(part)
        if _counts(entry, part[:at], edition) and healthy(entry, part[:at], present)
    ]
    return {
        "tx": tx,
        "extra": prepare.get("extra", ""),
        "records": [_delivered(item) for item in part if item["type"] in ("ADD_TX", "UPDATE_TX")],
        "deletes": [
            {"id": item["id"], "body": item.get("body", "")} for item in part if item["type"] == "DELETE_TX"
        ],
    }
