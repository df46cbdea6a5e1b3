"""Random damage that follows the structure of a journal.

It is fast, but has no oracle: there is no expectation for the damaged journal.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from journalspec_corpus.drawn import DrawnJournal, Field

MOST_DAMAGES = 4
FIRST_BITS = (7, 8, 15, 16, 31, 32, 63)
WORD = 8

Files = dict[str, bytes]


def damaged(journal: DrawnJournal, rng: random.Random) -> tuple[str, Files]:
    """Damage the files up to MOST_DAMAGES times. Return the name of the last damage, and the files."""
    files = dict(journal.files)
    kinds: list[str] = []
    # Usually there is only one damage, because a reader rarely reaches a second one. A damage without effect
    # is followed by another.
    left = 1 + rng.randrange(MOST_DAMAGES) * (rng.randrange(3) == 0)
    while len(kinds) < left or (files == journal.files and len(kinds) < 2 * MOST_DAMAGES):
        kinds.append(rng.choice(_NAMES))
        _DAMAGES[kinds[-1]](journal, files, rng)
    return kinds[-1], files


def _place(journal: DrawnJournal, files: Files, rng: random.Random) -> Field | None:
    """Return a field that still lies within its file, or a random byte of a file."""
    for _ in range(4):
        if not journal.fields:
            break
        field = rng.choice(journal.fields)
        if field.length and field.off + field.length <= len(files.get(field.file, b"")):
            return field
    names = [name for name, content in files.items() if content]
    if not names:
        return None
    name = rng.choice(names)
    return Field(name, rng.randrange(len(files[name])), 1, "byte")


def _put(files: Files, name: str, off: int, data: bytes) -> None:
    content = files[name]
    files[name] = content[:off] + data + content[off + len(data) :]


def _flip(journal: DrawnJournal, files: Files, rng: random.Random) -> None:
    place = _place(journal, files, rng)
    if place is not None:
        off = place.off + rng.randrange(place.length)
        _put(files, place.file, off, bytes([files[place.file][off] ^ 1 << rng.randrange(8)]))


def _number(journal: DrawnJournal, files: Files, rng: random.Random) -> None:
    """Set a field to a number that programs often handle wrong."""
    place = _place(journal, files, rng)
    if place is None:
        return
    size = min(place.length, WORD)
    old = int.from_bytes(files[place.file][place.off : place.off + size], place.order)
    bit = rng.choice(FIRST_BITS)
    near = (old + 1, old - 1, old + rng.randint(-70, 70))
    chosen = rng.choice((0, 1, -1, *near, (1 << bit) - 1, 1 << bit, -(1 << bit), rng.getrandbits(64)))
    _put(files, place.file, place.off, (chosen % (1 << 8 * size)).to_bytes(size, place.order))


def _noise(journal: DrawnJournal, files: Files, rng: random.Random) -> None:
    place = _place(journal, files, rng)
    if place is not None:
        room = len(files[place.file]) - place.off
        _put(files, place.file, place.off, rng.randbytes(min(rng.randrange(1, 24), room)))


def _truncate(journal: DrawnJournal, files: Files, rng: random.Random) -> None:
    place = _place(journal, files, rng)
    if place is not None:
        files[place.file] = files[place.file][: place.off + rng.randrange(place.length + 1)]


def _extend(journal: DrawnJournal, files: Files, rng: random.Random) -> None:
    name = rng.choice(sorted(files))
    files[name] += rng.choice((bytes(rng.randrange(70)), rng.randbytes(rng.randrange(70)), files[name][:100]))


def _move(journal: DrawnJournal, files: Files, rng: random.Random) -> None:
    """Copy a range to another offset, over the bytes there or inserted before them."""
    place, target = _place(journal, files, rng), _place(journal, files, rng)
    if place is None or target is None:
        return
    size = rng.choice((place.length, 37, 64, 110, 512))
    piece = files[place.file][place.off : place.off + size]
    if rng.randrange(2):
        _put(files, target.file, target.off, piece[: len(files[target.file]) - target.off])
    else:
        content = files[target.file]
        files[target.file] = content[: target.off] + piece + content[target.off :]


def _cut_out(journal: DrawnJournal, files: Files, rng: random.Random) -> None:
    place = _place(journal, files, rng)
    if place is not None:
        content = files[place.file]
        end = place.off + rng.choice((1, place.length, rng.randrange(1, 80)))
        files[place.file] = content[: place.off] + content[end:]


def _block(journal: DrawnJournal, files: Files, rng: random.Random) -> None:
    """Replace an aligned block with the content of the file's previous generation, or with zeros."""
    name = rng.choice(sorted(files))
    size = rng.choice((16, 64, 512))
    start = size * rng.randrange(len(files[name]) // size + 1)
    end = min(start + size, len(files[name]))
    old = journal.before.get(name, b"") if rng.randrange(2) else b""
    _put(files, name, start, old[start:end].ljust(end - start, b"\0"))


def _fileset(journal: DrawnJournal, files: Files, rng: random.Random) -> None:
    """Remove or empty a file, exchange two files, or add a file."""
    names = sorted(files)
    name, other = rng.choice(names), rng.choice(names)
    choice = rng.randrange(4)
    if choice == 0:
        files[name] = b""
    elif choice == 1 and len(names) > 1:
        del files[name]
    elif choice == 2:  # This is the third of four choices.
        files[name], files[other] = files[other], files[name]
    else:
        files[name + "2"] = files[name]


_DAMAGES: Mapping[str, Callable[[DrawnJournal, Files, random.Random], None]] = {
    "flip": _flip,
    "number": _number,
    "bytes": _noise,
    "truncate": _truncate,
    "extend": _extend,
    "move": _move,
    "cut-out": _cut_out,
    "block": _block,
    "fileset": _fileset,
}
#: Numbers are chosen twice as often, because readers fail most often at lengths and counts.
_NAMES = (*_DAMAGES, "number", "number", "flip")
