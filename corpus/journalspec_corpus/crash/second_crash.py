"""Life after a crash: what a writer does with the files that a first crash left, up to a second one.

A second life is a workload like any other. Its base is a chosen crash state of
the first one, its operations are what the format's writer does from opening
these files on, recovery's own writes included. What is expected comes from the first
trace: a record stands if the bytes that were written for it are in the state, under
the name that its file has there. No reader is asked what it would make of them.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from operator import itemgetter
from typing import Any, Protocol

import numpy as np

from journalspec.formats import UnknownFormat, format_module
from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.expected import REFUSALS, REQUIRED, expected_at
from journalspec_corpus.crash.facts import Facts, categories, fields
from journalspec_corpus.crash.ids import case_ids, content_ids, promise
from journalspec_corpus.crash.persistence import PRESETS, REACHABLE, get_preset
from journalspec_corpus.crash.states import Descriptor, crash_states, descriptor_of
from journalspec_corpus.crash.trace import (
    BEFORE,
    Create,
    Mark,
    Op,
    Part,
    RecordingStorage,
    Rename,
    Trace,
    Unlink,
    Workload,
    Write,
)
from journalspec_corpus.crash.verdict import CATEGORIES
from journalspec_reference.api import WriterRefused

#: Feeds the garbage in first crash states. Part of what a second life is, not of a build.
SEED = 1


@dataclass(frozen=True)
class CrashImage:
    """What one crash left of a trace: its files, and which records' bytes are whole in them.

    `standing` are owed, `possible` were issued and are not: they may be kept, and
    those that are not whole are there with length 0, for a later write may complete
    them. `stale` must not come back. `order` has the first two as they were issued, `done` names those
    that had been acknowledged and let go.
    """

    first: Trace
    descriptor: Descriptor
    files: Mapping[str, bytes]
    standing: tuple[Mark, ...]
    possible: tuple[Mark, ...]
    stale: tuple[Mark, ...]
    #: Of the first two, what is whole.
    whole: tuple[Mark, ...]
    category: str
    field: str
    order: tuple[Mark, ...] = ()
    done: frozenset[str] = frozenset()


def crash_image(
    states: States, row: int, *, gone: bool, label: tuple[str, str] | None = None
) -> CrashImage | None:
    """Return what state `row` holds of its trace, None if an owed record is nowhere whole in it.

    `gone` is :attr:`SecondLives.released_is_gone` of the format, `label` the state's category and torn
    field if they are known.
    """
    return _image(_left(states, row), label or _label(states, row), gone=gone)


@dataclass(frozen=True, slots=True)
class _Left:
    """A state of a trace, and what it has: `names` are the numbers of its files."""

    trace: Trace
    descriptor: Descriptor
    torn: int
    names: Mapping[str, int]
    files: Mapping[str, bytes]


def _left(states: States, row: int) -> _Left:
    files = states.point.materialise(states.codes[row])
    names, _ = states.point.layout(states.codes[row].tolist())
    return _Left(states.point.trace, descriptor_of(states, row, SEED), states.torn, names, files)


def _image(left: _Left, label: tuple[str, str], *, gone: bool) -> CrashImage | None:
    trace, crash_index = left.trace, left.descriptor.crash_index
    expected = expected_at(trace, crash_index, left.torn, effects=False)
    issued, whole = _marks(left)
    known = set(whole)
    ended = _ended(trace, crash_index) if gone else frozenset()
    dropped = (expected.must_drop | ended) - expected.must_keep
    standing = tuple(mark for mark in whole if mark.record in expected.must_keep)
    possible = [
        (at, mark if mark in known else replace(mark, length=0))
        for at, mark in enumerate(issued)
        if mark.record not in expected.must_keep | dropped
    ]
    if {mark.record for mark in standing} != expected.must_keep:
        return None
    category, field = label
    return CrashImage(
        trace,
        left.descriptor,
        left.files,
        standing,
        tuple(mark for _, mark in possible),
        tuple(mark for mark in whole if mark.record in dropped),
        tuple(mark for mark in whole if mark.record not in dropped),
        category,
        field,
        _in_order(trace, [*((issued.index(mark), mark) for mark in standing), *possible]),
        trace.done.union(trace.acknowledged(crash_index)) - expected.must_keep,
    )


def _label(states: States, row: int) -> tuple[str, str]:
    """Return the category of a state, and the field in which it tore."""
    facts = Facts(states.take(np.asarray([row])))
    field_of, names = fields(facts)
    return CATEGORIES[int(categories(facts)[0])], names[int(field_of[0])]


def _in_order(trace: Trace, found: list[tuple[int, Mark]]) -> tuple[Mark, ...]:
    """Return marks as they were issued; `found` has each with its place in what :func:`_written` yields."""
    base = (*trace.stale, *trace.standing, *trace.possible)
    rank = {mark: number for number, mark in enumerate(trace.before)}
    place = [(rank.get(base[at], -1) if at < len(base) else at + len(rank), mark) for at, mark in found]
    return tuple(mark for _, mark in sorted(place, key=itemgetter(0)))


def _marks(left: _Left) -> tuple[list[Mark], list[Mark]]:
    """Return every mark under the name that its file has there, and those of whole records.

    Both in the order in which records were issued; one may stand in several places. A part
    is among the second only if all other parts of its copy are there as well.
    """
    names = {number: name for name, number in left.names.items()}
    files = left.files
    every: list[Mark] = []
    intact: list[bool] = []
    #: (record, alternative) -> its parts, and whether each is there
    parts: dict[tuple[object, ...], dict[tuple[str, int], bool]] = {}
    for _, op in left.trace.annotated:
        if isinstance(op, Part):
            parts.setdefault((op.record, op.alternative), {})[op.file, op.off] = False
    for mark, number, data in _written(left.trace, left.descriptor.crash_index, left.torn):
        moved = replace(mark, file=names.get(number, mark.file))
        there = number in names and files[moved.file][mark.off : mark.off + mark.length] == data
        every.append(moved)
        intact.append(there)
        if isinstance(mark, Part):
            found = parts.setdefault((mark.record, mark.alternative), {})
            found[mark.file, mark.off] = there or found.get((mark.file, mark.off), False)
    whole = [
        mark
        for mark, there in zip(every, intact, strict=True)
        if there and all(parts.get((mark.record, mark.alternative), {}).values())
    ]
    return every, whole


def _written(trace: Trace, crash_index: int, torn: int) -> Iterator[tuple[Mark, int, bytes]]:
    """Yield every mark with the number of its file and the bytes that were written for it."""
    numbers = {name: number for number, name in enumerate(sorted(trace.base))}
    for mark in (*trace.stale, *trace.standing, *trace.possible):
        data = trace.base.get(mark.file, b"")[mark.off : mark.off + mark.length]
        # What was not whole even then is whole nowhere.
        yield mark, numbers[mark.file] if data else -1, data
    upto = max(crash_index, torn + 1)
    issued: dict[int, list[Mark]] = {}
    for index, note in trace.annotated:
        if isinstance(note, Mark) and index < upto:
            issued.setdefault(index, []).append(note)
    count = len(numbers)
    for index, op in enumerate(trace.ops[:upto]):
        if isinstance(op, Create):
            numbers[op.file] = count
            count += 1
        elif isinstance(op, Rename):
            numbers[op.new] = numbers.pop(op.old)
        elif isinstance(op, Unlink):
            del numbers[op.file]
        elif isinstance(op, Write):
            for mark in issued.get(index, ()):
                start = mark.off - op.off
                yield mark, numbers[mark.file], op.data[start : start + mark.length]


def _ended(trace: Trace, upto: int) -> frozenset[str]:
    """Return the records whose release is durable: something was acknowledged after it."""
    last = max((index for index, _ in trace.acks if index < upto), default=BEFORE)
    return trace.released(last)


#: What a first crash is: the presets that tell the kinds of damage apart. More of them would mean more
#: states that differ in places nothing goes on from; a preset that comes later changes no second life.
FIRST_CRASH = (
    "prefix-sector-4096",
    "prefix-sector-512",
    "prefix-byte",
    "epoch-subset-4096",
    "epoch-subset-512",
    "sector-trash-512",
)
#: The states of the core tier's first lives from which second ones start, in the format's folder.
FIRST_CRASHES = "first_crashes.jsonl"
#: How many first crash states are kept of a trace; second lives refer to them by number.
CHOICES = 24
#: First traces whose chosen states are remembered: neighbours among the workloads share one.
_REMEMBERED = 4


@dataclass(frozen=True, slots=True)
class SecondLife:
    """The workload `first`, a crash that leaves its chosen state number `choice`, and a second life.

    `then` names what the second life does, in the format's own words. `first` may be a second life itself.
    """

    first: Workload
    choice: int
    then: str

    @property
    def name(self) -> str:
        """A readable name, unique among workloads."""
        return f"again/{self.choice}/{self.then}/{self.first.name}"

    @property
    def origin(self) -> Workload:
        """The workload that the very first life was."""
        return self.first.origin if isinstance(self.first, SecondLife) else self.first

    @property
    def life(self) -> int:
        """Which life this is: 2, or more if `first` is a second life itself."""
        return self.first.life + 1 if isinstance(self.first, SecondLife) else 2


@dataclass(frozen=True)
class Life:
    """What a writer did on given files; the first `opened` operations are those of opening them."""

    ops: tuple[Op, ...]
    opened: int


class Opening(Protocol):
    """A writer's run on what a crash left, not opened yet."""

    storage: RecordingStorage

    def open(self) -> None:
        """Open the journal; raises WriterRefused."""


