"""The editions in numbers, for the kernel: where each field of each record type is."""

from __future__ import annotations

import struct
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from journalspec_reference.jboss_journal.codec import DIALECTS, PROLOGUE, Dialect, forms, of_version

Ints = npt.NDArray[np.int64]
#: Columns of a form: what `codec.forms` says about one record type.
SIZE, TX, ID, LENGTH, USER_TYPE, TALLY, LISTED, NAME = range(8)
#: Every record type of any edition; a key has the name.
TYPES = sorted({kind.name for dialect in DIALECTS.values() for kind in dialect.kinds.values()})
#: The lowest and highest version of an edition whose files have none.
NO_VERSION = -1


class Rules(NamedTuple):
    """An edition in numbers; for one with versions, with what its older files are written in.

    `forms` has shape (2, 256, 8): of the edition and of version 1; type numbers that
    an edition does not have have size 0. `versions` are the lowest and the highest,
    or twice -1.
    """

    forms: Ints
    header: int
    lowest: int
    highest: int
    hashed: bool
    edition: int


@cache
def rules_of(edition: str) -> Rules:
    """Return `edition` in numbers; raises KeyError if there is none of that name."""
    dialect = DIALECTS[edition]
    versions = dialect.versions or (NO_VERSION,)
    table = np.stack([_table(dialect), _table(of_version(dialect, 1))])
    number = sorted(DIALECTS).index(edition)
    return Rules(table, dialect.header_size, min(versions), max(versions), dialect.hashed, number)


def _table(dialect: Dialect) -> Ints:
    """Return where each field of each record type is, from the record's start; -1 for none."""
    out = np.full((256, 8), -1, np.int64)
    out[:, SIZE] = 0
    for code, form in forms(dialect).items():
        places = [PROLOGUE]
        for letter in form.struct.format.lstrip(">"):
            places.append(places[-1] + struct.calcsize(">" + letter))
        named = (form.tx, form.id, form.length, form.user_type, form.tally, form.listed)
        fields = [-1 if at is None else places[at] for at in named]
        out[code] = [form.size, *fields, TYPES.index(form.kind.name)]
    return out
