"""The pages that exist once per format, written before Sphinx looks for its sources.

Each is a few lines of MyST that call a directive; a format that is added to
the project gets the same pages without a change here. A file is only written
if its text changed, so that an unchanged page is not read again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

from journalspec.formats import Format
from journalspec_docs import case_pages, sources
from journalspec_docs.requirement_pages import area_id

logger = logging.getLogger(__name__)
FOLDER = "formats"


def pages(srcdir: Path) -> Iterator[tuple[str, str]]:
    """Yield (path below the source directory, text) of every generated page."""
    formats = [sources.get_format(name) for name in sources.format_ids()]
    yield (
        f"{FOLDER}/index.md",
        _page(
            "The formats",
            "```{format-list}\n```",
            _toctree([f"{item.id}/index" for item in formats]),
        ),
    )
    for item in formats:
        for name, text in format_pages(item, srcdir):
            yield f"{FOLDER}/{item.id}/{name}.md", text


def format_pages(item: Format, srcdir: Path) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of the pages of one format."""
    names = ["spec", "requirements", "vocabulary", "schemas", "cases/index", "coverage", "deviations"]
    names += ["captured", "conformance"]
    yield "index", _page(item.title, item.summary, _directive("format-overview", item.id), _toctree(names))
    if sources.spec_path(item.id).is_file():
        relative = os.path.relpath(sources.spec_path(item.id), srcdir / FOLDER / item.id)
        yield "spec", f"```{{include}} {relative}\n```\n"
    else:
        logger.warning("%s has no spec.md", item.id)
        yield "spec", _page("Specification", "Not written.")
    yield (
        "requirements",
        _page(
            f"Requirements of the {item.title}",
            "Every normative sentence of the specification, once. An id is permanent: never renumbered, never reused.\n"
            "*Obeyed in* names cases whose input or expected answer follows the requirement, *broken in* cases whose\n"
            "input violates it, or that fail an implementation which ignores it.",
            _directive("requirement-summary", item.id),
            *_areas(item),
        ),
    )
    yield "vocabulary", _page(f"Names used for the {item.title}", _directive("vocabulary", item.id))
    yield (
        "schemas",
        _page(
            f"Schemas of the {item.title}",
            "From the Kaitai Struct files, which describe one record and one undamaged file. What to do with damage\n"
            "is the specification's business, not the schema's.",
            _directive("schema-files", item.id),
            _directive("schema-types", item.id),
        ),
    )
    yield (
        "coverage",
        _page(
            f"Coverage of the {item.title}",
            "How many published cases obey and break each requirement.",
            _directive("coverage-table", item.id),
        ),
    )
    yield "deviations", _page(
        f"Deviations from the {item.title}",
        "Where products depart from the specification. Everything here was observed on the version named.",
        _directive("deviation-list", item.id),
    )
    yield "captured", _page(
        f"Captured files of the {item.title}",
        "Written by real products and never edited. How each one came about:",
        _directive("captured-list", item.id),
    )
    yield "conformance", _page(
        f"Conformance to the {item.title}",
        _directive("conformance-matrix", item.id),
    )
    yield from _case_pages(item)


def _areas(item: Format) -> Iterator[str]:
    for area, title in sources.requirements_of(item.id).areas.items():
        lead = f"({area_id(item.id, area)})=\n## {title} ({area})"
        yield f"{lead}\n\n{_directive('requirement-list', f'{item.id} {area}', ':full:')}"


def _case_pages(item: Format) -> Iterator[tuple[str, str]]:
    groups = sources.cases_by_group(item.id)
    names = []
    for group, cases in groups.items():
        parts = case_pages.pages(cases)
        for number in range(1, len(parts) + 1):
            name = group if number == 1 else f"{group}-{number}"
            names.append(name)
            title = f"Cases: {group}" + (f" ({number} of {len(parts)})" if len(parts) > 1 else "")
            lead = [_directive("case-group", f"{item.id} {group}")] if number == 1 else []
            yield (
                f"cases/{name}",
                _page(title, *lead, _directive("case-entries", f"{item.id} {group} {number}")),
            )
    flags = [_directive("flag-list", item.id)]
    yield (
        "cases/flags",
        _page("Flags", "What is special about a case, and what goes wrong if it is mishandled.", *flags),
    )
    yield (
        "cases/index",
        _page(
            f"Cases of the {item.title}",
            _directive("case-list", item.id),
            _toctree([*names, "flags"]),
        ),
    )


def _page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", *parts]) + "\n"


def _directive(name: str, arguments: str, *options: str) -> str:
    return "\n".join([f"```{{{name}}} {arguments}", *options, "```"])


def _toctree(names: list[str]) -> str:
    return "\n".join(["```{toctree}", ":maxdepth: 1", "", *names, "```"])


def write(app: Sphinx) -> None:
    """Bring the generated pages below the source directory up to date."""
    srcdir = Path(app.srcdir)
    wanted = dict(pages(srcdir))
    for name, text in wanted.items():
        path = srcdir / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    for path in sorted((srcdir / FOLDER).rglob("*.md")):
        if path.relative_to(srcdir).as_posix() not in wanted:
            path.unlink()