@dataclass(frozen=True)
class SecondLives:
    """What a format adds for second lives.

    `lives(scope)` yields them in a fixed order, those of one first workload together.
    `live(origin, life, image, then)` opens the files of `image` with the writer that
    wrote them and does what `then` says; raises WriterRefused if the writer does not
    open them. `begin(origin, life, image)` is a run on it, not opened yet. `plain` names
    what a second life may do that is plainer than the rest, plainest first.

    `released_is_gone` tells whether a released record must never be listed again
    once the release is durable (false where it stays readable, marked as ended).
    """

    lives: Callable[[str], Iterator[SecondLife]]
    live: Callable[[Any, int, CrashImage, str], Life]
    begin: Callable[[Any, int, CrashImage], Opening]
    plain: tuple[str, ...]
    released_is_gone: bool


class ChosenImages:
    """The chosen crash states of one trace, and how many were no candidates, by why.

    `fine` tells that recovery is known to have found everything owed in each of them. `found` yields
    them, at most `most` count, None for what is left out as gone; it goes on when one is asked for.
    """

    def __init__(
        self, found: Iterator[CrashImage | None], left_out: Counter[str], most: int, *, fine: bool = False
    ) -> None:
        self.fine = fine
        self._found, self._most = found, most
        self._left_out = left_out
        self._drawn: list[CrashImage] = []

    def image(self, number: int) -> CrashImage | None:
        """Return state `number`, counted from the front again if there are not so many; None if none is."""
        while len(self._drawn) <= min(number, self._most - 1):
            try:
                image = next(self._found)
            except StopIteration:
                break
            if image is None:
                self._left_out["gone"] += 1
            else:
                self._drawn.append(image)
        return self._drawn[number % len(self._drawn)] if self._drawn else None

    @property
    def images(self) -> tuple[CrashImage, ...]:
        """All of them."""
        self.image(self._most - 1)
        return tuple(self._drawn)

    @property
    def left_out(self) -> Mapping[str, int]:
        """How many states were no candidates, by why."""
        self.image(self._most - 1)
        return dict(self._left_out)


