"""Measure how time and memory grow with every structure that a journal can repeat.

    python tools/growth.py [--format FORMAT] [--shape TEXT] [--command TEXT] [--json]

Each shape is a journal that repeats one structure, sound or damaged in many places. It is made in three sizes
(n, 2n and 4n elements), and each command is asked about each of them, as a user would type it. A row has the
processor time for the largest, the exponent of growth (1.0: linear, 2.0: quadratic), and how much memory
Python allocated at most for each byte of input. Every list in the field tables has a shape, or is named.
Exit status: 0 every exponent of time is below 1.15; 1 one is not, or a list has no shape; 2 usage.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from journalspec.derby_log.operations import body
from journalspec.formats import format_ids, format_module, get_format
from journalspec.layout import joined
from journalspec.vocabulary import Field
from journalspec_conformance.cli import main as journalspec

LIMIT = 1.15
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "recover": ("recover",),
    "salvage": ("recover", "--policy", "salvage"),
    "recover-json": ("recover", "--json"),
    "inspect": ("inspect",),
    "inspect-json": ("inspect", "--json"),
    "hex": ("inspect", "--hex"),
}
#: The least seconds that the smallest size has to take, beyond what an empty journal takes.
LEAST = 0.1
#: The most elements of the smallest size.
MOST = 1 << 16
#: How often a growth that is too large is measured again, each time at twice the size: noise does not repeat.
AGAIN = 3
FIRST = 256

Base = Mapping[str, Any]


@dataclass(frozen=True)
class Shape:
    """A journal of n elements: `base` gives what the format's author module builds it from.

    `lists` are the lists of the field tables that it repeats, as ``fields.pairs`` or ``state.live``.
    """

    name: str
    base: Callable[[int], Base]
    edition: str = ""
    lists: tuple[str, ...] = ()
    most: int = MOST


def lines(*texts: str, first: int = 1) -> Callable[[int], list[str]]:
    """Return what gives the lines of n elements.

    A text that begins with * is repeated n times, # in it being the number of the element and % eight hex
    digits of it; one that contains | gives several lines for each.
    """

    def repeated(n: int) -> list[str]:
        out: list[str] = []
        for text in texts:
            for number in range(first, first + n) if text[0] == "*" else (first,):
                filled = text.lstrip("*").replace("#", str(number)).replace("%", f"{number:08x}")
                out += filled.split("|")
        return out

    return repeated


def bitronix(*texts: str, key: str = "records") -> Callable[[int], Base]:
    def base(n: int) -> Base:
        listed = lines(*texts)(n)
        return {"records": [], "size": 64 + sum(240 + 40 * len(text) for text in listed), key: listed}

    return base


def names(n: int) -> list[str]:
    return [f"r1 names={','.join(f'x{number}' for number in range(1, n + 1))}"]


def bitronix_names(*, ended: bool) -> Callable[[int], Base]:
    def base(n: int) -> Base:
        after = lines("*r# COMMITTED gtrid=g1 names=x#")(n) if ended else []
        return {"size": 999 + 400 * n, "records": names(n) + after}

    return base


def jboss(*texts: str, key: str = "records") -> Callable[[int], Base]:
    def base(n: int) -> Base:
        listed = lines(*texts)(n)
        size = 64 + sum(80 + len(text) for text in listed)
        return {"files": [{"id": 9, "size": size, "records": ["z ADD id=999999"], key: listed}]}

    return base


def jboss_files(file: Callable[[int], Base]) -> Callable[[int], Base]:
    return lambda n: {
        "files": [{"size": 128, "records": [f"a{at} ADD id={at}"], **file(at)} for at in range(1, n + 1)]
    }


def jboss_pairs(n: int) -> Base:
    listed = ",".join(f"{at}:0" for at in range(2, n))
    records = ["a ADD_TX tx=5 id=1", f"c COMMIT tx=5 pairs={listed}"]
    return {"files": [{"id": 1, "size": 256 + 8 * n, "records": records}]}


def jboss_control(n: int) -> Base:
    control = {"control": True, "size": 99 + 99 * n, "old": lines("*activemq-data-#.amq")(n)}
    control |= {"new": lines("*activemq-data-#.amq.cmp")(n)}
    control |= {"renames": [(f"a-{at}.amq", f"b-{at}.amq") for at in range(n)]}
    return {"files": [control, {"id": 1, "records": ["a ADD id=1"]}]}


def kaha(*texts: str, together: bool = False, **control: int) -> Callable[[int], Base]:
    def base(n: int) -> Base:
        listed = lines(*texts)(n)
        if together:
            return {"batches": [["r0"], {"records": listed, **control}]}
        return {"batches": [[record] for record in listed]}

    return base


BEGUN = [["b1 BEGIN status=16", "k1 CHECKPOINT redo=g1 undo=g1"], ["c1 COMMIT"]]


def derby(*texts: str, together: bool = False) -> Callable[[int], Base]:
    def base(n: int) -> Base:
        listed = lines(*texts, first=2)(n)
        groups = [listed] if together else [[text] for text in listed]
        return {"checkpoint": "k1", "files": [{"groups": [*BEGUN, *groups]}]}

    return base


def derby_body(values: Callable[[int], Mapping[str, Any]]) -> Callable[[int], Base]:
    """Return what gives a log with one record whose body has a list of n elements."""

    def base(n: int) -> Base:
        stored = joined(body({"group": 0x180, "transaction": 9, **values(n)})).hex()
        groups = [["b9 BEGIN", f"x9 OTHER body={stored}", "c9 COMMIT"]]
        return {"checkpoint": "k1", "files": [{"groups": [*BEGUN, *groups]}]}

    return base


def table(n: int) -> Mapping[str, Any]:
    first = {"file": 1, "position": 24}
    entries = [{"entry": {"transaction": {"number": at}, "first": first}} for at in range(20, 20 + n)]
    at = 1 << 32 | 24
    head = {"operation": "CHECKPOINT", "group": 0x100, "redo_from": at, "undo_from": at, "has_table": 1}
    return {**head, "table": {"entries": entries}}


def rows(kind: str) -> Callable[[int], Mapping[str, Any]]:
    page = {"segment": 0, "container": 1168, "page": 1, "page_version": 5, "record_id": 7, "slot": 1}

    def values(n: int) -> Mapping[str, Any]:
        listed = [{"record_id": at, "reserved": 0} for at in range(7, 7 + n)]
        return {"operation": kind, **page, "rows": listed, "count": n, "data": b"", "deleted": 1}

    return values


def derby_files(n: int) -> Base:
    more = [{"groups": [[f"b{at} BEGIN", f"c{at} COMMIT"]]} for at in range(2, n + 1)]
    return {"checkpoint": "k1", "files": [{"groups": BEGUN}, *more]}


def swiftmq(pages: Callable[[int], list[str]], log: Callable[[int], list[str]] | None = None) -> Any:
    return lambda n: {"pages": pages(n), "log": ["s START generation=7", *(log(n) if log else ())]}


#: Entries of an index page, fewer than fit.
A_PAGE = 60


def queue(page: Callable[[int, int], int], after: str) -> Callable[[int], list[str]]:
    """Return what gives a queue with n entries and, after its index, the page `after` for each.

    `page` gives the page that an entry names, of its key and of the first page after the index.
    """

    def pages(n: int) -> list[str]:
        count = -(-n // A_PAGE)
        out = ["p0 ROOT orders:1"]
        for at in range(count):
            keys = range(at * A_PAGE, min(n, (at + 1) * A_PAGE))
            links = (f" next={at + 2}" if at + 1 < count else "") + (f" prev={at}" if at else "")
            out.append(f"p{at + 1} QUEUE {' '.join(f'{key}:{page(key, count + 1)}' for key in keys)}{links}")
        return out + lines(f"*p# {after}", first=count + 1)(n)

    return pages


def roots(n: int) -> list[str]:
    count = -(-n // A_PAGE)
    out = []
    for at in range(count):
        keys = range(at * A_PAGE, min(n, (at + 1) * A_PAGE))
        links = (f" next={at + 1}" if at + 1 < count else "") + (f" prev={at - 1}" if at else "")
        out.append(f"p{at} ROOT {' '.join(f'q{key}:{n + 5}' for key in keys)}{links}")
    return out


def chain(n: int) -> list[str]:
    links = [f"p{at} MESSAGE a*3000 next={at + 1} prev={at - 1}" for at in range(2, n + 2)]
    return ["p0 ROOT orders:1", "p1 QUEUE 0:2", *links]


def nothing(n: int) -> list[str]:
    return ["p0 ROOT orders:1", "p1 QUEUE", "p2 MESSAGE hi"]


PORTION = "portion:1:13:00000000:00000001"
SUBSCRIBED = "s0 SUBSCRIPTION t=T sub=k info=01"

SHAPES: Mapping[str, tuple[Shape, ...]] = {
    "bitronix_tlog": (
        Shape("decided", bitronix("*r#"), "2.1", ("state.unfinished", "state.in_doubt")),
        Shape("ended", bitronix("*r#|r# COMMITTED"), "2.1"),
        Shape("same-id", bitronix("*r# gtrid=g1"), "2.1"),
        Shape(
            "names",
            bitronix_names(ended=False),
            "2.1",
            ("fields.names", "fields.names_raw", "state.unfinished.names", "state.in_doubt.names"),
            4096,
        ),
        Shape("ended-by-name", bitronix_names(ended=True), "2.1", (), 2048),
        Shape("seed", bitronix("*r#"), "seed"),
        Shape("nio", bitronix("*r#"), "nio"),
        Shape("earlier", bitronix("*r#", key="before"), "2.1"),
    ),
    "jboss_journal": (
        Shape("adds", jboss("*a# ADD id=#"), "v2e", ("state.live",)),
        Shape("updates", jboss("a ADD id=1", "*u# UPDATE id=1"), "v2e"),
        Shape("updates-of-none", jboss("*u# UPDATE id=#"), "v2e"),
        Shape("deletes-of-none", jboss("*d# DELETE id=#"), "v2e"),
        Shape("deleted", jboss("*a# ADD id=#", "*d# DELETE id=#"), "v2e"),
        Shape("committed", jboss("*a# ADD_TX tx=# id=#|c# COMMIT tx=#"), "v2e"),
        Shape("one-transaction", jboss("*a# ADD_TX id=#", "*d# DELETE_TX id=#", "c COMMIT"), "v2e"),
        Shape(
            "prepared",
            jboss("*a# ADD_TX id=#", "*d# DELETE_TX id=#", "p PREPARE"),
            "v2e",
            ("state.prepared.records", "state.prepared.deletes"),
        ),
        Shape("prepares", jboss("*a# ADD_TX tx=# id=#|p# PREPARE tx=#"), "v2e", ("state.prepared",)),
        Shape("prepared-again", jboss("a ADD_TX id=1", "*p# PREPARE"), "v2e"),
        Shape("unended", jboss("*a# ADD_TX tx=# id=#"), "v2e", ("state.discarded",)),
        Shape("miscounted", jboss("*a# ADD_TX tx=# id=#|c# COMMIT tx=# count=9"), "v2e"),
        Shape("rolled-back", jboss("*a# ADD_TX tx=# id=#|r# ROLLBACK tx=#"), "v2e"),
        Shape("pairs", jboss_pairs, "s1", ("fields.pairs",)),
        Shape("files", jboss_files(lambda at: {"id": at}), "v2e", (), 4096),
        Shape(
            "same-file-id",
            jboss_files(lambda at: {"id": 1, "name": f"activemq-data-{at}.amq"}),
            "v2e",
            (),
            4096,
        ),
        Shape("control", jboss_control, "v2e"),
        Shape("earlier", jboss("*o# ADD id=# stamp=3", key="before"), "v2e"),
        Shape("zeros-in-bodies", jboss(f"*a# ADD id=# body={'00' * 64}|u# UPDATE id=#"), "v2"),
    ),
    "kahadb_journal": (
        Shape("batches", kaha("*r#"), "5.16", ("state.destinations.messages",)),
        Shape("records", kaha("*r#", together=True), "5.16"),
        Shape("payloads", kaha("*r#"), "seed", ("state.payloads",)),
        Shape("removed", kaha("*r#", "*d# REMOVE_MESSAGE"), "5.16"),
        Shape("removed-of-none", kaha("*d# REMOVE_MESSAGE"), "5.16"),
        Shape("same-id", kaha("*r# id=m1"), "5.16"),
        Shape("updates", kaha("r1", "*u# UPDATE_MESSAGE id=m1"), "5.16"),
        Shape("priorities", kaha("*r# prio=1|p# prio=9"), "5.16"),
        Shape("destinations", kaha("*r# q=Q#"), "5.16", ("state.destinations",)),
        Shape("destinations-removed", kaha("*r# q=Q#|x# REMOVE_DESTINATION q=Q#"), "5.16"),
        Shape("committed", kaha("*r# tx=c:#|c# COMMIT tx=c:#"), "5.16"),
        Shape("one-transaction", kaha("*r# tx=c:1", "c1 COMMIT tx=c:1"), "5.16"),
        Shape("unended", kaha("*r# tx=c:#"), "5.16"),
        Shape("prepares", kaha("*r# xa=1:%:0b|p# PREPARE xa=1:%:0b"), "5.16", ("state.in_doubt",)),
        Shape(
            "prepared", kaha("*r# xa=1:0a:0b", "p1 PREPARE xa=1:0a:0b"), "5.16", ("state.in_doubt.commands",)
        ),
        Shape("rolled-back", kaha("*r# tx=c:#|c# ROLLBACK tx=c:#"), "5.16"),
        Shape(
            "subscriptions",
            # Each is sent each message: what recovery reports is their product, so there are few of them.
            kaha(*[f"s{at} SUBSCRIPTION t=T sub=k{at} info=01" for at in range(4)], "*r# t=T"),
            "5.16",
            ("state.destinations.subscriptions", "state.destinations.subscriptions.pending"),
        ),
        Shape("subscribed-late", kaha(SUBSCRIBED, "*r# t=T", "*s# SUBSCRIPTION t=T sub=k# info=01"), "5.16"),
        Shape(
            "come-and-go",
            kaha(SUBSCRIBED, "*s# SUBSCRIPTION t=T sub=k# info=01|r# t=T|e# SUBSCRIPTION t=T sub=k#"),
            "5.16",
        ),
        Shape(
            "acknowledged",
            kaha(
                SUBSCRIBED,
                "s1 SUBSCRIPTION t=T sub=l info=01",
                "*r# t=T",
                "*a# REMOVE_MESSAGE t=T id=m# sub=k",
            ),
            "5.16",
        ),
        Shape(
            "subscribed-again", kaha(SUBSCRIBED, "*r# t=T|s# SUBSCRIPTION t=T sub=k info=01 retro=1"), "5.16"
        ),
        Shape("topics", kaha("*s# SUBSCRIPTION t=T# sub=k info=01"), "5.16"),
        Shape("unknown", kaha("*r# payload=6300"), "5.16"),
        Shape(
            "files",
            lambda n: {"files": [{"batches": [[f"r{at}"]]} for at in range(1, n + 1)]},
            "5.16",
            (),
            4096,
        ),
        Shape("wrong-checksum", kaha("*r#", together=True, checksum=5), "5.16"),
    ),
    "derby_log": (
        Shape("groups", derby("*b# BEGIN|i# INSERT key=# value=one|c# COMMIT"), "10.16", ("state.rows",)),
        Shape("one-group", derby("*b# BEGIN|i# INSERT key=# value=one|c# COMMIT", together=True), "10.16"),
        Shape("one-transaction", derby("b2 BEGIN", "*i# INSERT tx=2 key=# value=one", "c2 COMMIT"), "10.16"),
        Shape(
            "updates",
            derby(
                "b2 BEGIN", "i2 INSERT tx=2 key=1 value=one", "*u# UPDATE tx=2 key=1 value=v#", "c2 COMMIT"
            ),
            "10.16",
        ),
        Shape("losers", derby("*b# BEGIN|i# INSERT key=# value=one"), "10.16"),
        Shape("loser", derby("b2 BEGIN", "*i# INSERT tx=2 key=# value=one"), "10.16"),
        Shape(
            "undone",
            derby("b2 BEGIN", "*i# INSERT tx=2 key=# value=one|z# UNDO tx=2 of=i#", "a2 ABORT"),
            "10.16",
        ),
        Shape(
            "branches",
            derby("*b# BEGIN xa=1:%:0b|i# INSERT key=# value=one|p# PREPARE xa=1:%:0b"),
            "10.16",
            ("state.in_doubt",),
        ),
        Shape(
            "branch",
            derby(
                "b2 BEGIN xa=1:0a:0b",
                "*i# INSERT tx=2 key=# value=one|d# DELETE tx=2 key=#",
                "p2 PREPARE xa=1:0a:0b",
            ),
            "10.16",
            ("state.in_doubt.inserted", "state.in_doubt.deleted"),
        ),
        Shape("checkpoint-table", derby_body(table), "10.16", ("fields.table",)),
        Shape("purge", derby_body(rows("PURGE")), "10.16", ("fields.rows",)),
        Shape("copy-rows", derby_body(rows("COPY_ROWS")), "10.16"),
        Shape("seed", derby("*x# OTHER body=000102"), "seed", ("state.bodies",)),
        Shape("files", derby_files, "10.16", (), 4096),
    ),
    "swiftmq_store": (
        Shape(
            "messages",
            swiftmq(queue(lambda key, first: first + key, "MESSAGE hi")),
            "13",
            ("state.queues.messages",),
        ),
        Shape("shared", swiftmq(queue(lambda key, first: first, "MESSAGE hi")), "13"),
        Shape("chain", swiftmq(chain), "13"),
        Shape("queues", swiftmq(roots), "13", ("state.queues",)),
        Shape("free", swiftmq(lines("p0 ROOT orders:1", "p1 QUEUE", "*p# FREE")), "13"),
        Shape("commits", swiftmq(nothing, lines(f"*c# COMMIT tx=# {PORTION}")), "13"),
        Shape(
            "actions",
            swiftmq(nothing, lambda n: [f"c1 COMMIT tx=1 {' '.join([PORTION] * n)}"]),
            "13",
            ("fields.actions",),
        ),
        Shape("aborts", swiftmq(nothing, lines(f"*c# ABORT tx=# {PORTION}")), "13"),
        Shape(
            "branches",
            swiftmq(
                queue(lambda key, first: first + key, "BRANCH orders 0:2 kind=1 gtrid=% bqual=0b"),
            ),
            "13",
            ("state.in_doubt", "state.in_doubt.keys"),
        ),
        Shape(
            "durables",
            lambda n: {**swiftmq(nothing)(n), "durables": lines("*d# client n# topicName=T noLocal=true")(n)},
            "13",
            ("state.durables",),
            4096,
        ),
        Shape(
            "swaps", lambda n: {**swiftmq(nothing)(n), "swaps": [f"orders-0 {' '.join(['hi'] * n)}"]}, "13"
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Growth:
    """What one command costs on one shape: bytes of input, seconds and the exponent, memory per byte."""

    format: str
    shape: str
    command: str
    elements: int
    size: int
    seconds: float
    exponent: float
    memory: float

    @property
    def linear(self) -> bool:
        """Whether time grows about as the input does."""
        return self.exponent < LIMIT


def damaged(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files with 16 zeroed bytes in every 512: what is repeated is broken in many places."""
    out = {}
    for name, content in files.items():
        data = bytearray(content)
        for at in range(300, len(data) - 16, 512):
            data[at : at + 16] = bytes(16)
        out[name] = bytes(data)
    return out


