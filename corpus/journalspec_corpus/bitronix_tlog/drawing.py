"""Bitronix logs drawn at random: valid ones, records that lie, and files made to cost much."""

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
    build,
    header_parts,
    record_bytes,
)
from journalspec_corpus.bitronix_tlog.naive import END_MARK, LOG_START, replayed
from journalspec_corpus.drawn import DrawnJournal, drawn, lie, repeated, varied, written

STATUSES = (8, 8, 8, 3, 3, 7, 2, 4, 9, 5, 0, 11, -1)
NAMES = (b"db1", b"jms1", b"zz", b"?", b"q" * 70)
TIMESTAMPS = (1, 85, 149, 2653903, 1795213534333)
#: Numbers that lengths and counts lie with; a checksum over them is right all the same.
LIES = (-(2**31), -1, 0, 1, 2, 28, 29, 30, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 2**31 - 1)
LYING_FIELDS = ("record_length", "header_length", "gtrid_length", "names_count", "payload_length")
#: Builds one record of the edition, of these fields.
Build = Callable[..., bytes]


def base(edition: str, rng: random.Random, *, wide: bool = False) -> DrawnJournal:
    """Return a small valid journal of `edition`, up to three records a file (see :mod:`.drawn`)."""

    def life(**common: Any) -> list[dict[str, Any]]:
        return [{**_record(edition, rng, wide), **common} for _ in range(rng.choice((0, 1, 1, 2, 3)))]

    room = 600 if wide else 60
    if edition == "seed":
        return _laid_out(edition, {"records": life(), "before": life()}, 0)
    if edition == "nio":
        # The lap before, which the file holds as its previous life, and this one.
        previous, current = rng.randbytes(16).hex(), rng.randbytes(16).hex()
        file = {"records": life(delimiter=current), "before": life(delimiter=previous)}
        slack = rng.randrange(room + 20)
        fill = f"{rng.choice((0, 0x20)):02x}"
        return _laid_out(edition, {**file, "previous": previous, "current": current, "fill": fill}, slack)
    pair = {
        f"file{number}": {
            "timestamp": timestamp,
            "records": life(),
            "before": life(),
            "state": rng.choice((0, 255)),
        }
        for number, timestamp in enumerate(rng.sample(TIMESTAMPS, 2), start=1)
    }
    # Edition 2.1 never fills a file to its last byte, 3.0 may.
    least = 0 if wide and edition == "3.0" else 1
    return _laid_out(edition, pair, least + rng.randrange(room))


def _record(edition: str, rng: random.Random, wide: bool = False) -> dict[str, Any]:
    names = sorted(rng.sample(NAMES, rng.randrange(3)))
    record = {
        "names_hex": [name.hex() for name in names],
        "gtrid": (bytes([rng.randrange(3)]) * rng.choice((1, 16, 16, 127))).hex(),
        "type": rng.choice(STATUSES),
        "time": rng.choice((1, 1795213534333)),
        "seq": rng.randrange(-1, 9),
        "rolled_over": 0,
        "padding": 0,
    }
    return (
        varied(record, LAYOUT, edition, {"status": "type", "sequence_number": "seq"}, rng) if wide else record
    )


def _laid_out(edition: str, base: Mapping[str, Any], slack: int) -> DrawnJournal:
    """Return the journal of a description, and what it must yield; `slack`: the bytes behind everything."""
    now = build({"size": None, **base}, edition)
    size = max(map(len, now.files.values())) + slack
    if edition == "seed":
        # Its file ends with the log, so nothing of the previous life shows through.
        now, then = build({**base, "before": ()}, edition), build(_earlier(base), edition)
        size = len(now.files[SEED_NAME])
        then.files[SEED_NAME] = (then.files[SEED_NAME] + bytes(size))[:size]
    else:
        now, then = (build({**life, "size": size}, edition) for life in (base, _earlier(base)))
    # The larger timestamp elects.
    active = 2 if "file2" in base and base["file1"]["timestamp"] < base["file2"]["timestamp"] else 1
    log = now.labels[f"f{active}.log"]
    left: list[str] = []
    if edition == "nio":
        # What the lap before has beyond the end of this one still stands, and comes first for recovery.
        old = [label for label in now.records if label not in written(now)]
        left = [label for label in old if now.labels[label].off >= log.end]
    counting = [label for label in written(now) if label.startswith(f"f{active}r")]
    state = replayed([now.records[label] for label in (*left, *counting)], log.file, edition)
    return drawn(
        ("bitronix_tlog", edition),
        (now, then),
        state,
        recovered=(*counting, *left),
        left=left,
        pointer="header.position",
    )


def _earlier(base: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description as it was in the previous life of its files."""
    if "before" in base:
        return {**base, "records": base["before"], "before": ()}
    return {name: _earlier(file) for name, file in base.items()}


def lies(edition: str, rng: random.Random) -> dict[str, bytes]:
    """Return files with records whose fields lie, laid out and checksummed as if they did not."""
    records = [_liar(edition, rng) for _ in range(rng.choice((1, 1, 2)))]
    log = b"".join(record_bytes(record, edition) for record in records)
    if edition == "nio":
        return {NIO_NAME: joined(header_parts({})) + log + bytes(rng.randrange(40))}
    if edition == "seed":
        return {SEED_NAME: log}
    return _pair(
        log, log[: rng.randrange(len(log))], tail=LOG_START + len(log) + rng.choice((0, 0, 0, -1, 1))
    )


def _liar(edition: str, rng: random.Random) -> dict[str, Any]:
    record = lie(_record(edition, rng), LYING_FIELDS, LIES, rng)
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
    first = LAYOUT.build("header", "2.1", timestamp=2, position=tail) + log + behind
    second = LAYOUT.build("header", "2.1", timestamp=1)
    return {FILE_NAMES["f1"]: first, FILE_NAMES["f2"]: second.ljust(len(first), b"\0")}


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes that tempt a reader into more than linear work."""

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
        made[name] = _pair(log, b"", LOG_START + len(log))
        # The same bytes behind the tail: only a forensic search looks there.
        made[f"{name}-behind-tail"] = _pair(b"", log, LOG_START)
    return made


def _costly_logs(size: int, record: Build) -> dict[str, bytes]:
    def many(name: bytes) -> bytes:
        """Return one record with `name` as often as it fits."""
        return record(names_hex=[name.hex()] * ((size - 40) // (2 + len(name))))

    # Heads every 12 bytes, each of whose recordLength finds the one end marker at the end.
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
        # Well framed records one behind the other, none of them valid.
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
    # Heads every 31 bytes that all find one trailer, up to 64 KiB away, and no checksum right.
    room = min(size, 65000)
    starts = range(0, room - 31, 31)
    nested = b"".join(good[:21] + integer(room - at - 31, 4) + bytes(4) + good[29:31] for at in starts)
    return {
        "starts": repeated(good[:5], size),
        "smallest-frames": good * (size // 84),
        # Frames of the lap before, every other one of a lap that nobody remembers.
        "foreign": repeated(record(delimiter="previous") + record(delimiter="foreign"), size),
        "nested-frames": repeated(nested.ljust(room, b"\0") + good[-18:], size),
        # Valid frames of this lap with a broken one between any two.
        "holes": repeated(good + good[:40] + b"\xff" + good[41:], size) + good,
        "no-byte-names": repeated(record(names_hex=[""] * 30000), size),
    }
