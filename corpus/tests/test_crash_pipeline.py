"""Tests the pipeline: every backend gives the same output, builds resume, states are counted once, cases are
published.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.dataset as ds
import pytest
from click.testing import CliRunner

from journalspec_conformance.cli import cli
from journalspec_conformance.compare import Claims, compare
from journalspec_corpus.bitronix_tlog.workloads import Step, Workload
from journalspec_corpus.crash.facts import find
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import get_preset, rank
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.load import CASES, Intake
from journalspec_corpus.pipeline.build import Builder, build, prepare
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.shards import Shard, first_of_each, write_shard
from journalspec_corpus.pipeline.tables import VERDICT, Labels, Reached, tabulate
from journalspec_reference import load

FORMAT, TX = "bitronix_tlog", "jboss_journal"
PLAN = Plan(FORMAT, "core", every=173)
PLANS = {FORMAT: PLAN, TX: Plan(TX, "core", every=127)}
#: Maps a format to two numbers: one published case in this many is read, and at least this many probes fail.
SAMPLES = {FORMAT: (7, 1), TX: (9, 3)}


def digests(out: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((out / "states").iterdir())
    }


@pytest.fixture(scope="module", params=PLANS)
def built(request: pytest.FixtureRequest, core_build: Callable[[Plan], Path]) -> Path:
    return core_build(PLANS[request.param])


@pytest.fixture(scope="module")
def manifest(built: Path) -> Any:
    return json.loads((built / "manifest.json").read_text())


@pytest.fixture(scope="module")
def plan(manifest: Any) -> Plan:
    return PLANS[manifest["plan"]["format"]]


#: Only for tests of parts that all formats share.
small = pytest.mark.parametrize("built", [FORMAT], indirect=True)


def test_manifest_counts_the_rows_that_exist(built: Path, manifest: Any, plan: Plan) -> None:
    table = ds.dataset(built / "states").to_table()
    counts = manifest["counts"]
    assert table.num_rows == counts["distinct"] == len(set(table["case_id"].to_pylist())) > 1000
    assert counts["generated"] == counts["distinct"] + counts["duplicates"]
    strata = Counter(table["stratum"].to_pylist())
    assert counts["strata"] == strata
    assert set(manifest["strata"]) == set(strata)
    for name, tables in manifest["strata"].items():
        for label in ("classes", "categories", "presets", "refusals"):
            assert sum(tables[label].values()) == tables["distinct"] == strata[name]
    rows = table.to_pylist()
    readers = [label for label in table.schema.names if label.startswith(VERDICT)]
    assert Counter(
        (row["stratum"], label.removeprefix(VERDICT), row["writer"], row[label])
        for row in rows
        for label in readers
    ) == {
        (name, reader, writer, verdict): count
        for name, tables in manifest["strata"].items()
        for reader, writers in tables["verdicts"].items()
        for writer, given in writers.items()
        for verdict, count in given.items()
    }
    classes = Counter(
        (
            row["stratum"],
            f"{row['category']}/{row['background']}/{row['field'] or '-'}",
            "acked" if row["acknowledged"] > 0 else "fresh",
        )
        for row in rows
    )
    assert classes == {
        (name, *label.rpartition("/")[::2]): count
        for name, tables in manifest["strata"].items()
        for label, count in tables["classes"].items()
    }
    assert sum(part["rows"] for part in manifest["parts"]) == counts["distinct"]
    assert manifest["plan"]["seed"] == plan.seed
    assert manifest["run"]["seconds"] > 0
    assert not (built / "work").exists()


def test_content_is_rebuilt_from_the_descriptor_in_a_row(built: Path, plan: Plan) -> None:
    """Published cases have the same content."""
    adapter = crash_format(plan.format)
    traces = {trace.id: trace for trace in map(adapter.build, plan.workloads())}
    rows = {row["case_id"].hex(): row for row in ds.dataset(built / "states").to_table().to_pylist()}
    looked = 0
    for case in list(Intake().file(built / CASES))[::37]:
        row = rows[case.id.rpartition(".")[2]]
        names = ("trace", "preset", "crash_index", "mask", "tear", "background", "seed", "rot")
        descriptor = Descriptor(**{name: row[name] for name in names})
        trace = traces[row["trace"]]
        state = find(trace, descriptor)
        assert state.case_id == row["case_id"].hex()
        assert state.files == case.files()
        assert case.origin.base == row["trace"]
        looked += 1
    assert looked > 30


@small
def test_interrupted_build_resumes_with_the_same_result(tmp_path: Path, built: Path) -> None:
    prepare(PLAN, tmp_path / "out")
    write_shard(PLAN, tmp_path / "out", 1)
    write_shard(PLAN, tmp_path / "out", 0)
    damaged = tmp_path / "out" / "work" / "shard-00000.arrow"
    damaged.write_bytes(damaged.read_bytes()[:-9])
    # A shard that has the name of another shard is not valid.
    shutil.copy(damaged.with_name("shard-00001.arrow"), damaged.with_name("shard-00002.arrow"))
    calls: list[tuple[str, int, int]] = []
    manifest = build(PLAN, tmp_path / "out", Builder("local"), lambda *call: calls.append(call))
    assert digests(tmp_path / "out") == digests(built)
    assert calls[0] == ("core: shards", 1, PLAN.shards())
    assert calls[-1] == ("core: cases", PLAN.shards(), PLAN.shards())
    assert manifest["run"]["shards_run"] == PLAN.shards() - 1
    again = build(PLAN, tmp_path / "out", Builder("local"))
    assert again == manifest


def test_state_is_counted_for_every_writer_that_reaches_it() -> None:
    """Only one row stores the state itself."""
    adapter = crash_format(FORMAT)
    trace = adapter.build(
        Workload("append", "2.1.4", (Step("COMMITTING", 1, "tiny"),), background="stale-same")
    )
    # These presets have no garbage, which depends on the trace's id.
    presets = tuple(map(get_preset, ("prefix-sector-512", "epoch-subset-512")))
    shard = Shard(adapter, presets, PLAN.seed)
    shard.add(trace)
    once, first = len(shard.table()), set(shard.reached)
    shard.add(replace(trace, tags={**trace.tags, "order": "another"}))
    assert len(shard.table()) == once
    # The failures of the state also count for the second writer.
    assert {entry.verdict for entry in first} == {"", "resurrected"}
    assert shard.reached == first | {entry._replace(writer="another") for entry in first}


def test_of_states_with_equal_ids_the_first_is_kept() -> None:
    draw = np.random.default_rng(1)
    halves = draw.integers(0, 1 << 64, (3000, 2), np.uint64)[draw.integers(0, 3000, 5000)]
    # Ids can have one half in common, and can begin or end with zeros.
    halves[:100, 0], halves[100:200, 0], halves[200:300, 1] = 0, np.iinfo(np.uint64).max, 0
    raw = [row.tobytes() for row in halves]
    ids, known = np.asarray(raw, "S16"), set[bytes]()
    due = [not (row in known or known.add(row)) for row in raw]  # type: ignore[func-returns-value]
    assert 1000 < sum(due) < 4000
    assert first_of_each(ids).tolist() == due
    assert first_of_each(ids[:0]).tolist() == []


def test_published_cases_agree_with_the_verdicts_of_the_reference(
    built: Path, manifest: Any, plan: Plan
) -> None:
    reference = load(plan.format)
    every, failing = SAMPLES[plan.format]
    asked = ["case_id", "verdict_strict", "verdict_salvage"]
    rows = {row["case_id"]: row for row in ds.dataset(built / "states").to_table(columns=asked).to_pylist()}
    count = beyond = 0
    for case in Intake().file(built / CASES):
        count += 1
        if count % every:
            continue
        files = case.files()
        row = rows[bytes.fromhex(case.id.rpartition(".")[2])]
        assert {probe.policy for probe in case.probes} == {"strict", "salvage"}
        for probe in case.probes:
            observed = reference.recover(files, edition=case.edition, policy=str(probe.policy)).to_json()
            differences = [compare(entry, observed, Claims()) for entry in probe.expect]
            # Losses that the format itself cannot prevent are also published; the manifest counts them in
            # `beyond`.
            kept = not VERDICTS[row[f"verdict_{probe.policy}"]]
            # A case cannot detect half a transaction, because it does not list the COMMIT that reveals it.
            half = row[f"verdict_{probe.policy}"] == "half-transaction"
            assert (None in differences) == kept or half, (probe.id, case.title, differences)
            beyond += not kept
    assert count == manifest["cases"]["count"] > 100
    assert beyond >= failing
    assert manifest["cases"]["beyond"]["strict"]["R"]


@pytest.mark.parametrize("built", [TX], indirect=True)
def test_manifest_separates_editions_and_lists_the_strongest_failing_preset(manifest: Any) -> None:
    honest = manifest["strata"]["R"]
    verdicts = honest["verdicts"]["strict"]
    assert set(verdicts) <= {"seed", "seed+hash", "v2", "v2/artemis", "v2/hornetq"}
    assert verdicts["seed"]["torn-accepted"] > 0
    assert "torn-accepted" not in verdicts["seed+hash"]
    for failure in honest["failures"]:
        if (failure["reader"], failure["verdict"]) == ("strict", "lost") and "/" not in failure["writer"]:
            # In the reference's write order, only garbage destroys acknowledged neighbours.
            assert rank(failure["strongest_preset"]) >= rank("alice-weak")
    assert manifest["cases"]["beyond"]["strict"]["R"]["torn-accepted"] > 0


def test_records_that_a_compaction_wrote_twice_may_be_listed_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = next(
        work for work in crash_format(TX).workloads("core") if work.name.startswith("compact/v2/artemis")
    )
    monkeypatch.setattr("journalspec_corpus.pipeline.plan._workloads", lambda name, tier: (work,))
    said = build(Plan(TX, "core"), tmp_path / "out", Builder("local"))["cases"]
    twice = failed = 0
    for case in Intake().file(tmp_path / "out" / CASES):
        observed = load(TX).recover(case.files(), edition=case.edition, policy="strict").to_json()
        expected = [entry for entry in case.expect if entry["when"]["policy"] == "strict"]
        failed += all(compare(entry, observed, Claims()) is not None for entry in expected)
        found = Counter(
            (record["id"], record["body"]) for record in observed.get("records") or [] if "body" in record
        )
        twice += max(found.values(), default=0) > 1
    assert twice
    # A remaining copy is not a failure; the only failures are those in the manifest's `beyond`.
    assert failed == sum(sum(of.values()) for of in said["beyond"].get("strict", {}).values())


LABELS = ("R", "one", "e", "rotate", "zero", "", True)


def test_safe_states_of_a_second_writer_are_those_that_it_reaches() -> None:
    seen = {
        Labels(*LABELS, "prefix-byte", "allowed", ("pass",)): 5,
        Labels(*LABELS, "epoch-subset-512", "allowed", ("lost",)): 2,
    }
    entries = {
        Reached("R", "one", "e", "prefix-byte"),
        Reached("R", "one", "e", "epoch-subset-512"),
        Reached("R", "one", "e", "epoch-subset-512", "strict", "lost"),
        # The second writer reaches the same state, which is stored under the first writer.
        Reached("R", "two", "e", "prefix-sector-512"),
        Reached("R", "two", "e", "prefix-byte"),
        Reached("R", "two", "e", "prefix-byte", "strict", "lost"),
        Reached("R", "two", "e", "alice-weak", "strict", "append-lost"),
    }
    tables = tabulate(Counter(seen), entries, ("strict",), "strict")["R"]
    assert [
        (row["writer"], row["weakest"], row["fails_under"], row["breaks"]) for row in tables["safe_under"]
    ] == [
        ("one", "prefix-byte", "epoch-subset-512", ["I1"]),
        ("two", "prefix-sector-512", "prefix-byte", ["I1"]),
    ]
    assert tables["safe_under"][1]["besides"] == {"I9": "alice-weak"}
    failures = {(row["writer"], row["verdict"]): row for row in tables["failures"]}
    assert failures["two", "lost"]["strongest_preset"] == "prefix-byte"
    assert failures["two", "lost"]["states"] == {}
    assert failures["one", "lost"]["states"] == {"epoch-subset-512": 2}
    assert failures["one", "lost"]["breaks"] == list(VERDICTS["lost"])


# --- The commands --------------------------------------------------------------------------------


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["corpus", "build", *arguments])


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["--tier", "core"], 2, "--out"),
        (["--tier", "huge", "--out", "x"], 2, "huge"),
        (["--tier", "core", "--out", "x", "--format", "nonsense"], 2, "no format 'nonsense'"),
        (["--tier", "core", "--out", "x", "--partitions", "0"], 2, "partitions"),
    ],
)
def test_usage_errors_end_with_status_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke(*arguments)
    assert done.exit_code == status
    assert text in done.output
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def spark() -> Any:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is missing on PATH")
    from journalspec_corpus.pipeline.spark import session

    return session("local[2]")


@pytest.mark.spark
@pytest.mark.parametrize(("built", "partitions"), [(FORMAT, 1), (FORMAT, 7)], indirect=["built"])
def test_spark_writes_the_same_bytes(
    tmp_path: Path, built: Path, manifest: Any, plan: Plan, spark: Any, partitions: int
) -> None:
    assert build(plan, tmp_path / "out", Builder("spark", partitions))["digest"] == manifest["digest"]
    assert digests(tmp_path / "out") == digests(built)
