"""Recovery as in a start of the store: replays the log on the pages, checks the store if due, lists queues.

The check is the product's: it drops a complete queue if one of its messages cannot be read. Notes list the
dropped queues; the policy `salvage` keeps their readable messages. Nothing on disk changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from journalspec_reference.swiftmq_store.fileset import DEFAULT_SIZE, FORMAT, OLD_PAGES, in_order, named, role
from journalspec_reference.swiftmq_store.scan import PORTION, START, TRANSACTION, Log, ReplayedPages, actions
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
#: Prefixes of the router's own queues, which belong to no durable subscriber.
SYSTEM = ("sys$", "tmp$", "rt$", "tpc$")
#: At most this many keys are listed in a note.
_KEYS = 12
#: Names of queues are cut to this length in notes: a name can be as long as a page, and many notes repeat the
#: name.
_SHOWN = 60


class Recovered:
    """The state after a start. `name` maps the store's own name of a file to its name here."""

    def __init__(
        self, files: Mapping[str, Any], page_size: int = DEFAULT_SIZE, name: Callable[[str], str] = str
    ) -> None:
        self.files, self.page_size, self.name = files, page_size, name
        #: The role of each file.
        self.roles = {path: role(path) for path in files}
        #: The reason why a start refuses the store, as a code and a text.
        self.refused: tuple[str, str] | None = None
        #: Whether the log makes a start check the store.
        self.checked = False
        self.queues: list[Queue] = []
        self.branches: list[codec.Branch] = []
        #: For queues with messages that branches hold: name, number of messages, keys of the held messages.
        self.held: list[tuple[bytes, int, list[int]]] = []
        self.dropped: dict[bytes, str] = {}
        #: Queue, key and fault of the messages that salvage omits from a queue.
        self.lost: list[tuple[bytes, int, str]] = []
        self.durables: list[Durable] = []
        #: Files that cannot be read, with the reason; and swap files, which a start deletes.
        self.bad_files: dict[str, str] = {}
        self.swaps: list[str] = []
        self.notes = StoreNotes(page_size, name)
        #: The damaged regions of the log: begin, end, reason.
        self.damage: list[tuple[int, int, str]] = []
        #: Missing targets of references.
        self.missing: list[Missing] = []
        #: The log that was read, the resulting pages, and the walk over them; None if the page size is too
        #: small.
        self.read: tuple[Log, ReplayedPages, Walk] | None = None

    def find_durables(self) -> None:
        """Read the durable subscriptions, and list the swap files, which a start deletes."""
        for path in sorted(path for path, of in self.roles.items() if of in ("swap", "durable")):
            if self.roles[path] == "swap":
                self.swaps.append(path)
            else:
                try:
                    self.durables.append(durable(path.removeprefix(DURABLES), bytes(self.files[path])))
                except codec.BadStore as bad:
                    self.bad_files[path] = str(bad)

    def check(self, *, salvage: bool) -> None:
        """Drop the queues that the check drops; the check does not examine branches."""
        queues, self.queues = self.queues, []
        for queue in queues:
            fault = queue.fault
            if fault:
                self.dropped[queue.name] = fault
            if salvage and fault:
                whys = list(queue.entries.whys.items())[: max(0, MOST_TOLD - len(self.lost))]
                self.lost += ((queue.name, queue.entries.entry(at).key, why) for at, why in whys)
                queue.why, queue.entries = None, queue.entries.whole()
            if salvage or not fault:
                self.queues.append(queue)

    def tell(self, *, started: bool) -> None:
        """Collect notes on the resulting state and on losses; with `started`, also on deleted swap files."""
        add = self.notes.add
        self._unread()
        # A damaged index may be the only sign of a wrong page size (SMQ-FIL-059).
        wrong = bool(len(self.notes) or self.damage or self.refused or self.dropped)
        wrong = wrong or any(queue.why for queue in self.queues)
        if self.page_size != DEFAULT_SIZE:
            add("page-size", PAGES, f"{self.page_size} bytes")
        elif wrong and (size := fitting_size(self.files.get(PAGES, b""), self.page_size)):
            add("page-size", PAGES, f"page_size={size} makes sense of it, {self.page_size} was asked for")
        for path, why in self.bad_files.items():
            add("bad-durable", path, why)
        if self.refused and self.refused[0] == "bad-root":
            add("bad-index", PAGES, self.refused[1])
        for queue in self.queues:
            if queue.why:
                add("bad-index", PAGES, f"{shown(queue.name)}: {queue.why}")
        for code, text in self._ways():
            add(code, PAGES, text)
        for name, number, why in self.lost:
            add("bad-message", PAGES, f"{shown(name)}, key {number}: {why}")
        for name, why in self.dropped.items():
            add("queue-dropped", PAGES, f"{shown(name)}: {why}")
        for path in self.swaps if started else ():
            number = sum(1 for _ in codec.swapped(self.files[path]))
            add("swap-deleted", path, f"{number} messages of {shown(swap_queue(path).encode())}")

    def _unread(self) -> None:
        """Note the messages and branches that cannot be read."""
        for queue in self.queues:
            entries = queue.entries
            for at, why in entries.whys.items():
                branch = why.startswith(BRANCH)
                key = "" if branch else f", key {entries.entry(at).key}"
                text = f"{shown(queue.name)}{key}: {why}"
                self.notes.add("bad-index" if branch else "bad-message", PAGES, text)
            self.notes.more("bad-message", entries.bad + entries.bad_branches - len(entries.whys))

    def _ways(self) -> Iterator[tuple[str, str]]:
        """Yield notes, as code and text, on queues that only look like ordinary queues."""
        for queue in self.queues:
            if queue.name == codec.PREPARED and (number := len(queue.entries)):
                text = f"its {number} entries are prepared branches, no messages"
                yield "own-queue", f"{shown(queue.name)}: {text}"
        for name, number, keys in self.held:
            more = ", ..." if len(keys) > _KEYS else ""
            some = ", ".join(map(str, keys[:_KEYS])) + more
            yield "held", f"{shown(name)}: {len(keys)} of {number} messages, of the keys {some}"
        if shared := self._shared():
            entries = sum(len(queue.entries) for queue in self.queues if queue.name != codec.PREPARED)
            text = f"{entries} entries of queues name {entries - sum(shared.values())} messages"
            yield "shared-message", f"{text}, {len(shared)} of which are named several times"

    def _shared(self) -> dict[int, int]:
        """Return the first page of each shared message, and the number of its further entries."""
        shared = self.read[2].shared if self.read else {}
        if not shared or not self.dropped:
            return shared
        # Entries that the check dropped are not counted (SMQ-XAB-106).
        listed = (queue.entries for queue in self.queues if queue.name != codec.PREPARED)
        left = Counter(page for entries in listed for page in entries.first_pages() if page in shared)
        return {page: number - 1 for page, number in left.items() if number > 1}


