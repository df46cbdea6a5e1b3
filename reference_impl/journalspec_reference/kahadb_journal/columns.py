"""The commands of all records of a batch at once, as typed columns. Needs NumPy, which is imported here only.

The fields of all records are followed side by side: first the first of each, then the second. What is not
as usual (a field twice, of an unknown number, longer than 2 MiB, within another command) is left to
:func:`.commands.command`, record by record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec.kahadb_journal.commands import BITS, SIZED, messages
from journalspec_reference.batches import Batch
from journalspec_reference.kahadb_journal.codec import CONTROL, HEAD, Dialect, sums
from journalspec_reference.kahadb_journal.commands import CommandError, command, parse
from journalspec_reference.kahadb_journal.records import TX_MEMBERS, is_optional, parsed, shown
from journalspec_reference.kahadb_journal.store import (
    ADDS,
    CHANGES,
    CLOSELY,
    DEFAULT_PRIORITY,
    ENDING,
    ENDS,
    NO_TRANSACTION,
    NOTHING,
    REMOVES,
    PlainRows,
    destination_of,
    ranked,
    transaction_of,
)

Ints = npt.NDArray[np.int64]
#: Messages within commands whose members become columns, and where these are described.
_PARTS = {"transaction": ("local", "xa"), "destination": ("destination",)}
_TYPES = {"s4": "int32", "s8": "int64", "bool": "bool", "str": "string", "bytes": "binary"}
#: More bytes than what is looked at together (a key and a number of three bytes) has.
_ROOM = bytes(8)
#: The fields of commands, and what each holds; that of another command is not one of them.
FIELDS = {
    slot.name: slot.holds
    for name, table in messages().items()
    for slot in table.values()
    if name.isupper() and not slot.holds.isupper()
}
#: Column -> Arrow type, under the names of the specification; members of an object follow its name.
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
_NUMBERS = {name: number for number, name in enumerate(FIELDS)}


@cache
def _table(dialect: Dialect) -> npt.NDArray[np.int8]:
    """Return [command, first byte of a field] -> the field's number, -1: it is looked at closely."""
    out = np.full((256, 256), -1, np.int8)
    for number, name in dialect.commands.items():
        for slot in messages()[name].values():
            if slot.name in _NUMBERS and slot.number < 16:
                out[number, slot.number << 3 | slot.wire] = _NUMBERS[slot.name]
    return out


@cache
def _is_plain(dialect: Dialect) -> npt.NDArray[np.bool_]:
    """Return which commands have fields of their own only, and not those of another command."""
    out = np.zeros(256, np.bool_)
    for number, name in dialect.commands.items():
        out[number] = all(slot.name in _NUMBERS for slot in messages()[name].values())
    return out


