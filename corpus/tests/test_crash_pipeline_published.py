"""Published cases: packed and put together again, readable from Node.js alone, checked by their manifest."""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
import subprocess
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from journalspec_conformance.cli import cli
from journalspec_conformance.compare import Claims, compare
from journalspec_corpus.crash.expected import REFUSALS, demand_of, permitted
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline import published
from journalspec_corpus.pipeline.build import Builder, build
from journalspec_corpus.pipeline.case_files import Packing, ids_of_part
from journalspec_corpus.pipeline.cases import CASES, SHARED, digest_of, lines_of, read_cases
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.published import PER_CLASS, publish_core
from journalspec_corpus.pipeline.run import schema
from journalspec_corpus.pipeline.store import BuildError

DOCS = Path(__file__).resolve().parents[2] / "docs"
FORMAT = "bitronix_tlog"
PLAN = Plan(FORMAT, "core", every=173)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("published") / "out"
    publish_core(PLAN, out, build(PLAN, out, Builder("local")))
    return out


@pytest.fixture(scope="module")
def said(built: Path) -> Any:
    return json.loads((built / "manifest.json").read_text())["cases"]


def test_the_files_do_not_depend_on_the_number_of_processes(tmp_path: Path, built: Path, said: Any) -> None:
    manifest = build(PLAN, tmp_path / "out", Builder("local", jobs=2))
    again = publish_core(PLAN, tmp_path / "out", manifest, jobs=2)["cases"]
    assert again == said
    for name in (CASES, SHARED):
        assert (tmp_path / "out" / name).read_bytes() == (built / name).read_bytes()


def test_the_choice_keeps_strata_apart_and_has_some_of_every_class(built: Path, said: Any) -> None:
    rows = ds.dataset(built / "states").to_table().to_pylist()
    published = {
        line["state"]: case for line, case in zip(lines_of(built / CASES), read_cases(built), strict=True)
    }
    assert len(published) == said["count"] == sum(said["strata"].values())
    by_class: dict[Any, list[str]] = {}
    for row in rows:
        kind = (row["stratum"], row["category"], row["background"], row["field"], row["acknowledged"] > 0)
        by_class.setdefault(kind, []).append(row["state_id"].hex())
        if row["state_id"].hex() in published:
            case = published[row["state_id"].hex()]
            assert (case.stratum, case.category) == (row["stratum"], row["category"])
    for ids in by_class.values():
        assert len(published.keys() & set(ids)) >= min(PER_CLASS, len(ids))
    for policy in ("strict", "salvage"):
        beyond = Counter(
            (row["stratum"], row[f"verdict_{policy}"])
            for row in rows
            if row["state_id"].hex() in published and VERDICTS[row[f"verdict_{policy}"]]
        )
        assert beyond
        assert said["beyond"][policy] == nested(beyond)


