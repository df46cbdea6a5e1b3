"""The transaction log as batches: one loop finds its records, and where and why they end.

Records have no length, and no checksum shows whether a record is complete. So the log ends at the first
bytes that make no record, and a record counts only if all of its actions are possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from struct import Struct, pack

from journalspec.swiftmq_store import ACTIONS
from journalspec_reference.batches import STRETCH, Batch, Source, zeros, zeros_end
from journalspec_reference.swiftmq_store.codec import NONE

START, COMMIT, ABORT = 1, 2, 3
INSERT, UPDATE, DELETE, PORTION = 1, 2, 3, 4
#: The size of a START record, of the bytes before the actions of another record by whether the log is tagged,
#: and the least size of an action.
START_SIZE, LEADS, LEAST_ACTION = 12, {True: 24, False: 16}, 8
NUMBER, TRANSACTION = Struct(">i"), Struct(">qi")
#: The beginning of every action; the bytes after the first two fields mean something only in a PORTION.
HEAD = Struct(">iiiBi")
#: The last stretch has this many more bytes, so that no action has to ask before its head is unpacked.
_PAD = bytes(HEAD.size)

#: A generation that is higher by no more than this is a later one of the same log (SMQ-LOG-135).
SOON = 1 << 16
#: From this number on a start of the product, which makes room for that many, is likely to end there.
ALARMING = 1 << 27
#: This many bytes are read at first where more are seldom needed, and of a log.
HEADS, FIRST = 1 << 12, 1 << 15
#: The forensic search may look at each byte of its region this often on average.
SEARCH_BUDGET = 8
#: How a COMMIT or an ABORT begins.
_CANDIDATE = re.compile(b"[\2\3](?<=\0\0\0.)", re.DOTALL)

#: Bytes of a log: their begin and their number.
Bytes = tuple[int, int]


#: The facts of one action about a page: its begin and end in its batch, its kind, the page, the page that its
#: undo changes (it may be another one: SMQ-RCV-112), an offset, and the bytes `before` that `after`
#: replaces there. An UPDATE has whole pages; without an image the page is free.
LoggedAction = tuple[int, int, int, int, int, int, Bytes | None, Bytes | None]


def actions_end(  # noqa: C901, PLR0911, PLR0912  # one loop: a branch is a rule
    data: bytes, at: int, top: int, number: int, page_size: int, most: int
) -> int:
    """Return the end of the `number` actions from `at` on, if all are possible.

    More than `top`: they continue after it. Negative: the inverse of the place of the first impossible
    one, so that there is no record (SMQ-LOG-025).
    """
    head, size, number_of = HEAD.unpack_from, HEAD.size, NUMBER.unpack_from
    edge = len(data) - size
    for _ in range(number):
        if at > edge:
            return top + 1
        kind, page, off, flag, length = head(data, at)
        # A page that no writer can have reached (SMQ-LOG-027).
        if not 0 <= page < most:
            return ~at
        if kind == PORTION:
            room = page_size - off
            if off < 0 or not 0 <= length <= room:
                return ~at
            end = at + size + length
            # Only if the flag is 1 that was the image before, and another one follows (SMQ-LOG-031).
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
            # A length follows its page.
            if not 0 <= off <= page_size:
                return ~at
            at += LEAST_ACTION + NUMBER.size + off
        elif kind == UPDATE:
            # Two pictures: a page, whether it was changed, whether it is free, and the page unless it is.
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
    """Yield the actions that are between two places; it is known that they are possible."""
    head, size, number_of = HEAD.unpack_from, HEAD.size, NUMBER.unpack_from
    while at < end:
        kind, page, off, flag, length = head(data, at)
        begin = at
        before: Bytes | None = None
        after: Bytes | None = None
        if kind == PORTION:
            # Most actions.
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
            off = 0
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


def following(generation: int) -> int:
    """Return the generation after this one (SMQ-WRT-038)."""
    return 1 if generation == (1 << 63) - 1 else generation + 1


class Log:
    """The log in a file. `tagged`: it begins with START, and each record repeats the generation of that.

    `pages` is how many the file of pages has. `lead`: what a COMMIT or an ABORT has before its actions.
    The facts that a scan to the end shows: `end` and `reason`, where and why the log ends; no reason: it ends
    with the file.
    """

    def __init__(self, source: Source, page_size: int, pages: int) -> None:
        self.source = source
        self.page_size = page_size
        # Between two checkpoints a file grows by no more pages than there are actions.
        self._most = pages + source.size // LEAST_ACTION
        head = source.read(0, START_SIZE)
        self.tagged = len(head) >= 4 and NUMBER.unpack_from(head)[0] == START
        self.generation = NONE
        self.end = 0
        self.reason = "" if head else "empty"
        if self.tagged:
            self.generation = int.from_bytes(head[4:START_SIZE], signed=True)
            if len(head) < START_SIZE or self.generation == NONE:
                self.generation, self.reason = NONE, "bad-start"
        self.lead = LEADS[self.tagged]

    def scan(  # noqa: C901, PLR0912, PLR0915  # one loop: a branch is a rule
        self, start: int = 0, limit: int | None = None, stretch: int = STRETCH
    ) -> Iterator[Batch]:
        """Yield the records from `start`, where one begins, up to the first invalid bytes or `limit`.

        Each batch has the `lead` of its records. The end of the log is the damage of the last one, if it is
        damage. A record that does not fit into a stretch makes it longer: each byte is read three times at
        the most.
        """
        source, page_size, most, lead = self.source, self.page_size, self._most, self.lead
        size = source.size if limit is None else min(limit, source.size)
        stamp = pack(">q", self.generation) if self.tagged else b""
        # START may occur again in a tagged log (SMQ-LOG-023).
        kinds = {START, COMMIT, ABORT} if self.tagged else {COMMIT, ABORT}
        number_at = lead - NUMBER.size
        base, need, over = start, 0, False
        while not over:
            # Most logs have few records before the zeros, or the old bytes, that end them.
            first = FIRST if base == start else stretch
            data = source.read(base, min(max(min(first, stretch), need), size - base))
            top, at, need, reason = len(data), 0, 0, ""
            final = base + top >= size
            if final:
                data += _PAD
            batch = Batch(base, data)
            batch.more["lead"] = lead
            add, add_end, add_code = batch.off.append, batch.end.append, batch.code.append
            if self.reason in ("empty", "bad-start"):
                reason, over = self.reason, True
            while not over:
                left = top - at
                if left < lead:
                    if not final:
                        need = lead
                        break
                    if not left:
                        over = True
                        break
                (kind,) = NUMBER.unpack_from(data, at)
                if left < NUMBER.size:
                    reason = "bad-record"
                elif kind not in kinds:
                    reason = "not-a-record"
                elif stamp and left < START_SIZE:
                    reason = "bad-record"
                # The generation first: after the end are records of older ones, which may say anything
                # (SMQ-LOG-022).
                elif stamp and data[at + 4 : at + 12] != stamp:
                    reason = "other-generation"
                elif kind == START:
                    stop = at + START_SIZE
                elif left < lead:
                    reason = "bad-record"
                else:
                    # The number is compared with the remaining bytes before it is used (SMQ-LOG-024); it may
                    # be 0 (SMQ-LOG-034), and the id of the transaction may be anything (SMQ-LOG-033).
                    (number,) = NUMBER.unpack_from(data, at + number_at)
                    stop = -1
                    if 0 <= number * LEAST_ACTION <= size - base - at - lead:
                        stop = actions_end(data, at + lead, top, number, page_size, most)
                    if stop > top and not final:
                        need = 0 if at else 2 * top
                        break
                    if not 0 <= stop <= top:
                        reason = "bad-record"
                if reason:
                    over = True
                    break
                add(at)
                add_end(stop)
                add_code(kind)
                at = stop
            base += at
            if over:
                self.end, self.reason = base, reason
                if self._is_damage(size):
                    batch.damage.append((base, size, reason))
            yield batch

    def _is_damage(self, size: int) -> bool:
        """Return whether what ends the log is damage: after a sound one are zeros, or old records."""
        if self.reason in ("", "empty"):
            return False
        if self.reason == "not-a-record":
            # SMQ-LOG-130, SMQ-LOG-134
            return not self.tagged and not zeros(self.source, self.end)
        if self.reason == "other-generation":
            stored = self.source.read(self.end + 4, 8)
            higher = int.from_bytes(stored, signed=True) - self.generation
            # Directly after START an old record begins where one began (SMQ-LOG-132). Later, old ones are
            # cut anywhere, and only a generation that soon follows is no coincidence: START is of an
            # earlier moment.
            return higher > 0 and (self.end == START_SIZE or higher <= SOON)
        return True

    def beyond(self, start: int, end: int, stretch: int = STRETCH) -> Iterator[tuple[int, int, int]]:
        """Yield begin, end and type of each complete record in a part of a tagged log.

        Its generation may be any. A forensic extra: nothing but their form covers them. What
        candidates say that come to nothing may be read SEARCH_BUDGET times as long as the bytes are;
        then the search stops.
        """
        lead, budget = LEADS[True], SEARCH_BUDGET * (end - start)
        base = passed = start
        need = 0
        while self.tagged and end - base >= lead:
            # A hole may end with the first zeros of a record.
            base = max(base, self.source.next_data(base) - 3)
            data = self.source.read(base, min(max(stretch, need, lead), end - base))
            top, need = len(data), 0
            final = base + top >= end
            data += _PAD if final else b""
            # Where no other record can begin in this stretch, the next one does.
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
        """Return a generation from this one on of whose successor no record may be there (SMQ-WRT-040).

        The bytes of a log stay until they are written over: those of a higher generation, of an untagged log.
        """
        data = self.source.read(0, self.source.size)
        places = (found.end() for found in _CANDIDATE.finditer(data, 0, len(data) - LEADS[True] + 4))
        there = {data[at : at + 8] for at in places}
        while pack(">q", following(generation)) in there:
            generation = following(generation)
        return generation

    @property
    def alarming(self) -> int:
        """The count or length after the end for which a start of the product has no memory; 0: none.

        It reads a record to its end before it compares the generation (SMQ-LOG-138).
        """
        base, at = self.end, self.lead
        data = self.source.read(base, HEADS)
        if len(data) < at or NUMBER.unpack_from(data)[0] not in {COMMIT, ABORT}:
            return 0
        (number,) = NUMBER.unpack_from(data, at - NUMBER.size)
        if number >= ALARMING:
            return int(number)
        for _ in range(number):
            if at + HEAD.size > len(data):
                base, at, data = base + at, 0, self.source.read(base + at, STRETCH)
            left = len(data) - at
            kind, _, off, flag, length = HEAD.unpack(data[at : at + HEAD.size].ljust(HEAD.size, b"\0"))
            if kind not in ACTIONS or left < (8, 10, 12, 17)[kind - 1]:
                return 0
            if kind == INSERT:
                at += LEAST_ACTION
            elif kind == UPDATE:
                at += 10 + (0 if data[at + 9] else self.page_size)
                picture = self.source.read(base + at, 6)
                if len(picture) < 6:
                    return 0
                at += 6 + (0 if picture[5] else self.page_size)
            else:
                at, length = (at + 12, off) if kind == DELETE else (at + 17, length)
                if 0 <= length < ALARMING and kind == PORTION and flag == 1:
                    at += length + NUMBER.size
                    length = int.from_bytes(
                        self.source.read(base + at - NUMBER.size, NUMBER.size), signed=True
                    )
                if length >= ALARMING:
                    return int(length)
                if length < 0:
                    return 0
                at += length
        return 0
