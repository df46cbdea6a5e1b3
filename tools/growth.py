"""Measures how time grows with every structure that a journal can repeat.

    python tools/growth.py [--format FORMAT] [--shape TEXT] [--command COMMAND]

The shapes of ``growth.toml`` are journals that repeat one structure, sound or damaged in many places. Each
shape is made in three sizes: n, about 3n and 8n elements, where n depends on the time that a command takes.
Each command is run on each size as a user would type it. All runs share one process, whose caches are emptied
between runs. A row lists the processor time for the large size and the exponent of growth (1.0: linear, 2.0:
quadratic). That is the exponent from the small to the large size, or the larger exponent of one of its halves
if the times there are long enough to be compared. A list in the field tables without a shape is reported.
(For memory, see memory.py.) Exit status: 0 every exponent is below 1.15; 1 an exponent is not, or a list has
no shape; 2 usage.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import math
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from templates import Names, fill

from journalspec import reread
from journalspec.derby_log.operations import body
from journalspec.formats import format_ids, format_module, get_format
from journalspec.layout import joined
from journalspec.vocabulary import Field
from journalspec_conformance.cli import main as journalspec
from journalspec_reference import batches

TABLE = Path(__file__).with_suffix(".toml")
LIMIT = 1.15
#: Placeholders for a path that does not exist yet, and for the journal. A command without the second
#: placeholder receives the journal as its last argument.
NEW, PATH = "{new}", "{path}"
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "recover": ("recover", "--all"),
    "salvage": ("recover", "--policy", "salvage"),
    "recover-json": ("recover", "--json"),
    "inspect": ("inspect", "--all"),
    "inspect-json": ("inspect", "--json"),
    "ndjson": ("inspect", "--ndjson"),
    "contents": ("inspect", "--json", "--level", "contents"),
    "hex": ("inspect", "--hex"),
    "why": ("why", "--all"),
    "new-store": ("recover", "--to", NEW),
}
#: Commands that are run only on shapes that list them in `questions`.
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "summary": ("inspect",),
    "check": ("check",),
    "subscriptions": ("inspect", "--contents", "subscriptions", "--csv"),
    "query": ("query", PATH, "select type, count(distinct off) from records group by type order by 1"),
    "query-each": ("query", PATH, "select * from records order by off desc"),
    "where": ("inspect", "--where", "off >= 0"),
    "count-by": ("inspect", "--count-by", "off"),
    "csv": ("inspect", "--csv"),
    "messages": ("inspect", "--contents", "messages", "--csv"),
    "export-csv": ("export", "--as", "csv", "--to", NEW),
    "export-jsonl": ("export", "--as", "jsonl", "--to", NEW),
    "export-parquet": ("export", "--as", "parquet", "--to", NEW),
    "export-sql": ("export", "--as", "sql", "--to", NEW),
    "export-xml": ("export", "--as", "artemis-xml", "--to", NEW),
}
#: LEAST: the least seconds that the small size takes beyond the time for an empty journal. TIMES_AS_MANY: the
#: ratio of the large size to the small size. LONG: if the large size takes more seconds than this, no larger
#: size is tried.
LEAST, TIMES_AS_MANY, LONG = 0.01, 8, 1.0
#: RUNS: the number of runs of the small size. The quickest run is used, because a disturbed run is slower,
#: and a slow small size hides growth. ROUNDS: the number of runs of the other sizes in each round. A
#: disturbed run seems to grow, so a command that grows too much is measured in another round.
RUNS, ROUNDS = 3, (1, 2, 3, 3)
#: The number of elements of a nearly empty journal. Its time is the time of the command itself, and its bytes
#: are the fixed part.
NO_MORE = 2
#: The first number of elements that is tried, and the first bound of the large size, because building a
#: journal takes longer than reading it. If a command takes less than LEAST for that many, its time does not
#: grow.
FIRST, ENOUGH = 64, 1 << 13
#: Lists are kept in memory up to reread.KEEP bytes, and longer lists are read again each time. The difference
#: is a step, not growth.
ALL_KEPT, NONE_KEPT = 1 << 40, 0


@dataclass(frozen=True)
class Shape:
    """A journal of n elements; `base`, which has names in braces, describes it for the format's author
    module.

    The names are `n`, `bytes` (more bytes than n records take), and those of MADE. `lists` are the lists of
    the field tables that the journal repeats, such as ``fields.pairs`` or ``state.live``; `questions` are
    keys of QUESTIONS; `most` is the largest n. `only` are the keys of COMMANDS that are run, if not all: the
    output of the others is the product of two structures.
    """

    name: str
    edition: str
    base: Mapping[str, Any]
    lists: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    only: tuple[str, ...] = tuple(COMMANDS)
    most: int = 1 << 16

    def described(self, n: int) -> Any:
        """Return the base with its names filled in."""
        text = str(self.base)
        made = {name: make(n) for name, make in MADE.items() if name in text}
        return fill(self.base, Names({"n": n, "bytes": 320 * (n + 8), **made}))


def shapes() -> dict[str, list[Shape]]:
    """Return the shapes of each format."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {format_id: [Shape(**entry) for entry in entries] for format_id, entries in table.items()}


