"""What real Derby does with damaged logs, by the table ``experiments.toml``, which also holds what was seen.

``python -m journalspec_conformance.harnesses.derby_log.experiments --product ID`` boots each damaged log and
prints what it sees; 1 if that is not what the table has. All boots happen in one process.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import shutil
import struct
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from journalspec.kept import scratch
from journalspec_conformance.harnesses.capture import Table
from journalspec_conformance.harnesses.derby_log.harness import (
    Database,
    Derby,
    Statements,
    base,
    configure,
    database_of,
    notes,
)
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Thrown
from journalspec_conformance.harnesses.product import table
from journalspec_conformance.products import Product, get_product

_HEADER, _WRAPPER, _CHECKSUM_BODY, _LAST = 24, 16, 21, 16
Json = dict[str, Any]


class Experiments:
    """The experiments on one product, in the running JVM; `place` is a directory for their files."""

    def __init__(self, product: Product, place: Path) -> None:
        """Read the table; nothing is made yet."""
        self.told = table(__package__, "experiments.toml")
        self.entries: list[Json] = self.told["experiment"]
        self._driver = Derby(product, None)
        self._product = product
        self._place = place
        self._logs: dict[str, Path] = {}

    def log(self, name: str) -> Path:
        """Return the directory of a log before anything is done to it; it is made once."""
        if name not in self._logs:
            told = self.told["logs"][name]
            work = self._place / f"{name}.work"
            work.mkdir()
            self._logs[name] = self._life(work, self._place / name, told["params"], told["do"])
        return self._logs[name]

    def _life(
        self, work: Path, kept: Path, params: Mapping[str, str], lines: list[Any], **values: Any
    ) -> Path:
        """Do what `lines` say, and keep what is in the files then: what a crash would leave of them."""
        session, scenario = Statements(work, params, self._product.edition), Table(__package__)
        session.apply({"op": "open"})
        for op in (op for line in lines for op in scenario.ops(line, **values)):
            session.apply(op)
        shutil.copytree(work, kept, symlinks=True)
        session.apply({"op": "close"})
        return kept

    def seen(self, entry: Json) -> str:
        """Return what the product does with the log of `entry`, damaged, in one line."""
        start = self.log(entry["log"])
        params = self.told["logs"][entry["log"]]["params"]
        with scratch(memory=True) as place:
            work = place / "log"
            shutil.copytree(start, work, symlinks=True)
            places = {path.name: self._positions(path) for path in start.glob("log*.dat")}
            for line in entry["do"]:
                damage(work, line, places)
            first = self._booted(work, entry, params)
            if "then" not in entry:
                return first
            try:
                return (
                    f"{first}; then {self._booted(self._second(work, entry, params, places), entry, params)}"
                )
            except Thrown as thrown:
                return f"{first}; then {thrown.name}"

    def _second(
        self, work: Path, entry: Json, params: Mapping[str, str], places: Mapping[str, Mapping[str, int]]
    ) -> Path:
        """Return the files after a second life; {pad} is as long as it takes to get to the place `fit`."""
        pad = 100
        for turn in range(1 + ("fit" in entry)):
            again = work.with_name(f"again{turn}")
            shutil.copytree(work, again, symlinks=True)
            kept = self._life(again, work.with_name(f"kept{turn}"), params, entry["then"], pad="x" * pad)
            if "fit" in entry:
                name, _, label = entry["fit"].partition(" ")
                pad += places[name][label] - self._positions(kept / name)["end"]
        return kept

    def _positions(self, path: Path) -> dict[str, int]:
        """Return where the groups are that were added to the base."""
        before = base(self._product.edition) / "log" / path.name
        return positions(path, before.stat().st_size if before.is_file() else _HEADER)

    def _booted(self, work: Path, entry: Json, params: Mapping[str, str]) -> str:
        name = entry["do"][0].split()[1]
        before = (work / name).read_bytes() if (work / name).is_file() else b""
        with database_of(work, self._product.edition) as copy:
            configure(params)
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
        told = "+".join(sorted({note.partition(":")[0] for note in notes(said)})) or "nothing said"
        rows = [
            ranges([int(row["key"]) for row in state["rows"] if row["table"] == kind]) for kind in ("T", "U")
        ]
        doubt = f" | {len(state['in_doubt'])} in doubt" if state["in_doubt"] else ""
        return f"{rows[0]} | {rows[1]}{doubt}; {told}; {left(before, after)}"


def left(before: bytes, after: bytes | None) -> str:
    """Return what became of the last bytes that a file had."""
    if after is None:
        return "gone"
    last = slice(max(0, len(before) - _LAST), len(before))
    if after[last] == before[last]:
        return "same"
    return "written" if any(after[last]) else "cleared"


def ranges(numbers: list[int]) -> str:
    """Return numbers in words: ``1-5 7``, or ``none``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs) or "none"


