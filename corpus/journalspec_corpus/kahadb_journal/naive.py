"""The naive reader: it makes all checks of the specification, one after another, in the specification's
order.

It is written from the specification, and shares no code with the reference (see
:mod:`journalspec_corpus.naive`).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from typing import Any

from journalspec.kahadb_journal import LAYOUT
from journalspec.observation import CLEAN, RECOVERED
from journalspec_corpus.kahadb_journal.author import BRIEF, FORMAT, told
from journalspec_corpus.kahadb_journal.model import Kept, Messages
from journalspec_corpus.kahadb_journal.naive_index import missing
from journalspec_corpus.kahadb_journal.protobuf import NoCommand, command
from journalspec_corpus.naive import Files, Scanned, all_expected, asked, refused

CONTROL, HEAD = 28, 5
MARKER = b"-qMa4"
MOST = 2147483614
PHASES = {"bad-checksum": "checksum", "bad-chain": "record", "bad-record": "record", "bad-command": "record"}
MODEL = Messages()
#: The notes that a generated case requires or forbids.
NOTED = (
    "beyond-end",
    "resynchronised",
    "suspicious-end",
    "torn-tail",
    "unknown-type",
    "unscanned-damage",
    "unverified",
    "zero-tail",
)


def _marked(edition: str) -> bool:
    return "REWRITTEN_DATA_FILE" in LAYOUT.types(edition)


def _files(files: Files) -> list[tuple[int, str]]:
    """Return the data files: the id and name of each, in order (KHD-FIL-001 to KHD-FIL-003)."""
    found = [(match, name) for name in files if (match := re.fullmatch(r"db-(0|[1-9]\d*)\.log", name))]
    return sorted((int(match[1]), name) for match, name in found if int(match[1]) < 1 << 31)


def _start(edition: str) -> bytes:
    return LAYOUT.build("header", edition)[:16]


def _number(data: bytes, at: int, width: int = 4) -> int:
    return int.from_bytes(data[at : at + width], "big", signed=True)


def _sums(data: bytes, at: int) -> dict[str, Any]:
    """Return the fields of the control record at `at`."""
    return {"batch_size": _number(data, at + 16), "checksum": _number(data, at + 20, 8)}


def _ends(data: bytes, at: int, edition: str) -> bool:
    """Return whether the log ends at `at` without damage (KHD-END-005 to KHD-END-007)."""
    if at == len(data) or (_marked(edition) and data[at : at + 5] == MARKER):
        return True
    return edition != "seed" and not data[at:].strip(b"\0")


def _problem(data: bytes, at: int, edition: str, *, checked: bool) -> tuple[str, int]:
    """Return why no batch is at `at`, and the next offset to search.

    If there is a batch, return "" and its end.
    """
    if len(data) - at < CONTROL:
        return "truncated", len(data)
    if data[at : at + 16] != _start(edition):
        return "bad-header", at + 1
    size, stored = _sums(data, at).values()
    end = at + CONTROL + size
    if size <= 0 or size > MOST:
        return "bad-size", at + CONTROL
    if end > len(data):
        return "out-of-bounds", at + CONTROL
    if checked and stored != 0 and zlib.adler32(data[at + CONTROL : end]) != stored:
        return "bad-checksum", end
    place = at + CONTROL
    while place < end:
        length = _number(data, place)
        if end - place < HEAD or length < HEAD or place + length > end or data[place + 4] == 2:
            return "bad-chain", end
        place += length
    return "", end


def _nothing(data: bytes, at: int, edition: str) -> bool:
    """Return whether a batch of no bytes is at `at`, which ends the log (KHD-END-009)."""
    control = data[at : at + CONTROL]
    sizes = len(control) == CONTROL and control[16:27] == bytes(11) and control[27] in (0, 1)
    return edition != "seed" and sizes and control[:16] == _start(edition)


def _scan(name: str, data: bytes, edition: str, *, checked: bool = True) -> Scanned:
    found = Scanned(name, len(data))
    at, since, reason = 0, -1, ""
    while True:
        nothing = _nothing(data, at, edition)
        if nothing or _ends(data, at, edition):
            if since >= 0:
                found.drop(since, at, reason)
            if nothing and data[at + CONTROL :].replace(MARKER, b"").strip(b"\0"):
                found.note("suspicious-end", at)
            if not nothing and _marked(edition) and at < len(data) and not data[at]:
                found.note("zero-tail", at)
            if at < len(data):
                found.boundaries = [at]
            return found
        why, after = _problem(data, at, edition, checked=checked)
        if not why:
            if since >= 0:
                found.drop(since, at, reason)
                found.note("resynchronised", at)
                since = -1
            if not _sums(data, at)["checksum"] and "unverified" not in found.notes:
                found.note("unverified", at)
            _records(found, data, at, after, edition)
            at = after
            continue
        since, reason = (at, why) if since < 0 else (since, reason)
        at = data.find(_start(edition), after)
        if at < 0:
            found.drop(since, len(data), reason)
            return found


def _records(found: Scanned, data: bytes, at: int, end: int, edition: str) -> None:
    """Add the records of the batch at `at`."""
    first, place = _sums(data, at), at + CONTROL
    while place < end:
        length = _number(data, place)
        _take(found, data[place : place + length], place, edition, first)
        first = {}
        place += length


def _take(found: Scanned, record: bytes, at: int, edition: str, first: Mapping[str, Any]) -> None:
    """Add the record at `at` if it is a user's record; `first` contains fields of its batch, or nothing."""
    if record[4] != 1:
        found.note("unknown-type", at, str(record[4]))
        return
    said = {"length": len(record), **first}
    kind: dict[str, Any] = {"type": "OTHER", **said, "payload": record[HEAD:]}
    if edition != "seed":
        try:
            number, fields, surplus = command(record[HEAD:], edition)
            name = LAYOUT.type_name(edition, number)
            kind = {"type": name, **said, **told(name, fields), "stored": (name, fields)}
            if surplus:
                found.note("surplus", at, str(surplus))
        except NoCommand:
            found.note("bad-command", at)
    found.add(kind, at, at + len(record))


