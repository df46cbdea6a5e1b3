"""Captured logs: what is done stands in ``scenarios.toml``, what must be found says the model.

``python -m journalspec_conformance.harnesses.derby_log.capture OUT``, see :mod:`..capture`. A capture has the
log, and the containers that are not as its base has them (``seg0.c<HEX>.dat``): a checkpoint writes some, and
new pages are written when they are made.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from journalspec.kept import scratch
from journalspec_conformance.harnesses.capture import Answer, Capture, Json, Played, Scenario
from journalspec_conformance.harnesses.derby_log.harness import flatten
from journalspec_conformance.products import Product
from journalspec_corpus.model import History, history

Row = tuple[str, str, str]
#: Rows that are put in and taken away, in order.
Changes = tuple[tuple[str, Row], ...]
#: Committed rows, what each transaction has changed, and the identifiers of those that are branches.
Kept = tuple[frozenset[Row], Mapping[str, Changes], Mapping[str, tuple[str, str]]]
_IN, _OUT = "inserted", "deleted"


class TableRows:
    """Rows of tables, keys being unique: what was committed, and what prepared branches would change.

    `after` keeps what open transactions have done under their names; branches that are prepared are named by
    their identifiers from then on, and only these are shown.
    """

    def begin(self, state: Mapping[str, Any]) -> Kept:
        """Return what a recovered `state` holds."""
        changes: dict[str, Changes] = {}
        branches: dict[str, tuple[str, str]] = {}
        for entry in state.get("in_doubt", ()):
            name = f"{entry['gtrid']}/{entry['bqual']}"
            rows = [(kind, _row(row)) for kind in (_OUT, _IN) for row in entry[kind]]
            changes[name], branches[name] = tuple(rows), (entry["gtrid"], entry["bqual"])
        return frozenset(map(_row, state.get("rows", ()))), changes, branches

    def after(self, kept: Kept, op: Mapping[str, Any], edition: str) -> Kept:
        """Return what is kept once `op` was done."""
        rows, changes, branches = kept[0], dict(kept[1]), dict(kept[2])
        kind, tx = op["op"], op.get("tx", "")
        if kind == "open":
            # Boots roll back what is open and not prepared.
            changes = {name: done for name, done in changes.items() if "/" in name}
            branches = {name: branch for name, branch in branches.items() if "/" in name}
        elif kind in ("insert", "update", "delete"):
            done = tuple(self._changes(rows, changes.get(tx, ()), op))
            if tx:
                changes[tx] = (*changes.get(tx, ()), *done)
            else:
                rows = _applied(rows, done)
        elif kind == "start":
            branches[tx] = (op["gtrid"], op["bqual"])
        elif kind == "prepare":
            name = "/".join(branches[tx])
            branches[name], changes[name] = branches.pop(tx), changes.pop(tx)
        elif kind in ("commit", "rollback", "decide"):
            name = f"{op['gtrid']}/{op['bqual']}" if kind == "decide" else tx
            done = changes.pop(name)
            branches.pop(name, None)
            if kind == "commit" or op.get("commit") == "true":
                rows = _applied(rows, done)
        return rows, changes, branches

    @staticmethod
    def _changes(rows: frozenset[Row], done: Changes, op: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
        if op["op"] != "insert":
            for row in _applied(rows, done):
                if row[:2] == (op["table"], op["key"]):
                    yield _OUT, row
        if op["op"] != "delete":
            yield _IN, (op["table"], op["key"], op["value"])

    def shown(self, kept: Kept) -> dict[str, Any]:
        """Return committed rows, and the prepared branches."""
        rows, changes, branches = kept
        in_doubt = []
        for name in sorted(name for name in branches if "/" in name):
            after = _applied(rows, changes[name])
            in_doubt.append((branches[name], sorted(after - rows), sorted(rows - after)))
        return {"rows": sorted(rows), "in_doubt": in_doubt}


def _row(row: Mapping[str, Any]) -> Row:
    return row["table"], str(row["key"]), row["value"]


def _applied(rows: frozenset[Row], done: Changes) -> frozenset[Row]:
    for kind, row in done:
        rows = rows | {row} if kind == _IN else rows - {row}
    return rows


class DerbyCapture(Capture):
    """Each scenario is played by the harness."""

    settings = "embedded, on the base of its own level"

    def params(self, product: Product, scenario: Scenario) -> dict[str, str]:
        """Return a log that ends with its last record, unless the scenario asks for another."""
        return {"file_sync": "true", **scenario.params}

    def play(self, product: Product, scenario: Scenario, directory: Path) -> Played:
        """Do all sessions, and leave the log and the containers that differ from the base."""
        run = super().play(product, scenario, directory)
        flatten(directory, product.edition)
        return run

    def head(self, run: Played) -> Json:
        """Return the parameters of all requests."""
        return {"params": self.params(run.product, run.scenario)}

    def asked(self, run: Played) -> History:
        """Return what the model says of `run`: the same as for a format that is registered with its model."""
        ops = [op for op, _ in run.steps]
        return history(TableRows(), {}, ops, frozenset(run.refused), run.product.edition)

    def look(self, product: Product, scenario: Scenario, directory: Path) -> dict[str, Answer]:
        """Return what `product` then finds in a copy of `directory`; it shows records to nobody."""
        connection = self.connect(product)
        try:
            with scratch() as place:
                copy = place / "copy"
                shutil.copytree(directory, copy)
                question = {"cmd": "recover", "policy": "default", "observe": "state", "dir": str(copy)}
                return {"default": connection.ask(self.request(product, scenario, **question))["ok"]}
        finally:
            connection.close()

    def expected(self, run: Played, view: Mapping[str, Answer]) -> Json:
        """Return what the product found, if that is what the model says; it shows no records."""
        asked, answer = self.asked(run), view["default"]
        if run.refused or answer["verdict"] != "clean" or asked.shown[-1] != asked.seen(answer["state"]):
            raise ValueError(f"{run.scenario.name}: asked for {asked.shown[-1]}, found {answer}")
        return {"expect": expectations(answer["state"])}


def expectations(state: Answer) -> list[Json]:
    """Return what is expected of a log that its maker has opened, and found `state` in."""
    sound: Json = {"verdict": "clean", "dropped": []}
    policies = [{"op": "recover", "policy": policy} for policy in ("default", "strict")]
    return [
        {"when": {"op": "read"}, **sound},
        *({"when": when, **sound, "state": state} for when in policies),
    ]


CAPTURE = DerbyCapture(__package__)

if __name__ == "__main__":
    sys.exit(CAPTURE.main())
