"""Answers and expectations use only names of ``fields.toml``, and every name in it is used."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from answer_problems import problems
from journalspec.families import families
from journalspec.formats import format_ids, get_format
from journalspec.observation import REFUSED
from journalspec.vocabulary import Field, Vocabulary, members
from journalspec_conformance.harnesses.reference import Reference
from journalspec_corpus.case import Case
from journalspec_corpus.load import load_cases
from journalspec_reference import load
from tables import table

TIERS = ("smoke", "captured")
#: A case, the operation, and the answer.
Answer = tuple[Case, str, Mapping[str, Any]]

each_format = pytest.mark.parametrize("format_id", format_ids())


@cache
def cases(format_id: str) -> tuple[Case, ...]:
    return tuple(case for tier in TIERS for case in load_cases(format_id, tier))


@cache
def answers(format_id: str) -> tuple[Answer, ...]:
    """Return the reference's answers to every question about every case."""
    reference, found = Reference(), []
    for case in cases(format_id):
        request = {"format": case.format, "edition": case.edition, "files": case.files()}
        request |= {"params": case.params, "observe": "layout"}
        for probe in case.probes:
            if probe.op == "read":
                found.append((case, probe.op, reference.read(request)["ok"]))
            elif probe.op == "recover":
                found.append((case, probe.op, reference.recover(request | {"policy": probe.policy})["ok"]))
    return tuple(found)


def words(format_id: str) -> Vocabulary:
    return get_format(format_id).vocabulary


@each_format
def test_answers_of_the_reference_use_only_names_of_the_table(format_id: str) -> None:
    wrong = [
        f"{case.id}/{op}: {problem}"
        for case, op, answer in answers(format_id)
        for problem in problems(words(format_id), answer, case.edition, op)
    ]
    assert not wrong, "\n".join(wrong[:20])


def case_problems(case: Case, table: Vocabulary) -> Iterator[str]:
    """Yield names without an entry in a table, from expectations and from operations of writers.

    The reference's answers contain most names, but not forbidden names, names in other permitted answers, and
    values of operations.
    """
    for entry in case.expect:
        named = {name for record in entry.get("records", ()) for name in record}
        yield from named - {"type", "at", *(field.name for field in table.fields)}
        yield from {*entry.get("state", {})} - {field.name for field in table.state}
        yield from {*entry.get("notes", ()), *entry.get("unnoted", ())} - {*table.notes}
        yield from {region["reason"] for region in entry.get("dropped", ())} - {*table.reasons}
        yield from ({entry["code"]} if "code" in entry else set()) - {*table.codes}
    if case.write is None:
        return
    known = table.params_of("write", case.edition)
    yield from members(known.values(), case.write["params"], "write.params", case.edition)
    for op in case.write["ops"]:
        if op["op"] not in table.operations:
            yield f"no operation {op['op']}"
        else:
            inner = {name: value for name, value in op.items() if name != "op"}
            yield from members(table.operations[op["op"]][1], inner, op["op"], case.edition)


@each_format
def test_cases_use_only_names_of_the_table(format_id: str) -> None:
    wrong = [
        f"{case.id}: {text}" for case in cases(format_id) for text in case_problems(case, words(format_id))
    ]
    assert not wrong, "\n".join(wrong[:20])


def seen_in_answers(format_id: str) -> Iterator[tuple[str, ...]]:
    """Yield (table, name, edition ...) for every name that occurs in an answer."""
    for case, _, answer in answers(format_id):
        for record in (*answer.get("records", ()), *answer.get("unanchored", ())):
            yield "record_types", record["type"]
            for name in record:
                yield "field", name, case.edition, record["type"]
        for names, group, member in (
            ("reasons", "dropped", "reason"),
            ("roles", "files", "role"),
            ("notes", "notes", "code"),
            ("missing", "missing", "code"),
        ):
            yield from ((names, entry[member]) for entry in answer.get(group, ()))
        for file in answer.get("files", ()):
            yield from (("header", name, case.edition) for name in file["header"])
        for name, value in (answer.get("state") or {}).items():
            yield "state", name, case.edition
            if value and isinstance(value, list):
                yield from _inside(value, f"state.{name}")
        if answer["verdict"] == REFUSED:
            yield "codes", answer["code"]


def _inside(value: list[Any], path: str) -> Iterator[tuple[str, ...]]:
    for item in value:
        for name, inner in item.items() if isinstance(item, dict) else ():
            yield path, name
            if isinstance(inner, list):
                yield from _inside(inner, f"{path}.{name}")


def seen_in_writing(format_id: str) -> Iterator[tuple[str, ...]]:
    for case in cases(format_id):
        yield from (("param", name) for name in case.params)
        for entry in case.expect:
            yield from (("codes", item["code"]) for item in entry.get("refusals", ()))
        if case.write is not None:
            yield from (("param", name) for name in case.write["params"])
            for op in case.write["ops"]:
                yield "operations", op["op"]
                yield from ((f"operations.{op['op']}", name) for name in op if name != "op")


