"""KahaDB's scan and the scan of the reference: real files, and damaged ones.

If the two differ on a damaged file, one of the deviations explains it, by the specification's result for that
file. Without ``--products whole`` the product tries only a sample.
"""

from __future__ import annotations

import json
import random
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from journalspec_conformance.bounds import Bounds
from journalspec_conformance.connection import Connection
from journalspec_conformance.errors import TimedOut
from journalspec_conformance.products import get_product, problems, product_dir
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage
from judged import call
from products import Connect, Every, Json, asked, of_products

FORMAT, EDITION, PRODUCT = "kahadb_journal", "5.16", "activemq-5.17.6"
REFERENCE = load(FORMAT)
DAMAGED = 2_000
#: Seconds after which a scan counts as a hang; scans that return take milliseconds.
TIMEOUT = 4.0

# Journals of ActiveMQ's own tests, written by its brokers from 2010 on.

OWN = "activemq-journals-5.15.9"
BOTH, TEST = {"test.queue": 1000, "test.topic": 1000}, {"Test": 20}
#: Maps the directory of the artefact to destinations with their numbers of messages, and to whether zeros
#: fill the remaining bytes of the file.
OLD: dict[str, tuple[dict[str, int], bool]] = {
    **{f"kahadb/KahaDBVersion{number}": (BOTH, False) for number in "1234"},
    "kahadb/KahaDBVersion5": (BOTH, True),
    "kahadb/MessageStoreTest/version5": (TEST, True),
    "kahadb/MultiKahaMessageStoreTest/version5/queue#3a#2f#2fTest": (TEST, True),
    "schedulerDB/legacy": ({}, True),
}


@pytest.fixture
def own_journal(tmp_path: Path) -> Callable[[str], Path]:
    product = get_product(OWN)
    if problems(product):
        pytest.skip(f"{OWN} is missing: run `journalspec products fetch {OWN}`")

    def laid(name: str) -> Path:
        place = tmp_path / "journal"
        place.mkdir()
        with zipfile.ZipFile(product_dir(product) / product.jars[0].filename) as jar:
            (place / "db-1.log").write_bytes(jar.read(f"org/apache/activemq/store/{name}/db-1.log"))
        return place

    return laid


@pytest.mark.product
@pytest.mark.parametrize("name", OLD)
def test_files_of_old_brokers_are_read_completely(own_journal: Callable[[str], Path], name: str) -> None:
    messages, zeros = OLD[name]
    place = own_journal(name)
    seen = json.loads(call("inspect", "--json", place).stdout)
    assert (seen["verdict"], seen["dropped"]) == ("clean", [])
    # In editions with markers, a crash can also leave zeros after the last batch of the last file.
    tried = {trial["edition"] for trial in seen["edition_assumed"]["trials"] if trial["agrees"]}
    assert seen["edition"] == ("5.12" if zeros else "5.16")
    assert {"5.12", "5.16"} <= tried
    added = Counter(
        record["destination"]["name"] for record in seen["records"] if record["type"] == "ADD_MESSAGE"
    )
    assert added == messages
    state = json.loads(call("recover", "--json", place).stdout)["state"]
    assert {entry["name"]: len(entry["messages"]) for entry in state["destinations"]} == messages
    if "schedulerDB" in name:
        # Such a record is a message, not a command: the user needs to know why it is not listed.
        assert [note["code"] for note in seen["notes"] if note.get("off") == "28"] == ["surplus"]


@of_products
@pytest.mark.parametrize(
    "product",
    [
        "activemq-5.11.4",
        pytest.param("activemq-5.13.5", marks=pytest.mark.whole),
        pytest.param("activemq-5.15.0", marks=pytest.mark.whole),
        PRODUCT,
    ],
)
@pytest.mark.parametrize("name", OLD)
def test_releases_agree_on_files_of_old_brokers(
    connect_product: Connect, own_journal: Callable[[str], Path], name: str, product: str
) -> None:
    place, edition = own_journal(name), get_product(product).edition
    files = {path.name: path.read_bytes() for path in place.iterdir()}
    connection = connect_product(product, 60, Bounds(answer=64 << 20))
    theirs, ours = ask(connection, place, edition=edition), REFERENCE.read(files, edition=edition).to_json()
    assert scanned(theirs)[0] == scanned(ours)[0]
    theirs = ask(connection, place, cmd="recover", policy="strict", edition=edition)
    if OLD[name][1] and product == PRODUCT:
        # The product treats zeros as damage (KHD-DEV-004), and damage at the end prevents its start
        # (KHD-DEV-003).
        assert (theirs["verdict"], "Detected corrupt journal files" in theirs["message"]) == ("refused", True)
        return
    state = REFERENCE.recover(files, edition=edition, policy="strict").to_json()["state"]
    if product == "activemq-5.11.4":
        # The product replays no command that creates a subscription (KHD-DEV-029), so it keeps no message for
        # the subscription.
        for entry in state["destinations"]:
            if entry.get("subscriptions"):
                entry.update(messages=[], subscriptions=[])
    assert theirs["state"] == state


