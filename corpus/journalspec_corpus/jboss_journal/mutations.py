"""How to mutate JBoss journals: small valid ones, records that lie, and files made to cost much."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from journalspec.jboss_journal import LAYOUT
from journalspec.jboss_journal.plain import CONTROL, has
from journalspec.layout import joined
from journalspec_corpus.drawn import DrawnJournal
from journalspec_corpus.jboss_journal.author import (
    build,
    header_parts,
    name_of,
    record_bytes,
)
from journalspec_corpus.jboss_journal.drawn_plan import Entry, FilePlan, Plan, kinds_of, lay_out
from journalspec_corpus.mutations import lie, repeated

#: Numbers that sizes and counts lie with; a check size over them is right all the same.
LIES = (-(2**31), -(2**29), -1000, -8, -1, 0, 1, 2, 17, 255, 256, 1024, 2**28, 2**29, 2**30, 2**31 - 1)
LYING_FIELDS = ("size", "extra_size", "num_files", "check", "type", "stamp", "count")
BODIES = (b"", b"a", b"q" * 40, bytes.fromhex("0b00000001"), bytes(9))


def base(edition: str, rng: random.Random) -> DrawnJournal:
    """Return a small valid journal of `edition`: up to four records in each of one to three files."""
    files = []
    for number in range(rng.choice((1, 1, 2, 3))):
        files.append(FilePlan(number + 4, _entries(edition, rng), number + 1, _entries(edition, rng)))
    return lay_out(
        Plan(edition, tuple(files), rng.choice((1, 1, 16)), rng.randrange(60), rng.choice((0, 0x4A)))
    )


def _entries(edition: str, rng: random.Random) -> tuple[Entry, ...]:
    return tuple(_entry(edition, rng) for _ in range(rng.choice((0, 1, 2, 4))))


def _entry(edition: str, rng: random.Random) -> Entry:
    return Entry(
        rng.choice(kinds_of(edition)),
        rng.choice((7, 8, -1)),
        rng.choice((1, 2, 3, -(2**63))),
        rng.randrange(256),
        rng.choice(BODIES),
        rng.choice(BODIES),
        rng.randrange(128) if has("record", "compact_count", edition) else 0,
    )


def lies(edition: str, rng: random.Random) -> dict[str, bytes]:
    """Return files with records whose fields lie, laid out and checked as if they did not."""
    records = [_liar(edition, rng, at) for at in range(rng.choice((1, 2, 3)))]
    files: list[dict[str, Any]] = [{"id": 1, "records": records, "size": 2048}]
    if rng.randrange(3) == 0:
        files.append(
            {"id": rng.choice((1, 2, -1)), "number": 2, "records": [_liar(edition, rng, 9)], "size": 2048}
        )
    if not has("record", "pairs", edition) and rng.randrange(4) == 0:
        lists = {name: rng.choice(LIES) for name in ("olds", "news", "moves") if rng.randrange(3) == 0}
        old, new = name_of(1, edition), name_of(2, edition) + ".cmp"
        files.append({"control": True, "old": [old], "new": [new], **lists})
    return build({"files": files}, edition).content()


def _liar(edition: str, rng: random.Random, at: int) -> dict[str, Any]:
    record = {
        key: value for key, value in _entry(edition, rng).described(f"r{at}", edition).items() if key != "gap"
    }
    lie(record, LYING_FIELDS, LIES, rng)
    if "type" in record:
        record["type"] = rng.randrange(8, 22)
    if rng.randrange(3) == 0:
        record["pairs"] = [(rng.choice((1, 2, 7)), rng.choice(LIES)) for _ in range(rng.randrange(4))]
    if "stamp" not in record or rng.randrange(4):
        record["stamp"] = 1
    return record


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes that tempt a reader into more than linear work."""

    def record(**fields: Any) -> bytes:
        return record_bytes({"id": 1, "tx": 9, "pairs": [], "count": 0, "stamp": 1, **fields}, edition)

    def file(number: int) -> bytes:
        return joined(header_parts({"id": number}, edition))

    first = name_of(1, edition)
    made = {name: {first: file(1) + make(size, edition, record)} for name, make in _HOSTILE.items()}
    if LAYOUT.has("control", edition):
        made["control-of-names"] = {first: file(1), CONTROL: _many_names(edition, size)}
    made["many-files"] = {name_of(number, edition): file(number % 3) for number in range(size // 64)}
    return made


def _many_names(edition: str, size: int) -> bytes:
    """Return a control file whose first list has as many names without a letter as fit."""
    count = size // 2
    body = (count.to_bytes(4, "big") + bytes(2 * count) + bytes(8)).hex()
    built = build({"files": [{"control": True, "body": body}]}, edition)
    return bytes(built.files[CONTROL])


#: Builds one record of the edition, of these fields.
Build = Callable[..., bytes]


def _all_claim_the_end(size: int, edition: str, record: Build) -> bytes:
    """Return heads each of which claims to end with the file, and none does."""
    head = len(record(kind="ADD", body="")) - 4
    out = bytearray()
    while len(out) + head < size:
        out += record(kind="ADD", body="", size=size - len(out) - head - 4)[:head]
    return bytes(out.ljust(size, b"\0"))


def _open_transactions(size: int, edition: str, record: Build) -> bytes:
    length = len(record(kind="ADD_TX", body=""))
    return b"".join(record(kind="ADD_TX", tx=number, id=1, body="") for number in range(-(-size // length)))


def _many_pairs(size: int, edition: str, record: Build) -> bytes:
    """Return COMMITs with as many pairs as fit; elsewhere PREPAREs with much extra data."""
    add = record(kind="ADD_TX", body="")
    if has("record", "pairs", edition):
        return add + record(kind="COMMIT", pairs=[(2, 1)] * (size // 8))
    return add + record(kind="PREPARE", extra=f"00*{size}")


def _nested(size: int, edition: str, record: Build) -> bytes:
    """Return records within records, the outermost torn: each level is found once more."""
    inner = record(kind="ADD", body="61")
    while len(inner) < size:
        inner = record(kind="ADD", body=inner.hex(), check=1)
    return inner


def _type(edition: str) -> bytes:
    return bytes([LAYOUT.types(edition)["ADD"]])


_HOSTILE: Mapping[str, Callable[[int, str, Build], bytes]] = {
    # Nothing but a type and the file's id, again and again.
    "prologues": lambda size, edition, _: repeated(_type(edition) + (1).to_bytes(4, "big"), size),
    "all-claim-the-end": _all_claim_the_end,
    "small-records": lambda size, _, record: repeated(record(kind="DELETE"), size),
    "open-transactions": _open_transactions,
    # One transaction of many records, prepared again and again.
    "one-transaction": lambda size, _, record: repeated(
        record(kind="ADD_TX", body="") + record(kind="PREPARE", count=1), size
    ),
    "many-pairs": _many_pairs,
    "nested": _nested,
    "types": lambda size, edition, _: _type(edition) * size,
    "zeros": lambda size, *_: bytes(size),
}
