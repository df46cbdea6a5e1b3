"""What a start of the store comes to: the log on its pages, a check if the log asks for it, queues.

The check is the product's: it drops a queue whole if one message of it cannot be read. It is said which
queues went, and `salvage` leaves of them what can be read. Nothing on disk changes, no store is emptied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from journalspec.observation import Missing
from journalspec_reference.batches import Batch, source_of
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.durable import SUFFIX, Durable, durable
from journalspec_reference.swiftmq_store.replay import ReplayedPages
from journalspec_reference.swiftmq_store.scan import START, Log, zeros
from journalspec_reference.swiftmq_store.store import MOST_TOLD, Queue, Remarks, Walk

#: Where a store has its files, below its directory.
PAGES, LOG, SWAP, DURABLES = "db/page.db", "log/transaction.log", "swap/", "durables/"
#: What a conversion of the pages leaves of them as they were.
OLD_PAGES = "db/page.db_old"


#: Queues of the router's own begin so: they belong to no durable subscriber.
SYSTEM = ("sys$", "tmp$", "rt$", "tpc$")

#: What makes a backup one that counts: it has the pages and the durable subscribers side by side, and no log.
COMPLETED = ".completed"


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


@dataclass
class Recovered:
    """What a start leaves. `refused`: why there is no start, as a code and a text."""

    refused: tuple[str, str] | None = None
    #: Whether the log makes a check necessary.
    checked: bool = False
    queues: list[Queue] = field(default_factory=list)
    branches: list[codec.Branch] = field(default_factory=list)
    #: Of queues the name, how many messages they have, and the keys of those that branches hold.
    held: list[tuple[bytes, int, list[int]]] = field(default_factory=list)
    dropped: dict[bytes, str] = field(default_factory=dict)
    #: Queue, key and what is wrong of the messages that salvage leaves out of a queue that would be dropped.
    lost: list[tuple[bytes, int, str]] = field(default_factory=list)
    durables: list[Durable] = field(default_factory=list)
    #: Files that cannot be read, with the reason, and swap files, which a start deletes.
    bad_files: dict[str, str] = field(default_factory=dict)
    swaps: list[str] = field(default_factory=list)
    notes: Remarks = field(default_factory=Remarks)
    #: What is referred to and is not there.
    missing: list[Missing] = field(default_factory=list)
    #: The first page behind page 0 that is in use, if it was looked for: without a root index, or a log.
    first_used: int | None = None
    #: Whether pages are in use that nothing refers to, if no check is due.
    unreached: bool = False
    #: The log as it was read, the pages that it leads to, and the walk on them; None if no page has the size.
    read: tuple[Log, ReplayedPages, Walk] | None = None


def recover(
    files: Mapping[str, Any],
    page_size: int = 2048,
    *,
    check: bool = False,
    salvage: bool = False,
    drop: bool = True,
    backup: bool = False,
    batches: Callable[[Log], Iterable[Batch]] = Log.scan,
) -> Recovered:
    """Conclude what a start of the store would leave; `check`: as if the log asked for it.

    Without `drop`, what is damaged stays as it was found, whatever the check says. `batches` yields those of
    the log. A `backup` has no log.
    """
    found = Recovered()
    if page_size < codec.SMALLEST_PAGE:
        return Recovered(("bad-page-size", f"{page_size} bytes have no room for an index"))
    data, log_data = files.get(PAGES, b""), files.get(LOG, b"")
    source = source_of(log_data)
    pages = ReplayedPages(source_of(data), page_size, source)
    log = Log(source, page_size, pages.count)
    found.checked = check
    for batch in batches(log):
        pages.take(batch)
        found.checked |= batch.code.count(START) < len(batch)
    found.checked |= len(log_data) > 0 and not log.end
    durables(files, found)
    walk = Walk(pages)
    found.read = log, pages, walk
    found.notes = walk.notes
    if len(data) < page_size:
        found.notes.add("no-pages", "there is no page")
    _remarks(found)
    _missing(files, found, backup=backup)
    found.queues, found.branches = walk.queues, walk.branches
    if walk.why:
        found.refused = "bad-root", walk.why
        return found
    _branches(found)
    if found.checked and drop:
        _check(found, salvage=salvage)
    for queue in found.queues:
        if queue.name == codec.PREPARED and queue.faults and not queue.why:
            found.refused = "bad-branch", queue.faults[0]
        elif queue.why and not salvage and not found.refused:
            found.refused = "bad-queue", f"{queue.name.decode('utf-8', 'replace')}: {queue.why}"
    return found


def _remarks(found: Recovered) -> None:
    """Note what the pages show of a root index, of a log and of moments."""
    assert found.read
    log, pages, walk = found.read
    if walk.unwritten or not log.end:
        found.first_used = next(pages.used(), None)
    if not found.checked and not walk.unwritten:
        # No check will free them: a crash that took the log has left them, or the files are of two moments.
        for page in pages.used():
            if not walk.use(page):
                found.unreached = True
                found.notes.add("unreached", f"page {page} is in use, and nothing refers to it", page)
    if walk.unwritten and found.first_used is not None:
        text = f"page 0 was never written, and page {found.first_used} is in use"
        found.notes.add("no-root", text, 0)
    for page in pages.unlike:
        text = f"page {page} has a state that the log did not lead through"
        found.notes.add("other-moment", text, page)


def _missing(files: Mapping[str, Any], found: Recovered, *, backup: bool) -> None:
    """Say what the files refer to and is not there (SMQ-RCV-113 to 116)."""
    assert found.read
    log, pages, walk = found.read
    data, size = files.get(PAGES, b""), pages.page_size
    rest = bytes(data[pages.in_file * size :])
    cut = any(rest[1:]) and not pages.made(pages.in_file)
    begun = log.tagged and log.generation != codec.NONE and not pages.made(0)
    if not pages.in_file and (cut or begun or OLD_PAGES in files):
        found.missing.append(Missing("pages", PAGES))
    else:
        gone = pages.gone + ([pages.in_file] if cut else [])
        lowest, times = walk.absent or (pages.count, 0)
        if gone or times:
            number = str(min([lowest, *gone] if times else gone))
            found.missing.append(Missing("page", number, PAGES, text=f"{times + len(gone)} references"))
    if not log.end and not backup and _needs_log(files, found):
        found.missing.append(Missing("log", LOG))
    there = {name for path in files if role(path) == "durable" and (name := _subscriber(path))}
    for queue in walk.queues if there else ():
        name = queue.name.decode("utf-8", "replace")
        if "$" in name and not name.startswith(SYSTEM) and name not in there:
            found.missing.append(Missing("durable", name, f"{DURABLES}{name}{SUFFIX}"))


def _needs_log(files: Mapping[str, Any], found: Recovered) -> bool:
    """Tell whether pages show that the log, which is not there or all zeros, had something for them."""
    assert found.read
    log_data, walk = files.get(LOG, b""), found.read[2]
    if len(log_data):
        # A tagged log is never without its START once a page is in use; an untagged one is cut to nothing.
        return found.first_used is not None and zeros(source_of(log_data), 0)
    return bool(walk.why or found.unreached or any(queue.faults for queue in walk.queues))


def _subscriber(path: str) -> str:
    return path.removeprefix(DURABLES).removesuffix(SUFFIX)


def _branches(found: Recovered) -> None:
    """Note what branches name and queues do not have: a key may be another message's by now."""
    named: dict[bytes, set[bytes]] = {}
    for branch in found.branches:
        named.setdefault(branch.queue.encode(), set()).update(map(_key, branch.entries))
    pages = {
        queue.name: {
            key: entry.page
            for entry in map(queue.entries.entry, range(len(queue.entries)))
            if (key := _key(entry)) in keys
        }
        for queue in found.queues
        if (keys := named.get(queue.name))
    }
    for queue in found.queues:
        if there := pages.get(queue.name):
            held = sorted(int.from_bytes(key, signed=True) for key in there)
            found.held.append((queue.name, len(queue.entries), held))
    for branch in found.branches:
        of_queue = pages.get(branch.queue.encode(), {})
        for entry in branch.entries:
            if of_queue.get(_key(entry)) != entry.page:
                text = f"a branch has key {entry.key} at page {entry.page}, {branch.queue} has not"
                found.notes.add("branch-key", text)


