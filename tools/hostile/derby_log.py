"""Derby logs that are expensive to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hostile import repeated
from journalspec.layout import integer
from journalspec_corpus.derby_log.author import build, container_of, seal
from journalspec_corpus.derby_log.naive import AROUND, HEADER, UNCHECKED
from journalspec_corpus.edits import Built

#: The instant of the first record in a log.
START = 1 << 32 | HEADER
#: The length of a checksum record; the body of a BEGIN without a transaction.
CHECKSUM_RECORD, NOBODYS_BEGIN = 37, "00814101000000a900000000000000000000"


def _plain(texts: Iterable[str]) -> list[Any]:
    """Return one group; no checksum covers its records."""
    return [{"records": [*texts], "plain": True}]


def _costly(edition: str, size: int) -> Iterator[tuple[str, list[Any]]]:
    """Yield groups of sound records (about `size` bytes) that cost a careless reader much time."""
    body = "0081" if edition == "seed" else NOBODYS_BEGIN
    yield "one-record", _plain([f"r body=00*{size}"])
    yield "small-records", _plain([f"r body={body}"] * (size // (AROUND + len(body) // 2)))
    if edition not in UNCHECKED:
        count = size // CHECKSUM_RECORD
        # Each record covers all bytes that follow. The checksums are corrected afterwards in one input, but
        # not in the other.
        claims = [{"records": [], "data_length": at * CHECKSUM_RECORD} for at in reversed(range(count))]
        yield "sums-of-all-that-follows", claims
        yield "sums-that-are-wrong", claims
        yield "sums-of-nothing", [[]] * count
    if edition == "seed":
        return
    inserts = [f"i{number} INSERT tx=1 key={number} value=v" for number in range(size // 64)]
    undone = [text for insert in inserts for text in (insert, "u1 UNDO of=i0")]
    purge = f"p1 PURGE container={container_of('T', edition)} page=1 page_version=2 count={(1 << 30) - 1}"
    open_ = ",".join(str(number) for number in range(200, 200 + size // 14))
    yield "transactions", _plain(f"b{number} BEGIN" for number in range(200, 200 + size // 40))
    yield "inserts", _plain(["b1 BEGIN", *inserts])
    yield "undone-ever-again", _plain(["b1 BEGIN", *undone[: size // 52]])
    yield "never-began", _plain(inserts)
    yield "rows-that-are-not-there", _plain(["b1 BEGIN", *[purge] * (size // 40)])
    yield "open-transactions", _plain([f"k1 CHECKPOINT group=0x101 open={open_}"])


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes on which a careless reader does more than linear work."""
    control = False if edition == "seed" else {"checkpoint": START}

    def log(*files: Mapping[str, Any]) -> Built:
        return build({"control": control, "mirror": control, "files": files}, edition)

    first = integer(START, 8)
    raw = {
        "zeros": bytes(size),
        "zeros-then-a-byte": bytes(size) + b"\1",
        "ones": b"\1" * size,
        "largest-lengths": repeated(b"\x7f\xff\xff\xff", size),
        "too-large": integer(size, 4) + first + bytes(size),
        "empty-records": repeated(bytes(4) + first + bytes(4), size),
    }
    start = log({"end": "none"}).content()
    made = {name: {**start, "log1.dat": start["log1.dat"] + data} for name, data in raw.items()}
    for name, groups in _costly(edition, size):
        built = log({"end": "none", "groups": groups})
        if name == "sums-of-all-that-follows":
            for number in range(len(groups), 0, -1):
                seal(built, f"g{number}")
        made[name] = built.content()
    return {**made, "many-files": log(*[{"end": "marker"}] * (size // 64 - 1)).content()}
