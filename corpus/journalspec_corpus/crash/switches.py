"""What the environment turns on or off. Nothing that comes out of a build depends on it."""

from __future__ import annotations

import os

#: Turns the kernels off if it is "0", and with them the compiled engine.
KERNEL_SWITCH = "JOURNALSPEC_KERNEL"
#: Turns the compiled engine on if it is "1", off if it is "0".
ENGINE_SWITCH = "JOURNALSPEC_ENGINE"


def engine_asked() -> bool:
    """Tell whether nobody has turned the compiled engine off."""
    return os.environ.get(ENGINE_SWITCH) != "0" and os.environ.get(KERNEL_SWITCH) != "0"