def _key(entry: codec.QueueEntry) -> bytes:
    # As bytes: of numbers anybody can find many that make a table slow.
    return entry.key.to_bytes(8, "big", signed=True)


def _check(found: Recovered, *, salvage: bool) -> None:
    """Drop the queues that the check drops; it does not look into branches."""
    queues, found.queues = found.queues, []
    for queue in queues:
        fault = queue.fault
        if fault:
            found.dropped[queue.name] = fault
        if salvage and fault:
            whys = list(queue.entries.whys.items())[: max(0, MOST_TOLD - len(found.lost))]
            found.lost += ((queue.name, queue.entries.entry(at).key, why) for at, why in whys)
            queue.why, queue.entries = None, queue.entries.whole()
        elif fault and queue.name == codec.PREPARED:
            found.branches = []
        if salvage or not fault:
            found.queues.append(queue)


def durables(files: Mapping[str, Any], found: Recovered) -> None:
    """Take in the durable subscriptions, and the swap files, which a start deletes."""
    for path in sorted(files):
        if role(path) == "swap":
            found.swaps.append(path)
        elif role(path) == "durable":
            try:
                found.durables.append(durable(path.removeprefix(DURABLES), bytes(files[path])))
            except codec.BadStore as bad:
                found.bad_files[path] = str(bad)
