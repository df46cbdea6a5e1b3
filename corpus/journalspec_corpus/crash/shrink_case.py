"""A crash state as a case in the published form: what it was made from, its files, and what is owed in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from journalspec.formats import get_format
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.crash.judge import VERDICTS
from journalspec_corpus.crash.model import CORRUPTED, PRESETS
from journalspec_corpus.crash.oracle import ALLOWED, REQUIRED
from journalspec_corpus.crash.room import CrashRoom
from journalspec_corpus.crash.shrink import Shrunk
from journalspec_corpus.crash.shrink_readers import reference_reader
from journalspec_corpus.crash.shrink_states import State
from journalspec_corpus.crash.trace import Mark
from journalspec_corpus.making import make_case
from journalspec_corpus.pipeline.cases import MAY_LOSE, MUST_REPORT, PLAIN, permitted

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
    is what the room says of its category. Where the reference itself fails, the case
    demands nothing (level ``may``) and is flagged :data:`BEYOND`.
    """
    trace, group = state.trace, state.situation.states.group
    preset = PRESETS[state.rank].name
    lost = any(_fails(room, state, policy) for policy in room.policies.values())
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
        level="may" if lost else "must",
        tier=tier,
        obeys=tuple(obeys) or room.obeys.get(state.category, room.obeys[""]),
        flags=tuple(dict.fromkeys((*flags, BEYOND) if lost else flags)),
    )


def expectations(room: CrashRoom, state: State) -> list[dict[str, Any]]:
    """Return for each policy of the room the outcomes that are permitted, as the pipeline publishes them."""
    sets = allowed(room, state)
    corrupted = state.situation.states.stratum == CORRUPTED
    out: list[dict[str, Any]] = []
    for reader, policy in room.policies.items():
        refusal, asked = state.refusal, PLAIN
        if refusal == REQUIRED and reader in room.salvaging:
            # Who may leave records out reports the damage that others must refuse.
            refusal, asked = ALLOWED, MAY_LOSE if corrupted else MUST_REPORT
        elif refusal != REQUIRED and corrupted:
            asked = MAY_LOSE
        out += permitted(sets, policy, refusal, asked)
    return out


def allowed(room: CrashRoom, state: State) -> dict[str, list[dict[str, Any]]]:
    """Return the sets of what is owed, with records as an observation would list them."""
    debt, trace = state.situation.debt, state.trace
    keys: dict[str, list[str]] = {}
    for key, record in debt.record_of.items():
        keys.setdefault(record, []).append(key)
    written = [op for op in trace.ops if isinstance(op, Mark)]
    marks = {(op.record, op.file, op.off) for op in (*trace.standing, *trace.possible, *written)}
    places = Counter(record for record, _, _ in marks)

    def records(ids: Iterable[str]) -> list[dict[str, Any]]:
        return [room.record_json(keys[record]) for record in sorted(ids) if record in keys]

    # What was written in several places may come out of each of them.
    copies = [record for record in debt.must_keep | debt.may_keep for _ in range(1, places[record])]
    return {
        "must_keep": records(debt.must_keep),
        "may_keep": records([*(debt.may_keep - debt.must_keep), *copies]),
        "must_drop": records(debt.must_drop),
    }


def _fails(room: CrashRoom, state: State, policy: str) -> bool:
    reader = reference_reader(room.format, policy)
    salvaging = any(name in room.salvaging for name, known in room.policies.items() if known == policy)
    return bool(VERDICTS[state.verdict(reader(state.files, state.trace.edition), salvaging=salvaging)])
