"""Lets the readers read millions of damaged journals, and looks for forbidden results.

    python tools/fuzz.py --format FORMAT --count 1000000 --seed 1
    python tools/fuzz.py --format FORMAT --readers reference --count 1000000 --seed 1
    python tools/fuzz.py --format FORMAT --family FAMILY --count 1000000 --seed 1
    python tools/fuzz.py --format FORMAT --family FAMILY --count 10000 --one-byte

A reader must not raise an exception other than its documented error, exceed a time limit, or allocate more
than a multiple of its input. Its observation must be possible. Readers are the reference (detect, read,
recover under every policy) and the schemas (construct, kaitai). The schemas must read the same records as the
reference. The answers of the reference must agree with each other: strict recovery and salvage keep only
records that reading finds, and if strict recovery is clean, every policy gives its result. One input in four
is read once more, a few bytes at a time, without stored items, and with the files in reverse order; the
answer must be the same. In some of these readings, NumPy decodes every record. The last inputs are made to be
expensive to read.

`--readers reference` leaves out the schemas, and names the byte ranges of only one input in four, so that a
run takes less than half the time.

Every other input depends only on format, seed and number: `--only N` repeats one. To use several processors,
start several runs with different seeds. Exit status: 0 nothing found; 1 something found; 2 usage.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import resource
import signal
import sys
import time
import traceback
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from inspect import isclass, isfunction, signature
from itertools import chain, islice
from pathlib import Path

from bodies import Body, changed, decoders, drawn_body, has_bodies, lengths, real_bodies
from hostile import hostile

from journalspec import reread as storing
from journalspec.families import families
from journalspec.formats import format_ids, get_format
from journalspec.observation import CLEAN, REFUSED, VERDICTS, Observation, record_place
from journalspec.schemas import KINDS, SchemaError, codec, reread
from journalspec_corpus.drawn import DrawnJournal, drawing_of
from journalspec_corpus.mutations import damaged
from journalspec_reference import batches, load

#: The processor time of all readers together for an input (seconds).
SECONDS = 5.0
#: A call that never returns is not interrupted by the alarm, so the process is ended after this many seconds.
STUCK_AFTER = 300
#: The permitted peak memory: TIMES_INPUT times the input, plus AT_LEAST. The factor is large because the
#: schemas make a Python object for each field, even for a field of two bytes.
TIMES_INPUT, AT_LEAST = 250, 256 << 10
#: One input in MEASURE_EVERY runs under tracemalloc, which is slow: its time limit is multiplied by SLOWER.
MEASURE_EVERY, SLOWER = 100, 20
#: The process may not grow by more than this (bytes); beyond it, Python raises MemoryError, which is a
#: finding.
GROWTH = 2 << 30
#: The size of inputs that are made to take long: with it, quadratic code exceeds the time limit.
HOSTILE_SIZE = 1 << 13
#: The largest number of dropped regions that are parsed with the schemas, because a record there may claim
#: all bytes after it.
MOST_REGIONS = 16
MOST_FINDS = 20
#: The number of inputs that share one valid journal, because drawing one takes longer than damaging it.
INPUTS_PER_BASE = 50
INPUTS_PER_BODY = 20
#: One valid journal in this many is long, if the format can draw long ones. A long one takes 50 times longer.
#: The number and the number of editions have no common divisor, so that each edition has long journals.
LONG_EVERY = 121
#: A compressed byte may become 1,032 bytes of text (258 for two bits, the limit that zlib documents). Each
#: byte of text may take 4 bytes in memory, temporarily twice. Texts of more than 64 MiB stay compressed.
TIMES_INFLATED = 1032 * 8
#: The smallest share of bodies whose other fields stay the same after a change of one byte.
LEAST_KEPT = 0.9
#: Shares of all inputs, in percent; the rest is damage to valid journals.
LIES, NOISE = 15, 4
#: One input in this many is read as an edition other than the one for which it was made.
WRONG_EDITION = 16

#: One input in TURNS is read in small stretches. Without the schemas, another one gives its byte ranges.
TURNS = 4
#: The numbers of bytes in a small stretch.
SMALL = (64, 100, 173, 300)
#: The small stretches in which NumPy decodes every record. Readers use these names for the least number of
#: records that NumPy decodes.
AS_MANY, LIMITS = (300,), ("MANY", "_MANY")
#: The policies under which recovery keeps only records that reading finds. Others accept damaged records.
NO_MORE = ("strict", "salvage")

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Input:
    """One input: its number, its origin, the edition as which it is read, and the files."""

    number: int
    kind: str
    edition: str
    files: Mapping[str, bytes]


class Source:
    """All inputs of one format and seed, by number."""

    def __init__(self, format_id: str, seed: int) -> None:
        self.format = format_id
        self.editions = tuple(get_format(format_id).editions)
        self.seed = seed
        self._drawing = drawing_of(format_id)
        self._base: tuple[int, DrawnJournal] | None = None

    def __getitem__(self, number: int) -> Input:
        rng = random.Random(_mixed(self.seed, number))  # repeatable, not secret
        share = rng.randrange(100)
        journal = self._base_of(number)
        edition = journal.edition
        if share < NOISE:
            kind, files = "noise", {name: rng.randbytes(rng.randrange(120)) for name in journal.files}
        elif share < NOISE + LIES:
            kind, files = "lies", dict(self._drawing.lies(edition, rng))
        else:
            kind, files = damaged(journal, rng)
        if rng.randrange(WRONG_EDITION) == 0:
            edition = rng.choice(self.editions)
        return Input(number, kind, edition, files)

    def sound(self, group: int) -> DrawnJournal:
        """Return the valid journal from which the inputs of a group are made."""
        return self._base_of(group * INPUTS_PER_BASE)

    def _base_of(self, number: int) -> DrawnJournal:
        group = number // INPUTS_PER_BASE
        if self._base is None or self._base[0] != group:
            rng = random.Random(_mixed(~self.seed, group))  # repeatable, not secret
            edition = self.editions[group % len(self.editions)]
            # Only a format whose reader decodes many records in another way draws long journals.
            long = group % LONG_EVERY == LONG_EVERY - 1 and getattr(self._drawing, "long_base", None)
            self._base = group, (long or self._drawing.base)(edition, rng)
        return self._base[1]


def _mixed(seed: int, number: int) -> int:
    """Return a seed for one input; neighbouring numbers give unrelated seeds."""
    return (seed << 64) ^ ((number + 1) * 0x9E3779B97F4A7C15)


class Bodies:
    """Bodies of a family, by number: captured ones and random ones, changed or unchanged."""

    def __init__(self, format_id: str, family: str, seed: int) -> None:
        self.family, self.seed = families(format_id)[family], seed
        self.real = real_bodies(format_id, family)
        self._base: tuple[int, Body] | None = None

    def __getitem__(self, number: int) -> Input:
        rng, base = random.Random(_mixed(self.seed, number)), self.base(number)  # repeatable, not secret
        data = changed(base.data, rng)
        kind = ("real" if base.real else "drawn") + ("" if data == base.data else ", changed")
        return Input(number, kind, base.version, {base.root: data})

    def base(self, number: int) -> Body:
        """Return the body from which an input is made."""
        group = number // INPUTS_PER_BODY
        if self._base is None or self._base[0] != group:
            rng = random.Random(_mixed(~self.seed, group))  # repeatable, not secret
            real = self.real and group % 2
            self._base = group, rng.choice(self.real) if real else drawn_body(self.family, rng)
        return self._base[1]

    def one_byte(self, count: int) -> Mapping[str, tuple[int, int]]:
        """Change a byte outside lengths in `count` bodies: type -> (bodies otherwise unchanged, all)."""
        read, rng = decoders(self.family.format_id), random.Random(self.seed)
        kept, tried = Counter[str](), Counter[str]()
        while tried.total() < count and self.real:
            body = rng.choice(self.real)
            whole, _ = read[self.family.name, body.root](body.data, body.version)
            sizes = lengths(body)
            places = [at for at in range(len(body.data)) if at not in sizes]
            for at in rng.sample(places, min(len(places), INPUTS_PER_BODY)):
                data = bytearray(body.data)
                data[at] ^= rng.randrange(1, 256)
                found, _ = read[self.family.name, body.root](bytes(data), body.version)
                # The printed forms are compared, because NaN is not equal to itself.
                lost = sum(repr(found.get(name)) != repr(value) for name, value in whole.items())
                kept[body.root] += lost <= 1
                tried[body.root] += 1
        return {root: (kept[root], tried[root]) for root in sorted(tried)}


class BodyReaders:
    """The decoders of a family of bodies."""

    times = TIMES_INFLATED

    def __init__(self, format_id: str, family: str) -> None:
        self._family, self._decoders = family, decoders(format_id)
        self._real = {(each.root, each.data) for each in real_bodies(format_id, family)}

    def run(self, files: Files, edition: str) -> str:
        """Decode a body; raises Unsound if the decoder reports a fault in a body that a product wrote."""
        ((root, data),) = files.items()
        _, wrong = self._decoders[self._family, root](data, edition)
        if wrong and (root, data) in self._real:
            raise Unsound(f"a product wrote it: {wrong}")
        return f"{root}: {'something is wrong' if wrong else 'decoded'}"


class TooLong(BaseException):
    """Raised by the alarm; no reader catches it by accident."""


class Disagreement(Exception):
    """Two readers of one format return different results."""


class Unsound(Exception):
    """An observation that cannot be true of any bytes."""


def small_stretches(format_id: str, size: int) -> list[tuple[object, str, object]]:
    """Return the attributes with which a format's reader reads `size` bytes at a time and stores no items:
    object, name and value.
    """
    found: list[tuple[object, str, object]] = [(storing, "KEEP", 0), (batches, "STRETCH", size)]
    package = f"{batches.__package__}.{format_id}."
    for module in [module for name, module in sys.modules.items() if name.startswith(package)]:
        found += [(module, name, size) for name in vars(module) if name.endswith("STRETCH")]
        for name in [name for name in LIMITS if name in vars(module)]:
            found.append((module, name, 1 if size in AS_MANY else getattr(module, name)))
        owners = [module, *filter(isclass, vars(module).values())]
        for function in filter(isfunction, chain.from_iterable(vars(owner).values() for owner in owners)):
            if "stretch" in (named := function.__kwdefaults__ or {}):
                found.append((function, "__kwdefaults__", {**named, "stretch": size}))
            elif function.__defaults__ and [*signature(function).parameters][-1] == "stretch":
                found.append((function, "__defaults__", (*function.__defaults__[:-1], size)))
    return found


class Readers:
    """All readers of one format, or only the reference."""

    #: The permitted peak memory for an answer, as a multiple of the input.
    times = TIMES_INPUT

    def __init__(self, format_id: str, *, schemas: bool = True) -> None:
        self.reference = load(format_id)
        description = get_format(format_id)
        self.policies = tuple(description.policies)
        self.whole = schemas
        # Composed records are parsed by schemas of whole files, which do not accept damaged journals.
        kinds = () if description.composed or not schemas else KINDS
        self.schemas = {kind: codec(format_id, kind) for kind in kinds}
        self._small = [small_stretches(format_id, size) for size in SMALL]
        self._usual = [(owner, name, getattr(owner, name)) for owner, name, _ in self._small[0]]

    def run(self, files: Files, edition: str) -> str:
        """Run all readers; return the outcome. Raises Disagreement, Unsound, or an exception of a reader."""
        # The turn depends on the bytes, so that an input by itself is read in the same way.
        number = zlib.crc32(b"".join(files.values()))
        self.reference.detect(files)
        if self.whole or number % TURNS == 1:
            for span in self.reference.spans(files, edition=edition):
                if not 0 <= span.off <= span.off + span.length <= len(files[span.file]):
                    raise Unsound(f"{span.path} extends beyond {span.file}")
        recovered: dict[str, Observation] = {}
        for policy in self.policies:
            recovered[policy] = sound(self.reference.recover(files, edition=edition, policy=policy), files)
            # The memory limit is for one answer, so no second answer exists while memory is measured.
            if tracemalloc.is_tracing():
                recovered.clear()
        seen = sound(self.reference.read(files, edition=edition), files)
        for kind in self.schemas:
            self._compare(kind, files, edition, seen)
        if recovered:
            agree(seen, recovered)
        if recovered and number % TURNS == 0:
            self._read_again(files, edition, seen, number // TURNS % len(SMALL))
        return f"{edition}: {seen.verdict}" + (f" {seen.phase}/{seen.code}" if seen.code else "")

    def _read_again(self, files: Files, edition: str, seen: Observation, turn: int) -> None:
        told, backwards = seen.to_json(), dict([*files.items()][::-1])
        try:
            for place in self._small[turn]:
                setattr(*place)
            again = self.reference.read(backwards, edition=edition).to_json()
        finally:
            for place in self._usual:
                setattr(*place)
        if again != told:
            names = sorted(name for name in {*told, *again} if told.get(name) != again.get(name))
            raise Unsound(f"{names}: not the same for {SMALL[turn]} bytes at a time and the files backwards")

    def _compare(self, kind: str, files: Files, edition: str, seen: Observation) -> None:
        """Read the reference's records again with a schema, and apply the schema to the dropped regions."""
        try:
            again = reread(self.reference.format_id, kind, files, edition, seen)
        except SchemaError as error:
            raise Disagreement(f"sound for the reference, {kind} refuses: {error}") from error
        if list(again.records) != list(seen.records) or list(again.files) != list(seen.files):
            raise Disagreement(f"{kind} and the reference read different values from a header or record")
        for region in islice(seen.dropped, MOST_REGIONS):
            # Any content is permitted, if the result is an answer or SchemaError within the time limit.
            with suppress(SchemaError):
                self.schemas[kind].read("record", edition, bytes(files[region.file]), region.off, region.file)


