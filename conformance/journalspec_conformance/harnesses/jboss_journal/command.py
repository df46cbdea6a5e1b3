"""The commands behind the harness names, made only if the product is ready."""

from __future__ import annotations

from journalspec_conformance.harnesses.java import child


def hornetq() -> list[str]:
    """Return the command for HornetQ 2.4.9; raises LookupError saying what to do."""
    return child.command(__package__, "hornetq-2.4.9")


def hornetq_2_0_0() -> list[str]:
    """Return the command for HornetQ 2.0.0.GA; raises LookupError saying what to do."""
    return child.command(__package__, "hornetq-2.0.0")


def hornetq_2_1_2() -> list[str]:
    """Return the command for HornetQ 2.1.2; raises LookupError saying what to do."""
    return child.command(__package__, "hornetq-2.1.2")


def artemis() -> list[str]:
    """Return the command for Artemis 2.44.0; raises LookupError saying what to do."""
    return child.command(__package__, "artemis-2.44.0")
