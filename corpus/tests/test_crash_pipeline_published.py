"""Tests published cases: they are packed and reassembled, readable with Node.js alone, and checked against
their manifest.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from journalspec_conformance.cli import cli
from journalspec_conformance.compare import Claims, compare
from journalspec_corpus.crash.explain import permitted_by_policy
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.load import CASES, Intake
from journalspec_corpus.pipeline import build as building
from journalspec_corpus.pipeline import published
from journalspec_corpus.pipeline.build import Builder, build
from journalspec_corpus.pipeline.manifest import part_files
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.published import PER_CLASS
from journalspec_corpus.pipeline.shards import BuildError, schema

DOCS = Path(__file__).resolve().parents[2] / "docs"
FORMAT = "bitronix_tlog"
PLAN = Plan(FORMAT, "core", every=173)


@pytest.fixture(scope="module")
def built(core_build: Callable[[Plan], Path]) -> Path:
    return core_build(PLAN)


@pytest.fixture(scope="module")
def said(built: Path) -> Any:
    return json.loads((built / "manifest.json").read_text())["cases"]


def test_published_selection_has_cases_of_every_class(built: Path, said: Any) -> None:
    rows = ds.dataset(built / "states").to_table().to_pylist()
    published = {case.id.rpartition(".")[2]: case for case in Intake().file(built / CASES)}
    assert len(published) == said["count"] == sum(said["strata"].values())
    by_class: dict[Any, list[str]] = {}
    for row in rows:
        kind = (row["stratum"], row["category"], row["background"], row["field"], row["acknowledged"] > 0)
        by_class.setdefault(kind, []).append(row["case_id"].hex())
        if row["case_id"].hex() in published:
            case = published[row["case_id"].hex()]
            told = case.stratum, case.category, case.origin.how
            assert told == (row["stratum"], row["category"], row["preset"])
    for ids in by_class.values():
        assert len(published.keys() & set(ids)) >= min(PER_CLASS, len(ids))
    for policy in ("strict", "salvage"):
        beyond = Counter(
            (row["stratum"], row[f"verdict_{policy}"])
            for row in rows
            if row["case_id"].hex() in published and VERDICTS[row[f"verdict_{policy}"]]
        )
        assert beyond
        assert said["beyond"][policy] == nested(beyond)


def nested(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    out: dict[str, dict[str, int]] = {}
    for (stratum, verdict), count in sorted(counts.items()):
        out.setdefault(stratum, {})[verdict] = count
    return out


def test_no_reader_influences_the_choice_or_the_questions(tmp_path: Path, built: Path) -> None:
    """A build whose readers always fail publishes the same cases, each with a question for every policy."""
    copy = tmp_path / "copy"
    shutil.copytree(built, copy)
    usual = published.choose(map(pq.read_table, part_files(copy)), ("strict", "salvage"))
    for path in (copy / "states").glob("part-*.parquet"):
        table = pq.read_table(path)
        for name in ("verdict_strict", "verdict_salvage"):
            at, kind = table.schema.get_field_index(name), table.schema.field(name).type
            failing = pa.array(["lost"] * len(table)).cast(kind)
            table = table.set_column(at, name, failing)
        pq.write_table(table, path)
    changed = published.choose(map(pq.read_table, part_files(copy)), ("strict", "salvage"))
    assert changed.ids == usual.ids
    assert changed.beyond != usual.beyond
    for case in Intake().file(built / CASES):
        assert [probe.policy for probe in case.probes] == ["strict", "salvage"]


def test_quotas_are_met_if_enough_states_exist() -> None:
    kinds = {name: (name, "w", "e", "rotate", "zero", "", True) for name in "RC"}
    found = [(number.to_bytes(16, "big"), kinds["RC"[number % 2]]) for number in range(2000)]
    chosen = published._chosen(found, 1000)
    # No state is of class L, so class R receives the share of L.
    assert Counter(kind[0] for name, kind in found if name in chosen) == {"R": 850, "C": 150}
    few = [entry for entry in found[:200] if entry[1][0] == "R"] + [
        each for each in found if each[1][0] == "C"
    ]
    everything = published._chosen(sorted(few), 1000)
    assert Counter(kind[0] for name, kind in few if name in everything) == {"R": 100, "C": 900}


def test_three_states_of_each_class_are_chosen_however_many_others_come_first() -> None:
    """Rare classes have the last ids here: without their own shares, none of their states would be chosen."""
    common = [
        (number.to_bytes(16, "big"), ("R", "w", "e", "rotate", "zero", "", True)) for number in range(900)
    ]
    rare = [
        ((1000 + number).to_bytes(16, "big"), ("R", "w", "e", "rotate", "zero", f"field {number % 5}", True))
        for number in range(20)
    ]
    chosen = published._chosen([*common, *rare], 100)
    assert chosen == {name for name, _ in (*common[:85], *rare[:15])}
    # If a class has fewer states than its share, all of them are chosen.
    lonely = [(b"\xff" * 16, ("L", "w", "e", "lost-force", "zero", "", False))]
    assert published._chosen([*common, *lonely], 100) == {name for name, _ in (*common[:99], *lonely)}


def test_page_on_the_core_tier_lists_every_column_of_the_states() -> None:
    page = (DOCS / "core-tier.md").read_text()
    table = page[page.index("| column | what it is |") : page.index("## Ids")]
    for name in schema(["NAME"]).names:
        assert f"`{name}`" in table, name


@pytest.mark.node
def test_thirty_lines_of_node_read_the_cases(built: Path, said: Any) -> None:
    program = DOCS / "examples/read_core.mjs"
    assert len(program.read_text().splitlines()) <= 30
    assert "examples/read_core.mjs" in (DOCS / "core-tier.md").read_text()
    assert read_by_node(program, built) == said["categories"]


def read_by_node(program: Path, directory: Path) -> dict[str, dict[str, int]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is missing on PATH")
    done = subprocess.run([node, program, directory], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    counts: dict[str, dict[str, int]] = {}
    for line in done.stdout.splitlines():
        stratum, category, count = line.split()
        counts.setdefault(stratum, {})[category] = int(count)
    return counts


@pytest.mark.node
def test_node_program_detects_a_changed_file(tmp_path: Path, built: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is missing on PATH")
    copy = tmp_path / "copy"
    shutil.copytree(built, copy)
    _alter(copy)

    def run() -> str:
        return subprocess.run(
            [node, DOCS / "examples/read_core.mjs", copy], capture_output=True, text=True, check=False
        ).stderr

    assert f"{CASES} is not the file of the manifest" in run()


def _alter(copy: Path) -> None:
    """Change one bit of a content in `copy`."""
    data = bytearray(gzip.decompress((copy / CASES).read_bytes()))
    data[data.index(b'"extents":[["0","') + 17] ^= 1
    (copy / CASES).write_bytes(gzip.compress(bytes(data), mtime=0))


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["corpus", *arguments])


@pytest.mark.parametrize("name", ["verify", "report"])
def test_directory_without_a_build_is_a_usage_error(tmp_path: Path, name: str) -> None:
    assert invoke(name, str(tmp_path)).exit_code == 2
    (tmp_path / "plan.json").write_text("{}")
    assert "is not finished" in invoke(name, str(tmp_path)).output


@pytest.mark.parametrize(("name", "status"), [("verify", 1), ("report", 2)])
def test_invalid_manifest_is_refused(tmp_path: Path, name: str, status: int) -> None:
    for text, why in (
        ("{", "cannot be read"),
        ("{}", "not the manifest of a build"),
        ("[]", "not a JSON object"),
    ):
        (tmp_path / "manifest.json").write_text(text)
        done = invoke(name, str(tmp_path))
        assert done.exit_code == status
        assert why in done.output


def test_report_contains_no_sum_over_classes(built: Path) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    done = invoke("report", str(built))
    assert done.exit_code == 0, done.output
    for name, tables in manifest["strata"].items():
        assert f"Stratum {name}" in done.output
        for failure in tables["failures"]:
            assert failure["strongest_preset"] in done.output
    told = json.loads(invoke("report", str(built), "--json").stdout)
    assert "verdicts" not in told
    assert {name: tables["distinct"] for name, tables in told["strata"].items()} == told["counts"]["strata"]


def test_cases_run_and_are_materialized_from_the_directory(tmp_path: Path, built: Path) -> None:
    first = next(Intake().file(built / CASES))
    run = CliRunner().invoke(cli, ["run", "--impl", "reference", "--cases", str(built), "--select", first.id])
    assert run.exit_code == 0, run.output
    done = CliRunner().invoke(
        cli, ["materialize", str(tmp_path / "out"), "--cases", str(built), "--select", first.id]
    )
    assert done.exit_code == 0, done.output
    written = {path.name: path.read_bytes() for path in (tmp_path / "out" / first.id).iterdir()}
    assert written == first.files()


A, B, S = ({"type": name} for name in "ABS")
#: The sets of a case: an acknowledged record, a record in flight, and a record of an earlier generation.
SETS: dict[str, list[Any]] = {"must_keep": [A], "may_keep": [B], "must_drop": [S]}
#: Possible answers to a case with these records: the listed records, and the verdict.
SAID = "A clean", "AB clean", "AA clean", "B clean", " clean", "A recovered", " recovered", "refused"


@pytest.mark.parametrize(
    ("refusal", "stratum", "salvaging", "fine"),
    [
        # An answer must list the acknowledged records; a refusal is right only if the oracle permits it.
        ("forbidden", "R", False, ["A clean", "AB clean"]),
        ("allowed", "R", False, ["A clean", "AB clean", "refused"]),
        ("allowed", "L", True, ["A clean", "AB clean", "refused"]),
        # Damage: strict readers refuse the files, and salvaging readers report the damage.
        ("required", "R", False, ["refused"]),
        ("required", "L", False, ["refused"]),
        ("required", "R", True, ["A recovered", "AB recovered", "refused"]),
        # After corruption, an answer must report all missing records, and a record may be in two places.
        ("allowed", "C", False, ["A clean", "AB clean", "AA clean", "A recovered", " recovered", "refused"]),
        ("allowed", "C", True, ["A clean", "AB clean", "AA clean", "A recovered", " recovered", "refused"]),
    ],
)
def test_case_permits_the_same_answers_as_the_page_on_the_crash_model(
    refusal: str, stratum: str, salvaging: bool, fine: list[str]
) -> None:
    adapter: Any = SimpleNamespace(readers=("strict",), salvages=lambda policy: salvaging)
    entries = permitted_by_policy(adapter, SETS, refusal, stratum)
    for said in SAID:
        records, _, verdict = said.rpartition(" ")
        observed: dict[str, Any] = {"verdict": verdict}
        if verdict != "refused":
            observed["records"] = [{"type": name} for name in records]
        kept = any(compare(entry, observed, Claims()) is None for entry in entries)
        # A report that nothing requires is not a fault.
        assert kept == (said in fine or (verdict == "recovered" and f"{records} clean" in fine)), said
    strange = {"verdict": "recovered", "records": [A, S]}
    assert None not in [compare(entry, strange, Claims()) for entry in entries]


def test_chosen_state_that_cannot_be_found_again_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose = published.choose

    def more(*given: Any) -> published.CoreChoice:
        known = choose(*given)
        return published.CoreChoice(known.ids | {bytes(16)}, known.beyond)

    monkeypatch.setattr(building, "choose", more)
    with pytest.raises(BuildError, match="1 chosen states were not found again"):
        build(Plan(FORMAT, "core", every=997), tmp_path / "out", Builder())
