"""The harness as a process; see the package's text."""

from __future__ import annotations

import sys

from journalspec_conformance.harnesses.bitronix_tlog.harness import Bitronix
from journalspec_conformance.harnesses.java.harness import main

if __name__ == "__main__":
    sys.exit(main(Bitronix))
