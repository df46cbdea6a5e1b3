"""Says the right things in the wrong types."""

from __future__ import annotations

from journalspec_conformance.fakes._base import Message, is_question, run


def hook(request: Message, right: Message) -> Message | None:
    """Use numbers, and a member that the protocol does not know."""
    if is_question(request):
        right["ok"]["records"] = [{**record, "type": 8} for record in right["ok"].get("records", [])]
        right["ok"]["confidence"] = 0.9
    return right


if __name__ == "__main__":
    run(hook)
