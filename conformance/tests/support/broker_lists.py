"""Compare the contents of a store with the lists of its broker; see tools/stores/JmsTraffic.java."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from journalspec_reference.contents import Contents

#: Maps the kind of a message to the column that a client receives as the body.
BODIES = {"text": "text", "map": "content", "stream": "content", "bytes": "data", "object": "class_name"}
#: The kinds of messages that a compared store must contain.
ALL_KINDS = {*BODIES, "plain", "compressed", "large", "both", "paged"}


def plain(value: Any) -> Any:
    """Return a value of JSON; objects whose only member is `bytes` become bytes."""
    if isinstance(value, dict):
        if set(value) == {"bytes"}:
            return bytes.fromhex(value["bytes"])
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def differences(
    row: Mapping[str, Any], wanted: Mapping[str, Any], body: Mapping[str, Any] | None, gone: set[str]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield (column, value, the broker's value) for each difference."""
    for name in ("message_id", "address", "durable", "priority", "delivery_count", "large", "paged"):
        yield name, row[name], wanted[name]
    for name in ("timestamp", "expiration", "scheduled"):
        yield name, row[name] or 0, wanted[name]
    properties = {name: value for name, value in row["properties"].items() if name not in gone}
    yield "properties", properties, wanted["properties"]
    if body is not None:
        for name in ("correlation_id", "type", "group_id"):
            yield name, row[name], body[name]
        if row["kind"] in BODIES:
            yield "body", row[BODIES[row["kind"]]], body["body"]


def compare(found: Contents, wanted: Mapping[str, Any], gone: set[str]) -> set[str]:
    """Compare all messages and prepared transactions; return the kinds ("both": large and compressed).

    A broker removes the properties `gone` when it reads a message.
    """
    rows: dict[str, dict[int, Any]] = {str(row["queue"]): {} for row in found.rows("queues")}
    for row in found.rows("messages"):
        rows[str(row["queue"])][int(str(row["id"]))] = row
    counts = {count.name: (count.rows, count.bytes) for count in found.counts()}
    kinds: set[str] = set()
    for queue, theirs in wanted["queues"].items():
        # While a broker reads a page, its list contains each message of this page twice.
        idents = {each["id"] for each in theirs["messages"]}
        assert set(rows[queue]) == idents, queue
        assert counts[queue] == (len(idents), sum(row["size"] for row in rows[queue].values()))
        for each in theirs["messages"]:
            row = rows[queue][each["id"]]
            body = theirs.get("bodies", {}).get(row["message_id"])
            odd = [item for item in differences(row, each, body, gone) if item[1] != item[2]]
            assert not odd, (queue, each["id"])
            kinds |= {row["kind"]} | {name for name in ("compressed", "paged", "large") if row[name]}
            kinds |= {"both"} if row["compressed"] and row["large"] else set()
    xids = sorted(
        [row["format_id"], row["global_id"], row["branch"]]
        for row in found.rows("transactions")
        if row["state"] == "prepared"
    )
    assert xids == sorted(wanted["prepared"])
    return kinds
