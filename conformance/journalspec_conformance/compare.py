"""Compares an observation with an expectation. The result is whether it is permitted, and if not, the first
difference.

Both sides are JSON. Only what the expectation lists is compared, up to the level that the implementation
declares. The comparison goes from the verdict to the layout. It ends at the first difference, which has a
*fingerprint*:

    verdict                 another verdict
    refused:PHASE/CODE      an unexpected refusal with this phase and code
    records:missing         a record is missing          records:extra    there is a record too many
    records:changed         a field differs              records:order    only the order differs
    state:KEY               the logical state differs in this key
    missing                 other parts of the journal are reported as absent
    dropped                 other byte ranges are dropped, or for other reasons
    layout                  a record, a file or the refusal is elsewhere
    notes                   a required note is missing or at another place, or a forbidden note is present
    unanchored              other records are reported to be outside the log
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from journalspec.observation import CLEAN, RECOVERED, REFUSED, Level

Json = Any  # A JSON value, as in journalspec.observation.
Members = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Claims:
    """Represents the parts that are compared: the level, and the reported state keys and record fields (None:
    all).

    `silent`: the implementation does not report whether it skipped anything, so clean and recovered count as
    the same verdict. Without `records`, it lists no records, and none are compared. `missing`: it reports
    absent parts of a journal. Without `missing`, it need not detect absent parts: if nothing else is wrong,
    clean and recovered count as the same verdict. `beside` contains the codes of notes on files next to a
    journal; they are compared only with `missing`. `exact` contains the codes of notes and missing parts that
    expectations list whenever an answer must contain them.
    """

    level: Level = Level.LAYOUT
    state: frozenset[str] | None = None
    fields: frozenset[str] | None = None
    silent: bool = False
    records: bool = True
    missing: bool = True
    beside: frozenset[str] = frozenset()
    exact: frozenset[str] = frozenset()

    def unlisted(self, expected: Members) -> frozenset[str]:
        """Return codes that an answer may contain only if the expectation lists them; none after a crash."""
        return frozenset() if expected.get("verdict") == REFUSED or "allowed" in expected else self.exact


@dataclass(frozen=True, slots=True)
class Difference:
    """Represents the first difference between an observation and an expectation.

    `where` is a path (``records[3].gtrid``); `at` is the byte range of interest, as ``{"file", "off",
    "len"}`` as far as known; `depth` is the progress of the comparison (a larger value is closer).
    """

    fingerprint: str
    where: str
    expected: Json
    observed: Json
    at: Members | None = None
    depth: int = 0

    def to_json(self) -> dict[str, Json]:
        """Return the difference for a report."""
        out = {"where": self.where, "expected": self.expected, "observed": self.observed}
        return out | ({"at": dict(self.at)} if self.at else {})


#: A function that compares one part of an expectation with the same part of an observation.
Step = Callable[[Members, Members, Claims], Difference | None]


def compare(expected: Members, observed: Members, claims: Claims) -> Difference | None:
    """Return the first difference between `expected` and `observed`, or None."""
    for depth, (level, step) in enumerate(_STEPS):
        if level > claims.level:
            break
        found = step(expected, observed, claims)
        if found is not None:
            return replace(found, depth=depth)
    return None


def closest(expected: Iterable[Members], observed: Members, claims: Claims) -> tuple[int, Difference | None]:
    """Return the index of the permitted alternative that `observed` fits, or else comes closest to.

    The second value is the first difference from this alternative, or None if the answer fits.
    """
    best: tuple[int, Difference | None] = 0, None
    for index, entry in enumerate(expected):
        found = compare(entry, observed, claims)
        if found is None:
            return index, None
        if best[1] is None or found.depth > best[1].depth:
            best = index, found
    return best


def _verdict(expected: Members, observed: Members, claims: Claims) -> Difference | None:
    got, refusal = observed.get("verdict"), expected.get("allowed", {}).get("refusal")
    wanted = expected.get("verdict", got)
    if got == REFUSED:
        if wanted == REFUSED if refusal is None else refusal != "forbidden":
            return None
        return Difference(
            _refusal_print(observed), "verdict", expected.get("verdict"), got, observed.get("at")
        )
    if refusal == "required":
        return Difference("verdict", "verdict", REFUSED, got)
    if expected.get("allowed", {}).get("must_report") and got == CLEAN and not claims.silent:
        return Difference("verdict", "verdict", RECOVERED, got)
    proved = expected.get("missing") or claims.beside.intersection(expected.get("notes", ()))
    unseen = not claims.missing and proved and not expected.get("dropped")
    if refusal is None and got != wanted and not ((claims.silent or unseen) and wanted != REFUSED):
        return Difference("verdict", "verdict", wanted, got, next(iter(observed.get("dropped") or ()), None))
    return None


def _refusal_print(observed: Members) -> str:
    return f"refused:{observed.get('phase')}/{observed.get('code')}"


def _refusal(expected: Members, observed: Members, claims: Claims) -> Difference | None:
    if observed.get("verdict") != REFUSED:
        return None
    for key in ("phase", "code"):
        if key in expected and expected[key] != observed.get(key):
            at = expected.get("at") or observed.get("at")
            return Difference(_refusal_print(observed), key, expected[key], observed.get(key), at)
    return None


def _records(expected: Members, observed: Members, claims: Claims) -> Difference | None:
    if "records" not in expected or not claims.records:
        return None
    want: Sequence[Members] = expected["records"]
    have: Sequence[Members] = observed.get("records") or ()
    pairs = [*zip_longest(want, have)]
    fields = (left is None or right is None or _first_field(left, right, claims) for left, right in pairs)
    index, field = next(((at, field) for at, field in enumerate(fields) if field), (-1, ""))
    if index < 0:
        return None
    left, right = pairs[index]
    if len(have) < len(want):
        kind, right = "missing", None
    elif len(have) > len(want):
        kind, left = "extra", None
    else:
        wanted = _Sets(want, claims)
        if not all(wanted.take(record) for record in have):
            at = right.get("at") or left.get("at")
            values = _field(left, str(field)), _field(right, str(field))
            return Difference("records:changed", f"records[{index}].{field}", *values, at)
        kind = "order"
    at = (left or {}).get("at") or (right or {}).get("at")
    return Difference(f"records:{kind}", f"records[{index}]", left, right, at)


def _first_field(want: Members, have: Members, claims: Claims) -> str | None:
    """Return the first listed field that differs (``at.file`` for the place), or None."""
    for key, value in want.items():
        if key == "at":
            if "file" in value and value["file"] != (have.get("at") or {}).get("file", value["file"]):
                return "at.file"
        elif value != have.get(key) and (claims.fields is None or key == "type" or key in claims.fields):
            return key
    return None


def _field(record: Members, path: str) -> Json:
    return (record.get("at") or {}).get("file") if path == "at.file" else record.get(path)


def _allowed(expected: Members, observed: Members, claims: Claims) -> Difference | None:
    """Compare records as sets: all of must_keep, nothing of must_drop, nothing beyond must_keep and may_keep.

    Records of an `uncounted` type belong to no set: they are always permitted.
    """
    sets = expected.get("allowed")
    if sets is None or observed.get("verdict") == REFUSED or not claims.records:
        return None
    have: Sequence[Members] = observed.get("records") or ()
    must, may, never = (_Sets(sets[name], claims) for name in ("must_keep", "may_keep", "must_drop"))
    uncounted = sets.get("uncounted", ())
    for index, record in enumerate(have):
        if record.get("type") in uncounted or must.take(record) or may.take(record):
            continue
        banned = "a record that must not survive" if never.take(record) else None
        return Difference("records:extra", f"records[{index}]", banned, dict(record), record.get("at"))
    missing = must.left()
    if missing is not None:
        return Difference("records:missing", "records", missing, None, missing.get("at"))
    return None


class _Sets:
    """A multiset of partial records. `take` removes a partial record that matches the given record."""

    def __init__(self, records: Sequence[Members], claims: Claims) -> None:
        self._shapes: dict[tuple[str, ...], dict[str, list[Members]]] = {}
        for record in records:
            shape = _shape(record, claims)
            self._shapes.setdefault(shape, {}).setdefault(_key(record, shape), []).append(record)
        # Partial records with more fields are tried first, because those with fewer fields match other
        # records too.
        self._shapes = dict(sorted(self._shapes.items(), key=lambda item: -len(item[0])))

    def take(self, record: Members) -> bool:
        for shape, entries in self._shapes.items():
            waiting = entries.get(_key(record, shape))
            if waiting:
                waiting.pop(0)
                return True
        return False

    def left(self) -> Members | None:
        rest = (record for entries in self._shapes.values() for found in entries.values() for record in found)
        return next(rest, None)


def _shape(record: Members, claims: Claims) -> tuple[str, ...]:
    """Return the names of the fields in which an observed record must equal `record`."""
    names = [name for name in record if claims.fields is None or name == "type" or name in claims.fields]
    names = [name for name in names if name != "at"]
    return (*names, "at.file") if "file" in (record.get("at") or {}) else tuple(names)


def _key(record: Members, shape: Sequence[str]) -> str:
    return json.dumps([_field(record, name) for name in shape], sort_keys=True)


def _state(expected: Members, observed: Members, claims: Claims) -> Difference | None:
    want = expected.get("state")
    if want is None:
        return None
    have = observed.get("state") or {}
    for key, value in want.items():
        if (claims.state is None or key in claims.state) and value != have.get(key):
            return Difference(f"state:{key}", f"state.{key}", value, have.get(key))
    return None


def _permitted(expected: Members, observed: Members, claims: Claims) -> Difference | None:
    """Compare with the permitted states: the answer must contain one of them, with lists in any order."""
    states = expected.get("allowed", {}).get("states")
    if not states or observed.get("verdict") == REFUSED:
        return None
    have = observed.get("state") or {}
    for state in states:
        told = {key: value for key, value in state.items() if claims.state is None or key in claims.state}
        if all(_bag(value, value) == _bag(have.get(key), value) for key, value in told.items()):
            return None
    return Difference("state:not-permitted", "state", states[0] if len(states) == 1 else states, have)


def _bag(value: Json, shape: Json) -> Json:
    """Return `value` with only the members that `shape` lists, and with its lists sorted."""
    if isinstance(value, Mapping) and isinstance(shape, Mapping):
        return {name: _bag(value.get(name), shape[name]) for name in shape}
    if isinstance(value, Sequence) and not isinstance(value, str) and isinstance(shape, Sequence):
        # All entries of a list have the same members.
        return sorted((_bag(item, shape[0] if shape else item) for item in value), key=json.dumps)
    return value


def _listed(name: str) -> Step:
    """Compare two lists, entry by entry, by the members of the expected entry; return the difference."""

    def step(expected: Members, observed: Members, claims: Claims) -> Difference | None:
        have: Sequence[Members] = observed.get(name) or ()
        if name not in expected:
            have = [entry for entry in have if entry.get("code") in claims.unlisted(expected)]
        told = claims.missing or name != "missing"
        for index, pair in enumerate(zip_longest(expected.get(name, ()), have)) if told else ():
            left, right = pair
            if left is None or right is None or any(value != right.get(key) for key, value in left.items()):
                return Difference(name, f"{name}[{index}]", left, right, left or right)
        return None

    return step


def _layout(expected: Members, observed: Members, claims: Claims) -> Difference | None:
    pairs = [("at", expected.get("at"), observed.get("at"))]
    if observed.get("verdict") != REFUSED:
        records = zip(expected.get("records", ()), observed.get("records") or (), strict=False)
        pairs += [
            (f"records[{i}].at", left.get("at"), right.get("at")) for i, (left, right) in enumerate(records)
        ]
    found = {str(entry.get("file")): entry for entry in observed.get("files") or ()}
    files = ((want.get("file"), want) for want in expected.get("files", ()))
    pairs += [(f"files[{name}]", want, found.get(name)) for name, want in files]
    for where, want, have in pairs:
        if want is not None and not _contains(want, have):
            return Difference("layout", where, want, have, want if "off" in want else have)
    return None


def _contains(want: Json, have: Json) -> bool:
    """Return whether `have` contains every member that `want` lists, at every depth of objects."""
    if isinstance(want, Mapping):
        return isinstance(have, Mapping) and all(
            _contains(value, have.get(key)) for key, value in want.items()
        )
    return bool(want == have)


def _notes(expected: Members, observed: Members, claims: Claims) -> Difference | None:
    codes = [note.get("code") for note in observed.get("notes") or ()]
    unasked = frozenset() if claims.missing else claims.beside
    wanted = [code for code in expected.get("notes", ()) if code not in unasked]
    for code in wanted:
        if codes.count(code) < wanted.count(code):
            return Difference("notes", "notes", code, codes)
    barred = {*expected.get("unnoted", ()), *claims.unlisted(expected).difference(wanted)} - unasked
    for code in codes:
        if code in barred and codes.count(code) > wanted.count(code):
            more = "no more" if code in wanted else "no"
            return Difference("notes", "notes", f"{more} {code}", codes)
    noted = [note for note in expected.get("noted", ()) if note["code"] not in unasked]
    for want in noted:
        alike = sum(_contains(want, note) for note in observed.get("notes") or ())
        if alike < noted.count(want):
            found = [note for note in observed.get("notes") or () if note.get("code") == want["code"]]
            return Difference("notes", "notes", want, found, want if "off" in want else None)
    return None


def _unanchored(expected: Members, observed: Members, claims: Claims) -> Difference | None:
    want, have = (sorted(members.get("unanchored") or (), key=_place) for members in (expected, observed))
    for index, (left, right) in enumerate(zip_longest(want, have) if "unanchored" in expected else ()):
        wrong = left is None or right is None or _first_field(left, right, claims) is not None
        if wrong or not _contains(left["at"], right.get("at")):
            at = (right or left or {}).get("at")
            return Difference("unanchored", f"unanchored[{index}]", left, right, at)
    return None


def _place(record: Members) -> tuple[str, int]:
    at = record.get("at") or {}
    off = str(at.get("off", ""))
    return str(at.get("file", "")), int(off) if off.isdecimal() else -1


def _contents(expected: Members, observed: Members, claims: Claims) -> Difference | None:
    """Compare the rows of each expected table, in their order, by the expected columns."""
    have = observed.get("contents") or {}
    for table, rows in (expected.get("contents") or {}).items():
        found = have.get(table) or []
        for number, row in enumerate(rows[: len(found)]):
            told = {name: found[number].get(name) for name in row}
            if told != row:
                return Difference(f"contents:{table}", f"contents.{table}[{number}]", row, told)
        if len(found) != len(rows):
            return Difference(
                f"contents:{table}:number", f"contents.{table}", str(len(rows)), str(len(found))
            )
    return None


_STEPS: tuple[tuple[Level, Step], ...] = (
    (Level.VERDICT, _verdict),
    (Level.VERDICT, _refusal),
    (Level.RECORDS, _records),
    (Level.RECORDS, _allowed),
    (Level.STATE, _state),
    (Level.STATE, _permitted),
    (Level.LAYOUT, _listed("dropped")),
    (Level.LAYOUT, _listed("missing")),
    (Level.LAYOUT, _layout),
    (Level.LAYOUT, _notes),
    (Level.LAYOUT, _unanchored),
    (Level.CONTENTS, _contents),
)
