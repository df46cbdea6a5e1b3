"""The naive reader: every offset of every file is checked.

It is written from the specification, and shares no code with the reference (see
:mod:`journalspec_corpus.naive`). The table of fields determines the fields of a record. Parameters are the
extension, the configured size of a file, and the user version.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from journalspec.jboss_journal import LAYOUT
from journalspec.jboss_journal.plain import UNFILLED_ID, has, laid_out_as, next_candidate, stamp_of, versioned
from journalspec.mutf8 import decode
from journalspec.observation import CLEAN, RECOVERED, REFUSED
from journalspec_corpus.author import reported
from journalspec_corpus.jboss_journal.author import CHECK, TX
from journalspec_corpus.naive import (
    Entry,
    Files,
    Invalid,
    Scanned,
    Taker,
    end_of,
    expectation,
    natural,
    refused,
    require,
)

Params = Mapping[str, str]
NONE: Params = {}
CONTROL = "journal-rename-control.ctr"
#: The form of a data file's name.
NAME = re.compile(r"(.*?)-(-?[0-9]+)\.([A-Za-z]+)")
#: The bytes of padding, the sizes of blocks, and the possible sizes of a header's block.
FILLS, BLOCKS, HEADER_BLOCKS = (0x00, 0x4A), (512, 4096), (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)
#: The difference between the id of a free file and the ids in use is always below this number.
FAR = 1000
#: From v1 on, the id in a record is below this number; in earlier editions the id is a signed number.
TOP = 1 << 31
#: The number of free files that Artemis keeps.
POOL = 10
#: The fields that expectations list of a record.
LISTED = ("type", "id", "tx", "at")


def read(files: Files, edition: str, params: Params = NONE) -> dict[str, Any]:
    """Return the answer of a reading: the content of all files."""
    found = _searched(files, edition, params)
    strict = recover(files, edition, "strict", params)
    if strict["verdict"] == REFUSED and all(file.unusable for file in found):
        return strict
    answer = _answer(found, files, edition)
    others = _beside(files, edition, params)
    if files and not (found or others):
        return refused("fileset", "no-files")
    beside = [record for file in others for record in file.records]
    return {**answer, "records": answer["records"] + beside}


def recover(files: Files, edition: str, policy: str, params: Params = NONE) -> dict[str, Any]:
    """Return the result of a restart under `policy`, ``strict`` or ``salvage``."""
    found = _searched(files, edition, params)
    if policy == "salvage":
        found = _with_headers(found, files, edition)
    for file in found:
        # In edition v1 and later, a file that is shorter than its header is not a reason for a refusal
        # (JBM-HDR-012).
        left_out = file.unusable == "short-file" and versioned(edition)
        if policy == "strict" and file.unusable and not left_out:
            return refused("fileset" if file.unusable == "wrong-length" else "header", file.unusable)
    return _answer(found, files, edition)


def _with_headers(found: Sequence[Scanned], files: Files, edition: str) -> list[Scanned]:
    """Return the files; a file without a header is given the id that its records imply (JBM-RCV-032)."""
    size = LAYOUT.structure("header", edition).size
    ids = {file.rank for file in found if not file.unusable}
    out = []
    for file in found:
        data = bytes(files[file.name])
        implied = 0 if len(data) < size or any(data[:size]) else implied_id(data, edition)
        # A record that belongs to none of the files proves nothing. A file that is too short proves nothing
        # either.
        if file.unusable == "wrong-length" or not -TOP <= implied < TOP:
            implied = 0
        if implied and implied not in ids:
            ids.add(implied)
            file = Scanned(file.name, len(data), rank=implied)  # noqa: PLW2901  # the same file, read again
            _search(file, data, edition, edition)
            _without_header(file, size)
            file.notes.append("unverified")
        out.append(file)
    return sorted(out, key=lambda file: (file.rank, natural(file.name)))


def _without_header(file: Scanned, size: int) -> None:
    file.dropped.insert(0, {"file": file.name, "off": 0, "len": size, "reason": "lost-header"})


def implied_id(data: bytes, edition: str) -> int:
    """Return the file id of the first intact record of any id; 0 if there is none."""
    at = LAYOUT.structure("header", edition).size
    while (off := next_candidate(data, at, edition, None)) is not None:
        if not claim(data, off, edition)[0]:
            return int.from_bytes(data[off + 1 : off + 5], "big", signed=not versioned(edition))
        at = off + 1
    return 0


def _answer(found: Sequence[Scanned], files: Files, edition: str) -> dict[str, Any]:
    usable = [file for file in found if not file.unusable]
    records = [record for file in usable for record in file.records]
    # Unusable files come first.
    dropped = [region for file in found if file.unusable for region in file.lost()]
    dropped += [region for file in usable for region in file.lost()]
    numbers = [_number(file.name) for file in usable]
    complete = numbers == [*range(1, len(found) + 1)] == [file.rank for file in usable]
    complete = complete and CONTROL not in files
    state, gone = replayed(records, [file.rank for file in usable], edition, complete=complete)
    missing = _packed(found) + ([] if CONTROL in files else _lost(found, usable, _unfinished(files)))
    missing += [*_changed_headers(usable, files, edition), *gone]
    rejected = any(item["why"] != "no-end" for item in state["discarded"])
    notes = ["invalid-file"] if len(usable) < len(found) else []
    notes += dict.fromkeys(note for file in usable for note in file.notes)
    codes = {"no-end": "incomplete-transaction"}
    notes += sorted({codes.get(item["why"], item["why"]) for item in state["discarded"]})
    return {
        "verdict": RECOVERED if dropped or missing or rejected else CLEAN,
        "records": records,
        "dropped": dropped,
        "missing": missing,
        "notes": notes,
        "state": state,
    }


def _number(name: str) -> int | None:
    """Return the number in a data file's name, or None if there is none."""
    match = _form(name)
    return int(match[2]) if match else None


def _form(name: str) -> re.Match[str] | None:
    """Return the parts of a name in the journal's form; suffixes do not matter (JBM-FIL-031, JBM-CMP-018)."""
    return NAME.fullmatch(re.sub(r"(\.cmp|\.tmp)?(\.gz)?$", "", name))


def _packed(found: Sequence[Scanned]) -> list[dict[str, Any]]:
    """Return the files that exist only as compressed copies, unless all are compressed (JBM-FIL-026)."""
    packed = [file.name for file in found if file.name.endswith(".gz")]
    if len(packed) == len(found):
        return []
    return [{"code": "file", "name": name.removesuffix(".gz"), "file": name} for name in packed]


def _unfinished(files: Files) -> list[int]:
    """Return the numbers in the names of left-over files."""
    ends = tuple(f".{_extension(files)}{end}" for end in (".tmp", ".cmp"))
    numbers = [_number(name[: -len(".tmp")]) for name in files if name.endswith(ends)]
    return [number for number in numbers if number is not None]


def _lost(
    found: Sequence[Scanned], usable: Sequence[Scanned], unfinished: Sequence[int]
) -> list[dict[str, Any]]:
    """Return the missing files that no product would have deleted (JBM-FIL-024)."""
    first = _form(found[0].name) if found else None
    if first is None or first[3] != "amq" or len(found) >= POOL or len(usable) < len(found):
        return []
    if any(_number(file.name) != file.rank for file in found):
        return []
    # If records were deleted, a missing file may have been removed, because none of its records was live.
    if {"DELETE", "DELETE_TX", "ROLLBACK"} & {record["type"] for file in found for record in file.records}:
        return []
    out = []
    for before, after in pairwise(sorted({*unfinished, *(file.rank for file in usable)})):
        if after > before + 1:
            ends = dict.fromkeys((before + 1, after - 1))
            out.append({"code": "file", "name": " to ".join(f"{first[1]}-{end}.amq" for end in ends)})
    return out


