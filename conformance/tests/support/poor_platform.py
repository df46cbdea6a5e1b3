"""The command line as on a system that lacks most of POSIX: ``python poor_platform.py ARGUMENT...``.

It has no `fork`, process groups, `fcntl` or `resource`, and the signals of Windows. Files whose names end in
$LOCKED cannot be removed, as if another program had them open.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import psutil  # noqa: F401  # the one for Linux needs modules that are removed now

GONE: tuple[str, ...] = ("fork", "forkpty", "killpg", "setsid", "getpgid", "getuid", "geteuid", "getgid")
GONE += ("mkfifo", "chown", "O_TMPFILE", "O_DIRECTORY", "O_NOFOLLOW", "statvfs", "fchmod", "pread", "pwrite")
GONE += ("sched_getaffinity",)
SIGNALS = ("SIGHUP", "SIGKILL", "SIGPIPE", "SIGALRM", "SIGSTOP", "SIGCHLD", "setitimer", "alarm")
MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "pty")


def locked(call: Any) -> Any:
    """Return `call` as it behaves for a file that another process has open."""

    def fails(path: Any, *more: Any, **named: Any) -> None:
        if os.environ.get("LOCKED") and str(path).endswith(os.environ["LOCKED"]):
            raise PermissionError(
                13, "The process cannot access the file because it is used by another", path
            )
        call(path, *more, **named)

    return fails


if __name__ == "__main__":
    for name in GONE:
        if hasattr(os, name):
            delattr(os, name)
    for name in SIGNALS:
        if hasattr(signal, name):
            delattr(signal, name)
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    sys.platform = "other"
    os.unlink = os.remove = locked(os.unlink)
    from journalspec_conformance.__main__ import main

    main()
