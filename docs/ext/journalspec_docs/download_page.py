"""What can be had as files: schemas, parsers, cases, reports; each with its size, its SHA-256 and its place.

The archives of cases are made with the site, from the published cases; the same cases give the same bytes.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from journalspec.formats import format_ids, get_format
from journalspec_conformance.protocol import schemas as answer_schemas
from journalspec_corpus.archive import write_archive
from journalspec_docs import markup, matrix, sources
from journalspec_docs.base import Page, table

ROOT = Path(__file__).resolve().parents[3]
#: Below the site, and what the archives hold: the smoke and the captured cases of one format.
FOLDER = "downloads"
ANSWERS = ("common", "observation", "refused")


@cache
def archive(format_id: str) -> bytes:
    """Return the archive of all published cases of a format."""
    beside = {f"{name}.schema.json": answer_schemas()[name] for name in ANSWERS}
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / archive_name(format_id)
        write_archive(path, sources.cases(format_id), beside)
        return path.read_bytes()


def archive_name(format_id: str) -> str:
    """Return the name of the archive of a format's cases."""
    return f"{format_id}-cases.tar.gz"


def write(app: Sphinx, problem: Exception | None) -> None:
    """Write the archives beside the pages."""
    if problem is not None or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    room = Path(app.outdir, FOLDER)
    room.mkdir(exist_ok=True)
    for name in format_ids():
        path = room / archive_name(name)
        content = archive(name)
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)


def _row(link: nodes.Node, content: bytes, place: str) -> markup.Row:
    digest = markup.literal(hashlib.sha256(content).hexdigest())
    return markup.lines([link], [markup.literal(place)]), f"{len(content):,}", digest


def _file(page: Page, path: Path) -> markup.Row:
    """Return the row of a file that is copied into the site."""
    page.depends_on(path)
    place = path.relative_to(ROOT).as_posix()
    (link,) = page.inline(f"{{download}}`{path.name} <../{place}>`")
    return _row(link, path.read_bytes(), place)


@table("File, and where it is in the repository", "Bytes", "SHA-256", classes="jspec-hashes")
def cases(page: Page) -> Iterator[markup.Row]:
    """``{download-cases}``: the published cases of each format as an archive."""
    for name in format_ids():
        page.depends_on_cases(get_format(name))
        href = f"{FOLDER}/{archive_name(name)}"
        link = markup.raw(f'<a href="{href}" download>{archive_name(name)}</a>')
        yield _row(link, archive(name), f"corpus/journalspec_corpus/published/{name}/")


@table("File, and where it is in the repository", "Bytes", "SHA-256", classes="jspec-hashes")
def schemas(page: Page) -> Iterator[markup.Row]:
    """``{download-schemas}``: the ``.ksy`` files, and the JSON Schemas of cases and answers."""
    for name in format_ids():
        for schema in sources.schemas(name).values():
            yield _file(page, schema.path)


@table("File, and where it is in the repository", "Bytes", "SHA-256", classes="jspec-hashes")
def reports(page: Page) -> Iterator[markup.Row]:
    """``{download-reports}``: the committed reports of the products."""
    for path in sorted(matrix.REPORTS.glob("*.jsonl.gz")):
        yield _file(page, path)