_known: OrderedDict[tuple[str, str, bool], ChosenImages] = OrderedDict()


def build(work: SecondLife, resume: SecondLives, first: Trace) -> Trace:
    """Return the trace of `work`, whose first life is `first`.

    `choice` counts from the front again if the first trace has fewer states to
    choose from. Where the writer refuses to open the life has no operations, and no
    states. Raises ValueError if there is no state at all.
    """
    chosen = choose(first, gone=resume.released_is_gone)
    image = chosen.image(work.choice)
    if image is None:
        raise ValueError(f"{work.first.name}: no crash state to go on from ({dict(chosen.left_out)})")
    try:
        life = resume.live(work.origin, work.life, image, work.then)
    except WriterRefused:
        life = Life((), 0)
    return second_trace(work.name, image, life, work, fine=chosen.fine)


def second_trace(name: str, image: CrashImage, life: Life, work: SecondLife, *, fine: bool = True) -> Trace:
    """Return the trace of `life`, lived on `image`; `fine` if recovery had found all that is owed there."""
    first, crash = image.first, image.descriptor
    tags = {
        **{name: first.tags[name] for name in ("order", "force") if name in first.tags},
        "kind": "again",
        "first": first.tags.get("kind", ""),
        "then": work.then,
        "choice": str(work.choice),
        "crash": f"{crash.preset}@{crash.crash_index}/{crash.mask.hex()}/{crash.tear}",
        "category": image.category,
        "field": image.field,
        "opened": str(life.opened),
        # Whatever failed in the first life is its own trace's business.
        "fine": "yes" if fine else "no",
    }
    return Trace(
        first.format,
        first.edition,
        name,
        image.files,
        life.ops,
        first.background,
        image.standing,
        image.stale,
        # A life that was not lived has no states of its own: its base is judged where it comes from.
        0 if life.ops else 1,
        tags,
        image.possible,
        work.life,
        order=image.order,
        done=image.done,
    )


