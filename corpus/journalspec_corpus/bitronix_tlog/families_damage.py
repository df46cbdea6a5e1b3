"""Single fields damaged: every byte of a record and of a header, and chosen hostile lengths."""

from __future__ import annotations

from collections.abc import Iterator

from journalspec_corpus.bitronix_tlog import author
from journalspec_corpus.bitronix_tlog.bench import (
    FIRST,
    LOG_START,
    Family,
    case,
    decisions,
    first,
    pair,
    record,
    second,
)
from journalspec_corpus.bitronix_tlog.families_pointer import journal, pieces_to
from journalspec_corpus.bitronix_tlog.plan import FilePlan, Piece, unframed, whole
from journalspec_corpus.case import Case
from journalspec_corpus.edits import Built, Range

SIZE = 2048
MINIMUM = 29
#: Fields of which every value but the written one leaves lengths that do not add up.
INNER_LENGTHS = ("gtrid_length", "names_count", "name1.length", "name2.length")

FIELD = Family(
    "field",
    "C",
    "bit-1",
    "three decisions of 64 bytes",
    breaks=("BTM-CRC-007", "BTM-RCV-005", "BTM-RCV-008", "BTM-RDR-004", "BTM-RDR-005"),
    flags=("FieldDamage",),
)
KNOWN = FIELD.but(
    group="known-answer-bit", base="the known-answer record", breaks=("BTM-CRC-008", "BTM-RCV-005")
)
HEADER = FIELD.but(
    group="header-byte",
    category="header-damage",
    breaks=("BTM-HDR-002", "BTM-HDR-001"),
    flags=("HeaderDamage",),
)
HOSTILE = FIELD.but(
    group="hostile-record-length",
    stratum="H",
    category="hostile-length",
    breaks=("BTM-REC-003", "BTM-REC-005", "BTM-RDR-003", "BTM-RDR-004", "BTM-RDR-006", "BTM-RDR-007"),
    flags=("HostileLength",),
)
#: What each kind of field has to do with the requirements, besides FIELD's.
BREAKS = {
    "bad-length": ("BTM-REC-005", "BTM-RDR-006"),
    "out-of-bounds": ("BTM-RDR-003", "BTM-RDR-006"),
    "no-end-marker": ("BTM-REC-009", "BTM-REC-010", "BTM-RDR-006"),
    "malformed": ("BTM-REC-004", "BTM-RDR-005"),
    "bad-checksum": ("BTM-CRC-002", "BTM-RDR-005"),
}
#: Field of inner lengths -> the range of good values, what another one breaks, and what is broken anyway.
INNER_BREAKS = {
    "gtrid_length": (range(128), "BTM-REC-014", ("BTM-REC-004", "BTM-CRC-003")),
    "names_count": (range(3), "BTM-REC-024", ("BTM-REC-004",)),
    "name1.length": (range(32768), "BTM-REC-016", ("BTM-REC-004",)),
    "name2.length": (range(32768), "BTM-REC-016", ("BTM-REC-004",)),
}


def damage() -> Iterator[Case]:
    """Yield every family of single-field damage."""
    yield from _fields()
    yield from _known_answer()
    yield from _header()
    yield from _record_lengths()
    yield from _inner_lengths()


def inner_breaks(field: str, value: int) -> tuple[str, ...]:
    """Return what a wrong `value` (signed) of an inner length goes against."""
    good, limit, always = INNER_BREAKS[field]
    return always if value in good else (limit, *always)


def length_fate(built: Built, label: str, length: int) -> Piece:
    """Return what a recordLength of `length` makes of the record `label`.

    A frame may also end, by chance, at the end marker of a later record; then
    it is framed, and what is inside does not add up.
    """
    spot, tail = built.labels[label], built.labels["f1.tail"].off
    end = spot.off + 8 + length
    if length < MINIMUM:
        return unframed(spot, tail, "bad-length")
    if end > tail:
        return unframed(spot, tail, "out-of-bounds")
    if end in {built.labels[name].end for name in built.records}:
        return Piece(Range(spot.file, spot.off, end - spot.off), None, "malformed")
    return unframed(spot, tail, "no-end-marker")