def positions(path: Path, start: int) -> dict[str, int]:
    """Return where the groups of a log file begin and end, from `start` on."""
    data, at, count = path.read_bytes(), start, 0
    number = int(path.stem.removeprefix("log"))
    found: dict[str, int] = {"eof": len(data)}
    while at + 12 <= len(data):
        length, *instant = struct.unpack_from(">iii", data, at)
        if length <= 0 or instant != [number, at]:
            break
        # A checksum record, the operation 453, is the first of its group.
        if length == _CHECKSUM_BODY and data[at + 18 : at + 20] == b"\x01\xc5":
            found[f"g{count}.end"] = at
            count += 1
            found[f"g{count}"] = at
        at += length + _WRAPPER
    found[f"g{count}.end"] = found["end"] = at
    return found


def damage(work: Path, line: str, places: Mapping[str, Mapping[str, int]]) -> None:
    """Do one line of the table to the files in `work`."""
    word, name, *given = line.split()
    path = work / name
    data = bytearray(path.read_bytes()) if path.is_file() else bytearray()

    def at(text: str) -> int:
        start, _, more = text.partition("+")
        return (int(start) if start.isdigit() else places[name][start]) + int(more or 0)

    def content(text: str) -> bytes:
        part, _, count = text.partition("*")
        return bytes.fromhex(part) * int(count or 1)

    def replace(start: int, new: bytes) -> None:
        data[start : start + len(new)] = new

    def checkpoint(number: str, label: str) -> None:
        off = int(label) if label.isdigit() else places["log1.dat"][label]
        replace(8, struct.pack(">ii", int(number), off))
        replace(40, struct.pack(">q", zlib.crc32(data[:40])))

    deeds: Mapping[str, Callable[..., None]] = {
        "fill": lambda start, end, byte: replace(at(start), content(byte) * (at(end) - at(start))),
        "flip": lambda where: replace(at(where), bytes([data[at(where)] ^ 1])),
        "put": lambda where, new: replace(at(where), content(new)),
        "cut": lambda where: data.__delitem__(slice(at(where), None)),
        "append": lambda new: data.extend(content(new)),
        "copy": lambda source: replace(0, (work / source).read_bytes()),
        "checkpoint": checkpoint,
        "remove": data.clear,
    }
    deeds[word](*given)
    path.unlink(missing_ok=True)
    if word != "remove":
        path.write_bytes(data)


def expected(entry: Json, product: Product) -> str:
    """Return what the table says that `product` shows."""
    found: str = entry.get("on", {}).get(product.id, entry.get("seen", ""))
    return found


def run(product: Product, select: str = "*") -> Iterator[tuple[Json, str]]:
    """Yield each experiment with what `product` does, in the running JVM."""
    with scratch(memory=True) as place:
        made = Experiments(product, place)
        for entry in made.entries:
            if fnmatch.fnmatch(entry["id"], select):
                yield entry, made.seen(entry)


def main() -> int:
    """Print what is seen; 1 if the table has something else."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--product", required=True)
    parser.add_argument("--select", default="*", help="glob over the ids of experiments")
    options = parser.parse_args()
    product = get_product(options.product)
    jvm.start(product)
    begin, other, count = time.monotonic(), 0, 0
    for entry, seen in run(product, options.select):
        wrong = seen != expected(entry, product)
        count, other = count + 1, other + wrong
        print(f"{entry['id']}: {seen}" + (f" (the table: {expected(entry, product)})" if wrong else ""))
    seconds = time.monotonic() - begin
    print(f"{product.id}: {count} boots in {seconds:.1f} s, {other} not as in the table", file=sys.stderr)
    return int(other > 0)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # threads of the product do not end
