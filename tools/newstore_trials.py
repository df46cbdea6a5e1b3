"""Makes hundreds of new stores from damaged ones, and compares them with the recovered data.

    python tools/newstore_trials.py --format FORMAT --count 500 --seed 1 [--product]

A trial damages either a drawn journal or a store that a product wrote (a captured set, one of --stores, or
one from ``tools/newstore/FORMAT.py``). The kinds of damage are:

- *reachable*: up to two sectors at the end of the file that was written last are cut, or are zeros;
- *corrupted*: bytes are changed, blocks are lost, files are cut or taken away;
- *hostile*: two to five such damages at once;
- *drawn*: a random journal, or a state that a crash of the reference writer leaves;
- *none*: no damage.

The rule: the data in the new store equals the contents of the old one under the same policy (without
contents: the same state). The new store reads clean, and the old files are unchanged. A trial ends as *kept*,
*exported* (a format wrote rows instead), *nothing* (nothing can be kept), or *wrong*. With --product the
product is started on each new store, and with --old also on a copy of each damaged one. The new store must
deliver everything that the old store delivers, or its report must list it. *started* and *old* count the
starts that could be compared. Every trial depends only on the format, the seed, its number and the available
stores: `--only N` repeats one. Exit status: 0 nothing wrong; 1 something wrong; 2 usage.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tarfile
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from journalspec.formats import format_ids, get_format
from journalspec.observation import jsonable
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import PRESETS
from journalspec_corpus.drawn import DrawnJournal
from journalspec_corpus.draws import drawn_cases
from journalspec_corpus.mutations import damaged
from journalspec_reference.answers import Answer, ask
from journalspec_reference.contents import Row, contents, nested
from journalspec_reference.filesets import FilesetError, NoJournal, find_journals, load
from journalspec_reference.lossreport import LossReport
from journalspec_reference.newstore import (
    CannotRebuild,
    Part,
    StoreChoices,
    covered,
    digests,
    new_store,
    sources,
    write,
)

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("none", "reachable", "corrupted", "hostile", "drawn")
#: The size of the largest store that trials use (bytes).
MOST_BYTES = 24 << 20
SECTOR = 512
#: Files in a captured directory that are not part of the store.
ABOUT = ("expected.json", "provenance.toml")
MOST_SHOWN = 20
#: Columns for the place of a row, not its content.
PLACES = frozenset({"file", "off"})


#: The names in a report: ids of messages and other items, and the tables and queues that lose something.
Named = frozenset[str]


class Hooks:
    """Functions that ``tools/newstore/FORMAT.py`` may define for its format, and their defaults."""

    def __init__(self, format_id: str) -> None:
        self.format_id = format_id
        try:
            self._module: Any = import_module(f"newstore.{format_id}")
        except ModuleNotFoundError:
            self._module = None

    def stores(self) -> Iterable[Path]:
        """Return stores in addition to the captured sets: directories or archives."""
        return getattr(self._module, "stores", tuple)()

    def live(self, answer: Answer) -> Any:
        """Return the recovered data in a form in which equal data are equal objects."""
        if hasattr(self._module, "live"):
            return self._module.live(answer)
        found = contents(answer)
        if found is None:
            return jsonable(answer.observation.state)
        return {name: sorted(map(_bare, found.rows(name)), key=repr) for name in found.tables}

    def alike(self, before: Any, now: Any) -> Any:
        """Return the new store's data, except for data that was added because the old store lacks it."""
        return getattr(self._module, "alike", lambda before, now: now)(before, now)

    def starts(self, files: Mapping[str, bytes]) -> bool:
        """Return whether the product can be started on a store of these files."""
        return bool(getattr(self._module, "starts", lambda files: True)(files))

    def last(self, files: Mapping[str, bytes]) -> Mapping[str, int]:
        """Return the files that may have been written last, with the number of fsynced bytes of each.

        An empty result means unknown.
        """
        return dict(getattr(self._module, "last", lambda files: {})(files))

    def nothing(self, answer: Answer) -> str:
        """If the new store must contain data but contains none, return the reason, else an empty text."""
        return str(getattr(self._module, "nothing", lambda answer: "")(answer))

    def exported(self, place: Path) -> bool:
        """Return whether a new store consists of exported rows, because no store of the old kind could be
        made.
        """
        return bool(getattr(self._module, "exported", lambda place: False)(place))

    def delivered(self, stores: Sequence[tuple[Path, Answer]]) -> Iterator[str | None]:
        """Start the product on each new store; yield its fault for each store. An empty text means no fault,
        None no start.

        `stores` are directories with the answers from which they were made; many starts may share a process.
        """
        if not hasattr(self._module, "delivered"):
            raise SystemExit(f"--product: tools/newstore/{self.format_id}.py has no `delivered`")
        yield from self._module.delivered(stores)

    def lacking(self, stores: Sequence[tuple[Path, Answer, Named]]) -> Iterator[str | None]:
        """Start the product on each old store; yield the delivered data that the new store lacks.

        Data listed in the report of the new store is excluded. None: there was no start.
        """
        if not hasattr(self._module, "lacking"):
            raise SystemExit(f"--old: tools/newstore/{self.format_id}.py has no `lacking`")
        yield from self._module.lacking(stores)


