"""What a store says as the specification's observations, and how stores are found among files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from journalspec import reread
from journalspec.formats import get_format
from journalspec.observation import (
    CLEAN,
    RECOVERED,
    At,
    Dropped,
    FileMap,
    Observation,
    Record,
    refused,
)
from journalspec.reread import COST, Deferred, Lazy, Part, few
from journalspec.swiftmq_store import ACTIONS, LAYOUT
from journalspec_reference.api import (
    Detection,
    Files,
    Implementation,
    Params,
)
from journalspec_reference.batches import Batch, Found, Stretch, late_columns, lost, source_of
from journalspec_reference.swiftmq_store import spans
from journalspec_reference.swiftmq_store.codec import SMALLEST_PAGE, Branch, swapped
from journalspec_reference.swiftmq_store.recover import (
    COMPLETED,
    DEFAULT_SIZE,
    OLD_PAGES,
    Recovered,
    named,
    recover,
    role,
)
from journalspec_reference.swiftmq_store.scan import PORTION, START, TRANSACTION, Log, actions
from journalspec_reference.swiftmq_store.store import LOG, PAGES, Queue, fitting_size

FORMAT, EDITIONS = "swiftmq_store", ("seed", "13")


class _Asked:
    """One question about one store. `names` are the files under the names that a store gives them."""

    def __init__(self, files: Files, params: Params) -> None:
        #: A file may be compressed, and then has another name.
        self.names = named(files)
        self.files = {plain: files[name] for plain, name in self.names.items()}
        self.page_size = int(params.get("page_size", DEFAULT_SIZE))
        self.backup = PAGES in self.names and "/" not in self.names[PAGES]

    def name(self, plain: str) -> str:
        """Return what a file is called here; a backup has all of them in its own directory."""
        return self.names.get(plain, plain.rpartition("/")[2] if self.backup else plain)

    def answer(self, policy: str) -> Observation:
        """Say what a start under a policy leaves; without one what there is, of damaged indexes the rest."""
        seen = Found()
        found = recover(
            self.files,
            self.page_size,
            policy=policy,
            batches=lambda log: seen.walked(self.stretch(log)),
            name=self.name,
            backup=self.backup,
        )
        if found.refused and (policy or not found.read):
            return self._refused(found, *found.refused)
        found.tell(started=bool(policy))
        log = self.name(LOG)
        dropped = [Dropped(log, start, end - start, why) for start, end, why in found.damage]
        for path in found.bad_files:
            dropped.append(Dropped(self.name(path), 0, len(self.files[path]), "bad-durable"))
        words, notes = get_format(FORMAT).vocabulary.notes, tuple(found.notes)
        lossy = dropped or found.missing or any(words[note.code].loss for note in notes)
        return Observation(
            RECOVERED if lossy else CLEAN,
            records=seen.records(),
            dropped=tuple(dropped),
            state=StoreState(found),
            files=tuple(self._maps(found)),
            notes=notes,
            missing=tuple(found.missing),
        )

    def _refused(self, found: Recovered, code: str, why: str) -> Observation:
        phase, name = get_format(FORMAT).vocabulary.codes[code].phase, self.name(PAGES)
        # A store of pages of another size makes no sense (SMQ-FIL-059).
        size = found.fitting_size()
        hint = "" if size is None else f"; page_size={size} makes sense of it, not {self.page_size}"
        return refused(phase, code, f"{name}: {why}{hint}", At(name, 0, len(self.files.get(PAGES, b""))))

    def stretch(self, log: Log) -> Stretch:
        """Return the log as what is scanned by itself."""
        name = self.name(LOG)
        return Stretch(name, log.scan, partial(told, log, name), late_columns(__package__), role(LOG))

    def plan(self) -> list[Stretch]:
        """Return the log, and the files of subscriptions that cannot be used."""
        found = Recovered(self.files)
        found.find_durables()
        gone = [lost(self.name(name), 0, len(self.files[name]), "bad-durable") for name in found.bad_files]
        if LOG not in self.files or self.page_size < SMALLEST_PAGE:
            return gone
        pages = len(self.files.get(PAGES, b"")) // self.page_size
        return [self.stretch(Log(source_of(self.files[LOG]), self.page_size, pages)), *gone]

    def _maps(self, found: Recovered) -> Iterator[FileMap]:
        for plain in sorted(filter(found.roles.get, self.files), key=_order):
            data, of = self.files[plain], found.roles[plain]
            header: dict[str, Any] = {}
            if of == "pages":
                header = {"pages": len(data) // self.page_size}
            elif of == "log" and found.read:
                header = {"tagged": found.read[0].tagged}
            elif of == "swap":
                header = {"swapped": sum(1 for _ in swapped(data))}
            of = "invalid" if plain in found.bad_files else of
            yield FileMap(self.name(plain), len(data), of, header)


def _order(plain: str) -> tuple[int, str]:
    """Return the place where a file comes: pages, log, then by name."""
    return (PAGES, LOG, plain).index(plain), plain


def told(log: Log, name: str, batch: Batch) -> Iterator[Record]:
    """Yield the records of a batch of the log that is called `name`, as an observation has them."""
    data, base = batch.data, batch.base
    for off, end, code in zip(batch.off, batch.end, batch.code, strict=True):
        fields: dict[str, Any] = {"generation": log.generation} if log.tagged else {}
        if code != START:
            at = off + log.lead
            transaction, number = TRANSACTION.unpack_from(data, at - TRANSACTION.size)
            # Of many actions those that are asked for are decoded again.
            again = partial(_actions, data, at, end, log.page_size)
            fields |= {"transaction": transaction, "actions": few(again, number, _size)}
        yield Record(LAYOUT.type_name(EDITIONS[0], code), fields, At(name, base + off, end - off))


def _size(action: Mapping[str, Any]) -> int:
    return len(action.get("before", b"")) + len(action.get("after", b""))


def _actions(data: bytes, at: int, end: int, page_size: int) -> Iterator[dict[str, object]]:
    for _, _, kind, page, _, off, *images in actions(data, at, end, page_size):
        out: dict[str, object] = {"action": ACTIONS[kind], "page": page}
        if kind == PORTION:
            out["offset"] = off
        places = zip(("before", "after"), images, strict=True)
        yield out | {name: data[place[0] : sum(place)] for name, place in places if place}


class StoreState(dict[str, object]):
    """What a start leaves, as an observation has it. `found`: what it was made of, for the contents."""

    def __init__(self, found: Recovered) -> None:
        self.found = found
        # All messages together are few, or none is kept; and so are queues.
        many = sum(len(queue.entries) for queue in found.queues) * COST > reread.KEEP
        queues = partial(_queues, found.queues, many=many)
        crowd = len(found.queues) * COST > reread.KEEP
        super().__init__(
            queues=Lazy([Part("", queues, len(found.queues))]) if crowd else list(queues()),
            in_doubt=[_part(branch) for branch in sorted(found.branches, key=lambda one: one[:5])],
            durables=[
                {name: value for name, value in one._asdict().items() if value is not None}
                for one in sorted(found.durables, key=lambda one: (one.client, one.name))
            ],
        )


def _queues(queues: Iterable[Queue], *, many: bool) -> Iterator[dict[str, object]]:
    for queue in queues:
        again = partial(_messages, queue)
        number = len(queue.entries)
        messages = Lazy([Part("", again, number)]) if many else Deferred(number, again)
        yield {"name": queue.name, "messages": messages}


def _messages(queue: Queue) -> Iterator[dict[str, object]]:
    for one in queue.entries:
        entry = one.entry
        out: dict[str, object] = {"key": entry.key, "priority": entry.priority}
        out |= {"deliveries": entry.deliveries, "expiration": entry.expiration, "length": one.length}
        yield out | ({"sha256": one.digest} if one.digest else {})


def _part(branch: Branch) -> dict[str, object]:
    told = branch._asdict()
    kind, entries, _ = (told.pop(name) for name in ("kind", "entries", "time"))
    return {**told, "inserts": kind != 0, "keys": [entry.key for entry in entries]}


def _recover(files: Files, _: str, policy: str, params: Params) -> Observation:
    return _Asked(files, params).answer(policy)


def _plan(files: Files, _: str, params: Params) -> list[Stretch]:
    return _Asked(files, params).plan()


def _assumed(files: Files) -> dict[str, str]:
    """Return the page size that makes sense of pages if the usual one does not (SMQ-FIL-105)."""
    given = named(files)
    size = fitting_size(files[given[PAGES]], DEFAULT_SIZE) if PAGES in given else None
    return {} if size is None else {"page_size": str(size)}


def detect(files: Files, _: Params) -> list[Detection]:
    """Return the store among `files`: it is known by its names, and by how a log begins."""
    given = named(files)
    plain = [name for name in sorted(given, key=_order) if role(name)]
    if not plain:
        return []
    tagged = LOG in given and bytes(files[given[LOG]][:4]) == b"\0\0\0\1"
    names = [given[name] for name in plain]
    if COMPLETED in files and given.get(PAGES) != PAGES:
        names.append(COMPLETED)  # what makes a backup one
    beside = tuple(given[name] for name in (OLD_PAGES,) if name in given)
    return [Detection(FORMAT, "13", tuple(names), 2 if tagged else 1, neighbours=beside)]


IMPLEMENTATION = Implementation(
    FORMAT,
    __package__,
    dict.fromkeys(EDITIONS, "StoreWriter"),
    detect,
    _recover,
    _plan,
    spans.spans,
    _assumed,
    of_refused=True,
)
