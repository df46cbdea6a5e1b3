"""Stores that a table names, changes of their files, and the output of commands about them.

A store is a captured set, an archive of whole stores, a published case (``case:ID``), a store beside the
checkout (``shared/...``), a journal that is built here, or ``nothing``. Changes are written like shell
commands: ``remove bindings; zero journal/*``. A name may be a pattern that matches one file or several.
"""

from __future__ import annotations

import gzip
import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from field import unpacked as field_input
from journals import CAPTURED, COMMITTED, COMMITTING, PREPARED, add, decision, delete, page, pair, short
from journalspec_corpus.load import find_case, load_cases
from judged import STRANGE, call, harmless
from tables import table
from unpacked import unpacked

ARCHIVES = Path(__file__).resolve().parents[3] / "reference_impl" / "tests" / "data"
A = decision(COMMITTING, b"A", b"db1", b"jms1")


def headless(place: Path) -> None:
    """Write a log whose active file has lost its header; it contains an intact unconfirmed decision."""
    path = pair(place, A, decision(PREPARED, b"B", b"db1")) / "btm1.tlog"
    path.write_bytes(bytes(21) + path.read_bytes()[21:])


def broker(place: Path) -> None:
    """Write a journal and bindings, in which each file contains a different record."""
    for name, file in (("journal", "activemq-data-1.amq"), ("bindings", "activemq-bindings-1.bindings")):
        (place / name).mkdir()
        page(place / name / file, "v2", add("v2", 1))
    page(place / "bindings" / "activemq-bindings-2.bindings", "v2", add("v2", 2, 2), file_id=2)


def future(place: Path) -> None:
    """Write two files with one record each; no product writes the format version of the second file."""
    for number, version in ((1, 2), (2, 9)):
        path = place / f"activemq-data-{number}.amq"
        page(path, "v2", add("v2", number, number), file_id=number, format_version=version)


def indexed(place: Path) -> None:
    """Write a journal, and beside it a directory that contains only an index."""
    shutil.copytree(CAPTURED / "kahadb_journal/activemq-6.1.7/rollover", place / "one")
    case = next(case for case in load_cases("kahadb_journal") if "db.data" in case.files())
    (place / "two").mkdir()
    (place / "two" / "db.data").write_bytes(bytes(case.files()["db.data"]))


def strange(place: Path) -> None:
    """Write a journal in a directory whose name has terminal control codes; copy a file to such a name."""
    try:
        find_case("btm.clean.two-phase").materialize(place / STRANGE)
    except OSError:
        pytest.skip("this file system does not permit such names")
    shutil.copy(place / STRANGE / "btm1.tlog", place / STRANGE / STRANGE)


#: Journals that are built: a function that writes the files.
BUILT: dict[str, Callable[[Path], object]] = {
    "nothing": lambda place: None,
    # Transaction A is decided for two resources and confirmed by one of them, B is only prepared.
    "clean": lambda place: pair(
        place, A, decision(COMMITTED, b"A", b"db1"), decision(PREPARED, b"B", b"db1")
    ),
    # The second of three records has a wrong checksum.
    "damaged": lambda place: pair(
        place, *(decision(COMMITTING, gtrid, b"db1", broken=gtrid == b"B") for gtrid in (b"A", b"B", b"C"))
    ),
    # A valid record, then a broken one, and a stale record after the tail.
    "stale": lambda place: pair(place, A, decision(COMMITTING, b"A", b"db1", b"jms1", broken=True), behind=A),
    "ended": lambda place: pair(
        place, A, behind=decision(COMMITTED, b"A", b"db1") + decision(PREPARED, b"B", b"db1")
    ),
    "coloured": lambda place: pair(place, decision(COMMITTING, b"A", b"\x1b[31mred")),
    "headless": headless,
    "broker": broker,
    "future": future,
    "indexed": indexed,
    "strange": strange,
    "pages": lambda place: [page(place / f"d-{number}.amq", "v2", file_id=number) for number in (1, 2)],
    "short": lambda place: short(place, add("s1", 1), add("s1", 2), delete("s1", 1)),
}


def put(file: Path, at: str, data: str) -> None:
    """Write bytes over those at an offset."""
    with file.open("r+b") as opened:
        opened.seek(int(at))
        opened.write(bytes.fromhex(data))


def flip(file: Path, at: str) -> None:
    """Change one bit of a byte."""
    put(file, at, f"{file.read_bytes()[int(at)] ^ 1:02x}")


def resize(file: Path, size: str) -> None:
    """Create a file, cut it, or extend it with zeros."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    os.truncate(file, int(size))


def packed(file: Path) -> None:
    """Compress a file with gzip and remove the original."""
    file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()


def opened(file: Path) -> None:
    """Replace a compressed file by its uncompressed content."""
    file.with_suffix("").write_bytes(gzip.decompress(file.read_bytes()))
    file.unlink()


VERBS: dict[str, Callable[..., object]] = {
    "remove": lambda file: shutil.rmtree(file) if file.is_dir() else file.unlink(),
    "zero": lambda file: file.write_bytes(bytes(file.stat().st_size)),
    "rename": lambda file, name: file.rename(file.with_name(name)),
    "copy": lambda file, name: shutil.copy(file, file.parent / name),
    "write": lambda file, text, times="1": file.write_text(text * int(times)),
    "make": lambda place: place.mkdir(parents=True),
    "pipe": os.mkfifo,
    "link": lambda file, to: file.symlink_to(to),
    "put": put,
    "flip": flip,
    "size": resize,
    "pack": packed,
    "unpack": opened,
    "clear": lambda file, at, size: put(file, at, "00" * int(size)),
}


def changed(place: Path, changes: str) -> None:
    """Apply the changes in a line to the files of a store."""
    for change in filter(None, changes.split("; ")):
        verb, name, *words = shlex.split(change)
        found = sorted(place.glob(name))
        # `write` needs a name, not a pattern.
        assert found or verb == "write" or not set(name) & {*"*?["}, f"no file is {name}"
        for file in found or [place / name]:
            VERBS[verb](file, *words)


def store(name: str, scratch: Path) -> Path:
    """Return a copy of a store, or a store that is built."""
    place = scratch / "store"
    kind, _, rest = name.partition(":")
    if name in BUILT:
        place.mkdir()
        BUILT[name](place)
    elif kind == "case":
        find_case(rest).materialize(place)
    elif name.startswith("shared/"):
        return field_input(f"../{name.removeprefix('shared/')}", scratch)
    elif archives := [*ARCHIVES.glob(f"{name}.tar.*")]:
        unpacked(archives[0], place)
    else:
        shutil.copytree(CAPTURED / name, place)
    return place


def rows() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield (store, changes, row) of ``data/situations.toml``."""
    for row in table("situations")["situation"]:
        for name in row["of"]:
            for changes in row.get("changes", [""]):
                yield name, changes, row


def said(command: str, **names: str) -> tuple[int, str]:
    """Return a command's exit status and its output as one line; commands that are printed on several lines
    are joined.
    """
    done = call(*(word.format(**names) for word in shlex.split(command)), columns=100)
    harmless(done.output)
    assert "Traceback" not in done.output
    assert "fault of journalspec" not in done.output
    return done.exit_code, " ".join(done.output.replace("\\\n", " ").split())