def fate(built: Built, label: str, field: str, value: int) -> Piece:
    """Return what becomes of the record `label` when `field` holds `value` (signed)."""
    if field == "record_length":
        return length_fate(built, label, value)
    if field == "end_record":
        return unframed(built.labels[label], built.labels["f1.tail"].off, "no-end-marker")
    reason = "malformed" if field in INNER_LENGTHS else "bad-checksum"
    return Piece(built.labels[label], None, reason)


def around(built: Built, label: str, lost: Piece) -> tuple[Piece, ...]:
    """Return the log with `lost` in the place of `label`, and what its reason leaves behind it."""
    before = [name for name in built.records if built.labels[name].end <= lost.at.off]
    behind = [name for name in built.records if built.labels[name].off >= lost.at.end and name not in before]
    return (*whole(built, *before), lost, *whole(built, *behind))


def _value(built: Built, label: str) -> int:
    spot = built.labels[label]
    return int.from_bytes(built.files[spot.file][spot.off : spot.end], "big", signed=True)


def _fields() -> Iterator[Case]:
    """Change each byte of the second record by its lowest and by its highest bit."""
    built = pair(decisions(3), SIZE)
    start = built.labels["r2"].off
    for field, byte in _bytes_of(built, "r2"):
        masks = (0x01, 0x40, 0x80) if field == "record_length" else (0x01, 0x80)
        for mask in masks:
            yield _field_case(FIELD, built, "r2", field, byte, mask, f"{byte - start:02d}-{mask:02x}")


def _bytes_of(built: Built, label: str) -> Iterator[tuple[str, int]]:
    """Yield (field, offset in the file) of each byte of a record."""
    for name, spot in built.labels.items():
        if name.startswith(f"{label}."):
            for off in range(spot.off, spot.end):
                yield name.removeprefix(f"{label}."), off


def _field_case(  # what to damage, where, how, and what to call it
    family: Family, built: Built, label: str, field: str, byte: int, mask: int, name: str
) -> Case:
    damaged = built.copy()
    damaged.files[FIRST][byte] ^= mask
    value = _value(damaged, f"{label}.{field}")
    lost = fate(built, label, field, value)
    inner = inner_breaks(field, value) if field in INNER_BREAKS else BREAKS[lost.reason]
    breaks = tuple(dict.fromkeys((*family.breaks, *inner)))
    return case(
        family.but(breaks=breaks),
        f"{field.replace('_', '-').replace('.', '-')}-{name}",
        f"{field} of a record, byte {byte - built.labels[label].off} of the record changed by 0x{mask:02x}",
        damaged.files,
        first(len(damaged.files[FIRST]), around(built, label, lost)),
        second(len(damaged.files[FIRST])),
        how=f"byte {byte} of file 1 xor {mask:02x}",
    )


def _known_answer() -> Iterator[Case]:
    """Change one bit of each byte of the known-answer record."""
    known = {
        "id": "r1",
        "type": "COMMITTED",
        "gtrid": "626974726f6e697853657276657249440000011c31fd45510000955b",
        "names": ["ActiveMQ", "com.mysql.jdbc.jdbc2.optional.MysqlXADataSource"],
        "seq": 38266,
        "time": 1220609394845,
        "crc32": 0xADB79357,
    }
    built = pair([known], 256)
    for field, byte in _bytes_of(built, "r1"):
        index = byte - built.labels["r1"].off
        yield _field_case(KNOWN, built, "r1", field, byte, 1 << (index % 8), f"{index:03d}")


def _header() -> Iterator[Case]:
    """Change each byte of the active file's header by its lowest and by all of its bits."""
    built = journal()
    for field, byte in _bytes_of(built, "f1.header"):
        for mask in (0x01, 0xFF):
            damaged = built.copy()
            damaged.files[FIRST][byte] ^= mask
            one, breaks, flags = _header_plan(built, field, _value(damaged, f"f1.header.{field}"))
            yield case(
                HEADER.but(breaks=breaks, flags=("HeaderDamage", *flags)),
                f"{field.replace('_', '-')}-{byte:02d}-{mask:02x}",
                f"{field} of the active file's header, byte {byte} changed by 0x{mask:02x}",
                damaged.files,
                one,
                second(SIZE),
                how=f"byte {byte} of file 1 xor {mask:02x}",
            )


