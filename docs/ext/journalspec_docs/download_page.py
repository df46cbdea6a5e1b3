"""What can be had as files: schemas, parsers, cases, reports; each with its size, its SHA-256 and its place.

The archives of cases are not on the site, of which they would be a tenth: a command makes them, and the same
cases always give the bytes whose sum is told here.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from docutils import nodes

from journalspec.formats import format_ids, get_format
from journalspec_conformance.protocol import schemas as answer_schemas
from journalspec_corpus.archive import write_archive
from journalspec_corpus.load import load_cases
from journalspec_docs import markup, matrix, sources
from journalspec_docs.base import Page, table

ROOT = Path(__file__).resolve().parents[3]
#: What the archives hold beside the cases.
ANSWERS = ("common", "observation", "refused")
TIERS = ("smoke", "captured")


@cache
def archive(format_id: str) -> bytes:
    """Return what `journalspec corpus archive` writes for a format."""
    beside = {f"{name}.schema.json": answer_schemas()[name] for name in ANSWERS}
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / archive_name(format_id)
        write_archive(path, [case for tier in TIERS for case in load_cases(format_id, tier)], beside)
        return path.read_bytes()


def archive_name(format_id: str) -> str:
    """Return the name of the archive of a format's cases."""
    return f"{format_id}-cases.tar.gz"


def _row(link: nodes.Node, content: bytes, place: str) -> markup.Row:
    digest = markup.literal(hashlib.sha256(content).hexdigest())
    return markup.lines([link], [markup.literal(place)]), f"{len(content):,}", digest


def _file(page: Page, path: Path) -> markup.Row:
    """Return the row of a file that is copied into the site."""
    page.depends_on(path)
    place = path.relative_to(ROOT).as_posix()
    (link,) = page.inline(f"{{download}}`{path.name} <../{place}>`")
    return _row(link, path.read_bytes(), place)


@table("Command, and where the cases are in the repository", "Bytes", "SHA-256", classes="jspec-hashes")
def cases(page: Page) -> Iterator[markup.Row]:
    """``{download-cases}``: the archive of the cases of each format."""
    for name in format_ids():
        page.depends_on_cases(get_format(name))
        command = f"journalspec corpus archive --format {name} --out {archive_name(name)}"
        place = f"corpus/journalspec_corpus/published/{name}/"
        yield _row(markup.literal(command), archive(name), place)


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
