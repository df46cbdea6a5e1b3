"""What tells states apart beside their bytes: what recovery can look at of them, and what comes out.

Three counts stand side by side in every report, for a state that differs from another one
only where nobody looks says nothing new. *Contents* are all bytes. *Visible contents* are names, sizes
and the bytes that recovery can look at: how far into each file, the format says (:class:`Reach`).
*Outcomes* are what is owed, whether refusing is allowed, and the answers of all readers.

The numbers are digests of 64 bits: among ten million of them two that collide are expected three times in
a million builds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import DATA, NAMES, SIZE, Block, Codes, CrashPoint
from journalspec_corpus.crash.expected import REFUSALS, Expected
from journalspec_corpus.crash.fingerprints import content_pair, packed, packed_rows
from journalspec_corpus.crash.ids import content_words
from journalspec_corpus.crash.trace import Create, Preallocate, Rename, Trace, Truncate, Unlink, Write
from journalspec_corpus.crash.verdict import Answer

DIGEST_BYTES = 8
#: How many digests of outcomes are remembered, and characters of answers: a key may hold a whole row.
MOST_KNOWN = 1 << 17
MOST_CHARACTERS = 1 << 25
#: How texts become bytes, whatever a reader put into them.
_TEXT = "utf-8", "surrogatepass"
#: Of what an outcome is put together: many answers are long, and each is hashed once.
_PART_BYTES = 16
Column = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Reach:
    """How far recovery can look into each file.

    ``ends(heads, sizes)`` takes the first `head` bytes of each file (fewer of a shorter one) and its
    size, by name, and returns for each an offset. Nothing at or behind it changes any reader's answer,
    under whichever policy.
    """

    head: int
    ends: Callable[[Mapping[str, bytes], Mapping[str, int]], Mapping[str, int]]


def visible_ends(reach: Reach | None, files: Mapping[str, bytes]) -> dict[str, int]:
    """Return how many bytes of each of `files` recovery can look at, at most its size."""
    sizes = {name: len(content) for name, content in files.items()}
    if reach is None:
        return sizes
    ends = reach.ends({name: content[: reach.head] for name, content in files.items()}, sizes)
    return {name: min(size, ends[name]) for name, size in sizes.items()}


def visible_id(files: Mapping[str, bytes], reach: Reach | None) -> bytes:
    """Return the digest of what recovery can look at of `files`, the plain way."""
    ends = visible_ends(reach, files)
    content = packed(content_pair({name: content[: ends[name]] for name, content in files.items()}))
    sizes = {name: len(content) for name, content in files.items()}
    return content[:DIGEST_BYTES] if ends == sizes else _cut(content, sizes)


def _cut(content: bytes, sizes: Mapping[str, int]) -> bytes:
    """Return the digest of files that go on behind what is looked at: `content` names what is."""
    return cut_digest(content, sizes_text(sizes))


def sizes_text(sizes: Mapping[str, int]) -> bytes:
    """Return what stands for the names and the whole sizes of files in a digest."""
    return "\0".join(f"{name}/{size}" for name, size in sorted(sizes.items())).encode()


def cut_digest(content: bytes, text: bytes) -> bytes:
    """Return the digest of what is looked at (`content`) and of all sizes (:func:`sizes_text`)."""
    return hashlib.blake2b(content + text, digest_size=DIGEST_BYTES).digest()


def unread_writes(trace: Trace, reach: Reach | None) -> frozenset[int]:
    """Return the writes of `trace` of which recovery can look at no byte, if all before has arrived.

    Such a write begins where nobody looks any more and does not make its file longer. So whatever
    arrives of it, names, sizes, heads and thus ends stay what they were, and so does all before them.
    """
    if reach is None:
        return frozenset()
    heads = {name: content[: reach.head] for name, content in trace.base.items()}
    sizes = {name: len(content) for name, content in trace.base.items()}
    out = set()
    ends: Mapping[str, int] | None = None
    for index, op in enumerate(trace.ops):
        if isinstance(op, Write) and reach.head <= op.off and op.off + len(op.data) <= sizes[op.file]:
            ends = reach.ends(heads, sizes) if ends is None else ends
            if op.off >= ends[op.file]:
                out.add(index)
            continue
        if isinstance(op, (Write, Preallocate, Truncate)):
            _change(op, heads, sizes, reach.head)
        elif isinstance(op, Create):
            heads[op.file], sizes[op.file] = b"", 0
        elif isinstance(op, Rename):
            heads[op.new], sizes[op.new] = heads.pop(op.old), sizes.pop(op.old)
        elif isinstance(op, Unlink):
            del heads[op.file], sizes[op.file]
        else:
            continue
        ends = None
    return frozenset(out)


def _change(
    op: Write | Preallocate | Truncate, heads: dict[str, bytes], sizes: dict[str, int], most: int
) -> None:
    """Do `op` to the head and the size of its file."""
    head, size = heads[op.file], sizes[op.file]
    if isinstance(op, Truncate):
        size = op.size
    else:
        data = op.data or b""
        size = max(size, op.off + (op.length if isinstance(op, Preallocate) else len(data)))
        if data and op.off < most:
            front = head[: op.off].ljust(op.off, b"\0")
            head = front + data[: most - op.off] + head[op.off + len(data) :]
    heads[op.file] = head[: min(size, most)].ljust(min(size, most), b"\0")
    sizes[op.file] = size


def visible_ids(
    point: CrashPoint, codes: Codes, contents: Sequence[bytes], reach: Reach | None
) -> list[bytes]:
    """Return for each row of `codes` what :func:`visible_id` gives; `contents` are the rows' content ids."""
    if reach is None:
        return [content[:DIGEST_BYTES] for content in contents]
    alike = _alike(point, codes, reach)
    layouts = [
        (np.asarray(rows), names, _by_number(names, ends, len(point.sizes)))
        for rows, names, sizes, ends in alike
        if ends != sizes
    ]
    shortened = packed_rows(content_words(point, codes, layouts)) if layouts else []
    out = [content[:DIGEST_BYTES] for content in contents]
    for rows, _, sizes, ends in alike:
        if ends != sizes:
            text = sizes_text(sizes)
            for row in rows:
                out[row] = cut_digest(shortened[row], text)
    return out


