"""KahaDB's reference writer is killed, or power fails, at 500 of its storage operations: what is found again?

What has to be there follows from the operations alone: the model is told the commands whose bytes a kill or
the rules of :mod:`journalspec_conformance.power` have left. Without ``--products whole`` a sample is read.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from journalspec_conformance.harnesses.reference import Traced
from journalspec_conformance.power import Disk, Files
from journalspec_corpus.kahadb_journal.author import payload
from journalspec_corpus.kahadb_journal.crash import STATE
from journalspec_corpus.kahadb_journal.model import Messages
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage
from products import Connect, Every, Json, asked, of_products

FORMAT, EDITION, PRODUCTS = "kahadb_journal", "5.16", ("activemq-5.17.6", "activemq-6.1.7")
PARAMS = {"max_file_length": "4096", "max_batch_length": "1024"}
OPERATIONS, APPENDED = 500, 700

stored = cache(payload)
ENDS = re.compile("r0 (PREPARE|COMMIT) ")


class Image(NamedTuple):
    """What a crash leaves: files, the commands whose bytes are in them, and those that were acknowledged."""

    what: str
    files: Files
    there: tuple[str, ...]
    acknowledged: tuple[str, ...]


def commands() -> list[tuple[str, bool]]:
    """Return commands, and whether each is forced: messages, subscriptions, local and XA transactions."""
    chance, there = random.Random(20261123), [0]
    out = [("r0 q=Q", True), ("r0 SUBSCRIPTION t=T sub=c:s info=5349", True)]
    number = 0
    while len(out) < APPENDED:
        number += 1
        body, forced = chance.randbytes(chance.randint(1, 60)).hex(), chance.random() < 0.3
        match chance.choice(["add", "add", "add", "remove", "update", "publish", "local", "xa"]):
            case "add":
                out.append((f"r{number} q=Q body={body}", forced))
                there.append(number)
            case "remove":
                out.append((f"r{there.pop(chance.randrange(len(there)))} REMOVE_MESSAGE q=Q", forced))
                there = there or [0]
            case "update":
                out.append((f"r{chance.choice(there)} UPDATE_MESSAGE q=Q body={body}", forced))
            case "publish":
                out.append((f"r{number} t=T body={body}", forced))
                if chance.random() < 0.5:
                    out.append((f"r{number} REMOVE_MESSAGE t=T sub=c:s ack={number:08x}", forced))
            case kind:
                tx = f"tx=c:{number}" if kind == "local" else f"xa=1:{number:08x}:09"
                out += [
                    (f"r{number}{part} q=Q body={body} {tx}", False) for part in range(chance.randint(1, 3))
                ]
                if kind == "xa":
                    out.append((f"r0 PREPARE {tx}", True))
                if chance.random() < 0.8:
                    out.append((f"r0 {chance.choice(['COMMIT', 'ROLLBACK'])} {tx}", True))
    return out


def images(told: list[tuple[str, bool]]) -> Iterator[Image]:
    """Yield what each storage operation leaves if the process is killed behind it, and if power fails."""
    storage: Any = Traced(MemoryStorage())
    disk = Disk({})
    writer = load(FORMAT).writer(storage, edition=EDITION, params=PARAMS)
    texts = tuple(text for text, _ in told)
    payloads = [stored(text) for text in texts]
    written: dict[str, list[int]] = {}
    durable: list[int] = []
    acknowledged: list[str] = []
    waiting = 0
    for number in range(-1, len(told)):
        op: Json = {"op": "open"}
        if number >= 0:
            op = {"op": "append", "payload": payloads[number].hex(), "sync": told[number][1]}
        answer = writer.apply(op)
        for change in storage.taken():
            disk.do(change)
            data, at = bytes.fromhex(change.get("data", "")), 0
            while waiting <= number and (at := data.find(payloads[waiting], at)) >= 0:
                written.setdefault(change["file"], []).append(waiting)
                at, waiting = at + len(payloads[waiting]), waiting + 1
            if change["op"] == "sync":
                durable = sorted({*durable, *written.get(change["file"], ())})
            what = f"{change['op']} {change.get('file', '')}"
            promised = tuple(acknowledged)
            yield Image(f"killed after {what}", disk.files(), texts[:waiting], promised)
            lost = next(disk.after_power_failure())
            yield Image(f"power lost after {what}", lost, tuple(texts[each] for each in durable), promised)
        if number >= 0 and answer["durable"]:
            acknowledged.append(texts[number])


@cache
def owed(texts: tuple[str, ...]) -> Any:
    """Return the state that commands come to."""
    model = Messages()
    kept = model.begin({})
    for text in texts:
        kept = model.after(kept, {"op": "append", "payload": stored(text).hex()}, EDITION)
    return STATE.canonical(model.shown(kept))


def wrong(image: Image, seen: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with an answer: nothing, or one sentence."""
    if not image.files:
        # Where not even a name is left, nothing says that there was a store; nothing had been acknowledged.
        return [image.what] if image.there else []
    found = STATE.canonical(seen["state"]) if "state" in seen else seen.get("code")
    return [] if found == owed(image.there) else [f"{image.what}: {seen['verdict']}"]


@pytest.fixture(scope="module")
def chosen() -> list[Image]:
    """Return what kills and power failures leave at 500 storage operations that are spread evenly."""
    found = list(images(commands()))
    step = len(found) // 2 / OPERATIONS
    assert step >= 1
    return [found[2 * int(number * step) + kind] for number in range(OPERATIONS) for kind in (0, 1)]


def test_what_was_acknowledged_is_in_every_image(chosen: list[Image]) -> None:
    assert [image.what for image in chosen if not set(image.acknowledged) <= set(image.there)] == []
    assert len(chosen[-1].files) > 3


def test_a_decision_lasts_without_its_commands_only_if_they_are_in_a_file_that_was_left(
    chosen: list[Image],
) -> None:
    """A force is of one file, and who turns to the next one has not forced the one before (KHD-WRT-009)."""
    split = set()
    for killed, lost in zip(chosen[::2], chosen[1::2], strict=True):
        ends = {text.split()[-1]: text for text in lost.acknowledged if ENDS.match(text)}
        for text in set(killed.there) - set(lost.there):
            end = ends.get(text.split()[-1])
            if end and not text.startswith("r0 "):
                assert place(killed, text) != place(killed, end), lost.what
                split.add(end)
    assert split


def place(image: Image, text: str) -> list[str]:
    """Return the files that a command is in."""
    return [name for name, data in image.files.items() if stored(text) in data]


def test_the_reference_finds_it_again(chosen: list[Image], every: Every) -> None:
    reference = load(FORMAT)
    found = [
        text
        for image in chosen[:: every(3)]
        for text in wrong(image, reference.recover(image.files, edition=EDITION, policy="strict").to_json())
    ]
    assert found == []


@of_products
@pytest.mark.parametrize("product", PRODUCTS)
def test_the_product_finds_it_again(
    product: str,
    chosen: list[Image],
    connect_product: Connect,
    every: Every,
    memory_path: Path,
) -> None:
    connection, found = connect_product(product), []
    for number, image in enumerate(chosen[:: every(21)]):
        place = memory_path / str(number)
        place.mkdir()
        for name, data in image.files.items():
            (place / name).write_bytes(data)
        found += wrong(image, asked(connection, place, FORMAT, EDITION)["ok"])
    assert found == []
