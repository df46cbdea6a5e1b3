"""Names for states: by content, and by content together with what was promised.

``content_id`` is blake2b-128 over the files in name order: name, size and the
blake2b-128 of each 512-byte page (the smallest granule of the model). ``case_id``
adds format, edition, stratum and the records that are owed. Two descriptors with
one case id are one case.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

PAGE = 512
ID_BYTES = 16


def blake(data: bytes) -> bytes:
    """Return the 16-byte blake2b of `data`."""
    return hashlib.blake2b(data, digest_size=ID_BYTES).digest()


def page_id(page: bytes) -> bytes:
    """Return the id of one page (its last one may be short)."""
    return blake(page)


def file_head(name: str, size: int) -> bytes:
    """Return what stands before a file's page ids."""
    raw = name.encode()
    return len(raw).to_bytes(4, "big") + raw + size.to_bytes(8, "big")


def content_id(files: Mapping[str, bytes]) -> bytes:
    """Return the 16-byte id of a directory's content."""
    parts = []
    for name in sorted(files):
        content = files[name]
        parts.append(file_head(name, len(content)))
        parts += [page_id(content[at : at + PAGE]) for at in range(0, len(content), PAGE)]
    return blake(b"".join(parts))


def promise(format_id: str, edition: str, stratum: str, acknowledged: Iterable[str]) -> bytes:
    """Return the part of a case id that does not come from the content."""
    text = "\0".join((format_id, edition, stratum, *sorted(acknowledged)))
    return blake(text.encode())


def case_id(content: bytes, promised: bytes) -> bytes:
    """Return the 16-byte id of a case."""
    return blake(content + promised)