def _varints(view: npt.NDArray[np.uint8], at: Ints) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Return the varints of up to three bytes at `at`, how many bytes each has, and whether it has more."""
    value = view[at].astype(np.int64)
    used = np.ones(len(at), np.int64)
    longer = np.flatnonzero(value > 0x7F)
    odd = np.zeros(len(at), np.bool_)
    if len(longer):
        second = view[at[longer] + 1].astype(np.int64)
        value[longer] += (second - 1) << 7
        used[longer] = 2
        longer = longer[second > 0x7F]
        if len(longer):
            third = view[at[longer] + 2].astype(np.int64)
            value[longer] += (third - 1) << 14
            used[longer] = 3
            odd[longer] = third > 0x7F
    return value, used, odd


class Gathered:
    """Where the fields of a batch's commands are: for each of `names` where its value begins, and its size.

    Of a number the size is the value. `has` tells which records have the field. `closely` are the rows of
    which nothing of this is known.
    """

    def __init__(self, batch: Batch, dialect: Dialect, names: Iterable[str]) -> None:
        view = np.frombuffer(batch.data + _ROOM, np.uint8)
        rows, table = len(batch), _table(dialect)
        head, stop = np.frombuffer(batch.off, np.int64) + HEAD, np.frombuffer(batch.end, np.int64)
        self.code = code = np.frombuffer(bytes(batch.code), np.uint8)
        self.start = {name: np.zeros(rows, np.int64) for name in names}
        self.size = {name: np.zeros(rows, np.int64) for name in self.start}
        self._wanted = {_NUMBERS[name]: name for name in self.start}
        self._seen = seen = np.zeros(rows, np.int64)
        size, used, odd = _varints(view, head + 1)
        at = head + 1 + used
        end = at + size
        # A payload with more bytes than its message is looked at closely as well (KHD-CMD-003).
        closely = odd | (end != stop) | ~_is_plain(dialect)[code]
        left = np.flatnonzero(~closely & (at < end))
        at, end = at[left], end[left]
        while len(left):  # the next field of every record that has one
            key = view[at]
            part = table[code[left], key]
            size, used, odd = _varints(view, at + 1)
            at = at + 1 + used
            behind = np.where(key & 7 == SIZED, at + size, at)
            bit = np.left_shift(1, np.maximum(part, 0).astype(np.int64))
            odd |= (part < 0) | (behind > end) | (seen[left] & bit != 0)
            seen[left] |= bit
            for number, name in self._wanted.items():
                here = part == number
                if here.any():
                    self.start[name][left[here]], self.size[name][left[here]] = at[here], size[here]
            if odd.any():
                closely[left[odd]] = True
            on = ~odd & (behind < end)
            left, at, end = left[on], behind[on], end[on]
        self._data = batch.data
        self.closely = np.flatnonzero(closely)

    def has(self, name: str) -> npt.NDArray[np.bool_]:
        """Return which records have a field."""
        return (self._seen >> _NUMBERS[name] & 1).astype(np.bool_)

    def within(self, name: str) -> tuple[Ints, list[Any]]:
        """Return a number for each record's message within its command, and the messages by number.

        Number -1 is for records that have none, and for those with damage there, which join `closely`.
        """
        numbers: dict[bytes, int] = {}
        known: list[Any] = []
        have = self.has(name)
        have[self.closely] = False
        rows = np.flatnonzero(have)
        data, of = self._data, (destination_of if name == "destination" else transaction_of)
        starts = self.start[name][rows]
        picked = []
        for start, end in zip(starts.tolist(), (starts + self.size[name][rows]).tolist(), strict=True):
            stored = data[start:end]
            number = numbers.get(stored, -2)
            if number == -2:
                try:
                    known.append(of({name: parse(name, stored)}))
                    number = len(known) - 1
                except CommandError:
                    number = -1
                numbers[stored] = number
            picked.append(number)
        column = np.full(len(have), -1, np.int64)
        column[rows] = picked
        self.closely = np.union1d(self.closely, rows[column[rows] < 0])
        return column, known


def columns(batch: Batch, dialect: Dialect, names: Iterable[str] = tuple(COLUMNS)) -> dict[str, Any]:
    """Return columns of a batch by name, each as one of three.

    Numbers are an array, masked where a record has no such field. Bytes and texts are where each begins in
    ``batch.data`` and its size, -1 where there is none; what is not there as it is reported, as a text
    that is no UTF-8, is appended to ``batch.data``. What repeats is a number, -1 where there is none, and
    a list.
    """
    names, rows = list(names), len(batch)
    off, end = np.frombuffer(batch.off, np.int64), np.frombuffer(batch.end, np.int64)
    owners = {name: name.partition("_")[0] for name in names if name.partition("_")[0] in _PARTS}
    found = Gathered(batch, dialect, [name for name in FIELDS if name in names or name in owners.values()])
    within = {name: found.within(name) for name in dict.fromkeys(owners.values())}
    kinds = [*dialect.commands.values(), "OTHER"]
    kind = np.full(256, len(kinds) - 1)
    kind[list(dialect.commands)] = np.arange(len(kinds) - 1)
    kind = kind[found.code]
    odd: dict[int, Mapping[str, Any]] = {}
    for row in found.closely.tolist():
        item, _ = parsed(batch.data[off[row] + HEAD : end[row]], dialect)
        kind[row] = kinds.index("OTHER" if isinstance(item, str) else item[0])
        odd[row] = {} if isinstance(item, str) else shown(*item)
    out: dict[str, Any] = {}
    for name in names:
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
        elif name in owners:
            out[name] = _member(*within[owners[name]], found.code, odd, dialect, name)
        elif FIELDS[name] in BITS:
            _, filled, default = _defaults(dialect, name)
            stored = found.has(name)
            values, valid = np.where(stored, found.size[name], default), stored | filled[found.code]
            for row, fields in odd.items():
                values[row], valid[row] = fields.get(name, 0), name in fields
            out[name] = _masked(values, valid, name)
        else:
            out[name] = _placed(batch, found, odd, dialect, name)
    return out


@cache
def _defaults(dialect: Dialect, name: str) -> tuple[Any, Any, Any]:
    """Return which commands have a field, which of them have a default for it, and that default."""
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
    """Return where the values of a field are that has bytes or a text."""
    data, start = batch.data, found.start[name]
    size = np.where(found.has(name) | _defaults(dialect, name)[1][found.code], found.size[name], -1)
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
    """Return the column of a member; `column` has a number of one of `known` for each record."""
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
    """Return a member of a destination or a transaction, None if it has no such member."""
    members = TX_MEMBERS.get(item[0], ("kind", "name"))
    return item[members.index(member)] if member in members else None


#: Commands that a replay has to look at one by one, and what it needs of the others.
_EFFECTS = ("REMOVE_DESTINATION", "SUBSCRIPTION")
_NEEDED = ("destination", "transaction", "message_id", "priority", "priority_supported", "subscription_key")


def plain(batch: Batch, dialect: Dialect) -> PlainRows:
    """Return the commands of a batch for a replay.

    Raises CommandError if one of the records is no command, or odd in a way that has to be reported.
    """
    codes = {name: number for number, name in dialect.commands.items()}
    if "REWRITTEN_DATA_FILE" in codes and codes["REWRITTEN_DATA_FILE"] in batch.code:
        raise CommandError("what follows may not count")
    found = Gathered(batch, dialect, _NEEDED)
    code, start, size = found.code, found.start, found.size
    named, names = found.within("destination")
    of, transactions = found.within("transaction")
    named[named < 0] = len(names)
    names.append(destination_of({}))
    is_queue = np.array([name[0].endswith("QUEUE") for name in names], np.bool_)
    keyed = found.has("subscription_key")
    is_add, is_remove = code == codes["ADD_MESSAGE"], code == codes["REMOVE_MESSAGE"]
    does = np.where(is_add, ADDS, np.where(is_remove, REMOVES, NOTHING))
    does[(is_add | is_remove) & (~is_queue[named] | (of >= 0) | keyed)] = CHANGES
    does[np.isin(code, [codes[name] for name in _EFFECTS])] = CLOSELY
    ends = np.isin(code, list(ENDING))
    does[ends] = ENDS
    of[ends & (of < 0)] = len(transactions)
    transactions.append(NO_TRANSACTION)
    does[found.closely] = CLOSELY
    others: dict[int, tuple[str, Mapping[str, Any]]] = {}
    for row in np.flatnonzero(does == CLOSELY).tolist():
        name, fields, surplus = command(batch.data[batch.off[row] + HEAD : batch.end[row]], dialect.commands)
        if surplus:
            raise CommandError("bytes follow the message")
        others[row] = name, fields
    given = (size["priority_supported"] != 0) & found.has("priority")
    priority = np.where(given, size["priority"], DEFAULT_PRIORITY)
    rank = (priority < DEFAULT_PRIORITY).astype(np.int64) - (priority > DEFAULT_PRIORITY)
    at, key = start["message_id"], np.where(keyed, size["subscription_key"], -1)
    both = ranked(rank, priority)
    columns = does, named, of, at, at + size["message_id"], both, start["subscription_key"], key
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    return PlainRows(rows, names, transactions, others)
