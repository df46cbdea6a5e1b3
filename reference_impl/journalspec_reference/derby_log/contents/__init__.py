"""The contents of a Derby log: the rows of the database's tables as they would be after a boot of Derby.

The rows are read from the containers next to the log (``seg0``). The log is redone on their pages, and open
transactions are undone. The boot password of an encrypted database comes from the environment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from journalspec.contents import Column, Table
from journalspec_reference.answers import Answer
from journalspec_reference.contents import Contents, Count, Remark, Row
from journalspec_reference.derby_log.codec import BadLog, Refusal
from journalspec_reference.derby_log.containers import Fault
from journalspec_reference.derby_log.contents.booted import NO_SELECT, Booted
from journalspec_reference.derby_log.contents.catalog import ODD, SqlTable, catalogue
from journalspec_reference.derby_log.contents.cipher import Cipher, ClearLogs, NotReadable
from journalspec_reference.derby_log.contents.values import TYPES, UNKNOWN, Decoded
from journalspec_reference.derby_log.fileset import beside, gather, properties_of
from journalspec_reference.derby_log.recover import LogPass, RedoneState
from journalspec_reference.derby_log.repairs import Repair, repaired
from journalspec_reference.derby_log.store import Transaction

FORMAT = "derby_log"
#: Two bounds: on the positions that are remembered as already reported, and on the faults that wait until
#: tables have names.
_MOST_REPORTED, _MOST_EARLY = 10_000, 1000
_NO_PROPERTIES = "service.properties is missing: Derby does not know the database (XJ004)"
_NO_CONTAINERS = "without the containers of the database (seg0), its tables are unknown"


class DerbyContents(Contents):
    """Represents the tables of a database after recovery. Unreadable parts become remarks.

    The name of each SQL table consists of the name of its schema and its own name.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__(FORMAT)
        journal, state = answer.journal, answer.observation.state
        self._reported: set[tuple[str, str, str]] = set()
        self._titles: dict[int, str] = {}
        self.sql: dict[str, SqlTable] = {}
        self._open: list[tuple[int, Transaction]] = []
        self._counts: dict[int, tuple[int, int]] = {}
        #: Faults of containers that were found before their tables had names.
        self._early: list[tuple[int, Fault, str]] | None = []
        #: Whether all pages of all containers were checked.
        self.looked_at = False
        #: Files of the log that had to be rebuilt, so that it could be redone.
        self.repairs: list[Repair] = []
        properties, containers = properties_of(journal.root), beside(journal)
        cipher, files = None, journal.seen
        if properties is None and containers and journal.root is not None:
            self._add("no-properties", _NO_PROPERTIES)
        try:
            if (properties or {}).get("dataEncryption", "").lower() == "true":
                cipher = Cipher(properties or {})
                clear = ClearLogs(cipher)
                logs = {file.name: clear.file(number, file.data) for number, file in gather(files).items()}
                files = {**files, **logs}
        except NotReadable as error:
            self._add(error.code, error.text)
            self.looked_at = True
            return
        if not containers:
            self.looked_at = True
            self._add("no-containers", _NO_CONTAINERS)
            return
        log = state.log if isinstance(state, RedoneState) and cipher is None else None
        if (problem := self._redone(containers, cipher, files, journal.edition, log)) and cipher is None:
            repairs = [*repaired(files, journal.edition)]
            other = {**files, **{each.name: each.data for each in repairs}}
            # The repairs are useful only if the repaired log contains at least one record after its start.
            if repairs and not self._redone(containers, cipher, other, journal.edition) and self.state.went:
                self.repairs, problem = repairs, ""
                for each in repairs:
                    self.remarks.add(Remark("", "", each.name, 0, each.code, each.text))
            elif repairs:
                self._redone(containers, cipher, files, journal.edition)
        if problem:
            self._add("no-redo", f"the log is redone only up to this fault: {problem}")
        self.sql, others = catalogue(self.state, properties or {})
        self._titles = {table.container: title for title, table in self.sql.items()}
        early, self._early = self._early or [], None
        for container, fault, effect in early:
            self._report(container, fault, effect)
        self._check(others)
        self.tables = {**self.tables, **{title: _as_table(table) for title, table in self.sql.items()}}

    @cached_property
    def state(self) -> Booted:
        """The database after a boot. It is empty if no container is readable."""
        return Booted({}, None, self._report)

    def _redone(
        self,
        beside: Mapping[int, tuple[str, Any]],
        cipher: Cipher | None,
        files: Mapping[str, Any],
        edition: str,
        log: LogPass | None = None,
    ) -> str:
        """Redo a log on the containers. If redo stopped before the log's end, return the reason, else an
        empty text.
        """
        self.state, self._early = Booted(beside, cipher, self._report), []
        try:
            store = self.state.replay(files, edition, log)
        except (Refusal, BadLog) as error:
            return str(error)
        self._open = [(number, store.transactions[number]) for number in store.branches()]
        return ""

    def title(self, container: int) -> str:
        """Return the name of a container's table. It is empty if the container belongs to no table."""
        return self._titles.get(container, "")

    def _check(self, others: Mapping[int, str]) -> None:
        """Report missing and exchanged containers, and transactions in doubt."""
        for container, what in others.items():
            if self.state.heap(container) is None:
                text = f"seg0/c{container:x}.dat, {what}, is missing"
                self._report(container, Fault("no-container", text, "XSAI2"), NO_SELECT)
        for title, table in [*self.sql.items()]:
            said = self.state.described(table.container)
            heap = self.state.heap(table.container)
            if heap is not None and said is not None and said[0] != table.container:
                own = f"container {said[0]} (c{said[0]:x})"
                text = f"{heap.name} says that it is {own}: Derby reads that one as {title}"
                self._report(table.container, Fault("other-container", text), "")
                self.sql[title] = replace(table, container=said[0])
        for number, known in self._open:
            gtrid = known.ids[0].hex()
            self._add("in-doubt", f"transaction {number}, XA id {gtrid}, is in doubt: its rows are locked")

    def _add(self, code: str, text: str) -> None:
        self.remarks.add(Remark("", "", "", None, code, text))

    def _report(self, container: int, fault: Fault, effect: str) -> None:
        """Add a remark about a container's fault. `effect` is Derby's reaction."""
        if self._early is not None:
            if len(self._early) < _MOST_EARLY:
                self._early.append((container, fault, effect))
            return
        heap = self.state.heap(container)
        title = self._titles.get(container, "")
        state = f" ({fault.state})" if fault.state else ""
        text = f"{fault.text}; {effect}{state}" if effect else fault.text
        name = heap.name if heap is not None else f"seg0/c{container:x}.dat"
        # Pages can be read twice, so each fault is reported once.
        place = (name, fault.code, text if fault.off is None else str(fault.off))
        if place not in self._reported:
            off = fault.page if fault.off is None else fault.off
            self.remarks.add(Remark(title, "", name, off, fault.code, text))
            if len(self._reported) < _MOST_REPORTED:
                self._reported.add(place)

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table. Raises KeyError if no table has this name."""
        return self._rows(self.sql[table]) if table in self.sql else super().rows(table)

    def _tables(self) -> Iterator[Row]:
        for table in self.sql.values():
            heap = self.state.heap(table.container)
            count, size = self._counted(table.container)
            columns = [{"name": name, "type": typed.words} for name, typed in table.columns]
            yield {
                "schema": table.schema, "table": table.name, "kind": table.kind, "container": table.container,
                "file": heap.name if heap else "", "page_size": heap.size if heap else 0,
                "rows": count, "bytes": size, "columns": columns,
            }  # fmt: skip

    def _in_doubt(self) -> Iterator[Row]:
        for number, known in self._open:
            gtrid, bqual, form = known.ids
            yield {"transaction": number, "gtrid": gtrid, "bqual": bqual, "format_id": form}

    def _rows(self, table: SqlTable) -> Iterator[Row]:
        names = [column.name for column in _columns(table)]
        decoders = [TYPES.get(typed.type, UNKNOWN).decode for _, typed in table.columns]
        for key, values in self.fields(table):
            try:
                found = [
                    None if value is None else decode(value)
                    for decode, value in zip(decoders, values, strict=True)
                ]
            except ODD:
                found = [self.decoded(table, at, key, value) for at, value in enumerate(values)]
            yield dict(zip(names, found, strict=True))

    def fields(self, table: SqlTable) -> Iterator[tuple[str, list[Any]]]:
        """Yield the position of each row of a table, and the row's fields in stored form, one per column."""
        count = len(table.columns)
        for key, fields in self.state.rows(table.container):
            # Rows that are older than a column have no field for this column.
            yield key, fields if len(fields) == count else fields[:count] + [None] * (count - len(fields))

    def decoded(self, table: SqlTable, at: int, key: str, value: Any) -> Decoded:
        """Return one value of a row.

        This function is called for rows in which some value does not fit its type.
        """
        name, typed = table.columns[at]
        try:
            return None if value is None else TYPES.get(typed.type, UNKNOWN).decode(value)
        except ODD as error:
            text = f"row {key} of {table.title}: {len(value)} bytes of {name} are no {typed.words}: {error}"
            heap = self.state.heap(table.container)
            name = heap.name if heap is not None else ""
            # The key of a row begins with the number of its page.
            off = int(key.partition(",")[0]) * heap.size if heap is not None else None
            self.remarks.add(Remark(table.title, key, name, off, "bad-value", text))
            return None

    def _counted(self, container: int) -> tuple[int, int]:
        """Return a container's row count and bytes.

        The result is cached, because damage can assign many tables to a container.
        """
        if container not in self._counts:
            self._counts[container] = self.state.count(container)
        return self._counts[container]

    def counts(self) -> Iterable[Count]:
        """Yield the number of rows of each table of users, and their bytes, without decoding them.

        The pages of all containers are checked; each fault becomes a remark.
        """
        own = {title: table for title, table in self.sql.items() if table.kind != "system"}
        for title, table in own.items():
            yield Count(title, title, *self._counted(table.container))
        counted = {table.container for table in own.values()}
        for container, fault in () if self.looked_at else self.state.faults(counted):
            self._report(container, fault, NO_SELECT)
        self.looked_at = True


#: The function of this module for all formats.
contents = DerbyContents


def _columns(table: SqlTable) -> tuple[Column, ...]:
    """Return the columns of a table. A duplicate name gets a suffix."""
    out: dict[str, Column] = {}
    for at, (name, typed) in enumerate(table.columns, start=1):
        while name in out:
            name += f"'{at}"  # noqa: PLW2901  # SQL forbids duplicate names: only damage produces them
        kind = TYPES.get(typed.type, UNKNOWN).kind
        out[name] = Column(name, kind, typed.words, body=table.kind != "system" or name == "PASSWORD")
    return tuple(out.values())


def _as_table(table: SqlTable) -> Table:
    doc = f"table {table.name} of schema {table.schema}, container {table.container} (c{table.container:x})"
    return Table(table.title, "row", doc, _columns(table))
