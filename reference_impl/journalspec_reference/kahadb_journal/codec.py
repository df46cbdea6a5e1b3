"""The bytes of batches and records, decoded at an offset; nothing is read or looked for here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from struct import Struct

from journalspec.formats import get_format
from journalspec.kahadb_journal import LAYOUT

FORMAT = "kahadb_journal"
#: Bytes of a control record, of the length and type of a record, and of an end marker.
CONTROL, HEAD, MARKER = 28, 5, 5
END_MARKER = b"-qMa4"
#: A larger batch is damage (KHD-SCN-002).
MOST = 2147483614
USER, BATCH = 1, 2
#: What a batch of no bytes may have for a checksum: none, or that of nothing (KHD-END-009).
OF_NOTHING = (0, 1)
#: The command after which a file may repeat another one; it came with the end marker.
REWRITTEN = "REWRITTEN_DATA_FILE"
#: The code of a record that has no number of a command: its payload is empty.
OTHER = 255


@dataclass(frozen=True)
class Dialect:
    """What is particular to an edition: how a batch begins, what ends a log, what payloads are."""

    edition: str

    @cached_property
    def start(self) -> bytes:
        """The first 16 bytes of a control record (KHD-BAT-012)."""
        return LAYOUT.build("header", self.edition)[: CONTROL - 12]

    @cached_property
    def commands(self) -> Mapping[int, str]:
        """Number -> command; none in the seed's edition."""
        return {number: name for name, number in LAYOUT.types(self.edition).items()}

    @cached_property
    def marked(self) -> bool:
        """Whether an end marker comes after each batch (KHD-END-001)."""
        return REWRITTEN in self.commands.values()

    @cached_property
    def bare(self) -> bool:
        """Whether nothing but the end of the file ends a log (KHD-SED-003)."""
        return not self.commands


DIALECTS = {edition: Dialect(edition) for edition in get_format(FORMAT).editions}

#: Batch size and checksum of the control record at an offset.
sums = Struct(">16xiq").unpack_from
#: Length and type of the record at an offset, without and with the first byte of its payload.
head, head_and_code = Struct(">iB").unpack_from, Struct(">iBB").unpack_from
