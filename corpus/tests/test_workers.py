"""Work that is distributed to processes: every way in which a worker can end is reported in the same form."""

from __future__ import annotations

import time
from contextlib import closing

import pytest

from ends import LONG, dead_after_its_answer, dead_within_its_answer, never_begun, with_processes_of_its_own
from journalspec_corpus.workers import Work, WorkerDied, results


def done(work: Work[bytes, bytes], *items: bytes, pause: float = 0.0) -> list[int]:
    numbers = []
    with closing(results(work, items, 2)) as found:
        for number, answer in found:
            assert answer in (items[number], LONG)
            numbers.append(number)
            time.sleep(pause)
    return sorted(numbers)


def test_error_of_a_worker_is_raised_with_any_amount_of_waiting_work() -> None:
    with pytest.raises(ValueError, match="it cannot be opened"):
        done(never_begun, LONG, LONG, LONG)


def test_worker_may_exit_after_the_last_question() -> None:
    assert done(dead_after_its_answer, b"a", b"b", pause=0.5) == [0, 1]


def test_worker_that_ends_within_its_answer_is_reported() -> None:
    with pytest.raises(WorkerDied, match="SIGKILL; the system may have run out of memory"):
        done(dead_within_its_answer, b"a", b"b", pause=1.0)


def test_worker_may_have_its_own_processes() -> None:
    assert done(with_processes_of_its_own, b"a", b"b", b"c") == [0, 1, 2]
