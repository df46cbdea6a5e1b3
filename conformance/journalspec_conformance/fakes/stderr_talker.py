"""Writes a lot to standard error, which is allowed, and is right."""

from __future__ import annotations

import sys

from journalspec_conformance.fakes._base import Message, run


def hook(request: Message, right: Message) -> Message | None:
    """Talk, then give the right answer."""
    print("DEBUG " + "x" * 4000, file=sys.stderr)
    return right


if __name__ == "__main__":
    run(hook)
