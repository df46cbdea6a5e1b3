"""Persistence presets: which writes a crash may lose, tear or reorder.

Each preset is one guess about devices and file systems. None of them promises
these things in writing; that is why there are several, why every state names
its preset, and why a failure is quoted with the *strongest* guarantee that still
shows it. The order of :data:`PRESETS` is from the strongest to the weakest.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """One persistence model.

    `granule` is the unit that is never torn, in bytes. `order` is ``prefix``
    (writes persist in issue order; only the last one may be torn, from its
    front) or ``subset`` (between two forces any granule may persist or not, in
    any of its versions). `trash` allows one granule in flight to hold garbage.
    `imitates` names what behaves so, `assumes` what is taken for granted.
    """

    name: str
    granule: int
    order: str
    trash: bool
    imitates: str
    assumes: str


#: Descriptor columns and manifests refer to presets by name; never rename one.
PRESETS: tuple[Preset, ...] = (
    Preset(
        "prefix-sector-4096",
        4096,
        "prefix",
        False,
        "a device with 4 KiB atomic units behind an ordered queue",
        "issue order is persist order; 4096 bytes are atomic",
    ),
    Preset(
        "prefix-sector-512",
        512,
        "prefix",
        False,
        "a disk with 512-byte sectors behind an ordered queue",
        "issue order is persist order; 512 bytes are atomic",
    ),
    Preset(
        "prefix-byte",
        1,
        "prefix",
        False,
        "a killed process, byte-granular delayed allocation, RocksDB's and LevelDB's test file systems",
        "issue order is persist order; any byte may be the last one",
    ),
    Preset(
        "epoch-subset-4096",
        4096,
        "subset",
        False,
        "a page cache that writes whole pages back in any order (nvme-awupf-4k)",
        "a force is honest; pages are atomic; nothing orders them between two forces",
    ),
    Preset(
        "epoch-subset-512",
        512,
        "subset",
        False,
        "CrashMonkey's sector-split permutation of the last epoch",
        "a force is honest; 512 bytes are atomic; nothing orders them between two forces",
    ),
    Preset(
        "sector-trash-512",
        512,
        "subset",
        True,
        "SQLite's crash VFS without powersafe overwrite",
        "as epoch-subset-512, and one sector being written may hold garbage, old neighbours included",
    ),
)

_BY_NAME = {preset.name: preset for preset in PRESETS}


def get_preset(name: str) -> Preset:
    """Return the preset `name`; raises ValueError that lists the known ones."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ValueError(f"no preset {name!r}: choose one of {', '.join(_BY_NAME)}") from None


def rank(name: str) -> int:
    """Return the position of preset `name`: smaller means stronger guarantees."""
    return PRESETS.index(get_preset(name))
