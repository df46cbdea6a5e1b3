"""The contents list the transactions that Narayana's transaction manager and its resources reported.

``data/contents_narayana.json`` contains records of Narayana 7.0.2 (``stores.py narayana``). For each record
it lists the Uid, the required action of recovery, and the XIDs of participants that have not finished or
decided by themselves.
"""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
import stores
from families_draw import draw

from journalspec.families import decode, families
from journalspec_reference import contents as shared
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.jboss_journal.contents.narayana import (
    OUTCOMES,
    STATUSES,
    TRANSACTION,
    TransactionContents,
    transaction,
    uid_text,
    xid_parts,
)
from work import LINEAR, Counted, Task, growth

KEPT = json.loads((Path(__file__).parent / "data" / "contents_narayana.json").read_text("utf-8"))
STORED = [bytes.fromhex(each["stored"]) for each in KEPT]
FAMILY = families("jboss_journal")["narayana"]
NODE = "n\u00f6de-1"
#: The first bytes that Narayana 7.0.2 writes; each part is padded to four bytes.
HEADER = bytes.fromhex("2342450110204000")


def opened(directory: Path) -> TransactionContents:
    (journal,) = find_journals(load(directory))
    found = shared.contents(ask(journal, "strict"))
    assert isinstance(found, TransactionContents)
    return found


def xids(participants: Any) -> list[Any]:
    """Return the XIDs of participants in the form that ``NarayanaStore`` prints."""
    return [
        {
            "named": each["jndi_name"] is not None,
            "xid": [each["format_id"], each["global_id"].hex(), each["branch"].hex()],
        }
        for each in participants
    ]


def test_extension_in_the_names_shows_a_journal_of_narayana(tmp_path: Path) -> None:
    """A question need not contain the extension."""
    (tmp_path / "jbossts-1.txlog").write_bytes(struct.pack(">iiq", 2, 0, 1).ljust(512, b"\0"))
    (journal,) = find_journals(load(tmp_path))
    assert isinstance(shared.contents(ask(replace(journal, params={}), "strict")), TransactionContents)


@pytest.mark.parametrize("number", range(len(KEPT)))
def test_transaction_has_the_values_reported_by_manager_and_resources(number: int) -> None:
    found, wanted = transaction(STORED[number]), KEPT[number]["narayana"]
    assert (found.reason, found.data) == ("", None)
    assert (found.uid, found.recovery) == (wanted["uid"], wanted["recovery"])
    assert (xids(found.participants), xids(found.heuristics)) == (wanted["pending"], wanted["heuristic"])
    parent: Any = found.parent
    given = parent and [parent["format_id"], parent["global_id"].hex(), parent["branch"].hex()]
    assert given == wanted["parent"]
    if wanted["parent"] is None:
        assert {each["node"] for each in (*found.participants, *found.heuristics)} == {NODE}
        assert {each["uid"] for each in (*found.participants, *found.heuristics)} == {found.uid}
    for each in (*found.participants, *found.heuristics):
        if each["jndi_name"] is not None:
            assert (each["product"], each["version"]) == ("Product \u00e9", "1.2")
            assert each["jndi_name"] == "java:/jms/xa"


def test_status_and_outcome_are_those_at_the_time_of_the_copy() -> None:
    found = [transaction(data) for data in STORED]
    # Two transactions ended with failed participants, two with heuristic decisions. The last one was stopped
    # during its commit; the fifth is only prepared, but has the same status.
    assert [each.status for each in found] == [*["COMMITTED"] * 4, "COMMITTING", "COMMITTING"]
    assert [each.decision for each in found][2:4] == ["HEURISTIC_MIXED"] * 2


def test_xid_of_narayana_is_split_into_parts() -> None:
    uid = struct.pack(">qqiii", 0, 0xFFFF7F000001, -20, 5, 16)
    branch = struct.pack(">qqiii", 0, 1, 2, 3, 4) + struct.pack(">ii", 9, 4) + b"nod2"
    assert xid_parts(131077, uid + b"node1", branch) == {
        "uid": "0:ffff7f000001:-14:5:10",
        "node": "node1",
        "branch_uid": "0:1:2:3:4",
        "resource": 9,
        "subordinate_node": "nod2",
    }
    assert not xid_parts(4711, uid, branch)
    assert not xid_parts(131077, uid[:-1], branch)
    assert xid_parts(131077, uid, b"")["uid"] == uid_text(uid)


