"""Tests a writer on the crash states of its own trace: its writes, fsyncs and acknowledgements.

The implementation does the operations of a published case step by step and reports its storage operations
(``io-trace``). The states that a disk may leave of this trace under a preset are enumerated. The reference
recovers them, and the format's model decides which states the acknowledged operations permit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from hashlib import blake2b
from typing import Any

from journalspec.formats import get_format
from journalspec_conformance.answers import check_io
from journalspec_conformance.asking import Asking, recovered
from journalspec_conformance.connection import Message
from journalspec_conformance.errors import Breakdown
from journalspec_conformance.power import MEMBERS, Disk
from journalspec_conformance.result import Outcome
from journalspec_conformance.writing import Promises, Settled, steps
from journalspec_corpus import Case, Probe
from journalspec_corpus.crash import explain
from journalspec_corpus.crash.facts import Facts, State
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import (
    Ack,
    Create,
    Op,
    Rename,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
    get_preset,
)
from journalspec_corpus.model import model_of

#: The largest number of attempts to omit an operation while a failure is reduced. Each attempt runs the
#: writer again.
ATTEMPTS = 60
#: The largest number of characters of a state in the text of a failure.
MOST_SHOWN = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterCase(Case):
    """A case with operations to write. It is tested under a `preset` on `states` random states."""

    preset: str
    seed: int
    states: int

    def written(self, engine: Asking, probe: Probe) -> Outcome:
        """Let the implementation write, and return the outcome of its trace."""
        try:
            loss = first_loss(engine, probe)
        except Settled as early:
            return early.outcome
        return Outcome("pass") if loss is None else Outcome("fail", "not-durable", loss.reason)


def writer_case(case: Case, preset: str, seed: int, states: int) -> WriterCase | None:
    """Return a published case as a WriterCase, or None if it writes nothing or the format has no model."""
    if case.write is None or "kill_after" in case.write or model_of(case.format) is None:
        return None
    members = {item.name: getattr(case, item.name) for item in fields(Case)}
    members["needs"] = tuple(sorted({*case.needs, "step", "io-trace"}))
    members["expect"] = tuple(entry for entry in case.expect if entry["when"]["op"] == "write")
    return WriterCase(**members, preset=preset, seed=seed, states=states)


@dataclass(frozen=True)
class Written:
    """Represents a writer's trace, with the number of the requested operation for each storage operation."""

    trace: Trace
    asked: tuple[int, ...]
    replies: tuple[Message, ...]

    def issued(self, upto: int) -> int:
        """Return how many requested operations had started by the end of ``ops[:upto]`` of the trace."""
        return self.asked[upto - 1] + 1 if upto else 0

    def durable(self, upto: int) -> int:
        """Return how many requested operations were durable by the end of ``ops[:upto]``: all up to the last
        acknowledged one.
        """
        before = [self.asked[at] for at, op in enumerate(self.trace.ops[:upto]) if isinstance(op, Ack)]
        return max(before, default=-1) + 1


@dataclass(frozen=True)
class WriterLoss:
    """A state in which recovery loses acknowledged data."""

    case: WriterCase
    written: Written
    state: State
    durable: int
    issued: int
    fault: str
    permitted: Sequence[Mapping[str, Any]] = field(default=())

    @property
    def reason(self) -> str:
        """Return one sentence on the lost data and the place of the crash."""
        last = f"operation {self.durable - 1} was acknowledged" if self.durable else "none was acknowledged"
        return f"{last}, and after a crash in operation {self.issued - 1} ({self.case.preset}) {self.fault}"


def record(engine: Asking, probe: Probe) -> Written:
    """Let the implementation write a case; raises Settled for an invalid reply, or a Breakdown."""
    case = probe.case
    ops: list[Op] = []
    asked: list[int] = []
    replies = []
    with engine.workspace.place(case) as place:
        disk = Disk(place.files())
        with closing(steps(engine, probe, place, io=True)) as answers:
            for number, answer in answers:
                for entry in check_io(answer):
                    disk.do(entry)
                    ops.append(_operation(entry))
                if answer.get("durable") is True:
                    ops.append(Ack((f"operation {number}",)))
                asked += [number] * (len(ops) - len(asked))
                replies.append(answer)
        if disk.files() != place.files():
            text = "the reported storage operations do not produce the files"
            raise Settled(Outcome("fail", "wrote-invalid", text))
    trace = Trace(case.format, case.edition, case.id, case.files(), tuple(ops), "zero")
    return Written(trace, tuple(asked), tuple(replies))


#: Maps each storage operation to its class, whose arguments have the order of MEMBERS.
_OPERATIONS: Mapping[str, Callable[..., Op]] = {
    "create": Create,
    "write": Write,
    "truncate": Truncate,
    "sync": Sync,
    "sync-dir": SyncDir,
    "rename": Rename,
    "unlink": Unlink,
}
_VALUES: Mapping[str, Callable[[str], Any]] = {"off": int, "size": int, "data": bytes.fromhex}


