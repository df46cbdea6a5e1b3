"""Comparisons in trials of new Bitronix logs: BTM is started on logs that are made from damaged ones.

BTM must load exactly the decisions that recovery keeps. If BTM starts on an old log that reads clean, the new
log must contain every decision that BTM loads from the old one.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from journalspec.observation import CLEAN
from journalspec_conformance import connect
from journalspec_conformance.bounds import BOUNDS
from journalspec_conformance.connection import Connection
from journalspec_conformance.harnesses.product import serving
from journalspec_reference.answers import Answer
from journalspec_reference.contents import contents

FORMAT = "bitronix_tlog"
PAIRS = ("2.1", "3.0")
PRODUCTS = ("bitronix-2.1.2", "bitronix-2.1.4", "bitronix-3.0.0-mk1")
#: The longest record of BTM 3.0, by recordLength.
LONGEST = 8184
Files = Mapping[str, bytes]


def live(answer: Answer) -> Any:
    """Return the transactions without an end, without their offsets."""
    found = contents(answer)
    rows = found.rows("transactions") if found is not None else ()
    return [{**row, "file": None, "off": None} for row in rows if row["in_doubt"]]


def delivered(stores: Sequence[tuple[Path, Answer]]) -> Iterator[str | None]:
    """Start each product on each new pair of logs; yield missing and unexpected transactions."""
    connections = {each: connect.to(serving(each), timeout=60, bounds=BOUNDS) for each in PRODUCTS}
    for place, answer in stores:
        files = {path.name: path.read_bytes() for path in place.iterdir()}
        if answer.journal.edition not in PAIRS:
            # No product reads the other editions.
            yield None
            continue
        asked = connections.items()
        yield "; ".join(filter(None, (_problem(each, files, product, answer) for product, each in asked)))
    for connection in connections.values():
        connection.close()


def _problem(connection: Connection, files: Files, product: str, answer: Answer) -> str:
    """Return the fault of a start on a new log; empty if there is none, or a known deviation explains it."""
    edition, wanted = answer.journal.edition, reported(answer)
    loaded = start(connection, files, edition, "strict")
    if deviates(product, answer):
        return ""
    if loaded is None or loaded != wanted:
        return f"{product} loads {loaded}, reported are {wanted}"
    # On a damaged log, the product reports nothing or hangs. Old logs are therefore tried only if they read
    # clean.
    if answer.observation.verdict == CLEAN:
        old = {name: bytes(data) for name, data in answer.journal.seen.items()}
        before = start(connection, old, edition, "strict")
        if before is not None and before.keys() - loaded.keys():
            return f"{product}: from the old log it also loads {sorted(before.keys() - loaded.keys())}"
    return ""


def reported(answer: Answer) -> dict[str, list[str]]:
    """Return the transactions to commit: gtrid -> names of resources."""
    state: Any = answer.observation.state
    return {one["gtrid"].hex(): one["names"] for one in state["unfinished"]}


def start(connection: Connection, files: Files, edition: str, policy: str) -> dict[str, list[str]] | None:
    """Return the transactions that the product loads, gtrid -> names; None if it fails."""
    place = Path(tempfile.mkdtemp(prefix="newstore-"))
    try:
        for name, data in files.items():
            (place / name).write_bytes(data)
        request = {"cmd": "recover", "format": FORMAT, "edition": edition, "dir": str(place), "params": {}}
        reply = connection.ask({**request, "policy": policy, "observe": "state"})
    finally:
        shutil.rmtree(place)
    state = reply["ok"].get("state") if "ok" in reply else None
    return state and {one["gtrid"]: sorted(one["names"]) for one in state["unfinished"]}


def deviates(product: str, answer: Answer) -> bool:
    """Return whether a version has a deviation that affects a record of the log (BTM-DEV)."""
    records: Any = answer.observation.records
    if product == "bitronix-2.1.2":
        # In version 2.1.2, only COMMITTED ends a part of a transaction.
        return any(one.type in ("ROLLEDBACK", "UNKNOWN") for one in records)
    odd = (one.fields for one in records)
    return product == "bitronix-3.0.0-mk1" and any(
        one["record_length"] > LONGEST or "names_raw" in one or len(set(one["names"])) < len(one["names"])
        for one in odd
    )