def sound(seen: Observation, files: Files) -> Observation:
    """Return `seen`; raises Unsound if it lists bytes that do not exist, or bytes twice."""
    if seen.verdict not in VERDICTS:
        raise Unsound(f"unknown verdict {seen.verdict!r}")
    places = [(record.at.file, record.at.off, record.at.length) for record in seen.records]
    places += [(region.file, region.off, region.length) for region in seen.dropped]
    reached: dict[str, int] = {}
    for name, off, length in sorted(places):
        if off < reached.get(name, 0) or length < 0 or off + length > len(files[name]):
            raise Unsound(
                f"{name}: {length} bytes at {off} overlap an earlier region or extend beyond the file"
            )
        reached[name] = off + length
    return seen


def agree(seen: Observation, recovered: Mapping[str, Observation]) -> None:
    """Raise Unsound if the answers of reading, and of recovery by policy, do not agree."""
    found = {record_place(record): record for record in chain(seen.unanchored, seen.records)}
    strict = recovered["strict"]
    wanted = CLEAN, strict.state, [*strict.records]
    sure = CLEAN in (strict.verdict, None if seen.unfit else seen.verdict)
    for policy, other in recovered.items():
        # If reading refuses, it lists no records, but salvage may still repair a header.
        for record in other.records if policy in NO_MORE and seen.verdict != REFUSED else ():
            if found.get(record_place(record)) != record:
                raise Unsound(f"{policy} recovery keeps a record at {record.at} that reading does not find")
        if sure and (other.verdict, other.state, [*other.records]) != wanted:
            raise Unsound(f"the journal is clean, but {policy} recovery is not, or has another result")


