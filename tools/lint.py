"""Finds faults of a corpus before its publication."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

from journalspec.contents import described
from journalspec.formats import Format, get_format
from journalspec.observation import CLEAN, REFUSED
from journalspec.requirements import requirements
from journalspec_corpus.case import Case
from journalspec_corpus.flags import load_flags
from journalspec_corpus.form import fault_in
from journalspec_corpus.making import implied_needs
from journalspec_corpus.model import model_of
from journalspec_corpus.shipped import tombstones

#: The member of contents that contains remarks on rows; its other members are tables.
REMARKS = "remarks"
#: A case must be confirmed by something that is not in this list, because an implementation must not confirm
#: itself.
NOT_ENOUGH = frozenset({"reference"})


def lint(format_id: str, cases: Iterable[Case]) -> list[str]:
    """Return every fault of `cases` as a sentence that begins with the case's id; no fault is good.

    The cases are those of one format, all tiers together. Ids must be unique across tiers, and coverage is
    counted over all tiers.
    """
    all_cases = list(cases)
    faults = list(_ids(format_id, all_cases))
    for case in all_cases:
        faults += [f"{case.id}: {fault}" for check in _CHECKS for fault in check(case)]
    return faults + list(_coverage(format_id, all_cases))


def _ids(format_id: str, cases: list[Case]) -> Iterator[str]:
    prefix = get_format(format_id).prefix.lower() + "."
    for name, count in Counter(case.id for case in cases).items():
        if count > 1:
            yield f"{name}: the id occurs {count} times"
        if not name.startswith(prefix):
            yield f"{name}: the id does not begin with {prefix}"
        if name in tombstones(format_id):
            yield f"{name}: the id was withdrawn and cannot be given again"
    for case in cases:
        if case.format != format_id:
            yield f"{case.id}: is a case of {case.format}, not of {format_id}"


def _form(case: Case) -> Iterator[str]:
    fault = fault_in(case.to_json())
    if fault is not None:
        yield fault


def _requirements(case: Case) -> Iterator[str]:
    known = requirements(case.format)
    if not case.requirements:
        yield "names no requirement"
    for requirement_id in case.requirements:
        if requirement_id not in known:
            yield f"{requirement_id} is no requirement of {case.format}"
        elif case.edition not in known[requirement_id].editions:
            yield f"{requirement_id} does not hold in edition {case.edition}"


def _flags(case: Case) -> Iterator[str]:
    known = load_flags(case.format)
    for flag in case.flags:
        if flag not in known:
            yield f"{flag} is not a flag"
    if case.level == "may" and not case.flags:
        yield "a case of level may needs a flag that states why"


def _edition(case: Case) -> Iterator[str]:
    if case.edition not in get_format(case.format).editions:
        yield f"{case.format} has no edition {case.edition!r}"


def _origin(case: Case) -> Iterator[str]:
    if not set(case.origin.checked_by) - NOT_ENOUGH:
        yield "nobody but the implementation under test has checked it"


def _needs(case: Case) -> Iterator[str]:
    implied = implied_needs(case.expect)
    for need in sorted(implied - set(case.needs)):
        yield f"needs lacks {need}"
    if "damage" in case.needs and "damage" not in implied:
        yield "needs names damage, but nothing is damaged"


def _write(case: Case) -> Iterator[str]:
    asked = any(probe.op == "write" for probe in case.probes)
    if asked != (case.write is not None):
        yield "write operations and a write expectation belong together"
    if case.write is None:
        return
    count = len(case.write["ops"])
    if case.write["ops"][0]["op"] != "open":
        yield "the first operation is not open"
    if "kill_after" in case.write and int(case.write["kill_after"]) != count - 1:
        yield "kill_after is not the last operation, so later operations would never run"
    if bool(case.write.get("power_fails")) != ("io-trace" in case.needs):
        yield "power_fails and the need io-trace belong together"
    if "always" in case.write and not case.write.get("power_fails"):
        yield "always needs power_fails: it lists what holds after a power failure"
    if "kill_after" in case.write and "power_fails" in case.write:
        yield "kill_after and power_fails exclude each other"
    if model_of(case.format) is None and "step" in case.needs:
        yield f"{case.format} has no MODEL that computes the result of its operations"
    for entry in case.expect:
        indexes = [*entry.get("durable", ()), *(refusal["op"] for refusal in entry.get("refusals", ()))]
        if any(int(index) >= count for index in indexes):
            yield "an expectation names an operation that does not exist"


def _vocabulary(case: Case) -> Iterator[str]:
    known = get_format(case.format)
    for probe in case.probes:
        if probe.policy is not None and probe.policy not in known.policies:
            yield f"{known.id} has no policy {probe.policy!r}"
        for entry in probe.expect:
            yield from _words(known, entry)


def _words(known: Format, entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield every name of an expectation that the format's vocabulary lacks."""
    records = (*entry.get("records", ()), *entry.get("unanchored", ()))
    notes = (
        *entry.get("notes", ()),
        *entry.get("unnoted", ()),
        *(each["code"] for each in entry.get("noted", ())),
    )
    kinds: tuple[tuple[str, Container[str], Iterable[str]], ...] = (
        ("code", known.codes, [entry["code"]] if "code" in entry else []),
        ("reason", known.reasons, [region["reason"] for region in entry.get("dropped", ())]),
        ("missing", known.missing, [gone["code"] for gone in entry.get("missing", ())]),
        ("note", known.notes, notes),
        ("record type", known.record_types, [each["type"] for each in records if "type" in each]),
        ("state", known.state, entry.get("state", {})),
        ("code of a refused operation", known.codes, [each["code"] for each in entry.get("refusals", ())]),
    )
    for kind, table, names in kinds:
        yield from (f"{name!r} is no {kind} of {known.id}" for name in names if name not in table)
    yield from _of_contents(known, entry)


