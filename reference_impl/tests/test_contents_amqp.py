"""AMQP messages: values as in the specification's examples, messages as Artemis decoded them.

``data/contents_amqp.json`` contains messages that clients sent to Artemis 2.44.0 (``stores.py
artemis-amqp``), in the form of its journal, and the values that the restarted broker decoded
(``ArtemisAmqpBrowse``).
"""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import stores

from journalspec_reference import contents as shared
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.jboss_journal.contents import amqp
from journalspec_reference.jboss_journal.contents.amqp_types import MOST_DEEP, Damage, Encoded
from tables import literals
from work import LINEAR, Counted, growth

ROWS = literals(__file__)
#: The number of messages that a program sends; set JOURNALSPEC_AMQP_MESSAGES=100000 to send more.
SENT = int(os.environ.get("JOURNALSPEC_AMQP_MESSAGES", "2000"))

KEPT = json.loads((Path(__file__).parent / "data" / "contents_amqp.json").read_text("utf-8"))
STORED = [bytes.fromhex(each["stored"]) for each in KEPT]
#: The broker's management encodes the kinds of messages as these numbers.
TYPES = {0: "plain", 2: "object", 3: "text", 4: "bytes", 5: "map", 6: "stream"}
#: Maps the broker's name for each section of key-value pairs to the prefix of its keys among the properties.
PAIRS = {
    "delivery-annotations": "deliveryAnnotations.",
    "message-annotations": "messageAnnotations.",
    "application-properties": "",
    "footer": "footer.",
}
BESIDE = {
    "ttl": "header.ttl",
    "first-acquirer": "header.firstAcquirer",
    "to": "properties.to",
    "content-type": "properties.contentType",
    "content-encoding": "properties.contentEncoding",
    "reply-to-group-id": "properties.replyToGroupId",
}
FIELDS = {
    "correlation_id": "correlation-id",
    "reply_to": "reply-to",
    "group_id": "group-id",
    "type": "subject",
    "message_id": "message-id",
}


def value_of(encoded: bytes) -> Any:
    """Return the value that is encoded by all of these bytes together."""
    found = Encoded(encoded)
    value, end = found.value(0, len(encoded))
    assert (end, found.reasons) == (len(encoded), [])
    return value


# Figures 1.2 to 1.8 of part 1 of the specification, and its section 1.6: each encoding of each type.
@pytest.mark.parametrize(
    ("encoded", "value"),
    ROWS["each_encoding_gives_its_value"],
    ids=lambda value: value[:6].hex() if isinstance(value, bytes) else "",
)
def test_each_encoding_gives_its_value(encoded: bytes, value: Any) -> None:
    found = value_of(encoded)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("encoded", [*ROWS["values_that_do_not_fit_are_damage"], b"\0" * 1000])
def test_values_beyond_their_bytes_are_damage(encoded: bytes) -> None:
    with pytest.raises(Damage):
        Encoded(encoded).value(0, len(encoded))


def nested(levels: int) -> bytes:
    """Return nested lists."""
    data = b"\x40"
    for _ in range(levels):
        data = b"\xd0" + (len(data) + 4).to_bytes(4, "big") + b"\0\0\0\1" + data
    return data


def test_nesting_of_values_has_a_limit() -> None:
    value_of(nested(MOST_DEEP))
    with pytest.raises(Damage, match=f"deeper than {MOST_DEEP}"):
        Encoded(nested(MOST_DEEP + 1)).value(0, len(nested(MOST_DEEP + 1)))


@pytest.mark.parametrize(("encoded", "value"), ROWS["odd_values_are_kept_with_a_reason"])
def test_unusual_values_are_kept_with_a_reason(encoded: bytes, value: Any) -> None:
    found = Encoded(encoded)
    assert found.value(0, len(encoded)) == (value, len(encoded))
    assert len(found.reasons) == 1


# Messages, as the broker decoded them.


def plain(value: Any) -> Any:
    """Return a value as ``ArtemisAmqpBrowse`` prints it."""
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def text(value: Any) -> str | None:
    return value["hex"] if isinstance(value, dict) else None if value is None else str(value)


