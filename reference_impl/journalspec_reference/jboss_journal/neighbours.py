"""Finds missing parts of a broker's directories: ends of files, queues, bodies of messages, page files.

A journal without these directories proves nothing: users often send in only the journal. A directory of page
files or of large messages next to the journal identifies a broker's data directory. In a data directory,
journal and bindings are always present.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence

from journalspec.observation import CLEAN, Missing
from journalspec_reference.answers import UNREAD, Answer, is_copy, renamed
from journalspec_reference.batches import source_of, zeros
from journalspec_reference.content import UNREADABLE, at_hand
from journalspec_reference.jboss_journal import fileset
from journalspec_reference.jboss_journal.bodies import ChosenRecords
from journalspec_reference.jboss_journal.codec import ADD, DIALECTS
from journalspec_reference.jboss_journal.contents import BODY, body_name
from journalspec_reference.jboss_journal.contents.core import LONG, is_large, message_of
from journalspec_reference.jboss_journal.contents.messages import least_size
from journalspec_reference.jboss_journal.contents.paging import ADDRESS_FILE, PAGE
from journalspec_reference.jboss_journal.contents.pending import REFERENCE, Pending
from journalspec_reference.jboss_journal.contents.store import JMS, Store, replay_of
from journalspec_reference.jboss_journal.fileset import BINDINGS, JOURNAL, DataFile
from journalspec_reference.jboss_journal.recover import stretch_of

_ZEROS = "it holds zeros only: a product gives a new file its header, and fills it with J, before it uses it"
_RENAMED = "{} has its name and something after it: no broker reads it"
_CUT = "it has {} bytes, others have {}, and it ends with a record: whatever followed was cut off"
_GONE = (
    "other parts of a broker's directory are here, and this one is lost or on another disk: both look the "
    "same. If it is on another disk, give its directory as a second PATH: that is read by itself, and this "
    "line stays"
)
_EMPTY = "the directory is here, and none of its files"
_NO_QUEUE = (
    "the bindings do not have the queue of this id: a broker that starts deletes its messages (AMQ222043)"
)
_ZERO_PAGE = "it holds zeros only: a broker writes the first message where a page file begins"
#: Remarks on page files, and the meaning of each remark here.
_OF_PAGES = {
    "page-damaged": "a broker reads this page no further, and drops what follows (AMQ222033)",
    "no-address-file": "a broker ignores the pages of this directory (AMQ222035)",
}
_NO_BODY = "it has the body of a large message, which a broker delivers without it"
_PACKED_BODY = "it is compressed: a broker does not find it and delivers the message without its body"
_SHORT_BODY = "it has {} of the {} bytes of a large message, and a broker delivers no more"


def lacking(answer: Answer) -> Iterator[Missing]:
    """Yield the missing parts of a journal: ends of its files, and a broker's directories next to it."""
    seen, dialect = answer.observation, DIALECTS[answer.journal.edition]
    found = fileset.gather(at_hand(answer.journal.files), dialect, answer.journal.params)
    files = found.usable
    if seen.verdict == CLEAN and files and all(zeros(source_of(file.data)) for file in files):
        yield Missing("emptied-file", files[0].name, text=_ZEROS)
    name = (
        rf"{re.escape(_prefix(files))}-[0-9]+\.{re.escape(str(answer.journal.params.get('extension', '')))}"
    )
    known = {entry.name for entry in seen.missing}
    for gone, other in renamed(
        answer.journal, re.compile(name), lambda head: fileset.head_of(head) in ("1", "2")
    ):
        if gone not in known:
            yield Missing("file", gone, other, text=_RENAMED.format(other))
    lengths = Counter(file.length for file in files)
    longest = max(lengths, default=0)
    for file in files:
        if file.length < longest and lengths[file.length] == 1 and _ends_with_a_record(file):
            text = _CUT.format(file.length, longest)
            yield Missing("end", file.name, file.name, file.length, text=text)
    if files and (files[0].number or 0) > 1 and _never_compacted(answer):
        yield from (entry for entry in fileset.lost_from(found, before=True) if entry.name not in known)
    yield from _of_broker(answer)


def _prefix(files: Sequence[DataFile]) -> str:
    """Return the part of the file names before their numbers."""
    found = fileset.parsed(files[0].name) if files else None
    return found.prefix if found else ""


def _never_compacted(answer: Answer) -> bool:
    """Return whether there are records, none of which deletes anything or was copied by a compaction.

    Files without records prove nothing, because a compaction leaves such files if it has nothing to copy.
    """
    if replay_of(answer).deletes or not len(answer.observation.records):
        return False
    return not any(record.fields.get("compact_count") for record in answer.observation.records)


def _ends_with_a_record(file: DataFile) -> bool:
    """Return whether the last record, or the header, ends at the end of the file.

    Files written by a compaction of HornetQ 2.0 also end like this, and cannot be recognised. Later versions
    fill these files up.
    """
    if "compact_count" not in file.dialect.kinds[ADD].places:
        return False
    end = file.dialect.header_size
    for batch in stretch_of(file).scan():
        end = batch.base + batch.end[-1] if len(batch) else end
    return end == file.length