def _of_contents(known: Format, entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield every name in the contents of an expectation that the format's tables lack."""
    about = described(known.id)
    if about is None:
        yield from (f"{known.id} has no contents" for _ in entry.get("contents", ()))
        return
    columns = {name: {column.name for column in table.columns} for name, table in about.tables.items()}
    columns[REMARKS] = {"table", "key", "code"}
    for table, rows in entry.get("contents", {}).items():
        used = {name for row in rows for name in row}
        # The names of users' tables have the name of a schema as a prefix.
        if table in columns or "." not in table:
            unknown = used - columns[table] if table in columns else {""}
            yield from (f"contents: {table} has no column {name!r}" for name in sorted(unknown))
        for row in rows if table == REMARKS else ():
            if row["code"] not in about.remarks:
                yield f"{row['code']!r} is no remark of {known.id}"


def _consistent(case: Case) -> Iterator[str]:
    for entry in case.expect:
        verdict = entry["verdict"]
        if verdict == CLEAN and entry.get("dropped"):
            yield "a clean verdict with dropped regions"
        if "contents" in entry and entry["when"]["op"] != "recover":
            yield "contents belong to recovery"
        if verdict == CLEAN and entry.get("missing"):
            yield "a clean verdict with something missing"
        if (verdict == REFUSED) < ("code" in entry or "phase" in entry):
            yield "phase and code belong to refusals"
        if verdict == REFUSED and (entry.get("records") or "state" in entry):
            yield "a refusal has neither records nor state"
        if ("code" in entry) != ("phase" in entry):
            yield "phase and code belong together"


def _places(case: Case) -> Iterator[str]:
    """Yield ranges outside the existing files; cases for writers have no files yet."""
    if case.write is not None:
        return
    sizes = {file.path: file.size for file in case.input.files}
    for entry in case.expect:
        ranges = [
            *entry.get("dropped", ()),
            *(record["at"] for record in entry.get("records", ()) if "at" in record),
            *(record["at"] for record in entry.get("unanchored", ())),
        ]
        ranges += [entry["at"]] if "at" in entry else []
        for item in ranges:
            if item["file"] not in sizes:
                yield f"expects something in {item['file']}, which is not among the files"
            elif int(item.get("off", 0)) + int(item.get("len", 0)) > sizes[item["file"]]:
                yield f"expects something beyond the end of {item['file']}"
        for item in entry.get("files", ()):
            if item["file"] not in sizes:
                yield f"expects the file {item['file']}, which is not among the files"


def _coverage(format_id: str, cases: list[Case]) -> Iterator[str]:
    named = {side: {name for case in cases for name in getattr(case, side)} for side in ("obeys", "breaks")}
    for requirement in requirements(format_id):
        for side, names in named.items():
            if requirement.level == "must" and requirement.id not in names:
                yield f"{requirement.id}: no case {side} it"


_CHECKS: tuple[Callable[[Case], Iterator[str]], ...] = (
    _form,
    _edition,
    _requirements,
    _flags,
    _origin,
    _needs,
    _write,
    _vocabulary,
    _consistent,
    _places,
)
