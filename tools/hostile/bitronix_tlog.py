"""Bitronix logs that are expensive to read."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

from hostile import repeated
from journalspec.layout import integer, joined
from journalspec_corpus.bitronix_tlog.author import NIO_NAME, SEED_NAME, header_parts, record_bytes
from journalspec_corpus.bitronix_tlog.drawing import pair
from journalspec_corpus.bitronix_tlog.naive import END_MARK, LOG_START

#: Builds one record of the edition with the given fields.
Build = Callable[..., bytes]


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes on which a careless reader does more than linear work."""

    def record(**fields: Any) -> bytes:
        return record_bytes({"type": 8, "gtrid": "07", **fields}, edition)

    if edition == "nio":
        start = joined(header_parts({}))
        return {name: {NIO_NAME: start + log} for name, log in _costly_frames(size, record).items()}
    logs = _costly_logs(size, record)
    if edition == "seed":
        return {name: {SEED_NAME: log} for name, log in logs.items()}
    made = {}
    for name, log in logs.items():
        made[name] = pair(log, b"", LOG_START + len(log))
        # The same bytes after the tail, which only a forensic search examines.
        made[f"{name}-behind-tail"] = pair(b"", log, LOG_START)
    return made


def _costly_logs(size: int, record: Build) -> dict[str, bytes]:
    def many(name: bytes) -> bytes:
        """Return one record that contains `name` as often as it fits."""
        return record(names_hex=[name.hex()] * ((size - 40) // (2 + len(name))))

    # Record headers at every 12 bytes. Each recordLength leads to the only end marker, which is at the end.
    nested = bytearray(size)
    for at in range(0, size - 64, 12):
        nested[at : at + 12] = struct.pack(">ii", 8, size - at - 8) + record()[8:12]
    nested[-4:] = END_MARK
    short = [f"{number % 4096:03x}".encode().hex() for number in range((size - 40) // 5)]
    return {
        "smallest-records": repeated(record(), size),
        "one-byte-names": many(b"a"),
        "no-byte-names": many(b""),
        # As many different names of three bytes as fit.
        "short-names": record(names_hex=short),
        "nested-frames": bytes(nested),
        # Consecutive records with valid frames and invalid contents.
        "bad-chain": repeated(record(names_count=2**31 - 1), size),
        "one-bad-record": many(b"a")[:-5] + b"b" + END_MARK,
        "unlike-transactions": b"".join(
            record(type=(8, 7)[number % 2], gtrid=number.to_bytes(4, "big").hex())
            for number in range(size // 40)
        ),
        "zeros": bytes(size),
    }


def _costly_frames(size: int, record: Build) -> dict[str, bytes]:
    good = record()
    # Record headers at every 31 bytes that all lead to one trailer, up to 64 KiB away, with wrong checksums.
    room = min(size, 65000)
    starts = range(0, room - 31, 31)
    nested = b"".join(good[:21] + integer(room - at - 31, 4) + bytes(4) + good[29:31] for at in starts)
    return {
        "starts": repeated(good[:5], size),
        "smallest-frames": good * (size // 84),
        # Frames of the previous generation, alternating with frames of an unknown generation.
        "foreign": repeated(record(delimiter="previous") + record(delimiter="foreign"), size),
        "nested-frames": repeated(nested.ljust(room, b"\0") + good[-18:], size),
        # Valid frames of this generation, with a broken frame between any two.
        "holes": repeated(good + good[:40] + b"\xff" + good[41:], size) + good,
        "no-byte-names": repeated(record(names_hex=[""] * 30000), size),
    }
