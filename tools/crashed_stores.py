"""Lets brokers write stores, kills the brokers, and compares contents with the data of the restarted broker.

    python tools/crashed_stores.py hornetq 2.4.9.Final --count 20 --seed 1
    python tools/crashed_stores.py kahadb 6.1.7 --count 1 --messages 100000
    python tools/crashed_stores.py derby 10.16.1.1 --count 5

The product's program of ``tools/stores`` writes each store with its own seed. The first store is written to
its end. For the others, the process is killed (SIGKILL) after a random part of the time that the first one
took. The product is started on a copy and delivers all its data: queues, messages with their fields, bodies
and due times, subscriptions, and branches in doubt. The contents of the store, read before that start, must
be the same. A database of Derby contains random tables with rows of all types. Its files are copied during
the work, as a crash leaves them, and all rows of all tables are queried with SQL. A seed repeats the traffic,
but not the moment of the kill. Exit status: 0 all are the same; 1 one differs; 2 usage. Needs Java 17 or
newer and Maven, or jars that were fetched before.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random

import stores
from newstore import derby_log

from journalspec.formats import get_format
from journalspec_reference.answers import Answer, ask
from journalspec_reference.filesets import find_journals, load

#: Product of ``tools/stores`` -> the format that it writes, and the directory of its journal.
FORMATS = {
    "artemis-core": ("jboss_journal", "journal"),
    "artemis-1": ("jboss_journal", "journal"),
    "hornetq": ("jboss_journal", "journal"),
    "kahadb": ("kahadb_journal", ""),
    "derby": ("derby_log", "log"),
}
SECONDS = 3600
#: The time between two polls of a process that will be killed (seconds).
TICK = 0.02


def classes(name: str, version: str, target: Path) -> list[str]:
    """Compile the program of a product once; return its command without arguments."""
    java, *words = stores.command(name, version, target)
    source = words.pop()
    path = words[words.index("-cp") + 1]
    quick = ["-J-XX:TieredStopAtLevel=1", "-nowarn", "-XDsuppressNotes"]
    # The program's classes have no package, and shared classes are in the same file.
    javac = str(shutil.which("javac"))
    subprocess.run(
        [javac, *quick, "-d", str(target), "-cp", path, source], check=True, capture_output=True, text=True
    )
    words[words.index("-cp") + 1] = f"{target}:{path}"
    return [java, *stores.QUICK, *words, Path(source).stem]


def written(command: list[str], place: Path, messages: int, seed: int, journal: str, after: float) -> float:
    """Write a store; kill the process `after` seconds after its journal exists (0: let it run to its end).

    Return the time (seconds) since the journal existed.
    """
    with tempfile.TemporaryFile() as output:
        words = [*command, str(place), str(messages), str(seed), "halt"]
        process = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT)
        begin, end = 0.0, time.monotonic() + SECONDS
        while process.poll() is None and time.monotonic() < end:
            there = begin or sum(path.stat().st_size > 0 for path in (place / journal).glob("*.*")) > 1
            begin = begin or (time.monotonic() if there else 0.0)
            if after and begin and time.monotonic() >= begin + after:
                break
            time.sleep(TICK)
        killed = process.poll() is None
        process.kill()
        if process.wait() and not killed:
            output.seek(0)
            raise stores.StoreError(output.read().decode(errors="replace")[-2000:])
    return time.monotonic() - begin


def read(place: Path) -> Answer:
    """Return the result of recovery of a store."""
    (journal,) = find_journals(load(place))
    return ask(journal, get_format(journal.format).keeps_most)


#: For a store: its seed, its place, its description, and the differences between our contents and the
#: product's data.
Compared = tuple[int, Path, str, str]


def _databases(scratch: Path, given: argparse.Namespace) -> Iterator[Compared]:
    """Let Derby make databases, and compare the tables in our contents with the results of Derby's SQL."""
    with derby_log.Derby(f"derby-{given.version}") as derby:
        for seed in range(given.seed, given.seed + given.count):
            place, copy = scratch / str(seed), scratch / f"{seed}.copy"
            derby.ask({"database": str(place), "seed": seed, "drawn": True})
            wanted = derby_log.told(derby_log.contents_of(read(place / FORMATS["derby"][1])))
            shutil.copytree(place, copy)
            why = derby_log.difference(derby.ask({"database": str(copy)}), wanted)
            rows = sum(each.total() for each in wanted.values())
            yield seed, place, f"{len(wanted)} tables, {rows} rows", why


def _brokers(scratch: Path, given: argparse.Namespace) -> Iterator[Compared]:
    """Let a broker write each store and kill it, then restart the broker on all of them."""
    format_id, journal = FORMATS[given.product]
    random, target = Random(given.seed), scratch / "classes"
    target.mkdir()
    command = classes(given.product, given.version, target)
    places = [scratch / str(number) for number in range(given.count)]
    whole, taken = 0.0, []
    for seed, place in enumerate(places, given.seed):
        after = random.random() * whole
        taken.append(written(command, place, given.messages, seed, journal, after))
        whole = whole or taken[0]
    pairs = [(place, read(place / journal)) for place in places]
    found = import_module(f"newstore.{format_id}").restarted(pairs, given.product, given.version)
    for number, why in enumerate(found):
        yield given.seed + number, places[number], f"{taken[number]:.1f} s", why


def main() -> int:
    """Write and compare; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("product", choices=FORMATS)
    parser.add_argument("version")
    parser.add_argument("--count", type=int, default=20, help="number of stores (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first store (%(default)s)")
    parser.add_argument("--messages", type=int, default=300, help="messages in each store (%(default)s)")
    parser.add_argument("--keep", type=Path, help="copy stores that differ to this directory")
    given = parser.parse_args()
    compared, wrong = _databases if given.product == "derby" else _brokers, 0
    with tempfile.TemporaryDirectory(prefix="crashed-") as scratch:
        for seed, place, about, why in compared(Path(scratch), given):
            wrong += bool(why)
            print(f"seed {seed}: {about}: {why or 'the same'}", flush=True)
            if why and given.keep:
                shutil.copytree(place, given.keep / f"{given.product}-{given.version}-{seed}")
    print(f"{given.product} {given.version}: {given.count} stores, {wrong} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