def recover(
    files: Mapping[str, Any],
    page_size: int = DEFAULT_SIZE,
    *,
    check: bool = False,
    policy: str = "default",
    batches: Callable[[Log], Iterable[Batch]] = Log.scan,
    name: Callable[[str], str] = str,
    backup: bool = False,
) -> Recovered:
    """Return the state after a start; `check` forces the check even if the log does not require it.

    Without a `policy`, damaged queues stay, whatever the check finds. `batches` yields the batches of the
    log. A `backup` has no log.
    """
    found = Recovered(files, page_size, name)
    if page_size < codec.SMALLEST_PAGE:
        found.refused = "bad-page-size", f"{page_size} bytes have no room for an index"
        return found
    log_data = files.get(LOG, b"")
    source = source_of(log_data)
    pages = ReplayedPages(source_of(files.get(PAGES, b"")), page_size, source)
    log = Log(source, page_size, pages.count)
    found.checked = check
    for batch in batches(log):
        pages.take(batch)
        found.damage += batch.damage
        found.checked |= batch.code.count(START) < len(batch)
    found.checked |= len(log_data) > 0 and not log.end
    found.find_durables()
    # The first used page after page 0; searched for only if the log or the root index is absent.
    used = None if log.end else next(pages.used(), None)
    # A backup has no log (SMQ-BAK-057).
    if not len(log_data) and not backup and used is not None:
        found.notes.add("no-log", LOG)
    if log.reason in ("other-generation", "bad-record") and (number := log.alarming):
        found.notes.add("huge-count", LOG, f"{number} bytes or things", log.end)
    walk = Walk(pages, found.notes).run()
    found.read = log, pages, walk
    _judge(found, log, pages, walk, used, backup=backup)
    found.queues = walk.queues
    if walk.why:
        found.refused = "bad-root", walk.why
    elif found.checked and policy:
        found.check(salvage=policy == "salvage")
    of_branches = (queue.entries for queue in found.queues if queue.name == codec.PREPARED)
    listed = {page for entries in of_branches for page in entries.first_pages()}
    found.branches = [branch for page, branch in walk.branches.items() if page in listed]
    _hold(found)
    if walk.why:
        return found
    for queue in found.queues:
        if queue.name == codec.PREPARED and queue.faults and not queue.why:
            found.refused = "bad-branch", queue.faults[0]
        elif queue.why and policy != "salvage" and not found.refused:
            found.refused = "bad-queue", f"{queue.name.decode('utf-8', 'replace')}: {queue.why}"
    if policy == "strict" and found.dropped and not found.refused:
        dropped, why = next(iter(found.dropped.items()))
        found.refused = "bad-queue", f"{shown(dropped)}: {why}"
    return found


