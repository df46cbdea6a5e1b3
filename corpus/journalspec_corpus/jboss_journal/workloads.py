"""What is done to a journal to get its crash states, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any

from journalspec_corpus.crash import workloads as shared
from journalspec_corpus.crash.second_crash import CHOICES as ALL_CHOICES
from journalspec_corpus.crash.workloads import FOREIGN
from journalspec_reference.jboss_journal.codec import CHECK_SIZE, DIALECTS, PAIR, PROLOGUE, Dialect, forms
from journalspec_reference.jboss_journal.write import RECORD_OPS

BACKGROUNDS = ("zero", "J", "stale-same", "stale-shifted", "garbage")
#: Bytes of a body: a few, a short message, beyond one sector, over three or four of them, over many.
SIZES = TINY, TYPICAL, LONG, THREE, MANY = 4, 40, 600, 1400, 4200
#: Ids and transactions of an earlier life are this much larger.
LIFE = 1000
#: What stands before every workload: a record to delete or update, and one that fills up to the start.
VICTIM, FILLER = 91, 90


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on record `id` (body of `size` bytes) or transaction `tx`."""

    op: str
    id: int = 0
    size: int = 0
    tx: int = 0

    @property
    def name(self) -> str:
        """A readable name, unique among steps."""
        return f"{self.op}-{self.id or self.tx}" + (f"-{self.size}" if self.size else "")

    def operation(self, life: int) -> dict[str, Any]:
        """Return the protocol's operation, with the ids and the bodies of that life."""
        out: dict[str, Any] = {"op": self.op}
        if self.tx:
            out["tx"] = str(self.tx + life * LIFE)
        if self.id:
            out["id"] = str(self.id + life * LIFE)
        if self.op.startswith(("add", "update")):
            out["user_type"] = str(1 + life)
            out["body"] = _body(self, life).hex()
        return out


