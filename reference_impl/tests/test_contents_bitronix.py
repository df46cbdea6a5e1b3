"""The contents of Bitronix logs: gtrids decoded as the product does, and the actions of recovery."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journalspec_reference.answers import Answer, ask
from journalspec_reference.contents import Contents, contents
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.xids import MOST_READINGS, Uid, gtrid_in_full, gtrid_text, spelled, uid, xid_text

ROOT = Path(__file__).resolve().parents[2]
CAPTURED = ROOT / "corpus" / "captured" / "bitronix_tlog"

#: Gtrids, and their parts as BTM 2.1.4 returns them (Uid.extractServerId, extractTimestamp, extractSequence).
#: The spelling is that of ActiveMQ 5.15.16 (XATransactionId of a BitronixXid).
PRODUCTS = {
    "73727631000001a1fb109cb700000004": (
        Uid("srv1", 1795213532343, 4),
        "73727631001ffffffa1fffffffb10ffffff9cffffffb70004",
    ),
    "6e6f64652d390000019b7f80ff9b0000009b": (
        Uid("node-9", 1767370719131, 155),
        "6e6f64652d39001ffffff9b7fffffff80ffffffffffffff9b000ffffff9b",
    ),
    "6e6f64653100000000000017700000ff02": (
        Uid("node1", 6000, 65282),
        "6e6f646531000000177000ffffffff2",
    ),
}  # fmt: skip


def opened(path: Path, policy: str = "salvage", **given: Any) -> tuple[Answer, Contents]:
    (journal,) = find_journals(load(path), "bitronix_tlog", **given)
    answer = ask(journal, policy)
    found = contents(answer)
    assert found
    return answer, found


def rows_of(found: Contents) -> list[dict[str, Any]]:
    return [dict(row) for row in found.rows("transactions")]


def test_name_without_a_table_raises_key_error() -> None:
    """These are names of the object's attributes, but not of tables."""
    _, found = opened(CAPTURED / "bitronix-2.1.4" / "partial-commit")
    for name in ("told", "state", "rows"):
        with pytest.raises(KeyError):
            found.rows(name)


# Gtrids.


@pytest.mark.parametrize("gtrid", PRODUCTS)
def test_gtrid_is_split_as_the_product_does(gtrid: str) -> None:
    known, _ = PRODUCTS[gtrid]
    assert uid(bytes.fromhex(gtrid)) == known
    assert gtrid_text(bytes.fromhex(gtrid)) == f"{known.server}/{known.time}/{known.sequence}"
    assert known.started == (known.time if known.time > 6000 else None)


@pytest.mark.parametrize("gtrid", PRODUCTS)
def test_every_spelling_of_a_gtrid_finds_it(gtrid: str) -> None:
    known, of_activemq = PRODUCTS[gtrid]
    data, upper = bytes.fromhex(gtrid), gtrid.upper()
    # Texts for a transaction: BTM prints a Uid and a BitronixXid, ActiveMQ an XATransactionId, MySQL and
    # Oracle an XA id.
    spellings = [
        gtrid,
        upper,
        f"0x{gtrid}",
        str(known),
        f"a Bitronix XID [{upper} : {upper}]",
        f"XID:[1114926712,globalId={of_activemq},branchId={of_activemq}]",
        of_activemq,
        f"X'{gtrid}',X'{gtrid}',1114926712",
        f"1114926712.{upper}",
        xid_text(1114926712, data, b"x"),
    ]
    for text in spellings:
        assert data in spelled(text), text
    # Hex digits of sign-extended bytes are recognised. ActiveMQ's spelling has at most three readings.
    extended = "".join(f"ffffff{byte:02x}" if byte > 127 else f"{byte:02x}" for byte in data)
    assert data in spelled(extended)
    assert len(spelled(of_activemq)) < 4


def test_spelling_of_postgresql_for_a_prepared_transaction_is_recognised() -> None:
    """PostgreSQL's JDBC driver spells a transaction as the format id and both parts in base64."""
    assert spelled("1114926712_c3J2MQAAAaH7EJy3AAAABA==_YjE=") == (
        bytes.fromhex("73727631000001a1fb109cb700000004"),
    )


def test_sign_extended_byte_has_two_readings() -> None:
    assert spelled("ffffff9b") == (bytes.fromhex("ffffff9b"), b"\x9b")


