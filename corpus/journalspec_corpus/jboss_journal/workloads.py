"""What is done to a journal to get its crash states: what is made of ``workloads.toml``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from typing import Any

from journalspec.jboss_journal import LAYOUT
from journalspec_corpus.crash import workloads as shared
from journalspec_corpus.crash.recorder import Operation, RecordFields
from journalspec_corpus.crash.workloads import FOREIGN
from journalspec_corpus.jboss_journal.model import Kept
from journalspec_reference.jboss_journal.codec import DIALECTS, Dialect
from journalspec_reference.jboss_journal.write import RECORD_OPS

#: Ids and transactions of an earlier life are this much larger.
LIFE = 1000
#: What stands before every workload: a record to delete or update, and one that fills up to the start.
VICTIM, FILLER = 91, 90
#: Of each record the fields as traces name them.
RECORDS = RecordFields(
    LAYOUT,
    {
        "compact_count": "compact",
        "body_size": "length",
        "extra_size": "length",
        "count": "tally",
        "num_files": "listed",
        "check_size": "check",
        "hash": "check",
    },
)


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on record `id` or transaction `tx`, with `size` bytes of body (PREPARE: extra data)."""

    op: str
    id: int = 0
    size: int = 0
    tx: int = 0

    @property
    def name(self) -> str:
        """A readable name, unique among steps."""
        return f"{self.op}-{self.id or self.tx}" + (f"-{self.size}" if self.size else "")

    def operation(self, life: int) -> Operation:
        """Return the protocol's operation, with the ids and the bodies of that life."""
        out: Operation = {"op": self.op}
        if self.tx:
            out["tx"] = str(self.tx + life * LIFE)
        if self.id:
            out["id"] = str(self.id + life * LIFE)
        if self.op.startswith(("add", "update")):
            out["user_type"] = str(1 + life)
            out["body"] = _body(self, life).hex()
        if self.op == "prepare" and self.size:
            out["extra"] = _body(self, life).hex()
        return out


