"""What was seen in the field: deviations of products, and files that products wrote."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes

from journalspec.deviations import Deviation
from journalspec.formats import Format
from journalspec_docs import case_pages, hexdump, markup, sources
from journalspec_docs.base import FormatDirective
from journalspec_reference.api import load

KINDS = {
    "errata": "Errata: the product is wrong",
    "permissive": "Permissive: the product takes or writes more, to no harm",
}
#: Members of a provenance file that are shown in a way of their own.
SHOWN = ("title", "sha256", "session", "loads")


class DeviationList(FormatDirective):
    """``{deviation-list} FORMAT``: what products do differently, with the bytes and cases that show it."""

    def build(self, format_: Format) -> Iterator[nodes.Node]:
        """Return a summary table and one section per deviation, errata first."""
        self.depends_on_room(format_, "deviations.toml")
        found = sources.deviations(format_.id)
        if not (sources.room(format_.id) / "deviations.toml").is_file():
            raise LookupError(f"{format_.id} has no deviations.toml; if none is known, leave it empty")
        if not found:
            yield markup.paragraph("None has been observed.")
            return
        yield markup.table(
            ("Deviation", "Product", "Versions", "Title"),
            [
                (self.ref("deviation", item.id), markup.literal(item.product), versions(item), item.title)
                for item in found
            ],
        )
        for kind, title in KINDS.items():
            members = [item for item in found if item.kind == kind]
            if members:
                yield markup.section(title, f"deviations-{kind}", *map(self._entry, members))

    def _entry(self, item: Deviation) -> nodes.section:
        anchor = f"deviation-{item.id.lower()}"
        self.jspec.note("deviation", item.id, anchor, item.title)
        example: list[nodes.Node] = []
        if item.example:
            example = [markup.literal(item.example["hex"]), nodes.Text(f" ({item.example['where']})")]
        facts = markup.fields(
            [
                ("Product", [markup.literal(item.product), nodes.Text(f", {versions(item)}")]),
                ("Departs from", self.refs("req", item.requirements)),
                ("Example", example),
                ("Shown by", self.refs("case", item.cases)),
                ("See it yourself", shown_with(item)),
                ("Observed", "; ".join(str(value) for value in item.observed.values())),
            ]
        )
        text = markup.paragraph(*self.inline(item.text))
        return markup.section(f"{item.id}: {item.title}", anchor, text, facts)


def shown_with(item: Deviation) -> list[nodes.Node]:
    """Return the command that shows it, or why there is none."""
    if item.products:
        products = f" (on {', '.join(item.products)})"
        return [markup.literal(f"journalspec products show {item.id}"), nodes.Text(products)]
    return [nodes.Text(str(show.data["none"])) for show in item.show]


def versions(item: Deviation) -> str:
    """Return the versions concerned, in words."""
    if not item.until:
        return f"since {item.since}"
    return item.since if item.since == item.until else f"{item.since} to {item.until}"


class CapturedList(FormatDirective):
    """``{captured-list} FORMAT``: every captured directory with its provenance and its bytes."""

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return one section per directory."""
        root = sources.captured_root(format_.id)
        found = sorted(root.rglob("provenance.toml"))
        if not found:
            return [markup.paragraph("None was captured yet.")]
        self.depends_on(*found)
        return [self._entry(format_, path.parent, path.parent.relative_to(root).as_posix()) for path in found]

    def _entry(self, format_: Format, directory: Path, name: str) -> nodes.section:
        facts = tomllib.loads((directory / "provenance.toml").read_text(encoding="utf-8"))
        part = markup.section([markup.literal(name)], nodes.make_id(f"captured-{name}"))
        part += markup.paragraph(_sentence(str(facts.get("title", ""))))
        part += markup.fields(_scalars(facts))
        part += markup.raw("".join(self._folds(format_, directory, facts)))
        return part

    def _folds(self, format_: Format, directory: Path, facts: Mapping[str, Any]) -> Iterator[str]:
        sessions = facts.get("session", ())
        if sessions:
            text = "\n".join(_session(number, session) for number, session in enumerate(sessions, start=1))
            yield markup.details("What was done", _pre(text))
        for policy, answer in facts.get("loads", {}).items():
            text = "\n".join(f"{key}: {value}" for key, value in answer.items())
            yield markup.details(f"What the product itself loads from it, policy {policy}", _pre(text))
        hashes = facts.get("sha256", {})
        files = {file: (directory / file).read_bytes() for file in hashes if (directory / file).is_file()}
        roles = sources.roles_of(format_.id)
        spans = list(load(format_.id).spans(files, edition=str(facts["edition"])))
        for file, content in files.items():
            own = [span for span in spans if span.file == file]
            html = hexdump.fields_html(case_pages.shown(content, 0), own, roles)
            yield markup.details(f"{file}, {len(content)} bytes, SHA-256 {hashes[file]}", html)


def _scalars(facts: Mapping[str, Any]) -> list[tuple[str, markup.Cell]]:
    return [
        (key.replace("_", " ").capitalize(), [markup.literal(str(value))])
        for key, value in facts.items()
        if key not in SHOWN and not isinstance(value, list | dict)
    ]


def _session(number: int, session: Mapping[str, Any]) -> str:
    lines = [f"session {number}, {session.get('end', '')}:"]
    lines += [f"  {_operation(entry)}" for entry in session.get("ops", ())]
    return "\n".join(lines)


def _operation(entry: object) -> str:
    if not isinstance(entry, Mapping):
        return str(entry)
    return "  ".join(f"{key}={_plain(value)}" for key, value in entry.items())


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_plain(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return ",".join(map(_plain, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _pre(text: str) -> str:
    return f'<div class="jspec-scroll"><pre class="jspec-json">{escape(text)}</pre></div>'


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""
