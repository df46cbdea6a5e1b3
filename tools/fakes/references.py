"""The reference with one fault: as a process, by a name in HOOKS, CLAIMS or SERVED, or as a class.

These fakes are asked about cases that the tests define. Fakes that need no reference are misdeeds.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.reference import Reference
from journalspec_conformance.serve import answers, serve

Message = dict[str, Any]
#: A function from a question and its right answer to the fake's answer.
Hook = Callable[[Message, Message], Message]


def accepts_all(request: Message, right: Message) -> Message:
    """Report every journal as clean, without damage."""
    if right["ok"]["verdict"] == "clean":
        return right
    return right | {"ok": {"verdict": "clean", "records": right["ok"].get("records", [])}}


def bad_schema(request: Message, right: Message) -> Message:
    """Use numbers in place of texts, and add an unknown member."""
    right["ok"]["records"] = [{**record, "type": 8} for record in right["ok"].get("records", [])]
    right["ok"]["confidence"] = 0.9
    return right


def crasher(request: Message, right: Message) -> Message:
    """Exit instead of answering."""
    print("about to die", file=sys.stderr, flush=True)
    os._exit(77)


def forgets_records(request: Message, right: Message) -> Message:
    """Omit the last record."""
    if right["ok"].get("records"):
        right["ok"]["records"].pop()
    return right


def modifies_dir(request: Message, right: Message) -> Message:
    """Leave a lock file in the directory."""
    (Path(request["dir"]) / "journal.lock").touch()
    return right


def changes_after_read(request: Message, right: Message) -> Message:
    """Change the last byte of the files that were read."""
    if request["cmd"] == "read":
        path = min(Path(request["dir"]).iterdir())
        data = path.read_bytes()
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    return right


def recovery_empties(request: Message, right: Message) -> Message:
    """After recovery, replace the journal by a valid one without records."""
    if request["cmd"] == "recover":
        for path in Path(request["dir"]).iterdir():
            data = bytearray(path.read_bytes())
            # The position in the header means that no record follows the header.
            data[13:21] = (21).to_bytes(8, "big")
            path.write_bytes(data)
    return right


def not_idempotent(request: Message, right: Message) -> Message:
    """Append a byte to every file at each recovery, then return the answer for the unchanged files."""
    if request["cmd"] == "recover":
        for path in sorted(Path(request["dir"]).iterdir()):
            with path.open("ab") as stream:
                stream.write(b"\0")
    return right


def perfect(request: Message, right: Message) -> Message:
    """Return the right answer."""
    return right


def refuses_all(request: Message, right: Message) -> Message:
    """Refuse every journal."""
    return right | {"ok": {"verdict": "refused", "phase": "fileset", "code": "no-files"}}


def strange_names(request: Message, right: Message) -> Message:
    """Add a misspelt field to every record, next to the right one."""
    for record in right["ok"].get("records", ()):
        record["gtird"] = record["gtrid"]
    return right


class LosesWrites(Reference):
    """Acknowledges every operation as durable, and writes all of them at the very end."""

    def hello(self) -> Message:
        """Make the same declaration as the reference, but without the list of operations on the files."""
        message = super().hello()
        for entry in message["formats"].values():
            entry["features"].remove("io-trace")
        return message

    def write(self, request: Message) -> Iterator[Message]:
        """Acknowledge all operations first, then do them."""
        if request.get("step"):
            for number, _ in enumerate(request["ops"]):
                yield {"step": str(number), "durable": True}
        yield from super().write({**request, "step": False})


class DeclaresNothing:
    """An implementation of no format."""

    def hello(self) -> Message:
        """Declare no format."""
        return {"protocol": 1, "impl": {"name": "nothing"}, "formats": {}}


#: Name -> a function that changes the answer to each question.
HOOKS: Mapping[str, Hook] = {
    hook.__name__: hook
    for hook in (
        accepts_all, bad_schema, changes_after_read, crasher, forgets_records, modifies_dir, not_idempotent,
        perfect, recovery_empties, refuses_all, strange_names,
    )
}  # fmt: skip
_NOT_PURE = ("not_idempotent", "changes_after_read", "recovery_empties")
#: Name -> the members that differ from the reference in the declaration of every format.
CLAIMS: Mapping[str, Message] = {
    **{name: {"features": ["damage", "step"]} for name in _NOT_PURE},
    "typo_field": {"fields": ["gtrid", "nams"]},
    "typo_level": {"observe": "recods"},
    "typo_policy": {"policies": ["strct"]},
}
#: Name -> an implementation that is served as it is.
SERVED: Mapping[str, Callable[[], Any]] = {"loses_writes": LosesWrites, "declares_nothing": DeclaresNothing}


def be(name: str) -> None:
    """Run the process of that name; raises KeyError if there is none."""
    if name in SERVED:
        serve(SERVED[name](), sys.stdin, sys.stdout)
        return
    hook = HOOKS["perfect" if name in CLAIMS.keys() - HOOKS.keys() else name]
    claims = {"features": ["damage", "pure", "step"]} | CLAIMS.get(name, {})
    reference = Reference()
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "bye":
            return
        for reply in answers(reference, request):
            given = {"seq": request["seq"], **reply}
            if request["cmd"] == "hello":
                for entry in reply["formats"].values():
                    entry.update(claims)
            elif request["cmd"] != "write":
                given = hook(request, given)
            print(json.dumps(given), flush=True)
            if "step" in reply:
                sys.stdin.readline()


class Right(Reference):
    """A correct implementation as a class; the third question calls `happens`, which subclasses override."""

    _asked = 0

    def read(self, request: Message) -> Message:
        """Answer a question; at the third one, call `happens` first."""
        type(self)._asked += 1
        if type(self)._asked == 3:
            self.happens()
        return super().read(request)

    def happens(self) -> None:
        """Do nothing: this class has no fault."""


def _third(name: str, about: str, happens: Callable[[], object]) -> type[Right]:
    return type(name, (Right,), {"__doc__": about, "happens": lambda self: happens()})


def _raise(error: BaseException) -> None:
    raise error


ExitsHard = _third("ExitsHard", "Ends the process without an answer.", lambda: os._exit(0))
Raises = _third("Raises", "An ordinary exception.", lambda: _raise(RuntimeError("this was not foreseen")))
Prints = _third("Prints", "Prints to standard output.", lambda: print("third question"))


class ExitsInHello(Right):
    """Ends before it answers hello."""

    def hello(self) -> Message:
        """Exit at once."""
        os._exit(0)


class SaysUnsupported(Right):
    """Declares the same as the reference, and declines every recovery."""

    def recover(self, request: Message) -> Message:
        """Decline the question."""
        return {"unsupported": {"what": "recover", "message": "not today"}}