def _of_broker(answer: Answer) -> Iterator[Missing]:
    store, journal = Store(answer), answer.journal
    if journal.params.get("extension") == JMS:
        return
    own, other = (BINDINGS, JOURNAL) if store.is_bindings else (JOURNAL, BINDINGS)
    if not store.is_bindings and not store.is_of_broker:
        return
    room = fileset.beside(journal, other, own)
    others = any(fileset.beside(journal, kind, own) for kind in fileset.NAMES if kind not in (own, other))
    prefix = journal.root.absolute().name.removesuffix(own) if journal.root is not None else ""
    if room is None and others:
        yield Missing(other, f"../{prefix}{other}", text=_GONE)
    elif room is not None and room.loaded is not None and not any(map(fileset.parsed, room.names)):
        yield Missing(other, f"../{room.path.name}", text=_EMPTY)
    elif room is not None and own == JOURNAL:
        yield from _of_messages(store)


def _of_messages(store: Store) -> Iterator[Missing]:
    """Yield the queues of messages that the bindings lack, and the missing bodies of messages."""
    bindings = store.bindings_beside
    unread = bindings is None or any(
        region.reason in (UNREAD, UNREADABLE) for region in bindings.observation.dropped
    )
    replay, heads, large = replay_of(store.answer), set[bytes](), set[int]()
    for batch in replay.live_columns():
        data = batch.data
        for (ident, size, kind), start in zip(batch.heads, batch.starts, strict=True):
            if kind == REFERENCE and size >= LONG.size:
                heads.add(data[start : start + LONG.size])
            elif is_large(kind, data, start):
                large.add(ident)
    queues = {LONG.unpack(head)[0] for head in heads}
    # Most stores lack no queue. Live references are searched only in the other stores, because that takes a
    # second pass and memory.
    unknown = queues - store.queues.keys() if not unread else set()
    if unknown and bindings is not None:
        unknown = _never_deleted(unknown, bindings)
    if unknown:
        yield from _unbound(store, unknown)
    if large:
        chosen = ChosenRecords(replay, lambda: (row for row in replay.live_places() if row[0] in large))
        yield from _without_bodies(store, Pending(chosen, lambda *_: None))
    yield from _of_pages(store)


def _of_pages(store: Store) -> Iterator[Missing]:
    """Yield the page files that no broker finds, and the page files that end too early."""
    found: list[Missing] = []
    for room in store.paging.room.rooms() if store.paging.room is not None else ():
        listed = (room.loaded.listed if room.loaded else None) or frozenset()
        # If all files are compressed, the user compressed them, so none is reported.
        for other in sorted(listed) if ADDRESS_FILE in listed else ():
            name = "".join(other.partition(".page")[:2])
            if is_copy(other, name) and PAGE.match(name) and name not in listed:
                place = f"{room.path.name}/{name}"
                found.append(Missing("page", place, place, text=_RENAMED.format(other)))

    def report(code: str, file: str, off: int | None, why: str) -> None:
        if code in _OF_PAGES:
            found.append(Missing("page", file, file, off, text=f"{_OF_PAGES[code]}: {why}"))

    for file in store.paging.files(report):
        if file.content.size and zeros(file.content):
            found.append(Missing("page", file.name, file.name, 0, text=_ZERO_PAGE))
            continue
        for _ in file.places(report):
            pass
    yield from found


def _never_deleted(queues: set[int], bindings: Answer) -> set[int]:
    """Return those of `queues` whose deletion the bindings rule out.

    A message that is sent while its queue is deleted remains in the journal. After a compaction of the
    bindings, or after a file was used again, DELETEs are missing: in these cases no queue is returned.
    """
    journal, replay = bindings.journal, replay_of(bindings)
    unused = fileset.gather(journal.files, DIALECTS[journal.edition], journal.params).unused
    if len(bindings.observation.records) and not unused:
        return set()
    return {queue for queue in queues if not replay.has_deleted(queue)}


def _unbound(store: Store, unknown: Container[int]) -> Iterator[Missing]:
    counts: dict[int, int] = {}
    firsts: dict[int, int] = {}
    for _, queue, number in store.pending.references.live():
        if queue in unknown:
            counts[queue] = counts.get(queue, 0) + 1
            firsts.setdefault(queue, store.pending.places[number])
    for queue, count in counts.items():
        yield Missing("queue", str(queue), *store.replay.where(firsts[queue]), count, _NO_QUEUE)


def _without_bodies(store: Store, pending: Pending) -> Iterator[Missing]:
    """Yield the missing bodies of `pending` messages, among those whose body is in a file."""
    room = store.large.room
    if room is not None and room.loaded is None:
        return
    large = {*pending.numbers_of_large()}
    # If everything is compressed, the user compressed it before sending it in.
    plain = any(name in (store.answer.journal.listed or ()) for name in store.answer.journal.files)
    # A broker deletes a queue together with the bodies of its messages.
    live = ((queue, number) for _, queue, number in pending.references.live())
    held = sorted({number for queue, number in live if number in large and queue in store.queues})
    for item in store.replay.bodies(pending.places[number] for number in held):
        found, where = store.large.open(item.id), store.replay.where(item.place)
        name = body_name(store, item.id)
        if found is None and (room is None or f"{item.id}.msg" not in room.names):
            yield Missing(BODY, name, *where, 1, _NO_BODY)
        elif plain and room is not None and room.is_packed(f"{item.id}.msg"):
            yield Missing(BODY, name, *where, 1, _PACKED_BODY)
        elif found is not None:
            size = least_size(message_of(item.user_type, item.stored))
            if found.size < size:
                yield Missing(BODY, name, *where, 1, _SHORT_BODY.format(found.size, size))
