"""KahaDB's messages in Artemis' terms: queues for subscriptions, filters, types of values."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from journalspec_corpus.kahadb_journal import author
from journalspec_reference import artemis_xml
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.filesets import Journal
from journalspec_reference.kahadb_journal import xml_rows

MADE = {
    (each["name"], each["version"]): each["hex"]
    for each in tomllib.loads((Path(__file__).parent / "data" / "openwire.toml").read_text(encoding="utf-8"))[
        "object"
    ]
}


def answer_of(*records: str) -> Answer:
    files = author.build({"batches": [list(records)]}, "5.16").files
    journal = Journal("kahadb_journal", "5.16", {name: bytes(data) for name, data in files.items()})
    return ask(journal, SALVAGE)


def message(name: str, version: int = 11) -> dict[str, Any]:
    (row,) = xml_rows.messages(answer_of(f"r1 q=A body={MADE[name, version]}"))
    return dict(row)


def test_values_have_their_stored_types() -> None:
    assert message("text-all", 12)["types"] == {
        **{"s": "string", "i": "integer", "l": "long", "b": "boolean", "d": "double", "f": "float"},
        **{"y": "byte", "h": "short"},
    }
    for name in ("map", "map-compressed"):
        row = message(name)
        assert row["content_types"].keys() == row["content"].keys()
        assert {"integer", "string"} <= {*row["content_types"].values()}
    for name in ("stream", "stream-compressed"):
        row = message(name)
        assert len(row["content_types"]) == len(row["content"])
        assert {"integer", "string"} <= {*row["content_types"]}


def test_subscription_becomes_a_queue_of_its_topic() -> None:
    answer = answer_of(f"r1 SUBSCRIPTION t=PRICES sub=client:1:sub:2 info={MADE['subscription', 12]}",
                       f"r2 t=PRICES body={MADE['text', 11]}", "r3 q=A")  # fmt: skip
    assert [*xml_rows.queues(answer)] == [
        {"queue": "A", "address": "A", "routing": "anycast", "filter": None},
        {"queue": "client:1.sub:2", "address": "PRICES", "routing": "multicast", "filter": "region = 'EU'"},
    ]
    assert [row["queue"] for row in xml_rows.messages(answer)] == ["A", "client:1.sub:2"]
    text = b"".join(artemis_xml.write(xml_rows.messages(answer), xml_rows.queues(answer))).decode()
    assert re.findall(r'<queue name="([^"]+)"', text) == ["A", "client:1.sub:2"]
    assert text.count("_AMQ_GROUP_SEQUENCE") == 0


@pytest.mark.parametrize(
    ("client", "name", "queue"), [("c", "s", "c.s"), ("a.b", "s", "a\\.b.s"), ("a\\b", "x.y", "a\\\\b.x\\.y")]
)
def test_name_of_the_queue_of_a_subscription_is_that_of_artemis(client: str, name: str, queue: str) -> None:
    assert xml_rows.queue_of(client, name) == queue


def test_selector_becomes_a_filter() -> None:
    selector = (
        "JMSPriority > 4 AND note = 'JMSPriority' AND JMSDeliveryMode = 'PERSISTENT' AND xJMSPriority = 1"
    )
    assert xml_rows.filter_of(selector) == (
        "AMQPriority > 4 AND note = 'JMSPriority' AND AMQDurable = 'DURABLE' AND xJMSPriority = 1"
    )
    names = (
        "JMSTimestamp JMSExpiration JMSMessageID JMSDeliveryMode 'NON_PERSISTENT' JMSType JMSCorrelationID"
    )
    assert xml_rows.filter_of(names) == (
        "AMQTimestamp AMQExpiration AMQUserID AMQDurable 'NON_DURABLE' JMSType JMSCorrelationID"
    )


def test_empty_body_is_not_a_loss() -> None:
    answer = answer_of(f"r1 q=A body={MADE['text-null', 11]}")
    codes = [item.code for item in artemis_xml.losses(xml_rows.messages(answer), xml_rows.queues(answer))]
    assert "xml-body" not in codes