def judge(readers: Readers | BodyReaders, item: Input, *, measure: bool = False) -> tuple[str, str]:
    """Run the readers on one input. Return two texts: the outcome, and the fault (empty if there is none).

    The outcome is a fault if a reader exceeds the time limit or, with `measure`, the memory limit. The caller
    must have set `raise_too_long` as the handler of SIGPROF.
    """
    # The names of files are part of the size of the input, because thousands of tiny files consist mostly of
    # names.
    size = sum(len(name) + len(data) for name, data in item.files.items())
    if measure:
        tracemalloc.start(1)
    signal.setitimer(signal.ITIMER_PROF, SECONDS * (SLOWER if measure else 1))
    try:
        outcome = readers.run(item.files, item.edition)
        peak = tracemalloc.get_traced_memory()[1] if measure else 0
    except TooLong:
        return "FIND too long", f"no answer within {SECONDS} s\n{traceback.format_exc()}"
    except Exception as error:  # The fuzzer looks for any exception.
        return f"FIND {type(error).__name__}", traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        tracemalloc.stop()
    if peak > readers.times * size + AT_LEAST:
        return "FIND memory", f"{peak} bytes allocated at once for {size} bytes of input"
    return outcome, ""


def raise_too_long(*_: object) -> None:
    """Handle the alarm."""
    raise TooLong


