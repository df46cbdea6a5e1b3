"""Decodes the commands of all records of a batch at once into typed columns. Only this module imports NumPy.

The fields of all records are read side by side: the first field of each record, then the second.
:func:`.codec.command` parses unusual payloads one by one. These contain a repeated field, another order of
fields, an unknown field number, a field longer than 2 MiB, or a field within another command.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec.kahadb_journal.commands import BITS, messages
from journalspec_reference.batches import Batch
from journalspec_reference.kahadb_journal.codec import (
    CONTROL,
    HEAD,
    REWRITTEN,
    CommandError,
    Dialect,
    command,
    parse,
    parsed,
    sums,
)
from journalspec_reference.kahadb_journal.records import TX_MEMBERS, is_optional, shown
from journalspec_reference.kahadb_journal.store import (
    DEFAULT_PRIORITY,
    ENDING,
    TOPICS,
    QueueChanges,
    Step,
    destination_of,
    ranked,
    step_of,
    transaction_of,
)

Ints = npt.NDArray[np.int64]
#: Maps fields of commands whose members become columns to the messages that describe the members.
_PARTS = {"transaction": ("local", "xa"), "destination": ("destination",)}
_OF: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "transaction": transaction_of,
    "destination": destination_of,
}
_TYPES = {"s4": "int32", "s8": "int64", "bool": "bool", "str": "string", "bytes": "binary"}
#: Maps a field of commands to its type. The field that contains another command is omitted.
FIELDS = {
    slot.name: slot.holds
    for name, table in messages().items()
    for slot in table.values()
    if name.isupper() and not slot.holds.isupper()
}
#: Maps a column to its Arrow type. The names are those of the specification. The name of an object precedes
#: the names of its members.
COLUMNS = {
    "type": "string",
    "length": "int32",
    "batch_size": "int32",
    "checksum": "int64",
    "payload": "binary",
}
for _name, _holds in FIELDS.items():
    _slots = [slot for part in _PARTS.get(_name, ()) for slot in messages()[part].values()]
    COLUMNS |= {f"{_name}_{slot.name}": _TYPES[slot.holds] for slot in _slots}
    COLUMNS |= {f"{_name}_kind": "string"} if _slots else {_name: _TYPES[_holds]}
#: Fewer commands than this are not replayed together.
_PAYS = 3
#: Maps the name of a field to its number in this module. A usual command contains its fields in the order of
#: these numbers.
_NUMBERS = {name: at for at, name in enumerate(FIELDS)}


@cache
def _table(dialect: Dialect) -> npt.NDArray[np.int8]:
    """Return a table from command and first byte of a field to field numbers.

    The number -1 means: use the parser instead.
    """
    out = np.full((256, 256), -1, np.int8)
    for row, name in dialect.commands.items():
        for slot in messages()[name].values():
            if slot.name in _NUMBERS and slot.number < 16:
                out[row, slot.number << 3 | slot.wire] = _NUMBERS[slot.name]
    return out


def _varints(view: npt.NDArray[np.uint8], at: Ints) -> tuple[Ints, Ints, Ints]:
    """Return three values: the varints of up to three bytes at `at`, their ends, and the rows of longer
    varints.
    """
    value, after = view.take(at, mode="clip").astype(np.int64), at + 1
    longer = np.flatnonzero(value > 0x7F)
    for shift in (7, 14):
        if len(longer):
            more = view.take(after[longer], mode="clip").astype(np.int64)
            value[longer] += more - 1 << shift
            after[longer] += 1
            longer = longer[more > 0x7F]
    return value, after, longer


class Gathered:
    """Represents the position of each field in a batch's commands.

    The rows listed in `closely` are unusual; the parser reads them.
    """

    def __init__(self, batch: Batch, dialect: Dialect) -> None:
        view, self._off = np.frombuffer(batch.data, np.uint8), np.frombuffer(batch.off, np.int64)
        # Do not keep the batch itself. It refers to this object, and objects in a reference cycle stay in
        # memory longer.
        self._data, self._rows, self._dialect = batch.data, (batch.off, batch.end), dialect
        self.code = np.frombuffer(bytes(batch.code), np.uint8)
        table = _table(dialect)
        size, at, longer = _varints(view, self._off + HEAD + 1)
        end = at + size
        # The parser also reads payloads with more bytes than their message (KHD-CMD-003).
        self._usual = (end == np.frombuffer(batch.end, np.int64)) & np.any(table >= 0, axis=1)[self.code]
        self._usual[longer] = False
        #: Each element is (rows, numbers of fields, starts, sizes). The first element is for the first field
        #: of each command, the second for the second field, and so on.
        self._found: list[tuple[Ints, npt.NDArray[np.int8], Ints, Ints]] = []
        rows = np.flatnonzero(self._usual)
        base, before = self.code[rows].astype(np.int64) << 8, np.full(len(rows), -1, np.int8)
        at, end = at[rows], end[rows]
        on = at < end
        while on.any():  # Read the next field of every command that has another field.
            if not on.all():
                rows, base, at, end, before = rows[on], base[on], at[on], end[on], before[on]
            key = view.take(at, mode="clip")
            field = table.ravel().take(base + key)
            size, start, longer = _varints(view, at + 1)
            # The wire type is VARINT or SIZED.
            at = start + size * (key >> 1 & 1)
            wrong = (field <= before) | (at > end)
            wrong[longer] = True
            self._found.append((rows, field, start, size))
            self._usual[rows[wrong]] = False
            before, on = field, (at < end) & ~wrong
        #: Maps a field to two values: the number of each record's nested message (-1: none), and the list of
        #: the distinct messages.
        self.within = {name: self._within(name) for name in _PARTS}
        self.closely: list[int] = np.flatnonzero(~self._usual).tolist()

    def _find(self, name: str) -> tuple[Ints, Ints, Ints]:
        """Return the usual rows that have a field, and the start and size of its values.

        For a number, the value itself is in place of the size.
        """
        number, out = _NUMBERS[name], [(np.zeros(0, np.int64),) * 3]
        all_usual = self._usual.all()
        for rows, field, start, size in self._found:
            here = field == number
            if not all_usual:
                here &= self._usual[rows]
            if here.any():
                out.append((rows[here], start[here], size[here]))
        rows, start, size = (np.concatenate(column) for column in zip(*out, strict=True))
        return rows, start, size

    def field(self, name: str) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
        """Return, for each record, the start and size of a field, and whether the record has the field.

        For a number, the value itself is in place of the size.
        """
        rows, *found = self._find(name)
        columns = np.zeros((2, len(self.code)), np.int64)
        columns[:, rows] = found
        has = np.zeros(len(self.code), np.bool_)
        has[rows] = True
        return columns[0], columns[1], has

    def _stored(self, name: str) -> tuple[Ints, list[bytes]]:
        """Return the rows that have a field of bytes, and the bytes."""
        rows, start, size = self._find(name)
        data, stored = self._data, np.full(len(rows), b"", object)
        for length in {*size.tolist()} - {0}:
            # The view has an item of this length at every offset. Therefore all wanted items are copied in
            # one step.
            items = np.ndarray(len(data) - length + 1, f"V{length}", data, strides=(1,))
            here = size == length
            stored[here] = items[start[here]].tolist()
        return rows, stored.tolist()

    def _within(self, name: str) -> tuple[Ints, list[Any]]:
        """Parse each distinct nested message of a field once. Rows with invalid messages are left to the
        parser.
        """
        rows, start, size = self._find(name)
        parts, first = list[tuple[Ints, list[int], list[bytes]]](), dict[bytes, int]()
        for length in {*size.tolist()}:
            here = np.flatnonzero(size == length)
            # Most rows repeat the previous message. Such rows are found without creating objects.
            width = 8 if length >= 8 else 1
            words = np.ndarray(len(self._data) - width + 1, f"u{width}", self._data, strides=(1,))
            steps = np.minimum(np.arange(0, length, width), length - width)
            found = words[start[here] + steps[:, None]]
            begins = np.flatnonzero((found[:, 1:] != found[:, :-1]).any(axis=0)) + 1
            begins = np.concatenate(([0], begins))
            stored = [self._data[at : at + length] for at in start[here[begins]].tolist()]
            parts.append((rows[here], np.diff(begins, append=len(here)).tolist(), stored))
            # Process the rows from the last to the first. Therefore the first row of equal texts is stored.
            first |= zip(reversed(stored), rows[here[begins[::-1]]].tolist(), strict=True)
        of, known, numbers = _OF[name], list[Any](), dict.fromkeys(first, -1)
        for each in sorted(first, key=first.__getitem__):
            with suppress(CommandError):
                known.append(of({name: parse(name, each)}))
                numbers[each] = len(known) - 1
        column = np.full(len(self.code), -1, np.int64)
        for at, sizes, stored in parts:
            column[at] = np.repeat([*map(numbers.__getitem__, stored)], sizes)
        self._usual[rows[column[rows] < 0]] = False
        return column, known

    def _texts(self, name: str, missing: str | None) -> npt.NDArray[np.object_]:
        rows, stored = self._stored(name)
        column = np.full(len(self.code), missing, object)
        try:
            column[rows] = list(map(bytes.decode, stored))
        except UnicodeDecodeError:
            column[rows] = [each.decode("utf-8", "replace") for each in stored]
        return column

    @cached_property
    def others(self) -> Mapping[int, tuple[str, Mapping[str, Any]]]:
        """Return a map from row to command, for the rows that the parser reads.

        Raises CommandError if a command has a fault that must be reported.
        """
        out, (off, end) = {}, self._rows
        for row in self.closely:
            payload = self._data[off[row] + HEAD : end[row]]
            name, fields, surplus = command(payload, self._dialect.commands)
            if surplus:
                raise CommandError("bytes follow the message")
            out[row] = name, fields
        return out

    def steps(self, place: int) -> Iterator[Step]:
        """Return the effects of the commands.

        `place` is the position of the batch. Raises CommandError like `others`.
        """
        return self._steps(place, np.arange(len(self.code)))

    def grouped(self, place: int) -> Iterator[Step | QueueChanges]:
        """Return the same effects as `steps`. Many changes of queue messages are combined into
        :class:`QueueChanges`.

        Commands of different transactions are reordered, because a command has no effect before its
        transaction ends.
        """
        of, numbers = self.within["transaction"]
        known = {tx: number for number, tx in enumerate(dict.fromkeys(numbers))}
        # Different texts can represent the same transaction. The last number is for commands without a
        # transaction.
        tx = np.array([*map(known.__getitem__, numbers), -1])[of]
        at, names = self._destination
        queues = np.array([name[0] not in TOPICS for name in names])
        changes, ends = (self._of(kinds) for kinds in (("ADD_MESSAGE", "REMOVE_MESSAGE"), ENDING))
        groups = changes & queues[at] & ~self.field("subscription_key")[2]
        if self.closely or (ends & (tx < 0)).any():
            return self.steps(place)
        # A command without a transaction keeps its position among the commands that take effect immediately.
        turn = np.where(tx < 0, np.cumsum(ends | (tx < 0) & ~groups), 0)
        order = np.lexsort((turn, tx))
        parts = np.zeros(max(len(order) - 1, 0), np.bool_)
        for each in (tx, turn, self.code, groups, self._priorities):
            parts |= each[order[1:]] != each[order[:-1]]
        begins = np.concatenate(([0], np.flatnonzero(parts) + 1))
        sizes = np.diff(begins, append=len(order))
        long = (sizes >= _PAYS) & groups[order[begins]]
        single = np.sort(order[np.repeat(~long, sizes)])
        out: list[tuple[int, Step | QueueChanges]] = [
            *zip(single.tolist(), self._steps(place, single), strict=True)
        ]
        idents = self._idents[order].tolist()
        ofs, offs = at[order].tolist(), self._off[order].tolist()
        txs = [*known, None]
        for begin, size in zip(begins[long].tolist(), sizes[long].tolist(), strict=True):
            row, end = order[begin], begin + size
            command = self._dialect.commands[self.code[row]]
            base = place + ranked(int(self._priorities[row]))
            part = command, txs[tx[row]], names, ofs[begin:end], idents[begin:end], base, offs[begin:end]
            out.append((int(row), QueueChanges(*part)))
        out.sort(key=itemgetter(0))
        return map(itemgetter(1), out)

    def _of(self, kinds: Collection[str]) -> npt.NDArray[np.bool_]:
        """Return which records contain a command of these kinds."""
        return np.isin(self.code, [code for code, kind in self._dialect.commands.items() if kind in kinds])

    @cached_property
    def _destination(self) -> tuple[Ints, list[Any]]:
        """Two values: for each record, the number of its destination, and the list of destinations."""
        column, found = self.within["destination"]
        return column, [*found, destination_of({})]

    @cached_property
    def _idents(self) -> npt.NDArray[np.object_]:
        return self._texts("message_id", "")

    @cached_property
    def _priorities(self) -> Ints:
        _, supported, _ = self.field("priority_supported")
        _, priority, given = self.field("priority")
        return np.where(given & (supported != 0), priority, DEFAULT_PRIORITY)

    def _steps(self, place: int, rows: Ints) -> Iterator[Step]:
        """Return the effects of the commands in some rows."""
        (at, names), (of, transactions) = self._destination, self.within["transaction"]
        _, retroactive, _ = self.field("retroactive")
        _, _, begins = self.field("subscription_info")
        usual: Iterator[Any] = zip(
            map(self._dialect.commands.get, self.code[rows].tolist()),
            map(names.__getitem__, at[rows].tolist()),
            self._idents[rows].tolist(),
            self._priorities[rows].tolist(),
            map(place.__add__, self._off[rows].tolist()),
            self._texts("subscription_key", None)[rows].tolist(),
            map([*transactions, None].__getitem__, of[rows].tolist()),
            np.where(begins, (retroactive != 0).astype(object), np.array(None))[rows].tolist(),
            strict=True,
        )
        others = self.others
        if not others:
            return usual
        return (
            step_of(*others[row], place + self._rows[0][row]) if row in others else step
            for row, step in zip(rows.tolist(), usual, strict=True)
        )


def plain(batch: Batch, dialect: Dialect) -> Gathered:
    """Return the commands of a batch for a replay.

    Raises CommandError if a record is not a command, or has an oddity that must be reported.
    """
    if any(dialect.commands.get(code) == REWRITTEN for code in set(batch.code)):
        raise CommandError("what follows may not count")
    found = Gathered(batch, dialect)
    _ = found.others
    return found


def columns(batch: Batch, dialect: Dialect) -> dict[str, Any]:
    """Return columns of a batch by name, each in one of three forms.

    Numbers are an array, masked where a record has no such field. Bytes and texts are (starts, sizes) in
    ``batch.data``; size -1 means no value. A value that differs from its stored bytes, such as a text that is
    not UTF-8, is appended to ``batch.data``. Columns with many equal values are (numbers, list of distinct
    values); number -1 means no value.
    """
    rows, off, end = len(batch), np.frombuffer(batch.off, np.int64), np.frombuffer(batch.end, np.int64)
    found = batch.more.get("parsed")
    if not isinstance(found, Gathered):
        found = Gathered(batch, dialect)
    kinds = [*dialect.commands.values(), "OTHER"]
    kind = np.full(256, len(kinds) - 1)
    kind[list(dialect.commands)] = np.arange(len(kinds) - 1)
    kind = kind[found.code]
    odd: dict[int, Mapping[str, Any]] = {}
    for row in found.closely:
        item = parsed(batch.data[off[row] + HEAD : end[row]], dialect)
        kind[row] = kinds.index("OTHER" if isinstance(item, str) else item[0])
        odd[row] = {} if isinstance(item, str) else shown(*item)
    out: dict[str, Any] = {}
    for name in COLUMNS:
        owner = name.partition("_")[0]
        if name == "type":
            out[name] = kind, kinds
        elif name == "length":
            out[name] = (end - off).astype(np.int32)
        elif name == "payload":
            out[name] = off + HEAD, np.where(kind == len(kinds) - 1, end - off - HEAD, -1)
        elif name in ("batch_size", "checksum"):
            valid, values = np.zeros(rows, np.bool_), np.zeros(rows, np.int64)
            for row in batch.more.get("first", ()):
                valid[row], values[row] = True, sums(batch.data, off[row] - CONTROL)[name == "checksum"]
            out[name] = _masked(values, valid, name)
        elif owner in _PARTS:
            out[name] = _member(*found.within[owner], found.code, odd, dialect, name)
        elif FIELDS[name] in BITS:
            _, filled, default = _defaults(dialect, name)
            _, size, stored = found.field(name)
            values, valid = np.where(stored, size, default), stored | filled[found.code]
            for row, fields in odd.items():
                values[row], valid[row] = fields.get(name, 0), name in fields
            out[name] = _masked(values, valid, name)
        else:
            out[name] = _placed(batch, found, odd, dialect, name)
    return out


@cache
def _defaults(dialect: Dialect, name: str) -> tuple[Any, Any, Any]:
    """Return three values: the commands that have a field, the commands that have a default for it, and the
    default.
    """
    has, filled, default = np.zeros(256, np.bool_), np.zeros(256, np.bool_), 0
    for number, kind in dialect.commands.items():
        for slot in messages()[kind].values():
            if slot.name == name:
                has[number], filled[number] = True, not is_optional(kind, name)
                default = slot.default or 0
    return has, filled, default


def _masked(values: Any, valid: Any, name: str) -> Any:
    values = values.astype(COLUMNS[name])
    return values if valid.all() else np.ma.masked_array(values, ~valid)


def _placed(
    batch: Batch, found: Gathered, odd: Mapping[int, Mapping[str, Any]], dialect: Dialect, name: str
) -> tuple[Ints, Ints]:
    """Return the starts and sizes of the values of a field of bytes or text."""
    data, (start, size, has) = batch.data, found.field(name)
    size = np.where(has | _defaults(dialect, name)[1][found.code], size, -1)
    other = {row: fields.get(name) for row, fields in odd.items()}
    if COLUMNS[name] == "string" and (size > 0).any():
        beyond = np.flatnonzero(np.frombuffer(data, np.uint8) > 0x7F)
        ascii_only = np.searchsorted(beyond, start) == np.searchsorted(beyond, start + size)
        for row in np.flatnonzero(~ascii_only & (size > 0)).tolist():
            other.setdefault(row, data[start[row] : start[row] + size[row]].decode("utf-8", "replace"))
    tail = bytearray()
    for row, value in other.items():
        stored = value.encode() if isinstance(value, str) else value
        start[row], size[row] = len(data) + len(tail), -1 if stored is None else len(stored)
        tail += stored or b""
    if tail:
        batch.data = data + bytes(tail)
    return start, size


def _member(
    column: Ints,
    known: Sequence[Any],
    code: Any,
    odd: Mapping[int, Mapping[str, Any]],
    dialect: Dialect,
    name: str,
) -> Any:
    """Return the column of a member; `column` contains a position in `known` for each record."""
    owner, _, member = name.partition("_")
    column, known = column.copy(), list(known)
    if owner == "destination":
        column[(column < 0) & _defaults(dialect, owner)[0][code]] = len(known)
        known.append(destination_of({}))
    for row, fields in odd.items():
        column[row] = len(known) if owner in fields else -1
        known += [tuple(fields[owner].values())] if owner in fields else []
    values = [_value(each, member) for each in known] + [None]
    if COLUMNS[name] in ("string", "binary"):
        distinct = [value for value in dict.fromkeys(values) if value is not None]
        numbers = {value: number for number, value in enumerate(distinct)}
        return np.array([numbers.get(value, -1) for value in values])[column], distinct
    valid = np.array([value is not None for value in values])[column]
    return _masked(np.array([value or 0 for value in values])[column], valid, name)


def _value(item: Sequence[Any], member: str) -> Any:
    """Return a member of a destination or a transaction, or None if the member is absent."""
    members = TX_MEMBERS.get(item[0], ("kind", "name"))
    return item[members.index(member)] if member in members else None
