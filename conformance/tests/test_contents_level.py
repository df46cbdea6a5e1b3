"""Tests the level of contents. Only implementations that declare contents are judged at this level."""

from __future__ import annotations

from typing import Any

from journalspec_conformance.connect import in_process
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.harnesses.reference import Reference
from journalspec_corpus import Probe, load_cases


class UpToLayout(Reference):
    """The reference, which does not report contents."""

    def hello(self) -> dict[str, Any]:
        """Declare the next lower level."""
        told = super().hello()
        for claims in told["formats"].values():
            claims["observe"] = "layout"
        return told


class Silent(Reference):
    """Declares that it reports contents, and omits them."""

    def recover(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer as if the level layout had been requested."""
        return super().recover({**request, "observe": "layout"})


def probes(group: str) -> list[Probe]:
    cases = [case for case in load_cases("kahadb_journal") if case.id.startswith(f"khd.{group}.")]
    return [probe for case in cases[:4] for probe in case.probes]


def classes(made: type[Reference], group: str) -> set[str]:
    engine = Engine(in_process(made), Options())
    try:
        return {engine.run(probe).result_class for probe in probes(group)}
    finally:
        engine.close()


def test_contents_are_compared_only_if_the_implementation_declares_them() -> None:
    assert classes(Reference, "contents") == {"pass"}
    assert classes(Silent, "contents") == {"fail"}
    assert classes(UpToLayout, "contents") == {"unsupported"}


def test_contents_are_requested_only_where_they_are_expected() -> None:
    for group, level in (("contents", "contents"), ("clean", "layout")):
        engine = Engine(in_process(Reference), Options())
        engine.run(next(probe for probe in probes(group) if probe.op == "recover"))
        assert [request["observe"] for request, _ in engine.exchanges] == [level]
        engine.close()
