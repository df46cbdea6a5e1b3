"""Running the readers of a format on damaged input, within bounds, and keeping count.

What a fuzzer looks for: an exception that is not documented, an answer that
takes too long or costs too much memory, an observation that cannot be true, and
two descriptions of one format that do not say the same.
"""

from __future__ import annotations

import signal
import time
import traceback
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from journalspec.formats import get_format
from journalspec.observation import VERDICTS, Observation
from journalspec.schemas import KINDS, SchemaError, codec, reread
from journalspec_corpus.mutations import Input, Source
from journalspec_reference.api import load

#: An input may take this long, all readers together, on a busy machine.
SECONDS = 5.0
#: Peak memory allowed: so many times the input, plus what any answer costs.
TIMES_INPUT, AT_LEAST = 100, 256 << 10
#: The schemas keep a Python object for each field, be it of two bytes: several hundred bytes a name.
TIMES_INPUT_OF_SCHEMAS = 250
#: Sizes of the inputs made to cost much; four times the size may take so many times as long.
HOSTILE_SIZES = (1 << 13, 1 << 15)
HOSTILE_GROWTH = 8.0
#: Below this many seconds, growth is noise.
TOO_SHORT = 0.05

#: So many regions that were dropped are shown to the schemas: each may claim all that is behind it.
MOST_REGIONS = 16

SCHEMAS = "schemas"
Files = Mapping[str, bytes]
Run = Callable[[Files, str], object]


class TooLong(BaseException):
    """Raised by the alarm; no reader catches it by accident."""


@dataclass
class Find:
    """One input that a reader did not stand."""

    number: int
    kind: str
    edition: str
    reader: str
    problem: str
    files: Files


@dataclass
class Tally:
    """What a worker saw, to be added up."""

    outcomes: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    inputs: int = 0
    bytes: int = 0
    measured: int = 0
    slowest: tuple[float, int] = (0.0, -1)
    #: peak bytes per input byte beyond AT_LEAST, peak, number
    largest: tuple[float, int, int] = (0.0, 0, -1)
    finds: list[Find] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add what another worker saw."""
        self.outcomes.update(other.outcomes)
        self.kinds.update(other.kinds)
        self.inputs += other.inputs
        self.bytes += other.bytes
        self.measured += other.measured
        self.slowest = max(self.slowest, other.slowest)
        self.largest = max(self.largest, other.largest)
        self.finds += other.finds


class Readers:
    """All readers of one format, and what each made of an input."""

    def __init__(self, format_id: str) -> None:
        self.reference = load(format_id)
        self.policies = tuple(get_format(format_id).policies)
        # Composed records are for schemas of whole files, which judge no damage.
        kinds = () if get_format(format_id).composed else KINDS
        self.schemas = {kind: codec(format_id, kind) for kind in kinds}

    def run(self, files: Files, edition: str) -> str:
        """Run them all; return the outcome. Raises Disagreement, or whatever a reader raised."""
        seen = self.run_reference(files, edition)
        self.run_schemas(files, edition, seen)
        return f"{edition}: {seen.verdict}" + (f" {seen.phase}/{seen.code}" if seen.code else "")

    def warm_up(self, source: Source) -> None:
        """Read sound journals of each edition up to one with records: all that is loaded lazily is loaded."""
        editions = len(source.editions)
        for first in range(editions):
            for group in range(first, first + 8 * editions, editions):
                item = source.sound(group)
                self.run(item.files, item.edition)
                if self.reference.read(item.files, edition=item.edition).records:
                    break

    def run_reference(self, files: Files, edition: str) -> Observation:
        """Run everything that the reference can do for a reader; return what `read` said."""
        self.reference.detect(files)
        for _ in self.reference.spans(files, edition=edition):
            pass
        seen = _sound(self.reference.read(files, edition=edition), files)
        for policy in self.policies:
            _sound(self.reference.recover(files, edition=edition, policy=policy), files)
        return seen

    def run_schemas(self, files: Files, edition: str, seen: Observation) -> None:
        """Read with the schemas what the reference saw, and try them on what it dropped."""
        for kind, schema in self.schemas.items():
            try:
                again = reread(self.reference.format_id, kind, files, edition, seen)
            except SchemaError as error:
                raise Disagreement(f"sound for the reference, {kind} refuses: {error}") from error
            if any(
                list(mine) != list(theirs)
                for mine, theirs in ((again.records, seen.records), (again.files, seen.files))
            ):
                raise Disagreement(f"{kind} and the reference differ in what a header or record says")
            for region in islice(seen.dropped, MOST_REGIONS):
                # Whatever stands there: an answer or SchemaError, in time.
                with suppress(SchemaError):
                    schema.read("record", edition, bytes(files[region.file]), region.off, region.file)


class Disagreement(Exception):
    """Two readers of one format do not say the same."""


class Unsound(Exception):
    """An observation that cannot be true of any bytes."""


def _sound(seen: Observation, files: Files) -> Observation:
    """Return `seen`; raises Unsound if it names bytes that are not there, or some of them twice."""
    if seen.verdict not in VERDICTS:
        raise Unsound(f"unknown verdict {seen.verdict!r}")
    places = [(record.at.file, record.at.off, record.at.length) for record in seen.records]
    places += [(region.file, region.off, region.length) for region in seen.dropped]
    reached: dict[str, int] = {}
    for name, off, length in sorted(places):
        if off < reached.get(name, 0) or length < 0 or off + length > len(files[name]):
            raise Unsound(
                f"{name}: {length} bytes at {off} overlap what stands before, or the end of the file"
            )
        reached[name] = off + length
    return seen


def reader_of(error: BaseException) -> str:
    """Return the innermost frame of our own code in the traceback: where it went wrong."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "journalspec" in Path(frame.filename).as_posix()]
    last = (ours or frames)[-1] if frames else None
    return f"{Path(last.filename).name}:{last.lineno}" if last else "?"


