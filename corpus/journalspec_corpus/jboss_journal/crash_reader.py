"""Recovery of the journal over a state that is never built.

Records are decoded by the reference codec, once per distinct bytes, and what
they amount to is the reference's replay; only the way from one record to the
next is repeated here, because it has to know what it looked at. A test holds
every answer against the reference on whole files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from journalspec.observation import CLEAN, REFUSED, Observation
from journalspec_corpus.crash.judge import Answer
from journalspec_corpus.crash.view import View
from journalspec_corpus.jboss_journal.crash_run import EXTENSIONS, key, key_of
from journalspec_reference.jboss_journal.codec import (
    CHECK_SIZE,
    DIALECTS,
    INT,
    LONG_HEADER,
    PAIR,
    PROLOGUE,
    Dialect,
    Fault,
    JournalRecord,
    decode_record,
    direct,
    forms,
    of_version,
)
from journalspec_reference.jboss_journal.fileset import CONTROL, gather
from journalspec_reference.jboss_journal.replay import Replay, Transaction

#: The readers that answer, in order: two policies of the reference, and one mutant of
#: strict recovery that takes a COMMIT or PREPARE with one count for healthy, whatever it counts.
READERS = ("strict", "salvage", "counts-not-compared")
#: All of them: a torn region is stepped over and reported, that is the format's way.
SALVAGING = READERS
#: reader -> the recovery policy that it is; the mutant is none.
POLICIES = {"strict": "strict", "salvage": "salvage"}
#: category of states -> the requirements that a reader shows there that it keeps.
#: Only requirements that hold in every edition.
OBEYS = {
    "": ("JBM-RDR-010", "JBM-RDR-013", "JBM-RCV-005", "JBM-RCV-025"),
    "clean": ("JBM-RDR-011", "JBM-RCV-001", "JBM-RCV-003", "JBM-RCV-005"),
    "prefix-torn": ("JBM-RDR-006", "JBM-RDR-010", "JBM-RDR-017", "JBM-RCV-022"),
    "sector-hole": ("JBM-RDR-012", "JBM-RDR-014", "JBM-RCV-014"),
    "rotate": ("JBM-RDR-003", "JBM-RDR-020", "JBM-FIL-003"),
    "create": ("JBM-FIL-012", "JBM-FIL-014", "JBM-FIL-018"),
}


@dataclass(frozen=True, eq=False, slots=True)
class _Found:
    """A record and its key.

    The same bytes give the same object for as long as the cache holds it, and
    objects are compared by identity, which is quick.
    """

    record: JournalRecord
    key: str


class _File(NamedTuple):
    number: int
    size: int
    dialect: Dialect
    file_id: int
    problem: str | None


@lru_cache(maxsize=1024)
def _sought(dialect: Dialect, file_id: int) -> bytes:
    """Return the expression for a candidate: a type of the edition and the file's stamp."""
    types = b"[" + b"".join(b"\\x%02x" % code for code in sorted(dialect.kinds)) + b"]"
    return types + re.escape(dialect.stamp(file_id).to_bytes(4, "big"))


@lru_cache(maxsize=16384)
def _decode(data: bytes, dialect: Dialect) -> _Found | None:
    """Return what `data`, all of what a candidate claims, is; memory is bounded by the cache's size."""
    item = decode_record(data, 0, len(data), dialect, direct)
    return None if isinstance(item, Fault) else _Found(item, key_of(item))


def _examine(view: View, number: int, dialect: Dialect) -> _File:
    size = view.size(number)
    if size < dialect.header_size:
        return _File(number, size, dialect, 0, "short-file")
    header = view.read(number, 0, dialect.header_size)
    if not dialect.versions:
        return _File(number, size, dialect, INT.unpack(header)[0], None)
    version, user, file_id = LONG_HEADER.unpack(header)
    problem = None
    if version not in dialect.versions:
        problem = "bad-version"
    elif user:
        problem = "bad-user-version"
    return _File(number, size, of_version(dialect, version), file_id, problem)


