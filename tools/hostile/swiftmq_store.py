"""SwiftMQ stores that are expensive to read."""

from __future__ import annotations

from collections.abc import Mapping
from struct import pack

from hostile import repeated
from journalspec_corpus.swiftmq_store.author import CHAIN, LOG, PAGE, PAGES, branch, build

#: The first bytes of a hostile store's log.
START = pack(">iq", 1, 7)
DURABLE = "durables/c$n.durable"
FREE = b"\1".ljust(PAGE, b"\0")


def _laid(edition: str, *texts: str) -> bytes:
    """Return pages that are described in the author module's notation."""
    return bytes(build({"pages": texts}, edition).files[PAGES])


def _queue(edition: str, count: int, page: int, *, first: int = 2, after: int = 0) -> bytes:
    """Return `count` pages of an index, from page `first` on, whose entries all refer to one page."""
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
    """Return pages with many entries that all refer to one prepared branch of many keys."""
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
    """Return a log that makes pages of zeros, which form a message of empty strings."""
    last = size // 38 + 3
    strings = ((last - 2) * (PAGE - CHAIN) - 60) // 2
    head = pack(">i", 5) + bytes(40) + b"\1" + pack(">i", strings)
    actions = [pack(">iiiBi", 4, 3, 13, 0, len(head)) + head]
    for at in range(last, 2, -1):
        header = pack(">iii", at - 1 if at > 3 else -1, at + 1 if at < last else -1, PAGE)
        actions += [pack(">iiiBi", 4, at, 1, 0, 12) + header, pack(">ii", 1, at)]
    return START + _commit(*actions[::-1])


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes on which a careless reader does more than linear work."""
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
