"""Adds a field that the format does not have to every record."""

from __future__ import annotations

from journalspec_conformance.fakes._base import Message, is_question, run


def hook(request: Message, right: Message) -> Message | None:
    """Misspell a field, beside the right one."""
    if is_question(request):
        for record in right["ok"].get("records", ()):
            record["gtird"] = record["gtrid"]
    return right


if __name__ == "__main__":
    run(hook)
