"""Programs for effects that one request cannot show: crashes or appends during a compaction, and low memory.

``python -m journalspec_conformance.harnesses.jboss_journal.programs NAME --product ID [--OPTION VALUE]...``
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Java, instance_of
from journalspec_conformance.harnesses.jboss_journal import harness
from journalspec_conformance.harnesses.jboss_journal.harness import Journal, Writing, variant_of
from journalspec_conformance.harnesses.product import Answer, Program, program, run_program
from journalspec_conformance.harnesses.scenarios import Table
from journalspec_conformance.products import Product
from journalspec_conformance.programs import completed, scratch

#: More deletes than the products remember if memory is low.
_PAIRS = 20_050
#: The time limits of successive attempts (seconds). Two are enough unless the product deadlocks.
_SECONDS = (4, 8, 16, 32)
#: The ids of the records that are written while a compaction ends; each record fills a file.
_ADDED = range(1000, 1012)
_BODY = "78" * 900


def moments(product: Product, *, directory: str, out: str, told: str) -> bool:
    """Copy the directory at each moment of a compaction, as a crash would leave it, to ``OUT/<moment>``.

    `told` is a ``write`` request whose last operation is the compaction. Its entries ``"during": {"moment":
    ..., "ops": [...]}`` are operations that are done at a moment before the copy, as by another thread. They
    must not wait for the compaction.
    """
    jvm.start(product)
    request = json.loads(told)
    during = request.get("during", {"moment": "", "ops": []})

    class Spied(Writing):
        """The operations through a journal that intercepts the calls on control files."""

        def made(self) -> Journal:
            """Return the journal, not started."""
            return Journal(self.variant, self.directory, self.params, self.spied)

        def spied(self, factory: Java) -> Java:
            """Return `factory` with wrapped control files; their open, close and delete mark the moments."""

            def create(name: str, *arguments: Any) -> Java:
                file = factory.createSequentialFile(name, *arguments)
                if str(name) != harness.CONTROL:
                    return file
                return instance_of(
                    f"{self.variant.files}.SequentialFile",
                    file,
                    open=self.around(file.open, before="before-control"),
                    close=self.around(file.close, after="control-written"),
                    delete=self.around(file.delete, before="files-renamed", after="control-deleted"),
                )

            interface = f"{self.variant.files}.SequentialFileFactory"
            return instance_of(interface, factory, createSequentialFile=create)

        def around(self, method: Java, before: str = "", after: str = "") -> Callable[..., Any]:
            """Return `method` with the moments before and after it."""

            def call(*given: Any) -> Any:
                self.keep(before)
                result = method(*given)
                self.keep(after)
                return result

            return call

        def keep(self, moment: str) -> None:
            """Do the operations for this moment, if there are any, and copy the directory."""
            if not moment:
                return
            for op in during["ops"] if moment == during["moment"] else ():
                if not self.apply(op):
                    raise RuntimeError(f"{op} was not acknowledged as durable")
            shutil.copytree(directory, Path(out, moment))

    session = Spied(variant_of(product.id), Path(directory), request["params"])
    for op in request["ops"]:
        session.apply(op)
    return False


def deletes_forgotten(product: Product) -> bool:
    """Return whether a deleted and re-added record is loaded after many deletes, but not after one delete."""
    # The initial heap is small, because the effect depends on the free part of the heap.
    jvm.start(product, options=("-Xms16m",))
    alone, crowd = (_added_again(product, pairs) for pairs in (1, _PAIRS))
    print(f"1 pair: delivered are {alone or 'none'}; {_PAIRS} pairs: delivered are {crowd or 'none'}")
    return not alone and crowd == [1]


def _added_again(product: Product, pairs: int) -> list[int]:
    """Add and delete `pairs` records, add the first one again, and return the ids that a load delivers."""
    with scratch() as directory:
        params = {"file_size": str(10 * 1024 * 1024), "auto_reclaim": "false"}
        session = Writing(variant_of(product.id), directory, {**params, "sync": "false"})
        session.apply({"op": "open"})
        for ident in range(1, pairs + 1):
            session.apply({"op": "add", "id": str(ident)})
            session.apply({"op": "delete", "id": str(ident)})
        session.apply({"op": "add", "id": "1", "sync": "true"})
        session.apply({"op": "close"})
        return _delivered(product, directory, params)


def _delivered(product: Product, directory: Path, params: dict[str, str]) -> list[int]:
    """Return the ids of the records that a load delivers."""
    journal = Journal(variant_of(product.id), directory, params)
    found: list[Answer] = journal.load()["live"]
    journal.stop()
    return [info["id"] for info in found]


def names_used_again(product: Product) -> bool:
    """Return whether records are lost that were acknowledged while a compaction ended."""
    scenarios = Table(__package__).scenarios(product.edition)
    scenario = next(item for item in scenarios if item.told.get("moment") == "files-renamed")
    params = {**variant_of(product.id).smallest, "min_files": "10", "auto_reclaim": "false"}
    adds = [{"op": "add", "id": str(ident), "user_type": "1", "body": _BODY} for ident in _ADDED]
    during = {"moment": "files-renamed", "ops": adds}
    told = json.dumps({"params": params, "ops": list(scenario.sessions[0]), "during": during})
    jvm.start(product)
    with scratch() as place:
        out = place / "out"
        _play(product, place / "play", out, told)
        found = {
            moment: set(_delivered(product, out / moment, params))
            for moment in ("control-deleted", "files-renamed")
        }
    lost = [ident for ident in _ADDED if ident not in found["files-renamed"]]
    print(
        f"acknowledged: {_ADDED[0]} to {_ADDED[-1]}; lost by a crash before the control file is gone: {lost}"
    )
    return bool(lost) and set(_ADDED) <= found["control-deleted"]


def _play(product: Product, work: Path, out: Path, told: str) -> None:
    """Run the request `told` in a separate process.

    Records are appended from inside the product's compaction, which sometimes deadlocks. In this case the
    attempt is repeated from the start. Raises TimeoutExpired.
    """
    command = program(product, "moments", directory=str(work), out=str(out), told=told)
    for seconds in _SECONDS:
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        try:
            completed(command, seconds).check_returncode()
            return
        except TimeoutExpired:
            if seconds == _SECONDS[-1]:
                raise


PROGRAMS: dict[str, Program] = {
    "moments": moments,
    "deletes-forgotten": deletes_forgotten,
    "names-used-again": names_used_again,
}

if __name__ == "__main__":
    run_program(PROGRAMS)
