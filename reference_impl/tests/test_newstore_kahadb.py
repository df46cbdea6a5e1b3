"""New KahaDB journals contain exactly the items that contents report as live, and they read clean."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from newstore.kahadb_journal import live
from newstore_trials import damage

from journalspec.kahadb_journal import LAYOUT, checksum
from journalspec.kahadb_journal.commands import build, framed
from journalspec.observation import CLEAN
from journalspec_corpus.kahadb_journal import author
from journalspec_corpus.load import load_cases
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.contents import contents
from journalspec_reference.filesets import Journal
from journalspec_reference.kahadb_journal import salvage, write
from journalspec_reference.kahadb_journal.survivors import PLACEHOLDER
from journalspec_reference.newstore import CannotRebuild, ChoiceRefused, NewStore, StoreChoices, new_store
from new_stores import bytes_of, made
from work import LINEAR, Counted, Task, growth

FORMAT = "kahadb_journal"
MADE = tomllib.loads((Path(__file__).parent / "data" / "openwire.toml").read_text(encoding="utf-8"))["object"]
Files = Mapping[str, bytes]


def answer_of(files: Files, edition: str = "5.16", policy: str = SALVAGE) -> Answer:
    return ask(Journal(FORMAT, edition, files), policy)


# Messages that can be read.


@cache
def objects() -> Mapping[tuple[str, int], bytes]:
    return {(each["name"], each["version"]): bytes.fromhex(each["hex"]) for each in MADE}


def record(number: int, name: str, **fields: Any) -> bytes:
    payload = framed(number, build(name, fields))
    return (5 + len(payload)).to_bytes(4, "big") + b"\1" + payload


def sent(number: int, **more: Any) -> bytes:
    """Return the record of a message whose producer and body contain its number."""
    client = f"ID:n{number:04}-1"
    blob = objects()["text", 11].replace(b"ID:north-1", client.encode())
    blob = blob.replace(b"some text some", f"some {number:04} some".encode())
    fields = {"destination": {"kind": 0, "name": "SHOP.ORDERS"}, "message_id": f"{client}:1:2:50"}
    return record(1, "ADD_MESSAGE", **{**fields, "message": blob, **more})


def taken(number: int) -> bytes:
    """Return the record that acknowledges one message; the number is in the producer's name."""
    client = f"ID:n{number:04}-1"
    blob = objects()["ack", 12].replace(b"ID:north-1", client.encode())
    fields = {"destination": {"kind": 0, "name": "SHOP.ORDERS"}, "message_id": f"{client}:1:2:1"}
    return record(2, "REMOVE_MESSAGE", **fields, ack=blob)


def batch(records: Sequence[bytes]) -> bytes:
    data = b"".join(records)
    return bytes(LAYOUT.build("header", "5.16", batch_size=len(data), checksum=checksum(data))) + data


def bodies(answer: Answer) -> dict[str, bytes]:
    """Return the id and the object of each message of a state."""
    queues = state_of(answer)["destinations"]
    return {each["id"]: each["message"] for queue in queues for each in queue["messages"]}


def state_of(answer: Answer) -> dict[str, Any]:
    state: Any = answer.observation.state
    assert state is not None
    return dict(state)


def authored(*records: str, edition: str = "5.16") -> Answer:
    built = author.build({"batches": [list(records)]}, edition)
    return answer_of({name: bytes(data) for name, data in built.files.items()}, edition)


def queues_of(answer: Answer) -> dict[tuple[str, str | None], list[str]]:
    out: dict[tuple[str, str | None], list[str]] = {}
    found = contents(answer)
    assert found is not None
    for row in found.rows("messages"):
        out.setdefault((str(row["queue"]), row["subscription"]), []).append(str(row["id"]))  # type: ignore[arg-type]
    return out


# Records of a damaged batch.


def around(middle: bytes) -> bytes:
    return batch([sent(900), sent(901)]) + middle + batch([sent(902)]) + b"-qMa4"


