"""The protocol's five requests, answered by the product."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from journalspec_conformance import PROTOCOL
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.jboss_journal import observe, writing
from journalspec_conformance.harnesses.jboss_journal.brands import brand_of
from journalspec_conformance.harnesses.jboss_journal.log import Log
from journalspec_conformance.harnesses.jboss_journal.observe import Observer
from journalspec_conformance.harnesses.jboss_journal.writing import CannotDo
from journalspec_conformance.products import Product

Request = dict[str, Any]
Answer = dict[str, Any]


class JournalProduct:
    """One product version in this process's JVM.

    Raises ProductError if the product was not fetched or no suitable Java is there.
    """

    def __init__(self, product: Product) -> None:
        """Start the JVM."""
        self.product = product
        self.brand = brand_of(product)
        self.java = jvm.start(product)
        self.log = Log()
        self.observer = Observer(self.brand, self.log)

    def hello(self) -> Answer:
        """Say what this is and can do."""
        return {
            "protocol": PROTOCOL,
            "impl": {
                "name": self.brand.name,
                "version": self.product.version,
                "language": "java",
                "java": self.java.version,
                "source": self.product.source,
            },
            "formats": {
                observe.FORMAT: {
                    "editions": list(self.brand.editions),
                    "ops": ["read", "recover", "write"],
                    "observe": "state",
                    "policies": ["strict"],
                    "features": ["damage", "pure", "silent", "step"],
                    "state": list(observe.STATE),
                    "fields": list(observe.FIELDS),
                }
            },
        }

    def read(self, request: Request) -> Answer:
        """Read every record of every file."""
        return {"ok": self.observer.read(Path(request["dir"]), request.get("params", {}))}

    def recover(self, request: Request) -> Answer:
        """Load the journal."""
        if request["policy"] != "strict":
            return self._unsupported(f"policy:{request['policy']}", "the product leaves no file out")
        return {"ok": self.observer.recover(Path(request["dir"]), request.get("params", {}))}

    def write(self, request: Request) -> Iterator[Answer]:
        """Write through the product; stepwise answers only if they were asked for."""
        params = request.get("params", {})
        lacking = writing.unsupported(self.brand, request["edition"], params)
        if lacking:
            yield self._unsupported(lacking, "the product chooses this itself")
            return
        stepwise = request.get("step", False)
        try:
            for answer in writing.write(self.brand, Path(request["dir"]), params, request["ops"]):
                if stepwise or "ok" in answer:
                    yield answer
        except CannotDo as error:
            yield self._unsupported("operation", str(error))
        finally:
            self.log.take()

    def bye(self) -> None:
        """Nothing to put away: files are let go of after every request."""

    @staticmethod
    def _unsupported(what: str, message: str) -> Answer:
        return {"unsupported": {"what": what, "message": message}}
