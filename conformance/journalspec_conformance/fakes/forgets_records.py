"""Leaves out the last record that it found."""

from __future__ import annotations

from journalspec_conformance.fakes._base import Message, is_question, run


def hook(request: Message, right: Message) -> Message | None:
    """Report one record less."""
    if is_question(request) and right["ok"].get("records"):
        right["ok"]["records"].pop()
    return right


if __name__ == "__main__":
    run(hook)
