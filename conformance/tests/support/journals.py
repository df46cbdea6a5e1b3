"""Journals for the tests of the command line, built from the formats' tables of fields."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from journalspec import bitronix_tlog, jboss_journal

CAPTURED = Path(__file__).resolve().parents[3] / "corpus" / "captured"
HORNETQ = CAPTURED / "jboss_journal" / "hornetq-2.4.9"
#: Statuses that the product writes after a decision, before it, and when the decision is confirmed.
COMMITTING, PREPARED, COMMITTED = 8, 2, 3


def laid(
    pieces: Iterable[bytes | tuple[int, bytes]],
    size: int | None = None,
    fill: int = 0,
    alignment: int = 1,
    background: bytes = b"",
) -> bytes:
    """Return a complete file with `pieces` at their offsets; all other bytes are `fill`.

    A piece is placed at the end of the previous one, an (offset, bytes) piece at its offset; each is padded
    with zeros to `alignment`. `background` is the earlier content of the file, which remains in unwritten
    bytes. A `size` below the existing size truncates the file.
    """
    out = bytearray(background)
    at = 0
    for piece in pieces:
        off, data = piece if isinstance(piece, tuple) else (at, piece)
        at = -(-(off + len(data)) // alignment) * alignment
        out += bytes([fill]) * (off - len(out))
        out[off:at] = data.ljust(at - off, b"\0")
    if size is not None:
        out += bytes([fill]) * (size - len(out))
        del out[size:]
    return bytes(out)


def decision(status: int, gtrid: bytes, *names: bytes, broken: bool = False) -> bytes:
    """Return a record of the transaction log; in a `broken` record the last byte of the body is changed."""
    rows = [{"name": name} for name in names]
    data = bitronix_tlog.LAYOUT.build(
        "record", "2.1", status=status, gtrid=gtrid, names=rows, time=1, sequence_number=1
    )
    return data[:-5] + bytes([data[-5] ^ 1]) + data[-4:] if broken else data


def pair(directory: Path, *records: bytes, behind: bytes = b"", size: int = 400) -> Path:
    """Write the two files of a transaction log. The first is active; the bytes `behind` follow its tail."""
    log = b"".join(records)
    for name, timestamp, content, rest in (("btm1", 2, log, behind), ("btm2", 1, b"", b"")):
        head = bitronix_tlog.LAYOUT.build("header", "2.1", timestamp=timestamp, position=21 + len(content))
        (directory / f"{name}.tlog").write_bytes(laid([head, content, rest], size, 0))
    return directory


def add(edition: str, number: int, file_id: int = 7) -> bytes:
    """Return a record that adds a message of two bytes."""
    return jboss_journal.LAYOUT.build("record", edition, "ADD", file_id=file_id, id=number, body=b"ab")


def delete(edition: str, number: int, file_id: int = 7) -> bytes:
    """Return a record that deletes a message."""
    return jboss_journal.LAYOUT.build("record", edition, "DELETE", file_id=file_id, id=number)


def page(
    path: Path, edition: str, *records: bytes, file_id: int = 7, size: int = 400, fill: int = 0, **header: Any
) -> Path:
    """Write one file of a message journal, filled with zeros by default."""
    head = jboss_journal.LAYOUT.build("header", edition, file_id=file_id, **header)
    path.write_bytes(laid([head, *records], size, fill))
    return path


def short(directory: Path, *records: bytes) -> Path:
    """Write a file with a header of 4 bytes: four editions have this header, so its edition is unknown."""
    page(directory / "data-1.jbm", "s1", *records, fill=0x4A)
    return directory
