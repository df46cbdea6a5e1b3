"""What the directory of a log must hold and does not: a file of the pair that has another name."""

from __future__ import annotations

from collections.abc import Iterator

from journalspec.observation import Missing
from journalspec_reference.answers import Answer, is_copy
from journalspec_reference.bitronix_tlog.fileset import PAIR, sibling

_TEXT = "{} has its name and something after it: the transaction manager does not read it"


def lacking(answer: Answer) -> Iterator[Missing]:
    """Yield a file of the pair that exists only under its name with a suffix."""
    names = [*answer.journal.files]
    for name, other in (names, names[::-1]) if len(names) == PAIR else ():
        own = sibling(other)
        if is_copy(name, own):
            yield Missing("file", own, name, text=_TEXT.format(name))
