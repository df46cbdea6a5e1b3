"""What the formats' state machines have in common: they draw words, and remember them.

Needs the extra ``hypothesis``. A format's ``long_machine`` has a class LongMachine
whose rules call :meth:`Drawing.say`; whoever wants to see what the words do (a
test, say) derives from it.
"""

from __future__ import annotations

from typing import ClassVar

from hypothesis.stateful import RuleBasedStateMachine

from journalspec_corpus.crash.long import LongWorkload

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
