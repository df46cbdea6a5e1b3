"""How the bytes of a file are named: by the ids of its pages, which states share; and what is promised.

Nothing here needs NumPy: verdicts are read, and a build is verified, without it.

The id of a page is blake2b-128 of its 512 bytes, the smallest granule of the model; the last page may be
short. Lists of more than 32 ids are shortened: each 32 of them, and what is left at the end, become one,
until 32 are enough. Ids of traces and states depend on this: it never changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

PAGE = 512
ID_BYTES = 16
#: So many ids are taken together.
FAN = 32


def blake(data: bytes) -> bytes:
    """Return the 16-byte blake2b of `data`."""
    return hashlib.blake2b(data, digest_size=ID_BYTES).digest()


def page_ids(content: bytes) -> list[bytes]:
    """Return the ids of the pages of a file."""
    return [blake(content[at : at + PAGE]) for at in range(0, len(content), PAGE)]


def shortened(ids: list[bytes]) -> list[bytes]:
    """Return the (at most 32) ids that name a file of these pages."""
    while len(ids) > FAN:
        ids = [blake(b"".join(ids[at : at + FAN])) for at in range(0, len(ids), FAN)]
    return ids


def promise(format_id: str, edition: str, stratum: str, acknowledged: Iterable[str]) -> bytes:
    """Return the part of a case id that does not come from the content."""
    text = "\0".join((format_id, edition, stratum, *sorted(acknowledged)))
    return blake(text.encode())
