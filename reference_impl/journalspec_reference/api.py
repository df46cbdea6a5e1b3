"""The interface of every format in the reference; shared modules use formats only through it.

A package ``journalspec_reference.<format>`` exposes one object, ``IMPLEMENTATION``: an
:class:`Implementation`, or an object with its methods. An implementation without ``contents`` reports no
contents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, TypeVar

from journalspec.families import ContentsError, Family, leaves
from journalspec.formats import format_module, get_format
from journalspec.layout import HEAD, Layout, Spot
from journalspec.observation import Missing, Note, Observation
from journalspec_reference.batches import Stretch
from journalspec_reference.storage import Storage

#: The files of one directory: name -> content (bytes, memoryview, or :class:`.content.Content`).
Files = Mapping[str, Any]  # collections.abc.Buffer needs Python 3.12.

Params = Mapping[str, str]
#: A write operation of the protocol; its member ``op`` is the name of the operation.
Operation = Mapping[str, Any]


@lru_cache(1 << 12)
def natural_key(name: str) -> tuple[Any, ...]:
    """Return a sort key of names that compares numbers in them as numbers: btm2 comes before btm10."""
    parts: list[Any] = re.split(r"(\d+)", name)
    parts[1::2] = map(int, parts[1::2])
    return tuple(parts)


def missing_numbers(numbers: Iterable[int]) -> list[str]:
    """Return the gaps between the ordered `numbers` as texts: ``3``, or ``5 to 8``."""
    return [
        f"{before + 1}" if after == before + 2 else f"{before + 1} to {after - 1}"
        for before, after in pairwise(numbers)
        if after > before + 1
    ]


@lru_cache(1 << 12)
def _number_in(name: str, pattern: re.Pattern[str], largest: int) -> int | None:
    match = pattern.fullmatch(name)
    return int(match[1]) if match and int(match[1]) <= largest else None


@dataclass(frozen=True, slots=True)
class NumberedNames:
    """The file names of a format: `pattern` matches a name, its group is a number of at most `largest`.

    `like` matches names that look similar; `others` are similar names that are expected, and get no note.
    `gap` is the code of the note on missing numbers.
    """

    pattern: re.Pattern[str]
    like: re.Pattern[str]
    largest: int
    gap: str
    others: tuple[str, ...] = ()

    def number(self, name: str) -> int | None:
        """Return the number in a file's name. Return None if the name is not a name of the format."""
        return _number_in(name, self.pattern, self.largest)

    def notes(self, files: Iterable[str]) -> Iterator[Note]:
        """Yield notes on the names of `files`: on ignored names, and on numbers without a file."""
        numbers = []
        for name in sorted(files):
            if (number := self.number(name)) is not None:
                numbers.append(number)
            elif name not in self.others and self.like.fullmatch(name):
                yield Note("ignored-name", name)
        if gaps := missing_numbers(sorted(numbers)):
            yield Note(self.gap, text=", ".join(gaps))


#: The highest score of a detection, which means that each file begins with the format's magic bytes.
BY_MAGIC = 3


@dataclass(frozen=True, slots=True)
class Detection:
    """One journal found among the files of a directory.

    `files` are the names that belong together, in the format's own order (a listed file may be missing).
    `score` orders rival detections: 3 (:data:`BY_MAGIC`) if every file has its magic bytes, 2 if some files
    have them, 1 if only the names fit.

    `editions` are the editions that the files permit, if there are several. In that case, `edition` is the
    one to use if all these editions read the files in the same way. `editions` is empty if the files show
    their edition. `evidence` is the reason why other editions are excluded. `params` are the parameters that
    the file names show. `neighbours` are files without records that are read but never changed, such as an
    index or a lock. Reading and recovery receive the neighbours together with the other files.
    """

    format: str
    edition: str
    files: tuple[str, ...]
    score: int
    editions: tuple[str, ...] = ()
    params: Params = field(default_factory=dict)
    neighbours: tuple[str, ...] = ()
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """One named byte range for maps and annotated hexdumps.

    `path` is dotted (``record[3].gtrid``); `kind` is one of header, record, field, dropped, stale, fill,
    unused. A span precedes the spans that it contains. Dropped regions and the bytes after the log (unused)
    can contain well-formed records that are not part of the answer. Such records are of kind dropped or
    stale, and their fields are spans, too.
    """

    file: str
    off: int
    length: int
    path: str
    kind: str
    value: str = ""


class Piece(NamedTuple):
    """Represents a named part of a file: a header, a record, or a dropped region.

    `value` is the text of the piece. If `path` is empty, `kind` is used instead. Records (current or stale)
    without a path are numbered together with all pieces of the same `series`; the default series is the kind.
    """

    off: int
    end: int
    kind: str
    value: str = ""
    path: str = ""
    series: str = ""


#: The path of the span after the end of the log, unless the format defines a more exact path.
REST = "rest"
#: The text for a well-formed record in bytes where recovery reports no record.
WELL_FORMED = "well-formed, no part of the answer"
#: A function that yields the complete headers and records between two offsets, in order. Recovery reports no
#: records there.
Inside = Callable[[int, int], Iterable[Piece]]


