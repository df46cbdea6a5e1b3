"""Finds every journal clean and reports what it found; damage does not exist."""

from __future__ import annotations

from journalspec_conformance.fakes._base import Message, is_question, run


def hook(request: Message, right: Message) -> Message | None:
    """Call everything clean."""
    if not is_question(request) or right["ok"]["verdict"] == "clean":
        return right
    return right | {"ok": {"verdict": "clean", "records": right["ok"].get("records", [])}}


if __name__ == "__main__":
    run(hook)
