"""Captured toy journals: what is done stands in ``scenarios.toml``, what must be in them says the model."""

import sys

from journalspec_conformance.harnesses.capture import Capture

CAPTURE = Capture(__package__)

if __name__ == "__main__":
    sys.exit(CAPTURE.main())