def test_three_changed_bytes_of_a_batch_lose_at_most_two_messages() -> None:
    """At least 67 of 69 messages are unchanged in the new store; doubtful ones are reported as unverified or
    withheld.
    """
    rng, records = random.Random(69), [sent(number) for number in range(69)]
    middle, good = batch(records), []
    true = bodies(answer_of({"db-1.log": around(middle)}))
    assert len(true) == 72
    start = len(batch([sent(900), sent(901)]))
    for _ in range(25):
        data = bytearray(around(middle))
        at = start + rng.randrange(len(middle) - 2)
        for place in range(at, at + 3):
            data[place] ^= rng.randrange(1, 256)
        answer = answer_of({"db-1.log": bytes(data)})
        assert len(bodies(answer)) == 3
        store, again = made(answer, salvage_records=True)
        got, items = bodies(again), [*store.unverified()]
        good.append(sum(got.get(ident) == true[ident] for ident in true))
        unverified = {item.id for item in items if item.code == "salvaged"}
        withheld = {item.off for item in store.left_out() if item.code == "withheld"}
        assert {ident for ident, body in got.items() if body != true.get(ident)} <= unverified
        assert len(unverified) == len(got) - 3
        assert len(got) + len(withheld) == 72
        (line,) = store.chosen()
        assert line.startswith(f"{len(unverified)} of 69 record(s) in damaged regions were taken")
    assert min(good) >= 67 + 3


def test_recoverable_parts_of_damage_are_listed() -> None:
    """A message in damaged bytes is not listed if a later record acknowledges it."""
    middle = bytearray(batch([sent(1), sent(2), sent(3, message_id="ID:n0003-1:1:2:1")]))
    middle[-3] ^= 1
    fields = {"message_id": "ID:n0001-1:1:2:50", "destination": {"name": "SHOP.ORDERS"}}
    data = batch([sent(900)]) + bytes(middle) + batch([record(2, "REMOVE_MESSAGE", **fields)])
    store, again = made(answer_of({"db-1.log": data}))
    assert len(bodies(again)) == 1
    assert [(item.id, item.code) for item in store.left_out()] == [
        ("ID:n0003-1:1:2:1", "withheld"),
        ("ID:n0002-1:1:2:50", "salvageable"),
    ]


@pytest.mark.parametrize("at", ["magic", "size", "checksum"])
def test_damaged_control_record_loses_no_message(at: str) -> None:
    middle = bytearray(batch([sent(number) for number in range(5)]))
    middle[{"magic": 7, "size": 18, "checksum": 27}[at]] ^= 0x10
    _, again = made(answer_of({"db-1.log": around(bytes(middle))}), salvage_records=True)
    assert len(bodies(again)) == 8


def test_complete_records_of_a_torn_batch_are_kept() -> None:
    middle = batch([sent(number) for number in range(5)])
    torn = batch([sent(900)]) + middle[: -len(sent(4)) - 220]
    for tail in (b"", bytes(4096)):
        _, again = made(answer_of({"db-1.log": torn + tail}), salvage_records=True)
        assert sorted(bodies(again)) == [f"ID:n{number:04}-1:1:2:50" for number in (0, 1, 2, 900)]


def test_salvaged_acknowledgement_removes_a_message_only_if_both_ids_agree() -> None:
    """An acknowledgement removes a message only if its object has the same message id; no other record
    removes a message.
    """
    first = [sent(1, message_id="ID:n0001-1:1:2:1"), sent(2), sent(3, message_id="ID:n0003-1:1:2:1")]
    gone = [taken(1), taken(3).replace(b"\x1a\x10ID:n0003", b"\x1a\x10ID:n0004")]
    gone += [record(6, "REMOVE_DESTINATION", destination={"kind": 0, "name": "SHOP.ORDERS"})]
    gone += [record(16, "REWRITTEN_DATA_FILE", source_file=1)]
    data = bytearray(batch(first) + batch(gone) + batch([sent(5)]))
    data[len(batch(first)) + 25] ^= 1
    store, again = made(answer_of({"db-1.log": bytes(data)}), salvage_records=True)
    assert sorted(bodies(again)) == ["ID:n0002-1:1:2:50", "ID:n0003-1:1:2:1", "ID:n0005-1:1:2:50"]
    withheld = [item.text for item in store.left_out() if item.code == "withheld"]
    assert withheld == [
        "its object has another message id",
        *["it contains nothing that confirms its effect"] * 2,
    ]


