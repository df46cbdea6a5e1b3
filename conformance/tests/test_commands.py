"""What every command refuses, and the words in which it does."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from journalspec_corpus.load import find_case
from refusals import refusals, refuses

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the table speaks of."""
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


@refusals()
def test_a_command_refuses_and_says_why(refusal: tuple[str, int, str], place: Path) -> None:
    refuses(refusal, place, pair=str(place / "pair"), short=str(place / "short"))
