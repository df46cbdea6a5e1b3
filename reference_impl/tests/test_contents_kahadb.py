"""The contents of KahaDB: the same as ActiveMQ's own browser showed, the tables, and hostile bytes."""

from __future__ import annotations

import json
import random
import re
import tomllib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from families_draw import draw

from journalspec import families
from journalspec.contents import described
from journalspec.kahadb_journal.commands import build, framed
from journalspec_corpus.kahadb_journal import author
from journalspec_reference import answers, filesets
from journalspec_reference.answers import Answer
from journalspec_reference.contents import contents
from journalspec_reference.kahadb_journal import evidence
from journalspec_reference.kahadb_journal.contents import KahaContents, acks, openwire
from journalspec_reference.kahadb_journal.index import Index
from tables import literals
from unpacked import copied
from work import LINEAR, Counted, Task, growth

ROWS = literals(__file__)
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


def rows(found: KahaContents, table: str) -> list[dict[str, Any]]:
    return [dict(row) for row in found.rows(table)]


# what ActiveMQ showed


def store(name: str, to: Path) -> tuple[Path, dict[str, Any]]:
    """Unpack a store; return its directory, and what the broker showed of it."""
    copied(STORES / name, to)
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
    """Return a transaction as ActiveMQ shows it: the first zero of bytes below 16 is omitted there."""
    if transaction is None or not transaction.startswith("XID"):
        return transaction
    return re.sub(
        r"(?<=Id=)[0-9a-f]*",
        lambda found: "".join(f"{each:x}" for each in bytes.fromhex(found[0])),
        transaction,
    )


