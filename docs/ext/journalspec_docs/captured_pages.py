"""Pages of captured files: a product's operations, the data that it loads, and the bytes that it wrote."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from docutils import nodes

from journalspec_docs import hexdump, markup, sources
from journalspec_docs.case_pages import lines_of_dump, preformatted, shown
from journalspec_reference.api import load

#: The maximum number of characters that are shown of a text that a product received or printed.
LONGEST_TEXT = 64
#: Members of a provenance file that are not in the list of facts.
SHOWN = ("title", "sha256", "session", "loads")
Facts = Mapping[str, Any]


def captured_id(name: str) -> str:
    """Return the anchor of a captured directory."""
    return nodes.make_id(f"captured-{name}")


def captured_bases(format_id: str) -> list[str]:
    """Return the names of the products whose files were captured: each has a page."""
    root = sources.captured_root(format_id)
    return sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []


def captured(format_id: str, base: str) -> Iterator[tuple[str, Facts]]:
    """Yield (directory, provenance file) for each capture of one product."""
    root = sources.captured_root(format_id)
    for path in sorted((root / base).rglob("provenance.toml")):
        name = path.parent.relative_to(root).as_posix()
        yield name, tomllib.loads(path.read_text(encoding="utf-8"))


def told_plainly(facts: Facts) -> list[tuple[str, str]]:
    """Return (name in words, value) of each member of a provenance file whose value is not a list."""
    return [
        (key.replace("_", " ").capitalize(), str(value))
        for key, value in facts.items()
        if key not in SHOWN and not isinstance(value, list | dict)
    ]


def captured_files(format_id: str, name: str, facts: Facts, told: dict[str, str]) -> Iterator[str]:
    """Yield the operations, the data that the product loads, and the bytes of each file.

    `told` maps the SHA-256 of each content to the name under which this page shows it, so that no content is
    shown twice.
    """
    sessions = facts.get("session", ())
    if sessions:
        lines: list[str] = []
        for number, session in enumerate(sessions, start=1):
            lines += [f"session {number}, {session.get('end', '')}:"]
            lines += [f"  {_operation(entry)}" for entry in session.get("ops", ())]
        yield markup.details("What was done", preformatted("\n".join(lines)))
    for policy, answer in facts.get("loads", {}).items():
        text = "\n".join(f"{key}: {_plain(value)}" for key, value in answer.items())
        yield markup.details(f"What the product itself loads from it, policy {policy}", preformatted(text))
    hashes = facts.get("sha256", {})
    directory = sources.captured_root(format_id) / name
    files = {file: (directory / file).read_bytes() for file in hashes if (directory / file).is_file()}
    spans = list(load(format_id).spans(files, edition=str(facts["edition"])))
    command = f"journalspec inspect --hex corpus/captured/{format_id}/{name}"
    for file, content in files.items():
        title = f"{file}, {len(content)} bytes, SHA-256 {hashes[file]}"
        if hashes[file] in told:
            yield f"<p><code>{escape(file)}</code> equals {told[hashes[file]]}.</p>"
            continue
        told[hashes[file]] = f'<code>{escape(file)}</code> in <a href="#{captured_id(name)}">{name}</a>'
        own = [span for span in spans if span.file == file]
        html = hexdump.fields_html(
            shown(content, 0), own, sources.roles_of(format_id), lines_of_dump(files), command
        )
        yield markup.details(title, html)


def _operation(entry: object) -> str:
    if not isinstance(entry, Mapping):
        return str(entry)
    return "  ".join(f"{key}={_plain(value)}" for key, value in entry.items())


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_plain(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "[]"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}… ({len(text)} letters)"
