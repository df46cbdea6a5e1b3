"""The hexdumps of the specification are what the builders build and the schemas read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from journalspec.bitronix_tlog import kaitai, schema
from journalspec.bitronix_tlog.build import build_file, build_frame, build_nio_file, build_record

PROSE = Path(__file__).resolve().parents[2] / "journalspec" / "bitronix_tlog" / "spec.md"
GTRID = b"srv1" + (1795219486112).to_bytes(8, "big") + (7).to_bytes(4, "big")
DELIMITER = bytes.fromhex("5b0f0c3a8e5d4c52a1d36e1f9a2b7c44")
TIME = 1795219486305


def example(name: str) -> bytes:
    """Return the bytes of the dump called `name`; its offsets have to be without gap."""
    text = PROSE.read_text(encoding="utf-8")
    [block] = re.findall(rf":name: bitronix-tlog-example-{name}\n\n(.*?)```", text, re.DOTALL)
    data = b""
    first = None
    for line in block.splitlines():
        match = re.match(r"([0-9a-f]{4})  ((?:[0-9a-f]{2} ?)+)", line)
        assert match, line
        first = int(match[1], 16) if first is None else first
        assert int(match[1], 16) == first + len(data), line
        data += bytes.fromhex(match[2])
    return data


def test_the_log() -> None:
    records = [
        build_record("2.1", "COMMITTING", GTRID, ["db1", "jms1"], time=TIME, sequence_number=4),
        build_record("2.1", "COMMITTED", GTRID, ["db1"], time=TIME + 6, sequence_number=5),
    ]
    data = example("log")
    assert data == build_file("2.1", records, timestamp=1795219480050, state=255)
    seen = schema.parse({"btm1.tlog": data, "btm2.tlog": build_file("2.1", size=len(data))}, "2.1")
    assert seen.state is not None
    assert seen.state["unfinished"] == [
        {"gtrid": bytes.fromhex("73727631000001a1fb6b75a000000007"), "names": ["jms1"]}
    ]


def test_the_known_answer() -> None:
    data = example("known-answer")
    assert schema.RECORD.parse(data).crc32 == 0xADB79357
    files = {"1": build_file("2.1", [data], timestamp=1, size=200), "2": build_file("2.1", size=200)}
    assert len(kaitai.parse(files, "2.1").records) == 1


def test_the_record_of_the_seed_document() -> None:
    wanted = build_record("seed", "COMMITTING", GTRID, ["db1", "jms1"], time=TIME, sequence_number=4)
    assert example("seed") == wanted
    assert len(kaitai.parse({"log": wanted}, "seed").records) == 1


def test_the_frame_of_the_nio_journal() -> None:
    wanted = build_frame(DELIMITER, "COMMITTING", GTRID, ["jms1", "db1"], time=TIME, sequence_number=4)
    assert example("nio") == wanted
    assert len(kaitai.parse({"j": build_nio_file(bytes(16), DELIMITER, [wanted])}, "nio").records) == 1


@pytest.mark.parametrize("name", ["log", "known-answer", "seed", "nio"])
def test_dumps_are_read_as_they_stand(name: str) -> None:
    assert example(name)
