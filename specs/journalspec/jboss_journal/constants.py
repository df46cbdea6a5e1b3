"""What the schemas of this format know: one table of layouts, and a few names."""

from __future__ import annotations

from dataclasses import dataclass, replace

#: Fields in the order in which a record has them; a type lacks some (JBM-REC).
TYPES_WITH_ENTRY = ("ADD", "UPDATE", "EVENT", "ADD_TX", "UPDATE_TX")
TRANSACTIONAL = ("ADD_TX", "UPDATE_TX", "DELETE_TX", "PREPARE", "COMMIT", "ROLLBACK")
WITH_ID = ("ADD", "UPDATE", "EVENT", "DELETE", "ADD_TX", "UPDATE_TX", "DELETE_TX")
ENDING = ("PREPARE", "COMMIT")

#: The fixed name of the file that describes a compaction (JBM-CMP-001).
CONTROL = "journal-rename-control.ctr"
#: Endings of files that count only when a control file says so (JBM-FIL-012).
LEFTOVERS = (".tmp", ".cmp")
#: What a file that never got an id begins with (JBM-HDR-013).
UNFILLED_ID = 0x4A4A4A4A
STAMP_MASK = 0x7FFFFFFF


@dataclass(frozen=True, slots=True)
class Layout:
    """What the files of one edition look like; v2 and v2e read the layout of v1 too."""

    edition: str
    #: Format versions that a header may have; none where the header is the file id alone.
    versions: tuple[int, ...] = ()
    delete: int = 16
    delete_tx: int = 15
    #: PREPARE and COMMIT list (file id, count) pairs; otherwise they hold one count.
    pairs: bool = False
    #: PREPARE has extra data.
    extra: bool = True
    #: DELETE_TX has a size and a body.
    delete_body: bool = True
    compact_count: bool = False
    event: bool = False
    #: The last four bytes are the calculated hash, not the check size.
    hashed: bool = False
    #: There is compaction, and with it the control file.
    control: bool = True
    #: The file id that the control file's record carries (JBM-CMP-002).
    control_id: int = 0

    @property
    def header_size(self) -> int:
        """Bytes of the file header, padding aside (JBM-HDR-001, JBM-HDR-002)."""
        return 16 if self.versions else 4

    @property
    def codes(self) -> dict[str, int]:
        """Record type -> number (JBM-REC-003, JBM-SED-001)."""
        codes = {"ADD": 11, "UPDATE": 12, "ADD_TX": 13, "UPDATE_TX": 14}
        codes |= {"DELETE": self.delete, "DELETE_TX": self.delete_tx}
        codes |= {"PREPARE": 17, "COMMIT": 18, "ROLLBACK": 19}
        return codes | ({"EVENT": 10} if self.event else {})

    def stamp(self, file_id: int) -> int:
        """Return what records of the file `file_id` carry, as four unsigned bytes (JBM-HDR-015)."""
        return file_id & (STAMP_MASK if self.versions else 0xFFFFFFFF)


_SEED = Layout("seed", delete=15, delete_tx=16, pairs=True, extra=False, delete_body=False, control=False)
_V2 = Layout("v2", versions=(1, 2), compact_count=True)

#: Edition -> its layout, in the order of time.
LAYOUTS = {
    "seed": _SEED,
    "seed+hash": replace(_SEED, edition="seed+hash", hashed=True),
    "s1": Layout("s1", pairs=True, control=False),
    "s2": Layout("s2", control_id=-1),
    "v1": Layout("v1", versions=(1,)),
    "v2": _V2,
    "v2e": replace(_V2, edition="v2e", event=True),
}
EDITIONS = tuple(LAYOUTS)


def layout_of(edition: str, version: int = 0) -> Layout:
    """Return the layout of a file of `edition` whose header has format `version` (0: the edition's own).

    Raises KeyError for an unknown edition.
    """
    layout = LAYOUTS[edition]
    return LAYOUTS["v1"] if version == 1 and layout.versions else layout
