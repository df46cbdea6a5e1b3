"""Stores drawn at random: valid ones, fields that lie, files made to cost much.

What the log does to a drawn store is in its pages already, as after a checkpoint that was not finished: so
the state is that of the pages, whoever replays.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from struct import pack
from typing import Any

from journalspec_corpus.drawn import DrawnJournal, Field, drawn, lie_in, repeated
from journalspec_corpus.edits import Built
from journalspec_corpus.swiftmq_store.author import (
    CHAIN,
    LOG,
    PAGE,
    PAGES,
    branch,
    build,
    listed,
    message,
)

FORMAT = "swiftmq_store"
#: What a field may lie with, of any width.
LIES = (b"\xff" * 8, b"\x80" + bytes(7), b"\x7f" + b"\xff" * 7, bytes(8), bytes(3) + b"\1" + bytes(4))
#: What begins the log of a hostile store.
START = pack(">iq", 1, 7)
DURABLE = "durables/c$n.durable"
FREE = b"\1".ljust(PAGE, b"\0")


def base(edition: str, rng: random.Random, *, wide: bool = False) -> DrawnJournal:
    """Return a small valid store: a few queues, one in several pages, a log that has been replayed."""
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
    """Return a store and what is in it; all pages of a queue come one after the other."""
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
    # A log of zeros alone is none beside pages in use (SMQ-RCV-115).
    size = rng.choice((0, 4096)) if log else 0
    built = build({"pages": pages, "log": log, "log_size": size}, edition)
    return built, {"queues": queues, "in_doubt": [], "durables": []}


def _log(data: bytes, spare: int, rng: random.Random) -> list[str]:
    """Return records after which the pages are as they are."""
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
    """Return files in which fields lie; nothing has a checksum."""
    built, _ = _life(edition, rng, wide=False)
    lie_in(built, LIES, rng.choice((1, 1, 2, 3)), rng, small=12)
    return built.content()


def _laid(edition: str, *texts: str) -> bytes:
    """Return pages of which the texts of the author module say what they are."""
    return bytes(build({"pages": texts}, edition).files[PAGES])


def _queue(edition: str, count: int, page: int, *, first: int = 2, after: int = 0) -> bytes:
    """Return `count` pages of an index, from page `first` on, all of whose entries name one page."""
    texts = []
    for at in range(count):
        entries = " ".join(f"{at * 61 + slot}:{page}" for slot in range(61))
        before = first + at - 1 if at else -1
        behind = first + at + 1 if at + 1 < count else after
        texts.append(f"p QUEUE {entries} prev={before} next={behind}")
    return _laid(edition, *texts)


def _root(edition: str, *names: str) -> bytes:
    """Return the page of a root index in which all queues have page 2 as their head."""
    return _laid(edition, f"p ROOT {' '.join(f'{name}:2' for name in names)}")


def _commit(*actions: bytes) -> bytes:
    return pack(">iqqi", 2, 7, 1, len(actions)) + b"".join(actions)


def _branches(edition: str, size: int) -> bytes:
    """Return pages in which a branch of many keys has many entries."""
    data = branch("q", [f"{key}:1" for key in range(size // 74)], {})
    count = max(1, size // 2 // PAGE)
    first, parts = 2 + count, range(0, len(data), PAGE - CHAIN)
    texts = (
        f"p MESSAGE hex:{data[at : at + PAGE - CHAIN].hex()} prev={number - 1 if at else -1}"
        f" next={number + 1 if at < parts[-1] else -1}"
        for number, at in enumerate(parts, first)
    )
    queue = _queue(edition, count, first, after=-1)
    return _root(edition, "sys$prepared") + FREE + queue + _laid(edition, *texts)


def _strings(size: int) -> bytes:
    """Return a log that makes pages of zeros, which are a message of empty strings."""
    last = size // 38 + 3
    strings = ((last - 2) * (PAGE - CHAIN) - 60) // 2
    head = pack(">i", 5) + bytes(40) + b"\1" + pack(">i", strings)
    actions = [pack(">iiiBi", 4, 3, 13, 0, len(head)) + head]
    for at in range(last, 2, -1):
        header = pack(">iii", at - 1 if at > 3 else -1, at + 1 if at < last else -1, PAGE)
        actions += [pack(">iiiBi", 4, at, 1, 0, 12) + header, pack(">ii", 1, at)]
    return START + _commit(*actions[::-1])


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes that tempt a reader into more than linear work."""
    count = max(2, size // PAGE)
    root, many = _root(edition, "q"), _root(edition, *(chr(0x41 + at % 50) for at in range(100)))
    full = f"p MESSAGE hex:{bytes(PAGE - CHAIN).hex()}"
    chain = _laid(edition, *(f"{full} prev={at - 1} next={at + 1}" for at in range(3, count)))
    portion = pack(">iiiBi", 4, 2, 1, 0, 4) + bytes(4)
    whole = pack(">iiiBi", 4, 2, 0, 0, PAGE) + bytes(PAGE)
    pages = {
        "zeros": bytes(size),
        "ones": b"\1" * size,
        "twos": b"\2" * size,
        "one-message-in-all-entries": root + FREE + _queue(edition, count // 2, 1, after=-1) + chain,
        "a-long-message-in-all-entries": root + FREE + _queue(edition, 1, 3, after=-1) + chain,
        "queues-with-one-head": many + FREE + _queue(edition, count, 1, after=-1),
        "a-cycle": root + FREE + _queue(edition, count, 1, after=2),
        "itself": root + FREE + _queue(edition, 1, 2, after=2) + chain,
        "a-branch-in-all-entries": _branches(edition, size),
    }
    logs = {
        "starts": START * (size // 12),
        "empty-commits": START + repeated(_commit(), size),
        "one-record": START + _commit(*[pack(">ii", 1, 2)] * (size // 8)),
        "pages-without-end": START + _commit(*[pack(">ii", 1, at) for at in range(size // 8)]),
        "one-page-changed": START + _commit(*[portion] * (size // len(portion))),
        "changes-of-a-page": START + repeated(_commit(portion), size),
        "whole-pages": START + repeated(_commit(whole, portion), size),
        "aborted": START + pack(">iqqi", 3, 7, 1, size // len(portion)) + repeated(portion, size),
        "types": pack(">i", 2) * (size // 4),
        "largest": START + pack(">iqqi", 2, 7, 1, 2**31 - 1) + bytes(size),
        "zeros": START + bytes(size),
    }
    start, index = START.ljust(512, b"\0"), root + FREE + _queue(edition, 1, 1, after=-1)
    made = {f"pages-{name}": {PAGES: data, LOG: start} for name, data in pages.items()}
    made |= {f"pages-checked-{name}": {PAGES: data, LOG: START + _commit()} for name, data in pages.items()}
    made |= {f"log-{name}": {PAGES: index, LOG: data} for name, data in logs.items()}
    made["log-strings"] = {PAGES: root + FREE + _queue(edition, 1, 3, after=-1), LOG: _strings(size)}
    swap = pack(">ii", 4, 1)
    made["swap"] = {PAGES: index, LOG: start, "swap/q-0.swap": repeated(swap, size)}
    made["durable"] = {PAGES: index, LOG: start, DURABLE: b"\xac\xed\0\5" + repeated(b"sr\0\1a", size)}
    made["durables"] = {PAGES: index, LOG: start} | {
        f"durables/c{number}$n.durable": b"\xac\xed\0\5" for number in range(size // 64)
    }
    return made
