"""Speeds up many calls of `journalspec`: each call is a fork of a process that has already imported all
modules.

Importing takes most of the time of a short command. `command` makes a program named ``journalspec`` in a
directory that callers put first in PATH. Pipes, files and exit statuses work as usual in a shell. The server
ends with the process that called `command`.

    python tools/warm.py SOCKET      the server
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import click

from journalspec.formats import format_ids
from journalspec_conformance.__main__ import main
from journalspec_conformance.cli import cli
from journalspec_reference import load

#: The small program that is called: it sends its arguments, directory, environment and streams, and ends as
#: the command did.
_CLIENT = """#!{python} -SE
import os, socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.connect({socket!r})
words = [os.getcwd(), str(len(sys.argv) - 1), *sys.argv[1:], *(f"{{k}}={{v}}" for k, v in os.environ.items())]
socket.send_fds(server, [os.fsencode("\\0".join(words))], [0, 1, 2])
os._exit(int(server.recv(16) or 1))
"""
_MOST = 1 << 18


@cache
def _server() -> tuple[subprocess.Popen[bytes], tempfile.TemporaryDirectory[str]]:
    """Start the server; it and the directory exist as long as this process."""
    place = tempfile.TemporaryDirectory(prefix="warm-")
    path = Path(place.name) / "socket"
    client = Path(place.name) / "bin" / "journalspec"
    client.parent.mkdir()
    client.write_text(_CLIENT.format(python=sys.executable, socket=str(path)), encoding="utf-8")
    client.chmod(0o755)
    server = subprocess.Popen(
        [sys.executable, __file__, str(path)],
        env={**os.environ, "PYTHONUTF8": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    server.stdout.readline()  # The first line means that the server listens.
    return server, place


def command() -> Path:
    """Return the directory of the program; without `fork`, that of the installed one."""
    if not hasattr(os, "fork"):
        return Path(sys.executable).parent
    return Path(_server()[1].name) / "bin"


def _import_all() -> None:
    """Import the modules that commands import when called, and read the tables of the formats."""
    context = click.Context(cli)
    for name in cli.list_commands(context):
        cli.get_command(context, name)
    for format_id in format_ids():
        load(format_id)
    gc.freeze()


def _serve(path: str) -> None:
    """Answer calls until standard input is closed."""
    _import_all()
    sys.path[0] = str(Path(sys.executable).parent)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([listener.fileno(), 0], [], [])
        if 0 in ready:
            return
        caller, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(caller)
        caller.close()


def _answer(caller: socket.socket) -> None:
    """Run the command in a child process, and send its exit status."""
    data, streams, _, _ = socket.recv_fds(caller, _MOST, 3)
    child = os.fork()
    if child:
        for number in streams:
            os.close(number)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(OSError):
            caller.send(b"%d" % (status if status >= 0 else 128 - status))
        os._exit(0)
    caller.close()
    place, count, *words = os.fsdecode(data).split("\0")
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(place)
    os.environ.clear()
    os.environ.update(word.partition("=")[::2] for word in words[int(count) :])
    sys.argv = ["journalspec", *words[: int(count)]]
    main()
    sys.exit(0)


if __name__ == "__main__":
    _serve(sys.argv[1])
