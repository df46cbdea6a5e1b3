"""Recovery of the journal in compiled code, to see which states get the same answer.

It repeats the decisions of :mod:`.crash_reader` on whole files: headers, the
order of files, the search for candidates, every check of a record, the hash.
What goes into a signature is all that the readers tell apart: the problem, the
files' ids and editions, every record with what it counts, and whether candidates
were rejected. As soon as a record comes out that nobody ever wrote, the rest
makes no difference to any verdict; all such states are one and the same here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from journalspec_corpus.crash.cells import NAMES, Codes, Group
from journalspec_corpus.crash.kernel import (
    ENTRY,
    FIRST_PAGE,
    FLAGS,
    NEXT,
    PAGE,
    REACH,
    SIZE_NOW,
    STALE,
    START,
    Bytes,
    Flat,
    Hashes,
    Ints,
    Known,
    Pages,
    by_names,
    entry,
    flatten,
    forget,
    forget_all,
    helper,
    int32,
    int64,
    mix,
    new_pages,
    stamp,
    start_hash,
    trace_seed,
    turn,
)
from journalspec_corpus.jboss_journal import kernel_record, kernel_rules
from journalspec_corpus.jboss_journal.crash_run import EXTENSIONS
from journalspec_corpus.jboss_journal.kernel_record import (
    FOREIGN,
    TORN,
    Tools,
    candidate,
    mix_key,
    next_candidate,
)
from journalspec_corpus.jboss_journal.kernel_rules import (
    NO_VERSION,
    TYPES,
    Rules,
    rules_of,
)
from journalspec_reference.jboss_journal import codec
from journalspec_reference.jboss_journal.codec import DIALECTS, PROLOGUE
from journalspec_reference.jboss_journal.fileset import CONTROL, gather

#: Whose answers are told apart, and how many answer paths are followed first.
READERS = ("strict", "salvage", "counts-not-compared")
PATIENCE = 0
#: Problems of a file.
_NONE, _SHORT, _BAD_VERSION, _BAD_USER = range(4)


def signatures(group: Group, codes: Codes) -> Hashes | None:
    """Return two numbers per row; rows with the same ones get the same answer from every reader.

    None where a control file that is itself in flight says which files count: the
    plain reader has to look.
    """
    flat = flatten(group)
    if flat is None:
        return None
    edition = group.trace.edition
    rules, known, seed = rules_of(edition), _KNOWN.of(group.trace), trace_seed(group.trace)
    out = np.zeros((len(codes), 2), np.uint64)
    for rows, part, names in by_names(group, codes):
        order = _order(group, names)
        if order is None:
            return None
        out[rows] = _run(flat, part, order, rules, known, seed)
    return out


def _order(group: Group, names: Mapping[str, int]) -> Ints | None:
    """Return the numbers of the data files in the order of their names; None if more than names decides."""
    edition = group.trace.edition
    extension = "." + EXTENSIONS[edition]
    if DIALECTS[edition].control_file and CONTROL in names:
        control = names[CONTROL]
        if any(cell.file == control for cell in group.cells if cell.kind != NAMES):
            return None
        contents = dict.fromkeys(names, b"")
        contents[CONTROL] = group.contents[control][: group.sizes[control]]
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


class Found(NamedTuple):
    """What was found in each file when it was last searched.

    A row of `headers` is what is wrong with the file, its id, which form it has and the
    flags; one of `before` the id, form and size that the search had; `hash` is its result.
    """

    headers: Ints
    before: Ints
    hash: Hashes


@helper
def _examine(flat: Flat, file: int, rules: Rules, header: Ints) -> None:
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
def _read_page(flat: Flat, pages: Pages, page: int, file: int, at: int, older: int, tools: Tools) -> None:
    """Search from `at` to the end of its page, and remember what was found."""
    base, limit = flat.files[file, START], flat.files[file, SIZE_NOW]
    reach, item, total = tools.reach, tools.item, pages.hash[page]
    start_hash(total)
    flags, edge = 0, min(limit, (at // PAGE + 1) * PAGE)
    pages.numbers[page, ENTRY] = at
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
        at = found + 1
        if what != TORN:
            at = reach[1] - base
            mix(total, item[0])
            mix(total, item[1])
    pages.numbers[page, REACH], pages.numbers[page, NEXT] = reach[0] - base, at
    pages.numbers[page, FLAGS] = flags


@helper
def _search(flat: Flat, pages: Pages, file: int, header: Ints, tools: Tools, h: Hashes) -> int:
    """Set `h` to what is found in `file` and return its flags."""
    stamped, numbers = tools.stamped, pages.numbers
    for index in range(4):
        stamped[index] = (header[1] >> (8 * (3 - index))) & 0xFF
    if tools.rules.lowest != NO_VERSION:
        stamped[0] &= 0x7F
    flags = 0
    start_hash(h)
    at, size, first = tools.rules.header, flat.files[file, SIZE_NOW], flat.files[file, FIRST_PAGE]
    while at < size:
        page = first + at // PAGE
        if numbers[page, ENTRY] != at:
            _read_page(flat, pages, page, file, at, header[2], tools)
        mix(h, pages.hash[page, 0])
        mix(h, pages.hash[page, 1])
        flags |= numbers[page, FLAGS]
        at = numbers[page, NEXT]
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
def _look(flat: Flat, pages: Pages, file: int, found: Found, tools: Tools) -> None:
    """Examine and search a file that has changed; forget what was found under another header or size."""
    header, before = found.headers[file], found.before[file]
    _examine(flat, file, tools.rules, header)
    forget(flat, pages, file)
    size = flat.files[file, SIZE_NOW]
    if before[0] != header[1] or before[1] != header[2] or before[2] != size:
        forget_all(flat, pages, file)
        before[0], before[1], before[2] = header[1], header[2], size
    if header[0] == _NONE:
        header[3] = _search(flat, pages, file, header, tools, found.hash[file])


@helper
def _recover(order: Ints, found: Found, rules: Rules, h: Hashes) -> int:
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
def _nobodys(what: int, seed: Hashes, rules: Rules, h: Hashes) -> None:
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
    def run(flat: Flat, codes: Codes, order: Ints, rules: Rules, known: Hashes, seed: Hashes) -> Hashes:
        version  # noqa: B018  # see crash.kernel
        pages = new_pages(flat)
        item, reach, stamped = np.zeros(2, np.uint64), np.zeros(2, np.int64), np.zeros(4, np.uint8)
        tools = Tools(rules, known, item, reach, stamped)
        count = len(flat.files)
        headers, before = np.zeros((count, 4), np.int64), np.zeros((count, 3), np.int64)
        found = Found(headers, before, np.zeros((count, 2), np.uint64))
        sequence = order.copy()
        out = np.zeros((len(codes), 2), np.uint64)
        for row in range(len(codes)):
            if not turn(flat, codes, row) and row > 0:
                out[row, 0], out[row, 1] = out[row - 1, 0], out[row - 1, 1]
                continue
            for index in range(len(order)):
                sequence[index] = order[index]
                if flat.files[order[index], STALE]:
                    _look(flat, pages, order[index], found, tools)
            _sort(sequence, headers)
            what = _recover(sequence, found, rules, out[row])
            if what & FOREIGN:
                _nobodys(what, seed, rules, out[row])
        return out

    return key, run


_hash_key, _run = _compiled(stamp(__file__, kernel_record, kernel_rules, codec))