def _files(view: View, dialect: Dialect) -> list[_File]:
    """Return the data files in the order of their ids."""
    names = view.names()
    if dialect.control_file and CONTROL in names:
        return _switched_files(view, dialect)
    extension = "." + EXTENSIONS[dialect.name]
    mine = sorted(
        (int(name.removesuffix(extension).rpartition("-")[2]), number)  # names of one prefix: numbers decide
        for name, number in names.items()
        if name.endswith(extension)
    )
    files = [_examine(view, number, dialect) for _, number in mine]
    return sorted(files, key=lambda file: file.file_id)


def _switched_files(view: View, dialect: Dialect) -> list[_File]:
    """Return the data files as the reference orders them when it finds a control file."""
    names = view.names()
    contents = {name: view.read(number, 0, view.size(number)) for name, number in names.items()}
    return [
        _File(
            names[file.name],
            file.length,
            file.dialect,
            file.file_id,
            file.problem[0] if file.problem else None,
        )
        for file in gather(contents, dialect, {"extension": EXTENSIONS[dialect.name]}).files
    ]


class _Page(NamedTuple):
    """What a walk finds from one offset to the end of its page; `torn` tells of candidates that are none."""

    found: tuple[_Found, ...]
    torn: bool
    next: int


def _walk(view: View, file: _File) -> _Page:
    """Return what a walk finds in all of `file`."""
    found: list[_Found] = []
    torn = False
    at = file.dialect.header_size
    while at < file.size:
        page = view.cached(("page", file[:4], at), _page, file, at)
        found += page.found
        torn |= page.torn
        at = page.next
    return _Page(tuple(found), torn, at)