def derby_table(n: int) -> str:
    """Return the body of a checkpoint with a table of n transactions, in hex."""
    first, place = {"file": 1, "position": 24}, 1 << 32 | 24
    entries = [{"entry": {"transaction": {"number": at}, "first": first}} for at in range(20, 20 + n)]
    head = {"group": 0x100, "redo_from": place, "undo_from": place, "has_table": 1}
    return derby_body("CHECKPOINT", **head, table={"entries": entries})


def derby_rows(operation: str, n: int) -> str:
    """Return the body of an operation on n rows of a page, in hex."""
    page = {"segment": 0, "container": 1168, "page": 1, "page_version": 5, "record_id": 7, "slot": 1}
    rows = [{"record_id": at, "reserved": 0} for at in range(7, 7 + n)]
    return derby_body(operation, group=0x180, **page, rows=rows, count=n, data=b"", deleted=1)


def derby_body(operation: str, **values: Any) -> str:
    return joined(body({"operation": operation, "transaction": 9, **values})).hex()


#: The number of entries of an index page of a SwiftMQ store; more entries would fit.
A_PAGE = 60


def index_pages(n: int, first: int, kind: str, entry: Callable[[int], str]) -> list[str]:
    """Return chained index pages with n entries; the first of these pages is page `first`."""
    count = -(-n // A_PAGE)
    out = []
    for at in range(count):
        entries = map(entry, range(at * A_PAGE, min(n, (at + 1) * A_PAGE)))
        links = (f" next={first + at + 1}" if at + 1 < count else "") + (
            f" prev={first + at - 1}" if at else ""
        )
        out.append(f"p{first + at} {kind} {' '.join(entries)}{links}")
    return out


def behind_queue(n: int) -> int:
    """Return the number of the first page after a queue of n entries."""
    return 1 + -(-n // A_PAGE)


def held_queues(n: int) -> list[str]:
    """Return the pages of n queues whose only messages are in a prepared branch each."""
    queues = behind_queue(n + 1) - 1
    messages, prepared = queues + n, queues + 2 * n
    branches = prepared + behind_queue(n) - 1
    names = [*(f"q{key}:{queues + key}" for key in range(n)), f"sys$prepared:{prepared}"]
    return [
        *index_pages(n + 1, 0, "ROOT", names.__getitem__),
        *(f"p{queues + key} QUEUE 5:{messages + key}" for key in range(n)),
        *(f"p{messages + key} MESSAGE hi" for key in range(n)),
        *index_pages(n, prepared, "QUEUE", lambda key: f"{key}:{branches + key}"),
        *(f"p{branches + key} BRANCH q{key} 5:{messages + key} kind=0" for key in range(n)),
    ]


#: The address "orders", in the form of a message of Artemis, in hex.
ORDERS = "010000000c" + "orders".encode("utf-16-le").hex()
#: Values that a template cannot express: name -> function of n that makes the value.
MADE: Mapping[str, Callable[[int], object]] = {
    # Several values in one word or line.
    "names": lambda n: ",".join(f"x{at}" for at in range(1, n + 1)),
    "pairs": lambda n: ",".join(f"{at}:0" for at in range(2, n)),
    "portions": lambda n: " ".join(["portion:1:13:00000000:00000001"] * n),
    "messages": lambda n: " ".join(["hi"] * n),
    "ones": lambda n: ",".join(["1"] * n),
    # JBoss: lengths of about half of the bytes of n pairs of records. For every n, the second one exceeds the
    # bytes that are read at a time, because a claim that ends within these bytes takes less time.
    "half": lambda n: 40 * n,
    "claimed": lambda n: batches.STRETCH + 40 * n,
    # JBoss: the parts of a text message of Artemis between and after the two places of its id.
    "between_ids": lambda n: f"{ORDERS}0000003f0000001a01000000087400650078007400",
    "behind_ids": lambda n: f"{ORDERS}000301{0:016x}{1000:016x}0400",
    # SwiftMQ: roots of n queues with a page each.
    "root_pages": lambda n: behind_queue(n) - 1,
    "filled_roots": lambda n: index_pages(n, 0, "ROOT", lambda key: f"q{key}:{behind_queue(n) - 1 + key}"),
    "held": held_queues,
    # Derby: the groups that a log begins with, and bodies.
    "begun": lambda n: [["b1 BEGIN status=16", "k1 CHECKPOINT redo=g1 undo=g1"], ["c1 COMMIT"]],
    "table": derby_table,
    "purge": lambda n: derby_rows("PURGE", n),
    "copy_rows": lambda n: derby_rows("COPY_ROWS", n),
    # SwiftMQ: a root of one queue whose entries refer to one page each, or all to the same page; a root of n
    # queues.
    "behind_queue": behind_queue,
    "queue": lambda n: [
        "p0 ROOT orders:1",
        *index_pages(n, 1, "QUEUE", lambda key: f"{key}:{behind_queue(n) + key}"),
    ],
    "shared_queue": lambda n: [
        "p0 ROOT orders:1",
        *index_pages(n, 1, "QUEUE", lambda key: f"{key}:{behind_queue(n)}"),
    ],
    "roots": lambda n: index_pages(n, 0, "ROOT", lambda key: f"q{key}:{n + 5}"),
}


def damaged(content: bytes) -> bytes:
    """Return `content` with 16 zeroed bytes in every 512, so that the repeated structure is often damaged."""
    data = bytearray(content)
    for at in range(300, len(data) - 16, 512):
        data[at : at + 16] = bytes(16)
    return bytes(data)


class Journals:
    """The journals of one shape on disk, by number of elements.

    Each journal is made once, undamaged and damaged.
    """

    def __init__(self, format_id: str, shape: Shape, root: Path) -> None:
        self.format_id, self.shape = format_id, shape
        self._root = root
        self._sizes: dict[int, int] = {}

    def place(self, n: int, *, broken: bool) -> tuple[Path, int]:
        """Return two values: the directory of the journal with n elements, and the number of bytes in this
        directory.
        """
        if n not in self._sizes:
            author = format_module("journalspec_corpus", self.format_id, "author")
            files = author.build(self.shape.described(n), self.shape.edition).files
            for name, data in files.items():
                for state, content in (("sound", bytes(data)), ("damaged", damaged(data))):
                    place = self._root / f"{n}-{state}" / name
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(content)
            self._sizes[n] = sum(map(len, files.values()))
            del files
            # Objects that exist already are excluded from garbage collection, which would slow down the
            # measured runs.
            gc.collect()
            gc.freeze()
        return self._root / f"{n}-{'damaged' if broken else 'sound'}", self._sizes[n]


class Measuring:
    """The processor time of commands on the journals of one shape, undamaged or `broken`."""

    def __init__(self, journals: Journals, *, broken: bool) -> None:
        self.format_id, self.shape = journals.format_id, journals.shape
        self.name = self.shape.name + ("-damaged" if broken else "")
        self._journals, self._broken = journals, broken

    def place(self, n: int) -> tuple[Path, int]:
        """Return two values: the directory of the journal with n elements, and the number of bytes in this
        directory.
        """
        return self._journals.place(n, broken=self._broken)

    def seconds(self, command: str, n: int, times: int = 1) -> float:
        """Return the least processor time of `times` runs of a command on n elements."""
        return min(self._run(command, n) for _ in range(times))

    def _run(self, command: str, n: int) -> float:
        place, _ = self.place(n)
        asked = {**COMMANDS, **QUESTIONS}[command]
        if command == "salvage" and command not in get_format(self.format_id).policies:
            asked = (*asked[:-1], "default")  # The policy with which recovery continues after damage.
        with tempfile.TemporaryDirectory() as scratch:
            stands_for = {NEW: f"{scratch}/new", PATH: str(place)}
            words = [stands_for.get(word, word) for word in (*asked, *(() if PATH in asked else (PATH,)))]
            words += ["--format", self.format_id, "--edition", self.shape.edition]
            forget()
            began = time.process_time()
            with contextlib.redirect_stdout(_Nothing()), contextlib.redirect_stderr(_Nothing()):
                try:
                    journalspec(words)
                except SystemExit as end:
                    if end.code not in (0, 1, 3):
                        raise RuntimeError(f"{' '.join(words)} ended with {end.code}") from None
            return time.process_time() - began

    def grown(self, command: str) -> tuple[int, float, float]:
        """Return three values: the number of elements, the seconds, and the exponent of growth.

        A command that grows too much is also measured at larger sizes, as far as permitted, because a step
        between two sizes is not growth. It is also measured on each side of the step between lists kept in
        memory and longer lists.
        """
        small = self._measurable(command)
        large = TIMES_AS_MANY * small
        seconds, exponent = self._exponent(command, small, large)
        further = True
        while exponent >= LIMIT and further:
            further = 2 * large <= self.shape.most and seconds < LONG
            if further:
                small, large = large // 2, 2 * large
            kept, exponents = reread.KEEP, list[float]()
            try:
                for reread.KEEP in (ALL_KEPT, NONE_KEPT):
                    seconds, exponent = self._exponent(command, small, large)
                    exponents.append(exponent)
            finally:
                reread.KEEP = kept
            exponent = max(exponents)
        return large, seconds, exponent

    def _exponent(self, command: str, n: int, many: int) -> tuple[float, float]:
        """Return two values: the seconds for `many` elements, and the exponent of growth from n to `many`
        elements.

        A command that grows too much is measured again. For every size, the quickest run of all rounds is
        used.
        """
        sizes, once = (n, math.isqrt(n * many), many), self.place(NO_MORE)[1]
        least = dict.fromkeys((NO_MORE, *sizes), math.inf)
        for times in ROUNDS:
            for each in least:
                runs = times if each > n else RUNS
                least[each] = min(least[each], self.seconds(command, each, runs))
            small, middle, large = (
                (self.place(each)[1] - once, max(least[each] - least[NO_MORE], 1e-4)) for each in sizes
            )
            if large[1] <= LEAST:
                return large[1], 0.0
            halves = [pair for pair in ((small, middle), (middle, large)) if pair[0][1] > LEAST / 2]
            exponent = max(exponent_of(*pair) for pair in ((small, large), *halves))
            if exponent < LIMIT:
                break
        return large[1], exponent

    def _measurable(self, command: str) -> int:
        """Return the number of elements that takes LEAST seconds, as a power of 2."""
        fixed = self.seconds(command, NO_MORE, 2)
        n, enough = FIRST, min(self.shape.most, ENOUGH) // TIMES_AS_MANY
        while n < enough:
            taken = self.seconds(command, n) - fixed
            if taken >= LEAST:
                taken = self.seconds(command, n, 2) - fixed  # The first run may have been disturbed.
            if taken >= LEAST:
                break
            # The number n is increased slowly, because a command that grows faster than expected would take
            # minutes.
            n *= min(TIMES_AS_MANY, 1 << math.ceil(math.log2(LEAST / max(taken, LEAST / TIMES_AS_MANY))))
        return min(n, enough)


def forget() -> None:
    """Empty the caches that implementations keep until the process ends.

    A typed command starts with empty caches. Here the previous run has read the same journal. The caches
    could contain a small journal completely, so that it would seem quicker, but only a part of a large
    journal.
    """
    for name, module in [*sys.modules.items()]:
        if name.startswith("journalspec_reference."):
            for called, value in vars(module).items():
                if isinstance(value, type(cache(print))) and value.__module__ == name:
                    value.cache_clear()
                elif isinstance(value, dict) and called.islower() and not called.startswith("__"):
                    value.clear()  # The names of constants are in capitals; this one is not.


def exponent_of(less: tuple[int, float], more: tuple[int, float]) -> float:
    """Return the exponent of growth between two points, each given as bytes and seconds."""
    return math.log(more[1] / less[1]) / math.log(more[0] / less[0])


class _Nothing(io.TextIOBase):
    """A text stream that accepts everything and stores nothing."""

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        return len(text)


def lists_of(format_id: str) -> Iterator[str]:
    """Yield the path of every list in a format's field tables, as used in shapes."""

    def inner(fields: Iterable[Field], before: str) -> Iterator[str]:
        for field in fields:
            if field.kind == "list":
                yield f"{before}.{field.name}"
            # A list within an object or list, such as the records of a prepared transaction, has its own
            # path.
            yield from inner(field.of, f"{before}.{field.name}")

    words = get_format(format_id).vocabulary
    yield from inner(words.fields, "fields")
    yield from inner(words.header, "header")
    yield from inner(words.state, "state")


def without_shape(format_id: str) -> list[str]:
    """Return the lists of a format's tables that no shape repeats."""
    covered = {name for shape in shapes().get(format_id, ()) for name in shape.lists}
    return sorted({*lists_of(format_id)} - covered)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--format", action="append", choices=format_ids())
    parser.add_argument("--shape", default="", metavar="TEXT", help="only shapes whose names contain this")
    parser.add_argument("--command", action="append", choices=[*COMMANDS, *QUESTIONS])
    chosen = parser.parse_args(arguments)
    wanted = chosen.command or [*COMMANDS, *QUESTIONS]
    failed = False
    print(f"{'format':14} {'shape':28} {'command':13} elements     bytes  seconds  exponent")
    for format_id in chosen.format or format_ids():
        for name in without_shape(format_id):
            print(f"{format_id}: no shape repeats {name}", file=sys.stderr)
            failed = True
        for shape in shapes().get(format_id, ()):
            with tempfile.TemporaryDirectory() as root:
                journals = Journals(format_id, shape, Path(root))
                for measuring in (Measuring(journals, broken=broken) for broken in (False, True)):
                    if chosen.shape in measuring.name:
                        asked = [each for each in (*shape.only, *shape.questions) if each in wanted]
                        failed |= not all_linear(measuring, asked)
    return 1 if failed else 0


def all_linear(measuring: Measuring, commands: Iterable[str]) -> bool:
    """Measure a shape, print its rows, and return whether all are linear."""
    good = True
    for command in commands:
        elements, seconds, exponent = measuring.grown(command)
        head = f"{measuring.format_id:14} {measuring.name:28} {command:13} {elements:8}"
        tail = f"{measuring.place(elements)[1]:9} {seconds:8.2f} {exponent:9.2f}"
        print(f"{head} {tail}{'' if exponent < LIMIT else '   NOT LINEAR'}", flush=True)
        good &= exponent < LIMIT
    return good


if __name__ == "__main__":
    raise SystemExit(main())
