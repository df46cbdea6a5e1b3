"""The reasons why the product does not delete the files of a journal: `journalspec why`.

A format whose product deletes or reuses files has a module ``keeping`` with a function ``holders``; the
sentences on each kind of holder are in its ``format.toml``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from journalspec.formats import UnknownFormat, format_module
from journalspec_reference.api import Files, Params


@dataclass(frozen=True, slots=True)
class Holder:
    """Represents one reason why a file is kept.

    `kind` is a key of the format's ``[why]`` table, `name` is inserted into its sentences (a destination, a
    type). `count` is the number of records. `size` is their length in bytes (0 if unknown). `first` is the
    offset of the first record (-1 if unknown). If this file is kept only because another file is kept,
    `below` is the other file.
    """

    file: str
    kind: str
    name: str = ""
    count: int = 0
    size: int = 0
    first: int = -1
    below: str = ""


@dataclass(frozen=True, slots=True)
class Keeping:
    """Represents the data files of a journal, in order, with their lengths (bytes) and the holders of each.

    A file without holders is free, unless `doubt` gives a reason why some holders may be unknown. `basis` is
    the source of the holders, for a format with several possible sources.
    """

    lengths: Mapping[str, int]
    holders: tuple[Holder, ...]
    doubt: str = ""
    basis: str = ""
    #: Two maps to holders: from the file that they protect from deletion, and from the other file (`below`)
    #: because of which it is protected. A journal can have many files, so searching all holders would be
    #: slow.
    _of: dict[str, list[Holder]] = field(init=False, repr=False, compare=False, default_factory=dict)
    _by: dict[str, list[Holder]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        for holder in self.holders:
            self._of.setdefault(holder.file, []).append(holder)
            self._by.setdefault(holder.below, []).append(holder)

    def of(self, file: str) -> list[Holder]:
        """Return the holders of a file."""
        return self._of.get(file, [])

    def by(self, file: str) -> list[Holder]:
        """Return the holders of other files that are kept because of this file, in order."""
        return self._by.get(file, [])


def keeping(format_id: str, files: Files, edition: str, params: Params) -> Keeping | None:
    """Return the reasons to keep the files of a journal.

    Return None for a format whose files are never deleted.
    """
    try:
        module = format_module("journalspec_reference", format_id, "keeping")
    except UnknownFormat:
        return None
    found: Keeping = module.kept(files, edition, params)
    return found


def held_for_others(
    order: Iterable[str], held: Iterable[str], needs: Mapping[str, Iterable[str]]
) -> set[str]:
    """Return the files that are kept only because an earlier file is kept.

    `order` are all files. `held` are the files that are kept for other reasons. `needs` maps a file to the
    earlier files whose items it deletes or acknowledges. If such a file were removed, these items would
    reappear.
    """
    staying = set(held)
    later = set()
    for file in order:
        if file not in staying and any(other in staying for other in needs.get(file, ())):
            staying.add(file)
            later.add(file)
    return later
