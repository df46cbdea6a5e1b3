"""Recovery of the journal in compiled code, to see which states get the same answer.

It repeats the decisions of the reference on whole files: headers, the
order of files, the search for candidates, every check of a record, the hash.
What goes into a signature is all that the readers tell apart: the problem, the
files' ids and editions, every record with what it counts, and whether candidates
were rejected. As soon as a record comes out that nobody ever wrote, the rest
makes no difference to any verdict; all such states are one and the same here.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from journalspec_corpus.crash.blocks import NAMES, Codes, CrashPoint
from journalspec_corpus.crash.kernel import (
    ENTRY,
    FIRST_PAGE,
    FLAGS,
    HIGH,
    NEXT,
    REACH,
    SIZE_NOW,
    STALE,
    START,
    WHOLE,
    Bytes,
    Flat,
    Hashes,
    Ints,
    Known,
    Memory,
    by_names,
    crc32,
    entry,
    flatten,
    forget,
    forget_all,
    helper,
    int32,
    int64,
    is_known,
    mix,
    mix_bytes,
    stamp,
    start_hash,
    trace_seed,
    turn,
)
from journalspec_corpus.crash.pages import PAGE
from journalspec_corpus.jboss_journal.recording import EXTENSIONS
from journalspec_reference.jboss_journal import codec
from journalspec_reference.jboss_journal.codec import (
    CHECK_SIZE,
    DIALECTS,
    PAIR,
    PROLOGUE,
    Dialect,
    forms,
    of_version,
)
from journalspec_reference.jboss_journal.fileset import CONTROL, gather

#: Problems of a file.
_NONE, _SHORT, _BAD_VERSION, _BAD_USER = range(4)
#: Columns of a form: what `codec.forms` says about one record type.
SIZE, TX, ID, LENGTH, USER_TYPE, TALLY, LISTED, NAME = range(8)
#: Every record type of any edition; a key has the name.
TYPES = sorted({kind.name for dialect in DIALECTS.values() for kind in dialect.kinds.values()})
#: The lowest and highest version of an edition whose files have none.
NO_VERSION = -1
#: What a candidate may be, and a page hold: a rejected candidate, a record that nobody wrote.
TORN, FOREIGN = 1, 2
RECORD = 0
_PAIR_SIZE = PAIR.size


class KernelRules(NamedTuple):
    """An edition in numbers; for one with versions, with what its older files are written in.

    `forms` has shape (2, 256, 8): of the edition and of version 1; type numbers that
    an edition does not have have size 0. `versions` are the lowest and the highest,
    or twice -1.
    """

    forms: Ints
    header: int
    lowest: int
    highest: int
    hashed: bool
    edition: int


@cache
def rules_of(edition: str) -> KernelRules:
    """Return `edition` in numbers; raises KeyError if there is none of that name."""
    dialect = DIALECTS[edition]
    versions = dialect.versions or (NO_VERSION,)
    table = np.stack([_table(dialect), _table(of_version(dialect, 1))])
    number = sorted(DIALECTS).index(edition)
    return KernelRules(table, dialect.header_size, min(versions), max(versions), dialect.hashed, number)


def _table(dialect: Dialect) -> Ints:
    """Return where each field of each record type is, from the record's start; -1 for none."""
    out = np.full((256, 8), -1, np.int64)
    out[:, SIZE] = 0
    for code, form in forms(dialect).items():
        places = [PROLOGUE]
        for letter in form.struct.format.lstrip(">"):
            places.append(places[-1] + struct.calcsize(">" + letter))
        named = (form.tx, form.id, form.length, form.user_type, form.tally, form.listed)
        fields = [-1 if at is None else places[at] for at in named]
        out[code] = [form.size, *fields, TYPES.index(form.kind.name)]
    return out


def signatures(point: CrashPoint, codes: Codes) -> Hashes | None:
    """Return two numbers per row; rows with the same ones get the same answer from every reader.

    None where a control file that is itself in flight says which files count: the
    plain reader has to look.
    """
    flat = flatten(point)
    if flat is None:
        return None
    edition = point.trace.edition
    rules, known, seed = rules_of(edition), _KNOWN.of(point.trace), trace_seed(point.trace)
    out = np.zeros((len(codes), 2), np.uint64)
    for rows, part, names in by_names(point, codes):
        order = _order(point, names)
        if order is None:
            return None
        out[rows] = _run(flat, part, order, rules, known, seed)
    return out


