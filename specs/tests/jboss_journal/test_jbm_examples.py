"""The hexdumps of the specification are what the builders build and the schemas read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from journalspec.jboss_journal import kaitai, schema
from journalspec.jboss_journal.build import CONTROL, build_control_file, build_file, build_record

PROSE = Path(__file__).resolve().parents[2] / "journalspec" / "jboss_journal" / "spec.md"


def example(name: str) -> bytes:
    """Return the bytes of the dump called `name`; its offsets have to be without gap."""
    text = PROSE.read_text(encoding="utf-8")
    [block] = re.findall(rf":name: jboss-journal-example-{name}\n\n(.*?)```", text, re.DOTALL)
    data = b""
    for line in block.splitlines():
        match = re.match(r"([0-9a-f]{4})  ((?:[0-9a-f]{2}(?: |$))+)", line)
        assert match, line
        assert int(match[1], 16) == len(data), line
        data += bytes.fromhex(match[2])
    return data


def state_of(files: dict[str, bytes], edition: str) -> Any:
    seen = schema.parse(files, edition)
    assert kaitai.parse(files, edition) == seen
    return seen.state


def test_a_transaction_over_two_files() -> None:
    data = example("two-files")
    assert data == build_file(
        "seed",
        3,
        [
            build_record("seed", "ADD_TX", 3, tx=100, id=7, user_type=32, body=b"two"),
            build_record("seed", "COMMIT", 3, tx=100, pairs=[(1, 2), (3, 1)]),
        ],
    )
    # File 1 is gone.
    assert [item["id"] for item in state_of({"d-3.jbm": data}, "seed")["live"]] == [7]
    first = [build_record("seed", "ADD_TX", 1, tx=100, id=number) for number in (5, 6)]
    files = {"d-1.jbm": build_file("seed", 1, first), "d-3.jbm": data}
    assert [item["id"] for item in state_of(files, "seed")["live"]] == [5, 6, 7]


def test_a_file_in_its_second_life() -> None:
    bodies = {1: b"one", 2: b"two", 3: b"three"}
    old = [build_record("v2", "ADD", 1, id=i, user_type=31, body=bodies[i]) for i in bodies]
    assert [len(record) for record in old] == [26, 26, 28]
    new = build_record("v2", "ADD", 5, id=9, user_type=31, body=b"fresh")
    data = example("second-life")
    assert data == build_file("v2", 5, [new], background=build_file("v2", 1, old))
    for module in (schema, kaitai):
        seen = module.parse({"d-1.amq": data}, "v2")
        assert [record.fields["id"] for record in seen.records] == [9]
        assert [record.fields["id"] for record in seen.unanchored] == [3]


def test_in_doubt() -> None:
    data = example("in-doubt")
    records = [
        build_record("v2e", "ADD_TX", tx=101, id=4, user_type=5, body=b"\1"),
        build_record("v2e", "DELETE_TX", tx=101, id=3, body=b"w"),
        build_record("v2e", "PREPARE", tx=101, count=2, extra=b"xid"),
        build_record("v2e", "EVENT", id=9, user_type=1, body=b"EE"),
    ]
    assert data == build_file("v2e", 1, records)
    state = state_of({"d-1.amq": data}, "v2e")
    assert state["live"] == []
    [prepared] = state["prepared"]
    assert (prepared["tx"], prepared["extra"]) == (101, b"xid")
    assert prepared["deletes"] == [{"id": 3, "body": b"w"}]
    assert [record.type for record in kaitai.parse({"d-1.amq": data}, "v2").records][-1] == "PREPARE"


def test_a_prepare_of_the_second_edition() -> None:
    data = example("prepare")
    assert data == build_record("s1", "PREPARE", 4, tx=101, pairs=[(3, 2), (4, 1)], extra=b"xid")


def test_the_calculated_hash() -> None:
    data = example("hash")
    assert data == build_record("seed+hash", "ADD", 1, id=1, user_type=7, body=b"\xaa\xbb")
    plain = build_record("seed", "ADD", 1, id=1, user_type=7, body=b"\xaa\xbb")
    assert (plain[:-4], plain[-4:]) == (data[:-4], bytes([0, 0, 0, 0x18]))


def test_a_control_file() -> None:
    data = example("control")
    assert data == build_control_file("v2", ["d-1.amq", "d-2.amq"], ["d-6.amq.cmp"], slack=bytes(3))
    files = {
        "d-1.amq": build_file("v2", 1, [build_record("v2", "ADD", 1, id=1)]),
        "d-2.amq": build_file("v2", 2, [build_record("v2", "ADD", 2, id=2)]),
        "d-6.amq.cmp": build_file("v2", 1, [build_record("v2", "ADD", 1, id=2, compact_count=1)]),
        CONTROL: data,
    }
    [live] = state_of(files, "v2")["live"]
    assert (live["id"], live["compact_count"]) == (2, 1)