def packed(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data + bytes(-len(data) % 4)


def record(kind: str, state: bytes) -> bytes:
    return HEADER + packed(bytes(28)) + packed(kind.encode() + b"\0") + packed(state)


@pytest.mark.parametrize(
    ("body", "recovery", "reason"),
    [
        (b"", None, "no object"),
        (HEADER, None, "no object"),
        (bytes(20), None, "no object"),
        (record("/Recovery/TransactionStatusManager", b"state"), None, "are not decoded"),
        (record(TRANSACTION, b"state"), None, "requires"),
        (record(TRANSACTION, HEADER + packed(b"#OTHER#\0")), None, "requires"),
        (record(TRANSACTION + "/SubordinateAtomicAction/JCA", b""), "wait-for-parent", "requires"),
        (record(TRANSACTION + "/Expired", b""), "moved-aside", "requires"),
    ],
)
def test_undecodable_data_has_a_reason_and_its_bytes(body: bytes, recovery: str | None, reason: str) -> None:
    found = transaction(body)
    assert reason in found.reason
    assert found.recovery == recovery
    assert found.data is not None


def test_transaction_with_a_damaged_type_is_recognised_by_its_state() -> None:
    for data in STORED[:4]:
        spoilt = data.replace(b"TwoPhase", b"TwoFhase")
        assert spoilt != data
        assert transaction(spoilt).participants == transaction(data).participants
    spoilt = STORED[0].replace(b"#ARJUNA#", b"#ARJUN_#")
    assert transaction(spoilt).participants == transaction(STORED[0]).participants
    assert "#ARJUNA#" in transaction(spoilt).reason


def test_participants_of_other_kinds_end_the_list() -> None:
    begin = HEADER + packed(b"#ARJUNA#\0") + 2 * packed(bytes(28)) + bytes(8) + bytes(4)
    found = transaction(record(TRANSACTION, begin + struct.pack(">i", 172)))
    assert "type 172" in found.reason
    assert (found.recovery, found.created) == (None, 0)
    found = transaction(record(TRANSACTION, begin + struct.pack(">iiiii", 463, 0, 6, 0, 7)))
    assert (found.reason, found.recovery, found.status) == ("", "nothing", "COMMITTING")


# The naive decoder reads the table; the hand-written decoder must agree.


def raw(tree: Mapping[str, Any]) -> bytes:
    """Return the bytes in the stored form, in pieces of four bytes."""
    pieces = [each["value"] for each in (*tree["quads"], *([tree["last"]] if "last" in tree else []))]
    return b"".join(pieces)[: tree["size"]]


def word(tree: Mapping[str, Any]) -> str | None:
    return raw(tree)[:-1].decode("utf-8", "replace") if tree["size"] else None


def uid(tree: Mapping[str, Any]) -> str:
    return ":".join(f"{tree[part]:x}" for part in ("host_high", "host_low", "process", "started", "counter"))


def name(number: int, names: tuple[str, ...]) -> str:
    return dict(enumerate(names)).get(number, str(number))


def xid(tree: Mapping[str, Any]) -> tuple[int, bytes, bytes]:
    size, rest, data = tree["global_size"], tree["branch_size"], tree["data"]
    return tree["format_id"], data[:size], data[size : size + rest]


def listed(tree: Mapping[str, Any]) -> list[Any]:
    found = []
    while tree["kind"] != 463:
        each = tree["participant"]
        known = each["xid"]
        one: list[Any] = [xid(known["xid"]) if known["known"] else raw(known["serialised"])]
        one += [word(each[key]) for key in ("product", "product_version", "jndi_name")]
        if tree["kind"] == 171:
            one += [name(each["outcome"], OUTCOMES), each["committed"]["value"]]
        else:
            one += [None, bool(each["completed"]) and each["committed"]["value"]]
        one.append(word(each["class_name"]) if "class_name" in each else None)
        found.append(one)
        tree = tree["more"]
    return found


def decoded(participants: Any) -> list[Any]:
    keys = ("product", "version", "jndi_name", "outcome", "committed", "class_name")
    found = []
    for each in participants:
        known = tuple(each.get(key) for key in ("format_id", "global_id", "branch"))
        found.append([each.get("serialised_xid", known), *(each.get(key) for key in keys)])
    return found


def assert_same(data: bytes, kind: str, root: str) -> None:
    """Assert that the table and the decoder read the same state."""
    tree, found = decode(FAMILY, root, data), transaction(record(kind, data))
    assert found.reason == ""
    action = tree["action"]
    assert (found.created, found.process) == (action["begin"]["created"], uid(action["begin"]["process"]))
    assert decoded(found.participants) == listed(action["participants"])
    assert decoded(found.heuristics) == listed(action.get("heuristics", {"kind": 463}))
    assert found.status == name(action["status"], STATUSES)
    assert found.decision == name(action["decision"], OUTCOMES)
    if tree.get("imported"):
        assert found.parent is not None
        assert tuple(found.parent[key] for key in ("format_id", "global_id", "branch")) == xid(tree["given"])
        assert found.parent_node == word(tree["given_by"])
    else:
        assert found.parent is None


def test_table_and_decoder_read_the_same_state() -> None:
    for data in STORED:
        tree, found = decode(FAMILY, "record", data), transaction(data)
        assert (found.uid, found.type) == (uid(tree["uid"]), word(tree["kind"]))
        imported = str(found.type).endswith("/JCA")
        assert_same(raw(tree["state"]), str(found.type), "subordinate" if imported else "transaction")
    random = Random(46)
    for number in range(500):
        root, kind = (
            ("transaction", TRANSACTION),
            ("subordinate", TRANSACTION + "/SubordinateAtomicAction/JCA"),
        )
        which, what = (root, kind)[number % 2]
        state = draw(FAMILY, which, "", random)
        assert_same(state, what, which)


# Damage.


def test_time_is_linear_in_the_number_of_participants() -> None:
    begin = HEADER + packed(b"#ARJUNA#\0") + 2 * packed(bytes(28)) + bytes(12)
    one = (
        struct.pack(">iiiiiii", 171, 7, 0, 1, 131077, 36, 36)
        + packed(bytes(128))
        + struct.pack(">iiiii", 1, 0, 0, 0, 0)
    )
    one += packed(bytes(28)) + bytes(4)

    def read(number: int) -> Task:
        body = record(TRANSACTION, begin + one * number + struct.pack(">iiiii", 463, 0, 6, 0, 7))
        return partial(transaction, Counted(body))

    assert len(read(250)().participants) == 250
    assert growth(read, 250) < LINEAR


# Stores.


@pytest.mark.product
@pytest.mark.java
@pytest.mark.parametrize("version", ["7.0.2.Final", "7.3.3.Final"])
def test_contents_have_the_outcomes_of_narayana(version: str) -> None:
    if shutil.which("java") is None:
        pytest.skip("no Java on PATH")
    cached = list((stores.cache() / "brokers").glob(f"narayana-{version}-*"))
    if not cached and shutil.which("mvn") is None:
        pytest.skip("neither Narayana's jars nor Maven are here")
    store = stores.written("narayana", version, messages=0, end="halt")
    found = opened(store / "tx-object-store" / "HornetqObjectStore")
    wanted = [json.loads(line) for line in (store / "expected.jsonl").read_text("utf-8").splitlines()]
    rows, participants = list(found.rows("transactions")), list(found.rows("participants"))
    assert [row["uid"] for row in rows] == [each["uid"] for each in wanted]
    for row, each in zip(rows, wanted, strict=True):
        assert row["recovery"] == each["recovery"]
        for state in ("pending", "heuristic"):
            own = [
                part for part in participants if (part["transaction"], part["state"]) == (row["id"], state)
            ]
            assert xids(own) == each[state]
    assert {count.name: count.rows for count in found.counts()} == {NODE: 5, "another server": 1}
    assert not found.remarks.counts
