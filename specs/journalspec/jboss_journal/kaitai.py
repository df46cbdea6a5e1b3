"""The generated Kaitai parsers of this format, put to the observation model."""

from __future__ import annotations

from collections.abc import Mapping

from journalspec.jboss_journal import LAYOUT, plain
from journalspec.observation import Observation
from journalspec.parsers import KaitaiCodec

#: Edition -> its schema, and the value of the schema's parameter if it has one.
SCHEMAS = {
    "seed": ("jboss_journal_seed", "false"),
    "seed+hash": ("jboss_journal_seed", "true"),
    "s1": ("jboss_journal_s1", ""),
    "s2": ("jboss_journal_s2", ""),
    "v1": ("hornetq_journal", ""),
    "v2": ("hornetq_journal", ""),
    "v2e": ("hornetq_journal", ""),
}
CODEC = KaitaiCodec(
    LAYOUT,
    SCHEMAS,
    lambda edition: {"hashed": edition == "seed+hash", "format_version": 1 if edition == "v1" else 2},
)
#: The editions that this module parses.
EDITIONS = tuple(SCHEMAS)


def parse(files: Mapping[str, bytes], edition: str, params: Mapping[str, str] | None = None) -> Observation:
    """Return the observation of a clean directory; see :func:`.plain.observe`."""
    return plain.observe(files, edition, CODEC, params or {})