def _walked(name: str, data: bytes, edition: str) -> Scanned:
    """Return the result of a walk by lengths (KHD-RCV-016), which ends at an offset without a record."""
    found = Scanned(name, len(data))
    at, first = 0, dict[str, Any]()
    while at < len(data):
        if edition != "seed" and (data[at : at + 5] == MARKER or not any(data[at : at + 5])):
            if _marked(edition) and not data[at]:
                found.note("zero-tail", at)
            return found
        length = _number(data, at)
        if len(data) - at < HEAD or length < HEAD or at + length > len(data):
            end = len(data) if len(data) - at < HEAD else min(len(data), at + HEAD)
            found.drop(at, end, "bad-record")
            return found
        batch = data[at + 4] == 2 and length == CONTROL
        if not batch:
            _take(found, data[at : at + length], at, edition, first)
        first = _sums(data, at) if batch else {}
        at += length
    return found


def read(files: Files, edition: str) -> dict[str, Any]:
    """Return the answer of a reading: the content of all files."""
    found = [_scan(name, bytes(files[name]), edition) for _, name in _files(files)]
    if not found:
        return refused("fileset", "no-files")
    for file in found:
        data = bytes(files[file.name])
        for off in [_sound_batch(data, at + 1, edition) for at in file.boundaries]:
            if off >= 0:
                file.note("beyond-end", off)
    return _answer(files, found, edition, [number for number, _ in _files(files)], with_state=False)


def _sound_batch(data: bytes, at: int, edition: str) -> int:
    """Return the offset of the first batch from `at` on, after the log's end (KHD-END-011); -1 if none."""
    while (at := data.find(_start(edition), at)) >= 0:
        why, after = _problem(data, at, edition, checked=True)
        if not why:
            return at
        at = after
    return -1


