"""In which field of which kind of place corruption struck."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.rot_places import HEADER
from journalspec_corpus.crash.stateset import States
from journalspec_corpus.crash.trace import Mark

#: Unit of the first number behind the file's name, per kind of label; kinds not listed have no place.
_UNITS = {"bit": 1, "bits": 1, "burst": 1, "zero": 512, "phantom": 512, "misdirect": 512, "lse": 4096}


def rotten_fields(states: States) -> tuple[npt.NDArray[np.uint8], list[str]]:
    """Return for each row the index of the field that was hit first, and the names.

    The first is empty: no field in particular. ``header`` is in front of a file's
    first record, ``unused`` behind what is written.
    """
    places = _places(states)
    names = [""]
    number = {"": 0}
    out = np.zeros(len(states.rot), np.uint8)
    for row, label in enumerate(states.rot):
        kind, _, rest = label.partition(":")
        unit = _UNITS.get(kind)
        if unit is None:
            continue
        file, at = rest.split(":")[:2]
        name = _field(places.get(file, []), int(at) * unit)
        if name not in number:
            number[name] = len(names)
            names.append(name)
        out[row] = number[name]
    return out, names


def _places(states: States) -> dict[str, list[tuple[int, str]]]:
    """Return per file where fields begin, sorted; each record is followed by space that is not in use."""
    trace = states.group.trace
    found: dict[str, dict[int, str]] = {}
    issued = [op for op in trace.ops[: states.group.crash_index] if isinstance(op, Mark)]
    ends: dict[str, set[int]] = {}
    for mark in (*trace.standing, *issued):
        for start, name in mark.fields or ((0, "record"),):
            found.setdefault(mark.file, {})[mark.off + start] = name
        ends.setdefault(mark.file, set()).add(mark.off + mark.length)
    for file, edges in ends.items():
        for edge in edges:
            found[file].setdefault(edge, "unused")
    return {file: sorted(fields.items()) for file, fields in found.items()}


def _field(places: list[tuple[int, str]], off: int) -> str:
    at = bisect_right(places, (off, "\U0010ffff")) - 1
    if at >= 0:
        return places[at][1]
    return "header" if off < (places[0][0] if places else HEADER) else "unused"
