"""Compares our answers about stores of real size with those of the vendors: correctness and cost.

    python tools/operator_tasks.py [--mb 350] [--only PRODUCT/WORD] [--fresh] [--show]

Artemis, KahaDB, Derby and Bitronix each write a store, count its items, and are halted as by kill -9. If a
task requires damage, copies are damaged. `journalspec` performs each task. Then the vendor's tool, or a start
of the product on a copy, performs the same task in another process. Our answer is compared with the product's
counts. Stores, and the answers of one commit, are kept in the cache (JOURNALSPEC_CACHE, or
~/.cache/journalspec), so that a stopped run can be continued.

A task holds if our answer is right and takes no more CPU than the vendor's tool, or less than 10 s without
such a tool. Exit status: 0 all tasks hold; 1 one does not; 2 usage. Needs Java 17 or newer and the products'
jars (see stores.py and `journalspec products fetch`).
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
import time
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
#: The longest CPU time of a task without a vendor's tool (seconds); the most lines of a screen; the number of
#: damaged bytes.
MOST_SECONDS, MOST_LINES, SECTOR = 10.0, 40, 4096
#: Texts that the programs store, and that no redacted report may contain.
SECRETS = ("orderId", "SKU-", "secret note", "last committed", "tenant", "stockdb", "gtx-")


# The command, and its output.


@dataclass(frozen=True)
class Ran:
    """The result of a process: exit status, output, CPU seconds, peak memory (MB) and seconds of waiting."""

    status: int
    text: str
    seconds: float
    peak: float
    waited: float


@dataclass(frozen=True)
class Counts:
    """A product's counts of a store: a number for each name of a kind."""

    text: str

    def of(self, kind: str) -> dict[str, int]:
        """Return the numbers of a kind by name."""
        rows = (line.split() for line in self.text.splitlines())
        return {row[1]: int(row[2]) for row in rows if len(row) == 3 and row[0] == kind}

    @property
    def refusal(self) -> str:
        """The reason why the product did not start; empty if it did."""
        return "; ".join(self.of("refused")).replace("_", " ")

    @property
    def total(self) -> int:
        """Messages in all queues."""
        return sum(self.of("queue").values())


@dataclass(frozen=True)
class Subject:
    """A product: its program, its jars, and the arguments of `write` for a store of a given size in MB."""

    title: str
    program: str
    jars: Callable[[], Sequence[Path]]
    size: Callable[[int], Sequence[int]]
    #: The part of a store whose path our commands receive.
    part: str = ""


@dataclass(frozen=True)
class Asked:
    """The input of a check: our answer, the product's counts before, and its counts of the same files."""

    ours: Ran
    before: Counts
    product: Counts
    removed: frozenset[str] = frozenset()

    def number(self, name: str) -> int | None:
        """Return the first number after a name in our answer."""
        found = re.search(rf"(?:^|[\s(]){re.escape(name)}\s+([\d,]+)", self.ours.text, re.MULTILINE)
        return int(found[1].replace(",", "")) if found else None

    def said(self, *words: str) -> str:
        """Return the patterns in `words` that do not match our answer."""
        # Line breaks depend on the length of a path, so they are ignored.
        text = " ".join(self.ours.text.split())
        return ", ".join(f"no {word!r}" for word in words if not re.search(word, text))


