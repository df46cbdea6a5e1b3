"""The systematic mutator: which changes it makes, and what it says of them."""

from __future__ import annotations

import resource
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "mutate.py"


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of memory is for a process of its own."""
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)


SOURCE = '''"""Says nothing."""
from __future__ import annotations

LIMIT = 3


def look(data, sync):
    """A sentence."""
    if len(data) < LIMIT and data:
        sync()
    return data[1:LIMIT]
'''


def test_each_change_is_in_one_place_and_still_python(tool: ModuleType) -> None:
    found = list(tool.changes("m", SOURCE))
    made = {(change.kind, change.after) for change in found}
    assert {
        ("constant", "LIMIT = 4"),
        ("constant", "LIMIT = 2"),
        ("compared", "if len(data) <= LIMIT and data:"),
        ("compared", "if len(data) > LIMIT and data:"),
        ("and/or", "if len(data) < LIMIT or data:"),
        ("condition left out", "if len(data) < LIMIT:"),
        ("condition left out", "if data:"),
        ("negated", "if not (len(data) < LIMIT and data):"),
        ("left out", "pass"),
        ("bound moved", "return data[1:LIMIT + 1]"),
        ("bound left out", "return data[1:]"),
    } <= made
    assert len({change.source for change in found}) == len(found)
    for change in found:
        compile(change.source, "changed", "exec")


def test_survivors_are_listed_and_the_score_printed(
    tool: ModuleType, unlimited: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert tool.main(["bitronix_tlog", "--module", "implementation", "--least", "100"]) == 1
    told = capsys.readouterr().out
    assert "implementation.py:" in told  # how journals are told apart is no case's business
    assert "% noticed" in told.splitlines()[-1]
    known = tmp_path / "known"
    every = tool.changes("implementation", tool.sources("bitronix_tlog")["implementation"])
    known.write_text("\n".join(change.name for change in every), encoding="utf-8")
    assert tool.main(["bitronix_tlog", "--module", "implementation", "--known", str(known)]) == 0
    assert "0 changes" in capsys.readouterr().out
