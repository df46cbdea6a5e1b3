"""Programs that say hello like an implementation, and then run a test's code at each question."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable
from contextlib import suppress

import psutil

HELLO = {
    "protocol": 1,
    "impl": {"name": "tiny"},
    "formats": {"f": {"editions": ["1"], "ops": ["read"], "observe": "records"}},
}
READ = {"cmd": "read", "format": "f", "edition": "1", "dir": ".", "observe": "records", "params": {}}
#: One program for two modes; its function `answer` writes the right answer in the form of the mode.
_SOURCE = f"""
import json, os, subprocess, sys, time
oneshot = len(sys.argv) > 1
def put(data):
    while data:
        data = data[os.write(1, data):]
def say(text):
    put(text.encode())
def answer(member=b""):
    seq = b"" if oneshot else b'"seq":%d,"ok":{{' % request["seq"]
    put(b"{{" + seq + member + b'"verdict":"clean"' + b"}}" * (not oneshot) + b"}}\\n")
def deed():
    BODY
if oneshot:
    request = {{"cmd": sys.argv[1], "dir": sys.argv[4] if len(sys.argv) > 4 else ""}}
    if request["cmd"] == "hello":
        sys.exit(9)
    deed()
    sys.exit(0)
for line in sys.stdin:
    request = json.loads(line)
    seq = request["seq"]
    if request["cmd"] == "bye":
        break
    if request["cmd"] == "hello":
        say(json.dumps({{"seq": seq, **{HELLO!r}}}) + "\\n")
    else:
        deed()
"""


def source(body: str, at_the_end: str = "") -> str:
    """Return the text of a program that runs `body` at each question, and `at_the_end` after the last."""
    return (
        _SOURCE.replace("BODY", textwrap.indent(textwrap.dedent(body or "pass"), "    ").strip()) + at_the_end
    )


def until(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Wait for a condition; return whether it became true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    with suppress(psutil.NoSuchProcess):
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    return False
