"""The pipeline: one output whoever runs it, resumable, counted once, published as cases."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.dataset as ds
import pytest
from click.testing import CliRunner

from journalspec_conformance.cli import cli
from journalspec_conformance.compare import Claims, compare
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.ids import content_id
from journalspec_corpus.crash.states import Descriptor, state_of
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline import bench
from journalspec_corpus.pipeline.build import Engine, build
from journalspec_corpus.pipeline.cases import read_cases
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.published import publish_core
from journalspec_corpus.pipeline.store import BuildError, first_of_each, prepare, write_shard
from journalspec_reference import load

FORMAT = "bitronix_tlog"
PLAN = Plan(FORMAT, "core", every=211)


def digests(out: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((out / "states").iterdir())
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("core") / "out"
    manifest = build(PLAN, out, Engine("local"))
    publish_core(PLAN, out, manifest)
    return out


@pytest.fixture(scope="module")
def manifest(built: Path) -> Any:
    return json.loads((built / "manifest.json").read_text())


def test_the_manifest_counts_what_is_there(built: Path, manifest: Any) -> None:
    table = ds.dataset(built / "states").to_table()
    counts = manifest["counts"]
    assert table.num_rows == counts["distinct"] == len(set(table["case_id"].to_pylist())) > 1000
    assert counts["generated"] == counts["distinct"] + counts["duplicates"]
    strata = Counter(table["stratum"].to_pylist())
    assert counts["strata"] == strata
    assert set(manifest["strata"]) == set(strata)
    for name, tables in manifest["strata"].items():
        for counted in ("classes", "categories", "presets", "refusals"):
            assert sum(tables[counted].values()) == tables["distinct"] == strata[name]
        for writers in tables["verdicts"].values():
            assert sum(sum(given.values()) for given in writers.values()) == strata[name]
    assert sum(part["rows"] for part in manifest["parts"]) == counts["distinct"]
    assert manifest["plan"]["seed"] == PLAN.seed
    assert manifest["run"]["seconds"] > 0
    assert not (built / "work").exists()


def test_rows_are_descriptors_from_which_their_content_is_rebuilt(built: Path) -> None:
    adapter = crash_format(FORMAT)
    all_traces = {trace.id: trace for trace in map(adapter.build, PLAN.workloads())}
    rows = ds.dataset(built / "states").to_table().to_pylist()
    for row in rows[::17]:
        names = ("trace", "preset", "crash_index", "mask", "tear", "background", "seed", "rot")
        descriptor = Descriptor(**{name: row[name] for name in names})
        assert content_id(state_of(all_traces[row["trace"]], descriptor)) == row["content_id"]


def test_a_build_resumes_and_comes_out_the_same(tmp_path: Path, built: Path) -> None:
    prepare(PLAN, tmp_path / "out")
    write_shard(PLAN, tmp_path / "out", 1)
    write_shard(PLAN, tmp_path / "out", 0)
    damaged = tmp_path / "out" / "work" / "shard-00000.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-9])
    calls: list[tuple[int, int]] = []
    manifest = build(PLAN, tmp_path / "out", Engine("local"), lambda done, total: calls.append((done, total)))
    assert digests(tmp_path / "out") == digests(built)
    assert calls[0] == (1, PLAN.shards())
    assert calls[-1] == (PLAN.shards(), PLAN.shards())
    assert manifest["run"]["shards_run"] == PLAN.shards() - 1
    again = build(PLAN, tmp_path / "out", Engine("local"))
    assert again == manifest


def test_a_directory_of_another_plan_is_refused(tmp_path: Path, built: Path) -> None:
    with pytest.raises(BuildError, match="another plan"):
        build(Plan(FORMAT, "core", seed=2, every=211), built, Engine("local"))
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BuildError, match="is no build directory"):
        build(PLAN, tmp_path, Engine("local"))
    assert (tmp_path / "file").read_text() == "mine"


def test_the_first_of_equal_ids_stays() -> None:
    ids = np.asarray([[1, 2], [1, 3], [1, 2], [0, 2], [1, 3]], np.uint64)
    assert first_of_each(ids).tolist() == [True, True, False, True, False]
    assert first_of_each(np.zeros((0, 2), np.uint64)).tolist() == []


#: Presets that draw garbage, or the places where corruption strikes.
DRAWN = {
    "sector-trash-512",
    "fdb-full-corruption",
    "alice-weak",
    "ext4-writeback-stale",
    *(f"bitrot-{kind}" for kind in ("bit", "2bit", "burst")),
}


def test_the_seed_matters_to_garbage_only(tmp_path: Path, built: Path) -> None:
    other = Plan(FORMAT, "core", seed=2, every=211)
    build(other, tmp_path / "out", Engine("local"))

    def ids(out: Path, trash: bool) -> set[bytes]:
        table = ds.dataset(out / "states").to_table(columns=["case_id", "preset"])
        wanted = {"sector-trash-512"} if trash else DRAWN
        return {row["case_id"] for row in table.to_pylist() if (row["preset"] in wanted) == trash}

    assert ids(tmp_path / "out", trash=False) == ids(built, trash=False)
    assert ids(tmp_path / "out", trash=True).isdisjoint(ids(built, trash=True))


def test_published_cases_hold_and_the_reference_keeps_them(built: Path, manifest: Any) -> None:
    reference = load(FORMAT)
    asked = ["case_id", "content_id", "verdict_strict", "verdict_salvage"]
    rows = {row["case_id"]: row for row in ds.dataset(built / "states").to_table(columns=asked).to_pylist()}
    count = 0
    for case in read_cases(built):
        count += 1
        if count % 7:
            continue
        files = case.files()
        row = rows[bytes.fromhex(case.id.rpartition(".")[2])]
        assert content_id(files) == row["content_id"]
        for probe in case.probes:
            observed = reference.recover(files, edition=case.edition, policy=str(probe.policy)).to_json()
            differences = [compare(entry, observed, Claims()) for entry in probe.expect]
            # What the format itself cannot keep is published too, and told in the manifest's `beyond`.
            kept = not VERDICTS[row[f"verdict_{probe.policy}"]]
            assert (None in differences) == kept, (probe.id, case.title, differences)
    assert count == manifest["cases"]["count"] > 1000


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["corpus", "build", *arguments])


def test_the_command_builds_and_says_what_it_did(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = invoke("--tier", "core", "--out", str(out), "--every", "401", "--format", FORMAT)
    assert done.exit_code == 0, done.output
    assert "distinct judged cases" in done.output
    assert (out / "manifest.json").is_file()
    again = invoke("--tier", "core", "--out", str(out), "--every", "401", "--format", FORMAT, "--json")
    assert json.loads(again.stdout)["cases"]["count"] > 100


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["--tier", "core"], 2, "--out"),
        (["--tier", "huge", "--out", "x"], 2, "huge"),
        (["--tier", "core", "--out", "x", "--format", "nonsense"], 2, "no format 'nonsense'"),
        (["--tier", "core", "--out", "x", "--partitions", "0"], 2, "partitions"),
        (["--tier", "smoke", "--out", "x", "--format", "nonsense"], 2, "no format 'nonsense'"),
    ],
)
def test_usage_errors_end_with_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke(*arguments)
    assert done.exit_code == status
    assert text in done.output
    assert not list(tmp_path.iterdir())


def test_a_foreign_directory_fails_with_one(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    done = invoke("--tier", "core", "--out", str(tmp_path), "--every", "401", "--format", FORMAT)
    assert done.exit_code == 1
    assert "is no build directory" in done.output
    assert "choose an empty or new directory" in done.output


def test_a_tier_is_not_copied_among_other_things(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    done = invoke("--tier", "smoke", "--out", str(tmp_path), "--format", FORMAT)
    assert done.exit_code == 2
    assert "holds something else" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    # One tier after another into the same directory is what it is for.
    for tier in ("smoke", "captured"):
        assert invoke("--tier", tier, "--out", str(tmp_path / "out"), "--format", FORMAT).exit_code == 0


def test_the_bench_prints_its_denominators(capsys: pytest.CaptureFixture[str]) -> None:
    status = bench.main(["--engine", "local", "--tier", "core", "--every", "211", "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert figures["distinct"] + figures["duplicates"] == figures["generated"]
    assert status == (0 if figures["distinct_per_second"] >= bench.BAR else 1)
    assert figures["plan"]["every"] == 211


@pytest.fixture(scope="module")
def spark() -> Any:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is missing on PATH")
    from journalspec_corpus.pipeline.spark import session

    return session("local[2]")


@pytest.mark.spark
@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_spark_writes_the_same_bytes(tmp_path: Path, built: Path, spark: Any, partitions: int) -> None:
    manifest = build(PLAN, tmp_path / "out", Engine("spark", partitions))
    assert digests(tmp_path / "out") == digests(built)
    assert manifest["digest"] == json.loads((built / "manifest.json").read_text())["digest"]
