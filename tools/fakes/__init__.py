"""Implementations that misbehave on purpose, for tests of the runner.

Each is run as ``python tools/fakes NAME`` and follows the protocol except for one fault. The fakes of
`references` wrap the reference; those of `_sayings` and `_deeds` (see `misdeeds`) return prepared answers.
"""

from __future__ import annotations

__all__: list[str] = []
