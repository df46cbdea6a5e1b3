"""The two files beside captured ones: made once with them, made again when their form changes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from journalspec.files import replace_text
from journalspec_conformance.harnesses.bitronix_tlog.capture import by_hand, manager
from journalspec_conformance.harnesses.bitronix_tlog.capture.expected import document, written
from journalspec_conformance.harnesses.bitronix_tlog.capture.play import look
from journalspec_conformance.harnesses.bitronix_tlog.capture.provenance import Run, parse, provenance, steps
from journalspec_conformance.harnesses.bitronix_tlog.driver import PAIR

PROVENANCE, EXPECTED = "provenance.toml", "expected.json"


def describe(run: Run, directory: Path) -> None:
    """Ask the product about the files in `directory` and write what is known beside them."""
    view = look(run.product, directory)
    fates = manager.fates_of(run)
    content = manager.written(fates, view.read) if fates else written(steps(run), view, filtered=run.filtered)
    wanted = document(run.title, run.product, run.name, content, view)
    digests = {name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in PAIR}
    checked_by = ["hand"] if (run.product.id, run.name) in by_hand.DAMAGED else [run.product.id]
    text = provenance(run, view, digests, checked_by)
    replace_text(directory / PROVENANCE, text)
    replace_text(directory / EXPECTED, json.dumps(wanted, indent=1, sort_keys=True) + "\n")


def describe_again(directory: Path) -> None:
    """Write both files anew from what the provenance tells; the journal files stay as they are."""
    describe(parse((directory / PROVENANCE).read_text(encoding="utf-8"), directory.name), directory)
