"""Tests outputs, refusals and exit statuses of every command, row by row."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from commands import Row, tried, typed
from journalspec_corpus.load import find_case

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the table names."""
    place = tmp_path_factory.mktemp("place")
    for name in ("empty", "deeper/still", "pair", "short"):
        (place / name).mkdir(parents=True)
    find_case("btm.clean.two-phase").materialize(place / "pair")
    find_case("btm.clean.two-phase").materialize(place / "deeper/still")
    (place / "short/data-1.jbm").write_bytes(struct.pack(">i", 7).ljust(400, b"J"))
    (place / "there.tar").touch()
    (place / "names-nothing.toml").write_text('[[expect]]\ncase = "zzz.**"\noutcome = "fail"\nwhy = "w"\n')
    (place / "no-case.jsonl").write_text('{"id": "x"}\n{}\n[]\n')
    os.mkfifo(place / "pipe")
    (place / "link").symlink_to("pipe")
    return place


@typed()
def test_command_prints_the_words_and_ends_with_the_status_of_its_row(row: Row, place: Path) -> None:
    tried(row, place, pair=str(place / "pair"), short=str(place / "short"))