def file_spans(
    file: str,
    pieces: Iterable[Piece],
    end: int,
    fields: Callable[[Piece], Iterable[Spot]] | None,
    inside: Inside | None = None,
) -> Iterator[Span]:
    """Yield the spans of one file up to `end`: its pieces, their fields, and the unused parts between them.

    `fields` yields the fields of a header or record. `inside` yields the well-formed parts of a dropped
    region, or of the bytes after the log or after the last piece. If `fields` is None, neither function is
    used.
    """
    numbers: Counter[str] = Counter()
    at = 0
    for piece in pieces:
        if piece.off > at:
            yield Span(file, at, piece.off - at, "unused", "unused")
        series, path = piece.series or piece.kind, piece.path or piece.kind
        if piece.kind in ("record", "stale") and not piece.path:
            path = f"{series}[{numbers[series]}]"
        numbers[series] += 1
        span = Span(file, piece.off, piece.end - piece.off, path, piece.kind, piece.value)
        yield span
        if fields and piece.kind in ("header", "record", "stale"):
            yield from _named(span, piece, fields)
        elif fields and inside and (piece.kind == "dropped" or path == REST):
            yield from _within(span, numbers, fields, inside)
        at = max(at, piece.end)
    if at < end:
        span = Span(file, at, end - at, "unused", "unused")
        yield span
        if fields and inside:
            yield from _within(span, numbers, fields, inside)


def _named(span: Span, piece: Piece, fields: Callable[[Piece], Iterable[Spot]]) -> Iterator[Span]:
    for spot in fields(piece):
        off = piece.off + spot.off
        yield Span(span.file, off, spot.length, f"{span.path}.{spot.name}", "field", spot.value)


def _within(
    outer: Span, numbers: Counter[str], fields: Callable[[Piece], Iterable[Spot]], inside: Inside
) -> Iterator[Span]:
    """Yield the well-formed parts of a region without records, and their fields.

    `numbers` contains the number of records so far in each kind of region.
    """
    series, end = f"{outer.path}[]", outer.off + outer.length
    for piece in inside(outer.off, end):
        if piece.end > end:
            continue
        path = f"{outer.path}[{numbers[series]}]"
        numbers[series] += 1
        kind = "dropped" if outer.kind == "dropped" else "stale"
        said = f"{piece.value}, {WELL_FORMED}".lstrip(", ")
        span = Span(outer.file, piece.off, piece.end - piece.off, path, kind, said)
        yield span
        yield from _named(span, piece, fields)


def field_names(
    layout: Layout, edition: str, data: Any, record: str = "record"
) -> Callable[[Piece], Iterator[Spot]]:
    """Return a function that yields the named fields of a header or record of one file, by the format's
    layout.

    `record` is the name of the layout's structure for records.
    """

    def named(piece: Piece) -> Iterator[Spot]:
        structure = "header" if piece.kind == "header" else record
        return layout.spans(structure, edition, bytes(data[piece.off : piece.end]))

    return named


def body_fields(outer: Spot, family: Family, shape: str, data: bytes, version: str = "") -> Iterator[Spot]:
    """Yield the fields inside a field's bytes by the table of contents; nothing if the bytes do not fit.

    Only the last two parts of a name are kept, because a dump shows the enclosing fields anyway.
    """
    try:
        found = leaves(family, shape, data, version)
    except ContentsError:
        return
    for path, start, end, value in found:
        called = ".".join(path.split(".")[-2:])
        yield Spot(f"{outer.name}.{called}", outer.off + start, end - start, _shown(value))


def _shown(value: Any) -> str:
    """Return a value of contents as text for a dump. Long values are truncated."""
    if isinstance(value, bytes):
        return value[:HEAD].hex()
    if isinstance(value, str):
        return value[: 2 * HEAD]
    return str(value).lower() if isinstance(value, bool) else "" if isinstance(value, list) else str(value)


