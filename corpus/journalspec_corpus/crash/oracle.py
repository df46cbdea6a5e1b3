"""Computes the permitted results of recovery from trace and model, without running any reader.

The criterion is durable linearizability, with failure atomicity. The recovered state must equal the state of
the model after a set S of operations, in the order of issue, such that

- all acknowledged operations are in S, and all operations in S were issued;
- the operations of all records that the answer lists are in S;
- S is closed: with the end of a transaction it contains all operations of the transaction. An end whose
transaction is torn is not in S.

A record that is written again (a copy that a swap or a compaction makes) is not a new operation. An operation
that copies have superseded is known to have been done, because a reader of the copies has seen its effect. If
the device acknowledged an fsync without performing it, or bytes were corrupted, acknowledged operations may
be missing. Then S is the set that the answer lists, and the recovered state must still be the model's after
S.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate, product
from typing import Any, NamedTuple

from journalspec.formats import UnknownFormat, format_module
from journalspec_corpus.crash.trace import BEFORE, REACHABLE, Ack, Mark, Release, Trace, promise
from journalspec_corpus.model import Stepwise

#: The role of an operation. The operation has its effect alone, or as a member of a transaction, or it ends a
#: transaction.
ALONE, MEMBER, PREPARE, COMMIT, ROLLBACK = "alone", "member", "prepare", "commit", "rollback"
#: The ends of a transaction that are valid only if all its operations are present.
_COMPLETE = (PREPARE, COMMIT)
#: The largest number of optional operations for which permitted states are listed.
MOST_OPEN = 8
#: Kinds of effects: of a record, and of a decision that is still to be carried out.
RECORD, DECISION = "record", "decision"

#: A state in canonical form. Two states have equal forms if a reader cannot distinguish them.
State = tuple[Any, ...]


class Effect(NamedTuple):
    """Represents one effect in a state: a RECORD or a DECISION, the object to which it belongs, and its
    content.
    """

    kind: str
    ident: str
    detail: str


@dataclass(frozen=True)
class Action:
    """Represents the effect of one record: operation `op` of the model, in transaction `tx`, in the role
    `role`.

    `makes` lists the effects of the record if it is live; a copy of the record also has the first of them.
    """

    op: Mapping[str, Any]
    tx: str = ""
    role: str = ALONE
    makes: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class Semantics:
    """Represents the semantics of a format.

    `action(key)` returns the action of the record with that key, `state(kept)` the canonical form of the
    model's state, `effects(state)` the effects in it, `told(state)` the state as an observation lists it.
    With `in_order`, an operation has its effect only after all earlier ones (changes of pages, for example).
    """

    model: Stepwise
    action: Callable[[str], Action]
    state: Callable[[Any], State]
    effects: Callable[[State], Iterable[Effect]]
    told: Callable[[State], Mapping[str, Any]]
    in_order: bool = False


@dataclass(frozen=True)
class Issued:
    """Represents one operation: its number in the order of issue, its record, and the index of its write."""

    number: int
    record: str
    at: int
    action: Action
    #: For an end of a transaction: the transaction's earlier operations, as bits.
    members: int = 0

    @property
    def bit(self) -> int:
        """The set that contains only this operation."""
        return 1 << self.number


@lru_cache(1 << 12)
def _action(of: Callable[[str], Action], key: str) -> Action:
    """Return the action of a record; cached, because many traces contain the same records."""
    return of(key)


class Operations:
    """Represents the operations of one trace, and the model's state after any set of them.

    Bit n stands for operation n.
    """

    def __init__(self, trace: Trace, semantics: Semantics) -> None:
        self.semantics = semantics
        self._edition = trace.edition
        self.issued: list[Issued] = []
        #: maps the key of a record to its operation, as a bit
        self.bits: dict[str, int] = {}
        self._by_record: dict[str, list[Issued]] = {}
        self._copied: dict[tuple[str, Any], int] = {}
        #: (index of the write of a copy, the operation that it copies)
        self._copies: list[tuple[int, Issued]] = []
        self._open: dict[str, int] = {}
        for mark in trace.before:
            self._take(BEFORE, mark)
        for at, note in trace.annotated:
            if isinstance(note, Mark):
                self._take(at, note)
        self._written = [issued.at for issued in self.issued]
        self._closing = [issued for issued in self.issued if issued.members]
        #: the PREPARE and COMMIT operations
        self.ends = sum(issued.bit for issued in self.issued if issued.action.role in _COMPLETE)
        self._listed: dict[tuple[Sequence[str], Sequence[str]], tuple[int, int, int]] = {}
        #: the operations that had been acknowledged and deleted in an earlier generation
        self._done = self._of(trace.done, 0)
        safe = self._done
        # If order matters, later records depend on the intact possible records, so these are safe; torn
        # records are not.
        gone_on_with = [mark for mark in trace.possible if semantics.in_order and mark.length]
        for mark in (*trace.standing, *gone_on_with):
            safe |= self.bits[mark.key]
        #: records that may remain from an earlier crash
        self.unsure = 0
        for mark in trace.possible:
            self.unsure |= self.bits[mark.key]
        self._acked: list[int] = []
        #: the operations acknowledged after the first 0, 1, 2 ... acknowledgements
        self._safe = [safe]
        for at, op in enumerate(trace.ops):
            if isinstance(op, Ack):
                self._acked.append(at)
                self._safe.append(self._safe[-1] | self._of(op.records, at))
        self.stale = frozenset(
            effect for mark in trace.stale for effect in _action(semantics.action, mark.key).makes
        )
        kept = semantics.model.begin({})
        #: the model's state after the first 0, 1, 2 ... operations
        self._prefixes = [kept]
        for issued in self.issued:
            kept = semantics.model.after(kept, issued.action.op, self._edition)
            self._prefixes.append(kept)
        self._states: dict[int, State] = {}
        #: for each release: its index, the released operations, the number of operations issued before it,
        #: and this number again, plus 1 if the next operation deletes them
        self._releases: list[tuple[int, int, int, int]] = []
        for at, op in enumerate(trace.ops):
            if isinstance(op, Release):
                gone, count = self._of(op.records, at), self._count(at)
                self._releases.append((at, gone, count, count + self._takes_back(count, gone)))
        #: maps a number of written copies to the operations whose copies change the state if they are read in
        #: addition
        self._copied_by: dict[int, int] = {}

    def _take(self, at: int, mark: Mark) -> None:
        """Add the operation of a record, unless the record copies an earlier one that was not rolled back."""
        action = _action(self.semantics.action, mark.key)
        same = (mark.record, action.makes[0] if action.makes else mark.key)
        known = self._copied.get(same, 0)
        if known:
            self.bits[mark.key] = self.bits.get(mark.key, 0) or known
            self._copies.append((at, self.issued[known.bit_length() - 1]))
            return
        members = self._open.get(action.tx, 0)
        issued = Issued(len(self.issued), mark.record, at, action, members if action.role in _COMPLETE else 0)
        self.issued.append(issued)
        self._by_record.setdefault(mark.record, []).append(issued)
        self.bits[mark.key] = issued.bit
        self._copied[same] = issued.bit
        if action.role == MEMBER:
            self._open[action.tx] = members | issued.bit
        elif action.role in (COMMIT, ROLLBACK):
            ended = self._open.pop(action.tx, 0)
            if action.role == ROLLBACK:
                # An operation may be requested again after it was rolled back.
                self._copied = {name: bit for name, bit in self._copied.items() if not bit & ended}

    def _of(self, records: Iterable[str], before: int) -> int:
        """Return each record's last operation before `before`.

        After a rollback, the operation may be done again.
        """
        bits = 0
        for record in records:
            known = [issued for issued in self._by_record.get(record, ()) if issued.at < before]
            if known:
                bits |= known[-1].bit
        return bits

    def acknowledged(self, upto: int) -> int:
        """Return the operations acknowledged within ``ops[:upto]`` of the trace, or before the trace."""
        return self._safe[bisect_left(self._acked, upto)]

    def before(self, upto: int) -> int:
        """Return the operations issued within ``ops[:upto]`` of the trace, or before the trace."""
        return (1 << self._count(upto)) - 1

    def _count(self, upto: int) -> int:
        """Return the number of operations issued within ``ops[:upto]``, or before the trace."""
        return bisect_left(self._written, upto)

    def copied(self, upto: int) -> int:
        """Return the operations whose copies change the state if both original and copy are read."""
        count = bisect_left(self._copies, upto, key=lambda copy: copy[0])
        if count not in self._copied_by:
            self._copied_by[count] = self._shown_twice(self._copies[:count])
        return self._copied_by[count]

    def _shown_twice(self, copies: Iterable[tuple[int, Issued]]) -> int:
        model, bits = self.semantics.model, 0
        for _, issued in copies:
            if not bits & issued.bit:
                once = self._prefixes[issued.number + 1]
                twice = model.after(once, issued.action.op, self._edition)
                shown = self.semantics.state(once) != self.semantics.state(twice)
                bits |= issued.bit if shown or issued.action.role == MEMBER else 0
        return bits

    def _takes_back(self, count: int, gone: int) -> bool:
        """Return whether the operation after the first `count` operations ends the effect of the operations
        in `gone`.

        A swap or a compaction deletes records because it copied them, not because of the next operation.
        """
        if count == len(self.issued):
            return False
        before, after = (
            self.effects(self.semantics.state(kept)) for kept in self._prefixes[count : count + 2]
        )
        return any(one.bit & gone for effect in before - after for one in self.makers(effect))

    def superseded(self, upto: int) -> list[tuple[int, int]]:
        """For each release, return the deleted operations, and the operations that had been issued by then.

        If the next operation deletes them, there are two entries: one without that operation, and one with
        it.
        """
        issued = self._count(upto)
        found = [(self._done, self.before(0))] if self._done else []
        for at, gone, count, more in self._releases:
            if at < upto:
                found += [(gone, (1 << count) - 1), (gone, (1 << min(more, issued)) - 1)]
        return list(dict.fromkeys(found))

    def listed(self, keys: Sequence[str], aside: Sequence[str]) -> tuple[int, int, int]:
        """Return the operations of `keys`, the operations of `aside`, and the operations that occur twice in
        `keys`.
        """
        place = tuple(keys), tuple(aside)
        found = self._listed.get(place)
        if found is None:
            counting = beside = twice = 0
            for key in keys:
                bit = self.bits.get(key, 0)
                twice |= counting & bit
                counting |= bit
            for key in aside:
                beside |= self.bits.get(key, 0)
            found = self._listed[place] = counting, beside, twice
        return found

    def permitted(self, crash_index: int, upto: int, *, lenient: bool) -> Permitted:
        """Return the permitted states after ``ops[:crash_index]``, if ``ops[:upto]`` were issued."""
        superseded, copied = self.superseded(upto), self.copied(upto)
        return Permitted(self, self.acknowledged(crash_index), self.before(upto), superseded, lenient, copied)

    def closed(self, chosen: int, present: int) -> int:
        """Return `chosen` without the end of any transaction that has an operation outside `present`."""
        for issued in self._closing:
            if issued.members & ~present and chosen & issued.bit:
                chosen &= ~issued.bit
        return chosen

    def state(self, chosen: int) -> State:
        """Return the state after the operations in `chosen`, in the order in which they were issued."""
        found = self._states.get(chosen)
        if found is None:
            front = (~chosen & (chosen + 1)).bit_length() - 1
            kept = self._prefixes[min(front, len(self.issued))]
            for issued in self.issued[front:]:
                if chosen & issued.bit:
                    kept = self.semantics.model.after(kept, issued.action.op, self._edition)
            found = self._states[chosen] = self.semantics.state(kept)
        return found

    def effects(self, state: State) -> Counter[Effect]:
        """Return the effects in `state`, with their numbers."""
        return Counter(self.semantics.effects(state))

    def makers(self, effect: Effect) -> list[Issued]:
        """Return the operations that may have made `effect`. A decision also makes its parts."""
        if effect.kind == DECISION and effect not in self._makers:
            effect = effect._replace(detail="")
        return self._makers.get(effect, [])

    @cached_property
    def _makers(self) -> dict[Effect, list[Issued]]:
        out: dict[Effect, list[Issued]] = {}
        for issued in self.issued:
            for effect in issued.action.makes:
                out.setdefault(effect, []).append(issued)
        return out


@dataclass(frozen=True)
class Wrong:
    """Represents a fault of a recovered state: its verdict, the effect that proves it, its records and
    transaction.
    """

    verdict: str
    effect: Effect | None = None
    records: tuple[str, ...] = ()
    tx: str = ""


#: The verdicts on effects, the most significant first.
INVENTED = "effect-invented"
ROLLED_BACK = "rolled-back-applied"
UNCOMMITTED = "uncommitted-applied"
HALF = "half-transaction"
RETURNED = "deleted-returned"
DECISION_LOST = "decision-lost"
EFFECT_LOST = "effect-lost"
ORDER = (INVENTED, ROLLED_BACK, UNCOMMITTED, HALF, RETURNED, DECISION_LOST, EFFECT_LOST)


_WORDS: Mapping[str, str] = {
    INVENTED: "{what} is in effect, but no listed or acknowledged record explains this",
    ROLLED_BACK: "transaction {tx} was rolled back, but {what} is in effect",
    UNCOMMITTED: "no listed record commits transaction {tx}, but {what} is in effect",
    HALF: "only a part of transaction {tx} is in effect; see {what}",
    RETURNED: "{what} was deleted or finished, but is in effect again",
    DECISION_LOST: "transaction {tx} was prepared or decided, but is missing: {what}",
    EFFECT_LOST: "{what} was read or acknowledged, but is not in effect",
}
#: At most this many characters of an effect are shown.
_SHOWN = 40


def in_words(wrong: Wrong) -> str:
    """Return a description of the fault of a state: a clause about the effect, or about its record and
    transaction.
    """
    if wrong.effect is None:
        return "all effects are right, but their order is wrong"
    kind, ident, detail = wrong.effect
    short = detail if len(detail) <= _SHOWN else detail[: _SHOWN - 3] + "..."
    what = f"its record {wrong.records[0]}" if wrong.tx and wrong.records else f"{kind} {ident} ({short})"
    return _WORDS[wrong.verdict].format(tx=wrong.tx, what=what)


@dataclass
class Permitted:
    """Represents the states that recovery may return at one crash point.

    With `lenient`, acknowledged operations may be missing. `copied` are operations with copies that may be
    read in addition to the original.
    """

    operations: Operations
    acknowledged: int
    issued: int
    superseded: Sequence[tuple[int, int]]
    lenient: bool
    copied: int = 0
    _memo: dict[tuple[int, int, int, State], Wrong | None] = field(default_factory=dict, repr=False)
    _from_front: dict[int, frozenset[State]] = field(default_factory=dict, repr=False)

    def wrong(self, keys: Sequence[str], aside: Sequence[str], state: State) -> Wrong | None:
        """Return the fault of `state`, or None if it is permitted with the listed records."""
        counting, beside, twice = self.operations.listed(keys, aside)
        place = (counting, beside, twice, state)
        if place not in self._memo:
            self._memo[place] = self._judged(counting & self.issued, beside & self.issued, twice, state)
        return self._memo[place]

    def wrong_alone(self, state: State) -> Wrong | None:
        """Return the fault of `state` if the answer lists no records. Return None if some prefix explains the
        state.

        A prefix of the issued operations contains all acknowledged ones unless `lenient`.
        """
        if self.keeps(state) or (self.lenient and state in self._runs(0)):
            return None
        chosen = self.operations.closed(self.acknowledged, self.acknowledged)
        return self._explained(chosen, self.issued, state, 0)

    def keeps(self, state: State) -> bool:
        """Return whether `state` may result from a prefix with all acknowledged operations."""
        return state in self._runs(self.acknowledged)

    def _runs(self, least: int) -> frozenset[State]:
        """Return the states after each prefix of the operations, with the operations `least` added to it."""
        found = self._from_front.get(least)
        if found is None:
            runs = {least | run for run in self._fronts()}
            states = (self.operations.state(self.operations.closed(run, run)) for run in runs)
            found = self._from_front[least] = frozenset(states)
        return found

    def _fronts(self) -> Iterator[int]:
        """Yield prefixes of the issued operations, each with prefixes of an earlier crash's possible ones."""
        unsure, before = [], 0
        for issued in self.operations.issued:
            if issued.bit & self.operations.unsure:
                unsure.append(issued.bit)
        for more in (0, *unsure):
            before |= more
            for count in range(self.issued.bit_length() + 1):
                front = (1 << count) - 1
                yield front & ~self.operations.unsure | front & before

    def _judged(self, counting: int, beside: int, twice: int, state: State) -> Wrong | None:
        sets = list(self._sets(counting, beside))
        twice = twice if self.lenient else twice & self.copied
        for chosen in sets:
            if self.operations.state(chosen) == state or (twice and self._doubled(chosen, twice, state)):
                return None
        # If operations may be lost, the state of the listed operations is the closest to the recovered state.
        listed = counting | beside & ~self.operations.ends
        chosen = self.operations.closed(listed, listed) if self.lenient else sets[0]
        return self._explained(chosen, counting, state, twice)

    def _doubled(self, chosen: int, twice: int, state: State) -> bool:
        """Return whether `state` is the state after `chosen`, but records in two places are in effect twice.

        Causes are an unfinished compaction, a misdirected write or a doubled file.
        """
        operations = self.operations
        due, found = operations.effects(operations.state(chosen)), operations.effects(state)
        many = found - due
        shown = all(any(one.bit & twice for one in operations.makers(effect)) for effect in many)
        return shown and set(due) == set(found) and not due - found

    def _sets(self, counting: int, beside: int) -> Iterator[int]:
        """Yield the sets of operations that the answer may represent."""
        closed = self.operations.closed
        # The end of a transaction in `beside` was listed, but not accepted.
        members = beside & ~self.operations.ends
        listed = counting | members
        for gone, known in ((-1, 0), *self.superseded):
            if not gone & ~listed:
                # All deleted records are listed, so no operation has superseded them in this state.
                continue
            present = self.acknowledged | listed | known
            yield self.acknowledged | known | closed(listed, present)
        if self.lenient:
            yield closed(listed, listed)
            done = listed
            for gone, _ in self.superseded:
                done |= gone
                yield closed(done, done)

    def states(self) -> list[Mapping[str, Any]]:
        """Return every permitted state as an observation lists it; empty if there are too many.

        The result is also empty if acknowledged operations may be missing, or if copies may be read in
        addition.
        """
        optional = [one.bit for one in self.operations.issued if one.bit & self.issued & ~self.acknowledged]
        if self.lenient or self.copied or len(optional) > MOST_OPEN:
            return []
        found: dict[State, None] = {}
        if self.operations.semantics.in_order:
            some: Iterable[int] = accumulate(optional, initial=0)
        else:
            some = map(sum, product(*((0, bit) for bit in optional)))
        for chosen in some:
            for known in (0, *(known for _, known in self.superseded)):
                whole = self.acknowledged | known
                listed = whole | self.operations.closed(chosen, whole | chosen)
                found[self.operations.state(listed)] = None
        return [self.operations.semantics.told(state) for state in sorted(found)]

    def _explained(self, chosen: int, counting: int, state: State, twice: int) -> Wrong:
        """Return the most significant difference between `state` and the state after `chosen`.

        Records in two places (`twice`) may be in effect twice.
        """
        due, found = (
            self.operations.effects(self.operations.state(chosen)),
            self.operations.effects(state),
        )
        many = [
            Wrong(INVENTED, effect) if due[effect] else self._extra(effect, chosen, counting)
            for effect in found - due
            if not (due[effect] and any(one.bit & twice for one in self.operations.makers(effect)))
        ]
        many += [self._missing(effect, chosen, due & found) for effect in due - found]
        # There is no other difference, so the right records are in effect, but in the wrong order.
        many = many or [Wrong(INVENTED)]
        return min(many, key=lambda wrong: ORDER.index(wrong.verdict))

    def _extra(self, effect: Effect, chosen: int, counting: int) -> Wrong:
        operations = self.operations
        makers = [issued for issued in operations.makers(effect) if issued.bit & self.issued]
        if not makers:
            return Wrong(RETURNED if effect in operations.stale else INVENTED, effect)
        maker = makers[-1]
        tx = maker.action.tx
        told = (effect, (maker.record,), tx)
        ends = (
            [one for one in operations.issued if one.action.tx == tx and one.number > maker.number]
            if tx
            else []
        )
        if any(one.action.role == ROLLBACK and one.bit & chosen for one in ends):
            return Wrong(ROLLED_BACK, *told)
        committed = [one for one in ends if one.action.role == COMMIT]
        if maker.action.role == MEMBER and not any(one.bit & chosen for one in committed):
            torn = any(one.bit & counting & ~chosen for one in ends if one.action.role in _COMPLETE)
            return Wrong(HALF if torn else UNCOMMITTED, *told)
        if not maker.bit & chosen:
            half = maker.action.role in _COMPLETE and maker.bit & counting
            return Wrong(HALF if half else INVENTED, *told)
        if maker.action.role == ALONE and effect not in operations.effects(operations.state(maker.bit)):
            return Wrong(UNCOMMITTED, *told)
        return Wrong(RETURNED, *told)

    def _missing(self, effect: Effect, chosen: int, right: Counter[Effect]) -> Wrong:
        makers = [issued for issued in self.operations.makers(effect) if issued.bit & chosen]
        lost = DECISION_LOST if effect.kind == DECISION else EFFECT_LOST
        if not makers:
            return Wrong(lost, effect)
        maker = makers[-1]
        tx = maker.action.tx
        others = {
            other
            for one in self.operations.issued
            if tx and one.action.tx == tx and one.bit & chosen
            for other in one.action.makes
        } - {effect}
        half = any(right[other] for other in others)
        return Wrong(HALF if half else lost, effect, (maker.record,), tx)


