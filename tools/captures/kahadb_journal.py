"""Captured journals: ``scenarios.toml`` lists the operations, the model returns the required messages.

Repeated captures have the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from captures import Capture, Json, Played
from journalspec_conformance.harnesses.kahadb_journal.harness import OPTIONS
from journalspec_conformance.harnesses.product import Answer
from journalspec_conformance.harnesses.scenarios import Op, Scenario
from journalspec_conformance.products import Product

#: A small file size keeps captures readable; products up to 5.11 preallocate more bytes than this.
_FILE_LENGTH = "1024"


def _told(op: Op) -> Op:
    """Return an operation of the table with the text of its flag `sync` converted to a boolean."""
    return {**op, "sync": op["sync"] == "true"} if "sync" in op else op


class KahaDBCapture(Capture):
    """The harness runs each scenario."""

    settings = "the journal alone, without a broker; a batch as the operations ask for it"
    defaults = {"max_file_length": _FILE_LENGTH}  # noqa: RUF012 - never changed

    def scenarios(self, product: Product) -> tuple[Scenario, ...]:
        """Return the scenarios that `product` can run."""
        return tuple(
            replace(item, sessions=tuple(tuple(map(_told, ops)) for ops in item.sessions))
            for item in super().scenarios(product)
            if product.edition in item.told.get("editions", (product.edition,))
        )

    def expected(self, run: Played, view: Mapping[str, Answer]) -> Json:
        """Return the product's answers, if its state equals the model's under every policy."""
        asked = self.asked(run)
        for policy in OPTIONS:
            answer = view[policy]
            if "state" not in answer or asked.shown[-1] != asked.seen(answer["state"]):
                raise ValueError(f"{run.scenario.name}: asked for {asked.shown[-1]}, {policy}: {answer}")
        found = {"verdict": "clean", "dropped": [], "records": view["read"]["records"]}
        return self.alike(found, view["default"]["state"])


CAPTURE = KahaDBCapture("kahadb_journal")
