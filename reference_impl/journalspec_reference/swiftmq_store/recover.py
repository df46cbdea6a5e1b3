"""What a start of the store comes to: the log on its pages, a check if the log asks for it, queues.

The check is the product's: it drops a queue whole if one message of it cannot be read. It is said which
queues went, and `salvage` leaves of them what can be read. Nothing on disk changes, no store is emptied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from journalspec.observation import Missing
from journalspec_reference.batches import Batch, source_of, zeros
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.durable import SUFFIX, Durable, durable
from journalspec_reference.swiftmq_store.replay import ReplayedPages
from journalspec_reference.swiftmq_store.scan import START, Log
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

DEFAULT_SIZE = 2048
#: What a conversion of the pages leaves of them as they were.
OLD_PAGES = "db/page.db_old"
#: Queues of the router's own begin so: they belong to no durable subscriber.
SYSTEM = ("sys$", "tmp$", "rt$", "tpc$")
#: What makes a backup one that counts: it has the pages and the durable subscribers side by side, and no log.
COMPLETED = ".completed"
#: So many keys are spelt out in a note.
_KEYS = 12
#: So much of a queue's name is shown: it may be as long as a page, and is with each of its messages.
_SHOWN = 60


def role(path: str) -> str:
    """Return what a file of a store is for; empty: it belongs to none, as in a folder below (SMQ-FIL-101)."""
    if path in (PAGES, LOG):
        return "pages" if path == PAGES else "log"
    folder = path[: path.rfind("/") + 1]
    if folder == SWAP and path.endswith(".swap"):
        return "swap"
    return "durable" if folder == DURABLES and path.endswith(SUFFIX) else ""


def named(files: Iterable[str]) -> dict[str, str]:
    """Return the names that a store gives its files, and the names of these files here.

    A compressed file has another one, and so do the files of a backup (SMQ-BAK-057).
    """
    given = {name.removesuffix(".gz"): name for name in files}
    if COMPLETED in given and "page.db" in given:
        moved = {name: f"{DURABLES}{name}" for name in given if name.endswith(SUFFIX)}
        moved["page.db"] = PAGES
        given = {moved[name]: own for name, own in given.items() if name in moved}
    return given


class Recovered:
    """What a start leaves. `name` returns what the files are called for which a store has its own names."""

    def __init__(
        self, files: Mapping[str, Any], page_size: int = DEFAULT_SIZE, name: Callable[[str], str] = str
    ) -> None:
        self.files, self.page_size, self.name = files, page_size, name
        #: What each file is for.
        self.roles = {path: role(path) for path in files}
        #: Why there is no start, as a code and a text.
        self.refused: tuple[str, str] | None = None
        #: Whether the log makes a check necessary.
        self.checked = False
        self.queues: list[Queue] = []
        self.branches: list[codec.Branch] = []
        #: Of queues the name, how many messages they have, and the keys of those that branches hold.
        self.held: list[tuple[bytes, int, list[int]]] = []
        self.dropped: dict[bytes, str] = {}
        #: Queue, key and what is wrong of the messages that salvage omits from a queue.
        self.lost: list[tuple[bytes, int, str]] = []
        self.durables: list[Durable] = []
        #: Files that cannot be read, with the reason, and swap files, which a start deletes.
        self.bad_files: dict[str, str] = {}
        self.swaps: list[str] = []
        self.notes = StoreNotes(page_size, name)
        #: Of the log the regions without records.
        self.damage: list[tuple[int, int, str]] = []
        #: What is referred to and is not there.
        self.missing: list[Missing] = []
        #: The log as it was read, the pages that it leads to, the walk on them; None if no page has the size.
        self.read: tuple[Log, ReplayedPages, Walk] | None = None

    def find_durables(self) -> None:
        """Take in the durable subscriptions, and the swap files, which a start deletes."""
        for path in sorted(path for path, of in self.roles.items() if of in ("swap", "durable")):
            if self.roles[path] == "swap":
                self.swaps.append(path)
            else:
                try:
                    self.durables.append(durable(path.removeprefix(DURABLES), bytes(self.files[path])))
                except codec.BadStore as bad:
                    self.bad_files[path] = str(bad)

    def check(self, *, salvage: bool) -> None:
        """Drop the queues that the check drops; it does not look into branches."""
        queues, self.queues = self.queues, []
        for queue in queues:
            fault = queue.fault
            if fault:
                self.dropped[queue.name] = fault
            if salvage and fault:
                whys = list(queue.entries.whys.items())[: max(0, MOST_TOLD - len(self.lost))]
                self.lost += ((queue.name, queue.entries.entry(at).key, why) for at, why in whys)
                queue.why, queue.entries = None, queue.entries.whole()
            elif fault and queue.name == codec.PREPARED:
                self.branches = []
            if salvage or not fault:
                self.queues.append(queue)

    def fitting_size(self) -> int | None:
        """Return another page size that makes sense of the pages, if the one given does not."""
        return fitting_size(self.files.get(PAGES, b""), self.page_size)

    def tell(self, *, started: bool) -> None:
        """Take in the notes on what is left and what is not; `started`: and on what a start deletes."""
        add = self.notes.add
        self._unread()
        if self.page_size != DEFAULT_SIZE:
            add("page-size", PAGES, f"{self.page_size} bytes")
        elif (len(self.notes) or self.damage) and (size := self.fitting_size()):
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
        """Yield what an operator must know of queues that look like ordinary ones, as code and text."""
        for queue in self.queues:
            if queue.name == codec.PREPARED and (number := len(queue.entries)):
                text = f"its {number} entries are prepared branches, no messages"
                yield "own-queue", f"{shown(queue.name)}: {text}"
        for name, number, keys in self.held:
            more = ", ..." if len(keys) > _KEYS else ""
            some = ", ".join(map(str, keys[:_KEYS])) + more
            yield "held", f"{shown(name)}: {len(keys)} of {number} messages, of the keys {some}"
        if self.read and (shared := self.read[2].shared):
            entries = sum(len(queue.entries) for queue in self.queues if queue.name != codec.PREPARED)
            text = f"{entries} entries of queues name {entries - sum(shared.values())} messages"
            yield "shared-message", f"{text}, {len(shared)} of which are named several times"


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
    """Conclude what a start of the store would leave; `check`: as if the log asked for it.

    Without a `policy`, what is damaged stays as it was found, whatever the check says. `batches` yields those
    of the log. A `backup` has no log.
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
    walk = _walk(found, log, pages, backup=backup)
    found.read = log, pages, walk
    found.queues, found.branches = walk.queues, walk.branches
    if walk.why:
        found.refused = "bad-root", walk.why
        return found
    _hold(found)
    if found.checked and policy:
        found.check(salvage=policy == "salvage")
    for queue in found.queues:
        if queue.name == codec.PREPARED and queue.faults and not queue.why:
            found.refused = "bad-branch", queue.faults[0]
        elif queue.why and policy != "salvage" and not found.refused:
            found.refused = "bad-queue", f"{queue.name.decode('utf-8', 'replace')}: {queue.why}"
    if policy == "strict" and found.dropped and not found.refused:
        dropped, why = next(iter(found.dropped.items()))
        found.refused = "bad-queue", f"{shown(dropped)}: {why}"
    return found