def _body(step: Step, life: int) -> bytes:
    """Return bytes that no other record has, without zeros, and different in every sector."""
    seed = 37 * step.id + 101 * life + (61 if step.op.startswith("update") else 0)
    return _bytes_of(seed, -(-step.size // _TOGETHER) * _TOGETHER)[: step.size]


#: Bodies are made so many bytes at once: a shorter one is the beginning of a longer one.
_TOGETHER = 4096


@lru_cache(maxsize=1024)
def _bytes_of(seed: int, size: int) -> bytes:
    return bytes(0x30 + (seed + at * 7 + at // 50) % 97 for at in range(size))


@dataclass(frozen=True, slots=True)
class Workload(shared.SmallWorkload):
    """A workload of this format.

    `kind` is append, over (the last step does not fit any more and goes to the next
    file), reclaim (so does the last step, into a file that is taken out of use on the
    way), compact, reopen (a start that rolls back what has no end), create.
    """

    align: str = "type"

    @property
    def edition(self) -> str:
        """The edition that is written."""
        return edition_and_order(self.writer)[0]

    @property
    def dialect(self) -> Dialect:
        """Its dialect."""
        return DIALECTS[self.edition]

    def fields(self) -> Mapping[str, int]:
        """Return the start of every field of the first step's record, by name."""
        return {name: start for start, name in _starts(self.steps[0].operation(0), self.edition)[0]}


TABLES = shared.Tables(__package__, Step)
BACKGROUNDS: Sequence[str] = TABLES.rows["backgrounds"]
TINY, TYPICAL, LONG, *_ = SIZES = tuple(TABLES.rows["sizes"].values())


def edition_and_order(writer: str) -> tuple[str, str]:
    """Return what a writer's name says: the edition alone in the specification's order, or with the order."""
    edition, _, order = writer.partition("/")
    return edition, order or "spec"


def _starts(op: Mapping[str, Any], edition: str) -> tuple[tuple[tuple[int, str], ...], int]:
    """Return what :meth:`.RecordFields.starts` does; a COMMIT or PREPARE lists one file."""
    values: dict[str, Any] = {name: bytes.fromhex(op.get(name, "")) for name in ("body", "extra")}
    values["pairs"] = [{}]
    return RECORDS.starts(edition, RECORD_OPS[op["op"]], values)


def size_of(op: Mapping[str, Any], edition: str) -> int:
    """Return the bytes that a record operation takes (COMMIT and PREPARE: with one file listed)."""
    return _starts(op, edition)[1]


def _writers(editions: Iterable[str], kind: str) -> Iterator[str]:
    """Yield the name of everyone who does a kind of workload in a way of his own."""
    orders = TABLES.rows["orders"] if kind in TABLES.rows["ordered"] else {}
    for edition in editions:
        yield from (edition, *(f"{edition}/{order}" for order in orders.get(edition, ())))


def workloads(scope: str) -> Iterator[Workload]:
    """Yield the workloads of a scope, in a fixed order; raises KeyError for an unknown scope."""
    chosen = TABLES.rows["scopes"][scope]
    editions = chosen["editions"]
    yield from _begun(editions)
    for background in BACKGROUNDS:
        yield from _files_used_again(editions, background)
    rows = [
        (kind, force, steps)
        for kind, force, names in (
            ("append", "each", "each"),
            ("append", "end", "end"),
            ("over", "each", "over"),
        )
        for steps in TABLES.sequences(chosen[names])
    ]
    places = product(BACKGROUNDS, chosen["aligns"], chosen["edges"])
    writers = partial(_writers, editions)
    yield from shared.aligned(Workload, rows, places, writers)
    if scope != "smoke":
        alone = [("append", "each", steps) for steps in TABLES.sequences(chosen["each"])]
        foreign = product([FOREIGN], chosen["aligns"], [shared.EDGE])
        yield from shared.aligned(Workload, alone, foreign, writers)


def added(scope: str) -> Iterator[Workload | shared.LongWorkload]:
    """Yield the workloads of the table ``added``, if there is that scope in it."""
    chosen = TABLES.rows["added"]
    if scope in chosen["scopes"]:
        for row in chosen["small"]:
            steps = TABLES.steps(row["steps"])
            yield from (Workload("append", edition, steps) for edition in row["editions"])
        yield from (shared.LongWorkload(*members) for members in chosen["long"])


def _begun(editions: Sequence[str]) -> Iterator[Workload]:
    yield from (Workload("create", writer) for writer in _writers(editions, "create"))
    yield from (Workload("reopen", edition) for edition in editions)


def _files_used_again(editions: Sequence[str], background: str, *also: Workload) -> Iterator[Workload]:
    """Yield the workloads in which files are reclaimed and compacted, those of one writer together."""
    short = TABLES.steps(TABLES.rows["steps"]["short"])
    for writer in _writers(editions, "reclaim"):
        reclaim = Workload("reclaim", writer, short, background=background)
        yield reclaim
        if reclaim.dialect.control_file:
            yield Workload("compact", writer, short[:1], background=background)
        yield from (replace(work, writer=writer) for work in also)


def firsts(scope: str) -> Iterator[Workload]:
    """Yield the workloads of a scope that are gone on from after a crash."""
    chosen, editions = TABLES.rows["firsts"][scope], TABLES.rows["scopes"][scope]["editions"]
    yield from _begun(editions)
    for background in chosen["backgrounds"]:
        over = Workload("over", "", TABLES.sequences(["over"])[1], background=background)
        yield from _files_used_again(editions, background, over)
    steps = TABLES.rows["steps"]
    together, crowd = TABLES.steps(steps["together"]), TABLES.steps(steps["crowd"])
    for background, edition in product(chosen["backgrounds"], editions):
        for appended in TABLES.sequences(chosen["appended"]):
            yield Workload("append", edition, appended, background=background)
        yield Workload("append", edition, together, force="end", background=background)
        for align in chosen["aligns"]:
            yield Workload("append", edition, crowd, align, background=background)


def choices(first: Workload, scope: str) -> Mapping[str, Sequence[int]]:
    """Return what is done after which of the chosen crash states of `first`."""
    if first.steps == TABLES.steps(TABLES.rows["steps"]["crowd"]):
        alone: Mapping[str, Sequence[int]] = TABLES.rows["crowd_choices"][scope]
        return alone
    # Without a transaction there is nothing to roll back: opening writes next to nothing.
    quiet = first.kind in ("append", "reclaim") and not any(step.tx for step in first.steps)
    return {then: at for then, at in TABLES.choices[scope].items() if not (quiet and then == "open")}


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
    playable=_playable,
)
#: So many transactions may be open in a long workload.
MOST_OPEN = 2


def pools(kept: Kept, new: str, variant: str) -> Mapping[str, Sequence[str]]:
    """Return what words of long workloads can be about: records that live, transactions that are open."""
    held = {identity for each in kept.open.values() for what, identity, _ in each.done if what == "delete_tx"}
    living = [identity for identity in kept.live if identity not in held]
    begun = [tx for tx, each in kept.open.items() if each.extra is None]
    return {
        "new": [new],
        "living": living,
        # A record is updated once in its life.
        "fresh": [identity for identity in living if len(kept.live[identity]) == 1],
        "open": list(kept.open),
        "begun": begun,
        "tx": [*begun, *[new] * (len(kept.open) < MOST_OPEN)],
        "force": ["", "", "-"],
        "compact": ["m"] * DIALECTS[edition_and_order(variant)[0]].control_file,
        "worn": ["n"] * (not living and not kept.open),
    }


def step_of(word: str) -> Step:
    """Return the step that a word of a long workload asks for, with a body of no size."""
    op = TABLES.rows["long"]["operations"][word[0].lower()]
    if word[0] in "cpr":
        return Step(op, tx=int(word[1], 36))
    tx = int(word[1], 36) if word[0].isupper() else 0
    return Step(op + "_tx" if tx else op, int(word[2 if tx else 1], 36), 0, tx)


def meaning(word: str) -> Operation:
    """Return what a word of a long workload means to the model, records and transactions by their digits."""
    op = step_of(word).op
    if word[0] in "cpr":
        return {"op": op, "tx": word[1]}
    return {"op": op, "tx": word[1], "id": word[2]} if word[0].isupper() else {"op": op, "id": word[1]}
