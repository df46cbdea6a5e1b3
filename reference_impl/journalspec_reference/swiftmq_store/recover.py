"""Recovers a store as its start does: replays the log on the pages, checks the store if due, and lists
queues.

The check is the product's: it drops a complete queue if one of its messages cannot be read. Notes list the
dropped queues; the policy `salvage` keeps their readable messages. No file changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from journalspec import reread
from journalspec.formats import get_format
from journalspec.observation import (
    CLEAN,
    RECOVERED,
    At,
    Dropped,
    FileMap,
    Missing,
    Observation,
    Record,
    refused,
)
from journalspec.reread import COST, Deferred, Lazy, Part, few
from journalspec.swiftmq_store import ACTIONS, LAYOUT
from journalspec_reference.api import Files, Params
from journalspec_reference.batches import Batch, Found, Stretch, late_columns, lost, source_of, zeros
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.durable import SUFFIX, Durable, durable
from journalspec_reference.swiftmq_store.fileset import DEFAULT_SIZE, FORMAT, OLD_PAGES, named, roles
from journalspec_reference.swiftmq_store.scan import (
    INSERT,
    PORTION,
    START,
    TRANSACTION,
    Log,
    ReplayedPages,
    actions,
)
from journalspec_reference.swiftmq_store.store import (
    BRANCH,
    DURABLES,
    LOG,
    MOST_TOLD,
    PAGES,
    SWAP,
    Queue,
    StoreNotes,
    Walk,
    fitting_size,
)

EDITIONS = "seed", "13"
#: Prefixes of the names of the router's own queues, which belong to no durable subscriber.
SYSTEM = ("sys$", "tmp$", "rt$", "tpc$")
#: At most this many keys are listed in a note.
_KEYS = 12
#: Names of queues are truncated to this length in notes, because a name can be as long as a page, and many
#: notes repeat it.
_SHOWN = 60
#: The codes of the notes on losses.
_LOSSES = {code for code, note in get_format(FORMAT).vocabulary.notes.items() if note.loss}


class Recovered:
    """The state after a start. `names` maps the store's own names of files to their names here."""

    #: The reason why a start refuses the store, as a code and a text.
    refused: tuple[str, str] | None = None
    #: Whether the log makes a start check the store.
    checked = False
    #: Whether the file proves the page size: its pages contain queues, and no fault.
    fits = False
    #: The first used page after page 0. It is searched for only if the log or the root index is absent.
    used: int | None = None
    #: The log that was read, the resulting pages, and the walk over them. None if the page size is too small.
    read: tuple[Log, ReplayedPages, Walk] | None = None
    branches: Sequence[codec.Branch] = ()
    #: For queues with messages that branches contain: name, number of messages, keys of these messages.
    held: Sequence[tuple[bytes, int, list[int]]] = ()

    def __init__(
        self, files: Mapping[str, Any], page_size: int = DEFAULT_SIZE, names: Mapping[str, str] | None = None
    ) -> None:
        self.files, self.page_size, self.names = files, page_size, names or {}
        self.roles = roles(files)
        self.queues: list[Queue] = []
        self.dropped: dict[bytes, str] = {}
        #: Queue, key and fault of the messages that salvage omits from a queue.
        self.lost: list[tuple[bytes, int, str]] = []
        self.durables: list[Durable] = []
        #: Files that cannot be read, with the reason; and swap files, which a start deletes.
        self.bad_files: dict[str, str] = {}
        self.swaps: list[str] = []
        self.notes = StoreNotes()
        #: The records of the log, and its damaged regions.
        self.log = Found()
        #: Missing targets of references.
        self.missing: list[Missing] = []
        for path, of in self.roles.items():
            if of == "swap":
                self.swaps.append(path)
            elif of == "durable":
                try:
                    self.durables.append(durable(path.removeprefix(DURABLES), bytes(files[path])))
                except codec.BadStore as bad:
                    self.bad_files[path] = str(bad)

    @property
    def backup(self) -> bool:
        """Whether this is a backup: it has all files in one directory, and no log (SMQ-BAK-057)."""
        return "/" not in self.names.get(PAGES, PAGES)

    def name(self, plain: str) -> str:
        """Return the name of a file here; it differs in a backup, and if the file is compressed."""
        return self.names.get(plain) or (plain.rpartition("/")[2] if self.backup else plain)

    def check(self, *, salvage: bool) -> None:
        """Drop the queues that the product's check drops. The check does not examine branches."""
        queues, self.queues = self.queues, []
        for queue in queues:
            fault = queue.fault
            if fault:
                self.dropped[queue.name] = fault
            if salvage and fault:
                whys = list(queue.entries.whys.items())[: max(0, MOST_TOLD - len(self.lost))]
                self.lost += ((queue.name, queue.entries.row(at)[3], why) for at, why in whys)
                queue.why, queue.entries = None, queue.entries.whole()
            if salvage or not fault:
                self.queues.append(queue)

    def tell(self, *, started: bool) -> None:  # noqa: C901, PLR0912  # one note after the other
        """Collect notes on the resulting state and on losses.

        With `started`, also collect notes on deleted swap files.
        """
        add, walk = self.notes.add, self.read[2] if self.read else None
        bad = [queue for queue in self.queues if queue.why or queue.entries.whys] if walk and walk.bad else []
        for queue in bad:
            for at, why in queue.entries.whys.items():
                branch = why.startswith(BRANCH)
                key = "" if branch else f", key {queue.entries.row(at)[3]}"
                add("bad-index" if branch else "bad-message", PAGES, f"{shown(queue.name)}{key}: {why}")
            untold = queue.entries.bad + queue.entries.bad_branches - len(queue.entries.whys)
            self.notes.more("bad-message", untold)
        if self.page_size != DEFAULT_SIZE:
            add("page-size", PAGES, f"{self.page_size} bytes")
        # A damaged index may be the only sign of a wrong page size (SMQ-FIL-059).
        elif not self.fits and (
            bad or self.notes.total or self.refused or self.dropped or self.log.dropped()
        ):
            size = fitting_size(self.files.get(PAGES, b""), self.page_size)
            if size:
                add("page-size", PAGES, f"page_size={size} makes sense of it, {self.page_size} was asked for")
        for path, why in self.bad_files.items():
            add("bad-durable", path, why)
        if self.refused and self.refused[0] == "bad-root":
            add("bad-index", PAGES, self.refused[1])
        for queue in bad:
            if queue.why:
                add("bad-index", PAGES, f"{shown(queue.name)}: {queue.why}")
        for queue in self.queues:
            # Queues that only look like ordinary queues.
            if queue.name == codec.PREPARED and (number := len(queue.entries)):
                text = f"its {number} entries are prepared branches, no messages"
                add("own-queue", PAGES, f"{shown(queue.name)}: {text}")
        for name, number, keys in self.held:
            more = ", ..." if len(keys) > _KEYS else ""
            some = ", ".join(map(str, keys[:_KEYS])) + more
            add("held", PAGES, f"{shown(name)}: {len(keys)} of {number} messages, of the keys {some}")
        if walk and walk.shared and (shared := self._shared(walk.shared)):
            entries = sum(len(queue.entries) for queue in self.queues if queue.name != codec.PREPARED)
            text = f"{entries} entries of queues name {entries - sum(shared.values())} messages"
            add("shared-message", PAGES, f"{text}, {len(shared)} of which are named several times")
        for name, number, why in self.lost:
            add("bad-message", PAGES, f"{shown(name)}, key {number}: {why}")
        for name, why in self.dropped.items():
            add("queue-dropped", PAGES, f"{shown(name)}: {why}")
        for path in self.swaps if started else ():
            number = sum(1 for _ in codec.swapped(self.files[path]))
            add("swap-deleted", path, f"{number} messages of {shown(codec.queue_bytes(swap_queue(path)))}")

    def _shared(self, shared: dict[int, int]) -> dict[int, int]:
        """Return the messages that are still shared, and the number of further entries of each."""
        if not self.dropped:
            return shared
        # Entries that the check dropped are not counted (SMQ-XAB-106).
        listed = (queue.entries for queue in self.queues if queue.name != codec.PREPARED)
        left = Counter(page for entries in listed for page in entries.first_pages() if page in shared)
        return {page: number - 1 for page, number in left.items() if number > 1}


