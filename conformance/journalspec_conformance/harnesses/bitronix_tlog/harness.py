"""``read``, ``recover`` and ``write`` as the product answers them; the package's text says how."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from journalspec.formats import get_format
from journalspec.observation import CLEAN, RECOVERED, REFUSED, jsonable
from journalspec_conformance.harnesses.bitronix_tlog.driver import (
    GETTERS,
    PAIR,
    Journal,
    first_sequence_number,
    header_timestamp,
    next_sequence_number,
    pair_of,
    read_file,
)
from journalspec_conformance.harnesses.java.harness import SHOWN, Answer, CannotDo, Driver, Op, copy_of
from journalspec_conformance.harnesses.java.jvm import Thrown

FORMAT = "bitronix_tlog"
_HEADER_LENGTH = 21
_MEBIBYTE = 1 << 20
_HEX = re.compile(r"([0-9a-f]{2})*")


def status_names() -> dict[int, str]:
    """Return status number -> record type, from the format's own vocabulary."""
    told = {name: text.partition(":")[0] for name, text in get_format(FORMAT).record_types.items()}
    return {int(number): name for name, number in told.items() if number.isdigit()}


def _read_one(directory: Path, file: str) -> tuple[list[Answer], list[Thrown]]:
    """Read one file to its end, or as far as the product goes: (records, exceptions); raises Thrown."""
    records: list[Answer] = []
    thrown = []
    names = status_names()
    for item in read_file(directory / file):
        if isinstance(item, Thrown):
            thrown.append(item)
        else:
            kind = names.get(item["status"], "OTHER")
            records.append({"type": kind, **jsonable(item), "at": {"file": file}})
    return records, thrown


def _is_whole_pair(directory: Path) -> bool:
    """Return whether both files are there and equally long: what the product itself compares."""
    paths = [directory / name for name in pair_of(directory)]
    return all(path.is_file() for path in paths) and len({path.stat().st_size for path in paths}) == 1


class Session:
    """One ``write`` request: the operations through the product's journal."""

    def __init__(self, directory: Path, params: Mapping[str, str]) -> None:
        """Take the request's parameters; no file is touched yet."""
        self._directory = directory
        self._length = int(params["file_length"]) if "file_length" in params else None
        self._filtered = params.get("filter_status") == "true"
        self._journal: Journal | None = None
        next_sequence_number(int(params.get("sequence", first_sequence_number())))

    def apply(self, op: Op) -> bool:
        """Do one operation and return whether everything up to here is durable; raises Thrown."""
        name = op["op"]
        if name == "open":
            if self._length is not None and not any(self._directory.iterdir()):
                _make_pair(self._directory, self._length)
            self._journal = Journal(self._directory, megabytes=1, filtered=self._filtered)
            self._journal.open()
            return True
        if name not in ("log", "force", "close"):
            raise CannotDo(f"operation {name!r}: the product opens, logs, forces and closes")
        if self._journal is None:
            raise CannotDo("an operation before `open`: the product has no journal then")
        if name == "log":
            self._journal.log(*_log_arguments(op))
        elif name == "force":
            self._journal.force()
        else:
            self._journal.close()
        return bool(name != "log")

    def said(self) -> Answer:
        """Return the file that the product is working on, if a journal is open."""
        active = None if self._journal is None else self._journal.active()
        return {} if active is None else {"active": active}

    def stop(self) -> None:
        """Let go of the files without writing to them."""
        if self._journal is not None:
            self._journal.abandon()
            self._journal = None

    def files(self) -> list[str]:
        """Return those of the pair that exist."""
        return [name for name in pair_of(self._directory) if (self._directory / name).exists()]


