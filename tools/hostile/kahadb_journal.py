"""KahaDB journals that are expensive to read."""

from __future__ import annotations

from collections.abc import Mapping

from hostile import repeated
from journalspec.kahadb_journal import LAYOUT, checksum
from journalspec.layout import joined
from journalspec_corpus.kahadb_journal.author import MARKERS, payload
from journalspec_corpus.kahadb_journal.naive import CONTROL, HEAD


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes on which a careless reader does more than linear work."""

    def control(length: int, total: int) -> bytes:
        return joined(LAYOUT.encode("header", edition, {"batch_size": length, "checksum": total}))

    def record(raw: bytes) -> bytes:
        return (HEAD + len(raw)).to_bytes(4, "big") + b"\1" + raw

    def batch(raw: bytes) -> bytes:
        return control(len(raw), checksum(raw)) + raw

    start = control(0, 0)[:16]
    message = b"a" if edition == "seed" else payload("r1", edition)
    small = batch(record(message))
    # Control records with wrong checksums that each claim all bytes that follow.
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
