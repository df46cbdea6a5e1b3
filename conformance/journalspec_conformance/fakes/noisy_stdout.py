"""Prints a banner where only answers belong."""

from __future__ import annotations

from journalspec_conformance.fakes._base import Message, is_question, run


def hook(request: Message, right: Message) -> Message | None:
    """Say something before the right answer."""
    if is_question(request):
        print("[INFO] reading journal", flush=True)
    return right


if __name__ == "__main__":
    run(hook)
