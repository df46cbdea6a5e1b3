"""What an operator asks of a store of real size, beside what its product says: right, and at what cost.

    python tools/operator_tasks.py [--mb 350] [--only PRODUCT/WORD] [--fresh] [--show]

Artemis, KahaDB, Derby and Bitronix each write a store, count what is in it, and are halted as kill -9 does.
Copies are damaged where a task says so. Each task is asked by `journalspec` and by what the vendor has for it
(its tool, or a start of the product on a copy), each a process of its own, one after the other. Our answer is
judged by the product's counts. Stores, and the answers of one commit, are kept in the cache
(JOURNALSPEC_CACHE, or ~/.cache/journalspec), so that a run that was stopped goes on where it was.

A task holds if it is right and takes no more CPU than the vendor's tool, or less than 10 s where there is
none. Exit status: 0 all hold; 1 one does not; 2 usage. Needs Java 17 or newer and the products' jars (see
stores.py and `journalspec products fetch`).
"""

from __future__ import annotations

import argparse
import compileall
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import stores

import journalspec
import journalspec_conformance
import journalspec_corpus
import journalspec_reference
from journalspec_conformance.products import get_product, product_dir

PROGRAMS = Path(__file__).with_name("operator")
ROOT = Path(__file__).parents[1]
#: CPU seconds that a task may take for which no vendor has a tool; lines of a screen; of a damage, bytes.
MOST_SECONDS, MOST_LINES, SECTOR = 10.0, 40, 4096
#: What the programs store, and no redacted report may show.
SECRETS = ("orderId", "SKU-", "secret note", "last committed", "tenant", "stockdb", "gtx-")


# The command, and its output.


@dataclass(frozen=True)
class Ran:
    """A process: exit status, what it printed, CPU seconds and peak memory (MB)."""

    status: int
    text: str
    seconds: float
    peak: float


@dataclass(frozen=True)
class Counts:
    """What a product said of a store: a number for each name of a kind."""

    text: str

    def of(self, kind: str) -> dict[str, int]:
        """Return the numbers of a kind by name."""
        rows = (line.split() for line in self.text.splitlines())
        return {row[1]: int(row[2]) for row in rows if len(row) == 3 and row[0] == kind}

    @property
    def refusal(self) -> str:
        """Why the product did not start; empty: it did."""
        return "; ".join(self.of("refused")).replace("_", " ")

    @property
    def total(self) -> int:
        """Messages in all queues."""
        return sum(self.of("queue").values())


@dataclass(frozen=True)
class Subject:
    """A product: its program, its jars, and what `write` is given for a store of so many MB."""

    title: str
    program: str
    jars: Callable[[], Sequence[Path]]
    size: Callable[[int], Sequence[int]]
    #: Which part of a store our commands are given.
    part: str = ""


@dataclass(frozen=True)
class Asked:
    """What a judge sees: our answer, what the product counted before, and what it says of the same files."""

    ours: Ran
    before: Counts
    product: Counts
    removed: frozenset[str] = frozenset()

    def number(self, name: str) -> int | None:
        """Return the first number after a name in our answer."""
        found = re.search(rf"(?:^|[\s(]){re.escape(name)}\s+([\d,]+)", self.ours.text, re.MULTILINE)
        return int(found[1].replace(",", "")) if found else None

    def said(self, *words: str) -> str:
        """Return which of some words, patterns, our answer lacks."""
        # Where a line is broken depends on the length of a path.
        text = " ".join(self.ours.text.split())
        return ", ".join(f"no {word!r}" for word in words if not re.search(word, text))


@dataclass(frozen=True)
class Task:
    """A question: our command, the vendor's way, the damage before it, and what a right answer is.

    The judge returns what is wrong; empty: nothing is. `vendor` is what the program of the product is given,
    empty: no vendor has a tool; its `start` is then only asked for the `truth`. `damage` is the name of a
    function and its arguments.
    """

    product: str
    name: str
    command: Sequence[str]
    right: Callable[[Asked], str]
    vendor: Sequence[str] = ()
    damage: Sequence[Any] = ()
    truth: Sequence[str] = ()

    @property
    def key(self) -> str:
        """Its name among all."""
        return f"{self.product}/{self.name}"

    @property
    def state(self) -> str:
        """What was done to the files: the name up to a colon, if they are damaged."""
        state, colon, _ = self.name.partition(":")
        return state if colon else "sound"


