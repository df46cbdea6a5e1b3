"""What all fakes share: the reference inside, and one hook to do something wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from journalspec_conformance.harnesses.reference import Reference
from journalspec_conformance.serve import answers

Message = dict[str, Any]
#: Gets a request and the right answer, returns the answer to give (None: none).
Hook = Callable[[Message, Message], "Message | None"]


def say(message: Message) -> None:
    """Write one line and flush it."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def run(hook: Hook, **claims: Any) -> None:
    """Serve the reference, with every answer but hello's passed through `hook`.

    `claims` replace members of every format's declaration.
    """
    reference = Reference()
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "bye":
            return
        for reply in answers(reference, request):
            if request["cmd"] == "hello":
                for entry in reply["formats"].values():
                    entry["features"] = ["damage", "pure", "step"]
                    entry.update(claims)
                say({"seq": request["seq"], **reply})
                continue
            given = hook(request, {"seq": request["seq"], **reply})
            if given is not None:
                say(given)
            if "step" in reply:
                sys.stdin.readline()


def is_question(request: Message) -> bool:
    """Tell whether `request` asks for an observation."""
    return request["cmd"] in ("read", "recover")
