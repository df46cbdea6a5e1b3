"""Random KahaDB journals: valid journals, and journals with wrong sizes and lengths."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from journalspec.kahadb_journal.commands import as_varint
from journalspec_corpus.author import hex_bytes
from journalspec_corpus.drawn import DrawnJournal, drawn
from journalspec_corpus.kahadb_journal.author import FORMAT, build, described, payload
from journalspec_corpus.kahadb_journal.model import Messages

MODEL = Messages()
#: Wrong sizes, lengths and checksums; the Adler-32 over a record with a wrong length is valid.
LIES = (-(2**31), -50, -28, -1, 0, 1, 4, 5, 6, 27, 28, 29, 50, 255, 1024, 2147483614, 2**31 - 1)
SUMS = (0, 1, -1, -(2**63), 1 << 32, 2**63 - 1)
#: Each entry is one command; ``{n}`` becomes a unique number.
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
#: Unusual content of a command: numbers of ten or more bytes, a wrong length, unknown fields, invalid text.
_PIECES = (
    b"\xff" * 9 + b"\x01",
    b"\x80" * 11,
    b"\xff\x7f",
    b"\x0b",
    b"\xfa\x01\x00",
    b"\x08\xff\xff\xff\xff\x0f",
    b"\xc3",
)
#: There are only a few names, so that commands refer to the same objects. Ids of transactions differ in only
#: one part, or only in high bits.
PLACES = ("", "", "q=R", "t=T", "t=T", "t=Q")
TRANSACTIONS = (
    *("",) * 10,
    *("tx=c:1", "tx=c:4294967297", "tx=d:1", "tx=:0"),
    *("xa=1:01:02", "xa=1:01:02", "xa=1:01:", "xa=1:00:03", "xa=-1:01:02", "xa=2:00:02", "xa=0::"),
)
_ANYTHING, _SOUND, _BRANCHES = range(3)
#: Additional values of integer fields and texts.
NUMBERS = (0, 1, 2, 3, 4, 5, 9, 2**31 - 1, 2**31, 2**32, 2**32 + 1, 2**32 + 5, 2**63, 2**64 - 1, 2**64 - 5)
TEXTS = (b"", b"m1", b"m2", b"Q", b"c:a", b"\xc3", b"\xf0\x9f", b"\0\0\0\x02")
#: The bytes after a log instead of its end marker: an incomplete marker, a marker with batches after it, or
#: nothing.
TAILS = (
    *("2d714d6134", "2d714d6100", "2d714d61", "2d714d6135", "00714d6134", ""),
    *("2d714d61340000001c02575249544520424154434800000000000000000000000000", "0000000001"),
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
        # The space after the log; a file of the seed edition ends with its log.
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
    """Return the result of the requested commands."""
    records = [described(text) for file in files for batch in file["batches"] for text in batch["records"]]
    if edition == "seed":
        return {"payloads": [record["payload"] for record in records]}
    kept = MODEL.begin({})
    for record in records:
        kept = MODEL.taken(kept, record["command"], record["stored"])
    return MODEL.shown(kept)


def lies(edition: str, rng: random.Random) -> dict[str, bytes]:
    """Return files with wrong sizes, lengths, checksums and commands; Adler-32 covers the stored bytes."""
    files = []
    # Either only valid commands about transactions, or all valid commands, or commands with any content.
    about = rng.choice((_BRANCHES, _SOUND, _ANYTHING, _ANYTHING))
    for number in range(1, rng.choice((1, 1, 2, 3)) + 1):
        batches = [_lying_batch(edition, rng, about) for _ in range(rng.choice((0, 1, 2, 3)))]
        end = {"end": "none", "tail": rng.choice(TAILS)} if rng.randrange(4) == 0 else {}
        files.append({"id": number, "batches": batches, "size": rng.choice((0, 0, 256)), **end})
    content = build({"files": files}, edition).content()
    if rng.randrange(6) == 0:  # Add one wrong byte.
        name = rng.choice(sorted(content))
        data = bytearray(content[name] or b"\0")
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        content[name] = bytes(data)
    return content


def _lying_batch(edition: str, rng: random.Random, about: int) -> dict[str, Any]:
    records: list[dict[str, Any]] = [
        {"text": f"r{number} payload={_untrue(edition, rng, about).hex()}"}
        for number in range(rng.choice((1, 1, 2, 3, 4) if about == _ANYTHING else (2, 4, 6, 8)))
    ]
    batch: dict[str, Any] = {"records": records}
    kind = rng.randrange(16)
    if kind == 0:
        rng.choice(records)["length"] = rng.choice(LIES)
    elif kind == 1:
        batch["batch_size"] = rng.choice(LIES)
    elif kind == 2:  # This is the third kind of wrong value.
        batch |= {"checksum": rng.choice(SUMS), "batch_size": rng.choice(LIES)}
    elif kind < 5:
        batch["checksum"] = 0
    return batch


def _untrue(edition: str, rng: random.Random, about: int) -> bytes:
    """Return a payload: a command with one of few names and possibly unusual content, or no command."""
    kind = rng.randrange(12 if about == _ANYTHING else 120)
    if edition == "seed" or kind == 0:
        return hex_bytes(rng.choice(PAYLOADS))
    raw = payload(_of_a_branch(rng) if about == _BRANCHES else _busy(rng), edition)
    if kind == 1:
        data = bytearray(raw)
        at = rng.randrange(len(data) + 1)
        data[at : at + rng.choice((0, 1, 1, 1, 9))] = rng.choice((b"", *_PIECES, rng.randbytes(1)))
        return bytes(data)
    if kind > 6:
        return raw
    size, at = _number(raw, 1)
    return raw[:1] + _framed(_twisted(raw[at : at + size], rng), rng)


def _busy(rng: random.Random) -> str:
    """Return a command about one of few messages, in one of few transactions and destinations."""
    place, tx = rng.choice(PLACES), rng.choice(TRANSACTIONS)
    ident = f"id=m{rng.randrange(1, 4)}"
    kind = rng.randrange(12)
    if kind < 4:
        return f"r1 {place} {ident} {rng.choice(('', '', 'prio=9', 'prio=1'))} {tx} body=5{rng.randrange(10)}"
    if kind < 7:
        return f"r1 REMOVE_MESSAGE {place} {ident} {rng.choice(('', '', 'sub=c:a', 'sub=c:b'))} {tx}"
    if kind == 7:
        return f"r1 UPDATE_MESSAGE {place} {ident} prio={rng.randrange(10)} body=66"
    if kind == 8:
        told = rng.choice(("info=01", "info=01 retro=1", ""))
        return f"r1 SUBSCRIPTION {place} sub={rng.choice(('c:a', 'c:b'))} {told}"
    if kind < 11:
        named = rng.choice([name for name in TRANSACTIONS if name])
        return f"r1 {rng.choice(('PREPARE', 'COMMIT', 'ROLLBACK'))} {named}"
    return f"r1 {rng.choice(('REMOVE_DESTINATION', 'TRACE text=x', 'SUBSCRIPTION sub=c:a'))} {place}"


def _of_a_branch(rng: random.Random) -> str:
    """Return a command in one of the transactions: mostly PREPARE, or a command that takes effect with the
    commit.
    """
    tx = rng.choice([name for name in TRANSACTIONS if name])
    kind = rng.choice(("", "", "", "PREPARE", "PREPARE", "PREPARE", "REMOVE_MESSAGE", "COMMIT", "ROLLBACK"))
    if kind in ("", "REMOVE_MESSAGE"):
        sub = f"sub={rng.choice(('c:a', 'c:b'))}" if kind and rng.randrange(2) else ""
        return f"r1 {kind} {rng.choice(PLACES)} id=m{rng.randrange(1, 4)} {sub} {tx}"
    return f"r1 {kind} {tx}"


#: A field in stored form: its number, its wire type, and its content.
Wire = tuple[int, int, int | bytes]


def _fields(data: bytes) -> list[Wire]:
    found: list[Wire] = []
    at = 0
    while at < len(data):
        key, at = _number(data, at)
        value, at = _number(data, at)
        if key & 7 == 2:  # The next bytes are the length of the content.
            found.append((key >> 3, 2, data[at : at + value]))
            at += value
        else:
            found.append((key >> 3, 0, value))
    return found


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:  # The highest bit means that another byte follows.
            return value, at


def _framed(data: bytes, rng: random.Random) -> bytes:
    """Return bytes after their length, which rarely has more bits than permitted."""
    more = rng.choice((1 << 32, 1 << 35, 1 << 63)) if rng.randrange(40) == 0 else 0
    return as_varint(len(data) + more) + data


def _twisted(data: bytes, rng: random.Random) -> bytes:
    """Return a message in which a field or two are repeated, omitted, or given other content."""
    try:
        fields = _fields(data)
    except IndexError:
        return data
    for _ in range(rng.choice((1, 1, 2))):
        if not fields:
            break
        at = rng.randrange(len(fields))
        kind = rng.randrange(5)
        if kind == 0:
            del fields[at]
        elif kind == 1:
            fields.append((rng.choice((99, 1, 5)), 0, rng.choice(NUMBERS)))
        else:
            other = _other(fields[at], rng)
            fields[at : at + rng.randrange(2)] = [other] if rng.randrange(2) else [fields[at], other]
    return b"".join(
        as_varint(number << 3 | wire)
        + (_framed(value, rng) if isinstance(value, bytes) else as_varint(value))
        for number, wire, value in fields
    )


def _other(item: Wire, rng: random.Random) -> Wire:
    number, wire, value = item
    if isinstance(value, int):
        return number, wire, rng.choice(NUMBERS)
    if value and rng.randrange(3):
        return number, wire, _twisted(value, rng)
    return number, wire, rng.choice(TEXTS)
