"""Declarative schemas as implementations: they read undamaged journals, and nothing else.

A schema has neither checksums nor scanning, so it is only asked for ``read``
and never about damage. Formats are found by looking for the schema's module in
each format's room.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, Protocol

from journalspec import __version__
from journalspec.formats import format_ids, get_format
from journalspec.observation import Level, Observation
from journalspec_conformance.harnesses.reference import files_of

Message = dict[str, Any]


class SchemaModule(Protocol):
    """What a schema's module offers."""

    parse: Callable[..., Observation]


class SchemaHarness:
    """Reads with the module `module` (``schema``, ``kaitai``) of every format that has one."""

    name: ClassVar[str]
    module: ClassVar[str]

    def __init__(self) -> None:
        """Find the formats' modules; they are imported when first needed."""
        self._paths = {
            format_id: path
            for format_id in format_ids()
            if find_spec(path := f"journalspec.{format_id}.{self.module}") is not None
        }
        self._modules: dict[str, Any] = {}

    def hello(self) -> Message:
        """Declare ``read`` at level layout, without damage; editions as the module lists them."""
        return {
            "protocol": 1,
            "impl": {"name": self.name, "version": __version__, "language": "python"},
            "formats": {
                format_id: {
                    "editions": list(
                        getattr(self._module(format_id), "EDITIONS", get_format(format_id).editions)
                    ),
                    "ops": ["read"],
                    "observe": "layout",
                    "features": ["pure", "memory"],
                }
                for format_id in self._paths
            },
        }

    def read(self, request: Message) -> Message:
        """Parse; what the schema cannot take as undamaged is no answer but an error."""
        parse = self._module(request["format"]).parse
        seen: Observation = parse(files_of(request), request["edition"], request.get("params"))
        return {"ok": seen.to_json(Level.parse(request["observe"]))}

    def bye(self) -> None:
        """Nothing is held open."""

    def _module(self, format_id: str) -> Any:
        if format_id not in self._modules:
            self._modules[format_id] = import_module(self._paths[format_id])
        return self._modules[format_id]


class Construct(SchemaHarness):
    """The construct schemas."""

    name = "journalspec-construct"
    module = "schema"


class Kaitai(SchemaHarness):
    """The generated Kaitai Struct parsers."""

    name = "journalspec-kaitai"
    module = "kaitai"
