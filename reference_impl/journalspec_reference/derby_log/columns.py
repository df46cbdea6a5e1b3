"""Decodes the bodies of a whole batch into columns. No other module of this format imports NumPy.

The table of operations lists the fields of a body. Each field is read for all records of one operation at
once. :func:`.bodies.decode` handles records that differ from the table, and records with lists whose elements
are not plain numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import takewhile
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from journalspec.derby_log.operations import LOG_RECORD, Slot, named, objects, operations, part, tail
from journalspec_reference.batches import Batch, Sums
from journalspec_reference.derby_log.bodies import (
    BEGIN,
    BITS,
    CHANGE,
    CLOSELY,
    EDITIONS,
    END,
    MAKE,
    NOTHING,
    NUMBER,
    SHORTEST,
    UNDO,
    Body,
    Forms,
    decode,
    known,
    passed,
)
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, BadLog
from journalspec_reference.derby_log.scan import FORM_AND_CHECKSUM, NEITHER, SUM_SIZE, SUM_START
from journalspec_reference.derby_log.store import CREATED, Changes, Plain, growth

Ints = npt.NDArray[np.int64]
#: For each form of a compressed int and of a compressed long: its size (bytes), and the least number that
#: needs it.
_SIZES = (np.array([1, 2, 4, 4]), np.array([2, 4, 8, 8]))
_LEAST = tuple(np.where(np.arange(4) > 0, np.left_shift(1, 4 * sizes - 2), 0) for sizes in _SIZES)
#: A number is read from eight bytes. The shift removes the bytes after the number, and the mask removes the
#: bits of its form.
_SHIFTS = tuple((64 - 8 * sizes).astype(np.uint64) for sizes in _SIZES)
_MASKS = tuple(
    (np.uint64(1) << (8 * sizes - [2, 2, 1, 1]).astype(np.uint64)) - np.uint64(1) for sizes in _SIZES
)
#: Masks for the first 0 to 8 of eight bytes. If the masked bits are 0, each of these bytes is a number in its
#: shortest form.
_FIRST_BITS = np.array(
    [int.from_bytes((b"\xc0" * many).ljust(8, b"\0"), "big") for many in range(9)], np.uint64
)
_FIXED = {"u1": ">u1", "u2": ">u2", "s4": ">i4", "s8": ">i8"}
_NUMBERS = {"cint", "clong", *_FIXED}
_BEHIND = BITS["COMPENSATION"] | BITS["CHECKSUM"]
#: Three facts: the group bits that matter for a replay, the operations that undo changes, and the operations
#: that remove pages.
_MEANS = sum(BITS[name] for name in ("FIRST", "LAST", "PREPARE", "COMPENSATION", "CHECKSUM"))
_UNDOES = [named()[name].id for name in ("LOGICAL_UNDO", "PHYSICAL_UNDO")]
_RESHAPES = [form.id for form in operations().values() if form.name.startswith("COMPRESS_SPACE")]
#: A position has 31 bits in an instant (DRB-ENC-108).
_INSTANT = ~(1 << 31)
#: The size of a hash table of pages, and the factor that distributes several containers over it.
_PLACES, _SPREAD = 1 << 16, 4099
#: The fields that a replay uses.
REPLAYED = ("container", "page", "page_version", "undone", "status", "action")
_CONTAINER = named()["CONTAINER"].id


def doubtful(
    batch: Batch, top: int, high: int, digest: Sums | None
) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the rows whose wrapper or checksum is not proved to be correct here, and the row and the covered
    length of each proved checksum record.

    The batch has `top` bytes; `high` is the instant of the file's start. Checksum records are proved with
    `digest` if their ranges do not overlap and end in the batch. Without `digest`, there are none.
    """
    view = np.frombuffer(batch.data, np.uint8)
    off, end = (np.frombuffer(each, np.int64) for each in (batch.off, batch.end))
    doubts = _every(view, ">i8")[off + 4] != high | batch.base + off
    doubts |= _every(view, ">i4")[end - BEHIND] != end - off - BEFORE - BEHIND
    sums: list[tuple[int, int]] = []
    if digest is not None:
        checks = view[off + BEFORE + 2] & FORM_AND_CHECKSUM > NEITHER
        rows = np.flatnonzero(checks & ~doubts & (end - off == SUM_SIZE))
        doubts |= checks
        off, end = off[rows], end[rows]
        size, value = _every(view, ">i4")[off + 21].astype(np.int64), _every(view, ">i8")[off + 25]
        behind = end + size
        usual = (_every(view, f"S{len(SUM_START)}")[off + BEFORE] == SUM_START) & (size >= 0)
        before = np.append(digest.summed - batch.base, behind)[:-1]
        usual &= (np.maximum.accumulate(before) <= end) & (behind <= top)
        rows, end, behind, value = (each[usual] for each in (rows, end, behind, value))
        data, ranges = batch.data, zip(end.tolist(), behind.tolist(), strict=True)
        found = np.fromiter((crc32(data[start:stop]) for start, stop in ranges), np.int64, len(rows))
        proved = found == value
        doubts[rows] = ~proved
        digest.summed = batch.base + int(behind[proved].max(initial=digest.summed - batch.base))
        sums = [*zip(rows[proved].tolist(), (behind - end)[proved].tolist(), strict=True)]
    return np.flatnonzero(doubts).tolist(), sums


