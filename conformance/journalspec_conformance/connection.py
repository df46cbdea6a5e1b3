"""One implementation under test, however it is reached, and what it says it can do.

All ways of reaching one (process, one-shot command, Python class) have the
same small interface, so that nothing above this module knows the difference.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

from journalspec.observation import Level
from journalspec_conformance import PROTOCOL
from journalspec_conformance.errors import Breakdown, Misbehaved
from journalspec_corpus.form import strict

Message = dict[str, Any]

#: What a reply must carry exactly one of.
OUTCOMES = ("ok", "unsupported", "error")
#: Lists and objects in each other that an answer may have. The protocol's own have seven.
NESTING = 100
#: Digits of a JSON number. The protocol's own, `seq`, has a few: all others are strings.
DIGITS = 100


@dataclass(frozen=True, slots=True)
class FormatClaims:
    """What an implementation declares about one format.

    `state` and `fields` are None if all state keys and record fields are
    reported, else those that are.
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
    """Who an implementation is (free-form `impl`, at least a name) and what it can do.

    `message` is the whole answer, where there was one.
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
        """Whether it takes files as a mapping, of all its formats."""
        return bool(self.formats) and all("memory" in claims.features for claims in self.formats.values())

    @classmethod
    def from_json(cls, reply: object) -> Hello:
        """Read a hello reply; raises Misbehaved that says what is wrong with it."""
        if isinstance(reply, dict) and isinstance(reply.get("error"), dict):
            raise Misbehaved(f"the answer to hello is an error: {reply['error'].get('message')!s:.500}")
        try:
            return cls._from_json(reply)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            missing = f"member {error} is missing" if isinstance(error, KeyError) else str(error)
            raise Misbehaved(f"the answer to hello cannot be used: {missing}") from None

    @classmethod
    def _from_json(cls, reply: Any) -> Hello:
        if reply["protocol"] != PROTOCOL:
            raise ValueError(f"it speaks protocol {reply['protocol']!r}, this runner speaks {PROTOCOL}")
        impl = {str(key): str(value) for key, value in reply["impl"].items()}
        if not impl.get("name"):
            raise ValueError("impl.name is missing")
        return cls(impl, {name: _claims(entry) for name, entry in reply["formats"].items()}, reply)


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


class Connection(Protocol):
    """A way to ask one implementation. Every method may raise a Breakdown.

    After a Breakdown the next question starts the implementation anew.
    """

    #: True if requests carry ``files`` (name -> bytes) and no directory is needed.
    in_memory: bool

    def hello(self) -> Hello:
        """Return what the implementation declares."""

    def ask(self, request: Message) -> Message:
        """Return the reply to `request` (without ``seq``, which is the connection's business)."""

    def steps(self, request: Message) -> Generator[Message, None, None]:
        """Yield the replies to a stepwise write, one operation each, the final one last.

        Closing the iterator early kills the implementation where it stands.
        """

    def unasked(self) -> Breakdown | None:
        """Return what it has done besides its last answer, such as to say more; None if it does not show."""

    def late(self) -> Breakdown | None:
        """Return, once, the same of the question before the last one, if it only showed later."""

    def stderr(self) -> str:
        """Return the tail of what the implementation wrote to standard error lately."""

    def close(self) -> None:
        """Say bye and release all resources; never raises."""


class AnswersOnly:
    """Part of a connection whose implementation can do nothing besides its answers."""

    def unasked(self) -> Breakdown | None:
        """Nothing: a call returns once, and the whole output of a command is its answer."""
        return None

    late = unasked


class Unusable(ValueError):
    """A line that is not a JSON object, or one that not every program reads alike; the text says why."""


def read_answer(text: bytes) -> Message:
    """Return the JSON object that `text` is; raises Misbehaved that says why it is none that can be used."""
    try:
        return read_object(text)
    except Unusable as error:
        raise Misbehaved(f"standard output carries {error}: {text[:200]!r}") from None


def read_object(text: bytes) -> Message:
    """Return the JSON object that `text` is, without surprises; raises Unusable."""
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
    """Return `reply` if it has the shape of one; raises Misbehaved, for a step if a `whole` one is wanted.

    Who says a step waits for a word that does not come, and would take the next question for it.
    """
    if not isinstance(reply, dict):
        raise Misbehaved(f"the answer is not a JSON object: {reply!r:.200}")
    if "step" in reply and "ok" not in reply:
        if whole:
            raise Misbehaved(f"a step is not an answer to {whole}: {reply!r:.200}")
        return reply
    if sum(key in reply for key in OUTCOMES) != 1:
        raise Misbehaved(f"the answer carries not exactly one of {', '.join(OUTCOMES)}: {sorted(reply)}")
    (outcome,) = (key for key in OUTCOMES if key in reply)
    if not isinstance(reply[outcome], dict):
        raise Misbehaved(f"member {outcome!r} of the answer is not an object: {reply[outcome]!r:.200}")
    return reply
