"""The archive of the same cases always has the same bytes, and programs without journalspec can read it."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from journalspec_corpus.archive import write_archive
from journalspec_corpus.case import Case, CaseError, Input, InputFile
from journalspec_corpus.load import load_cases

SPECS = Path(__file__).parents[2] / "specs" / "journalspec"
DOCS = Path(__file__).parents[2] / "docs"
SCHEMAS = {"observation.schema.json": {"type": "object"}}


@cache
def cases() -> list[Case]:
    """Return some captured cases, and some smoke cases; one of them has no files."""
    without = next(case for case in load_cases() if not case.input.files)
    return [*load_cases(tier="captured")[::7], *load_cases()[::31], without]


def test_same_cases_give_the_same_bytes(tmp_path: Path) -> None:
    chosen = cases()
    for name in ("a.tar", "b.tar", "a.tar.gz", "b.tar.gz"):
        write_archive(tmp_path / name, chosen if name[0] == "a" else chosen[::-1], SCHEMAS)
    for suffix in ("tar", "tar.gz"):
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
    with tarfile.open(tmp_path / "a.tar") as archive:
        for entry in archive:
            assert (entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname) == (0, 0, 0, "", "")


def test_archive_can_be_read_with_tar_and_json_alone(tmp_path: Path) -> None:
    chosen = cases()
    write_archive(tmp_path / "corpus.tar.gz", chosen, SCHEMAS)
    with tarfile.open(tmp_path / "corpus.tar.gz") as archive:
        files = {item.name.partition("/")[2]: archive.extractfile(item) for item in archive if item.isfile()}
        content = {name: file.read() for name, file in files.items() if file}
    index = json.loads(content["index.json"])
    assert len(index) == len(chosen)
    for entry in index:
        case = json.loads(content.pop(f"{entry['directory']}/case.json"))
        assert (case["id"], case["edition"]) == (entry["id"], entry["edition"])
        for file in case["input"]["files"]:
            made = bytearray([int(file["fill"], 16)]) * int(file["size"])
            for off, data in file["extents"]:
                made[int(off) : int(off) + len(data) // 2] = bytes.fromhex(data)
            assert content.pop(f"{entry['directory']}/files/{file['path']}") == made
    formats = sorted({case.format for case in chosen})
    for name in formats:
        contents = json.loads(content[f"names/{name}.json"])["contents"]
        assert contents == tomllib.loads((SPECS / name / "contents" / "tables.toml").read_text("utf-8"))
    readme = content["README.md"].decode()
    for name in formats:
        assert f"\n### {name}, smoke\n\n| Highest level |" in readme
    described = [
        f"{place}/{name}/{path.name}"
        for name in formats
        for place, found in {
            "specification": ("spec.md", "requirements.toml"),
            "ksy": ("*.ksy", "contents/*.ksy"),
            "parsers/python": ("_kaitai/*.py",),
        }.items()
        for pattern in found
        for path in (SPECS / name).glob(pattern)
    ]
    assert len(described) > 10 * len(formats)
    assert sorted(content) == sorted(
        ["README.md", "index.json", "schemas/case.schema.json", "schemas/observation.schema.json"]
        + [f"names/{name}.json" for name in formats]
        + described
    )


@pytest.mark.node
def test_program_on_the_page_reads_the_archive(tmp_path: Path) -> None:
    node, tar = shutil.which("node"), shutil.which("tar")
    if node is None or tar is None:
        pytest.skip("Node.js or tar is missing")
    chosen = cases()
    write_archive(tmp_path / "corpus.tar.gz", chosen, SCHEMAS)
    subprocess.run([tar, "xzf", "corpus.tar.gz"], cwd=tmp_path, check=True, timeout=120)
    (root,) = tmp_path.glob("journalspec-corpus-*")
    program = DOCS / "examples/read_archive.mjs"
    done = subprocess.run([node, program, root], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    asked = Counter(
        f"{case.format} {probe.op}{f' {probe.policy}' if probe.policy else ''}"
        for case in chosen
        for probe in case.probes
    )
    assert done.stdout.splitlines() == [f"{kind} {asked[kind]}" for kind in sorted(asked)]
    (root / "index.json").write_text("[", encoding="utf-8")
    assert subprocess.run([node, program, root], capture_output=True, check=False, timeout=60).returncode != 0


def test_archive_overwrites_nothing_and_is_complete_or_absent(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"ends in \.tar, \.tar\.gz, \.tgz"):
        write_archive(tmp_path / "corpus.zip", [], SCHEMAS)
    (tmp_path / "corpus.tar").write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        write_archive(tmp_path / "corpus.tar", [], SCHEMAS)
    assert (tmp_path / "corpus.tar").read_bytes() == b"mine"
    with pytest.raises(TypeError):
        write_archive(tmp_path / "new.tar", cases()[:1], {"x.json": {"x": b"no JSON"}})
    assert not (tmp_path / "new.tar").exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda case: replace(case, id="../../escaped"),
        lambda case: replace(case, id="/escaped"),
        lambda case: replace(case, input=Input((InputFile("../../escaped", 1),))),
    ],
)
def test_paths_outside_the_archive_are_refused(spoil: Callable[[Case], Case], tmp_path: Path) -> None:
    path = tmp_path / "c.tar"
    with pytest.raises(CaseError, match=r"is not the id|leaves the directory"):
        write_archive(path, [spoil(load_cases("bitronix_tlog")[0])], SCHEMAS)
    assert not path.exists()
