"""New Bitronix logs: they contain exactly the work that recovery must do, and they read clean."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from newstore.bitronix_tlog import live

from journalspec.bitronix_tlog import LAYOUT
from journalspec_corpus.draws import drawn_cases
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.bitronix_tlog import nio
from journalspec_reference.bitronix_tlog.codec import HEADER_SIZE, LONG, TIMESTAMP_AT, encode, encode_header
from journalspec_reference.filesets import Journal, find_journals, load
from journalspec_reference.newstore import ChoiceRefused, StoreChoices, new_store
from journalspec_reference.xids import gtrid_text
from new_stores import bytes_of, made

FORMAT = "bitronix_tlog"
COMMITTING, PREPARED, COMMITTED, ROLLEDBACK = 8, 2, 3, 4
ONE, TWO, THREE = (b"srv1" + number.to_bytes(8) + bytes(4) for number in (1795219652537, 7, 9))
NAMES = (b"db1", b"jms1")
#: The transaction of the first gtrid.
FIRST = "srv1/1795219652537/0"


def answer_of(files: Mapping[str, bytes], edition: str = "2.1", policy: str = SALVAGE) -> Answer:
    return ask(Journal(FORMAT, edition, files), policy)


# Choices.


def pair(first: list[bytes], second: list[bytes] = [], hole: int = -1) -> dict[str, bytes]:  # noqa: B006
    files = {}
    for name, since, records in (("btm1.tlog", 2, first), ("btm2.tlog", 1, second)):
        data = b"".join(records)
        head = encode_header(since, 0, HEADER_SIZE + len(data))
        files[name] = (head + data).ljust(2048, b"\0")
    if hole >= 0:
        spoilt = bytearray(files["btm1.tlog"])
        at = HEADER_SIZE + sum(map(len, first[:hole]))
        spoilt[at : at + len(first[hole])] = bytes(len(first[hole]))
        files["btm1.tlog"] = bytes(spoilt)
    return files


def record(status: int, gtrid: bytes, names: tuple[bytes, ...] = NAMES, time: int = 1795219652551) -> bytes:
    return encode(status, gtrid, names, time, 1)


LOG = [
    record(PREPARED, TWO),
    record(COMMITTING, ONE),
    record(PREPARED, THREE),
    record(COMMITTED, ONE, NAMES[:1]),
]


def outcomes(answer: Answer) -> dict[str, tuple[str, list[str]]]:
    return {row["id"]: (row["outcome"], row["waits_for"]) for row in live(answer)}


def test_dropped_transaction_is_omitted_and_listed_in_the_report() -> None:
    store, again = made(answer_of(pair(LOG)), drop=(FIRST,))
    assert outcomes(again) == dict.fromkeys(("srv1/7/0", "srv1/9/0"), ("rollback", ["db1", "jms1"]))
    (item,) = store.left_out()
    assert (item.what, item.id, item.file, item.code) == ("transaction", FIRST, "btm1.tlog", "by-choice")
    assert item.text == "recovery would commit it on jms1 (last record COMMITTED, db1 has ended)"
    (line,) = store.chosen()
    assert line == f"--drop {item.id}: it is left out; {item.text}; its other resources are not touched"


def test_branch_in_doubt_is_committed_by_choice() -> None:
    committed: Counter[str] = Counter()
    for case in drawn_cases(FORMAT, 48, range(200)):
        answer = answer_of(case.files(), case.edition)
        rows = live(answer) if answer.observation.state else []
        doubtful = [row for row in rows if row["outcome"] == "rollback" and row["waits_for"]]
        if doubtful and all(name.isascii() and name.isprintable() for name in doubtful[0]["waits_for"]):
            gtrid = doubtful[0]["gtrid"]
            store, again = made(answer, commit=(gtrid.hex(),))
            wanted = {row["gtrid"]: (row["outcome"], row["waits_for"]) for row in rows}
            wanted[gtrid] = ("commit", doubtful[0]["waits_for"])
            assert {row["gtrid"]: (row["outcome"], row["waits_for"]) for row in live(again)} == wanted
            assert "a decision to commit is added" in next(iter(store.chosen()))
            committed[case.edition] += 1
    assert committed.keys() == {"seed", "2.1", "3.0", "nio"}


def test_decision_is_rolled_back_by_choice() -> None:
    store, again = made(answer_of(pair([record(PREPARED, ONE), *LOG])), rollback=(ONE.hex(),))
    undecided = dict.fromkeys((FIRST, "srv1/7/0", "srv1/9/0"), ("rollback", ["db1", "jms1"]))
    assert outcomes(again) == undecided
    assert [item.code for item in store.left_out()] == ["by-choice"]
    assert "db1 has ended" in next(iter(store.chosen()))


@pytest.mark.parametrize(
    ("files", "choices", "why"),
    [
        (pair(LOG), {"drop": ("srv1/8/0",)}, "no such transaction"),
        (pair(LOG), {"commit": ("nonsense",)}, "no such transaction"),
        (pair(LOG), {"commit": (ONE.hex(),)}, "recovery would commit it anyway"),
        (pair(LOG), {"rollback": (TWO.hex(),)}, "recovery would rollback it anyway"),
        (pair(LOG), {"drop": (TWO.hex(),), "commit": ("srv1/7/0",)}, "named twice"),
        (pair(LOG), {"keep": (ONE.hex(),)}, "no such transaction"),
        (pair(LOG), {"queues": ("q",)}, "neither queues"),
        (pair(LOG), {"index_acks": True}, "neither queues"),
        (pair([record(PREPARED, ONE, ())]), {"commit": (ONE.hex(),)}, "has no resource"),
        (
            pair([record(COMMITTED, ONE)], [record(COMMITTING, ONE)]),
            {"keep": (ONE.hex(),)},
            "it has ended",
        ),
    ],
)
def test_choice_without_effect_is_refused(files: dict[str, bytes], choices: dict[str, Any], why: str) -> None:
    with pytest.raises(ChoiceRefused, match=why) as refused:
        new_store(answer_of(files), StoreChoices(**choices))
    assert refused.value.hint


def test_decision_in_the_other_file_is_copied_on_request() -> None:
    answer = answer_of(pair(LOG[:1], [record(COMMITTING, ONE), record(COMMITTING, THREE)]))
    assert [each.code for each in answer.observation.missing] == ["decision"] * 2
    assert "--keep" in new_store(answer, StoreChoices()).steps()[0]
    store, again = made(answer, keep=(ONE.hex(),))
    assert outcomes(again)[FIRST] == ("commit", ["db1", "jms1"])
    assert "srv1/9/0" not in outcomes(again)
    (item,) = store.unverified()
    assert (item.id, item.file, item.off, item.code) == (FIRST, "btm2.tlog", 21, "unanchored")
    assert [*store.chosen()] == [f"--keep {ONE.hex()}: 1 records from outside the log are carried over"]


def test_decisions_of_the_other_file_are_listed_if_the_active_one_is_damaged() -> None:
    """The damage may contain the records that end the transactions, so it is not certain that a record is
    missing.
    """
    second = [record(COMMITTING, ONE), record(COMMITTING, TWO), record(COMMITTING, THREE)]
    first = [record(PREPARED, TWO), record(COMMITTED, TWO), record(COMMITTED, THREE)]
    answer = answer_of(pair(first, second, hole=0))
    assert not answer.observation.missing
    store, _ = made(answer)
    # After the damage, two records prove that their transactions have ended.
    (item,) = store.left_out()
    assert (item.id, item.file, item.off, item.code) == (FIRST, "btm2.tlog", HEADER_SIZE, "may-be-lost")
    assert item.text == (
        "it is to be committed on db1, jms1, unless its end is in damaged bytes; --keep carries it over"
    )
    store, again = made(answer, keep=(ONE.hex(),))
    assert outcomes(again) == {FIRST: ("commit", ["db1", "jms1"])}
    assert [*store.left_out()] == []


def test_every_decision_is_copied_or_listed() -> None:
    """In a log with a sector of zeros and two flipped bits, each intact decision is carried over or
    listed.
    """
    draw = random.Random(47)
    ids = [b"srv1" + number.to_bytes(8) + bytes(4) for number in range(1, 25)]
    opened = {gtrid: record(COMMITTING, gtrid) for gtrid in ids}
    first = [record(PREPARED, b"%04d" % number) for number in range(12)]
    first[6:6] = [opened[gtrid] for gtrid in ids[:6]]
    files = pair(first, [opened[gtrid] for gtrid in ids])
    reported = Counter[str]()
    for _ in range(60):
        spoilt = {name: bytearray(data) for name, data in files.items()}
        one = spoilt[draw.choice([*spoilt])]
        at = draw.randrange(0, len(one), 512)
        one[at : at + 512] = bytes(512)
        for _ in range(2):
            spoilt[draw.choice([*spoilt])][draw.randrange(HEADER_SIZE, 1900)] ^= 1 << draw.randrange(8)
        answer = answer_of({name: bytes(data) for name, data in spoilt.items()})
        if answer.observation.state is None:
            continue
        store, again = made(answer)
        listed = {item.id for item in store.left_out() if item.what == "transaction"}
        listed |= {gtrid_text(bytes.fromhex(each.name)) for each in answer.observation.missing}
        records: Any = answer.observation.unanchored
        found = {gtrid_text(one.fields["gtrid"]) for one in records}
        for gtrid in ids:
            name = gtrid_text(gtrid)
            if any(opened[gtrid] in data for data in spoilt.values()) and name not in outcomes(again):
                assert name in listed | found, name
                reported["listed" if name in listed else "unanchored"] += 1
    assert reported["listed"] > 150


def test_records_after_damage_are_copied_on_request() -> None:
    """The copies keep their order: a decision comes before the records that end parts of its transaction."""
    answer = answer_of(pair([record(PREPARED, TWO), record(PREPARED, THREE), *LOG[1:]], hole=1))
    assert outcomes(answer) == {"srv1/7/0": ("rollback", ["db1", "jms1"])}
    store, again = made(answer, salvage_records=True)
    undecided = dict.fromkeys(("srv1/7/0", "srv1/9/0"), ("rollback", ["db1", "jms1"]))
    assert outcomes(again) == {FIRST: ("commit", ["jms1"]), **undecided}
    kinds = [item.text.partition(":")[0] for item in store.unverified()]
    assert kinds == ["COMMITTING", "PREPARED", "COMMITTED"]
    assert next(iter(store.chosen())).startswith("--salvage-records: 3 records from damaged parts")


def test_next_swap_of_any_product_selects_the_right_file() -> None:
    """Versions 2.1.3 and 2.1.4 store a position as the timestamp, and other products store a time
    (BTM-DEV-001).
    """
    files = bytes_of(new_store(answer_of(pair(LOG)), StoreChoices()))
    stamps = [LONG.unpack_from(data, TIMESTAMP_AT)[0] for data in files.values()]
    assert stamps[1] < stamps[0] < HEADER_SIZE
    assert [data[12] for data in files.values()] == [0, 0]


@pytest.mark.parametrize(
    ("name", "other"),
    [("btm1.tlog", "btm2.tlog"), ("tx.tlog", "tx2.tlog"), ("log7", "log72"), ("part2.tlog.gz", "part1.tlog")],
)
def test_single_file_gets_a_second_one(name: str, other: str, tmp_path: Path) -> None:
    answer = answer_of({name: pair(LOG)["btm1.tlog"]})
    files = bytes_of(new_store(answer, StoreChoices()))
    assert [*files] == [name.removesuffix(".gz"), other]
    for each, data in files.items():
        (tmp_path / each).write_bytes(data)
    (journal,) = find_journals(load(tmp_path), FORMAT)
    assert sorted(journal.files) == sorted(files)
    assert outcomes(ask(replace(journal, editions=()), "strict")) == outcomes(answer)


def test_records_of_the_previous_generation_come_first() -> None:
    """In the old file, records of the previous generation follow those of the current one.

    In the new file, a decision comes before its end.
    """
    before, now = bytes(range(16)), bytes(range(16, 32))

    def frame(delimiter: bytes, status: int, names: tuple[bytes, ...]) -> bytes:
        length = nio.MIN_PAYLOAD + len(ONE) + sum(2 + len(name) for name in names)
        fields = {"status": status, "record_length": length, "padding": b"", "time": 5, "sequence_number": 1}
        said = {**fields, "gtrid": ONE, "names": names, "delimiter": delimiter}
        return bytes(LAYOUT.build("record", "nio", **said))

    head = nio.encode_header(nio.NioHeader(before, now)).ljust(nio.HEADER_SIZE, b"\0")
    decided, ended = frame(before, COMMITTING, NAMES), frame(now, COMMITTED, NAMES[:1])
    store, again = made(answer_of({"btm.nio": (head + ended + decided).ljust(4096, b"\0")}, "nio"))
    assert outcomes(again) == {FIRST: ("commit", ["jms1"])}
    (data,) = bytes_of(store).values()
    wanted = head + frame(now, COMMITTING, NAMES) + ended
    assert data == wanted.ljust(4096, b"\0")


def test_large_log_is_written_in_parts() -> None:
    """Half of the transactions in more than 2 MiB have ended; the others are copied in their order."""
    records = [record(COMMITTING, b"%016d" % number, time=number) for number in range(40_000)]
    ended = [record(COMMITTED, b"%016d" % number, time=number) for number in range(0, 40_000, 2)]
    data = b"".join(records + ended)
    first = encode_header(2, 0, HEADER_SIZE + len(data)) + data
    files = {"btm1.tlog": first, "btm2.tlog": encode_header(1, 0, HEADER_SIZE).ljust(len(first), b"\0")}
    new = bytes_of(new_store(answer_of(files), StoreChoices()))
    kept = b"".join(records[1::2])
    assert new["btm1.tlog"][HEADER_SIZE : HEADER_SIZE + len(kept)] == kept
    assert not any(new["btm1.tlog"][HEADER_SIZE + len(kept) :])
    assert len(new["btm1.tlog"]) == len(new["btm2.tlog"]) == len(first)
    # If decisions fill the old file, half of the new one stays free.
    files = {"btm1.tlog": encode_header(2, 0, HEADER_SIZE + len(kept)) + kept}
    new = bytes_of(new_store(answer_of(files), StoreChoices()))
    assert len(new["btm1.tlog"]) == HEADER_SIZE + 2 * len(kept)