def _changed_headers(usable: Sequence[Scanned], files: Files, edition: str) -> Iterator[dict[str, Any]]:
    """Yield the files whose header contains another id than all their records (JBM-FIL-027)."""
    for file in usable:
        first = implied_id(bytes(files[file.name]), edition)
        used = [first, *(other.rank for other in usable if other.records)]
        if not file.records and first and file.rank - max(used) >= FAR:
            yield {"code": "header", "name": file.name, "file": file.name, "off": 0}


def _searched(files: Files, edition: str, params: Params) -> list[Scanned]:
    """Return the files in the order of their ids. Files with the same id are in the natural order of their
    names.

    A file of the early editions counts as one without a header if its header is zeros and its records, or its
    place among the others, prove that it was in use.
    """
    counted = _counting(files, edition, params)
    found = [searched(name, bytes(data), edition, params) for name, data in counted.items()]
    found = [file for file in found if not _is_copy(file, found)]
    last = max((file.rank for file in found), default=0)
    for file in found:
        data, size = bytes(counted[file.name]), LAYOUT.structure("header", edition).size
        if not file.unusable and not any(data[:size]):
            at_zero = any(record["file_id"] == 0 for record in file.records)
            number = _number(file.name)
            if implied_id(data, edition) or (not at_zero and number is not None and number < last):
                _without_header(file, size)
    return sorted(found, key=lambda file: (file.rank, natural(file.name)))


def _is_copy(file: Scanned, found: Sequence[Scanned]) -> bool:
    """Return whether a file repeats another file's id, which fits only that name (JBM-FIL-023, 030)."""
    names = {other.name: _form(other.name) for other in found}
    prefixes = Counter(match[1] for match in names.values() if match)
    own = min(prefixes, key=lambda each: (-prefixes[each], len(each), each), default="")
    proper = {name for name, match in names.items() if match and match[1] == own}
    same = [
        other
        for other in found
        if other is not file and other.rank == file.rank and not (other.unusable or file.unusable)
    ]
    return any(
        file.name == f"{other.name}.gz" or (other.name in proper and file.name not in proper)
        for other in same
    )


def _counting(files: Files, edition: str, params: Params) -> Files:
    """Return the data files after a pending compaction was applied (JBM-CMP-005 to 009, 016 to 018)."""
    own = "." + (params.get("extension") or _extension(files))
    old, new, moves = _control(files, edition) or ([], [], [])
    renamed = {name: name.removesuffix(".cmp") for name in new if name in files and name not in old}
    renamed |= {name: target for name, target in moves if name in files and name not in old}
    gone = {*old, *(name for name in renamed.values() if name not in renamed)}
    left = {name: data for name, data in files.items() if name not in gone and name != CONTROL}
    return {
        name: data
        for name, data in left.items()
        if own != "." and renamed.get(name, name).removesuffix(".gz").endswith(own)
    }


def _extension(files: Files) -> str:
    """Return the most frequent extension, the first in the alphabet on a tie (JBM-FIL-001)."""
    found = Counter(match[3] for match in map(_form, files) if match)
    return min(found, key=lambda each: (-found[each], each), default="")


def _beside(files: Files, edition: str, params: Params) -> list[Scanned]:
    """Return the content of control, superseded and leftover files and of copies, by name."""
    counting = {file.name for file in _searched(files, edition, params)}
    old, new, moves = _control(files, edition) or ([], [], [])
    # The content of a renamed file is listed under the file's new name.
    later = {name: name.removesuffix(".cmp") for name in new} | dict(moves)
    own = params.get("extension") or _extension(files)
    ends = tuple(f".{own}{end}" for end in ("", ".tmp", ".cmp", ".gz"))
    found = []
    for name in sorted(files, key=natural):
        if name == CONTROL and LAYOUT.has("control", edition):
            found.append(_control_file(files, edition))
        elif name in old or (name not in counting and later.get(name, name).endswith(ends)):
            found.append(searched(name, bytes(files[name]), edition, params))
    return found


def _control_file(files: Files, edition: str) -> Scanned:
    file = Scanned(CONTROL, len(files[CONTROL]), rank=-1 if edition == "s2" else 0)
    _search(file, bytes(files[CONTROL]), edition, edition)
    return file


