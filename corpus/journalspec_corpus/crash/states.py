"""A state by its descriptor, rebuilt the plain way: replay, lose, tear, done.

This is the definition that the fast enumeration is held against: it shares the
replay of :mod:`.cells` with it and nothing of the row arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass

from journalspec_corpus.crash.cells import NAMES, Cell, Group, Timeline
from journalspec_corpus.crash.enumerate import garbage_bytes
from journalspec_corpus.crash.model import get_preset
from journalspec_corpus.crash.trace import Trace, Write


@dataclass(frozen=True, slots=True)
class Descriptor:
    """Everything that a state is a function of, next to the trace itself.

    `crash_index` operations had been issued. In a prefix preset the operation at
    `crash_index` arrived up to `tear` bytes and `mask` is empty; in a subset
    preset ``mask[i]`` is the version of the i-th cell in flight, one byte each.
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
    line = Timeline(trace, preset.granule)
    line.advance(descriptor.crash_index)
    group = line.group()
    if preset.trash:
        group = group.with_idle()
    if len(descriptor.mask) != len(group.cells):
        raise ValueError(f"the mask has {len(descriptor.mask)} entries for {len(group.cells)} cells")
    files = group.materialise(
        bytes(min(code, size - 1) for code, size in zip(descriptor.mask, group.dims, strict=True))
    )
    visible = dict(group.names)
    for code, cell in zip(descriptor.mask, group.cells, strict=True):
        if cell.kind == NAMES:
            visible = dict(cell.versions[code])
    names = {number: name for name, number in visible.items()}
    for code, cell in zip(descriptor.mask, group.cells, strict=True):
        if code == len(cell.versions) and preset.trash:
            _trash(files, names.get(cell.file), cell, descriptor.seed, group)
        elif code >= len(cell.versions):
            raise ValueError(f"version {code} of a cell that has {len(cell.versions)}")
    return files


def _prefix(trace: Trace, descriptor: Descriptor) -> dict[str, bytes]:
    line = Timeline(trace, 512)
    line.advance(descriptor.crash_index)
    files = line.group(settled=True).materialise(b"")
    if descriptor.tear:
        op = trace.ops[descriptor.crash_index]
        if not isinstance(op, Write) or descriptor.tear > len(op.data):
            raise ValueError(f"operation {descriptor.crash_index} cannot be torn at {descriptor.tear}")
        content = bytearray(files[op.file])
        if len(content) < op.off:
            content.extend(bytes(op.off - len(content)))
        content[op.off : op.off + descriptor.tear] = op.data[: descriptor.tear]
        files[op.file] = bytes(content)
    return files


def _trash(files: dict[str, bytes], name: str | None, cell: Cell, seed: int, group: Group) -> None:
    """Put garbage into one granule, as far as its file has a name and reaches so far."""
    if name is None:
        return
    content = bytearray(files[name])
    start = cell.index * group.granule
    piece = garbage_bytes(seed, group, cell)[: max(0, len(content) - start)]
    content[start : start + len(piece)] = piece
    files[name] = bytes(content)
