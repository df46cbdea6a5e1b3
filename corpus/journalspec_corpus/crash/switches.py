"""What the environment turns on or off. Nothing that comes out of a build depends on it."""

from __future__ import annotations

import os

#: Turns the kernels off if it is "0", and with them the compiled engine.
KERNEL_SWITCH = "JOURNALSPEC_KERNEL"
#: Turns the compiled engine on if it is "1": compiling it takes a minute or more, once.
ENGINE_SWITCH = "JOURNALSPEC_ENGINE"


def engine_asked() -> bool:
    """Tell whether the compiled engine is asked for, where there is a compiler."""
    return os.environ.get(ENGINE_SWITCH) == "1" and os.environ.get(KERNEL_SWITCH) != "0"
