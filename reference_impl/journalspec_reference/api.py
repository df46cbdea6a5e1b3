"""The shape that every format's room has. Shared rooms know formats only through this.

A room ``journalspec_reference.<format>`` exposes one object, ``IMPLEMENTATION``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, Protocol

from journalspec.formats import format_module
from journalspec.layout import Spot
from journalspec.observation import Observation
from journalspec_reference.storage import Storage

#: The files of one directory: name -> content (bytes, memoryview, or :class:`.content.Content`).
Files = Mapping[str, Any]  # collections.abc.Buffer needs Python 3.12

Params = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Detection:
    """One journal found among the files of a directory.

    `files` are the names that belong together, in the format's own order (a
    name may be listed that is missing). `score` orders rival claims: 3 magic of
    every file, 2 magic of some, 1 names only.

    `editions` are those that the files admit, if they admit more than the files
    can tell apart; `edition` is then what to call them where all read alike.
    Empty: the files say which edition it is. `params` are what the names tell.
    """

    format: str
    edition: str
    files: tuple[str, ...]
    score: int
    editions: tuple[str, ...] = ()
    params: Params = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Span:
    """One named byte range for maps and annotated hexdumps.

    `path` is dotted (``record[3].gtrid``); `kind` is one of header, record,
    field, dropped, stale, fill, unused. Containers precede what they contain.
    """

    file: str
    off: int
    length: int
    path: str
    kind: str
    value: str = ""


def field_spans(spots: Iterable[Spot], file: str, off: int, path: str) -> Iterator[Span]:
    """Yield the fields of a structure that stands at `off` of `file` and is called `path`."""
    return (Span(file, off + s.off, s.length, f"{path}.{s.name}", "field", s.value) for s in spots)


class WriterRefused(Exception):
    """The writer will not do that, and has changed nothing (code is the spec's)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Writer(Protocol):
    """A journal open for writing: operations are the protocol's JSON objects."""

    def apply(self, op: Mapping[str, Any]) -> dict[str, Any]:
        """Do one operation; return ``{"durable": bool, ...}``.

        Raises WriterRefused if the format cannot hold what is asked, and
        ValueError if the operation itself is not understood.
        """


class Implementation(Protocol):
    """What the reference can do for one format."""

    @property
    def format_id(self) -> str:
        """The format's id."""

    @property
    def write_ops(self) -> tuple[str, ...]:
        """The operation names that this format's writer understands."""

    def detect(self, files: Files, params: Params | None = None) -> list[Detection]:
        """Return the journals of this format among `files`, best first; never raises.

        A file that cannot be read is there with its name and without content.
        """

    def read(self, files: Files, *, edition: str, params: Params | None = None) -> Observation:
        """Report every record of every file, and every region that holds none.

        Reading is the forensic view: it refuses only if no file can be read.
        """

    def recover(
        self, files: Files, *, edition: str, policy: str = "strict", params: Params | None = None
    ) -> Observation:
        """Return the logical state after recovery under `policy`. Changes nothing."""

    def spans(
        self, files: Files, *, edition: str, params: Params | None = None, fields: bool = True
    ) -> Iterator[Span]:
        """Yield the named byte ranges, file by file in the order of `files`, by offset in each.

        Without `fields` what is within headers and records is not named.
        """

    def writer(self, storage: Storage, *, edition: str, params: Params | None = None) -> Writer:
        """Open (or create) a journal on `storage` for writing."""


def spans_by_file(names: Iterable[str], spans: Iterable[Span]) -> Iterator[tuple[str, Iterator[Span]]]:
    """Yield each of `names` with its part of `spans`, which come file by file in the same order.

    A part has to be used up before the next one is asked for.
    """
    parts = groupby(spans, key=attrgetter("file"))
    part: tuple[str, Iterator[Span]] | None = next(parts, None)
    for name in names:
        if part is not None and part[0] == name:
            yield part
            part = next(parts, None)
        else:
            yield name, iter(())


def load(format_id: str) -> Implementation:
    """Return the reference implementation of `format_id`; raises UnknownFormat."""
    implementation: Implementation = format_module("journalspec_reference", format_id).IMPLEMENTATION
    return implementation
