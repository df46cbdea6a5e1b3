"""Repairs a little more at every recovery: each one moves the files on."""

from __future__ import annotations

from pathlib import Path

from journalspec_conformance.fakes._base import Message, run


def hook(request: Message, right: Message) -> Message | None:
    """Make every file longer by a byte, then tell what recovery found before that."""
    if request["cmd"] == "recover":
        for path in sorted(Path(request["dir"]).iterdir()):
            with path.open("ab") as stream:
                stream.write(b"\0")
    return right


if __name__ == "__main__":
    run(hook, features=["damage", "step"])