def recover(
    files: Mapping[str, Any],
    page_size: int = DEFAULT_SIZE,
    names: Mapping[str, str] | None = None,
    *,
    check: bool = False,
    policy: str = "default",
) -> Recovered:
    """Return the state after a start. `check` forces the check even if the log does not require it.

    Without a `policy`, damaged queues stay, whatever the check finds. `files` have their names in a store;
    `names` are those of :class:`Recovered`.
    """
    found = Recovered(files, page_size, names)
    if walk := _replayed(found, check=check):
        _settle(found, walk.run(), policy)
    return found


def _replayed(found: Recovered, *, check: bool = False) -> Walk | None:
    """Replay the log. Return the walk of the resulting pages, before its run.

    Return None, and refuse the store, if the page size is too small.
    """
    files, page_size = found.files, found.page_size
    if page_size < codec.SMALLEST_PAGE:
        found.refused = "bad-page-size", f"{page_size} bytes have no room for an index"
        return None
    source = source_of(files.get(LOG, b""))
    pages = ReplayedPages(source_of(files.get(PAGES, b"")), page_size, source)
    log = Log(source, page_size, pages.count)
    found.checked = check
    if source.size:
        for batch in found.log.begin(_stretch(log, found.name(LOG))):
            found.log.take(batch)
            if batch.code.count(START) < len(batch.code):
                found.checked = True
                pages.take(batch)
    found.checked |= source.size > 0 and not log.end
    found.used = None if log.end else pages.used()
    if found.used is not None and not source.size and not found.backup:
        found.notes.add("no-log", LOG)
    if log.reason in ("other-generation", "bad-record") and (number := log.alarming):
        found.notes.add("huge-count", LOG, f"{number} bytes or things", log.end)
    walk = Walk(pages, found.notes)
    found.read = log, pages, walk
    return walk


