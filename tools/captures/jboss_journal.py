"""Captured journals: ``scenarios.toml`` lists the operations, the model returns the required records.

Repeated captures have the same bytes, with two exceptions: the names of compacted files, and records of an
open transaction that a killed Artemis had not yet written.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from captures import Capture, Json, Played, Steps
from journalspec_conformance.harnesses.jboss_journal.harness import variant_of
from journalspec_conformance.harnesses.product import Answer, program
from journalspec_conformance.harnesses.scenarios import Scenario
from journalspec_conformance.products import Product
from journalspec_conformance.programs import scratch


class JournalCapture(Capture):
    """The harness runs each scenario. A child process copies the files at a ``moment`` of a compaction."""

    settings = "unbuffered NIO, no automatic compaction; reclaiming only where an operation asks for it"

    def params(self, product: Product, scenario: Scenario) -> dict[str, str]:
        """Return the smallest journal, with the file names that the product would use."""
        few = scenario.told.get("params", {}).get("min_files", "2")
        return {**variant_of(product.id).smallest, "min_files": few, "auto_reclaim": "false"}

    def head(self, run: Played) -> Json:
        """Return the parameters of all requests."""
        return {"params": self.params(run.product, run.scenario)}

    def made_otherwise(
        self, product: Product, scenario: Scenario, directory: Path
    ) -> list[tuple[str, Steps]] | None:
        """Run the operations in a child process in another directory. Copy its files to `directory` at one
        moment.
        """
        moment = scenario.told.get("moment")
        if not moment:
            return None
        (ops,) = scenario.sessions
        with scratch() as place:
            work, out = place / "work", place / "out"
            work.mkdir()
            told = json.dumps(self.request(product, scenario, ops=ops))
            self.child(program(product, "moments", directory=str(work), out=str(out), told=told))
            shutil.copytree(out / moment, directory, dirs_exist_ok=True)
        return [(f"copied: {moment}", [(op, {}) for op in ops])]

    def expected(self, run: Played, view: Mapping[str, Answer]) -> Json:
        """Return the product's answers, with the parameter that a reader requires."""
        return {"params": {"extension": variant_of(run.product.id).extension}, **super().expected(run, view)}


CAPTURE = JournalCapture("jboss_journal")
