"""Life after a crash: what a writer does with the files that a first crash left, up to a second one.

A second life is a workload like any other. Its base is a chosen crash state of
the first one, its operations are what the format's writer does from opening
these files on, recovery's own writes included. What is owed comes from the first
trace and the model: a record stands if the bytes that were written for it are in
the state; no reader is asked what it would make of them.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from journalspec_corpus.crash.again_remains import SEED, Remains, leave
from journalspec_corpus.crash.classes import CATEGORIES, categories, fields
from journalspec_corpus.crash.digest import promise
from journalspec_corpus.crash.enumerate import States, crash_states
from journalspec_corpus.crash.judge import VERDICTS, Answer, judge
from journalspec_corpus.crash.model import PRESETS, REACHABLE, get_preset
from journalspec_corpus.crash.oracle import ALLOWED, REFUSALS, REQUIRED, Facts, Owed, owed
from journalspec_corpus.crash.reading import reading_of
from journalspec_corpus.crash.trace import Op, Trace
from journalspec_corpus.crash.view import View
from journalspec_corpus.pipeline.ids import case_ids, content_ids

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
#: How many first crash states are kept of a trace; second lives refer to them by number.
CHOICES = 24
#: First traces whose chosen states are remembered: neighbours among the workloads share one.
_REMEMBERED = 4


@dataclass(frozen=True, slots=True)
class Again:
    """The workload `first`, a crash that leaves its chosen state number `choice`, and a second life.

    `then` names what the second life does; the format's ``resume`` module lists
    the names. `first` may be a second life itself.
    """

    first: Any
    choice: int
    then: str

    @property
    def name(self) -> str:
        """A readable name, unique among workloads."""
        return f"again/{self.choice}/{self.then}/{self.first.name}"

    @property
    def origin(self) -> Any:
        """The workload that the very first life was."""
        return self.first.origin if isinstance(self.first, Again) else self.first

    @property
    def life(self) -> int:
        """Which life this is: 2, or more if `first` is a second life itself."""
        return self.first.life + 1 if isinstance(self.first, Again) else 2


@dataclass(frozen=True)
class Life:
    """What a writer did on given files; the first `opened` operations are those of opening them."""

    ops: tuple[Op, ...]
    opened: int


class Resume(Protocol):
    """A format's ``resume`` module: all that it adds for second lives.

    `RELEASED_IS_GONE` tells whether a released record must never be listed again
    once the release is durable (false where it stays readable, marked as ended).
    """

    RELEASED_IS_GONE: bool

    def second_lives(self, scope: str) -> Iterator[Again]:
        """Yield the second lives of a scope in a fixed order, those of one first workload together."""

    def live(self, origin: Any, life: int, remains: Remains, then: str) -> Life:
        """Open the files of `remains` with the writer and do what `then` says.

        Raises WriterRefused if the writer does not open them.
        """


@dataclass(frozen=True)
class Choice:
    """The chosen crash states of one trace, and why the others were not candidates."""

    remains: tuple[Remains, ...]
    left_out: Mapping[str, int]


Read = Callable[[View], tuple[Answer, ...]]
_known: OrderedDict[tuple[str, int], Choice] = OrderedDict()


def build(work: Again, resume: Resume, first: Trace, read: Read) -> Trace:
    """Return the trace of `work`, whose first life is `first`.

    `choice` counts from the front again if the first trace has fewer states to
    choose from. Raises ValueError if there is none at all.
    """
    chosen = choose(first, read, gone=resume.RELEASED_IS_GONE)
    if not chosen.remains:
        raise ValueError(f"{work.first.name}: no crash state to go on from ({dict(chosen.left_out)})")
    remains = chosen.remains[work.choice % len(chosen.remains)]
    return second_trace(work.name, remains, resume.live(work.origin, work.life, remains, work.then), work)


def second_trace(name: str, remains: Remains, life: Life, work: Again) -> Trace:
    """Return the trace of `life`, lived on `remains`."""
    first, crash = remains.first, remains.descriptor
    tags = {
        **{name: first.tags[name] for name in ("order", "force") if name in first.tags},
        "kind": "again",
        "first": first.tags.get("kind", ""),
        "then": work.then,
        "choice": str(work.choice),
        "crash": f"{crash.preset}@{crash.crash_index}/{crash.mask.hex()}/{crash.tear}",
        "category": remains.category,
        "field": remains.field,
        "opened": str(life.opened),
        # Whatever failed in the first life is its own trace's business.
        "fine": "yes",
    }
    return Trace(
        first.format,
        first.edition,
        name,
        remains.files,
        life.ops,
        first.background,
        remains.standing,
        remains.stale,
        0,
        tags,
        remains.possible,
        work.life,
    )


def choose(first: Trace, read: Read, *, gone: bool = False) -> Choice:
    """Return representatives of the states of `first` that strict recovery starts from.

    ``read(view)`` gives the strict reader's answer first. States are put into
    classes by category, torn field, order of persistence and whether anything is
    owed; categories take turns, and within a class the smallest case id comes first.
    """
    key = (first.id, gone)
    if key not in _known:
        _known[key] = _choose(first, read, gone)
        while len(_known) > _REMEMBERED:
            _known.popitem(last=False)
    _known.move_to_end(key)
    return _known[key]


@dataclass(frozen=True)
class _Candidate:
    case: bytes
    states: States
    row: int
    category: str
    field: str

    @property
    def label(self) -> tuple[str, str, str]:
        """The class: what kind of crash it is, where it tore, and in which order writes persist."""
        return self.category, self.field, PRESETS[self.states.preset[self.row]].order


def _choose(first: Trace, read: Read, gone: bool) -> Choice:
    left_out: Counter[str] = Counter()
    seen: set[bytes] = set()
    classes: dict[tuple[str, str, str], list[_Candidate]] = {}
    for states in crash_states(first, tuple(map(get_preset, FIRST_CRASH)), SEED):
        for candidate in _candidates(states, read, left_out):
            if candidate.case in seen:
                continue
            seen.add(candidate.case)
            found = classes.setdefault(candidate.label, [])
            found.append(candidate)
            if len(found) > 4 * CHOICES:
                found[:] = _smallest(found)
    kept: list[Remains] = []
    for candidate in _in_turn({label: _smallest(found) for label, found in classes.items()}):
        if len(kept) == CHOICES:
            break
        remains = leave(candidate.states, candidate.row, gone=gone)
        if remains is None:
            left_out["gone"] += 1
        else:
            kept.append(remains)
    return Choice(tuple(kept), dict(left_out))


def _smallest(found: list[_Candidate]) -> list[_Candidate]:
    return sorted(found, key=lambda candidate: candidate.case)[:CHOICES]


def _in_turn(classes: Mapping[tuple[str, str, str], list[_Candidate]]) -> Iterator[_Candidate]:
    """Yield one candidate of each category, then one more of each, its classes taking turns as well."""
    queues = []
    for category in CATEGORIES:
        mine = [classes[label] for label in sorted(classes) if label[0] == category]
        longest = max(map(len, mine), default=0)
        queues.append([found[at] for at in range(longest) for found in mine if at < len(found)])
    for at in range(max(map(len, queues), default=0)):
        yield from (queue[at] for queue in queues if at < len(queue))


def _candidates(states: States, read: Read, left_out: Counter[str]) -> Iterator[_Candidate]:
    """Yield the states that a strict recovery starts from, and rightly so; count the others."""
    facts = Facts(states)
    trace = states.group.trace
    debt = owed(trace, states.group.crash_index, states.torn)
    found, which = reading_of(trace.format, read).answers(states.group, states.codes)
    wrong = facts.refusals == REFUSALS.index(REQUIRED)
    for reason, given in (
        ("refused", np.asarray([answer.refused is not None for answer, *_ in found], bool)[which]),
        ("refusal-required", wrong),
        ("failed", np.asarray([_fails(answer, debt) for answer, *_ in found], bool)[which]),
    ):
        left_out[reason] += int((given & ~wrong).sum()) if given is not wrong else int(wrong.sum())
        wrong |= given
    kinds = categories(facts)
    field_of, names = fields(facts)
    keys = [key for key, record in debt.record_of.items() if record in debt.must_keep]
    promised = promise(trace.format, trace.edition, REACHABLE, keys)
    rows = np.flatnonzero(~wrong)
    cases = case_ids(content_ids(states.group, states.codes[rows]), promised)
    for case, row in zip(cases, rows.tolist(), strict=True):
        yield _Candidate(case, states, row, CATEGORIES[kinds[row]], names[field_of[row]])


def _fails(answer: Answer, debt: Owed) -> bool:
    return bool(VERDICTS[judge(answer, debt, ALLOWED, holes_allowed=True)])


def extended(
    traces: Any, resume: Any, read: Read
) -> tuple[Callable[[str], Iterator[Any]], Callable[[Any], Trace]]:
    """Return `traces.workloads` and `traces.build` with second lives; as they are if `resume` is None."""
    if resume is None:
        return traces.workloads, traces.build

    def workloads(scope: str) -> Iterator[Any]:
        yield from traces.workloads(scope)
        yield from resume.second_lives(scope)

    # Second lives of one first life come one after the other: it is recorded once.
    latest: dict[Any, Trace] = {}

    def built(work: Any) -> Trace:
        if not isinstance(work, Again):
            trace: Trace = traces.build(work)
            return trace
        if work.first not in latest:
            first = built(work.first)
            latest.clear()
            latest[work.first] = first
        return build(work, resume, latest[work.first], read)

    return workloads, built