@pytest.mark.parametrize(
    "text", ["", "x", "123", "server/1/99999999999", "s\u00e9/1/2", "1_!_", "XID:[1,globalId=]"]
)
def test_invalid_spelling_gives_no_number(text: str) -> None:
    assert spelled(text) == ()


@given(st.text() | st.text("0123456789abcdef", max_size=400) | st.text("f7", max_size=400))
@settings(max_examples=300, deadline=None)
def test_any_text_may_be_given_as_a_spelling(text: str) -> None:
    assert len(spelled(text)) <= MOST_READINGS + 2


@given(st.binary(max_size=300))
def test_any_bytes_may_be_a_gtrid(gtrid: bytes) -> None:
    known = uid(gtrid)
    assert gtrid in spelled(gtrid_text(gtrid)) or not gtrid
    assert gtrid.hex() in gtrid_in_full(gtrid)
    assert known is None or len(gtrid) > 12


def test_screen_shows_the_start_of_a_transaction() -> None:
    gtrid = bytes.fromhex("73727631000001a1fb109cb700000004")
    begun = "begun 2026-11-20 22:25:32 UTC"
    assert gtrid_in_full(gtrid) == f"srv1/1795213532343/4 ({begun}, gtrid {gtrid.hex()})"
    uptime = bytes.fromhex("6e6f64653100000000000017700000ff02")
    assert gtrid_in_full(uptime) == f"node1/6000/65282 (gtrid {uptime.hex()})"


# Transactions.


@pytest.mark.parametrize(
    "place",
    [path.parent for path in sorted(CAPTURED.glob("*/*/expected.json"))],
    ids=lambda path: "-".join(path.parts[-2:]),
)
def test_transactions_to_commit_are_those_that_the_product_loads(place: Path) -> None:
    """The product lists the dangling records of a copy of its files."""
    expected = json.loads((place / "expected.json").read_text(encoding="utf-8"))
    loads = [one for one in expected["expect"] if one["when"] == {"op": "recover", "policy": "strict"}]
    answer, found = opened(place, "strict", edition=expected["edition"])
    rows = rows_of(found)
    if answer.observation.state is None:
        assert (rows, [*found.counts()]) == ([], [])
        return
    wanted = loads[0]["state"]["unfinished"] if loads else expected["expect"][0]["state"]["unfinished"]
    assert [
        {"gtrid": row["gtrid"].hex(), "names": row["waits_for"]} for row in rows if row["outcome"] == "commit"
    ] == [{"gtrid": one["gtrid"], "names": one["names"]} for one in wanted]
    state: Any = answer.observation.state
    in_doubt = [(row["gtrid"], row["status"]) for row in rows if row["outcome"] == "rollback"]
    assert in_doubt == [(one["gtrid"], one["status"]) for one in state["in_doubt"]]
    counts = {count.name: count.rows for count in found.counts()}
    assert counts == {
        name: number for name, number in (("commit", len(wanted)), ("rollback", len(in_doubt))) if number
    }
    columns = [column.name for column in found.tables["transactions"].columns]
    assert all([*row] == columns for row in rows)


def test_times_counted_from_the_start_of_a_machine_are_not_shown_as_dates() -> None:
    _, found = opened(CAPTURED / "bitronix-2.1.4" / "partial-commit")
    (row,) = rows_of(found)
    assert (row["uptime"], row["started"], row["decided"], row["written"]) == (402, None, None, None)
    assert (row["resources"], row["waits_for"]) == (["db1", "jms1", "zz"], ["jms1", "zz"])


def test_damaged_logs_do_not_cause_an_exception(tmp_path: Path) -> None:
    rng, place = random.Random(46), CAPTURED / "bitronix-3.0.0-mk1" / "tm-crash-between-commits"
    files = {path.name: path.read_bytes() for path in place.glob("*.tlog")}
    for _ in range(100):
        for name, data in files.items():
            spoilt = bytearray(data)
            for _ in range(rng.choice((0, 1, 3))):
                spoilt[rng.randrange(700)] = rng.randrange(256)
            (tmp_path / name).write_bytes(spoilt)
        answer, found = opened(tmp_path, edition="3.0")
        state: Any = answer.observation.state or {"unfinished": (), "in_doubt": ()}
        rows, live = rows_of(found), [*state["unfinished"], *state["in_doubt"]]
        assert [row["gtrid"] for row in rows if row["in_doubt"]] == [one["gtrid"] for one in live]