def _walk(found: Recovered, log: Log, pages: ReplayedPages, *, backup: bool) -> Walk:
    """Walk the store; note what the pages show of a root index, a log and moments, and what is missing."""
    add, log_data = found.notes.add, found.files.get(LOG, b"")
    # The first page after page 0 that is in use, looked for only without a log, or without a root index.
    used = None if log.end else next(pages.used(), None)
    # A backup has no log (SMQ-BAK-057).
    if not log_data and not backup and used is not None:
        add("no-log", LOG)
    if log.reason in ("other-generation", "bad-record") and (number := log.alarming):
        add("huge-count", LOG, f"{number} bytes or things", log.end)
    walk = Walk(pages, found.notes)
    if len(found.files.get(PAGES, b"")) < found.page_size:
        add("no-pages", PAGES)
    unreached = []
    if walk.unwritten:
        used = next(pages.used(), None) if log.end else used
    elif not found.checked:
        # No check will free them: a crash that took the log has left them, or the files are of two moments.
        unreached = [page for page in pages.used() if not walk.use(page)]
    for page in unreached:
        found.notes.page("unreached", page, f"page {page} is in use, and nothing refers to it")
    if walk.unwritten and used is not None:
        found.notes.page("no-root", 0, f"page 0 was never written, and page {used} is in use")
    for page in pages.unlike:
        found.notes.page("other-moment", page, f"page {page} has a state that the log did not lead through")
    found.missing += _missing_pages(found, log, pages, walk)
    # A tagged log is never without its START once a page is in use; an untagged one is cut to nothing.
    lacking = used is not None and zeros(log.source, 0)
    if not len(log_data):
        lacking = bool(walk.why or unreached or any(queue.faults for queue in walk.queues))
    if lacking and not log.end and not backup:
        found.missing.append(Missing("log", LOG))
    found.missing += _missing_durables(found, walk)
    return walk


def _missing_pages(found: Recovered, log: Log, pages: ReplayedPages, walk: Walk) -> Iterator[Missing]:
    """Yield what is missing of the pages: the file, or those that something refers to (SMQ-RCV-113, 114)."""
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
    """Yield the durable subscribers that have a queue and no file, while others have one (SMQ-RCV-116)."""
    ours = (path for path, of in found.roles.items() if of == "durable")
    there = {path.removeprefix(DURABLES).removesuffix(SUFFIX) for path in ours} - {""}
    for queue in walk.queues if there else ():
        name = queue.name.decode("utf-8", "replace")
        if "$" in name and not name.startswith(SYSTEM) and name not in there:
            yield Missing("durable", name, found.name(f"{DURABLES}{name}{SUFFIX}"))


def _hold(found: Recovered) -> None:
    """Note what branches name and queues do not have: a key may be another message's by now."""
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
    """Return the queue of a swap file: a number follows it, written as the locale of the router has it."""
    return path.removeprefix(SWAP).removesuffix(".swap").rpartition("-")[0]


def key_bytes(entry: codec.QueueEntry) -> bytes:
    """Return a key for a table: of numbers anybody can find many that make one slow."""
    return entry.key.to_bytes(8, "big", signed=True)


def shown(name: bytes) -> str:
    """Return the name of a queue as notes have it."""
    text = name.decode("utf-8", "replace")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
