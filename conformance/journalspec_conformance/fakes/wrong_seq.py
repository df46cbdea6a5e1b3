"""Answers another request than the one that was asked."""

from __future__ import annotations

from journalspec_conformance.fakes._base import Message, is_question, run


def hook(request: Message, right: Message) -> Message | None:
    """Give the right answer to the wrong request."""
    return right | {"seq": right["seq"] + 1} if is_question(request) else right


if __name__ == "__main__":
    run(hook)