class Measuring:
    """The journals of one shape on a disk, by number of elements, and what commands cost on them."""

    def __init__(self, format_id: str, shape: Shape, broken: bool, root: Path) -> None:
        self.format_id, self.shape, self.broken = format_id, shape, broken
        self.name = shape.name + ("-damaged" if broken else "")
        self._root = root
        self._made: dict[int, tuple[Path, int]] = {}

    def place(self, n: int) -> tuple[Path, int]:
        """Return the directory of n elements, and the bytes in it."""
        if n not in self._made:
            author = format_module("journalspec_corpus", self.format_id, "author")
            built = author.build(self.shape.base(n), self.shape.edition)
            files = {name: bytes(data) for name, data in built.files.items()}
            files = damaged(files) if self.broken else files
            place = self._root / f"{self.format_id}-{self.name}-{n}"
            for name, data in files.items():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_bytes(data)
            self._made[n] = place, sum(map(len, files.values()))
        return self._made[n]

    def seconds(self, command: str, n: int, times: int = 1) -> float:
        """Return the least processor time of `times` runs of a command on n elements."""
        return min(self._run(command, n) for _ in range(times))

    def _run(self, command: str, n: int) -> float:
        place, _ = self.place(n)
        asked = COMMANDS[command]
        if command == "salvage" and command not in get_format(self.format_id).policies:
            asked = (*asked[:-1], "default")  # the policy under which such a format goes on
        words = [*asked, str(place), "--format", self.format_id, "--edition", self.shape.edition]
        began = time.process_time()
        with contextlib.redirect_stdout(_Nothing()), contextlib.redirect_stderr(_Nothing()):
            try:
                journalspec(words)
            except SystemExit as end:
                if end.code not in (0, 1, 3):
                    raise RuntimeError(f"{' '.join(words)} ended with {end.code}") from None
        return time.process_time() - began

    def peak(self, command: str, n: int) -> int:
        """Return the most bytes that Python held while a command ran on n elements."""
        tracemalloc.start(1)
        try:
            self._run(command, n)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def grown(self, command: str, *, memory: bool) -> Growth:
        """Return how the cost of a command grows; a growth that is too large is measured again, larger."""
        fixed = self.seconds(command, 2, 2)
        n = FIRST
        while n < self.shape.most // 4 and self.seconds(command, n) - fixed < LEAST:
            n *= 2
        n = min(n, self.shape.most // 4)
        exponent, last = 0.0, 0.0
        for _ in range(AGAIN):
            sizes = [n, 2 * n, 4 * n]
            taken = [max(self.seconds(command, size, 2) - fixed, 1e-4) for size in sizes]
            bytes_ = [self.place(size)[1] for size in sizes]
            last = taken[-1]
            exponent = _slope(bytes_, taken) if last > LEAST / 2 else 0.0
            if exponent < LIMIT or 8 * n > self.shape.most:
                break
            n *= 2
        peak = self.peak(command, n) / max(1, self.place(n)[1]) if memory else 0.0
        size = self.place(4 * n)[1]
        return Growth(
            self.format_id,
            self.name,
            command,
            4 * n,
            size,
            round(last, 3),
            round(exponent, 2),
            round(peak, 1),
        )


class _Nothing(io.TextIOBase):
    """A text stream that takes everything and keeps nothing."""

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        return len(text)


def _slope(sizes: list[int], seconds: list[float]) -> float:
    """Return the slope of the line through the logarithms: least squares."""
    xs, ys = [math.log(size) for size in sizes], [math.log(second) for second in seconds]
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True))
    below = sum((x - middle_x) ** 2 for x in xs)
    return above / below if below else 0.0


