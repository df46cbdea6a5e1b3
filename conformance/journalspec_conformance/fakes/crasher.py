"""Dies instead of answering."""

from __future__ import annotations

import os
import sys

from journalspec_conformance.fakes._base import Message, is_question, run


def hook(request: Message, right: Message) -> Message | None:
    """End the process."""
    if is_question(request):
        print("about to die", file=sys.stderr, flush=True)
        os._exit(77)
    return right


if __name__ == "__main__":
    run(hook)
