"""Asks one implementation: it makes the request of a probe, grades the answer, and skips undeclared
capabilities.

This module does not depend on a format. A probe contains its question and the permitted answers. The
connection provides the declaration of the implementation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from journalspec.formats import get_format
from journalspec.observation import REFUSED, Level, jsonable
from journalspec_conformance.answers import check_claims, check_observation, stranger_in
from journalspec_conformance.compare import Claims, closest
from journalspec_conformance.connection import Connection, FormatClaims, Hello, Message
from journalspec_conformance.errors import Misbehaved
from journalspec_conformance.protocol import first_fault, schema_of_reply, schema_of_request
from journalspec_conformance.result import Outcome, OwnOracle
from journalspec_conformance.scratch import CaseDirectory, Workspace
from journalspec_conformance.wording import sentence
from journalspec_corpus import Case, Probe
from journalspec_reference import load

#: These needs of a case are operations. If one is missing, only the probes that use it are excluded, not the
#: whole case.
_OPERATIONS = frozenset({"read", "recover", "write"})


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a run, named as on the command line. `timeout` is in seconds.

    With `enforce_may`, a violated *may* is also a failure, because tests of mutants need every difference.
    """

    level: Level = Level.CONTENTS
    timeout: float = 10.0
    validate: bool = False
    enforce_should: bool = False
    enforce_may: bool = False