def _control(files: Files, edition: str) -> tuple[list[str], list[str], list[tuple[str, str]]] | None:
    """Return the three lists of a control file.

    Return None if there is no valid control file (JBM-CMP-002 to -006).
    """
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
    # Each name takes at least the bytes of its length.
    require(count * members * 2 <= len(taker.data) - taker.at, "malformed")
    return [decode(taker.take(taker.number(2, signed=False))) for _ in range(count * members)]


def searched(name: str, data: bytes, edition: str, params: Params = NONE) -> Scanned:
    """Return the content of one file, by checking every offset after its header."""
    # In an early edition the configured length is required (JBM-FIL-009 to JBM-FIL-011).
    size = 0 if LAYOUT.has("control", edition) else int(params.get("file_size", 0))
    data = data[: size or None]
    file = Scanned(name, len(data))
    header = LAYOUT.read("header", edition, data)
    file.rank = header["file_id"]
    version = header.get("format_version", 0)
    readable = (1, 2) if has("record", "compact_count", edition) else (1,)
    if len(data) < LAYOUT.structure("header", edition).size:
        file.unusable = "short-file"
    elif len(data) < size:
        file.unusable = "wrong-length"
    elif versioned(edition) and version not in readable:
        file.unusable = "bad-version"
    elif header.get("user_version", 0) != int(params.get("user_version", 0)):
        file.unusable = "bad-user-version"
    else:
        _search(file, data, edition, laid_out_as(edition, version))
        if not versioned(edition) and file.rank == UNFILLED_ID:
            file.notes.append("unfilled-header")
    return file


def _search(file: Scanned, data: bytes, edition: str, laid: str) -> None:
    own = stamp_of(edition, file.rank).to_bytes(4, "big")
    torn: list[tuple[int, int, str]] = []
    stale: list[tuple[int, int]] = []
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
            stale.append((off, end))
    # A record of an earlier generation is listed if it lies wholly outside the records of the file.
    begins = [record["at"]["off"] for record in file.records]
    if any(not any(off < begin < end for begin in begins) for off, end in stale):
        file.notes.append("stale")
    reached = 0
    last = tail = max([LAYOUT.structure("header", laid).size, *map(end_of, file.records)])
    for off, claimed, reason in torn:
        if off >= reached:  # This is not inside a reported region.
            # The region ends at the claimed end, or at the next record (JBM-RDR-017).
            reached = min([claimed, *(r["at"]["off"] for r in file.records if r["at"]["off"] > off)])
            if off > last and _is_left_over(data, off, last, tail, laid, own):
                continue
            file.drop(off, reached, reason)
            last = max(last, reached)
    _find_holes(file, data, edition, laid)


def _find_holes(file: Scanned, data: bytes, edition: str, laid: str) -> None:
    """Drop bytes before a record that belong to no record, padding or stale record (JBM-RDR-024)."""
    header = at = LAYOUT.structure("header", edition).size
    last = max((record["at"]["off"] for record in file.records), default=0)
    parts = [(region["off"], end_of({"at": region})) for region in file.dropped]
    parts += [(record["at"]["off"], end_of(record)) for record in file.records]
    for off, end in sorted(parts):
        if at < off <= last and not _is_padding(data, at, off, header):
            own = stamp_of(edition, file.rank).to_bytes(4, "big")
            if not any(_is_stale(data, place, off, laid, own) for place in range(at, off)):
                file.drop(at, off, "hole")
        at = max(at, end)
    file.dropped.sort(key=lambda region: region["off"])


def _is_padding(data: bytes, at: int, off: int, header: int) -> bool:
    if set(data[at:off]) not in [{fill} for fill in FILLS]:
        return False
    if at == header and off in HEADER_BLOCKS:
        return True
    return any(off % block == 0 and off - at < block for block in BLOCKS)


