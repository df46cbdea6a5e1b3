"""Recovery of the journal in compiled code, to see which states get the same answer.

It repeats the decisions of the reference on whole files: headers, the
order of files, the search for candidates, every check of a record, the hash.
What goes into a signature is all that the readers tell apart: what editions mean, the problem,
every record with what it counts, whether candidates were rejected, and the files' ids where
records name them. As soon as a record comes out that nobody ever wrote, the rest
makes no difference to any verdict; all such states are one and the same here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from journalspec.jboss_journal import LAYOUT
from journalspec_corpus.crash.blocks import NAMES, CrashPoint
from journalspec_corpus.crash.compiled import (
    NOTHING_FOUND,
    Bytes,
    Hashes,
    Ints,
    crc32,
    entry,
    hash_of,
    helper,
    int32,
    int64,
    is_known,
    mix,
    mix_bytes,
    stamp,
    start_hash,
    uint32,
)
from journalspec_corpus.crash.kernel import (
    BOUND,
    FOUND,
    REACHED,
    SIZE_NOW,
    START,
    USED,
    Flat,
    Kernel,
    Points,
    Signed,
    looks_at_all,
    refreshed,
    signer,
    trace_seed,
    walker,
)
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.jboss_journal.recording import EXTENSIONS
from journalspec_reference.jboss_journal.codec import DIALECTS
from journalspec_reference.jboss_journal.fileset import CONTROL, control_lists, gather

#: Problems of a file.
_NONE, _SHORT, _BAD_VERSION, _BAD_USER = range(4)
#: What is known of a file: its problem, its id, whether it is of version 1, and the flags of its records.
_PROBLEM, _ID, _OLDER, _FLAGS = range(4)
#: Columns of a form: the size that a record has at least, its type, and where its fields are.
_SIZE, _TYPE, _TX, _IDENT, _BODY, _EXTRA, _USER_TYPE, _COUNT, _LISTED = range(9)
_FIELDS = ("tx", "id", "body_size", "extra_size", "user_type", "count", "num_files")
#: What varies, at its smallest.
_EMPTY = {"body": b"", "extra": b"", "pairs": ()}
#: Every record type of any edition; a key has the name.
_TYPES = sorted({name for edition in DIALECTS for name in LAYOUT.types(edition)})
#: What a candidate may be, and a file hold: a rejected one, a record that nobody wrote, one that names files.
_GOOD, _TORN, _FOREIGN, _LISTING = 0, 1, 2, 4
#: Every record begins with its type and the file's id, and ends with a check; some list pairs.
_STARTS, _ENDS = LAYOUT.structure("record", "seed", "COMMIT").places({"pairs": [{}]})
_ID_AT, _PROLOGUE = _STARTS["file_id"], _ENDS["file_id"]
_CHECK, _PAIR = (_ENDS[name] - _STARTS[name] for name in ("check_size", "pairs"))


class KernelRules(NamedTuple):
    """An edition in numbers; for one with versions, with what its older files are written in.

    `forms` has shape (2, 256, 9): of the edition and of version 1; type numbers that an edition does
    not have have size 0. `header` is its size, and where version, user version and id stand in it.
    `lowest` and `highest` are versions; there are none if the highest is 0. `meaning` is the same for
    editions in which the same records in the same files mean the same.
    """

    forms: Ints
    header: tuple[int, int, int, int]
    lowest: int
    highest: int
    hashed: bool
    meaning: int


@cache
def rules_of(edition: str) -> KernelRules:
    """Return `edition` in numbers; raises KeyError if there is none of that name."""
    header = LAYOUT.structure("header", edition)
    places = header.places({})[0]
    version = next((item for item in header.fields if item.name == "format_version"), None)
    lowest, highest = (version.low or 0, version.high or 0) if version else (0, 0)
    forms = np.stack([_forms(edition), _forms("v1" if version else edition)])
    at = (header.size, places.get("format_version", -1), places.get("user_version", -1), places["file_id"])
    hashed = "hash" in LAYOUT.structure("record", edition, "ADD").names
    dialect = DIALECTS[edition]
    # What a PREPARE of nothing is, which counts there are, and whether a short file is a reason to refuse.
    meaning = dialect.prepare_extra | dialect.pairs << 1 | bool(dialect.versions) << 2
    return KernelRules(forms, at, lowest, highest, hashed, meaning)


def _forms(edition: str) -> Ints:
    """Return where each field of each record type is, from the record's start; -1 for none."""
    out = np.full((256, 9), -1, np.int64)
    out[:, _SIZE] = 0
    for name, code in LAYOUT.types(edition).items():
        form = LAYOUT.structure("record", edition, name)
        starts, _ = form.places(_EMPTY)
        out[code] = [form.size, _TYPES.index(name), *(starts.get(field, -1) for field in _FIELDS)]
    return out


