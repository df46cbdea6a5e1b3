"""Declarative schemas as implementations, which read only undamaged journals.

A schema has no rules for scanning and recovery. The reference finds the headers and records, and computes the
state. The schema parses each header and record, and the answer contains its fields. So it gets only ``read``
requests, and only about undamaged journals.
"""

from __future__ import annotations

from typing import Any, ClassVar

from journalspec import __version__
from journalspec.formats import get_format
from journalspec.observation import REFUSED, Level
from journalspec.schemas import SchemaError, described, reread
from journalspec_conformance.harnesses.reference import files_of
from journalspec_reference import load

Message = dict[str, Any]


class SchemaHarness:
    """Reads with the schemas of one `kind` (``construct``, ``kaitai``) of every format that has them."""

    kind: ClassVar[str]

    def hello(self) -> Message:
        """Declare ``read`` at level layout, without damage, of all editions."""
        return {
            "protocol": 1,
            "impl": {"name": f"journalspec-{self.kind}", "version": __version__, "language": "python"},
            "formats": {
                format_id: {
                    "editions": list(get_format(format_id).editions),
                    "ops": ["read"],
                    "observe": "layout",
                    "features": ["pure", "memory", "log-alone"],
                }
                for format_id in described()
            },
        }

    def read(self, request: Message) -> Message:
        """Read a journal; raises SchemaError if it is damaged, or the schema does not fit."""
        format_id, edition, files = request["format"], request["edition"], files_of(request)
        found = load(format_id).read(files, edition=edition, params=request.get("params"))
        if found.verdict == REFUSED or found.dropped:
            raise SchemaError(f"the journal is damaged ({found.verdict})")
        seen = reread(format_id, self.kind, files, edition, found, request.get("params"))
        return {"ok": seen.to_json(Level.parse(request["observe"]))}

    def bye(self) -> None:
        """Do nothing, because no file is held open."""


class Construct(SchemaHarness):
    """The construct schemas."""

    kind = "construct"


class Kaitai(SchemaHarness):
    """The generated Kaitai Struct parsers."""

    kind = "kaitai"
