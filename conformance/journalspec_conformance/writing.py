"""Tests writers. The reference reads their files, also after a kill between two operations.

The result of the reference decides. The bytes are never compared with those of another writer. After a kill
or a power failure (:mod:`.power`), the recovered state must be one to which the acknowledged operations lead.
No data acknowledged as durable may be missing, and no unrequested data may exist. The states that operations
lead to come from the format's model (:mod:`journalspec_corpus.model`) and the refusals that the case expects,
never from a writer.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import Any, NoReturn

from journalspec_conformance.answers import check_io, check_written
from journalspec_conformance.asking import Asking, recovered
from journalspec_conformance.compare import Claims, compare
from journalspec_conformance.connection import Message
from journalspec_conformance.power import Disk
from journalspec_conformance.result import Outcome
from journalspec_conformance.scratch import CaseDirectory
from journalspec_conformance.wording import sentence
from journalspec_corpus import Case, Probe
from journalspec_corpus.model import History, history, model_of
from journalspec_reference import load

#: Every kill requires a restart. So only this many kills are spread evenly over a long write.
KILLS = 3

Files = Mapping[str, bytes]


class Settled(Exception):
    """The outcome is known before all operations are done."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


def judge_write(engine: Asking, probe: Probe) -> Outcome:
    """Let the implementation write, then check its files and its acknowledgements of durability."""
    case = probe.case
    if case.write is None:
        raise AssertionError("fault_of lets no such case pass")
    features = engine.format_claims(probe).features
    stepwise = "step" in features
    kill_after = case.write.get("kill_after")
    try:
        if kill_after is not None:
            if not stepwise:
                return Outcome("unsupported", reason="feature step")
            # The writer is killed after one operation; its acknowledgements and its files are checked.
            with engine.workspace.place(case) as place:
                said = _write_until(engine, probe, place, int(kill_after))
                return _said(probe.expect, said) or _judge_files(engine, probe, place.files())
        outcome = _whole(engine, probe)
        if outcome.result_class in ("pass", "allowed") and stepwise:
            # A writer that reports its I/O is not killed, because the result of a kill is among the checked
            # states.
            judge = _power_failures if "io-trace" in features else _durability
            judge(engine, probe)
        return outcome
    except Settled as early:
        return early.outcome


def _request(engine: Asking, probe: Probe, place: CaseDirectory) -> Message:
    write = probe.case.write or {}
    request = engine.request(probe, place)
    return request | {"params": {**probe.case.params, **write["params"]}, "ops": list(write["ops"])}


def _whole(engine: Asking, probe: Probe) -> Outcome:
    with engine.workspace.place(probe.case) as place:
        reply = engine.ask(_request(engine, probe, place))
        settled = engine.settled(probe, reply)
        if settled is not None:
            return settled
        check_written(reply["ok"])
        files = place.files()
        unnamed = sorted(set(reply["ok"].get("files", ())) - set(files))
        if unnamed:
            return Outcome(
                "fail", "wrote-invalid", f"it reported the file {', '.join(unnamed)}, which does not exist"
            )
        said = _said(probe.expect, reply["ok"])
        return said or _judge_files(engine, probe, files)


def _said(expected: Sequence[Mapping[str, Any]], answer: Message) -> Outcome | None:
    """Compare the refusals and acknowledgements with the expected ones."""
    refusals = [{"op": entry.get("op"), "code": entry.get("code")} for entry in answer.get("refusals", ())]
    wanted = [entry.get("refusals", []) for entry in expected]
    if refusals not in wanted:
        kind = f"refused:writer/{refusals[0]['code']}" if refusals else "verdict"
        return Outcome("fail", kind, f"refusals: expected {wanted[0]}, got {refusals}")
    durable = [entry["durable"] for entry in expected if "durable" in entry]
    if durable and "durable" in answer and not any(set(some) <= set(answer["durable"]) for some in durable):
        text = f"durable operations: expected {durable[0]}, got {answer['durable']}"
        return Outcome("fail", "not-durable", text)
    return None