def assert_is(row: Mapping[str, Any], broker: Mapping[str, Any]) -> None:
    """Assert that a row has the values that the broker decoded."""
    row = {name: plain(value) for name, value in row.items()}
    assert row["address"] == broker["address"]
    assert row["priority"] == broker.get("priority", 0)
    assert row["durable"] == broker.get("durable", False)
    assert row["timestamp"] == (broker.get("timestamp") or None)
    assert row["expiration"] == (broker.get("expiration") or None)
    assert row["group_sequence"] == broker.get("group-sequence")
    for column, name in FIELDS.items():
        assert row[column] == text(broker.get(name)), column
    user = broker.get("user-id")
    if user is not None:
        data = bytes.fromhex(user["hex"])
        user = data.decode() if data != b"\xff\0" else data.hex()
    assert row["user_id"] == user
    wanted = {
        prefix + str(key): value
        for name, prefix in PAIRS.items()
        for key, value in (broker.get(name) or {}).items()
    }
    wanted |= {name: broker[key] for key, name in BESIDE.items() if broker.get(key) is not None}
    found = {key: each for key, each in row["properties"].items() if not key.startswith("extraProperties.")}
    assert found == wanted
    assert_body(row, broker)


def assert_body(row: Mapping[str, Any], broker: Mapping[str, Any]) -> None:
    section: str | None = broker.get("section")
    body: Any = broker.get("body")
    parts = [row[name] for name in ("text", "content", "data")]
    found = next((each for each in parts if each is not None), None)
    assert parts.count(None) >= 2
    # If a message has several body sections, the broker's decoder returns only the first.
    if section == "Data" and row["kind"] == "text":
        assert {"hex": row["text"].encode().hex()} == body
    elif section == "Data":
        assert row["data"]["hex"].startswith(body["hex"])
    elif section == "AmqpSequence":
        assert row["content"][: len(body)] == body
    else:
        assert found == body
    # The broker's management shows values as bytes, unless they are texts, lists or maps. Its attribute
    # `text` contains a text.
    if section == "Data" and broker.get("type") == 3 and row["kind"] == "bytes":
        with pytest.raises(UnicodeDecodeError):
            bytes.fromhex(body["hex"]).decode()
    elif "type" in broker and not broker.get("large"):
        other = section == "AmqpValue" and broker["type"] == 4 and row["data"] is None
        assert row["kind"] == (("text" if body is None else "plain") if other else TYPES[broker["type"]])


@pytest.mark.parametrize("number", range(len(KEPT)))
def test_message_equals_the_one_that_the_broker_decoded(number: int) -> None:
    row, reasons = amqp.message(STORED[number])
    assert not reasons
    broker = KEPT[number]["broker"]
    if broker.get("large"):
        # The test data contains only the record, which has neither body nor delivery annotations nor footer.
        broker = {name: value for name, value in broker.items() if name not in ("section", "body", "type")}
        row |= {"kind": "plain"}
    assert_is(row, broker)


@pytest.mark.parametrize(
    ("persister", "rest", "expiration"),
    [(2, b"", None), (3, bytes(4), None), (5, bytes(4) + (77).to_bytes(8, "big"), 77)],
)
def test_each_persister_is_decoded(persister: int, rest: bytes, expiration: int | None) -> None:
    sections = b"\0\x53\x77\xa1\2hi"
    row, reasons = amqp.message(stored(sections, persister, rest))
    assert (row["text"], row["expiration"], reasons) == ("hi", expiration, [])


def stored(sections: bytes, persister: int = 2, rest: bytes = b"") -> bytes:
    """Return an encoded message as a persister stores it, without an address."""
    return bytes((persister,)) + bytes(17) + len(sections).to_bytes(4, "big") + sections + rest


def test_large_message_is_decoded_from_its_file_and_keeps_the_record_fields() -> None:
    data = next(data for data in STORED if data[0] == 4)
    row, reasons = amqp.message(data, b"\0\x53\x73\xc0\4\1\xa1\1m\0\x53\x77\xa1\4body")
    assert (row["message_id"], row["text"], row["durable"], reasons) == ("m", "body", True, [])
    assert row["address"] == "kinds"


