"""Derby's log in the corpus: what the author module builds is what Derby wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import Mark
from journalspec_corpus.crash.workloads import LongWorkload
from journalspec_corpus.derby_log import author
from journalspec_corpus.derby_log.recording import build
from journalspec_corpus.derby_log.workloads import Step, Workload

CAPTURED = Path(__file__).resolve().parents[1] / "captured" / "derby_log"

#: Version, scenario -> where its transactions begin, and what they wrote, group by group.
CHECKPOINT = ["c184 COMMIT", "b187 BEGIN status=16", "k187 CHECKPOINT redo=b187"]
AGAIN: dict[str, list[Any]] = {
    "transactions": [
        CHECKPOINT,
        ["c187 COMMIT"],
        ["b197 BEGIN", "i1 INSERT tx=197 key=1 value=one", "i2 INSERT tx=197 table=U key=1 value=eins",
         "c197 COMMIT"],
        ["b201 BEGIN", "i3 INSERT tx=201 key=2 value=two", "i4 UPDATE tx=201 key=1 value=uno",
         "d4 DELETE tx=201 table=U key=1"],
        ["u1 UNDO tx=201 of=d4", "u2 UNDO tx=201 of=i4", "u3 UNDO tx=201 of=i3", "a201 ABORT"],
        ["b206 BEGIN", "i206 INSERT key=3 value=three",
         "b207 BEGIN", "i207 INSERT key=4 value=four", "c207 COMMIT"],
    ],
    "prepared": [
        CHECKPOINT,
        ["c187 COMMIT"],
        ["b197 BEGIN xa=1:01:0a", "i197 INSERT key=1 value=one", "p197 PREPARE xa=1:01:0a"],
        ["c197 COMMIT xa=1:01:0a"],
        ["b200 BEGIN xa=1:02:0b", "i200 INSERT key=2 value=two", "p200 PREPARE xa=1:02:0b"],
        ["u200 UNDO of=i200", "a200 ABORT xa=1:02:0b"],
        [
            "b203 BEGIN xa=1:0303:0c",
            "i203 INSERT key=3 value=three",
            "i1 INSERT tx=203 table=U key=4 value=four",
            "p203 PREPARE xa=1:0303:0c",
        ],
        ["b205 BEGIN", "i205 INSERT table=U key=5 value=five", "c205 COMMIT"],
    ],
}  # fmt: skip


@pytest.mark.parametrize("scenario", AGAIN)
def test_the_author_writes_what_derby_wrote(scenario: str) -> None:
    """From the last checkpoint of the base on, byte for byte, and the control file."""
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


def test_what_is_done_outside_of_transactions_is_promised_at_once() -> None:
    trace = build(Workload("append", "10.16/sync", (Step("insert", 1, 4), Step("insert", 2, 4))))
    assert [any("INSERT" in record for record in op.records) for _, op in trace.acks] == [True, True]


def test_a_branch_whose_rollback_has_arrived_is_not_decided_again() -> None:
    """A rollback is not forced: whether the crash left it is for recovery to say, and nobody asks twice."""
    first = LongWorkload("10.16/sync", 100000, "sx1 i1bx1 px1 n zx1 k i2a i3c i4c i5a i6a i7a")
    trace = crash_format("derby_log").build(SecondLife(first, 2, "settle"))
    ends = [json.loads(op.key) for op in trace.ops if isinstance(op, Mark) and op.record.startswith("END")]
    assert [said for said in ends if "global_id" in said] == []
