"""Draws long workloads of the disk journal: ``python -m journalspec_corpus.bitronix_tlog.long_machine``.

Needs the extra ``hypothesis``.
"""

from __future__ import annotations

import sys

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from journalspec_corpus.bitronix_tlog.workloads import ORDERS
from journalspec_corpus.crash.long_machine import DIGITS, Drawing, write_lines

#: Lengths of the files: for three or four records, for a dozen, and one that ends at a page.
LENGTHS = (1500, 2200, 4096)
#: So many transactions may be open: they are copied with every swap.
MOST_OPEN = 3
sizes = st.sampled_from("abcdxyzb")


class LongMachine(Drawing):
    """Transactions that are decided and finished, forces, and starts after a clean end or none."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.used = 0

    @initialize(order=st.sampled_from(sorted(ORDERS)), length=st.sampled_from(LENGTHS))
    def start(self, order: str, length: int) -> None:
        """Create the journal."""
        self.begin(order, length)

    def _new(self) -> str:
        self.used += 1
        return DIGITS[self.used]

    @precondition(lambda self: len(self.open) < MOST_OPEN and self.used + 1 < len(DIGITS))
    @rule(size=sizes)
    def decide(self, size: str) -> None:
        """Decide a transaction: COMMITTING."""
        self.open.append(self._new())
        self.say(f"c{self.open[-1]}{size}")

    @precondition(lambda self: self.used + 1 < len(DIGITS))
    @rule(kind=st.sampled_from("ap"), size=sizes)
    def mention(self, kind: str, size: str) -> None:
        """Log something that need not survive a swap: ACTIVE or PREPARED."""
        self.say(f"{kind}{self._new()}{size}")

    @precondition(lambda self: self.open)
    @rule(kind=st.sampled_from("dddr"), which=st.integers(0, MOST_OPEN - 1))
    def finish(self, kind: str, which: int) -> None:
        """Finish a transaction."""
        self.say(kind + self.open.pop(which % len(self.open)))

    @precondition(lambda self: self.words and self.words[-1] != "f")
    @rule()
    def force(self) -> None:
        """Force what was logged."""
        self.say("f")

    @precondition(lambda self: self.words and self.words[-1] not in ("o", "k"))
    @rule(how=st.sampled_from("ok"))
    def start_again(self, how: str) -> None:
        """Start again."""
        self.say(how)


if __name__ == "__main__":
    sys.exit(write_lines(LongMachine))