def _order(point: CrashPoint, names: Mapping[str, int]) -> Ints | None:
    """Return the numbers of the data files in the order of their names; None if more than names decides."""
    edition = point.trace.edition
    extension = "." + EXTENSIONS[edition]
    if DIALECTS[edition].control_file and CONTROL in names:
        control = names[CONTROL]
        if any(block.file == control for block in point.blocks if block.kind != NAMES):
            return None
        contents = dict.fromkeys(names, b"")
        contents[CONTROL] = point.contents[control][: point.sizes[control]]
        found = gather(contents, DIALECTS[edition], {"extension": extension[1:]}).files
        listed = sorted((file.name for file in found), key=_natural)
        return np.asarray([names[name] for name in listed], np.int64)
    mine = sorted(
        (int(name.removesuffix(extension).rpartition("-")[2]), number)
        for name, number in names.items()
        if name.endswith(extension)
    )
    return np.asarray([number for _, number in mine], np.int64)


def _natural(name: str) -> list[tuple[int, str]]:
    """Return what puts j-2 before j-10, as files are listed."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def hash_of_key(text: str) -> tuple[int, int]:
    """Return the hash of a record's key."""
    name, tx, ident, user_type, body, extra = text.split(":")
    payload = np.frombuffer(bytes.fromhex(body or extra) + b"\0", np.uint8)
    h = _hash_key(TYPES.index(name), int(tx), int(ident), int(user_type), payload[:-1])
    return int(h[0]), int(h[1])


_KNOWN = Known(hash_of_key)


class Tools(NamedTuple):
    """What a search needs beside the files.

    `known` are the hashes of all keys of the trace, `item` takes that of one record,
    `stamped` the four bytes that the file's records carry behind their type. ``reach[0]``
    is how far a search looked, ``reach[1]`` where the last record found ends.
    """

    rules: KernelRules
    known: Hashes
    item: Hashes
    reach: Ints
    stamped: Bytes


@helper
def mix_key(
    h: Hashes, name: int, tx: int, ident: int, user_type: Any, data: Bytes, start: int, end: int
) -> None:
    """Set `h` to the hash of a record's key; its body or extra data is ``data[start:end]``."""
    start_hash(h)
    mix(h, name)
    mix(h, tx)
    mix(h, ident)
    mix(h, user_type)
    mix_bytes(h, data, start, end)


@helper
def _field(data: Bytes, at: int, place: int) -> int:
    return int32(data, at + place) if place >= 0 else 0


@helper
def _long(data: Bytes, at: int, place: int) -> int:
    return int64(data, at + place) if place >= 0 else 0


@helper
def _end_of(data: Bytes, at: int, limit: int, form: Ints, reach: Ints) -> int:
    """Return where the candidate at `at` ends, 0 if it cannot be a record; `reach` is how far that looked."""
    fixed = at + form[SIZE] + CHECK_SIZE
    if fixed > limit:
        return 0
    reach[0] = max(reach[0], fixed)
    size, listed = _field(data, at, form[LENGTH]), _field(data, at, form[LISTED])
    end = fixed + size + _PAIR_SIZE * listed
    return 0 if size < 0 or listed < 0 or end > limit else end


@helper
def _accepted(data: Bytes, at: int, end: int, hashed: bool) -> Any:
    stored = int32(data, end - CHECK_SIZE)
    if hashed:
        return np.uint64(stored) & np.uint64(0xFFFFFFFF) == crc32(data, at, end - CHECK_SIZE, 0)
    return stored == end - at


@helper
def candidate(data: Bytes, at: int, limit: int, form: Ints, tools: Tools) -> int:
    """Return what a candidate is, and set `tools` to its key and its end if it is a record."""
    h, reach = tools.item, tools.reach
    end = _end_of(data, at, limit, form, reach)
    if end == 0:
        return TORN
    reach[0] = max(reach[0], end)
    if not _accepted(data, at, end, tools.rules.hashed):
        return TORN
    body = at + form[SIZE]
    size, listed = _field(data, at, form[LENGTH]), _field(data, at, form[LISTED])
    user_type = np.int64(data[at + form[USER_TYPE]]) if form[USER_TYPE] >= 0 else 0
    tx, ident = _long(data, at, form[TX]), _long(data, at, form[ID])
    mix_key(h, form[NAME], tx, ident, user_type, data, body, body + size)
    reach[1] = end
    if not is_known(h, tools.known):
        return FOREIGN
    mix(h, _field(data, at, form[TALLY]))
    mix_bytes(h, data, body + size, body + size + _PAIR_SIZE * listed)
    return RECORD


