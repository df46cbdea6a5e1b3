"""Says that it changes nothing, and leaves a lock file."""

from __future__ import annotations

from pathlib import Path

from journalspec_conformance.fakes._base import Message, is_question, run


def hook(request: Message, right: Message) -> Message | None:
    """Leave a lock file behind."""
    if is_question(request):
        (Path(request["dir"]) / "journal.lock").touch()
    return right


if __name__ == "__main__":
    run(hook)