def _order(point: CrashPoint, names: Mapping[str, int]) -> Ints | None:
    """Return the numbers of the data files in the order of their names.

    None where a control file that is itself in flight says which files count.
    """
    control = b""
    if DIALECTS[point.trace.edition].control_file and CONTROL in names:
        number = names[CONTROL]
        if any(block.file == number for block in point.blocks if block.kind != NAMES):
            return None
        control = point.contents[number][: point.sizes[number]]
    return np.asarray([names[name] for name in _listed(point.trace.edition, tuple(names), control)], np.int64)


@lru_cache(1024)
def _listed(edition: str, names: tuple[str, ...], control: bytes) -> tuple[str, ...]:
    """Return the data files among `names`, in order; `control` is what the control file holds."""
    files = dict.fromkeys(names, b"")
    if control:
        files[CONTROL] = control
    # Empty files have no id: they come in the order of their names.
    found = gather(files, DIALECTS[edition], {"extension": EXTENSIONS[edition]})
    return tuple([file.name for file in found.files])


def hash_of_key(text: str) -> Hashes:
    """Return the hash of a record's key."""
    name, tx, ident, user_type, body, extra = text.split(":")
    numbers = (_TYPES.index(name), int(tx), int(ident), int(user_type))
    return hash_of(numbers, bytes.fromhex(body or extra))


class Tools(NamedTuple):
    """What a search needs beside the files.

    `known` are the hashes of all keys of the trace, `key` takes that of one record, `seen` what
    :func:`.walker` wants to know. `now` is what the file's records carry behind their type, and which
    of the forms they have. `sequence` takes the files in the order of their ids, `seed` stands for the trace.
    """

    rules: KernelRules
    known: Hashes
    key: Hashes
    seen: Ints
    now: Ints
    sequence: Ints
    seed: Hashes


@helper
def _field(data: Bytes, at: int, place: int) -> int:
    return int32(data, at + place) if place >= 0 else 0


@helper
def _long(data: Bytes, at: int, place: int) -> int:
    return int64(data, at + place) if place >= 0 else 0


@helper
def _accepted(data: Bytes, at: int, end: int, hashed: bool) -> Any:
    stored = uint32(data, end - _CHECK)
    return stored == crc32(data, at, end - _CHECK, 0) if hashed else stored == end - at


@helper
def _candidate(data: Bytes, at: int, limit: int, tools: Tools, total: Hashes) -> tuple[int, int]:
    """Return what a candidate is, and where it ends; take a record into `total`."""
    key, form, seen = tools.key, tools.rules.forms[tools.now[1], data[at]], tools.seen
    body, stop = at + form[_SIZE] - _CHECK, at + form[_SIZE]
    if stop > limit:
        seen[BOUND] = 1
        return _TORN, 0
    size, listed = (
        _field(data, at, form[_BODY]) + _field(data, at, form[_EXTRA]),
        _field(data, at, form[_LISTED]),
    )
    end = stop + size + _PAIR * listed
    seen[REACHED] = max(seen[REACHED], stop)
    if size < 0 or listed < 0:
        return _TORN, 0
    if end > limit:
        seen[BOUND] = 1
        return _TORN, 0
    seen[REACHED] = max(seen[REACHED], end)
    if not _accepted(data, at, end, tools.rules.hashed):
        return _TORN, 0
    start_hash(key)
    mix(key, form[_TYPE])
    mix(key, _long(data, at, form[_TX]))
    mix(key, _long(data, at, form[_IDENT]))
    mix(key, np.int64(data[at + form[_USER_TYPE]]) if form[_USER_TYPE] >= 0 else 0)
    mix_bytes(key, data, body, body + size)
    mix(total, key[0])
    mix(total, key[1])
    if not is_known(key, tools.known):
        return _FOREIGN, end
    mix(total, _field(data, at, form[_COUNT]))
    mix_bytes(total, data, body + size, end - _CHECK)
    return _LISTING if listed else _GOOD, end


@helper
def _step(data: Bytes, at: int, edge: int, limit: int, tools: Tools, total: Hashes) -> int:
    """Look for the next candidate from `at` on; see `walker`."""
    forms, own, seen = tools.rules.forms[tools.now[1]], tools.now[0], tools.seen
    last = own & 0xFF
    for start in range(at, min(edge, limit - _PROLOGUE + 1)):
        # Of the id, the last byte is the one that says something.
        if (
            data[start + _PROLOGUE - 1] == last
            and forms[data[start], _SIZE] > 0
            and uint32(data, start + _ID_AT) == own
        ):
            what, end = _candidate(data, start, limit, tools, total)
            seen[FOUND] |= what
            return start + 1 if what == _TORN else end
    # The front of a candidate may reach beyond the edge.
    seen[REACHED] = max(seen[REACHED], edge + _PROLOGUE)
    return edge


