"""Represents one implementation under test: its declaration, and the connection for questions.

There is one protocol and one connection. A command that is run once per question and a Python class do not
speak the protocol themselves. They have adapters, see :mod:`.connect`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from journalspec.observation import Level
from journalspec_conformance import PROTOCOL
from journalspec_conformance.errors import Breakdown, Misbehaved, TimedOut, said_more
from journalspec_corpus.form import strict

Message = dict[str, Any]

#: A reply must have exactly one of these members.
OUTCOMES = ("ok", "unsupported", "error")
#: The deepest nesting of lists and objects in an answer. The protocol's own messages have a depth of seven.
NESTING = 100
#: The largest number of digits of a JSON number. In the protocol only `seq` is a JSON number, and has few
#: digits; all other numbers are strings.
DIGITS = 100
#: Default seconds per question, and the least seconds for starting and answering ``hello``.
DEFAULT_TIMEOUT, START_TIMEOUT = 10.0, 30.0


@dataclass(frozen=True, slots=True)
class FormatClaims:
    """The declaration of an implementation for one format.

    `state` and `fields` are the reported state keys and record fields, None if all are reported.
    """

    editions: frozenset[str]
    ops: frozenset[str]
    observe: Level
    policies: frozenset[str] = frozenset()
    features: frozenset[str] = frozenset()
    state: frozenset[str] | None = None
    fields: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Hello:
    """Represents the identity of an implementation (free-form `impl`, at least a name) and its abilities.

    `message` is the whole answer.
    """

    impl: Mapping[str, str]
    formats: Mapping[str, FormatClaims] = field(default_factory=dict)
    message: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        """Name and version, for people."""
        return " ".join(part for part in (self.impl["name"], self.impl.get("version", "")) if part)

    @property
    def in_memory(self) -> bool:
        """Whether the implementation accepts files as a mapping, for all its formats."""
        return bool(self.formats) and all("memory" in claims.features for claims in self.formats.values())

    @classmethod
    def from_json(cls, reply: Any) -> Hello:
        """Read a reply to ``hello``; raises Misbehaved that describes its fault."""
        if isinstance(reply, dict) and isinstance(reply.get("error"), dict):
            raise Misbehaved(f"the answer to hello is an error: {reply['error'].get('message')!s:.500}")
        try:
            if reply["protocol"] != PROTOCOL:
                raise ValueError(f"it speaks protocol {reply['protocol']!r}, this runner speaks {PROTOCOL}")
            impl = {str(key): str(value) for key, value in reply["impl"].items()}
            if not impl.get("name"):
                raise ValueError("impl.name is missing")
            return cls(impl, {name: _claims(entry) for name, entry in reply["formats"].items()}, reply)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            missing = f"member {error} is missing" if isinstance(error, KeyError) else str(error)
            raise Misbehaved(f"the answer to hello cannot be used: {missing}") from None


def _claims(entry: Mapping[str, Any]) -> FormatClaims:
    def names(key: str) -> frozenset[str]:
        value = entry.get(key, ())
        if isinstance(value, str) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{key} must be a list of names, not {value!r}")
        return frozenset(value)

    for key in ("editions", "ops", "observe"):
        entry[key]
    return FormatClaims(
        editions=names("editions"),
        ops=names("ops"),
        observe=Level.parse(entry["observe"]),
        policies=names("policies"),
        features=names("features"),
        state=names("state") if "state" in entry else None,
        fields=names("fields") if "fields" in entry else None,
    )


class Peer:
    """A peer that answers in the protocol: a program, or an adapter of :mod:`.connect`."""

    #: Whether each reply contains the number of its request.
    numbered = False
    #: Whether the peer accepts files as a mapping from names to bytes, instead of a directory.
    in_memory = False

    def send(self, message: Message) -> None:
        """Hand over a request."""
        raise NotImplementedError

    def receive(self, timeout: float, directory: str) -> Message:
        """Return the next reply to a question about `directory`; raises a Breakdown."""
        raise NotImplementedError

    def unasked(self) -> Breakdown | None:
        """Return a fault after the last answer, such as more output; None if there is none yet."""
        return None

    def errors(self) -> str:
        """Return the last part of the peer's recent standard error."""
        raise NotImplementedError

    def leave(self) -> None:
        """Let the peer end by itself, after ``bye``."""

    def end(self) -> None:
        """Kill the peer and all processes that it has started."""