def _bare(row: Row) -> Any:
    return {name: nested(value) for name, value in row.items() if name not in PLACES}


@dataclass(frozen=True)
class State:
    """One damaged store: its files by name; edition and parameters, if the files do not show them."""

    name: str
    kind: str
    files: Mapping[str, bytes]
    edition: str | None = None
    params: Mapping[str, str] | None = None


def bases(format_id: str, more: Iterable[Path], scratch: Path) -> list[tuple[str, Mapping[str, bytes]]]:
    """Return the files of the stores that are damaged.

    The captured sets are many and small. The other stores are repeated until they make up half of all stores.
    """
    places = [
        path.parent for path in sorted((ROOT / "corpus/captured" / format_id).glob("*/*/expected.json"))
    ]
    captured = len(places)
    for number, path in enumerate(more):
        if path.is_dir():
            places.append(path)
        else:
            with tarfile.open(path) as archive:
                archive.extractall(scratch / str(number), filter="data")
            places.append(scratch / str(number))
    found: list[tuple[str, Mapping[str, bytes]]] = []
    often = max(1, captured // max(1, len(places) - captured))
    for number, place in enumerate(places):
        files = [
            path
            for path in sorted(place.rglob("*"))
            if path.is_file() and not path.is_symlink() and path.name not in ABOUT
        ]
        if 0 < sum(path.stat().st_size for path in files) <= MOST_BYTES:
            read = {path.relative_to(place).as_posix(): path.read_bytes() for path in files}
            found += [(place.name, read)] * (often if number >= captured else 1)
    return found


def reachable(
    files: Mapping[str, bytes], random: Random, last: Mapping[str, int]
) -> tuple[str, Mapping[str, bytes]]:
    """Return the files after a crash that lost up to two sectors at the end of the last written file.

    If `last` is empty, one of the two files with the most data is taken. Bytes that were fsynced are never
    lost.
    """
    sizes = {name: len(data.rstrip(b"\0\xff")) for name, data in files.items() if data}
    name = random.choice([*last] or sorted(sizes, key=lambda each: sizes[each])[-2:])
    end = sizes[name] - random.randrange(1 + min(2 * SECTOR, sizes[name] // 2))
    end = max(end, min(last.get(name, 0), sizes[name]))
    data = files[name]
    if random.random() < 0.5:
        return f"{name} is cut at {end}", {**files, name: data[:end]}
    return f"{name} has zeros from {end}", {**files, name: data[:end] + bytes(len(data) - end)}


def damage(format_id: str, files: Mapping[str, bytes], random: Random) -> tuple[str, Mapping[str, bytes]]:
    """Return two values: the description of one kind of damage, and the damaged files."""
    edition = get_format(format_id).default_edition
    return damaged(DrawnJournal(format_id, edition, files, (), (), {}, files, ()), random)


def crashed(format_id: str, random: Random) -> State:
    """Return a crash state of a workload."""
    adapter = crash_format(format_id)
    found: list[Any] = []
    while not found:
        # If the end of a workload is durable, the workload may have no crash state.
        trace = adapter.build(random.choice([*adapter.workloads("core")]))
        found = [*crash_states(trace, PRESETS, 1)]
    states = random.choice(found)
    row = random.randrange(len(states.codes))
    files = states.point.materialise(states.codes[row])
    return State(f"{trace.name} {row}", "drawn", files, trace.edition)


def state_of(
    format_id: str, stores: Sequence[tuple[str, Mapping[str, bytes]]], seed: int, number: int
) -> State:
    """Return the state with a number. The same stores always give the same state."""
    random = Random(f"{format_id}/{seed}/{number}")
    kind = KINDS[number % len(KINDS)]
    if kind == "drawn" and number // len(KINDS) % 2:
        return crashed(format_id, random)
    if kind == "drawn" or not stores:
        (case,) = drawn_cases(format_id, seed, [number])
        return State(case.id, "drawn", dict(case.files()), case.edition, case.params)
    hooks = Hooks(format_id)
    # A crash leaves a complete store, on which its product starts. It never leaves only a part of a store.
    whole = [each for each in stores if hooks.starts(each[1])] if kind == "reachable" else []
    name, files = random.choice(whole or stores)
    if kind == "none":
        return State(name, kind, files)
    if kind == "reachable":
        what, files = reachable(files, random, hooks.last(files))
    else:
        what = ""
        for _ in range(1 if kind == "corrupted" else random.randrange(2, 6)):
            what, files = damage(format_id, files, random)
    return State(f"{name}, {what}", kind, files)


@dataclass(frozen=True)
class Made:
    """The result of a trial: `wrong` is empty if the rule holds; `answer` is None if no data was kept."""

    ended: str
    why: str = ""
    answer: Answer | None = None
    named: Named = frozenset()


def tried(format_id: str, state: State, hooks: Hooks, place: Path) -> Made:
    """Put the state at `place`/old, make a new store of it at `place`/new, and check the rule."""
    old = place / "old"
    for name, data in state.files.items():
        (old / name).parent.mkdir(parents=True, exist_ok=True)
        (old / name).write_bytes(data)
    old.mkdir(exist_ok=True)
    policy = get_format(format_id).keeps_most
    try:
        answer = _main(old, format_id, state, policy)
        if answer is None:
            return Made("nothing", "no journal")
        before = hooks.live(answer) if answer.observation.state is not None else None
        store = new_store(answer, StoreChoices())
        part = Part("", policy, answer, store)
        files = [*sources([answer.journal], covered(part))]
        report = LossReport(str(old), "new", [part])
        write([part], place / "new", report.write_json, report.write_page, files, digests(files))
        items = [*store.left_out(), *store.unverified()]
        named = frozenset(text for item in items for text in (item.id, item.queue) if text)
    except CannotRebuild as error:
        wrong = hooks.nothing(answer) if answer is not None else ""
        return Made(
            "wrong" if wrong or "fault of journalspec" in error.hint else "nothing", wrong or str(error)
        )
    except FilesetError as error:
        return Made("nothing", str(error))
    for name, data in state.files.items():
        if (old / name).read_bytes() != data:
            return Made("wrong", f"{name} of the old store was changed")
    after = _main(place / "new", format_id, state, "strict")
    if after is None and hooks.exported(place / "new"):
        return Made("exported", "", answer, named)
    if after is None:
        return Made("wrong", "no journal is found in the new store")
    if (now := hooks.alike(before, hooks.live(after))) != before:
        return Made("wrong", f"kept is {_first_difference(before, now)}", answer)
    return Made("kept", "", answer, named)


def _main(place: Path, format_id: str, state: State, policy: str) -> Answer | None:
    """Return the answer about that journal of a directory which has the contents of all journals there."""
    if state.edition is not None:
        journals = find_journals(load(place), format_id, state.edition, state.params)
    else:
        try:
            journals = [each for each in find_journals(load(place)) if each.format == format_id]
        except NoJournal as error:
            main = (get_format(format_id).parts or ("",))[0].removeprefix("*")
            stores = sorted(error.stores, key=lambda each: not each.name.endswith(main))
            journals = [
                each for store in stores for each in find_journals(load(store)) if each.format == format_id
            ]
    return ask(journals[0], policy) if journals else None


def _first_difference(one: Any, other: Any) -> str:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        name = next(name for name in [*one, *other] if one.get(name) != other.get(name))
        return f"{name}: {_first_difference(one.get(name), other.get(name))}"
    if isinstance(one, list) and isinstance(other, list):
        pairs = (pair for pair in zip(one, other, strict=False) if pair[0] != pair[1])
        first = next(pairs, None)
        more = f"{len(one)} and {len(other)} entries; " if len(one) != len(other) else ""
        return more + (_first_difference(*first) if first else "")
    return f"{str(one)[:300]} but {str(other)[:300]}"


@dataclass
class Results:
    """The results of all trials: their numbers by kind of damage and by end, the reasons why no data was
    kept, and the faults.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    nothing: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, number: int, state: State, done: Made) -> None:
        """Count a trial."""
        self.counts[state.kind, done.ended] += 1
        if done.ended == "nothing":
            self.nothing[done.why[:80]] += 1
        if done.ended == "wrong":
            self.wrong.append(f"{number}: {state.kind}, {state.name}: {done.why}")

    def started(self, number: int, state: State, problem: str | None, column: str = "started") -> None:
        """Count a start of the product. `problem` is empty if it succeeded, None if there was no start."""
        self.counts[state.kind, column] += problem == ""
        if problem:
            self.add(number, state, Made("wrong", f"the product ({column}): {problem}"))

    def lines(self) -> Iterator[str]:
        """Yield the table, and the lines below it."""
        columns = ("kept", "exported", "nothing", "wrong", "started", "old")
        yield f"{'state':<12}" + "".join(f"{name:>10}" for name in columns)
        for kind in (*KINDS, "all"):
            numbers = (
                sum(
                    count
                    for (each, ended), count in self.counts.items()
                    if ended == name and kind in (each, "all")
                )
                for name in columns
            )
            yield f"{kind:<12}" + "".join(f"{number:>10,}" for number in numbers)
        yield from (f"nothing {count:>6,} x  {why}" for why, count in self.nothing.most_common(MOST_SHOWN))
        yield from (f"wrong  {line}" for line in self.wrong[:MOST_SHOWN])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the requested trials, and print a table."""
    parser = argparse.ArgumentParser(description="Make new stores from damaged stores.")
    parser.add_argument("--format", required=True, choices=format_ids())
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--stores", type=Path, nargs="*", default=[], help="directories of stores, or archives"
    )
    parser.add_argument("--only", type=int, help="the number of one trial")
    parser.add_argument("--product", action="store_true", help="start the product on each new store")
    parser.add_argument("--old", action="store_true", help="also start it on a copy of each damaged store")
    given = parser.parse_args(arguments)
    hooks, results = Hooks(given.format), Results()
    with tempfile.TemporaryDirectory(prefix="newstore-") as scratch:
        stores = bases(given.format, [*hooks.stores(), *given.stores], Path(scratch, "bases"))
        stores = [each for each in stores if not given.product or hooks.starts(each[1])]
        made: list[tuple[int, State, Path, Made]] = []
        for number in range(given.count) if given.only is None else [given.only]:
            state, place = state_of(given.format, stores, given.seed, number), Path(scratch, str(number))
            place.mkdir()
            try:
                done = tried(given.format, state, hooks, place)
            except Exception:
                done = Made("wrong", traceback.format_exc())
            results.add(number, state, done)
            if not given.product:
                shutil.rmtree(place)
            elif done.answer is not None:
                made.append((number, state, place, done))
        asked = [(place, done.answer, done.named) for _, _, place, done in made if done.answer is not None]
        if given.product:
            starts = hooks.delivered([(place / "new", answer) for place, answer, _ in asked])
            for (number, state, _, _), problem in zip(made, starts, strict=True):
                results.started(number, state, problem)
        if given.product and given.old:
            starts = hooks.lacking([(place / "old", answer, named) for place, answer, named in asked])
            for (number, state, _, _), problem in zip(made, starts, strict=True):
                results.started(number, state, problem, "old")
    print("\n".join(results.lines()))
    return 1 if results.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