def costly(source: Source) -> Iterator[Input]:
    """Yield the inputs that are made to take long; they have no number."""
    for edition in source.editions:
        for name, files in hostile(source.format, edition, HOSTILE_SIZE).items():
            yield Input(-1, name, edition, files)


def _kept(family: str, found: Mapping[str, tuple[int, int]]) -> int:
    """Print the share of bodies in which a changed byte leaves the other fields the same; return the exit
    status.
    """
    kept, tried = (sum(numbers[at] for numbers in found.values()) for at in (0, 1))
    for root, (some, of) in [*found.items(), (f"{family}, all", (kept, tried))]:
        print(f"{some:>7} of {of:>7} = {some / (of or 1):.1%}  {root}")
    return int(kept < LEAST_KEPT * tried or not tried)


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzer; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--format", required=True, choices=format_ids())
    parser.add_argument("--count", type=int, default=100_000, help="number of inputs (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which million (%(default)s)")
    parser.add_argument("--only", type=int, metavar="N", help="run only this input, and measure its memory")
    parser.add_argument("--family", metavar="NAME", help="bodies of this family of contents")
    parser.add_argument(
        "--one-byte",
        action="store_true",
        help="print the share of bodies whose other fields survive a change of one byte",
    )
    parser.add_argument("--readers", choices=("all", "reference"), default="all", help="which (%(default)s)")
    options = parser.parse_args(arguments)
    if options.family is None and not options.one_byte:
        readers = Readers(options.format, schemas=options.readers == "all")
        return _fuzz(Source(options.format, options.seed), readers, options)
    if options.readers != "all":
        parser.error("--readers: bodies have no schemas")
    if not has_bodies(options.format) or options.family not in families(options.format):
        parser.error(f"--family: one of {', '.join(families(options.format)) or 'none in this format'}")
    inputs = Bodies(options.format, options.family, options.seed)
    if options.one_byte:
        return _kept(options.family, inputs.one_byte(options.count))
    return _fuzz(inputs, BodyReaders(options.format, options.family), options)


