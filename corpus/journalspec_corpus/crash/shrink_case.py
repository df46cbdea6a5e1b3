"""A crash state as a case in the published form: what it was made from, its files, and what is owed in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from journalspec.formats import get_format
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.crash.model import PRESETS
from journalspec_corpus.crash.mutation import known
from journalspec_corpus.crash.owing import Owing, asked
from journalspec_corpus.crash.room import CrashRoom
from journalspec_corpus.crash.shrink import Shrunk
from journalspec_corpus.crash.shrink_states import State
from journalspec_corpus.making import make_case
from journalspec_corpus.pipeline.cases import permitted
from journalspec_corpus.pipeline.run import writer_of

#: A case in which not even a reader that follows the specification gives what is owed carries this flag.
BEYOND = "BeyondReaders"


def published_id(format_id: str, case_id: str) -> str:
    """Return the id under which the pipeline publishes the state with these 32 hex digits."""
    return f"{get_format(format_id).prefix.lower()}.crash.{case_id}"


def as_case(room: CrashRoom, shrunk: Shrunk, *, tier: str = "core") -> Case:
    """Return the shrunk state as a case that names the larger state which it comes from."""
    larger = published_id(room.format, shrunk.start)
    same = shrunk.state.case_id == shrunk.start
    return case_of(room, shrunk.state, tier=tier, shrunk_from="" if same else larger)


def case_of(  # noqa: PLR0913  # a case has many members; all but two are keyword-only
    room: CrashRoom,
    state: State,
    *,
    beyond: bool | None = None,
    tier: str = "core",
    name: str = "",
    title: str = "",
    base: str = "",
    shrunk_from: str = "",
    obeys: Iterable[str] = (),
    flags: Iterable[str] = (),
) -> Case:
    """Return `state` as a case: under every policy of the room, what the oracle says is owed.

    `name`, `title` and `base` are made up from the state if they are not given, `obeys`
    is what the room says of its category. A case that is `beyond` all readers (if nothing is said: if
    its class is known to have such) demands nothing (level ``may``) and is flagged
    :data:`BEYOND`. No reader is asked.
    """
    trace, group = state.trace, state.situation.states.group
    if beyond is None:
        beyond = _known_to_fail(room, state)
    preset = PRESETS[state.rank].name
    return make_case(
        name or published_id(room.format, state.case_id),
        title=title or f"{state.category} after operation {group.crash_index} of {trace.name} ({preset})",
        format_id=trace.format,
        edition=trace.edition,
        stratum=state.situation.states.stratum,
        category=state.category,
        origin=Origin("trace", base or trace.id, preset, ("model",), shrunk_from),
        files=state.files,
        expect=expectations(room, state),
        level="may" if beyond else "must",
        tier=tier,
        obeys=tuple(obeys) or room.obeys.get(state.category, room.obeys[""]),
        flags=tuple(dict.fromkeys((*flags, BEYOND) if beyond else flags)),
    )


def expectations(room: CrashRoom, state: State) -> list[dict[str, Any]]:
    """Return for each policy of the room the outcomes that are permitted, as the pipeline publishes them."""
    sets = Owing(room, state.trace).sets(state.situation.debt)
    out: list[dict[str, Any]] = []
    for reader, policy in room.policies.items():
        demand = asked(state.refusal, state.situation.states.stratum, salvaging=reader in room.salvaging)
        out += permitted(sets, policy, *demand)
    return out


def _known_to_fail(room: CrashRoom, state: State) -> bool:
    """Tell whether `state` is of a class in which a reader that does everything right is known to fail."""
    mine = (writer_of(state.trace), state.situation.states.stratum, state.category)
    return any(kind[:3] == mine for kind in known(room.format, "whole").why)
