"""The harness of the toy's product: it maps `read`, `recover` and `write` to calls of the product."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from journalspec.observation import CLEAN, RECOVERED
from journalspec_conformance.harnesses.java.jvm import Thrown
from journalspec_conformance.harnesses.product import Answer, Driver, Op, Session
from journalspec_conformance.harnesses.toy_sixth.product import Notes, Spoilt


class Writing(Session):
    """Performs operations through the product's journal."""

    operations = ("note",)

    def made(self) -> Notes:
        """Return the journal without opening it."""
        return Notes(self.directory)

    def done(self, op: Op) -> bool:
        """Write a note: it is durable at once."""
        self.journal.note(op["text"])
        return True


class Toy(Driver):
    """The one version of the product."""

    format_id = "toy_sixth"
    claims = {"policies": ["strict", "salvage"], "features": ["damage", "pure", "step"]}  # noqa: RUF012

    def observed(self, directory: Path, params: Mapping[str, str]) -> Answer:
        """Return the notes up to the first bad one."""
        return self.recovered(directory, params, "salvage")

    def recovered(self, directory: Path, params: Mapping[str, str], policy: str) -> Answer:
        """Return the notes up to the first bad one, or the reason why the product does not start."""
        texts, verdict = [], CLEAN
        try:
            for text in Notes(directory).read():
                texts.append(text)
        except Spoilt as spoilt:
            if policy == "strict":
                return self.exceptions.refused(Thrown(type(spoilt).__name__, str(spoilt)), "read")
            verdict = RECOVERED
        records = [{"type": "NOTE", "text": text, "at": {"file": Notes.NAME}} for text in texts]
        return {"verdict": verdict, "records": records, "state": {"texts": texts}}

    def session(self, directory: Path, params: Mapping[str, str], edition: str) -> Writing:
        """Return a writer."""
        return Writing(directory, params)


DRIVER = Toy