class Connection:
    """A connection to one implementation. A question may raise a Breakdown; the next question restarts it.

    `start` creates the peer when it is first needed. `timeout` is in seconds per request. The first request
    has at least START_TIMEOUT, because a program must start.
    """

    def __init__(self, start: Callable[[], Peer], timeout: float = DEFAULT_TIMEOUT) -> None:
        self._make, self.timeout = start, timeout
        #: Whether requests contain ``files`` (name -> bytes), so that no directory is needed.
        self.in_memory = False
        self._peer: Peer | None = None
        #: The number of the last request, and of the first one of this peer.
        self._seq = self._first = 0
        self._last_errors = ""
        self._late: Breakdown | None = None
        #: The directory of the last question, and whether the previous question was about the same directory.
        self._place: object = None
        self._same = False

    def hello(self) -> Hello:
        """Restart the implementation and return its declaration."""
        self._stop()
        peer, reply = self._start()
        hello = Hello.from_json(reply)
        more = self.unasked()
        if more is not None:
            raise more
        self.in_memory = peer.in_memory and hello.in_memory
        return hello

    def ask(self, request: Message) -> Message:
        """Send `request` (without ``seq``), and return the reply."""
        with self._exchange():
            peer, seq = self._begin(request)
            return checked(self._receive(peer, seq, self.timeout, request), request["cmd"])

    def steps(self, request: Message) -> Generator[Message, None, None]:
        """Yield the replies to a stepwise write, one for each operation, and last the final reply.

        Closing the iterator early kills the implementation at once.
        """
        with self._exchange():
            peer, seq = self._begin(request)
            reply = checked(self._receive(peer, seq, self.timeout, request))
            while "step" in reply and "ok" not in reply:
                yield reply
                peer.send({"seq": seq, "cmd": "step"})
                reply = checked(self._receive(peer, seq, self.timeout, request))
        yield reply

    def unasked(self) -> Breakdown | None:
        """Return a fault that followed the last answer of the peer; this method ends the peer."""
        more = None if self._peer is None else self._peer.unasked()
        return None if more is None else self._broken(more)

    def late(self) -> Breakdown | None:
        """Return, only once, a fault that followed the second-last answer, if it was detected late."""
        late, self._late = self._late, None
        return late

    def stderr(self) -> str:
        """Return the tail of standard error of this peer, or of the previous peer if none is running."""
        return self._last_errors if self._peer is None else self._peer.errors()

    def close(self) -> None:
        """Send ``bye`` and release all resources; never raises."""
        if self._peer is not None:
            self._send(self._peer, {"cmd": "bye"})
            self._peer.leave()
        self._stop()

    @contextmanager
    def _exchange(self) -> Iterator[None]:
        """End the peer if it breaks down meanwhile, or if the exchange is interrupted."""
        try:
            yield
        except Breakdown as error:
            raise self._broken(error) from None
        except BaseException:
            self._stop()  # A busy process would not read `bye`.
            raise

    def _begin(self, request: Message) -> tuple[Peer, int]:
        """Send `request`, after checking that no output of the last question is left."""
        more = self.unasked()
        self._same = request.get("dir") == self._place
        self._place = request.get("dir")
        self._blame(more)
        peer = self._peer or self._start()[0]
        return peer, self._send(peer, request)

    def _blame(self, late: Breakdown | None) -> None:
        """Store a fault after the last answer, or raise it if the new question is about the same files."""
        if late is not None and self._same:
            raise late
        self._late = late

    def _start(self) -> tuple[Peer, Message]:
        """Start a peer and return its answer to ``hello``."""
        peer = self._peer = self._make()
        with self._exchange():
            seq = self._first = self._send(peer, {"cmd": "hello", "protocol": PROTOCOL})
            return peer, self._receive(peer, seq, max(self.timeout, START_TIMEOUT), {})

    def _send(self, peer: Peer, request: Message) -> int:
        self._seq += 1
        peer.send({"seq": self._seq, **request})
        return self._seq

    def _receive(self, peer: Peer, seq: int, timeout: float, request: Message) -> Message:
        other: Misbehaved | None = None
        while True:
            try:
                reply = peer.receive(timeout, str(request.get("dir", "")))
            except TimedOut:
                if other is None:
                    raise
                # This is the only reply that arrived, so it belongs to this question, but it has a wrong
                # number.
                self._late = None
                raise other from None
            number = reply.get("seq")
            if not peer.numbered or (type(number) is int and number == seq):
                return reply
            said = json.dumps(reply).encode()[:200]
            wrong = Misbehaved(f"the answer is to request {number!r:.100}, but {seq} was asked: {said!r}")
            if other is not None or type(number) is not int or not self._first < number < seq:
                raise wrong
            # This is a second answer to an earlier question. The fault belongs to that question, not to the
            # current one.
            other = wrong
            self._blame(said_more(said))

    def _broken(self, error: Breakdown) -> Breakdown:
        if not error.lives:
            self._stop()
            error.stderr = self._last_errors
        return error

    def _stop(self) -> None:
        """End the peer and everything it started; keep the tail of its standard error."""
        peer, self._peer = self._peer, None
        if peer is not None:
            peer.end()
            self._last_errors = peer.errors()


