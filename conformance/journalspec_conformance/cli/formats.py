"""``journalspec formats``: lists the described formats, and the implementations that ship with a harness."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import click

from journalspec.formats import format_ids, get_format
from journalspec_conformance.cli import _options
from journalspec_conformance.cli._tables import say, show_table
from journalspec_conformance.harnesses import registry


@click.command("formats", epilog=_options.EXIT_STATUS)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(as_json: bool) -> None:
    """List the described formats with their editions, and the harnesses that ship."""
    formats = [_format(name) for name in format_ids()]
    harnesses = [{"name": entry.name, "summary": entry.summary} for entry in registry().values()]
    if as_json:
        say(json.dumps({"formats": formats, "harnesses": harnesses}))
        return
    rows = [
        [entry["id"] if index == 0 else "", edition["id"], edition["title"], ", ".join(edition["products"])]
        for entry in formats
        for index, edition in enumerate(entry["editions"])
    ]
    show_table(["format", "edition", "title", "products"], rows)
    say()
    show_table(["harness", "what"], [[entry["name"], entry["summary"]] for entry in harnesses])


def _format(name: str) -> dict[str, Any]:
    entry = get_format(name)
    return {
        "id": entry.id,
        "title": entry.title,
        "summary": entry.summary,
        "default_edition": entry.default_edition,
        "editions": [
            {"id": edition.id, "title": edition.title, "products": list(edition.products)}
            for edition in entry.editions.values()
        ],
        "policies": dict(entry.policies),
        "reference": find_spec(f"journalspec_reference.{name}") is not None,
    }
