"""Write traces of the journal: small workloads at every alignment, on fresh and on reused files.

The traces are recorded from the reference writer. What a record is called, what
is promised and what is owed no more comes from the operations that were asked
for; only where a record went is taken from the writer's bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from journalspec_corpus.crash.trace import Mark, Op, Release, Trace
from journalspec_corpus.jboss_journal.crash_run import EXTENSIONS, FORMAT, Run, fields_of, size_of
from journalspec_corpus.jboss_journal.steps import Step
from journalspec_reference.jboss_journal.codec import DIALECTS

__all__ = ["EXTENSIONS", "FORMAT", "SCOPES", "Step", "Workload", "build", "workloads"]
SECTOR = 512
BACKGROUNDS = ("zero", "J", "stale-same", "stale-shifted", "garbage")
#: Blocks of another file, with another file id: the disk set them aside without clearing them.
FOREIGN = "stale-foreign"
#: Bytes of a body: a few, a short message, beyond one sector, over three or four of them, over many.
TINY, TYPICAL, LONG, THREE, MANY = 4, 40, 600, 1400, 4200


@dataclass(frozen=True, slots=True)
class Workload:
    """What one trace is made from; a pure function of these members.

    `align` names the field of the first step's record that begins on a sector
    edge, `edge` is that edge in bytes. `force` is ``each`` or ``end``. `kind` is
    append, over (the last step does not fit any more and goes to the next file),
    reclaim (so does the last step, into a file that is taken out of use on the
    way), compact, reopen (a start that rolls back what has no end), create. `order`
    is the order of writes: the specification's, or that of a product as traced.
    """

    kind: str
    edition: str
    steps: tuple[Step, ...] = ()
    align: str = "type"
    edge: int = 1024
    force: str = "each"
    background: str = "zero"
    order: str = "spec"

    @property
    def name(self) -> str:
        """A readable name, unique among workloads."""
        steps = "+".join(step.name for step in self.steps)
        return f"{self.kind}/{self.writer}/{steps}/{self.align}@{self.edge}/{self.force}/{self.background}"

    @property
    def writer(self) -> str:
        """Who writes: the edition alone in the specification's order, otherwise with the order."""
        return self.edition if self.order == "spec" else f"{self.edition}/{self.order}"


#: What stands before every workload: a record to delete or update, and one that fills up to the start.
VICTIM, FILLER = 91, 90
#: Room enough for a header and for these, the second of them empty, and for a delete before them.
STANDING = 160


def build(work: Workload) -> Trace:
    """Return the trace of `work`."""
    fill = "4a" if work.background == "J" else "00"
    run = Run(work.edition, file_size(work), fill, work.order)
    if work.kind == "create":
        run.apply({"op": "open"})
        return _trace(work, run, {}, (), ())
    reused = work.background in ("stale-same", "stale-shifted")
    run.apply({"op": "open"})
    if reused:
        _earlier_life(run, work)
    before = len(run.marks)
    _lay(run, work, 0)
    standing = tuple(run.marks[before:])
    stale = tuple(mark for mark in run.marks[:before] if mark.off >= run.ends[mark.file])
    if work.background == "garbage":
        _overlay_noise(run)
    if work.background == FOREIGN:
        stale = _overlay_foreign(run, work)
    base = {name: bytes(data) for name, data in run.memory.files.items()}
    run.storage.ops.clear()
    possible = tuple(mark for mark in standing if mark.record in run.unpromised)
    standing = tuple(mark for mark in standing if mark not in possible)
    # What the standing records have ended themselves is not owed.
    run.storage.note(Release(run.taken_back))
    first = max(1, _play(run, work))
    return replace(_trace(work, run, base, standing, stale, first), possible=possible)


def _trace(
    work: Workload,
    run: Run,
    base: dict[str, bytes],
    standing: tuple[Mark, ...],
    stale: tuple[Mark, ...],
    first: int = 0,
) -> Trace:
    tags = {"kind": work.kind, "order": work.writer, "align": work.align, "force": work.force}
    tags["steps"] = "+".join(step.name for step in work.steps)
    ops: tuple[Op, ...] = tuple(run.storage.ops)
    return Trace(FORMAT, work.edition, work.name, base, ops, work.background, standing, stale, first, tags)


def _start(work: Workload) -> int:
    """Return where the first step's record begins: its field `align` is on the edge."""
    operation = work.steps[0].operation(0)
    places = {name: start for start, name in fields_of(operation, DIALECTS[work.edition])}
    start = work.edge - places[work.align]
    while start < STANDING:
        start += SECTOR
    return start


