"""Repeats experiments with damaged logs, to show a deviation.

``python -m journalspec_conformance.harnesses.derby_log.programs experiment --product ID [--id GLOB]``

An experiment boots a database with a damaged log and prints the result. The table ``experiments.toml`` also
contains the recorded results. All boots happen in one process.
"""

from __future__ import annotations

import fnmatch
import shutil
import struct
from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses import table
from journalspec_conformance.harnesses.derby_log import harness
from journalspec_conformance.harnesses.derby_log.harness import TABLES, Database, Statements
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Thrown
from journalspec_conformance.harnesses.product import Exceptions, run_program
from journalspec_conformance.harnesses.scenarios import Table
from journalspec_conformance.products import Product
from journalspec_conformance.programs import scratch
from journalspec_corpus.derby_log import naive
from journalspec_corpus.derby_log.author import seal
from journalspec_corpus.edits import Built, Range, apply
from journalspec_reference.derby_log.fileset import gather, number_of

_LAST = 16
#: The labels for places in both control files.
_CONTROLS = {
    f"{label}{part}": Range(file, off, length)
    for label, file in (("control", "log.ctrl"), ("mirror", "logmirror.ctrl"))
    for part, off, length in (("", 0, naive.CONTROL), (".checkpoint", 8, 8), (".checksum", 40, 8))
}
Json = dict[str, Any]


class Experiments:
    """The experiments on one product, in the running JVM; `place` is a directory for their files."""

    def __init__(self, product: Product, place: Path) -> None:
        """Read the table. No file is created yet."""
        self.told = table(__package__, "experiments.toml")
        self._product = product
        self._place = place
        self._logs: dict[str, Path] = {}

    def log(self, name: str) -> Path:
        """Return the directory of an undamaged log, which is created only once."""
        if name not in self._logs:
            told = self.told["logs"][name]
            work = self._place / f"{name}.work"
            work.mkdir()
            self._logs[name] = self._life(work, self._place / name, told["params"], told["do"])
        return self._logs[name]

    def _life(
        self, work: Path, kept: Path, params: Mapping[str, str], lines: list[Any], **values: Any
    ) -> Path:
        """Do the operations in `lines`, and copy the files before closing the database, as after a crash."""
        session, scenario = Statements(work, params, self._product.edition), Table(__package__)
        session.apply({"op": "open"})
        for op in (op for line in lines for op in scenario.ops(line, **values)):
            session.apply(op)
        shutil.copytree(work, kept, symlinks=True)
        session.apply({"op": "close"})
        return kept

    def seen(self, entry: Json) -> str:
        """Return one line on the product's reaction to the damaged log of `entry`."""
        start = self.log(entry["log"])
        params = self.told["logs"][entry["log"]]["params"]
        with scratch(memory=True) as place:
            work = place / "log"
            shutil.copytree(start, work, symlinks=True)
            log = self._built(start)
            for edit in entry["do"]:
                damage(log, edit)
            for path in work.glob("log*.*"):
                path.unlink()
            for name, data in log.files.items():
                (work / name).write_bytes(data)
            first = self._booted(work, entry, params)
            if "then" not in entry:
                return first
            try:
                kept = self._second(work, entry, params, log)
                return f"{first}; then {self._booted(kept, entry, params)}"
            except Thrown as thrown:
                return f"{first}; then {thrown.name}"

    def _second(self, work: Path, entry: Json, params: Mapping[str, str], log: Built) -> Path:
        """Return the files after a second run; the length of {pad} makes the log end at `fit`."""
        pad = 100
        for turn in range(1 + ("fit" in entry)):
            again = work.with_name(f"again{turn}")
            shutil.copytree(work, again, symlinks=True)
            kept = self._life(again, work.with_name(f"kept{turn}"), params, entry["then"], pad="x" * pad)
            if "fit" in entry:
                name, off = log.place(entry["fit"])
                pad += off - self._built(kept).range(f"{Path(name).stem}.groups").end
        return kept

    def _built(self, place: Path) -> Built:
        """Return the files of a log, with labels for the groups that were added to the base."""
        files = {path.name: bytearray(path.read_bytes()) for path in sorted(place.glob("log*.*"))}
        built = Built(files, dict(_CONTROLS))
        for number, file in gather(files).items():
            before = harness.base(self._product.edition) / "log" / file.name
            start = before.stat().st_size if before.is_file() else naive.HEADER
            built.labels |= groups(number, bytes(file.data), start, self._product.edition)
        return built

    def _booted(self, work: Path, entry: Json, params: Mapping[str, str]) -> str:
        name = entry.get("left", "log1.dat")
        before = (work / name).read_bytes() if (work / name).is_file() else b""
        with harness.database_of(work, self._product.edition) as copy:
            harness.configure(params)
            try:
                database = Database(copy)
            except Thrown as thrown:
                return thrown.name
            try:
                path = copy / "log" / name
                after = path.read_bytes() if path.is_file() else None
                state, said = database.state(), database.said()
            except Thrown as thrown:
                return f"boots, then {thrown.name}"
            finally:
                database.stop()
        noted = {note.partition(":")[0] for note in Exceptions(__package__).notes(said)}
        told = "+".join(sorted(noted)) or "nothing said"
        rows = [ranges([int(row["key"]) for row in state["rows"] if row["table"] == one]) for one in TABLES]
        doubt = f" | {len(state['in_doubt'])} in doubt" if state["in_doubt"] else ""
        return f"{' | '.join(rows)}{doubt}; {told}; {left(before, after)}"