class Unusable(ValueError):
    """This line is not a JSON object, or is an object that programs read differently.

    The text states the reason.
    """


def read_answer(text: bytes) -> Message:
    """Return the JSON object in `text`; raises Misbehaved with the reason if it cannot be used."""
    try:
        return read_object(text)
    except Unusable as error:
        raise Misbehaved(f"standard output has {error}: {text[:200]!r}") from None


def read_object(text: bytes) -> Message:
    """Parse `text` as a JSON object that all programs read alike; raises Unusable."""
    try:
        reply = strict(text, NESTING, _integer, _real, _constant)
    except ValueError as error:
        raise Unusable(f"a line that cannot be used: {error}") from None
    if not isinstance(reply, dict):
        raise Unusable("a line that is not a JSON object")
    return reply


def _integer(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _real(digits: str) -> float:
    number = float(digits) if len(digits) <= DIGITS else math.inf
    if not math.isfinite(number):
        raise ValueError(f"a number that is too long, {digits:.20}")
    return number


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, which is not JSON")


def checked(reply: object, whole: str = "") -> Message:
    """Return `reply` if it has the form of a reply, else raise Misbehaved; `whole` forbids a step.

    An implementation that sends a step waits for the line ``step``, and would mistake the next question for
    that line.
    """
    if not isinstance(reply, dict):
        raise Misbehaved(f"the answer is not a JSON object: {reply!r:.200}")
    if "step" in reply and "ok" not in reply:
        if whole:
            raise Misbehaved(f"a step is not an answer to {whole}: {reply!r:.200}")
        return reply
    if sum(key in reply for key in OUTCOMES) != 1:
        raise Misbehaved(f"the answer must have exactly one of {', '.join(OUTCOMES)}: {sorted(reply)}")
    (outcome,) = (key for key in OUTCOMES if key in reply)
    if not isinstance(reply[outcome], dict):
        raise Misbehaved(f"member {outcome!r} of the answer is not an object: {reply[outcome]!r:.200}")
    return reply
