"""The entry point of ``journalspec`` and of ``python -m journalspec_conformance``."""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Run the command line; ends the process with the documented exit status."""
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual:
        # Nothing needs to be cleaned up during the imports, so Ctrl-C ends this program as it ends any other
        # program.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # NumPy would start a thread for each core for linear algebra. This program does not use linear algebra.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from journalspec_conformance.cli import main as run  # noqa: PLC0415 - after these settings

    if usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


if __name__ == "__main__":
    main()
