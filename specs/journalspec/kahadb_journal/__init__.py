"""This package contains facts about the KahaDB journal. :data:`LAYOUT` describes its bytes."""

from __future__ import annotations

import zlib
from typing import Any

from journalspec.layout import Layout

LAYOUT = Layout("kahadb_journal")


def checksum(records: Any) -> int:
    """Return the Adler-32 checksum of a batch whose records consist of these bytes (KHD-BAT-006)."""
    return zlib.adler32(records)
