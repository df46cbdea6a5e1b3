"""The interface of a format to the crash engine, and recorders, on stubs: caches, readers, stale records."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from journalspec.observation import At, Observation, Record
from journalspec_corpus.crash.disk import StateContents
from journalspec_corpus.crash.formats import (
    CrashFormat,
    Remembered,
    answers,
    crash_format,
    digest_of,
    two_policies,
    unread_writes,
)
from journalspec_corpus.crash.record import Recorder, missing
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Mark, Trace, Write, get_preset
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.jboss_journal.model import Kept, Messages, Transaction

# --- Readers ---


def test_equal_contents_are_read_once_in_each_edition() -> None:
    memory, asked = Remembered(), []

    def read(files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
        asked.append(edition)
        return (Answer((edition,)),)

    for edition in ("one", "two", "one"):
        trace = Trace("toy", edition, "toy", {"log": b"l"}, (Write("log", 0, b"x"),), "zero")
        (states,) = crash_states(trace, (get_preset("epoch-subset-512"),), 1)
        contents = StateContents(states.point, states.codes)
        found, which = answers(contents, read, lambda files, edition: "alike", memory)
        assert (found, which.tolist()) == ([(Answer((edition,)),)], [0, 0])
    assert asked == ["one", "two"]


def toy(recover: Any) -> CrashFormat:
    """Return a format whose implementation recovers with this function of the policy."""
    implementation = SimpleNamespace(recover=lambda files, edition, policy: recover(policy))
    unused: Any = None
    return CrashFormat(
        "toy",
        unused,
        unused,
        two_policies("salvage"),
        {},
        lambda observation: Answer((), observation.code),
        unused,
        implementation=lambda: implementation,
    )


@pytest.mark.parametrize(
    ("verdict", "code", "asked"), [("clean", None, ["strict"]), ("refused", "no", ["strict", "salvage"])]
)
def test_lenient_policy_is_used_only_if_the_strict_one_refuses(
    verdict: str, code: str | None, asked: list[str]
) -> None:
    policies: list[str] = []

    def recover(policy: str) -> Observation:
        policies.append(policy)
        return Observation(verdict, (), phase="header", code=code)

    assert toy(recover).read({}, "1") == (Answer((), code),) * 2
    assert policies == asked


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyError, TypeError, ValueError, struct.error])
def test_implementation_that_raises_has_refused_the_state(error: type[Exception]) -> None:
    def recover(policy: str) -> Observation:
        raise error

    assert toy(recover).read({}, "1") == (Answer((), f"exception:{error.__name__}"),) * 2


def test_digest_depends_on_the_boundaries_of_its_parts() -> None:
    assert digest_of(b"ab", b"c") == digest_of(b"ab", b"c")
    assert len({digest_of(*parts) for parts in ((b"ab", b"c"), (b"a", b"bc"), (b"abc",), (b"abc", b""))}) == 4
    assert digest_of(1, 2) != digest_of(12)


def test_write_is_unread_if_it_begins_where_recovery_stops_and_does_not_extend_the_file() -> None:
    """Recovery reads 100 of 512 bytes."""
    writes = (Write("log", 100, b"x" * 10), Write("log", 99, b"x"), Write("log", 500, b"x" * 12))
    trace = Trace("toy", "1", "toy", {"log": bytes(512)}, (*writes, Write("log", 505, b"x" * 12)), "zero")
    assert unread_writes(trace, lambda files: {"log": 100}) == {0, 2}
    assert unread_writes(trace, None) == frozenset()


# --- Recorders ---


class Toy(Recorder):
    """A recorder of a file ``log`` with a header of ten bytes."""

    header_size = 10

    def __init__(self, size: int, end: int, *spans: tuple[int, int]) -> None:
        super().__init__("1")
        self.storage.files["log"] = bytearray(size)
        self.ends["log"] = end
        self.marks = [Mark(f"r{off}", "log", off, length, f"r{off}") for off, length in spans]


def places(marks: list[Mark]) -> list[tuple[int, int]]:
    return [(mark.off, mark.length) for mark in marks]


def test_overwritten_records_are_those_that_share_a_byte_with_the_write() -> None:
    run = Toy(100, 10, (0, 10), (9, 2), (10, 10), (19, 2), (20, 10))
    run.marks.append(Mark("other", "other", 10, 10, "other"))
    run.overwritten(Write("log", 10, b"x" * 10))
    assert [(mark.file, mark.off) for mark in run.marks] == [("log", 0), ("log", 20), ("other", 10)]


def test_old_records_after_the_last_record_are_stale_also_directly_after_it() -> None:
    run, other = Toy(100, 30, (10, 20)), Toy(100, 90, (10, 25), (30, 20), (50, 40))
    other.storage.files["log"][:] = b"o" * 100
    stale = run.lay("stale-same", lambda life: other, ["log"])
    assert places(stale) == [(30, 20), (50, 40)]
    assert run.storage.files["log"] == bytes(30) + b"o" * 70


def test_foreign_records_are_stale_if_they_fit_into_the_file() -> None:
    """The blocks of the other file begin at offset 512."""
    run, other = Toy(1024, 100, (10, 90)), Toy(1024, 900, (10, 90), (412, 100), (413, 100))
    stale = run.lay("stale-foreign", lambda life: other, ["log"])
    assert places(stale) == [(522, 90), (924, 100)]


def test_only_records_outside_open_transactions_are_safe() -> None:
    run = Toy(100, 10)
    run.pending = [("a", 0), ("b", 7), ("c", 0)]
    assert run.promised({}, durable=False) == ()
    assert run.promised({}, durable=True) == ["a", "c"]
    assert run.pending == [("b", 7)]


@pytest.mark.parametrize(
    ("end", "size", "more"),
    [(100, "x", 411), (100, "y", 412), (100, "z", 413), (511, "y", 1), (512, "y", 512), (512, "x", 511)],
)
def test_record_grows_to_the_next_sector_boundary(end: int, size: str, more: int) -> None:
    """Sizes x, y and z end one byte before the boundary, at it, and one byte after it."""
    assert missing(end, size) == more


# --- Formats ---


def test_prepared_transaction_of_deletes_is_accepted_whatever_it_counts() -> None:
    """Most editions count the records of a transaction per file, so the count alone proves nothing."""
    records = (
        Record("DELETE_TX", {"tx": 1, "id": 5, "extra": b""}, At("f", 0, 1)),
        Record("PREPARE", {"tx": 1, "extra": b"", "count": 9}, At("f", 0, 1)),
    )
    held = {"tx": 1, "extra": b"", "records": [], "deletes": [{"id": 5}]}
    answer = crash_format("jboss_journal").answer(
        Observation("clean", records, state={"live": [], "prepared": [held]})
    )

    assert "PREPARE:1:0:0::" in answer.keys


def test_prepared_transaction_without_extra_data_remains_after_a_restart() -> None:
    kept = Kept({}, {"1": Transaction((), ""), "2": Transaction(), "3": Transaction((), "ab")})
    assert {*Messages().after(kept, {"op": "open"}, "v2").open} == {"1", "3"}
