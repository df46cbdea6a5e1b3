"""`corpus verify` reports every change of a build, and `corpus build` makes the part again."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from journalspec_conformance.cli import cli
from journalspec_corpus.load import CASES, published_folder
from journalspec_corpus.pipeline.build import Builder, build, prepare
from journalspec_corpus.pipeline.manifest import digest_of_parts
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.shards import BuildError
from journalspec_corpus.seal import checksum, render, sealed

FORMAT = "bitronix_tlog"
PLAN = Plan(FORMAT, "core", every=173)
PART = "states/part-00001.parquet"


@pytest.fixture(scope="module")
def built(core_build: Callable[[Plan], Path]) -> Path:
    return core_build(PLAN)


@pytest.fixture
def copy(tmp_path: Path, built: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "copy"))


def invoke(*arguments: str | Path) -> Any:
    return CliRunner().invoke(cli, ["corpus", *map(str, arguments)])


def manifest_of(directory: Path) -> Any:
    return json.loads((directory / "manifest.json").read_text())


def seal(directory: Path, manifest: Any) -> None:
    """Write a manifest with a valid seal. Anyone who knows how seals are made can do this."""
    (directory / "manifest.json").write_text(render(sealed(manifest)))


def problems(directory: Path) -> str:
    """Return the error message of `verify`, which must end with status 1."""
    done = invoke("verify", directory)
    assert done.exit_code == 1, done.output
    assert "Traceback" not in done.output
    return str(done.stderr)


def contents(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def test_unchanged_build_is_valid_and_a_second_build_is_equal(core_build: Callable[[Plan], Path]) -> None:
    done = invoke("verify", core_build(Plan(FORMAT, "core", every=499)), "--again")
    assert done.exit_code == 0, done.output
    assert "all as in the manifest, also after a second build" in done.output


def test_changes_are_detected_by_comparison_with_another_build(copy: Path) -> None:
    """Numbers and rows are changed, and the changed files receive correct checksums and a correct seal."""
    table = pq.read_table(copy / PART)
    at = table.schema.get_field_index("verdict_strict")
    failing = pa.array(["lost"] * len(table)).cast(table.schema.field(at).type)
    pq.write_table(table.set_column(at, "verdict_strict", failing), copy / PART)
    _resealed(copy, PART)
    manifest = manifest_of(copy)
    for change in (_moved, _safer, _more("cases", "count")):
        change(manifest)
    seal(copy, manifest)
    assert invoke("verify", copy).exit_code == 0
    done = invoke("verify", copy, "--again")
    assert done.exit_code == 1
    for name in ("cases", "digest", "parts", "strata"):
        assert f"manifest.json: {name}: the repeated build has another value" in done.stderr
    assert "counts" not in done.stderr
    _set({"format": "none"}, "plan")(manifest)
    seal(copy, manifest)
    assert invoke("verify", copy, "--again").exit_code == 1


def _more(*path: Any) -> Callable[[Any], None]:
    """Return a function that adds one to a number of a manifest."""

    def change(manifest: Any) -> None:
        for name in path[:-1]:
            manifest = manifest[name]
        manifest[path[-1]] += 1

    return change


def _set(value: Any, *path: Any) -> Callable[[Any], None]:
    def change(manifest: Any) -> None:
        for name in path[:-1]:
            manifest = manifest[name]
        manifest[path[-1]] = value

    return change


def _moved(manifest: Any) -> None:
    """Change a state with a lost record so that it is reported as clean."""
    verdicts = manifest["strata"]["R"]["verdicts"]["strict"]
    writer = next(name for name, of in verdicts.items() if len(of) > 1)
    first, second = list(verdicts[writer])[:2]
    verdicts[writer][first] += 1
    verdicts[writer][second] -= 1


def _safer(manifest: Any) -> None:
    row = next(row for row in manifest["strata"]["R"]["safe_under"] if row["fails_under"])
    row.update(weakest=row["fails_under"], fails_under=None, breaks=[])


LIES = {
    "bytes": (_more("parts", 1, "bytes"), f"{PART}: "),
    "a part's checksum": (_set("0" * 64, "parts", 1, "sha256"), "the digest is not that of the parts"),
    "digest": (_set("0" * 64, "digest"), "the digest is not that of the parts"),
    "plan": (_set(2, "plan", "seed"), "the fingerprint is not the plan's"),
    "a name": (_set("../../etc/passwd", "parts", 1, "file"), "the parts are not states/part-00000.parquet"),
    "licence": (_set("none", "license"), "the licence is 'none'"),
    "files": (_set({}, "cases", "files"), "the file of cases is not"),
    "parts that are none": (_set(7, "parts"), "not of the form of a manifest"),
    "a number that is none": (_set("many", "parts", 1, "rows"), "not of the form of a manifest"),
    "a huge number": (_set(10**4000, "parts", 1, "bytes"), "manifest.json"),
}


@pytest.mark.parametrize("name", LIES)
def test_wrong_count_is_detected_even_with_a_matching_checksum(copy: Path, name: str) -> None:
    lie, text = LIES[name]
    manifest = manifest_of(copy)
    lie(manifest)
    seal(copy, manifest)
    assert text in problems(copy)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" * 200_000, "not JSON"),
        ('{"plan": NaN}', "NaN is no number"),
        ('{"plan": ' + "9" * 6000 + "}", "not JSON"),
        ("\ud800", "not JSON"),
        ('"' + "x" * (17 << 20) + '"', "which is larger than any manifest"),
    ],
)
def test_hostile_manifest_ends_with_status_1(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "manifest.json").write_text(text, errors="surrogatepass")
    assert why in problems(tmp_path)


def test_every_changed_file_is_reported(copy: Path) -> None:
    (copy / "plan.json").write_text((copy / "plan.json").read_text() + " ")
    (copy / PART).write_bytes((copy / PART).read_bytes()[:-1])
    (copy / "states" / "part-00002.parquet").unlink()
    (copy / "states" / "part-77777.parquet").write_bytes(b"")
    (copy / "index.html").write_text("mine")
    (copy / "work").mkdir()
    said = problems(copy)
    for text in (
        "plan.json: not the plan of manifest.json",
        f"{PART}: {(copy / PART).stat().st_size} bytes, the manifest says",
        "states/part-00002.parquet: No such file",
        "states/part-77777.parquet: not in the manifest",
        "index.html: not in the manifest",
        "work: left over from an interrupted build",
        "`corpus build` builds everything again",
    ):
        assert text in said
    (copy / "plan.json").unlink()
    assert "plan.json: No such file" in problems(copy)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@pytest.mark.parametrize("name", ["manifest.json", "plan.json", PART, CASES])
def test_pipes_and_links_are_not_followed_and_do_not_block(copy: Path, name: str) -> None:
    path = copy / name
    kept = path.rename(copy.parent / "kept")
    os.mkfifo(path)
    assert "not a regular file" in problems(copy)
    path.unlink()
    if name != "manifest.json":
        path.symlink_to(kept)
        assert f"{name}: a link" in problems(copy)


def _resealed(copy: Path, name: str) -> None:
    """Write size and checksum of a part into the manifest, and renew digest and seal."""
    manifest = manifest_of(copy)
    entry = next(part for part in manifest["parts"] if part["file"] == name)
    entry["bytes"], entry["sha256"] = checksum(copy / name, 1 << 30)
    manifest["digest"] = digest_of_parts(manifest["parts"])
    seal(copy, manifest)


@pytest.mark.parametrize("name", [".hidden", "states/.part-00001.parquet", "states/part-99999.parquet"])
def test_unknown_file_is_reported_even_if_it_is_hidden(copy: Path, name: str) -> None:
    (copy / name).write_text("x")
    assert f"{name}: not in the manifest" in problems(copy)


def test_part_of_forty_gibibytes_is_not_read(copy: Path) -> None:
    with (copy / PART).open("wb") as stream:
        stream.truncate(40 << 30)
    assert f"{PART}: {40 << 30} bytes, the manifest says" in problems(copy)
    _resealed(copy, PART)
    assert "more than any such file" in problems(copy)


def test_download_needs_only_the_published_files(tmp_path: Path, built: Path) -> None:
    out = tmp_path / "download"
    out.mkdir()
    for name in (CASES, "manifest.json"):
        shutil.copy(built / name, out)
    done = invoke("verify", out)
    assert done.exit_code == 0, done.output
    assert "only the published cases are checked" in done.output


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("name", [PART, CASES])
def test_damaged_build_is_reported_and_rebuilt_after_its_manifest_is_removed(
    copy: Path, built: Path, name: str
) -> None:
    _flip(copy / name)
    with pytest.raises(BuildError, match=f"{name} is missing or damaged") as caught:
        build(PLAN, copy, Builder())
    assert "remove manifest.json" in caught.value.hint
    (copy / "manifest.json").unlink()
    build(PLAN, copy, Builder())
    assert {**contents(copy), "manifest.json": b""} == {**contents(built), "manifest.json": b""}


@pytest.mark.parametrize("name", ["manifest.json", "mine.txt", "work", ".hidden"])
def test_foreign_directory_is_refused_and_unchanged(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"name": "a web application"}')
    with pytest.raises(BuildError, match="exists and is not a build directory"):
        build(PLAN, tmp_path, Builder())
    assert contents(tmp_path) == {name: b'{"name": "a web application"}'}


def test_unwritable_directory_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for place, why in ((file, "choose an empty or new directory"), (file / "below", "Not a directory")):
        done = invoke("build", "--tier", "core", "--format", FORMAT, "--every", "997", "--out", place)
        assert done.exit_code == 1
        assert why in done.stderr
    assert file.read_text() == "mine"


def test_directory_with_another_plan_is_refused(copy: Path) -> None:
    for every in (211, 1):
        with pytest.raises(
            BuildError, match=r"another plan \(format 'bitronix_tlog', tier 'core', seed 1, every 173"
        ):
            build(Plan(FORMAT, "core", every=every), copy, Builder())
    (copy / "manifest.json").unlink()
    (copy / "plan.json").write_text("[]")
    with pytest.raises(BuildError, match="not the plan of a build"):
        build(PLAN, copy, Builder())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = published_folder(FORMAT)
    assert source is not None
    return Path(shutil.copytree(source, tmp_path / FORMAT))


def test_published_tiers_agree_with_their_manifests(folder: Path) -> None:
    for arguments in ((), ("--tier", "smoke"), (folder,), (folder.parent,)):
        done = invoke("verify", *arguments)
        assert done.exit_code == 0, done.output
    assert invoke("verify", folder.parent.parent, "--tier", "smoke").exit_code == 2


@pytest.mark.parametrize(
    ("member", "value", "text"),
    [
        (("tiers", "smoke", "cases"), 1, "the manifest says 1 and"),
        (("tiers", "smoke", "bytes"), 1, "bytes, the manifest says 1"),
        (("tiers", "smoke", "file"), "../smoke.jsonl", "another file name"),
        (("tiers",), {}, "the tiers are not smoke, captured, worst"),
        (("withdrawn",), ["btm.x"], "the withdrawn cases are not those"),
        (("licence",), "none", "under CC0-1.0"),
    ],
)
def test_false_manifest_of_published_tiers_is_detected(
    folder: Path, member: tuple[str, ...], value: Any, text: str
) -> None:
    manifest = manifest_of(folder)
    _set(value, *member)(manifest)
    seal(folder, manifest)
    assert text in problems(folder)


def test_unknown_file_in_published_tiers_is_reported(folder: Path) -> None:
    (folder / "smoke.jsonl.orig").write_text("")
    (folder / "worst.jsonl").unlink()
    said = problems(folder)
    assert "smoke.jsonl.orig: not in the manifest" in said
    assert "worst.jsonl: No such file" in said


def test_every_flipped_bit_is_detected(copy: Path) -> None:
    draw = random.Random(3)
    for name, data in sorted(contents(copy).items()):
        for _ in range(4):
            changed = bytearray(data)
            changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            (copy / name).write_bytes(changed)
            assert invoke("verify", copy).exit_code == 1, name
        (copy / name).write_bytes(data)
    assert invoke("verify", copy).exit_code == 0


def test_build_on_a_disk_that_fills_up_at_any_file_can_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fsync of each file in turn fails. `tools/faulty_disk.py` makes every other call fail."""
    arguments = ("build", "--tier", "core", "--format", FORMAT, "--every", "997", "--jobs", "1", "--out")
    real, left = os.fsync, [10**6]

    def fsync(handle: int) -> None:
        left[0] -= 1
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    assert invoke(*arguments, tmp_path / "whole").exit_code == 0
    whole = contents(tmp_path / "whole")
    whole.pop("manifest.json")
    failed = 0
    for number in range(1, 10**6 - left[0] + 1):
        out = tmp_path / str(number)
        left[0] = number
        done = invoke(*arguments, out)
        left[0] = 10**6
        if done.exit_code:
            failed += 1
            assert done.exit_code == 1
            assert "No space left on device" in done.stderr
            assert str(out) in done.stderr
            assert "repeat the same command to continue" in done.stderr
            assert not [name for name in contents(out) if name.endswith(".partial")]
            assert invoke(*arguments, out).exit_code == 0
        found = contents(out)
        found.pop("manifest.json")
        assert found == whole
    assert invoke("verify", out).exit_code == 0
    # The plan, the shard, the part, the lines of its cases, all cases, the manifest.
    assert failed >= 6


