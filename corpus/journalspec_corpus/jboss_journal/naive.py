"""The naive reader: every offset of every file is looked at, and every end of a transaction looks back.

Written from the specification, obviously right rather than fast (quadratic),
and independent of the reference: it says what generated cases expect. It knows
data files alone: no control file, and no parameters. Answers are observations
as in cases, with plain integers.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from journalspec.jboss_journal import LAYOUT
from journalspec.observation import CLEAN, RECOVERED, REFUSED
from journalspec_corpus.jboss_journal.author import (
    CHECK,
    CODES,
    SEEDS,
    TX,
    VERSIONED,
    code_of,
    laid_out_as,
    live_item,
    stamp_of,
)
from journalspec_corpus.making import when

Files = Mapping[str, bytes | bytearray]
#: One record as an observation has it; ``file_id`` is that of its file.
Entry = Mapping[str, Any]
#: The fields that are bytes, in hex in observations.
BYTES = ("body", "extra")
#: A type and a stamp: less is no candidate.
CANDIDATE = 5
#: What a file begins with that was never given an id, up to s2 (JBM-HDR-013).
UNFILLED = b"JJJJ"
_REPORTED = ("compact_count", "tx", "id", "user_type", "count", *BYTES)


@dataclass
class Searched:
    """One file: why it is `unusable`, or its id, records, dropped regions and what else there is to say."""

    name: str
    size: int
    unusable: str = ""
    file_id: int = 0
    records: list[Entry] = field(default_factory=list)
    dropped: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read(files: Files, edition: str) -> dict[str, Any]:
    """Return the answer to the forensic question: everything that stands in the files."""
    found = _searched(files, edition)
    strict = recover(files, edition, "strict")
    if strict["verdict"] == REFUSED and all(file.unusable for file in found):
        return strict
    return _answer(found, edition)


def recover(files: Files, edition: str, policy: str) -> dict[str, Any]:
    """Return what a restart concludes under `policy`, ``strict`` or ``salvage``."""
    found = _searched(files, edition)
    for file in found:
        # From v1 on, a file shorter than its header is no reason to refuse (JBM-HDR-012).
        if policy == "strict" and file.unusable and (edition, file.unusable) not in _LEFT_OUT:
            return {"verdict": REFUSED, "phase": "header", "code": file.unusable}
    return _answer(found, edition)


_LEFT_OUT = {(edition, "short-file") for edition in VERSIONED}


def _answer(found: Sequence[Searched], edition: str) -> dict[str, Any]:
    usable = [file for file in found if not file.unusable]
    records = [record for file in usable for record in file.records]
    dropped = [
        {"file": file.name, "off": 0, "len": file.size, "reason": file.unusable}
        for file in found
        if file.unusable
    ]
    dropped += [region for file in usable for region in file.dropped]
    state = replayed(records, [file.file_id for file in usable], edition)
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


def _searched(files: Files, edition: str) -> list[Searched]:
    """Return the files in the order of their ids; those of one id in the natural order of their names."""
    found = [searched(name, bytes(data), edition) for name, data in files.items()]
    return sorted(found, key=lambda file: (file.file_id, _natural(file.name)))


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def searched(name: str, data: bytes, edition: str) -> Searched:
    """Return what one file holds, looking at every offset behind its header."""
    file = Searched(name, len(data))
    version, file_id, start = 0, data[:4], 4
    if edition in VERSIONED:
        version, file_id, start = int.from_bytes(data[:4], "big"), data[8:16], 16
    file.file_id = int.from_bytes(file_id, "big", signed=True)
    if len(data) < start:
        file.unusable = "short-file"
    elif edition in VERSIONED and version not in ((1,) if edition == "v1" else (1, 2)):
        file.unusable = "bad-version"
    elif edition in VERSIONED and any(data[4:8]):
        file.unusable = "bad-user-version"
    else:
        _search(file, data, start, edition, version)
        if edition not in VERSIONED and data[:4] == UNFILLED:
            file.notes.append("unfilled-header")
    return file


def _search(file: Searched, data: bytes, start: int, edition: str, version: int) -> None:
    kinds = {code_of(kind, edition): kind for kind in CODES if kind != "EVENT" or edition == "v2e"}
    stamp = stamp_of(file.file_id, edition).to_bytes(4, "big")
    torn: list[tuple[int, int, str]] = []
    at = start
    while at + CANDIDATE <= len(data):
        own = data[at + 1 : at + CANDIDATE] == stamp
        found = claim(data, at, edition, version) if data[at] in kinds else None
        if found is None or (not own and found.reason):
            at += 1
        elif not own:
            file.notes.append("stale")
            at += 1
        elif found.reason:
            torn.append((at, found.end, found.reason))
            at += 1
        else:
            values = _fields(data[at : found.end], kinds[data[at]], edition, version)
            place = {"file": file.name, "off": at, "len": found.end - at}
            file.records.append({**values, "file_id": file.file_id, "at": place})
            at = found.end
    file.dropped = list(_regions(file, torn))


@dataclass(frozen=True, slots=True)
class Claim:
    """What the bytes at a candidate's place say: where it would end, or why it is no record."""

    reason: str
    end: int


