"""SwiftMQ's file store: schemas of pages, messages and branches on stores that real SwiftMQ wrote."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from construct import Construct, GreedyBytes, Struct
from kaitaistruct import KaitaiStream, KaitaiStruct

from family_trees import parse
from family_trees import plain as told
from journalspec.elements import Counted, parsed
from journalspec.families import decode, families
from journalspec.families_construct import schema
from journalspec.swiftmq_store._kaitai.swiftmq_store import SwiftmqStore
from journalspec.swiftmq_store._kaitai.swiftmq_store_durable import SwiftmqStoreDurable
from journalspec.swiftmq_store._kaitai.swiftmq_store_message import SwiftmqStoreMessage
from journalspec.swiftmq_store.schema import CODEC, SWAP

SPECS = Path(__file__).resolve().parents[1]
REAL = SPECS.parent.parent / "shared" / "real" / "swiftmq_store"
real = [
    pytest.mark.real,
    pytest.mark.skipif(not REAL.is_dir(), reason="needs real/ in ../shared beside the checkout"),
]
#: Members that only one of the two parsers adds to a value.
LEFT_OUT = {"flag", "first", "off", "end", "page_size", "record_kind"}


def stores() -> list[Path]:
    return [path for path in sorted(REAL.iterdir()) if (path / "db").is_dir()] if REAL.is_dir() else []


def page_size(store: Path) -> int:
    return 4096 if "4096" in store.name else 2048


def content(path: Path) -> bytes:
    return (
        gzip.decompress(path.with_name(path.name + ".gz").read_bytes())
        if not path.exists()
        else path.read_bytes()
    )


def plain(value: Any) -> Any:
    """Return the result of construct or Kaitai in one common form, without missing or empty values."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, KaitaiStruct):
        members = {name: item for name, item in vars(value).items() if name[0] != "_" and item != []}
        if isinstance(
            members.get("slots"), list
        ):  # This is the list of the slots of a log, not their number.
            members["records"] = [slot.record for slot in members.pop("slots") if slot.is_record]
        # A PORTION is one level deeper in Kaitai, because its form depends on a byte in its middle.
        return plain(members["body"]) if type(value).__name__ == "AnyPortion" else plain(members)
    if isinstance(value, dict):
        return {
            name: plain(item)
            for name, item in value.items()
            if item is not None
            and item != []
            and name[0] != "_"
            and name not in LEFT_OUT
            and not name.endswith("_from")
        }
    return value


def agreed(schema: Construct[Any, Any], kind: Any, data: bytes, *arguments: Any) -> Any:
    """Return the result of both parsers for `data`; construct must rebuild `data` to the last byte."""
    found = parsed(schema, BytesIO(data), "")
    built = schema.build(found)
    assert built == data[: len(built)]
    assert plain(found) == plain(kind(*arguments, KaitaiStream(BytesIO(data))))
    return found


#: The roots of the families of contents, each with its generated parser.
FAMILIES = families("swiftmq_store")
PARSERS = {
    "message": SwiftmqStoreMessage,
    "properties": SwiftmqStoreMessage.Properties,
    "branch": SwiftmqStoreMessage.Branch,
    "durable": SwiftmqStoreDurable,
}


def found_by_all(root: str, data: bytes) -> dict[str, Any]:
    """Return contents that the naive decoder, construct and Kaitai read alike; construct must rebuild the
    bytes.
    """
    family = FAMILIES["durable" if root == "durable" else "message"]
    wanted, tree = decode(family, root, data), parse(family, root, data)
    assert schema(family, root, "").build(tree) == data
    assert told(family, root, tree, "") == wanted
    assert told(family, root, PARSERS[root](KaitaiStream(BytesIO(data))), "") == wanted
    return wanted


def pages(data: bytes, size: int, first: int) -> Iterator[int]:
    """Yield the numbers of a chain's pages."""
    while first != -1:
        yield first
        first = int.from_bytes(data[first * size + 5 : first * size + 9], signed=True)


def page_schema(role: str) -> Any:
    """Return the schema of a page of the `root` index, of the index of a `queue`, or of a `message`."""
    if role == "message":
        return Struct("page" / CODEC.schema("message_page", "13"), "rest" / GreedyBytes)
    return Struct(
        "header" / CODEC.schema("index", "13"),
        "entries" / Counted(lambda context: context.header.slots, CODEC.schema(f"{role}_entry", "13")),
        "rest" / GreedyBytes,
    )


@pytest.mark.parametrize(
    "store",
    [
        pytest.param(path, id=path.name, marks=real)
        for path in stores()
        if path.name[:2] in {"11", "17", "r1", "g2", "g3"}
    ],
)
def test_schemas_agree_on_every_page_in_use(store: Path) -> None:
    """Content that a store has not yet flushed to its pages is in its log.

    The pages of these stores were flushed.
    """
    data, size = content(store / "db" / "page.db"), page_size(store)
    messages = 0

    def page(number: int, role: str) -> Any:
        kind = {
            "root": SwiftmqStore.RootPage,
            "queue": SwiftmqStore.QueuePage,
            "message": SwiftmqStore.MessagePage,
        }[role]
        here = data[number * size : (number + 1) * size]
        if role == "message":
            found = parsed(page_schema(role), BytesIO(here), "")
            assert plain(found.page) == plain(kind(KaitaiStream(BytesIO(here))))
            return found.page
        return agreed(page_schema(role), kind, here)

    if data[1:5] == bytes(4) or data[0] == 1:
        return  # No page was flushed yet.
    for root in pages(data, size, 0):
        for queue in page(root, "root").entries:
            for number in pages(data, size, queue.head) if queue.valid == 1 else ():
                for entry in page(number, "queue").entries:
                    if entry.valid != 1 or data[entry.page * size] == 1:
                        continue
                    slices = [page(part, "message").slice for part in pages(data, size, entry.page)]
                    message = found_by_all("message", b"".join(slices))
                    messages += 1
                    if "value" in message["properties"]:
                        found_by_all("properties", message["properties"]["value"]["data"])
                    if queue.name == b"sys$prepared":
                        branch = found_by_all("branch", message["body"]["data"])
                        assert len(branch["keys"]) == branch["number"] == 1
    assert messages or store.name[:2] == "g2"


@pytest.mark.parametrize(
    "store", [pytest.param(name, marks=real) for name in ("13-swap-two-entries", "14-swap-one-deleted")]
)
def test_schemas_agree_on_swap_files(store: str) -> None:
    data = (REAL / store / "swap" / "orders-0.swap").read_bytes()
    found = agreed(SWAP, SwiftmqStore.SwapFile, data)
    assert len(found.entries) == 2
    for entry in found.entries:
        found_by_all("message", entry.message)


@pytest.mark.parametrize("name", [pytest.param(name, marks=real) for name in ("c1$sub", "c2$sub")])
def test_schemas_agree_on_durable_subscribers(name: str) -> None:
    data = (REAL / "15-durables" / "durables" / f"{name}.durable").read_bytes()
    entries = found_by_all("durable", data)["entries"]
    texts = {entry["key"]["value"]["data"]: entry["content"]["value"]["data"] for entry in entries}
    assert texts["topicName"] == "news.sport"
    assert ("noLocal" in texts) == (name == "c2$sub")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (4, "00000003 00000000 00000007 00000009 0001 41 00000002 0000000000000000"),
        (5, "00"),
        (5, "01 00000002 0001 41 0000"),
    ],
)
def test_parsers_agree_on_stream_and_text_messages(kind: int, body: str) -> None:
    found_by_all("message", kind.to_bytes(4) + bytes(40) + bytes.fromhex(body))