def run(words: Sequence[str]) -> Ran:
    """Run a program to its end; its CPU seconds and peak memory are those of the process alone."""
    # As an installed package, ours is compiled: see `compiled`.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            words, stdout=out, stderr=errors, stdin=subprocess.DEVNULL, env=environment
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
    return Ran(process.returncode, text, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def compiled() -> None:
    """Compile our modules, so that no task pays for it."""
    for package in (journalspec, journalspec_reference, journalspec_corpus, journalspec_conformance):
        compileall.compile_dir(package.__path__[0], quiet=2)


def _broker(name: str, version: str) -> Callable[[], list[Path]]:
    return lambda: [*stores.jars(name, version).glob("*.jar")]


def _products(*names: str) -> Callable[[], list[Path]]:
    return lambda: [path for name in names for path in product_dir(get_product(name)).glob("*.jar")]


SUBJECTS = {
    "artemis": Subject(
        "Artemis 2.44.0", "ArtemisTasks", _broker("artemis", "2.44.0"), lambda mb: [mb * 1300]
    ),
    "kahadb": Subject("ActiveMQ 6.1.7", "KahaTasks", _broker("kahadb", "6.1.7"), lambda mb: [mb * 800]),
    "derby": Subject("Derby 10.14.2.0", "DerbyTasks", _products("derby-10.14.2.0"), lambda mb: [mb]),
    "bitronix": Subject(
        "BTM 2.1.4",
        "BtmTasks",
        _products("bitronix-2.1.4", "derby-10.14.2.0"),
        lambda mb: [mb * 170, max(1, mb // 40)],
        "tlogs",
    ),
}


def java(name: str, *arguments: str) -> list[str]:
    """Return the command that runs the program of a product; it is compiled the first time."""
    subject = SUBJECTS[name]
    jars = ":".join(map(str, subject.jars()))
    source = PROGRAMS / f"{subject.program}.java"
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    target = stores.cache() / "operator" / f"{subject.program}-{digest}"
    if not target.is_dir():
        words = ["javac", "-nowarn", "-XDsuppressNotes", "-d", str(target), "-cp", jars, str(source)]
        subprocess.run(words, check=True)
    return ["java", "-Xmx2g", *stores.OPENED, "-cp", f"{target}:{jars}", subject.program, *arguments]


def store_of(name: str, mb: int) -> tuple[Path, Counts]:
    """Return a store that the product wrote, and what it counted before it was halted."""
    subject = SUBJECTS[name]
    source = (PROGRAMS / f"{subject.program}.java").read_bytes()
    # Another question at a start is no other store.
    writing = source[source.index(b"static void write") :]
    target = stores.cache() / "stores" / f"operator-{name}-{mb}-{hashlib.sha256(writing).hexdigest()[:16]}"
    counts = target.with_suffix(".counts")
    if not counts.is_file():
        shutil.rmtree(target, ignore_errors=True)
        # Derby makes the directory itself.
        target.parent.mkdir(parents=True, exist_ok=True)
        done = run(java(name, "write", str(target), *map(str, subject.size(mb))))
        if done.status or "started yes" not in done.text:
            raise stores.StoreError(f"{subject.title} wrote no store:\n{done.text[-2000:]}")
        counts.write_text(done.text, encoding="utf-8")
    return target, Counts(counts.read_text(encoding="utf-8"))


# Damages.


def _middle(root: Path, pattern: str, share: float) -> None:
    """Put zeros into a sector in the middle of one of the files; which one: see `_nth`."""
    path = _nth(root, pattern, share)
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 // SECTOR * SECTOR)
        file.write(bytes(SECTOR))


def _gone(root: Path, pattern: str, share: float) -> None:
    """Take one of the files away."""
    _nth(root, pattern, share).unlink()


def _cut(root: Path, pattern: str) -> None:
    """Take the last files away: a log without its newest part, as from an older copy."""
    files = _files(root, pattern)
    for path in files[len(files) * 2 // 3 :]:
        path.unlink()


def _nth(root: Path, pattern: str, share: float) -> Path:
    """Return the file that has `share` of all before it; negative: so many from the end."""
    files = _files(root, pattern)
    return files[int(share if share < 0 else len(files) * share)]


def _files(root: Path, pattern: str) -> list[Path]:
    def key(path: Path) -> int:
        return int(re.sub(r"\D", "", path.name))

    return sorted(root.glob(pattern), key=key)


# What a right answer is.


def _screen(asked: Asked) -> str:
    """Return what is wrong with a first screen: its lines, its counts, what is in doubt."""
    lines = asked.ours.text.count("\n")
    wrong = [f"{lines} lines"] if lines > MOST_LINES else []
    return "; ".join([*wrong, *filter(None, [_queues(asked, asked.before), _doubt(asked)])])


def _queues(asked: Asked, counts: Counts) -> str:
    """Return which queues have another number in our answer than the product has.

    Where the screen has no room for a queue, or no names yet, the messages in all count. Of what our answer
    says to be acknowledged by the index alone, the product, which has the index, does not speak; what our
    answer says to be committed by the index alone, the product has.
    """
    gone = _by_index(asked, "what acknowledged")
    more = _by_index(asked, "their records are there")
    right = {name: count + gone[name] - more[name] for name, count in counts.of("queue").items() if count}
    found = {name: number for name in right if (number := asked.number(name)) is not None}
    if len(found) < len(right):
        total = re.search(r"([\d,]+) messages in ", asked.ours.text)
        kinds = sum(asked.number(f"user type {kind}") or 0 for kind in (30, 45))
        found["all"] = int(total[1].replace(",", "")) if total else kinds
        right["all"] = sum(right.values())
    return "; ".join(
        f"{name}: {found[name]}, not {right[name]}" for name in found if found[name] != right[name]
    )


def _by_index(asked: Asked, words: str) -> Counter[str]:
    """Return of how many messages of each queue our answer says what begins with these words."""
    said = re.findall(rf"([\d,]+) of queue (\S+): {words}", " ".join(asked.ours.text.split()))
    return Counter({name: int(number.replace(",", "")) for number, name in said})


def _doubt(asked: Asked) -> str:
    """Return what is wrong with the number of transactions that the product left in doubt."""
    number = len(asked.before.of("prepared") or asked.before.of("decided"))
    verb = "is" if number == 1 else "are"
    words = r"(in\s+doubt|decided|prepared|unfinished)"
    return asked.said(rf"{number} transactions? {verb}\s+{words}|other file:\s+{number}") if number else ""


def _branches(asked: Asked) -> str:
    """Return which prepared branches our answer does not name; the product must have them after a start."""
    names = asked.before.of("prepared")
    if len(asked.product.of("prepared")) != len(names):
        return f"the product has {len(asked.product.of('prepared'))}"
    return asked.said(*names)


def _named(asked: Asked) -> str:
    """Return which prepared branches our answer does not name."""
    return asked.said(*asked.before.of("prepared"))


def _number_of_branches(asked: Asked) -> str:
    number = len(asked.product.of("prepared"))
    return _doubt(asked) or (
        "" if number == len(asked.before.of("prepared")) else f"the product has {number}"
    )


def _decided(asked: Asked) -> str:
    """Return which decided transactions our answer lacks; a start has to commit as many."""
    names = [name.lower() for name in asked.before.of("decided")]
    lacking = [name for name in names if name not in asked.ours.text]
    done, undone = (asked.product.of("count").get(name, 0) for name in ("committed", "rolledback"))
    if lacking or done == len(names):
        return f"{lacking} not named" if lacking else ""
    # The election of BTM 2.1.4 may be wrong: then each decision is undone, and we must say so.
    return asked.said("rolls back") if undone else f"the product committed {done}"


def _lost_batch(asked: Asked) -> str:
    """KahaDB with damage in a file: what salvage keeps is what the product keeps, with the loss named."""
    # Which one depends on the part of a batch that is in the sector.
    reasons = "bad-(checksum|chain|header)"
    return _queues(asked, asked.product) or asked.said(reasons, r"db-\d+\.log:\d+\.\.\d+")


def _missing_file(asked: Asked) -> str:
    """KahaDB without a file: all messages that go, by the product with ignoreMissingJournalfiles=true."""
    before, after = asked.before.total, asked.product.total
    return asked.said(f"data file missing: db-[0-9]+.log, {before - after:,} messages")


def _safe(asked: Asked) -> str:
    """The statement on a start with default options is what happened."""
    if asked.product.refusal:
        return asked.said("does not start|do not start|refuses to start|recovery fails")
    if asked.product.of("count").get("rolledback"):
        return asked.said(r"rolls?\s+back")
    return asked.said("starts|start and report|boots")


def _index(asked: Asked) -> str:
    """May db.data go? If a start without it gives the same messages."""
    same = asked.product.of("queue") == asked.before.of("queue")
    return asked.said(r"db.data\s+may\s+be\s+moved\s+away" if same else r"(?i)do\s+not\s+delete")


def _free(asked: Asked) -> str:
    """The files that we say are free are those that the clean-up of a start removes."""
    told = re.search(r"FREE\s+[\d,]+ of [\d,]+ files?:([^\n]*(?:\n {10,}[^\n]*)*)", asked.ours.text)
    ours = frozenset(re.findall(r"[\w-]+\.(?:log|dat|amq)", told[1] if told else ""))
    return "" if ours == asked.removed else f"free: {sorted(ours)}, removed: {sorted(asked.removed)}"


def _kept(asked: Asked) -> str:
    """Artemis: the files that we say are kept are those that a start does not make free."""
    # A free file has its number of bytes alone.
    rows = re.findall(r"(activemq-data-\d+\.amq)\s+[\d,]+  (.*[a-z].*)", asked.ours.text)
    ours = {name for name, why in rows if not why.startswith("nothing")}
    theirs = {name for name, count in asked.product.of("file").items() if count}
    theirs |= {name for name, why in rows if why.startswith("the file that the broker writes to")}
    return "" if ours == theirs else f"ours alone {sorted(ours - theirs)}, theirs {sorted(theirs - ours)}"


def _lost_messages(asked: Asked) -> str:
    """Artemis with a damage: as many messages are left as the product has; without acknowledgements, more."""
    if asked.product.total == asked.before.total:
        return f"the product lost nothing: {asked.product.total}"
    return _queues(asked, asked.product) or asked.said(r"hole|damaged|missing|no file has the id \d+")


def _torn_middle(asked: Asked) -> str:
    """Derby with a damaged sector: what the product loses after it is not a torn tail to us."""
    if not asked.product.refusal and asked.product.of("rows").get("last"):
        return "the product lost nothing"
    return asked.said("REFUSED", r"log\d+\.dat:\d+", "what follows it|erases what follows|groups")


def _redacted(asked: Asked) -> str:
    found = [word for word in SECRETS if word in asked.ours.text]
    return f"shows {found}" if found else "" if asked.ours.text.count("\n") > 5 else "no report"


def _exported(asked: Asked) -> str:
    """The rows of one queue are as many as the product has in it."""
    wanted = asked.before.of("queue")[EXPORTED]
    rows = len(re.findall(rf",{EXPORTED},\d+,ID:", asked.ours.text))
    return "" if rows == wanted else f"{rows} rows, not {wanted}"


#: The queue whose messages are asked for as rows.
EXPORTED = "payments"


def _tasks() -> Iterator[Task]:
    """Yield the tasks of the table, which names judges and damages of this module."""
    table = tomllib.loads((PROGRAMS / "tasks.toml").read_text(encoding="utf-8"))
    for product, entries in table.items():
        for entry in entries:
            yield Task(product, **entry | {"right": globals()[f"_{entry['right']}"]})


TASKS = tuple(_tasks())


# Asking, and the table.


@dataclass(frozen=True)
class Outcome:
    """What came of a task: what is wrong, and what both cost."""

    key: str
    wrong: str
    seconds: float
    peak: float
    vendor: float | None
    ours: str = ""
    theirs: str = ""

    @property
    def holds(self) -> bool:
        """Right, and no slower than the vendor's tool, or than the bound where there is none."""
        return not self.wrong and self.seconds <= (self.vendor if self.vendor is not None else MOST_SECONDS)

    def row(self) -> str:
        """Return its row of the table."""
        vendor = f"{self.vendor:8.1f}" if self.vendor is not None else "    none"
        ratio = f"{self.seconds / self.vendor:6.2f}" if self.vendor else "      "
        right = "right" if not self.wrong else "WRONG"
        return f"{self.key:42} {right}  {self.seconds:6.1f} {self.peak:7.0f} {vendor} {ratio}  {self.wrong}"


HEAD = f"{'task':42} {'':5}  {'CPU s':>6} {'peak MB':>7} {'vendor':>8} {'ratio':>6}"


def ask(task: Task, store: Path, before: Counts, starts: dict[str, list[Any]]) -> Outcome:
    """Ask a task by our command, and by what the vendor has, each on a copy of the store.

    `starts` are those that were made: two tasks may ask the product the same of the same files.
    """
    with tempfile.TemporaryDirectory(prefix="operator-", dir=stores.cache()) as name:
        copy = Path(name) / "store"
        shutil.copytree(store, copy)
        for damage, *arguments in [task.damage] if task.damage else []:
            globals()[f"_{damage}"](copy, *arguments)
        part = copy / SUBJECTS[task.product].part
        ours = run([sys.executable, "-m", "journalspec_conformance", *task.command, str(part)])
        start = task.vendor or task.truth
        key = " ".join((task.product, task.state, *start))
        if start and key not in starts:
            starts[key] = _started(task.product, copy, start)
    text, seconds, removed = starts[key] if start else ("", 0.0, [])
    wrong = task.right(Asked(ours, before, Counts(text), frozenset(removed)))
    vendor = seconds if task.vendor else None
    return Outcome(task.key, wrong, ours.seconds, ours.peak, vendor, ours.text, text)


def _started(product: str, copy: Path, start: Sequence[str]) -> list[Any]:
    """Return what the product says of a copy, its CPU seconds, and the data files that it removed."""
    if "index" in start:
        for name in ("db.data", "db.redo"):
            (copy / name).unlink()
    there = _data_files(copy)
    done = run(java(product, start[0], str(copy), *start[1:]))
    return [done.text, done.seconds, sorted(there - _data_files(copy))]


def _data_files(root: Path) -> set[str]:
    return {path.name for path in root.rglob("*") if re.fullmatch(r"(db-|log)\d+\.(log|dat)", path.name)}


def commit() -> str:
    """Return the commit that the answers are of, and what was changed since."""

    def said(*words: str) -> str:
        command = ["git", "-C", str(ROOT), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    changed = hashlib.sha256(said("diff", "HEAD").encode()).hexdigest()[:8]
    return f"{said('rev-parse', '--short=12', 'HEAD').strip()}-{changed}"


def outcomes(tasks: Sequence[Task], mb: int, kept: Path, *, fresh: bool) -> Iterator[Outcome]:
    """Yield what came of each task, from the answers of this commit if it was asked before."""
    found: dict[str, Any] = {}
    if kept.is_file() and not fresh:
        found = json.loads(kept.read_text(encoding="utf-8"))
    starts = found.setdefault("starts", {})
    for task in tasks:
        if task.key in found:
            yield Outcome(**found[task.key])
            continue
        outcome = ask(task, *store_of(task.product, mb), starts)
        found[task.key] = asdict(outcome)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(found), encoding="utf-8")
        yield outcome


def main() -> int:
    """Ask the tasks and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mb", type=int, default=350, help="size of a store, about")
    parser.add_argument("--only", default="", help="only tasks with this in PRODUCT/NAME")
    parser.add_argument("--fresh", action="store_true", help="ask again what this commit has answered")
    parser.add_argument("--show", action="store_true", help="print the answers, too")
    given = parser.parse_args()
    kept = stores.cache() / "operator" / f"answers-{given.mb}-{commit()}.json"
    tasks = [task for task in TASKS if given.only in task.key]
    compiled()
    print(HEAD)
    bad = 0
    for outcome in outcomes(tasks, given.mb, kept, fresh=given.fresh):
        print(outcome.row(), flush=True)
        if given.show:
            print(outcome.ours, outcome.theirs, sep="\n---\n")
        bad += not outcome.holds
    print(f"{len(tasks) - bad} of {len(tasks)} hold")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
