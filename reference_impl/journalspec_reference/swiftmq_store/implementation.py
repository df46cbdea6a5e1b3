"""What a store says as the specification's observations, and how stores are found among files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from journalspec.formats import get_format
from journalspec.observation import (
    CLEAN,
    RECOVERED,
    At,
    Dropped,
    FileMap,
    Missing,
    Note,
    Observation,
    Record,
    refused,
)
from journalspec.reread import COST, KEEP, Deferred, Lazy, Part, few
from journalspec.swiftmq_store import ACTIONS, LAYOUT
from journalspec_reference.api import Detection, Files, Implementation, Params, Rules, Writer
from journalspec_reference.batches import Batch, Found, Stretch, late_columns, lost, source_of
from journalspec_reference.storage import Storage
from journalspec_reference.swiftmq_store import spans
from journalspec_reference.swiftmq_store.codec import PREPARED, SMALLEST_PAGE, Branch, swapped
from journalspec_reference.swiftmq_store.recover import (
    COMPLETED,
    LOG,
    OLD_PAGES,
    PAGES,
    Recovered,
    durables,
    named,
    recover,
    role,
)
from journalspec_reference.swiftmq_store.scan import PORTION, START, TRANSACTION, Log, actions
from journalspec_reference.swiftmq_store.store import BRANCH, MOST_TOLD, Queue, fitting_size

FORMAT, EDITIONS = "swiftmq_store", ("seed", "13")


class _Asked:
    """One question about one store. `names` are the files under the names that a store gives them."""

    def __init__(self, files: Files, params: Params) -> None:
        #: A file may be compressed, and then has another name.
        self.names = named(files)
        self.files = {plain: files[name] for plain, name in self.names.items()}
        self.page_size = int(params.get("page_size", DEFAULT_SIZE))
        self.backup = PAGES in self.names and "/" not in self.names[PAGES]
        self.dropped: list[Dropped] = []
        self._counts: Counter[str] = Counter()
        self.notes: list[Note] = []

    def name(self, plain: str) -> str:
        """Return what a file is called here; a backup has all of them in its own directory."""
        return self.names.get(plain, plain.rpartition("/")[2] if self.backup else plain)

    def read(self) -> Observation:
        """Say what there is, of damaged indexes what can be read."""
        found, records = self._asked(drop=False)
        if found.refused and found.refused[0] == "bad-page-size":
            return self._refused(found)
        self._tell(found)
        return self._answer(found, records)

    def recover(self, policy: str) -> Observation:
        """Say what a start leaves."""
        found, records = self._asked(salvage=policy == "salvage")
        if policy == "strict" and found.dropped and not found.refused:
            name, why = next(iter(found.dropped.items()))
            found.refused = "bad-queue", f"{_shown(name)}: {why}"
        if found.refused:
            return self._refused(found)
        self._tell(found)
        for queue_name, key, why in found.lost:
            self._note("bad-message", PAGES, f"{_shown(queue_name)}, key {key}: {why}")
        for name, why in found.dropped.items():
            self._note("queue-dropped", PAGES, f"{_shown(name)}: {why}")
        for swap in found.swaps:
            self._note("swap-deleted", swap)
        return self._answer(found, records)

    def _note(self, code: str, plain: str, text: str = "", off: int | None = None) -> None:
        # Of what there may be millions of the first ones are given.
        self._counts[code] += 1
        if self._counts[code] <= MOST_TOLD:
            self.notes.append(Note(code, self.name(plain) if plain else "", off, text))

    def _refused(self, found: Recovered) -> Observation:
        code, why = found.refused or ("", "")
        phase = get_format(FORMAT).vocabulary.codes[code].phase
        name = self.name(PAGES)
        length = len(self.files.get(PAGES, b""))
        # A store of pages of another size makes no sense (SMQ-FIL-059).
        size = fitting_size(self.files.get(PAGES, b""), self.page_size)
        hint = "" if size is None else f"; page_size={size} makes sense of it, not {self.page_size}"
        return refused(phase, code, f"{name}: {why}{hint}", At(name, 0, length))

    def _asked(self, **options: bool) -> tuple[Recovered, Sequence[Record]]:
        """Return what a start leaves, and the records of the log; say if it does not end as logs do."""
        seen, name = Found(), self.name(LOG)

        def batches(log: Log) -> Iterator[Batch]:
            for batch in seen.walked(self.stretch(log)):
                self.dropped += (Dropped(name, start, end - start, why) for start, end, why in batch.damage)
                yield batch

        found = recover(self.files, self.page_size, batches=batches, backup=self.backup, **options)
        return found, seen.records()

    def stretch(self, log: Log) -> Stretch:
        """Return the log as what is scanned by itself."""
        name = self.name(LOG)
        return Stretch(name, log.scan, partial(told, log, name), late_columns(__package__), role(LOG))

    def plan(self) -> list[Stretch]:
        """Return the log, and the files of subscriptions that cannot be used."""
        found = Recovered()
        durables(self.files, found)
        gone = [lost(self.name(name), 0, len(self.files[name]), "bad-durable") for name in found.bad_files]
        if LOG not in self.files or self.page_size < SMALLEST_PAGE:
            return gone
        pages = len(self.files.get(PAGES, b"")) // self.page_size
        return [self.stretch(Log(source_of(self.files[LOG]), self.page_size, pages)), *gone]

    def _tell(self, found: Recovered) -> None:
        data = self.files.get(PAGES, b"")
        # A backup has no log (SMQ-BAK-057).
        if not self.files.get(LOG) and not self.backup and found.first_used is not None:
            self._note("no-log", LOG)
        log = found.read[0] if found.read else None
        if log and log.reason in ("other-generation", "bad-record") and (number := log.alarming):
            self._note("huge-count", LOG, f"{number} bytes or things", log.end)
        words = get_format(FORMAT).vocabulary.notes
        for note in found.notes:
            off = None if note.page is None else note.page * self.page_size
            text = note.text if words[note.code].text else ""
            self._note(note.code, PAGES if note.code != "branch-key" else "", text, off)
        self._unread(found)
        if self.page_size != DEFAULT_SIZE:
            self._note("page-size", PAGES, f"{self.page_size} bytes")
        elif (self.notes or self.dropped) and (size := fitting_size(data, self.page_size)):
            text = f"page_size={size} makes sense of it, {self.page_size} was asked for"
            self._note("page-size", PAGES, text)
        for name, why in found.bad_files.items():
            self._note("bad-durable", name, why)
            self.dropped.append(Dropped(self.name(name), 0, len(self.files[name]), "bad-durable"))
        if found.refused and found.refused[0] == "bad-root":
            self._note("bad-index", PAGES, found.refused[1])
        for queue in found.queues:
            if queue.why:
                self._note("bad-index", PAGES, f"{_shown(queue.name)}: {queue.why}")
        if found.read:
            for code, text in _ways(found):
                self._note(code, PAGES, text)

    def _unread(self, found: Recovered) -> None:
        for queue in found.queues:
            for at, why in queue.entries.whys.items():
                branch = why.startswith(BRANCH)
                key = "" if branch else f", key {queue.entries.entry(at).key}"
                code = "bad-index" if branch else "bad-message"
                self._note(code, PAGES, f"{_shown(queue.name)}{key}: {why}")
            entries = queue.entries
            self._counts["bad-message"] += entries.bad + entries.bad_branches - len(entries.whys)

    def _answer(self, found: Recovered, records: Sequence[Record]) -> Observation:
        words = get_format(FORMAT).vocabulary.notes
        for code, number in self._counts.items():
            if number > MOST_TOLD:
                self.notes.append(Note(code, "", None, f"and {number - MOST_TOLD} more"))
        lost = self.dropped or found.missing or any(words[note.code].loss for note in self.notes)
        files = [self._map(plain, found) for plain in sorted(self.files, key=_order) if role(plain)]
        return Observation(
            RECOVERED if lost else CLEAN,
            records=records,
            dropped=tuple(self.dropped),
            state=_state(found),
            files=tuple(files),
            notes=tuple(self.notes),
            missing=tuple(self._named(gone) for gone in found.missing),
        )

    def _named(self, gone: Missing) -> Missing:
        name = self.name(gone.name) if gone.name == PAGES else gone.name
        return replace(gone, name=name, file=self.name(gone.file))

    def _map(self, plain: str, found: Recovered) -> FileMap:
        data, of = self.files[plain], role(plain)
        header: dict[str, Any] = {}
        if of == "pages":
            header = {"pages": len(data) // self.page_size}
        elif of == "log" and found.read:
            header = {"tagged": found.read[0].tagged}
        elif of == "swap":
            header = {"swapped": sum(1 for _ in swapped(data))}
        return FileMap(self.name(plain), len(data), "invalid" if plain in found.bad_files else of, header)


DEFAULT_SIZE = 2048
#: So many keys are spelt out in a note.
_KEYS = 12
#: So much of a queue's name is shown: it may be as long as a page, and stands with each of its messages.
_SHOWN = 60


def _shown(name: bytes) -> str:
    text = name.decode("utf-8", "replace")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _order(plain: str) -> tuple[int, str]:
    """Return where a file comes: pages, log, then by name."""
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
    for action in actions(data, at, end, page_size):
        out: dict[str, object] = {"action": ACTIONS[action.kind], "page": action.page}
        if action.kind == PORTION:
            out["offset"] = action.off
        if action.before:
            out["before"] = data[action.before[0] : sum(action.before)]
        if action.after:
            out["after"] = data[action.after[0] : sum(action.after)]
        yield out


def _state(found: Recovered) -> dict[str, object]:
    # All messages together are few, or none is kept; and so are queues.
    many = sum(len(queue.entries) for queue in found.queues) * COST > KEEP
    queues = partial(_queues, found.queues, many=many)
    crowd = len(found.queues) * COST > KEEP
    return {
        "queues": Lazy([Part("", queues, len(found.queues))]) if crowd else list(queues()),
        "in_doubt": [_part(branch) for branch in sorted(found.branches, key=lambda one: one[:5])],
        "durables": [
            {name: value for name, value in one._asdict().items() if value is not None}
            for one in sorted(found.durables, key=lambda one: (one.client, one.name))
        ],
    }


def _queues(queues: Iterable[Queue], *, many: bool) -> Iterator[dict[str, object]]:
    for queue in queues:
        again = partial(_messages, queue)
        number = len(queue.entries)
        messages = Lazy([Part("", again, number)]) if many else Deferred(number, again)
        yield {"name": queue.name, "messages": messages}


def _ways(found: Recovered) -> Iterator[tuple[str, str]]:
    """Yield what an operator has to know of queues that look like ordinary ones, as code and text."""
    for queue in found.queues:
        if queue.name == PREPARED and len(queue.entries):
            text = (
                f"{_shown(queue.name)}: its {len(queue.entries)} entries are prepared branches, no messages"
            )
            yield "own-queue", text
    for name, number, keys in found.held:
        more = ", ..." if len(keys) > _KEYS else ""
        some = ", ".join(map(str, keys[:_KEYS])) + more
        yield "held", f"{_shown(name)}: {len(keys)} of {number} messages, of the keys {some}"
    if found.read and (shared := found.read[2].shared):
        entries = sum(len(queue.entries) for queue in found.queues if queue.name != PREPARED)
        text = f"{entries} entries of queues name {entries - shared.total()} messages"
        yield "shared-message", f"{text}, {len(shared)} of which are named several times"


def _messages(queue: Queue) -> Iterator[dict[str, object]]:
    for one in queue.entries:
        entry = one.entry
        out: dict[str, object] = {"key": entry.key, "priority": entry.priority}
        out |= {"deliveries": entry.deliveries, "expiration": entry.expiration, "length": one.length}
        yield out | ({"sha256": one.digest} if one.digest else {})


def _part(branch: Branch) -> dict[str, object]:
    told = branch._asdict()
    kind, entries = told.pop("kind"), told.pop("entries")
    return {**told, "inserts": kind != 0, "keys": [entry.key for entry in entries]}


def _rules(edition: str) -> Rules:
    def writer(storage: Storage, params: Params) -> Writer:
        # Who looks at a store does not need its writer.
        from journalspec_reference.swiftmq_store.write import StoreWriter  # noqa: PLC0415

        return StoreWriter(storage, params)

    return Rules(
        lambda files, params: _Asked(files, params).read(),
        lambda files, policy, params: _Asked(files, params).recover(policy),
        lambda files, params, fields: spans.spans(files, edition, params, fields),
        writer,
        lambda files, params: _Asked(files, params).plan(),
    )


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
    FORMAT, {edition: _rules(edition) for edition in EDITIONS}, detect, assumed=_assumed
)
