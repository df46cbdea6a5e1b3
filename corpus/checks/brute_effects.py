"""Determines which logical states may reappear after a crash, by trying every set of operations.

This is the second oracle for effects. It follows the definition of durable linearizability: a recovered state
is right if it is the state after some set S of operations with acknowledged <= S <= issued. The set S must be
closed under the order that the format promises. All such sets are tried, one by one. The format's model
returns the state after each set, and the table ``read`` of the format's workloads defines the order between
operations. A set must also agree with the records that the answer lists. Listed operations are in the set.
Operations that are neither acknowledged nor listed are not in it, unless the reader may have read a record
that replaces them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from journalspec.formats import format_module
from journalspec_corpus.crash.formats import PACKAGE
from journalspec_corpus.crash.oracle import (
    COMMIT,
    DECISION,
    PREPARE,
    ROLLBACK,
    Action,
    Effect,
    Semantics,
    State,
)
from journalspec_corpus.crash.trace import Ack, Mark, Release, Trace, Write

#: A crash point with more sets than this is not checked.
MOST_SETS = 1 << 12
#: The generation to which a trace belongs.
OWN = 2
#: The roles of operations that end a transaction.
ENDS = (PREPARE, COMMIT, ROLLBACK)


class TooMany(ValueError):
    """There are more than MOST_SETS sets."""


@dataclass(frozen=True, slots=True)
class IssuedOp:
    """One operation: its record, the key of the written object, its effect, its generation (`life`), and its
    `file`.

    `told` is whether the operation was acknowledged as safe, `replaced` whether its record may have been
    written again with other content. `lets` are the records that were deleted right before it. If the
    operation ends the effect of one of these records, and that record is missing, the operation may have been
    performed. `copies` are other keys under which the record may be listed.
    """

    record: str
    key: str
    action: Action
    life: int
    told: bool
    replaced: bool = False
    file: str = ""
    copies: tuple[str, ...] = ()
    lets: frozenset[str] = frozenset()

    def among(self, keys: Container[str]) -> bool:
        """Return whether `keys` lists this operation or a copy of it."""
        return any(key in keys for key in (self.key, *self.copies))

    @property
    def ends(self) -> bool:
        """Whether it ends a transaction."""
        return self.action.role in ENDS


def issued(semantics: Semantics, trace: Trace, crash: int, torn: int = -1) -> list[IssuedOp]:
    """Return the operations issued before the crash, in order: `standing`, `possible`, and those of this run.

    Possible operations belong to the previous run; its recovery may or may not have found them. A record that
    is written again is not a new operation, unless the earlier one was rolled back.
    """
    known = {mark.record for mark in trace.standing}
    possible = set(trace.possible)
    before = [
        (mark, int(mark in possible))
        for mark in trace.before
        if mark not in possible or mark.record not in known
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
        # An operation that deletes records comes directly after their deletion.
        following = min((index for index, _ in here if index > at), default=-1)
        op = trace.ops[at]
        lets.setdefault(following, set()).update(op.records if isinstance(op, Release) else ())
    every = [
        IssuedOp(mark.record, mark.key, semantics.action(mark.key), life, life == 0, file=mark.file)
        for mark, life in before
    ]
    every += [
        IssuedOp(
            mark.record,
            mark.key,
            semantics.action(mark.key),
            OWN,
            told=any(at > index and mark.record in names for at, names in acks),
            replaced=any(index < at for at in let_go),
            file=mark.file,
            lets=frozenset(lets.get(index, ())),
        )
        for index, mark in here
    ]
    return _without_copies(every)


def _without_copies(every: Iterable[IssuedOp]) -> list[IssuedOp]:
    found: list[IssuedOp] = []
    for op in every:
        same = [
            number
            for number, other in enumerate(found)
            if other.record == op.record and _meaning(other) == _meaning(op)
        ]
        undone = [
            later.action.tx for later in found[same[-1] + 1 if same else 0 :] if later.action.role == ROLLBACK
        ]
        if same and found[same[-1]].action.tx not in undone:
            first = found[same[-1]]
            found[same[-1]] = replace(first, copies=(*first.copies, op.key), told=first.told or op.told)
        else:
            found.append(op)
    return found


def _read(format_id: str) -> tuple[list[str], list[str]]:
    rows = format_module(PACKAGE, format_id, "workloads").TABLES.rows["read"]
    return rows["strict"], rows["loose"]


def _meaning(op: IssuedOp) -> Effect | str:
    return op.action.makes[0] if op.action.makes else op.key


def needs(kinds: Sequence[str], ops: Sequence[IssuedOp]) -> list[set[int]]:
    """For each operation, return the earlier ones that it needs: of its generation, its file, its
    transaction.
    """
    found: list[set[int]] = []
    members: dict[str, set[int]] = {}
    for number, op in enumerate(ops):
        wants: set[int] = set()
        if "life" in kinds:
            wants |= {n for n in range(number) if ops[n].life == op.life}
        if "file" in kinds:
            wants |= {n for n in range(number) if (ops[n].life, ops[n].file) == (op.life, op.file)}
        tx, role = op.action.tx, op.action.role
        if "transaction" in kinds and role in (PREPARE, COMMIT):
            wants |= members.get(tx, set())
        if role in (COMMIT, ROLLBACK) or op.action.op.get("op") == "BEGIN":
            members.pop(tx, None)
        if tx and not op.ends:
            members.setdefault(tx, set()).add(number)
        found.append(wants)
    return found


def closed_sets(
    needs: Sequence[set[int]], told: Sequence[bool], most: int = MOST_SETS
) -> list[tuple[int, ...]]:
    """Return every set that contains all `told` operations, and all operations that its members need.

    Operations are numbered in the order in which they were issued; each depends only on earlier ones.
    Raises TooMany.
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
    """All sets that are permitted at one crash point of a trace. With `lost`, acknowledged operations may be
    missing.

    With `loose`, they are the sets for a reader that may omit damaged records.
    """

    semantics: Semantics
    trace: Trace
    ops: list[IssuedOp]
    lost: bool = False
    loose: bool = False
    sets: list[tuple[int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        strict, loose = _read(self.trace.format)
        told = [op.told for op in self.ops]
        self._needs = needs(loose, self.ops)
        self.sets = closed_sets(self._needs if self.loose else needs(strict, self.ops), told)
        if self.lost:
            self.sets += closed_sets(self._needs, [False] * len(told))
        self._states = [(frozenset(chosen), self._fold(chosen)) for chosen in self.sets]
        # A crash point has many states, but only a few different lists of records.
        self._known: dict[tuple[frozenset[str], frozenset[str]], set[State]] = {}

    def _fold(self, chosen: Iterable[int]) -> State:
        kept = self.semantics.model.begin({})
        for number in chosen:
            kept = self.semantics.model.after(kept, self.ops[number].action.op, self.trace.edition)
        return self.semantics.state(kept)

    def _right(self, listed: frozenset[str], aside: frozenset[str]) -> set[State]:
        """Return the states of all sets that agree with an answer: its keys in effect, and those `aside`."""
        if (listed, aside) not in self._known:
            self._known[listed, aside] = self._fitting(listed, aside)
        return self._known[listed, aside]

    def _fitting(self, listed: frozenset[str], aside: frozenset[str]) -> set[State]:
        # The end of a transaction in `aside` had no effect.
        read = frozenset(
            number
            for number, op in enumerate(self.ops)
            if op.among(listed) or (op.among(aside) and not op.ends)
        )
        # If all originals may have been read, no copies are needed.
        first = frozenset(n for n in read if all(op.key != self.ops[n].key for op in self.ops[:n]))
        found = {
            state
            for chosen, state in self._states
            if self._fits(chosen, read) or self._fits(chosen, first, copied=False)
        }
        # An answer that lists records which cannot be read together is wrong. It is compared with all sets.
        return found or {state for _, state in self._states}

    def _fits(self, chosen: frozenset[int], read: frozenset[int], *, copied: bool = True) -> bool:
        """Return whether all of `chosen` was read or is known; `read` may also have ends of torn parts.

        Without `copied` records nothing has been replaced.
        """
        there = {self.ops[n].record for n in read}
        for number in chosen - read:
            op = self.ops[number]
            if not (op.told or (copied and (op.replaced or self._let_go[number] - there))):
                # An optional record that is not listed did not exist. An acknowledged record is in the set
                # even if it is not listed.
                return False
        return all(self.ops[n].ends and not self._needs[n] <= chosen for n in read - chosen)

    @cached_property
    def _let_go(self) -> list[frozenset[str]]:
        """For each operation, return the records deleted right before it, if it ends the effect of one of
        them.
        """
        found = []
        for number, op in enumerate(self.ops):
            ended: set[str] = set()
            if op.lets:
                before, after = (self._effects(self._fold(range(upto))) for upto in (number, number + 1))
                gone = before - after
                gone |= {effect._replace(detail="") for effect in gone if effect.kind == DECISION}
                ended = {each.record for each in self.ops[:number] if gone.intersection(each.action.makes)}
            found.append(op.lets if op.lets & ended else frozenset[str]())
        return found

    def _effects(self, state: State) -> set[Effect]:
        return set(self.semantics.effects(state))

    def explains(self, state: State, listed: Sequence[str], aside: Sequence[str]) -> bool:
        """Return whether `state`, in an answer with these keys, is the state after some permitted set."""
        right = self._right(frozenset(listed), frozenset(aside))
        if state in right:
            return True
        # Corruption can also make copies: by a misdirected sector, or by a file that is restored over another
        # one.
        twice = self.lost and len(set(listed)) < len(listed)
        return twice and any(self._effects(state) == self._effects(each) for each in right)
