"""A new store with what recovery keeps of an old one, and an account of what is not in it.

A format gives a :class:`NewStore` in its ``newstore``: what files the product is to start on, streamed. This
module writes them to a directory that is there complete or not at all. The old store is only read.

The law: carried over is what contents report as live under the same policy; for a journal without contents,
the recovered state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Protocol

from journalspec.formats import UnknownFormat
from journalspec_reference.answers import Answer
from journalspec_reference.api import load
from journalspec_reference.contents import Count
from journalspec_reference.filesets import FilesetError

#: Kinds of an :class:`Item` that are no rows of a table.
BYTES, FILE = "bytes", "file"


class ChoiceRefused(FilesetError):
    """A choice names nothing, is not possible in this format, or settles what is not in doubt."""


class CannotRebuild(FilesetError):
    """There is no new store of this journal: nothing can be kept, it is encrypted, the format has none."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user asks for beside the policy. Each names something by the id that contents print."""

    #: Transactions, message ids, queues: left out.
    drop: tuple[str, ...] = ()
    #: What would be left out otherwise (unverified, or dropped by the product at a start): carried over.
    keep: tuple[str, ...] = ()
    #: XIDs of branches in doubt.
    commit: tuple[str, ...] = ()
    rollback: tuple[str, ...] = ()
    #: Only these queues (Derby: tables).
    queues: tuple[str, ...] = ()
    #: Records that are complete in a damaged unit, by their own structure: carried over as unverified.
    salvage_records: bool = False
    #: Acknowledgements that only an index has.
    index_acks: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was not carried over, or that was and is not verified.

    `what` is :data:`BYTES`, :data:`FILE` or the noun of a table (``message``, ``row``, ``transaction``);
    `id` and `queue` (Derby: the table) are empty where there is none. `off` and `length` are in bytes.
    `code` is that of a dropped region, a note, a remark, or one of the new store's; `text` is the reason.
    """

    what: str
    id: str
    queue: str
    file: str
    off: int | None
    length: int | None
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class NewFile:
    """One file of a new store.

    `name` is relative to the store's directory, with ``/``; `parts` are made when they are written, each of
    at most 1 MiB.
    """

    name: str
    parts: Iterable[bytes]


class NewStore(Protocol):
    """What a format makes of an answer of recovery; deterministic, and nothing is written by it."""

    @property
    def product(self) -> str:
        """The product and the versions that it is meant for: a fact of the format or edition."""

    @property
    def base(self) -> str:
        """Which directory the names of files are relative to, seen from that of the journal's files.

        ``.`` is the journal's own, ``..`` the one above it: that of a broker whose bindings are written
        as well, or that of a database whose log was given.
        """

    @property
    def covers(self) -> frozenset[PurePath]:
        """Other directories that it accounts for, relative to the journal's: ``../bindings``.

        A journal in one of them is not written once more.
        """

    def carried(self) -> Iterable[Count]:
        """Return what is in it, counted by queue or table."""

    def left_out(self) -> Iterator[Item]:
        """Yield what is not in it, but for what the answer itself reports as dropped, missing or lost."""

    def unverified(self) -> Iterator[Item]:
        """Yield what is in it although no checksum or commit covers it."""

    def chosen(self) -> Iterator[str]:
        """Yield a line in words for each choice, and what it did."""

    def steps(self) -> Sequence[str]:
        """Return how to put it in place, a sentence each."""

    def files(self) -> Iterator[NewFile]:
        """Yield its files; each call gives the same bytes. An empty directory is a name that ends in /."""


def new_store(answer: Answer, choices: Choices) -> NewStore:
    """Return the new store of a recovered journal: `answer` is one of recovery, its state is what was kept.

    Raises ChoiceRefused, and CannotRebuild with the reason: recovery refused, too.
    """
    name, seen = answer.journal.format, answer.observation
    if seen.state is None:
        raise CannotRebuild(
            f"recovery keeps nothing: {seen.phase}/{seen.code}: {seen.message}", "try --policy salvage"
        )
    try:
        room: Any = load(name)
    except UnknownFormat:
        room = None
    maker = getattr(room, "new_store", None)
    found: NewStore | None = None if maker is None else maker(answer, choices)
    if found is None:
        raise CannotRebuild(f"no new store can be made of {name}", "export what it holds: journalspec export")
    return found
