"""The generated Kaitai Struct parsers as an implementation."""

from __future__ import annotations

from journalspec_conformance.harnesses._schemas import SchemaHarness


class Kaitai(SchemaHarness):
    """``journalspec.<format>.kaitai`` of every format."""

    def __init__(self) -> None:
        """Find the parsers."""
        super().__init__("kaitai", "journalspec-kaitai")
