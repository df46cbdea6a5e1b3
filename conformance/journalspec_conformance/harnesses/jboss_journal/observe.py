"""``read`` and ``recover``: the product's answers as observations, always on copies."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from journalspec.kept import scratch
from journalspec.observation import CLEAN, RECOVERED, REFUSED, jsonable
from journalspec_conformance.harnesses.java.failures import Thrown
from journalspec_conformance.harnesses.jboss_journal import failures, log
from journalspec_conformance.harnesses.jboss_journal.brands import Brand
from journalspec_conformance.harnesses.jboss_journal.driver import (
    CONTROL,
    FileReading,
    Info,
    Journal,
    Loaded,
)
from journalspec_conformance.harnesses.jboss_journal.settings import Settings, settings_for

FORMAT = "jboss_journal"
#: The record fields that the product's callbacks give for every type that has them.
FIELDS = ("file_id", "tx", "id", "user_type", "body", "extra", "count")
STATE = ("live", "prepared", "discarded")
_LEFTOVERS = (".tmp", ".cmp")
_SHOWN = 2000

Observed = dict[str, Any]


@contextmanager
def copy_of(directory: Path, only: str = "") -> Iterator[Path]:
    """Yield a copy of `directory`, or of one file of it, removed afterwards."""
    # In memory: the products wait for the disk several times in each load.
    with scratch(memory=True) as copy:
        for entry in os.scandir(directory):
            if only not in ("", entry.name):
                continue
            if entry.is_dir():
                shutil.copytree(entry.path, copy / entry.name)
            else:
                # Thousands of journals are loaded in a row: times and modes need not be copied.
                (copy / entry.name).write_bytes(Path(entry.path).read_bytes())
        yield copy


def refused(thrown: Thrown) -> Observed:
    """Return a refusal in the protocol's form."""
    refusal = failures.of_load(thrown)
    message = str(thrown)[:_SHOWN]
    return {"verdict": REFUSED, "phase": refusal.phase, "code": refusal.code, "message": message}


@dataclass(frozen=True, slots=True)
class _DataRecords:
    """The names of the data files, and their records in the product's order."""

    files: set[str]
    records: list[Observed]