def test_every_change_of_a_manifest_is_detected(copy: Path) -> None:
    whole = (copy / "manifest.json").read_text()
    run = manifest_of(copy)
    run["run"]["seconds"] += 1
    for text, why in (
        (json.dumps(run, indent=2) + "\n", "it was changed"),
        (whole + "\n", "its bytes were changed"),
        (whole.replace('"seal": ', '"seal":  '), "its bytes were changed"),
        (whole.replace('  "license"', '  "license": "none",\n  "license"'), "its bytes were changed"),
        (whole.replace('"seal"', '"zeal"'), "has no seal"),
    ):
        (copy / "manifest.json").write_text(text)
        assert why in problems(copy)
        assert invoke("report", copy).exit_code == 2


def test_finished_build_removes_files_of_a_killed_one(copy: Path, built: Path) -> None:
    (copy / "work").mkdir()
    (copy / "work" / "shard-00000.json").write_text("{")
    assert build(PLAN, copy, Builder()) == manifest_of(built)
    assert contents(copy) == contents(built)


def test_build_does_not_continue_from_a_changed_manifest(copy: Path) -> None:
    _flip(copy / "manifest.json")
    done = invoke("build", "--tier", "core", "--format", FORMAT, "--every", "173", "--out", copy)
    assert done.exit_code == 1
    assert "remove manifest.json" in done.output


def test_build_that_was_killed_before_its_first_file_continues(tmp_path: Path) -> None:
    (tmp_path / ".plan.json.0123456789abcdef.partial").write_text("{")
    prepare(PLAN, tmp_path)
    assert (tmp_path / "plan.json").is_file()
    # The build checks the plan first: a directory whose name is not in the plan does not belong to the build.
    shutil.rmtree(tmp_path / "work")
    prepare(PLAN, tmp_path)
