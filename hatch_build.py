"""A wheel built from the sources has the cases; to be published, they are a distribution of their own."""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_CASES = "journalspec_corpus/published"


class Cases(BuildHookInterface[Any]):
    """Adds the cases unless JOURNALSPEC_CASES is ``apart``; an editable installation finds them in place."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the published cases to what the wheel holds."""
        if version != "editable" and os.environ.get("JOURNALSPEC_CASES") != "apart":
            build_data["force_include"][f"{self.root}/corpus/{_CASES}"] = _CASES
