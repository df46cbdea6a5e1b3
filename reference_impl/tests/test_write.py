"""Writers of all formats: misuse, directories, and the order in which changes become durable.

Cases test which bytes writers write and which operations they refuse; crash tiers test the possible losses
after a stop.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from journalspec.formats import format_ids, get_format
from journalspec_reference import load
from journalspec_reference.storage import DirectoryStorage, MemoryStorage
from tables import literals

ROWS = literals(__file__)

Operation = dict[str, Any]
OPEN, FORCE, FLUSH, CLOSE = {"op": "open"}, {"op": "force"}, {"op": "flush"}, {"op": "close"}


def log(number: int, kind: str = "COMMITTING", *names: str) -> Operation:
    return {"op": "log", "type": kind, "gtrid": f"{number:02x}" * 16, "names": list(names or ("db1", "jms1"))}


class Recorder(MemoryStorage):
    """Storage in memory that records a copy before each change, and lists the changes and fsyncs."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []
        self.images: list[dict[str, bytes]] = []

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in ("create", "write", "truncate", "rename", "unlink", "sync", "sync_dir"):
            return found

        def noted(*arguments: Any) -> Any:
            self.images.append(content(self))
            said = (len(item) if isinstance(item, bytes) else item for item in arguments)
            self.calls.append((name, *said))
            return found(*arguments)

        return noted


def content(storage: MemoryStorage) -> dict[str, bytes]:
    return {name: bytes(data) for name, data in storage.files.items()}


def opened(format_id: str, edition: str, storage: Any, params: dict[str, str], *ops: Operation) -> Any:
    writer = load(format_id).writer(storage, edition=edition, params=params)
    for op in (OPEN, *ops):
        writer.apply(op)
    return writer


def add(number: int, size: int = 1) -> Operation:
    return {"op": "add", "id": str(number), "body": "aa" * size}


TLOG = {"file_length": "512", "clock": "1000"}
JOURNAL = {"file_size": "1024"}
SMALL = {"max_file_length": "512"}
COMPACTING = ("s2", "v1", "v2", "v2e")

#: Operations that are refused before any change: by format, and unknown ones for every format.
MISUSED: dict[str, list[tuple[Operation, str]]] = dict(ROWS["MISUSED"])


@pytest.mark.parametrize("format_id", format_ids())
def test_unknown_and_untimely_operations_are_refused(format_id: str) -> None:
    writer = load(format_id).writer(MemoryStorage(), edition=get_format(format_id).default_edition, params={})
    for _ in range(2):
        with pytest.raises(ValueError, match="not open"):
            writer.apply(FORCE)
        writer.apply(OPEN)
        for op, said in [*MISUSED.get(format_id, ()), ({"op": "dance"}, "unknown"), ({}, "unknown")]:
            with pytest.raises(ValueError, match=said):
                writer.apply(op)
        writer.apply(CLOSE)


@pytest.mark.parametrize(
    ("format_id", "edition", "params", "make"),
    [
        ("bitronix_tlog", "2.1", TLOG, log),
        ("bitronix_tlog", "nio", {**TLOG, "file_length": "2048"}, log),
        ("jboss_journal", "seed", {"file_size": "4096", "alignment": "512", "fill": "4a"}, add),
        ("jboss_journal", "v2", JOURNAL, add),
    ],
)
def test_directory_and_memory_have_the_same_bytes(
    format_id: str, edition: str, params: dict[str, str], make: Callable[[int], Operation], tmp_path: Path
) -> None:
    memory, folder = MemoryStorage(), DirectoryStorage(tmp_path)
    for storage in (memory, folder):
        opened(format_id, edition, storage, params, make(1), FORCE, CLOSE)
        opened(format_id, edition, storage, params, make(2), CLOSE)
    assert {name: (tmp_path / name).read_bytes() for name in folder.names()} == memory.files


@pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="this system cannot fsync directories")
def test_directory_storage_syncs_the_given_files_and_their_directories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: forced.append(os.fstat(handle).st_ino))
    (tmp_path / "before").mkdir()
    storage = DirectoryStorage(tmp_path)
    for name in ("a", "made/b", "made/c"):
        storage.create(name)
    storage.sync("a")
    storage.sync_dir()
    file, *inside, last = forced
    assert (file, last) == ((tmp_path / "a").stat().st_ino, tmp_path.stat().st_ino)
    assert sorted(inside) == sorted((tmp_path / name).stat().st_ino for name in ("before", "made"))


