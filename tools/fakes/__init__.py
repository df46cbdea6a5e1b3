"""Implementations that misbehave on purpose: the judge is tested with them.

Each is run as ``python tools/fakes NAME`` and speaks the protocol, apart
from the one thing that is wrong with it. `references` wrap the reference; the misdeeds of
`_sayings` and `_deeds` (see `misdeeds`) give answers that somebody has prepared.
"""

from __future__ import annotations

__all__: list[str] = []
