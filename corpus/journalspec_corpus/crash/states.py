"""A state by its descriptor, rebuilt the plain way: replay, lose, tear, done.

This is the definition that the fast enumeration is held against: it shares the
replay of :mod:`.cells` with it and nothing of the row arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from journalspec_corpus.crash.cells import NAMES, SIZE, Cell, Group, Timeline
from journalspec_corpus.crash.extras import broken_versions, foreign_bytes, garbage_bytes
from journalspec_corpus.crash.model import Preset, get_preset
from journalspec_corpus.crash.rotting import rotten_files
from journalspec_corpus.crash.tearing import as_write
from journalspec_corpus.crash.trace import Trace


@dataclass(frozen=True, slots=True)
class Descriptor:
    """Everything that a state is a function of, next to the trace itself.

    `crash_index` operations had been issued. In a prefix preset the operation at
    `crash_index` arrived up to `tear` bytes and `mask` is empty; in a subset or
    lied preset ``mask[i]`` is the version of the i-th cell in flight, one byte each.
    Numbers behind a cell's own versions are those of :mod:`.extras`.
    `background` repeats the trace's, `seed` feeds garbage. `rot` is empty, or what
    was corrupted after everything had been written: then `mask` is empty.
    """

    trace: str
    preset: str
    crash_index: int
    mask: bytes
    tear: int
    background: str
    seed: int
    rot: str = ""


def state_of(trace: Trace, descriptor: Descriptor) -> dict[str, bytes]:
    """Return the files of the state; raises ValueError if the descriptor is not one of `trace`."""
    if descriptor.trace != trace.id:
        raise ValueError(f"the descriptor is of trace {descriptor.trace}, not {trace.id}")
    preset = get_preset(descriptor.preset)
    if preset.order == "prefix":
        return _prefix(trace, descriptor)
    if preset.order == "settled":
        return rotten_files(trace, descriptor.crash_index, descriptor.rot, descriptor.seed)
    line = Timeline(trace, preset.granule)
    line.advance(descriptor.crash_index)
    group = line.group(lying=True) if preset.order == "lied" else line.group().with_idle()
    if len(descriptor.mask) != len(group.cells):
        raise ValueError(f"the mask has {len(descriptor.mask)} entries for {len(group.cells)} cells")
    names = dict(group.names)
    granules: dict[tuple[int, int], bytes] = {}
    sizes = dict(enumerate(group.sizes))
    for code, cell in zip(descriptor.mask, group.cells, strict=True):
        if cell.kind == SIZE:
            sizes[cell.file] = _version(cell, code, ())
        elif cell.kind == NAMES:
            names = _version(cell, code, line.loose_names() if preset.metadata == "any" else ())
        else:
            extra = _extra(preset, group, cell, descriptor.seed) if code >= len(cell.versions) else ()
            granules[cell.file, cell.index] = _version(cell, code, extra)
    return {name: _content(group, number, sizes[number], granules) for name, number in sorted(names.items())}


def _version(cell: Cell, code: int, extra: Sequence[Any]) -> Any:
    """Return version `code` of `cell`; those in `extra` stand behind its own."""
    versions = (*cell.versions, *extra)
    if code >= len(versions):
        raise ValueError(f"version {code} of a cell that has {len(versions)}")
    return versions[code]


def _extra(preset: Preset, group: Group, cell: Cell, seed: int) -> tuple[bytes, ...]:
    """Return what `preset` may leave in a granule that nobody ever wrote there."""
    if preset.fresh == "foreign":
        return (foreign_bytes(seed, group, cell),)
    if preset.broken:
        return broken_versions(seed, group, cell)
    if preset.trash or preset.fresh == "garbage":
        return (garbage_bytes(seed, group, cell),)
    return ()


def _content(group: Group, number: int, size: int, granules: Mapping[tuple[int, int], bytes]) -> bytes:
    """Return a file of `size` bytes: as it was forced, with `granules` laid over."""
    content = bytearray(group.contents[number].ljust(size, b"\0"))
    for (file, index), data in granules.items():
        start = index * group.granule
        if file == number and start < size:
            content = content.ljust(start + len(data), b"\0")
            content[start : start + len(data)] = data
    return bytes(content[:size])


def _prefix(trace: Trace, descriptor: Descriptor) -> dict[str, bytes]:
    line = Timeline(trace, 512)
    line.advance(descriptor.crash_index)
    files = line.group(settled=True).materialise(b"")
    if descriptor.tear:
        op = as_write(trace.ops[descriptor.crash_index])
        if op is None or descriptor.tear > len(op.data):
            raise ValueError(f"operation {descriptor.crash_index} cannot be torn at {descriptor.tear}")
        content = bytearray(files[op.file])
        if len(content) < op.off:
            content.extend(bytes(op.off - len(content)))
        content[op.off : op.off + descriptor.tear] = op.data[: descriptor.tear]
        files[op.file] = bytes(content)
    return files
