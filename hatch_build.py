"""A wheel that is built from the sources contains the cases.

For publication, they are a separate distribution.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_CASES = "journalspec_corpus/published"


class Cases(BuildHookInterface[Any]):
    """Adds the cases, unless JOURNALSPEC_CASES is ``apart``.

    An editable installation finds the cases in the checkout.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the published cases to the content of the wheel."""
        if version != "editable" and os.environ.get("JOURNALSPEC_CASES") != "apart":
            build_data["force_include"][f"{self.root}/corpus/{_CASES}"] = _CASES
