"""Refuses every journal."""

from __future__ import annotations

from journalspec_conformance.fakes._base import Message, is_question, run


def hook(request: Message, right: Message) -> Message | None:
    """Refuse."""
    if not is_question(request):
        return right
    return right | {"ok": {"verdict": "refused", "phase": "fileset", "code": "no-files"}}


if __name__ == "__main__":
    run(hook)
