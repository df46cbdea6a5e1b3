"""Runs one product as a process; see :mod:`.product`."""

from __future__ import annotations

import sys

from journalspec_conformance.harnesses.product import main

if __name__ == "__main__":
    sys.exit(main())