def left(before: bytes, after: bytes | None) -> str:
    """Return a word on what happened to the last bytes of a file: gone, same, written or cleared."""
    if after is None:
        return "gone"
    last = slice(max(0, len(before) - _LAST), len(before))
    if after[last] == before[last]:
        return "same"
    return "written" if any(after[last]) else "cleared"


def ranges(numbers: list[int]) -> str:
    """Return numbers in words: ``1-5 7``, or ``none``."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(sorted(numbers)), lambda item: item[1] - item[0])
    ]
    return " ".join(f"{run[0]}-{run[-1]}" if run[1:] else f"{run[0]}" for run in runs) or "none"


def groups(number: int, data: bytes, start: int, edition: str) -> Iterator[tuple[str, Range]]:
    """Yield the labels of a log file, and of the groups that begin in it from `start` on."""
    log = naive.Log({number: data}, edition)
    stem, name = f"log{number}", log.name(number)
    records, end, _ = log.run(number, start)
    begins = [int(record["at"]["off"]) for record in records if record["type"] == "CHECKSUM"]
    yield stem, Range(name, 0, len(data))
    yield f"{stem}.groups", Range(name, start, end - start)
    for turn, (off, behind) in enumerate(pairwise([*begins, end]), start=1):
        yield f"{stem}.g{turn}", Range(name, off, behind - off)


def damage(log: Built, edit: Json) -> None:
    """Do one edit of the table."""
    if "checkpoint" in edit:
        name, off = log.place(edit["checkpoint"])
        log.put(log.range(f"{edit['of']}.checkpoint"), struct.pack(">ii", number_of(name), off))
    else:
        apply(log, edit, lambda name: log, seal)


def experiment(product: Product, *, id: str = "*") -> bool:  # `id` is the name of the command-line option.
    """Return whether the results on `product` are still those in the table of experiments."""
    jvm.start(product)
    other = 0
    with scratch(memory=True) as place:
        made = Experiments(product, place)
        for entry in made.told["experiment"]:
            if fnmatch.fnmatch(entry["id"], id):
                seen, known = made.seen(entry), entry.get("on", {}).get(product.id, entry.get("seen", ""))
                other += seen != known
                told = f", not {known}" if seen != known else ""
                print(f"{entry['id']} ({entry['title']}): {seen}{told}")
    return other == 0


if __name__ == "__main__":
    run_program({"experiment": experiment})