def listed(table: Vocabulary) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield for each entry of all tables: its key as in seen_in_*, and the reason (if any) why no case has
    the entry.
    """
    for group in ("record_types", "roles", "reasons", "codes", "notes", "missing"):
        yield from (((group, entry.name), entry.unseen) for entry in getattr(table, group).values())
    for field in table.fields:
        for edition in field.editions or ("",):
            kinds = [kind for kind in field.types or ("",) if _is_of(table, kind, edition)]
            yield from ((("field", field.name, edition, kind), field.unseen) for kind in kinds)
    for group, fields in (("header", table.header), ("state", table.state)):
        for field in fields:
            yield from (((group, field.name, edition), field.unseen) for edition in field.editions or ("",))
    for field in table.state:
        yield from _listed_inside(field, f"state.{field.name}")
    yield from ((("param", field.name), field.unseen) for field in table.params)
    for name, (entry, fields) in table.operations.items():
        yield ("operations", name), entry.unseen
        yield from (((f"operations.{name}", field.name), field.unseen) for field in fields)


def _is_of(table: Vocabulary, kind: str, edition: str) -> bool:
    """Return whether an edition has this type of record."""
    editions = table.record_types[kind].editions if kind else ()
    return not edition or not editions or edition in editions


def _listed_inside(field: Field, path: str) -> Iterator[tuple[tuple[str, ...], str]]:
    for inner in field.of:
        yield (path, inner.name), inner.unseen
        yield from _listed_inside(inner, f"{path}.{inner.name}")


@each_format
def test_every_entry_is_in_some_case_or_has_a_reason(format_id: str) -> None:
    seen = {*seen_in_answers(format_id), *seen_in_writing(format_id)}

    def found(key: tuple[str, ...]) -> bool:
        return any(len(other) >= len(key) and _fits(key, other) for other in seen)

    unseen = [".".join(key) for key, reason in listed(words(format_id)) if not reason and not found(key)]
    assert not unseen, f"in the table, but in no case: {unseen}"
    stale = [".".join(key) for key, reason in listed(words(format_id)) if reason and found(key)]
    assert not stale, f"listed as in no case, but a case has it: {stale}"


def _fits(key: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return all(part in ("", there) for part, there in zip(key, other, strict=False))


@each_format
def test_lists_are_in_file_order(format_id: str) -> None:
    lists = {"records", "dropped", *(["missing"] if words(format_id).missing else [])}
    assert set(words(format_id).lists) == lists, "[lists] of fields.toml tells their order"
    for case, op, answer in answers(format_id):
        for places in (
            [record["at"] for record in answer.get("records", ())],
            list(answer.get("dropped", ())),
        ):
            last: dict[str, int] = {}
            for place in places:
                assert int(place["off"]) >= last.get(place["file"], 0), f"{case.id}/{op}"
                last[place["file"]] = int(place["off"]) + int(place["len"])


@each_format
def test_hexdumps_use_the_same_names(format_id: str) -> None:
    """Checks the names of fields in `inspect --hex`, in every tenth case."""
    table, room, seen = words(format_id), load(format_id), set()
    for case in cases(format_id)[::10]:
        for span in room.spans(case.files(), edition=case.edition):
            if span.kind == "field":
                seen.add(re.sub(r"\[\d+\]", "", span.path.rpartition(".")[2]))
    known = {item.name for item in (*table.fields, *table.header)} | {*table.framing}
    known |= {part.name for item in table.fields for part in item.of}
    # Names of fields in bodies are the fields of contents.
    known |= {
        member.name
        for family in families(format_id).values()
        for shape in family.types.values()
        for member in shape.fields
    }
    assert seen
    assert not seen - known, f"neither observed nor in [framing] of fields.toml: {sorted(seen - known)}"


@pytest.mark.parametrize("fault", table("vocabulary")["fault"], ids=lambda fault: fault["says"])
def test_unknown_entries_are_reported(fault: Mapping[str, Any]) -> None:
    """The test uses a real answer with one inserted fault."""
    case, op, answer = next(
        (case, op, copy.deepcopy(dict(answer)))
        for case, op, answer in answers("bitronix_tlog")
        if answer["verdict"] == "clean" and answer["records"] and answer["notes"]
        if answer["state"]["unfinished"] and case.edition == "2.1"
    )
    *steps, last = fault["path"].split(".")
    inner: Any = answer
    for step in steps:
        inner = inner[int(step) if step.isdigit() else step]
    if "value" in fault:
        inner[last] = fault["value"]
    else:
        del inner[last]
    found = list(problems(words("bitronix_tlog"), answer, case.edition, op))
    assert any(text.startswith(fault["says"]) for text in found), found
