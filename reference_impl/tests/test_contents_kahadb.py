"""The contents of KahaDB: the same as ActiveMQ's own browser showed, the tables, and hostile bytes."""

from __future__ import annotations

import gzip
import json
import random
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from families_draw import draw
from journalspec import families
from journalspec_reference import answers, filesets
from journalspec_reference.answers import Answer
from journalspec_reference.contents import contents
from journalspec_reference.kahadb_journal.contents import KahaContents, openwire

HERE = Path(__file__).resolve().parent
STORES = HERE.parents[1].parent / "shared" / "contents" / "kahadb_journal"
stores = pytest.mark.skipif(not STORES.is_dir(), reason="needs the stores beside the checkout (../shared)")
MADE = tomllib.loads((HERE / "data" / "openwire.toml").read_text(encoding="utf-8"))["object"]
FAMILY = families.families("kahadb_journal")["openwire"]
#: By the name that ActiveMQ has for it: the kind of a message.
CLASSES = {f"ActiveMQ{kind.capitalize()}Message": kind for kind in openwire.KINDS.values()}
CLASSES["ActiveMQMessage"] = "plain"
Made = Mapping[tuple[str, int], bytes]


@cache
def made() -> Made:
    """The objects that ActiveMQ's marshallers made, by name and version."""
    return {(each["name"], each["version"]): bytes.fromhex(each["hex"]) for each in MADE}


def opened(directory: Path) -> tuple[Answer, KahaContents]:
    (journal,) = filesets.find_journals(filesets.load(directory), "kahadb_journal")
    answer = answers.ask(journal, "salvage")
    found = contents(answer)
    assert isinstance(found, KahaContents)
    return answer, found


# what ActiveMQ showed


def store(name: str, to: Path) -> tuple[Path, dict[str, Any]]:
    """Unpack a store; return its directory, and what the broker showed of it."""
    for path in (STORES / name).rglob("*.gz"):
        place = to / path.relative_to(STORES / name).with_suffix("")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(gzip.decompress(path.read_bytes()))
    return to, json.loads((to / "expected.json").read_text(encoding="utf-8"))


def shown(value: Any) -> Any:
    """Return a value as the dumps have it, without the name of its type."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return {name: shown(each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [shown(each) for each in value]
    return value if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def bare(value: Any) -> Any:
    """Return a value of a dump without the names of types: [type, text], in maps and lists, too."""
    if isinstance(value, Mapping):
        return {name: bare(each) for name, each in value.items()}
    if not isinstance(value, list):
        return value
    kind, inside = value
    if kind == "map":
        return bare(inside)
    return [bare(each) for each in inside] if kind == "list" else inside


def as_shown(transaction: str | None) -> str | None:
    """Return a transaction as ActiveMQ shows it: the first zero of bytes below 16 is left out there."""
    if transaction is None or not transaction.startswith("XID"):
        return transaction
    return re.sub(
        r"(?<=Id=)[0-9a-f]*",
        lambda found: "".join(f"{each:x}" for each in bytes.fromhex(found[0])),
        transaction,
    )


def compare(row: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Check a row against the view that the browser gave of the message."""
    same = {
        "message_id": wanted["id"],
        "address": wanted["destination"],
        "kind": CLASSES[wanted["class"]],
        "timestamp": wanted["timestamp"] or None,
        "expiration": wanted["expiration"] or None,
        "priority": wanted["priority"],
        "durable": wanted["persistent"],
        "delivery_count": wanted["redeliveryCounter"],
        "redelivered": wanted["redeliveryCounter"] > 0,
        "correlation_id": wanted["correlationId"],
        "reply_to": wanted["replyTo"],
        "group_id": wanted["groupId"],
        "group_sequence": wanted["groupSequence"],
        "type": wanted["type"],
        "user_id": wanted["userId"],
        "broker_time": wanted["brokerInTime"] or None,
        "compressed": wanted["compressed"],
    }
    assert {name: row[name] for name in same} == same
    assert as_shown(row["transaction"]) == wanted["transaction"]
    original = row["original_destination"]
    assert (original and original.partition("://")[2]) == wanted["originalDestination"]
    assert shown(row["properties"]) == bare(wanted["properties"])
    if "text" in wanted:
        assert row["text"] == wanted["text"]
    if "map" in wanted:
        assert shown(row["content"]) == bare(wanted["map"])
    if "stream" in wanted:
        assert shown(row["content"]) == [bare(each) for each in wanted["stream"]]
    if "bytes" in wanted:
        assert (row["data"] or b"").hex() == wanted["bytes"]
    if "object" in wanted:
        kind, text = wanted["object"]
        assert row["class_name"] == f"java.lang.{kind}"
        assert text.encode() in row["data"]
    if "url" in wanted:
        names = {"url": "url", "mime_type": "mimeType", "deleted_by_broker": "deletedByBroker"}
        assert row["content"] == {name: wanted[other] for name, other in names.items()}


