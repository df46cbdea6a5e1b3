"""The pipeline over the JBoss journal: one digest for every engine, and cases that the reference keeps."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from journalspec.requirements import requirements
from journalspec_conformance.compare import Claims, compare
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.ids import content_id
from journalspec_corpus.crash.persistence import rank
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline.build import Engine, build
from journalspec_corpus.pipeline.cases import read_cases
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.published import publish_core
from journalspec_reference import load

FORMAT = "jboss_journal"
PLAN = Plan(FORMAT, "core", every=61)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("core") / "out"
    publish_core(PLAN, out, build(PLAN, out, Engine("local")))
    return out


@pytest.fixture(scope="module")
def manifest(built: Path) -> Any:
    return json.loads((built / "manifest.json").read_text())


def test_the_manifest_tells_editions_apart_and_names_the_weakest_guarantee(manifest: Any) -> None:
    counts = manifest["counts"]
    assert counts["distinct"] > 1000
    honest = manifest["strata"]["R"]
    verdicts = honest["verdicts"]["strict"]
    assert set(verdicts) <= {"seed", "seed+hash", "v2", "v2/artemis", "v2/hornetq"}
    assert verdicts["seed"]["torn-accepted"] > 0
    assert "torn-accepted" not in verdicts["seed+hash"]
    for failure in honest["failures"]:
        if (failure["reader"], failure["verdict"]) == ("strict", "lost") and "/" not in failure["writer"]:
            # In the reference's own order only garbage takes acknowledged neighbours with it.
            assert rank(failure["strongest_preset"]) >= rank("alice-weak")


def test_published_cases_hold_and_the_reference_keeps_them(built: Path, manifest: Any) -> None:
    reference = load(FORMAT)
    table = ds.dataset(built / "states").to_table(
        columns=["case_id", "content_id", "verdict_strict", "verdict_salvage"]
    )
    contents = dict(zip(table["case_id"].to_pylist(), table["content_id"].to_pylist(), strict=True))
    verdicts = {row["case_id"]: row for row in table.to_pylist()}
    count = beyond = 0
    for case in read_cases(built):
        count += 1
        if count % 5:
            continue
        files = case.files()
        name = bytes.fromhex(case.id.rpartition(".")[2])
        assert content_id(files) == contents[name]
        assert {probe.policy for probe in case.probes} == {"strict", "salvage"}
        for probe in case.probes:
            observed = reference.recover(files, edition=case.edition, policy=str(probe.policy)).to_json()
            differences = [compare(entry, observed, Claims()) for entry in probe.expect]
            # What the judge of states says and what the published case says is one thing.
            failing = bool(VERDICTS[verdicts[name][f"verdict_{probe.policy}"]])
            assert (None not in differences) == failing, (probe.id, case.title, differences)
            beyond += failing
    assert count == manifest["cases"]["count"] > 1000
    assert beyond > 10
    assert manifest["cases"]["beyond"]["strict"]["R"]["torn-accepted"] > 0


def test_what_a_compaction_wrote_twice_may_come_out_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = [
        work for work in crash_format(FORMAT).workloads("core") if work.name.startswith("compact/v2/artemis")
    ]
    monkeypatch.setattr("journalspec_corpus.pipeline.plan._workloads", lambda name, tier: tuple(work[:1]))
    plan = Plan(FORMAT, "core")
    said = publish_core(plan, tmp_path / "out", build(plan, tmp_path / "out", Engine("local")))["cases"]
    twice = failed = 0
    for case in read_cases(tmp_path / "out"):
        observed = load(FORMAT).recover(case.files(), edition=case.edition, policy="strict").to_json()
        expected = [entry for entry in case.expect if entry["when"]["policy"] == "strict"]
        failed += all(compare(entry, observed, Claims()) is not None for entry in expected)
        found = observed.get("records") or []
        bodies = [(record["id"], record["body"]) for record in found if {"id", "body"} <= record.keys()]
        twice += len(bodies) > len(set(bodies))
    assert twice
    # A copy that came out as well is no failure: only those that are known are left.
    assert failed == sum(sum(of.values()) for of in said["beyond"].get("strict", {}).values())


def test_requirements_of_cases_hold_in_every_edition() -> None:
    known = {item.id: item for item in requirements(FORMAT)}
    for named in crash_format(FORMAT).obeys.values():
        assert named
        for name in named:
            assert set(known[name].editions) >= {"seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e"}


@pytest.fixture(scope="module")
def spark() -> Any:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is missing on PATH")
    from journalspec_corpus.pipeline.spark import session

    return session("local[2]")


@pytest.mark.spark
@pytest.mark.parametrize("partitions", [1, 3])
def test_spark_writes_the_same_bytes(tmp_path: Path, manifest: Any, spark: Any, partitions: int) -> None:
    assert build(PLAN, tmp_path / "out", Engine("spark", partitions))["digest"] == manifest["digest"]
