"""The systematic mutator: which changes it makes, and what it says of them."""

from __future__ import annotations

import resource
import signal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from journalspec_corpus import load_cases

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
    tool: ModuleType,
    unlimited: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Time is that of the processor: a busy machine makes a change late, not noticed."""
    limits = []

    def made(module: str, text: str) -> list[Any]:
        spoilt = text.replace("    return ", "    return None and ")
        return [
            tool.Change(module, 7, "none", "a", "b", text),
            tool.Change(module, 9, "all", "c", "d", spoilt),
        ]

    def setitimer(which: int, seconds: float) -> None:
        limits.append((which, seconds))

    monkeypatch.setattr(tool, "load_cases", lambda format_id: load_cases(format_id)[:40])
    monkeypatch.setattr(tool, "changes", made)
    monkeypatch.setattr(signal, "setitimer", setitimer)
    assert tool.main(["bitronix_tlog", "--module", "codec"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "codec.py:7: none",
        "    - a",
        "    + b",
        "codec                1 of     2 noticed",
        "bitronix_tlog: 2 changes, 50.0 % noticed, 1 not",
    ]
    # The reference, which comes first, takes what it takes.
    assert limits == [(signal.ITIMER_PROF, seconds) for seconds in (0, 0, *2 * (tool.SECONDS, 0))]
