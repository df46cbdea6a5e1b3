"""Reference pages: the command line, the JSON Schemas of the protocol and of cases, the columns for Spark."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module, resources
from typing import Any

import click

from journalspec_docs import sources

Schema = Mapping[str, Any]

#: The meaning of the columns of the data source; the build fails for a column without a meaning.
COLUMNS = {
    "journal": "the path of the journal",
    "format": "format id",
    "edition": "edition that it was read as",
    "file": "name of the file within the journal",
    "off": "offset of the record or region, in bytes",
    "len": "its length, in bytes",
    "kind": "record or dropped (see `rows`)",
    "role": "role of the file, which decides whether the records of the file belong to the log",
    "type": "type of the record",
    "reason": "why the region was dropped",
    "verdict": "clean, recovered or refused",
    "code": "why it is refused",
    "files": "number of files",
    "bytes": "their length, together",
    "records": "how many records",
    "dropped": "number of regions without a record",
    "dropped_bytes": "their length, together",
    "missing": "number of missing files, records or messages",
    "notes": "the codes of all remarks",
}


def spark_columns(view: str) -> Iterator[tuple[str, str, str]]:
    """Yield (name, type, meaning) of columns of the data source, which needs Spark for its import.

    The view is ``records``, ``journals``, or a format for its typed columns.
    """
    from journalspec_reference import spark, tables  # noqa: PLC0415 - imported only here, because pyspark is slow to import
    from journalspec_reference.arrow import columns_of  # noqa: PLC0415

    known = {"records": tables.COMMON, "journals": spark.JOURNALS}
    columns = known.get(view) or columns_of(view)
    for name, kind in columns.items():
        if view in known or name not in tables.COMMON:
            yield name, spark.TYPES[kind], COLUMNS.get(name, "")


@cache
def injected_faults() -> Mapping[str, Any]:
    """Return the result of every injected fault, from the output of ``python tools/faults.py --json``."""
    found: Mapping[str, Any] = json.loads((sources.DATA / "faults.json").read_text(encoding="utf-8"))
    return found


def command_line(command: str, program: str) -> Iterator[tuple[int, click.Command, click.Context]]:
    """Yield (depth, command, context) of ``MODULE:COMMAND`` and all its subcommands, groups first."""
    module, _, name = command.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise LookupError(str(error)) from error
    if not isinstance(found, click.Command):
        raise LookupError(f"{command} is not a click command")
    yield from _commands(found, click.Context(found, info_name=program), 0)


def _commands(
    command: click.Command, context: click.Context, depth: int
) -> Iterator[tuple[int, click.Command, click.Context]]:
    yield depth, command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                below = click.Context(inner, info_name=name, parent=context)
                yield from _commands(inner, below, depth + 1)


def help_paragraphs(text: str) -> Iterator[tuple[bool, str]]:
    r"""Yield two values for each paragraph of a help text before a form feed: the paragraph, and whether it
    keeps its lines (``\b``).
    """
    visible = inspect.cleandoc(text.partition("\f")[0])
    for part in filter(None, re.split(r"\n\s*\n", visible.strip("\n"))):
        yield part.startswith("\b"), part.lstrip("\b\n")


def options(command: click.Command, context: click.Context) -> Iterator[tuple[str, str, str]]:
    """Yield (names, meaning, default) of the options of a command."""
    for item in command.params:
        if not isinstance(item, click.Option) or item.hidden:
            continue
        metavar = "" if item.is_flag or item.count else f" {item.make_metavar(context)}"
        text = item.help or ""
        if item.multiple and "repeated" not in text:
            text += " May be repeated."
        if item.required:
            text += " Required."
        plain = isinstance(item.default, str | int | float) and not isinstance(item.default, bool)
        yield (
            ", ".join([*item.opts, *item.secondary_opts]) + metavar,
            text,
            str(item.default) if plain else "",
        )


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


def members(schema: Schema, prefix: str = "") -> Iterator[tuple[str, Schema, bool]]:
    """Yield (path, schema, required) for every member; nested members follow their parent."""
    for alternative in ("oneOf", "anyOf", "allOf"):
        for choice in schema.get(alternative, ()):
            yield from members(choice, prefix)
    required = set(schema.get("required", ()))
    for name, inner in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        yield path, inner, name in required
        yield from members(inner, f"{path}.")
        for deeper, mark in (("items", "[]."), ("additionalProperties", ".*.")):
            if isinstance(inner.get(deeper), dict):
                yield from members(inner[deeper], f"{path}{mark}")


def kind_of(schema: Schema) -> str:
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
        inner = kind_of(items) if isinstance(items, dict) else ""
        return f"array of {inner}" if inner else "array"
    for alternative in ("oneOf", "anyOf"):
        if alternative in schema:
            return " or ".join(filter(None, (kind_of(choice) for choice in schema[alternative])))
    return str(kind)