def lists_of(format_id: str) -> Iterator[str]:
    """Yield every list of a format's field tables by the path that shapes name it by."""

    def inner(fields: Iterable[Field], before: str) -> Iterator[str]:
        for field in fields:
            if field.kind == "list":
                yield f"{before}.{field.name}"
            # What is like another list, such as the records of a prepared transaction, is listed of its own.
            yield from inner(field.of, f"{before}.{field.name}")

    words = get_format(format_id).vocabulary
    yield from inner(words.fields, "fields")
    yield from inner(words.header, "header")
    yield from inner(words.state, "state")


def without_shape(format_id: str) -> list[str]:
    """Return the lists of a format's tables that no shape repeats."""
    covered = {name for shape in SHAPES.get(format_id, ()) for name in shape.lists}
    return sorted({*lists_of(format_id)} - covered)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--format", action="append", choices=format_ids())
    parser.add_argument("--shape", action="append", help="only shapes whose names contain this")
    parser.add_argument("--command", action="append", choices=list(COMMANDS))
    parser.add_argument("--no-memory", action="store_true", help="leave out memory, which is slow to measure")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    chosen = parser.parse_args(arguments)
    failed = False
    if not chosen.json:
        print(f"{'format':14} {'shape':28} {'command':13} elements     bytes  seconds  exponent  memory/byte")
    for format_id in chosen.format or format_ids():
        for name in without_shape(format_id):
            print(f"{format_id}: no shape repeats {name}", file=sys.stderr)
            failed = True
        for shape in SHAPES.get(format_id, ()):
            for broken in (False, True):
                failed |= not _all_linear(format_id, shape, broken, chosen)
    return 1 if failed else 0


def _all_linear(format_id: str, shape: Shape, broken: bool, chosen: argparse.Namespace) -> bool:
    """Measure a shape, print its rows, and tell whether all are linear."""
    good = True
    with tempfile.TemporaryDirectory() as root:
        measuring = Measuring(format_id, shape, broken, Path(root))
        if chosen.shape and not any(part in measuring.name for part in chosen.shape):
            return True
        for command in chosen.command or COMMANDS:
            found = measuring.grown(command, memory=not chosen.no_memory)
            good &= found.linear
            print(json.dumps(asdict(found)) if chosen.json else _line(found), flush=True)
    return good


def _line(found: Growth) -> str:
    head = f"{found.format:14} {found.shape:28} {found.command:13}"
    tail = f"{found.exponent:9.2f} {found.memory:12.1f}{'' if found.linear else '   NOT LINEAR'}"
    return f"{head} {found.elements:8} {found.size:9} {found.seconds:8.2f} {tail}"


if __name__ == "__main__":
    raise SystemExit(main())