def test_omitted_items_are_listed_with_offset_and_reason() -> None:
    """One record has an additional byte; one subscription contains the object of another subscription."""
    longer = (len(sent(2)) + 1).to_bytes(4, "big") + sent(2)[4:] + b"\0"
    fields = {"destination": {"kind": 1, "name": "T"}, "subscription_info": objects()["subscription", 12]}
    right, wrong = (
        record(7, "SUBSCRIPTION", **fields, subscription_key=key, retroactive=0)
        for key in ("client:1:sub:2", "client:1:sub:3")
    )
    data = bytearray(batch([sent(1), longer, right, wrong, sent(3)]))
    data[20] ^= 1
    start = len(batch([sent(900)]))
    answer = answer_of({"db-1.log": batch([sent(900)]) + bytes(data) + batch([sent(901)])})
    store, again = made(answer, salvage_records=True)
    assert sorted(bodies(again)) == [f"ID:n{number:04}-1:1:2:50" for number in (1, 3, 900, 901)]
    at = start + 28 + len(sent(1))
    further = at + len(longer) + len(right)
    assert [(item.off, item.length, item.text) for item in store.left_out() if item.code == "withheld"] == [
        (at, len(longer), "1 bytes follow its command"),
        (further, len(wrong), "its object has another subscription"),
    ]


def test_single_byte_that_explains_the_checksum_is_reported_but_not_changed() -> None:
    middle = bytearray(batch([sent(number) for number in range(69)]))
    at = middle.index(b"some 0033")
    middle[at + 2] ^= 0x20
    data = around(bytes(middle))
    store, again = made(answer_of({"db-1.log": data}), salvage_records=True)
    assert b"soMe 0033" in bodies(again)["ID:n0033-1:1:2:50"]
    (item,) = (item for item in store.unverified() if item.code == "one-byte-hypothesis")
    assert item.off == data.index(b"soMe 0033") + 2
    assert "0x4d instead of 0x6d, in ADD_MESSAGE ID:n0033-1:1:2:50" in item.text


def test_filler_has_any_length_and_no_effect() -> None:
    for length in (*range(7, 400), 16_390, 16_391, 70_000, 2_097_170):
        payload = salvage.filler(length)
        assert len(payload) == length - 5
        whole = length.to_bytes(4, "big") + b"\1" + payload
        if length < 400 and length % 7 == 0:
            answer = answer_of({"db-1.log": batch([sent(1), whole, sent(2)])})
            assert answer.observation.verdict == CLEAN
            assert len(bodies(answer)) == 2


def test_new_store_of_any_damage_is_clean_and_takes_linear_time() -> None:
    rng = random.Random(8)
    whole = around(batch([sent(number) for number in range(40)]))
    for _ in range(50):
        _, left = damage(FORMAT, {"db-1.log": whole}, rng)
        if left.get("db-1.log"):
            answer = answer_of(left)
            plain = bodies(answer)
            _, again = made(answer, salvage_records=True) if plain else (None, answer)
            assert bodies(again).keys() >= plain.keys()


