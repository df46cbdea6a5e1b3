"""The table of messages is correct: real products print these messages when they start on damaged stores.

Needs Java, a Java compiler, and the products' jars (by `journalspec products fetch`, brokers by Maven).
"""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import pytest
from messages import foretold, made, unprinted
from messages_states import MAKERS

from journalspec.messages import messages, prints
from journalspec_conformance.products import product_dir
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load
from products import ReadyProduct, need_brokers

pytestmark = [pytest.mark.product, pytest.mark.java]
#: For each product that runs here, one state with damage that a crash does not leave.
REPEATED = {
    "derby-10.14.2.0": "page-older",
    "bitronix-2.1.4": "record-body",
    "activemq-6.1.7": "file-missing",
}
#: Maps the product of the rows to the directory of its jars, which contain the classes.
SOURCES = {
    "derby_log": ("derby-10.14.2.0", "10.14.2.0"),
    "bitronix_tlog": ("bitronix-2.1.4", "2.1.4"),
}


@pytest.mark.parametrize("product", REPEATED)
def test_start_prints_the_messages_of_the_table(product: str, ready_product: ReadyProduct) -> None:
    if shutil.which("javac") is None:
        pytest.skip("no Java compiler on PATH")
    ready_product("artemis-2.44.0")
    if product.startswith("activemq-"):
        need_brokers(product.replace("activemq", "kahadb"))
    else:
        ready_product(product)
    state = REPEATED[product]
    maker = MAKERS[product]
    assert [entry for entry in messages(maker.format) if f"{product}/{state}" in entry.made]
    codes: set[str] = set()

    def look(_: str, store: Path) -> None:
        inner = store / "log"  # A database contains its journal as a directory.
        (journal,) = find_journals(load(inner if inner.is_dir() else store), None, None, {})
        seen = ask(journal, "strict").observation
        codes.update(note.code for note in seen.notes)
        codes.update(lack.code for lack in seen.missing)
        codes.update(region.reason for region in seen.dropped)
        codes.update([seen.code] if seen.code else [])

    lines = made(maker, {state: maker.states[state]}, look)
    assert unprinted(product, lines) == []
    expected = foretold(maker.format, codes)
    assert expected
    assert [entry.id for entry in expected if not prints(entry, lines[state])] == []


@pytest.mark.parametrize("name", SOURCES)
def test_texts_of_messages_are_in_the_classes_of_the_product(name: str, ready_product: ReadyProduct) -> None:
    product, version = SOURCES[name]
    jars = sorted(product_dir(ready_product(product)).glob("*.jar"))
    content = b"".join(map(_contents, jars))
    for entry in messages(name):
        if version in entry.versions:
            lacking = [piece for piece in _pieces(entry.text) if piece not in content]
            assert lacking == [], entry.id


def _contents(jar: Path) -> bytes:
    with zipfile.ZipFile(jar) as archive:
        wanted = [name for name in archive.namelist() if name.endswith((".class", "_en.properties"))]
        return b"".join(archive.read(name) for name in wanted)


def _pieces(text: str) -> list[bytes]:
    """Return the constant pieces of a text, split where property files escape or break the text."""
    return [piece.encode() for piece in re.split(r"\{\}|['=:#!\\]|\s{2,}", text) if len(piece) > 5]