def _fuzz(source: Source | Bodies, readers: Readers | BodyReaders, options: argparse.Namespace) -> int:
    """Run the readers on inputs; return the exit status."""
    signal.signal(signal.SIGPROF, raise_too_long)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + GROWTH, taken + GROWTH))
    outcomes: Counter[str] = Counter()
    finds = 0
    start = watched = time.monotonic()
    faulthandler.dump_traceback_later(STUCK_AFTER, exit=True)

    def look_at(item: Input, *, measure: bool) -> None:
        nonlocal finds, watched
        # The timer is restarted rarely, because a restart takes longer than decoding a body.
        if time.monotonic() > watched + STUCK_AFTER / 10:
            watched = time.monotonic()
            faulthandler.dump_traceback_later(STUCK_AFTER, exit=True)
        outcome, problem = judge(readers, item)
        if measure and not problem:
            # The second run is measured, because the first run fills caches for all later inputs.
            outcome, problem = judge(readers, item, measure=True)
        outcomes[outcome] += 1
        if problem:
            finds += 1
            print(f"FIND input {item.number} ({item.kind}), edition {item.edition}: {problem}", flush=True)

    if options.only is not None:
        look_at(source[options.only], measure=True)
    else:
        for number in range(options.count):
            look_at(source[number], measure=number % MEASURE_EVERY == 0)
            if finds >= MOST_FINDS:
                break
        for item in costly(source) if isinstance(source, Source) else ():
            look_at(item, measure=True)
    faulthandler.cancel_dump_traceback_later()
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:>9}  {outcome}")
    seconds = time.monotonic() - start
    print(f"{options.format} seed {options.seed}: {outcomes.total()} inputs, {seconds:.0f} s, {finds} finds")
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())
