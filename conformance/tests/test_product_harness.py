"""The parts of the product harness that need no product: refusals, file order, what captures must hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from journalspec.formats import get_format
from journalspec_conformance.harnesses.bitronix_tlog import failures
from journalspec_conformance.harnesses.bitronix_tlog.capture import asked_records
from journalspec_conformance.harnesses.bitronix_tlog.driver import pair_of
from journalspec_conformance.harnesses.bitronix_tlog.failures import CORRUPTED
from journalspec_conformance.harnesses.bitronix_tlog.observe import status_names
from journalspec_conformance.harnesses.java.failures import Refusal, Thrown

MESSAGES = {
    "corrupted log found at position 85 (record terminator outside of file bounds: 9 of 8, length 7)": (
        "record",
        "out-of-bounds",
    ),
    "corrupted log found at position 85 (no record terminator found)": ("record", "no-end-marker"),
    "corrupted log found at position 85 (GTRID size too long)": ("record", "malformed"),
    "corrupted log found at position 85 (unique names too long, 1 out of 2)": ("record", "malformed"),
    "corrupted log found at position 85(invalid CRC, recorded: 1, calculated: 2)": (
        "checksum",
        "bad-checksum",
    ),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_the_products_own_words_become_the_specs_codes(message: str) -> None:
    phase, code = MESSAGES[message]
    assert failures.of_scan(Thrown(CORRUPTED, message)) == Refusal(phase, code)
    assert code in get_format("bitronix_tlog").codes


def test_any_other_exception_keeps_its_name_which_is_no_code_of_the_spec() -> None:
    odd = Thrown("java.nio.InvalidMarkException", "")
    for refusal in (failures.of_open(odd), failures.of_scan(odd), failures.of_write(odd)):
        assert refusal.code == "exception:InvalidMarkException"
        assert refusal.code not in get_format("bitronix_tlog").codes
    assert not failures.is_corruption(odd)
    assert (
        failures.of_scan(Thrown(CORRUPTED, "something new")).code
        == "exception:CorruptedTransactionLogException"
    )


def test_an_exception_of_the_right_class_needs_the_right_words() -> None:
    lengths = "transaction log files are not of the same length, assuming they're corrupt"
    assert failures.of_open(Thrown("java.io.IOException", lengths)) == Refusal("fileset", "unequal-lengths")
    assert failures.of_open(Thrown("java.io.IOException", "Invalid argument")).code == "exception:IOException"
    full = "no room to write log to journal even after swap, circular collision avoided"
    assert failures.of_write(Thrown("java.io.IOException", full)) == Refusal("writer", "does-not-fit")


def test_every_status_number_has_its_name() -> None:
    assert sorted(status_names()) == list(range(10))


@pytest.mark.parametrize(
    ("names", "pair"),
    [
        ((), ("btm1.tlog", "btm2.tlog")),
        (("btm2.tlog",), ("btm1.tlog", "btm2.tlog")),
        (("log10.tlog", "log2.tlog"), ("log2.tlog", "log10.tlog")),
        (("btm1.tlog", "btm2.tlog", "btm3.tlog"), ("btm1.tlog", "btm2.tlog")),
    ],
)
def test_two_files_of_any_name_are_the_pair(
    names: tuple[str, ...], pair: tuple[str, str], tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).touch()
    assert pair_of(tmp_path) == pair


def done(op: dict[str, Any], active: str, **said: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return op, {"step": "0", "durable": False, "active": active, **said}


def test_a_change_of_the_active_file_begins_it_anew() -> None:
    record = {"op": "log", "type": "COMMITTING", "names": ["b", "a", "b"]}
    history = [
        done({"op": "open"}, "btm1.tlog"),
        done({**record, "gtrid": "01"}, "btm1.tlog"),
        done({**record, "gtrid": "02"}, "btm2.tlog"),
        done({**record, "gtrid": "03"}, "btm2.tlog", refused={"code": "does-not-fit"}),
        done({**record, "gtrid": "04"}, "btm1.tlog"),
    ]
    asked = asked_records(history)
    assert asked["btm1.tlog"] == [{"type": "COMMITTING", "gtrid": "04", "names": ["a", "b"]}]
    assert [entry["gtrid"] for entry in asked["btm2.tlog"]] == ["02"]
    assert asked_records([done({**record, "type": "ACTIVE", "gtrid": "05"}, "btm1.tlog")], filtered=True) == {
        "btm1.tlog": [],
        "btm2.tlog": [],
    }
