"""Writers: the reference reads what they left, also when they are killed between two operations.

A journal is judged by what the specification's reader finds in it, never by
comparing bytes with another writer. After a kill the recovered state must be
one that the acknowledged operations lead to: nothing that was called durable
may be missing, nothing may be there that was not asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from journalspec.observation import REFUSED, jsonable
from journalspec_conformance.compare import Claims
from journalspec_conformance.engine import Outcome, settle
from journalspec_conformance.observed import check_written
from journalspec_reference import WriterRefused, load
from journalspec_reference.storage import MemoryStorage

if TYPE_CHECKING:
    from journalspec_conformance.connection import Message
    from journalspec_conformance.engine import Engine
    from journalspec_conformance.scratch import Place
    from journalspec_corpus import Case, Probe

#: Every kill costs a restart; so many of a long write are spread evenly over its operations.
KILLS = 3

Files = Mapping[str, bytes]


def judge_write(engine: Engine, probe: Probe) -> Outcome:
    """Let the implementation write, then judge its files and what it said about durability."""
    case = probe.case
    if case.write is None:
        raise AssertionError("fault_of lets no such case pass")
    stepwise = "step" in engine.format_claims(probe).features
    kill_after = case.write.get("kill_after")
    if kill_after is not None and not stepwise:
        return Outcome("unsupported", reason="feature step")
    if kill_after is not None:
        return _killed(engine, probe, int(kill_after))
    outcome = _whole(engine, probe)
    if outcome.result_class in ("pass", "allowed") and stepwise:
        return _durability(engine, probe) or outcome
    return outcome


def _request(engine: Engine, probe: Probe, place: Place) -> Message:
    write = probe.case.write or {}
    request = engine.request(probe, place)
    return request | {"params": {**probe.case.params, **write["params"]}, "ops": list(write["ops"])}


def _whole(engine: Engine, probe: Probe) -> Outcome:
    with engine.workspace.place(probe.case) as place:
        reply = engine.ask(_request(engine, probe, place))
        settled = settle(reply, engine.connection)
        if settled is not None:
            return settled
        check_written(reply["ok"])
        files = place.files()
        unnamed = sorted(set(reply["ok"].get("files", ())) - set(files))
        if unnamed:
            return Outcome(
                "fail", "wrote-invalid", f"it says it wrote {', '.join(unnamed)}, which is not there"
            )
        said = _said(probe.expect, reply["ok"])
        return said or _judge_files(engine, probe, files)


def _said(expected: Sequence[Mapping[str, Any]], answer: Message) -> Outcome | None:
    """Compare the refusals and acknowledgements with what is expected of them."""
    refusals = [{"op": entry.get("op"), "code": entry.get("code")} for entry in answer.get("refusals", ())]
    wanted = [entry.get("refusals", []) for entry in expected]
    if refusals not in wanted:
        return Outcome("fail", _refusal_print(refusals), f"refusals: expected {wanted[0]}, got {refusals}")
    durable = [entry["durable"] for entry in expected if "durable" in entry]
    if durable and "durable" in answer and not any(set(some) <= set(answer["durable"]) for some in durable):
        text = f"durable operations: expected {durable[0]}, got {answer['durable']}"
        return Outcome("fail", "not-durable", text)
    return None


def _refusal_print(refusals: Sequence[Mapping[str, Any]]) -> str:
    return f"refused:writer/{refusals[0]['code']}" if refusals else "verdict"


def _judge_files(engine: Engine, probe: Probe, files: Files) -> Outcome:
    observed = _look(probe.case, files)
    outcome = engine.compare(probe, observed, Claims(state=engine.format_claims(probe).state))
    valid = {entry.get("verdict") for entry in probe.expect}
    if outcome.result_class == "fail" and observed["verdict"] not in valid:
        return Outcome("fail", "wrote-invalid", outcome.reason, difference=outcome.difference)
    return outcome


def _look(case: Case, files: Files) -> dict[str, Any]:
    """Return what the reference finds in `files`, in the way that the case asks for."""
    write = case.write or {}
    reference = load(case.format)
    if write["then"] == "read":
        return reference.read(files, edition=case.edition, params=case.params).to_json()
    policy = write.get("policy", "strict")
    return reference.recover(files, edition=case.edition, policy=policy, params=case.params).to_json()


def _killed(engine: Engine, probe: Probe, step: int) -> Outcome:
    """Kill after one operation, as the case says, and judge what is there by its expectations."""
    with engine.workspace.place(probe.case) as place:
        settled, _ = _write_until(engine, probe, place, step)
        return settled or _judge_files(engine, probe, place.files())


def _write_until(engine: Engine, probe: Probe, place: Place, last: int) -> tuple[Outcome | None, int]:
    """Write stepwise, kill after operation `last`; return (early outcome, number of durable operations)."""
    request = _request(engine, probe, place) | {"step": True}
    engine.validate("request-write", {"seq": 0, **request})
    durable = 0
    with closing(engine.connection.steps(request)) as replies:
        for number, reply in enumerate(replies):
            engine.validate("reply-step" if "step" in reply else "reply-write", {"seq": 0, **reply})
            settled = settle(reply, engine.connection)
            if settled is not None:
                return settled, durable
            if reply.get("durable") is True:
                durable = number + 1
            if number == last:
                break
    return None, durable


def _durability(engine: Engine, probe: Probe) -> Outcome | None:
    """Kill the writer between operations; None if every recovered state is one that is permitted."""
    write = probe.case.write or {}
    lazy, eager = _states(probe.case), _states(probe.case, eager=True)
    keys = keys_that_count(engine.format_claims(probe).state, probe.expect)
    for last in _kill_points(len(write["ops"])):
        with engine.workspace.place(probe.case) as place:
            settled, durable = _write_until(engine, probe, place, last)
            if settled is not None:
                return settled
            if durable == 0:
                continue
            state = _recovered(probe.case, place.files())
        permitted = lazy[durable : last + 2] + eager[durable : last + 2]
        if _reported(state, keys) not in [_reported(entry, keys) for entry in permitted]:
            text = f"killed after operation {last}, durable up to {durable - 1}: recovery gives {state}"
            return Outcome("fail", "not-durable", text)
    return None


def _kill_points(count: int) -> list[int]:
    """Return up to KILLS operations after which to kill, evenly spread, the last one included."""
    kills = min(count, KILLS)
    return sorted({count - 1 - (count * index) // kills for index in range(kills)}) if count else []


def _states(case: Case, *, eager: bool = False) -> list[Any]:
    """Return the recovered state after the first 0, 1, 2 ... operations, by the reference writer.

    Between two forces a writer may show more than it has to: `eager` asks for
    the states in which everything shows at once.
    """
    write = case.write or {}
    storage = MemoryStorage(case.files())
    writer = load(case.format).writer(
        storage,
        edition=case.edition,
        params={**case.params, **write["params"], **({"eager": "true"} if eager else {})},
    )
    states = [_recovered(case, storage.files)]
    for op in write["ops"]:
        with suppress(WriterRefused):
            writer.apply(op)
        states.append(_recovered(case, storage.files))
    return states


def keys_that_count(
    claimed: frozenset[str] | None, expect: Sequence[Mapping[str, Any]]
) -> frozenset[str] | None:
    """Return the state's keys that count after a kill: those `claimed`, less what the case leaves open."""
    named = frozenset(key for entry in expect for key in entry.get("state", ()))
    if not named:
        return claimed
    return named if claimed is None else named & claimed


def _reported(state: Any, keys: frozenset[str] | None) -> Any:
    """Return `state` cut to the keys that the implementation vouches for."""
    if keys is None or not isinstance(state, dict) or "refused" in state:
        return state
    return {key: value for key, value in state.items() if key in keys}


def _recovered(case: Case, files: Mapping[str, bytes | bytearray]) -> Any:
    content = {name: bytes(data) for name, data in files.items()}
    seen = load(case.format).recover(content, edition=case.edition, policy="strict", params=case.params)
    if seen.verdict == REFUSED:
        return {"refused": f"{seen.phase}/{seen.code}"}
    if seen.state is not None:
        return jsonable(seen.state)
    return [{"type": record.type, **jsonable(record.fields)} for record in seen.records]