@dataclass(frozen=True)
class Task:
    """A task: our command, the vendor's tool, the damage before, and the check of the answer.

    The check `right` returns the fault, or an empty text. `vendor` contains the arguments of the product's
    program; it is empty if the vendor has no tool. In that case, a start provides only the `truth`. `damage`
    is the name of a function and its arguments.
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
        """Its unique name."""
        return f"{self.product}/{self.name}"

    @property
    def state(self) -> str:
        """The damage of the files: the name up to a colon, or "sound"."""
        state, colon, _ = self.name.partition(":")
        return state if colon else "sound"


def run(words: Sequence[str]) -> Ran:
    """Run a program to its end. Its CPU seconds and peak memory are those of this process alone."""
    # Our modules are compiled first, as in an installed package: see `compiled`.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    begun = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            words, stdout=out, stderr=errors, stdin=subprocess.DEVNULL, env=environment
        )
        _, status, used = os.wait4(process.pid, 0)
        waited = time.monotonic() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
    return Ran(process.returncode, text, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, waited)


def compiled() -> None:
    """Compile our modules, so that no task includes the time for that."""
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
    "kahadb": Subject("ActiveMQ 6.1.7", "KahaTasks", _broker("kahadb-log", "6.1.7"), lambda mb: [mb * 800]),
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
    """Return two values: a store that the product wrote, and the product's counts before it was halted."""
    subject = SUBJECTS[name]
    source = (PROGRAMS / f"{subject.program}.java").read_bytes()
    # The content of the store depends only on the part of the program that writes.
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
    """Overwrite a sector in the middle of a file with zeros; `_nth` selects the file."""
    path = _nth(root, pattern, share)
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 // SECTOR * SECTOR)
        file.write(bytes(SECTOR))


def _gone(root: Path, pattern: str, share: float) -> None:
    """Remove one of the files."""
    _nth(root, pattern, share).unlink()


