"""What trials of new SwiftMQ stores damage, and compare: all rows but messages that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from journalspec_reference.answers import Answer
from journalspec_reference.contents import contents, nested

_DATA = Path(__file__).resolve().parents[2] / "reference_impl" / "tests" / "data"
#: Queues and subscriptions count messages that cannot be read.
_COUNTED = {"file", "off", "messages", "unreadable", "bytes", "oldest", "newest"}


def stores() -> Iterator[Path]:
    """Yield stores with messages of each kind."""
    yield _DATA / "swiftmq_contents.tar.xz"


def live(answer: Answer) -> Any:
    """Return messages, queues, subscriptions and transactions."""
    found = contents(answer)
    assert found is not None
    messages = [*found.rows("messages")]
    unreadable = {remark.key for remark in found.remarks.kept if remark.code == "unreadable"}
    kept = {"messages": [row for row in messages if f"{row['queue']!s} {row['id']!s}" not in unreadable]}
    kept |= {name: [*found.rows(name)] for name in ("queues", "transactions")}
    # One whose file is lost is made anew where its queue is there.
    names = {f"{row['client_id']!s}${row['name']!s}" for row in found.rows("subscriptions")}
    names |= {str(row["name"]) for row in kept["queues"] if "$" in str(row["name"])}
    bare = {name: sorted(map(_bare, rows), key=repr) for name, rows in kept.items()}
    return {**bare, "subscriptions": sorted(names)}


def _bare(row: Any) -> Any:
    return {name: nested(each) for name, each in row.items() if name not in _COUNTED}
