"""Which logical states may come back after a crash, by trying every set of operations.

The second oracle for effects, written from the definition of durable linearizability and from the formats'
specifications, and not from the engine or its models: a recovered state is right if it is the state
after some set S of operations with acknowledged <= S <= issued that is closed under the order that the format
promises. All such sets are walked, one by one; a naive model of each format (:mod:`brute_models`) says what
each amounts to. An answer lists what it has read, so a set has to fit that as well: what is listed is in
it, and what is neither acknowledged nor listed is not, unless something that replaces it can have been read.

A state is a set of *effects*, each a tuple of texts; two states are the same if they have the same. Of a
wrong one the verdicts are told that fit by their plainest definition: there can be several, for a
delete that a transaction lost is half a transaction and something deleted that came back.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from journalspec_corpus.crash.trace import Ack, Mark, Release, Trace, Write

#: One thing that is in effect: what it is, and which one.
Effect = tuple[str, ...]
State = frozenset[Effect]
#: With more sets than this a crash point is not small.
MOST_SETS = 1 << 12


class TooMany(ValueError):
    """There are more than MOST_SETS sets."""


@dataclass(frozen=True, slots=True)
class IssuedOp:
    """One operation: its record and the key of what it wrote, in which `life` and `file`.

    `told` is whether somebody was told that it is safe, `replaced` whether it may have been written once more
    since, in other words. `lets` are the records that were let go right before it: if it ends what one of
    these had brought about, and that one is gone, it may have been done. `copies` are further keys under
    which it may be listed.
    """

    record: str
    key: str
    life: int
    told: bool
    replaced: bool = False
    file: str = ""
    copies: tuple[str, ...] = ()
    lets: frozenset[str] = frozenset()

    def among(self, keys: Container[str]) -> bool:
        """Tell whether it is listed in `keys`, itself or a copy."""
        return any(key in keys for key in (self.key, *self.copies))


@dataclass(frozen=True)
class FoldModel:
    """What the specification of a format says of operations.

    `operations(ops)` leaves out what is a copy. `needs(ops)` says of each which earlier ones are in every set
    that it is in; `loose` says so where damaged records may be left out.
    `fold(keys)` are the effects after operations in that order, `effects(state)` those that an observation's
    state tells. `sources(effect, ops)` are the numbers of the operations that bring an effect about.
    `transaction(key)` is the transaction that an operation belongs to, empty for none; `ends(key)` is what it
    does to that: "commit", "rollback", "decide", or nothing (""). `decisions` are the first words of
    effects that are decisions not carried out yet. `once(state, keys)` leaves out what is in effect for the
    second time because the records `keys` were read in two places.
    """

    operations: Callable[[Sequence[IssuedOp]], list[IssuedOp]]
    needs: Callable[[Sequence[IssuedOp]], list[set[int]]]
    loose: Callable[[Sequence[IssuedOp]], list[set[int]]]
    fold: Callable[[Sequence[str]], State]
    effects: Callable[[Mapping[str, Any]], State]
    sources: Callable[[Effect, Sequence[IssuedOp]], set[int]]
    transaction: Callable[[str], str]
    ends: Callable[[str], str]
    decisions: frozenset[str]
    once: Callable[[State, Iterable[str]], State] = lambda state, keys: state


def bringing(brings: Callable[[Effect, IssuedOp], bool]) -> Callable[[Effect, Sequence[IssuedOp]], set[int]]:
    """Return what gives the sources of an effect, where an operation alone tells whether it `brings` it."""
    return lambda effect, ops: {number for number, op in enumerate(ops) if brings(effect, op)}


def of_life(ops: Sequence[IssuedOp]) -> list[set[int]]:
    """Return what each operation needs where a log is read in order: all before it in its life."""
    return [{n for n in range(number) if ops[n].life == op.life} for number, op in enumerate(ops)]


def of_transactions(
    transaction: Callable[[str], str],
    ends: Callable[[str], str],
    begins: Callable[[str], bool] = lambda key: False,
) -> Callable[[Sequence[IssuedOp]], list[set[int]]]:
    """Return what says what each operation needs where records count alone: a commit its transaction.

    `transaction` and `ends` are those of a model; what `begins` one forgets what had its name before.
    """

    def needs(ops: Sequence[IssuedOp]) -> list[set[int]]:
        found: list[set[int]] = []
        members: dict[str, set[int]] = {}
        for number, op in enumerate(ops):
            tx, end = transaction(op.key), ends(op.key)
            found.append(set(members.get(tx, ())) if end in ("decide", "commit") else set())
            if end in ("commit", "rollback") or begins(op.key):
                members.pop(tx, None)
            if tx and not end:
                members.setdefault(tx, set()).add(number)
        return found

    return needs


def issued(trace: Trace, crash: int, torn: int = -1) -> list[IssuedOp]:
    """Return what had been asked for before the crash, in order: what stands, what may stand, this life's.

    What a recovery before this life may have found or not stands between the two: it is of the life before.
    """
    before = [IssuedOp(mark.record, mark.key, 0, told=True, file=mark.file) for mark in trace.standing]
    known = {mark.record for mark in trace.standing}
    before += [
        IssuedOp(mark.record, mark.key, 1, told=False, file=mark.file)
        for mark in trace.possible
        if mark.record not in known
    ]
    last = max(crash - 1, torn)
    here: list[tuple[int, Mark]] = []
    write = -1
    for index, op in enumerate(trace.ops):
        if isinstance(op, Write):
            write = index
        elif isinstance(op, Mark) and 0 <= write <= last:
            here.append((index, op))
    acks = [(index, set(op.records)) for index, op in enumerate(trace.ops[:crash]) if isinstance(op, Ack)]
    let_go = [at for at, op in enumerate(trace.ops[: last + 1]) if isinstance(op, Release)]
    lets: dict[int, set[str]] = {}
    for at in let_go:
        # What lets go of something stands right behind that.
        following = min((index for index, _ in here if index > at), default=-1)
        op = trace.ops[at]
        lets.setdefault(following, set()).update(op.records if isinstance(op, Release) else ())
    return before + [
        IssuedOp(
            mark.record,
            mark.key,
            2,
            told=any(at > index and mark.record in names for at, names in acks),
            replaced=any(index < at for at in let_go),
            file=mark.file,
            lets=frozenset(lets.get(index, ())),
        )
        for index, mark in here
    ]


def closed_sets(
    needs: Sequence[set[int]], told: Sequence[bool], most: int = MOST_SETS
) -> list[tuple[int, ...]]:
    """Return every set of operations that has all that were `told` and all that its members need.

    Operations are numbered in the order of issue, and need earlier ones only. Raises TooMany.
    """
    found: list[tuple[int, ...]] = [()]
    for number, wants in enumerate(needs):
        grown = [chosen for chosen in found if not told[number]]
        grown += [(*chosen, number) for chosen in found if wants.issubset(chosen)]
        if len(grown) > most:
            raise TooMany(f"more than {most} sets of {len(needs)} operations")
        found = grown
    return found


@dataclass
class BrutePermitted:
    """All sets that are permitted at one crash point; `lost` if what was acknowledged may be gone as well.

    With `loose` they are those of a reader that may leave out what is damaged.
    """

    model: FoldModel
    ops: list[IssuedOp]
    lost: bool = False
    loose: bool = False
    sets: list[tuple[int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        told = [op.told for op in self.ops]
        self.sets = closed_sets(self._needs if self.loose else self.model.needs(self.ops), told)
        if self.lost:
            self.sets += closed_sets(self.model.loose(self.ops), [False] * len(told))
        self._states = [self.model.fold([self.ops[n].key for n in chosen]) for chosen in self.sets]

    @cached_property
    def _ended(self) -> set[str]:
        """The transactions of which somebody was told that they are committed or rolled back."""
        ends = [op for op in self.ops if op.told and self.model.ends(op.key) in ("commit", "rollback")]
        return {self.model.transaction(op.key) for op in ends}

    def right(self, listed: frozenset[str], aside: frozenset[str]) -> set[State]:
        """Return the states of all sets that fit an answer with these keys, in effect and `aside`."""
        read = frozenset(n for n, op in enumerate(self.ops) if op.among(listed) or self._member(op, aside))
        # It may all have been read where it stood first: then no copy of it need have been made.
        first = frozenset(n for n in read if all(op.key != self.ops[n].key for op in self.ops[:n]))
        found = {
            state
            for chosen, state in zip(self.sets, self._states, strict=True)
            if self._fits(frozenset(chosen), read) or self._fits(frozenset(chosen), first, copied=False)
        }
        # Whoever lists what cannot be read together is wrong anyway, and judged by all that may be.
        return found or set(self._states)

    def _member(self, op: IssuedOp, aside: frozenset[str]) -> bool:
        # An end that is set aside was not obeyed.
        return op.among(aside) and not self.model.ends(op.key)

    def _fits(self, chosen: frozenset[int], read: frozenset[int], *, copied: bool = True) -> bool:
        """Tell whether what was read is all there, but for ends of what is torn, and all else is known.

        Unless something was `copied` nothing has been replaced.
        """
        there = {self.ops[n].record for n in read}
        for number in chosen - read:
            op = self.ops[number]
            if not (op.told or (copied and (op.replaced or self._let_go[number] - there))):
                # What can be gone and is not listed was not there; a promise counts without being listed.
                return False
        return all(self.model.ends(self.ops[n].key) and not self._needs[n] <= chosen for n in read - chosen)

    @cached_property
    def _let_go(self) -> list[frozenset[str]]:
        """What was let go for each operation: nothing, unless it ends what one of these had brought about."""
        found = []
        for number, op in enumerate(self.ops):
            ended: set[str] = set()
            if op.lets:
                keys = [each.key for each in self.ops[: number + 1]]
                for effect in self.model.fold(keys[:-1]) - self.model.fold(keys):
                    ended |= {self.ops[n].record for n in self.model.sources(effect, self.ops[:number])}
            found.append(op.lets if op.lets & ended else frozenset[str]())
        return found

    @cached_property
    def _needs(self) -> list[set[int]]:
        return self.model.loose(self.ops)

    @cached_property
    def ends(self) -> Mapping[str, set[str]]:
        """What was issued to end each transaction."""
        found: dict[str, set[str]] = {}
        for op in self.ops:
            found.setdefault(self.model.transaction(op.key), set()).add(self.model.ends(op.key))
        return found

    def wrong(
        self, state: State, listed: frozenset[str] = frozenset(), aside: frozenset[str] = frozenset()
    ) -> frozenset[str]:
        """Return the verdicts that fit `state`, listed with these keys; none if some set explains it."""
        permitted = self.right(listed, aside)
        if state in permitted:
            return frozenset()
        least = min(len(state ^ right) for right in permitted)
        nearest = [right for right in permitted if len(state ^ right) == least]
        found: set[str] = set()
        for right in nearest:
            for effect in state - right:
                found.update(self._too_much(effect))
            for effect in right - state:
                decision = effect[0] in self.model.decisions
                found.add("decision-lost" if decision else "effect-lost")
        if any(self._is_half(name, state) for name, ends in self.ends.items() if name and "commit" in ends):
            found.add("half-transaction")
        return frozenset(found)

    def _too_much(self, effect: Effect) -> Iterator[str]:
        sources = self.model.sources(effect, self.ops)
        if not sources:
            yield "effect-invented"
        for number in sources:
            name = self.model.transaction(self.ops[number].key)
            if effect[0] in self.model.decisions and self._needs[number]:
                # A decision without what was decided on.
                yield "half-transaction"
            ends = self.ends[name] if name else {"commit"}
            if "rollback" in ends:
                yield "rolled-back-applied"
            if name and name not in self._ended:
                # While its end is under way the transaction is one that nobody committed as well.
                yield "uncommitted-applied"
            if "commit" in ends or "decide" in ends:
                # It was in effect in some set, and is not in one that is permitted.
                yield "deleted-returned"

    def _is_half(self, name: str, state: State) -> bool:
        """Tell whether some and not all of what the transaction brings and takes away is so in `state`."""
        members = [n for n, op in enumerate(self.ops) if self.model.transaction(op.key) == name]
        others = [n for n in range(len(self.ops)) if n not in members]
        before = self.model.fold([self.ops[number].key for number in others])
        after = self.model.fold([op.key for op in self.ops])
        done = [effect in state for effect in after - before] + [e not in state for e in before - after]
        return any(done) and not all(done)