def _is_left_over(data: bytes, off: int, last: int, tail: int, laid: str, own: bytes) -> bool:
    """Return whether the bytes at `off`, in the tail of a file, are left over from an earlier generation.

    See JBM-RDR-025 to JBM-RDR-027. `last` is the end of the last record or reported region, `tail` the end of
    the last record.
    """
    header = LAYOUT.structure("header", laid).size
    stale = [(tail, tail)]
    for place in range(tail, len(data)):
        if place >= stale[-1][1] and _is_stale(data, place, len(data), laid, own):
            stale.append((place, claim(data, place, laid)[1]))
    at = max(end for _, end in stale if end <= off or end == tail)
    first = max(end for end in range(at, off + 1) if end == at or _is_padding(data, at, end, header))
    if off in (last, first) or (last < off and _is_padding(data, last, off, header)):
        return False
    if any(start < off < end for start, end in stale):
        return True
    stop = min([len(data), *(start for start, _ in stale if start > off)])
    part = data[at:stop]
    filled = len(part) - len(part.rstrip(part[-1:])) if part[-1] in FILLS else 0
    codes = LAYOUT.types(laid).values()
    least = min(LAYOUT.claimed_end("record", laid, bytes([code, *bytes(99)]), 0, 100) for code in codes)
    for end in (stop, stop - filled):
        length = int.from_bytes(data[end - CHECK : end], "big", signed=True)
        if least <= length and header <= end - length < first:
            return not has("record", "hash", laid)
    return False


def _is_stale(data: bytes, place: int, off: int, laid: str, own: bytes) -> bool:
    """Return whether an intact record of another file id begins at `place` and ends by `off`."""
    if next_candidate(data, place, laid, None, place + 1) is None or data[place + 1 : place + 5] == own:
        return False
    reason, end = claim(data[:off], place, laid)
    return not reason and end <= off


