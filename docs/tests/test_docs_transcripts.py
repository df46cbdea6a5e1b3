"""The terminal sessions on the pages show the real output of their commands."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import transcripts

DOCS = Path(__file__).resolve().parents[1]
ALL = transcripts.transcripts()


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a POSIX shell")
@pytest.mark.parametrize("transcript", ALL, ids=[item.path.stem for item in ALL])
def test_session_prints_the_output_on_the_page(transcript: transcripts.Transcript) -> None:
    assert transcripts.difference(transcript) == "", "python tools/transcripts.py --update rewrites it"


def test_every_session_is_on_a_page() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("*.md"))
    assert [item.path.name for item in ALL if f"transcripts/{item.path.name}" not in text] == []


def test_session_with_a_failing_preparation_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    for line, complaint in [
        ("#! replace my_reader.py: no such text => x", "exactly once"),
        ("#! run exit 3", "failed"),
        ("#! dance", "unknown preparation"),
    ]:
        path.write_text(f"{line}\n$ true\n", encoding="utf-8")
        with pytest.raises(transcripts.TranscriptError, match=complaint):
            transcripts.Transcript.load(path).play()


@pytest.mark.parametrize(
    ("now", "same"),
    [
        ("pass  7   known in 0.12s", True),
        ("pass 7 known in 3.40s", True),
        ("pass  8   known in 0.12s", False),
        ("fail  7   known in 0.12s", False),
    ],
)
def test_widths_and_durations_may_change_but_words_and_numbers_may_not(
    tmp_path: Path, now: str, same: bool
) -> None:
    path = tmp_path / "x.txt"
    path.write_text(f"$ echo '{now}'\npass  7   known in 0.12s\n", encoding="utf-8")
    assert (transcripts.difference(transcripts.Transcript.load(path)) == "") is same


def test_harness_of_the_tutorial_is_as_short_as_stated() -> None:
    lines = (DOCS / "harness" / "my_reader.py").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip() and not line.strip().startswith('"""')]) <= 40
