"""KahaDB journals drawn at random: valid ones, sizes and lengths that lie, and files made to cost much."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from journalspec.kahadb_journal import LAYOUT, checksum
from journalspec.layout import joined
from journalspec_corpus.author import hex_bytes
from journalspec_corpus.drawn import DrawnJournal, drawn, repeated
from journalspec_corpus.kahadb_journal.author import FORMAT, MARKERS, build, described, payload
from journalspec_corpus.kahadb_journal.model import Messages
from journalspec_corpus.kahadb_journal.naive import CONTROL, HEAD

MODEL = Messages()
#: What sizes, lengths and checksums lie with; the Adler-32 over a lying length is right all the same.
LIES = (-(2**31), -50, -28, -1, 0, 1, 4, 5, 6, 27, 28, 29, 50, 255, 1024, 2147483614, 2**31 - 1)
SUMS = (0, 1, -1, -(2**63), 1 << 32, 2**63 - 1)
#: One command each; ``{n}`` is a number of its own.
COMMANDS = (
    "r{n}",
    "r{n}",
    "r{n} t=T",
    "r{n} prio=9",
    "r{n} tx=c:1",
    "r{n} xa=1:01:02",
    "r{n} REMOVE_MESSAGE id=m1",
    "r{n} REMOVE_MESSAGE t=T id=m2 sub=c:a",
    "r{n} UPDATE_MESSAGE id=m1 body=55",
    "r{n} SUBSCRIPTION t=T sub=c:a info=01",
    "r{n} PREPARE xa=1:01:02",
    "r{n} COMMIT tx=c:1",
    "r{n} COMMIT xa=1:01:02",
    "r{n} ROLLBACK tx=c:1",
    "r{n} REMOVE_DESTINATION",
    "r{n} TRACE text=x",
)
#: What goes into a command: numbers of ten bytes and more, a length that lies, fields nobody knows, no text.
_PIECES = (
    b"\xff" * 9 + b"\x01",
    b"\x80" * 11,
    b"\xff\x7f",
    b"\x0b",
    b"\xfa\x01\x00",
    b"\x08\xff\xff\xff\xff\x0f",
    b"\xc3",
)
PAYLOADS = ("", "61", "2d714d6134", "0000001c02575249544520424154434800000005", "00*9")
BODIES = ("", "00*40", "2d714d6134", "0000001c0257524954452042415443480000000500000000000000000000000501")


def base(edition: str, rng: random.Random, *, wide: bool = False) -> DrawnJournal:
    """Return a small valid journal of `edition`: up to three batches in each of one or two files.

    A batch is accepted or dropped as a whole; each has one record, so that this is true of records as well.
    """
    count = rng.choice((1, 1, 2))
    numbers = sorted(rng.sample(range(1, 2**31 - 1) if wide else range(1, 13), count))
    now, then = (_life(edition, rng, numbers, wide) for _ in range(2))
    built, before = build({"files": now}, edition), build({"files": then}, edition)
    for data in built.files.values() if edition != "seed" else ():
        # Space behind the log; a file of the seed's ends with its log.
        data.extend(bytes(rng.randrange(60)))
    return drawn((FORMAT, edition), (built, before), _state(now, edition))


def _life(edition: str, rng: random.Random, numbers: list[int], wide: bool) -> list[dict[str, Any]]:
    at = 0
    files = []
    for number in numbers:
        batches = []
        for _ in range(rng.choice((0, 1, 2, 3))):
            at += 1
            batches.append({"records": [_record(edition, rng, at, wide)]})
        files.append({"id": number, "batches": batches})
    return files


def _record(edition: str, rng: random.Random, number: int, wide: bool) -> str:
    if edition == "seed":
        return f"r{number} payload={rng.choice(PAYLOADS)}"
    text = rng.choice(COMMANDS).format(n=number)
    if wide and text == f"r{number}":
        text += f" body={rng.choice(BODIES)}"
    return text


def _state(files: list[dict[str, Any]], edition: str) -> Mapping[str, Any]:
    """Return what the commands asked for amount to."""
    records = [described(text) for file in files for batch in file["batches"] for text in batch["records"]]
    if edition == "seed":
        return {"payloads": [record["payload"] for record in records]}
    kept = MODEL.begin({})
    for record in records:
        kept = MODEL.taken(kept, record["command"], record["stored"])
    return MODEL.shown(kept)


def lies(edition: str, rng: random.Random) -> dict[str, bytes]:
    """Return files with sizes, lengths, checksums and commands that lie; Adler-32 is of what stands there."""
    batches = []
    for _ in range(rng.choice((1, 2, 3))):
        records: list[dict[str, Any]] = [
            {"text": f"r{number} payload={_untrue(edition, rng).hex()}"}
            for number in range(rng.choice((1, 1, 2, 3)))
        ]
        batch: dict[str, Any] = {"records": records}
        kind = rng.randrange(4)
        if kind == 0:
            rng.choice(records)["length"] = rng.choice(LIES)
        elif kind == 1:
            batch["batch_size"] = rng.choice(LIES)
        elif kind == 2:
            batch |= {"checksum": rng.choice(SUMS), "batch_size": rng.choice(LIES)}
        batches.append(batch)
    return build({"batches": batches, "size": rng.choice((0, 256))}, edition).content()


def _untrue(edition: str, rng: random.Random) -> bytes:
    """Return a payload that is no command, or one with a byte or two that are not its own."""
    if edition == "seed" or not rng.randrange(4):
        return hex_bytes(rng.choice(PAYLOADS))
    raw = bytearray(payload(rng.choice(COMMANDS).format(n=rng.randrange(1, 4)), edition))
    for _ in range(rng.choice((0, 1, 1, 2))):
        at = rng.randrange(len(raw) + 1)
        raw[at : at + rng.choice((0, 1, 1, 1, 9))] = rng.choice((b"", *_PIECES, rng.randbytes(1)))
    return bytes(raw)


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes that tempt a reader into more than linear work."""

    def control(length: int, total: int) -> bytes:
        return joined(LAYOUT.encode("header", edition, {"batch_size": length, "checksum": total}))

    def record(raw: bytes) -> bytes:
        return (HEAD + len(raw)).to_bytes(4, "big") + b"\1" + raw

    def batch(raw: bytes) -> bytes:
        return control(len(raw), checksum(raw)) + raw

    start = control(0, 0)[:16]
    message = b"a" if edition == "seed" else payload("r1", edition)
    small = batch(record(message))
    # Control records each of which claims all that follows; none has the checksum of it.
    claims = b"".join(control(size - at - CONTROL, 7) for at in range(0, size - CONTROL, CONTROL))
    halves = b"".join(control(max(5, (size - at) // 2), 7) for at in range(0, size - CONTROL, CONTROL))
    nested = small
    while len(nested) < size:
        nested = control(len(nested) + 12, 7) + record(nested)
    end = MARKERS["marker"]
    data = {
        "magics": repeated(start, size),
        "almost-magics": repeated(start[:-1], size),
        "all-claim-the-rest": claims,
        "all-claim-half-of-the-rest": halves,
        "all-too-large": repeated(control(2**31 - 1, 7), size),
        "nested": nested,
        "small-batches": repeated(small, size),
        "one-batch": batch(repeated(record(message), size)),
        "empty-batches": repeated(control(0, 0), size),
        "markers": repeated(end, size),
        "marker-then-batches": end + repeated(small, size),
        "zeros-then-a-byte": bytes(size) + b"\1",
        "zeros": bytes(size),
    }
    if edition != "seed":
        data["transactions"] = b"".join(
            batch(record(payload(f"r{number} tx=c:{number}", edition))) for number in range(size // 80)
        )
        data["same-message"] = repeated(batch(record(payload("r1 UPDATE_MESSAGE", edition))), size)
    made = {name: {"db-1.log": content} for name, content in data.items()}
    made["many-files"] = {f"db-{number}.log": small for number in range(1, size // 64)}
    return made
