"""All states of a trace that are looked at, and any one of them by its descriptor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from journalspec_corpus.crash.blocks import States, Timeline
from journalspec_corpus.crash.corruption import corrupted_states
from journalspec_corpus.crash.losses import (
    SECTOR,
    as_write,
    extended,
    lied_states,
    prefix_states,
    selected,
    subset_states,
)
from journalspec_corpus.crash.persistence import PRESETS, Preset, get_preset
from journalspec_corpus.crash.trace import Trace, Write


@dataclass(frozen=True, slots=True)
class Descriptor:
    """Everything that a state is a function of, next to the trace itself.

    `crash_index` operations had been issued. In a prefix preset the operation at
    `crash_index` arrived up to `tear` bytes and `mask` is empty; in a subset or
    lied preset ``mask[i]`` is the version of the i-th block in flight, one byte each.
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


def descriptor_of(states: States, row: int, seed: int) -> Descriptor:
    """Return what :func:`state_of` makes one row of."""
    trace, rot = states.point.trace, states.rot[row] if states.rot else ""
    mask = b"" if states.torn >= 0 or rot else states.codes[row].astype(np.uint8).tobytes()
    preset, index = PRESETS[states.preset[row]].name, states.point.crash_index
    return Descriptor(trace.id, preset, index, mask, int(states.tear[row]), trace.background, seed, rot)


def crash_states(
    trace: Trace, presets: tuple[Preset, ...], seed: int, *, everywhere: bool = False, at: int | None = None
) -> Iterator[States]:
    """Yield the states of `trace` under `presets` in a fixed order, one stratum after the other.

    With `everywhere`, presets with a share are applied to this trace even if it is not chosen for them;
    with `at`, only the crash points after so many operations are looked at.

    A state that a stronger preset already reaches at the same crash point is
    left out where that is cheap to see; the rest falls to the de-duplication by id.
    """
    chosen = tuple(preset for preset in presets if everywhere or selected(trace.id, preset.share))
    yield from prefix_states(trace, chosen, at)
    yield from subset_states(trace, chosen, seed, at)
    yield from lied_states(trace, chosen, at)
    yield from corrupted_states(trace, chosen, seed, at)


def state_of(trace: Trace, descriptor: Descriptor) -> dict[str, bytes]:
    """Return the files of the state; raises ValueError if the descriptor is not one of `trace`."""
    if descriptor.trace != trace.id:
        raise ValueError(f"the descriptor is of trace {descriptor.trace}, not {trace.id}")
    preset, index = get_preset(descriptor.preset), descriptor.crash_index
    if preset.order == "settled":
        for states in corrupted_states(trace, (preset,), descriptor.seed, index, descriptor.rot):
            if descriptor.rot in states.rot:
                return states.point.materialise(states.codes[states.rot.index(descriptor.rot)])
        raise ValueError(f"no corruption {descriptor.rot!r} after operation {index}")
    if preset.order == "prefix":
        line = Timeline(trace, SECTOR).advance(index)
        if descriptor.tear:
            op = as_write(trace.ops[index])
            if op is None or descriptor.tear > len(op.data):
                raise ValueError(f"operation {index} cannot be torn at {descriptor.tear}")
            line.step(Write(op.file, op.off, op.data[: descriptor.tear]))
        return line.settled().materialise(b"")
    line = Timeline(trace, preset.granule).advance(index)
    point = line.point(lying=preset.order == "lied", idle=preset.order == "subset")
    if not preset.plain and preset.order == "subset":
        point = extended(point, preset, descriptor.seed, line.loose_names())
    if len(descriptor.mask) != len(point.blocks):
        raise ValueError(f"the mask has {len(descriptor.mask)} entries for {len(point.blocks)} cells")
    for code, size in zip(descriptor.mask, point.dims, strict=True):
        if code >= size:
            raise ValueError(f"version {code} of a cell that has {size}")
    return point.materialise(descriptor.mask)