def _judge_files(engine: Asking, probe: Probe, files: Files) -> Outcome:
    observed = _look(probe.case, files)
    outcome = engine.compare(probe, observed, Claims(state=engine.format_claims(probe).state))
    valid = {entry.get("verdict") for entry in probe.expect}
    if outcome.result_class == "fail" and observed["verdict"] not in valid:
        return Outcome("fail", "wrote-invalid", outcome.reason, difference=outcome.difference)
    return outcome


def _look(case: Case, files: Files) -> dict[str, Any]:
    """Return the reference's observation of `files`, by the operation that the case requests."""
    write = case.write or {}
    reference = load(case.format)
    if write["then"] == "read":
        return reference.read(files, edition=case.edition, params=case.params).to_json()
    policy = write.get("policy", "strict")
    return reference.recover(files, edition=case.edition, policy=policy, params=case.params).to_json()


def steps(
    engine: Asking, probe: Probe, place: CaseDirectory, **more: bool
) -> Generator[tuple[int, Message], None, None]:
    """Write stepwise. Yield the number of each operation with the answer to it.

    Closing the generator kills the writer at once. Raises Settled at an invalid reply.
    """
    request = _request(engine, probe, place) | {"step": True, **more}
    engine.validate("request-write", {"seq": 0, **request})
    with closing(engine.connection.steps(request)) as replies:
        for number, reply in enumerate(replies):
            engine.validate("reply-step" if "step" in reply else "reply-write", {"seq": 0, **reply})
            settled = engine.settled(probe, reply)
            if settled is not None:
                raise Settled(settled)
            if "step" in reply:
                yield number, reply


def _write_until(engine: Asking, probe: Probe, place: CaseDirectory, last: int) -> Message:
    """Write stepwise, and kill the writer after operation `last`. Return the replies until then."""
    durable: list[str] = []
    refusals: list[Message] = []
    with closing(steps(engine, probe, place)) as answers:
        for number, answer in answers:
            if answer.get("durable") is True:
                durable.append(str(number))
            if "refused" in answer:
                refusals.append({"op": str(number), "code": answer["refused"]["code"]})
            if number == last:
                break
    return {"durable": durable, "refusals": refusals}


def _durability(engine: Asking, probe: Probe) -> None:
    """Kill the writer between operations. Raises Settled if a recovered state is not permitted."""
    promises = Promises(engine, probe)
    for last in _kill_points(len((probe.case.write or {})["ops"])):
        with engine.workspace.place(probe.case) as place:
            said = _write_until(engine, probe, place, last)
            durable = max(map(int, said["durable"]), default=-1) + 1
            fault = promises.broken(place.files(), durable, last + 1)
        if fault is not None:
            _fail("not-durable", f"killed after operation {last}, durable up to {durable - 1}: {fault}")


def _power_failures(engine: Asking, probe: Probe) -> None:
    """Simulate a power failure after every storage operation.

    Raises Settled if a recovered state is not permitted.
    """
    promises = Promises(engine, probe)
    with engine.workspace.place(probe.case) as place:
        disk, durable = Disk(place.files()), 0
        with closing(steps(engine, probe, place, io=True)) as answers:
            for number, answer in answers:
                done, before = check_io(answer), disk.files()
                for index, entry in enumerate(done):
                    disk.do(entry)
                    if index + 1 == len(done):
                        break  # The acknowledgement follows at once, and is tested below.
                    fault = promises.broken_on(disk, durable, number + 1)
                    if fault is not None:
                        at = f"power fails in operation {number}, after storage operation {index}"
                        _fail("not-durable", f"{at}: {fault}")
                if disk.files() != place.files():
                    text = f"the storage operations of operation {number} do not lead to the files"
                    _fail("wrote-invalid", text)
                if "refused" in answer and disk.files() != before:
                    _fail("wrote-invalid", f"operation {number} is refused and changed files")
                durable = number + 1 if answer.get("durable") is True else durable
                fault = promises.broken_on(disk, durable, number + 1)
                if fault is not None:
                    at = f"power fails after operation {number}, durable up to {durable - 1}"
                    _fail("not-durable", f"{at}: {fault}")


def _fail(fingerprint: str, reason: str) -> NoReturn:
    raise Settled(Outcome("fail", fingerprint, reason))


