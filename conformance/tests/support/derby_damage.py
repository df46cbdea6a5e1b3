"""Damaged Derby databases, new ones made of them, and what Derby says of each: the trials of files back.

A trial is a base (a database as a crash leaves it), a seed, and what that damages. It is judged by the product:
a new database has the rows that contents have, none fewer than the damaged one has where that starts; a script
makes tables with these rows.
"""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from journalspec.contents import Column
from journalspec_reference.answers import Answer, ask
from journalspec_reference.contents import Contents, as_json, contents, with_state
from journalspec_reference.derby_log.newstore import Rows
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.newstore import CannotRebuild, Choices, NewStore, new_store

PROGRAM = Path(__file__).with_name("derby_rows.py")
#: The product whose ij runs scripts.
SCRIPTS = "derby-10.16.1.1"
Tables = Mapping[str, Sequence[Sequence[str | None]]]


def opened(directory: Path, policy: str = "default") -> Answer:
    """Return what recovery makes of a database, or of a directory with a log."""
    log = directory / "log"
    (journal,) = find_journals(load(log if log.is_dir() else directory), "derby_log")
    return ask(journal, policy)


def contents_of(answer: Answer) -> Contents:
    """Return the contents of an answer."""
    found = contents(with_state(answer))
    assert found is not None
    return found


def put(store: NewStore, target: Path) -> None:
    """Write the files of a new store."""
    for file in store.files():
        path = target / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(file.parts))


def comparable(answer: Answer) -> dict[str, Any]:
    """Return all that contents have, but for where files are and what is odd about them."""
    found = as_json(contents_of(answer))
    del found["remarks"]
    return found


# Damage.


def _log_files(directory: Path) -> list[Path]:
    return sorted((directory / "log").glob("log*.dat"), key=lambda path: int(path.stem[3:]))


def _used(data: bytes) -> int:
    return max(len(data.rstrip(b"\0")), 24)


def _in_log(directory: Path, random: Random) -> str:
    """Damage a log file, as a torn write, a bad sector or a full disk does."""
    files = _log_files(directory)
    path = files[-1] if random.random() < 0.7 else random.choice(files)
    data = bytearray(path.read_bytes())
    used = _used(bytes(data))
    at = (
        used - min(used, random.choice((1, 40, 300, 5000)))
        if random.random() < 0.5
        else random.randrange(used)
    )
    kind = random.choice(("cut", "zeros", "ones", "sector", "bit", "bytes", "hole"))
    if kind == "cut":
        del data[at:]
    elif kind in ("zeros", "ones"):
        data[at:] = (b"\0" if kind == "zeros" else b"\xff") * (len(data) - at)
    elif kind == "sector":
        start = at // 512 * 512
        data[start : start + 512] = bytes(len(data[start : start + 512]))
    elif kind == "hole":
        data[at : at + 37] = bytes(len(data[at : at + 37]))
    elif kind == "bit":
        data[at] ^= 1 << random.randrange(8)
    else:
        data[at : at + 3] = random.randbytes(len(data[at : at + 3]))
    path.write_bytes(data)
    return f"{kind} {path.name}:{at}"


def _next_file(directory: Path, random: Random) -> str:
    """Leave a next file of a few bytes, of a header, or with another link."""
    last = _log_files(directory)[-1]
    number, data = int(last.stem[3:]), last.read_bytes()
    used = _used(data)
    link = number << 32 | (used if random.random() < 0.7 else used - 5)
    head = struct.pack(">iiqq", 128, 9, number + 1, link)
    size = random.choice((0, 1, 15, 16, 23, 24, 24, 24, 512))
    if random.random() < 0.5:
        last.write_bytes(data[:used] + bytes(4))
    last.with_name(f"log{number + 1}.dat").write_bytes((head + bytes(512))[:size])
    return f"next file of {size} bytes"


def _missing_log(directory: Path, random: Random) -> str:
    files = _log_files(directory)
    path = random.choice(files)
    path.unlink()
    return f"without {path.name}"


def _controls(directory: Path, random: Random) -> str:
    names = random.choice((["log.ctrl"], ["logmirror.ctrl"], ["log.ctrl", "logmirror.ctrl"]))
    kind = random.choice(("gone", "zeros", "bit", "short"))
    for name in names:
        path = directory / "log" / name
        data = bytearray(path.read_bytes())
        if kind == "gone":
            path.unlink()
            continue
        data[random.randrange(40)] ^= 1 << random.randrange(8)
        path.write_bytes({"zeros": bytes(48), "bit": bytes(data), "short": bytes(data[:40])}[kind])
    return f"{kind} {' '.join(names)}"


def _page(directory: Path, random: Random) -> str:
    path = random.choice(sorted((directory / "seg0").glob("c*.dat")))
    data = bytearray(path.read_bytes())
    kind = random.choice(("bit", "zeros", "cut", "gone"))
    at = random.randrange(len(data)) if data else 0
    if kind == "gone":
        path.unlink()
    elif kind == "bit" and data:
        data[at] ^= 1 << random.randrange(8)
    elif kind == "zeros":
        size = struct.unpack_from(">i", data, 117)[0]
        start = at // size * size
        data[start : start + size] = bytes(len(data[start : start + size]))
    elif kind == "cut":
        del data[at:]
    if kind != "gone":
        path.write_bytes(data)
    return f"{kind} {path.name}:{at}"


def _properties(directory: Path, random: Random) -> str:
    path = directory / "service.properties"
    if random.random() < 0.5:
        path.unlink()
        return "without service.properties"
    path.write_bytes(path.read_bytes()[: random.randrange(600)])
    return "service.properties is cut"


