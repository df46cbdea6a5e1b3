"""The commands behind the harness names, made only if the product is ready."""

from __future__ import annotations

from journalspec_conformance.harnesses.java import child


def bitronix_2_1_2() -> list[str]:
    """Return the command for BTM 2.1.2; raises LookupError saying what to do."""
    return child.command(__package__, "bitronix-2.1.2")


def bitronix_2_1() -> list[str]:
    """Return the command for BTM 2.1.4; raises LookupError saying what to do."""
    return child.command(__package__, "bitronix-2.1.4")


def bitronix_3_0() -> list[str]:
    """Return the command for BTM 3.0.0-mk1; raises LookupError saying what to do."""
    return child.command(__package__, "bitronix-3.0.0-mk1")