def _settle(found: Recovered, walk: Walk, policy: str) -> None:
    """Examine the store, of which `walk` has run, and list the queues and branches that a policy keeps."""
    assert found.read
    log, pages, _ = found.read
    found.queues, found.fits = walk.queues, walk.sound and not pages.changed
    if walk.unwritten and log.end:
        found.used = pages.used()
    _judge(found, log, pages, walk)
    if walk.why:
        found.refused = "bad-root", walk.why
    elif found.checked and policy and walk.bad:
        found.check(salvage=policy == "salvage")
    if walk.branches:
        _hold(found, walk.branches)
    for queue in found.queues if walk.bad and not walk.why else ():
        if queue.name == codec.PREPARED and queue.faults and not queue.why:
            found.refused = "bad-branch", queue.faults[0]
        elif queue.why and policy != "salvage" and not found.refused:
            found.refused = "bad-queue", f"{queue.name.decode('utf-8', 'replace')}: {queue.why}"
    if policy == "strict" and found.dropped and not found.refused:
        dropped, why = next(iter(found.dropped.items()))
        found.refused = "bad-queue", f"{shown(dropped)}: {why}"


def _judge(found: Recovered, log: Log, pages: ReplayedPages, walk: Walk) -> None:
    """Add notes on a lost root index, on pages of another moment, and on missing items, from the walk."""
    size, used = pages.page_size, found.used
    if not pages.in_file:
        found.notes.add("no-pages", PAGES)
    # No check will free these pages. The log was lost in a crash, or the files were copied at different
    # times.
    unreached = page = None if walk.unwritten or found.checked else pages.used(1, walk.roles)
    while page is not None:
        text = f"page {page} is in use, and nothing refers to it"
        found.notes.add("unreached", PAGES, text, page * size)
        page = pages.used(page + 1, walk.roles)
    if walk.unwritten and used is not None:
        found.notes.add("no-root", PAGES, f"page 0 was never written, and page {used} is in use", 0)
    # The file of pages, or pages that something refers to (SMQ-RCV-113, 114).
    cut = pages.cut and not pages.made(pages.in_file)
    gone = [pages.in_file] if cut else []
    if pages.changed:
        for page in pages.unlike:
            text = f"page {page} has a state that the log did not lead through"
            found.notes.add("other-moment", PAGES, text, page * size)
        gone = pages.gone + gone
    begun = not pages.in_file and log.tagged and log.generation != codec.NONE and not pages.made(0)
    if not pages.in_file and (cut or begun or OLD_PAGES in found.files):
        found.missing.append(Missing("pages", found.name(PAGES)))
    elif gone or walk.absent:
        lowest, times = walk.absent or (pages.count, 0)
        number = str(min([lowest, *gone] if times else gone))
        text = f"{times + len(gone)} references"
        found.missing.append(Missing("page", number, found.name(PAGES), text=text))
    # Once a page is in use, a tagged log always contains its START. An untagged log can be empty (0 bytes).
    lacking = used is not None and zeros(log.source) if log.source.size else walk.why or unreached or walk.bad
    if lacking and not log.end and not found.backup:
        found.missing.append(Missing("log", LOG))
    if walk.queues and (found.durables or found.bad_files):
        _lacking_durables(found, walk)


def _lacking_durables(found: Recovered, walk: Walk) -> None:
    """List the subscribers that have a queue but no file, if other subscribers have files (SMQ-RCV-116)."""
    ours = [path for path, of in found.roles.items() if of == "durable"]
    there = {path.removeprefix(DURABLES).removesuffix(SUFFIX) for path in ours}
    for queue in walk.queues if there else ():
        name = queue.name.decode("utf-8", "replace")
        if is_subscriber(queue.name) and name not in there:
            # Two queues with the same name share one file.
            there.add(name)
            found.missing.append(Missing("durable", name, found.name(f"{DURABLES}{name}{SUFFIX}")))


