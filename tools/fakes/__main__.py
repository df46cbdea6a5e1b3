"""A fake as a process: ``python tools/fakes NAME [QUESTION...]``.

Without a question, the process answers lines of the protocol. With a question (``read FORMAT EDITION DIR``),
it answers that question and ends. NAME is a misdeed (see :mod:`.misdeeds`) or one of `references`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

# Python runs the folder, but its modules import each other as members of the package.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fakes import misdeeds
from fakes._faulty import ONESHOT, PERSISTENT, TRIGGER, Message, Turn
from fakes.misdeeds import Faulty


def serve(fake: Faulty) -> None:
    """Run as a persistent process."""
    fake.mode = PERSISTENT
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["cmd"] == "bye":
            return
        if request["cmd"] == TRIGGER:
            fake.turn(request)
            continue
        reply = fake.hello() if request["cmd"] == "hello" else fake.read(request)
        Turn(request, reply, fake.mode).say()


def answer_once(fake: Faulty, cmd: str, words: list[str]) -> int:
    """Run as a command that answers one question; return the exit status."""
    fake.mode = ONESHOT
    request: Message = {"cmd": cmd}
    if cmd == "hello":
        Turn(request, fake.hello(), fake.mode).say()
        return 0
    request |= dict(zip(("format", "edition", "dir", "policy"), words, strict=False))
    if cmd == TRIGGER:
        return fake.turn(request).status
    Turn(request, fake.read(request), fake.mode).say()
    return 0


if __name__ == "__main__":
    misdeed = getattr(misdeeds, sys.argv[1], None)
    if misdeed is None:
        from fakes import references

        references.be(sys.argv[1])
    elif len(sys.argv) > 2:
        sys.exit(answer_once(misdeed(), sys.argv[2], sys.argv[3:]))
    else:
        serve(misdeed())
