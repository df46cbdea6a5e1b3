"""Comparisons in trials of new SwiftMQ stores.

No product is started, because the product's store is not published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from journalspec_reference.answers import Answer
from journalspec_reference.contents import contents, nested

ROOT = Path(__file__).resolve().parents[2]
TABLES = ("messages", "queues", "subscriptions", "transactions")


def stores() -> Iterator[Path]:
    """Yield the product's store in the test data, and the stores next to the checkout."""
    yield ROOT / "reference_impl/tests/data/swiftmq_contents.tar.xz"
    for place in sorted((ROOT.parent / "shared/real/swiftmq_store").glob("*/")):
        if (place / "db" / "page.db").is_file():
            yield place


def live(answer: Answer) -> Any:
    """Return all rows except those of swap files, which a start deletes, and of unreadable messages."""
    found = contents(answer)
    if found is None:
        return None
    rows: dict[str, list[dict[str, Any]]] = {
        table: [{**row, "file": None, "off": None} for row in found.rows(table)] for table in TABLES
    }
    unread = {remark.key for remark in found.remarks.kept if remark.code == "unreadable"}
    rows["messages"] = [row for row in rows["messages"] if f"{row['queue']} {row['id']}" not in unread]
    # Contents also have the readable parts of a file that recovery dropped.
    bad = {remark.key for remark in found.remarks.kept if remark.code == "bad-subscription"}
    rows["subscriptions"] = [row for row in rows["subscriptions"] if row["queue"] not in bad]
    kept = Counter(str(row["queue"]) for row in rows["messages"])
    # A lost subscription is created again if a message shows its topic. Otherwise its empty queue is removed.
    seen = answer.observation
    lost = {each.name for each in seen.missing if each.code == "durable"}
    lost |= {Path(each.file).stem for each in seen.dropped if each.reason == "bad-durable"}
    for queue in sorted(lost & {str(row["name"]) for row in rows["queues"] if "$" in str(row["name"])}):
        topics = (row["address"] for row in rows["messages"] if row["queue"] == queue)
        client, _, name = queue.partition("$")
        if (topic := next(filter(None, topics), None)) is not None:
            made = {"client_id": client, "name": name, "topic": topic, "selector": None, "no_local": False}
            rows["subscriptions"].append({**made, "queue": queue, "file": None, "off": None})
        else:
            rows["queues"] = [row for row in rows["queues"] if row["name"] != queue]
            rows["messages"] = [row for row in rows["messages"] if row["queue"] != queue]
    # Columns with counts are replaced by the number of readable messages.
    uncounted = dict.fromkeys(("messages", "unreadable", "bytes", "oldest", "newest", "held"))
    for table, name in (("queues", "name"), ("subscriptions", "queue")):
        rows[table] = [{**row, **uncounted, "messages": kept.get(str(row[name]))} for row in rows[table]]
    return {table: sorted((nested(row) for row in each), key=repr) for table, each in rows.items()}
