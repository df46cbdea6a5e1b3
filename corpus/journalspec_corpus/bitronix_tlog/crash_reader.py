"""Recovery of the disk journal over a state that is never built.

Records are decoded by the reference codec, once per distinct bytes; only the
walk from one to the next is repeated here, because it has to know what it
looked at. A test holds every answer against the reference on whole files.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from journalspec.observation import CLEAN, REFUSED, Observation
from journalspec_corpus.bitronix_tlog.traces import FILES, HEADER, key
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.crash.view import View
from journalspec_reference.bitronix_tlog.codec import (
    END_RECORD,
    FILE_HEADER,
    FIXED,
    FORMAT_ID,
    MIN_RECORD_LENGTH,
    STATUS_CODES,
    UNCOUNTED,
    Fault,
    decode_record,
    name_text,
)

#: category of states -> the requirements that a reader shows there that it keeps.
OBEYS = {
    "": ("BTM-RDR-002", "BTM-RCV-004", "BTM-RCV-005", "BTM-RCV-008"),
    "clean": ("BTM-RDR-001", "BTM-RCV-002", "BTM-RCV-004"),
    "prefix-torn": ("BTM-RDR-002", "BTM-RDR-004", "BTM-RCV-005"),
    "pointer-ahead": ("BTM-RDR-004", "BTM-RDR-006", "BTM-RCV-005"),
    "pointer-behind": ("BTM-RDR-002", "BTM-RDR-014"),
    "rotate": ("BTM-RCV-002", "BTM-RCV-004", "BTM-SWP-008"),
    "create": ("BTM-FIL-014", "BTM-RCV-001"),
}
_END_MARKER = END_RECORD.to_bytes(4, "big")


#: The fields of a key, in its order, as observations name them.
_KEY_FIELDS = ("status", "time", "sequence_number", "crc32", "gtrid", "names")


class _Item(NamedTuple):
    """One step of the walk: a record's key, or the reason why there is none (or both)."""

    key: str | None
    reason: str | None
    framed: bool


@lru_cache(maxsize=65536)
def _decode(data: bytes) -> _Item:
    """Return what the framed bytes `data` are; memory is bounded by the cache's size."""
    item = decode_record(data, 0, len(data))
    if not isinstance(item, Fault):
        names = [name_text(name) for name in item.names]
        text = key(item.status, item.time, item.sequence_number, item.crc32, item.gtrid.hex(), names)
        return _Item(text, None, True)
    if item.reason == "bad-checksum":
        return _Item(_unchecked_key(data), item.reason, True)
    return _Item(None, item.reason, True)


def _unchecked_key(data: bytes) -> str:
    """Return the key of a well-formed record whatever its checksum says."""
    status, _, _, time, sequence, crc, length = FIXED.unpack_from(data)
    names, at = [], 33 + length
    for _ in range(int.from_bytes(data[29 + length : at], "big")):
        size = int.from_bytes(data[at : at + 2], "big")
        names.append(name_text(data[at + 2 : at + 2 + size]))
        at += 2 + size
    return key(status, time, sequence, crc, data[29 : 29 + length].hex(), names)


class _File(NamedTuple):
    number: int
    size: int
    timestamp: int
    tail: int
    problem: str | None


def _examine(view: View, number: int) -> _File:
    size = view.size(number)
    if size < HEADER:
        return _File(number, size, 0, 0, "short-file")
    format_id, timestamp, _, tail = FILE_HEADER.unpack(view.read(number, 0, HEADER))
    problem = None
    if format_id != FORMAT_ID:
        problem = "bad-format-id"
    elif not HEADER <= tail <= size:
        problem = "bad-position"
    return _File(number, size, timestamp, tail, problem)


def _strict_problem(pair: list[_File]) -> str | None:
    if len(pair) < len(FILES):
        return "missing-file" if pair else "no-files"
    if any(file.problem == "short-file" for file in pair):
        return "short-file"
    if pair[0].size != pair[1].size:
        return "unequal-lengths"
    for reason in ("bad-format-id", "bad-position"):
        if any(file.problem == reason for file in pair):
            return reason
    return None


def _walk(view: View, file: _File) -> list[_Item]:
    items = []
    at, limit = HEADER, file.tail
    while at < limit:
        item, at = view.cached((file.number, at, limit), _step, file.number, at, limit)
        items.append(item)
    return items


def _step(view: View, number: int, at: int, limit: int) -> tuple[_Item, int]:
    """Return what stands at `at`, and where the walk goes on (at `limit` it ends)."""
    reason, end = _frame(view, number, at, limit)
    if reason is not None:
        return _Item(None, reason, False), limit
    return _decode(view.read(number, at, end - at)), end


def _frame(view: View, number: int, at: int, limit: int) -> tuple[str | None, int]:
    """Return (None, end) of a well-framed record, or the reason why it is none."""
    if at + UNCOUNTED > limit:
        return "out-of-bounds", limit
    length = int.from_bytes(view.read(number, at + 4, 4), "big", signed=True)
    if length < MIN_RECORD_LENGTH:
        return "bad-length", limit
    end = at + UNCOUNTED + length
    if end > limit:
        return "out-of-bounds", limit
    if view.read(number, end - 4, 4) != _END_MARKER:
        return "no-end-marker", limit
    return None, end


def read(view: View) -> tuple[Answer, ...]:
    """Return the answers of the readers, in the order of the adapter, on the state that `view` shows."""
    names = view.names()
    pair = [view.cached(names[name], _examine, names[name]) for name in sorted(names)]
    problem = _strict_problem(pair)
    usable = [file for file in pair if file.problem is None]
    if not usable:
        refused = Answer((), problem)
        return refused, refused, refused
    active = usable[0] if len(usable) == 1 or usable[0].timestamp > usable[1].timestamp else usable[1]
    items = _walk(view, active)
    strict = Answer((), problem) if problem else _strict(items, frozenset())
    mutant = Answer((), problem) if problem else _strict(items, frozenset({"bad-checksum"}))
    kept = tuple(item.key for item in items if item.key is not None and item.reason is None)
    salvage = Answer(kept, None, problem is not None or any(item.reason for item in items))
    return strict, salvage, mutant


def _strict(items: list[_Item], overlooked: frozenset[str]) -> Answer:
    keys = []
    for item in items:
        if item.key is None or (item.reason is not None and item.reason not in overlooked):
            return Answer((), item.reason)
        keys.append(item.key)
    return Answer(tuple(keys))


def answer(observation: Observation) -> Answer:
    """Return what an implementation's observation amounts to, for comparison with :func:`read`."""
    if observation.verdict == REFUSED:
        return Answer((), observation.code)
    keys = []
    for record in observation.records:
        fields = record.fields
        status = fields.get("status", STATUS_CODES.get(record.type))
        keys.append(
            key(
                int(str(status)),
                int(str(fields["time"])),
                int(str(fields["sequence_number"])),
                int(str(fields["crc32"])),
                _hex(fields["gtrid"]),
                [str(name) for name in _list(fields["names"])],
            )
        )
    return Answer(tuple(keys), None, observation.verdict != CLEAN)


def record_json(keys: list[str]) -> dict[str, Any]:
    """Return the fields of an observed record that all `keys` agree on (a re-created copy has its own)."""
    split = [dict(zip(_KEY_FIELDS, text.split(":", 5), strict=True)) for text in keys]
    out: dict[str, Any] = {
        name: split[0][name] for name in _KEY_FIELDS if len({entry[name] for entry in split}) == 1
    }
    if "names" in out:
        out["names"] = out["names"].split(",") if out["names"] else []
    return out


def _hex(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []
