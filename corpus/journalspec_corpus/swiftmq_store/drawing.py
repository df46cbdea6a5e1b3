"""Random stores: valid stores, and stores with wrong fields.

The changes in the log of a drawn store are already in its pages, as after an unfinished checkpoint. So the
pages determine the state, with or without a replay.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from journalspec_corpus.drawn import DrawnJournal, Field, drawn, lie_in
from journalspec_corpus.edits import Built
from journalspec_corpus.swiftmq_store.author import (
    CHAIN,
    PAGE,
    PAGES,
    build,
    listed,
    message,
)

FORMAT = "swiftmq_store"
#: Wrong values of a field of any width.
LIES = (b"\xff" * 8, b"\x80" + bytes(7), b"\x7f" + b"\xff" * 7, bytes(8), bytes(3) + b"\1" + bytes(4))


def base(edition: str, rng: random.Random, *, wide: bool = False) -> DrawnJournal:
    """Return a small valid store: a few queues, one in several pages, and a log already applied to them."""
    lives = [_life(edition, rng, wide=wide) for _ in range(2)]
    (now, state), (then, _) = lives
    found = drawn((FORMAT, edition), (now, then), state)
    fields = tuple(
        Field(spot.file, spot.off, spot.length, label)
        for label, spot in now.labels.items()
        if "." in label and not label.endswith(".whole")
    )
    return replace(found, fields=fields)


def _life(edition: str, rng: random.Random, *, wide: bool) -> tuple[Built, Mapping[str, Any]]:
    """Return a store and its content; the pages of a queue are adjacent."""
    pages, queues, roots = [""], [], []
    for name in sorted(rng.sample(("a", "orders", "q-1", "z"), rng.randrange(4))):
        head = len(pages)
        pages.append("")
        entries, messages, key = [], [], rng.randrange(2**40 if wide else 3)
        for _ in range(rng.randrange(4)):
            text = rng.choice("xyz") + "*" + str(rng.choice((1, 5, 40, rng.randrange(2000, 4100))))
            data, first = message(text), len(pages)
            priority, deliveries = rng.randrange(10), rng.randrange(1, 2**31 if wide else 3)
            entries.append(f"{key}:{first}:{priority}:{deliveries}")
            messages.append(listed((key, priority, deliveries, 0), data))
            key += rng.randrange(1, 3)
            parts = range(0, len(data), PAGE - CHAIN)
            for at in parts:
                number = len(pages)
                before = number - 1 if at else -1
                after = number + 1 if at < parts[-1] else -1
                pages.append(f"p{number} MESSAGE {text} from={at} prev={before} next={after}")
        pages[head] = f"p{head} QUEUE {' '.join(entries)}".rstrip()
        roots.append(f"{name}:{head}")
        queues.append({"name": name.encode(), "messages": messages})
    pages[0] = f"p0 ROOT {' '.join(roots)}".rstrip()
    spare = len(pages)
    pages.append(f"p{spare} FREE")
    plain = build({"pages": pages}, edition)
    log = _log(bytes(plain.files[PAGES]), spare, rng)
    # A log that consists only of zeros counts as missing if pages are in use (SMQ-RCV-115).
    size = rng.choice((0, 4096)) if log else 0
    built = build({"pages": pages, "log": log, "log_size": size}, edition)
    return built, {"queues": queues, "in_doubt": [], "durables": []}


def _log(data: bytes, spare: int, rng: random.Random) -> list[str]:
    """Return records whose replay does not change the pages."""
    texts = [f"s START generation={rng.randrange(1, 2**62)}"] * (rng.randrange(4) > 0)
    for number in range(rng.randrange(4)):
        kind, actions = rng.choice(("COMMIT", "COMMIT", "ABORT")), []
        for _ in range(rng.randrange(1, 4)):
            page, off = rng.randrange(spare), rng.randrange(1, 60)
            there = data[page * PAGE + off : page * PAGE + off + rng.randrange(1, 40)].hex()
            other = rng.randbytes(len(there) // 2).hex()
            images = f"{there}:{other}" if kind == "ABORT" else f"{rng.choice((other, '-'))}:{there}"
            actions.append(f"portion:{page}:{off}:{images}")
        if rng.randrange(2):
            actions.append(f"insert:{spare}")
            actions += [f"delete:{spare}:{rng.randbytes(5).hex()}"] * (kind == "COMMIT")
        texts.append(f"c{number} {kind} tx={number} {' '.join(actions)}")
    return texts


def lies(edition: str, rng: random.Random) -> dict[str, bytes]:
    """Return files with wrong fields; this format has no checksums."""
    built, _ = _life(edition, rng, wide=False)
    lie_in(built, LIES, rng.choice((1, 1, 2, 3)), rng, small=12)
    return built.content()