def operations_of(trace: Trace) -> Operations | None:
    """Return the operations of `trace`, computed once; None if its format has no semantics."""
    name = "operations"
    if name not in trace.derived:
        try:
            semantics = format_module("journalspec_corpus", trace.format, "crash").CRASH.semantics
        except UnknownFormat:
            semantics = None
        trace.derived[name] = None if semantics is None else Operations(trace, semantics)
    found: Operations | None = trace.derived[name]
    return found


ALLOWED, REQUIRED, FORBIDDEN = "allowed", "required", "forbidden"
REFUSALS = (ALLOWED, REQUIRED, FORBIDDEN)


@dataclass(frozen=True)
class Expected:
    """Represents the required outcome, which all states of one crash point share.

    `must_keep` are acknowledged records that were not released, `may_keep` all issued ones, `must_drop`
    records of an earlier generation. `record_of` maps a reader's key to the record's name; a key that is not
    in it was never written. `order` is the order in which the records were issued, without those in
    `released`. Released records and those in `possible` may be at any place in an answer, or absent. `life`
    is the trace's life. In `stratum` C, only reports are required, and no data. `fine` contains the records
    that the recovery before this run still found. `effects` describes the permitted logical states; None if
    the format has no semantics.
    """

    must_keep: frozenset[str]
    may_keep: frozenset[str]
    must_drop: frozenset[str]
    record_of: Mapping[str, str]
    order: tuple[str, ...]
    possible: frozenset[str] = frozenset()
    life: int = 1
    stratum: str = "R"
    fine: frozenset[str] = frozenset()
    effects: Permitted | None = field(default=None, compare=False, repr=False)
    released: frozenset[str] = frozenset()

    @property
    def keys_to_keep(self) -> list[str]:
        """The keys of the records that every reader must keep; with the bytes they define the case id."""
        return [key for key, record in self.record_of.items() if record in self.must_keep]


