"""Reference pages: what the code registers, the command line, the messages of the protocol."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module, resources
from itertools import groupby
from typing import Any

import click
from docutils import nodes

from journalspec_conformance.harnesses import registry
from journalspec_conformance.products import get_product, product_ids
from journalspec_conformance.result import CLASSES
from journalspec_docs import markup, sources
from journalspec_docs.base import Page, table

Schema = Mapping[str, Any]

#: Made by `python tools/faults.py --json`.
FAULTS = sources.DATA / "faults.json"
#: How files begin that `python corpus/checks/mutation.py --format F --json` makes.
#: What the columns of the data source mean; a column without a meaning fails the build.
COLUMNS = {
    "journal": "the path of the journal",
    "format": "format id",
    "edition": "edition that it was read as",
    "file": "name of the file within the journal",
    "off": "offset of the record or region, in bytes",
    "len": "its length, in bytes",
    "kind": "record or dropped",
    "role": "role of the file: do its records count?",
    "type": "type of the record",
    "reason": "why the region was dropped",
    "fields": "the record's fields by the specification's names",
}


@table("Class", "Run fails", "Meaning")
def result_classes(page: Page) -> Iterator[markup.Row]:
    """``{result-classes}``: every class a result may have."""
    for item in CLASSES.values():
        yield [markup.badge(item.name, item.name)], "red" if item.red else "", item.meaning


@table("Name", "What it is", "Runs", "Known failures in")
def harnesses(page: Page) -> Iterator[markup.Row]:
    """``{harness-list}``: the harnesses that ship."""
    for item in registry().values():
        known = markup.literal(item.expectations) if item.expectations else ""
        runs = "in-process" if item.target else "process"
        yield markup.literal(item.name), markup.code_text(item.summary), runs, known


def products(page: Page) -> Iterator[nodes.Node]:
    """``{product-list}``: the published products, each artefact with its hash, one section each."""
    for name in product_ids():
        item = get_product(name)
        facts = markup.fields(
            [
                ("Source", [nodes.reference("", item.source, refuri=item.source)]),
                ("Licence", item.licence),
                ("Formats", ", ".join(item.formats) or "none that it reads: files only"),
                ("Edition", item.edition),
                ("Java", f"{item.java} or newer" if item.java else "not needed"),
                ("Itself", f"published nowhere: its class path stands in {item.own}" if item.own else ""),
            ]
        )
        rows = [(markup.literal(jar.coordinates), jar.role, markup.literal(jar.sha256)) for jar in item.jars]
        jars = markup.table(("Artefact", "For", "SHA-256"), rows, "jspec-hashes")
        yield markup.section(item.title, f"product-{nodes.make_id(name)}", facts, jars)


@table("Column", "Type", "Meaning")
def spark_columns(page: Page) -> Iterator[markup.Row]:
    """``{spark-columns}``: the columns of the data source, which only imports where Spark is."""
    from journalspec_reference.spark import SCHEMA  # noqa: PLC0415 - pyspark is slow to import

    columns = [column.strip().partition(" ") for column in re.split(r",(?![^<]*>)", SCHEMA)]
    yield from ((markup.literal(name), kind, COLUMNS[name]) for name, _, kind in columns)


def faults(page: Page) -> Iterator[nodes.Node]:
    """``{fault-table}``: what became of every injected fault: the totals, and a section per kind."""
    page.depends_on(FAULTS)
    data = json.loads(FAULTS.read_text(encoding="utf-8"))
    totals = ("injected", "classified", "survived", "clean")
    yield markup.table(totals, [[str(data[name]) for name in totals]])
    for kind, members in groupby(data["faults"], lambda item: item["kind"]):
        found = list(members)
        modes = list(dict.fromkeys(item["mode"] for item in found))
        rows: list[list[markup.Cell]] = []
        for name, same in groupby(found, lambda item: item["name"]):
            seen = {item["mode"]: item for item in same}
            about = next(iter(seen.values()))["about"]
            cells = [_met(seen[mode]) if mode in seen else "" for mode in modes]
            rows.append([markup.literal(name), about, *cells])
        table = markup.table(("Fault", "What happens", *modes), rows)
        yield markup.section(f"{kind.capitalize()}s", nodes.make_id(f"fault-{kind}"), table)


def _met(item: Mapping[str, Any]) -> list[nodes.Node]:
    """Return what was seen, and if that is not as it should be, what."""
    wrong = [] if item["classified"] else [f"not {item['expected']}"]
    out: list[nodes.Node] = [markup.literal(item["seen"] or "nothing")]
    return out + [nodes.Text(f" ({text})") for text in [*wrong, *item["notes"]]]


def command_line(page: Page, command: str, program: str) -> Iterator[nodes.Node]:
    """``{cli-reference} MODULE:COMMAND PROGRAM``: one section per command, subcommands below their group."""
    module, _, name = command.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise LookupError(str(error)) from error
    if not isinstance(found, click.Command):
        raise LookupError(f"{command} is no click command")
    context = click.Context(found, info_name=program)
    yield from _usage(found, context)
    yield from _commands(found, context)


def _commands(command: click.Command, context: click.Context) -> Iterator[nodes.Node]:
    """Yield a section for each command of a group, none for a command that is no group."""
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if inner is not None and not inner.hidden:
            below = click.Context(inner, info_name=name, parent=context)
            path = below.command_path
            part = markup.section([markup.literal(path)], nodes.make_id(f"cli-{path}"))
            part += [*_usage(inner, below), *_commands(inner, below)]
            yield part


def _usage(command: click.Command, context: click.Context) -> Iterator[nodes.Node]:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield nodes.literal_block(usage, usage, language="text")
    yield from _prose(command.help or "")
    options = [item for item in command.params if isinstance(item, click.Option) and not item.hidden]
    if options:
        yield markup.table(("Option", "Meaning", "Default"), [_option(item, context) for item in options])
    yield from _prose(command.epilog or "")


def _prose(text: str) -> Iterator[nodes.Node]:
    r"""Yield the paragraphs of a help text up to a form feed; one that begins with ``\b`` keeps its lines."""
    visible = inspect.cleandoc(text.partition("\f")[0])
    for part in filter(None, re.split(r"\n\s*\n", visible.strip("\n"))):
        if part.startswith("\b"):
            kept = part.lstrip("\b\n")
            yield nodes.literal_block(kept, kept, language="text")
        else:
            yield markup.paragraph(*markup.code_text(" ".join(part.split())))


def _option(item: click.Option, context: click.Context) -> markup.Row:
    names = ", ".join([*item.opts, *item.secondary_opts])
    metavar = "" if item.is_flag or item.count else f" {item.make_metavar(context)}"
    text = item.help or ""
    if item.multiple and "repeated" not in text:
        text += " May be repeated."
    if item.required:
        text += " Required."
    plain = isinstance(item.default, str | int | float) and not isinstance(item.default, bool)
    default = markup.literal(str(item.default)) if plain else ""
    return markup.literal(names + metavar), markup.code_text(" ".join(text.split())), default


def protocol_schemas() -> dict[str, Schema]:
    """Return the protocol's JSON Schemas by name."""
    root = resources.files("journalspec_conformance").joinpath("protocol")
    found = {item.name: item for item in root.iterdir() if item.name.endswith(".json")}
    return {
        name.partition(".")[0]: json.loads(item.read_text(encoding="utf-8"))
        for name, item in sorted(found.items())
    }


