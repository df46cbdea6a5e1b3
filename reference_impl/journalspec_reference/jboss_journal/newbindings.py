"""The bindings of a new store.

They contain the counter of ids, queues that are kept, addresses and settings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from journalspec_reference.answers import SALVAGE, ask
from journalspec_reference.filesets import FilesetError, find_journals
from journalspec_reference.jboss_journal.codec import ADD
from journalspec_reference.jboss_journal.contents import bindings
from journalspec_reference.jboss_journal.contents.core import INT, LONG, optional_text, text_at, text_bytes
from journalspec_reference.jboss_journal.contents.store import ARTEMIS_2, HORNETQ
from journalspec_reference.jboss_journal.fileset import BINDINGS, Room
from journalspec_reference.jboss_journal.packing import NewRecord, copied, packing_of
from journalspec_reference.jboss_journal.recover import Replay, ReplayedState
from journalspec_reference.jboss_journal.selector import is_filter
from journalspec_reference.jboss_journal.wanted import WantedParts, meaning
from journalspec_reference.newstore import LossItem, NewFile

#: Record type of the settings of an address as JSON.
JSON = 52
#: The length (bytes) of a file of bindings if the source has none.
SIZE = 1 << 20


def files(wanted: WantedParts, room: Room | None, usual: str) -> Iterator[NewFile]:
    """Yield the files of the bindings, and of the JMS names that older brokers store next to them.

    `room` is the directory of the source; `usual` is the directory name if the source has none.
    """
    name = f"{room.path.name if room is not None else usual}/"
    try:
        journals = (
            find_journals(room.loaded, bindings.FORMAT)
            if room is not None and room.loaded is not None
            else []
        )
    except FilesetError:
        journals = []
    own = None
    for answer in (ask(each, SALVAGE) for each in journals):
        form, state = packing_of(answer, name), answer.observation.state
        if form.extension == BINDINGS:
            own = form
        elif isinstance(state, ReplayedState):
            yield from form.files(copied(state.replay, form.dialect))
    if own is None:
        prefix = "hornetq-bindings" if wanted.store.product[0] == HORNETQ else "activemq-bindings"
        form = packing_of(wanted.store.answer, name)
        own = replace(form, prefix=prefix, extension=BINDINGS, size=SIZE)
    yield from own.files(records(wanted))


def records(wanted: WantedParts) -> Iterator[NewRecord]:
    """Yield the records of the bindings."""
    store, found, counter = wanted.store, list[NewRecord](), None
    known, kept = store.bindings, store.bindings_replay or Replay(())
    bad = {item.place for code, _, item, _ in known.remarks if code in ("undecodable", "unknown-status")}
    refused = {int(item.id) for item in left_out(wanted)}
    unfiltered = {queue.id for queue in without_filter(wanted)}
    for item in kept.live():
        kind, data = item.user_type, item.stored
        if kind == bindings.COUNTER:
            counter = item.id
        elif item.place not in bad and item.id not in refused | wanted.made.keys():
            queue = LONG.unpack_from(data)[0] if kind == bindings.QUEUE_STATUS else item.id
            if kind not in (bindings.QUEUE, bindings.QUEUE_STATUS) or queue in wanted.queues:
                data = _unfiltered(data) if kind == bindings.QUEUE and item.id in unfiltered else data
                found.append(NewRecord(ADD, item.id, kind, data))
    last = max((_highest(wanted), known.counter or 0, counter or 0, *(record.id for record in found)))
    addresses = {each["address"] for each in known.addresses.values()}
    for ident in wanted.made.keys() & wanted.queues:
        name, address = wanted.made[ident]
        found.append(NewRecord(ADD, ident, bindings.QUEUE, _queue(name, address, store.product[0])))
        if store.product[0] == ARTEMIS_2 and address not in addresses:
            addresses.add(address)
            last += 1
            routing = INT.pack(1) + bytes([name == address])
            found.append(NewRecord(ADD, last, bindings.ADDRESS, text_bytes(address) + routing + b"\0"))
    if counter is None:
        last = counter = last + 1
    # A broker continues after this number. If it were too low, new messages would get ids that are in use.
    yield NewRecord(ADD, counter, bindings.COUNTER, LONG.pack(last))
    yield from found


def without_filter(wanted: WantedParts) -> Iterator[bindings.Queue]:
    """Yield the queues that are carried over without their filters.

    With these filters, a broker does not start.
    """
    queues = wanted.store.bindings.queues
    kept = (queues[ident] for ident in queues.keys() & wanted.queues - wanted.made.keys())
    return (queue for queue in kept if not is_filter(queue.filter or ""))


def _unfiltered(data: bytes) -> bytes:
    """Return the binding of a queue without its filter. The filter is stored after name and address."""
    _, at = text_at(data, 0)
    _, at = text_at(data, at)
    _, end = optional_text(data, at)
    return data[:at] + b"\0" + data[end:]


def left_out(wanted: WantedParts) -> Iterator[LossItem]:
    """Yield the settings with which Artemis 2 does not start: settings of addresses that are not a JSON
    object.
    """
    for setting in wanted.store.bindings.settings:
        values, name, ident = setting["values"], str(setting["name"]), str(setting["id"])
        if setting["user_type"] == JSON and isinstance(values, dict):
            try:
                sound = isinstance(json.loads(str(values.get("json"))), dict)
            except (ValueError, RecursionError):
                sound = False
            if not sound:
                text = meaning("undecodable", f"{setting['kind']!s} {name}")
                yield LossItem("setting", "undecodable", text, ident)


def _queue(name: str, address: str, product: str | None) -> bytes:
    """Return the binding of a queue with the fewest fields that the product writes."""
    body = text_bytes(name) + text_bytes(address) + b"\0"
    if product == HORNETQ:
        return body
    # Artemis does not start without this text, which can be empty. The flag means that a client created the
    # queue.
    body += b"\1" + text_bytes("") + b"\0"
    # Fields of Artemis 2: no limit of consumers, no wait for consumers, and the routing type.
    return body + INT.pack(-1) + b"\0" + bytes([name == address]) if product == ARTEMIS_2 else body


def _highest(wanted: WantedParts) -> int:
    """Return the highest id in use in the journal and the pages."""
    store = wanted.store
    others = max((item.id for item in wanted.others()), default=0)
    paged = max((entry.message().id for _, entry in store.entries()), default=0)
    doubts = (max(doubt.tx.tx, *doubt.messages, 0) for doubt in store.pending.doubts)
    return max((store.pending.highest, others, paged, *doubts, *store.queues, 0))
