"""How to mutate Bitronix logs: small valid ones, records that lie, and files made to cost much."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Mapping
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec.layout import integer, joined
from journalspec_corpus.bitronix_tlog.author import (
    FILE_NAMES,
    NIO_NAME,
    SEED_NAME,
    header_parts,
    record_bytes,
)
from journalspec_corpus.bitronix_tlog.drawn_plan import (
    Entry,
    FilePlan,
    Plan,
    lay_out,
)
from journalspec_corpus.drawn import DrawnJournal
from journalspec_corpus.mutations import lie, repeated

STATUSES = (8, 8, 8, 3, 3, 7, 2, 4, 9, 5, 0, 11, -1)
NAMES = (b"db1", b"jms1", b"zz", b"?", b"q" * 70)
#: Numbers that lengths and counts lie with; a checksum over them is right all the same.
LIES = (-(2**31), -1, 0, 1, 2, 28, 29, 30, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 2**31 - 1)
LYING_FIELDS = ("record_length", "header_length", "gtrid_length", "names_count", "payload_length")
END_MARK = b"xntB"


def base(edition: str, rng: random.Random) -> DrawnJournal:
    """Return a small valid journal of `edition`: up to three records a file."""
    if edition == "seed":
        return lay_out(Plan("seed", (FilePlan(_entries(rng), _entries(rng)),)))
    if edition == "nio":
        delimiters = (rng.randbytes(16), rng.randbytes(16))
        file = FilePlan(_entries(rng), _entries(rng))
        return lay_out(Plan("nio", (file,), rng.randrange(80), rng.choice((0, 0x20)), delimiters))
    one, two = (
        FilePlan(_entries(rng), _entries(rng), timestamp, rng.choice((0, 255)))
        for timestamp in rng.sample((1, 85, 149, 2653903, 1795213534333), 2)
    )
    return lay_out(Plan(edition, (one, two), 1 + rng.randrange(60)))


def _entries(rng: random.Random) -> tuple[Entry, ...]:
    return tuple(_entry(rng) for _ in range(rng.choice((0, 1, 1, 2, 3))))


def _entry(rng: random.Random) -> Entry:
    names = tuple(sorted(rng.sample(NAMES, rng.randrange(3))))
    gtrid = bytes([rng.randrange(3)]) * rng.choice((1, 16, 16, 127))
    return Entry(rng.choice(STATUSES), gtrid, names, rng.choice((1, 1795213534333)), rng.randrange(-1, 9))


def lies(edition: str, rng: random.Random) -> dict[str, bytes]:
    """Return files with records whose fields lie, laid out and checksummed as if they did not."""
    records = [_liar(edition, rng) for _ in range(rng.choice((1, 1, 2)))]
    if edition == "nio":
        frames = b"".join(record_bytes(record, "nio") for record in records)
        return {NIO_NAME: joined(header_parts({})) + frames + bytes(rng.randrange(40))}
    log = b"".join(record_bytes(record, edition) for record in records)
    if edition == "seed":
        return {SEED_NAME: log}
    return _pair(log, log[: rng.randrange(len(log))], tail=21 + len(log) + rng.choice((0, 0, 0, -1, 1)))


def _liar(edition: str, rng: random.Random) -> dict[str, Any]:
    record = _entry(rng).described()
    lie(record, LYING_FIELDS, LIES, rng)
    if rng.randrange(3) == 0:
        length = rng.choice(LIES)
        record |= {"name_lengths": {"1": length}} if edition != "nio" else {}
    if rng.randrange(6) == 0:
        record["names_hex"] = [rng.choice(("", "e9", "3f", "00", "0a1b", "6462")) for _ in range(3)]
    if rng.randrange(8) == 0:
        record["extension"] = bytes(rng.randrange(9)).hex()
    return record


def _pair(log: bytes, behind: bytes, tail: int) -> dict[str, bytes]:
    """Return a pair whose first file is active and holds `log`, then `behind`."""
    first = LAYOUT.build("header", "2.1", timestamp=2, state=0, position=tail) + log + behind
    second = LAYOUT.build("header", "2.1", timestamp=1, state=0)
    return {FILE_NAMES["f1"]: first, FILE_NAMES["f2"]: second.ljust(len(first), b"\0")}


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes that tempt a reader into more than linear work."""
    if edition == "nio":
        start = joined(header_parts({}))
        return {name: {NIO_NAME: start + make(size)} for name, make in _HOSTILE_NIO.items()}

    def record(**fields: Any) -> bytes:
        return record_bytes({"type": 8, "gtrid": "07", **fields}, edition)

    made = {}
    for name, make in _HOSTILE_LOGS.items():
        log = make(size, record)
        if edition == "seed":
            made[name] = {SEED_NAME: log}
        else:
            made[name] = _pair(log, b"", 21 + len(log))
            # The same bytes behind the tail: only a forensic search looks there.
            made[f"{name}-behind-tail"] = _pair(b"", log, 21)
    return made


