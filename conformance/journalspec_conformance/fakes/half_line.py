"""Says half a line and then nothing more."""

from __future__ import annotations

import sys
import time

from journalspec_conformance.fakes._base import Message, is_question, run


def hook(request: Message, right: Message) -> Message | None:
    """Begin an answer."""
    if is_question(request):
        sys.stdout.write(str(right)[:20])
        sys.stdout.flush()
        time.sleep(600)
    return right


if __name__ == "__main__":
    run(hook)
