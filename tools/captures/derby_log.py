"""Captured logs: ``scenarios.toml`` lists the operations, the model returns the required rows.

A capture contains the log, and the containers that differ from its base (``seg0.c<HEX>.dat``): a checkpoint
writes some containers, and a new page is written when it is created.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from captures import Capture, Json, Played
from journalspec_conformance.harnesses.derby_log.harness import DATABASE, PAGES, base
from journalspec_conformance.harnesses.product import Answer
from journalspec_conformance.harnesses.scenarios import Scenario
from journalspec_conformance.products import Product


class DerbyCapture(Capture):
    """The harness runs each scenario."""

    settings = "the engine is embedded, and its database has its own format level"
    #: With these settings, the log ends with its last record.
    defaults = {"file_sync": "true"}  # noqa: RUF012 - never changed

    def play(self, product: Product, scenario: Scenario, directory: Path) -> Played:
        """Run all sessions, then keep only the log and the containers that differ from the base."""
        run = super().play(product, scenario, directory)
        flatten(directory, product.edition)
        return run

    def expected(self, run: Played, view: Mapping[str, Answer]) -> Json:
        """Return the product's result, which must equal the model's; it contains no records."""
        asked, answer = self.asked(run), view["default"]
        if run.refused or answer["verdict"] != "clean" or asked.shown[-1] != asked.seen(answer["state"]):
            raise ValueError(f"{run.scenario.name}: asked for {asked.shown[-1]}, found {answer}")
        return self.alike({"verdict": "clean", "dropped": []}, answer["state"])


def flatten(directory: Path, name: str) -> None:
    """Turn the result of a ``write`` request into a capture: changed containers go next to the log."""
    own, kept = directory / DATABASE / "seg0", base(name) / "seg0"
    for path in sorted(own.iterdir()):
        before = kept / path.name
        if not before.is_file() or before.read_bytes() != path.read_bytes():
            shutil.copyfile(path, directory / (PAGES + path.name))
    shutil.rmtree(directory / DATABASE)
    shutil.rmtree(directory / "seg0")
    (directory / "README_DO_NOT_TOUCH_FILES.txt").unlink(missing_ok=True)


CAPTURE = DerbyCapture("derby_log")