@helper
def next_candidate(data: Bytes, at: int, edge: int, limit: int, older: int, tools: Tools) -> int:
    """Return the next candidate before `edge`, or `edge`."""
    stamped, sizes = tools.stamped, tools.rules.forms[older, :, SIZE]
    end = min(edge, limit - PROLOGUE + 1) + 4
    sought = stamped[3]
    for last in range(at + 4, end):
        # Of the four, the last byte is the one that says something.
        if data[last] != sought:
            continue
        start = last - 4
        if (
            data[start + 1] == stamped[0]
            and data[start + 2] == stamped[1]
            and data[start + 3] == stamped[2]
            and sizes[data[start]] > 0
        ):
            return start
    return edge


class Found(NamedTuple):
    """What was found in each file when it was last searched.

    A row of `headers` is what is wrong with the file, its id, which form it has and the
    flags; one of `before` the id, form and size that the search had, and where it found nothing
    any more; `hash` is its result.
    """

    headers: Ints
    before: Ints
    hash: Hashes


@helper
def _examine(flat: Flat, file: int, rules: KernelRules, header: Ints) -> None:
    """Set `header` to what is wrong with a file, its id, and which of the two forms it has."""
    size, at = flat.files[file, SIZE_NOW], flat.files[file, START]
    header[0], header[1], header[2] = _NONE, 0, 0
    if size < rules.header:
        header[0] = _SHORT
    elif rules.lowest == NO_VERSION:
        header[1] = int32(flat.scratch, at)
    else:
        version = int32(flat.scratch, at)
        header[1] = int64(flat.scratch, at + 8)
        header[2] = 1 if version == 1 else 0
        if not rules.lowest <= version <= rules.highest:
            header[0] = _BAD_VERSION
        elif int32(flat.scratch, at + 4):
            header[0] = _BAD_USER