def browsed(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return rows as the browser lists them: by priority, where there are several classes of it."""
    return (
        sorted(rows, key=lambda row: -row["priority"])
        if rows and rows[0]["queue"] == "Q.PRIO"
        else list(rows)
    )


@stores
@pytest.mark.parametrize("version", ["5.3.0", "5.11.4", "5.15.16", "6.1.7"])
def test_a_store_is_what_its_broker_showed(version: str, tmp_path: Path) -> None:
    """Every message with all headers, its properties and its body; subscriptions, XIDs, jobs.

    The product's own: 5.3.0 loses its prepared transaction at a restart, and with it shows none. A message
    that a prepared transaction acknowledges is counted by 5.x and not shown; 6.1.7 does not count it either.
    """
    root, wanted = store(f"rich-{version}-clean", tmp_path)
    _, found = opened(root / "kahadb")
    rows: dict[tuple[str, str | None], list[Mapping[str, Any]]] = {}
    for row in found.rows("messages"):
        if row["state"] != "not-in-index":
            rows.setdefault((row["queue"], row["subscription"]), []).append(row)
    counted = {row["name"]: row["pending"] for row in found.rows("queues") if row["kind"] == "queue"}
    assert sorted(counted) == sorted(wanted["queues"])
    for name, queue in wanted["queues"].items():
        held = rows.pop((name, None), [])
        acked = [row for row in held if row["state"] == "prepared-ack"]
        assert counted[name] == queue["storeCount"] + (len(acked) if version == "6.1.7" else 0)
        visible = browsed([row for row in held if row["state"] == "pending"])
        for row, message in zip(visible, queue["messages"], strict=True):
            compare(row, message)
    subscriptions = {(row["queue"], row["key"]): row for row in found.rows("subscriptions")}
    for topic, each in ((topic, each) for topic, held in wanted["topics"].items() for each in held):
        row = subscriptions.pop((topic, f"{each['clientId']}:{each['name']}"))
        same = (row["client_id"], row["name"], row["selector"], row["subscribed"], row["no_local"])
        assert same == tuple(each[name] for name in ("clientId", "name", "selector", "subscribed", "noLocal"))
        assert row["pending"] == each["pendingCount"]
        held = rows.pop((topic, row["key"]))
        listed = [message for message in each["pending"] if _selected(message, each["selector"], version)]
        for message, entry in zip(held, listed, strict=True):
            compare(message, entry)
    assert not rows
    assert not subscriptions
    xids = [
        {"formatId": row["format_id"], "gtrid": row["gtrid"].hex(), "bqual": row["bqual"].hex()}
        for row in found.rows("transactions")
        if row["state"] == "prepared"
    ]
    if version == "5.3.0":
        assert [xid["gtrid"] for xid in xids] == [b"xid-prep-1".hex()]
    else:
        assert sorted(xids, key=json.dumps) == sorted(wanted["inDoubt"], key=json.dumps)
    if (root / "localhost").is_dir():
        compare_jobs(found, wanted["jobs"])
        compare_jobs(opened(root / "localhost" / "scheduler")[1], wanted["jobs"])
    assert not found.remarks.kept


def _selected(message: Mapping[str, Any], selector: str | None, version: str) -> bool:
    """Tell whether a subscription is to get a message of the list that the broker recovers for it.

    The list has what others need, too: the count, which is asked for beside it, has not. 5.3.0 counts all.
    """
    return selector is None or version == "5.3.0" or message["properties"]["color"][1] == "red"


def compare_jobs(found: KahaContents, wanted: Sequence[Mapping[str, Any]]) -> None:
    rows = {row["id"]: row for row in found.rows("jobs")}
    assert sorted(rows) == sorted(job["jobId"] for job in wanted)
    for job in wanted:
        row = rows[job["jobId"]]
        assert (row["cron"] or "") == job["cron"]
        assert [row[name] for name in ("delay", "period", "repeat")] == [
            job[name] for name in ("delay", "period", "repeat")
        ]
        for name in ("next", "start"):
            assert f"{datetime.fromtimestamp(row[name] // 1000, UTC):%Y-%m-%d %H:%M:%S}" == job[name]
        assert row["kind"] == "text"
        assert row["queue"] == "Q.SCHED"


def pending(found: KahaContents) -> dict[str, int]:
    """Return what the broker counts, by the names of the dumps."""
    out = {f"queue {row['name']}": row["pending"] for row in found.rows("queues") if row["kind"] == "queue"}
    return out | {f"topic {row['queue']} {row['key']}": row["pending"] for row in found.rows("subscriptions")}


@stores
@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("subonly-5.8.0", "counts_with_index"),
        ("ackcompact-6.1.7", "counts_with_index"),
        ("missing-6.1.7", "counts_ignore_missing"),
    ],
)
def test_what_the_broker_counts_with_its_index(name: str, key: str, tmp_path: Path) -> None:
    root, wanted = store(name, tmp_path)
    _, found = opened(root / "kahadb")
    assert pending(found) == wanted[key]


@stores
@pytest.mark.parametrize("name", ["subonly-5.8.0", "ackcompact-6.1.7"])
def test_what_the_broker_counts_without_its_index(name: str, tmp_path: Path) -> None:
    root, wanted = store(name, tmp_path)
    (root / "kahadb" / "db.data").unlink()
    _, found = opened(root / "kahadb")
    assert pending(found) == {
        key: count for key, count in wanted["counts_without_index"].items() if count != {}
    }
    assert {row["state"] for row in found.rows("messages")} <= {"pending"}


@stores
def test_a_subscription_that_only_the_index_has_keeps_its_messages(tmp_path: Path) -> None:
    root, _ = store("subonly-5.8.0", tmp_path)
    _, found = opened(root / "kahadb")
    rows = list(found.rows("messages"))
    assert [(row["queue"], row["subscription"], row["state"]) for row in rows] == [
        ("T.1", "cli-a:sub1", "index-only")
    ] * 4
    assert [row["text"][:2] for row in rows] == ["#0", "#1", "#2", "#3"]
    (row,) = found.rows("subscriptions")
    assert (row["client_id"], row["name"], row["index_only"]) == ("cli-a", "sub1", True)
    assert [remark.code for remark in found.remarks.kept] == ["index-only-subscription"]


@stores
def test_a_multi_kahadb_is_its_stores_together(tmp_path: Path) -> None:
    root, wanted = store("multi-6.1.7", tmp_path)
    counted: dict[str, int] = {}
    xids = []
    for directory in sorted(path for path in (root / "mKahaDB").iterdir() if path.name != "txStore"):
        _, found = opened(directory)
        counted |= pending(found)
        xids += [row for row in found.rows("transactions") if row["outcome"] is None]
    assert counted == wanted["counts"]
    assert [
        {"formatId": row["format_id"], "gtrid": row["gtrid"].hex(), "bqual": row["bqual"].hex()}
        for row in xids
    ] == (wanted["inDoubt"])


@stores
@pytest.mark.parametrize(
    "name", ["rich-5.3.0-clean", "rich-5.11.4-clean", "rich-6.1.7-clean", "ackcompact-6.1.7"]
)
def test_the_version_is_told_from_the_objects_without_an_index(name: str, tmp_path: Path) -> None:
    """By messages, 3 to 9 and 10 to 12 are one each; every message is the same then."""
    root, _ = store(name, tmp_path)
    _, found = opened(root / "kahadb")
    wanted = [row for row in found.rows("messages") if row["state"] == "pending"]
    (root / "kahadb" / "db.data").unlink()
    _, found = opened(root / "kahadb")
    rows = {(row["queue"], row["subscription"], row["id"]): row for row in found.rows("messages")}
    for row in wanted:
        same = rows[row["queue"], row["subscription"], row["id"]]
        left = {"protocol", "state"}
        assert {key: value for key, value in same.items() if key not in left} == {
            key: value for key, value in row.items() if key not in left
        }
    assert not found.remarks.kept


# what the marshallers made


def test_a_message_with_every_header_in_each_version() -> None:
    for version in (1, 2, 6, 9, 10, 12):
        found = openwire.read(made()["text-all", version], version)
        assert (found.version, found.wrong, found.odd) == (version, "", ())
        fields = found.fields
        assert fields["destination"] == "queue://SHOP.ORDERS"
        assert fields["original_destination"] == "topic://SHOP.ALL"
        assert fields["reply_to"] == "temp-queue://ID:north-1:1"
        assert fields["transaction"] == ("XA", 4711, b"\1\2\3", b"\xff")
        assert openwire.transaction_text(fields["transaction"]) == "XID:[4711,globalId=010203,branchId=ff]"
        assert openwire.transaction_text(fields["original_transaction"]) == "TX:ID:north-1:77"
        assert openwire.message_id_text(fields["message_id"]) == "ID:north-1:1:2:1"
        assert (fields["group_id"], fields["group_sequence"], fields["correlation_id"]) == (
            "g-1",
            3,
            "corr é",
        )
        assert (fields["expiration"], fields["timestamp"]) == (1800000000000, 1700000000001)
        assert (fields["persistent"], fields["priority"], fields["type"]) == (True, 4, "order.v2")
        assert (fields["redelivery_counter"], fields["user_id"]) == (2, "anna")
        assert (fields["broker_path"], fields["target_consumer"]) == (["b1", "b2"], ("ID:south-9", 5, 6))
        assert fields.get("cluster") == (["b3"] if version >= 3 else None)
        assert fields.get("broker_in_time") == (1700000000600 if version >= 3 else None)
        assert fields.get("droppable") == (True if version >= 2 else None)
        assert fields.get("first_for_consumer") == (True if version >= 10 else None)
        values = {"s": "v€", "i": 5, "l": -6, "b": True, "d": 0.25, "f": 1.5, "y": -1, "h": 300}
        assert openwire.properties(fields["properties"]) == (values, "", [])
        assert decoded(fields)["text"] == "a \0 € 😀"
        assert openwire.head_time(made()["text-all", version], 0, version) is None


def decoded(fields: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"content": None}
    assert openwire.body(fields, row) == []
    return {name: value for name, value in row.items() if value is not None}


def test_the_bodies_of_all_kinds() -> None:
    inside = {"i": 1, "s": "two", "b": b"\1\xff", "c": "x", "n": None, "list": [1, "x", {"k": True}]}
    date = bytes.fromhex("aced0005")
    for compressed in ("", "-compressed"):
        found = {
            name: decoded(openwire.read(made()[name + compressed, 11], 11).fields)
            for name in ("map", "stream", "bytes", "object", "text")
        }
        assert found["map"] == {"content": inside}
        assert found["stream"] == {"content": [5, "str", b"\x09\x08", False, -1.5, "€", None]}
        assert found["bytes"] == {"data": b"0123456789 0123456789 0123456789"}
        assert found["object"]["class_name"] == "java.util.Date"
        assert found["object"]["data"].startswith(date)
        assert found["text"] == {"text": "some text some text some text some text"}
    assert decoded(openwire.read(made()["plain", 11], 11).fields) == {}
    assert decoded(openwire.read(made()["text-null", 11], 11).fields) == {}
    assert decoded(openwire.read(made()["text-empty", 11], 11).fields) == {"text": ""}
    blob = {"url": "http://example.invalid/x", "mime_type": "text/plain", "deleted_by_broker": True}
    assert decoded(openwire.read(made()["blob", 11], 11).fields) == {"content": blob}
    fields = openwire.read(made()["structure", 11], 11).fields
    assert (fields["structure"]["client_id"], fields["structure"]["destination"]) == ("c", "topic://T")
    assert decoded(fields) == {"text": "with structure"}
    fields = openwire.read(made()["text-foreign", 11], 11).fields
    assert openwire.message_id_text(fields["message_id"]) == "ID:foreign-7"


def test_acknowledgements_and_subscriptions_in_each_version() -> None:
    for version in (1, 2, 6, 9, 10, 12):
        found = openwire.read(made()["ack", version], version)
        assert (found.version, found.wrong) == (version, "")
        fields = found.fields
        assert (fields["consumer"], fields["ack_type"], fields["count"]) == (("ID:south-9", 5, 6), 1, 1)
        assert fields["transaction"] == ("LOCAL", "ID:south-9", 8)
        assert openwire.message_id_text(fields["first"]) == "ID:north-1:1:2:1"
        cause = ("java.lang.IllegalStateException", "no stock")
        assert fields.get("poison_cause") == (cause if version >= 7 else None)
        fields = openwire.read(made()["subscription", version], version).fields
        assert (fields["client_id"], fields["name"]) == ("client:1", "sub:2")
        assert (fields["destination"], fields["selector"]) == ("topic://PRICES.>", "region = 'EU'")
        assert fields.get("subscribed_destination") == ("topic://PRICES.>" if version >= 3 else None)
        assert fields.get("no_local") == (True if version >= 11 else None)


@pytest.mark.parametrize(
    ("version", "by_messages", "by_all"),
    [(1, 1, 1), (2, 2, 2), (6, 6, 6), (9, 6, 9), (10, 11, 10), (12, 11, 11)],
)
def test_the_version_that_objects_tell(version: int, by_messages: int, by_all: int) -> None:
    """A message tells 3 to 9 from 10 to 12, an acknowledgement 7 from 6, a subscription 11 from 10."""
    names = ["text-all", "ack", "subscription"]
    assert openwire.version_of([made()["text-all", version]]) == by_messages
    assert openwire.version_of(made()[name, version] for name in names) == by_all


def test_an_object_of_another_version_than_the_store_is_read_by_its_own() -> None:
    for version in (1, 2, 6, 12):
        for of_store in (1, 2, 6, 12):
            found = openwire.read(made()["text-all", version], of_store)
            assert decoded(found.fields)["text"] == "a \0 € 😀"
            assert (found.version == of_store) == (version == of_store)


# the table


DESTINATIONS = {100: "queue", 101: "topic", 102: "temp-queue", 103: "temp-topic"}


def text(naive: Mapping[str, Any]) -> Any:
    return naive.get("text")


def destination(naive: Mapping[str, Any]) -> Any:
    return f"{DESTINATIONS[naive['kind']]}://{text(naive['name']) or ''}" if naive["there"] else None


def producer(naive: Mapping[str, Any]) -> Any:
    return (text(naive["connection"]), naive["value"], naive["session"])


def consumer(naive: Mapping[str, Any]) -> Any:
    return (text(naive["connection"]), naive["session"], naive["value"])


def or_null(reader: Callable[[Mapping[str, Any]], Any]) -> Callable[[Mapping[str, Any]], Any]:
    return lambda naive: reader(naive["value"]) if naive["there"] else None


def message_id(naive: Mapping[str, Any]) -> Any:
    view = text(naive["view"]) if "view" in naive else None
    numbers = {"sequence": naive["sequence"], "broker_sequence": naive["broker_sequence"]}
    return {"view": view, "producer": or_null(producer)(naive["producer"]), **numbers}


def local(naive: Mapping[str, Any]) -> Any:
    return ("LOCAL", text(naive["connection"]) if naive["there"] else None, naive["value"])


def xa(naive: Mapping[str, Any]) -> Any:
    parts = (naive[name].get("data", b"") for name in ("gtrid", "bqual"))
    return ("XA", naive["format_id"], *parts)


def transaction(naive: Mapping[str, Any]) -> Any:
    if not naive["there"]:
        return None
    return xa(naive["value"]) if naive["kind"] == 112 else local(naive["value"])


def brokers(naive: Mapping[str, Any]) -> Any:
    items = naive.get("items", ())
    return [text(each["value"]) if each["there"] else None for each in items] if naive["there"] else None


#: How a field of the table is in the decoder, by the type that the table gives it.
READERS: Mapping[str, Callable[[Any], Any]] = {
    "text_or_null": text,
    "bytes_or_null": lambda naive: naive.get("data"),
    "destination": destination,
    "producer_or_null": or_null(producer),
    "consumer_or_null": or_null(consumer),
    "message_id_or_null": or_null(message_id),
    "transaction": transaction,
    "brokers": brokers,
    "throwable": lambda naive: (
        (text(naive["class_name"]), text(naive["message"])) if naive["there"] else None
    ),
    "command": lambda naive: command(naive),
}


def command(naive: Mapping[str, Any]) -> Any:
    """Return what the decoder gives of a command, by what the table gives."""
    kind, inside = naive["kind"], naive.get("body", {})
    name = {22: "ack", 55: "subscription"}.get(kind, "message")
    out = {"kind": kind}
    if kind == 29:
        out |= {field: text(inside[field]) for field in ("url", "mime_type")}
        out["deleted_by_broker"] = inside["deleted_by_broker"]
        inside = inside["message"]
    for field in FAMILY.types[name].fields if kind else ():
        if field.name in inside or field.name == "structure":
            value = inside.get(field.name)
            reader = READERS.get(field.type, lambda same: same)
            out[field.name] = None if value is None else reader(value)
    out.pop("structure_there", None)
    return out


def value(naive: Mapping[str, Any]) -> Any:
    inside = naive.get("value")
    if naive["tag"] == 3:
        return chr(inside) if not 0xD800 <= inside < 0xE000 else "\ufffd"
    if naive["tag"] in (9, 13):
        return inside.get("text")
    if naive["tag"] == 10:
        return inside["data"]
    if naive["tag"] == 11:
        return entries(inside) if inside["count"] >= 0 else None
    return [value(each) for each in inside.get("values", ())] if naive["tag"] == 12 else inside


def entries(naive: Mapping[str, Any]) -> dict[str, Any]:
    return {each["name"]["text"]: value(each["value"]) for each in naive.get("entries", ())}


def same(data: bytes, version: int) -> None:
    """Check an object against the table."""
    naive = families.decode(FAMILY, "stored", data, str(version))["object"]
    found, wrong, odd = openwire.fields_of(data, version)
    assert (wrong, odd) == ("", [])
    assert found == command(naive)
    if found.get("properties"):
        compare_values("value_map", found["properties"], entries, openwire.properties(found["properties"])[0])
    if naive["kind"] in (25, 27, 28) and found["content"] and not found["compressed"]:
        kind, reader, name = {
            25: ("value_map", entries, "content"),
            27: ("value_stream", lambda tree: [value(each) for each in tree["values"]], "content"),
            28: ("long_text", text, "text"),
        }[naive["kind"]]
        row: dict[str, Any] = {"content": None}
        openwire.body(found, row)
        compare_values(kind, found["content"], reader, row.get(name))


def compare_values(kind: str, data: bytes, reader: Callable[[Any], Any], found: Any) -> None:
    try:
        naive = families.decode(FAMILY, kind, data)
    except families.ContentsError:
        return
    # By what they print: a float that is no number is equal to none.
    assert repr(found) == repr(reader(naive))


def test_the_table_says_the_same_of_all_that_the_marshallers_made() -> None:
    for (_, version), data in made().items():
        same(data, version)


@stores
def test_the_table_says_the_same_of_all_objects_of_the_stores(tmp_path: Path) -> None:
    count = 0
    for name in sorted(path.name for path in STORES.iterdir()):
        root, _ = store(name, tmp_path / name)
        for directory in sorted({path.parent for path in root.rglob("db-*.log")}):
            answer, _ = opened(directory)
            for data in objects(answer):
                version = openwire.version_of([data])
                assert version is not None
                same(data, version)
                count += 1
    assert count == 462


def objects(answer: Answer) -> Iterator[bytes]:
    for record in answer.observation.records:
        for name in ("message", "ack", "subscription_info", "job"):
            if data := record.fields.get(name):
                assert isinstance(data, bytes)
                yield data


def test_the_table_says_the_same_of_drawn_objects() -> None:
    drawn = random.Random(1)
    for at in range(3000):
        version = at % 12 + 1
        same(draw(FAMILY, "stored", str(version), drawn), version)


def test_the_table_says_the_same_of_drawn_bodies() -> None:
    drawn = random.Random(2)
    for _ in range(1000):
        data = draw(FAMILY, "value_map", "11", drawn)
        found, wrong, _ = openwire.properties(data)
        assert wrong == ""
        assert repr(found) == repr(entries(families.decode(FAMILY, "value_map", data)))
        data = draw(FAMILY, "value_stream", "11", drawn)
        row: dict[str, Any] = {"content": None}
        assert openwire.body({"kind": 27, "content": data, "compressed": False}, row) == []
        naive = families.decode(FAMILY, "value_stream", data)
        assert repr(row["content"]) == repr([value(each) for each in naive["values"]])
