"""Edits of cases at labelled places."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from journalspec_corpus.edits import Built, EditError, Range, apply

TABLE = tomllib.loads((Path(__file__).parent / "data" / "edits.toml").read_text(encoding="utf-8"))


def built() -> Built:
    return Built(
        {"a": bytearray(range(16)), "b": bytearray(4)},
        {
            "r1": Range("a", 4, 8),
            "r1.length": Range("a", 6, 2),
            "b": Range("b", 0, 4),
            "b.whole": Range("b", 0, 4),
        },
    )


def other(name: str) -> Built:
    found = built()
    return found if name != "zeros" else Built({"a": bytearray(16), "b": bytearray(4)}, found.labels)


def after(edit: dict[str, Any]) -> dict[str, bytes]:
    target = built()
    apply(target, edit, other, lambda *_: None)
    return target.content()


@pytest.mark.parametrize(("edit", "at", "want"), TABLE["right"])
def test_edit_changes_exactly_these_bytes(edit: dict[str, Any], at: int, want: str) -> None:
    data, new = bytes(range(16)), bytes.fromhex(want)
    assert after(edit)["a"] == data[:at] + new + data[at + len(new) :]


@pytest.mark.parametrize(("edit", "complaint"), TABLE["wrong"])
def test_message_about_a_wrong_edit_quotes_it(edit: dict[str, Any], complaint: str) -> None:
    with pytest.raises(EditError, match=complaint):
        after(edit)