def _emptied(files: Files, edition: str) -> list[dict[str, Any]]:
    """Return the files whose content was lost (KHD-FIL-013)."""
    data_of = [(name, bytes(files[name])) for _, name in _files(files)]
    kept = [(name, data) for name, data in data_of if not _unused(data, edition)]
    out = []
    for at, (name, data) in enumerate(kept):
        # In the seed edition, zeros are not unused space but damaged content.
        if not (any(data) or (data and edition == "seed")):
            later = [each for each in kept[at + 1 :] if any(each[1]) or (each[1] and edition == "seed")]
            if later and not (kept[at + 1] == later[0] and _one_record(later[0][1], edition) >= len(data)):
                out.append({"code": "emptied-file", "name": name, "file": later[0][0]})
    return out


def _one_record(data: bytes, edition: str) -> int:
    """Return the length of the only record of a file; -1 if it does not have exactly one."""
    why, end = _problem(data, 0, edition, checked=True)
    length = _number(data, CONTROL)
    alone = not why and CONTROL + length == end
    return length if alone and (_ends(data, end, edition) or _nothing(data, end, edition)) else -1


def recover(files: Files, edition: str, policy: str) -> dict[str, Any]:
    """Return the result of a restart under `policy`."""
    names = _files(files)
    if not names:
        return refused("fileset", "no-files")
    numbers, bare = [number for number, _ in names], edition == "seed"
    last = _last(files, edition)
    checked, found = policy != "unchecked", []
    for _, name in names:
        data = bytes(files[name])
        whole = policy in ("strict", "salvage") or name == last
        scanned = _scan(name, data, edition, checked=checked)
        if not whole:
            ends = [{**note, "reason": note["code"]} for note in scanned.noted]
            lossy = [*scanned.dropped, *(end for end in ends if end["reason"] == "suspicious-end")]
            scanned = _walked(name, data, edition)
            if lossy:
                scanned.note("unscanned-damage", lossy[0]["off"], lossy[0]["reason"])
        found.append(scanned)
        bad = [
            {**record["at"], "reason": "bad-command"}
            for record in _counting(scanned, numbers)
            if record["type"] == "OTHER" and not bare
        ]
        if policy == "salvage":
            for at in bad:
                scanned.drop(at["off"], at["off"] + at["len"], "bad-command")
            scanned.dropped.sort(key=lambda region: region["off"])
            gone = {at["off"] for at in bad}
            scanned.records = [each for each in scanned.records if each["at"]["off"] not in gone]
            continue
        refusing = [
            region
            for region in scanned.dropped
            if not whole
            or (policy == "strict" and (name != last or region["off"] + region["len"] != len(data)))
        ]
        if bad or refusing:
            return _refusal(min([*bad, *refusing], key=lambda region: region["off"]))
    return _answer(files, found, edition, numbers, with_state=True)


def _last(files: Files, edition: str) -> str:
    """Return the last file that is neither unused nor empty, or no name."""
    used = [name for _, name in _files(files) if files[name] and not _unused(bytes(files[name]), edition)]
    return used[-1] if used else ""


def _unused(data: bytes, edition: str) -> bool:
    return _marked(edition) and data[:5] == MARKER


def _refusal(region: Mapping[str, Any]) -> dict[str, Any]:
    place = {key: region[key] for key in ("file", "off", "len")}
    return {**refused(PHASES.get(region["reason"], "header"), region["reason"]), "at": place}