def nested(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    out: dict[str, dict[str, int]] = {}
    for (stratum, verdict), count in sorted(counts.items()):
        out.setdefault(stratum, {})[verdict] = count
    return out


def test_no_reader_has_a_say_in_the_choice_nor_in_what_is_asked(tmp_path: Path, built: Path) -> None:
    """A build whose readers fail everywhere publishes the same cases, and asks every policy in each."""
    copy = tmp_path / "copy"
    shutil.copytree(built, copy)
    usual = published.choose(copy, ("strict", "salvage"), partial(ids_of_part, PLAN, copy))
    for path in (copy / "states").glob("part-*.parquet"):
        table = pq.read_table(path)
        for name in ("verdict_strict", "verdict_salvage"):
            at, kind = table.schema.get_field_index(name), table.schema.field(name).type
            failing = pa.array(["lost"] * len(table)).cast(kind)
            table = table.set_column(at, name, failing)
        pq.write_table(table, path)
    changed = published.choose(copy, ("strict", "salvage"), partial(ids_of_part, PLAN, copy))
    assert changed.ids == usual.ids
    assert changed.beyond != usual.beyond
    for line in lines_of(built / CASES):
        assert [entry[0] for entry in line["expect"]] == ["strict", "salvage"]


def test_quotas_hold_as_far_as_there_is_enough() -> None:
    kinds = {"R": ("R", "w", "e", "rotate", "zero", "", True), "C": ("C", "w", "e", "bit", "zero", "", True)}
    found = sorted(
        (number.to_bytes(16, "big"), kinds["C" if number % 2 else "R"])
        for number in random.Random(3).sample(range(9999), 2000)
    )
    chosen = published._chosen(found, 1000)
    by = Counter(kind[0] for name, kind in found if name in chosen)
    # Nobody has a state of L, so its share goes to R.
    assert by == {"R": 850, "C": 150}
    few = [entry for entry in found if entry[1][0] == "R"][:100]
    everything = published._chosen(sorted([*few, *(entry for entry in found if entry[1][0] == "C")]), 1000)
    assert Counter(kind[0] for name, kind in found if name in everything) == {"R": 100, "C": 900}
    assert [name for name, kind in found if kind[0] == "C"][:900] == sorted(
        name for name, kind in found if kind[0] == "C" and name in everything
    )


def test_three_of_each_class_are_taken_however_many_others_come_first() -> None:
    """By id the rare classes come last: without a share of their own nothing of them would be taken."""
    common = [
        (number.to_bytes(16, "big"), ("R", "w", "e", "rotate", "zero", "", True)) for number in range(900)
    ]
    rare = [
        ((1000 + number).to_bytes(16, "big"), ("R", "w", "e", "rotate", "zero", f"field {number % 5}", True))
        for number in range(20)
    ]
    chosen = published._chosen([*common, *rare], 100)
    assert chosen == {name for name, _ in (*common[:85], *rare[:15])}
    # As many as there are, if there are fewer, and of each kind of them.
    lonely = [(b"\xff" * 16, ("L", "w", "e", "lost-force", "zero", "", False))]
    assert published._chosen([*common, *lonely], 100) == {name for name, _ in (*common[:99], *lonely)}


def test_packed_inputs_are_put_together_again_and_are_small() -> None:
    draw = random.Random(7)
    base = {"a": draw.randbytes(1300), "b": bytes(700)}
    record = draw.randbytes(900)
    inputs = []
    for cut in range(1, len(record) + 1, 5):
        content = bytearray(base["a"].ljust(1500, b"\0"))
        content[450 : 450 + cut] = record[:cut]
        inputs.append({"a": bytes(content), "b": base["b"][: 700 - cut % 3]})
    whole = inputs[-1]["a"]
    for bit in range(0, 900, 11):
        flipped = bytearray(whole)
        flipped[450 + bit] ^= 4
        inputs.append({"a": bytes(flipped), "c": b""})
    packing = Packing(base, inputs)
    packed = [packing.put(files) for files in inputs]
    line = packing.to_json()
    for files, (layout, puts) in zip(inputs, packed, strict=True):
        out = {}
        for name, size in line["layouts"][layout]:
            out[name] = bytearray(
                bytes.fromhex(line["files"].get(name, ""))[: int(size)].ljust(int(size), b"\0")
            )
        for put in puts:
            number, length = put if isinstance(put, list) else (put, None)
            name, off, text = line["pieces"][number]
            data = bytes.fromhex(text)[:length]
            out[name][int(off) : int(off) + len(data)] = data
        assert out == files
    # Written out, the pages of these inputs are a hundred times as much.
    assert sum(len(text) // 2 for _, _, text in line["pieces"]) < 3 * len(record)


def test_the_page_on_the_core_tier_names_every_column_of_the_states() -> None:
    page = (DOCS / "core-tier.md").read_text()
    table = page[page.index("| column | what it is |") : page.index("## Reading it")]
    for name in schema(["NAME"]).names:
        assert f"`{name}`" in table, name


@pytest.mark.node
def test_thirty_lines_of_node_read_it(built: Path, said: Any) -> None:
    program = DOCS / "examples/read_core.mjs"
    assert len(program.read_text().splitlines()) <= 30
    assert "examples/read_core.mjs" in (DOCS / "core-tier.md").read_text()
    assert read_by_node(program, built) == said["categories"]


@pytest.mark.node
@pytest.mark.parametrize(("format_id", "every"), [("jboss_journal", 701), ("kahadb_journal", 97)])
def test_node_reads_the_core_of_other_formats(tmp_path: Path, format_id: str, every: int) -> None:
    plan = Plan(format_id, "core", every=every)
    manifest = publish_core(plan, tmp_path / "out", build(plan, tmp_path / "out", Builder("local")))
    found = read_by_node(DOCS / "examples/read_core.mjs", tmp_path / "out")
    assert found == manifest["cases"]["categories"]
    assert "R" in found


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
def test_node_sees_a_changed_file_and_a_changed_input(tmp_path: Path, built: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is missing on PATH")
    copy = tmp_path / "copy"
    shutil.copytree(built, copy)
    manifest = json.loads((copy / "manifest.json").read_text())
    _alter(copy, manifest)

    def run() -> str:
        return subprocess.run(
            [node, DOCS / "examples/read_core.mjs", copy], capture_output=True, text=True, check=False
        ).stderr

    assert f"{SHARED} is not the file of the manifest" in run()
    (copy / "manifest.json").write_text(json.dumps(manifest))
    assert ": another input" in run()


def _alter(copy: Path, manifest: Any) -> None:
    """Change one bit of one piece in `copy`; `manifest` gets the new checksum."""
    import hashlib

    lines = list(lines_of(copy / SHARED))
    piece = next(line for line in lines if line.get("pieces"))["pieces"][0]
    piece[2] = f"{int(piece[2][0], 16) ^ 1:x}{piece[2][1:]}"
    data = gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode(), mtime=0)
    (copy / SHARED).write_bytes(data)
    manifest["cases"]["files"][SHARED]["sha256"] = hashlib.sha256(data).hexdigest()


def test_every_case_carries_the_digest_of_its_input(built: Path) -> None:
    for line, case in zip(lines_of(built / CASES), read_cases(built), strict=True):
        assert line["id"] == case.id
        assert re.fullmatch("[0-9a-f]{32}", line["digest"])
        assert digest_of(case.files()) == line["digest"]


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["corpus", *arguments])


@pytest.mark.parametrize("name", ["verify", "report"])
def test_what_is_no_build_is_a_usage_error(tmp_path: Path, name: str) -> None:
    assert invoke(name, str(tmp_path)).exit_code == 2
    (tmp_path / "plan.json").write_text("{}")
    assert "is not finished" in invoke(name, str(tmp_path)).output


@pytest.mark.parametrize(("name", "status"), [("verify", 1), ("report", 2)])
def test_a_manifest_that_is_none_is_not_believed(tmp_path: Path, name: str, status: int) -> None:
    for text, why in (
        ("{", "cannot be read"),
        ("{}", "not the manifest of a build"),
        ("[]", "not a JSON object"),
    ):
        (tmp_path / "manifest.json").write_text(text)
        done = invoke(name, str(tmp_path))
        assert done.exit_code == status
        assert why in done.output


def test_the_report_never_adds_strata_up(built: Path) -> None:
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
    first = next(read_cases(built))
    run = CliRunner().invoke(cli, ["run", "--impl", "reference", "--cases", str(built), "--select", first.id])
    assert run.exit_code == 0, run.output
    done = CliRunner().invoke(
        cli, ["materialize", str(tmp_path / "out"), "--cases", str(built), "--select", first.id]
    )
    assert done.exit_code == 0, done.output
    written = {path.name: path.read_bytes() for path in (tmp_path / "out" / first.id).iterdir()}
    assert written == first.files()


def test_a_loss_after_corruption_has_to_be_reported() -> None:
    sets = {"must_keep": [], "may_keep": [{"type": "A"}], "must_drop": [], "refusal": "allowed"}
    expected = {"verdict": "recovered", "allowed": {**sets, "must_report": True}}
    silent = {"verdict": "clean", "records": []}
    assert compare(expected, {**silent, "verdict": "recovered"}, Claims()) is None
    assert compare(expected, {"verdict": "refused"}, Claims()) is None
    found = compare(expected, silent, Claims())
    assert found is not None
    assert found.where == "verdict"
    # Who cannot tell is not asked.
    assert compare(expected, silent, Claims(silent=True)) is None


A, B, S = ({"type": name} for name in "ABS")
#: What is owed: an acknowledged record, one in flight, and one of an earlier life.
SETS: dict[str, list[Any]] = {"must_keep": [A], "may_keep": [B], "must_drop": [S]}
#: What a reader may say of that: the records it lists, and its verdict.
SAID = "A clean", "AB clean", "AA clean", "B clean", " clean", "A recovered", " recovered", "refused"


@pytest.mark.parametrize(
    ("refusal", "stratum", "salvaging", "fine"),
    [
        # What is acknowledged has to be there, and a refusal as the oracle says.
        ("forbidden", "R", False, ["A clean", "AB clean"]),
        ("allowed", "R", False, ["A clean", "AB clean", "refused"]),
        ("allowed", "L", True, ["A clean", "AB clean", "refused"]),
        # Damage: who may leave nothing out refuses, who may reports it.
        ("required", "R", False, ["refused"]),
        ("required", "L", False, ["refused"]),
        ("required", "R", True, ["A recovered", "AB recovered", "refused"]),
        # After corruption whatever is missing has to be told, and a record may stand in two places.
        ("allowed", "C", False, ["A clean", "AB clean", "AA clean", "A recovered", " recovered", "refused"]),
        ("allowed", "C", True, ["A clean", "AB clean", "AA clean", "A recovered", " recovered", "refused"]),
    ],
)
def test_a_case_permits_what_the_page_on_the_crash_model_does(
    refusal: str, stratum: str, salvaging: bool, fine: list[str]
) -> None:
    given, asked = demand_of(refusal, stratum, salvaging=salvaging)
    entries = list(permitted(SETS, "strict", given, asked))
    for said in SAID:
        records, _, verdict = said.rpartition(" ")
        observed: dict[str, Any] = {"verdict": verdict}
        if verdict != "refused":
            observed["records"] = [{"type": name} for name in records]
        kept = any(compare(entry, observed, Claims()) is None for entry in entries)
        # A report that nobody asked for is no fault.
        assert kept == (said in fine or (verdict == "recovered" and f"{records} clean" in fine)), said
    strange = {"verdict": "recovered", "records": [A, S]}
    assert None not in [compare(entry, strange, Claims()) for entry in entries]


def test_each_policy_is_asked_for_what_is_owed_in_the_state(built: Path) -> None:
    """A refusal where it is required of who may leave nothing out, a report of who may."""
    columns = ["state_id", "stratum", "refusal"]
    rows = {row["state_id"].hex(): row for row in ds.dataset(built / "states").to_table(columns).to_pylist()}
    seen = Counter[str]()
    for line in lines_of(built / CASES):
        row = rows[line["state"]]
        refusal, lost = row["refusal"], ["may-lose"] if row["stratum"] == "C" else []
        strict, salvage = [refusal, *lost], [refusal, *lost]
        if refusal == "required":
            salvage = ["allowed", "must-report"]
        assert line["expect"] == [["strict", *strict], ["salvage", *salvage]]
        seen[refusal] += 1
    assert min(seen[name] for name in REFUSALS) > 10


def test_a_choice_that_cannot_be_found_again_is_an_error(
    tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(built, copy)
    manifest = json.loads((copy / "manifest.json").read_text())
    del manifest["cases"]
    known = published.choose(copy, ("strict",), partial(ids_of_part, PLAN, copy))
    monkeypatch.setattr(
        "journalspec_corpus.pipeline.published.choose",
        lambda out, readers, ids_of: published.CoreChoice(known.ids | {bytes(16)}, known.beyond),
    )
    with pytest.raises(BuildError, match="1 chosen states were not found again"):
        publish_core(PLAN, copy, manifest)


def test_a_target_is_reached_exhausted_or_neither() -> None:
    from journalspec_corpus.pipeline.manifest import Goal

    assert Goal(["R01"], {"clean": 7}, 7, 5, False).remark == "reached"
    assert Goal(["R01"], {"clean": 7}, 7, 500, True).remark == "exhausted at 7"
    assert Goal(["R01"], {"clean": 250}, 250, 500, False).remark == "50% of the target"


@pytest.mark.parametrize(("every", "remark"), [(1, "exhausted at 7"), (2, "1% of the target")])
def test_a_part_of_the_workloads_exhausts_nothing(every: int, remark: str) -> None:
    from journalspec_corpus.pipeline.manifest import BuildReport

    row = {"codes": ["R01"], "categories": {"clean": 7}, "reached": 7, "target": 500, "complete": True}
    plan = {"every": every, "tier": "full"}
    told = {"plan": plan, "counts": {"distinct": 7}, "strata": {"R": {"targets": [row]}}}
    report = BuildReport(told)
    assert [goal.remark for goal in report.targets("R")] == [remark]
    assert ("space exhausted at 7" in report.against_the_bar()) == (every == 1)


def test_what_was_enumerated_whole_is_known_by_counting_it_again() -> None:
    """Of groups that were not sampled, the rows are all combinations; of the others there are fewer."""
    from math import prod

    import numpy as np

    from journalspec_corpus.crash.adapter import crash_format
    from journalspec_corpus.crash.persistence import PRESETS, get_preset
    from journalspec_corpus.crash.states import crash_states
    from journalspec_corpus.pipeline.tables import sampled

    preset = get_preset("epoch-subset-512")
    seen = Counter[bool]()
    for work in Plan(FORMAT, "full", every=499).workloads():
        trace = crash_format(FORMAT).build(work)
        if trace.life > 1:
            continue
        for states in crash_states(trace, (preset,), 1):
            partial = bool(sampled(states, np.zeros(len(states), np.uint8)))
            seen[partial] += 1
            assert set(states.preset.tolist()) == {PRESETS.index(preset)}
            assert partial == (len(states) < prod(states.point.dims)), trace.name
    assert seen[False] > 20
    assert seen[True] > 0
