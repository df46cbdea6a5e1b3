"""A persistent process that answers one JSON object per line: one process for all questions."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence

from journalspec_conformance import PROTOCOL
from journalspec_conformance.bounds import BOUNDS, Bounds
from journalspec_conformance.child import Child, unasked
from journalspec_conformance.connection import Hello, Message, checked, read_answer
from journalspec_conformance.errors import Breakdown, Misbehaved, TimedOut

#: A process that was told bye must be gone after this many seconds.
BYE_SECONDS = 5.0


class ProcessConnection:
    """The persistent mode: one process, started when first asked, restarted after a breakdown.

    `timeout` is in seconds per request; the first one, which has to wait for
    the program to start, gets `start_timeout`.
    """

    in_memory = False

    def __init__(
        self,
        command: Sequence[str],
        *,
        timeout: float = 10.0,
        start_timeout: float = 30.0,
        environment: Mapping[str, str] | None = None,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self.command = list(command)
        self._environment = environment
        self.timeout = timeout
        self.start_timeout = max(timeout, start_timeout)
        self._bounds = bounds
        self._child: Child | None = None
        self._seq = 0
        #: The number of the first request of this life.
        self._first = 0
        self._last_errors = ""
        self._late: Breakdown | None = None
        #: Where the last question was about, and whether the one before was about the same.
        self._place: object = None
        self._same = False

    def hello(self) -> Hello:
        """Start the process if needed and return what it declares."""
        self._stop()
        hello = Hello.from_json(self._start())
        more = self.unasked()
        if more is not None:
            raise more
        return hello

    def ask(self, request: Message) -> Message:
        """Send `request`, wait for its answer; raises a Breakdown after which the process is gone."""
        try:
            seq = self._begin(request)
            reply = checked(self._receive(seq, self.timeout, request))
            if "step" in reply and "ok" not in reply:
                # It waits for a word that nobody will say, and would take the next question for it.
                raise Misbehaved(f"a step is no answer to {request['cmd']}: {reply!r:.200}")
            return reply
        except Breakdown as error:
            raise self._broken(error) from None
        except BaseException:
            self._stop()  # interrupted: who is still thinking would not hear `bye`
            raise

    def steps(self, request: Message) -> Generator[Message, None, None]:
        """Yield one answer per operation, then the final one; closing early kills the process."""
        finished = False
        try:
            seq = self._begin(request)
            while not finished:
                reply = checked(self._receive(seq, self.timeout, request))
                finished = "step" not in reply or "ok" in reply
                yield reply
                if not finished:
                    self._put({"seq": seq, "cmd": "step"})
        except Breakdown as error:
            finished = True
            raise self._broken(error) from None
        finally:
            if not finished:
                self._stop()

    def unasked(self) -> Breakdown | None:
        """Return what the process has done besides its last answer, and if it has, end it."""
        more = self._child.unasked() if self._child is not None else None
        return None if more is None else self._broken(more)

    def late(self) -> Breakdown | None:
        """Return, once, what came after the answer to the question before the last one."""
        late, self._late = self._late, None
        return late

    def stderr(self) -> str:
        """Return the last 64 KiB of standard error, of the process or of the one before."""
        return self._last_errors if self._child is None else self._child.errors()

    def close(self) -> None:
        """Say bye, wait five seconds, then kill."""
        child = self._child
        if child is not None:
            self._send({"cmd": "bye"})
            child.put(None)
            child.end(BYE_SECONDS)
        self._stop()

    def _begin(self, request: Message) -> int:
        """Send `request` to a process that has nothing left to say."""
        more = self.unasked()
        self._same = request.get("dir") == self._place
        self._place = request.get("dir")
        self._blame(more)
        if self._child is None:
            self._start()
        return self._send(request)

    def _blame(self, late: Breakdown | None) -> None:
        """Remember what was done after the last answer, or raise it, if that was about the same files."""
        if late is not None and self._same:
            raise late
        self._late = late

    def _start(self) -> Message:
        self._child = Child(self.command, self._environment, self._bounds)
        try:
            seq = self._first = self._send({"cmd": "hello", "protocol": PROTOCOL})
            return self._receive(seq, self.start_timeout, {})
        except Breakdown as error:
            raise self._broken(error) from None
        except BaseException:
            self._stop()
            raise

    def _send(self, request: Message) -> int:
        self._seq += 1
        self._put({"seq": self._seq, **request})
        return self._seq

    def _put(self, request: Message) -> None:
        if self._child is not None:
            self._child.put(json.dumps(request, separators=(",", ":")).encode() + b"\n")

    def _receive(self, seq: int, timeout: float, request: Message) -> Message:
        if self._child is None:
            raise AssertionError("nothing was asked")
        other: Misbehaved | None = None
        while True:
            try:
                line = self._child.get(timeout, str(request.get("dir", "")))
            except TimedOut:
                if other is None:
                    raise
                # Nothing else came: it was meant for this question, and has the number of another.
                self._late = None
                raise other from None
            reply = read_answer(line)
            number = reply.get("seq")
            if type(number) is int and number == seq:
                return reply
            wrong = Misbehaved(
                f"the answer is to request {number!r:.100}, but {seq} was asked: {line[:200]!r}"
            )
            if other is not None or type(number) is not int or not self._first < number < seq:
                raise wrong
            # It has been answered: whose second answer this is, the next one need not pay for.
            other = wrong
            self._blame(unasked(line))

    def _broken(self, error: Breakdown) -> Breakdown:
        self._stop()
        error.stderr = self._last_errors
        return error

    def _stop(self) -> None:
        """Kill the process and everything it started; keep the tail of its standard error."""
        child, self._child = self._child, None
        if child is not None:
            child.stop()
            self._last_errors = child.errors()
