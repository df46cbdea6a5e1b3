"""The transaction log as batches. One loop finds its records, its end, and the reason why it ends there.

Records store no length, and no checksum shows whether a record is complete. So the log ends at the first
bytes that are not a record. A record is valid only if all its actions are possible.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from struct import Struct, pack

from journalspec.swiftmq_store import ACTIONS
from journalspec_reference.batches import STRETCH, Batch, Memory, Source, zeros, zeros_end
from journalspec_reference.swiftmq_store.codec import FREE, NONE, BadStore, is_free

START, COMMIT, ABORT = 1, 2, 3
#: The first bytes of a log that begins with START.
_TAG = START.to_bytes(4)
INSERT, UPDATE, DELETE, PORTION = 1, 2, 3, 4
#: The size of a START record, and the minimum size of an action.
START_SIZE, LEAST_ACTION = 12, 8
#: The fields before the actions of other records, in a tagged and an untagged log: type, generation or
#: transaction, number of actions; and their size.
_LEAD_FIELDS = {True: Struct(">iq8xi"), False: Struct(">iqi")}
LEADS = {tagged: fields.size for tagged, fields in _LEAD_FIELDS.items()}
#: The types of records in a tagged and an untagged log. START may occur again in a tagged log (SMQ-LOG-023).
_KINDS = {True: {START, COMMIT, ABORT}, False: {COMMIT, ABORT}}
NUMBER, TRANSACTION = Struct(">i"), Struct(">qi")
#: The fields at the start of every action. The fields after the first two have a meaning only in a PORTION.
HEAD = Struct(">iiiBi")
#: Padding after the last stretch, so that the fields at the start of any record can be unpacked without a
#: check.
_PAD = bytes(max(LEADS.values()))

#: A generation that is higher by at most this is a later generation of the same log (SMQ-LOG-135).
SOON = 1 << 16
#: A start of the product allocates memory for a stated number of items. From this number on, the start
#: probably fails.
ALARMING = 1 << 27
#: The number of bytes read first, at the start of a log.
FIRST = 1 << 15
#: On average, the forensic search may read each byte of its region this often.
SEARCH_BUDGET = 8
#: The type of a COMMIT or an ABORT, at the last of its four stored bytes.
_CANDIDATE = re.compile(b"[\2\3](?<=\0\0\0.)", re.DOTALL)

#: A range of bytes in a log: its begin and length.
Bytes = tuple[int, int]


#: One action: its begin and end in the batch, its kind, its page, the page that its undo changes (it can
#: differ: SMQ-RCV-112), an offset, and the ranges of the bytes before and after the change at that offset.
#: The ranges of an UPDATE are complete pages; None means that the page is free, or that it has no such bytes.
LoggedAction = tuple[int, int, int, int, int, int, Bytes | None, Bytes | None]


def actions_end(  # noqa: C901, PLR0911, PLR0912  # one loop: a branch is a rule
    data: bytes, at: int, top: int, number: int, page_size: int, most: int
) -> int:
    """Return the end of the `number` actions from `at` on, if all are possible.

    A result above `top` means that the actions continue after `top`. A negative result is the inverted offset
    of the first impossible action: there is no record (SMQ-LOG-025).
    """
    head, size, number_of = HEAD.unpack_from, HEAD.size, NUMBER.unpack_from
    edge = len(data) - size
    for _ in range(number):
        if at > edge:
            return top + 1
        kind, page, off, flag, length = head(data, at)
        # No writer can have used such a page (SMQ-LOG-027).
        if not 0 <= page < most:
            return ~at
        if kind == PORTION:
            room = page_size - off
            if off < 0 or not 0 <= length <= room:
                return ~at
            end = at + size + length
            # If the flag is 1, this was the image before the change, and the image after the change follows
            # (SMQ-LOG-031).
            if flag == 1:
                if end + 4 > top:
                    return top + 1
                (length,) = number_of(data, end)
                if not 0 <= length <= room:
                    return ~at
                end += 4 + length
            at = end
        elif kind == INSERT:
            at += LEAST_ACTION
        elif kind == DELETE:
            # In such an action, a length and that many bytes follow the page.
            if not 0 <= off <= page_size:
                return ~at
            at += LEAST_ACTION + NUMBER.size + off
        elif kind == UPDATE:
            # Two images. Each has the page's number, whether the page was changed, whether it is free, and
            # its bytes unless it is free.
            end = at + 10 + (0 if data[at + 9] else page_size)
            if end + 6 > top:
                return top + 1
            (page,) = NUMBER.unpack_from(data, end)
            if not 0 <= page < most:
                return ~at
            at = end + 6 + (0 if data[end + 5] else page_size)
        else:
            return ~at
    return at


def actions(data: bytes, at: int, end: int, page_size: int) -> Iterator[LoggedAction]:
    """Yield the actions from `at` to `end`, which are known to be possible."""
    head, size, number_of = HEAD.unpack_from, HEAD.size, NUMBER.unpack_from
    while at < end:
        kind, page, off, flag, length = head(data, at)
        begin = at
        before: Bytes | None = None
        after: Bytes | None = None
        if kind == PORTION:
            # Most actions have this form.
            at += size
            if flag == 1:
                before = at, length
                at += length + NUMBER.size
                (length,) = number_of(data, at - NUMBER.size)
            yield begin, at + length, kind, page, page, off, before, (at, length)
            at += length
            continue
        undone = page
        if kind == INSERT:
            off, after = 0, (at, 0)
            at += LEAST_ACTION
        elif kind == DELETE:
            before, off = (at + 12, off), 0
            at = sum(before)
        else:
            off, before = 0, None if data[at + 9] else (at + 10, page_size)
            at += 10 + (page_size if before else 0)
            (page,), after = NUMBER.unpack_from(data, at), None if data[at + 5] else (at + 6, page_size)
            at += 6 + (page_size if after else 0)
        yield begin, at, kind, page, undone, off, before, after


def _undone(data: bytes, at: int, end: int, page_size: int) -> Iterator[LoggedAction]:
    """Yield the actions that undo those from `at` to `end`."""
    # Only the offsets of the actions are kept, because there can be many.
    for begin in reversed(array("q", (one[0] for one in actions(data, at, end, page_size)))):
        _, stop, kind, page, undone, off, before, after = next(actions(data, begin, end, page_size))
        yield begin, stop, kind, undone, page, off, after, before


def following(generation: int) -> int:
    """Return the generation after this one (SMQ-WRT-038)."""
    return 1 if generation == (1 << 63) - 1 else generation + 1


class Log:
    """The log in a file. A `tagged` log begins with START, whose generation each record repeats.

    `pages` is the number of pages in their file. `lead` is the number of bytes before the actions of a COMMIT
    or an ABORT. A scan to the end sets `end` and `reason`: where and why the log ends; without a reason, the
    log ends with the file.
    """

    #: These values are those of an untagged log.
    tagged, generation, end = False, NONE, 0
    #: The number of bytes before the actions of a COMMIT or an ABORT.
    lead = LEADS[tagged]

    def __init__(self, source: Source, page_size: int, pages: int) -> None:
        self.source, self.page_size = source, page_size
        # Between two checkpoints, the file grows by at most one page for each action.
        self._most = pages + source.size // LEAST_ACTION
        head = source.read(0, START_SIZE) if source.size else b""
        self.reason = "" if head else "empty"
        if head.startswith(_TAG):
            self.tagged, self.lead = True, LEADS[True]
            self.generation = int.from_bytes(head[4:], signed=True)
            if len(head) < START_SIZE or self.generation == NONE:
                self.generation, self.reason = NONE, "bad-start"

    def scan(  # noqa: C901, PLR0912, PLR0915  # one loop: a branch is a rule
        self, start: int = 0, limit: int | None = None, stretch: int = STRETCH
    ) -> Iterator[Batch]:
        """Yield the records from `start`, where a record begins, up to the first invalid bytes or `limit`.

        Each batch contains the `lead` of its records. If the log ends in damage, the last batch contains the
        damage. A record that does not fit extends its stretch. Each byte is read at most three times.
        """
        source, page_size, most, lead = self.source, self.page_size, self._most, self.lead
        size = source.size if limit is None else min(limit, source.size)
        tagged, generation, lead_of = self.tagged, self.generation, _LEAD_FIELDS[self.tagged].unpack_from
        kinds, base, over = _KINDS[tagged], start, False
        # Most logs contain few records before the zeros or old bytes that end the log.
        length = min(FIRST, stretch)
        while not over:
            data = source.read(base, min(length, size - base))
            top, at, need = len(data), 0, 0
            final = base + top >= size
            if final:
                data += _PAD
            batch = Batch(base, data)
            batch.more["lead"] = lead
            add, add_end, add_code = batch.off.append, batch.end.append, batch.code.append
            reason, room = "", size - base - lead
            if self.reason in ("empty", "bad-start"):
                reason, over = self.reason, True
            while not over:
                left = top - at
                short = left < lead
                if short and not final:
                    need = lead
                    break
                if not left:
                    over = True
                    break
                kind, own, number = lead_of(data, at)
                stop = -1
                if short and left < NUMBER.size:
                    reason = "bad-record"
                elif kind not in kinds:
                    reason = "not-a-record"
                elif short and tagged and left < START_SIZE:
                    reason = "bad-record"
                # Compare the generation first: records of older generations can follow the end, and contain
                # anything (SMQ-LOG-022).
                elif tagged and own != generation:
                    reason = "other-generation"
                elif kind == START:
                    stop = at + START_SIZE
                elif not short:
                    # The number is compared with the remaining bytes before it is used (SMQ-LOG-024); it may
                    # be 0 (SMQ-LOG-034), and the id of the transaction may be anything (SMQ-LOG-033).
                    if 0 <= number * LEAST_ACTION <= room - at:
                        stop = actions_end(data, at + lead, top, number, page_size, most)
                    if stop > top and not final:
                        need = 0 if at else 2 * top
                        break
                if not 0 <= stop <= top:
                    reason, over = reason or "bad-record", True
                    break
                add(at)
                add_end(stop)
                add_code(kind)
                at = stop
            base += at
            length = max(stretch if at else length, need)
            if over:
                self.end, self.reason = base, reason
                # After a sound log, there are zeros or old records.
                damage = reason not in ("", "empty")
                if reason == "not-a-record":
                    # SMQ-LOG-130, SMQ-LOG-134
                    damage = not self.tagged and not zeros(source, base)
                elif reason == "other-generation":
                    higher = int.from_bytes(source.read(base + 4, 8), signed=True) - self.generation
                    # Directly after START, an old record always begins at its first byte (SMQ-LOG-132).
                    # Further on, old records can be truncated at any byte. There, only a slightly higher
                    # generation is no coincidence: then START is from an earlier moment.
                    damage = higher > 0 and (base == START_SIZE or higher <= SOON)
                if damage:
                    batch.damage.append((base, size, reason))
            yield batch

    def beyond(self, start: int, end: int, stretch: int = STRETCH) -> Iterator[tuple[int, int, int]]:
        """Yield begin, end and type of each complete record in a part of a tagged log.

        Records of any generation are found by their form alone, as forensic evidence. When failed candidates
        have cost SEARCH_BUDGET times the length of the part, the search stops.
        """
        lead, budget = LEADS[True], SEARCH_BUDGET * (end - start)
        base = passed = start
        need = 0
        while self.tagged and end - base >= lead:
            # The first zeros of a record can be the end of a hole.
            base = max(base, self.source.next_data(base) - 3)
            data = self.source.read(base, min(max(stretch, need, lead), end - base))
            top, need = len(data), 0
            final = base + top >= end
            data += _PAD if final else b""
            # The next stretch begins after the last offset where a record can begin in this one.
            after = base + max(1, top - lead + 1)
            for found in _CANDIDATE.finditer(data, max(3, zeros_end(data, 0, top)), top):
                at = found.start() - 3
                if base + at < passed:
                    continue
                if at + lead > top:
                    break
                if data[at + 4 : at + 12] == b"\xff" * 8:
                    continue
                (number,) = NUMBER.unpack_from(data, at + lead - NUMBER.size)
                stop = ~(at + lead)
                if 0 <= number * LEAST_ACTION <= end - base - at - lead:
                    stop = actions_end(data, at + lead, top, number, self.page_size, self._most)
                if stop > top and not final:
                    after, need = base + at, 0 if at else 2 * top
                    break
                if not 0 <= stop <= top:
                    budget -= min(~stop if stop < 0 else top, top) - at - 3
                    if budget < 0:
                        return
                elif stop > at + lead:
                    yield base + at, base + stop, data[at + 3]
                    passed = base + stop
            base = max(after, passed)

    def unlike(self, generation: int) -> int:
        """Return the first generation from this on whose successor no old record can contain (SMQ-WRT-040).

        Old bytes stay until they are overwritten: records of a higher generation, or of an untagged log.
        """
        data = self.source.read(0, self.source.size)
        places = (found.end() for found in _CANDIDATE.finditer(data, 0, len(data) - LEADS[True] + 4))
        there = {data[at : at + 8] for at in places}
        while pack(">q", following(generation)) in there:
            generation = following(generation)
        return generation

    @property
    def alarming(self) -> int:
        """A count or length after the log's end that exceeds the product's memory. It is 0 if there is none.

        The product reads a record to its end before it compares the generation (SMQ-LOG-138).
        """
        at, read = self.end + self.lead, self.source.read
        head = read(self.end, self.lead)
        if len(head) < self.lead or NUMBER.unpack_from(head)[0] not in {COMMIT, ABORT}:
            return 0
        (number,) = NUMBER.unpack_from(head, self.lead - NUMBER.size)
        if number >= ALARMING:
            return int(number)
        base, data = at, b""
        for _ in range(number):
            if at + HEAD.size > base + len(data):
                base, data = at, read(at, STRETCH)
            head = data[at - base : at - base + HEAD.size]
            kind, _, off, flag, length = HEAD.unpack(head.ljust(HEAD.size, b"\0"))
            if kind not in ACTIONS or len(head) < (8, 10, 12, 17)[kind - 1]:
                return 0
            if kind == INSERT:
                at += LEAST_ACTION
            elif kind == UPDATE:
                at += 10 + (0 if head[9] else self.page_size)
                picture = read(at, 6)
                if len(picture) < 6:
                    return 0
                at += 6 + (0 if picture[5] else self.page_size)
            else:
                at, length = (at + 12, off) if kind == DELETE else (at + 17, length)
                if 0 <= length < ALARMING and kind == PORTION and flag == 1:
                    at += length + NUMBER.size
                    length = int.from_bytes(read(at - NUMBER.size, NUMBER.size), signed=True)
                if length >= ALARMING:
                    return int(length)
                if length < 0:
                    return 0
                at += length
        return 0


# The pages after replay of the log.


#: A page at most NEAR pages from the cached pages is read in a block of BLOCK bytes. Index pages are farther
#: apart, because messages lie between them.
NEAR, BLOCK = 8, 1 << 16
#: At most this many bytes of changed pages are kept in memory; a product changes fewer between two
#: checkpoints.
SETTLED = 16 << 20
#: The memory for the position of one image in bytes. A page is built when its positions take more memory than
#: the page.
PLACE = 24
#: The header fields that an index changes one by one, the end of the last one, and the length of each.
_FIELDS, _FIELDS_END, _FIELD = range(1, 17, 4), 17, 4


class ReplayedPages:
    """The pages of a file after replay of the log. Each page is built on access.

    `count` is the number of complete pages in the file, or more if the log changes later pages.
    """

    #: The most recently read pages and their bytes.
    _held, _block = range(0), b""
    #: The changed page that was built last: several readers ask for the same page in turn.
    _last: tuple[int, bytes] = (-1, b"")

    def __init__(self, source: Source, page_size: int, log: Source | None = None) -> None:
        self._source, self._log, self.page_size = source, log, page_size
        self.in_file = self.count = source.size // page_size
        #: Maps a changed page to its bytes. For other pages, the images that the log puts into them are kept
        #: instead, in order, until there are many: offset, position in the log and length of each.
        self.changed: dict[int, array[int] | bytearray] = {}
        #: Maps pages that the log replaces with zeros or with an image of the complete page to whether they
        #: are free.
        self._made: dict[int, bool] = {}
        #: Maps the compared header fields (page * page size + offset) to the file's value if it differs from
        #: the log, or to None.
        self._unlike: dict[int, bytes | None] = {}
        # Content in memory is read directly.
        if isinstance(source, Memory):
            self._held, self._block = range(self.in_file), source.read(0, source.size)

    def _hold(self, number: int) -> None:
        """Read a page that is not cached. If it is near the cached pages, also read the pages around it."""
        near = self._held.start - NEAR <= number < self._held.stop + NEAR
        some = max(1, BLOCK // self.page_size) if near else 1
        first = number // some * some
        self._held = range(first, min(first + some, self.in_file))
        start, size = first * self.page_size, len(self._held) * self.page_size
        # A block is read through the file's cache, because small files are read twice completely. A single
        # page is read without the bytes around it.
        self._block = self._source.read(start, size) if near else self._source.peek(start, start + size)

    def __getitem__(self, number: int) -> bytes:
        held, size = self._held, self.page_size
        if number not in held or number in self.changed:
            if not 0 <= number < self.count:
                raise BadStore(f"page {number} of {self.count}")
            if self._last[0] == number:
                return self._last[1]
            if number in self.changed or number >= self.in_file:
                self._last = number, self._built(number)
                return self._last[1]
            self._hold(number)
            held = self._held
        off = (number - held.start) * size
        return self._block[off : off + size]

    def _base(self, number: int) -> bytearray:
        """Return the bytes of a page before its images are put into it."""
        size = self.page_size
        if number in self._made:
            return bytearray(size)
        if number >= self.in_file:
            return bytearray(FREE.ljust(size, b"\0"))
        return bytearray(self._source.peek(number * size, number * size + size))

    def _built(self, number: int) -> bytes:
        """Return a page that the log has changed, or that is after the end of the file."""
        images = self.changed.get(number)
        if isinstance(images, bytearray):
            page = images
        else:
            page, each = self._base(number), iter(images or ())
            for off, place, length in zip(each, each, each, strict=True):
                assert self._log
                page[off : off + length] = self._log.peek(place, place + length)
        if images is not None:
            # The log's actions show whether the page is free, not the first byte of an image (SMQ-LOG-030).
            page[0] = self._made.get(number, False)
        return bytes(page)

    def used(self, number: int = 1, known: Mapping[int, int] | bytearray | None = None) -> int | None:
        """Return the first used page from page `number` on. Return None if there is none.

        Pages of zeros, pages with a number in `known`, and holes are skipped.
        """
        count, nothing = self.count, bytes(self.page_size)
        while number < count:
            if known is None or not known[number]:
                page = self[number]
                if not is_free(page) and page != nothing:
                    return number
                if not page[0] and not isinstance(self._source, Memory):
                    number = max(number + 1, self.hole_end(number))
                    continue
            number += 1
        return None

    def hole_end(self, number: int) -> int:
        """Return the first page from this one on that is changed, or not completely in a hole of the file."""
        off = self._source.next_data(number * self.page_size) if number < self.in_file else 0
        end = max(number, min(off // self.page_size, self.in_file))
        if end <= number + 1:
            return end
        return min((page for page in self.changed if number <= page < end), default=end)

    def made(self, page: int) -> bool:
        """Return whether the log replaces a complete page."""
        return page in self._made

    @property
    def gone(self) -> list[int]:
        """Return the pages after the end of the file that the log changes but does not create."""
        top, made = self.in_file, self._made
        if self.count == top:
            return []
        return sorted([page for page in self.changed if page >= top and page not in made])

    @property
    def cut(self) -> bool:
        """Whether the file ends with an incomplete page that has content after its first byte."""
        start, size = self.in_file * self.page_size + 1, self._source.size
        return size > start and any(self._source.peek(start, size))

    @property
    def unlike(self) -> list[int]:
        """Return the pages whose state in the file differs from every state that the log passes through."""
        fields = [field for field, there in self._unlike.items() if there]
        return sorted({field // self.page_size for field in fields} - self._made.keys()) if fields else []

    def take(self, batch: Batch) -> None:
        """Replay records in order (SMQ-RCV-028); an ABORT is applied, then undone (SMQ-RCV-029)."""
        data, lead, size, top = batch.data, batch.more["lead"], self.page_size, self.in_file
        changed, made, most = self.changed, self._made, SETTLED // size
        for at, code in enumerate(batch.code):
            if code == START:
                continue
            begin, end = batch.off[at] + lead, batch.end[at]
            steps: Iterable[LoggedAction] = actions(data, begin, end, size)
            if code == ABORT:
                steps = chain(steps, _undone(data, begin, end, size))
            # Bytes are put into a page, which is used from then on; without bytes, the page becomes free.
            for _, _, kind, page, _, off, before, image in steps:
                images = changed.get(page)
                if kind == PORTION:
                    # A PORTION without bytes changes no bytes.
                    if image is None:
                        continue
                    if page in made:
                        made[page] = False
                    elif off < _FIELDS_END and page < top:
                        # For an undo, this compares the same values again, without effect.
                        self._compare(data, page, off, before, image)
                else:
                    # All other actions replace the complete page.
                    made[page], images = image is None, None
                if images is None:
                    self.count = max(self.count, page + 1)
                    images = changed[page] = self._base(page) if len(changed) < most else array("q")
                start, length = image or (0, 0)
                if isinstance(images, bytearray):
                    images[off : off + length] = data[start : start + length]
                    continue
                images.extend((off, batch.base + start, length))
                if len(images) > size // PLACE * 3:
                    changed[page] = bytearray(self._built(page))
        self._last = (-1, b"")

    def _compare(self, data: bytes, page: int, at: int, before: Bytes | None, after: Bytes) -> None:
        """Compare the header fields of a page of the file with their values in the log (SMQ-RCV-111).

        The file may be in any state that the log passes through, but in no other state. Pages that the log
        replaces completely, and pages that are free in the file, are not compared.
        """
        start, size = after
        old, least = before or after
        for off in _FIELDS[(at and at - 1) // _FIELD : (at + max(size, least) + 2) // _FIELD]:
            field, shift = page * self.page_size + off, off - at
            # A field that agreed once, or of which a part was changed first, is not compared again.
            known = self._unlike.get(field, b"")
            if known is None:
                continue
            values = data[old + shift : old + shift + _FIELD], data[start + shift : start + shift + _FIELD]
            if not known:
                self._unlike[field] = None
                # Only a change of exactly this field shows its value before the log.
                if before and at == off and size == least == _FIELD:
                    there = self._source.peek(field - off, field + _FIELD)
                    if there[off:] not in values and not is_free(there):
                        self._unlike[field] = there[off:]
            elif shift < 0 or min(size, least) < shift + _FIELD or known in values:
                # A change of a part of the field proves nothing.
                self._unlike[field] = None
