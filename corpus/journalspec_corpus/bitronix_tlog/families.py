"""All generated cases of this format; each family has a module and reasons of its own."""

from __future__ import annotations

from collections.abc import Iterator

from journalspec_corpus.bitronix_tlog.families_damage import damage
from journalspec_corpus.bitronix_tlog.families_holes import holes
from journalspec_corpus.bitronix_tlog.families_large import large
from journalspec_corpus.bitronix_tlog.families_pointer import pointers
from journalspec_corpus.bitronix_tlog.families_sectors import sectors
from journalspec_corpus.bitronix_tlog.families_torn import torn
from journalspec_corpus.bitronix_tlog.families_values import values
from journalspec_corpus.case import Case


def families() -> Iterator[Case]:
    """Yield the generated cases in a fixed order."""
    yield from torn()
    yield from pointers()
    yield from damage()
    yield from sectors()
    yield from large()
    yield from holes()
    yield from values()
