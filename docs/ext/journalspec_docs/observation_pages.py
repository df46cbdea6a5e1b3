"""The observation model of a format: every table of its ``fields.toml``, and one answer in full."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from docutils import nodes

from journalspec.formats import Format
from journalspec.observation import RECOVERED, REFUSED, Level
from journalspec.vocabulary import WIDTHS, Entry, Field
from journalspec_corpus.case import Case
from journalspec_docs import markup, sources
from journalspec_docs.base import Page
from journalspec_reference import load

FIELD_HEADS = ("Name", "Type", "Range", "Where", "Meaning")
#: So many records are enough to see the form, and few enough to read.
FEW = range(1, 5)


def model(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{observation-model} FORMAT``: a section for each table of names that has rows."""
    page.depends_on_room(format_, "format.toml", "fields.toml")
    yield _section(page, "Policies", "What recovery does when it meets damage.", _policies(page, format_))
    types = _types(page, format_)
    yield _section(page, "Record types", "The `type` of a record, and the fields that it has.", types)
    for name, part in sources.page_tables()["observation"].items():
        content, columns = getattr(format_.vocabulary, name), part.get("columns", {})
        if not content:
            continue
        if name == "operations":
            table = _operations(page, content)
        elif isinstance(content, tuple):
            table = _fields(page, content, columns)
        else:
            # Lists and framing have text where the others have an entry.
            entries = [
                Entry(key, value) if isinstance(value, str) else value for key, value in content.items()
            ]
            table = _entries(page, entries, columns)
        yield _section(page, part["title"], part["lead"], table)


def _section(page: Page, title: str, lead: str, table: nodes.Node) -> nodes.section:
    anchor = f"observation-{nodes.make_id(title)}"
    return markup.section(title, anchor, markup.paragraph(*page.inline(lead)), table)


def _policies(page: Page, format_: Format) -> nodes.Node:
    rows = [(markup.literal(name), page.inline(text)) for name, text in format_.policies.items()]
    return markup.table(("Name", "Meaning"), rows)


def _types(page: Page, format_: Format) -> nodes.Node:
    table = format_.vocabulary
    rows: list[markup.Row] = []
    for entry in table.record_types.values():
        names: dict[str, tuple[str, ...]] = {}
        for item in table.fields:
            if not item.types or entry.name in item.types:
                names[item.name] = names.get(item.name, ()) + (item.editions or tuple(format_.editions))
        own = entry.editions or tuple(format_.editions)
        parts = [
            nodes.inline("", "", markup.literal(name), *_limits(editions, own))
            for name, editions in names.items()
        ]
        rows.append((markup.literal(entry.name), page.inline(entry.doc), markup.joined(parts)))
    return markup.table(("Type", "Meaning", "Fields (in which editions, if not in all)"), rows)


def _fields(page: Page, fields: Sequence[Field], columns: Mapping[str, str]) -> nodes.Node:
    rows = [row for item in fields for row in _field(page, item, "", default=bool(columns))]
    return markup.table((*FIELD_HEADS, *columns.values()), rows)


def _field(page: Page, item: Field, before: str, *, default: bool = False) -> Iterator[markup.Row]:
    """Yield the row of a field, then those of its members, each behind the name of what holds it."""
    name = f"{before}{item.name}"
    editions = [f"editions {', '.join(item.editions)}"] if item.editions else []
    where = [*(", ".join(part) for part in (item.types, item.ops) if part), *editions]
    said = page.inline(item.doc)
    if item.order:
        said += [nodes.Text(f" Order: {item.order}.")]
    if item.choices:
        said += [nodes.Text(" One of "), *markup.literals(item.choices), nodes.Text(".")]
    if item.optional and not default:
        said += [nodes.Text(f" Left out if {item.optional}.")]
    row: markup.Row = (markup.literal(name), _kind(item), _range(item), "; ".join(where), said)
    yield (*row, page.inline(item.default)) if default else row
    for inner in item.of:
        deeper = f"{name}[]." if item.kind == "list" else f"{name}."
        yield from _field(page, inner, deeper, default=default)