@lru_cache(maxsize=4096)
def _body(step: Step, life: int) -> bytes:
    """Return bytes that no other record has, without zeros, and different in every sector."""
    seed = 37 * step.id + 101 * life + (61 if step.op.startswith("update") else 0)
    return bytes(0x30 + (seed + at * 7 + at // 50) % 97 for at in range(step.size))


@dataclass(frozen=True, slots=True)
class Workload(shared.SmallWorkload):
    """A workload of this format.

    `kind` is append, over (the last step does not fit any more and goes to the next
    file), reclaim (so does the last step, into a file that is taken out of use on the
    way), compact, reopen (a start that rolls back what has no end), create.
    """

    align: str = "type"

    @property
    def dialect(self) -> Dialect:
        """The dialect of the edition that is written."""
        return DIALECTS[edition_and_order(self.writer)[0]]

    def fields(self) -> dict[str, int]:
        """Return the start of every field of the first step's record, by name."""
        return {name: start for start, name in fields_of(self.steps[0].operation(0), self.dialect)}


def edition_and_order(writer: str) -> tuple[str, str]:
    """Return what a writer's name says: the edition alone in the specification's order, or with the order."""
    edition, _, order = writer.partition("/")
    return edition, order or "spec"


def size_of(op: Mapping[str, Any], dialect: Dialect) -> int:
    """Return the bytes that a record operation takes (COMMIT and PREPARE: with one file listed)."""
    return fields_of(op, dialect)[-1][0] + CHECK_SIZE


def fields_of(op: Mapping[str, Any], dialect: Dialect) -> tuple[tuple[int, str], ...]:
    """Return the start of every field of the record that `op` makes, from the record's start."""
    code = dialect.codes[RECORD_OPS[op["op"]]]
    pairs = 1 if forms(dialect)[code].listed is not None else 0
    return fields(code, dialect, len(op.get("body", "")) // 2, pairs)


_WIDTHS = {"compact": 1, "tx": 8, "id": 8, "length": 4, "user_type": 1, "tally": 4, "listed": 4}


def fields(code: int, dialect: Dialect, size: int, pairs: int) -> tuple[tuple[int, str], ...]:
    """Return the start of every field of a record with a body of `size` bytes and so many pairs."""
    form = forms(dialect)[code]
    named = [(at, name) for name, at in zip(form._fields[3:], form[3:], strict=True) if at is not None]
    out, at = [(0, "type"), (1, "file_id")], PROLOGUE
    for _, name in sorted(named):
        out.append((at, name))
        at += _WIDTHS[name]
    if size:
        out.append((at, "body"))
    if pairs:
        out.append((at + size, "pairs"))
    return (*out, (at + size + PAIR.size * pairs, "check"))


#: The sequences of each scope: what may be done in one, two or three operations.
_ADD = [(Step("add", 1, size),) for size in SIZES]
_CHANGE = [(Step("delete", VICTIM),), (Step("update", VICTIM, TYPICAL),)]
#: What is forced only once, at the end: all of it is in flight together.
_TOGETHER = [
    (Step("add", 1, TYPICAL), Step("add", 2, THREE)),
    (Step("add", 1, LONG), Step("delete", VICTIM)),
    (Step("update", VICTIM, LONG), Step("delete", VICTIM)),
    (Step("add", 1, THREE), Step("add", 2, THREE)),
    (Step("add", 1, LONG), Step("update", VICTIM, LONG), Step("add", 2, LONG)),
]
_TRANSACTIONS = [
    (Step("add_tx", 1, TYPICAL, 1), Step("commit", tx=1)),
    (Step("add_tx", 1, LONG, 1), Step("add_tx", 2, TYPICAL, 1), Step("commit", tx=1)),
    (Step("add_tx", 1, THREE, 1), Step("add_tx", 2, THREE, 1), Step("commit", tx=1)),
    (Step("add_tx", 1, TYPICAL, 1), Step("delete_tx", VICTIM, tx=1), Step("commit", tx=1)),
    (Step("update_tx", VICTIM, LONG, 1), Step("add_tx", 2, LONG, 1), Step("prepare", tx=1)),
    (Step("add_tx", 1, TYPICAL, 1), Step("prepare", tx=1), Step("commit", tx=1)),
    (Step("add_tx", 1, LONG, 1), Step("prepare", tx=1), Step("rollback", tx=1)),
]
_OVER = [
    (Step("add", 1, TYPICAL), Step("add", 2, LONG)),
    (Step("add_tx", 1, LONG, 1), Step("add_tx", 2, LONG, 1), Step("commit", tx=1)),
    (Step("add_tx", 1, TYPICAL, 1), Step("commit", tx=1)),
    (Step("add_tx", 1, LONG, 1), Step("prepare", tx=1)),
]
#: What a full file holds that is compacted, something of everything: to be copied, left out, stay in doubt.
COMPACTED = (
    Step("add", 82, TYPICAL),
    Step("add", 83, TINY),
    Step("delete", 83),
    Step("add_tx", 84, TYPICAL, 5),
    Step("commit", tx=5),
    Step("add_tx", 85, TINY, 6),
    Step("prepare", tx=6),
)
Sequences = Sequence[tuple[Step, ...]]


@dataclass(frozen=True, slots=True)
class Scope:
    """What a tier enumerates."""

    editions: tuple[str, ...]
    aligns: tuple[str, ...]
    edges: tuple[int, ...]
    appended: Sequences
    forced_once: Sequences
    over: Sequences


SCOPES = {
    "smoke": Scope(
        ("seed", "seed+hash", "v2"), ("type",), (1024,), [_ADD[3], _TRANSACTIONS[1]], [], _OVER[1:2]
    ),
    "core": Scope(
        ("seed", "seed+hash", "v2"),
        ("type", "file_id", "id", "check"),
        (1024,),
        [*_ADD, *_CHANGE, *_TRANSACTIONS],
        _TOGETHER,
        _OVER,
    ),
    "full": Scope(
        ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e"),
        ("type", "file_id", "id", "length", "user_type", "body", "check"),
        (1024, 4096),
        [*_ADD, *_CHANGE, *_TOGETHER[:3], *_TRANSACTIONS],
        _TOGETHER,
        _OVER,
    ),
}
#: Where products write in an order of their own, and the editions in which they do.
ORDERS = {"v2": ("hornetq", "artemis")}
_ORDERED = ("create", "reclaim", "compact", "over")


def _writers(kind: str, editions: tuple[str, ...]) -> Iterator[str]:
    """Yield the name of everyone who does `kind` in a way of his own."""
    for edition in editions:
        yield edition
        yield from (f"{edition}/{order}" for order in ORDERS.get(edition, ()) if kind in _ORDERED)


def workloads(scope: str) -> Iterator[Workload]:
    """Yield the workloads of a scope, in a fixed order; editions and orders vary fastest.

    Raises KeyError for an unknown scope.
    """
    chosen = SCOPES[scope]
    yield from (Workload("create", writer) for writer in _writers("create", chosen.editions))
    yield from (Workload("reopen", edition) for edition in chosen.editions)
    for background in BACKGROUNDS:
        yield from _files_used_again(chosen.editions, background)
    for background, align, edge in product(BACKGROUNDS, chosen.aligns, chosen.edges):
        for kind, force, sequences in (
            ("append", "each", chosen.appended),
            ("append", "end", chosen.forced_once),
            ("over", "each", chosen.over),
        ):
            for steps, writer in product(sequences, [*_writers(kind, chosen.editions)]):
                work = Workload(kind, writer, steps, align, edge, force, background)
                if align in work.fields():
                    yield work
    if scope != "smoke":
        for align, steps, edition in product(chosen.aligns, chosen.appended, chosen.editions):
            work = Workload("append", edition, steps, align, background=FOREIGN)
            if align in work.fields():
                yield work


_SHORT = (Step("add", 1, TYPICAL), Step("add", 2, TYPICAL))


def _files_used_again(editions: tuple[str, ...], background: str, *also: Workload) -> Iterator[Workload]:
    """Yield the workloads in which files are reclaimed and compacted, those of one writer together."""
    for writer in _writers("reclaim", editions):
        reclaim = Workload("reclaim", writer, _SHORT, background=background)
        yield reclaim
        if reclaim.dialect.control_file:
            yield Workload("compact", writer, _SHORT[:1], background=background)
        yield from (replace(work, writer=writer) for work in also)


#: What may be done after opening what a crash left.
THEN: dict[str, tuple[Step, ...]] = {
    "same": (),
    "typical": (Step("add", 1, TYPICAL), Step("add", 2, LONG)),
    "three": (Step("add", 1, THREE), Step("update", 1, TYPICAL)),
    "tx": (Step("add_tx", 1, LONG, 1), Step("add_tx", 2, TYPICAL, 1), Step("commit", tx=1)),
    "prepare": (Step("add_tx", 1, TYPICAL, 1), Step("prepare", tx=1)),
    "settle": (Step("add", 1, TYPICAL),),
    "delete": (Step("add", 1, TINY),),
    "over": (Step("add", 1, TYPICAL),),
    "compact": (Step("add", 1, TYPICAL),),
}
#: scope -> what is done after which of the chosen crash states.
_CHOICES: dict[str, dict[str, Sequence[int]]] = {
    "core": {"open": (0, 1, 2), "same": (0, 1), "tx": (2,), "settle": (1,)},
    "full": {
        "open": range(12),
        "same": (0,),
        "tx": (4,),
        "prepare": (5,),
        "settle": (6,),
        "delete": (7,),
        "over": (8,),
        "compact": (9,),
    },
}
#: The same for long first lives.
AFTER_LONG = {"open": (0, 1), "typical": (2, 3), "settle": (4,), "over": (5,), "compact": (6,)}
#: Transactions that nobody ends: opening does.
_CROWD = tuple(Step("add_tx", number, TYPICAL, number) for number in range(1, 9))
#: What is appended before a crash: the first two in the core tier, all in the full one.
_APPENDED = (
    (Step("add", 1, LONG),),
    (Step("add_tx", 1, LONG, 1), Step("add_tx", 2, TYPICAL, 1), Step("prepare", tx=1)),
    (Step("add", 1, THREE),),
    (Step("delete", VICTIM),),
    (Step("add_tx", 1, LONG, 1), Step("delete_tx", VICTIM, tx=1), Step("commit", tx=1)),
    (Step("add_tx", 1, LONG, 1), Step("prepare", tx=1), Step("rollback", tx=1)),
)


def choices(first: Workload, scope: str) -> Mapping[str, Sequence[int]]:
    """Return what is done after which of the chosen crash states of `first`."""
    if first.steps == _CROWD:
        # What is of interest here is the opening alone.
        return {"open": range(ALL_CHOICES if scope == "full" else 1)}
    # Without a transaction there is nothing to roll back: opening writes next to nothing.
    quiet = first.kind in ("append", "reclaim") and not any(step.tx for step in first.steps)
    return {then: at for then, at in _CHOICES[scope].items() if not (quiet and then == "open")}


def firsts(scope: str) -> Iterator[Workload]:
    """Yield the workloads of a scope that are gone on from after a crash."""
    full, editions = scope == "full", SCOPES[scope].editions
    yield from (Workload("create", writer) for writer in _writers("create", editions))
    yield from (Workload("reopen", edition) for edition in editions)
    backgrounds = BACKGROUNDS if full else ("zero", "stale-same")
    for background in backgrounds:
        over = Workload("over", "", _OVER[1], background=background)
        yield from _files_used_again(editions, background, over)
    for background, edition in product(backgrounds, editions):
        for steps in _APPENDED if full else _APPENDED[:2]:
            yield Workload("append", edition, steps, background=background)
        together = (Step("add", 1, LONG), Step("add", 2, THREE))
        yield Workload("append", edition, together, force="end", background=background)
        for align in ("type", "file_id", "id", "check") if full else ("type",):
            yield Workload("append", edition, _CROWD, align, background=background)


def _playable(steps: Sequence[Step]) -> bool:
    """Tell whether whatever ends a transaction still has a record of it before it."""
    begun: set[int] = set()
    for step in steps:
        if step.tx and step.id:
            begun.add(step.tx)
        elif step.tx and step.tx not in begun:
            return False
    return True


#: Transactions lose a record, or go as a whole: what is left can always be asked of a writer.
REDUCTION = shared.Reduction(
    backgrounds=("zero", "J", "stale-same", "stale-shifted", FOREIGN, "garbage"),
    below=lambda size: [less for less in SIZES if less < size],
    align="type",
    rule="(?:[au].|[AU]..)([abc])-?",
    rule_sizes="abc",
    lives=("open", "delete", "typical"),
    fields=Workload.fields,
    playable=_playable,
)

#: Words of long workloads: the operations, and the bytes of a body; see :meth:`.recording.LongRun.do`.
OPS = {"a": "add", "u": "update", "d": "delete", "c": "commit", "p": "prepare", "r": "rollback"}
PLAIN = {"f": "force", "n": "next", "g": "reclaim", "m": "compact"}
LONG_SIZES = {"a": TINY, "b": TYPICAL, "c": LONG}
