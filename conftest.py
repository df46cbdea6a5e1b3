"""What holds for all tests: they begin as if somebody had typed the command."""

from __future__ import annotations

import signal
from contextlib import suppress

# A shell that runs something in the background makes it ignore Ctrl-C, and all that it starts inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.default_int_handler)