def file_size(work: Workload) -> int:
    """Return the length of the data files of `work`."""
    if work.kind in ("create", "reopen"):
        return 1024
    steps = [size_of(step.operation(0), DIALECTS[work.edition]) for step in work.steps]
    if work.kind in ("over", "reclaim"):
        # One byte too short for the last step.
        return _start(work) + sum(steps) - 1
    return -(-(_start(work) + sum(steps) + 64) // SECTOR) * SECTOR


def _lay(run: Run, work: Workload, life: int) -> None:
    """Write what stands before the steps, so that the first of them begins where it should."""
    if work.kind == "reclaim" and life == 0:
        # What the first file holds is deleted in the second, which is the one that is written to.
        run.apply(Step("add", 80, TYPICAL).operation(life))
        run.apply({"op": "next"})
        run.apply(Step("delete", 80).operation(life))
    run.apply(Step("add", VICTIM, TINY).operation(life))
    if work.kind == "compact":
        _lay_for_compaction(run, life)
    if work.kind == "reopen":
        run.apply(Step("add_tx", 81, TYPICAL, 7).operation(life))
        return
    filler = Step("add", FILLER, 0).operation(life)
    shift = 3 if life and work.background == "stale-shifted" else 0
    room = _start(work) + shift - run.position - size_of(filler, DIALECTS[work.edition])
    if room < 0:
        raise ValueError(f"{work.name}: what stands before the steps takes {-room} bytes too many")
    run.apply(Step("add", FILLER, room).operation(life))


def _lay_for_compaction(run: Run, life: int) -> None:
    """Write a full file with something of everything: to be copied, to be left out, to stay in doubt."""
    for step in (
        Step("add", 82, TYPICAL),
        Step("add", 83, TINY),
        Step("delete", 83),
        Step("add_tx", 84, TYPICAL, 5),
        Step("commit", tx=5),
        Step("add_tx", 85, TINY, 6),
        Step("prepare", tx=6),
    ):
        run.apply(step.operation(life))
    run.apply({"op": "next"})


def _earlier_life(run: Run, work: Workload) -> None:
    """Let the files have been used before: the same steps, all deleted again, the files reclaimed."""
    life = 1
    _lay(run, work, life)
    run.play(work.steps, life, "each")
    run.apply({"op": "next"})
    run.end_transactions()
    for ident in sorted(run.living):
        run.apply({"op": "delete", "id": str(ident)})
    run.apply({"op": "next"})
    # The file that was just left is free only now.
    run.apply({"op": "reclaim"})
    run.start_life()


def _overlay_noise(run: Run) -> None:
    """Put bytes that look like nothing behind the last record of each file."""
    for number, name in enumerate(sorted(run.memory.files)):
        content = run.memory.files[name]
        end = max(run.ends.get(name, 0), run.first_offset)
        content[end:] = _noise(len(content) - end, number)


def _overlay_foreign(run: Run, work: Workload) -> tuple[Mark, ...]:
    """Let every block behind the last record be one of another file, with another id; return its records."""
    other = Run(work.edition, file_size(work), "00", work.order)
    other.apply({"op": "open"})
    other.apply({"op": "next"})
    _lay(other, work, 1)
    other.play(work.steps, 1, "each")
    names = sorted(run.memory.files)
    found = []
    for name, source in zip(names, (*names[1:], names[0]), strict=True):
        content, old = run.memory.files[name], other.memory.files[source]
        start = -(-max(run.ends.get(name, 0), run.first_offset) // SECTOR) * SECTOR
        content[start:] = old[: len(content) - start]
        moved = [
            replace(mark, file=name, off=mark.off + start) for mark in other.marks if mark.file == source
        ]
        found += [mark for mark in moved if mark.off + mark.length <= len(content)]
    return tuple(found)


@lru_cache(maxsize=256)
def _noise(length: int, number: int) -> bytes:
    state = 0x9E3779B9 + number
    out = bytearray()
    while len(out) < length:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out += (state >> 32).to_bytes(4, "big")
    return bytes(out[:length])


def _play(run: Run, work: Workload) -> int:
    """Do what the trace is about; return the first operation after which a crash is of interest."""
    if work.kind == "compact":
        run.apply({"op": "compact"})
        return 0
    if work.kind == "reopen":
        run.reopen()
        return 0
    last = run.play(work.steps, 0, work.force)
    # With one force at the end, or a transaction, what came before is still at stake.
    alone = work.force == "each" and work.kind == "append" and not any(step.tx for step in work.steps)
    return last if alone else 0


#: The sequences of each scope: what may be done in one, two or three operations.
_ADD = [(Step("add", 1, size),) for size in (TINY, TYPICAL, LONG, THREE, MANY)]
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


def _writers(kind: str, editions: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield (edition, order) of everyone who does `kind` in a way of his own."""
    for edition in editions:
        for order in ("spec", *(ORDERS.get(edition, ()) if kind in _ORDERED else ())):
            yield edition, order


def workloads(scope: str) -> Iterator[Workload]:
    """Yield the workloads of a scope, in a fixed order; editions and orders vary fastest.

    Raises KeyError for an unknown scope.
    """
    chosen = SCOPES[scope]
    for edition, order in _writers("create", chosen.editions):
        yield Workload("create", edition, order=order)
    yield from (Workload("reopen", edition) for edition in chosen.editions)
    later = (Step("add", 1, TYPICAL),)
    for background in BACKGROUNDS:
        for edition, order in _writers("reclaim", chosen.editions):
            both = (*later, Step("add", 2, TYPICAL))
            yield Workload("reclaim", edition, both, background=background, order=order)
            if DIALECTS[edition].control_file:
                yield Workload("compact", edition, later, background=background, order=order)
    for background, align, edge in product(BACKGROUNDS, chosen.aligns, chosen.edges):
        for kind, force, sequences in (
            ("append", "each", chosen.appended),
            ("append", "end", chosen.forced_once),
            ("over", "each", chosen.over),
        ):
            for steps, (edition, order) in product(sequences, [*_writers(kind, chosen.editions)]):
                if align in _places(steps[0], edition):
                    yield Workload(kind, edition, steps, align, edge, force, background, order)
    if scope != "smoke":
        for align, steps, edition in product(chosen.aligns, chosen.appended, chosen.editions):
            if align in _places(steps[0], edition):
                yield Workload("append", edition, steps, align, 1024, "each", FOREIGN)


def _places(step: Step, edition: str) -> set[str]:
    return {name for _, name in fields_of(step.operation(0), DIALECTS[edition])}
