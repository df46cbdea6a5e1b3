"""Journals drawn at random, with what every correct reader must say about them.

Plain values, shared by the Hypothesis strategies and the fuzzer. What a journal
must yield follows from the plan that it was laid out from, never from reading it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from journalspec.observation import Record


@dataclass(frozen=True, slots=True)
class Field:
    """A named byte range of one file: `length` bytes at `off`; integers in byte order `order`."""

    file: str
    off: int
    length: int
    name: str
    order: Literal["big", "little"] = "big"


@dataclass(frozen=True)
class DrawnJournal:
    """A valid journal, as a conforming writer leaves it.

    `records` is what reading the whole journal reports, in its order;
    `recovered` is what recovery counts, and `state` what it concludes.
    `before` holds the files as they were in their previous life (same names and
    lengths): what shows through where a write did not reach the disk. `fields`
    names the bytes, `pointers` those of them that say where the log ends.
    """

    format: str
    edition: str
    files: Mapping[str, bytes]
    records: tuple[Record, ...]
    recovered: tuple[Record, ...]
    state: Mapping[str, object]
    before: Mapping[str, bytes]
    fields: tuple[Field, ...]
    pointers: tuple[Field, ...] = ()
    #: The format's own plan, for its own judgement of faults.
    plan: object = field(default=None, compare=False, repr=False)


#: What strict recovery must make of a fault.
Strict = Literal["same", "refused", "open"]


@dataclass(frozen=True)
class Judgement:
    """What must hold of a journal after a fault.

    strict    ``same``: records and state as before the fault; ``refused``: no
              result; ``open``: the format cannot tell, `why` says why not.
    intact    records that salvage must still report, in this order, whatever
              else it reports; empty if the fault takes the file itself away.
    """

    strict: Strict
    intact: tuple[Record, ...]
    why: str = ""


@dataclass(frozen=True)
class Fault:
    """A single fault in a drawn journal: the damaged files, and what must still hold.

    `kind` is one of KINDS; `file`, `off` and `length` say which bytes it hit
    (at most; some of them may have kept their value).
    """

    kind: str
    files: Mapping[str, bytes]
    file: str
    off: int
    length: int
    strict: Strict
    intact: tuple[Record, ...]
    why: str = ""


KINDS = ("bit-flip", "torn-write", "lost-sector", "stale-block", "truncation", "pointer")


def differing(before: bytes, after: bytes) -> list[int]:
    """Return the offsets at which two contents of one length differ."""
    if before == after:
        return []
    return [index for index, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
