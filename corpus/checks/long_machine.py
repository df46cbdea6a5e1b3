"""Drawing the lines of long workloads: ``python corpus/checks/long_machine.py FORMAT``.

Needs the extra ``hypothesis``. What may be said comes from a format's table and its model.

The lines are a function of the table and of Hypothesis's version, which stands in the
first line of the file. They need not be drawn again for another version or table: what is
kept is as good as what would come. Those of the first two formats were drawn by machines of their
own, before there was a table.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import hypothesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from journalspec.files import replace_text
from journalspec.formats import format_module
from journalspec_corpus.crash.adapter import PACKAGE, crash_format
from journalspec_corpus.crash.workloads import (
    DIGITS,
    LONG_WORKLOADS,
    LONGER_WORKLOADS,
    POOL,
    LongWorkload,
    LongWorkloads,
)


class Drawing(RuleBasedStateMachine):
    """A machine that writes down what it was told to do."""

    #: What it draws from.
    source: ClassVar[LongWorkloads]
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
        self.used = 0
        self.kept = self.source.model.begin({})

    @initialize(data=st.data())
    def start(self, data: Any) -> None:
        """Create the journal."""
        self.variant = data.draw(st.sampled_from(self.source.table["variants"]))
        self.size = data.draw(st.sampled_from(self.source.table["lengths"]))

    @rule(data=st.data())
    def go_on(self, data: Any) -> None:
        """Do something that can be done now."""
        new = DIGITS[self.used]
        pools = {**self.source.pools(self.kept, new, self.variant), "size": self.source.table["sizes"]}
        # What names nothing is not said twice in a row.
        possible = [
            pattern
            for pattern in self.source.table["patterns"]
            if all(pools[name] for name in POOL.findall(pattern)) and pattern not in self.words[-1:]
        ]
        pattern = data.draw(st.sampled_from(possible))
        said = POOL.sub(lambda name: data.draw(st.sampled_from(pools[name[1]])), pattern)
        self.used += any(name in pattern for name in self.source.table["naming"])
        for word in said.split():
            self.say(word)

    def say(self, word: str) -> None:
        """Do one thing."""
        self.words.append(word)
        plain = self.source.table["plain"]
        op = {"op": plain[word][-1]} if word in plain else self.source.meaning(word)
        self.kept = self.source.model.after(self.kept, op, self.variant)

    def teardown(self) -> None:
        """Remember what was drawn."""
        if self.words:
            self.drawn.append(LongWorkload(self.variant, self.size, " ".join(self.words)))


def machine_of(format_id: str) -> type[Drawing]:
    """Return the machine of a format; raises LookupError if it has no long workloads."""
    long = crash_format(format_id).long
    if long is None:
        raise LookupError(f"{format_id} has no long workloads")
    return type(Drawing.__name__, (Drawing,), {"source": long})


#: file -> how many lines it has, and how many words one of them has at least and at most. Fewer words are
#: among the small workloads. Most of what many words do, few do; what the longer ones add is files that have
#: come round more than once.
LENGTHS = {LONG_WORKLOADS: (2000, 4, 12), LONGER_WORKLOADS: (400, 13, 24)}
#: Machines that are run for each line that is wanted: many are too short, some alike.
TRIES = 4
#: Kinds of words (their first letters) in a line, at least: adding and forcing is nothing new.
KINDS = 3


def draw(machine: type[Drawing], count: int, file: str = LONG_WORKLOADS) -> list[LongWorkload]:
    """Return `count` different workloads of `machine`, as long as those of `file`, the same every time."""
    machine.drawn.clear()
    _, least, most = LENGTHS[file]
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=TRIES * count,
            stateful_step_count=most,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    # Hypothesis likes to try the same on other journals; once is enough.
    found = {work.rules: work for work in machine.drawn if _is_worth(work.rules.split(), least)}
    return list(found.values())[:count]


def _is_worth(words: list[str], least: int) -> bool:
    return len(words) >= least and len({word[0] for word in words}) >= KINDS


def first_line(count: int, file: str = LONG_WORKLOADS) -> str:
    """Return what stands before the workloads: where they come from."""
    about = {
        "drawn_by": "long_machine",
        "hypothesis": hypothesis.__version__,
        "lines": count,
        "words": list(LENGTHS[file][1:]),
        "columns": ["variant", "length of a file", "rules"],
        "license": "CC0-1.0",
    }
    return json.dumps(about, separators=(",", ":"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, and write into the format's package or show; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("format")
    parser.add_argument("--write", action="store_true", help="replace the file; otherwise print")
    parser.add_argument("--lines", type=int, help="how many (default: as many as the file has)")
    parser.add_argument("--longer", action="store_true", help=f"those of {LONGER_WORKLOADS}")
    options = parser.parse_args(arguments)
    file = LONGER_WORKLOADS if options.longer else LONG_WORKLOADS
    lines = LENGTHS[file][0] if options.lines is None else options.lines
    works = draw(machine_of(options.format), lines, file)
    text = "\n".join([first_line(len(works), file), *(work.line() for work in works)]) + "\n"
    if options.write:
        source = format_module(PACKAGE, options.format).__file__
        assert source is not None  # it was imported from a file
        replace_text(Path(source).with_name(file), text)
        print(f"{file}: {len(works)} lines, {len(text)} bytes")
    else:
        print(text, end="")
    return 0 if len(works) == lines else 1


if __name__ == "__main__":
    sys.exit(main())