def _make_pair(directory: Path, length: int) -> None:
    """Let the product make an empty pair, then cut both files to `length` bytes.

    The product makes files of 21 bytes plus whole MiB only, and takes whatever
    length it finds when it opens them again.
    """
    if length < _HEADER_LENGTH:
        raise CannotDo(f"file_length {length}: the product's files have at least {_HEADER_LENGTH} bytes")
    journal = Journal(directory, megabytes=max(1, -(-(length - _HEADER_LENGTH) // _MEBIBYTE)))
    journal.open()
    journal.close()
    for name in PAIR:
        os.truncate(directory / name, length)


def _log_arguments(op: Op) -> tuple[int, bytes, list[str]]:
    numbers = {name: number for number, name in status_names().items()}
    status = numbers.get(op["type"])
    if status is None and "status" in op:
        status = int(op["status"])
    if status is None:
        raise CannotDo(f"record type {op['type']!r} without a status number")
    if not _HEX.fullmatch(op["gtrid"]):
        raise CannotDo(f"gtrid {op['gtrid']!r} is no lower-case hex")
    return status, bytes.fromhex(op["gtrid"]), list(op["names"])


def _lacking(directory: Path, params: Mapping[str, str], order: str) -> str | None:
    """Return what of `params` the product cannot be made to do, or None.

    Its clock is the machine's. One that starts later than the files at hand and
    runs forward is as good as that; one that stands still or has gone back
    cannot be arranged.
    """
    paths = [directory / name for name in pair_of(directory)]
    whole = [path for path in paths if path.is_file() and path.stat().st_size >= _HEADER_LENGTH]
    if int(params.get("clock_step", "1")) <= 0:
        return "param:clock_step"
    if "clock" in params and int(params["clock"]) < max(map(header_timestamp, whole), default=0):
        return "param:clock"
    if params.get("order", order) != order:
        return f"param:order={params['order']}"
    return None


class Bitronix(Driver):
    """One version of the transaction manager's journal."""

    format_id = FORMAT
    charset = "UTF-8"
    #: The disk editions have the same bytes, and either version reads and writes both. The one difference,
    #: whether a record may end where the file ends, is the version's own and shows where a case is about it.
    claims = {  # noqa: RUF012 - never changed
        "editions": ["2.1", "3.0"],
        "policies": ["strict", "salvage"],
        "features": ["damage", "step"],
        "state": ["active", "unfinished"],
        "fields": list(GETTERS),
    }

    def impl(self) -> Answer:
        """Return the name, and the charset, which names of resources depend on."""
        return {"name": "bitronix", "charset": self.java.charset}

    def observed(self, directory: Path, params: Mapping[str, str]) -> Answer:
        """Return every record of both files, in the order of the pair."""
        pair = pair_of(directory)
        present = [name for name in pair if (directory / name).is_file()]
        if not present:
            told = "neither file exists: no cursor was opened"
            return {"verdict": REFUSED, "phase": "fileset", "code": "no-files", "message": told}
        records: list[Answer] = []
        said: list[str] = []
        unopened: list[Thrown] = []
        for name in present:
            try:
                found, thrown = _read_one(directory, name)
            except Thrown as error:
                found, thrown = [], [error]
                unopened.append(error)
            records += found
            said += [f"{name}: {error}" for error in thrown]
        if len(unopened) == len(present):
            return self.exceptions.refused(unopened[0], "open")
        both = len(present) == len(pair) and not unopened
        spotless = both and _is_whole_pair(directory) and not said
        answer: Answer = {"verdict": CLEAN if spotless else RECOVERED, "records": records}
        if said:
            answer["message"] = "; ".join(said)[:SHOWN]
        # Without a whole file on either side the product's own recovery does not return: nothing to say then.
        if both:
            with copy_of(directory) as copy:
                state = self.recovered(copy, params, "salvage").get("state")
            if state is not None:
                answer["state"] = state
        return answer

    def recovered(self, directory: Path, params: Mapping[str, str], policy: str) -> Answer:
        """Open the journal in `directory` and return what the product calls dangling.

        The product writes the state byte, and makes the files if there are none.
        """
        whole = _is_whole_pair(directory)
        fresh = not any((directory / name).exists() for name in pair_of(directory))
        journal = Journal(directory, skip=policy == "salvage", megabytes=1)
        where = "open"
        try:
            journal.open()
            where = journal.active() or ""
            dangling = journal.dangling()
            records, thrown = _read_one(directory, where)
        except Thrown as error:
            refused = self.exceptions.refused(error, "open" if where == "open" else "scan")
            return {**refused, "message": f"{where}: {error}"}
        finally:
            journal.abandon()
        unfinished = [
            {"gtrid": gtrid.hex(), "names": list(names)} for gtrid, names in sorted(dangling.items())
        ]
        answer: dict[str, Any] = {
            "verdict": CLEAN if (whole or fresh) and not thrown else RECOVERED,
            "records": records,
            "state": {"active": where, "unfinished": unfinished},
        }
        if thrown:
            answer["message"] = "; ".join(str(error) for error in thrown)[:SHOWN]
        return answer

    def session(self, directory: Path, params: Mapping[str, str], edition: str) -> Session:
        """Return a writer; raises CannotDo."""
        lacking = _lacking(directory, params, self.product.version)
        if lacking:
            raise CannotDo("the product chooses this itself", lacking)
        return Session(directory, params)