def test_damage_in_one_section_leaves_the_other_sections() -> None:
    header, value = b"\0\x53\x70\xc0\4\2\x41\x50\7", b"\0\x53\x77\xa1\2hi"
    properties = b"\0\x53\x74\xc1\x0a\4\xa1\1a\x43\xa1\1b\xa1\x30"
    row, reasons = amqp.message(stored(header + properties + value))
    assert (row["priority"], row["properties"], row["text"]) == (7, {"a": 0}, "hi")
    assert len(reasons) == 1
    row, reasons = amqp.message(stored(header[:4] + b"\x77" + header[5:] + value))
    assert (row["priority"], row["text"], len(reasons)) == (7, "hi", 2)


# Damage.


def compound(code: int, number: int, data: bytes) -> bytes:
    """Return a list, map or array with sizes of four bytes."""
    return bytes((code,)) + (len(data) + 4).to_bytes(4, "big") + number.to_bytes(4, "big") + data


BODY, CLAIM = b"\0\x53\x77", b"\0\x53\x74\xd1" + 2 * b"\x7f\xff\xff\xff"


@pytest.mark.parametrize(
    "make",
    [
        lambda n: (BODY + b"\xd0") * n,
        # Each of these texts begins a section that claims all following texts.
        lambda n: CLAIM + (b"\xa1\x0c" + CLAIM) * n,
        lambda n: BODY + compound(0xD0, n, compound(0xF0, n, b"\x41") * n),
        lambda n: b"\0\x53\x75\xa0\1x" * n,
        lambda n: BODY + compound(0xF0, n, b"\0\x40" * 60 + b"\x50" + b"\1" * n),
        lambda n: b"\0\x53\x74" + compound(0xD1, 2 * n, b"\xa1\2ab\x54\1" * n),
        lambda n: b"\0" * n,
        nested,
    ],
    ids=["openings", "claims", "repeated", "sections", "descriptors", "keys", "described", "lists"],
)
def test_hostile_bytes_take_linear_time(make: Any) -> None:
    assert growth(lambda n: partial(amqp.message, Counted(stored(make(n)))), 100) < LINEAR


# Stores of the broker.


@pytest.mark.product
@pytest.mark.java
def test_contents_have_the_values_that_the_broker_decoded() -> None:
    """Every message of every queue: its columns, large bodies, messages in pages, and pending messages."""
    if shutil.which("java") is None:
        pytest.skip("no Java on PATH")
    cached = list((stores.cache() / "brokers").glob("artemis-amqp-2.44.0-*"))
    if not cached and shutil.which("mvn") is None:
        pytest.skip("neither the broker's jars nor Maven are here")
    store = stores.written("artemis-amqp", "2.44.0", messages=SENT, end="halt")
    (journal,) = find_journals(load(store / "journal"))
    found = shared.contents(ask(journal, "strict"))
    assert found is not None
    queues: dict[str, list[dict[str, Any]]] = {}
    counts = {}
    for line in stores.browsed("artemis-amqp", "2.44.0", store):
        if "id" in line:
            broker = line | {"type": line["management"]["type"]} if "management" in line else line
            queues.setdefault(line["queue"], []).append(broker)
        else:
            counts[line["queue"]] = line["count"]
    rows: dict[Any, list[Any]] = {}
    for row in found.rows("messages"):
        rows.setdefault(row["queue"], []).append(row)
    assert {count.name: count.rows for count in found.counts()} == counts
    assert set(rows) == set(queues)
    for name, messages in queues.items():
        assert sorted(row["id"] for row in rows[name]) == sorted(each["id"] for each in messages)
        by_id = {row["id"]: row for row in rows[name]}
        for each in messages:
            row = by_id[each["id"]]
            assert_is(row, each)
            assert (row["large"], row["paged"]) == (each["large"], each["paged"])
            assert (row["scheduled"] or 0) == each["scheduled"]
            assert row["protocol"] == "amqp"
    assert not found.remarks.counts
