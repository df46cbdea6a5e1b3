"""The parts of a broker's store in sibling directories: journal, bindings, page files, and large messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import attrgetter
from typing import ClassVar

from journalspec.contents import contents_of
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.contents import MOST_REMARKS, Remark, Remarks
from journalspec_reference.filesets import FilesetError, find_journals
from journalspec_reference.jboss_journal.bodies import Kept
from journalspec_reference.jboss_journal.contents.bindings import FORMAT, Bindings, bindings_of
from journalspec_reference.jboss_journal.contents.core import OLD, PROTOCOL
from journalspec_reference.jboss_journal.contents.messages import LargeFiles, Oddity
from journalspec_reference.jboss_journal.contents.paging import Entry, PageFile, Paging
from journalspec_reference.jboss_journal.contents.pending import Pending
from journalspec_reference.jboss_journal.fileset import BINDINGS, NAMES, beside, extension_of
from journalspec_reference.jboss_journal.recover import Replay, ReplayedState

JMS = "jms"
#: Narayana's journals: the extension of their files, the type of all records, and the first bytes of each
#: buffer. These bytes are a magic value and the byte order of the buffer's numbers.
TXLOG, TXLOG_TYPE, TXLOG_MARK = "txlog", 0, b"#BE\x01"
#: The user types that brokers write, and the number of records that are examined for such types.
BROKER_TYPES, LOOKED_AT = frozenset(range(20, 55)), 100
ARTEMIS_2, ARTEMIS_1, HORNETQ = "ActiveMQ Artemis 2", "ActiveMQ Artemis 1", "HornetQ 2"
#: The evidence for the product if the records do not identify it.
EXTENSIONS = {"hq": HORNETQ, "amq": ARTEMIS_2}


@dataclass
class Store:
    """Represents the result of recovery and the directories next to a journal.

    Each part is read on demand.
    """

    answer: Answer
    #: Whether properties of messages are also checked for problems.
    judges: ClassVar[bool] = False
    remarks: Remarks = field(default_factory=Remarks)
    #: The subjects of the remarks so far: (code, key).
    _noted: set[tuple[str, str]] = field(default_factory=set)

    def note(self, note: Oddity) -> None:
        """Add a remark, once for each subject.

        Its text consists of the reason, then the meaning of the code.
        """
        place = note.code, note.key
        if place in self._noted:
            return
        if self.remarks.counts[note.code] < MOST_REMARKS:
            self._noted.add(place)
        meaning = contents_of(FORMAT).remarks[note.code]
        text = f"{note.why}: {meaning}" if note.why else meaning
        self.remarks.add(Remark(note.table, note.key, note.file, note.off, note.code, text))

    @cached_property
    def replay(self) -> Kept:
        """The result of recovery. It is empty if recovery refused the journal."""
        return replay_of(self.answer)

    @property
    def is_of_broker(self) -> bool:
        """Whether a broker wrote this journal. This is so if most records have a broker's types, or if a
        broker's other directories exist.

        Other programs also use journals for their own records. For example, HornetQ's journal of JMS names
        has its own types.
        """
        if extension_of(self.answer.journal.files, self.answer.journal.params) == JMS:
            return False
        if not self.is_bindings and any(beside(self.answer.journal, kind) for kind in NAMES):
            return True
        types = [*map(attrgetter("user_type"), islice(self.replay.live(), LOOKED_AT))]
        return 2 * sum(map(BROKER_TYPES.__contains__, types)) > len(types)

    @property
    def is_narayana(self) -> bool:
        """Whether Narayana wrote this journal, according to the extension of the files or the first live
        record.
        """
        if extension_of(self.answer.journal.files, self.answer.journal.params) == TXLOG:
            return True
        for first in self.replay.live():
            return first.user_type == TXLOG_TYPE and first.data.startswith(TXLOG_MARK, first.start)
        return False

    @property
    def has_any(self) -> bool:
        """Whether evidence other than the types of records shows that a broker wrote the journal."""
        beside_it = any(beside(self.answer.journal, kind) for kind in NAMES)
        return beside_it or any(True for _ in self.pending.references.live())

    @cached_property
    def bindings_replay(self) -> Kept | None:
        """The result of recovering the bindings, or None if there are none."""
        if self.is_bindings:
            return self.replay
        found = self.bindings_beside
        return replay_of(found) if found is not None else None

    @cached_property
    def bindings_beside(self) -> Answer | None:
        """The answer of recovering the bindings next to the journal, or None if there are none."""
        room = beside(self.answer.journal, BINDINGS)
        with suppress(FilesetError):
            found = find_journals(room.loaded, FORMAT) if room is not None and room.loaded is not None else ()
            answers = (ask(each, SALVAGE) for each in found if each.params.get("extension") == BINDINGS)
            return next(answers, None)
        return None

    @property
    def is_bindings(self) -> bool:
        """Whether this is the journal of bindings."""
        return self.answer.journal.params.get("extension") == BINDINGS

    @cached_property
    def bindings(self) -> Bindings:
        """The queues in this journal if it is a journal of bindings, else those in the bindings journal next
        to it.
        """
        replay = self.bindings_replay
        if replay is None:
            room = beside(self.answer.journal, BINDINGS)
            if room is None or room.loaded is not None:
                self.note(Oddity("no-bindings", "", why="queues have no names here", table="queues"))
            return Bindings()
        found = bindings_of(replay.live())
        for code, key, item, why in found.remarks:
            self.note(Oddity(code, key, *replay.where(item.place), why, "queues"))
        return found

    @cached_property
    def pending(self) -> Pending:
        """The pending messages in the journal itself."""
        found = Pending(
            Replay(()) if self.is_bindings else self.replay, self.report_record, judge=self.judges
        )
        if found.types[OLD] and (found.types[PROTOCOL] or self.bindings.addresses):
            self.note(Oddity("old-message", "", why=f"{found.types[OLD]} messages"))
        if self.bindings.queues and self.bindings.counter is None:
            self.note(Oddity("no-id-counter", "", why=f"ids up to {found.highest} are in use", table="store"))
        return found

    @cached_property
    def queues(self) -> dict[int, str]:
        """A map from the id of a queue to its name.

        The names come from the bindings. If there are no bindings, they come from the messages.
        """
        if self.bindings_replay is not None:
            return {ident: queue.name for ident, queue in self.bindings.queues.items()}
        found = {queue for _, entry in self.entries() for queue in entry.queues} | self.pending.queues
        return {ident: f"queue {ident}" for ident in sorted(found)}

    def name_of(self, queue: int) -> str:
        """Return the name of a queue, or a text with its id."""
        return self.queues.get(queue, f"queue {queue}")

    @cached_property
    def product(self) -> tuple[str | None, str]:
        """The product that wrote this journal, and the evidence."""
        pending, queues = self.pending, self.bindings.queues.values()
        extension = self.answer.journal.params.get("extension", "")
        if pending.types[PROTOCOL]:
            return ARTEMIS_2, "messages with a protocol"
        if self._has_addresses:
            return ARTEMIS_2, "addresses or routing types in the bindings"
        if any(queue.options for queue in queues):
            return ARTEMIS_1, "queues with metadata and without a routing type"
        if queues:
            return HORNETQ, "queues of three fields"
        if pending.types[OLD] and extension != "hq":
            return ARTEMIS_1, "messages without a protocol"
        return EXTENSIONS.get(extension), f"the extension {extension}"

    @property
    def _has_addresses(self) -> bool:
        """Whether the bindings contain records or fields that only Artemis 2 writes."""
        queues = self.bindings.queues.values()
        return bool(self.bindings.addresses) or any("routing_type" in queue.options for queue in queues)

    @cached_property
    def large(self) -> LargeFiles:
        """The files of large messages."""
        return LargeFiles(beside(self.answer.journal, "large"))

    @cached_property
    def sizes(self) -> Sequence[int]:
        """The size in bytes of each message, including its file, by the message's number."""
        pending = self.pending
        sizes = pending.sizes[:] if pending.large else pending.sizes
        for number in pending.numbers_of_large():
            sizes[number] += self.large.size(pending.idents[number])
        return sizes

    @cached_property
    def paging(self) -> Paging:
        """The page files."""
        room = beside(self.answer.journal, "paging")
        pages = room is not None and any(True for _ in room.rooms())
        # If the bindings do not identify the product, `product` reads the journal. This is done only if there
        # are pages.
        old = pages and not self._has_addresses and self.product[0] in (HORNETQ, ARTEMIS_1)
        return Paging(room, old)

    def entries(self) -> Iterator[tuple[PageFile, Entry]]:
        """Yield the entries of all page files."""

        for file in self.paging.files(self.report_page):
            for entry in file.entries(self.report_page):
                yield file, entry

    def report_record(self, code: str, key: str, place: int, why: str) -> None:
        """Add a remark on a record that does not affect pending messages."""
        self.note(Oddity(code, key, *self.replay.where(place), why))

    def report_page(self, code: str, file: str, off: int | None, why: str) -> None:
        """Add a remark on a faulty page file."""
        self.note(Oddity(code, file if off is None else f"{file}:{off}", file, off, why))

    def pending_entries(self) -> Iterator[tuple[PageFile, Entry, list[int]]]:
        """Yield the pending entries of pages, with the queues that hold them, each once."""
        pending, known = self.pending, self.queues
        for file, entry in self.entries():
            if not pending.is_sent(entry.tx):
                if not pending.may_be_sent(entry.tx):
                    text = f"page transaction {entry.tx}"
                    self.note(Oddity("no-page-transaction", str(entry.tx), file.name, entry.off, text))
                continue
            queues = [
                queue
                for queue in dict.fromkeys(entry.queues)
                if queue in known and not pending.is_done(queue, entry.page, entry.index)
            ]
            if queues:
                yield file, entry, queues


def replay_of(answer: Answer) -> Replay:
    """Return the state after recovery, if there is one."""
    state = answer.observation.state
    return state.replay if isinstance(state, ReplayedState) else Replay(())