#: Builds one record of the edition, of these fields.
Build = Callable[..., bytes]


def _many_names(size: int, record: Build, name: bytes = b"a") -> bytes:
    """Return one record with `name` as often as it fits."""
    return record(names_hex=[name.hex()] * ((size - 40) // (2 + len(name))))


def _short_names(size: int, record: Build) -> bytes:
    """Return one record with as many different names of three bytes as fit."""
    return record(names_hex=[f"{number % 4096:03x}".encode().hex() for number in range((size - 40) // 5)])


def _nested_frames(size: int, record: Build) -> bytes:
    """Return heads every 12 bytes, each of whose recordLength finds the one end marker at the end."""
    log = bytearray(size)
    header_length = record()[8:12]
    for at in range(0, size - 64, 12):
        log[at : at + 12] = struct.pack(">ii", 8, size - at - 8) + header_length
    log[-4:] = END_MARK
    return bytes(log)


def _unlike_transactions(size: int, record: Build) -> bytes:
    return b"".join(
        record(type=(8, 7)[number % 2], gtrid=number.to_bytes(4, "big").hex()) for number in range(size // 40)
    )


_HOSTILE_LOGS: Mapping[str, Callable[[int, Build], bytes]] = {
    "smallest-records": lambda size, record: repeated(record(), size),
    "one-byte-names": _many_names,
    "no-byte-names": lambda size, record: _many_names(size, record, b""),
    "short-names": _short_names,
    "nested-frames": _nested_frames,
    # Well framed records one behind the other, none of them valid.
    "bad-chain": lambda size, record: repeated(record(names_count=2**31 - 1), size),
    "one-bad-record": lambda size, record: _many_names(size, record)[:-5] + b"b" + END_MARK,
    "unlike-transactions": _unlike_transactions,
    "zeros": lambda size, _: bytes(size),
}


def _frame(**record: Any) -> bytes:
    return record_bytes({"type": 8, "gtrid": "07", **record}, "nio")


def _nested(size: int) -> bytes:
    """Return heads every 31 bytes that all find one trailer, up to 64 KiB away, and no checksum right."""
    head, tail = _frame()[:31], _frame()[-18:]
    block = bytearray()
    room = min(size, 65000)
    for at in range(0, room - 31, 31):
        block += head[:21] + integer(room - at - 31, 4) + bytes(4) + head[29:31]
    block = block.ljust(room, b"\0") + tail
    return repeated(bytes(block), size)


def _holes(size: int) -> bytes:
    """Return valid frames of this lap with a broken one between any two."""
    good = _frame()
    return repeated(good + good[:40] + b"\xff" + good[41:], size) + good


_HOSTILE_NIO: Mapping[str, Callable[[int], bytes]] = {
    "starts": lambda size: repeated(b"\r\nLR[", size),
    "smallest-frames": lambda size: _frame() * (size // 84),
    # Frames of the lap before, every other one of a lap that nobody remembers.
    "foreign": lambda size: repeated(_frame(delimiter="previous") + _frame(delimiter="foreign"), size),
    "nested-frames": _nested,
    "holes": _holes,
    "no-byte-names": lambda size: repeated(_frame(names_hex=[""] * 30000), size),
}
