"""The worst that a crash can do to a format, as data: one full state and one small one for each case.

A format's ``worst.toml`` says of each case in words what happens, which verdict
the reference gets and what the requirements and design rules are that it is about,
and gives workload and descriptor of both states. Nothing in it is believed: the
tests rebuild both states, judge them and shrink the full one to the small one.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from journalspec.formats import UnknownFormat, format_module, get_format
from journalspec_corpus.case import Case
from journalspec_corpus.crash.judge import VERDICTS, Answer
from journalspec_corpus.crash.model import PRESETS
from journalspec_corpus.crash.oracle import Owed
from journalspec_corpus.crash.room import PACKAGE, CrashRoom, crash_room
from journalspec_corpus.crash.shrink_case import case_of
from journalspec_corpus.crash.shrink_readers import Named, named_reader
from journalspec_corpus.crash.shrink_states import State, find, situations, wrong
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import Trace

TIER = "worst"
FILE = "worst.toml"
#: Nothing in a worst case depends on chance but the content of trashed sectors.
SEED = 1
#: All of them are states that a crash can leave where forces are honest.
REACHABLE = "R"


class WorstError(ValueError):
    """A worst.toml says something that is not so; the message names the case."""


@dataclass(frozen=True)
class Form:
    """One of the two states of a case: the workload, and where in it the crash came."""

    workload: Any
    preset: str
    crash_index: int
    mask: bytes
    tear: int

    def descriptor(self, trace: Trace) -> Descriptor:
        """Return the descriptor of the state of `trace`, which is the workload's."""
        return Descriptor(
            trace.id, self.preset, self.crash_index, self.mask, self.tear, trace.background, SEED
        )


@dataclass(frozen=True)
class Worst:
    """One case. `reader` is the room's reader that gets `verdict` on both forms.

    `keeps` is how the key of a record begins that is in effect there and should not
    be, or empty. `strongest` is the preset with the strongest guarantees under which
    the small form's workload fails so.
    """

    format: str
    id: str
    title: str
    text: str
    reader: str
    verdict: str
    keeps: str
    requirements: tuple[str, ...]
    rules: tuple[str, ...]
    flags: tuple[str, ...]
    strongest: str
    full: Form
    small: Form

    @property
    def small_id(self) -> str:
        """The id of the small form's case."""
        return f"{self.id}-small"

    def keep(self, answer: Answer, debt: Owed) -> bool:
        """Tell whether `answer` has what the case is about."""
        return not self.keeps or any(key.startswith(self.keeps) for key in wrong(answer, debt))

    def fails(self, state: State) -> bool:
        """Tell whether the case's reader fails on `state` as the case says."""
        answer = self.named.reader(state.files, state.trace.edition)
        verdict = state.verdict(answer, salvaging=self.named.salvaging)
        return verdict == self.verdict and self.keep(answer, state.situation.debt)

    @cached_property
    def named(self) -> Named:
        """The reader that fails."""
        return named_reader(self.format, self.reader)

    def state(self, form: Form) -> State:
        """Return the state of one form; raises WorstError if there is none such."""
        room = crash_room(self.format)
        try:
            trace = room.build(form.workload)
            return find(trace, form.descriptor(trace))
        except (LookupError, ValueError) as error:
            raise WorstError(f"{self.id}: {error}") from None

    def cases(self) -> tuple[Case, Case]:
        """Return the published cases of the full and the small form."""
        room = crash_room(self.format)
        return (
            self._case(room, self.full, self.id, self.title, ""),
            self._case(room, self.small, self.small_id, f"{self.title}, made small", self.id),
        )

    def _case(self, room: CrashRoom, form: Form, name: str, title: str, larger: str) -> Case:
        return case_of(
            room,
            self.state(form),
            beyond=bool(VERDICTS[self.verdict]),
            tier=TIER,
            name=name,
            title=title,
            base=form.workload.name,
            shrunk_from=larger,
            obeys=self.requirements,
            flags=self.flags,
        )

    def presets(self) -> list[str]:
        """Return the presets under which the small form's workload fails in this way, strongest first."""
        named, trace = self.named, crash_room(self.format).build(self.small.workload)
        failing = set()
        for situation in situations(
            trace, len(PRESETS) - 1, SEED, self.state(self.small).situation.states.stratum
        ):
            for row in range(len(situation.states)):
                state = State(situation, row)
                if state.rank not in failing:
                    answer = named.reader(state.files, trace.edition)
                    if state.verdict(answer, salvaging=named.salvaging) == self.verdict:
                        failing.add(state.rank)
        return [preset.name for at, preset in enumerate(PRESETS) if at in failing]


@cache
def worst_cases(format_id: str) -> tuple[Worst, ...]:
    """Return the worst cases of `format_id` in the order of its file; none if it has no such file.

    Raises WorstError on an id that stands twice and UnknownFormat for a format that is not described.
    """
    try:
        room = format_module(PACKAGE, format_id)
    except UnknownFormat:
        get_format(format_id)
        return ()
    path = files(room).joinpath(FILE)
    if not path.is_file():
        return ()
    traces = importlib.import_module(f"{room.__name__}.traces")
    found = tuple(
        _worst(format_id, traces, entry)
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("worst", ())
    )
    names = [worst.id for worst in found]
    if len(set(names)) != len(names):
        raise WorstError(f"{format_id}/{FILE}: an id stands twice")
    return found


def published_cases(format_id: str) -> Iterator[Case]:
    """Yield the cases of the tier, the full form of each before its small one."""
    for worst in worst_cases(format_id):
        yield from worst.cases()


def _worst(format_id: str, traces: Any, entry: Mapping[str, Any]) -> Worst:
    try:
        return Worst(
            format_id,
            entry["id"],
            entry["title"],
            entry["text"].strip(),
            entry["reader"],
            entry["verdict"],
            entry.get("keeps", ""),
            tuple(entry["requirements"]),
            tuple(entry["rules"]),
            tuple(entry.get("flags", ())),
            entry["strongest"],
            _form(traces, entry["full"]),
            _form(traces, entry["small"]),
        )
    except (KeyError, TypeError) as error:
        raise WorstError(f"{entry.get('id', 'a case without id')}: {error!r}") from None


def _form(traces: Any, entry: Mapping[str, Any]) -> Form:
    """Return a form; a workload is given by its members, its steps by theirs in order."""
    members = dict(entry["workload"])
    steps = tuple(traces.Step(*step) for step in members.pop("steps", ()))
    workload = traces.Workload(steps=steps, **members)
    mask = bytes.fromhex(entry.get("mask", ""))
    return Form(workload, entry["preset"], entry["crash_index"], mask, entry.get("tear", 0))
