"""ActiveMQ delivers the messages of new KahaDB stores, and Artemis those imported from a KahaDB.

This is a sample; ``tools/newstore_trials.py --format kahadb_journal --product`` tries any number.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import newstore_trials
import pytest
import stores
from newstore.jboss_journal import CLI, command

from journalspec.jboss_journal import LAYOUT
from journalspec_reference import artemis_xml
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.contents import contents
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.kahadb_journal import xml_rows
from products import need_brokers

pytestmark = [pytest.mark.product, pytest.mark.java]
BROKER = ("kahadb", "6.1.7")
#: Columns that both brokers report, and prefixes of properties that only one broker uses.
SAME = (
    *("kind", "priority", "timestamp", "expiration", "text", "content", "durable"),
    *("correlation_id", "reply_to", "type", "group_id"),
)
OWN = ("_AMQ", "JMS")


def test_activemq_delivers_the_messages_that_the_report_counts(capsys: pytest.CaptureFixture[str]) -> None:
    need_brokers("kahadb")
    for version in ("5.8.0", "5.15.16", "6.1.7"):
        stores.written("kahadb", version, end="halt")
    status = newstore_trials.main(
        ["--format", "kahadb_journal", "--count", "25", "--seed", "47", "--product", "--old"]
    )
    text = capsys.readouterr().out
    assert status == 0, text
    (line,) = (line.split() for line in text.splitlines() if line.startswith("all"))
    kept, _, _, wrong, started, old = map(int, line[1:])
    # ActiveMQ cannot start on some random journals.
    assert wrong == 0
    assert kept >= 20
    assert kept >= started >= 15
    assert old > 5


def answer_of(place: Path) -> Answer:
    (journal,) = find_journals(load(place))
    return ask(journal, SALVAGE)


def by_queue(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    out: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        properties = ((name, value) for name, value in row["properties"].items() if name[:4] not in OWN)
        shown = {name: row[name] for name in SAME}
        shown |= {"data": row["data"] or None, "properties": dict(properties)}
        out.setdefault(row["queue"], []).append(shown)
    return out


def test_artemis_has_the_messages_imported_from_a_kahadb(tmp_path: Path) -> None:
    """Queues, durable subscriptions, order, bodies, headers and properties with their types."""
    need_brokers(BROKER[0], CLI.name)
    answer = answer_of(stores.written(*BROKER, end="stop"))
    messages, queues = xml_rows.messages, xml_rows.queues
    losses = {item.code for item in artemis_xml.losses(messages(answer), queues(answer))}
    assert losses == {"xml-new-id", "xml-converted"}
    file = tmp_path / "export.xml"
    file.write_bytes(b"".join(artemis_xml.write(messages(answer), queues(answer))))
    journal = tmp_path / "store" / "journal"
    journal.mkdir(parents=True)
    empty = LAYOUT.build("header", "v2", format_version=2, file_id=1).ljust(1 << 20, b"\0")
    (journal / "activemq-data-1.amq").write_bytes(empty)
    words = [*command(CLI, tmp_path), f"{journal.parent}={file}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True)
    assert "failed" not in done.stdout, done.stdout + done.stderr
    found = contents(answer_of(journal))
    assert found is not None
    imported, wanted = by_queue(found.rows("messages")), by_queue(messages(answer))
    assert {"ORDERS", "INVOICES", "AUDIT", "client.slow"} <= wanted.keys()
    assert imported == wanted
