"""The author room of the Bitronix log."""

from __future__ import annotations

from collections import Counter

import pytest

from journalspec_corpus.bitronix_tlog.author import build
from journalspec_corpus.bitronix_tlog.layout import (
    disk_parts,
    gtrid,
    header_parts,
    joined,
    names_of,
    status_of,
)
from journalspec_reference.bitronix_tlog import codec

RECORDS = [
    {"type": "COMMITTING", "gtrid": "g1", "names": ["db1", "jms1"], "seq": 7, "time": -3},
    {"type": "ACTIVE", "gtrid": "ab*127", "names": [], "seq": -1},
    {"type": 77, "gtrid": "", "names": ["q*300"], "seq": 1},
    {"type": "COMMITTED", "gtrid": "g2", "names": ["jms1", "db1", "db1"], "seq": 1},
    {"type": "COMMITTED", "gtrid": "g2", "names_hex": ["62e97365"], "seq": 1},
    {"type": "COMMITTED", "gtrid": "g2", "names": ["db1"], "header_length": 5, "seq": 1},
]


@pytest.mark.parametrize("layout", [codec.DISK, codec.SEED], ids=["2.1", "seed"])
@pytest.mark.parametrize("record", RECORDS)
def test_the_author_room_and_the_reference_build_the_same_bytes(
    layout: codec.Framing, record: dict[str, object]
) -> None:
    """Two descriptions of the format, written apart, agree on the bytes and on the checksum."""
    mine = joined(disk_parts(record, layout.header_length))
    names = tuple(names_of(record))
    theirs = codec.LogRecord(
        off=0,
        status=status_of(record),
        record_length=29 + len(gtrid(str(record["gtrid"]))) + sum(2 + len(name) for name in names),
        header_length=int(str(record.get("header_length", layout.header_length))),
        time=int(str(record.get("time", 1_700_000_000_000))),
        sequence_number=int(str(record["seq"])),
        crc32=0,
        gtrid=gtrid(str(record["gtrid"])),
        names=names,
    )
    assert mine == codec.encode_record(theirs._replace(crc32=codec.checksum(theirs)))


def test_the_author_room_builds_a_whole_file() -> None:
    built = build({"size": 512, "file1": {"timestamp": 9, "state": 255, "records": RECORDS[:1]}}, "2.1")
    spot = built.labels["f1r1"]
    data = bytes(built.files["btm1.tlog"])
    assert (spot.off, len(data)) == (21, 512)
    assert data[:21] == codec.encode_header(9, 255, spot.end)
    assert data[21 : spot.end] == joined(disk_parts(RECORDS[0], 28))
    assert not any(data[spot.end :])


def test_labels_cover_every_byte_of_a_file_once() -> None:
    built = build({"size": 300, "file1": {"records": [{"id": "r1", **RECORDS[0]}]}}, "2.1")
    leaves = [
        spot
        for name, spot in built.labels.items()
        if spot.file == "btm1.tlog" and name.startswith(("f1.header.", "r1."))
    ]
    covered = Counter(off for spot in leaves for off in range(spot.off, spot.end))
    assert covered == Counter(range(built.labels["r1"].end))


def test_the_nio_banner_has_its_length() -> None:
    parts = header_parts({})
    assert len(parts[0].data) == 406
    assert len(joined(parts)) == 1024