def _judge(
    found: Recovered, log: Log, pages: ReplayedPages, walk: Walk, used: int | None, *, backup: bool
) -> None:
    """Note a lost root index, pages of another moment, and missing items, by the walk of the store.

    `used` is the first used page after page 0, if the log is empty.
    """
    if not pages.in_file:
        found.notes.add("no-pages", PAGES)
    unreached = []
    if walk.unwritten:
        used = next(pages.used(), None) if log.end else used
    elif not found.checked:
        # No check will free these pages. The log was lost in a crash, or the files were copied at different
        # times.
        unreached = [*pages.used(walk.use)]
    for page in unreached:
        found.notes.page("unreached", page, f"page {page} is in use, and nothing refers to it")
    if walk.unwritten and used is not None:
        found.notes.page("no-root", 0, f"page 0 was never written, and page {used} is in use")
    for page in pages.unlike:
        found.notes.page("other-moment", page, f"page {page} has a state that the log did not lead through")
    found.missing += _missing_pages(found, log, pages, walk)
    # Once a page is in use, a tagged log always contains its START. An untagged log can be empty (0 bytes).
    lacking = used is not None and zeros(log.source, 0)
    if not log.source.size:
        lacking = bool(walk.why or unreached or any(queue.faults for queue in walk.queues))
    if lacking and not log.end and not backup:
        found.missing.append(Missing("log", LOG))
    found.missing += _missing_durables(found, walk)


def _missing_pages(found: Recovered, log: Log, pages: ReplayedPages, walk: Walk) -> Iterator[Missing]:
    """Yield the missing file of pages, or missing pages that something refers to (SMQ-RCV-113, 114)."""
    files, file = found.files, found.name(PAGES)
    rest = bytes(files.get(PAGES, b"")[pages.in_file * pages.page_size :])
    cut = any(rest[1:]) and not pages.made(pages.in_file)
    begun = log.tagged and log.generation != codec.NONE and not pages.made(0)
    if not pages.in_file and (cut or begun or OLD_PAGES in files):
        yield Missing("pages", file)
        return
    gone = pages.gone + ([pages.in_file] if cut else [])
    lowest, times = walk.absent or (pages.count, 0)
    if gone or times:
        number = str(min([lowest, *gone] if times else gone))
        yield Missing("page", number, file, text=f"{times + len(gone)} references")


def _missing_durables(found: Recovered, walk: Walk) -> Iterator[Missing]:
    """Yield subscribers with a queue but no file, if other subscribers have files (SMQ-RCV-116)."""
    ours = (path for path, of in found.roles.items() if of == "durable")
    there = {path.removeprefix(DURABLES).removesuffix(SUFFIX) for path in ours} - {""}
    for queue in walk.queues if there else ():
        name = queue.name.decode("utf-8", "replace")
        ignored = name.startswith(SYSTEM) or name.encode() != queue.name
        if "$" in name and not ignored and name not in there:
            # Two queues with the same name share one file.
            there.add(name)
            yield Missing("durable", name, found.name(f"{DURABLES}{name}{SUFFIX}"))


def _hold(found: Recovered) -> None:
    """Note which listed messages branches hold, and which held messages are not listed (SMQ-XAB-106).

    By now, the key can belong to another message, so the page is also compared.
    """
    named: dict[bytes, set[bytes]] = {}
    for branch in found.branches:
        named.setdefault(branch.queue.encode(), set()).update(map(key_bytes, branch.entries))
    pages: dict[bytes, dict[bytes, int]] = {}
    for queue in found.queues if named else ():
        entries = map(queue.entries.entry, range(len(queue.entries)))
        keys = named.get(queue.name, set())
        if there := {key: one.page for one in entries if (key := key_bytes(one)) in keys}:
            pages[queue.name] = there
            held = sorted(int.from_bytes(key, signed=True) for key in there)
            found.held.append((queue.name, len(queue.entries), held))
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
    """Return a key for a hash table: crafted integer keys would collide, and make the table slow."""
    return entry.key.to_bytes(8, "big", signed=True)