class WriterRefused(Exception):
    """This error means that the writer refused an operation and changed nothing.

    The specification defines `code`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Writer(Protocol):
    """Represents a journal that is open for writing. Operations are JSON objects of the protocol."""

    def apply(self, op: Operation) -> dict[str, Any]:
        """Perform one operation; return ``{"durable": bool, ...}``.

        Raises WriterRefused if the format cannot hold the data, and ValueError if the operation itself is
        invalid.
        """


T = TypeVar("T")


def order_of(orders: Mapping[str, T], params: Params) -> T:
    """Return the order of writes for the parameter `order` (default ``spec``). Raises ValueError."""
    name = params.get("order", "spec")
    if name not in orders:
        raise ValueError(f"unknown order {name!r}: expected one of {', '.join(orders)}")
    return orders[name]


def perform(
    handlers: Mapping[str, Callable[[Operation], dict[str, Any]]], op: Operation, is_open: bool
) -> dict[str, Any]:
    """Perform `op` with its handler.

    Raises ValueError if there is no handler, or if the journal is not open.
    """
    name = str(op.get("op"))
    if name != "open" and not is_open:
        raise ValueError("the journal is not open")
    if name not in handlers:
        raise ValueError(f"unknown operation {name!r}: expected one of {', '.join(handlers)}")
    return handlers[name](op)


@dataclass(eq=False)
class Implementation:
    """The reference implementation of one format, from the modules of `package`.

    Callers give the edition. In `recovers`, an empty policy means reading. An unknown format or edition
    raises UnknownFormat.
    """

    format_id: str
    package: str
    #: Maps an edition to the class of the module ``write`` that writes it.
    writers: Mapping[str, str]
    detects: Callable[[Files, Params], list[Detection]]
    recovers: Callable[[Files, str, str, Params], Observation]
    plans: Callable[[Files, str, Params], Iterable[Stretch]]
    names: Callable[[Files, str, Params, bool], Iterator[Span]]
    #: The parameters to assume for files of unknown origin. The specified defaults fit only the published
    #: cases.
    assumed: Callable[[Files], Params] = lambda files: {}
    #: The module whose function ``lacking`` finds the items that are missing from the product's directories.
    #: The name is empty if the format has no such module.
    lacks: str = "fileset"
    #: Whether a new store can be created even if recovery refuses the journal.
    of_refused: bool = False
    #: A cache from requested name to the id of the edition, without unknown names.
    _asked: dict[str, str] = field(default_factory=dict)

    @property
    def contents(self) -> Callable[[Any], Any]:
        """The function from an :class:`.answers.Answer` to its contents (messages, rows), or to None."""
        found: Callable[[Any], Any] = self._late("contents").contents
        return found

    def new_store(self, answer: Any, choices: Any) -> Any:
        """Return a new store for an answer and :class:`.newstore.StoreChoices`.

        Return None if there is none.
        """
        return self._late("newstore").new_store(answer, choices)

    def lacking(self, answer: Any) -> Iterable[Missing]:
        """Return the missing items, which the product requires in its directories. `read` does not search for
        such items.
        """
        found: Iterable[Missing] = self._late(self.lacks).lacking(answer) if self.lacks else ()
        return found

    def _late(self, module: str) -> Any:
        """Return a module of the format that is imported only now, because most journals need few modules."""
        return import_module(f"{self.package}.{module}")

    def detect(self, files: Files, params: Params | None = None) -> list[Detection]:
        """Return the journals of this format among `files`, best first; never raises.

        An unreadable file is passed with its name and without content.
        """
        return sorted(self.detects(files, params or {}), key=lambda detection: -detection.score)

    def read(self, files: Files, *, edition: str, params: Params | None = None) -> Observation:
        """Report every record of every file, and every region without a record.

        Reading is the forensic view: it refuses only if no file can be read. If strict recovery refuses a
        journal that reads cleanly, `unfit` of the observation is this refusal.
        """
        return self.recovers(files, self._of(edition), "", params or {})

    def plan(self, files: Files, *, edition: str, params: Params | None = None) -> Iterable[Stretch]:
        """Return the stretches of the log that `read` reports as records, in the same order.

        In some formats, each stretch depends on the previous one. They return an iterator, which raises
        ReadingRefused when reading refuses.
        """
        return self.plans(files, self._of(edition), params or {})

    def recover(
        self, files: Files, *, edition: str, policy: str = "strict", params: Params | None = None
    ) -> Observation:
        """Return the logical state after recovery under `policy`. Recovery changes no file.

        Raises ValueError for a policy that the format lacks.
        """
        if policy not in self._policies:
            raise ValueError(f"no policy {policy!r}: use one of {', '.join(self._policies)}")
        return self.recovers(files, self._of(edition), policy, params or {})

    def spans(
        self, files: Files, *, edition: str, params: Params | None = None, fields: bool = True
    ) -> Iterator[Span]:
        """Yield the named byte ranges, file by file in the order of `files`, and by offset in each file.

        Without `fields` the parts of headers and records are not named.
        """
        return self.names(files, self._of(edition), params or {}, fields)

    def writer(self, storage: Storage, *, edition: str, params: Params | None = None) -> Writer:
        """Open (or create) a journal on `storage` for writing.

        `params` are the parameters of the edition's writer.
        """
        edition = self._of(edition)
        opened: Writer = getattr(self._late("write"), self.writers[edition])(storage, edition, params or {})
        return opened

    @cached_property
    def _policies(self) -> tuple[str, ...]:
        return tuple(get_format(self.format_id).policies)

    def _of(self, edition: str) -> str:
        found = self._asked.get(edition)
        if found is None:
            found = self._asked[edition] = get_format(self.format_id).edition(edition).id
        return found


def spans_by_file(names: Iterable[str], spans: Iterable[Span]) -> Iterator[tuple[str, Iterator[Span]]]:
    """Yield each of `names` with its spans. `spans` must be sorted by file, in the order of `names`.

    The spans of a file must be consumed before those of the next file are requested.
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
