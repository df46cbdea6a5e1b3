"""Never answers, and has started a child that does not end either."""

from __future__ import annotations

import subprocess
import sys
import time

from journalspec_conformance.fakes._base import Message, is_question, run


def hook(request: Message, right: Message) -> Message | None:
    """Sleep for ten minutes."""
    if is_question(request):
        subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
        time.sleep(600)
    return right


if __name__ == "__main__":
    run(hook)
