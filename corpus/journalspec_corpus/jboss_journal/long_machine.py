"""Draws long workloads of the journal: ``python -m journalspec_corpus.jboss_journal.long_machine``.

Needs the extra ``hypothesis``.
"""

from __future__ import annotations

import sys

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from journalspec_corpus.crash.long_machine import DIGITS, Drawing, write_lines
from journalspec_reference.jboss_journal.codec import DIALECTS

#: Editions, and orders of writes where there are others than the specification's.
VARIANTS = ("seed", "seed+hash", "v2", "v2/artemis", "v2/hornetq")
LENGTHS = (1024, 1536, 2560)
MOST_OPEN = 2
#: So many records may live for all of them to be deleted in one go.
FEW = 3
sizes = st.sampled_from("abcxyzb")
forced = st.sampled_from(("", "", "-"))


class LongMachine(Drawing):
    """Records and transactions, files that are left, taken out of use and compacted, and starts."""

    def __init__(self) -> None:
        super().__init__()
        self.living: list[str] = []
        self.updated: set[str] = set()
        #: transaction -> the records that it adds or deletes
        self.open: dict[str, list[str]] = {}
        self.prepared: set[str] = set()
        self.used = 0
        self.transactions = 0

    @initialize(variant=st.sampled_from(VARIANTS), length=st.sampled_from(LENGTHS))
    def start(self, variant: str, length: int) -> None:
        """Create the journal."""
        self.begin(variant, length)

    def _new(self) -> str:
        self.used += 1
        return DIGITS[self.used]

    def _pick(self, which: int) -> str:
        return self.living[which % len(self.living)]

    @precondition(lambda self: self.used + 1 < len(DIGITS))
    @rule(size=sizes, force=forced)
    def add(self, size: str, force: str) -> None:
        """Add a record."""
        self.living.append(self._new())
        self.say(f"a{self.living[-1]}{size}{force}")

    @precondition(lambda self: self.living)
    @rule(which=st.integers(0, 7), size=sizes, force=forced)
    def update(self, which: int, size: str, force: str) -> None:
        """Update a record, once in its life."""
        record = self._pick(which)
        if record not in self.updated:
            self.updated.add(record)
            self.say(f"u{record}{size}{force}")

    @precondition(lambda self: self.living)
    @rule(which=st.integers(0, 7), force=forced)
    def delete(self, which: int, force: str) -> None:
        """Delete a record."""
        record = self._pick(which)
        self.living.remove(record)
        self.say(f"d{record}{force}")

    @precondition(lambda self: self.used + 1 < len(DIGITS) and self.transactions + 1 < len(DIGITS))
    @rule(which=st.integers(0, MOST_OPEN - 1), size=sizes)
    def add_in_transaction(self, which: int, size: str) -> None:
        """Add a record in a transaction that is not prepared yet; there is one with the first record."""
        free = sorted(set(self.open) - self.prepared)
        if which >= len(free) and len(self.open) < MOST_OPEN:
            self.transactions += 1
            free.append(DIGITS[self.transactions])
        if free:
            tx = free[which % len(free)]
            self.open.setdefault(tx, []).append(self._new())
            self.say(f"A{tx}{self.open[tx][-1]}{size}")

    @precondition(lambda self: set(self.open) - self.prepared and self.living)
    @rule(which=st.integers(0, 7))
    def delete_in_transaction(self, which: int) -> None:
        """Delete a record in a transaction; nobody else touches it any more."""
        tx = min(set(self.open) - self.prepared)
        record = self._pick(which)
        self.living.remove(record)
        self.open[tx].append(f"-{record}")
        self.say(f"D{tx}{record}")

    @precondition(lambda self: self.open)
    @rule(which=st.integers(0, MOST_OPEN - 1))
    def commit(self, which: int) -> None:
        """Commit a transaction."""
        tx = sorted(self.open)[which % len(self.open)]
        self.living += [record for record in self._close(tx) if record[0] != "-"]
        self.say("c" + tx)

    @precondition(lambda self: set(self.open) - self.prepared)
    @rule()
    def prepare(self) -> None:
        """Prepare a transaction."""
        tx = min(set(self.open) - self.prepared)
        self.prepared.add(tx)
        self.say("p" + tx)

    @precondition(lambda self: self.open)
    @rule(which=st.integers(0, MOST_OPEN - 1))
    def roll_back(self, which: int) -> None:
        """Roll a transaction back: what it would have deleted lives on."""
        tx = sorted(self.open)[which % len(self.open)]
        self.living += [record[1:] for record in self._close(tx) if record[0] == "-"]
        self.say("r" + tx)

    def _close(self, tx: str) -> list[str]:
        self.prepared.discard(tx)
        return self.open.pop(tx)

    @precondition(lambda self: 0 < len(self.living) <= FEW and not self.open)
    @rule()
    def wear_out(self) -> None:
        """Delete everything and go on in other files, until the first ones come round again."""
        for record in self.living:
            self.say(f"d{record}")
        self.living.clear()
        for what in "ngn":
            self.say(what)

    @precondition(lambda self: self.words and self.words[-1] not in ("f", "n", "g", "m"))
    @rule(what=st.sampled_from("fngm"))
    def keep_house(self, what: str) -> None:
        """Force, leave the file, take files out of use, or compact (as far as the edition can)."""
        if what != "m" or DIALECTS[self.variant.partition("/")[0]].control_file:
            self.say(what)

    @precondition(lambda self: self.words and self.words[-1] != "o")
    @rule()
    def start_again(self) -> None:
        """Start again: what is neither committed nor prepared is rolled back."""
        for tx in sorted(set(self.open) - self.prepared):
            self.living += [record[1:] for record in self.open.pop(tx) if record[0] == "-"]
        self.say("o")


if __name__ == "__main__":
    sys.exit(write_lines(LongMachine))
