"""Derby's log in the corpus: the author module builds the bytes that Derby wrote."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.oracle import Effect
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import Mark
from journalspec_corpus.derby_log import author, naive
from journalspec_corpus.derby_log.crash import action
from journalspec_corpus.derby_log.recording import build
from journalspec_corpus.derby_log.workloads import Step, Workload
from journalspec_corpus.workloads import LongWorkload
from journalspec_reference import load

CAPTURED = Path(__file__).resolve().parents[1] / "captured" / "derby_log"

XA = {"format_id": "1", "gtrid": "0a", "bqual": "0b"}
#: Version, scenario -> the offset where its transactions begin, and the records of these transactions, in
#: groups.
AGAIN = tomllib.loads((Path(__file__).parent / "data" / "derby_groups.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("scenario", AGAIN)
def test_author_writes_the_bytes_that_derby_wrote(scenario: str) -> None:
    """From the base's last checkpoint on, the log has the same bytes. The control files are equal too."""
    real = CAPTURED / "derby-10.16.1.1" / scenario
    control = {"build": 1901046}
    files = [{"start": 40153, "groups": AGAIN[scenario]}]
    base = {"checkpoint": "k187", "control": control, "mirror": control, "files": files}
    built = author.build(base, "10.16").content()
    log = (real / "log1.dat").read_bytes()
    assert built["log1.dat"][:24] == log[:24]
    assert built["log1.dat"][40153:] == log[40153:]
    for name in ("log.ctrl", "logmirror.ctrl"):
        assert built[name] == (real / name).read_bytes()


def test_operations_outside_transactions_are_acknowledged_immediately() -> None:
    trace = build(Workload("append", "10.16/sync", (Step("insert", 1, 4), Step("insert", 2, 4))))
    assert [any("INSERT" in record for record in op.records) for _, op in trace.acks] == [True, True]


def test_branch_with_a_durable_rollback_is_not_decided_again() -> None:
    """Derby does not sync a rollback.

    If recovery finds one, the workload does not decide the branch again.
    """
    first = LongWorkload("10.16/sync", 100000, "sx1 i1bx1 px1 n zx1 k i2a i3c i4c i5a i6a i7a")
    trace = crash_format("derby_log").build(SecondLife(first, 2, "settle"))
    ends = [json.loads(op.key) for op in trace.ops if isinstance(op, Mark) and op.record.startswith("END")]
    assert [said for said in ends if "global_id" in said] == []


@pytest.mark.parametrize(("undone", "version"), [("n3", 8), ("n3 n3", 10), ("n3 i2", 9), ("n3 b3", 9)])
def test_repeated_undo_increases_the_version_by_the_rows_of_the_undone_record(
    undone: str, version: int
) -> None:
    """Derby does not check whether the change is already undone (DRB-RCV-164, FileLogger.redo)."""
    page = "container=1168 page=1"
    purge = f"n3 PURGE {page} page_version=4 slot=1 rows=7,8 data=0007022000040000000120000500036f6e65"
    undo = [
        f"u{at}x PHYSICAL_UNDO {page} page_version={6 + 2 * at} tx=3 group=0x184 undone={each}"
        for at, each in enumerate(undone.split())
    ]
    insert = f"i4 INSERT {page} slot=3 record_id=9 insert_flags=1 data=00090220000400000003200005000374776f"
    for found in (version - 1, version):
        groups = [
            ["b1 BEGIN status=16", "k1 CHECKPOINT", "c1 COMMIT"],
            ["b2 BEGIN", "i2 INSERT key=1 value=one", "j2 INSERT key=2 value=two", "c2 COMMIT"],
            ["b3 BEGIN", f"{purge}00080220000400000002200005000374776f", *undo, "a3 ABORT"],
            ["b4 BEGIN", f"{insert} page_version={found}", "c4 COMMIT"],
        ]
        files = author.build({"checkpoint": "k1", "files": [{"groups": groups}]}, "10.16").content()
        state = naive.recover(files, "10.16", "default")["state"]
        assert load("derby_log").recover(files, edition="10.16", policy="default").state == state
        assert ({"table": "T", "key": "3", "value": "two"} in state["rows"]) == (found == version)


@pytest.mark.parametrize(
    ("fields", "role"),
    [
        ({"type": "BEGIN", "status": "16"}, "alone"),
        ({"type": "CHECKPOINT"}, "alone"),
        ({"type": "INIT_PAGE", "container": "1168"}, "alone"),
        ({"type": "DELETE", "container": "1168"}, "member"),
        ({"type": "PHYSICAL_UNDO"}, "member"),
        ({"type": "LOGICAL_UNDO"}, "member"),
        ({"type": "END", "status": "1"}, "rollback"),
        ({"type": "END", "status": "4"}, "commit"),
        ({"type": "END", "status": "2", "global_id": XA}, "prepare"),
    ],
)
def test_role_of_a_record_in_its_transaction(fields: dict[str, object], role: str) -> None:
    found = action(json.dumps({"transaction": "7", **fields}))
    assert (found.role, found.tx) == (role, "7")
    assert found.makes == ((Effect("decision", "1:0a:0b", ""),) if role == "prepare" else ())