def _entries(page: Page, entries: Iterable[Entry], columns: Mapping[str, str]) -> nodes.Node:
    rows: list[markup.Row] = []
    for entry in entries:
        limits = [", ".join(part) for part in (entry.editions, entry.ops) if part]
        more = [page.inline(str(getattr(entry, name))) for name in columns]
        said = page.inline(entry.doc)
        if entry.loss:
            said += [nodes.Text(". With it the verdict is "), markup.literal(RECOVERED)]
        rows.append((markup.literal(entry.name), *more, "; ".join(limits), said))
    return markup.table(("Name", *columns.values(), "Only in", "Meaning"), rows)


def _operations(page: Page, operations: Mapping[str, tuple[Entry, Sequence[Field]]]) -> nodes.Node:
    rows: list[markup.Row] = []
    for name, (entry, fields) in operations.items():
        rows.append((markup.literal(name), "", "", "", page.inline(entry.doc)))
        rows += [row for item in fields for row in _field(page, item, f"{name}: ")]
    return markup.table(FIELD_HEADS, rows)


def _limits(editions: Sequence[str], own: Sequence[str]) -> list[nodes.Node]:
    """Return in which of the type's `own` editions a field stands, nothing if in all."""
    return [] if set(own) <= set(editions) else [nodes.Text(f" ({', '.join(editions)})")]


def _kind(item: Field) -> str:
    if item.kind != "list":
        return item.kind
    return f"list of {item.element}" if item.element else "list of objects"


def _range(item: Field) -> list[nodes.Node]:
    if item.width and (item.low, item.high) == WIDTHS[item.width]:
        return [markup.literal(item.width)]
    text = item.bounds + (" bytes" if item.kind == "bytes" and item.bounds else "")
    return [nodes.Text(text)] if text else []


def worked_answer(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{worked-answer} FORMAT``: a published case, and the whole answer to each question about it.

    Nothing if no case is fit to be shown.
    """
    page.depends_on_cases(format_)
    case = _worth_showing(format_)
    if case is None:
        return
    part = markup.section("A worked answer", "observation-a-worked-answer")
    files = ", ".join(f"{file.path} ({file.size} bytes)" for file in case.input.files)
    part += markup.paragraph(
        "The case ",
        page.ref("case", case.id),
        f", {case.title}. Edition {case.edition}; files: {files}. "
        "What the reference answers at level layout:",
    )
    reference, given = load(format_.id), case.files()
    for probe in case.probes:
        if probe.op == "read":
            seen = reference.read(given, edition=case.edition, params=case.params)
            question = "read"
        else:
            policy = str(probe.policy)
            seen = reference.recover(given, edition=case.edition, policy=policy, params=case.params)
            question = f"recover, policy {policy}"
        text = dumps(seen.to_json(Level.LAYOUT))
        part += [markup.paragraph(f"{question}:"), nodes.literal_block(text, text, language="text")]
    yield part


def _worth_showing(format_: Format) -> Case | None:
    """Return the shortest case of the default edition that is damaged, recovered and has a state.

    Where cases expect states and name no records, as those of logs whose products list none, any of these.
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
    """Tell whether an expectation has a few records, and something that was dropped."""
    return (
        entry["verdict"] == RECOVERED
        and ("records" not in entry or len(entry["records"]) in FEW)
        and len(entry.get("dropped", ())) > 0
    )


def _telling(entry: Mapping[str, Any]) -> bool:
    """Tell whether an expectation has some of everything, a state too."""
    state = entry.get("state") or {}
    return _eventful(entry) and any(isinstance(value, list) and value for value in state.values())


def dumps(value: Any, indent: str = "") -> str:
    """Return JSON in which what fits on a line stands on a line."""
    flat = json.dumps(value)
    if len(indent) + len(flat) <= 108 or not value or not isinstance(value, (dict, list)):
        return flat
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{deeper}{json.dumps(key)}: {dumps(inner, deeper)}" for key, inner in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + dumps(inner, deeper) for inner in value) + f"\n{indent}]"
