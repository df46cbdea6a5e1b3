"""What makers of captured files share: playing operations, asking about copies, telling in TOML."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from journalspec.kept import scratch
from journalspec_conformance.process import ProcessConnection

Op = dict[str, Any]
Answer = dict[str, Any]


def play_steps(
    connection: ProcessConnection, request: Mapping[str, Any], *, killed: bool
) -> list[tuple[Op, Answer]]:
    """Do the operations of a ``write`` request one by one and return each with its stepwise answer.

    `killed`: the process dies after the last operation. The connection is
    closed. Raises RuntimeError if an operation gets no stepwise answer.
    """
    done = []
    steps = connection.steps({**request, "cmd": "write", "step": True})
    try:
        for op, answer in zip(request["ops"], steps, strict=False):
            if "step" not in answer:
                raise RuntimeError(f"{op} got no stepwise answer: {answer}")
            done.append((op, answer))
        if not killed:
            for _ in steps:  # the final answer: the harness has let go of the files
                pass
    finally:
        steps.close()  # early: the process is killed
        connection.close()
    return done


def ask_about_copy(connection: ProcessConnection, directory: Path, request: Mapping[str, Any]) -> Answer:
    """Return the observation that `request` gets on a copy of `directory`."""
    with scratch() as place:
        copy = place / "copy"
        shutil.copytree(directory, copy)
        answer: Answer = connection.ask({**request, "dir": str(copy)})["ok"]
        return answer


def toml_value(value: object) -> str:
    """Return `value` in TOML: strings (JSON's are TOML's), booleans, numbers, lists and inline tables."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    raise TypeError(f"no TOML form for {value!r}")
