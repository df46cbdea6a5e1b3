"""All states of a trace that are looked at, and the definition of a single one.

:func:`state_of` rebuilds a state from its descriptor the plain way: replay, lose, tear,
done. The fast enumeration is held against it: both share the replay of :mod:`.blocks`
and nothing of the row arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from journalspec_corpus.crash.blocks import (
    NAMES,
    SIZE,
    Block,
    CrashPoint,
    States,
    Timeline,
    broken_versions,
    foreign_bytes,
    garbage_bytes,
)
from journalspec_corpus.crash.corruption import corrupted_files, corrupted_states
from journalspec_corpus.crash.losses import (
    as_write,
    lost_sync_states,
    prefix_states,
    subset_states,
)
from journalspec_corpus.crash.persistence import Preset, get_preset
from journalspec_corpus.crash.trace import Trace


@dataclass(frozen=True, slots=True)
class Descriptor:
    """Everything that a state is a function of, next to the trace itself.

    `crash_index` operations had been issued. In a prefix preset the operation at
    `crash_index` arrived up to `tear` bytes and `mask` is empty; in a subset or
    lied preset ``mask[i]`` is the version of the i-th block in flight, one byte each.
    Numbers behind a block's own versions are those of :data:`.blocks.BROKEN`.
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
        return corrupted_files(trace, descriptor.crash_index, descriptor.rot, descriptor.seed)
    line = Timeline(trace, preset.granule)
    line.advance(descriptor.crash_index)
    point = line.point(lying=True) if preset.order == "lied" else line.point().with_idle()
    if len(descriptor.mask) != len(point.blocks):
        raise ValueError(f"the mask has {len(descriptor.mask)} entries for {len(point.blocks)} cells")
    names = dict(point.names)
    granules: dict[tuple[int, int], bytes] = {}
    sizes = dict(enumerate(point.sizes))
    for code, block in zip(descriptor.mask, point.blocks, strict=True):
        if block.kind == SIZE:
            sizes[block.file] = _version(block, code, ())
        elif block.kind == NAMES:
            names = _version(block, code, line.loose_names() if preset.metadata == "any" else ())
        else:
            extra = _extra(preset, point, block, descriptor.seed) if code >= len(block.versions) else ()
            granules[block.file, block.index] = _version(block, code, extra)
    return {name: _content(point, number, sizes[number], granules) for name, number in sorted(names.items())}


def _version(block: Block, code: int, extra: Sequence[Any]) -> Any:
    """Return version `code` of `block`; those in `extra` stand behind its own."""
    versions = (*block.versions, *extra)
    if code >= len(versions):
        raise ValueError(f"version {code} of a cell that has {len(versions)}")
    return versions[code]


def _extra(preset: Preset, point: CrashPoint, block: Block, seed: int) -> tuple[bytes, ...]:
    """Return what `preset` may leave in a granule that nobody ever wrote there."""
    if preset.fresh == "foreign":
        return (foreign_bytes(seed, point, block),)
    if preset.broken:
        return broken_versions(seed, point, block)
    if preset.trash or preset.fresh == "garbage":
        return (garbage_bytes(seed, point, block),)
    return ()


def _content(point: CrashPoint, number: int, size: int, granules: Mapping[tuple[int, int], bytes]) -> bytes:
    """Return a file of `size` bytes: as it was forced, with `granules` laid over."""
    content = bytearray(point.contents[number].ljust(size, b"\0"))
    for (file, index), data in granules.items():
        start = index * point.granule
        if file == number and start < size:
            content = content.ljust(start + len(data), b"\0")
            content[start : start + len(data)] = data
    return bytes(content[:size])


def _prefix(trace: Trace, descriptor: Descriptor) -> dict[str, bytes]:
    line = Timeline(trace, 512)
    line.advance(descriptor.crash_index)
    files = line.point(settled=True).materialise(b"")
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


def crash_states(
    trace: Trace, presets: tuple[Preset, ...], seed: int, *, everywhere: bool = False
) -> Iterator[States]:
    """Yield the states of `trace` under `presets` in a fixed order, one stratum after the other.

    With `everywhere`, presets with a share are applied to this trace even if it is not chosen for them.

    A state that a stronger preset already reaches at the same crash point is
    left out where that is cheap to see; the rest falls to the de-duplication by id.
    """
    yield from prefix_states(trace, presets)
    covered = any(preset.order == "prefix" for preset in presets)
    yield from subset_states(trace, presets, seed, covered)
    yield from lost_sync_states(trace, presets, everywhere=everywhere)
    yield from corrupted_states(trace, presets, seed, everywhere=everywhere)
