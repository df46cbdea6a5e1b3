"""The oracle of effects, on traces made by hand: permitted states, and verdicts on other states."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from journalspec.observation import At, Observation, Record
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.oracle import ALLOWED, FORBIDDEN, Operations, State, expected_at, in_words
from journalspec_corpus.crash.trace import Ack, Mark, Op, Release, Trace, Write
from journalspec_corpus.crash.verdict import Answer, judge, wrong_effect

TX, DISK = "jboss_journal", "bitronix_tlog"
TABLE = tomllib.loads((Path(__file__).parent / "data" / "crash_effects.toml").read_text(encoding="utf-8"))


def written(*keys: str) -> list[Op]:
    """Return a write and a mark for each key; the type and the id of a record are its name."""
    ops: list[Op] = []
    for number, key in enumerate(keys):
        off = 100 + 10 * number
        kind, tx, ident, *_ = key.split(":")
        ops += [
            Write("f", off, b"x"),
            Mark(f"{kind.removesuffix('_TX')}-{tx if ident == '0' else ident}", "f", off, 1, key),
        ]
    return ops


def journal(*ops: Op, **more: object) -> Trace:
    return Trace(TX, "v2", "t", {"f": bytes(512)}, ops, "zero", **more)  # type: ignore[arg-type]


ADD_5, ADD_6 = "ADD:0:5:0:aa:", "ADD:0:6:0:bb:"
TX_5, TX_6 = "ADD_TX:1:5:0:aa:", "ADD_TX:1:6:0:bb:"
COMMIT, PREPARE, ROLLBACK = "COMMIT:1:0:0::", "PREPARE:1:0:0::", "ROLLBACK:1:0:0::"
DELETE_5, DELETE_TX_5 = "DELETE:0:5:0::", "DELETE_TX:1:5:0::"
#: The names of the records in the table.
RECORDS = {
    **{"ADD_5": ADD_5, "ADD_6": ADD_6, "TX_5": TX_5, "TX_6": TX_6, "DELETE_5": DELETE_5},
    **{"COMMIT": COMMIT, "PREPARE": PREPARE, "ROLLBACK": ROLLBACK, "DELETE_TX_5": DELETE_TX_5},
}


def state(live: Mapping[str, str] | None = None, *in_doubt: tuple[str, Mapping[str, str]]) -> State:
    """Return the canonical form of a state: bodies by record id, and the ADDs of transactions in doubt."""
    return (
        tuple((key, (("ADD", "0", body),)) for key, body in sorted((live or {}).items())),
        tuple(
            (tx, "", tuple(("add_tx", key, ("ADD", "0", body)) for key, body in sorted(adds.items())))
            for tx, adds in in_doubt
        ),
    )


BOTH = {"5": "aa", "6": "bb"}


def judged(
    trace: Trace, answer: Answer, refusal: str = ALLOWED, *, stratum: str = "R", holes: bool = True
) -> str:
    """Return the verdict on `answer`, at the end of `trace`."""
    expected = expected_at(trace, len(trace.ops), stratum=stratum)
    return judge(answer, expected, refusal, holes_allowed=holes)


def read(*keys: str, live: Mapping[str, str], reported: bool = False) -> Answer:
    """Return the answer that lists the records `keys` and in which the records `live` are in effect."""
    return Answer(keys, reported=reported, state=state(live))


def copied(off: int = 300) -> list[Op]:
    """Return the copy of ADD 5 that a compaction makes."""
    return [Write("f", off, b"x"), Mark("ADD-5", "f", off, 1, ADD_5)]


@pytest.mark.parametrize(("keys", "listed", "live", "in_doubt", "verdict"), TABLE["journal"])
def test_journal_content_has_the_verdict_of_the_table(
    keys: str, listed: str, live: Mapping[str, str], in_doubt: Mapping[str, Mapping[str, str]], verdict: str
) -> None:
    trace = journal(*written(*(RECORDS[name] for name in keys.split())))
    decided = state(live, *in_doubt.items())
    every = tuple(RECORDS[name] for name in listed.split())
    assert judged(trace, Answer(every, state=decided)) == verdict
    # The verdict stays the same if the answer lists the records of transactions as not in effect.
    members = tuple(key for key in every if "_TX" in key)
    others = tuple(key for key in every if key not in members)
    assert judged(trace, Answer(others, aside=members, state=decided)) == verdict


def test_discarded_transaction_end_passes_unless_it_was_acknowledged() -> None:
    ops = written(TX_5, COMMIT)
    assert judged(journal(*ops), Answer((), None, True, (TX_5, COMMIT), state())) == "pass"
    safe = journal(*ops, Ack(("ADD-5", "COMMIT-1")))
    assert judged(safe, Answer((TX_5, COMMIT), None, True, (), state())) == "effect-lost"


DELETE_6 = "DELETE:0:6:0::"


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        # DELETE 6 was not acknowledged. A reader of the copy may have missed DELETE 6, but a reader of the
        # other records must have read it.
        (read(ADD_5, live={"5": "aa"}), "pass"),
        (read(TX_5, COMMIT, ADD_6, DELETE_6, live={"5": "aa"}), "pass"),
        (read(TX_5, COMMIT, ADD_6, DELETE_6, live=BOTH), "deleted-returned"),
        (read(ADD_5, live={}), "effect-lost"),
    ],
)
def test_reader_of_the_copies_need_not_list_the_records_that_they_replace(
    answer: Answer, verdict: str
) -> None:
    """A compaction copies ADD 5 out of its transaction, and deletes all other records."""
    trace = journal(
        *written(TX_5, COMMIT, ADD_6, DELETE_6),
        Ack(("ADD-5", "COMMIT-1", "ADD-6")),
        *copied(),
        Release(("COMMIT-1", "ADD-6", "DELETE-6")),
    )
    assert judged(trace, answer, FORBIDDEN) == verdict


@pytest.mark.parametrize(("released", "key", "live", "verdict"), TABLE["released"])
def test_deletion_permits_the_next_operation_only_if_it_undoes_the_deleted_one(
    released: list[str], key: str, live: Mapping[str, str], verdict: str
) -> None:
    before = [*written(TX_5, COMMIT), Ack(("ADD-5", "COMMIT-1")), *copied(), Release(tuple(released))]
    trace = journal(*before, Write("f", 400, b"x"), Mark("NEXT", "f", 400, 1, RECORDS[key]))
    listed = () if "ADD-5" in released else (ADD_5,)
    assert judged(trace, read(*listed, live=live)) == verdict


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (read(TX_5, COMMIT, live=BOTH), "effect-invented"),
        (read(TX_5, COMMIT, live={"5": "aa"}), "pass"),
        (read(TX_5, COMMIT, ADD_6, live=BOTH), "pass"),
        (read(ADD_5, live=BOTH), "pass"),
    ],
)
def test_record_in_flight_is_in_effect_only_if_listed_or_if_copies_were_read(
    answer: Answer, verdict: str
) -> None:
    """The COMMIT was deleted, and ADD 6 is in flight. ADD 6 may be in effect if the answer lists it, or if
    the answer shows that the reader may have read the copies.
    """
    before = [*written(TX_5, COMMIT, ADD_6), Ack(("ADD-5", "COMMIT-1")), *copied()]
    assert judged(journal(*before, Release(("COMMIT-1",))), answer) == verdict


@pytest.mark.parametrize(("live", "reported", "refusal", "stratum", "verdict"), TABLE["unlisted"])
def test_answer_without_records_is_compared_by_the_state(
    live: Mapping[str, str], reported: bool, refusal: str, stratum: str, verdict: str
) -> None:
    """ADD 5 is acknowledged, ADD 6 after it is not."""
    six = Write("f", 200, b"x"), Mark("ADD-6", "f", 200, 1, ADD_6)
    trace = journal(*written(ADD_5), Ack(("ADD-5",)), *six)
    answer = Answer((), None, reported, state=state(live), unlisted=True)
    for holes in (False, True):
        assert judged(trace, answer, refusal, stratum=stratum, holes=holes) == verdict


FIVE, SIX = ("ADD", "0", "aa"), ("ADD", "0", "bb")
TWICE: State = ((("5", (FIVE, FIVE)),), ())
#: Two traces: ADD 5 has a copy in the first one, and is written once in the second.
COPIED, ONCE = journal(*written(ADD_5, ADD_6), *copied()), journal(*written(ADD_5))


@pytest.mark.parametrize(
    ("trace", "stratum", "keys", "decided", "verdict"),
    [
        # During a compaction, a copy may also be in effect, if both records are listed.
        (COPIED, "R", (ADD_5, ADD_5), TWICE, "pass"),
        (COPIED, "R", (ADD_5,), TWICE, "effect-invented"),
        (COPIED, "R", (ADD_6, ADD_6), ((("6", (SIX, SIX)),), ()), "effect-invented"),
        # After corruption, a record without any copy may be in two places.
        (ONCE, "C", (ADD_5, ADD_5), TWICE, "pass"),
        (ONCE, "C", (ADD_5,), TWICE, "effect-invented"),
        (ONCE, "R", (ADD_5, ADD_5), TWICE, "effect-invented"),
    ],
)
def test_record_at_two_offsets_may_be_in_effect_twice(
    trace: Trace, stratum: str, keys: tuple[str, ...], decided: State, verdict: str
) -> None:
    assert judged(trace, Answer(keys, None, True, (), decided), stratum=stratum) == verdict


def test_permitted_states_are_not_enumerated_if_copies_may_be_read() -> None:
    effects = expected_at(COPIED, len(COPIED.ops)).effects
    assert effects is not None
    assert effects.states() == []


@pytest.mark.parametrize(("stratum", "verdict"), [("C", "pass"), ("R", "lost")])
def test_after_corruption_a_copy_replaces_the_deleted_transaction(stratum: str, verdict: str) -> None:
    """Corruption destroyed ADD 6."""
    before = [*written(TX_5, COMMIT, ADD_6), Ack(("ADD-5", "COMMIT-1", "ADD-6")), *copied()]
    trace = journal(*before, Release(("COMMIT-1",)))
    assert judged(trace, read(ADD_5, live={"5": "aa"}, reported=True), stratum=stratum) == verdict


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (read(live={}, reported=True), "pass"),
        (read(TX_5, TX_6, COMMIT, live=BOTH, reported=True), "pass"),
        (read(TX_5, COMMIT, live={"5": "aa"}, reported=True), "half-transaction"),
        (read(TX_5, TX_6, COMMIT, DELETE_5, live=BOTH, reported=True), "deleted-returned"),
        (read(TX_5, TX_6, live=BOTH, reported=True), "uncommitted-applied"),
    ],
)
def test_after_corruption_some_set_of_records_still_explains_the_state(answer: Answer, verdict: str) -> None:
    ops = written(TX_5, TX_6, COMMIT, DELETE_5)
    trace = journal(*ops, Ack(("ADD-5", "ADD-6", "COMMIT-1", "DELETE-5")))
    assert judged(trace, answer, stratum="C") == verdict


def test_after_corruption_copies_replace_the_transactions_of_two_compactions() -> None:
    """Corruption destroyed ADD 7. The COMMITs were deleted after one compaction each."""
    second = ["ADD_TX:2:6:0:bb:", "COMMIT:2:0:0::"]
    trace = journal(
        *written(TX_5, COMMIT, *second, "ADD:0:7:0:cc:"),
        Ack(("ADD-5", "COMMIT-1", "ADD-6", "COMMIT-2", "ADD-7")),
        *(*copied(), Release(("COMMIT-1",))),
        *(Write("f", 400, b"x"), Mark("ADD-6", "f", 400, 1, ADD_6), Release(("COMMIT-2",))),
    )
    assert judged(trace, read(ADD_5, ADD_6, live=BOTH, reported=True), stratum="C") == "pass"


def test_permitted_states_are_listed_in_the_form_of_an_observation() -> None:
    def told(stratum: str, *ops: Op) -> list[Mapping[str, object]]:
        permitted = expected_at(journal(*ops), len(ops), stratum=stratum).effects
        assert permitted is not None
        return permitted.states()

    five = {"id": "5", "kind": "ADD", "user_type": "0", "body": "aa"}
    six = {"id": "6", "kind": "ADD", "user_type": "0", "body": "bb"}
    held = {"tx": "1", "extra": "", "records": [five], "deletes": []}
    # Records outside a transaction may be lost one by one; a transaction is complete or absent.
    assert told("R", *written(ADD_5, ADD_6)) == [
        {"live": live, "prepared": []} for live in ([], [five], [five, six], [six])
    ]
    assert told("R", *written(TX_5, TX_6, COMMIT)) == [
        {"live": live, "prepared": []} for live in ([], [five, six])
    ]
    assert told("R", *written(TX_5, PREPARE), Ack(("ADD-5", "PREPARE-1"))) == [
        {"live": [], "prepared": [held]}
    ]
    assert told("R", *written(TX_5, PREPARE, DELETE_TX_5)) == [
        {"live": [], "prepared": prepared} for prepared in ([], [held])
    ] + [{"live": [], "prepared": [{**held, "deletes": [{"id": "5"}]}]}]
    nine = [f"ADD:0:{number}:0:aa:" for number in range(10, 19)]
    assert (len(told("R", *written(*nine[:8]))), told("R", *written(*nine))) == (1 << 8, [])
    assert told("C", *written(ADD_5)) == []


def decision(status: str, gtrid: str, names: str = "a,b") -> str:
    return f"{status}:1:1:1:{gtrid}:{names}"


DECISIONS = {
    **{
        name: decision(status, "aa")
        for name, status in zip(("BEGUN", "ENDED", "BACK", "ACTIVE"), "8340", strict=True)
    },
    "ENDED_FOR_A": decision("3", "aa", "a"),
}


@pytest.mark.parametrize(("keys", "unfinished", "verdict"), TABLE["disk"])
def test_disk_log_content_has_the_verdict_of_the_table(
    keys: str, unfinished: Mapping[str, str], verdict: str
) -> None:
    ops: list[Op] = []
    decisions = [DECISIONS[name] for name in keys.split()]
    for number, key in enumerate(decisions):
        ops += [Write("f", number, b"x"), Mark(f"r{number}", "f", number, 1, key)]
    trace = Trace(DISK, "2.1", "t", {"f": bytes(512)}, tuple(ops), "zero")
    decided = tuple((gtrid, tuple(names)) for gtrid, names in sorted(unfinished.items()))
    assert judged(trace, Answer(tuple(decisions), state=decided), FORBIDDEN, holes=False) == verdict


@pytest.mark.parametrize(("keys", "live", "words"), TABLE["words"])
def test_faults_are_described_in_words(keys: str, live: Mapping[str, str], words: str) -> None:
    every = tuple(RECORDS[name] for name in keys.split())
    trace = journal(*written(*every))
    wrong = wrong_effect(read(*every, live=live), expected_at(trace, len(trace.ops)))
    assert wrong is not None
    assert in_words(wrong).startswith(words)


def test_wrong_records_are_reported_first() -> None:
    trace = journal(*written(ADD_5), Ack(("ADD-5",)), stale=(Mark("old", "f", 400, 1, "ADD:0:9:0:cc:"),))
    expected = expected_at(trace, len(trace.ops))
    assert judged(trace, read(live={"9": "cc"}), FORBIDDEN) == "lost"
    wrong = wrong_effect(read(ADD_5, live={"5": "aa", "9": "cc"}), expected)
    assert wrong is not None
    assert wrong.effect is not None
    assert (wrong.verdict, wrong.effect.ident) == ("deleted-returned", "9")
    assert wrong_effect(Answer((ADD_5,)), expected) is None
    assert wrong_effect(Answer((), "no", state=state()), expected) is None


def test_acknowledgement_covers_the_last_record_issued_under_its_name() -> None:
    """A record of an earlier generation may have the same name as a new one."""
    old, new = "ADD:0:7:0:77:", "ADD:0:8:0:88:"
    trace = journal(
        *(Write("f", 0, b"x"), Mark("b-1", "f", 0, 1, new), Ack(("b-1",))),
        possible=(Mark("b-1", "f", 300, 0, old),),
        life=2,
    )
    assert judged(trace, read(new, live={"8": "88"})) == "pass"


def test_record_may_be_absent_until_its_acknowledgement_is_complete() -> None:
    """Operation 2 is the acknowledgement of ADD 5."""
    trace = journal(*written(ADD_5), Ack(("ADD-5",)))
    verdicts = [
        judge(Answer((), state=state(), unlisted=True), expected_at(trace, at), ALLOWED, holes_allowed=False)
        for at in (2, 3)
    ]
    assert verdicts == ["pass", "effect-lost"]


def test_copy_may_be_in_effect_as_soon_as_its_write_begins() -> None:
    """Operation 4 writes the copy of ADD 5."""
    answer = Answer((ADD_5, ADD_5), None, True, (), TWICE)
    verdicts = [judge(answer, expected_at(COPIED, at), ALLOWED, holes_allowed=True) for at in (4, 5)]
    assert verdicts == ["effect-invented", "pass"]


CHANGED = Write("f", 400, b"x"), Mark("ADD-5", "f", 400, 1, "ADD:0:5:0:cc:")


@pytest.mark.parametrize(
    ("trace", "answer"),
    [
        # An acknowledgement covers a record that was written before it under this name, not a later one.
        (journal(*written(ADD_5), Ack(("ADD-5",)), *CHANGED), read(ADD_5, live={"5": "aa"})),
        # A rolled-back operation may be repeated; the second record is not a copy.
        (
            journal(*written(TX_5, ROLLBACK, TX_5, COMMIT)),
            read(TX_5, ROLLBACK, TX_5, COMMIT, live={"5": "aa"}),
        ),
    ],
)
def test_record_may_be_written_again_under_its_name(trace: Trace, answer: Answer) -> None:
    assert judged(trace, answer) == "pass"


def test_second_run_has_the_write_order_of_its_base() -> None:
    """The deleted record may be present; its DELETE must be present."""
    made, gone = Mark("ADD-5", "f", 100, 1, ADD_5), Mark("DELETE-5", "f", 200, 1, DELETE_5)
    trace = journal(standing=(gone,), possible=(made,), order=(made, gone))
    answer = Answer((DELETE_5,), None, False, (ADD_5,), state())
    assert judged(trace, answer, FORBIDDEN) == "pass"
    assert judged(trace, replace(answer, state=state({"5": "aa"})), FORBIDDEN) == "deleted-returned"
    assert trace.id == replace(trace, order=()).id


def test_second_run_has_the_earlier_deletions() -> None:
    """A compaction had copied ADD 5 out of its transaction. A reader of the copy does not list the COMMIT."""
    made, copy = Mark("ADD-5", "f", 100, 1, TX_5), Mark("ADD-5", "g", 100, 1, ADD_5)
    end = Mark("COMMIT-1", "f", 110, 1, COMMIT)
    trace = journal(standing=(made, copy), possible=(end,), done=frozenset({"COMMIT-1"}), life=2)
    trace = replace(trace, order=(made, end, copy))
    assert judged(trace, read(ADD_5, live={"5": "aa"}), FORBIDDEN) == "pass"
    assert judged(trace, read(ADD_5, live={}), FORBIDDEN) == "effect-lost"
    # A reader of the copy may also have read other records written before the copy.
    six = Mark("ADD-6", "f", 120, 1, ADD_6)
    more = replace(trace, possible=(end, six), order=(made, end, six, copy))
    assert judged(more, read(ADD_5, live=BOTH), FORBIDDEN) == "pass"


@pytest.mark.parametrize("in_order", [True, False])
def test_intact_record_of_an_earlier_crash_is_safe_if_later_ones_depend_on_it(in_order: bool) -> None:
    """The earlier crash left record 5 intact, and record 6 torn (without a length)."""
    semantics = crash_format(TX).semantics
    assert semantics is not None
    marks = Mark("ADD-5", "f", 100, 1, ADD_5), Mark("ADD-6", "f", 200, 0, ADD_6)
    found = Operations(journal(possible=marks, life=2), replace(semantics, in_order=in_order))
    assert found.acknowledged(0) == (found.bits[ADD_5] if in_order else 0)


def test_rejected_prepare_is_discarded() -> None:
    """If the count of a PREPARE is wrong, the reader reports the record, and no decision is required."""
    record = Record("PREPARE", {"tx": 1, "extra": b""}, At("f", 0, 1))
    told = {"live": [], "prepared": [], "discarded": [{"tx": 1, "why": "unhealthy-prepare"}]}
    answer = crash_format(TX).answer(Observation("recovered", (record,), state=told))
    assert (answer.keys, answer.aside, answer.state) == ((), (PREPARE,), state())
    whole = crash_format(TX).answer(Observation("clean", (record,), state={**told, "discarded": []}))
    assert (whole.keys, whole.aside) == ((PREPARE,), ())
    silent = crash_format(TX).answer(Observation("clean", (record,), state={"live": []}))
    assert silent.state is None
    assert crash_format(DISK).answer(Observation("clean", (), state={})).state is None


@pytest.mark.parametrize(
    ("format_id", "part"),
    [
        (DISK, "in_doubt"),
        ("kahadb_journal", "destinations"),
        ("kahadb_journal", "in_doubt"),
        ("derby_log", "rows"),
        ("derby_log", "in_doubt"),
        ("swiftmq_store", "queues"),
        ("swiftmq_store", "in_doubt"),
    ],
)
def test_answer_with_a_part_of_the_state_has_no_state(format_id: str, part: str) -> None:
    assert crash_format(format_id).answer(Observation("clean", (), state={part: []})).state is None


@pytest.mark.parametrize(("counts", "live", "in_doubt", "accepted"), TABLE["counts"])
@pytest.mark.parametrize("end", ["COMMIT", "PREPARE"])
def test_answer_need_not_list_discarded_records(
    end: str,
    counts: Mapping[str, object],
    live: Mapping[str, str],
    in_doubt: Mapping[str, Mapping[str, str]],
    accepted: bool,
) -> None:
    """An answer need not list discarded records: its records and its state show which ends of transactions
    were accepted.
    """
    members = [
        Record("ADD_TX", {"tx": 1, "id": ident, "user_type": 0, "body": bytes.fromhex(body)}, At("f", 0, 1))
        for ident, body in ((5, "aa"), (6, "bb"))
    ]
    decided = state(live, *in_doubt.items())
    records = (*members, Record(end, {"tx": 1, **counts}, At("f", 0, 1)))
    semantics = crash_format(TX).semantics
    assert semantics is not None
    answer = crash_format(TX).answer(Observation("clean", records, state=semantics.told(decided)))
    listed = COMMIT if end == "COMMIT" else PREPARE
    assert (listed in answer.keys, listed in answer.aside) == (accepted, not accepted)
    assert answer.state == decided


def test_record_with_two_copies_is_not_a_fault() -> None:
    trace = journal(*written(ADD_5, TX_6, COMMIT))
    expected = expected_at(trace, len(trace.ops), stratum="C")
    answer = Answer((ADD_5, ADD_5, TX_6, COMMIT), None, reported=True, state=TWICE)
    found = wrong_effect(answer, expected)
    assert found is not None
    assert (found.verdict, found.records) == ("effect-lost", ("ADD-6",))


def test_deleted_record_with_two_copies_is_in_effect_in_neither() -> None:
    trace = journal(*written(ADD_5, DELETE_5))
    expected = expected_at(trace, len(trace.ops), stratum="C")
    keys = (ADD_5, ADD_5, DELETE_5)
    found = wrong_effect(Answer(keys, None, reported=True, state=state({"5": "aa"})), expected)
    assert found is not None
    assert (found.verdict, found.records) == ("deleted-returned", ("ADD-5",))
    assert wrong_effect(Answer(keys, None, reported=True, state=state()), expected) is None
