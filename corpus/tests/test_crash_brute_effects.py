"""The second oracle for effects: as many sets as formulas say, and each kind of wrong state by its name."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import pytest

from brute_effects import BrutePermitted, FoldModel, IssuedOp, State, TooMany, closed_sets, issued
from brute_models import fold_model
from journalspec_corpus.crash.trace import Ack, Mark, Release, Trace, Write


def model_of(format_id: str) -> FoldModel:
    found = fold_model(format_id)
    assert found is not None
    return found


BITRONIX, JBOSS = model_of("bitronix_tlog"), model_of("jboss_journal")


def decided(gtrid: str, *names: str, status: str = "8", life: int = 2, told: bool = False) -> IssuedOp:
    return IssuedOp(f"{status}-{gtrid}", f"{status}:0:1:0:{gtrid}:{','.join(names)}", life, told)


def message(kind: str, ident: int = 0, tx: int = 0, told: bool = False, **more: Any) -> IssuedOp:
    body = f"{ident:02x}" if kind.startswith(("ADD", "UPDATE")) else ""
    return IssuedOp(f"{kind}-{ident or tx}", f"{kind}:{tx}:{ident}:1:{body}:", 2, told, **more)


def sets(model: Any, ops: Sequence[IssuedOp]) -> list[tuple[int, ...]]:
    return closed_sets(model.needs(ops), [op.told for op in ops])


def state_of(model: Any, ops: Sequence[IssuedOp]) -> State:
    state: State = model.fold([op.key for op in ops])
    return state


@pytest.mark.parametrize("count", range(7))
@pytest.mark.parametrize("told", range(3))
def test_of_n_records_read_front_to_back_those_told_and_more_from_the_front_may_be_there(
    count: int, told: int
) -> None:
    ops = [decided(f"{n:02x}", "a", told=n < told) for n in range(told + count)]
    assert len(sets(BITRONIX, ops)) == count + 1
    permitted = BrutePermitted(BITRONIX, ops)
    assert len({permitted.model.fold([ops[n].key for n in chosen]) for chosen in permitted.sets}) == count + 1


@pytest.mark.parametrize("count", range(7))
@pytest.mark.parametrize("told", range(3))
def test_of_n_records_in_flight_together_any_may_be_there(count: int, told: int) -> None:
    ops = [message("ADD", n + 1, told=n < told) for n in range(told + count)]
    assert len(sets(JBOSS, ops)) == 2**count
    assert len({JBOSS.fold([ops[n].key for n in chosen]) for chosen in sets(JBOSS, ops)}) == 2**count


@pytest.mark.parametrize("members", [(1,), (3,), (1, 2), (2, 2, 3)])
def test_a_transaction_in_flight_is_there_or_not_whatever_it_holds(members: tuple[int, ...]) -> None:
    ops = []
    for tx, size in enumerate(members, 1):
        ops += [message("ADD_TX", 10 * tx + n, tx) for n in range(size)] + [message("COMMIT", tx=tx)]
    found = sets(JBOSS, ops)
    # Any of its records without an end, or all of them with it.
    assert len(found) == prod(2**size + 1 for size in members)
    assert len({JBOSS.fold([ops[n].key for n in chosen]) for chosen in found}) == 2 ** len(members)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_prepared_transaction_in_flight_has_three_states(size: int) -> None:
    ops = [message("ADD_TX", n + 1, 7) for n in range(size)] + [
        message("PREPARE", tx=7),
        message("COMMIT", tx=7),
    ]
    found = sets(JBOSS, ops)
    assert len(found) == 2**size + 3
    assert len({JBOSS.fold([ops[n].key for n in chosen]) for chosen in found}) == 3


def test_a_format_without_a_model_has_none() -> None:
    assert fold_model("no_such") is None


def test_what_cannot_be_walked_is_not_guessed() -> None:
    with pytest.raises(TooMany, match="more than 4096 sets"):
        sets(JBOSS, [message("ADD", n + 1) for n in range(13)])


def test_records_of_a_life_before_may_be_missing_although_a_later_one_is_there() -> None:
    ops = [decided("01", life=1), decided("02", life=1), decided("03", life=2)]
    assert set(sets(BITRONIX, ops)) == {(), (0,), (0, 1), (2,), (0, 2), (0, 1, 2)}


def test_what_is_listed_was_there_and_what_is_not_was_not() -> None:
    ops = [decided("01", "a", told=True), decided("02", "b")]
    one, two = state_of(BITRONIX, ops[:1]), state_of(BITRONIX, ops)
    permitted = BrutePermitted(BITRONIX, ops)
    assert permitted.right(frozenset({ops[0].key}), frozenset()) == {one}
    assert permitted.right(frozenset({ops[0].key, ops[1].key}), frozenset()) == {two}
    # What was replaced since then can have been read in other words.
    known = BrutePermitted(
        BITRONIX, [ops[0], IssuedOp(ops[1].record, ops[1].key, 2, told=False, replaced=True)]
    )
    assert known.right(frozenset({ops[0].key}), frozenset()) == {one, two}


def test_an_end_that_is_not_listed_was_done_only_where_something_let_go_for_it_is_gone() -> None:
    ops = [message("ADD_TX", 1, 1, told=True), message("PREPARE", tx=1, told=True)]
    let_go = frozenset(op.record for op in ops)
    both = [*ops, IssuedOp("ROLLBACK-1", "ROLLBACK:1:0:1::", 2, told=False, lets=let_go)]
    prepared, ended = state_of(JBOSS, ops), state_of(JBOSS, both)
    assert prepared != ended
    permitted = BrutePermitted(JBOSS, both)
    add, prepare = (op.key for op in ops)
    # Who has read both has to find it prepared: nothing says that it was rolled back.
    assert permitted.right(frozenset({prepare}), frozenset({add})) == {prepared}
    assert "decision-lost" in permitted.wrong(ended, frozenset({prepare}), frozenset({add}))
    assert permitted.right(frozenset({prepare}), frozenset()) == {prepared, ended}


def wrong(model: Any, ops: Sequence[IssuedOp], state: State, *, lost: bool = False) -> frozenset[str]:
    """The verdicts on `state`, if all operations are listed."""
    return BrutePermitted(model, list(ops), lost).wrong(state, frozenset(op.key for op in ops))


def told(*ops: IssuedOp) -> list[IssuedOp]:
    return [IssuedOp(op.record, op.key, op.life, told=True) for op in ops]


def test_wrong_decisions_are_named() -> None:
    ops = told(
        decided("01", "a", "b"), decided("02", "c"), decided("02", "c", status="3"), decided("03", status="4")
    )
    right = state_of(BITRONIX, ops)
    assert right == {("unfinished", "01", ""), ("unfinished", "01", "a"), ("unfinished", "01", "b")}
    assert not wrong(BITRONIX, ops, right)
    assert "decision-lost" in wrong(BITRONIX, ops, frozenset())
    assert "half-transaction" in wrong(BITRONIX, ops, right - {("unfinished", "01", "b")})
    assert "deleted-returned" in wrong(
        BITRONIX, ops, right | {("unfinished", "02", ""), ("unfinished", "02", "c")}
    )
    assert "rolled-back-applied" in wrong(BITRONIX, ops, right | {("unfinished", "03", "")})
    assert wrong(BITRONIX, ops, right | {("unfinished", "04", "")}) == {"effect-invented"}
    only = told(decided("05", "a", status="2"))
    assert "uncommitted-applied" in wrong(BITRONIX, only, frozenset({("unfinished", "05", "")}))


def test_wrong_messages_are_named() -> None:
    ops = told(
        message("ADD", 1),
        message("ADD", 2),
        message("DELETE", 2),
        message("ADD_TX", 3, 5),
        message("DELETE_TX", 1, 5),
        message("COMMIT", tx=5),
        message("ADD_TX", 4, 6),
        message("ROLLBACK", tx=6),
        message("ADD_TX", 7, 8),
        message("ADD_TX", 9, 10),
        message("PREPARE", tx=10),
    )
    right = state_of(JBOSS, ops)

    def live(ident: int) -> tuple[str, ...]:
        return ("live", str(ident), "1", "ADD", "1", f"{ident:02x}")

    doubt = ("in doubt", "10", "", "[('ADD', '9', '1', '09')]", "[]")
    assert right == {live(3), doubt}
    assert not wrong(JBOSS, ops, right)
    assert wrong(JBOSS, ops, right | {live(2)}) == {"deleted-returned"}
    assert wrong(JBOSS, ops, right | {live(1)}) == {"deleted-returned", "half-transaction"}
    assert wrong(JBOSS, ops, right | {live(4)}) == {"rolled-back-applied"}
    assert wrong(JBOSS, ops, right | {live(7)}) == {"uncommitted-applied"}
    assert "uncommitted-applied" in wrong(JBOSS, ops, right | {live(9)})
    assert wrong(JBOSS, ops, right | {live(8)}) == {"effect-invented"}
    assert wrong(JBOSS, ops, right - {doubt}) == {"decision-lost"}
    assert wrong(JBOSS, ops, right - {live(3)}) == {"effect-lost", "half-transaction"}
    # With corruption, or a force that lied, what was acknowledged may be gone; nothing else may come of it.
    assert not BrutePermitted(JBOSS, ops, lost=True).wrong(frozenset())
    assert wrong(JBOSS, ops, right | {live(4)}, lost=True) == {"rolled-back-applied"}


def test_a_copy_is_no_second_operation() -> None:
    ops = [
        message("ADD", 1, told=True),
        message("ADD_TX", 2, 3, told=True),
        message("COMMIT", tx=3, told=True),
    ]
    copies = [
        message("ADD", 1, file="j-1.hq.cmp"),
        IssuedOp("ADD_TX-2", "ADD:0:2:1:02:", 2, told=False, file="j-1.hq.cmp"),
    ]
    found = JBOSS.operations([*ops, *copies])
    assert [op.key for op in found] == [op.key for op in ops]
    assert [op.copies for op in found] == [(ops[0].key,), ("ADD:0:2:1:02:",), ()]


def test_operations_are_issued_with_their_write_and_told_by_an_acknowledgement_behind_it() -> None:
    def written(record: str, off: int) -> tuple[Write, Mark]:
        return Write("log", off, b"x"), Mark(record, "log", off, 1, f"key-{off}")

    ops = (*written("a", 0), Ack(("a",)), *written("a", 1), Release(("a",)), *written("b", 2), Ack(("b",)))
    trace = Trace("toy", "1", "toy", {"log": b"xy"}, ops, "zero", possible=(Mark("p", "log", 1, 1, "key-p"),))

    def seen(crash: int, torn: int = -1) -> list[tuple[str, bool, bool, str]]:
        return [(op.key, op.told, op.replaced, ",".join(op.lets)) for op in issued(trace, crash, torn)[1:]]

    assert seen(0) == []
    assert seen(0, 0) == [("key-0", False, False, "")]
    assert seen(4) == [("key-0", True, False, ""), ("key-1", False, False, "")]
    assert seen(8) == [("key-0", True, True, ""), ("key-1", False, True, ""), ("key-2", False, False, "a")]
    assert seen(9)[2] == ("key-2", True, False, "a")
    assert [op.life for op in issued(trace, 4)] == [1, 2, 2]
