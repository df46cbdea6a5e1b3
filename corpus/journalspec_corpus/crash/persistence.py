"""Persistence presets: which writes a crash may lose, tear or reorder.

Each preset is one guess about devices and file systems. None of them promises
these things in writing; that is why there are several, why every state names
its preset, and why a failure is quoted with the *strongest* guarantee that still
shows it. The order of :data:`PRESETS` is from the strongest to the weakest; two
neighbours need not contain each other.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Strata: what a crash leaves, what only a lie about a force leaves, what corruption leaves.
REACHABLE, LYING, CORRUPTED = "R", "L", "C"
STRATA = (REACHABLE, LYING, CORRUPTED)


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
    trash: bool
    imitates: str
    assumes: str
    stratum: str = REACHABLE
    append: str = "any"
    fresh: str = "zero"
    metadata: str = "in-order"
    force: str = "honest"
    broken: bool = False
    rot: str = ""
    share: int = 1
    also: tuple[str, ...] = ()


#: Corruption: name of the kind -> (what it imitates, what is assumed, every n-th trace).
_ROT = {
    "bit": ("one bit of a sector at rest that flips", "every other bit is right", 128),
    "2bit": ("two bits that flip in one record", "every other bit is right", 128),
    "burst": (
        "a bad transfer: a run of at most 64 bits, its first and last wrong",
        "one burst only",
        128,
    ),
    "zero-sector": (
        "a sector that was re-mapped, discarded or cleared: 512 zeros",
        "one sector only",
        32,
    ),
    "lse": (
        "a latent sector error, as a copy of the journal has it: a tool that skips what it cannot read leaves"
        " 4096 zeros, one that stops ends the file there",
        "one physical sector only; the error itself (EIO) is not a content, its traces in a copy are",
        32,
    ),
    "misdirect": (
        "a write of the last force that landed at another sector: that one is overwritten, its own is old",
        "one write only",
        32,
    ),
    "phantom": (
        "a write that was reported and never done: an acknowledged sector is still old",
        "one sector only",
        32,
    ),
    "cut": (
        "a copy or a restore that ends at the edge of a record, or has zeros from there on",
        "what is left is right",
        32,
    ),
    "file": (
        "a restore gone wrong: a file missing, doubled, swapped with another, or an older copy",
        "what is in the files is right",
        32,
    ),
}

#: Descriptor columns and manifests refer to presets by name; never rename one.
PRESETS: tuple[Preset, ...] = (
    Preset(
        "prefix-sector-4096",
        4096,
        "prefix",
        False,
        "a device with 4 KiB atomic units behind an ordered queue",
        "issue order is persist order; 4096 bytes are atomic",
        append="together",
    ),
    Preset(
        "prefix-sector-512",
        512,
        "prefix",
        False,
        "a disk with 512-byte sectors behind an ordered queue",
        "issue order is persist order; 512 bytes are atomic",
        append="together",
    ),
    Preset(
        "sqlite-sequential-safe-append",
        512,
        "prefix",
        False,
        "SQLite's device characteristics SEQUENTIAL and SAFE_APPEND, with powersafe overwrite",
        "issue order is persist order; 512 bytes are atomic; a file grows when all of a write has arrived",
        append="whole",
    ),
    Preset(
        "prefix-byte",
        1,
        "prefix",
        False,
        "a killed process, byte-granular delayed allocation, RocksDB's and LevelDB's test file systems",
        "issue order is persist order; any byte may be the last one",
        append="together",
    ),
    Preset(
        "ext4-ordered",
        4096,
        "subset",
        False,
        "ext4 with data=ordered: new blocks before the size that shows them, names and sizes in one journal",
        "a force is honest and commits all earlier names and sizes; pages are atomic; overwritten blocks, and"
        " the tail of a block that exists, come in any order",
        append="data-first",
        metadata="journaled",
    ),
    Preset(
        "xfs-unwritten",
        4096,
        "subset",
        False,
        "XFS: a size is set when its own write is done; what did not arrive below it reads as zeros",
        "a force is honest and commits all earlier names and sizes; pages are atomic; the rest has no order",
        append="own-data-first",
        metadata="journaled",
    ),
    Preset(
        "epoch-subset-4096",
        4096,
        "subset",
        False,
        "a page cache that writes whole pages back in any order (nvme-awupf-4k)",
        "a force is honest; pages are atomic; nothing orders them between two forces",
        also=("nvme-awupf-4k",),
    ),
    Preset(
        "epoch-subset-512",
        512,
        "subset",
        False,
        "CrashMonkey's sector-split permutation of the last epoch",
        "a force is honest; 512 bytes are atomic; nothing orders them between two forces",
        also=("sqlite-psow",),
    ),
    Preset(
        "ext4-writeback-stale",
        4096,
        "subset",
        False,
        "ext4 with data=writeback, ext3 before 2009: the size is ahead of the data, and new blocks show what"
        " other files left in them",
        "a force is honest; pages are atomic; new space that nothing arrived in is never zeroed",
        fresh="foreign",
    ),
    Preset(
        "alice-weak",
        512,
        "subset",
        False,
        "ALICE's weakest model: sizes before data, zeros or garbage in new space, every name for itself",
        "a force is honest; 512 bytes are atomic; a rename may leave both names or none",
        fresh="garbage",
        metadata="any",
    ),
    Preset(
        "sector-trash-512",
        512,
        "subset",
        True,
        "SQLite's crash VFS without powersafe overwrite",
        "as epoch-subset-512, and one sector being written may hold garbage, old neighbours included",
        also=("sqlite-default",),
    ),
    Preset(
        "fdb-full-corruption",
        512,
        "subset",
        True,
        "FoundationDB's non-durable file in its mode FULL_CORRUPTION",
        "as sector-trash-512, and several sectors may each be right, old, garbage, or right in one half only",
        broken=True,
    ),
    Preset(
        "fail-marks-clean",
        512,
        "lied",
        False,
        "a force that fails once: its pages count as clean from then on and are never written",
        "every other write persists; nobody retries",
        stratum=LYING,
        force="fails-clean",
        share=16,
    ),
    Preset(
        "lying-cache",
        512,
        "lied",
        False,
        "a cache that acknowledges a force and loses power (LazyFS, a disk with its write cache on)",
        "writes persist in issue order, sector by sector; how many do is open, acknowledged or not",
        stratum=LYING,
        force="ignored",
        share=16,
    ),
    *(
        Preset(
            f"bitrot-{kind}",
            512,
            "settled",
            False,
            imitates,
            f"everything acknowledged had been durable; {assumes}",
            stratum=CORRUPTED,
            rot=kind,
            share=share,
            also=("bitrot-single",) if kind == "bit" else (),
        )
        for kind, (imitates, assumes, share) in _ROT.items()
    ),
)

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
