"""``read``, ``recover`` and ``write`` as the products answer them; the package's text says how."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from journalspec.observation import CLEAN, RECOVERED, REFUSED, jsonable
from journalspec_conformance.harnesses.java.harness import SHOWN, Answer, CannotDo, Driver, Op, copy_of
from journalspec_conformance.harnesses.java.jvm import Runtime, Thrown
from journalspec_conformance.harnesses.jboss_journal.driver import (
    APPENDS,
    COMMIT_INCOMPLETE,
    CONTROL,
    PREPARE_INCOMPLETE,
    UNCOMMITTED,
    Entry,
    FileReading,
    Journal,
    Loaded,
    Log,
)
from journalspec_conformance.harnesses.jboss_journal.variants import (
    Settings,
    Variant,
    settings_for,
    variant_of,
)
from journalspec_conformance.products import Product

_LEFTOVERS = (".tmp", ".cmp")
#: NIO has no alignment.
_ALIGNMENT = "1"
#: Operations on files.
_ON_FILES = ("force", "next", "reclaim", "compact")


class Session:
    """One ``write`` request: a journal in `directory` and the operations done on it."""

    def __init__(
        self,
        variant: Variant,
        directory: Path,
        params: Mapping[str, str],
        make: Callable[[Variant, Path, Settings], Journal] = Journal,
    ) -> None:
        """Take the request's parameters; nothing is touched yet. `make` is what makes the journal."""
        self._make = make
        self._variant = variant
        self._directory = directory
        self._params = params
        self._journal: Journal | None = None

    def apply(self, op: Op) -> bool:
        """Do one operation and return whether everything up to here is durable; raises Thrown."""
        name = op["op"]
        if name == "open":
            settings = settings_for(self._variant, self._directory, self._params)
            self._journal = self._make(self._variant, self._directory, settings)
            self._journal.load()
            self._journal.appended()
            return True
        if self._journal is None:
            raise CannotDo("an operation while no journal is open")
        if name in APPENDS:
            return self._append(self._journal, op)
        if name in _ON_FILES:
            getattr(self._journal, name)()
            return bool(name == "force")
        if name == "close":
            self.stop()
            return True
        known = ", ".join(["open", *APPENDS, *_ON_FILES, "close"])
        raise CannotDo(f"operation {name!r}: the product's are {known}")

    def _append(self, journal: Journal, op: Op) -> bool:
        name = op["op"]
        if name == "event" and not self._variant.events:
            raise CannotDo("operation 'event': the product has no such record")
        if name == "delete" and op.get("body"):
            raise CannotDo("operation 'delete' with a body: the product's method takes none")
        takes_sync = "sync" in APPENDS[name][1]
        wanted = self._params.get("sync", "true") if takes_sync else "false"
        sync = str(op.get("sync", wanted)) == "true"
        journal.append(op, sync=sync)
        return sync and takes_sync

    def said(self) -> Answer:
        """Nothing besides."""
        return {}

    def stop(self) -> None:
        """Stop the journal if one is open."""
        journal, self._journal = self._journal, None
        if journal is not None:
            journal.stop()

    def files(self) -> list[str]:
        """Return all files of the directory."""
        return sorted(path.name for path in self._directory.iterdir() if path.is_file())


