"""The files of a store. This module contains their names and roles, and detects a store among other files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from journalspec.observation import Missing
from journalspec_reference.answers import Answer
from journalspec_reference.api import Detection, Files, Params
from journalspec_reference.batches import source_of, zeros
from journalspec_reference.swiftmq_store.durable import SUFFIX
from journalspec_reference.swiftmq_store.store import DURABLES, LOG, PAGES, SWAP, fitting_size

FORMAT = "swiftmq_store"
DEFAULT_SIZE = 2048
#: The file that contains the pages before a conversion.
OLD_PAGES = "db/page.db_old"
#: The file that marks a valid backup. A backup contains pages and durable subscribers in one directory, and
#: no log.
COMPLETED = ".completed"
_ROLES = {PAGES: "pages", LOG: "log"}


def role(path: str) -> str:
    """Return the role of a file in a store.

    Return an empty text if it has none, as in deeper folders (SMQ-FIL-101).
    """
    if path in _ROLES:
        return _ROLES[path]
    folder = path[: path.rfind("/") + 1]
    if folder == SWAP and path.endswith(".swap"):
        return "swap"
    return "durable" if folder == DURABLES and path.endswith(SUFFIX) else ""


def named(files: Iterable[str]) -> dict[str, str]:
    """Return a map from each file's name in a store to its name here.

    The names of compressed files and of files in a backup differ (SMQ-BAK-057).
    """
    given: dict[str, str] = {}
    for name in files:
        given[name.removesuffix(".gz")] = name
    if COMPLETED in given and "page.db" in given:
        moved = {name: f"{DURABLES}{name}" for name in given if name.endswith(SUFFIX)}
        moved["page.db"] = PAGES
        given = {moved[name]: own for name, own in given.items() if name in moved}
    return given


def roles(files: Mapping[str, object]) -> dict[str, str]:
    """Return the role of each file that has one, in order: pages, log, then the others by name."""
    found = {PAGES: "pages"} if PAGES in files else {}
    if LOG in files:
        found[LOG] = "log"
    for path in sorted(files.keys() - found.keys()) if len(files) > len(found) else ():
        if of := role(path):
            found[path] = of
    return found


def assumed(files: Files) -> dict[str, str]:
    """Return the page size as a parameter if the default size does not fit the file (SMQ-FIL-105)."""
    given = named(files)
    size = fitting_size(files[given[PAGES]], DEFAULT_SIZE) if PAGES in given else None
    return {} if size is None else {"page_size": str(size)}


def detect(files: Files, _: Params) -> list[Detection]:
    """Detect the store among `files` by its names, and by the beginning of its log."""
    given = named(files)
    plain = roles(given)
    if not plain:
        return []
    tagged = LOG in given and bytes(files[given[LOG]][:4]) == b"\0\0\0\1"
    names = [given[name] for name in plain]
    if COMPLETED in files and given.get(PAGES) != PAGES:
        names.append(COMPLETED)  # The file that marks a backup.
    beside = tuple(given[name] for name in (OLD_PAGES,) if name in given)
    return [Detection(FORMAT, "13", tuple(names), 2 if tagged else 1, neighbours=beside)]


_GONE = "other parts of the store are here, and this one is not"
_EMPTY = "it holds zeros only, or nothing: a router fills it with free pages when it makes it"
_ZEROS = "it holds zeros only: a log that has a length begins with START"
#: The directories of a store: if one of these exists, pages and log should also exist.
_PARTS = ("db", "log", "swap", "durables")


def lacking(answer: Answer) -> Iterator[Missing]:
    """Yield the file of pages and the log if they are missing or empty."""
    journal = answer.journal
    given = named(journal.files)
    known = {entry.code for entry in answer.observation.missing}
    if given.get(PAGES, "/").count("/") == 0 or not given.keys() & {PAGES, LOG}:
        return  # A backup has no log. Other files alone are only a part of a store.
    root = journal.root
    parts = {part for part in _PARTS if root is not None and (root / part).is_dir()}
    for code, path, other, text, least in (
        ("pages", PAGES, "log", _EMPTY, int(journal.params.get("page_size", DEFAULT_SIZE))),
        ("log", LOG, "db", _ZEROS, 1),
    ):
        if code in known:
            continue
        if path not in given:
            # If only the directory of the other file exists, a user may have copied only this part.
            if parts - {other}:
                yield Missing(code, path, text=_GONE)
            continue
        source = source_of(journal.files[given[path]])
        # A checkpoint truncates an untagged log to 0 bytes.
        if (source.size or code == "pages") and (source.size < least or zeros(source)):
            yield Missing("emptied-file", given[path], text=text)
