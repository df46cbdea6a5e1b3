"""The rules of a connection, with a peer that follows a script: numbers, late output, restarts, limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from journalspec_conformance.connection import Connection, Message, Peer, checked
from journalspec_conformance.errors import Breakdown, Misbehaved, TimedOut

HELLO: Message = {"protocol": 1, "impl": {"name": "s"}, "formats": {}}
#: A reply, the fault that is raised in its place, or nothing more in time.
Said = Mapping[str, Any] | Breakdown
LATE = TimedOut("late")


class Script(Peer):
    """Answers hello, and then says what the script contains; `after` are faults after an answer."""

    numbered = True

    def __init__(self, *said: Said, after: Sequence[Breakdown | None] = ()) -> None:
        self.said = iter([{"seq": 1, **HELLO}, *said])
        self.after = iter(after)
        self.limits: list[float] = []
        self.ended = False

    def send(self, message: Message) -> None:
        pass

    def receive(self, timeout: float, directory: str) -> Message:
        self.limits.append(timeout)
        said = next(self.said)
        if isinstance(said, Breakdown):
            raise said
        return dict(said)

    def unasked(self) -> Breakdown | None:
        return next(self.after, None)

    def errors(self) -> str:
        return "tail"

    def end(self) -> None:
        self.ended = True


def connected(*peers: Script, timeout: float = 0.5) -> Connection:
    """Return a connection that has said hello to the first of `peers`; the others are its restarts."""
    waiting = iter(peers)
    connection = Connection(lambda: next(waiting), timeout)
    connection.hello()
    return connection


def ask(connection: Connection, directory: str = "a") -> Message:
    return connection.ask({"cmd": "read", "dir": directory})


def test_answer_has_exactly_the_number_of_its_request() -> None:
    assert ask(connected(Script({"seq": 2, "ok": {}})))["ok"] == {}
    for number in (2.0, "2", None, True, 3, 1, 0):
        with pytest.raises(Misbehaved, match="but 2 was asked"):
            ask(connected(Script({"seq": number, "ok": {}}, {"seq": 2, "ok": {}})))


def test_second_answer_to_an_earlier_question_is_a_fault_of_that_question() -> None:
    connection = connected(Script({"seq": 2, "ok": {}}, {"seq": 2, "ok": {}}, {"seq": 3, "ok": {"a": 1}}))
    assert ask(connection, "a")["ok"] == {}
    assert ask(connection, "b")["ok"] == {"a": 1}
    late = connection.late()
    assert late is not None
    assert connection.late() is None


def test_answer_with_a_wrong_number_and_nothing_after_it_is_a_fault_of_the_last_question() -> None:
    connection = connected(Script({"seq": 2, "ok": {}}, {"seq": 2, "ok": {}}, LATE))
    ask(connection, "a")
    with pytest.raises(Misbehaved, match="is to request 2, but 3 was asked"):
        ask(connection, "b")
    assert connection.late() is None


def test_late_output_fails_the_next_question_only_if_it_is_about_the_same_files() -> None:
    for directory in ("a", "b"):
        replies = ({"seq": 2, "ok": {}}, {"seq": 3, "ok": {}})
        # There is no fault after hello and before the first question, and one before the second question.
        connection = connected(Script(*replies, after=[None, None, Misbehaved("more", lives=True)]))
        ask(connection, "a")
        if directory == "a":
            with pytest.raises(Misbehaved, match="more"):
                ask(connection, directory)
        else:
            ask(connection, directory)
            late = connection.late()
            assert late is not None
            assert (late.reason, connection.late()) == ("more", None)


def test_output_after_hello_is_a_fault() -> None:
    with pytest.raises(Misbehaved, match="more"):
        connected(Script(after=[Misbehaved("more")]))


@pytest.mark.parametrize(("limit", "first"), [(0.5, 30.0), (60.0, 60.0)])
def test_only_the_time_limit_of_the_first_request_includes_the_start(limit: float, first: float) -> None:
    peer = Script({"seq": 2, "ok": {}})
    ask(connected(peer, timeout=limit))
    assert peer.limits == [first, limit]


@pytest.mark.parametrize("lives", [False, True])
def test_implementation_is_restarted_after_a_breakdown_unless_it_lives_on(lives: bool) -> None:
    fault = Breakdown("it broke down", lives=lives)
    first, second = Script(fault, {"seq": 3, "ok": {}}), Script()
    connection = connected(first, second)
    with pytest.raises(Breakdown) as caught:
        ask(connection)
    assert (first.ended, caught.value.stderr) == (not lives, "" if lives else "tail")
    assert connection.stderr() == "tail"


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"ok": {}, "error": {}},
        {"unsupported": {}, "error": {}},
        {"ok": {}, "unsupported": {}, "step": "0"},
        {"ok": []},
        {"error": "text"},
        [],
    ],
)
def test_reply_has_exactly_one_outcome(reply: object) -> None:
    with pytest.raises(Misbehaved):
        checked(reply)


@pytest.mark.parametrize("question", ["read", "recover", "write"])
def test_step_is_no_answer_to_a_complete_question(question: str) -> None:
    assert checked({"step": "0"}) == {"step": "0"}
    with pytest.raises(Misbehaved, match=f"a step is not an answer to {question}"):
        checked({"step": "0"}, question)
