"""The common parts of all formats' crash workloads: first, second and long runs, and smaller ones.

A format's tables (``workloads.toml``) list the operations; this module combines them to workloads.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from itertools import product
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple

from journalspec.layout import Layout
from journalspec_corpus.crash.record import SECTOR, Operation, Recorder, RecordFields
from journalspec_corpus.crash.second_crash import CrashImage, SecondLife, choose
from journalspec_corpus.crash.trace import Op, Trace
from journalspec_reference.api import WriterRefused

#: The plainest boundary at which a record is aligned, in bytes.
EDGE = 1024
#: The members of a workload in a TOML table.
Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NumberedStep:
    """Represents one operation: on object number `id`, with `size` bytes, in transaction `tx` (kind and
    digit).
    """

    op: str
    id: int = 0
    size: int = 0
    tx: str = ""

    @property
    def name(self) -> str:
        """A readable name, unique among steps."""
        parts = (self.op, str(self.id or ""), str(self.size or ""), self.tx)
        return "-".join(part for part in parts if part)


@dataclass(frozen=True)
class Tables:
    """Represents the operations on a format's journals: ``workloads.toml`` in the folder of its `package`.

    `workload` and `step` create a workload or a step from its members. `combined` creates the sequences that
    a table describes by combinations of steps. This class reads the tables that all formats have:
    ``writers``, ``sequences``, ``scopes``, ``firsts``, ``then``, ``choices``, ``long``, ``obeys``,
    ``fields``, ``second``; other tables are the format's.
    """

    package: str
    workload: Callable[..., SmallWorkload]
    step: Callable[..., Any]
    combined: Callable[..., Iterable[tuple[Any, ...]]] = lambda: ()

    @cached_property
    def rows(self) -> Table:
        """The content of the file."""
        return tomllib.loads(files(self.package).joinpath("workloads.toml").read_text(encoding="utf-8"))

    def steps(self, members: Iterable[Sequence[Any]]) -> tuple[Any, ...]:
        """Return the steps that have these members."""
        return tuple(self.step(*values) for values in members)

    def sequences(self, names: Iterable[str]) -> list[tuple[Any, ...]]:
        """Return the lists of steps that are under `names`, one after the other."""
        out: list[tuple[Any, ...]] = []
        for name in names:
            entry = self.rows["sequences"][name]
            out += self.combined(**entry) if isinstance(entry, Mapping) else map(self.steps, entry)
        return out

    def workload_of(self, members: Table) -> SmallWorkload:
        """Return the workload with these members; its steps are given by the members of each step."""
        return self.workload(**{**members, "steps": self.steps(members.get("steps", ()))})

    def workloads(self, scope: str) -> Iterator[Any]:
        """Yield the workloads of a scope, in a fixed order; raises KeyError for an unknown scope."""
        return self.fraction("scopes", scope)

    def firsts(self, scope: str) -> Iterator[Any]:
        """Yield the workloads of a scope that continue after a crash."""
        return self.fraction("firsts", scope)

    def added(self, scope: str) -> Iterator[Any]:
        """Yield the workloads of the table ``added``, which are newer and come after all others."""
        chosen = self.rows.get("added", {"scopes": ()})
        if scope not in chosen["scopes"]:
            return
        for row in chosen["small"]:
            steps = self.steps(row["steps"])
            yield from (self.workload("append", writer, steps) for writer in row["writers"])
        yield from (LongWorkload(*members) for members in chosen["long"])

    def fraction(self, table: str, scope: str) -> Iterator[Any]:
        """Yield the workloads that a `table` lists for a scope, or a sample of them that the table specifies.

        The sample for the number n is a fractional factorial design. It contains those combinations whose
        positions on the axes add up to a multiple of n. If a third axis has n values or more, every pair of
        values of two axes still occurs in the sample. Workloads of the core scope are always included.
        """
        of = int(self.rows.get("fractions", {}).get(scope, {}).get(table, 1))
        core = {work for work, _ in self.listed(table, "core")} if of > 1 else ()
        return (work for work, place in self.listed(table, scope) if place % of == 0 or work in core)

    def listed(self, table: str, scope: str) -> Iterator[tuple[Any, int]]:
        """Yield the workloads that a `table` lists for a scope, each with the sum of its axis positions.

        Rows and writers are two of the axes; the sum is 0 if a block has no other axes.

        Each block of the table has rows: the kind to ``do``, ``of`` which sequences, and optionally ``force``
        and ``align``. Each ``background``, ``align`` and ``edge`` of a block is combined with all rows, and
        with every writer that ``writers`` names for the kind. ``by`` groups workloads with the same writer,
        or with the same steps. By default writers vary fastest, so that states that two writers share fall
        into one shard. A workload whose first record lacks the aligned field is omitted.
        """
        writers = self.rows["writers"][scope]
        for block in self.rows[table][scope]:
            rows = [
                (row, steps)
                for row in block["rows"]
                for steps in (self.sequences(row["of"]) if "of" in row else [()])
            ]
            if block.get("by") == "steps":
                rows.sort(key=_turn([steps for _, steps in rows], itemgetter(1)))
            who = [
                (writer, row, at + by)
                for at, row in enumerate(rows)
                for by, writer in enumerate(writers[row[0]["do"]])
            ]
            if block.get("by") == "writer":
                who.sort(key=_turn([writer for writer, _, _ in who], itemgetter(0)))
            axes = [name for name in ("background", "align", "edge") if name in block]
            for places in product(*(enumerate(block[name]) for name in axes)):
                values = [value for _, value in places]
                for writer, (row, steps), at in who:
                    own = {name: row[name] for name in ("force", "align") if name in row}
                    own |= zip(axes, values, strict=True)
                    work = self.workload(row["do"], writer, steps, **own)
                    if not steps or work.align in work.fields():
                        yield work, at + sum(place for place, _ in places) if axes else 0

    @cached_property
    def then(self) -> Mapping[str, tuple[Any, ...]]:
        """The possible operations after opening the files of a crash."""
        return {name: self.steps(members) for name, members in self.rows["then"].items()}

    @property
    def choices(self) -> Mapping[str, Mapping[str, Sequence[int]]]:
        """Map a scope, ``long`` or ``longer``, and the name of a second run to numbers of crash states."""
        found: Mapping[str, Mapping[str, Sequence[int]]] = self.rows["choices"]
        return found

    @cached_property
    def obeys(self) -> Mapping[str, tuple[str, ...]]:
        """Maps each category of states to its requirements; "" stands for all others."""
        return {category: tuple(ids) for category, ids in self.rows["obeys"].items()}

    def said(self, word: str) -> tuple[str, dict[str, str], str]:
        """Return the parts of a word of a long workload: operation, arguments by name, and the rest."""
        op, *takes = self.rows["long"]["operations"][word[0]]
        return op, dict(zip(takes, word[1:], strict=False)), word[1 + len(takes) :]

    def playable(self, steps: Iterable[Any]) -> bool:
        """Return whether the object of each step exists.

        The optional table ``playable`` has ``standing``, the objects that exist at the start, and one entry
        for each operation. An entry lists the objects that the operation ``needs``, ``gives``, and then
        ``takes``. The entry ``""`` applies to all operations without an entry. An object is a word and the
        member of a step that identifies it. ``l`` and ``x`` stand for transactions whose names begin with
        that letter. An object whose member is empty in a step is ignored.
        """
        rules = self.rows.get("playable")
        if rules is None:
            return True
        there = set(map(tuple, rules.get("standing", ())))
        for step in steps:
            tx = str(step.tx or "")
            members = {"id": step.id, "tx": tx, tx[:1]: tx}
            row = rules.get(step.op, rules.get("", {}))
            needs, gives, takes = (
                {(word, members[name]) for word, name in row.get(what, ()) if members.get(name)}
                for what in ("needs", "gives", "takes")
            )
            if not needs <= there:
                return False
            there = (there | gives) - takes
        return True

    @property
    def lines(self) -> tuple[LongWorkload, ...]:
        """All long workloads without the longer ones."""
        return long_workloads(self.package)

    @property
    def longer(self) -> tuple[LongWorkload, ...]:
        """The long workloads that have so many words that earlier content is overwritten once or twice."""
        return long_workloads(self.package, LONGER_WORKLOADS)

    def long(self, scope: str) -> tuple[LongWorkload, ...]:
        """Return the long workloads of a scope. ``smoke`` has none; ``full`` has every n-th, and the table's
        entry ``full`` is n.
        """
        if scope == "full":
            every = int(self.rows["long"].get("full", 1))
            return self.lines[::every] + self.longer[::every]
        return _spread(self.lines) + _spread(self.longer) if scope == "core" else ()

    def fields_of(self, layout: Layout) -> RecordFields:
        """Return the offsets of the fields in the format's records, with the names in the table."""
        return RecordFields(layout, self.rows["fields"])

    # The reduction of workloads, mostly by the table ``reduction``. Its ``backgrounds`` are listed from the
    # plainest on; garbage is not simpler than old content. ``align`` is the plainest alignment. ``rule`` is a
    # pattern that matches a rule with a size; its group is the size, one of ``rule_sizes``. Sizes that end at
    # a sector boundary are not changed, because the boundary is the purpose of the rule.

    def plainer(self, size: Any) -> list[Any]:
        """Return the smaller sizes of a step from the table ``sizes``, smallest first, by name or number."""
        sizes: Mapping[str, Any] = self.rows.get("sizes", {})
        if not isinstance(size, str):
            return [less for less in sizes.values() if less < size]
        order = sorted(sizes, key=lambda name: sum(sizes[name]))
        return order[: order.index(size)]

    def smaller(self, workload: SmallWorkload) -> Iterator[SmallWorkload]:
        """Yield workloads that are smaller in one respect: steps, background, payload, alignment.

        Kind and writer are not changed, because they identify the failure. Every chain of reductions ends,
        because no reduction makes anything larger.
        """
        align, backgrounds = self.rows["reduction"]["align"], self.rows["reduction"]["backgrounds"]
        for steps in self._fewer(workload.steps):
            force = "each" if len(steps) == 1 else workload.force
            yield self._aligned(replace(workload, steps=steps, force=force))
        for background in backgrounds[: backgrounds.index(workload.background)]:
            yield replace(workload, background=background)
        for steps in self._shorter(workload.steps):
            yield self._aligned(replace(workload, steps=steps))
        if workload.align != align:
            yield replace(workload, align=align)
        if workload.edge > EDGE:
            yield replace(workload, edge=EDGE)
        if workload.force != "each":
            yield replace(workload, force="each")

    def shorter(self, rule: str) -> Iterator[str]:
        """Yield a rule of a long workload with a smaller record."""
        rules = self.rows["reduction"]
        sized, sizes = re.fullmatch(rules["rule"], rule), rules["rule_sizes"]
        if sized:
            for less in sizes[: sizes.index(sized[1])]:
                yield rule[: sized.start(1)] + less + rule[sized.end(1) :]

    def _aligned(self, workload: SmallWorkload) -> SmallWorkload:
        """Return the workload, with the plainest alignment if its first record lost the aligned field."""
        plain = self.rows["reduction"]["align"]
        return workload if workload.align in workload.fields() else replace(workload, align=plain)

    def _fewer(self, steps: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield the steps without the later ones, then without the earlier ones, then without any one."""
        cuts = [steps[:count] for count in range(1, len(steps))]
        cuts += [steps[-count:] for count in range(1, len(steps))]
        cuts += [steps[:at] + steps[at + 1 :] for at in range(len(steps)) if len(steps) > 1]
        yield from filter(self.playable, dict.fromkeys(cuts))

    def _shorter(self, steps: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield the steps with all records as short as possible, then with one of them shorter."""
        plainer = [self.plainer(step.size) for step in steps]
        least = tuple(
            replace(step, size=sizes[0]) if sizes else step
            for step, sizes in zip(steps, plainer, strict=True)
        )
        if least != steps:
            yield least
        for at, step in enumerate(steps):
            for size in plainer[at]:
                changed = (*steps[:at], replace(step, size=size), *steps[at + 1 :])
                if changed != least:
                    yield changed


def _turn(order: Sequence[Any], of: Callable[[Any], Any]) -> Callable[[Any], int]:
    """Return a sort key: the position of ``of(entry)`` when it first occurs in `order`."""
    first = {key: at for at, key in reversed([*enumerate(order)])}
    return lambda entry: first[of(entry)]


@dataclass(frozen=True, slots=True)
class SmallWorkload:
    """Represents the source of one trace, which is a pure function of these members.

    `kind` is the topic of the run, in the format's words. `writer` is the edition and the order of writes.
    `align` is the name of the field of the first step's record that begins at a multiple of `edge` bytes.
    `force` is ``each`` or ``end``. `background` is the content of unused space.
    """

    kind: str
    writer: str
    steps: tuple[Any, ...] = ()
    align: str = ""
    edge: int = EDGE
    force: str = "each"
    background: str = "zero"

    @property
    def name(self) -> str:
        """A readable name, unique among workloads."""
        steps = "+".join(step.name for step in self.steps)
        return f"{self.kind}/{self.writer}/{steps}/{self.align}@{self.edge}/{self.force}/{self.background}"

    @property
    def tags(self) -> dict[str, str]:
        """The tags of its trace."""
        told = {"kind": self.kind, "order": self.writer, "align": self.align, "force": self.force}
        return {**told, "steps": "+".join(step.name for step in self.steps)}

    @property
    def settled(self) -> bool:
        """Whether a crash during the last step cannot lose the effect of earlier steps."""
        return self.force == "each" and self.kind == "append" and not any(step.tx for step in self.steps)

    def operations(self, life: int = 0) -> list[Operation]:
        """Return the operations of the steps in run `life`."""
        return [step.operation(life) for step in self.steps]

    def fields(self) -> Mapping[str, int]:
        """Return the start of every field of the first step's record, by name."""
        raise NotImplementedError

    def start(self, least: int) -> int:
        """Return an offset of the first step's record, from `least` on, at which its field `align` is on a
        boundary.
        """
        start = self.edge - self.fields()[self.align]
        return start + max(0, -(-(least - start) // SECTOR)) * SECTOR


#: The number of long workloads, evenly spread, in the core tier; the full tier contains all or every n-th.
LONG_IN_CORE = 6
#: In a long workload, the name of a new object is one digit in base 36.
DIGITS = "123456789abcdefghijklmnopqrstuvwxyz"
#: The files in a format's package with its long workloads and with the longer workloads, one in each line.
LONG_WORKLOADS, LONGER_WORKLOADS = "long_workloads.jsonl", "longer_workloads.jsonl"


@dataclass(frozen=True, slots=True)
class LongWorkload:
    """Represents one sequence: the edition or order of writes, the length of a file in bytes, and rules.

    Small workloads are enumerated, but none of them has the many steps that some situations need (a reused
    file, a transaction that is open over three files). These sequences were drawn once by a Hypothesis state
    machine, and are stored as data, so a build needs neither Hypothesis nor random numbers. `rules` are words
    separated by blanks; the format defines them.
    """

    variant: str
    size: int
    rules: str
    #: The background: unused space was never written.
    background: ClassVar[str] = "zero"

    @property
    def name(self) -> str:
        """A readable name, unique among workloads."""
        return f"long/{self.variant}/{self.size}/{self.rules.replace(' ', '+')}"

    @property
    def tags(self) -> dict[str, str]:
        """The tags of its trace."""
        return {"kind": "long", "order": self.variant, "rules": str(len(self.rules.split()))}


@cache
def long_workloads(package: str, file: str = LONG_WORKLOADS) -> tuple[LongWorkload, ...]:
    """Return the workloads in a `file` of a format's `package`, or nothing if there is no such file.

    The first line contains the members that all other lines share.
    """
    path = files(package).joinpath(file)
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return tuple(LongWorkload(*json.loads(line)) for line in lines[1:])


def play(run: Recorder, work: LongWorkload) -> Trace:
    """Return the trace of `work`, which begins with the new journal and has all crash points."""
    run.open()
    run.begin()
    for rule in work.rules.split():
        run.do(rule)
    return run.trace(work)


def _spread(works: tuple[LongWorkload, ...]) -> tuple[LongWorkload, ...]:
    """Return LONG_IN_CORE evenly spread elements of `works`."""
    return works[:: max(1, len(works) // LONG_IN_CORE)][:LONG_IN_CORE]


class Life(NamedTuple):
    """Represents the operations of a writer on given files. The first `opened` operations open the files."""

    ops: tuple[Op, ...]
    opened: int


@dataclass(frozen=True)
class Continuations:
    """The possible operations on a journal after a crash.

    `begin(origin, life, image)` returns the writer that wrote `image` on these files, not opened yet. The
    `tables` define the operations after opening, and the crash states before them: ``same`` repeats the first
    run's steps (those that are `repeatable`), so that new records lie at the places of lost ones; ``settle``
    first finishes what recovery leaves unfinished. `choices(first, scope)`, if given, replaces the table for
    a first run. In the full tier, only every n-th of the long first runs is continued; the table
    ``fractions`` contains n.
    """

    begin: Callable[[Any, int, CrashImage], Recorder]
    tables: Tables
    repeatable: Callable[[Any], bool] = lambda step: True
    choices: Callable[[Any, str], Mapping[str, Sequence[int]]] | None = None

    def build(self, work: SecondLife, first: Trace) -> Trace:
        """Return the trace of `work`, whose first run is `first`.

        If the writer refuses to open, the trace has no operations and no states. Raises ValueError if there
        is no state from which to continue.
        """
        chosen = choose(first, gone=self.released_is_gone)
        image = chosen.image(work.choice)
        try:
            life = self.live(work.origin, work.life, image, work.then)
        except WriterRefused:
            life = Life((), 0)
        crash = image.descriptor
        tags = {
            **{name: first.tags[name] for name in ("order", "force") if name in first.tags},
            "kind": "again",
            "first": first.tags.get("kind", ""),
            "then": work.then,
            "choice": str(work.choice),
            "crash": f"{crash.preset}@{crash.crash_index}/{crash.mask.hex()}/{crash.tear}",
            "category": image.category,
            "field": image.field,
            "opened": str(life.opened),
            # A failure in the first run belongs to the trace of that run.
            "fine": "yes" if chosen.fine else "no",
        }
        return Trace(
            first.format,
            first.edition,
            work.name,
            image.files,
            life.ops,
            first.background,
            image.standing,
            image.stale,
            # A run without operations has no states of its own, because its initial files are a state of the
            # first run.
            0 if life.ops else 1,
            tags,
            image.possible,
            work.life,
            order=image.order,
            done=image.done,
        )

    def live(self, origin: Any, life: int, image: CrashImage, then: str) -> Life:
        """Open `image` with its writer, and do the operations of `then`; "same" repeats those of `origin`.

        Raises WriterRefused if the writer does not open, ValueError for an unknown `then`.
        """
        known = self.tables.then
        if then not in ("open", *known):
            raise ValueError(f"unknown continuation {then!r}: expected open or one of {', '.join(known)}")
        run = self.begin(origin, life, image)
        run.open()
        if then == "settle":
            # With ``settle``, recovery includes finishing decided operations; the caller continues only
            # afterwards.
            run.settle(image)
        opened = len(run.storage.ops)
        together = image.first.tags.get("force") == "end"
        steps = () if then == "open" else self._steps(origin, then)
        for op in run.continued(then, [step.operation(run.life) for step in steps], image):
            with suppress(WriterRefused):
                run.perform(op, together=together)
        run.apply({"op": "close" if then == "close" else "force"})
        return Life(tuple(run.storage.ops), opened)

    def _steps(self, origin: Any, then: str) -> Sequence[Any]:
        before = getattr(origin, "steps", ()) if then == "same" else ()
        again = [step for step in before if self.repeatable(step)]
        return again or self.tables.then[then] or self.tables.then["typical"]

    def lives(self, scope: str) -> Iterator[SecondLife]:
        """Yield the second runs of a scope, grouped by first workload; ``smoke`` has none."""
        if scope == "smoke":
            return
        for first in self.tables.firsts(scope):
            chosen = self.choices(first, scope) if self.choices else self.tables.choices[scope]
            for then, choices in chosen.items():
                yield from (SecondLife(first, choice, then) for choice in choices)
        if scope == "full":
            for name, works in (("long", self.tables.lines), ("longer", self.tables.longer)):
                for drawn in works[:: self.tables.rows["fractions"]["full"][name]]:
                    for then, choices in self.tables.choices[name].items():
                        yield from (SecondLife(drawn, choice, then) for choice in choices)

    @property
    def plain(self) -> Sequence[str]:
        """The names of simple second runs, the plainest first."""
        found: Sequence[str] = self.tables.rows["second"]["plain"]
        return found

    @property
    def released_is_gone(self) -> bool:
        """Whether a released record must never be listed again after the release is durable.

        False for formats in which the record stays readable and is marked as ended.
        """
        return bool(self.tables.rows["second"]["released_is_gone"])
