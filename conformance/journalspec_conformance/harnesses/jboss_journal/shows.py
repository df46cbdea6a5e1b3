"""Deviations that one request cannot show, as a program; used by `journalspec products show`.

``python -m ....shows --product ID WHAT``. WHAT is one of

``deletes-forgotten``  a record is added again behind 20,050 pairs of adds and deletes, and loaded
``names-used-again``   records are written while a compaction ends, and a crash comes before it has
"""

from __future__ import annotations

import json
import shutil
import subprocess  # the child is this package's own module
import sys
from pathlib import Path

from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.harness import show
from journalspec_conformance.harnesses.jboss_journal.capture import CAPTURE
from journalspec_conformance.harnesses.jboss_journal.driver import Answer, Journal
from journalspec_conformance.harnesses.jboss_journal.variants import Settings, variant_of
from journalspec_conformance.products import Product

#: More deletes than the products keep when memory is short.
_PAIRS = 20_050
_FILE = 10 * 1024 * 1024
_SECONDS = 15
_TRIES = 4
_MOMENTS = f"{__package__}.moments"
#: The records written while a compaction ends: a file each.
_ADDED = range(1000, 1012)
_BODY = "78" * 900


def deletes_forgotten(product: Product, work: Path) -> bool:
    """Tell whether a record that is added again behind its delete comes back in a crowd, and not alone."""
    # A small heap to begin with: what counts is how much of it is free.
    jvm.start(product, options=("-Xms16m",))
    alone, crowd = (_added_again(product, work / str(pairs), pairs) for pairs in (1, _PAIRS))
    print(f"1 pair: delivered are {_ids(alone)}; {_PAIRS} pairs: delivered are {_ids(crowd)}")
    return not alone and [info["id"] for info in crowd] == [1]


def _added_again(product: Product, directory: Path, pairs: int) -> list[Answer]:
    """Add and delete `pairs` records, add the first one again, and return what a load delivers."""
    directory.mkdir()
    variant = variant_of(product.id)
    settings = Settings(variant.prefix, variant.extension, _FILE, 2, 0, auto_reclaim=False)
    journal = Journal(variant, directory, settings)
    journal.load()
    for ident in range(1, pairs + 1):
        journal.append({"op": "add", "id": str(ident)}, sync=False)
        journal.append({"op": "delete", "id": str(ident)}, sync=False)
    journal.append({"op": "add", "id": "1"}, sync=True)
    journal.stop()
    again = Journal(variant, directory, settings)
    loaded = again.load()
    again.stop()
    return loaded.records


def _ids(infos: list[Answer]) -> str:
    return ", ".join(str(info["id"]) for info in infos) or "none"


def names_used_again(product: Product, work: Path) -> bool:
    """Tell whether records are lost that were acknowledged while a compaction ended."""
    scenario = next(item for item in CAPTURE.scenarios(product) if item.told.get("moment") == "files-renamed")
    variant = variant_of(product.id)
    params = {**CAPTURE.params(product, scenario), "min_files": "10"}
    adds = [{"op": "add", "id": str(ident), "user_type": "1", "body": _BODY} for ident in _ADDED]
    told = {
        "params": params,
        "ops": list(scenario.sessions[0]),
        "during": {"moment": "files-renamed", "ops": adds},
    }
    out = work / "out"
    _play(product, work / "play", out, json.dumps(told))
    jvm.start(product)
    settings = Settings(
        variant.prefix, variant.extension, int(params["file_size"]), 10, 0, auto_reclaim=False
    )
    found = {}
    for moment in ("control-deleted", "files-renamed"):
        journal = Journal(variant, out / moment, settings)
        found[moment] = {info["id"] for info in journal.load().records}
        journal.stop()
    lost = [ident for ident in _ADDED if ident not in found["files-renamed"]]
    print(
        f"acknowledged: {_ADDED[0]} to {_ADDED[-1]}; lost by a crash before the control file is gone: {lost}"
    )
    return bool(lost) and set(_ADDED) <= found["control-deleted"]


def _play(product: Product, work: Path, out: Path, told: str) -> None:
    """Play `told` in a process of its own.

    Records are appended from inside the product's compaction, which now and then
    waits for itself: then it is tried again, from nothing. Raises TimeoutExpired.
    """
    for left in range(_TRIES - 1, -1, -1):
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        command = [sys.executable, "-m", _MOMENTS, product.id, str(work), str(out)]
        try:
            subprocess.run(command, input=told, text=True, check=True, capture_output=True, timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            if not left:
                raise
        else:
            return


if __name__ == "__main__":
    show({"deletes-forgotten": deletes_forgotten, "names-used-again": names_used_again})