def _every(view: npt.NDArray[np.uint8], kind: str) -> npt.NDArray[Any]:
    """Return an array of the values that begin at every byte. The array is a view, not a copy."""
    return np.ndarray((len(view) - 8,), kind, view, 0, (1,))


class Gathered:
    """Represents the columns of a batch, by name.

    Rows in `closely` have no values, so callers decode their bodies.
    """

    def __init__(self, batch: Batch, forms: Forms, rows: int) -> None:
        self._data = batch.data
        self._view = np.frombuffer(batch.data, np.uint8)
        self._longs = _every(self._view, ">u8")
        off, end = (np.frombuffer(each, np.int64)[:rows] for each in (batch.off, batch.end))
        self._off, start, stop = off.copy(), off + BEFORE, end - BEHIND
        shorts = _every(self._view, ">u2")
        self.closely = shorts[start] != LOG_RECORD
        self.group, at = self._number(start + 2, self.closely)
        owner = shorts[at]
        owned = owner == objects()["transaction_id"].id
        longer = np.zeros(rows, np.bool_)
        number, behind = self._number(at + 2, longer, wide=True)
        self.closely |= (owned & longer) | (~owned & (owner != 0))
        #: The number of the transaction. It is -1 if there is none.
        self.transaction = np.where(owned, number, -1)
        at = np.where(owned, behind, at + 2)
        self.operation = shorts[at].astype(np.int64)
        self.closely |= at + 2 > stop
        #: Two maps from the name of a field that was requested (see :meth:`want`): to its value in each
        #: record, and to whether each record has the field.
        self.fields: dict[str, Ints] = {}
        self.has: dict[str, npt.NDArray[np.bool_]] = {}
        #: Maps the name of a field to rows and their values. Many callers need no values.
        self._values: dict[str, list[tuple[Ints, Ints]]] = {}
        #: Start and size of the data of each row.
        self.data_at, self.data_size = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        #: Five values for each list: its row, the fields of an element, the number of elements, start and
        #: end.
        self._lists: list[tuple[int, tuple[Slot, ...], int, int, int]] = []
        # Rows with the same operation and the same group bits COMPENSATION and CHECKSUM have the same fields.
        # Most of these rows begin with the fields of a page.
        key = np.where(self.closely, -1, self.operation << 16 | self.group & _BEHIND)
        known = {pair: _slots(pair >> 16, pair & 0xFFFF, pair >> 16 in forms) for pair in _distinct(key)}
        self.closely |= np.isin(key, [pair for pair, slots in known.items() if slots is None])
        here = {pair: np.flatnonzero(key == pair) for pair, slots in known.items() if slots is not None}
        page = part("page")
        begins = {pair: slots for pair, slots in known.items() if slots and slots[: len(page)] == page}
        paged = {pair: slots[len(page) :] for pair, slots in begins.items()}
        at += 2
        if paged:
            self._take(page, np.concatenate([here[pair] for pair in paged]), at, stop)
        for pair, slots in {**known, **paged}.items():
            if slots is not None:
                self._parts(slots, here[pair], at, stop)
        self.closely |= at != stop

    def want(self, names: Iterable[str]) -> None:
        """Make the values of fields available. Rows that :meth:`put` sets later get values, too."""
        for name in names:
            if name not in self.fields:
                values, has = np.zeros(len(self._off), np.int64), np.zeros(len(self._off), np.bool_)
                for here, found in self._values.get(name, ()):
                    values[here], has[here] = found, True
                self.fields[name], self.has[name] = values, has

    def put(self, row: int, body: Body) -> None:
        """Set the values of a row from its decoded body."""
        self.operation[row], self.group[row] = body.operation.id, body.group
        self.transaction[row] = -1 if body.transaction is None else body.transaction
        given: dict[str, Any] = dict(body.fields)
        if "undo" in given:
            given["undo"] = int(given["undo"] is not None)
        if body.undone is not None:
            given["undone"] = body.undone.packed - (body.undone.packed >> 63 << 64)
        for name, values in self.fields.items():
            self.has[name][row] = name in given
            values[row] = given.get(name, 0)

    def fill(self, decoded: Mapping[int, Body]) -> None:
        """Set the values of decoded rows, and the increment of the page version for each row.

        The increment is -1 if only the undone record determines it (DRB-RCV-164).
        """
        self.want(REPLAYED)
        self.growth = np.ones(len(self.closely), np.int64)
        for row, slots, count, start, end in self._lists:
            self.growth[row] = count
            for place, slot in enumerate(slots):
                if slot.name == "reserved":
                    values = NUMBER.findall(self._data, start, end)[place :: len(slots)]
                    self.growth[row] += count - values.count(b"\0")
        for has in self.has.values():
            has[self.closely] = False
        for row, body in decoded.items():
            if "page_version" in body.fields:
                self.put(row, body)
                self.growth[row] = growth(body)
        self.growth[(self.operation == named()["PHYSICAL_UNDO"].id) & self.has["undone"]] = -1

    def plain(
        self, closely: Collection[int], place: int, rows: int, known: Container[int] | None = None
    ) -> tuple[Sequence[int], Iterator[Plain], int]:
        """Return three values: row numbers, the role of each row in a replay, and the highest transaction of
        omitted rows.

        If `known` (the transactions begun earlier) is given, the pages already contain all changes of the
        first `rows`. In that case, the transactions that begin and end in these rows are omitted. Changes of
        the containers in `closely` get the role CLOSELY; `place` is the instant of the batch.
        """
        group, owned = self.group & _MEANS, (self.transaction >= 0) & ~self.closely
        container, page, version, undone, status, _ = (self.fields[name] for name in REPLAYED)
        changes = owned & self.has["page_version"] & ~np.isin(self.operation, _RESHAPES)
        changes &= ~np.isin(container, [*closely])
        undoes = changes & (group == BITS["COMPENSATION"]) & np.isin(self.operation, _UNDOES) & (undone >= 0)
        begins = owned & (group == BITS["FIRST"]) & (self.operation == named()["BEGIN"].id)
        kind = np.full(len(owned), CLOSELY, np.uint8)
        kind[changes & (group == 0)] = CHANGE
        kind[undoes] = UNDO
        kind[begins] = BEGIN
        kind[owned & (group == 0) & (self.operation == _CONTAINER)] = MAKE
        kind[owned & (group == BITS["LAST"]) & (self.operation == named()["END"].id)] = END
        kind[~owned & ~self.closely & (self.operation == named()["CHECKSUM"].id)] = NOTHING
        also = np.where(self.fields["action"] == CREATED, container, -1)
        also = np.where(undoes, undone & _INSTANT, np.where(begins, status, also))
        for row, _, count, *_ in self._lists:
            also[row] = count
        here, highest = (np.arange(rows), 0) if known is None else self._open(kind[:rows], known)
        columns = (self.transaction, container, page, version, self.growth, place + self._off, also)
        number, container, page, *others = (column[here].tolist() for column in columns)
        plain = zip(kind[here].tobytes(), number, zip(container, page, strict=True), *others, strict=True)
        return here.tolist(), plain, highest

    def _open(self, kind: npt.NDArray[Any], known: Container[int]) -> tuple[Ints, int]:
        """Omit the rows of transactions that begin and end here.

        Return the highest number of these transactions.
        """
        number = self.transaction[: len(kind)]
        found, first, which = np.unique(number, return_index=True, return_inverse=True)
        last = len(kind) - 1 - np.unique(number[::-1], return_index=True)[1]
        counts = [
            np.bincount(which[np.isin(kind, kinds)], minlength=len(found))
            for kinds in ((BEGIN,), (END,), (CLOSELY, MAKE))
        ]
        ended = (kind[first] == BEGIN) & (kind[last] == END) & (found >= 0)
        ended &= (counts[0] == 1) & (counts[1] == 1) & (counts[2] == 0)
        ended &= ~np.array([each in known for each in found.tolist()], np.bool_)
        left = ~ended[which] & (kind != NOTHING)
        return np.flatnonzero(left), int(found[ended].max(initial=0))

    def containers(self) -> set[int]:
        """Return the containers whose pages the records change."""
        return {*_distinct(self.fields["container"][self.has["page_version"]])}

    def made(self, rows: int) -> set[int]:
        """Return the containers that the first `rows` create or remove, except for the containers in
        `closely`.
        """
        self.want(REPLAYED)
        here = (self.operation == _CONTAINER)[:rows] & ~self.closely[:rows]
        return {*self.fields["container"][:rows][here].tolist()}

    def tally(self, rows: int, types: dict[int, int], containers: dict[int, int]) -> None:
        """Count the first `rows` records by operation and by the container whose page they change.

        Rows in `closely` are omitted, because callers decode their bodies.
        """
        self.want(REPLAYED)
        taken = ~self.closely[:rows]
        changes = self.fields["container"][:rows][taken & self.has["page_version"][:rows]]
        for values, counter in ((self.operation[:rows][taken], types), (changes, containers)):
            found, counts = np.unique(values, return_counts=True)
            for value, count in zip(found.tolist(), counts.tolist(), strict=True):
                counter[value] += count

    def changes(self, rows: int, *, last: bool) -> Changes:
        """Return the page changes in the first `rows`.

        With `last`, return at least the last change of each page.
        """
        here = np.flatnonzero(self.has["page_version"][:rows])
        if last:
            # For each place in the hash table, keep the last row and all rows that change a different page.
            container, page = (self.fields[name][here] for name in REPLAYED[:2])
            place, table = (container * _SPREAD + page) & _PLACES - 1, np.empty(_PLACES, np.int64)
            table[place] = order = np.arange(len(here))
            latest = table[place]
            here = here[(latest == order) | (container[latest] != container) | (page[latest] != page)]
        columns = (*(self.fields[name] for name in REPLAYED[:4]), self.growth)
        container, page, version, undone, growth = (column[here].tolist() for column in columns)
        return Changes(list(zip(container, page, strict=True)), version, growth, undone)

    def numbers_at(self, at: Ints) -> Ints:
        """Return the 64-bit numbers at the offsets `at` of the batch."""
        return self._longs[at].astype(np.int64)

    def _number(self, at: Ints, longer: npt.NDArray[np.bool_], *, wide: bool = False) -> tuple[Ints, Ints]:
        """Return the compressed numbers at the offsets `at`, and their ends. Set `longer` for each number
        that has a shorter form.
        """
        first = self._view[at]
        # A fast path, because most numbers are small.
        value = first.astype(np.int64)
        if wide:
            value = value << 8 | self._view[at + 1]
        end, odd = at + (1 + wide), (first >= SHORTEST).nonzero()[0]
        if len(odd):
            form, at = first[odd] >> 6, at[odd]
            shift, mask, size, least = (table[wide].take(form) for table in (_SHIFTS, _MASKS, _SIZES, _LEAST))
            value[odd] = found = (self._longs[at] >> shift & mask).astype(np.int64)
            end[odd] = at + size
            longer[odd] |= found < least
        return value, end

    def _parts(self, slots: Sequence[Slot], here: Ints, places: Ints, stops: Ints) -> None:
        """Read fields of which the last one can depend on the value of an earlier field."""
        always = tuple(takewhile(lambda slot: not slot.when, slots))
        values = self._take(always, here, places, stops)
        if rest := slots[len(always) :]:
            name, value = rest[0].when
            there = values[name] == value
            self._take([replace(slot, when=()) for slot in rest], here[there], places, stops)
            self._take([slot for slot in rest if not slot.when], here[~there], places, stops)

    def _take(self, slots: Sequence[Slot], here: Ints, places: Ints, stops: Ints) -> dict[str, Ints]:
        """Read the fields of rows `here`, which begin at `places`. Return their values by name.

        Set `places` to the ends of these fields.
        """
        at, closely = places[here], np.zeros(len(here), np.bool_)
        values: dict[str, Ints] = {}
        for slot in slots:
            if slot.type in ("cint", "clong"):
                value, at = self._number(at, closely, wide=slot.type == "clong")
            elif slot.type == "object":
                value, at = _every(self._view, ">u2")[at].astype(np.int64), at + 2
                closely |= (value != 0) & ((value != _empty(slot)) | (_empty(slot) < 0))
            elif isinstance(slot.of, tuple):
                at = self._list(slot.of, here, at, stops[here], values[slot.count])
                closely |= at < 0
            elif slot.type == "bytes":
                limit, end = stops[here], at + value
                closely |= (value < 0) | (end > limit)
                if slot.name == "data":
                    self.data_at[here], self.data_size[here] = at, value
                at = np.minimum(np.maximum(end, at), limit)
            else:
                value = _every(self._view, _FIXED[slot.type])[at].astype(np.int64)
                at = at + int(slot.type[1:])
            values[slot.name] = value
            if not slot.measures and (slot.type == "object" or slot.type in _NUMBERS):
                self._values.setdefault(slot.name, []).append((here, value))
        self.closely[here] |= closely
        places[here] = at
        return values

    def _list(self, slots: tuple[Slot, ...], here: Ints, at: Ints, stop: Ints, counts: Ints) -> Ints:
        """Skip a list in each row of `here`. Return its end, or -1 if some number has a longer form."""
        # Most lists consist of a few numbers of one byte each.
        many = np.maximum(counts * len(slots), 0)
        few = (many <= len(_FIRST_BITS) - 1) & (self._longs[at] & _FIRST_BITS.take(many, mode="clip") == 0)
        end = np.where(few & (at + many <= stop), at + many, -1)
        for each in np.flatnonzero(~few).tolist():
            end[each] = passed(self._data, int(at[each]), int(stop[each]), int(many[each]))
        columns = (column.tolist() for column in (here, counts, at, end))
        self._lists += [
            (row, slots, count, start, stop)
            for row, count, start, stop in zip(*columns, strict=True)
            if stop >= 0
        ]
        return end