def case_schema() -> Schema:
    """Return the JSON Schema of a published case."""
    path = resources.files("journalspec_corpus").joinpath("case.schema.json")
    schema: Schema = json.loads(path.read_text(encoding="utf-8"))
    return schema


def messages(page: Page) -> Iterator[nodes.Node]:
    """``{protocol-messages}``: a section per schema with its members and the schema itself."""
    for name, schema in protocol_schemas().items():
        yield _schema(name, schema, "common")


def case_members(page: Page) -> Iterable[nodes.Node]:
    """``{case-schema}``: the members of a published case, and the schema itself."""
    yield _schema("case", case_schema(), "case")


def _schema(name: str, schema: Schema, home: str) -> nodes.section:
    """Return a section; a reference within the schema leads to the section of `home`."""
    title = str(schema.get("title", ""))
    part = markup.section([markup.literal(name)], f"schema-{name}")
    if title:
        part += markup.paragraph(title[:1].upper() + title[1:] + ".")
    if "description" in schema:
        part += markup.paragraph(str(schema["description"]))
    rows = [
        (markup.literal(path), _kind(inner, home), "required" if needed else "optional", _said(inner))
        for path, inner, needed in _members(schema)
    ]
    if rows:
        part += markup.table(("Member", "Type", "", "Meaning"), rows)
    defined = [
        (markup.literal(path), _kind(inner, home), _said(inner))
        for top, definition in schema.get("$defs", {}).items()
        for path, inner, _ in [(top, definition, True), *_members(definition, f"{top}.")]
    ]
    if defined:
        part += markup.table(("Definition", "Type", "Meaning"), defined)
    text = json.dumps(schema, indent=1)
    listing = nodes.literal_block(text, text, language="text", classes=["no-search"])
    part += markup.folded("JSON Schema", listing)
    return part


def _said(schema: Schema) -> str:
    return str(schema.get("description", ""))


def _kind(schema: Schema, home: str) -> list[nodes.Node]:
    if "$ref" not in schema:
        return [nodes.Text(_kind_text(schema))]
    target = str(schema["$ref"])
    name = target.rpartition(":")[2].partition("#")[0] or home
    label = target.rpartition("/")[2] if "#" in target else name
    return [nodes.reference("", "", markup.literal(label), refid=f"schema-{name}")]


def _members(schema: Schema, prefix: str = "") -> Iterator[tuple[str, Schema, bool]]:
    """Yield (path, schema, required) for every member, the nested ones behind their parent."""
    for alternative in ("oneOf", "anyOf", "allOf"):
        for choice in schema.get(alternative, ()):
            yield from _members(choice, prefix)
    required = set(schema.get("required", ()))
    for name, inner in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        yield path, inner, name in required
        yield from _members(inner, f"{path}.")
        for deeper, mark in (("items", "[]."), ("additionalProperties", ".*.")):
            if isinstance(inner.get(deeper), dict):
                yield from _members(inner[deeper], f"{path}{mark}")


def _kind_text(schema: Schema) -> str:
    """Return the type of a member in a few words."""
    if "const" in schema:
        return f"always {json.dumps(schema['const'])}"
    if "enum" in schema:
        return "one of " + ", ".join(str(item) for item in schema["enum"])
    kind = schema.get("type", "")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        items = schema.get("items", {})
        inner = _kind_text(items) if isinstance(items, dict) else ""
        return f"array of {inner}" if inner else "array"
    for alternative in ("oneOf", "anyOf"):
        if alternative in schema:
            return " or ".join(filter(None, (_kind_text(choice) for choice in schema[alternative])))
    return str(kind)
