"""Calls operations durable that it has not written."""

from __future__ import annotations

from journalspec_conformance.fakes._base import Message, run


def hook(request: Message, right: Message) -> Message | None:
    """Promise everything."""
    return right | {"durable": True} if "step" in right else right


if __name__ == "__main__":
    run(hook)
