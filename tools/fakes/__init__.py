"""Implementations that misbehave on purpose, for tests of the runner.

``python tools/fakes NAME`` runs one of them. It follows the protocol except for one fault. The fakes in
`references` wrap the reference. The fakes in `_sayings` and `_deeds` (see `misdeeds`) return prepared
answers.
"""

from __future__ import annotations

__all__: list[str] = []
