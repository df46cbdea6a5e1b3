"""The protocol's five requests, answered by the product."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from journalspec_conformance import PROTOCOL
from journalspec_conformance.harnesses.bitronix_tlog import observe, writing
from journalspec_conformance.harnesses.bitronix_tlog.writing import CannotDo
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.products import Product

Request = dict[str, Any]
Answer = dict[str, Any]

#: The disk editions have the same bytes, and either version reads and writes both. The one difference,
#: whether a record may end where the file ends, is the version's own and shows where a case is about it.
EDITIONS = ("2.1", "3.0")


class Bitronix:
    """One product version in this process's JVM.

    Raises ProductError if the product was not fetched or no suitable Java is
    there. `charset` is the JVM's default charset, for captures.
    """

    def __init__(self, product: Product, *, charset: str | None = None) -> None:
        """Start the JVM."""
        self.product = product
        self.java = jvm.start(product, charset=charset)

    def hello(self) -> Answer:
        """Say what this is and can do."""
        return {
            "protocol": PROTOCOL,
            "impl": {
                "name": "bitronix",
                "version": self.product.version,
                "language": "java",
                "java": self.java.version,
                "charset": self.java.charset,
                "source": self.product.source,
            },
            "formats": {
                observe.FORMAT: {
                    "editions": list(EDITIONS),
                    "ops": ["read", "recover", "write"],
                    "observe": "state",
                    "policies": ["strict", "salvage"],
                    "features": ["damage", "step"],
                    "state": ["active", "unfinished"],
                    "fields": list(observe.FIELDS),
                }
            },
        }

    def read(self, request: Request) -> Answer:
        """Read every record of both files."""
        return {"ok": observe.read(Path(request["dir"]))}

    def recover(self, request: Request) -> Answer:
        """Open the journal and collect what dangles."""
        return {"ok": observe.recover(Path(request["dir"]), request["policy"])}

    def write(self, request: Request) -> Iterator[Answer]:
        """Write through the product; stepwise answers only if they were asked for."""
        params = request.get("params", {})
        lacking = writing.unsupported(Path(request["dir"]), params, self.product.version)
        if lacking:
            yield self._unsupported(lacking, "the product chooses this itself")
            return
        stepwise = request.get("step", False)
        try:
            for answer in writing.write(Path(request["dir"]), params, request["ops"]):
                if stepwise or "ok" in answer:
                    yield answer
        except CannotDo as error:
            yield self._unsupported("operation", str(error))

    def bye(self) -> None:
        """Nothing to put away: files are let go of after every request."""

    @staticmethod
    def _unsupported(what: str, message: str) -> Answer:
        return {"unsupported": {"what": what, "message": message}}