def _by_number(names: Mapping[str, int], ends: Mapping[str, int], files: int) -> list[int]:
    """Return for each of so many files where it ends, 0 for one without a name."""
    out = [0] * files
    for name, number in names.items():
        out[number] = ends[name]
    return out


#: Rows with the same names, sizes and ends, and these.
_Group = tuple[list[int], Mapping[str, int], dict[str, int], dict[str, int]]


def _alike(point: CrashPoint, codes: Codes, reach: Reach) -> list[_Group]:
    """Return the rows by how far recovery can look; asked once for all that have the same heads."""
    deciding = [
        at
        for at, block in enumerate(point.blocks)
        if block.kind != DATA or block.index * point.granule < reach.head
    ]
    shown = np.empty((len(codes), len(deciding)), codes.dtype)
    for column, at in enumerate(deciding):
        shown[:, column] = _by_head(point.blocks[at], point.granule, reach.head)[codes[:, at]]
    kinds: dict[tuple[int, ...], list[int]] = {}
    for row, key in enumerate(map(tuple, shown.tolist())):
        kinds.setdefault(key, []).append(row)
    found: dict[tuple[tuple[str, int, int, int], ...], _Group] = {}
    starts = [content[: reach.head] for content in point.contents]
    for key, rows in kinds.items():
        names, lengths, contents = point.names, list(point.sizes), starts.copy()
        for at, code in zip(deciding, key, strict=True):
            block = point.blocks[at]
            value = block.versions[code]
            if block.kind == NAMES:
                names = value
            elif block.kind == SIZE:
                lengths[block.file] = value
            else:
                head, start = contents[block.file], block.index * point.granule
                contents[block.file] = head[:start].ljust(start, b"\0") + value + head[start + len(value) :]
        sizes = {name: lengths[number] for name, number in names.items()}
        heads = {
            name: contents[number][: min(reach.head, sizes[name])].ljust(min(reach.head, sizes[name]), b"\0")
            for name, number in names.items()
        }
        said = reach.ends(heads, sizes)
        ends = {name: min(size, said[name]) for name, size in sizes.items()}
        group = tuple(sorted((name, names[name], sizes[name], ends[name]) for name in names))
        found.setdefault(group, ([], names, sizes, ends))[0].extend(rows)
    return list(found.values())


def _by_head(block: Block, granule: int, head: int) -> Codes:
    """Return for each version of a block the first one that has the same bytes before `head`."""
    versions = block.versions
    if block.kind == DATA:
        versions = tuple([version[: head - block.index * granule] for version in versions])
    first: dict[Any, int] = {}
    # Sets of names cannot be told apart by a dictionary; they are few.
    told = range(len(versions)) if block.kind == NAMES else versions
    return np.asarray([first.setdefault(version, at) for at, version in enumerate(told)], np.uint16)