def expected_at(trace: Trace, crash_index: int, torn: int = -1, stratum: str = REACHABLE) -> Expected:
    """Return the required outcome after ``ops[:crash_index]``; `torn` is the interrupted operation, if any.

    Crash points with the same issued, acknowledged and released records share one object. The tag ``fine`` =
    "yes" of a second run's trace means that recovery found all acknowledged records in the initial files.
    """
    known: dict[tuple[int, int, int, str], Expected] = trace.derived.setdefault("expected", {})
    upto = max(crash_index, torn + 1)
    # A record that is being written counts as issued, although its annotation comes after its write.
    issued = [mark for _, mark in trace.issued(upto)]
    acked = sum(index < crash_index for index, _ in trace.acks)
    let_go = sum(index < upto for index, _ in trace.releases)
    place = len(issued), acked, let_go, stratum
    if place in known:
        return known[place]
    released = trace.released(upto)
    own = (*trace.standing, *issued)
    possible = frozenset(mark.record for mark in trace.possible) - {mark.record for mark in own}
    operations = operations_of(trace)
    permitted = operations.permitted(crash_index, upto, lenient=stratum != REACHABLE) if operations else None
    found = known[place] = Expected(
        must_keep=frozenset(trace.acknowledged(crash_index)) - released,
        may_keep=frozenset(mark.record for mark in own) | possible,
        must_drop=frozenset(mark.record for mark in trace.stale) - possible,
        record_of={mark.key: mark.record for mark in (*trace.stale, *trace.possible, *own)},
        order=tuple(dict.fromkeys(mark.record for mark in own if mark.record not in released)),
        released=released,
        possible=possible,
        life=trace.life,
        stratum=stratum,
        fine=frozenset(mark.record for mark in trace.standing if trace.tags.get("fine") == "yes"),
        effects=permitted,
    )
    return found


def promised(trace: Trace, expected: Expected) -> bytes:
    """Return the part of a case id that all states of `trace` with the outcome `expected` share."""
    return promise(trace.format, trace.edition, expected.stratum, expected.keys_to_keep)
