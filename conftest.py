"""What holds for all tests: they begin as if somebody had typed the command."""

from __future__ import annotations

import signal
from contextlib import suppress

# A shell that runs something in the background makes it ignore Ctrl-C, and nohup the end of the terminal;
# all that they start inherits that.
for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        with suppress(ValueError):  # not in the main thread
            signal.signal(number, usual)