def _empty(slot: Slot) -> int:
    """Return the format id of an object without fields. Return -1 for other objects."""
    form = objects()[str(slot.of)]
    return -1 if form.fields else form.id


def _distinct(values: Ints) -> list[int]:
    """Return the distinct values in order. This is faster than NumPy's `unique` if there are few of them."""
    ordered = np.sort(values)
    found: list[int] = ordered[np.flatnonzero(np.diff(ordered, append=ordered[-1:] + 1))].tolist()
    return found


@cache
def _slots(ident: int, group: int, known: bool) -> tuple[Slot, ...] | None:
    """Return the fields and the tail of an operation. Return None if it has texts or objects in lists."""
    if not known:
        return None
    form = operations()[ident]
    for slot in form.fields:
        plain = slot.type in _NUMBERS or slot.type == "bytes" or (slot.type == "object" and slot.null)
        if isinstance(slot.of, tuple):
            plain = all(each.type == "cint" for each in slot.of)
        if not plain:
            return None
    return (*form.fields, *tail(group))


def _numbers() -> dict[str, str]:
    """Return the columns for all numeric fields of all operations, with their types."""
    slots = [slot for form in operations().values() for slot in form.fields]
    return {slot.name: "int64" for slot in slots if slot.type in _NUMBERS and not slot.measures}


