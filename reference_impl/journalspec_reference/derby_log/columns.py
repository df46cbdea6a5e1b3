"""The bodies of all records of a batch at once, as columns: needs NumPy, which is imported here alone.

What stands in a body is found by the table of operations, field by field for all records of one operation.
A record that is not quite as the table has it is left to :func:`.bodies.decode`, and one that has a list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec.derby_log.operations import LOG_RECORD, Form, Slot, named, objects, operations, tail
from journalspec_reference.batches import Batch
from journalspec_reference.derby_log.bodies import (
    BEGIN,
    BITS,
    CHANGE,
    CLOSELY,
    EDITIONS,
    END,
    NOTHING,
    Body,
    Forms,
    decode,
    known,
)
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, BadLog
from journalspec_reference.derby_log.store import Store

Ints = npt.NDArray[np.int64]
#: Of each form of a compressed int and of a compressed long: its bytes, and the least number that needs it.
_SIZES = (np.array([1, 2, 4, 4]), np.array([2, 4, 8, 8]))
_LEAST = tuple(np.where(np.arange(4) > 0, np.left_shift(1, 4 * sizes - 2), 0) for sizes in _SIZES)
#: How far a number stands from the end of the eight bytes from its first one on, and what of them it is.
_SHIFTS = tuple((64 - 8 * sizes).astype(np.uint64) for sizes in _SIZES)
_MASKS = tuple(
    (np.uint64(1) << (8 * sizes - [2, 2, 1, 1]).astype(np.uint64)) - np.uint64(1) for sizes in _SIZES
)
_FIXED = {"u1": ">u1", "u2": ">u2", "s4": ">i4", "s8": ">i8"}
_NUMBERS = {"cint", "clong", *_FIXED}
#: More than all the fields of one operation have before its data (bytes).
_ROOM = bytes(256)
_BEHIND = BITS["COMPENSATION"] | BITS["CHECKSUM"]
#: The groups that mean something for a replay, and the operations that take pages away.
_MEANS = sum(BITS[name] for name in ("FIRST", "LAST", "PREPARE", "COMPENSATION", "CHECKSUM"))
_RESHAPES = [form.id for form in operations().values() if form.name.startswith("COMPRESS_SPACE")]
#: A position has 31 bits in an instant (DRB-ENC-108).
_INSTANT = ~(1 << 31)
#: Containers and pages of larger numbers are looked at one by one: these make one number of both.
_CONTAINER_BITS, _PAGE_BITS = 22, 40


class Gathered:
    """The columns of a batch, by name. The rows in `closely` have none: their bodies are to be decoded."""

    def __init__(self, batch: Batch, forms: Forms, rows: int, names: Sequence[str] = ()) -> None:
        self._view = np.frombuffer(batch.data + _ROOM, np.uint8)
        self._longs = self._every(">u8")
        off, end = (np.frombuffer(each, np.int64)[:rows] for each in (batch.off, batch.end))
        start, stop = off + BEFORE, end - BEHIND
        shorts = self._every(">u2")
        self.kind = np.full(rows, CLOSELY, np.uint8)
        self.closely = shorts[start] != LOG_RECORD
        self.group, at = self._number(start + 2, self.closely)
        owner = shorts[at]
        owned = owner == objects()["transaction_id"].id
        longer = np.zeros(rows, np.bool_)
        number, behind = self._number(at + 2, longer, wide=True)
        self.closely |= (owned & longer) | (~owned & (owner != 0))
        #: The number of the transaction, -1 where there is none.
        self.transaction = np.where(owned, number, -1)
        at = np.where(owned, behind, at + 2)
        self.operation = shorts[at].astype(np.int64)
        self.closely |= at + 2 > stop
        #: Field -> its values, and where there are any.
        self.fields: dict[str, Ints] = {name: np.zeros(rows, np.int64) for name in names}
        self.has = {name: np.zeros(rows, np.bool_) for name in names}
        #: Where the data of each row begin, and how many bytes they are.
        self.data_at, self.data_size = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        # The operation, and what stands behind its fields: the rows of each pair have the same fields.
        key = np.where(self.closely, -1, self.operation << 16 | self.group & _BEHIND)
        for pair in np.unique(key[key >= 0]).tolist():
            here = np.flatnonzero(key == pair)
            slots = _slots(forms.get(pair >> 16), pair & 0xFFFF)
            if slots is None:
                self.closely[here] = True
            else:
                self._take(slots, here, at[here] + 2, stop[here])

    def kinds(self) -> bytes:
        """Return for each row what it is for a replay: CLOSELY, or one of the others."""
        group, owned = self.group & _MEANS, (self.transaction >= 0) & ~self.closely
        out = self.kind
        changes = self.has["page_version"] & ~np.isin(self.operation, _RESHAPES)
        out[owned & (group == 0) & changes] = CHANGE
        out[owned & (group == BITS["FIRST"]) & (self.operation == named()["BEGIN"].id)] = BEGIN
        out[owned & (group == BITS["LAST"]) & (self.operation == named()["END"].id)] = END
        out[~owned & ~self.closely & (self.operation == named()["CHECKSUM"].id)] = NOTHING
        return out.tobytes()

    def rows(self, kind: int) -> list[int]:
        """Return the rows of a kind."""
        rows: list[int] = np.flatnonzero(self.kind == kind).tolist()
        return rows

    def containers(self) -> set[int]:
        """Return the containers whose pages the records change."""
        return {*np.unique(self.fields["container"][self.kind == CHANGE]).tolist()}

    def tally(self, rows: int, types: Counter[int], containers: Counter[int]) -> None:
        """Count the first `rows` records by operation, and by the container whose page they change."""
        taken = self.kind[:rows] != CLOSELY
        changes = self.fields["container"][:rows][taken & self.has["page_version"][:rows]]
        for values, counter in ((self.operation[:rows][taken], types), (changes, containers)):
            found, counts = np.unique(values, return_counts=True)
            for value, count in zip(found.tolist(), counts.tolist(), strict=True):
                counter[value] += count

    def pages(self) -> tuple[list[tuple[int, int]], list[int]]:
        """Return for each row the page that it changes (container and page), and the version before."""
        container, page, version = (
            self.fields[name].tolist() for name in ("container", "page", "page_version")
        )
        return list(zip(container, page, strict=True)), version

    def settle(
        self, rows: int, redo: int, decoded: Mapping[int, Body], closely: Sequence[int], store: Store
    ) -> tuple[list[int], bytes]:
        """Redo what is plain in the first `rows`; return which are left, and of which row the page is done.

        A transaction that begins and ends here, without an undo, leaves nothing. A page whose changes follow
        each other has the version of the last; before row `redo` none is changed. In the containers `closely`
        nothing is plain.
        """
        kinds, number = self.kind[:rows], self.transaction[:rows]
        container, page, version = (
            self.fields[each][:rows] for each in ("container", "page", "page_version")
        )
        done = np.zeros(rows, np.bool_)
        shaped = any(body.operation.id in _RESHAPES for body in decoded.values())
        if not rows or shaped or container.max() >> _CONTAINER_BITS or page.max() >> _PAGE_BITS:
            return [*range(rows)], done.tobytes()
        # By transaction: its begin, or that it is open, then only changes, and perhaps its end.
        order = np.argsort(number, kind="stable")
        first, last, numbers = _runs(number[order])
        opened, closed = kinds[order][first] == BEGIN, kinds[order][last] == END
        changes = np.add.reduceat(kinds[order] == CHANGE, first, dtype=np.int64)
        known = np.fromiter((each in store.transactions for each in numbers.tolist()), np.bool_, len(numbers))
        odd = [body.transaction for body in decoded.values() if body.transaction is not None]
        sound = (changes + opened + closed == last - first + 1) & (opened != known) & ~np.isin(numbers, odd)
        group = np.empty(rows, np.int64)
        group[order] = np.repeat(np.arange(len(first)), last - first + 1)
        # By page: the changes of sound transactions, each one version behind the one before.
        change = kinds == CHANGE
        change[:redo] = False
        at = np.flatnonzero(change)
        at = at[np.argsort(container[at] << _PAGE_BITS | page[at], kind="stable")]
        key = container[at] << _PAGE_BITS | page[at]
        broken = ~sound[group[at]] | np.isin(container[at], closely)
        broken[1:] |= (key[1:] == key[:-1]) & (version[at][1:] != version[at][:-1] + 1)
        touched = [
            fields["container"] << _PAGE_BITS | fields["page"]
            for fields in (body.fields for body in decoded.values())
            if "page" in fields
            and not (fields["container"] >> _CONTAINER_BITS or fields["page"] >> _PAGE_BITS)
        ]
        broken |= np.isin(key, touched)
        begin, end, _ = _runs(key)
        plain = ~np.logical_or.reduceat(broken, begin) if len(at) else np.zeros(0, np.bool_)
        places = zip(container[at][begin].tolist(), page[at][begin].tolist(), strict=True)
        for index, place, low, high in zip(
            np.arange(len(begin)), places, version[at][begin].tolist(), version[at][end].tolist(), strict=True
        ):
            if plain[index]:
                there = store.pages.get(place) or store.page(*place, low)
                if there is None or there.version < low:
                    plain[index] = False
                elif there.version <= high:
                    # What the page has had already is left as it is (DRB-RCV-062).
                    there.version = high + 1
        done[at] = np.repeat(plain, end - begin + 1)
        left = np.logical_or.reduceat((change & ~done)[order], first)
        whole = sound & opened & closed & ~left
        return np.flatnonzero(~whole[group] & (kinds != NOTHING)).tolist(), done.tobytes()

    def numbers_at(self, at: Ints) -> Ints:
        """Return the numbers of eight plain bytes at places in the batch."""
        return self._longs[at].astype(np.int64)

    def _every(self, kind: str) -> npt.NDArray[Any]:
        """Return every offset as the begin of a number: a view, not a copy."""
        return np.ndarray((len(self._view) - 8,), kind, self._view, 0, (1,))

    def _number(self, at: Ints, longer: npt.NDArray[np.bool_], *, wide: bool = False) -> tuple[Ints, Ints]:
        """Return the compressed numbers at `at`, and their ends; `longer`: a shorter form would do."""
        form = self._view[at] >> 6
        value = (self._longs[at] >> _SHIFTS[wide][form] & _MASKS[wide][form]).astype(np.int64)
        longer |= value < _LEAST[wide][form]
        return value, at + _SIZES[wide][form]

    def _take(self, slots: Sequence[Slot], here: Ints, at: Ints, stop: Ints) -> None:
        """Take in the fields of rows `here`, which stand from `at` on."""
        closely = np.zeros(len(here), np.bool_)
        for slot in slots:
            if slot.type in ("cint", "clong"):
                value, at = self._number(at, closely, wide=slot.type == "clong")
            elif slot.type == "object":
                value, at = self._every(">u2")[at].astype(np.int64), at + 2
                closely |= (value != 0) & ((value != _empty(slot)) | (_empty(slot) < 0))
            elif slot.type == "bytes":
                # The last of all: what it has too much, or too little, shows at the end.
                closely |= value < 0
                self.data_at[here], self.data_size[here] = at, value
                at = at + value
            else:
                value = self._every(_FIXED[slot.type])[at].astype(np.int64)
                at = at + int(slot.type[1:])
            if slot.name in self.fields and not slot.measures:
                self.fields[slot.name][here] = value
                self.has[slot.name][here] = True
        self.closely[here] = closely | (at != stop)


def _runs(values: Ints) -> tuple[Ints, Ints, Ints]:
    """Return where each run of equal values begins, where its last one is, and the values."""
    first = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1]))[: len(values)])
    return first, np.append(first[1:], len(values))[: len(first)] - 1, values[first]


def _empty(slot: Slot) -> int:
    """Return the format id of an object without fields; -1 for others."""
    form = objects()[str(slot.of)]
    return -1 if form.fields else form.id


@cache
def _behind(group: int) -> tuple[Slot, ...]:
    return tail(group)


def _slots(form: Form | None, group: int) -> tuple[Slot, ...] | None:
    """Return the fields of an operation and those behind it; None if it has lists, or conditions."""
    if form is None:
        return None
    for slot in form.fields:
        if slot.when or not (slot.type in _NUMBERS or (slot.type == "object" and slot.null)):
            return None
    return (*form.fields, *_behind(group))


def _numbers() -> dict[str, str]:
    """Return the columns of all fields that are numbers, of whatever operation, with their types."""
    slots = [slot for form in operations().values() for slot in form.fields]
    return {slot.name: "int64" for slot in slots if slot.type in _NUMBERS and not slot.measures}


#: Column -> its Arrow type. A record has no value where its operation has no such field; `body` is that of
#: records whose bodies are not decoded.
COLUMNS: dict[str, str] = {
    **{"type": "string", "length": "int64", "instant": "int64", "group": "int64", "transaction": "int64"},
    **_numbers(),
    **{"logical": "bool", "undone": "int64", "data": "binary", "body": "binary"},
}


def columns(batch: Batch, edition: str) -> dict[str, Any]:
    """Return name -> values, one a record, of each field of :data:`COLUMNS`; the seed's bodies are opaque.

    A number is an array, masked where there is none; the type is (codes, the names that they number);
    `data` and `body` are (starts, sizes) into the bytes of the batch, of size -1 where there are none.
    """
    forms = known(edition) if edition in EDITIONS else Forms({})
    rows, names = len(batch.off), [*_numbers(), "undo", "undone"]
    found = Gathered(batch, forms, rows, names)
    off, end = (np.frombuffer(each, np.int64) for each in (batch.off, batch.end))
    opaque = found.closely.copy()
    for row in np.flatnonzero(found.closely).tolist() if forms else ():
        with suppress(BadLog):
            body = decode(batch.data[batch.off[row] + BEFORE : batch.end[row] - BEHIND], forms)
            opaque[row] = False
            found.operation[row], found.group[row] = body.operation.id, body.group
            found.transaction[row] = -1 if body.transaction is None else body.transaction
            # Data end where the body does, but for what no field takes.
            found.data_size[row] = len(body.data)
            found.data_at[row] = batch.end[row] - BEHIND - body.surplus - len(body.data)
            given: dict[str, Any] = dict(body.fields)
            if "undo" in given:
                given["undo"] = int(given["undo"] is not None)
            if body.undone is not None:
                given["undone"] = body.undone.packed - (body.undone.packed >> 63 << 64)
            for name in names:
                found.has[name][row] = name in given
                found.fields[name][row] = given.get(name, 0)
    codes = np.where(opaque, len(forms), np.searchsorted(sorted(forms), found.operation))
    body_size = np.where(opaque, end - off - BEFORE - BEHIND, 0)
    masked = np.ma.masked_array
    found.data_size[opaque] = 0
    return {
        "type": (codes, [*(form.name for _, form in sorted(forms.items())), "OTHER"]),
        "length": end - off - BEFORE - BEHIND,
        "instant": found.numbers_at(off + BEFORE - 8),
        "group": masked(found.group, opaque),
        "transaction": masked(found.transaction, opaque | (found.transaction < 0)),
        **{name: masked(found.fields[name], opaque | ~found.has[name]) for name in _numbers()},
        "logical": masked(found.fields["undo"] != 0, opaque | ~found.has["undo"]),
        "undone": masked(found.fields["undone"] & _INSTANT, opaque | ~found.has["undone"]),
        "data": (found.data_at, np.where(found.data_size > 0, found.data_size, -1)),
        "body": (off + BEFORE, np.where(opaque, body_size, -1)),
    }
