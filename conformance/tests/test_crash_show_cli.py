"""``journalspec corpus show``: what a state follows from, enough to work it out once more from outside."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from journalspec.formats import format_ids
from journalspec_corpus.crash.explain import as_json, story
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.reduce import State, situations
from journalspec_corpus.pipeline.failures import place_of
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.worst import worst_cases
from judged import call

#: States of each build that are checked.
SAMPLE = 40
#: Reachable ones that are reported as a number of operations and of bytes of the next one.
PREFIX = "prefix-byte"


@pytest.fixture(scope="module", params=["bitronix_tlog", "jboss_journal"])
def directory(request: pytest.FixtureRequest, core_build: Callable[[Plan], Path]) -> Path:
    return core_build(Plan(request.param, "core", every=611))


def rows(directory: Path, column: str, value: str) -> list[Mapping[str, Any]]:
    columns = ["case_id", "stratum", "preset", "refusal", "trace"]
    found = [
        row
        for path in sorted((directory / "states").glob("*.parquet"))
        for row in pq.read_table(path, columns=columns).to_pylist()
        if row[column] == value
    ]
    return found[:: len(found) // SAMPLE + 1]


def told_of(directory: Path, name: str) -> dict[str, Any]:
    place = place_of(directory, name)
    told = as_json(place.adapter, place.workload, place.state)
    assert json.loads(json.dumps(told)) == told
    return told


def replayed(told: Mapping[str, Any]) -> dict[str, str]:
    """Return what is left if everything arrived up to the crash, and a part of the last write; as hex."""
    files = {entry["file"]: bytearray.fromhex(entry["bytes"]) for entry in told["trace"]["base"]}
    upto = told["after"] + (told["under_way"] is not None)
    for op in told["trace"]["operations"][:upto]:
        match op["op"]:
            case "create":
                files[op["file"]] = bytearray()
            case "write":
                data = bytes.fromhex(op["data"])
                if op["number"] == told["under_way"]:
                    data = data[: told["arrived"]["bytes_of_last"]]
                content = files[op["file"]]
                content.extend(bytes(max(0, op["off"] + len(data) - len(content)) if data else 0))
                content[op["off"] : op["off"] + len(data)] = data
            case "truncate":
                content = files[op["file"]]
                del content[op["size"] :]
                content.extend(bytes(op["size"] - len(content)))
            case "rename":
                files[op["new"]] = files.pop(op["old"])
            case "unlink":
                del files[op["file"]]
    return {name: content.hex() for name, content in files.items()}


def owed(told: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return what must, may and must not reappear, from acknowledgements and releases alone."""
    trace = told["trace"]
    upto = told["after"] if told["under_way"] is None else max(told["after"], told["under_way"] + 1)
    acknowledged = {mark["record"] for mark in trace["before"] if mark["acknowledged"]}
    before = {mark["record"] for mark in trace["before"]}
    here: set[str] = set()
    released: set[str] = set()
    written = -1
    for op in trace["operations"]:
        number = op["number"]
        if op["op"] == "write":
            written = number
        elif op["op"] in ("mark", "part") and written < upto:
            here.add(op["record"])
        elif op["op"] == "ack" and number < told["after"]:
            acknowledged |= set(op["records"])
        elif op["op"] == "release" and number < upto:
            released |= set(op["records"])
    must = acknowledged - released
    possible = {mark["record"] for mark in trace["before"] if not mark["acknowledged"]} - here
    stale = {mark["record"] for mark in trace["stale"]}
    return {
        "must_keep": sorted(must),
        "may_keep": sorted((before | here) - must),
        "must_drop": sorted(stale - possible),
    }


def test_files_follow_from_what_is_reported(directory: Path) -> None:
    found = rows(directory, "preset", PREFIX)
    assert len(found) > SAMPLE // 2
    for row in found:
        name = row["case_id"].hex()
        told = told_of(directory, name)
        assert told["case"].endswith(f".crash.{name}")
        files = {entry["file"]: entry["bytes"] for entry in told["files"]}
        assert files == {file: data.hex() for file, data in place_of(directory, name).state.files.items()}
        assert replayed(told) == files, name


def given(told: Mapping[str, Any]) -> dict[str, list[str]]:
    return {name: told["owed"][name] for name in ("must_keep", "may_keep", "must_drop")}


def test_required_outcome_follows_from_the_trace(directory: Path) -> None:
    found = rows(directory, "stratum", "R")
    assert len(found) > SAMPLE // 2
    for row in found:
        told = told_of(directory, row["case_id"].hex())
        assert given(told) == owed(told), told["workload"]
        assert told["owed"]["refusal"] == row["refusal"]
        assert told["trace"]["id"] == row["trace"]


def test_records_open_before_the_trace_are_not_reported_as_acknowledged() -> None:
    adapter = crash_format("jboss_journal")
    work = next(work for work in adapter.workloads("core") if work.name.startswith("reopen/"))
    told = as_json(adapter, work, State(next(situations(adapter.build(work), 0, 1, "R")), 0))
    assert given(told) == owed(told)
    assert {mark["acknowledged"] for mark in told["trace"]["before"]} == {True, False}


@pytest.mark.parametrize("format_id", format_ids())
def test_every_worst_case_can_be_told(format_id: str) -> None:
    """With the crash before it, the pieces in flight, the bytes of all files."""
    for worst in worst_cases(format_id):
        state = worst.state(worst.full)
        told = as_json(crash_format(format_id), worst.full.workload, state)
        assert {entry["file"]: entry["bytes"] for entry in told["files"]} == {
            name: content.hex() for name, content in state.files.items()
        }
        assert given(told) == owed(told)
        assert (told["trace"]["life"] > 1) == bool(told["crashes_before"])
        in_flight = told["arrived"].get("pieces", ())
        assert len(in_flight) == (len(state.situation.states.point.blocks) if in_flight else 0)


def test_it_is_printed_in_words_and_as_json(directory: Path) -> None:
    name = rows(directory, "preset", PREFIX)[0]["case_id"].hex()
    place = place_of(directory, name)
    done = call("corpus", "show", directory, "--case", name, status=0)
    for words in ("the crash", "must keep ", "refusal ", f".crash.{name}"):
        assert words in done.output
    told = told_of(directory, name)
    torn = told["trace"]["operations"][told["under_way"]]
    *_, last, crash = story(place.state)
    assert crash == "the crash"
    assert last.startswith(f"write {len(torn['data']) // 2} bytes at {torn['off']} of {torn['file']}")
    for reader, verdict in place.verdicts.items():
        assert f"{reader}: {verdict}" in done.output
    as_data = call("corpus", "show", directory, "--case", place.state.case_id, "--json", status=0)
    assert json.loads(as_data.stdout) == {**told, "verdicts": dict(place.verdicts)}
