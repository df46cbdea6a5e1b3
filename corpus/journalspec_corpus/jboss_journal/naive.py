"""The naive reader: every offset of every file is looked at.

Written from the specification and independent of the reference (see :mod:`journalspec_corpus.naive`).
It knows no parameters. What the fields of a record are
is told by their table.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from journalspec.jboss_journal import LAYOUT
from journalspec.jboss_journal.plain import UNFILLED_ID, has, laid_out_as, next_candidate, stamp_of, versioned
from journalspec.observation import CLEAN, RECOVERED, REFUSED
from journalspec_corpus.author import reported
from journalspec_corpus.jboss_journal.author import CHECK, TX, name_of
from journalspec_corpus.naive import (
    Entry,
    Files,
    Invalid,
    Scanned,
    Taker,
    expectation,
    natural,
    refused,
    require,
)

CONTROL = "journal-rename-control.ctr"
#: The fields that expectations list of a record.
LISTED = ("type", "id", "tx", "at")


def read(files: Files, edition: str) -> dict[str, Any]:
    """Return the answer to the forensic question: everything that stands in the files."""
    found = _searched(files, edition)
    strict = recover(files, edition, "strict")
    if strict["verdict"] == REFUSED and all(file.unusable for file in found):
        return strict
    answer = _answer(found, edition)
    beside = [record for file in _beside(files, edition) for record in file.records]
    return {**answer, "records": answer["records"] + beside}


def recover(files: Files, edition: str, policy: str) -> dict[str, Any]:
    """Return what a restart concludes under `policy`, ``strict`` or ``salvage``."""
    found = _searched(files, edition)
    for file in found:
        # From v1 on, a file shorter than its header is no reason to refuse (JBM-HDR-012).
        left_out = file.unusable == "short-file" and versioned(edition)
        if policy == "strict" and file.unusable and not left_out:
            return refused("header", file.unusable)
    return _answer(found, edition)


def _answer(found: Sequence[Scanned], edition: str) -> dict[str, Any]:
    usable = [file for file in found if not file.unusable]
    records = [record for file in usable for record in file.records]
    # Files that are lost as a whole come first.
    dropped = [region for file in found if file.unusable for region in file.lost()]
    dropped += [region for file in usable for region in file.lost()]
    state = replayed(records, [file.rank for file in usable], edition)
    rejected = any(item["why"] != "no-end" for item in state["discarded"])
    notes = ["invalid-file"] if len(usable) < len(found) else []
    notes += dict.fromkeys(note for file in usable for note in file.notes)
    codes = {"no-end": "incomplete-transaction"}
    notes += sorted({codes.get(item["why"], item["why"]) for item in state["discarded"]})
    return {
        "verdict": RECOVERED if dropped or rejected else CLEAN,
        "records": records,
        "dropped": dropped,
        "notes": notes,
        "state": state,
    }


def _searched(files: Files, edition: str) -> list[Scanned]:
    """Return the files in the order of their ids; those of one id in the natural order of their names."""
    found = [searched(name, bytes(data), edition) for name, data in _counting(files, edition).items()]
    return sorted(found, key=lambda file: (file.rank, natural(file.name)))


def _counting(files: Files, edition: str) -> Files:
    """Return the data files that count once a pending compaction is applied (JBM-CMP-005 to JBM-CMP-009)."""
    own = "." + name_of(1, edition).rpartition(".")[2]
    old, new, moves = _control(files, edition) or ([], [], [])
    renamed = {name: name.removesuffix(".cmp") for name in new if name in files}
    renamed |= {name: target for name, target in moves if name in files}
    gone = {name for name in (*old, *renamed.values()) if name not in renamed}
    left = {name: data for name, data in files.items() if name not in gone and name != CONTROL}
    # Files of another extension belong to the journal only if all do.
    return {name: data for name, data in left.items() if renamed.get(name, name).endswith(own)} or (
        {} if any(name.endswith(own) for name in files) else left
    )


def _beside(files: Files, edition: str) -> list[Scanned]:
    """Return what control, superseded and leftover files hold, by name."""
    counting = _counting(files, edition)
    own = name_of(1, edition).rpartition(".")[2]
    found = []
    for name in sorted(files, key=natural):
        if name == CONTROL and LAYOUT.has("control", edition):
            found.append(_control_file(files, edition))
        elif name not in counting and own in name.split("."):
            found.append(searched(name, bytes(files[name]), edition))
    return found


def _control_file(files: Files, edition: str) -> Scanned:
    file = Scanned(CONTROL, len(files[CONTROL]), rank=-1 if edition == "s2" else 0)
    _search(file, bytes(files[CONTROL]), edition, edition)
    return file


def _control(files: Files, edition: str) -> tuple[list[str], list[str], list[tuple[str, str]]] | None:
    """Return the three lists of a control file, None if there is none that counts (JBM-CMP-002 to -006)."""
    if CONTROL not in files or not LAYOUT.has("control", edition):
        return None
    file = _control_file(files, edition)
    if not file.records or file.records[0]["type"] != "ADD":
        return None
    taker = Taker(file.records[0]["body"])
    try:
        old, new, moves = (_names(taker, members) for members in (1, 1, 2))
    except (Invalid, UnicodeDecodeError):
        return None
    return old, new, list(zip(moves[::2], moves[1::2], strict=True))


def _names(taker: Taker, members: int) -> list[str]:
    count = taker.number(4)
    # Each name has its length in front at the least.
    require(count * members * 2 <= len(taker.data) - taker.at, "malformed")
    return [taker.take(taker.number(2, signed=False)).decode("utf-8") for _ in range(count * members)]


def searched(name: str, data: bytes, edition: str) -> Scanned:
    """Return what one file holds, looking at every offset behind its header."""
    file = Scanned(name, len(data))
    header = LAYOUT.read("header", edition, data)
    file.rank = header["file_id"]
    version = header.get("format_version", 0)
    readable = (1, 2) if has("record", "compact_count", edition) else (1,)
    if len(data) < LAYOUT.structure("header", edition).size:
        file.unusable = "short-file"
    elif versioned(edition) and version not in readable:
        file.unusable = "bad-version"
    elif header.get("user_version", 0):
        file.unusable = "bad-user-version"
    else:
        _search(file, data, edition, laid_out_as(edition, version))
        if not versioned(edition) and file.rank == UNFILLED_ID:
            file.notes.append("unfilled-header")
    return file


def _search(file: Scanned, data: bytes, edition: str, laid: str) -> None:
    own = stamp_of(edition, file.rank).to_bytes(4, "big")
    torn: list[tuple[int, int, str]] = []
    at = LAYOUT.structure("header", edition).size
    while (off := next_candidate(data, at, laid, None)) is not None:
        reason, end = claim(data, off, laid)
        stamped = data[off + 1 : off + 5] == own
        at = off + 1
        if stamped and reason:
            torn.append((off, end, reason))
        elif stamped:
            values = {**LAYOUT.read("record", laid, data[off:end]), "file_id": file.rank}
            file.add(reported(LAYOUT, edition, LAYOUT.type_name(laid, data[off]), values), off, end)
            at = end
        elif not reason:
            file.notes.append("stale")
    reached = 0
    for off, claimed, reason in torn:
        if off >= reached:  # not inside a region that is reported already
            # Up to where it would end, or to the next record (JBM-RDR-017).
            reached = min([claimed, *(r["at"]["off"] for r in file.records if r["at"]["off"] > off)])
            file.drop(off, reached, reason)


def claim(data: bytes, off: int, laid: str) -> tuple[str, int]:
    """Judge one candidate by the specification's order of checks; return what is wrong, and where it ends.

    Nothing is wrong with a healthy one. A torn one ends where it says that it does, or
    with the data where it says nothing of use. `laid` is the edition of its table.
    """
    end = LAYOUT.claimed_end("record", laid, data, off, len(data))
    if end == 0:
        return "truncated", len(data)
    if not off < end <= len(data):
        return "bad-size", len(data)
    stored = int.from_bytes(data[end - CHECK : end], "big")
    if has("record", "hash", laid):
        return "" if stored == zlib.crc32(data[off : end - CHECK]) else "bad-hash", end
    return "" if stored == end - off else "bad-check-size", end


@dataclass(slots=True)
class _Transaction:
    """What was read of one transaction: its records in order, and how many are in which file.

    `unhealthy`: a PREPARE did not find what it counts.
    """

    changes: list[Entry] = field(default_factory=list)
    deletes: list[Entry] = field(default_factory=list)
    counts: Counter[object] = field(default_factory=Counter)
    prepare: Entry | None = None
    unhealthy: bool = False

    def take(self, file: object, entry: Entry, present: Collection[int]) -> None:
        """Take in one of its records, or a PREPARE."""
        if entry["type"] != "PREPARE":
            self.counts[file] += 1
            (self.deletes if entry["type"] == "DELETE_TX" else self.changes).append(entry)
        elif self.is_whole(file, entry, present):
            self.prepare = entry
        else:
            self.unhealthy = True

    def is_whole(self, file: object, ending: Entry, present: Collection[int]) -> bool:
        """Tell whether a COMMIT or PREPARE finds what it counts (JBM-RCV-008 to JBM-RCV-012)."""
        if "count" in ending:
            return bool(ending["count"] == self.counts[file])
        # A listed file has its records, or is gone.
        return all(
            self.counts[row["file_id"]] == row["count"]
            if self.counts[row["file_id"]]
            else row["file_id"] not in present
            for row in ending["pairs"]
        )

    def fate(self) -> str:
        """Return why it is dropped if it has no end; empty: it is in doubt (JBM-RCV-018, JBM-RCV-019)."""
        if self.unhealthy:
            return "unhealthy-prepare"
        return "" if self.prepare else "no-end"


def replayed(entries: Iterable[Entry], present: Collection[int], edition: str) -> dict[str, Any]:
    """Return the state after `entries` in reading order; `present` are the ids of all data files."""
    delivered: list[Entry] = []
    deleted: set[int] = set()
    discarded: list[dict[str, Any]] = []
    open_: dict[int, _Transaction] = {}
    for entry in entries:
        kind, tx = entry["type"], entry.get("tx", 0)
        # A single count is about one file, also where two have the same id.
        file = entry["file_id"] if has("record", "pairs", edition) else entry["at"]["file"]
        if kind in ("ADD", "UPDATE"):
            delivered.append(entry)
        elif kind == "DELETE":
            deleted.add(entry["id"])
        elif kind in ("ROLLBACK", "COMMIT"):
            part = open_.pop(tx, None)
            if part is None or kind == "ROLLBACK":
                continue
            if part.is_whole(file, entry, present):
                delivered += part.changes
                deleted.update(item["id"] for item in part.deletes)
            else:
                discarded.append({"tx": tx, "why": "unhealthy-commit"})
        # JBM-SED-005: without extra data there is nothing to be in doubt about.
        elif kind in TX or (kind == "PREPARE" and (tx in open_ or has("record", "extra", edition))):
            open_.setdefault(tx, _Transaction()).take(file, entry, present)
    discarded += [{"tx": tx, "why": part.fate()} for tx, part in open_.items() if part.fate()]
    return {
        "live": [live(item) for item in delivered if item["id"] not in deleted],
        "prepared": [
            {
                "tx": tx,
                "extra": (part.prepare or {}).get("extra", b""),
                "records": list(map(live, part.changes)),
                "deletes": [{"id": item["id"], "body": item.get("body", b"")} for item in part.deletes],
            }
            for tx, part in sorted(open_.items())
            if not part.fate()
        ],
        "discarded": sorted(discarded, key=lambda item: item["tx"]),
    }


def live(record: Entry) -> dict[str, Any]:
    """Return a record as it is delivered."""
    return {
        "kind": record["type"].removesuffix("_TX"),
        "id": record["id"],
        "user_type": record["user_type"],
        "body": record["body"],
        "compact_count": record.get("compact_count", 0),
    }


def expected(files: Files, edition: str, notes: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return what a generated case expects of a reading and of both recoveries.

    `notes` are those that the reading must have, if they are not all that there are.
    """
    seen, strict = read(files, edition), recover(files, edition, "strict")
    seen = seen if notes is None else {**seen, "notes": notes}
    out = [
        expectation("read", seen, ("records", "dropped", "notes"), LISTED),
        expectation("recover.strict", strict, ("phase", "code", "state")),
    ]
    if strict["verdict"] == REFUSED:
        salvaged = recover(files, edition, "salvage")
        out.append(expectation("recover.salvage", salvaged, ("state", "dropped")))
    return out
