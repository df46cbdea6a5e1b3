"""The observation model of a format: the tables of ``fields.toml`` on pages, and one answer in full."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from journalspec.formats import Format
from journalspec.observation import RECOVERED, REFUSED, Level
from journalspec.requirements import requirements
from journalspec.vocabulary import WIDTHS, Entry, Field
from journalspec_corpus.case import Case
from journalspec_docs import sources
from journalspec_reference import load

#: The maximum number of records in the example: enough to show the form, few enough to read.
FEW = range(1, 5)


def fields_of_type(format_: Format, entry: Entry) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (field, editions) of a record type. There are no editions if the field is in all editions of the
    type.
    """
    names: dict[str, tuple[str, ...]] = {}
    for item in format_.vocabulary.fields:
        if not item.types or entry.name in item.types:
            names[item.name] = names.get(item.name, ()) + (item.editions or tuple(format_.editions))
    for name, editions in names.items():
        yield name, () if set(entry.editions or format_.editions) <= set(editions) else editions


def kind_of_field(item: Field) -> str:
    """Return the kind of a field in words."""
    if item.kind != "list":
        return item.kind
    return f"list of {item.element}" if item.element else "list of objects"


def range_of_field(item: Field) -> str:
    """Return the range of a field, or the name of its width if all values of that width are permitted."""
    if item.width and (item.low, item.high) == WIDTHS[item.width]:
        return f"`{item.width}`"
    return item.bounds + (" bytes" if item.kind == "bytes" and item.bounds else "")


def columns_of(content: Mapping[str, Any] | Sequence[Any], part: Mapping[str, Any]) -> dict[str, str]:
    """Return those columns of `part` for which at least one entry of `content` has a value."""
    entries = [*content.values()] if isinstance(content, Mapping) else [*content]
    columns: Mapping[str, str] = part.get("columns", {})
    return {
        name: head for name, head in columns.items() if any(getattr(entry, name, "") for entry in entries)
    }


def answers_to(case: Case) -> Iterator[tuple[str, str]]:
    """Yield each question about a case, and the complete answer of the reference."""
    reference, given = load(case.format), case.files()
    for probe in case.probes:
        if probe.op == "read":
            seen = reference.read(given, edition=case.edition, params=case.params)
            question = "read"
        else:
            policy = str(probe.policy)
            seen = reference.recover(given, edition=case.edition, policy=policy, params=case.params)
            question = f"recover, policy {policy}"
        yield question, dumps(seen.to_json(Level.LAYOUT))


def case_worth_showing(format_: Format) -> Case | None:
    """Return the shortest case of the default edition that is damaged, recovered and has a state.

    If the cases list no records, because the format's products do not report records, return the shortest
    damaged case with a state.
    """
    found = [
        case
        for case in sources.cases(format_.id)
        if case.edition == format_.default_edition
        and not case.params
        and {probe.op for probe in case.probes} == {"read", "recover"}
        and any(map(_telling, case.expect))
        and all(_eventful(entry) or entry["verdict"] == REFUSED for entry in case.expect)
    ]
    listing = [case for case in found if any("records" in entry for entry in case.expect)]
    return min(listing or found, key=lambda case: (len(json.dumps(case.to_json())), case.id), default=None)


def _eventful(entry: Mapping[str, Any]) -> bool:
    """Return whether an expectation contains a few records, and at least one dropped region."""
    return (
        entry["verdict"] == RECOVERED
        and ("records" not in entry or len(entry["records"]) in FEW)
        and len(entry.get("dropped", ())) > 0
    )


def _telling(entry: Mapping[str, Any]) -> bool:
    """Return whether an expectation contains records, dropped regions and a state."""
    state = entry.get("state") or {}
    return _eventful(entry) and any(isinstance(value, list) and value for value in state.values())


def requirements_of(format_: Format, name: str) -> list[str]:
    """Return the requirements to which a note refers."""
    return [item.id for item in requirements(format_.id).items if f"`{name}`" in item.text]


def dumps(value: Any, indent: str = "") -> str:
    """Return JSON with short arrays and objects on one line."""
    flat = json.dumps(value)
    if len(indent) + len(flat) <= 108 or not value or not isinstance(value, (dict, list)):
        return flat
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{deeper}{json.dumps(key)}: {dumps(inner, deeper)}" for key, inner in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + dumps(inner, deeper) for inner in value) + f"\n{indent}]"
