"""What a start of the store comes to: the log on its pages, a check if the log asks for it, queues.

The check is the product's: it drops a queue whole if one message of it cannot be read. It is said which
queues went, and `salvage` leaves of them what can be read. Nothing on disk changes, no store is emptied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.durable import SUFFIX, Durable, durable
from journalspec_reference.swiftmq_store.log import START, Log, LoggedRecord, ReplayedPages
from journalspec_reference.swiftmq_store.store import BRANCH, Queue, Walk

#: Where a store has its files, below its directory.
PAGES, LOG, SWAP, DURABLES = "db/page.db", "log/transaction.log", "swap/", "durables/"


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
        moved = {name: f"{DURABLES}{name}" for name in given if name.endswith(SUFFIX) and "/" not in name}
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
    dropped: dict[bytes, str] = field(default_factory=dict)
    #: Queue, key and what is wrong of the messages that salvage leaves out of a queue that would be dropped.
    lost: list[tuple[bytes, int, str]] = field(default_factory=list)
    durables: list[Durable] = field(default_factory=list)
    #: Files that cannot be read, with the reason, and swap files, which a start deletes.
    bad_files: dict[str, str] = field(default_factory=dict)
    swaps: list[str] = field(default_factory=list)
    notes: list[codec.Told] = field(default_factory=list)
    #: The first page behind page 0 that is in use, if it was looked for: without a root index, or a log.
    first_used: int | None = None
    #: The log as it was read, the pages that it leads to, and the walk on them; None if no page has the size.
    read: tuple[Log, ReplayedPages, Walk] | None = None


def recover(
    files: Mapping[str, Any],
    page_size: int = 2048,
    *,
    check: bool = False,
    salvage: bool = False,
    drop: bool = True,
    each: Callable[[Log, LoggedRecord], object] = lambda log, record: None,
) -> Recovered:
    """Conclude what a start of the store would leave; `check`: as if the log asked for it.

    Without `drop`, what is damaged stays as it was found, whatever the check says. `each` is given every
    record of the log, START too.
    """
    found = Recovered()
    if page_size < codec.SMALLEST_PAGE:
        return Recovered(("bad-page-size", f"{page_size} bytes have no room for an index"))
    data, log_data = files.get(PAGES, b""), files.get(LOG, b"")
    if len(data) < page_size:
        found.notes.append(codec.Told("no-pages", "there is no page"))
    pages = ReplayedPages(data, page_size, log_data)
    log = Log(log_data, page_size, pages.count)
    found.checked = check
    for record in log.records(starts=True):
        each(log, record)
        pages.apply(record)
        found.checked |= record.kind != START
    found.checked |= len(log_data) > 0 and not log.end
    _durables(files, found)
    walk = Walk(pages)
    found.read = log, pages, walk
    found.notes += walk.notes
    if walk.unwritten or not log_data:
        found.first_used = pages.first_used()
    if walk.unwritten and found.first_used is not None:
        text = f"page 0 was never written, and page {found.first_used} is in use"
        found.notes.append(codec.Told("no-root", text, 0))
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
    for branch in found.branches:
        of_queue = pages.get(branch.queue.encode(), {})
        for entry in branch.entries:
            if of_queue.get(_key(entry)) != entry.page:
                text = f"a branch has key {entry.key} at page {entry.page}, {branch.queue} has not"
                found.notes.append(codec.Told("branch-key", text))


def _key(entry: codec.QueueEntry) -> bytes:
    # As bytes: of numbers anybody can find many that make a table slow.
    return entry.key.to_bytes(8, "big", signed=True)


def _check(found: Recovered, *, salvage: bool) -> None:
    """Drop the queues that the check drops; it does not look into branches."""
    queues, found.queues = found.queues, []
    for queue in queues:
        faults = [why for why in queue.faults if not why.startswith(BRANCH)]
        if faults:
            found.dropped[queue.name] = faults[0]
        if salvage and faults:
            whys = queue.entries.whys.items()
            found.lost += ((queue.name, queue.entries.entry(at).key, why) for at, why in whys)
            queue.why, queue.entries = None, queue.entries.whole()
        elif faults and queue.name == codec.PREPARED:
            found.branches = []
        if salvage or not faults:
            found.queues.append(queue)


def _durables(files: Mapping[str, Any], found: Recovered) -> None:
    for path in sorted(files):
        if role(path) == "swap":
            found.swaps.append(path)
        elif role(path) == "durable":
            try:
                found.durables.append(durable(path.removeprefix(DURABLES), bytes(files[path])))
            except codec.BadStore as bad:
                found.bad_files[path] = str(bad)