@dataclass
class Observer:
    """Asks one product about directories; `log` is what it logs to."""

    brand: Brand
    log: log.Log

    def recover(self, directory: Path, params: Mapping[str, str]) -> Observed:
        """Load a copy of `directory`, and read another one for the records."""
        answer = self._load(directory, params)
        if answer["verdict"] == REFUSED:
            return answer
        try:
            answer["records"] = self._data_records(directory, params)[0].records
        except Thrown as thrown:
            answer["message"] = f"{answer.get('message', '')}; reading by itself: {thrown}"[:_SHOWN]
        return answer

    def read(self, directory: Path, params: Mapping[str, str]) -> Observed:
        """Read every file; the state is that of loading, if the product loads the journal."""
        try:
            records = self._read_all(directory, params)
        except Thrown as thrown:
            return refused(thrown)
        if records is None:
            told = "none of the files belongs to the journal: the product was shown nothing"
            return {"verdict": REFUSED, "phase": "fileset", "code": "no-files", "message": told}
        loaded = self._load(directory, params)
        answer: Observed = {"verdict": loaded["verdict"], "records": records}
        if loaded["verdict"] == REFUSED:
            return {**answer, "verdict": CLEAN, "message": f"loading: {loaded['message']}"}
        return {**answer, **{key: loaded[key] for key in ("state", "message") if key in loaded}}

    def _settings(self, directory: Path, params: Mapping[str, str]) -> Settings:
        return settings_for(directory, params, self.brand.prefix, self.brand.extension)

    def _load(self, directory: Path, params: Mapping[str, str]) -> Observed:
        self.log.take()
        with copy_of(directory) as copy:
            journal = Journal(self.brand, copy, self._settings(copy, params))
            try:
                loaded = journal.load()
            except Thrown as thrown:
                return refused(thrown)
            finally:
                self._stop(journal)
        return _state(loaded, self.log.take())

    @staticmethod
    def _stop(journal: Journal) -> None:
        try:
            journal.stop()
        except Thrown as thrown:
            # A journal that could not be loaded may not be stopped properly either; its answer is known.
            if not thrown.methods:
                raise

    def _read_all(self, directory: Path, params: Mapping[str, str]) -> list[Observed] | None:
        """Return all records, those of files beside the data files last; None if no file is the journal's."""
        data, others = self._data_records(directory, params)
        names = [path.name for path in directory.iterdir()]
        own = f".{self._settings(directory, params).extension}"
        if names and not others and not any(name.endswith(own) for name in names):
            return None
        return [*data.records, *self._beside(directory, params, others)]

    def _data_records(self, directory: Path, params: Mapping[str, str]) -> tuple[_DataRecords, list[str]]:
        """Return the records of the data files, and the names of the files beside them.

        A file that a compaction's control file renames is known by its inode.
        """
        settings = self._settings(directory, params)
        with copy_of(directory) as copy:
            journal = Journal(self.brand, copy, settings)
            names = {path.stat().st_ino: path.name for path in copy.iterdir()}
            journal.check_control_file()
            now = {path.name: names.get(path.stat().st_ino, path.name) for path in copy.iterdir()}
            readings = journal.read_all()
        records = [record for item in readings for record in _records_of(item, now[item.name])]
        data = {now[item.name] for item in readings}
        gone = {
            name
            for name in set(names.values()) - set(now.values())
            if name.endswith(f".{settings.extension}")
        }
        others = [
            name
            for name in sorted(set(names.values()) - data, key=_order)
            if name == CONTROL
            or name.endswith(_LEFTOVERS)
            or (name in gone and name.endswith(f".{settings.extension}"))
        ]
        return _DataRecords(data, records), others

    def _beside(self, directory: Path, params: Mapping[str, str], names: list[str]) -> Iterator[Observed]:
        for name in names:
            if (directory / name).stat().st_size < self.brand.header:
                continue
            settings = self._settings(directory, params)
            with copy_of(directory, only=name) as copy:
                if name != CONTROL:
                    (copy / name).rename(copy / f"{settings.prefix}-1.{settings.extension}")
                try:
                    reading = Journal(self.brand, copy, settings).read_beside(name)
                except Thrown:
                    continue  # its header is not one that the product reads: no record of it counts
            yield from _records_of(reading, name)


def _order(name: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"(\d+)", name)
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]


def _records_of(reading: FileReading, file: str) -> Iterator[Observed]:
    for kind, fields in reading.records:
        yield {"type": kind, **jsonable(fields), "at": {"file": file}}


def _state(loaded: Loaded, said: list[log.Entry]) -> Observed:
    discarded = _discarded(said)
    state = {
        "live": [_live(info) for info in loaded.records],
        "prepared": sorted(
            (
                {
                    "tx": item.tx,
                    "extra": item.extra,
                    "records": [_live(info) for info in item.records],
                    "deletes": [{"id": info.id, "body": info.body} for info in item.deletes],
                }
                for item in loaded.prepared
            ),
            key=lambda item: int(str(item["tx"])),
        ),
        "discarded": [{"tx": tx, "why": why} for tx, why in discarded],
    }
    rejected = any(why != "no-end" for _, why in discarded)
    answer: Observed = {"verdict": RECOVERED if rejected else CLEAN, "state": jsonable(state)}
    told = "; ".join(entry.text for entry in said if entry.number)
    if told:
        answer["message"] = told[:_SHOWN]
    return answer


def _live(info: Info) -> dict[str, object]:
    return {
        "kind": "UPDATE" if info.is_update else "ADD",
        "id": info.id,
        "user_type": info.user_type,
        "body": info.body,
        "compact_count": info.compact_count,
    }


def _discarded(said: list[log.Entry]) -> list[tuple[int, str]]:
    """Return (transaction, why) in the order of transactions, from the messages of one load."""
    unhealthy = {entry.transaction for entry in said if entry.number == log.PREPARE_INCOMPLETE}
    found = [
        (entry.transaction, "unhealthy-commit") for entry in said if entry.number == log.COMMIT_INCOMPLETE
    ]
    found += [
        (entry.transaction, "unhealthy-prepare" if entry.transaction in unhealthy else "no-end")
        for entry in said
        if entry.number == log.UNCOMMITTED
    ]
    return sorted(found, key=lambda item: item[0])