def shown(name: bytes) -> str:
    """Return the name of a queue for notes, cut if it is long."""
    text = name.decode("utf-8", "replace")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


class _Asked:
    """One question about one store, with its files under their usual names in a store."""

    def __init__(self, files: Files, params: Params) -> None:
        #: Name in a store -> name here, which differs if the file is compressed.
        self.names = named(files)
        self.files = {plain: files[name] for plain, name in self.names.items()}
        self.page_size = int(params.get("page_size", DEFAULT_SIZE))
        self.backup = PAGES in self.names and "/" not in self.names[PAGES]

    def name(self, plain: str) -> str:
        """Return the name of a file here; a backup has all files in one directory."""
        return self.names.get(plain, plain.rpartition("/")[2] if self.backup else plain)

    def refused(self, found: Recovered, code: str, why: str) -> Observation:
        phase, name = get_format(FORMAT).vocabulary.codes[code].phase, self.name(PAGES)
        # A wrong page size makes every store look damaged (SMQ-FIL-059).
        size = fitting_size(self.files.get(PAGES, b""), self.page_size)
        hint = "" if size is None else f"; page_size={size} makes sense of it, not {self.page_size}"
        return refused(phase, code, f"{name}: {why}{hint}", At(name, 0, len(self.files.get(PAGES, b""))))

    def stretch(self, log: Log) -> Stretch:
        """Return the log as a stretch to scan."""
        name = self.name(LOG)
        return Stretch(name, log.scan, partial(told, log, name), late_columns(__package__), role(LOG))

    def maps(self, found: Recovered) -> Iterator[FileMap]:
        for plain in in_order(filter(found.roles.get, self.files)):
            data, of = self.files[plain], found.roles[plain]
            header: dict[str, Any] = {}
            if of == "pages":
                header = {"pages": len(data) // self.page_size}
            elif of == "log" and found.read:
                header = {"tagged": found.read[0].tagged}
            elif of == "swap":
                header = {"swapped": sum(1 for _ in codec.swapped(data))}
            of = "invalid" if plain in found.bad_files else of
            yield FileMap(self.name(plain), len(data), of, header)


def observe(files: Files, _: str, policy: str, params: Params) -> Observation:
    """Return the state after a start with a policy; without one, all readable entries."""
    asked, seen = _Asked(files, params), Found()
    found = recover(
        asked.files,
        asked.page_size,
        policy=policy,
        batches=lambda log: seen.walked(asked.stretch(log)),
        name=asked.name,
        backup=asked.backup,
    )
    if found.refused and (policy or not found.read):
        return asked.refused(found, *found.refused)
    found.tell(started=bool(policy))
    log = asked.name(LOG)
    dropped = [Dropped(log, start, end - start, why) for start, end, why in found.damage]
    for path in found.bad_files:
        dropped.append(Dropped(asked.name(path), 0, len(asked.files[path]), "bad-durable"))
    words, notes = get_format(FORMAT).vocabulary.notes, tuple(found.notes)
    lossy = dropped or found.missing or any(words[note.code].loss for note in notes)
    return Observation(
        RECOVERED if lossy else CLEAN,
        records=seen.records(),
        dropped=tuple(dropped),
        state=StoreState(found),
        files=tuple(asked.maps(found)),
        notes=notes,
        missing=tuple(found.missing),
    )


def plan(files: Files, _: str, params: Params) -> list[Stretch]:
    """Return the stretches: the log, and the unusable files of subscriptions."""
    asked = _Asked(files, params)
    found = Recovered(asked.files)
    found.find_durables()
    gone = [lost(asked.name(name), 0, len(asked.files[name]), "bad-durable") for name in found.bad_files]
    if LOG not in asked.files or asked.page_size < codec.SMALLEST_PAGE:
        return gone
    pages = len(asked.files.get(PAGES, b"")) // asked.page_size
    return [asked.stretch(Log(source_of(asked.files[LOG]), asked.page_size, pages)), *gone]


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
        places = zip(("before", "after"), images, strict=True)
        yield out | {name: data[place[0] : sum(place)] for name, place in places if place}


class StoreState(dict[str, object]):
    """The state after a start, in the form of an observation. `found` is its source, for the contents."""

    def __init__(self, found: Recovered) -> None:
        self.found = found
        # Messages are kept in memory only if their total number is small; the same applies to queues.
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


def _part(branch: codec.Branch) -> dict[str, object]:
    told = branch._asdict()
    kind, entries, _ = (told.pop(name) for name in ("kind", "entries", "time"))
    return {**told, "inserts": kind != 0, "keys": [entry.key for entry in entries]}
