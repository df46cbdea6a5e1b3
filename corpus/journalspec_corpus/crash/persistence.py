"""Persistence presets: which writes a crash may lose, tear or reorder.

Each preset is one guess about devices and file systems. None of them promises
these things in writing; that is why there are several, why every state names
its preset, and why a failure is quoted with the *strongest* guarantee that still
shows it. The order of :data:`PRESETS` is from the strongest to the weakest; two
neighbours need not contain each other.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files

REACHABLE, LYING, CORRUPTED = "R", "L", "C"
#: Classes of crash states, in the order in which they are reported, and what they are.
STRATA = {
    REACHABLE: "reachable by a crash, forces honest",
    LYING: "reachable only where the device lies about a force",
    CORRUPTED: "corrupted after it was durable",
}


@dataclass(frozen=True, slots=True, eq=False)
class Preset:
    """One persistence model.

    `granule` is the unit that is never torn, in bytes. `order` is ``prefix``
    (writes persist in issue order; only the last one may be torn, from its
    front), ``subset`` (between two forces any granule may persist or not, in
    any of its versions), ``lied`` (what was forced may be missing as well) or
    ``settled`` (everything persists; corruption comes after). `trash` allows one
    granule in flight to hold garbage, `broken` any number of them to hold garbage or
    to be half old.

    `append` says how a file grows: ``together`` with its data; ``whole`` writes
    only; ``data-first`` (no size without all new blocks below it); ``own-data-first``
    (none without the blocks of the write that set it); ``any``. `fresh` is what new
    space shows where nothing arrived: zero, foreign (blocks of other files) or
    garbage. `metadata` is ``journaled`` (names and sizes persist in order, and every
    force of a file takes all earlier ones along), ``in-order`` (names persist in
    order, sizes when they like) or ``any`` (each binding of a name for itself).
    `force` is honest, ignored or fails-clean. `rot` names the kind of corruption.
    A preset with `share` n is applied to about every n-th trace.

    `imitates` names what behaves so, `assumes` what is taken for granted, `also`
    are other names for the very same states.
    """

    name: str
    granule: int
    order: str
    imitates: str
    assumes: str
    stratum: str = REACHABLE
    trash: bool = False
    append: str = "any"
    fresh: str = "zero"
    metadata: str = "in-order"
    force: str = "honest"
    broken: bool = False
    rot: str = ""
    share: int = 1
    also: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether it leaves nothing but versions that were written."""
        return not self.trash and not self.rot and self.fresh == "zero" and self.metadata != "any"


def _listed() -> tuple[Preset, ...]:
    text = files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["preset"]
    return tuple(Preset(**{**row, "also": tuple(row.get("also", ()))}) for row in rows)


#: The presets of ``presets.toml``, in its order.
PRESETS = _listed()
_BY_NAME = {name: preset for preset in PRESETS for name in (preset.name, *preset.also)}


def get_preset(name: str) -> Preset:
    """Return the preset `name` (or of that other name); raises ValueError that lists the known ones."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ValueError(f"no preset {name!r}: choose one of {', '.join(_BY_NAME)}") from None


def rank(name: str) -> int:
    """Return the position of preset `name`: smaller means stronger guarantees."""
    return PRESETS.index(get_preset(name))
