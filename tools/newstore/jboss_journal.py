"""What trials of new stores of the JBoss family damage, and compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from journalspec.reread import LISTS
from journalspec_reference.answers import Answer
from journalspec_reference.contents import contents, nested

_DATA = Path(__file__).resolve().parents[2] / "reference_impl" / "tests" / "data"
#: Tables of what clients and the broker work with; ids of bindings and counters are new in a new store.
TABLES = ("messages", "in_doubt", "transactions", "queues", "duplicates")
_PLACES = {"file", "off", "compact_count", "kind"}


def stores() -> Iterator[Path]:
    """Yield a store with messages of each kind."""
    yield _DATA / "hornetq_contents.tar.xz"


def live(answer: Answer) -> Any:
    """Return messages, queues and transactions; of anything else records and transactions.

    An UPDATE whose ADD is lost is an ADD in the new journal.
    """
    found = contents(answer)
    if found is None or "messages" not in found.tables:
        state: dict[str, Any] = dict(answer.observation.state or {})
        return {name: [*map(_bare, state.get(name, ()))] for name in ("live", "prepared")}
    return {name: sorted(map(_bare, found.rows(name)), key=repr) for name in TABLES}


def _bare(value: Any) -> Any:
    """Return a value without what only tells where something is."""
    if isinstance(value, Mapping):
        return {name: _bare(each) for name, each in value.items() if name not in _PLACES}
    return [*map(_bare, value)] if isinstance(value, LISTS) else nested(value)
