"""The package of the Bitronix (BTM) transaction log: reader, recovery and writer for all editions."""

from __future__ import annotations

from journalspec_reference.api import Implementation
from journalspec_reference.bitronix_tlog import fileset, recover, spans

__all__ = ["IMPLEMENTATION"]

IMPLEMENTATION = Implementation(
    fileset.FORMAT,
    __name__,
    {"seed": "SeedWriter", **dict.fromkeys(fileset.DISK_EDITIONS, "DiskWriter"), "nio": "NioWriter"},
    fileset.detect,
    recover.recover,
    recover.plan,
    spans.spans,
)