def compare(row: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Check a row against the view that the browser gave of the message."""
    for name, other in ROWS["columns and what the browser calls them"]:
        assert row[name] == wanted[other], name
    for name, other in ROWS["times of which the browser has 0 for none"]:
        assert row[name] == (wanted[other] or None), name
    assert row["kind"] == CLASSES[wanted["class"]]
    assert row["redelivered"] == (wanted["redeliveryCounter"] > 0)
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
    held: dict[tuple[str, str | None], list[dict[str, Any]]] = {}
    for row in rows(found, "messages"):
        if row["state"] != "not-in-index":
            held.setdefault((row["queue"], row["subscription"]), []).append(row)
    counted = {row["name"]: row["pending"] for row in rows(found, "queues") if row["kind"] == "queue"}
    assert sorted(counted) == sorted(wanted["queues"])
    for name, queue in wanted["queues"].items():
        mine = held.pop((name, None), [])
        acked = [row for row in mine if row["state"] == "prepared-ack"]
        assert counted[name] == queue["storeCount"] + (len(acked) if version == "6.1.7" else 0)
        visible = browsed([row for row in mine if row["state"] == "pending"])
        for shown_row, message in zip(visible, queue["messages"], strict=True):
            compare(shown_row, message)
    subscriptions = {(row["queue"], row["key"]): row for row in rows(found, "subscriptions")}
    for topic, each in ((topic, each) for topic, them in wanted["topics"].items() for each in them):
        row = subscriptions.pop((topic, f"{each['clientId']}:{each['name']}"))
        same = (row["client_id"], row["name"], row["selector"], row["subscribed"], row["no_local"])
        assert same == tuple(each[name] for name in ("clientId", "name", "selector", "subscribed", "noLocal"))
        assert row["pending"] == each["pendingCount"]
        mine = held.pop((topic, row["key"]))
        listed = [message for message in each["pending"] if _selected(message, each["selector"], version)]
        for message, entry in zip(mine, listed, strict=True):
            compare(message, entry)
    assert not held
    assert not subscriptions
    xids = [
        {"formatId": row["format_id"], "gtrid": row["gtrid"].hex(), "bqual": row["bqual"].hex()}
        for row in rows(found, "transactions")
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
    """Return whether a subscription is to get a message of the list that the broker recovers for it.

    The list has what others need, too: the count, which is asked for beside it, has not. 5.3.0 counts all.
    """
    return selector is None or version == "5.3.0" or message["properties"]["color"][1] == "red"


def compare_jobs(found: KahaContents, wanted: Sequence[Mapping[str, Any]]) -> None:
    found_jobs = {row["id"]: row for row in rows(found, "jobs")}
    assert sorted(found_jobs) == sorted(job["jobId"] for job in wanted)
    for job in wanted:
        row = found_jobs[job["jobId"]]
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
    out = {f"queue {row['name']}": row["pending"] for row in rows(found, "queues") if row["kind"] == "queue"}
    return out | {
        f"topic {row['queue']} {row['key']}": row["pending"] for row in rows(found, "subscriptions")
    }


@stores
@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("subonly-5.8.0", "counts_with_index"),
        ("ackcompact-6.1.7", "counts_with_index"),
        ("missing-6.1.7", "counts_ignore_missing"),
    ],
)
def test_broker_counts_with_its_index(name: str, key: str, tmp_path: Path) -> None:
    root, wanted = store(name, tmp_path)
    _, found = opened(root / "kahadb")
    assert pending(found) == wanted[key]


@stores
@pytest.mark.parametrize("name", ["subonly-5.8.0", "ackcompact-6.1.7"])
def test_broker_counts_without_its_index(name: str, tmp_path: Path) -> None:
    root, wanted = store(name, tmp_path)
    (root / "kahadb" / "db.data").unlink()
    _, found = opened(root / "kahadb")
    assert pending(found) == {
        key: count for key, count in wanted["counts_without_index"].items() if count != {}
    }
    assert {row["state"] for row in rows(found, "messages")} <= {"pending"}


@stores
def test_a_subscription_that_only_the_index_has_keeps_its_messages(tmp_path: Path) -> None:
    root, _ = store("subonly-5.8.0", tmp_path)
    _, found = opened(root / "kahadb")
    held = rows(found, "messages")
    assert [(row["queue"], row["subscription"], row["state"]) for row in held] == [
        ("T.1", "cli-a:sub1", "index-only")
    ] * 4
    assert [row["text"][:2] for row in held] == ["#0", "#1", "#2", "#3"]
    (row,) = rows(found, "subscriptions")
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
        xids += [row for row in rows(found, "transactions") if row["outcome"] is None]
    assert counted == wanted["counts"]
    assert [
        {"formatId": row["format_id"], "gtrid": row["gtrid"].hex(), "bqual": row["bqual"].hex()}
        for row in xids
    ] == (wanted["inDoubt"])


@stores
@pytest.mark.parametrize(
    "name", ["rich-5.3.0-clean", "rich-5.11.4-clean", "rich-6.1.7-clean", "ackcompact-6.1.7"]
)
def test_objects_show_the_version_without_an_index(name: str, tmp_path: Path) -> None:
    """By messages, 3 to 9 and 10 to 12 are one each; every message is the same then."""
    root, _ = store(name, tmp_path)
    _, found = opened(root / "kahadb")
    wanted = [row for row in rows(found, "messages") if row["state"] == "pending"]
    (root / "kahadb" / "db.data").unlink()
    _, found = opened(root / "kahadb")
    held = {(row["queue"], row["subscription"], row["id"]): row for row in rows(found, "messages")}
    for row in wanted:
        same = held[row["queue"], row["subscription"], row["id"]]
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
        for name, value, since in ROWS["fields of text-all, and the first version that has them"]:
            assert fields.get(name) == (value if version >= since else None), name
        assert openwire.transaction_text(fields["transaction"]) == "XID:[4711,globalId=010203,branchId=ff]"
        assert openwire.transaction_text(fields["original_transaction"]) == "TX:ID:north-1:77"
        assert openwire.message_id_text(fields["message_id"]) == "ID:north-1:1:2:1"
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
        assert openwire.message_id_text(fields["first"]) == "ID:north-1:1:2:1"
        for name in ("ack", "subscription"):
            fields = openwire.read(made()[name, version], version).fields
            for field, value, since in ROWS[f"fields of {name}, and the first version that has them"]:
                assert fields.get(field) == (value if version >= since else None), field


@pytest.mark.parametrize(
    ("version", "by_messages", "by_all"),
    [(1, 1, 1), (2, 2, 2), (6, 6, 6), (9, 6, 9), (10, 11, 10), (12, 11, 11)],
)
def test_version_from_objects(version: int, by_messages: int, by_all: int) -> None:
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
    "command": lambda naive: command(naive),  # noqa: PLW0108  # it is not there yet
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
    inside: Any = naive.get("value")
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
    found, _, wrong, odd = openwire.fields_of(data, version)
    assert (wrong, odd) == ("", ())
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
    # By their printed form: a float that is not a number is not equal to itself.
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


# journals of our own

(ACK_MAP,) = ROWS["ACK_MAP"]


def written(base: Mapping[str, Any], to: Path, edition: str = "5.16") -> KahaContents:
    """Return the contents of a journal that an author describes."""
    to.mkdir(exist_ok=True)
    for name, data in author.build(base, edition).files.items():
        (to / name).write_bytes(data)
    return opened(to)[1]


def lines(*records: str) -> list[str]:
    """Return records as authors write them, with the bytes of made objects for their names."""
    words = {
        "MESSAGE": made()["text", 11].hex(),
        "INFO": made()["subscription", 12].hex(),
        "ACK": made()["ack", 12].hex(),
    }
    names = re.compile("(?<=body=)MESSAGE|(?<=info=)INFO|(?<=ack=)ACK")
    return [names.sub(lambda word: words[word[0]], record) for record in records]


def test_queues_topics_and_transactions_of_a_journal_alone(tmp_path: Path) -> None:
    found = written(
        {
            "batches": [
                lines(
                    "r1 q=A body=MESSAGE",
                    "r2 q=A body=MESSAGE prio=9",
                    "r3 SUBSCRIPTION t=T sub=client:1:sub:2 info=INFO",
                    "r4 t=T body=MESSAGE",
                    "r5 t=T body=MESSAGE",
                    "r6 REMOVE_MESSAGE t=T id=m4 sub=client:1:sub:2",
                    "r7 q=B body=MESSAGE xa=7:01:02",
                    "r8 REMOVE_MESSAGE q=A id=m1 xa=7:01:02 ack=ACK",
                    "r9 PREPARE xa=7:01:02",
                    "r10 q=B body=MESSAGE tx=c1:7",
                    "r11 UPDATE_MESSAGE q=A id=m1 body=MESSAGE",
                )
            ]
        },
        tmp_path,
    )
    entries = [
        (row["queue"], row["subscription"], row["id"], row["state"], row["text"])
        for row in rows(found, "messages")
    ]
    text = "some text some text some text some text"
    key = "client:1:sub:2"
    assert entries == [
        ("A", None, "m2", "pending", text),
        ("A", None, "m1", "prepared-ack", text),
        ("T", key, "m5", "pending", text),
    ]
    (subscription,) = rows(found, "subscriptions")
    prepared, left = rows(found, "transactions")
    for row, name in ((subscription, "subscription"), (prepared, "prepared"), (left, "left")):
        for column, value in ROWS[f"columns of a row that is {name}"]:
            assert row[column] == value, column
    assert [(each["type"], each["queue"], each["id"]) for each in prepared["changes"]] == [
        ("add", "B", "m7"),
        ("remove", "A", "m1"),
    ]
    ack = prepared["changes"][1]
    assert (ack["ack_type"], ack["consumer"]) == ("poison", "ID:south-9:5:6")
    counts = [(count.name, count.rows, count.oldest, count.newest) for count in found.counts()]
    time = 1700000000050
    assert counts == [("A", 2, time, time), (f"T {key}", 1, time, time)]
    queues = [(row["name"], row["kind"], row["messages"], row["pending"]) for row in rows(found, "queues")]
    assert queues == [("A", "queue", 2, 2), ("T", "topic", 1, 1)]
    assert [count.bytes for count in found.counts()] == [
        sum(row["size"] for row in rows(found, "messages") if row["queue"] == name) for name in ("A", "T")
    ]
    assert not found.remarks.kept


def test_every_row_has_the_columns_of_its_table(tmp_path: Path) -> None:
    records = lines(
        "r1 q=A body=MESSAGE", "r2 SUBSCRIPTION t=T sub=c:s info=INFO", "r3 q=A tx=c:1 body=MESSAGE"
    )
    records += [
        f"r4 payload={framed(9, build('ACK_MESSAGE_FILE_MAP', {'file_map': bytes.fromhex(ACK_MAP)})).hex()}"
    ]
    found = written({"batches": [records]}, tmp_path)
    for name, table in found.tables.items():
        for row in found.rows(name):
            assert [column.name for column in table.columns] == list(row)
            assert name != "jobs"
    assert rows(found, "acks") == ROWS["acks"]


def test_a_map_of_acknowledgements_that_is_damaged_is_a_remark(tmp_path: Path) -> None:
    stored = bytes.fromhex(ACK_MAP)
    drawn, refused = random.Random(4), 0
    for _ in range(3000):
        spoilt = bytearray(stored[: drawn.randrange(len(stored))] if drawn.random() < 0.3 else stored)
        if spoilt:
            spoilt[drawn.randrange(len(spoilt))] = drawn.randrange(256)
        try:
            acks.ack_map(bytes(spoilt))
        except acks.AckMapError:
            refused += 1
    assert refused > 1000
    record = f"r1 payload={framed(9, build('ACK_MESSAGE_FILE_MAP', {'file_map': stored[:-3]})).hex()}"
    found = written({"batches": [[record]]}, tmp_path)
    assert rows(found, "acks") == []
    assert [(remark.table, remark.code) for remark in found.remarks.kept] == [("acks", "bad-ack-map")]


def test_evidence_of_an_index_beside_the_journal(tmp_path: Path) -> None:
    """A message that it covers and does not have, also for one subscription; a subscription of its own."""
    records = lines(
        "r1 q=A body=MESSAGE",
        "r2 q=A body=MESSAGE",
        "r3 SUBSCRIPTION t=T sub=c:s info=INFO",
        "r4 t=T body=MESSAGE",
        "r5 t=T body=MESSAGE",
        "r6 t=T body=MESSAGE",
    )
    index = {
        "messages": ["r2", "r4", "r5"],
        "last": "r5",
        "subscriptions": {"T:c:s": ["r5"], "T:only": ["r4"]},
    }
    found = written({"batches": [records], "index": index}, tmp_path)
    columns = ("queue", "subscription", "id", "state")
    held = [tuple(row[column] for column in columns) for row in rows(found, "messages")]
    assert held == ROWS["messages with an index beside the journal"]
    assert {row["name"]: (row["messages"], row["pending"]) for row in rows(found, "queues")} == {
        "A": (2, 1),
        "T": (4, 3),
    }
    assert [
        (row["key"], row["messages"], row["pending"], row["index_only"])
        for row in rows(found, "subscriptions")
    ] == [("c:s", 3, 2, False), ("only", 1, 1, True)]


def test_an_index_is_opened_once_for_all_topics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each topic costs its own pages; the index of recovery is that of contents."""
    opened_ = [0]

    class Counted(Index):
        def __init__(self, data: Any, redo: Any = None) -> None:
            opened_[0] += 1
            super().__init__(data, redo)

    records = [
        f"r{at} SUBSCRIPTION t=T{at} sub=c:s info={made()['subscription', 12].hex()}" for at in range(1, 41)
    ]
    records += [f"r{at} t=T{at - 40} body={made()['text', 11].hex()}" for at in range(41, 81)]
    held = {f"T{at}:c:s": [f"r{at + 40}"] for at in range(1, 41)}
    index = {"messages": [f"r{at}" for at in range(41, 81)], "last": "r80", "subscriptions": held}
    monkeypatch.setattr(evidence, "Index", Counted)
    found = written({"batches": [records], "index": {**index, "page_size": 16384}}, tmp_path)
    assert [row["state"] for row in rows(found, "messages")] == ["pending"] * 40
    assert sum(count.rows for count in found.counts()) == 40
    assert opened_ == [1]


def test_jobs_are_what_the_commands_of_a_scheduler_leave(tmp_path: Path) -> None:
    def job(ident: str, after: int, **more: Any) -> bytes:
        fields = {"scheduler": "JMS", "job_id": ident, "next_execution_time": after, "start_time": 5, **more}
        return framed(11, build("ADD_SCHEDULED_JOB", {"job": made()["text", 11], **fields}))

    def other(number: int, name: str, **fields: Any) -> bytes:
        return framed(number, build(name, {"scheduler": "JMS", **fields}))

    commands = [
        job("a", 900, delay=7, period=8, repeat=9),
        job("b", 200, cron_entry="* * * * *"),
        job("c", 300),
        job("d", 400),
        other(12, "RESCHEDULE_JOB", job_id="a", next_execution_time=100, rescheduled_count=3),
        other(13, "REMOVE_SCHEDULED_JOB", job_id="c", next_execution_time=300),
        other(14, "REMOVE_SCHEDULED_JOBS", start_time=350, end_time=400),
        framed(11, build("ADD_SCHEDULED_JOB", {"scheduler": "X", "job_id": "e", "job": made()["map", 11]})),
        framed(15, build("DESTROY_SCHEDULER", {"scheduler": "X"})),
    ]
    records = [f"r{at} payload={data.hex()}" for at, data in enumerate(commands, start=1)]
    (tmp_path / "localhost").mkdir()
    scheduler = written({"batches": [records]}, tmp_path / "localhost" / "scheduler")
    beside = written({"batches": [lines("r1 q=A body=MESSAGE")]}, tmp_path / "kahadb")
    for found in (scheduler, beside):
        first, second = rows(found, "jobs")
        names = ("id", "next", "start", "cron", "delay", "period", "repeat", "count", "address", "text")
        text = "some text some text some text some text"
        assert [first[name] for name in names] == ["a", 100, 5, None, 7, 8, 9, 3, "queue://SHOP.ORDERS", text]
        later = ["b", 200, 5, "* * * * *", 0, 0, 0, 0, "queue://SHOP.ORDERS", text]
        assert [second[name] for name in names] == later
        assert (first["file"], first["queue"]) == ("db-1.log", "SHOP.ORDERS")
        assert found.counts().__next__().table == ("jobs" if found is scheduler else "messages")
    link = tmp_path / "other" / "kahadb"
    link.parent.mkdir()
    written({"batches": [["r1 q=A"]]}, link)
    (link.parent / "scheduler").symlink_to(tmp_path / "localhost" / "scheduler")
    assert rows(opened(link)[1], "jobs") == []


def test_jobs_without_commands_are_a_remark(tmp_path: Path) -> None:
    """ActiveMQ 5.10 and earlier stored the messages alone."""
    (tmp_path / "localhost").mkdir()
    records = [f"r1 payload={made()['text', 11].hex()}"]
    written({"batches": [records]}, tmp_path / "localhost" / "scheduler", "5.3")
    found = written({"batches": [["r1 q=A"]]}, tmp_path / "kahadb")
    assert rows(found, "jobs") == []
    assert [(remark.table, remark.code) for remark in found.remarks.kept] == [("jobs", "unread-jobs")]


@pytest.mark.parametrize(
    ("decided", "outcome"),
    [
        ("r1 PREPARE xa=61616:63:31", "committed"),
        ("r1 PREPARE xa=61616:63:32", "rolled back"),
        ("", "unknown"),
    ],
)
def test_a_transaction_over_several_stores_ends_as_the_store_of_them_says(
    decided: str, outcome: str, tmp_path: Path
) -> None:
    records = ["r1 q=A xa=61616:63:31", "r2 PREPARE xa=61616:63:31"]
    if decided:
        written({"batches": [[decided]]}, tmp_path / "txStore")
    found = written({"batches": [records]}, tmp_path / "queue#3a#2f#2fA")
    (row,) = rows(found, "transactions")
    assert (row["outcome"], row["state"]) == (outcome, "prepared")
    assert [remark.code for remark in found.remarks.kept] == ([] if decided else ["undecided"])


# hostile bytes


def test_bytes_that_are_no_message_are_a_remark_on_their_row(tmp_path: Path) -> None:
    """Rows before and after are there; what ActiveMQ does is in the table of remarks."""
    good, text_of = made()["text", 11].hex(), made()["text", 11]
    cut = (len(text_of) - 24).to_bytes(4, "big") + text_of[4:-20]
    deep = b"\0\0\0\1\0\1x\x0b" * 2000
    records = [
        f"r1 q=A body={good}",
        "r2 q=A body=00",
        f"r3 q=A body={cut.hex()}",
        f"r4 q=A body={_with_content(text_of, 25, deep).hex()}",
        f"r5 q=A body={_with_content(text_of, 28, bytes.fromhex('00000003ff4142')).hex()}",
        f"r6 q=A body={_with_content(text_of, 28, b'xx', compressed=True).hex()}",
        f"r7 q=A body={made()['text-all', 6].hex()}",
        f"r8 q=A body={text_of.replace(b'ID:north-1', b'ID:n' + bytes([255]) + b'rth-1').hex()}",
        f"r9 q=A body={good}",
    ]
    found = written({"batches": [records]}, tmp_path)
    got = {row["id"]: row for row in rows(found, "messages")}
    text = "some text some text some text some text"
    wanted = [text, None, text, None, "\ufffdAB", None, "a \0 € 😀", text, text]
    assert [got[f"m{at}"]["text"] for at in range(1, 10)] == wanted
    codes = {(remark.key, remark.code) for remark in found.remarks.kept}
    assert codes == {*ROWS["remarks on bytes that are no message"]}
    assert got["m3"]["timestamp"] == 1700000000050
    assert got["m6"]["data"] == b"xx"
    assert {remark.code for remark in found.remarks.kept} <= set(described("kahadb_journal").remarks)  # type: ignore[union-attr]
    assert [(count.rows, count.oldest) for count in found.counts()] == [(9, 1700000000001)]


def _with_content(data: bytes, kind: int, content: bytes, *, compressed: bool = False) -> bytes:
    """Return a made message of version 11 with another kind and body."""
    before, after = data[5:].split(b"\1\0\0\0\x2b", 1)
    rest = after[43:]
    if compressed:
        # No properties, structure and consumer are before the flag.
        rest = rest[:3] + b"\1" + rest[4:]
    made_of = bytes([kind]) + before + b"\1" + len(content).to_bytes(4, "big") + content + rest
    return len(made_of).to_bytes(4, "big") + made_of


def test_a_body_that_would_be_too_large_stays_compressed() -> None:
    bomb = zlib.compress(bytes((64 << 20) + 1))
    for kind, content in ((28, bomb), (24, ((64 << 20) + 1).to_bytes(4, "big") + bomb)):
        row: dict[str, Any] = {"content": None}
        ((code, _),) = openwire.body({"kind": kind, "content": content, "compressed": True}, row)
        assert (code, row["data"]) == ("too-large", content)
    small = (12).to_bytes(4, "big") + zlib.compress(b"twelve bytes" + bytes(1000))
    row = {"content": None}
    assert openwire.body({"kind": 24, "content": small, "compressed": True}, row) == []
    assert row["data"] == b"twelve bytes"


def test_a_body_of_too_many_values_is_not_all_made() -> None:
    """Each null takes one byte: a small compressed body may have millions."""
    many = zlib.compress(bytes(4 << 20))
    row: dict[str, Any] = {"content": None}
    ((code, _),) = openwire.body({"kind": 27, "content": many, "compressed": True}, row)
    assert (code, len(row["data"]), len(row["content"])) == ("too-large", 4 << 20, 1 << 19)
    nested = b"\0\0\0\1\0\1x" + b"\x0c" + (1 << 20).to_bytes(4, "big") + bytes(1 << 20)
    row = {"content": None}
    assert [code for code, _ in openwire.body({"kind": 25, "content": nested, "compressed": False}, row)] == [
        "too-large"
    ]


@pytest.mark.parametrize("each", [b"\0\1x\x0b\0\0\0\0", b"\0\0\x0c\0\0\0\0", b"\0\1n\x05\0\0\0\1"])
def test_bodies_cost_what_their_bytes_cost(each: bytes) -> None:
    def read(count: int) -> Task:
        return partial(openwire.properties, Counted(count.to_bytes(4, "big") + each * count))

    assert read(1000)()[1] == ""
    assert growth(read, 1000) < LINEAR