def is_subscriber(queue: bytes) -> bool:
    """Return whether a queue is that of a durable subscriber, by its name; it must be UTF-8 (SMQ-RCV-116)."""
    name = queue.decode("utf-8", "replace")
    return "$" in name and not name.startswith(SYSTEM) and name.encode() == queue


def _hold(found: Recovered, branches: Mapping[int, codec.Branch]) -> None:
    """List the branches of listed messages, and the listed messages that belong to them (SMQ-XAB-106).

    A note names each held message that is not listed. By now, the key can belong to another message, so the
    page is also compared.
    """
    listed = set[int]()
    for queue in found.queues:
        if queue.name == codec.PREPARED:
            listed.update(queue.entries.first_pages())
    found.branches = [branch for page, branch in branches.items() if page in listed]
    named: dict[bytes, set[bytes]] = {}
    for branch in found.branches:
        named.setdefault(branch.queue.encode(), set()).update(map(key_bytes, branch.entries))
    pages: dict[bytes, dict[bytes, int]] = {}
    held: list[tuple[bytes, int, list[int]]] = []
    for queue in found.queues if named else ():
        keys, there = named.get(queue.name, set()), {}
        for _, _, _, number, page, _, _ in queue.entries.rows():
            key = number.to_bytes(8, "big", signed=True)
            if key in keys:
                there[key] = page
        if there:
            pages[queue.name] = there
            numbers = sorted(int.from_bytes(key, signed=True) for key in there)
            held.append((queue.name, len(queue.entries), numbers))
    found.held = held
    for branch in found.branches:
        of_queue = pages.get(branch.queue.encode(), {})
        for entry in branch.entries:
            if of_queue.get(key_bytes(entry)) != entry.page:
                text = f"a branch has key {entry.key} at page {entry.page}, {branch.queue} has not"
                found.notes.add("branch-key", "", text)


def swap_queue(path: str) -> str:
    """Return the queue of a swap file: its name is followed by a number in the router's locale."""
    return path.removeprefix(SWAP).removesuffix(".swap").rpartition("-")[0]


def key_bytes(entry: codec.QueueEntry) -> bytes:
    """Return a key for a hash table. Crafted integer keys would collide, and make the table slow."""
    return entry.key.to_bytes(8, "big", signed=True)


def shown(name: bytes) -> str:
    """Return the name of a queue for notes. A long name is truncated."""
    text = name.decode("utf-8", "replace")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _asked(files: Files, params: Params) -> tuple[Files, int, dict[str, str]]:
    """Return the files under their names in a store, the size of pages, and a map from these names to those
    here.
    """
    names = named(files)
    page_size = int(params.get("page_size", DEFAULT_SIZE))
    # If all names are the same, no file has another name in the store.
    stored = files if names.keys() == files.keys() else {plain: files[own] for plain, own in names.items()}
    return stored, page_size, names


def _stretch(log: Log, name: str) -> Stretch:
    """Return the log as a stretch to scan."""
    return Stretch(name, log.scan, partial(told, log, name), _COLUMNS, "log")


_COLUMNS = late_columns(__package__)


def _maps(found: Recovered) -> Iterator[FileMap]:
    for path, of in found.roles.items():
        data = found.files[path]
        header: dict[str, object] = {}
        if of == "pages":
            header["pages"] = len(data) // found.page_size
        elif of == "log" and found.read:
            header["tagged"] = found.read[0].tagged
        elif of == "swap":
            header["swapped"] = sum(1 for _ in codec.swapped(data))
        yield FileMap(found.names[path], len(data), "invalid" if path in found.bad_files else of, header)


