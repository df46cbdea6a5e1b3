"""What a person has to say about captures: which requirements they show, and what damaged ones must give.

A product that has spoilt its own files is no judge of them. Those answers were
worked out on paper from the operations and the specification; offsets from the
sizes of the records asked for (37 bytes, the gtrid, 2 and the length per name).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from journalspec_conformance.harnesses.bitronix_tlog.driver import PAIR

Json = dict[str, Any]

#: What every sound pair shows.
SOUND = (
    "BTM-FIL-001",
    "BTM-FIL-002",
    "BTM-HDR-001",
    "BTM-HDR-003",
    "BTM-REC-001",
    "BTM-CRC-002",
    "BTM-RDR-001",
)
_SWAPPED = ("BTM-SWP-001", "BTM-RCV-002")
_B1 = ("BTM-SWP-003",)


@dataclass(frozen=True, slots=True)
class Marks:
    """Requirements that a capture shows kept or broken, beyond what every sound pair shows."""

    obeys: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Damage:
    """A pair that the product has spoilt, or (nothing dropped) only calls so.

    `kept` are the indexes of the records of file 1 that are still good, and
    `dropped` the regions that are not: (file, offset, length, reason). `strict`
    is strict recovery's refusal as (phase, code), if it refuses. All records are COMMITTING, so what is kept
    is unfinished.
    """

    kept: tuple[int, ...]
    dropped: tuple[tuple[str, int, int, str], ...]
    strict: tuple[str, str] | None = None

    def expectations(self, files: Mapping[str, Sequence[Json]]) -> list[Json]:
        """Return the permitted answers, given what was `written`."""
        good = [files[PAIR[0]][index] for index in self.kept]
        records = [
            {"type": entry["type"], "gtrid": entry["gtrid"], "names": entry["names"], "at": {"file": PAIR[0]}}
            for entry in good
        ]
        unfinished = [{"gtrid": entry["gtrid"], "names": entry["names"]} for entry in good]
        state = {"active": PAIR[0], "unfinished": sorted(unfinished, key=lambda entry: str(entry["gtrid"]))}
        lost = [
            {"file": file, "off": str(off), "len": str(length), "reason": reason}
            for file, off, length, reason in self.dropped
        ]
        found = {
            "verdict": "recovered" if lost else "clean",
            "records": records,
            "dropped": lost,
            "state": state,
        }
        strict = found
        if self.strict is not None:
            strict = {"verdict": "refused", "phase": self.strict[0], "code": self.strict[1]}
        return [
            {"when": {"op": "read"}, **found},
            {"when": {"op": "recover", "policy": "strict"}, **strict},
            {"when": {"op": "recover", "policy": "salvage"}, **found},
        ]


_OLDEST, _OLD, _NEW = "bitronix-2.1.2", "bitronix-2.1.4", "bitronix-3.0.0-mk1"
#: Two records of 66 bytes each, of which the first is no frame: the second cannot be found.
_UNFRAMED = Damage((), ((PAIR[0], 21, 132, "no-end-marker"),), ("record", "no-end-marker"))
#: The same two records, framed: one byte per character, which the checksum counts otherwise.
_MISCOUNTED = Damage((1,), ((PAIR[0], 21, 66, "bad-checksum"),), ("checksum", "bad-checksum"))
#: The first 66 bytes were never written, and the tail covers them.
_HOLE = Damage((), ((PAIR[0], 21, 132, "bad-length"),), ("record", "bad-length"))
#: A record of 170 bytes behind one of 71.
_LONG_GTRID = Damage((0, 2), ((PAIR[0], 92, 170, "malformed"),), ("record", "malformed"))

DAMAGED: Mapping[tuple[str, str], Damage] = {
    **{(product, "gtrid-of-128"): _LONG_GTRID for product in (_OLDEST, _OLD, _NEW)},
    **{(_OLDEST, f"name-emoji-{name}"): _MISCOUNTED for name in ("us-ascii", "iso-8859-1", "utf-8")},
    **{
        (product, f"name-emoji-{name}"): _UNFRAMED
        for product in (_OLD, _NEW)
        for name in ("us-ascii", "iso-8859-1")
    },
    **{(_NEW, f"name-{word}-utf-8"): _HOLE for word in ("latin", "emoji")},
    # The seventh record went to offset 0 of file 2.
    (_NEW, "full-of-dangling"): Damage(
        (0, 1, 2, 3, 4, 5), ((PAIR[1], 0, 448, "bad-format-id"),), ("header", "bad-format-id")
    ),
    # So did one that is longer than the file: file 2 has grown to its 662 bytes.
    (_NEW, "record-too-big"): Damage(
        (0,), ((PAIR[1], 0, 662, "bad-format-id"),), ("fileset", "unequal-lengths")
    ),
    # The product cannot read a record beyond its buffer, but the log is sound.
    (_NEW, "long-name"): Damage((0, 1, 2), ()),
}

_LONG_NAMES = ("BTM-REC-015", "BTM-REC-010", "BTM-RDR-006")
MARKS: Mapping[tuple[str, str], Marks] = {
    ("", "all-statuses"): Marks(obeys=("BTM-REC-022", "BTM-RCV-012")),
    ("", "partial-commit"): Marks(obeys=("BTM-RCV-009", "BTM-RCV-010")),
    ("", "basic-clean"): Marks(obeys=("BTM-RCV-009", "BTM-RCV-010", "BTM-WRT-011")),
    ("", "basic-unclean"): Marks(obeys=("BTM-RCV-009", "BTM-HDR-006")),
    ("", "restart-append"): Marks(obeys=("BTM-WRT-012", "BTM-REC-026")),
    ("", "filtered-statuses"): Marks(obeys=("BTM-RDR-009",)),
    ("", "long-parts"): Marks(obeys=("BTM-REC-011", "BTM-REC-013", "BTM-REC-025")),
    ("", "long-name"): Marks(obeys=("BTM-REC-028",)),
    ("", "gtrid-of-128"): Marks(breaks=("BTM-REC-011", "BTM-REC-014", "BTM-RDR-005")),
    ("", "name-latin-iso-8859-1"): Marks(obeys=("BTM-REC-020", "BTM-CRC-005"), breaks=("BTM-REC-015",)),
    **{
        (_OLDEST, f"name-emoji-{name}"): Marks(
            breaks=("BTM-REC-015", "BTM-CRC-007", "BTM-RCV-008", "BTM-RDR-005")
        )
        for name in ("us-ascii", "iso-8859-1", "utf-8")
    },
    **{
        (_OLDEST, f"name-latin-{name}"): Marks(obeys=("BTM-REC-020", "BTM-CRC-005"), breaks=("BTM-REC-015",))
        for name in ("us-ascii", "utf-8")
    },
    ("", "name-emoji-us-ascii"): Marks(breaks=_LONG_NAMES),
    ("", "name-emoji-iso-8859-1"): Marks(breaks=_LONG_NAMES),
    (_NEW, "name-latin-utf-8"): Marks(breaks=("BTM-WRT-004", "BTM-REC-005", "BTM-RDR-006")),
    (_NEW, "name-emoji-utf-8"): Marks(breaks=("BTM-WRT-004", "BTM-REC-005", "BTM-RDR-006")),
    (_NEW, "fills-exactly"): Marks(obeys=("BTM-HDR-011", "BTM-WRT-009")),
    (_OLDEST, "fills-exactly"): Marks(obeys=(*_SWAPPED, "BTM-WRT-008")),
    (_OLDEST, "full-of-dangling"): Marks(obeys=("BTM-WRT-007",)),
    (_OLDEST, "record-too-big"): Marks(obeys=("BTM-WRT-007",)),
    (_OLDEST, "old-dangling-after-swap"): Marks(obeys=(*_SWAPPED, "BTM-SWP-002")),
    (_OLD, "fills-exactly"): Marks(obeys=(*_SWAPPED, "BTM-WRT-008"), breaks=_B1),
    (_NEW, "full-of-dangling"): Marks(breaks=("BTM-WRT-007", "BTM-HDR-004", "BTM-RCV-006")),
    (_OLD, "full-of-dangling"): Marks(obeys=("BTM-WRT-007",), breaks=_B1),
    (_NEW, "record-too-big"): Marks(breaks=("BTM-WRT-007", "BTM-FIL-006", "BTM-FIL-011")),
    (_OLD, "record-too-big"): Marks(obeys=("BTM-WRT-007",), breaks=_B1),
    (_NEW, "old-dangling-after-swap"): Marks(obeys=_SWAPPED, breaks=("BTM-SWP-002",)),
    (_OLD, "old-dangling-after-swap"): Marks(obeys=("BTM-SWP-002",), breaks=_B1),
    **{
        (product, name): Marks(obeys=_SWAPPED)
        for product in (_OLDEST, _NEW)
        for name in ("swap-then-crash", "swap-then-close", "swap-partial", "mixed-swaps")
    },
    **{
        (_OLD, name): Marks(breaks=_B1)
        for name in (
            "swap-then-crash",
            "swap-then-close",
            "swap-partial",
            "mixed-swaps",
            "mixed-swaps-restarts",
            "tm-swap-crash-between-commits",
        )
    },
}
