"""Reading crash states by the reference: equal contents are read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.adapter import Known, Read, Reader, crash_format
from journalspec_corpus.crash.blocks import Codes, CrashPoint
from journalspec_corpus.crash.verdict import Answer

#: Answers that are remembered by content, some thousand bytes each.
REMEMBERED = 1 << 13


def answers(
    point: CrashPoint, codes: Codes, read: Read, contents: Sequence[bytes] = (), known: Known | None = None
) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
    """Return the distinct answers of `read` and, for each row of `codes`, the index of its own.

    `contents` are the content ids of the rows, of which equal ones are read once; without them all rows
    are read. What is `known` stays so from one crash point to the next.
    """
    number: dict[tuple[Answer, ...], int] = {}
    edition, which = point.trace.edition, []
    known = {} if known is None else known
    for at, row in enumerate(codes):
        found = known.get((edition, contents[at])) if contents else None
        if found is None:
            found = read(point.materialise(row), edition)
            if contents:
                if len(known) >= REMEMBERED:
                    known.clear()
                known[edition, contents[at]] = found
        which.append(number.setdefault(found, len(number)))
    return list(number), np.asarray(which, np.int32)


@dataclass(frozen=True)
class Named:
    """A reader by its name: with whether it may leave records out, and the policy that it is to follow."""

    name: str
    reader: Reader
    salvaging: bool


def named_reader(format_id: str, name: str) -> Named:
    """Return the reader that a user calls `name`; raises LookupError that lists the choices."""
    adapter = crash_format(format_id)
    if name not in adapter.readers:
        raise LookupError(f"no reader {name!r}: choose one of {', '.join(adapter.readers)}")
    return Named(name, adapter.reader(name), adapter.salvages(name))
