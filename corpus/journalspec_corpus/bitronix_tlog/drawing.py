"""Random Bitronix logs: valid logs, and logs with wrong fields in records."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec.layout import joined
from journalspec_corpus.bitronix_tlog.author import (
    FILE_NAMES,
    NIO_NAME,
    SEED_NAME,
    build,
    header_parts,
    record_bytes,
)
from journalspec_corpus.bitronix_tlog.naive import LOG_START, replayed
from journalspec_corpus.drawn import DrawnJournal, drawn, lie, varied, written

STATUSES = (8, 8, 8, 3, 3, 7, 2, 4, 9, 5, 0, 11, -1)
NAMES = (b"db1", b"jms1", b"zz", b"?", b"q" * 70)
TIMESTAMPS = (1, 85, 149, 2653903, 1795213534333)
#: Wrong lengths and counts for hostile input. The generator computes a checksum that matches them.
LIES = (-(2**31), -1, 0, 1, 2, 28, 29, 30, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 2**31 - 1)
LYING_FIELDS = ("record_length", "header_length", "gtrid_length", "names_count", "payload_length")


def base(edition: str, rng: random.Random, *, wide: bool = False) -> DrawnJournal:
    """Return a small valid journal of `edition` with up to three records in each file (see :mod:`.drawn`)."""

    def life(**common: Any) -> list[dict[str, Any]]:
        return [{**_record(edition, rng, wide), **common} for _ in range(rng.choice((0, 1, 1, 2, 3)))]

    room = 600 if wide else 60
    if edition == "seed":
        return _laid_out(edition, {"records": life(), "before": life()}, 0)
    if edition == "nio":
        # The delimiters of the file's previous generation and of this generation.
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
    # Edition 2.1 never fills a file to its last byte, while 3.0 may do so.
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
    """Return the journal of a description and the required results. The log is followed by `slack` bytes."""
    now = build({"size": None, **base}, edition)
    size = max(map(len, now.files.values())) + slack
    if edition == "seed":
        # The file ends with the log, so nothing of the previous generation is visible.
        now, then = build({**base, "before": ()}, edition), build(_earlier(base), edition)
        size = len(now.files[SEED_NAME])
        then.files[SEED_NAME] = (then.files[SEED_NAME] + bytes(size))[:size]
    else:
        now, then = (build({**life, "size": size}, edition) for life in (base, _earlier(base)))
    # The file with the larger timestamp is active.
    active = 2 if "file2" in base and base["file1"]["timestamp"] < base["file2"]["timestamp"] else 1
    log = now.labels[f"f{active}.log"]
    left: list[str] = []
    if edition == "nio":
        # The previous generation's records after the end of this generation still exist. Recovery reads
        # them first.
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
    """Return the description of the previous generation of the files."""
    if "before" in base:
        return {**base, "records": base["before"], "before": ()}
    return {name: _earlier(file) for name, file in base.items()}


def lies(edition: str, rng: random.Random) -> dict[str, bytes]:
    """Return files with records that have wrong fields, but a valid layout and valid checksums."""
    records = [_liar(edition, rng) for _ in range(rng.choice((1, 1, 2)))]
    log = b"".join(record_bytes(record, edition) for record in records)
    if edition == "nio":
        return {NIO_NAME: joined(header_parts({})) + log + bytes(rng.randrange(40))}
    if edition == "seed":
        return {SEED_NAME: log}
    return pair(log, log[: rng.randrange(len(log))], tail=LOG_START + len(log) + rng.choice((0, 0, 0, -1, 1)))


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


def pair(log: bytes, behind: bytes, tail: int) -> dict[str, bytes]:
    """Return a pair of files. The first file is active; it contains `log`, followed by `behind`."""
    first = LAYOUT.build("header", "2.1", timestamp=2, position=tail) + log + behind
    second = LAYOUT.build("header", "2.1", timestamp=1)
    return {FILE_NAMES["f1"]: first, FILE_NAMES["f2"]: second.ljust(len(first), b"\0")}
