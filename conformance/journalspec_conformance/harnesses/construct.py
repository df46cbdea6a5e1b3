"""The construct schemas as an implementation."""

from __future__ import annotations

from journalspec_conformance.harnesses._schemas import SchemaHarness


class Construct(SchemaHarness):
    """``journalspec.<format>.schema`` of every format."""

    def __init__(self) -> None:
        """Find the schemas."""
        super().__init__("schema", "journalspec-construct")
