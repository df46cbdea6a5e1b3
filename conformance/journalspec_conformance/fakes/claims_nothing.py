"""Declares no format at all."""

from __future__ import annotations

import sys

from journalspec_conformance.serve import serve


class Nothing:
    """An implementation of nothing."""

    def hello(self) -> dict[str, object]:
        """Declare no format."""
        return {"protocol": 1, "impl": {"name": "nothing"}, "formats": {}}


if __name__ == "__main__":
    sys.exit(serve(Nothing(), sys.stdin, sys.stdout))
