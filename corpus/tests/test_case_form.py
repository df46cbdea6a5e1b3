"""The form of a case: JSON in both directions, files in memory and on disk, probes."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from journalspec_corpus import Case, CaseError, InputFile, Origin, load_cases
from journalspec_corpus.case import write_files
from journalspec_corpus.form import parse
from journalspec_corpus.load import PUBLISHED_TIERS, find_case
from journalspec_corpus.making import implied_needs, make_case, when

READ = {"when": {"op": "read"}, "verdict": "clean"}


def a_case(**changes: object) -> Case:
    settings: dict[str, object] = {
        "title": "A case",
        "format_id": "bitronix_tlog",
        "edition": "2.1",
        "stratum": "R",
        "category": "clean",
        "origin": Origin("authored", "", "", ("hand",)),
        "files": {"a.log": b"\x00" * 100 + b"abc", "b.log": b""},
        "expect": [READ],
        "obeys": ["BTM-FIL-001"],
    }
    return make_case("btm.test.case", **{**settings, **changes})  # type: ignore[arg-type]  # the settings vary


@given(st.binary(max_size=300))
def test_file_description_is_complete(content: bytes) -> None:
    file = InputFile.of("x", content)
    assert file.content() == content
    assert InputFile.from_json(json.loads(json.dumps(file.to_json()))) == file


@given(st.lists(st.sampled_from((0, 10, 93, 94, 255)), max_size=40).map(bytes))
def test_fill_is_the_lowest_of_the_most_frequent_bytes(content: bytes) -> None:
    assert InputFile.of("x", content).fill == max(range(256), key=content.count)


def test_case_is_equal_after_a_round_trip_through_json() -> None:
    case = a_case(params={"n": 7}, flags=["TornWrite"])
    again = Case.from_json(json.loads(json.dumps(case.to_json())))
    assert again == case
    assert case.params == {"n": "7"}, "numbers are published as decimal strings"


@pytest.mark.parametrize("tier", PUBLISHED_TIERS)
def test_every_published_case_is_equal_after_a_round_trip_through_json(tier: str) -> None:
    """Loading a case does not repeat this check."""
    for case in load_cases(tier=tier):
        assert Case.from_json(parse(json.dumps(case.to_json()).encode())) == case


def test_materialize_writes_the_files_and_overwrites_none(tmp_path: Path) -> None:
    case = a_case()
    paths = case.materialize(tmp_path / "new")
    assert {path.name: path.read_bytes() for path in paths} == case.files()
    with pytest.raises(FileExistsError):
        case.materialize(tmp_path / "new")


def test_no_file_is_written_through_a_link_or_in_part(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (inside / "way").symlink_to(outside)
    (inside / "file").symlink_to(outside / "file")
    with pytest.raises(NotADirectoryError):
        write_files(inside, [("way/file", [b"x"])])
    with pytest.raises(FileExistsError):
        write_files(inside, [("file", [b"x"])])
    assert list(outside.iterdir()) == []

    def pieces() -> Iterator[bytes | int]:
        yield b"x" * 100_000
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space"):
        write_files(outside, [("a/whole", [b"ab", 100_000, b"z", 5]), ("a/half", pieces())])
    assert [path.name for path in (outside / "a").iterdir()] == ["whole"]
    assert (outside / "a/whole").read_bytes() == b"ab" + bytes(100_000) + b"z" + bytes(5)


@pytest.mark.parametrize("path", ["durables/c$s.durable", ".completed", "a$"])
def test_file_names_that_products_use_are_accepted(tmp_path: Path, path: str) -> None:
    case = Case.from_json(a_case(files={path: b"x"}).to_json())
    (made,) = case.materialize(tmp_path)
    assert (made, made.read_bytes()) == (tmp_path / path, b"x")


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", ""])
def test_materialize_refuses_paths_outside_its_directory(tmp_path: Path, path: str) -> None:
    case = a_case(files={path: b"x"})
    with pytest.raises(CaseError, match="leaves the directory"):
        case.materialize(tmp_path / "here")
    assert not (tmp_path / "x").exists()


def test_equal_questions_are_one_probe_with_alternatives() -> None:
    strict = {"when": {"op": "recover", "policy": "strict"}, "verdict": "clean"}
    case = a_case(expect=[READ, strict, {**READ, "verdict": "recovered"}])
    assert [probe.id for probe in case.probes] == ["btm.test.case/read", "btm.test.case/recover.strict"]
    assert [entry["verdict"] for entry in case.probes[0].expect] == ["clean", "recovered"]


def test_case_needs_damage_if_a_read_is_not_clean() -> None:
    lost = {"when": when("read"), "verdict": "recovered"}
    refused = {"when": when("recover.strict"), "verdict": "refused"}
    assert implied_needs([READ, refused]) == {"read", "recover"}
    assert implied_needs([lost]) == {"read", "damage"}
    assert implied_needs([refused]) == {"recover", "damage"}


@pytest.mark.parametrize("text", ["", "recover", "read.strict", "look"])
def test_unknown_question_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a question"):
        when(text)


def test_unknown_id_is_reported_with_similar_ids() -> None:
    with pytest.raises(LookupError, match=r"btm\.clean\.empty"):
        find_case("btm.clean.nosuch")
    assert find_case("btm.clean.empty").edition == "2.1"


def test_unknown_tier_is_refused() -> None:
    with pytest.raises(ValueError, match="choose one of smoke, captured"):
        load_cases(tier="core")
