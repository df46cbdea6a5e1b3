"""``journalspec new-harness``: writes a program in another language that answers the runner."""

from __future__ import annotations

import json
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from journalspec.files import making
from journalspec.formats import Format, format_ids, get_format
from journalspec_conformance.cli import _options
from journalspec_conformance.cli._tables import say

_SKELETONS = files("journalspec_conformance") / "skeletons"
LANGUAGES = tuple(sorted(entry.name for entry in _SKELETONS.iterdir() if entry.is_dir()))
#: The commands that build and run the program of each language. The last line is the value of --impl.
_STEPS = {
    "c": ("make", "./harness"),
    "go": ("go build -o harness .", "./harness"),
    "java": ("javac Harness.java", "'java Harness'"),
    "javascript": ("", "'node harness.js'"),
    "rust": ("cargo build --release", "target/release/harness"),
}


def claims(description: Format) -> str:
    """Return the declaration of a new harness: records of undamaged journals, all editions and policies."""
    declared = {
        "editions": list(description.editions),
        "ops": ["read", "recover"],
        "observe": "records",
        "policies": list(description.policies),
        "features": ["pure"],
    }
    return json.dumps(declared, separators=(",", ":"))


def _copy(source: Traversable, target: Path, values: dict[str, str]) -> None:
    for entry in source.iterdir():
        if entry.is_dir():
            (target / entry.name).mkdir()
            _copy(entry, target / entry.name, values)
            continue
        text = entry.read_text(encoding="utf-8")
        for name, value in values.items():
            text = text.replace(name, value)
        (target / entry.name).write_text(text, encoding="utf-8", newline="\n")


@click.command("new-harness", epilog="Exit status: 0 done, 2 usage, or a directory that is not empty.")
@click.argument("language", metavar="LANG", type=click.Choice(LANGUAGES))
@click.argument("format_id", metavar="FORMAT", type=click.Choice(format_ids()))
@click.option(
    "--to", "target", type=_options.FILE, metavar="DIR", help="A new directory; default: FORMAT-LANG."
)
def new_harness_command(language: str, format_id: str, target: Path | None) -> None:
    """Write a harness for FORMAT in LANG: c, go, java, javascript or rust.

    The harness needs no package. It answers each question as unsupported until you add your reader.
    """
    target = Path(f"{format_id}-{language}") if target is None else target
    declared = claims(get_format(format_id))
    values = {
        "@FORMAT@": format_id,
        "@CLAIMS@": declared,
        "@CLAIMS_QUOTED@": json.dumps(declared)[1:-1],
    }
    with making(target) as place:
        _copy(_SKELETONS / language, place, values)
    build, run = _STEPS[language]
    say(f"written: {target}")
    for line in (f"cd {target}", build, f"journalspec run --impl {run} --format {format_id}"):
        if line:
            say(f"  {line}")