def _operation(entry: Mapping[str, Any]) -> Op:
    """Convert a checked storage operation to an operation of a trace."""
    values = (_VALUES.get(name, str)(entry[name]) for name in MEMBERS[entry["op"]])
    return _OPERATIONS[entry["op"]](*values)


def first_loss(engine: Asking, probe: Probe) -> WriterLoss | None:
    """Return the first state, by crash point, that loses acknowledged data; None if no state does.

    Raises Settled for a write that ends early, or that refuses other operations than the case expects.
    """
    case = probe.case
    assert isinstance(case, WriterCase)  # Only WriterCase calls this function.
    written = record(engine, probe)
    refused = [str(number) for number, reply in enumerate(written.replies) if "refused" in reply]
    if refused not in [[str(one["op"]) for one in entry.get("refusals", ())] for entry in probe.expect]:
        text = f"it refused the operations {', '.join(refused) or '-'}"
        raise Settled(Outcome("fail", "refused:writer", text))
    promises, policy = Promises(engine, probe), get_format(case.format).keeps_most
    for state in _chosen(written.trace, case):
        at, torn = state.situation.states.point.crash_index, state.situation.states.torn
        durable, issued = written.durable(at), written.issued(max(at, torn + 1))
        fault = promises.broken(state.files, durable, issued, policy)
        if fault is not None:
            permitted = promises.permitted(durable, issued)
            return WriterLoss(case, written, state, durable, issued, fault, permitted)
    return None


def _chosen(trace: Trace, case: WriterCase) -> Iterator[State]:
    """Yield states of a trace in the order of their crash points, at most as many as the case allows."""
    found = [
        (situation, row)
        for states in crash_states(trace, (get_preset(case.preset),), case.seed, everywhere=True)
        for situation in [Facts(states)]
        for row in range(len(states))
    ]
    drawn = sorted(range(len(found)), key=lambda number: blake2b(b"%d/%d" % (case.seed, number)).digest())
    # States are in the order of crash points, so the first failure is the one with the fewest operations.
    taken = sorted(drawn[: case.states], key=lambda at: (found[at][0].states.point.crash_index, at))
    yield from (State(*found[number]) for number in taken)


def reduced(engine: Asking, probe: Probe) -> WriterLoss | None:
    """Return a loss for a case reduced to few operations; None if nothing is lost."""
    loss = first_loss(engine, probe)
    left, at = ATTEMPTS, 0 if loss is None else len(loss.written.replies) - 1
    while loss is not None and at >= 0 and left:
        left -= 1
        smaller = _without(loss.case, at)
        try:
            found = first_loss(engine, next(other for other in smaller.probes if other.op == "write"))
        except (Settled, Breakdown):  # A later operation needs the omitted operation.
            found = None
        loss, at = (loss if found is None else found), at - 1
    return loss


def _without(case: WriterCase, number: int) -> WriterCase:
    """Return the case without one operation; expected refusals of later operations are renumbered."""
    write = dict(case.write or {})
    write["ops"] = [op for at, op in enumerate(write["ops"]) if at != number]
    expect = []
    for entry in case.expect:
        kept = [one for one in entry.get("refusals", ()) if int(one["op"]) != number]
        moved = [{**one, "op": str(int(one["op"]) - (int(one["op"]) > number))} for one in kept]
        expect.append({**entry, "refusals": moved} if "refusals" in entry else entry)
    return replace(case, write=write, expect=tuple(expect))


def account(loss: WriterLoss, target: str, repeat: str) -> list[str]:
    """Return the lines that describe a loss: operations, writes and acknowledgements, the disk, and the lost
    data.
    """
    state, written = loss.state, loss.written
    told: dict[int, list[str]] = {}
    for number, text in zip(written.asked, explain.story(state), strict=False):
        told.setdefault(number, []).append(text)
    lines = [f"fail not-durable: {loss.case.id}/write", f"  {loss.case.title}", f"  {loss.reason}"]
    lines += [
        f"disk: {explain.preset_words(state)}",
        f"Operations requested from {target}, and its writes:",
    ]
    for number, op in enumerate((loss.case.write or {})["ops"][: loss.issued]):
        lines += [f"  {number}: {json.dumps(op)}", *(f"      {text}" for text in told.get(number, ()))]
    lines += explain.arrived(state)
    found = recovered(loss.case, state.files)
    if "refused" in found:
        policy = get_format(loss.case.format).keeps_most
        lines.append(f"strict recovery refuses these files ({found['refused']}); under {policy}:")
        found = recovered(loss.case, state.files, policy)
    permitted = dict.fromkeys(f"  {json.dumps(some)[:MOST_SHOWN]}" for some in loss.permitted)
    lines += [f"recovered: {json.dumps(found)[:MOST_SHOWN]}", "permitted by the acknowledgements:"]
    return [*lines, *permitted, "repeat:", f"  {repeat}"]


def told(engine: Asking, case: Case, target: str, repeat: str) -> list[str]:
    """Return the description of a loss, after reducing it with questions through `engine`."""
    loss = reduced(engine, next(probe for probe in case.probes if probe.op == "write"))
    return (
        [f"{case.id}: a second run of the writer loses nothing"]
        if loss is None
        else account(loss, target, repeat)
    )