def _header_plan(built: Built, field: str, value: int) -> tuple[FilePlan, tuple[str, ...], tuple[str, ...]]:
    """Return the plan of file 1 with `value` in a header field, and what the case breaks and flags."""
    right = built.labels["f1.tail"].off
    if field == "format_id":
        return first(SIZE, (), "bad-format-id"), ("BTM-HDR-003", "BTM-HDR-004"), ()
    if field == "position":
        if not LOG_START <= value <= SIZE:
            return first(SIZE, (), "bad-position"), ("BTM-HDR-009", "BTM-HDR-010"), ()
        hidden = ("Undetectable",) if value == LOG_START else ()
        return first(SIZE, pieces_to(built, value)), ("BTM-RDR-001", "BTM-RDR-003"), hidden
    if field == "state":
        return first(SIZE, pieces_to(built, right)), ("BTM-HDR-006", "BTM-HDR-007"), ()
    plan = FilePlan(FIRST, value, SIZE, pieces_to(built, right))
    return plan, ("BTM-RCV-002",), ("Undetectable",)


def _record_lengths() -> Iterator[Case]:
    """Give the second record chosen lengths."""
    built = pair([record(1), record(2, seq=1), record(3)], SIZE)
    small = (-(1 << 31), -9, -8, -1, 0, 1, 4, 7, 8, 20, 24, 25, 28)
    inside = (29, 30, 37, 52, 55, 57, 60, 64, 119, 120, 121, 184)
    large = (185, 248, 1000, 8192, 65536, (1 << 20) + 56, (1 << 31) - 9, (1 << 31) - 8, (1 << 31) - 1)
    for value in (*small, *inside, *large):
        damaged = built.copy()
        damaged.put(damaged.labels["r2.record_length"], (value % (1 << 32)).to_bytes(4, "big"))
        author.seal(damaged, "r2")
        lost = length_fate(built, "r2", value)
        yield case(
            HOSTILE.but(breaks=tuple(dict.fromkeys((*HOSTILE.breaks, *BREAKS[lost.reason])))),
            f"minus-{-value}" if value < 0 else f"at-{value}",
            f"The second of three records claims a recordLength of {value}; the checksum fits that",
            damaged.files,
            first(SIZE, around(built, "r2", lost)),
            second(SIZE),
            how=f"recordLength of r2 changed from 56 to {value}, checksum made to fit",
        )


def _inner_lengths() -> Iterator[Case]:
    """Give the lengths inside the second record chosen values, with and without a matching checksum."""
    values = {
        "gtrid_length": (0, 1, 15, 17, 127, 128, 129, 200, 255),
        "names_count": (-(1 << 31), -1, 0, 1, 3, 4, 255, 65536, 1 << 30, (1 << 31) - 1),
        "name1.length": (0, 2, 4, 9, 0x7FFF, 0x8000, 0xFFFF),
        "name2.length": (0, 3, 5, 8, 0x7FFF, 0x8000, 0xFFFF),
    }
    built = pair([record(1), record(2, seq=1), record(3)], SIZE)
    for field, chosen in values.items():
        group = f"hostile-{field.replace('_', '-').replace('.', '-')}"
        spot = built.labels[f"r2.{field}"]
        for value in chosen:
            for sealed in (False, True):
                damaged = built.copy()
                damaged.put(spot, (value % (1 << (8 * spot.length))).to_bytes(spot.length, "big"))
                if sealed:
                    author.seal(damaged, "r2")
                word = f"minus-{-value}" if value < 0 else f"at-{value}"
                yield case(
                    HOSTILE.but(
                        group=group, breaks=(*inner_breaks(field, value), "BTM-RDR-004", "BTM-RDR-007")
                    ),
                    f"{word}-sealed" if sealed else word,
                    f"{field} of r2 is {value}; the checksum {'fits' if sealed else 'is the old one'}",
                    damaged.files,
                    first(SIZE, around(built, "r2", Piece(built.labels["r2"], None, "malformed"))),
                    second(SIZE),
                    how=f"{field} of r2 changed to {value}" + (", checksum made to fit" if sealed else ""),
                )
