"""The generated Kaitai parsers of this format, put to the observation model."""

from __future__ import annotations

from collections.abc import Mapping

from journalspec.bitronix_tlog import LAYOUT, plain
from journalspec.observation import Observation
from journalspec.parsers import KaitaiCodec

#: Edition -> its schema, and the value of the schema's parameter if it has one.
SCHEMAS = {
    "seed": ("bitronix_tlog_seed", ""),
    "2.1": ("bitronix_tlog", ""),
    "3.0": ("bitronix_tlog", ""),
    "nio": ("bitronix_nio_journal", ""),
}
CODEC = KaitaiCodec(LAYOUT, SCHEMAS)
#: The editions that this module parses.
EDITIONS = tuple(SCHEMAS)


def parse(files: Mapping[str, bytes], edition: str, params: Mapping[str, str] | None = None) -> Observation:
    """Return the observation of a clean file set at level layout; raises SchemaError.

    `files` maps names to whole contents; no parameter of this format has a part in reading.
    """
    return plain.observe(files, edition, CODEC)
