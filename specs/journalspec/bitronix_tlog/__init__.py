"""What is true of the Bitronix transaction log; its bytes are :data:`LAYOUT`."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from journalspec.layout import Layout, Part, integer

_COVERED = ("status", "record_length", "header_length", "time", "sequence_number")


def checksum(parts: Sequence[Part], names: Sequence[bytes] | None = None) -> int:
    """Return the CRC-32 of a record of the disk editions or the seed's (BTM-CRC-001 to BTM-CRC-006).

    The crc32 field and the gtridLength byte are left out. The names go in as a
    sorted set, '?' for what is not US-ASCII, unless `names` says what goes in.
    """
    by_name = {part.name: part.data for part in parts}
    if names is None:
        stored = (part.data for part in parts if part.name.startswith("name[") and part.name.endswith("]"))
        texts = sorted({name.decode("ascii", "replace") for name in stored})
        names = [text.encode("ascii", "replace") for text in texts]
    covered = [by_name[name] for name in _COVERED]
    covered += [by_name.get("extension", b""), by_name["gtrid"], integer(len(names), 4)]
    covered += [part for name in names for part in (integer(len(name), 2), name)]
    return zlib.crc32(b"".join(covered) + by_name["end_record"])


LAYOUT = Layout("bitronix_tlog", {"names_as_set": checksum})