@pytest.mark.parametrize("piece", [b"\0\0\0\x08\1\1\1\0", b"\1\1\1", bytes(range(256))])
def test_time_for_salvage_is_proportional_to_the_bytes(piece: bytes) -> None:
    def salvaged(size: int) -> Task:
        body = (piece * (size // len(piece) + 1))[:size]
        start = bytes(LAYOUT.build("header", "5.16", batch_size=size, checksum=7))
        answer = answer_of({"db-1.log": Counted(batch([sent(1)]) + start + body + batch([sent(2)]))})
        return partial(made, answer, salvage_records=True)

    assert growth(salvaged, 1 << 13) < LINEAR


# Choices of the user.


BRANCHES = (
    "r1 q=A", "r2 q=A xa=7:01:02", "r3 REMOVE_MESSAGE q=A id=m1 xa=7:01:02", "r4 PREPARE xa=7:01:02",
    "r5 q=B tx=c1:9", "r6 q=B",
)  # fmt: skip


def test_branch_in_doubt_stays_in_doubt_unless_a_choice_ends_it() -> None:
    answer = authored(*BRANCHES)
    _, again = made(answer)
    assert state_of(again)["in_doubt"] == state_of(answer)["in_doubt"]
    store, again = made(answer, commit=("XA:7:01:02",))
    assert queues_of(again) == {("A", None): ["m2"], ("B", None): ["m6"]}
    assert [*store.chosen()] == [
        "XA:7:01:02 was committed, with 2 change(s); the other resources of its transaction are not touched"
    ]
    _, again = made(answer, rollback=("XA:7:01:02",))
    assert queues_of(again) == {("A", None): ["m1"], ("B", None): ["m6"]}
    assert not state_of(again)["in_doubt"]
    _, again = made(answer, drop=("XA:7:01:02",))
    assert queues_of(again) == {("A", None): ["m1"], ("B", None): ["m6"]}
    # The answer to the old store is not changed.
    assert len(state_of(answer)["in_doubt"]) == 1


def test_transaction_without_an_end_is_omitted_unless_a_choice_keeps_it() -> None:
    answer = authored(*BRANCHES)
    store, again = made(answer)
    assert queues_of(again)["B", None] == ["m6"]
    assert [(item.id, item.queue, item.code) for item in store.left_out()] == [
        ("m5", "B", "incomplete-transaction")
    ]
    for name in ("LOCAL:c1:9", "c1:9", "m5"):
        store, again = made(answer, keep=(name,))
        assert queues_of(again)["B", None] == ["m6", "m5"]
        assert [(item.id, item.code) for item in store.unverified()] == [("m5", "kept")]
        assert not [*store.left_out()]


def test_messages_and_queues_are_omitted_by_name() -> None:
    answer = authored(*BRANCHES, "r7 q=C", "r8 q=C")
    store, again = made(answer, drop=("m7", "B"))
    assert queues_of(again) == {("A", None): ["m1"], ("C", None): ["m8"]}
    items = [(item.what, item.id, item.code) for item in store.left_out()]
    assert items[1:] == [("destination", "B", "chosen"), ("message", "m7", "chosen")]
    store, again = made(answer, queues=("C",))
    assert queues_of(again) == {("C", None): ["m7", "m8"]}
    assert not state_of(again)["in_doubt"]


def test_choice_that_matches_nothing_is_refused() -> None:
    for choice in (
        StoreChoices(drop=("m99",)), StoreChoices(keep=("m99",)), StoreChoices(queues=("D",)),
        StoreChoices(commit=("LOCAL:c1:9",)), StoreChoices(rollback=("XA:7:01:03",)),
        StoreChoices(index_acks=True),
    ):  # fmt: skip
        with pytest.raises(ChoiceRefused):
            new_store(authored(*BRANCHES), choice)


def test_message_that_only_the_index_refers_to_is_copied_and_can_be_dropped() -> None:
    case = next(case for case in load_cases(FORMAT) if case.id == "khd.beside.subscription-in-the-index")
    answer = answer_of(case.files(), case.edition)
    kept = queues_of(answer)
    store, again = made(answer)
    assert queues_of(again) == kept
    (ident, *_) = next(iter(kept.values()))
    store, again = made(answer, drop=(ident,))
    assert ident not in {each for ids in queues_of(again).values() for each in ids}
    assert any(ident in line for line in store.chosen())


def test_messages_cannot_be_omitted_in_an_edition_whose_records_have_no_content() -> None:
    case = next(case for case in load_cases(FORMAT) if case.edition == "seed")
    with pytest.raises(ChoiceRefused):
        new_store(answer_of(case.files(), "seed"), StoreChoices(drop=("m1",)))


def test_index_only_acknowledgements_are_applied_on_request() -> None:
    case = next(case for case in load_cases(FORMAT) if case.id == "khd.beside.hides")
    answer = answer_of(case.files(), case.edition)
    found = contents(answer)
    assert found is not None
    hidden = [row["id"] for row in found.rows("messages") if row["state"] == "not-in-index"]
    assert hidden
    store, again = made(answer)
    assert {*hidden} <= {ident for ids in queues_of(again).values() for ident in ids}
    assert any("--index-acks leaves them out" in line for line in store.chosen())
    assert [item.id for item in store.unverified() if item.code == "not-in-index"] == hidden
    store, again = made(answer, index_acks=True)
    assert not {*hidden} & {ident for ids in queues_of(again).values() for ident in ids}
    assert [item.id for item in store.left_out() if item.code == "index-acknowledged"] == hidden


# The records of the new journal, by type.


def commands_of(store: NewStore, edition: str) -> list[tuple[str, Any]]:
    seen = answer_of(bytes_of(store), edition).observation
    return [(record.type, record.fields) for record in seen.records]


def acknowledgements(store: NewStore) -> list[tuple[str, str]]:
    return [
        (fields["subscription_key"], fields["message_id"])
        for kind, fields in commands_of(store, "5.16")
        if kind == "REMOVE_MESSAGE"
    ]


def test_last_acknowledgement_covers_messages_before_all_required_ones() -> None:
    """Products deliver the messages after this acknowledgement.

    If no message precedes them, an additional one is acknowledged.
    """
    begin = ["r1 SUBSCRIPTION t=T sub=c:a info=01", "r2 SUBSCRIPTION t=T sub=c:b info=02"]
    sent_ = [f"r{number} t=T" for number in (3, 4, 5, 6)]
    later = [f"r{number + 6} REMOVE_MESSAGE t=T id=m{number} sub=c:a" for number in (3, 4, 6)]
    store, again = made(authored(*begin, *sent_, *later))
    assert queues_of(again) == {("T", "c:a"): ["m5"], ("T", "c:b"): ["m3", "m4", "m5", "m6"]}
    assert acknowledgements(store) == [("c:a", "m6"), ("c:a", "m3"), ("c:a", "m4")]
    assert [item.code for item in store.unverified()] == ["out-of-order"]
    (step,) = (step for step in store.steps() if "out of order" in step)
    # Without this step, c:b loses m6 when c:a acknowledges m6 again (seen with ActiveMQ 5.8.0, and 5.13.5 to
    # 5.15.4).
    assert "Let the other subscriptions of its topic receive first: ActiveMQ 5.15.4 and earlier" in step
    store, again = made(authored(*begin, *sent_, later[1]))
    assert queues_of(again) == {("T", "c:a"): ["m3", "m5", "m6"], ("T", "c:b"): ["m3", "m4", "m5", "m6"]}
    assert acknowledgements(store) == [("c:a", "m4"), ("c:a", PLACEHOLDER), ("c:b", PLACEHOLDER)]
    assert [(item.what, item.code, item.id, item.queue) for item in store.unverified()] == [
        ("subscription", "out-of-order", "c:a", "T")
    ]
    added = [fields["message_id"] for kind, fields in commands_of(store, "5.16") if kind == "ADD_MESSAGE"]
    assert added == [PLACEHOLDER, "m3", "m4", "m5", "m6"]
    store, _ = made(authored(*begin, *sent_, *later[:2]))
    assert not [*store.unverified()]


def test_update_comes_after_its_message_if_a_product_rejects_it_alone() -> None:
    for edition, wanted in (("5.3", ["ADD_MESSAGE", "UPDATE_MESSAGE"]), ("5.16", ["UPDATE_MESSAGE"])):
        answer = authored("r1 q=A", "r2 UPDATE_MESSAGE q=A id=m1 body=4142", edition=edition)
        store, again = made(answer)
        assert [kind for kind, _ in commands_of(store, edition)][1:] == wanted
        assert bodies(again) == {"m1": b"AB"}


@pytest.mark.parametrize("zeros", [0, 4000])
@pytest.mark.parametrize("before", [0, 1])
def test_incomplete_first_batch_gives_an_empty_new_store(before: int, zeros: int) -> None:
    whole = batch([record(0, "TRACE", text="x")]) * before
    store, again = made(answer_of({"db-1.log": (whole + batch([sent(1)]))[:-100] + bytes(zeros)}))
    assert [kind for kind, _ in commands_of(store, "5.16")] == ["TRACE"]
    assert not state_of(again)["destinations"]
    assert not list(store.carried())


def test_trace_records_without_a_text_are_not_jobs() -> None:
    store, _ = made(authored("r1 TRACE", "r2 ADD_MESSAGE q=A id=m1", "r3 REMOVE_DESTINATION q=A"))
    assert [kind for kind, _ in commands_of(store, "5.16")] == ["TRACE"]
    damaged = answer_of({"db-1.log": batch([record(0, "TRACE")]) + batch([sent(1)])[:-9]})
    with pytest.raises(CannotRebuild, match="only records of scheduled messages"):
        new_store(damaged, StoreChoices())


def test_files_have_the_length_of_the_product_and_are_always_equal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(write, "MAX_FILE", 1 << 16)
    monkeypatch.setattr(write, "_BATCH", 4096)
    large = sent(999, message=bytes(3 << 20))
    answer = answer_of({"db-1.log": batch([sent(number) for number in range(600)]) + batch([large])})
    store, again = made(answer)
    found = bytes_of(store)
    assert list(found) == [f"db-{number}.log" for number in range(1, 5)]
    assert all(len(data) < (1 << 16) + 5 for data in [*found.values()][:-1])
    assert all(data.endswith(b"-qMa4") for data in found.values())
    assert bytes_of(store) == found
    assert [file.name for file in store.files()] == list(found)
    assert bodies(again) == bodies(answer)


def test_report_lists_what_no_checksum_covers() -> None:
    bare = batch([sent(1), sent(2)])[:20] + bytes(8) + sent(1) + sent(2)
    store, _ = made(answer_of({"db-1.log": bare + batch([sent(3)])}))
    assert [(item.file, item.off, item.text) for item in store.unverified()] == [
        ("db-1.log", 28, "2 message(s), the first of them here: no checksum is stored")
    ]
    store, _ = made(answer_of({"db-1.log": batch([sent(3)])}, policy="unchecked"))
    (item,) = store.unverified()
    assert "policy unchecked does not compare checksums" in item.text
    # After the first part of the file, too, the item's offset is the offset in the file.
    first, bare = batch([sent(1, message=bytes(5 << 20))]), batch([sent(2)])[:20] + bytes(8) + sent(2)
    (item,) = made(answer_of({"db-1.log": first + bare}))[0].unverified()
    assert (item.off, item.text[:12]) == (len(first) + 28, "1 message(s)")


def test_jobs_of_a_scheduler_have_the_time_of_the_last_command() -> None:
    def job(ident: str, after: int) -> bytes:
        fields = {"scheduler": "JMS", "job_id": ident, "next_execution_time": after, "start_time": 5}
        return record(11, "ADD_SCHEDULED_JOB", **fields, job=objects()["text", 11])

    later = record(12, "RESCHEDULE_JOB", scheduler="JMS", job_id="a", execution_time=900,
                   next_execution_time=100, rescheduled_count=3)  # fmt: skip
    gone = record(13, "REMOVE_SCHEDULED_JOB", scheduler="JMS", job_id="c")
    answer = answer_of({"db-1.log": batch([job("a", 900), job("b", 200), job("c", 300), later, gone])})
    store, again = made(answer)
    assert live(again)["jobs"] == live(answer)["jobs"] != []
    assert [(each.table, each.name, each.rows) for each in store.carried()] == [("jobs", "JMS", 2)]
    assert [kind for kind, _ in commands_of(store, "5.16")] == [
        "TRACE", "ADD_SCHEDULED_JOB", "RESCHEDULE_JOB", "ADD_SCHEDULED_JOB"
    ]  # fmt: skip
    _, again = made(answer, drop=("a",))
    assert [row["id"] for row in live(again)["jobs"]] == ["b"]


def test_messages_in_the_index_only_are_listed() -> None:
    case = next(case for case in load_cases(FORMAT) if case.id == "khd.beside.missing-file")
    items = [*new_store(answer_of(case.files(), case.edition), StoreChoices()).left_out()]
    assert {item.code for item in items} == {"lost"}
    assert all(item.what == "message" and item.id for item in items)


def test_steps_list_releases_and_settings_that_the_product_needs() -> None:
    topic = authored("r1 SUBSCRIPTION t=T sub=c:a info=01", "r2 t=T")
    assert any("5.9.0 to 5.12.0" in step for step in new_store(topic, StoreChoices()).steps())
    multi = authored("r1 q=A xa=61616:63:31", "r2 PREPARE xa=61616:63:31")
    assert any("txStore" in step for step in new_store(multi, StoreChoices()).steps())
    old = record(
        1, "ADD_MESSAGE", destination={"name": "A"}, message_id="x", message=objects()["text-all", 6]
    )
    store = new_store(answer_of({"db-1.log": batch([old])}), StoreChoices())
    assert any("storeOpenWireVersion=6 on the broker element" in step for step in store.steps())
    assert store.product == "KahaDB of ActiveMQ 5.16 and later"


def test_producer_audit_is_not_a_loss_and_a_step_states_that_it_is_rebuilt() -> None:
    answer = answer_of({"db-1.log": batch([sent(1), record(8, "PRODUCER_AUDIT", audit=b"\xac\xed")])})
    store, _ = made(answer)
    assert not [*store.left_out()]
    assert any("audit of producers anew" in step for step in store.steps())
