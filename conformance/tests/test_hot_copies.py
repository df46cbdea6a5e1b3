"""Tests copies that are made while a broker runs.

Such a copy has no wrong record. If its files are from different times, it is not clean.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from journalspec.observation import CLEAN, Observation
from journalspec_reference.answers import ask
from journalspec_reference.filesets import FilesetError, find_journals, load
from programs import until
from tables import table

#: Stores of brokers. A default run uses one store of each version, alternately after a halt and after a stop.
STORES = table("field")["stores"]
IN_TURN = [name for number, name in enumerate(STORES) if number % 4 in (0, 3)]

TOOL = Path(__file__).parents[2] / "tools" / "stores.py"
#: This number of messages fills half a dozen files, and leaves time for COPIES copies while they are written.
MESSAGES = 6_000
COPIES = 4
#: The longest wait for a broker in seconds. A halted broker no longer writes, so its files determine which
#: records of a copy are right.
SECONDS = 120


def broker(tool: ModuleType, ask: Callable[[], Any]) -> Any:
    """Return the result of `ask` on the tool; skip the test if the broker cannot be obtained."""
    if not (shutil.which("java") and shutil.which("mvn") and shutil.which("tar")):
        pytest.skip("needs Java, Maven and tar")
    try:
        return ask()
    except tool.StoreError as error:
        pytest.skip(f"the broker could not be fetched: {str(error).splitlines()[0]}")


def copies(store: Path, target: Path, process: subprocess.Popen[bytes]) -> Iterator[Path]:
    """Yield copies of a directory in use: file by file in either order of names, or as an archive."""
    for number in range(COPIES):
        until(lambda: process.poll() is not None or (store.is_dir() and any(store.iterdir())), SECONDS)
        if process.poll() is not None:
            return
        copy = target / str(number)
        copy.mkdir()
        if number % 3 == 2:
            # Files may disappear while tar reads them: the copy contains the files that tar has read.
            archive = target / f"{number}.tar"
            subprocess.run(["tar", "-cf", archive, "-C", store, "."], check=False, capture_output=True)  # noqa: S607
            subprocess.run(["tar", "-xf", archive, "-C", copy], check=False, capture_output=True)  # noqa: S607
        else:
            for path in sorted(store.iterdir(), reverse=number % 3 == 1):
                try:
                    shutil.copyfile(path, copy / path.name)
                except OSError:
                    continue
                time.sleep(0.02)
        yield copy
        time.sleep(0.1)


def seen_of(directory: Path) -> Observation | None:
    try:
        (journal,) = find_journals(load(directory))
    except FilesetError:
        return None
    return ask(journal).observation


@pytest.mark.product
@pytest.mark.java
@pytest.mark.parametrize(
    ("product", "version", "below"),
    [("kahadb", "6.1.7", "."), ("artemis", "2.44.0", "journal"), ("derby", "10.14.2.0", "log")],
)
def test_copies_of_a_running_broker_are_readable(
    tool: ModuleType, product: str, version: str, below: str, tmp_path: Path
) -> None:
    java, *words = broker(tool, lambda: tool.command(product, version, tmp_path))
    store = tmp_path / "store"
    with subprocess.Popen(
        [java, *tool.QUICK, *words, str(store), str(MESSAGES), "1", "halt"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        (tmp_path / "copies").mkdir()
        made = [*copies(store / below, tmp_path / "copies", process)]
        assert process.wait(SECONDS) == 0
    assert len(made) >= 3
    final = seen_of(store / below)
    assert final is not None
    true = {(record.at.file, record.at.off): record for record in final.records}
    ends = {record.at.file: record.at.off for record in final.records}  # The last record of each file.
    for copy in made:
        seen = seen_of(copy)
        if seen is None:
            continue
        for record in seen.records:
            # Files that were reclaimed or rewritten since the copy cannot be compared with it.
            at = record.at
            if at.file in ends and at.off <= ends[at.file] and product != "artemis":
                assert true[at.file, at.off] == record, copy.name
        if seen.verdict == CLEAN:
            assert whole(seen, final), f"{copy.name}: clean, although records of an earlier file are missing"


def whole(seen: Observation, final: Observation) -> bool:
    """Return whether a copy has all records up to its last record.

    These must be a prefix of the written records.
    """
    files = [entry.file for entry in seen.files]
    known = {(record.at.file, record.at.off) for record in seen.records}
    last = {file: max((off for name, off in known if name == file), default=-1) for file in files}
    newest = [file for file in files if last[file] >= 0][-1:]
    return all(
        (record.at.file, record.at.off) in known
        for record in final.records
        if record.at.file in last and [record.at.file] != newest and record.at.off <= last[record.at.file]
    )


@pytest.mark.product
@pytest.mark.java
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in IN_TURN else [pytest.mark.whole]) for name in STORES]
)
def test_store_that_a_broker_wrote_is_clean(tool: ModuleType, name: str) -> None:
    product, version, end = name.split("-")
    store = broker(tool, lambda: tool.written(product, version, end=end))
    for directory in [store / "journal", store / "bindings"] if product == "artemis" else [store]:
        for journal in find_journals(load(directory)):
            for policy in (None, "strict"):
                seen = ask(journal, policy).observation
                assert (seen.verdict, [*seen.missing]) == (CLEAN, []), (journal.format, policy)