@pytest.mark.parametrize(
    ("format_id", "edition", "params", "put", "force"),
    [
        ("jboss_journal", "v2e", JOURNAL, add(1, 500), FORCE),
        ("kahadb_journal", "5.14", SMALL, {"op": "append", "payload": "aa" * 400}, FLUSH),
        ("kahadb_journal", "5.14", {**SMALL, "preallocation": "template"}, {"op": "append"}, FLUSH),
    ],
)
def test_writer_lists_the_directory_once_and_not_for_each_new_file(
    format_id: str,
    edition: str,
    params: dict[str, str],
    put: Operation,
    force: Operation,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a listing for each new file, the time would be quadratic in the number of files."""
    storage = MemoryStorage()
    writer = opened(format_id, edition, storage, params)

    def names() -> list[str]:
        raise AssertionError("the writer lists the names again")

    monkeypatch.setattr(storage, "names", names)
    for number in range(100):
        writer.apply({**put, "id": str(number)})
        writer.apply(force)
    assert len(storage.files) > 5


@pytest.mark.parametrize("edition", COMPACTING)
def test_unfinished_output_of_a_compaction_is_written_again(edition: str) -> None:
    left = {f"activemq-data-{number}.amq.cmp.tmp": b"left" for number in range(20)}
    storage, params = MemoryStorage(left), {**JOURNAL, "auto_reclaim": "false"}
    opened(
        "jboss_journal", edition, storage, params, add(1), {"op": "next"}, add(2), {"op": "compact"}, CLOSE
    )
    assert len([name for name in storage.files if name in left]) == 19
    seen: Any = load("jboss_journal").recover(content(storage), edition=edition)
    assert [item["id"] for item in seen.state["live"]] == [1, 2]


@pytest.mark.parametrize(("order", "expected"), ROWS["FORCED"])
def test_writes_for_one_synced_record_have_the_given_order(
    order: str, expected: list[tuple[Any, ...]]
) -> None:
    storage = Recorder()
    opened("bitronix_tlog", "2.1", storage, {**TLOG, "order": order}, log(1), FORCE)
    last = storage.calls[-len(expected) :]
    assert [(call[0], *call[2:]) for call in last] == expected
    assert {call[1] for call in last} == {"btm1.tlog"}


def steps(storage: Recorder) -> list[str]:
    return [call[0] + " control" * ("journal-rename-control.ctr" in call) for call in storage.calls]


@pytest.mark.parametrize("edition", COMPACTING)
def test_each_step_of_a_compaction_is_durable_before_the_next(edition: str) -> None:
    """The same holds if a start completes the compaction.

    No case tests this, because the runner's crashes keep the order of names.
    """
    params, storage, started = {**JOURNAL, "auto_reclaim": "false"}, Recorder(), Recorder()
    compacted = (add(1), {"op": "next"}, add(2), {"op": "compact"})
    opened("jboss_journal", edition, storage, params, *compacted)
    switch = ["unlink", "unlink", "sync_dir", "rename", "sync_dir", "unlink control", "sync_dir"]
    done = steps(storage)
    assert done[done.index("rename control") + 1 :] == ["sync_dir", *switch]
    image = storage.images[done.index("unlink")]
    started.files.update({name: bytearray(data) for name, data in image.items()})
    opened("jboss_journal", edition, started, params)
    assert steps(started)[: len(switch)] == switch


def test_bitronix_2_1_4_writes_a_position_into_the_timestamp() -> None:
    storage = MemoryStorage()
    undecided = (log(number, "ACTIVE") for number in range(1, 9))
    opened("bitronix_tlog", "2.1", storage, {**TLOG, "order": "2.1.4"}, *undecided)
    assert storage.files["btm2.tlog"][4:12] == (21).to_bytes(8, "big")


def test_reading_a_journal_imports_no_writer(tmp_path: Path) -> None:
    opened("bitronix_tlog", "2.1", DirectoryStorage(tmp_path), TLOG, log(1), CLOSE)
    program = (
        "import sys; from journalspec_reference.answers import ask;"
        "from journalspec_reference.filesets import find_journals, load; from pathlib import Path;"
        "(found,) = find_journals(load(Path(sys.argv[1]))); print(ask(found, 'strict').observation.verdict);"
        "print([name for name in sys.modules if name.endswith('.write')])"
    )
    said = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert said.stdout.splitlines() == ["clean", "[]"]
