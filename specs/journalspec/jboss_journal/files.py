"""Which files of a directory make up a journal, pending compactions considered (JBM-FIL, JBM-CMP)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from journalspec.jboss_journal.constants import CONTROL, LAYOUTS, LEFTOVERS
from journalspec.observation import Note
from journalspec.schemas import SchemaError

_NAME = re.compile(r".*-(?P<number>-?[0-9]+)\.(?P<extension>[A-Za-z]+)")


class ControlLists(Protocol):
    """Old names, new names and renames of a control file."""

    @property
    def old(self) -> list[str]:
        """Files that are to be removed."""

    @property
    def new(self) -> list[str]:
        """Files that lose their ``.cmp``."""

    @property
    def renames(self) -> list[tuple[str, str]]:
        """Further (from, to) names."""


@dataclass(slots=True)
class Found:
    """Names of the data files, other files with their roles, and what is to be said about it."""

    data: list[str] = field(default_factory=list)
    others: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def arrange(
    files: Mapping[str, bytes],
    edition: str,
    params: Mapping[str, str],
    control: Callable[[str], ControlLists | None],
) -> Found:
    """Return what each file is, in the order of the names; raises SchemaError if none is a journal's."""
    extension = params.get("extension") or _commonest_extension(files)
    found = Found()
    renamed: dict[str, str] = {}
    removed: set[str] = set()
    has_control = LAYOUTS[edition].control and CONTROL in files
    if has_control:
        lists = control(CONTROL)
        found.notes.append(Note("control-discarded" if lists is None else "control-applied", CONTROL))
        if lists is not None:
            renamed, removed = _plan(files, lists)
    for name in sorted(files, key=natural):
        final = renamed.get(name, name)
        if has_control and name == CONTROL:
            found.others[name] = "control"
        elif name in removed:
            found.others[name] = "superseded"
        elif extension and final.endswith(f".{extension}"):
            found.data.append(name)
        elif final.endswith(LEFTOVERS):
            found.notes.append(Note("leftover", name))
            found.others[name] = "leftover"
    if files and not found.data and not found.others:
        raise SchemaError("none of these files belongs to a journal")
    return found


def _plan(files: Mapping[str, bytes], lists: ControlLists) -> tuple[dict[str, str], set[str]]:
    renamed = {name: name.removesuffix(".cmp") for name in lists.new if name in files}
    renamed |= {source: target for source, target in lists.renames if source in files}
    gone = {name for name in [*lists.old, *renamed.values()] if name in files}
    return renamed, gone - set(renamed)


def _commonest_extension(names: Iterable[str]) -> str:
    found = Counter(match["extension"] for name in names if (match := _NAME.fullmatch(_base(name))))
    return min(found, key=lambda extension: (-found[extension], extension), default="")


def _base(name: str) -> str:
    for suffix in LEFTOVERS:
        name = name.removesuffix(suffix)
    return name


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return the key by which names sort: runs of digits as numbers (JBM-FIL-005)."""
    parts = re.split(r"([0-9]+)", name)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts if part]
