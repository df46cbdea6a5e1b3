"""The authored cases of SwiftMQ's store, answered by the reference."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from authored import authored_cases
from fuzz import Readers, judge

from journalspec.observation import jsonable
from journalspec_corpus import Case
from journalspec_corpus.mutations import Source
from journalspec_corpus.swiftmq_store import MODEL, author, drawing, naive
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage, whole

FORMAT = "swiftmq_store"
CASES = Path(__file__).resolve().parents[2] / "corpus" / "cases" / FORMAT


def answer(case: Case, question: dict[str, str]) -> Any:
    files = {file.path: file.content() for file in case.input.files}
    asked = load(FORMAT)
    if question["op"] == "read":
        return asked.read(files, edition=case.edition, params=case.params)
    return asked.recover(files, edition=case.edition, policy=question["policy"], params=case.params)


def test_the_reference_answers_every_case() -> None:
    wrong, asked = [], 0
    for case in authored_cases(FORMAT, CASES):
        for said in case.expect if case.write is None else ():
            asked += 1
            found = answer(case, said["when"]).to_json()
            notes = Counter(note["code"] for note in found.get("notes", ()))
            wanted: Counter[str] = Counter(said.get("notes", ()))
            if wanted - notes or any(notes[code] > wanted[code] for code in said.get("unnoted", ())):
                wrong.append(f"{case.id} {said['when']}: notes {notes}")
            wrong += [
                f"{case.id} {said['when']} {name}: expected {said[name]!r}, answered {found.get(name)!r}"
                for name in COMPARED
                if name in said and not covers(found.get(name), said[name])
            ]
    assert not wrong, "\n" + "\n".join(wrong)
    assert asked > 200


COMPARED = ("verdict", "phase", "code", "dropped", "records", "missing", "state")


def covers(have: Any, want: Any) -> bool:
    if isinstance(want, Mapping):
        return all(covers((have or {}).get(name), value) for name, value in want.items())
    if isinstance(want, list):
        return len(have or ()) == len(want) and all(map(covers, have or (), want))
    return bool(have == want)


def test_the_naive_reader_answers_every_case() -> None:
    """It says nothing of notes."""
    wrong, asked = [], 0
    for case in authored_cases(FORMAT, CASES):
        for said in case.expect if case.write is None else ():
            policy = [said["when"]["policy"]] if "policy" in said["when"] else []
            size = int(case.params.get("page_size", "2048"))
            ask = getattr(naive, said["when"]["op"])
            found = jsonable(ask(case.files(), case.edition, *policy, size=size))
            asked += 1
            wrong += [
                f"{case.id} {said['when']} {name}: expected {said[name]!r}, answered {found.get(name)!r}"
                for name in COMPARED
                if name in said and not covers(found.get(name), said[name])
            ]
    assert not wrong, "\n" + "\n".join(wrong)
    assert asked > 200


OPERATIONS = (
    "open",
    "insert queue=a message=one",
    "insert queue=a message=b*3000 tx=1",
    "insert queue=a message=three tx=1",
    "rollback tx=1",
    "insert queue=a message=four",
    "insert queue=b message=five tx=2",
    "commit tx=2",
    "insert queue=b message=six tx=3",
    "prepare tx=3 format_id=1 gtrid=0a bqual=0b",
    "remove queue=a key=0 tx=4",
    "prepare tx=4 format_id=1 gtrid=0c bqual=0d",
    "checkpoint",
    "decide gtrid=0c bqual=0d commit=false",
    "decide gtrid=0a bqual=0b commit=true",
    "remove queue=a key=3",
)


def test_the_model_says_what_the_writer_leaves() -> None:
    ops = [author.operation(text) for text in OPERATIONS]
    storage = MemoryStorage()
    writer = load(FORMAT).writer(storage, edition="13", params={"checkpoint_size": "65536"})
    kept = MODEL.begin({})
    for op in ops:
        writer.apply(op)
        kept = MODEL.after(kept, op, "13")
        files = {name: whole(storage, name) for name in storage.names()}
        left = load(FORMAT).recover(files, edition="13", policy="strict")
        state = jsonable(left.state)
        assert (left.verdict, MODEL.shown(MODEL.begin(state))) == ("clean", MODEL.shown(kept)), op


@pytest.mark.parametrize("wide", [False, True])
def test_drawn_stores_are_read_as_they_were_drawn(wide: bool) -> None:
    for seed in range(60):
        drawn = drawing.base("13", random.Random(seed), wide=wide)
        found = load(FORMAT).read(drawn.files, edition="13")
        assert (found.verdict, tuple(found.records), found.state) == ("clean", drawn.records, drawn.state)
        left = load(FORMAT).recover(drawn.files, edition="13", policy="strict")
        assert (left.verdict, left.state) == ("clean", drawn.state)


def test_readers_stand_a_few_hundred_damaged_stores() -> None:
    source, readers = Source(FORMAT, 1), Readers(FORMAT)
    items = [source[number] for number in range(300)]
    judged = [judge(readers, item, measure=item.number % 40 == 39) for item in items]
    assert [problem for _, problem in judged if problem] == []
    assert len({item.kind for item in items}) > 8