def judge(readers: Readers, item: Input, tally: Tally, measure: bool) -> None:
    """Run the readers on one input within its bounds and add to the tally."""
    size = sum(map(len, item.files.values()))
    tally.inputs += 1
    tally.bytes += size
    tally.kinds[item.kind] += 1
    if measure:
        tracemalloc.start(1)
    signal.setitimer(signal.ITIMER_REAL, SECONDS * (20 if measure else 1))
    start = time.perf_counter()
    try:
        outcome = readers.run(item.files, item.edition)
    except TooLong as error:
        outcome = "FIND too long"
        found(tally, item, reader_of(error), f"no answer within {SECONDS} s")
    except Exception as error:  # any exception at all is what is looked for
        outcome = f"FIND {type(error).__name__}"
        found(tally, item, reader_of(error), "".join(traceback.format_exception(error)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        seconds = time.perf_counter() - start
        peak = 0
        if measure:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    tally.outcomes[outcome] += 1
    if not measure:
        tally.slowest = max(tally.slowest, (seconds, item.number))
        return
    tally.measured += 1
    tally.largest = max(tally.largest, (max(0, peak - AT_LEAST) / max(size, 1), peak, item.number))
    if peak > TIMES_INPUT * size + AT_LEAST:
        found(tally, item, "memory", f"{peak} bytes allocated at once for {size} bytes of input")


def found(tally: Tally, item: Input, reader: str, problem: str) -> None:
    """Add a find to the tally."""
    tally.finds.append(Find(item.number, item.kind, item.edition, reader, problem, dict(item.files)))


@dataclass
class Cost:
    """The worst of the costly inputs: (per byte, which)."""

    who: str
    slowest: tuple[float, str] = (0.0, "")
    largest: tuple[float, str] = (0.0, "")
    problems: list[str] = field(default_factory=list)


def hostile(format_id: str) -> Iterator[Cost]:
    """Yield what the inputs that are made to cost much do cost, first the reference, then the schemas."""
    source, readers = Source(format_id, 0), Readers(format_id)
    runs: dict[str, Run] = {
        "reference": readers.run_reference,
        SCHEMAS: readers.run,
    }
    for who, run in runs.items():
        cost = Cost(who)
        for edition in source.editions:
            small, large = (source.hostile(edition, size) for size in HOSTILE_SIZES)
            for name in large:
                _weigh(cost, run, f"{edition} {name}", edition, (small[name], large[name]))
        yield cost


def _weigh(cost: Cost, run: Run, label: str, edition: str, inputs: tuple[Files, Files]) -> None:
    """Add one costly input in two sizes."""
    # A name is input as well: thousands of tiny files are little but their names.
    size = sum(len(name) + len(data) for name, data in inputs[1].items())
    try:
        before, after = (_seconds(run, files, edition) for files in inputs)
        peak = _peak(run, inputs[1], edition)
    except Unsound as error:
        cost.problems.append(f"{cost.who}: {label}: {error}")
        return
    cost.slowest = max(cost.slowest, (after / size, label))
    cost.largest = max(cost.largest, (peak / size, label))
    if after > TOO_SHORT and after > HOSTILE_GROWTH * before:
        text = f"{before:.3f} s, then {after:.3f} s for four times the size"
        cost.problems.append(f"{cost.who}: {label}: {text}")
    allowed = TIMES_INPUT_OF_SCHEMAS if cost.who == SCHEMAS else TIMES_INPUT
    if peak > allowed * size + AT_LEAST:
        cost.problems.append(f"{cost.who}: {label}: {peak} bytes allocated at once for {size}")


def _seconds(run: Run, files: Files, edition: str) -> float:
    start = time.process_time()
    run(files, edition)
    return time.process_time() - start


def _peak(run: Run, files: Files, edition: str) -> int:
    tracemalloc.start(1)
    try:
        run(files, edition)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