def _page(view: View, file: _File, at: int) -> _Page:
    edge = min(file.size, (at // view.stretch + 1) * view.stretch)
    sought = _sought(file.dialect, file.file_id)
    records: list[_Found] = []
    torn = False
    while at < edge:
        off = view.find(file.number, sought, PROLOGUE, (at, edge), file.size)
        if off < 0:
            at = edge
            break
        found, end = view.cached(("at", file[:4], off), _candidate, file, off)
        at = off + 1
        if found is not None:
            records.append(found)
            at = end
        else:
            torn = True
    return _Page(tuple(records), torn, at)


def _candidate(view: View, file: _File, off: int) -> tuple[_Found | None, int]:
    """Return what stands at `off`, None if it is no record, and where it ends."""
    form = forms(file.dialect)[view.read(file.number, off, 1)[0]]
    if off + form.size + CHECK_SIZE > file.size:
        return None, 0
    size = listed = 0
    if form.length is not None or form.listed is not None:
        values = form.struct.unpack_from(view.read(file.number, off, form.size), PROLOGUE)
        size = 0 if form.length is None else values[form.length]
        listed = 0 if form.listed is None else values[form.listed]
    end = off + form.size + size + PAIR.size * listed + CHECK_SIZE
    if size < 0 or listed < 0 or end > file.size:
        return None, 0
    length = INT.pack(end - off)
    if not file.dialect.hashed and view.read(file.number, end - CHECK_SIZE, CHECK_SIZE) != length:
        return None, 0
    return _decode(view.read(file.number, off, end - off), file.dialect), end


def read(view: View) -> tuple[Answer, ...]:
    """Return the answers of :data:`READERS` on the state that `view` shows."""
    dialect = DIALECTS[view.edition]
    files = view.cached(("files",), _files, dialect)
    problem, lost = None, False
    runs = []
    for file in files:
        if file.problem is not None:
            lost = True
            if problem is None and (file.problem != "short-file" or not dialect.versions):
                problem = file.problem
            continue
        walk = view.cached(("file", file[:4]), _walk, file)
        lost |= walk.torn
        runs.append((file.file_id, file.dialect, walk.found))
    keys, aside, rejected = _amount(tuple(runs), Replay)
    salvage = Answer(keys, None, lost or rejected, aside)
    if problem is not None:
        refused = Answer((), problem)
        return refused, salvage, refused
    keys, aside, rejected = _amount(tuple(runs), _Trusting)
    return salvage, salvage, Answer(keys, None, lost or rejected, aside)


class _Trusting(Replay):
    """The mutant's replay."""

    def _healthy(
        self, transaction: Transaction, record: JournalRecord, file_id: int, dialect: Dialect
    ) -> bool:
        return not dialect.pairs or super()._healthy(transaction, record, file_id, dialect)


@lru_cache(maxsize=4096)
def _amount(
    runs: tuple[tuple[int, Dialect, tuple[_Found, ...]], ...], kind: type[Replay]
) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return the keys of what is in effect, of what is not, and whether a transaction's end was rejected."""
    replay = kind(file_id for file_id, _, _ in runs)
    entries = []
    for file_id, dialect, records in runs:
        replay.next_file()
        for found in records:
            record = found.record
            replay.apply(record, file_id, dialect)
            body = record.body.hex()
            entries.append((found.key, record.kind.name, record.tx, record.id, record.user_type, body))
    state = replay.outcome()
    return *_effective(entries, state), any(item["why"] != "no-end" for item in state["discarded"])


_Entry = tuple[str, str, int, int, int, str]


def _effective(
    entries: Iterable[_Entry], state: Mapping[str, Any]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of records that are in effect, and those of the others.

    Of adds and updates these are the live ones and those in doubt; of records
    that end something all but a COMMIT that was rejected.
    """
    everything = [*state["live"], *(item for held in state["prepared"] for item in held["records"])]
    effect = {
        (str(item["kind"]), int(item["id"]), int(item["user_type"]), _hex(item["body"]))
        for item in everything
    }
    rejected = {int(item["tx"]) for item in state["discarded"] if item["why"] == "unhealthy-commit"}
    keys: list[str] = []
    aside: list[str] = []
    for text, kind, tx, *rest in entries:
        base = kind.removesuffix("_TX")
        if base in ("ADD", "UPDATE"):
            counts = (base, *rest) in effect
        else:
            counts = kind != "COMMIT" or tx not in rejected
        (keys if counts else aside).append(text)
    return tuple(keys), tuple(aside)


def answer(observation: Observation) -> Answer:
    """Return what an implementation's observation amounts to, for comparison with :func:`read`."""
    if observation.verdict == REFUSED:
        return Answer((), observation.code)
    entries = []
    for record in observation.records:
        fields = record.fields
        tx, ident, user = (int(str(fields.get(name, 0))) for name in ("tx", "id", "user_type"))
        body, extra = (_hex(fields.get(name, b"")) for name in ("body", "extra"))
        text = key(record.type, tx, ident, user, body, extra)
        entries.append((text, record.type, tx, ident, user, body))
    keys, aside = _effective(entries, observation.state or {})
    return Answer(keys, None, observation.verdict != CLEAN, aside)


def _hex(value: object) -> str:
    return value.hex() if isinstance(value, (bytes, memoryview)) else str(value)


def record_json(keys: list[str]) -> dict[str, Any]:
    """Return the fields of an observed record that all `keys` agree on (a copy has another type)."""
    names = ("type", "tx", "id", "user_type", "body", "extra")
    split = [dict(zip(names, text.split(":"), strict=True)) for text in keys]
    shared = {name: split[0][name] for name in names if len({entry[name] for entry in split}) == 1}
    present = _FIELDS_OF.get(shared.get("type", ""), ("id", "user_type", "body"))
    return {name: value for name, value in shared.items() if name == "type" or name in present}


#: The fields in a key that each type has; PREPARE's extra data and DELETE_TX's body are not in every edition.
_FIELDS_OF = {
    "ADD": ("id", "user_type", "body"),
    "UPDATE": ("id", "user_type", "body"),
    "ADD_TX": ("tx", "id", "user_type", "body"),
    "UPDATE_TX": ("tx", "id", "user_type", "body"),
    "DELETE": ("id",),
    "DELETE_TX": ("tx", "id"),
    "PREPARE": ("tx",),
    "COMMIT": ("tx",),
    "ROLLBACK": ("tx",),
}
