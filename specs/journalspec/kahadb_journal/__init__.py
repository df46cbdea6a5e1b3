"""Facts about the KahaDB journal. Its bytes are described by :data:`LAYOUT`."""

from __future__ import annotations

import zlib
from typing import Any

from journalspec.layout import Layout

LAYOUT = Layout("kahadb_journal")


def checksum(records: Any) -> int:
    """Return the checksum of a batch with these bytes of records: their Adler-32 (KHD-BAT-006)."""
    return zlib.adler32(records)
