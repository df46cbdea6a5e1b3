"""Captured logs: what is done stands in ``scenarios.toml``, what must be found says the model.

``python -m journalspec_conformance.harnesses.derby_log.capture OUT``, see :mod:`..capture`. A capture has the
log, and the containers that are not as its base has them (``seg0.c<HEX>.dat``): a checkpoint writes some, and
new pages are written when they are made.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from journalspec.kept import scratch
from journalspec_conformance.harnesses.capture import Answer, Capture, Json, Played, Scenario
from journalspec_conformance.harnesses.derby_log.harness import flatten
from journalspec_conformance.products import Product
from journalspec_corpus.derby_log.model import TableRows
from journalspec_corpus.model import History, history


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
