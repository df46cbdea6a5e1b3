"""Implementations that misbehave on purpose, for tests of the runner.

Each is run as ``python tools/fakes NAME`` and follows the protocol except for one fault. `references` wrap
the reference; the misdeeds of `_sayings` and `_deeds` (see `misdeeds`) give prepared answers.
"""

from __future__ import annotations

__all__: list[str] = []
