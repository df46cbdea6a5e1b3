"""All generated cases of this format; each family has a module and reasons of its own."""

from __future__ import annotations

from collections.abc import Iterator

from journalspec_corpus.case import Case
from journalspec_corpus.jboss_journal.families_fields import fields
from journalspec_corpus.jboss_journal.families_nested import nests
from journalspec_corpus.jboss_journal.families_sectors import sectors
from journalspec_corpus.jboss_journal.families_sizes import sizes
from journalspec_corpus.jboss_journal.families_stale import stale
from journalspec_corpus.jboss_journal.families_torn import torn
from journalspec_corpus.jboss_journal.families_tx import transactions


def families() -> Iterator[Case]:
    """Yield the generated cases in a fixed order."""
    yield from torn()
    yield from transactions()
    yield from stale()
    yield from nests()
    yield from sizes()
    yield from fields()
    yield from sectors()