def choose(first: Trace, *, gone: bool = False) -> ChosenImages:
    """Return representatives of the states of `first`. No reader is asked.

    Those that the format's list of first crashes names are taken as they stand there. Of
    other traces, states are put into classes by category, torn field and order of
    persistence; categories take turns, and within a class the smallest case id
    comes first.
    """
    key = (first.id, first.name, gone)
    if key not in _known:
        # What second lives begin with stays what it is: among all cuts, not only those that are looked at.
        first = replace(first, unread=frozenset())
        listed = first_crashes(first.format).get(first.name)
        _known[key] = _choose(first, gone) if listed is None else _listed(first, listed, gone)
        while len(_known) > _REMEMBERED:
            _known.popitem(last=False)
    _known.move_to_end(key)
    return _known[key]


#: A state among those of one trace: preset, crash index, mask in hex, tear.
Place = tuple[str, int, str, int]


@cache
def first_crashes(format_id: str) -> Mapping[str, tuple[Place, ...]]:
    """Return the format's list, workload name -> states; nothing if it has none.

    It was drawn up by class among states that strict recovery started from, and is
    data since: what a reader makes of a state moves no second life any more.
    """
    try:
        path = files(format_module("journalspec_corpus", format_id)).joinpath(FIRST_CRASHES)
    except UnknownFormat:
        return {}
    if not path.is_file():
        return {}
    entries = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {
        entry["first"]: tuple(
            (preset, int(index), mask, int(tear)) for preset, index, mask, tear in entry["states"]
        )
        for entry in entries
    }


def _listed(first: Trace, listed: tuple[Place, ...], gone: bool) -> ChosenImages:
    """Return the states that the list names; raises ValueError if the trace has not all of them."""
    found: dict[Place, tuple[States, int]] = {}
    wanted: dict[int, list[Place]] = {}
    for place in dict.fromkeys(listed):
        wanted.setdefault(place[1], []).append(place)
    for states in crash_states(first, tuple(map(get_preset, FIRST_CRASH)), SEED):
        for place in wanted.get(states.point.crash_index, ()):
            for row in _rows_at(states, place):
                found.setdefault(place, (states, row))
    _all_there(first, sorted({*listed} - found.keys()))

    def drawn() -> Iterator[CrashImage]:
        for place in listed:
            image = crash_image(*found[place], gone=gone)
            if image is None:
                # An owed record is nowhere whole in it: not a state to go on from.
                _all_there(first, [place])
            else:
                yield image

    return ChosenImages(drawn(), Counter(), len(listed), fine=True)


def _all_there(first: Trace, lacking: list[Place]) -> None:
    if lacking:
        raise ValueError(f"{first.name}: {FIRST_CRASHES} names states that there are not: {lacking[:3]}")


