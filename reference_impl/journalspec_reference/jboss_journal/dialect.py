"""What the editions disagree on, as one table each: types, fields, headers, counts.

Everything else in this room is the same for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

#: The types that end a transaction, the same in every edition.
PREPARE, COMMIT, ROLLBACK = 17, 18, 19
EVENT, ADD, UPDATE, ADD_TX, UPDATE_TX = 10, 11, 12, 13, 14


@dataclass(frozen=True, slots=True)
class Kind:
    """One record type of an edition, as the fields that it has.

    `body` is "user" (size, user type, body), "plain" (size, body) or "" (none).
    `ends` marks PREPARE and COMMIT, which carry counts.
    """

    name: str
    code: int
    tx: bool = False
    id: bool = False
    body: str = ""
    ends: bool = False


@dataclass(frozen=True, eq=False)
class Dialect:
    """One edition (for v2 and v2e: one format version of it)."""

    name: str
    versions: tuple[int, ...] = ()
    delete: int = 16
    delete_tx: int = 15
    #: PREPARE and COMMIT hold (file id, count) pairs; otherwise one count.
    pairs: bool = False
    prepare_extra: bool = True
    delete_tx_body: bool = True
    compact: bool = False
    event: bool = False
    hashed: bool = False
    #: The length of a data file is part of the configuration.
    fixed_length: bool = False
    control_file: bool = True
    #: The file id that a control file's record carries.
    control_id: int = 0

    @property
    def header_size(self) -> int:
        """Bytes before the first record, padding aside: 16 with a format version, else 4."""
        return 16 if self.versions else 4

    @cached_property
    def kinds(self) -> dict[int, Kind]:
        """Record type number -> its kind."""
        found = [
            Kind("ADD", ADD, id=True, body="user"),
            Kind("UPDATE", UPDATE, id=True, body="user"),
            Kind("ADD_TX", ADD_TX, tx=True, id=True, body="user"),
            Kind("UPDATE_TX", UPDATE_TX, tx=True, id=True, body="user"),
            Kind("DELETE", self.delete, id=True),
            Kind("DELETE_TX", self.delete_tx, tx=True, id=True, body="plain" if self.delete_tx_body else ""),
            Kind("PREPARE", PREPARE, tx=True, ends=True),
            Kind("COMMIT", COMMIT, tx=True, ends=True),
            Kind("ROLLBACK", ROLLBACK, tx=True),
        ]
        if self.event:
            found.append(Kind("EVENT", EVENT, id=True, body="user"))
        return {kind.code: kind for kind in found}

    @cached_property
    def codes(self) -> dict[str, int]:
        """Record type name -> its number."""
        return {kind.name: code for code, kind in self.kinds.items()}

    def stamp(self, file_id: int) -> int:
        """Return the file id as records carry it: 31 bits where headers have a long."""
        return file_id & 0x7FFFFFFF if self.versions else file_id & 0xFFFFFFFF


_SEED = Dialect(
    "seed",
    delete=15,
    delete_tx=16,
    pairs=True,
    prepare_extra=False,
    delete_tx_body=False,
    fixed_length=True,
    control_file=False,
)
_V1 = Dialect("v1", versions=(1,))
_V2 = Dialect("v2", versions=(1, 2), compact=True)

DIALECTS = {
    "seed": _SEED,
    "seed+hash": replace(_SEED, name="seed+hash", hashed=True),
    "s1": Dialect("s1", pairs=True, fixed_length=True, control_file=False),
    "s2": Dialect("s2", control_id=-1),
    "v1": _V1,
    "v2": _V2,
    "v2e": replace(_V2, name="v2e", event=True),
}


def of_version(dialect: Dialect, version: int) -> Dialect:
    """Return what a file of format `version` is written in: v2 and v2e still read v1 files."""
    return _V1 if version == 1 and dialect.versions else dialect
