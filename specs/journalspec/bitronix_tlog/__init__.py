"""This package contains facts about the Bitronix transaction log. :data:`LAYOUT` describes its bytes."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from journalspec.layout import Layout, integer

_COVERED = ("status", "record_length", "header_length", "time", "sequence_number", "extension", "gtrid")


def checksum(
    stored: Mapping[str, bytes], values: Mapping[str, Any], names: Sequence[bytes] | None = None
) -> int:
    """Return the CRC-32 of a record of the disk editions or the seed's (BTM-CRC-001 to BTM-CRC-006).

    The crc32 field and the gtridLength byte are omitted. The checksum includes each unique name once, in
    sorted order, with '?' for characters outside US-ASCII. If `names` is given, the checksum includes these
    bytes in place of the names.
    """
    if names is None:
        texts = sorted({row["name"].decode("ascii", "replace") for row in values["names"]})
        names = [text.encode("ascii", "replace") for text in texts]
    covered = [stored[name] for name in _COVERED if name in stored]
    covered.append(integer(len(names), 4))
    for name in names:
        covered += integer(len(name), 2), name
    return zlib.crc32(b"".join(covered) + stored["end_record"])


LAYOUT = Layout("bitronix_tlog", {"names_as_set": checksum})