@helper
def _read_page(flat: Flat, pages: Memory, page: int, file: int, at: int, older: int, tools: Tools) -> None:
    """Search from `at` to the end of its page, and remember what was found."""
    base, limit = flat.files[file, START], flat.files[file, SIZE_NOW]
    reach, item, total = tools.reach, tools.item, pages.hash[page]
    start_hash(total)
    flags, edge = 0, min(limit, (at // PAGE + 1) * PAGE)
    pages.numbers[page, ENTRY], pages.numbers[page, WHOLE] = at, 0
    # The search looks at the bytes of a candidate's front beyond the edge as well.
    reach[0] = base + edge + PROLOGUE
    while at < edge:
        found = next_candidate(flat.scratch, base + at, base + edge, base + limit, older, tools) - base
        if found >= edge:
            at = edge
            break
        form = tools.rules.forms[older, flat.scratch[base + found]]
        what = candidate(flat.scratch, base + found, base + limit, form, tools)
        flags |= what
        pages.numbers[page, WHOLE] = 1
        at = found + 1
        if what != TORN:
            at = reach[1] - base
            mix(total, item[0])
            mix(total, item[1])
    pages.numbers[page, REACH], pages.numbers[page, NEXT] = reach[0] - base, at
    pages.numbers[page, FLAGS] = flags


@helper
def _search(flat: Flat, pages: Memory, file: int, header: Ints, before: Ints, tools: Tools, h: Hashes) -> int:
    """Set `h` to what is found in `file` and return its flags.

    Most of a file that was set aside is empty; where nothing was found behind ``before[3]``,
    nothing is looked for again. `WHOLE` tells of a page whether there is a candidate in it.
    """
    stamped, numbers = tools.stamped, pages.numbers
    for index in range(4):
        stamped[index] = (header[1] >> (8 * (3 - index))) & 0xFF
    if tools.rules.lowest != NO_VERSION:
        stamped[0] &= 0x7F
    flags = 0
    start_hash(h)
    at, size, first = tools.rules.header, flat.files[file, SIZE_NOW], flat.files[file, FIRST_PAGE]
    behind = at
    while at < size and not (at >= before[3] and at % PAGE == 0):
        page = first + at // PAGE
        if numbers[page, ENTRY] != at:
            _read_page(flat, pages, page, file, at, header[2], tools)
        at = numbers[page, NEXT]
        if numbers[page, WHOLE]:
            mix(h, pages.hash[page, 0])
            mix(h, pages.hash[page, 1])
            flags |= numbers[page, FLAGS]
            behind = at
    before[3] = behind
    return flags


@helper
def _sort(order: Ints, headers: Ints) -> None:
    """Sort files by their ids; those with the same one stay as they are."""
    for index in range(1, len(order)):
        place = index
        while place and headers[order[place - 1], 1] > headers[order[place], 1]:
            order[place - 1], order[place] = order[place], order[place - 1]
            place -= 1


@helper
def _look(flat: Flat, pages: Memory, file: int, found: Found, tools: Tools) -> None:
    """Examine and search a file that has changed; forget what was found under another header or size."""
    header, before = found.headers[file], found.before[file]
    _examine(flat, file, tools.rules, header)
    before[3] = max(before[3], flat.files[file, HIGH] + PAGE)
    forget(flat, pages, file)
    size = flat.files[file, SIZE_NOW]
    if before[0] != header[1] or before[1] != header[2] or before[2] != size:
        forget_all(flat, pages, file)
        before[0], before[1], before[2], before[3] = header[1], header[2], size, size
    if header[0] == _NONE:
        header[3] = _search(flat, pages, file, header, before, tools, found.hash[file])


@helper
def _recover(order: Ints, found: Found, rules: KernelRules, h: Hashes) -> int:
    """Set `h` to the signature of what was found in the files; return the problem and the flags."""
    headers = found.headers
    start_hash(h)
    mix(h, rules.edition)
    problem, flags = _NONE, 0
    for file in order:
        wrong = headers[file, 0]
        if wrong != _NONE:
            flags |= TORN
            if problem == _NONE and (wrong != _SHORT or rules.lowest == NO_VERSION):
                problem = wrong
            continue
        mix(h, headers[file, 1])
        mix(h, headers[file, 2])
        mix(h, found.hash[file, 0])
        mix(h, found.hash[file, 1])
        flags |= headers[file, 3]
    mix(h, problem)
    mix(h, flags)
    return (problem << 2) | flags


@helper
def _nobodys(what: int, seed: Hashes, rules: KernelRules, h: Hashes) -> None:
    """Set `h` to the one signature, for each problem, of states that show what nobody wrote."""
    start_hash(h)
    mix(h, rules.edition)
    mix(h, seed[0])
    mix(h, seed[1])
    mix(h, what | TORN)


def _compiled(version: str) -> tuple[Any, Any]:
    """Return the entry functions; `version` is in them only to be a part of their names on disk."""

    @entry
    def key(name: int, tx: int, ident: int, user_type: int, payload: Bytes) -> Hashes:
        version  # noqa: B018  # see crash.kernel
        h = np.zeros(2, np.uint64)
        mix_key(h, name, tx, ident, user_type, payload, 0, len(payload))
        return h

    @entry
    def run(flat: Flat, codes: Codes, order: Ints, rules: KernelRules, known: Hashes, seed: Hashes) -> Hashes:
        version  # noqa: B018  # see crash.kernel
        item, reach, stamped = np.zeros(2, np.uint64), np.zeros(2, np.int64), np.zeros(4, np.uint8)
        tools = Tools(rules, known, item, reach, stamped)
        headers = flat.notes[:, :4]
        found = Found(headers, flat.notes[:, 4:], flat.found)
        sequence = order.copy()
        out = np.zeros((len(codes), 2), np.uint64)
        for row in range(len(codes)):
            if not turn(flat, codes, row) and row > 0:
                out[row, 0], out[row, 1] = out[row - 1, 0], out[row - 1, 1]
                continue
            for index in range(len(order)):
                sequence[index] = order[index]
                if flat.files[order[index], STALE]:
                    _look(flat, flat.pages, order[index], found, tools)
            _sort(sequence, headers)
            what = _recover(sequence, found, rules, out[row])
            if what & FOREIGN:
                _nobodys(what, seed, rules, out[row])
        return out

    return key, run


_hash_key, _run = _compiled(stamp(__file__, codec))