def _answer(
    files: Files, found: list[Scanned], edition: str, numbers: list[int], *, with_state: bool
) -> dict[str, Any]:
    dropped = [region for file in found for region in file.dropped]
    lossy = any({"suspicious-end", "unscanned-damage"} & {*file.notes} for file in found)
    records = [
        {key: value for key, value in record.items() if key != "stored"}
        for file in found
        for record in file.records
    ]
    kept = _kept(found, numbers)
    gone = _emptied(files, edition)
    if edition != "seed":
        counting = [(file, _counting(file, numbers)) for file in found]
        gone += missing(files, counting, [*kept.open, *kept.prepared])
    verdict = RECOVERED if dropped or lossy or gone else CLEAN
    notes = [*_of_the_set(files, edition), *(note for file in found for note in file.notes)]
    torn = _torn(files, dropped, edition)
    notes += ["torn-tail"] * len(torn)
    noted = [*(note for file in found for note in file.noted), *torn]
    # A prepared local transaction also counts as incomplete (KHD-TXN-005).
    left = {*kept.open, *(tx for tx in kept.prepared if tx[0] == "LOCAL")}
    notes += ["incomplete-transaction"] * (len(left) if with_state else 0)
    out: dict[str, Any] = {"verdict": verdict, "records": records, "dropped": dropped, "notes": notes}
    out["noted"] = noted
    if gone:
        out["missing"] = gone
    if with_state and edition == "seed":
        out["state"] = {"payloads": [record["payload"] for file in found for record in file.records]}
    elif with_state:
        out["state"] = MODEL.shown(kept)
    return out


def _of_the_set(files: Files, edition: str) -> list[str]:
    """Return the notes on names and numbers of files (KHD-FIL-005, KHD-FIL-007)."""
    numbers = [number for number, _ in _files(files)]
    unused = ["unused-file" for _, name in _files(files) if _unused(bytes(files[name]), edition)]
    return [*unused, "file-id-gap"] if numbers[-1] - numbers[0] >= len(numbers) else unused


def _torn(files: Files, dropped: list[dict[str, Any]], edition: str) -> list[dict[str, Any]]:
    """Return the notes on damage at the end of the last file (KHD-RCV-020)."""
    damage = [region for region in dropped if region["reason"] != "bad-command"]
    last = _last(files, edition)
    end = len(files[last]) if last else 0
    ending = [region for region in damage if region["file"] == last and region["off"] + region["len"] == end]
    return [{"code": "torn-tail", "file": last, "off": region["off"]} for region in ending]


def _counting(file: Scanned, numbers: list[int]) -> list[Any]:
    """Return the records to replay: none after a rewritten copy of a file that is present (KHD-RCV-012)."""
    out = []
    for record in file.records:
        out.append(record)
        name, fields = record.get("stored", ("", {}))
        skips = name == "REWRITTEN_DATA_FILE" and fields.get("skip_if_source_exists", True)
        if skips and fields.get("source_file", 0) in numbers:
            break
    return out


def _kept(found: list[Scanned], numbers: list[int]) -> Kept:
    """Return the model's state after all records that are replayed."""
    kept = Kept({}, {}, {})
    for file in found:
        for record in _counting(file, numbers):
            if "stored" in record:
                kept = MODEL.taken(kept, *record["stored"])
    return kept


def expected(files: Files, edition: str, *, full: bool = False) -> list[dict[str, Any]]:
    """Return the expectations of a generated case for a reading and recovery under every policy.

    With `full`, the reading is expected with all fields of its records. Only one recovery is expected,
    without records, because for a dense journal without damage all policies have the same result.
    """
    answers = []
    for question, seen in asked(read, recover, FORMAT, files, edition):
        codes = sorted(note for note in seen.get("notes", ()) if note in NOTED)
        noted = [note for note in seen.get("noted", ()) if note["code"] in NOTED]
        answers.append((question, {**seen, "notes": codes, "noted": noted, "unnoted": [*NOTED]}))
    if full:
        reading, (question, recovered) = answers[:2]
        state = {key: value for key, value in recovered.items() if key != "records"}
        return all_expected([reading, (question, state)], ())
    return all_expected(answers, BRIEF)
