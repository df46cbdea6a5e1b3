"""Brokers start on new stores that are made from damaged ones, deliver the counted messages, and import the
XML.

This is a sample; ``tools/newstore_trials.py --format jboss_journal --product`` tries any number, and
``JOURNALSPEC_XML_MESSAGES=10000 pytest -k imports`` on this file imports that many messages of each broker.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import stores
from newstore.jboss_journal import ARTEMIS, CLI, HORNETQ, Broker, delivered, expected, received
from newstore_trials import Hooks, bases, state_of, tried

from journalspec_reference import artemis_xml
from journalspec_reference.answers import SALVAGE, ask
from journalspec_reference.contents import contents
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.jboss_journal.contents import BrokerContents
from journalspec_reference.jboss_journal.contents.core import text_bytes
from products import need_brokers

pytestmark = [pytest.mark.product, pytest.mark.java]
FORMAT = "jboss_journal"
#: The number of messages of each broker that are exported and imported again.
SENT = int(os.environ.get("JOURNALSPEC_XML_MESSAGES", "600"))


def called(broker: Broker) -> str:
    return f"{broker.name}-{broker.version}"


@pytest.mark.parametrize("broker", [ARTEMIS, HORNETQ], ids=called)
def test_brokers_deliver_the_messages_of_new_stores(broker: Broker, tmp_path: Path) -> None:
    need_brokers(called(broker))
    source = stores.written(broker.name, broker.version, messages=60, end="halt")
    hooks, states = Hooks(FORMAT), bases(FORMAT, [source], tmp_path)[-1:]
    made, wrong = [], []
    for number in (number for number in range(130) if number % 5 != 4):  # There are no random journals.
        state, place = state_of(FORMAT, states, 47, number), tmp_path / str(number)
        place.mkdir()
        done = tried(FORMAT, state, hooks, place)
        if done.answer is not None:
            made.append((place / "new", done.answer))
        wrong += [f"{number}: {state.name}: {done.why}"] if done.ended == "wrong" else []
        if len(made) == 21:
            break
    assert wrong == []
    assert len(made) == 21
    assert [problem for problem in delivered(made) if problem] == []


def test_artemis_imports_exported_messages(tmp_path: Path) -> None:
    need_brokers(*map(called, (CLI, ARTEMIS, HORNETQ)))
    files, wanted = [], []
    for broker in (ARTEMIS, HORNETQ):
        source = stores.written(broker.name, broker.version, messages=SENT, end="halt")
        found = contents(ask(find_journals(load(source / "journal"))[0], SALVAGE))
        assert isinstance(found, BrokerContents)
        files.append(tmp_path / f"{broker.name}.xml")
        with files[-1].open("wb") as out:
            out.writelines(artemis_xml.write(found.typed_messages(), found.rows("queues")))
        wanted.append(found)
    got = received(CLI, [tmp_path / path.stem for path in files], files=files)
    count = 0
    for found, path in zip(wanted, files, strict=True):
        outcome, before = got[tmp_path / path.stem], expected(found)
        assert not outcome.failed
        for queue, messages in before.messages.items():
            name = artemis_xml.modern(queue)
            there = [imported(each) for each in outcome.messages[name].values()]
            # Brokers deliver messages by priority.
            order = sorted(map(exported, messages.values()), key=lambda each: -each[4])
            assert there == order, queue
            assert sorted(outcome.scheduled[name].values()) == sorted(before.scheduled[queue].values())
            count += len(there)
    assert count >= 2 * SENT


def exported(fields: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a message in the form of the XML file: it is durable, chars are texts, and names are those of
    Artemis.
    """
    *numbers, properties = fields
    numbers[1] = True
    texts = {}
    for name, (kind, value) in properties:
        called = f"_AMQ_{name[4:]}" if name.startswith("_HQ_") else name
        texts[called] = ("string", chr(int(value))) if kind == "char" else (kind, value)
    texts.pop("_AMQ_LARGE_COMPRESSED", None)
    return (*numbers, tuple(sorted(texts.items())))


def imported(fields: tuple[Any, ...]) -> tuple[Any, ...]:
    *numbers, properties = fields
    return (*numbers, tuple(item for item in properties if item[0] != "_AMQ_LARGE_COMPRESSED"))


def test_importer_reads_texts_that_xml_must_escape(tmp_path: Path) -> None:
    need_brokers(called(CLI))
    value = 'a<"&>\t\n\r é 漢 😀 ]]>'
    columns: dict[str, Any] = {"queue": "odd", "id": 1, "kind": "text", "protocol": "core", "text": value}
    rows = [{**columns, "properties": {"p<&": value}, "timestamp": 1, "priority": 9, "expiration": None}]
    path = tmp_path / "odd.xml"
    path.write_bytes(b"".join(artemis_xml.write(rows, [{"queue": "odd"}])))
    got = received(CLI, [tmp_path / "odd"], files=[path])[tmp_path / "odd"]
    ((kind, *_, size, properties),) = got.messages["odd"].values()
    assert (kind, size, dict(properties)["p<&"]) == (3, 1 + len(text_bytes(value)), ("string", value))