def observe(files: Files, _: str, policy: str, params: Params) -> Observation:
    """Return the state after a start with a policy. Without a policy, return all readable entries."""
    stored, page_size, names = _asked(files, params)
    # The steps of `recover`: called here, they have one function less around them.
    found = Recovered(stored, page_size, names)
    if walk := _replayed(found):
        _settle(found, walk.run(), policy)
    if found.refused and (policy or not found.read):
        code, why = found.refused
        phase = get_format(FORMAT).vocabulary.codes[code].phase
        name, data = found.name(PAGES), stored.get(PAGES, b"")
        # A wrong page size makes every store look damaged (SMQ-FIL-059).
        size = fitting_size(data, page_size)
        hint = "" if size is None else f"; page_size={size} makes sense of it, not {page_size}"
        return refused(phase, code, f"{name}: {why}{hint}", At(name, 0, len(data)))
    found.tell(started=bool(policy))
    dropped = found.log.dropped()
    if found.bad_files:
        gone = [Dropped(found.name(path), 0, len(stored[path]), "bad-durable") for path in found.bad_files]
        dropped = *dropped, *gone
    notes = found.notes.named(found.name) if found.notes.total else ()
    lossy = dropped or found.missing or (found.notes.total and not _LOSSES.isdisjoint(found.notes.codes))
    return Observation(
        RECOVERED if lossy else CLEAN,
        records=found.log.records(),
        dropped=tuple(dropped),
        state=StoreState(found),
        files=Deferred(len(found.roles), partial(_maps, found)),
        notes=notes,
        missing=tuple(found.missing),
    )


def plan(files: Files, _: str, params: Params) -> list[Stretch]:
    """Return the stretches: the log, and the unusable files of subscriptions."""
    found = Recovered(*_asked(files, params))
    gone = [lost(found.name(path), 0, len(found.files[path]), "bad-durable") for path in found.bad_files]
    if LOG not in found.files or found.page_size < codec.SMALLEST_PAGE:
        return gone
    pages = len(found.files.get(PAGES, b"")) // found.page_size
    log = Log(source_of(found.files[LOG]), found.page_size, pages)
    return [_stretch(log, found.name(LOG)), *gone]


def told(log: Log, name: str, batch: Batch) -> Iterator[Record]:
    """Yield the records of a batch in the form of an observation; `name` is the log's file."""
    data, base = batch.data, batch.base
    for off, end, code in zip(batch.off, batch.end, batch.code, strict=True):
        fields: dict[str, Any] = {"generation": log.generation} if log.tagged else {}
        if code != START:
            at = off + log.lead
            transaction, number = TRANSACTION.unpack_from(data, at - TRANSACTION.size)
            # If there are many actions, they are decoded again on each access.
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
        places = zip(("before", "after"), images if kind != INSERT else (None, None), strict=True)
        yield out | {name: data[place[0] : sum(place)] for name, place in places if place}


class StoreState(Mapping[str, object]):
    """The state after a start, in the form of an observation. Its parts are created at the first access.

    Contents use `found`, the source of this state.
    """

    def __init__(self, found: Recovered) -> None:
        self.found = found
        self._parts: dict[str, object] = {}

    def __getitem__(self, name: str) -> object:
        if name not in self._parts:
            self._parts[name] = _PARTS[name](self.found)
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_PARTS)

    def __len__(self) -> int:
        return len(_PARTS)


def _queues(found: Recovered) -> Sequence[object]:
    listed, number = partial(_listed, found.queues), len(found.queues)
    if number * COST > reread.KEEP:
        return Lazy([Part("", listed, number)])
    return [*listed()]


def _in_doubt(found: Recovered) -> Sequence[object]:
    return [_part(branch) for branch in sorted(found.branches, key=itemgetter(slice(5)))]


def _durables(found: Recovered) -> Sequence[object]:
    return [_subscription(one) for one in sorted(found.durables, key=itemgetter(0, 1))]


#: The parts of a state.
_PARTS: dict[str, Callable[[Recovered], object]] = {
    "queues": _queues,
    "in_doubt": _in_doubt,
    "durables": _durables,
}


def _subscription(one: Durable) -> dict[str, object]:
    return {name: value for name, value in one._asdict().items() if value is not None}


def _listed(queues: Sequence[Queue]) -> Iterator[dict[str, object]]:
    # Messages are kept in memory only if their total number is small; the same applies to queues.
    many = sum([len(queue.entries) for queue in queues]) * COST > reread.KEEP
    for queue in queues:
        again, number = partial(_messages, queue), len(queue.entries)
        messages = Lazy([Part("", again, number)]) if many else Deferred(number, again)
        yield {"name": queue.name, "messages": messages}


def _messages(queue: Queue) -> Iterator[dict[str, object]]:
    for at in range(len(queue.entries)):
        priority, deliveries, expiration, key, _, length, _ = queue.entries.row(at)
        out: dict[str, object] = {"key": key, "priority": priority, "deliveries": deliveries}
        out |= {"expiration": expiration, "length": length}
        if digest := queue.entries.digest(at):
            out["sha256"] = digest
        yield out


def _part(branch: codec.Branch) -> dict[str, object]:
    told = branch._asdict()
    kind, entries, _ = (told.pop(name) for name in ("kind", "entries", "time"))
    return {**told, "inserts": kind != 0, "keys": [entry.key for entry in entries]}
