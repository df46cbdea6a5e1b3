"""A corrupted state by its label, the plain way: build the files, then do to them what it says."""

from __future__ import annotations

from journalspec_corpus.crash.cells import DATA, Timeline
from journalspec_corpus.crash.rot_places import burst
from journalspec_corpus.crash.trace import Trace

SECTOR, BLOCK = 512, 4096


def rotten_files(trace: Trace, crash_index: int, rot: str, seed: int) -> dict[str, bytes]:
    """Return the files after corruption `rot`; raises ValueError if it is none of this state."""
    line = Timeline(trace, SECTOR)
    line.advance(crash_index)
    files = line.group(settled=True).materialise(b"")
    kind, _, rest = rot.partition(":")
    parts = rest.split(":")
    if parts[0] not in files:
        raise ValueError(f"{rot!r} is about a file that is not there")
    name, given = parts[0], parts[1:]
    content = bytearray(files[name])
    if kind in ("bit", "bits"):
        for place, bit in zip(given[::2], given[1::2], strict=True):
            content[int(place)] ^= 1 << int(bit)
    elif kind == "burst":
        off, length = int(given[0]), int(given[1])
        changed = burst(files[name], off, length, f"{seed}/{rot}")
        content[off : off + len(changed)] = changed
    elif kind in ("zero", "lse"):
        unit = SECTOR if kind == "zero" else BLOCK
        start = int(given[0]) * unit
        content[start : start + unit] = bytes(len(content[start : start + unit]))
    elif kind == "clear":
        content[int(given[0]) :] = bytes(len(content) - int(given[0]))
    elif kind in ("cut", "eio"):
        del content[int(given[0]) * (SECTOR if kind == "eio" else 1) :]
    elif kind in ("phantom", "misdirect"):
        return _stray(trace, crash_index, files, kind, parts)
    else:
        return _whole(trace, files, rot, kind, parts)
    return {**files, name: bytes(content)}


def _whole(trace: Trace, files: dict[str, bytes], rot: str, kind: str, parts: list[str]) -> dict[str, bytes]:
    name = parts[0]
    if kind == "missing":
        return {other: content for other, content in files.items() if other != name}
    if kind == "doubled":
        return {**files, parts[1]: files[name]}
    if kind == "swapped":
        return {**files, name: files[parts[1]], parts[1]: files[name]}
    if kind == "older":
        line = Timeline(trace, SECTOR)
        line.advance(int(parts[1]))
        return {**files, name: line.group(settled=True).materialise(b"")[name]}
    raise ValueError(f"no corruption {rot!r}")


def _stray(
    trace: Trace, crash_index: int, files: dict[str, bytes], kind: str, parts: list[str]
) -> dict[str, bytes]:
    """Return the files with one sector as it was before its last change, which may have gone elsewhere."""
    line = Timeline(trace, SECTOR)
    line.advance(crash_index)
    group = line.group(lying=True)
    number, sector = line.group(settled=True).names[parts[0]], int(parts[1])
    cell = next(each for each in group.cells if (each.kind, each.file, each.index) == (DATA, number, sector))
    out = {name: bytearray(content) for name, content in files.items()}
    if kind == "misdirect":
        _put(out[parts[2]], int(parts[3]), cell.versions[-1])
    _put(out[parts[0]], sector, cell.versions[-2])
    return {name: bytes(content) for name, content in out.items()}


def _put(content: bytearray, sector: int, data: bytes) -> None:
    start = sector * SECTOR
    content[start : start + SECTOR] = data[: len(content[start : start + SECTOR])]