class JournalProduct(Driver):
    """One version of HornetQ or Artemis; what it drops while it loads stands in its log only."""

    format_id = "jboss_journal"
    write_phases = ("load", "write")
    claims = {  # noqa: RUF012 - never changed
        "policies": ["strict"],  # the products leave no file out
        "features": ["damage", "pure", "silent", "step"],
        "state": ["live", "prepared", "discarded"],
        # The record fields that the products' callbacks give for every type that has them.
        "fields": ["file_id", "tx", "id", "user_type", "body", "extra", "count"],
    }

    def __init__(self, product: Product, java: Runtime) -> None:
        """Take a product in the running JVM and listen to its log."""
        super().__init__(product, java)
        self._variant = variant_of(product.id)
        self._log = Log()

    def impl(self) -> Answer:
        """Return the product's name."""
        return {"name": self._variant.name}

    def hello(self) -> Answer:
        """Say what this is and can do: editions are the version's own."""
        said = super().hello()
        said["formats"][self.format_id]["editions"] = list(self._variant.editions)
        return said

    def recovered(self, directory: Path, params: Mapping[str, str], policy: str) -> Answer:
        """Load a copy of `directory`, and read another one for the records."""
        answer = self._load(directory, params)
        if answer["verdict"] == REFUSED:
            return answer
        try:
            answer["records"] = self._data_records(directory, params)[0]
        except Thrown as thrown:
            answer["message"] = f"{answer.get('message', '')}; reading by itself: {thrown}"[:SHOWN]
        return answer

    def observed(self, directory: Path, params: Mapping[str, str]) -> Answer:
        """Read every file, those beside the data files last; the state is that of loading, if it loads."""
        own = f".{self._settings(directory, params).extension}"
        try:
            records, others = self._data_records(directory, params)
            names = [path.name for path in directory.iterdir()]
            if names and not others and not any(name.endswith(own) for name in names):
                told = "none of the files belongs to the journal: the product was shown nothing"
                return {"verdict": REFUSED, "phase": "fileset", "code": "no-files", "message": told}
            records += self._beside(directory, params, others)
        except Thrown as thrown:
            return self.exceptions.refused(thrown, "load")
        loaded = self._load(directory, params)
        answer: Answer = {"verdict": loaded["verdict"], "records": records}
        if loaded["verdict"] == REFUSED:
            return {**answer, "verdict": CLEAN, "message": f"loading: {loaded['message']}"}
        return {**answer, **{key: loaded[key] for key in ("state", "message") if key in loaded}}

    def session(self, directory: Path, params: Mapping[str, str], edition: str) -> Session:
        """Return a writer; raises CannotDo."""
        lacking = ""
        if edition not in self._variant.writes:
            lacking = f"edition:{edition}"  # version 1, for one, is read by HornetQ 2.4 and never written
        elif params.get("alignment", _ALIGNMENT) != _ALIGNMENT:
            lacking = f"param:alignment={params['alignment']}"
        elif params.get("fill", self._variant.fill) != self._variant.fill:
            lacking = f"param:fill={params['fill']}"
        if lacking:
            raise CannotDo("the product chooses this itself", lacking)
        self._log.take()  # nobody asks what the session before this one said
        return Session(self._variant, directory, params)

    def _settings(self, directory: Path, params: Mapping[str, str]) -> Settings:
        return settings_for(self._variant, directory, params)

    def _load(self, directory: Path, params: Mapping[str, str]) -> Answer:
        self._log.take()
        with copy_of(directory) as copy:
            journal = Journal(self._variant, copy, self._settings(copy, params))
            try:
                loaded = journal.load()
            except Thrown as thrown:
                return self.exceptions.refused(thrown, "load")
            finally:
                _stop(journal)
        return _state(loaded, self._log.take())

    def _data_records(self, directory: Path, params: Mapping[str, str]) -> tuple[list[Answer], list[str]]:
        """Return the records of the data files in the product's order, and the names of files beside them.

        A file that a compaction's control file renames is known by its inode.
        """
        settings = self._settings(directory, params)
        own = f".{settings.extension}"
        with copy_of(directory) as copy:
            journal = Journal(self._variant, copy, settings)
            names = {path.stat().st_ino: path.name for path in copy.iterdir()}
            journal.check_control_file()
            now = {path.name: names.get(path.stat().st_ino, path.name) for path in copy.iterdir()}
            readings = journal.read_all()
        records = [record for item in readings for record in _records_of(item, now[item.name])]
        gone = set(names.values()) - set(now.values())
        others = [
            name
            for name in sorted(set(names.values()) - {now[item.name] for item in readings}, key=_order)
            if name == CONTROL or name.endswith(_LEFTOVERS) or (name in gone and name.endswith(own))
        ]
        return records, others

    def _beside(self, directory: Path, params: Mapping[str, str], names: list[str]) -> Iterator[Answer]:
        for name in names:
            if (directory / name).stat().st_size < self._variant.header:
                continue
            settings = self._settings(directory, params)
            with copy_of(directory, only=name) as copy:
                if name != CONTROL:
                    (copy / name).rename(copy / f"{settings.prefix}-1.{settings.extension}")
                try:
                    reading = Journal(self._variant, copy, settings).read_beside(name)
                except Thrown:
                    continue  # its header is not one that the product reads: no record of it counts
            yield from _records_of(reading, name)


def _stop(journal: Journal) -> None:
    try:
        journal.stop()
    except Thrown as thrown:
        # A journal that could not be loaded may not be stopped properly either; its answer is known.
        if not thrown.methods:
            raise


def _order(name: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"(\d+)", name)
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]


def _records_of(reading: FileReading, file: str) -> Iterator[Answer]:
    for kind, fields in reading.records:
        yield {"type": kind, **fields, "at": {"file": file}}


def _state(loaded: Loaded, said: list[Entry]) -> Answer:
    discarded = _discarded(said)
    state: dict[str, Any] = {
        "live": loaded.records,
        "prepared": sorted(loaded.prepared, key=lambda item: int(item["tx"])),
        "discarded": [{"tx": tx, "why": why} for tx, why in discarded],
    }
    rejected = any(why != "no-end" for _, why in discarded)
    answer: Answer = {"verdict": RECOVERED if rejected else CLEAN, "state": jsonable(state)}
    told = "; ".join(entry.text for entry in said if entry.number)
    if told:
        answer["message"] = told[:SHOWN]
    return answer


def _discarded(said: list[Entry]) -> list[tuple[int, str]]:
    """Return (transaction, why) in the order of transactions, from the messages of one load."""
    about = {
        number: [entry.transaction for entry in said if entry.number == number]
        for number in (PREPARE_INCOMPLETE, COMMIT_INCOMPLETE, UNCOMMITTED)
    }
    found = [(tx, "unhealthy-commit") for tx in about[COMMIT_INCOMPLETE]]
    found += [
        (tx, "unhealthy-prepare" if tx in about[PREPARE_INCOMPLETE] else "no-end")
        for tx in about[UNCOMMITTED]
    ]
    return sorted(found, key=lambda item: item[0])
