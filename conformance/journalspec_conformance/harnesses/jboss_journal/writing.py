"""``write``: the protocol's operations through the product's journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.java.failures import Thrown
from journalspec_conformance.harnesses.jboss_journal import failures
from journalspec_conformance.harnesses.jboss_journal.brands import Brand
from journalspec_conformance.harnesses.jboss_journal.driver import Journal
from journalspec_conformance.harnesses.jboss_journal.settings import Settings, settings_for

#: Operations on one record, and those of them that are durable once they are acknowledged (if `sync`).
RECORD_OPS = (
    "add",
    "update",
    "event",
    "delete",
    "add_tx",
    "update_tx",
    "delete_tx",
    "prepare",
    "commit",
    "rollback",
)
_NEVER_DURABLE = ("add_tx", "update_tx", "delete_tx")
#: Parameters that have one value each here: NIO has no alignment.
_ALIGNMENT = "1"

Answer = dict[str, Any]


class CannotDo(Exception):
    """The product has no way to do what is asked: an ``unsupported`` answer."""


class Session:
    """One ``write`` request: a journal in `directory` and the operations done on it."""

    def __init__(
        self,
        brand: Brand,
        directory: Path,
        params: Mapping[str, str],
        make: Callable[[Brand, Path, Settings], Journal] = Journal,
    ) -> None:
        """Take the request's parameters; nothing is touched yet. `make` is what makes the journal."""
        self._make = make
        self.brand = brand
        self.directory = directory
        self.params = params
        self.journal: Journal | None = None

    def apply(self, op: dict[str, Any]) -> bool:
        """Do one operation and return whether everything up to here is durable; raises Thrown."""
        name = op["op"]
        if name == "open":
            return self._open()
        journal = self._opened()
        if name in RECORD_OPS:
            return self._append(journal, op)
        match name:
            case "force":
                journal.force()
                return True
            case "next":
                journal.next()
                return False
            case "reclaim":
                journal.reclaim()
                return False
            case "compact":
                journal.compact()
                return False
            case "close":
                self.stop()
                return True
        known = ", ".join(["open", *RECORD_OPS, "force", "next", "reclaim", "compact", "close"])
        raise CannotDo(f"operation {name!r}: the product's are {known}")

    def _append(self, journal: Journal, op: dict[str, Any]) -> bool:
        name = op["op"]
        if name == "event" and not self.brand.events:
            raise CannotDo("operation 'event': the product has no such record")
        if name == "delete" and op.get("body"):
            raise CannotDo("operation 'delete' with a body: the product's method takes none")
        wanted = self.params.get("sync", "true") if name not in _NEVER_DURABLE else "false"
        sync = str(op.get("sync", wanted)) == "true"
        journal.append(op, sync=sync)
        return sync and name not in _NEVER_DURABLE

    def _opened(self) -> Journal:
        if self.journal is None:
            raise CannotDo("an operation while no journal is open")
        return self.journal

    def _open(self) -> bool:
        brand = self.brand
        settings = settings_for(self.directory, self.params, brand.prefix, brand.extension)
        self.journal = self._make(brand, self.directory, settings)
        self.journal.load()
        self.journal.appended()
        return True

    def stop(self) -> None:
        """Stop the journal if one is open."""
        journal, self.journal = self.journal, None
        if journal is not None:
            journal.stop()


def unsupported(brand: Brand, edition: str, params: Mapping[str, str]) -> str | None:
    """Return what of the request the product cannot honour, or None."""
    if edition not in brand.writes:
        return f"edition:{edition}"  # files of version 1, for one, are read by HornetQ 2.4 and never written
    if params.get("alignment", _ALIGNMENT) != _ALIGNMENT:
        return f"param:alignment={params['alignment']}"
    if params.get("fill", brand.fill) != brand.fill:
        return f"param:fill={params['fill']}"
    return None


def write(
    brand: Brand, directory: Path, params: Mapping[str, str], ops: list[dict[str, Any]]
) -> Iterator[Answer]:
    """Do `ops` and yield one stepwise answer for each, then the final one.

    An operation that the product refuses gets ``refused`` in its answer; what
    it has left on disk then is what the runner wants to see.
    """
    session = Session(brand, directory, params)
    refusals: list[Answer] = []
    durable: list[str] = []
    try:
        for number, op in enumerate(ops):
            step: Answer = {"step": str(number), "durable": False}
            try:
                step["durable"] = session.apply(op)
            except Thrown as thrown:
                refusal = failures.of_load(thrown) if op["op"] == "open" else failures.of_append(thrown)
                step["refused"] = {"code": refusal.code, "message": str(thrown)}
                refusals.append({"op": step["step"], **step["refused"]})
            if step["durable"]:
                durable.append(step["step"])
            yield step
    finally:
        session.stop()
    files = sorted(path.name for path in directory.iterdir() if path.is_file())
    yield {"ok": {"files": files, "refusals": refusals, "durable": durable}}
