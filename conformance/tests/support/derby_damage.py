"""Damaged Derby databases, and new ones that are made from them.

A trial consists of a database as a crash leaves it (the base), and a seed that determines the damage.
"""

from __future__ import annotations

import shutil
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from newstore.derby_log import contents_of, difference, live, told

from journalspec_reference.answers import Answer, ask
from journalspec_reference.derby_log.newstore import OnlyRows
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.newstore import CannotRebuild, NewStore, StoreChoices, new_store


def opened(directory: Path, policy: str = "default") -> Answer:
    """Return the result of recovery for a database, or for a directory with a log."""
    log = directory / "log"
    (journal,) = find_journals(load(log if log.is_dir() else directory), "derby_log")
    return ask(journal, policy)


def put(store: NewStore, target: Path) -> None:
    """Write the files of a new store."""
    for file in store.files():
        path = target / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(file.parts))


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
    near = (1, 40, 300, 5000)
    at = used - min(used, random.choice(near)) if random.random() < 0.5 else random.randrange(used)
    kind = random.choice(("cut", "zeros", "ones", "sector", "bit", "bytes", "hole"))
    start, end = {"sector": (at // 512 * 512, at // 512 * 512 + 512), "hole": (at, at + 37)}.get(
        kind, (at, len(data))
    )
    if kind == "cut":
        del data[at:]
    elif kind == "bit":
        data[at] ^= 1 << random.randrange(8)
    elif kind == "bytes":
        data[at : at + 3] = random.randbytes(len(data[at : at + 3]))
    else:
        data[start:end] = (b"\xff" if kind == "ones" else b"\0") * len(data[start:end])
    path.write_bytes(data)
    return f"{kind} {path.name}:{at}"


def _next_file(directory: Path, random: Random) -> str:
    """Create a next file that has a few bytes, only a header, or a wrong link."""
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
    """Damage a database; return a description of the damage."""
    kinds = (_in_log, _next_file, _missing_log, _controls, _page, _properties)
    weights = (60, 12, 6, 10, 9, 3)
    done = [random.choices(kinds, weights)[0](directory, random)]
    if random.random() < 0.15 and _log_files(directory):
        done.append(_in_log(directory, random))
    return ", ".join(done)


# Trials.


@dataclass
class Trial:
    """A damaged database and the outcome: `form` is ``database``, ``rows``, or the reason of a refusal."""

    base: Path
    seed: int
    place: Path
    what: str = ""
    form: str = ""
    wanted: dict[str, Counter[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    #: True: this project undoes transactions that Derby does not undo. Without control files, Derby begins a
    #: new log.
    undone: bool = False

    @property
    def old(self) -> Path:
        """The damaged database."""
        return self.place / "old"

    @property
    def new(self) -> Path:
        """The new database, or the script."""
        return self.place / "new"

    def prepare(self) -> None:
        """Make the damaged database and the new store, and compare them."""
        shutil.copytree(self.base, self.old)
        self.what = damage(self.old, Random(f"{self.base.name}-{self.seed}"))
        before = _bytes(self.old)
        answer = opened(self.old)
        try:
            store = new_store(answer, StoreChoices())
        except CannotRebuild as error:
            self.form = str(error)
            return
        put(store, self.new)
        lost = {item.code for item in (*store.left_out(), *store.unverified())}
        # Without log.ctrl Derby does not read the mirror (logmirror.ctrl).
        unnamed = any(note.code == "no-control" for note in answer.observation.notes)
        unnamed |= not (self.old / "log" / "log.ctrl").is_file()
        begun = (self.old / "log" / "log1.dat").is_file()
        self.undone = "rolled-back" in lost and unnamed and not begun
        if _bytes(self.old) != before:
            self.problems.append("the old database was changed")
        self.wanted = told(contents_of(answer))
        carried = {count.name: count.rows for count in store.carried()}
        if carried != {title: rows.total() for title, rows in self.wanted.items()}:
            self.problems.append(f"carried {carried}")
        self.form = "rows" if isinstance(store, OnlyRows) else "database"
        if self.form == "database":
            again = opened(self.new, "strict")
            if again.observation.verdict != "clean":
                self.problems.append(f"new: {again.observation.verdict} {again.observation.message}")
            elif live(again) != live(answer):
                self.problems.append("contents differ")

    def requests(self) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return two questions to the product: about the old database, and about the new store."""
        new = {"database": str(self.new if self.form == "database" else self.place / "made")}
        if self.form == "rows":
            new["script"] = str(self.new / "rows.sql")
        return {"database": str(self.old)}, new if self.form in ("database", "rows") else None

    def judge(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Compare the product's rows of the old and of the new database with the contents."""
        if wrong := difference(new, self.wanted):
            self.problems.append(f"the product: {wrong}")
        elif not self.undone:
            for title, rows in old.get("tables", {}).items():
                if len(rows) > len(new["tables"].get(title, ())):
                    self.problems.append(f"{title}: {len(rows)} rows in the old database")


def _bytes(directory: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}
