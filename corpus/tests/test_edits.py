"""Changes made at named places."""

from __future__ import annotations

from typing import Any

import pytest

from journalspec_corpus.edits import Built, EditError, Range, apply


def built() -> Built:
    return Built(
        {"a": bytearray(range(16)), "b": bytearray(4)},
        {
            "r1": Range("a", 4, 8),
            "r1.length": Range("a", 6, 2),
            "b": Range("b", 0, 4),
            "b.whole": Range("b", 0, 4),
        },
    )


def other(name: str) -> Built:
    found = built()
    return found if name != "zeros" else Built({"a": bytearray(16), "b": bytearray(4)}, found.labels)


def after(edit: dict[str, Any]) -> dict[str, bytes]:
    target = built()
    apply(target, edit, other, lambda *_: None)
    return target.content()


@pytest.mark.parametrize(
    ("edit", "at", "want"),
    [
        ({"at": "r1.length", "hex": "ffee"}, 6, "ffee08"),
        ({"at": "r1.length", "int": -2}, 6, "fffe08"),
        ({"at": "r1.length", "int": 1, "order": "little"}, 6, "010008"),
        ({"at": "r1.length", "xor": "01"}, 6, "070708"),
        ({"at": "r1", "fill": "20"}, 4, "20" * 8 + "0c"),
        ({"from": "r1.start+1", "to": "r1.end-1", "fill": "00"}, 4, "04" + "00" * 6 + "0b"),
        ({"at": "r1.end", "hex": "aa"}, 11, "0baa0d"),
        ({"at": "r1.length", "paste": "r1"}, 6, "0405060708090a0b0e"),
        ({"at": "r1.start", "paste": "other:r1.length"}, 4, "060706"),
        ({"at": "r1.start", "paste": "r1", "skip": 3, "len": 1}, 4, "0705"),
        ({"at": "r1.start+1+1-3", "hex": "aa"}, 3, "aa04"),
        ({"at": "r1.length", "plus": 250}, 6, "070108"),
        ({"at": "r1.length", "plus": -0x0608}, 6, "ffff08"),
        ({"at": "r1.length", "under": "zeros"}, 6, "000008"),
        ({"at": "r1.end", "insert": 2}, 11, "0b00000c0d"),
        ({"remove": {"from": "r1.start", "to": "r1.end"}}, 3, "030c0d0e0f0f0f0f0f0f0f0f0f"),
        ({"sectors": [["r1", 1], ["r1", 3]], "size": 2, "fill": "ff"}, 1, "01ffff0405ffff08"),
    ],
)
def test_an_edit_changes_these_bytes_and_no_others(edit: dict[str, Any], at: int, want: str) -> None:
    data, new = bytes(range(16)), bytes.fromhex(want)
    assert after(edit)["a"] == data[:at] + new + data[at + len(new) :]


def test_files_are_cut_extended_deleted_renamed_and_added() -> None:
    assert len(after({"truncate": "r1.start+1"})["a"]) == 5
    assert after({"file": "b", "extend": 2, "with": "ff"})["b"] == bytes(4) + b"\xff\xff"
    assert set(after({"delete": "b"})) == set(after({"delete": "b.whole"})) == {"a"}
    assert set(after({"rename": "b", "to": "c"})) == {"a", "c"}
    assert after({"add": "c", "hex": "01"})["c"] == b"\x01"


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        ({"at": "r2", "hex": "00"}, "no place 'r2'"),
        ({"at": "r1.length", "hex": "000000"}, "more than 'r1.length' has"),
        ({"at": "r1.length", "int": 70000}, "does not fit in the 2 bytes"),
        ({"at": "r1.end+4", "hex": "0000"}, "leave a"),
        ({"at": "r1 !", "hex": "00"}, "is not a place"),
        ({"from": "r1.end", "to": "r1.start", "fill": "00"}, "is not a range"),
        ({"from": "r1.start", "to": "b.start", "fill": "00"}, "is not a range"),
        ({"truncate": "r1.end+99"}, "cannot be cut"),
        ({"at": "r1", "melt": "1"}, "unknown edit"),
    ],
)
def test_a_wrong_edit_is_quoted(edit: dict[str, Any], complaint: str) -> None:
    with pytest.raises(EditError, match=complaint):
        after(edit)
