"""The state that a transaction manager must recover: the decisions that have not been carried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Maps each gtrid to the names that are not yet committed.
Kept = Mapping[str, frozenset[str]]

_FINISHING = {"COMMITTED": "3", "ROLLEDBACK": "4", "UNKNOWN": "5"}
_DECIDING = "8"
#: Statuses of records that finish names (as text).
FINISHING = frozenset(_FINISHING.values())


class Decisions:
    """A decision is live until every name in it was finished (BTM-RCV-009 to BTM-RCV-013)."""

    def begin(self, state: Mapping[str, Any]) -> Kept:
        """Return the unfinished transactions of a state."""
        return {entry["gtrid"]: frozenset(entry["names"]) for entry in state.get("unfinished", ())}

    def after(self, kept: Kept, op: Mapping[str, Any], edition: str) -> Kept:
        """Return the unfinished transactions after one operation; only ``log`` changes them."""
        if op["op"] != "log":
            return kept
        status = _FINISHING.get(op.get("type", ""), str(op.get("status", "")))
        gtrid, names = op["gtrid"], frozenset(op.get("names", ()))
        if op.get("type") == "COMMITTING" or status == _DECIDING:
            return {**kept, gtrid: names}
        # BTM-NIO-013: in the nio edition, UNKNOWN finishes nothing.
        finishes = status in FINISHING and (edition, status) != ("nio", _FINISHING["UNKNOWN"])
        if gtrid not in kept or not finishes:
            return kept
        others = {key: value for key, value in kept.items() if key != gtrid}
        left = kept[gtrid] - names
        return {**others, gtrid: left} if left else others

    def shown(self, kept: Kept) -> dict[str, Any]:
        """Return the decisions in the order of their gtrids."""
        return {"unfinished": [{"gtrid": gtrid, "names": sorted(kept[gtrid])} for gtrid in sorted(kept)]}