def claim(data: bytes, off: int, edition: str, version: int = 2) -> Claim:
    """Judge one candidate with the right type and file id by the specification's order of checks.

    `reason` is "" for a healthy one. `end` is where the candidate says that it
    ends, or the end of the data where it says nothing of use.
    """
    laid = laid_out_as(edition, version)
    form = LAYOUT.structure("record", laid, LAYOUT.type_name(laid, data[off]))
    if off + form.size > len(data):
        return Claim("truncated", len(data))
    at, end = off, off + form.size
    for item in form.fields:
        if measured := form.measures.get(item.name):
            value = item.integer(data[at : at + item.width])
            if value < 0:
                return Claim("bad-size", len(data))
            end += value * (sum(member.width for member in measured.of) or 1)
        at += item.width
    if end > len(data):
        return Claim("bad-size", len(data))
    stored = int.from_bytes(data[end - CHECK : end], "big")
    if edition == "seed+hash":
        return Claim("" if stored == zlib.crc32(data[off : end - CHECK]) else "bad-hash", end)
    return Claim("" if stored == end - off else "bad-check-size", end)


def _regions(file: Searched, torn: Sequence[tuple[int, int, str]]) -> Iterator[dict[str, Any]]:
    """Yield what is dropped: from a torn candidate to its claimed end or the next record (JBM-RDR-017)."""
    reached = 0
    for off, claimed, reason in torn:
        if off < reached:
            continue  # inside a region that is reported already
        reached = min([claimed, *(r["at"]["off"] for r in file.records if r["at"]["off"] > off)])
        yield {"file": file.name, "off": off, "len": reached - off, "reason": reason}


def _fields(data: bytes, kind: str, edition: str, version: int) -> dict[str, Any]:
    """Return what the bytes of a healthy record say."""
    said = LAYOUT.read("record", laid_out_as(edition, version), data, kind)
    out = {name: said[name].hex() if name in BYTES else said[name] for name in _REPORTED if name in said}
    pairs = {"pairs": said.get("pairs", [])} if "num_files" in said else {}
    return {"type": kind, **out, **pairs}


def replayed(entries: Iterable[Entry], present: Collection[int], edition: str) -> dict[str, Any]:
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
        "live": [live_item(entry) for entry in live if entry["id"] not in gone],
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
        "records": [live_item(item) for item in part if item["type"] in ("ADD_TX", "UPDATE_TX")],
        "deletes": [
            {"id": item["id"], "body": item.get("body", "")} for item in part if item["type"] == "DELETE_TX"
        ],
    }


def expected(files: Files, edition: str, notes: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return what a generated case expects of a reading and of both recoveries.

    `notes` are those that the reading must have, if they are not all that there are.
    """
    seen, strict = read(files, edition), recover(files, edition, "strict")
    reading = {
        "when": when("read"),
        "verdict": seen["verdict"],
        "records": [{key: r[key] for key in ("type", "id", "tx", "at") if key in r} for r in seen["records"]],
        "dropped": seen["dropped"],
        "notes": seen["notes"] if notes is None else notes,
    }
    listed = ("verdict", "phase", "code") if strict["verdict"] == REFUSED else ("verdict", "state")
    out = [reading, {"when": when("recover.strict"), **{key: strict[key] for key in listed}}]
    if strict["verdict"] == REFUSED:
        salvaged = recover(files, edition, "salvage")
        out.append(
            {
                "when": when("recover.salvage"),
                **{key: salvaged[key] for key in ("verdict", "state", "dropped")},
            }
        )
    return out