class Outcomes:
    """Digests of what is owed in a state and what all readers answered, for one trace after another.

    Traces that go on from the same crash owe the same and are answered the same: each digest is
    made once. Answers that hold a record that nobody wrote are one answer, as they are to a verdict.
    """

    def __init__(self) -> None:
        self._keys: Collection[str] = ()
        #: by identity, each with what has it: nothing else comes to have it
        self._begun: dict[int, tuple[Expected, bytes]] = {}
        self._given: dict[int, tuple[Answer, bytes]] = {}
        self._parts: dict[int, tuple[Sequence[Answer], bytes]] = {}
        #: digests of answers: equal ones come in many crash points
        self._digests: dict[Answer, bytes] = {}
        self._characters = 0
        #: by what is owed, refusal and digests of answers
        self._known: dict[tuple[bytes, str, bytes], bytes] = {}

    def begin(self, keys: Collection[str]) -> None:
        """Go on to a trace: `keys` are those of all records that were written in it, or before it."""
        self._keys = keys
        self._begun.clear()
        self._given.clear()
        self._parts.clear()
        if len(self._known) > MOST_KNOWN:
            self._known.clear()

    def id(self, given: Sequence[Answer], refusal: str, expected: Expected) -> bytes:
        """Return the digest of what is owed in one state and what all readers answered."""
        begun = self._begun.get(id(expected))
        if begun is None:
            begun = self._begun[id(expected)] = expected, _digest(_owed(expected).encode(*_TEXT))
        parts = self._parts.get(id(given))
        if parts is None:
            parts = self._parts[id(given)] = given, b"".join(map(self._said, given))
        place = begun[1], refusal, parts[1]
        found = self._known.get(place)
        if found is None:
            whole = begun[1] + parts[1] + refusal.encode()
            found = self._known[place] = _digest(whole, DIGEST_BYTES)
        return found

    def _said(self, answer: Answer) -> bytes:
        """Return the digest of an answer; all that hold a record that nobody wrote have the same."""
        known = self._given.get(id(answer))
        if known is None:
            known = self._given[id(answer)] = answer, self._digested(answer)
        return known[1]

    def _digested(self, answer: Answer) -> bytes:
        keys = (*answer.keys, *answer.aside)
        self._characters += sum(map(len, keys))
        if self._characters > MOST_CHARACTERS:
            self._characters = 0
            for memo in (self._given, self._parts, self._digests):
                memo.clear()
        if answer.refused is None and not all(map(self._keys.__contains__, keys)):
            return _FOREIGN
        found = self._digests.get(answer)
        if found is None:
            said = in_order((answer.keys, answer.refused, answer.reported, answer.aside, answer.state))
            found = self._digests[answer] = _digest(repr(said).encode(*_TEXT))
        return found


def outcome_ids(
    found: Sequence[tuple[Answer, ...]],
    which: npt.NDArray[np.int32],
    refusals: Column,
    expected: Expected,
    outcomes: Outcomes,
) -> list[bytes]:
    """Return for each row the digest of what is owed in it and what all readers answered.

    Row i has the answers ``found[which[i]]`` and the refusal ``REFUSALS[refusals[i]]``.
    """
    known: dict[tuple[int, int], bytes] = {}
    out = []
    for place in zip(which.tolist(), refusals.tolist(), strict=True):
        if place not in known:
            known[place] = outcomes.id(found[place[0]], REFUSALS[place[1]], expected)
        out.append(known[place])
    return out


def outcome_id(answer: Answer, refusal: str, expected: Expected, keys: Collection[str]) -> bytes:
    """Return the digest of what is owed in one state and what one reader answered."""
    outcomes = Outcomes()
    outcomes.begin(keys)
    return outcomes.id((answer,), refusal, expected)


def words_of(ids: Sequence[bytes]) -> npt.NDArray[np.uint64]:
    """Return the first 64 bits of each of `ids` as numbers."""
    raw = b"".join([name[:DIGEST_BYTES] for name in ids])
    return np.frombuffer(raw, ">u8").astype(np.uint64)


def _owed(expected: Expected) -> str:
    """Return what is owed at a crash point, in the words of readers."""
    sets = (expected.must_keep, expected.may_keep, expected.must_drop)
    records = sorted(expected.record_of.items())
    words = [[key for key, record in records if record in of] if of else [] for of in sets]
    return repr((expected.stratum, words))


def _digest(data: bytes, size: int = _PART_BYTES) -> bytes:
    return hashlib.blake2b(data, digest_size=size).digest()


#: No answer has these words: theirs begin with a parenthesis.
_FOREIGN = _digest(b"foreign")


def in_order(value: object) -> object:
    """Return `value` with what has no order of its own (sets, mappings) in one, also within it."""
    if type(value) is str:
        return value
    if type(value) is tuple:
        # Nearly all that there is are texts, and tuples of them.
        return tuple([each if type(each) is str else in_order(each) for each in value])
    if isinstance(value, Mapping):
        return sorted((repr(in_order(key)), repr(in_order(item))) for key, item in value.items())
    if isinstance(value, (set, frozenset)):
        return sorted(repr(in_order(item)) for item in value)
    if isinstance(value, (tuple, list)):
        return tuple(in_order(item) for item in value)
    return value
