"""Putting one state before an implementation, with a limit on everything it may do instead of answering.

A state that gets no answer is tried once more in a new process, after that
process has answered something, so that its start is not held against the state. That is left out if
it is known that nothing but the state was in the way: what had a processor all the time would work on.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from journalspec.observation import At, Observation, Record
from journalspec_conformance.answers import check_observation
from journalspec_conformance.connect import Target
from journalspec_conformance.connection import Message
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved, Problem, TimedOut
from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.programs import drop_scratch, make_scratch, remove
from journalspec_corpus.case import write_files
from journalspec_corpus.crash.verdict import Answer

#: Seconds per state. Every product answers within milliseconds, if it does.
TIMEOUT = 2.0
#: Seconds for the first state after a start: programs load their parts when they first need them.
FIRST_TIMEOUT = 30.0
_NOWHERE = At("", 0, 0)
#: What is taken for no answer while a state is shrunk.
_NO_ANSWER = Answer((), "no-answer")
_SHOWN = 300

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of asking: an `answer`, or the name of what came instead (hang, crash, error, unsupported).

    `told` is what was said, for people; `tries` is how often it was asked. `second`
    is what it made of the files as its own recovery had left them, if that changes any.
    """

    answer: Answer | None
    instead: str = ""
    told: str = ""
    tries: int = 1
    second: Answer | None = None
    #: It did not come back although it had a processor all the time.
    busy: bool = False


class Asker:
    """An implementation that is asked to recover states. Close it when done."""

    def __init__(
        self,
        target: Target,
        format_id: str,
        answer_of: Callable[[Observation], Answer],
        timeout: float = TIMEOUT,
    ) -> None:
        """Start the implementation; raises a Breakdown if it does not introduce itself."""
        self._format = format_id
        self._answer_of = answer_of
        self._timeout = timeout
        self._connection = target.open(timeout)
        self.hello = self._connection.hello()
        self._in_memory = self._connection.in_memory
        declared = self.hello.formats.get(format_id)
        self._pure = declared is None or "pure" in declared.features
        self.unlisted = declared is not None and "no-records" in declared.features
        self._root = make_scratch(memory=True)
        #: The process has answered since it was started.
        self._warm = False
        self._answered: tuple[Files, str, str] | None = None

    def ask(self, files: Files, edition: str, policy: str, *, twice: bool = True) -> Reply:
        """Return what the implementation makes of `files`, asked again if it did not come back and `twice`.

        A slow answer may be the machine's fault; that a process ended is nobody else's. A new process answers
        the last question that was answered first: whoever does not come back then is not merely starting.
        """
        self._warm_up()
        reply = self._try(files, edition, policy)
        if self._warm:
            self._answered = (files, edition, policy)
        if reply.instead != "hang" or reply.busy or not twice:
            return reply
        self._warm_up()
        again = self._try(files, edition, policy)
        return replace(again, tries=2)

    def _warm_up(self) -> None:
        """Let a process that has answered nothing yet answer what another one has answered."""
        if not self._warm and self._answered is not None:
            self._try(*self._answered)

    def close(self) -> None:
        """Let go of the implementation and of all files."""
        self._connection.close()
        drop_scratch(self._root)

    def _try(self, files: Files, edition: str, policy: str) -> Reply:
        if isinstance(self._connection, ProcessConnection):
            self._connection.timeout = self._timeout if self._warm else max(FIRST_TIMEOUT, self._timeout)
        try:
            reply = self._ask(files, edition, policy)
            self._warm = True
        except Breakdown as error:
            busy = isinstance(error, TimedOut) and error.busy
            self._warm = False
            ended = "crash" if isinstance(error, Crashed) else "error"
            return Reply(None, "hang" if isinstance(error, TimedOut) else ended, error.reason, busy=busy)
        except Problem:
            raise
        except Exception as error:  # whatever one state does to the runner, the others are judged
            return Reply(None, "error", f"it could not be judged: {type(error).__name__}: {error}"[:_SHOWN])
        return reply

    def _ask(self, files: Files, edition: str, policy: str) -> Reply:
        request: Message = {
            "cmd": "recover",
            "format": self._format,
            "edition": edition,
            "dir": "",
            "params": {},
            "observe": "state",
            "policy": policy,
        }
        if self._in_memory:
            return self._twice({**request, "files": dict(files)})
        # Anything may stand where the last one was, or where the next one was guessed to be.
        directory = self._root / secrets.token_hex(16)
        directory.mkdir(0o700)
        try:
            write_files(directory, ((file, [content]) for file, content in files.items()))
            return self._twice({**request, "dir": str(directory)})
        finally:
            remove(directory)

    def _twice(self, request: Message) -> Reply:
        """Return the reply to `request`, and the next one if recovery changes what it recovers from."""
        reply = self._read(self._connection.ask(request))
        if self._pure or reply.answer is None or reply.answer.refused is not None:
            return reply
        again = self._read(self._connection.ask(request))
        return replace(reply, second=again.answer or Answer((), again.instead))

    def _read(self, reply: Message) -> Reply:
        if "unsupported" in reply:
            return Reply(None, "unsupported", str(reply["unsupported"])[:_SHOWN])
        if "error" in reply:
            return Reply(None, "error", str(reply["error"].get("message", "no message"))[:_SHOWN])
        observed = reply["ok"]
        check_observation(observed)
        try:
            answer = self._answer_of(observation_of(observed))
        except (KeyError, TypeError, ValueError) as error:
            raise Misbehaved(f"the observation lacks what records are told apart by: {error!r}") from None
        answer = replace(answer, unlisted=self.unlisted)
        return Reply(answer, told=str(observed.get("message", ""))[:_SHOWN])


@dataclass
class ImplementationReader:
    """An implementation under one policy as a reader: from files and edition to its answer.

    Where it gives none (a hang, a crash), `instead` is taken for its answer: a refusal, if nothing else is
    said. Whoever looks for a refusal says something else, or it is shrunk to a state on which it hangs.
    """

    asker: Asker
    policy: str
    instead: Answer = _NO_ANSWER
    asked: int = 0

    def __call__(self, files: Mapping[str, bytes], edition: str) -> Answer:
        """Return the answer on `files`."""
        self.asked += 1
        reply = self.asker.ask(files, edition, self.policy)
        return self.instead if reply.answer is None else reply.answer


def observation_of(observed: Message) -> Observation:
    """Return an observation from its JSON form, as far as records and state go."""
    records = tuple(
        Record(
            str(entry.get("type", "")),
            {name: value for name, value in entry.items() if name not in ("type", "at")},
            _NOWHERE,
        )
        for entry in observed.get("records") or ()
    )
    return Observation(
        observed["verdict"],
        records,
        state=observed.get("state"),
        phase=observed.get("phase"),
        code=observed.get("code"),
    )