def _cut(root: Path, pattern: str) -> None:
    """Remove the last files. The remaining log lacks its newest part, as in an older copy."""
    files = _files(root, pattern)
    for path in files[len(files) * 2 // 3 :]:
        path.unlink()


def _nth(root: Path, pattern: str, share: float) -> Path:
    """Return the file at `share` of the list of files; negative: counted from the end."""
    files = _files(root, pattern)
    return files[int(share if share < 0 else len(files) * share)]


def _files(root: Path, pattern: str) -> list[Path]:
    def key(path: Path) -> int:
        return int(re.sub(r"\D", "", path.name))

    return sorted(root.glob(pattern), key=key)


# Checks of answers.


def _screen(asked: Asked) -> str:
    """Return the fault of a first screen: its number of lines, its counts, or its transactions in doubt."""
    lines = asked.ours.text.count("\n")
    wrong = [f"{lines} lines"] if lines > MOST_LINES else []
    return "; ".join([*wrong, *filter(None, [_queues(asked, asked.before), _doubt(asked)])])


def _queues(asked: Asked, counts: Counts) -> str:
    """Return the queues whose number of messages in our answer differs from the product's.

    If the screen lacks a queue, the totals are compared as well. The product uses the index; our answer does
    not. So our counts are corrected. Messages reported as acknowledged only in the index are subtracted.
    Messages reported as committed only in the index are added.
    """
    gone = _by_index(asked, "(?:their acknowledgements are lost|a transaction that has its COMMIT earlier)")
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
    """Return the number of messages of each queue in those lines of our answer that have these words."""
    said = re.findall(rf"([\d,]+) of queue (\S+): {words}", " ".join(asked.ours.text.split()))
    return Counter({name: int(number.replace(",", "")) for number, name in said})


def _doubt(asked: Asked) -> str:
    """Return the fault if our number of transactions in doubt differs from the product's."""
    number = len(asked.before.of("prepared") or asked.before.of("decided"))
    verb = "is" if number == 1 else "are"
    words = r"(in\s+doubt|decided|prepared|unfinished)"
    return asked.said(rf"{number} transactions? {verb}\s+{words}|other file:\s+{number}") if number else ""


def _branches(asked: Asked) -> str:
    """Return the prepared branches that our answer does not list; a started product must list all of them."""
    names = asked.before.of("prepared")
    if len(asked.product.of("prepared")) != len(names):
        return f"the product has {len(asked.product.of('prepared'))}"
    return asked.said(*names)


def _named(asked: Asked) -> str:
    """Return the prepared branches that our answer does not list."""
    return asked.said(*asked.before.of("prepared"))


def _number_of_branches(asked: Asked) -> str:
    number = len(asked.product.of("prepared"))
    return _doubt(asked) or (
        "" if number == len(asked.before.of("prepared")) else f"the product has {number}"
    )


def _decided(asked: Asked) -> str:
    """Return the decided transactions that our answer lacks; a start must commit the same number of them."""
    names = [name.lower() for name in asked.before.of("decided")]
    lacking = [name for name in names if name not in asked.ours.text]
    done, undone = (asked.product.of("count").get(name, 0) for name in ("committed", "rolledback"))
    if lacking or done == len(names):
        return f"{lacking} not named" if lacking else ""
    # BTM 2.1.4 may elect the wrong file. Then a start undoes each decision, and our answer must state this.
    return asked.said("rolls back") if undone else f"the product committed {done}"


def _lost_batch(asked: Asked) -> str:
    """KahaDB with damage in a file: salvage keeps the messages that the product keeps, and our answer lists
    the loss.
    """
    # The reason depends on which part of a batch is in the damaged sector.
    reasons = "bad-(checksum|chain|header)"
    return _queues(asked, asked.product) or asked.said(reasons, r"db-\d+\.log:\d+\.\.\d+")


def _missing_file(asked: Asked) -> str:
    """KahaDB without a file: our answer reports as many lost messages as the product loses."""
    before, after = asked.before.total, asked.product.total
    return asked.said(f"data file missing: db-[0-9]+.log, {before - after:,} messages")


def _safe(asked: Asked) -> str:
    """Our answer states correctly whether the product starts with default options."""
    if asked.product.refusal:
        return asked.said("does not start|do not start|refuses to start|recovery fails")
    if asked.product.of("count").get("rolledback"):
        return asked.said(r"rolls?\s+back")
    return asked.said("starts|start and report|boots")


def _index(asked: Asked) -> str:
    """Our advice on moving db.data away is right for the messages that a start without that file delivers."""
    same = asked.product.of("queue") == asked.before.of("queue")
    return asked.said(r"db.data\s+may\s+be\s+moved\s+away" if same else r"(?i)do\s+not\s+delete")


def _free(asked: Asked) -> str:
    """The files that our answer lists as free are those that a start removes."""
    told = re.search(r"FREE\s+[\d,]+ of [\d,]+ files?:([^\n]*(?:\n {10,}[^\n]*)*)", asked.ours.text)
    ours = frozenset(re.findall(r"[\w-]+\.(?:log|dat|amq)", told[1] if told else ""))
    return "" if ours == asked.removed else f"free: {sorted(ours)}, removed: {sorted(asked.removed)}"


def _kept(asked: Asked) -> str:
    """Artemis: the files that our answer lists as kept are those that a start does not free."""
    # The row of a free file contains only its number of bytes.
    rows = re.findall(r"(activemq-data-\d+\.amq)\s+[\d,]+  (.*[a-z].*)", asked.ours.text)
    ours = {name for name, why in rows if not why.startswith("nothing")}
    theirs = {name for name, count in asked.product.of("file").items() if count}
    theirs |= {name for name, why in rows if why.startswith("the file that the broker writes to")}
    return "" if ours == theirs else f"only ours {sorted(ours - theirs)}, only theirs {sorted(theirs - ours)}"


def _lost_messages(asked: Asked) -> str:
    """Artemis with damage: our number of messages is the product's, which can be larger than before."""
    if asked.product.total == asked.before.total:
        return f"the product lost nothing: {asked.product.total}"
    return _queues(asked, asked.product) or asked.said(r"hole|damaged|missing|no file has the id \d+")


def _torn_middle(asked: Asked) -> str:
    """Derby with a damaged sector: our answer does not report the loss after it as a torn tail."""
    if not asked.product.refusal and asked.product.of("rows").get("last"):
        return "the product lost nothing"
    return asked.said("REFUSED", r"log\d+\.dat:\d+", "what follows it|erases what follows|groups")


def _redacted(asked: Asked) -> str:
    found = [word for word in SECRETS if word in asked.ours.text]
    return f"shows {found}" if found else "" if asked.ours.text.count("\n") > 5 else "no report"


def _exported(asked: Asked) -> str:
    """The number of exported rows of one queue equals the product's number of messages."""
    wanted = asked.before.of("queue")[EXPORTED]
    rows = len(re.findall(rf",{EXPORTED},\d+,ID:", asked.ours.text))
    return "" if rows == wanted else f"{rows} rows, not {wanted}"


#: The queue whose messages are exported as rows.
EXPORTED = "payments"


def _tasks() -> Iterator[Task]:
    """Yield the tasks of the table, which refers to checks and damages of this module by name."""
    table = tomllib.loads((PROGRAMS / "tasks.toml").read_text(encoding="utf-8"))
    for product, entries in table.items():
        for entry in entries:
            yield Task(product, **entry | {"right": globals()[f"_{entry['right']}"]})


TASKS = tuple(_tasks())


# Functions that run the tasks and print the table.


@dataclass(frozen=True)
class Outcome:
    """The result of a task: the fault, and the cost of both commands in CPU seconds and waiting."""

    key: str
    wrong: str
    seconds: float
    peak: float
    vendor: float | None
    waited: float
    vendor_waited: float
    ours: str = ""
    theirs: str = ""

    @property
    def holds(self) -> bool:
        """Whether our answer is right, and no slower than the vendor's tool (without one: than the bound)."""
        return not self.wrong and self.seconds <= (self.vendor if self.vendor is not None else MOST_SECONDS)

    def row(self) -> str:
        """Return the row of this task in the table."""
        vendor = f"{self.vendor:8.1f}" if self.vendor is not None else "    none"
        ratio = f"{self.seconds / self.vendor:6.2f}" if self.vendor else "      "
        theirs = f"{self.vendor_waited:8.1f}" if self.vendor is not None else "        "
        right = "right" if not self.wrong else "WRONG"
        cost = f"{self.seconds:6.1f} {self.peak:7.0f} {vendor} {ratio} {self.waited:6.1f} {theirs}"
        return f"{self.key:42} {right}  {cost}  {self.wrong}"


HEAD = f"{'task':42} {'':5}  {'CPU s':>6} peak MB {'vendor':>8} {'ratio':>6} wall s {'vendor':>8}"


def ask(task: Task, store: Path, before: Counts, starts: dict[str, list[Any]]) -> Outcome:
    """Run a task with our command and with the vendor's tool, each on a copy of the store.

    `starts` caches the starts of products, because two tasks may need the same start on the same files.
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
    text, seconds, removed, waited = starts[key] if start else ("", 0.0, [], 0.0)
    wrong = task.right(Asked(ours, before, Counts(text), frozenset(removed)))
    vendor = seconds if task.vendor else None
    return Outcome(task.key, wrong, ours.seconds, ours.peak, vendor, ours.waited, waited, ours.text, text)


def _started(product: str, copy: Path, start: Sequence[str]) -> list[Any]:
    """Return four values of a start on a copy: the product's counts, its CPU seconds, the files that it
    removed, and the seconds of waiting.
    """
    if "index" in start:
        for name in ("db.data", "db.redo"):
            (copy / name).unlink()
    there = _data_files(copy)
    done = run(java(product, start[0], str(copy), *start[1:]))
    return [done.text, done.seconds, sorted(there - _data_files(copy)), done.waited]


def _data_files(root: Path) -> set[str]:
    return {path.name for path in root.rglob("*") if re.fullmatch(r"(db-|log)\d+\.(log|dat)", path.name)}


def commit() -> str:
    """Return the commit of the answers, with a digest of later changes."""

    def said(*words: str) -> str:
        command = ["git", "-C", str(ROOT), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    changed = hashlib.sha256(said("diff", "HEAD").encode()).hexdigest()[:8]
    return f"{said('rev-parse', '--short=12', 'HEAD').strip()}-{changed}"


def outcomes(tasks: Sequence[Task], mb: int, kept: Path, *, fresh: bool) -> Iterator[Outcome]:
    """Yield the result of each task, from the stored answers of this commit if it was run before."""
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
    """Run the tasks and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mb", type=int, default=350, help="approximate size of a store in MB")
    parser.add_argument("--only", default="", help="only tasks with this in PRODUCT/NAME")
    parser.add_argument(
        "--fresh", action="store_true", help="run the tasks again that this commit has already run"
    )
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