_search = walker(_step)


@helper
def _examine(flat: Flat, file: int, rules: KernelRules, header: Ints) -> None:
    """Set `header` to what is wrong with a file, its id, and which of the two forms it has."""
    size, at, data = flat.files[file, SIZE_NOW], flat.files[file, START], flat.scratch
    header[_PROBLEM], header[_ID], header[_OLDER] = _NONE, 0, 0
    if size < rules.header[0]:
        header[_PROBLEM] = _SHORT
    elif rules.highest == 0:
        header[_ID] = int32(data, at + rules.header[3])
    else:
        version = int32(data, at + rules.header[1])
        header[_ID] = int64(data, at + rules.header[3])
        header[_OLDER] = 1 if version == 1 else 0
        if not rules.lowest <= version <= rules.highest:
            header[_PROBLEM] = _BAD_VERSION
        elif int32(data, at + rules.header[2]):
            header[_PROBLEM] = _BAD_USER


@helper
def _look(flat: Flat, file: int, tools: Tools) -> None:
    """Examine and search a file that has changed."""
    header, rules, h = flat.notes[file], tools.rules, flat.found[file]
    _examine(flat, file, rules, header)
    start_hash(h)
    header[_FLAGS] = 0
    if header[_PROBLEM] == _NONE:
        size = flat.files[file, SIZE_NOW]
        tools.now[0] = header[_ID] & (0x7FFFFFFF if rules.highest else 0xFFFFFFFF)
        tools.now[1] = header[_OLDER]
        under = tools.now[0] << 1 | header[_OLDER]
        # No record begins with a zero.
        end = min(size, flat.files[file, USED])
        header[_FLAGS] = _search(flat, file, rules.header[0], end, size, under, tools, h)


@helper
def _sort(order: Ints, headers: Ints) -> None:
    """Sort files by their ids; those with the same one stay as they are."""
    for index in range(1, len(order)):
        place = index
        while place and headers[order[place - 1], _ID] > headers[order[place], _ID]:
            order[place - 1], order[place] = order[place], order[place - 1]
            place -= 1


@helper
def _recover(flat: Flat, order: Ints, tools: Tools, h: Hashes) -> None:
    """Set `h` to the signature of the state that `flat` shows."""
    headers, flags, sequence = flat.notes, 0, tools.sequence[: len(order)]
    for index in range(len(order)):
        sequence[index] = order[index]
        if refreshed(flat, order[index]):
            _look(flat, order[index], tools)
    _sort(sequence, headers)
    for file in sequence:
        flags |= headers[file, _FLAGS]
    start_hash(h)
    mix(h, tools.rules.meaning)
    mix(h, flags)
    if flags & _FOREIGN:
        mix(h, tools.seed[0])
        mix(h, tools.seed[1])
    for file in sequence:
        if headers[file, _PROBLEM] != _NONE:
            mix(h, headers[file, _PROBLEM])
        # Beside a record that nobody wrote nothing counts but a reason to refuse. Where no record names
        # files, their ids say nothing but in which order they come, and one without records says nothing.
        elif not flags & _FOREIGN and (flags & _LISTING or flat.found[file, 0] != NOTHING_FOUND):
            mix(h, _NONE)
            if flags & _LISTING:
                mix(h, headers[file, _ID])
            mix(h, flat.found[file, 0])
            mix(h, flat.found[file, 1])


_sign = signer(_recover, looks_at_all)


def _compiled(version: str) -> Any:
    """Return the entry function; `version` is in it only to be a part of its name on disk."""

    @entry
    def run(flat: Flat, points: Points, known: Hashes, rules: KernelRules, seed: Hashes) -> Signed:
        version  # noqa: B018  # see crash.compiled
        key, seen, now = np.zeros(2, np.uint64), np.zeros(3, np.int64), np.zeros(2, np.int64)
        sequence = np.zeros(len(flat.files), np.int64)
        signed: Signed = _sign(flat, points, Tools(rules, known, key, seen, now, sequence, seed))
        return signed

    return run


def _control(trace: Trace) -> str:
    return CONTROL if DIALECTS[trace.edition].control_file else ""


@lru_cache(1 << 14)
def _plan(edition: str, content: bytes) -> str:
    return repr(control_lists(content, DIALECTS[edition]))


def _says(trace: Trace, content: bytes) -> str:
    """Return what a control file has recovery do, in words: nothing else in it matters."""
    return _plan(trace.edition, content)


signatures = Kernel(
    _compiled(stamp(globals())),
    _order,
    hash_of_key,
    lambda trace: (rules_of(trace.edition), trace_seed(trace)),
    _control,
    _says,
)
