"""The reference, unharmed."""

from __future__ import annotations

from journalspec_conformance.fakes._base import Message, run


def hook(request: Message, right: Message) -> Message | None:
    """Give the right answer."""
    return right


if __name__ == "__main__":
    run(hook)
