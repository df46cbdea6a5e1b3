"""Drawing the lines of long workloads. Needs the extra ``hypothesis``.

A format's ``long_machine`` has a class LongMachine whose rules call :meth:`Drawing.say`;
whoever wants to see what the words do (a test, say) derives from it.

The lines are a function of the machine and of Hypothesis's version, which both
stand in the first line of the file. They need not be drawn again for another
version: what is kept is as good as what would come.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import hypothesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from journalspec.files import replace_text
from journalspec_corpus.crash.adapter import LONG_WORKLOADS, LongWorkload

#: Transactions and records are one digit in base 36.
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Drawing(RuleBasedStateMachine):
    """A machine that writes down what it was told to do."""

    #: Everything that machines of this class have drawn, in order.
    drawn: ClassVar[list[LongWorkload]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.drawn = []

    def __init__(self) -> None:
        super().__init__()
        self.variant = ""
        self.size = 0
        self.words: list[str] = []

    def begin(self, variant: str, size: int) -> None:
        """Begin a journal."""
        self.variant, self.size = variant, size

    def say(self, word: str) -> None:
        """Do one thing."""
        self.words.append(word)

    def teardown(self) -> None:
        """Remember what was drawn."""
        self.drawn.append(LongWorkload(self.variant, self.size, " ".join(self.words)))


LINES = 2000
#: Words in a line: fewer are among the small workloads, more only repeat themselves.
LEAST, MOST = 4, 12
#: Machines that are run for each line that is wanted: many are too short, some alike.
TRIES = 4
#: Kinds of words (their first letters) in a line, at least: adding and forcing is nothing new.
KINDS = 3


def draw(machine: type[Drawing], count: int) -> list[LongWorkload]:
    """Return `count` different workloads of `machine`, the same ones every time."""
    machine.drawn.clear()
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=TRIES * count,
            stateful_step_count=MOST,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    # Hypothesis likes to try the same on other journals; once is enough.
    found = {work.rules: work for work in machine.drawn if _is_worth(work.rules.split())}
    return list(found.values())[:count]


def _is_worth(words: list[str]) -> bool:
    return len(words) >= LEAST and len({word[0] for word in words}) >= KINDS


def first_line(machine: type[Drawing], count: int) -> str:
    """Return what stands before the workloads: where they come from."""
    spec = sys.modules[machine.__module__].__spec__
    assert spec is not None  # a module that is run as a program has one too, with its own name
    about = {
        "drawn_by": f"{spec.name}.{machine.__name__}",
        "hypothesis": hypothesis.__version__,
        "lines": count,
        "words": [LEAST, MOST],
        "columns": ["variant", "length of a file", "rules"],
        "license": "CC0-1.0",
    }
    return json.dumps(about, separators=(",", ":"))


def write_lines(machine: type[Drawing], arguments: Sequence[str] | None = None) -> int:
    """Draw, and write beside the machine's module or show; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"replace {LONG_WORKLOADS}; otherwise print")
    parser.add_argument("--lines", type=int, default=LINES)
    options = parser.parse_args(arguments)
    works = draw(machine, options.lines)
    text = "\n".join([first_line(machine, len(works)), *(work.line() for work in works)]) + "\n"
    if options.write:
        source = sys.modules[machine.__module__].__file__
        assert source is not None  # it was imported from a file
        replace_text(Path(source).with_name(LONG_WORKLOADS), text)
        print(f"{LONG_WORKLOADS}: {len(works)} lines, {len(text)} bytes")
    else:
        print(text, end="")
    return 0 if len(works) == options.lines else 1
