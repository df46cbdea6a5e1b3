"""Captured journals: what is done stands in ``scenarios.toml``, what must be loaded says the format's model.

``python -m journalspec_conformance.harnesses.jboss_journal.capture OUT``, see :mod:`..java.capture`.
Captures made again have the same bytes but for the names of compacted files and
what a killed Artemis had not yet written of an open transaction.
"""

from __future__ import annotations

import json
import shutil
import subprocess  # the child is this package's own module
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from journalspec.kept import scratch
from journalspec_conformance.harnesses.java.capture import (
    Answer,
    Capture,
    Json,
    Op,
    Played,
    Scenario,
    Steps,
    permitted,
)
from journalspec_conformance.harnesses.jboss_journal.variants import variant_of
from journalspec_conformance.products import Product
from journalspec_corpus.jboss_journal import MODEL

#: The smallest file that the products take.
FILE_SIZE = 1024
_SECONDS = 60


def asked_state(steps: Iterable[tuple[Op, Answer]], edition: str, forgotten: Iterable[str] = ()) -> Json:
    """Return what must be recovered after `steps`, in the model's form; what was refused does nothing.

    `forgotten` are ids that products do not give back: those that were used twice, which is not allowed.
    """
    kept = MODEL.begin({})
    for op, answer in steps:
        if "refused" not in answer:
            kept = MODEL.after(kept, op, edition)
    shown = MODEL.shown(kept)
    return {**shown, "live": [entry for entry in shown["live"] if entry[0] not in forgotten]}


def seen_state(state: Mapping[str, Any]) -> Json:
    """Return a product's state in the same form."""
    return MODEL.shown(MODEL.begin(state))


class JournalCapture(Capture):
    """Each scenario is played by the harness; a ``moment`` of a compaction is copied by a child process."""

    settings = "unbuffered NIO, no automatic compaction; reclaiming only where an operation asks for it"

    def params(self, product: Product, scenario: Scenario) -> dict[str, str]:
        """Return the smallest journal, named as the product would."""
        variant = variant_of(product.id)
        return {
            "prefix": variant.prefix,
            "extension": variant.extension,
            "file_size": str(FILE_SIZE),
            "min_files": scenario.params.get("min_files", "2"),
            "auto_reclaim": "false",
        }

    def head(self, run: Played) -> Json:
        """Return the parameters of all requests."""
        return {"params": self.params(run.product, run.scenario)}

    def made_otherwise(
        self, product: Product, scenario: Scenario, directory: Path
    ) -> list[tuple[str, Steps]] | None:
        """Let a child process do the operations elsewhere; `directory` becomes its copy of one moment."""
        moment = scenario.told.get("moment")
        if not moment:
            return None
        (ops,) = scenario.sessions
        with scratch() as place:
            work, out = place / "work", place / "out"
            work.mkdir()
            subprocess.run(
                [sys.executable, "-m", f"{self.package}.moments", product.id, str(work), str(out)],
                input=json.dumps(self.request(product, scenario, ops=ops)),
                text=True,
                check=True,
                capture_output=True,
                timeout=_SECONDS,
            )
            shutil.copytree(out / moment, directory, dirs_exist_ok=True)
        return [(f"copied: {moment}", [(op, {}) for op in ops])]

    def expected(self, run: Played, view: Mapping[str, Answer]) -> Json:
        """Return the answers of the product, if they are what it was asked to keep."""
        scenario, read, loaded = run.scenario, view["read"], view["strict"]
        refused = [number for number, (_, answer) in enumerate(run.steps) if "refused" in answer]
        if refused != scenario.told.get("refused", []):
            raise ValueError(f"{scenario.name}: refused were {refused}, not what the table says")
        asked = asked_state(run.steps, run.product.edition, scenario.told.get("forgotten", ()))
        if asked != seen_state(loaded["state"]):
            raise ValueError(f"{scenario.name}: asked for {asked}, loaded {loaded['state']}")
        if read["state"] != loaded["state"]:
            raise ValueError(f"{scenario.name}: two loads differ")
        found = {"verdict": "clean", "dropped": [], "state": loaded["state"]}
        return {
            "params": {"extension": self.params(run.product, scenario)["extension"]},
            "expect": permitted(found, read["records"], loaded["records"]),
        }


CAPTURE = JournalCapture(__package__)

if __name__ == "__main__":
    sys.exit(CAPTURE.main())
