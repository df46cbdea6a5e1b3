"""A child process that copies the directory at the moments of a compaction.

``python -m ....moments PRODUCT DIRECTORY OUT`` reads a ``write`` request
from standard input, whose last operation is the compaction. ``OUT/<moment>`` are
copies of the directory as a crash at that moment would leave it. The moments
are those at which the product opens, closes and deletes its control file.
``"during": {"moment": ..., "ops": [...]}`` in the request are operations done at
a moment, as another thread might do them, before the copy is made; they must
not wait for the compaction.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Java, java_classes
from journalspec_conformance.harnesses.jboss_journal.driver import CONTROL, Journal
from journalspec_conformance.harnesses.jboss_journal.harness import Session
from journalspec_conformance.harnesses.jboss_journal.variants import Variant, variant_of
from journalspec_conformance.products import get_product

#: The moments of a compaction of which the directory is kept.
MOMENTS = ("before-control", "control-written", "files-renamed", "control-deleted")


class Spy:
    """Stands for a Java object: passes every call on, and copies the directory around some of them.

    `before` and `after` are names of methods -> the moment that they mark.
    """

    def __init__(self, behind: Java, keep: Any, before: dict[str, str], after: dict[str, str]) -> None:
        """Stand for `behind`; `keep` is called with each moment."""
        self._behind = behind
        self._keep = keep
        self._before = before
        self._after = after

    def __getattr__(self, name: str) -> Any:
        """Return the method `name` of the object behind, with its copies."""
        method = getattr(self._behind, name)

        def call(*arguments: Any) -> Any:
            self._mark(self._before, name)
            result = method(*arguments)
            self._mark(self._after, name)
            return result

        return call

    def _mark(self, moments: dict[str, str], name: str) -> None:
        if name in moments:
            self._keep(moments[name])


class SpiedFactory:
    """A factory of files whose control files are spied upon."""

    def __init__(self, behind: Java, interface: Java, keep: Any) -> None:
        """Stand for the factory `behind`; `interface` is that of a file."""
        self._behind = behind
        self._interface = interface
        self._keep = keep

    def createSequentialFile(self, name: str, *arguments: Any) -> Java:  # noqa: N802 - the interface's name
        """Return the file, spied upon if it is the control file."""
        file = self._behind.createSequentialFile(name, *arguments)
        if str(name) != CONTROL:
            return file
        jpype = java_classes()
        first, written, renamed, deleted = MOMENTS
        spy = Spy(file, self._keep, {"open": first, "delete": renamed}, {"close": written, "delete": deleted})
        return jpype.JObject(jpype.JProxy(self._interface, inst=spy), self._interface)

    def __getattr__(self, name: str) -> Any:
        """Pass everything else on."""
        return getattr(self._behind, name)


def spied(keep: Callable[[str], None]) -> type[Journal]:
    """Return the class of journals whose compactions call `keep` with each moment."""

    class SpiedJournal(Journal):
        """A journal over a spied factory."""

        def make_factory(self) -> Java:
            """Return the spied factory of the journal's files."""
            jpype = java_classes()
            interface = jpype.JClass(f"{self.variant.files}.SequentialFileFactory")
            file = jpype.JClass(f"{self.variant.files}.SequentialFile")
            proxy = jpype.JProxy(interface, inst=SpiedFactory(super().make_factory(), file, keep))
            return jpype.JObject(proxy, interface)

    return SpiedJournal


def run(variant: Variant, directory: Path, out: Path, request: dict[str, Any]) -> None:
    """Do the operations of `request` in `directory`, and keep the moments in `out`."""
    during = request.get("during", {"moment": "", "ops": []})

    def keep(moment: str) -> None:
        for op in during["ops"] if moment == during["moment"] else ():
            if not session.apply(op):
                raise RuntimeError(f"{op} was not acknowledged as durable")
        shutil.copytree(directory, out / moment)

    session = Session(variant, directory, request["params"], spied(keep))
    for op in request["ops"]:
        session.apply(op)


def main() -> int:
    """Run as a process; see the module's text."""
    product_id, directory, out = sys.argv[1:]
    request = json.load(sys.stdin)
    product = get_product(product_id)
    jvm.start(product)
    run(variant_of(product_id), Path(directory), Path(out), request)
    os._exit(0)  # threads of the product may never end


if __name__ == "__main__":
    sys.exit(main())