def claim(data: bytes, off: int, laid: str) -> tuple[str, int]:
    """Check one candidate in the specification's order of checks; return its fault, and its end.

    An intact candidate has the fault "". A torn candidate ends at its claimed end, or at the end of the data
    if the claim is impossible. `laid` is the edition whose table describes its layout.
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
    """The records of one transaction that were read so far, and their number in each file.

    `unhealthy` means that the counts of a PREPARE do not match.
    """

    changes: list[Entry] = field(default_factory=list)
    deletes: list[Entry] = field(default_factory=list)
    counts: Counter[object] = field(default_factory=Counter)
    prepare: Entry | None = None
    unhealthy: bool = False
    #: The missing records of the last unhealthy PREPARE.
    gone: list[dict[str, Any]] = field(default_factory=list)

    def take(self, file: object, entry: Entry, present: Collection[int]) -> None:
        """Add one of its records, or a PREPARE."""
        if entry["type"] != "PREPARE":
            self.counts[file] += 1
            (self.deletes if entry["type"] == "DELETE_TX" else self.changes).append(entry)
        elif self.is_whole(file, entry, present):
            self.prepare = entry
        else:
            self.unhealthy = True
            self.gone = self.misses(file, entry, present)

    def misses(self, file: object, ending: Entry, present: Collection[int]) -> list[dict[str, Any]]:
        """Return an entry about records that a COMMIT or PREPARE counts, but that the present files lack."""
        counted = [(file, ending["count"])] if "count" in ending else []
        counted += [(row["file_id"], row["count"]) for row in ending.get("pairs", ())]
        count = sum(
            max(0, number - self.counts[name])
            for name, number in counted
            if "count" in ending or name in present
        )
        at = {"file": ending["at"]["file"], "off": ending["at"]["off"]}
        return [{"code": "transaction", "name": str(ending["tx"]), **at, "count": count}] if count else []

    def is_whole(self, file: object, ending: Entry, present: Collection[int]) -> bool:
        """Return whether the counts of a COMMIT or PREPARE are right (JBM-RCV-008 to JBM-RCV-012)."""
        if "count" in ending:
            return bool(ending["count"] == self.counts[file])
        # A listed file either contains the counted number of records, or is missing and contributes none.
        return all(
            self.counts[row["file_id"]] == row["count"]
            if self.counts[row["file_id"]]
            else row["file_id"] not in present
            for row in ending["pairs"]
        )

    def fate(self) -> str:
        """Return why the transaction is discarded if it has no end; empty if it is in doubt (JBM-RCV-018,
        JBM-RCV-019).
        """
        if self.unhealthy:
            return "unhealthy-prepare"
        return "" if self.prepare else "no-end"


def replayed(
    entries: Iterable[Entry], present: Collection[int], edition: str, *, complete: bool
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return two values: the state after `entries` in reading order, and the entries about missing parts.

    `present` are the ids of all data files; they are `complete` if no file of the journal was ever deleted.
    """
    delivered: list[Entry] = []
    deletes: list[Entry] = []
    discarded: list[dict[str, Any]] = []
    gone: list[dict[str, Any]] = []
    open_: dict[int, _Transaction] = {}
    ended: set[int] = set()
    added: set[int] = set()
    for entry in entries:
        kind, tx = entry["type"], entry.get("tx", 0)
        # A single count concerns one file, even if two files have the same id.
        file = entry["file_id"] if has("record", "pairs", edition) else entry["at"]["file"]
        if kind in ("ADD", "ADD_TX"):
            added.add(entry["id"])
        if kind in ("ADD", "UPDATE"):
            delivered.append(entry)
        elif kind == "DELETE":
            deletes.append(entry)
        elif kind in ("ROLLBACK", "COMMIT"):
            part = open_.pop(tx, None)
            known = part is not None or tx in ended
            ended.add(tx)
            if kind == "ROLLBACK":
                continue
            if part is None:
                gone += [] if known else _Transaction().misses(file, entry, present)
            elif part.is_whole(file, entry, present):
                delivered += part.changes
                deletes += part.deletes
            else:
                discarded.append({"tx": tx, "why": "unhealthy-commit"})
                gone += part.misses(file, entry, present)
        # JBM-SED-005: in an edition without extra data, a PREPARE without records has no effect.
        elif kind in TX or (kind == "PREPARE" and (tx in open_ or has("record", "extra", edition))):
            open_.setdefault(tx, _Transaction()).take(file, entry, present)
    discarded += [{"tx": tx, "why": part.fate()} for tx, part in open_.items() if part.fate()]
    deleted = {item["id"] for item in deletes}
    remaining = [item for item in delivered if item["id"] not in deleted]
    doubtful = [part for part in open_.values() if not part.fate()]
    updates = remaining + [item for part in doubtful for item in part.changes if item["id"] not in deleted]
    here = {item["id"] for item in remaining if item["type"] in ("ADD", "ADD_TX")}
    here |= {item["id"] for part in open_.values() for item in part.changes if item["type"] == "ADD_TX"}
    orphans = [item for item in updates if item["id"] not in here]
    orphans += [item for item in deletes if complete and item["id"] not in {0, *added}]
    first = {item["id"]: item for item in reversed(orphans)}
    gone = [
        {"code": "record", "name": str(item["id"]), "file": item["at"]["file"], "off": item["at"]["off"]}
        for item in orphans
        if first[item["id"]] is item
    ] + gone
    for part in open_.values():
        gone += part.gone
    state = {
        "live": list(map(live, remaining)),
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
    return state, gone


def live(record: Entry) -> dict[str, Any]:
    """Return a live record as an answer lists it."""
    return {
        "kind": record["type"].removesuffix("_TX"),
        "id": record["id"],
        "user_type": record["user_type"],
        "body": record["body"],
        "compact_count": record.get("compact_count", 0),
    }


def expected(files: Files, edition: str, notes: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the expectations of a generated case for a reading and both recoveries.

    `notes` lists the notes that the reading must contain (default: all).
    """
    seen, strict = read(files, edition), recover(files, edition, "strict")
    seen = seen if notes is None else {**seen, "notes": notes}
    out = [
        expectation("read", seen, ("records", "dropped", "missing", "notes"), LISTED),
        expectation("recover.strict", strict, ("phase", "code", "missing", "state")),
    ]
    if strict["verdict"] == REFUSED:
        salvaged = recover(files, edition, "salvage")
        out.append(expectation("recover.salvage", salvaged, ("state", "dropped")))
    return out
