"""Faults of a corpus that no reader of it should have to find."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from journalspec.formats import Format, get_format
from journalspec.observation import CLEAN, REFUSED
from journalspec.requirements import Requirement, requirements
from journalspec_corpus.case import Case
from journalspec_corpus.flags import load_flags
from journalspec_corpus.form import fault_in
from journalspec_corpus.making import implied_needs
from journalspec_corpus.model import model_of
from journalspec_corpus.shipped import tombstones

#: Naming only these would let an implementation vouch for itself.
NOT_ENOUGH = frozenset({"reference"})


def lint(format_id: str, cases: Iterable[Case]) -> list[str]:
    """Return every fault of `cases` as a sentence that begins with the case's id; none is good.

    The cases are those of one format, all tiers together: ids are unique
    across tiers, and coverage is counted over all of them.
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
            yield f"{name}: the id stands {count} times"
        if not name.startswith(prefix):
            yield f"{name}: the id does not begin with {prefix}"
        if name in tombstones(format_id):
            yield f"{name}: the id was withdrawn and cannot be given again"
    for case in cases:
        if case.format != format_id:
            yield f"{case.id}: is a case of {case.format}, not of {format_id}"


@cache
def _validator() -> Draft202012Validator:
    text = files("journalspec_corpus").joinpath("case.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def _schema(case: Case) -> Iterator[str]:
    published = case.to_json()
    # The schema takes long: it is asked only for what the compiled form, which is as strict, refuses.
    beyond = fault_in(published)
    errors = [] if beyond is None else list(_validator().iter_errors(published))
    for error in map(_deepest, errors):
        yield f"{'/'.join(map(str, error.absolute_path)) or 'the case'}: {error.message[:200]}"
    if beyond is not None and not errors:
        yield beyond


def _deepest(error: ValidationError) -> ValidationError:
    """Return what is wrong in the alternative that was meant; that none of them fits helps nobody."""
    while error.context:
        # What is of another type altogether (null, say) was not meant.
        meant = [item for item in error.context if item.validator != "type"]
        error = max(meant or error.context, key=lambda item: len(item.absolute_path))
    return error


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
            yield f"{flag} is no flag"
    if case.level == "may" and not case.flags:
        yield "a case of level may needs a flag that says why"


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
        yield "kill_after is not the last operation, and what follows would never run"
    if bool(case.write.get("power_fails")) != ("io-trace" in case.needs):
        yield "power_fails and the need io-trace belong together"
    if "always" in case.write and not case.write.get("power_fails"):
        yield "always says what holds when power fails, and power_fails is not set"
    if "kill_after" in case.write and "power_fails" in case.write:
        yield "kill_after and power_fails exclude each other"
    if model_of(case.format) is None and "step" in case.needs:
        yield f"{case.format} has no MODEL that says what its operations lead to"
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
    used = {
        "code": [entry["code"]] if "code" in entry else [],
        "reason": [region["reason"] for region in entry.get("dropped", ())],
        "missing": [gone["code"] for gone in entry.get("missing", ())],
        "note": (*entry.get("notes", ()), *entry.get("unnoted", ())),
        "record type": [
            record["type"]
            for record in (*entry.get("records", ()), *entry.get("unanchored", ()))
            if "type" in record
        ],
        "state": entry.get("state", {}),
        "code of a refused operation": [refusal["code"] for refusal in entry.get("refusals", ())],
    }
    tables = {
        "code": known.codes,
        "reason": known.reasons,
        "missing": known.missing,
        "note": known.notes,
        "record type": known.record_types,
        "state": known.state,
        "code of a refused operation": known.codes,
    }
    for kind, names in used.items():
        for name in names:
            if name not in tables[kind]:
                yield f"{name!r} is no {kind} of {known.id}"


def _consistent(case: Case) -> Iterator[str]:
    for entry in case.expect:
        verdict = entry["verdict"]
        if verdict == CLEAN and entry.get("dropped"):
            yield "a clean verdict with dropped regions"
        if verdict == CLEAN and entry.get("missing"):
            yield "a clean verdict with something missing"
        if (verdict == REFUSED) < ("code" in entry or "phase" in entry):
            yield "phase and code belong to refusals"
        if verdict == REFUSED and (entry.get("records") or "state" in entry):
            yield "a refusal has neither records nor state"
        if ("code" in entry) != ("phase" in entry):
            yield "phase and code belong together"


def _places(case: Case) -> Iterator[str]:
    """Ranges lie in files that exist; a writer's files are not there yet."""
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
    for row in coverage(format_id, cases).values():
        if row.requirement.level == "must":
            for side in row.missing:
                yield f"{row.requirement.id}: no case {side} it"


_CHECKS: tuple[Callable[[Case], Iterator[str]], ...] = (
    _schema,
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


@dataclass(slots=True)
class Coverage:
    """The cases of one requirement: ids of those that obey it and of those that break it."""

    requirement: Requirement
    obeys: list[str] = field(default_factory=list)
    breaks: list[str] = field(default_factory=list)

    @property
    def missing(self) -> tuple[str, ...]:
        """The sides without any case."""
        return tuple(side for side in ("obeys", "breaks") if not getattr(self, side))


def coverage(format_id: str, cases: Iterable[Case]) -> dict[str, Coverage]:
    """Return requirement id -> coverage for every requirement of `format_id`, in document order.

    Requirement ids that do not exist are left out; the lint names them.
    """
    table = {item.id: Coverage(item) for item in requirements(format_id)}
    for case in cases:
        for side in ("obeys", "breaks"):
            for requirement_id in getattr(case, side):
                if requirement_id in table:
                    getattr(table[requirement_id], side).append(case.id)
    return table