#: Maps a column to its Arrow type. A record has no value in a column if its operation lacks that field. The
#: column `body` is for records whose bodies are not decoded.
COLUMNS: dict[str, str] = {
    **{"type": "string", "length": "int64", "instant": "int64", "group": "int64", "transaction": "int64"},
    **_numbers(),
    **{"logical": "bool", "undone": "int64", "file_name": "string", "data": "binary", "body": "binary"},
}


def columns(batch: Batch, edition: str) -> dict[str, Any]:
    """Return a map from each column of :data:`COLUMNS` to its values, one per record. The bodies of the seed
    edition are opaque.

    A numeric column is an array, masked where a record has no value. The type is (codes, names by code).
    `data` and `body` are (starts, sizes) into the bytes of the batch; size -1 means no value.
    """
    forms = known(edition) if edition in EDITIONS else Forms({})
    rows, bodies = len(batch.off), batch.more.get("bodies")
    found = bodies.columns if bodies is not None else None
    if found is None or len(found.closely) != rows:
        found = Gathered(batch, forms, rows)
    found.want([*_numbers(), "undo", "undone"])
    off, end = (np.frombuffer(each, np.int64) for each in (batch.off, batch.end))
    opaque = found.closely.copy()
    called: dict[int, str] = {}
    for row in np.flatnonzero(found.closely).tolist() if forms else ():
        with suppress(BadLog):
            body = decode(batch.data[batch.off[row] + BEFORE : batch.end[row] - BEHIND], forms)
            opaque[row] = False
            found.put(row, body)
            if "file_name" in body.fields:
                called[row] = body.fields["file_name"]
            # The data end before the bytes at the end of the body that no field uses.
            found.data_size[row] = len(body.data)
            found.data_at[row] = batch.end[row] - BEHIND - body.surplus - len(body.data)
    codes = np.where(opaque, len(forms), np.searchsorted(sorted(forms), found.operation))
    body_size = np.where(opaque, end - off - BEFORE - BEHIND, 0)
    masked = np.ma.masked_array
    found.data_size[opaque] = 0
    names_at = np.full(rows, -1)
    names_at[[*called]] = range(len(called))
    return {
        "type": (codes, [*(form.name for _, form in sorted(forms.items())), "OTHER"]),
        "length": end - off - BEFORE - BEHIND,
        "instant": found.numbers_at(off + BEFORE - 8),
        "group": masked(found.group, opaque),
        "transaction": masked(found.transaction, opaque | (found.transaction < 0)),
        **{name: masked(found.fields[name], opaque | ~found.has[name]) for name in _numbers()},
        "logical": masked(found.fields["undo"] != 0, opaque | ~found.has["undo"]),
        "undone": masked(found.fields["undone"] & _INSTANT, opaque | ~found.has["undone"]),
        "file_name": (names_at, [*called.values()]),
        "data": (found.data_at, np.where(found.data_size > 0, found.data_size, -1)),
        "body": (off + BEFORE, np.where(opaque, body_size, -1)),
    }