def _rows_at(states: States, place: Place) -> list[int]:
    """Return the rows of a crash point's `states` whose place is `place`, which has this crash index."""
    preset, _, mask, tear = place
    rows = np.flatnonzero((states.preset == PRESETS.index(get_preset(preset))) & (states.tear == tear))
    if get_preset(preset).order == "prefix":
        return [] if mask else rows.tolist()
    codes = bytes.fromhex(mask)
    return [row for row in rows.tolist() if states.codes[row].astype(np.uint8).tobytes() == codes]


@dataclass(frozen=True, slots=True)
class _Labelled:
    """The states of one crash point, with the category and the torn field of each row."""

    states: States
    kinds: list[int]
    fields: list[int]
    names: list[str]

    def label(self, row: int) -> tuple[str, str]:
        """Return the category of a state, and the field in which it tore."""
        return CATEGORIES[self.kinds[row]], self.names[self.fields[row]]


#: A state that a recovery may start from: its case id, and where it is.
_Candidate = tuple[bytes, _Labelled, int]
#: What kind of crash it is, where it tore, and in which order writes persist.
_Class = tuple[str, str, str]


def _choose(first: Trace, gone: bool) -> ChosenImages:
    presets = tuple(map(get_preset, FIRST_CRASH))
    left_out: Counter[str] = Counter()
    seen: set[bytes] = set()
    classes: dict[_Class, list[_Candidate]] = {}
    for states in crash_states(first, presets, SEED):
        _put_into_classes(states, seen, classes, left_out)
    smallest = {label: _smallest(found) for label, found in classes.items()}
    turns = (smallest[label][at] for label, at in _in_turn({label: len(classes[label]) for label in classes}))
    images = (crash_image(of.states, row, gone=gone, label=of.label(row)) for _, of, row in turns)
    return ChosenImages(images, left_out, CHOICES)


def _smallest(found: list[_Candidate]) -> list[_Candidate]:
    return sorted(found, key=itemgetter(0))[:CHOICES]


def _in_turn(classes: Mapping[_Class, int]) -> Iterator[tuple[_Class, int]]:
    """Yield one candidate of each category, then one more of each, its classes taking turns as well.

    `classes` says how many candidates there are; one is a class and a number in it, of the first `CHOICES`.
    """
    queues = []
    for category in CATEGORIES:
        mine = [(label, min(classes[label], CHOICES)) for label in sorted(classes) if label[0] == category]
        longest = max((count for _, count in mine), default=0)
        queues.append([(label, at) for at in range(longest) for label, count in mine if at < count])
    for at in range(max(map(len, queues), default=0)):
        yield from (queue[at] for queue in queues if at < len(queue))


def _put_into_classes(
    states: States, seen: set[bytes], classes: dict[_Class, list[_Candidate]], left_out: Counter[str]
) -> None:
    """Put the states that a recovery may start from into their classes; count those that it has to refuse.

    What was `seen` before, by its case id, stays where it is.
    """
    facts = Facts(states)
    trace = states.point.trace
    wrong = facts.refusals == REFUSALS.index(REQUIRED)
    left_out["refusal-required"] += int(wrong.sum())
    expected = expected_at(trace, states.point.crash_index, states.torn, effects=False)
    promised = promise(trace.format, trace.edition, REACHABLE, expected.keys_to_keep)
    rows = np.flatnonzero(~wrong)
    cases = case_ids(content_ids(states.point, states.codes[rows]), promised)
    if seen.issuperset(cases):
        return
    field_of, names = fields(facts)
    of = _Labelled(states, categories(facts).tolist(), field_of.tolist(), names)
    presets = states.preset.tolist()
    known: dict[tuple[int, int, int], list[_Candidate]] = {}
    for case, row in zip(cases, rows.tolist(), strict=True):
        if case in seen:
            continue
        seen.add(case)
        place = of.kinds[row], of.fields[row], presets[row]
        if place not in known:
            label = (*of.label(row), PRESETS[presets[row]].order)
            known[place] = classes.setdefault(label, [])
        found = known[place]
        found.append((case, of, row))
        if len(found) > 4 * CHOICES:
            found[:] = _smallest(found)
