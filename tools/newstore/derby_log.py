"""Damage and comparisons in trials of new Derby databases: rows of all tables in contents and in Derby."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from journalspec.contents import Column
from journalspec_reference.answers import Answer
from journalspec_reference.contents import as_json, contents, with_state
from journalspec_reference.derby_log.contents import DerbyContents

ROOT = Path(__file__).resolve().parents[2]
_DATA = ROOT / "reference_impl" / "tests" / "data"
PROGRAM = Path(__file__).with_name("derby_rows.py")
_LOG = re.compile(r"(?:^|/)log(\d+)\.dat$")
#: The product whose ij runs scripts; it also starts on a new database if the old product is unknown.
SCRIPTS = "derby-10.16.1.1"
#: The last checkpoint in log.ctrl: its file and offset follow two numbers of 4 bytes.
CHECKPOINT = struct.Struct(">8xQ")
#: The size of a log file's header, and of a record's frame: both lengths and the instant.
LOG_HEADER, RECORD_FRAME = 24, 16
#: The type of Java objects, and the text that replaces a row with one.
JAVA, OBJECT = 264, "a row with an object of Java"


def stores() -> Iterator[Path]:
    """Yield databases with rows of each type, and one as a crash leaves it."""
    yield _DATA / "derby_contents.tar.gz"
    yield _DATA / "derby_database.tar.xz"


def contents_of(answer: Answer) -> DerbyContents:
    """Return the contents of an answer."""
    found = contents(with_state(answer))
    assert isinstance(found, DerbyContents)
    return found


def live(answer: Answer) -> Any:
    """Return the rows of all tables."""
    rows = as_json(contents_of(answer))
    rows.pop("remarks")
    return rows


def exported(place: Path) -> bool:
    """Return whether the new store is only a script that makes the tables."""
    return [path.name for path in place.iterdir()] == ["rows.sql"]


def starts(files: Mapping[str, bytes]) -> bool:
    """Return whether the files are a database, with the files that each database has, not a log alone."""
    return {"service.properties", "log/logmirror.ctrl"} <= files.keys()


def last(files: Mapping[str, bytes]) -> Mapping[str, int]:
    """Return the name of the last log file -> the number of its synced bytes.

    These are the bytes up to the checkpoint, or only the header if the checkpoint is in another file.

    The control file refers to a checkpoint only after an fsync of the pages and then of the log that contains
    it (DRB-CTL-004). A page is written after its record in the log, and synced before that part of the log is
    no longer needed. So Derby cannot recover from damage to a page if the log no longer contains its records.
    """
    found = {int(match[1]): name for name, data in files.items() if data and (match := _LOG.search(name))}
    if not found:
        return {}
    number, name = max(found.items())
    data, forced = files[name], LOG_HEADER
    control = files.get(name.replace(PurePosixPath(name).name, "log.ctrl"), b"")
    if len(control) >= CHECKPOINT.size:
        (instant,) = CHECKPOINT.unpack_from(control)
        off = instant & 0xFFFFFFFF
        if instant >> 32 == number and off + 4 <= len(data):
            forced = off + int.from_bytes(data[off : off + 4], "big") + RECORD_FRAME
    return {name: forced}


def delivered(stores: Sequence[tuple[Path, Answer]]) -> Iterator[str | None]:
    """Yield the differences between Derby's rows and each new store's contents; None for a log alone."""
    for (_, answer), got in zip(stores, _started([place for place, _ in stores]), strict=True):
        yield None if got is None else difference(got, told(contents_of(answer)))


def lacking(old: Sequence[tuple[Path, Answer, frozenset[str]]]) -> Iterator[str | None]:
    """Yield the tables for which Derby finds rows in an old store that the new store lacks."""
    for (_, answer, named), got in zip(old, _started([place for place, _, _ in old]), strict=True):
        if got is None or "refused" in got:
            yield None
            continue
        wanted = told(contents_of(answer))
        more = {
            title: sum((Counter(map(json.dumps, rows)) - wanted.get(title, Counter())).values())
            for title, rows in got["tables"].items()
            if title not in named and OBJECT not in wanted.get(title, Counter())
        }
        yield "; ".join(
            f"{title}: {count} rows only in the old one" for title, count in more.items() if count
        )


def _started(places: Sequence[Path]) -> Iterator[dict[str, Any] | None]:
    """Start Derby on a copy of each database, or run the script with Derby. Yield None for a log alone."""
    with Derby(SCRIPTS) as derby, tempfile.TemporaryDirectory() as scratch:
        for number, place in enumerate(places):
            request = {"database": str(Path(scratch, str(number)))}
            if exported(place):
                request["script"] = str(place / "rows.sql")
            elif (place / "service.properties").is_file():
                # Derby's start changes the database, so Derby uses a copy.
                shutil.copytree(place, request["database"])
            else:
                yield None
                continue
            yield derby.ask(request)
            shutil.rmtree(request["database"], ignore_errors=True)


class Derby:
    """A product in its own process, which reports the rows of databases: see ``derby_rows``."""

    def __init__(self, product: str) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  # closed when the process ends
        words = [sys.executable, str(PROGRAM), product]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True
        )

    def __enter__(self) -> Derby:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._errors.close()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        # The product also prints its own lines.
        while line := self._process.stdout.readline():
            if line.startswith("{"):
                found: dict[str, Any] = json.loads(line)
                return found
        self._errors.seek(0)
        raise AssertionError(self._errors.read()[-3000:])


def told(found: DerbyContents) -> dict[str, Counter[str]]:
    """Return the rows of users' tables in the form of Derby's answers, each as JSON."""
    out = {}
    for row in found.rows("tables"):
        title = ".".join((str(row["schema"]), str(row["table"])))
        if row["kind"] != "system":
            columns = found.tables[title].columns
            if any(typed.type == JAVA for _, typed in found.sql[title].columns):
                # Derby's answer contains no bytes of objects, so only the number of rows is compared.
                out[title] = Counter({OBJECT: sum(1 for _ in found.rows(title))})
                continue
            rows = ([_as_told(each[column.name], column) for column in columns] for each in found.rows(title))
            out[title] = Counter(map(json.dumps, rows))
    return out


def _as_told(value: Any, column: Column) -> str | None:
    if value is None:
        return None
    if isinstance(value, float):
        return struct.pack(">f" if column.doc.startswith("REAL") else ">d", value).hex()
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text.lower() if isinstance(value, bool) else text


def difference(answer: Mapping[str, Any], wanted: Mapping[str, Counter[str]]) -> str:
    """Return the difference between Derby's answer and the expected rows; empty if there is none."""
    if "refused" in answer:
        return str(answer["refused"])
    if answer.get("errors"):
        return f"{answer['errors']} errors of the script"
    got = {title: Counter(map(json.dumps, rows)) for title, rows in answer["tables"].items()}
    for title, rows in wanted.items():
        mine = got.get(title, Counter())
        # If the catalogue lacks a table or its columns, the types differ and only numbers of rows are
        # compared.
        bare = title.startswith("?.") or not rows.keys().isdisjoint((OBJECT, "[]"))
        if mine.total() != rows.total() or (mine != rows and not bare):
            return f"{title}: {mine.total()} rows instead of {rows.total()}, or other values"
    return f"tables {sorted(got)}" if got.keys() != wanted.keys() else ""