class Promises:
    """The required outcomes of crashes in one write, by the format's model and the expected refusals."""

    def __init__(self, engine: Asking, probe: Probe) -> None:
        self._case = probe.case
        self._keys = keys_that_count(engine.format_claims(probe).state, probe.expect)
        before = recovered(probe.case, probe.case.files())
        self._histories = _histories(probe, before)
        #: Whether a crash before the first acknowledgement can lose data, namely data in the case's files.
        self._has_content = any(isinstance(value, list) and value for value in before.values())
        self._always = list((probe.case.write or {}).get("always", ()))
        self._known: dict[tuple[tuple[str, bytes], ...], dict[str, Any]] = {}
        #: A cache that maps the numbers of durable and of started operations to the states of the disk that
        #: were checked with them.
        self._judged: dict[tuple[int, int], set[object]] = {}

    def broken(self, files: Files, durable: int, issued: int, policy: str = "") -> str | None:
        """Return the difference of the recovered state of `files` from all permitted states, or None.

        A new or empty journal is not checked before the first acknowledgement. A journal of a format without
        a model is never checked. The content of an existing journal must survive its opening. Files that
        strict recovery refuses are read under `policy`, if one is given.
        """
        if not self._histories or not (durable or self._has_content):
            return None
        key = tuple(sorted(files.items()))
        if key not in self._known:
            self._known[key] = recovered(self._case, files)
            if policy and "refused" in self._known[key]:
                self._known[key] = recovered(self._case, files, policy)
        state = self._known[key]
        for entry in self._histories:
            seen = None if "refused" in state else self._reported(entry.seen(state))
            if seen in [self._reported(some) for some in entry.between(durable, issued)]:
                return None
        return f"recovery gives {state}"

    def broken_on(self, disk: Disk, durable: int, issued: int) -> str | None:
        """Return the first result of :meth:`broken` for the states that a power failure may leave now."""
        if not (durable or self._has_content):
            return None
        judged = self._judged.get((durable, issued), set())
        self._judged = {(durable, issued): judged}
        for files in disk.after_power_failure(judged):
            fault = self.broken(files, durable, issued) or self._missing(files, durable)
            if fault is not None:
                return fault
        return None

    def permitted(self, durable: int, issued: int) -> list[dict[str, Any]]:
        """Return the states that a crash may leave after so many acknowledged and started operations."""
        return [self._reported(some) for entry in self._histories for some in entry.between(durable, issued)]

    def _missing(self, files: Files, durable: int) -> str | None:
        """Return the difference of `files` from a rule of the case on every crash after an operation."""
        for entry in self._always:
            if durable > int(entry["after"]):
                difference = compare(entry, _look(self._case, files), Claims())
                if difference is not None:
                    return sentence(difference)
        return None

    def _reported(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return `state` cut to the keys that the implementation covers."""
        return {key: state[key] for key in state if self._keys is None or key in self._keys}


def _kill_points(count: int) -> list[int]:
    """Return up to KILLS operations after which to kill, evenly spread, the last one included."""
    kills = min(count, KILLS)
    return sorted({count - 1 - (count * index) // kills for index in range(kills)}) if count else []


def _histories(probe: Probe, before: Mapping[str, Any]) -> list[History]:
    """Return the states to which operations lead from `before`, for every set of permitted refusals.

    The list is empty if the format has no model: then only the rules of the case itself are checked.
    """
    case = probe.case
    model = model_of(case.format)
    if model is None or case.write is None:
        return []
    state = {} if "refused" in before else before
    refusals = {
        frozenset(int(refusal["op"]) for refusal in entry.get("refusals", ())) for entry in probe.expect
    }
    ops = list(case.write["ops"])
    return [history(model, state, ops, refused, case.edition) for refused in sorted(refusals, key=sorted)]


def keys_that_count(
    claimed: frozenset[str] | None, expect: Sequence[Mapping[str, Any]]
) -> frozenset[str] | None:
    """Return the keys of the state to compare after a kill: the `claimed` keys that the case expects."""
    named = frozenset(key for entry in expect for key in entry.get("state", ()))
    if not named:
        return claimed
    return named if claimed is None else named & claimed