def damage(directory: Path, random: Random) -> str:
    """Damage a database; return what was done."""
    kinds = (_in_log, _next_file, _missing_log, _controls, _page, _properties)
    weights = (60, 12, 6, 10, 9, 3)
    done = [random.choices(kinds, weights)[0](directory, random)]
    if random.random() < 0.15 and _log_files(directory):
        done.append(_in_log(directory, random))
    return ", ".join(done)


# Trials.


@dataclass
class Trial:
    """One damaged database, and what became of it."""

    base: Path
    seed: int
    place: Path
    what: str = ""
    form: str = ""
    wanted: dict[str, Counter[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    #: Whether the report has transactions that are undone: without control files Derby keeps what pages have.
    undone: bool = False

    @property
    def old(self) -> Path:
        return self.place / "old"

    @property
    def new(self) -> Path:
        return self.place / "new"

    def prepare(self) -> None:
        """Make the damaged database and the new store, and hold them against each other."""
        shutil.copytree(self.base, self.old)
        self.what = damage(self.old, Random(f"{self.base.name}-{self.seed}"))
        before = {path: path.read_bytes() for path in sorted(self.old.rglob("*")) if path.is_file()}
        try:
            answer = opened(self.old)
            store = new_store(answer, Choices())
        except CannotRebuild as error:
            self.form = f"none: {error}"
            return
        put(store, self.new)
        lost = {item.code for item in (*store.left_out(), *store.unverified())}
        gone = not any((self.old / "log" / name).is_file() for name in ("log.ctrl", "log1.dat"))
        self.undone = "rolled-back" in lost and gone
        [*store.chosen()]
        after = {path: path.read_bytes() for path in sorted(self.old.rglob("*")) if path.is_file()}
        if before != after:
            self.problems.append("the old database was changed")
        found = contents_of(answer)
        self.wanted = told(found)
        carried = {count.name: count.rows for count in store.carried()}
        if carried != {title: rows.total() for title, rows in self.wanted.items()}:
            self.problems.append(f"carried {carried}")
        if isinstance(store, Rows):
            self.form = "rows"
            return
        self.form = "database"
        again = opened(self.new, "strict")
        if again.observation.verdict != "clean":
            self.problems.append(f"new: {again.observation.verdict} {again.observation.message}")
        elif comparable(again) != comparable(answer):
            self.problems.append("contents differ")

    def nameless(self, title: str) -> bool:
        """Tell whether the catalogue does not have a table, or not its columns."""
        return title.startswith("?.") or any(row == "[]" for row in self.wanted[title])

    def judge(self, old: Any, new: Any) -> None:
        """Hold the product's word on both against the contents."""
        if "refused" in new:
            self.problems.append(f"new: {new['refused']}")
            return
        if new.get("errors"):
            self.problems.append(f"{new['errors']} errors of the script")
        got = {title: Counter(map(json.dumps, rows)) for title, rows in new["tables"].items()}
        for title in self.wanted:
            # Of a table that the catalogue does not have, columns have other types: what is in them is.
            if self.nameless(title):
                got[title] = Counter({"": got.get(title, Counter()).total()})
                self.wanted[title] = Counter({"": self.wanted[title].total()})
        if got != self.wanted:
            differ = [title for title in {*got, *self.wanted} if got.get(title) != self.wanted.get(title)]
            self.problems.append(f"the product's rows differ: {sorted(differ)}")
        if old is not None and "refused" not in old and not self.undone:
            for title, rows in old["tables"].items():
                if len(rows) > got.get(title, Counter()).total():
                    self.problems.append(f"{title}: {len(rows)} rows in the old one")


def told(found: Contents) -> dict[str, Counter[str]]:
    """Return the rows of the tables of users as :mod:`derby_rows` has them, each as JSON."""
    out = {}
    for title in (
        str(row["schema"]) + "." + str(row["table"])
        for row in found.rows("tables")
        if row["kind"] != "system"
    ):
        columns = found.tables[title].columns
        out[title] = Counter(
            json.dumps([_as_told(row[column.name], column) for column in columns])
            for row in found.rows(title)
        )
    return out


def _as_told(value: Any, column: Column) -> str | None:
    if value is None:
        return None
    if isinstance(value, float):
        return struct.pack(">f" if column.doc.startswith("REAL") else ">d", value).hex()
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text.lower() if isinstance(value, bool) else text


def product(name: str, requests: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what a product says of databases; it runs in a process of its own."""
    lines = "".join(json.dumps(each) + "\n" for each in requests)
    with tempfile.TemporaryFile("w+") as errors:
        done = subprocess.run(
            [sys.executable, str(PROGRAM), name],
            input=lines,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            check=False,
        )
        errors.seek(0)
        said = errors.read()
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(found) == len(lines.splitlines()), said[-3000:]
    yield from found


def run(name: str, bases: Sequence[Path], seeds: Iterable[int], place: Path) -> list[Trial]:
    """Make trials of databases of one product, and let the product judge all of them."""
    trials = [Trial(bases[seed % len(bases)], seed, place / str(seed)) for seed in seeds]
    requests: list[dict[str, Any]] = []
    scripts: list[dict[str, Any]] = []
    for trial in trials:
        trial.prepare()
        if trial.form == "database":
            requests += [{"database": str(trial.old)}, {"database": str(trial.new)}]
        elif trial.form == "rows":
            requests.append({"database": str(trial.old)})
            scripts.append({"database": str(trial.place / "made"), "script": str(trial.new / "rows.sql")})
    answers, made = product(name, requests), product(SCRIPTS, scripts) if scripts else iter(())
    for trial in trials:
        if trial.form in ("database", "rows"):
            old = next(answers)
            trial.judge(old, next(answers) if trial.form == "database" else next(made))
    return trials
