"""Crash states see faults of recovery; what they do not see is explained."""

from __future__ import annotations

from dataclasses import replace

import pytest

from journalspec_corpus.crash import mutation
from journalspec_corpus.crash.mutation import ENOUGH, Row, Seen, choose, explained, kills, wrong
from journalspec_corpus.crash.room import CrashRoom, crash_room
from journalspec_corpus.mutants import load_mutants
from journalspec_reference import load

FORMATS = ("bitronix_tlog", "jboss_journal")
#: Faults that many states show, whichever are looked at.
PLAIN = {
    "bitronix_tlog": ("skip-checksum", "last-record-excluded", "older-file-wins", "strict-skips"),
    "jboss_journal": ("skip-check-size", "any-file-id", "scan-one-late", "hash-over-itself"),
}


@pytest.fixture(scope="module", params=FORMATS)
def looked_at(request: pytest.FixtureRequest) -> tuple[CrashRoom, list[Seen]]:
    room = crash_room(request.param)
    return room, choose(room, 61, 3)[0]


def test_the_reference_survives_and_plain_faults_do_not(looked_at: tuple[CrashRoom, list[Seen]]) -> None:
    room, states = looked_at
    assert len(states) > 100
    assert not any(kills(room, load(room.format), state) for state in states)
    mutants = {mutant.id: mutant for mutant in load_mutants(room.format)}
    for name in PLAIN[room.format]:
        implementation = mutants[name].implementation()
        assert sum(kills(room, implementation, state) for state in states) >= ENOUGH, name


def test_what_is_said_not_to_be_seen_is_not(looked_at: tuple[CrashRoom, list[Seen]]) -> None:
    room, states = looked_at
    reasons = explained(room.format)
    mutants = {mutant.id: mutant for mutant in load_mutants(room.format)}
    assert reasons.keys() <= mutants.keys()
    assert all(len(reason.why) > 40 for reason in reasons.values())
    for name, reason in reasons.items():
        if not reason.rare:
            implementation = mutants[name].implementation()
            assert not [state.name for state in states[::5] if kills(room, implementation, state)], name


def test_a_mutant_that_raises_is_noticed() -> None:
    class Broken:
        def recover(self, *_: object, **__: object) -> object:
            raise ZeroDivisionError

    room = crash_room("bitronix_tlog")
    states, _ = choose(room, 1500)
    assert all(kills(room, Broken(), state) for state in states)
    assert not kills(room, Broken(), replace(states[0], policies={}))
    assert states[0].size == sum(map(len, states[0].files.values()))


def test_a_table_is_wrong_if_a_mutant_is_neither_killed_nor_explained_or_both() -> None:
    reason = mutation.Reason("because", False)
    rows = [Row("a", 9, 10), Row("b", 0, 10), Row("c", 2, 10), Row("d", 1, 10, "here")]
    assert wrong(rows, {"b": reason, "c": replace(reason, rare=True), "d": replace(reason, rare=True)}) == []
    (unexplained,) = wrong(rows[:2], {})
    assert unexplained.startswith("b: killed by 0")
    (both,) = wrong([rows[3]], {"d": reason})
    assert "(here), and said not to be" in both
    assert wrong(rows[:1], {"z": reason}) == ["z: explained, and no mutant"]


def test_the_command_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutation, "load_mutants", lambda name: load_mutants(name)[:3])
    monkeypatch.setattr(mutation, "explained", lambda _: {})
    assert mutation.main(["--format", "bitronix_tlog", "--every", "900"]) == 1
    told = capsys.readouterr()
    assert "3 mutants, " in told.out
    assert "shorter-minimum: killed by 0 states" in told.err
    assert mutation.main(["--format", "no_such"]) == 2