class Asking:
    """One connection, and places for the journals that are asked about. Close it when done."""

    def __init__(self, connection: Connection, options: Options) -> None:
        """Ask `connection` what it can do.

        Raises a Breakdown if there is no valid answer to ``hello``, and Problem if the answer contains names
        that the format does not have.
        """
        self.connection = connection
        self.options = options
        self.hello: Hello = connection.hello()
        self.validate("reply-hello", {"seq": 0, **self.hello.message})
        check_claims(self.hello)
        self.workspace = Workspace(connection.in_memory)
        #: The requests of the last probe, each with the reply to it.
        self.exchanges: list[tuple[Message, Message]] = []
        #: The number of questions that have been asked.
        self.questions = 0

    def close(self) -> None:
        """Send ``bye`` and clean up."""
        self.connection.close()
        self.workspace.close()

    def ask(self, request: Message) -> Message:
        """Send `request` and return the reply, both validated if the user asked for it."""
        self.validate(schema_of_request(request), {"seq": 0, **request})
        reply = self.connection.ask(request)
        self.exchanges.append((request, reply))
        self.validate(schema_of_reply(request["cmd"], reply), {"seq": 0, **reply})
        return reply

    def validate(self, schema: str, message: Message) -> None:
        """Raise Misbehaved if validation is on and `message` does not fit `schema`."""
        if not self.options.validate:
            return
        fault = first_fault(schema, {key: value for key, value in message.items() if key != "files"})
        if fault is not None:
            raise Misbehaved(f"not in the protocol: {fault}", self.connection.stderr())

    def request(self, probe: Probe, place: CaseDirectory) -> Message:
        """Return the request for `probe` on `place` (without the expected answer)."""
        self.questions += 1
        request: Message = {
            "cmd": probe.op,
            "format": probe.case.format,
            "edition": probe.case.edition,
            **place.request_members(),
            "params": dict(probe.case.params),
        }
        if request["cmd"] != "write":
            request["observe"] = self.claims(probe).level.name.lower()
        if request["cmd"] == "recover":
            request["policy"] = probe.policy or "strict"
        return request

    def compare(self, probe: Probe, observed: Message, claims: Claims) -> Outcome:
        """Return the outcome for `observed`: pass, allowed or fail."""
        check_observation(observed)
        stranger = stranger_in(observed, probe.case.format)
        if stranger is not None:
            return Outcome("fail", f"vocabulary:{stranger[0]}", stranger[1])
        if isinstance(probe.case, OwnOracle):
            return probe.case.outcome(probe.policy or "", observed, claims)
        index, difference = closest(probe.expect, observed, claims)
        if difference is not None:
            return Outcome("fail", difference.fingerprint, sentence(difference), difference=difference)
        if len(probe.expect) == 1:
            return Outcome("pass")
        return Outcome("allowed", choice=f"{index + 1} of {len(probe.expect)}")

    def format_claims(self, probe: Probe) -> FormatClaims:
        """Return the declaration for the probe's format; raises KeyError if there is none."""
        return self.hello.formats[probe.case.format]

    def claims(self, probe: Probe) -> Claims:
        """Return the level to compare: the lower of the declared and the requested one.

        Contents are requested only for probes that expect them.
        """
        declared = self.format_claims(probe)
        features = declared.features
        return Claims(
            min(
                declared.observe, self.options.level, Level.CONTENTS if _of_contents(probe) else Level.LAYOUT
            ),
            declared.state,
            declared.fields,
            silent="silent" in features,
            records="no-records" not in features,
            missing="missing" in features,
            beside=_marked(probe.case.format, "neighbour"),
            exact=_marked(probe.case.format, "exact"),
        )

    def unsupported(self, probe: Probe) -> str | None:
        """Return the undeclared capability that `probe` needs, or None if all are declared."""
        case = probe.case
        declared = self.hello.formats.get(case.format)
        if declared is None:
            return f"format {case.format}"
        if case.edition not in declared.editions:
            return f"edition {case.edition}"
        if probe.op not in declared.ops:
            return f"operation {probe.op}"
        if probe.policy is not None and probe.policy not in declared.policies:
            return f"policy {probe.policy}"
        if _of_contents(probe) and declared.observe < Level.CONTENTS:
            return f"level {Level.CONTENTS.name.lower()}"
        lacking = sorted(set(case.needs) - _OPERATIONS - declared.features)
        return f"feature {', '.join(lacking)}" if lacking else None

    def settled(self, probe: Probe, reply: Message) -> Outcome | None:
        """Return the outcome of a reply that is not an answer (unsupported, error). Return None if the reply
        is an answer.

        Declining a declared ability is a failure. There are three exceptions, because ``hello`` cannot
        express them: a writer may decline a parameter of a case, one of its operations, or an edition that
        the implementation only reads.
        """
        if "unsupported" in reply:
            declined: Mapping[str, Any] = reply["unsupported"]
            texts = (str(declined.get(key, "")) for key in ("what", "message", "issue"))
            said = ": ".join(filter(None, texts)) or "no reason"
            # A parameter may be written with its value: param:alignment=512.
            if str(declined.get("what", "")).partition("=")[0] in _open_to_writers(probe):
                return Outcome("unsupported", reason=said)
            return Outcome("fail", "unsupported", f"declared, but answered as not supported: {said}")
        if "error" in reply:
            error: Mapping[str, Any] = reply["error"]
            stderr = "\n".join(filter(None, (str(error.get("detail", "")), self.connection.stderr())))
            return Outcome("error", reason=str(error.get("message", "no message")), stderr=stderr)
        return None


def _open_to_writers(probe: Probe) -> set[str]:
    case = probe.case
    if probe.op != "write" or case.write is None:
        return set()
    params = (f"param:{name}" for name in (*case.params, *case.write["params"]))
    return {"operation", f"edition:{case.edition}", *params}


def recovered(case: Case, files: Mapping[str, bytes | bytearray], policy: str = "strict") -> dict[str, Any]:
    """Return the state that the reference recovers from `files`, or its refusal."""
    content = {name: bytes(data) for name, data in files.items()}
    seen = load(case.format).recover(content, edition=case.edition, policy=policy, params=case.params)
    if seen.verdict == REFUSED:
        return {"refused": f"{seen.phase}/{seen.code}"}
    state: dict[str, Any] = jsonable(seen.state or {})
    return state


@cache
def _marked(format_id: str, mark: str) -> frozenset[str]:
    """Return the codes of those notes and missing parts that have `mark` in the format's tables."""
    words = get_format(format_id).vocabulary
    return frozenset(name for name, word in {**words.notes, **words.missing}.items() if getattr(word, mark))


def _of_contents(probe: Probe) -> bool:
    """Return whether a probe needs contents.

    Only implementations that report contents are asked such probes.
    """
    return any("contents" in entry for entry in probe.expect)
