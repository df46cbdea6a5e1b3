"""The tier ``drawn``: random journals (draws). Format, seed and number alone determine each journal.

A draw is a sound journal that the format's author module lays out, such a journal with damage, or one with
wrong fields under valid checksums. The format's naive reader determines the expectations. For an intact
journal, its result is compared with the requested writes.

A draw is the result of a sequence of random choices. A failure is reduced by omitting choices and making them
smaller. Therefore the reduced journal is also a possible draw.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from journalspec.formats import UnknownFormat, format_ids, format_module, get_format
from journalspec.observation import REFUSED, jsonable
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.drawn import DrawnJournal, drawing_of
from journalspec_corpus.making import make_case
from journalspec_corpus.mutations import damaged

TIER = "drawn"
#: The default number of random journals of a format.
COUNT = 200
#: New random seeds are below this number.
MOST_SEED = 10**9
#: Shares of the random journals in percent: sound journals, and journals with wrong fields. All others are
#: damaged.
SOUND, LIES = 20, 40
#: A reduction ends after this many attempts, or after this many seconds.
ATTEMPTS, SECONDS = 1000, 10.0
_ID = re.compile(r"([a-z0-9]+)\.drawn\.s(0|[1-9]\d{0,9})\.n(0|[1-9]\d{0,9})")
#: Populations up to this size are copied for a sample.
_COPIED = 4096


class Choices(random.Random):
    """A source of random choices for a draw. The choices are the same under every version of Python.

    It can also replay given choices.
    """

    def __init__(self, name: str, replayed: Sequence[int] | None = None) -> None:
        """Take the choices from hashes of `name`, or from `replayed`; after its end, choices are 0."""
        super().__init__(0)
        self._name, self._replayed = name.encode(), replayed
        self._stream = b""
        self._blocks = 0
        self.made: list[int] = []

    def below(self, end: int) -> int:
        """Return a number that is at least 0 and below `end`."""
        if end <= 0:
            raise ValueError("nothing to choose from")
        if self._replayed is None:
            number = self._number(end.bit_length() // 8 + 2)
        else:
            number = self._replayed[len(self.made)] if len(self.made) < len(self._replayed) else 0
        self.made.append(number % end)
        return number % end

    def _number(self, size: int) -> int:
        while len(self._stream) < size:
            self._stream += blake2b(self._name + b"/%d" % self._blocks).digest()
            self._blocks += 1
        taken, self._stream = self._stream[:size], self._stream[size:]
        return int.from_bytes(taken, "big")

    # All methods in use are defined here, because the methods of the standard library may change between
    # versions.

    def random(self) -> float:
        """Return a number that is at least 0 and below 1."""
        return self.below(1 << 53) / (1 << 53)

    def getrandbits(self, k: int, /) -> int:
        """Return a number of up to `k` bits."""
        return self.below(1 << k)

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """Return an element of ``range(...)``."""
        elements = range(start) if stop is None else range(start, stop, step)
        return elements[self.below(len(elements))]

    def randint(self, a: int, b: int) -> int:
        """Return a number from `a` to `b`."""
        return a + self.below(b - a + 1)

    def randbytes(self, n: int) -> bytes:
        """Return `n` bytes."""
        return self.below(1 << 8 * n).to_bytes(n, "big")

    def choice(self, seq: Any) -> Any:
        """Return an element of a sequence."""
        return seq[self.below(len(seq))]

    def sample(self, population: Any, k: int, **_: Any) -> list[Any]:
        """Return `k` elements of a sequence, choosing each position at most once."""
        if len(population) <= _COPIED:
            left = list(population)
            return [left.pop(self.below(len(left))) for _ in range(k)]
        places: dict[int, None] = {}
        while len(places) < k:
            at = self.below(len(population))
            while at in places:
                at = (at + 1) % len(population)
            places[at] = None
        return [population[at] for at in places]


def formats_with_draws(formats: Sequence[str] = ()) -> Iterator[str]:
    """Yield each of `formats` (none: of all formats) whose journals can be drawn."""
    for name in formats or format_ids():
        try:
            drawing_of(name)
        except UnknownFormat:
            continue
        yield name


def drawn_cases(format_id: str, seed: int, numbers: Iterable[int]) -> Iterator[Case]:
    """Yield the draws of a format with these `numbers`; raises UnknownFormat if the format has no draws."""
    for number in numbers:
        yield _case(format_id, seed, number, Choices(f"{format_id}/{seed}/{number}"))


def drawn_case(case_id: str) -> Case | None:
    """Return the draw with an id such as ``xyz.drawn.s7.n12``; None if the id has another form."""
    found = _ID.fullmatch(case_id)
    names = [name for name in format_ids() if found and get_format(name).prefix.lower() == found[1]]
    if not found or not names:
        return None
    return next(drawn_cases(names[0], int(found[2]), [int(found[3])]))


def is_drawn(probe_id: str) -> bool:
    """Return whether a probe belongs to a draw."""
    return _ID.match(probe_id) is not None


def kind_of(probe_id: str) -> str:
    """Return a pattern of probe ids: the question of `probe_id` for all draws of every seed."""
    return re.sub(r"\.s\d+\.n\d+", ".**", probe_id, count=1)


def _case(format_id: str, seed: int, number: int, rng: Choices) -> Case:
    description, drawing = get_format(format_id), drawing_of(format_id)
    edition = rng.choice(tuple(description.editions))
    share = rng.below(100)
    journal: DrawnJournal | None = None
    if SOUND <= share < SOUND + LIES:
        kind, files = "lies", dict(drawing.lies(edition, rng))
    else:
        journal = drawing.base(edition, rng, wide=rng.below(2) == 1)
        kind, files = "sound", dict(journal.files)
    if share >= SOUND + LIES and journal is not None:
        kind, files = damaged(journal, rng)
    case_id = f"{description.prefix.lower()}.drawn.s{seed}.n{number}"
    try:
        expect = format_module("journalspec_corpus", format_id).naive.expected(files, edition)
    except Exception as error:  # A fault of the corpus is the result of this draw; other draws continue.
        return Case.quarantined(case_id, f"the naive reader fails: {error!r}", {"format": format_id})
    case = make_case(
        case_id,
        title=f"draw {number} of seed {seed}: {kind}",
        format_id=format_id,
        edition=edition,
        stratum="R" if kind == "sound" else "H",
        category=TIER,
        tier=TIER,
        origin=Origin("family", "drawn", kind, ("the format's naive reader",)),
        files=files,
        expect=expect,
    )
    if kind != "sound" or journal is None or _as_written(case, journal):
        return case
    return Case.quarantined(case.id, "the naive reader does not find what was written", case.to_json())


def _as_written(case: Case, journal: DrawnJournal) -> bool:
    """Return whether the expectations for a sound journal agree with the requested writes."""
    for entry in case.expect:
        if entry["verdict"] == REFUSED:
            return False
        wanted = journal.records if entry["when"]["op"] == "read" else journal.recovered
        told = jsonable([{"type": item.type, **item.fields} for item in wanted])
        found = entry.get("records", told)
        if len(found) != len(told) or any(
            record.get(name, value) != value
            for record, whole in zip(found, told, strict=True)
            for name, value in whole.items()
        ):
            return False
        if "state" in entry and entry["state"] != jsonable(journal.state):
            return False
    return True


def reduced(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Return the smallest draw found that still `fails`. It has the id of `case`."""
    found = _ID.fullmatch(case.id)
    if found is None:
        return case
    name, seed, number = case.format, int(found[2]), int(found[3])
    first = Choices(f"{name}/{seed}/{number}")
    _case(name, seed, number, first)
    best, choices = case, first.made
    ends = time.monotonic() + SECONDS
    left = ATTEMPTS

    def tried(shorter: list[int]) -> bool:
        nonlocal best, choices, left
        left -= 1
        rng = Choices("", shorter)
        try:
            other = _case(name, seed, number, rng)
        except (ValueError, LookupError, ArithmeticError):
            return False  # These choices do not lead to a journal.
        if other.fault or _weight(other, rng.made) >= _weight(best, choices) or not fails(other):
            return False
        best, choices = replace(other, title=f"{case.title} (reduced)"), rng.made
        return True

    for shorter in _shorter(lambda: choices):
        if left <= 0 or time.monotonic() > ends:
            break
        tried(shorter)
    return best


def _weight(case: Case, choices: Sequence[int]) -> tuple[int, int, int]:
    size = sum(file.size for file in case.input.files)
    return size, len(choices), sum(map(int.bit_length, choices))


def _shorter(now: Callable[[], Sequence[int]]) -> Iterator[list[int]]:
    """Yield attempts to reduce the present choices by omitting or shrinking parts, until none is accepted."""
    before: Sequence[int] | None = None
    while before != now():
        before = now()
        yield from _smaller(now)
        for size in (64, 16, 4, 2, 1):
            at = 0
            while at < len(now()):
                was = list(now())
                yield was[:at] + was[at + size :]
                # The attempt was not accepted. If it was, the rest has moved to this position.
                if list(now()) == was:
                    at += size


def _smaller(now: Callable[[], Sequence[int]]) -> Iterator[list[int]]:
    """Yield attempts with one choice set to 0, 1, or half; early choices (counts) have the largest effect."""
    at = 0
    while at < len(now()):
        for number in (0, 1, now()[at] // 2):
            was = list(now())
            if at < len(was) and was[at] > number:
                yield [*was[:at], number, *was[at + 1 :]]
            if list(now()) != was:
                break
        at += 1
