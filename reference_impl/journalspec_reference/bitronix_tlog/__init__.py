"""The Bitronix (BTM) transaction log: reader, recovery and writer, all editions."""

from __future__ import annotations

from journalspec_reference.api import Implementation
from journalspec_reference.bitronix_tlog.fileset import DISK_EDITIONS, FORMAT, detect
from journalspec_reference.bitronix_tlog.recover import plan, recover
from journalspec_reference.bitronix_tlog.spans import spans

__all__ = ["IMPLEMENTATION"]

IMPLEMENTATION = Implementation(
    FORMAT,
    __name__,
    {"seed": "SeedWriter", **dict.fromkeys(DISK_EDITIONS, "DiskWriter"), "nio": "NioWriter"},
    detect,
    recover,
    plan,
    spans,
)
