"""``journalspec corpus show`` prints the inputs of a state, from which others can compute the state."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from worst import worst_cases

from journalspec.formats import format_ids
from journalspec_corpus.crash.explain import as_json, story
from journalspec_corpus.crash.facts import State
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.reduce import situations
from journalspec_corpus.pipeline.failures import place_of
from journalspec_corpus.pipeline.plan import Plan
from judged import call, has

#: SAMPLE is the number of reachable states that are checked. PREFIX is the preset in whose states the first
#: operations are complete and the next one is cut after some byte.
SAMPLE, PREFIX = 30, "prefix-byte"


@pytest.fixture(scope="module", params=["bitronix_tlog", "jboss_journal"])
def directory(request: pytest.FixtureRequest, core_build: Callable[[Plan], Path]) -> Path:
    return core_build(Plan(request.param, "core", every=611))


def sample(directory: Path, column: str, value: str) -> list[dict[str, Any]]:
    """Return the build's rows for some of the states with a given value in a column."""
    columns = ["case_id", "stratum", "preset", "refusal", "trace"]
    rows = pq.read_table(directory / "states", columns=columns).to_pylist()
    found = [{**row, "case_id": row["case_id"].hex()} for row in rows if row[column] == value]
    return found[:: len(found) // SAMPLE + 1]


def replayed(told: Mapping[str, Any]) -> dict[str, str]:
    """Return the files as hex, after all writes before the crash and the reported bytes of the last write."""
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
    """Return the records that must, may and must not be recovered, from acknowledgements and deletions."""
    trace = told["trace"]
    upto = told["after"] if told["under_way"] is None else max(told["after"], told["under_way"] + 1)
    acknowledged = {mark["record"] for mark in trace["before"] if mark["acknowledged"]}
    before = {mark["record"] for mark in trace["before"]}
    open_before = before - acknowledged
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
    stale = {mark["record"] for mark in trace["stale"]}
    return {
        "must_keep": sorted(must),
        "may_keep": sorted((before | here) - must),
        "must_drop": sorted(stale - (open_before - here)),
    }


def checked(told: dict[str, Any], state: State) -> None:
    """Compare the reported files with the files of the state, and its required records with the reported
    trace.
    """
    assert json.loads(json.dumps(told)) == told
    files = {entry["file"]: entry["bytes"] for entry in told["files"]}
    assert files == {name: content.hex() for name, content in state.files.items()}
    if "bytes_of_last" in told["arrived"]:
        assert replayed(told) == files
    given = {name: told["owed"][name] for name in ("must_keep", "may_keep", "must_drop")}
    assert given == owed(told), told["workload"]


@pytest.mark.parametrize(("column", "value"), [("preset", PREFIX), ("stratum", "R")])
def test_state_can_be_computed_from_its_report(directory: Path, column: str, value: str) -> None:
    rows = sample(directory, column, value)
    assert len(rows) > SAMPLE // 2
    for row in rows:
        place = place_of(directory, row["case_id"])
        told = as_json(place.adapter, place.workload, place.state)
        assert told["case"].endswith(f".crash.{row['case_id']}")
        assert (told["owed"]["refusal"], told["trace"]["id"]) == (row["refusal"], row["trace"])
        checked(told, place.state)


def test_records_open_before_the_trace_are_not_reported_as_acknowledged() -> None:
    adapter = crash_format("jboss_journal")
    work = next(work for work in adapter.workloads("core") if work.name.startswith("reopen/"))
    state = State(next(situations(adapter.build(work), 0, 1, "R")), 0)
    told = as_json(adapter, work, state)
    checked(told, state)
    assert {mark["acknowledged"] for mark in told["trace"]["before"]} == {True, False}


@pytest.mark.parametrize("format_id", format_ids())
def test_every_worst_case_can_be_reported(format_id: str) -> None:
    """The report contains the previous crash, the pieces in flight, and the bytes of all files."""
    for worst in worst_cases(format_id):
        state = worst.state(worst.full)
        told = as_json(crash_format(format_id), worst.full.workload, state)
        checked(told, state)
        assert (told["trace"]["life"] > 1) == bool(told["crashes_before"])
        in_flight = told["arrived"].get("pieces", ())
        assert len(in_flight) == (len(state.situation.states.point.blocks) if in_flight else 0)


def test_state_is_printed_as_text_and_as_json(directory: Path) -> None:
    name = sample(directory, "preset", PREFIX)[0]["case_id"]
    place = place_of(directory, name)
    told = as_json(place.adapter, place.workload, place.state)
    torn = told["trace"]["operations"][told["under_way"]]
    *_, last, crash = story(place.state)
    assert crash == "the crash"
    assert last.startswith(f"write {len(torn['data']) // 2} bytes at {torn['off']} of {torn['file']}")
    done = call("corpus", "show", directory, "--case", name, status=0)
    has(done.output, "the crash", "must keep ", "refusal ", f".crash.{name}")
    has(done.output, *(f"{reader}: {verdict}" for reader, verdict in place.verdicts.items()))
    as_data = call("corpus", "show", directory, "--case", place.state.case_id, "--json", status=0)
    assert json.loads(as_data.stdout) == {**told, "verdicts": dict(place.verdicts)}
