"""Tables of contents: which content of ``contents/tables.toml`` is valid, and a format without contents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from journalspec import contents

TABLE = '[[table]]\nname = "messages"\nnoun = "message"\ndoc = "All."\ncolumns = [{}]\n'
COLUMN = '{{ name = "{}", kind = "{}", doc = "A column." }}'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the path of the tables of a format that exists only in this test."""
    monkeypatch.setattr(contents, "get_format", lambda _: SimpleNamespace(root=tmp_path))
    contents.described.cache_clear()
    contents.contents_of.cache_clear()
    (tmp_path / "contents").mkdir()
    yield tmp_path / "contents" / "tables.toml"
    # Other tests must not find this format.
    contents.described.cache_clear()
    contents.contents_of.cache_clear()


def test_row_has_the_order_of_the_columns(root: Path) -> None:
    root.write_text(TABLE.format(f"{COLUMN.format('id', 'int')}, {COLUMN.format('text', 'str')}"), "utf-8")
    table = contents.contents_of("made").tables["messages"]
    assert [*table.empty.items()] == [("id", None), ("text", None)]


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (COLUMN.format("id", "number"), "made/contents/tables.toml: messages: no such kind: number"),
        (", ".join([COLUMN.format("id", "int")] * 2), "messages: duplicate column"),
    ],
)
def test_wrong_table_is_refused(root: Path, columns: str, problem: str) -> None:
    root.write_text(TABLE.format(columns), "utf-8")
    with pytest.raises(ValueError, match=problem):
        contents.described("made")


def test_format_without_contents_has_no_tables(root: Path) -> None:
    assert not root.exists()
    assert contents.described("made") is None
    with pytest.raises(LookupError, match="made has no contents"):
        contents.contents_of("made")
