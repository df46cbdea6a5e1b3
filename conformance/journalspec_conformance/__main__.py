"""The entry point of ``journalspec`` and of ``python -m journalspec_conformance``."""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Run the command line; ends the process with the documented exit status."""
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual:
        # While everything is imported there is nothing to clean up: Ctrl-C ends it as it does any program.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # NumPy would start a thread for each core, for linear algebra that nothing here does.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from journalspec_conformance.cli import main as run  # noqa: PLC0415 - see above

    if usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


if __name__ == "__main__":
    main()