# Damaged files.


Stretch = tuple[str, int, int]


def scanned(observed: Json) -> tuple[list[Stretch], list[Stretch]]:
    """Return the ranges of records and of dropped regions, as (file, start, end)."""
    places = [
        *((record["at"], 0) for record in observed["records"]),
        *((part, 1) for part in observed.get("dropped", ())),
    ]
    found: tuple[list[Stretch], list[Stretch]] = [], []
    for at, kind in places:
        found[kind].append((at["file"], int(at["off"]), int(at["off"]) + int(at["len"])))
    for text in filter(None, observed.get("message", "").split("; ")):
        file, _, words = text.partition(": excluded from ")
        start, _, end = words.partition(" to ")
        found[1].append((file, int(start), int(end)))
    return found


def ask(connection: Connection, directory: Path, **more: str) -> Json:
    """Return the product's answer to `read` or `recover` on `directory`."""
    answer: Json = asked(connection, directory, FORMAT, **{"edition": EDITION, "cmd": "read", **more})["ok"]
    return answer


def read(files: dict[str, bytes]) -> Json:
    """Return the reference's answer to `read`."""
    return REFERENCE.read(files, edition=EDITION).to_json()


def journals(count: int) -> Iterator[dict[str, bytes]]:
    """Yield journals of a few batches; most journals are damaged at random."""
    chance = random.Random(20261122)
    for _ in range(count):
        storage = MemoryStorage()
        writer = REFERENCE.writer(storage, edition=EDITION, params={"max_file_length": "1024"})
        writer.apply({"op": "open"})
        for _ in range(chance.randint(1, 6)):
            for _ in range(chance.randint(1, 3)):
                writer.apply({"op": "append", "payload": chance.randbytes(chance.randint(0, 30)).hex()})
            writer.apply({"op": "flush"})
        writer.apply({"op": "close"})
        files = {name: bytearray(data) for name, data in storage.files.items()}
        data = files["db-1.log"]
        at = chance.randrange(400)
        match chance.choice(["none", "bit", "byte", "zeros", "cut", "insert", "lost"]):
            case "bit":
                data[at] ^= 1 << chance.randrange(8)
            case "byte":
                data[at] = chance.randrange(256)
            case "zeros":
                data[at : at + 60] = bytes(60)
            case "cut":
                del data[at:]
            case "insert":
                data[at:at] = chance.randbytes(chance.randint(1, 9))
            case "lost":
                data[at : at + chance.randint(1, 40)] = b""
        yield {name: bytes(content) for name, content in files.items()}


def explained(files: dict[str, bytes], ours: Json, theirs: Json | None) -> str:
    """Return the deviation that explains the difference from `ours`, or ""; `theirs` is None without an
    answer.
    """
    codes = {note["code"] for note in ours["notes"]}
    reasons = {part["reason"] for part in ours["dropped"]}
    sizes = [control(files, part)[0] for part in ours["dropped"] if part["reason"] == "bad-size"]
    if theirs is None:
        return "KHD-DEV-001" if any(size != 0 for size in sizes) else ""
    negative = [control(files, part)[1] < 0 for part in ours["dropped"] if part["reason"] == "bad-checksum"]
    known = {
        "KHD-DEV-004": "zero-tail" in codes,
        "KHD-DEV-005": any(negative),
        "KHD-DEV-006": "bad-chain" in reasons or "unknown-type" in codes,
        "KHD-DEV-007": "suspicious-end" in codes or 0 in sizes,
        # If too few bytes remain for a control record, the product compares leftover bytes of an earlier
        # read.
        "KHD-DEV-017": "truncated" in reasons,
    }
    return next((name for name, holds in known.items() if holds), "")


def control(files: dict[str, bytes], part: Json) -> tuple[int, int]:
    """Return the batch size and the checksum in the control record at the start of a range of bytes."""
    start = int(part["off"])
    stored = files[part["file"]][start + 16 : start + 28]
    return int.from_bytes(stored[:4], "big", signed=True), int.from_bytes(stored[4:], "big", signed=True)


@of_products
def test_product_and_reference_scan_damaged_files_alike(
    connect_product: Connect, every: Every, memory_path: Path
) -> None:
    connection = connect_product(PRODUCT, TIMEOUT)
    outcomes: Counter[str] = Counter()
    for number, files in enumerate(journals(DAMAGED // every(25))):
        place = memory_path / str(number)
        place.mkdir()
        for name, data in files.items():
            (place / name).write_bytes(data)
        ours = read(files)
        try:
            theirs = ask(connection, place)
        except TimedOut:
            theirs = None
        same = theirs is not None and scanned(theirs) == scanned(ours)
        why = "same" if same else explained(files, ours, theirs)
        assert why, (number, ours["dropped"], ours["notes"], theirs)
        outcomes[why] += 1
    assert outcomes["same"] > outcomes.total() // 2
