"""Cases of an adversary: each is quarantined with its reason, and the others are accepted."""

from __future__ import annotations

import copy
import gzip
import json
import os
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from journalspec.files import Unfit
from journalspec_corpus import Case, CaseError, form, load
from journalspec_corpus.load import Intake
from work import work

TABLE = tomllib.loads((Path(__file__).parent / "data" / "hostile_cases.toml").read_text(encoding="utf-8"))
READ = {"when": {"op": "read"}, "verdict": "clean"}
GOOD: dict[str, Any] = {**TABLE["case"], "write": None}
FILE = GOOD["input"]["files"][0]
WRITE = {"ops": [{"op": "open"}], "params": {}, "then": "read"}


def good(**members: Any) -> dict[str, Any]:
    return {**copy.deepcopy(GOOD), **members}


def with_file(**members: Any) -> dict[str, Any]:
    return good(input={"files": [{**FILE, **members}]})


def with_paths(*paths: str, **members: Any) -> dict[str, Any]:
    return good(input={"files": [{**FILE, **members, "path": path} for path in paths]})


def expecting(**members: Any) -> dict[str, Any]:
    return good(expect=[{**READ, **members}])


def allowing(**members: Any) -> dict[str, Any]:
    sets = {"must_keep": [], "may_keep": [], "must_drop": [], "refusal": "allowed"}
    return expecting(allowed={**sets, **members})


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in good().items() if key != name}


def text(data: object, *changes: tuple[str, str]) -> bytes:
    line = json.dumps(data)
    for old, new in changes:
        assert old in line
        line = line.replace(old, new, 1)
    return line.encode()


MADE = {"good": good, "file": with_file, "expecting": expecting, "allowing": allowing}
#: (name, the line, part of the reason). The schema and the compiled form agree on every line that is JSON.
HOSTILE: list[tuple[str, Any, str]] = [
    *((what, MADE[by](**change), why) for by in MADE for what, (change, why) in TABLE[by].items()),
    *((what, with_paths(*paths), why) for what, (paths, why) in TABLE["paths"].items()),
    *((what, without(name), why) for what, (name, why) in TABLE["without"].items()),
    # Invalid JSON, or a kind of JSON that is not accepted.
    ("empty line", b"", "no JSON"),
    ("half a line", b'{"id": "btm.a.b"', "no JSON"),
    ("binary", b"\x00\xff\xfe", "no UTF-8 at byte 1"),
    ("byte order mark", b"\xef\xbb\xbf" + text(GOOD), "no JSON"),
    ("a list", b"[]", "a list is not an object"),
    ("a text", b'"btm.a.b"', "is not an object"),
    ("null", b"null", "None is not an object"),
    ("a number", b"7", "the number 7"),
    ("a long number", text(GOOD, ('"100"', "9" * 5000)), "of 5000 digits: integers are written as text"),
    ("an exponent", text(GOOD, ('"100"', "1e400")), "the number 1e400"),
    ("not a number", text(GOOD, ('"100"', "NaN")), "the number NaN"),
    ("infinity", text(GOOD, ('"100"', "-Infinity")), "the number -Infinity"),
    ("a member twice", text(GOOD, ('"level"', '"level": "may", "level"')), "member 'level' occurs twice"),
    ("a member twice, deep", text(GOOD, ('"op"', '"op": "x", "op"')), "member 'op' occurs twice"),
    ("nested lists", b"[" * 200_000, "nested deeper than 32"),
    ("nested state", text(expecting(state={"x": []}), ("[]}", "[" * 40 + "]" * 40 + "}")), "nested deeper"),
    ("too many values", b"[" + b"0," * 1_000_001 + b"0]", "more than 1000000 values"),
    ("half a surrogate in the title", good(title="\ud800"), "half of a surrogate pair"),
    ("half a surrogate in the id", good(id="btm.a.\udfff"), "half of a surrogate pair"),
    ("half a surrogate in a path", with_file(path="\udc80"), "half of a surrogate pair"),
    ("half a surrogate in a state", expecting(state={"\ud9ab": "x"}), "half of a surrogate pair"),
    # Values that are too large, or that TOML cannot express.
    ("id is null", good(id=None), "id: None is not a text"),
    ("needs null", good(needs=[None]), "needs[0]: None is not a text"),
    ("too many files", with_paths(*(f"f{n}" for n in range(4097))), "4097 entries, at most 4096"),
    ("two files of 150 MiB", with_paths("a", "b", size=str(150 << 20)), "314572800 bytes in all, at most"),
    ("a size of 5000 digits", with_file(size="9" * 5000), "5000 characters, at most 20"),
    ("too many extents", with_file(extents=[["0", ""]] * 10_001), "10001 entries, at most 10000"),
    ("too much is expected", good(expect=[READ] * 1001), "expect: 1001 entries, at most 1000"),
]


def line_of(given: Any) -> bytes:
    return given if isinstance(given, bytes) else json.dumps(given).encode()


def test_hostile_cases_are_quarantined_one_by_one_and_the_others_accepted(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    with path.open("wb") as stream:
        for number, (_, given, _) in enumerate(HOSTILE):
            stream.write(line_of(given) + b"\n")
            stream.write(text(good(id=f"btm.good.c{number}")) + b"\n")
    cases = list(Intake().file(path))
    assert work(lambda: list(Intake().file(path)))[0] < 1_000_000
    assert len(cases) == 2 * len(HOSTILE)
    wrong = [
        (what, case.fault)
        for (what, _, reason), case in zip(HOSTILE, cases[::2], strict=True)
        if reason not in case.fault or not case.fault.isprintable() or len(case.fault) > 500
    ]
    assert wrong == []
    assert [case.id for case in cases[1::2] if case.fault] == []
    assert len({case.id for case in cases}) == len(cases)
    for case in cases[::2]:
        (probe,) = case.probes
        assert probe.id == case.id
        assert case.id.isprintable()


@pytest.mark.parametrize(
    ("what", "given"),
    [
        (what, given)
        for what, given, reason in HOSTILE
        if isinstance(given, dict) and "surrogate" not in reason
    ],
)
def test_checks_match_the_schema(what: str, given: dict[str, Any]) -> None:
    """The intake refuses everything that the schema refuses.

    It also refuses values beyond limits, and nothing else.
    """
    with pytest.raises(CaseError) as caught:
        Case.from_json(given)
    assert given.get("id") != GOOD["id"] or str(caught.value).startswith(GOOD["id"])
    beyond = (
        "bytes in all",
        "one name to some",
        "lies in a file",
        "segments, at most",
        "a name of",
        "the extent at",
    )
    schema = json.loads(files("journalspec_corpus").joinpath("case.schema.json").read_text(encoding="utf-8"))
    fits = Draft202012Validator(schema).is_valid(given)
    # In Python $ also matches before a final newline; in JSON Schema it does not.
    assert fits == (any(words in str(caught.value) for words in beyond) or "newline" in what)


def test_quarantined_case_is_identified_by_its_id_or_position(tmp_path: Path) -> None:
    """A quarantined case is identified by its id if that is valid and unique, else by file and line."""
    path = tmp_path / "cases.jsonl"
    faulty = {**GOOD, "level": "Must"}
    path.write_bytes(
        b"\n".join([text(GOOD), text(GOOD), text({**faulty, "id": "btm.x.y"}), text(faulty), b"{"])
    )
    intake = Intake()
    names = [case.id for case in intake.file(path)]
    assert names == ["btm.hostile.case", f"{path}:2", "btm.x.y", f"{path}:4", f"{path}:5"]
    assert [case.id for case in intake.file(path)][:2] == [f"{path}:1", f"{path}:2+"]
    second = list(Intake().file(path))[1]
    assert second.fault == "cases.jsonl, line 2: btm.hostile.case: another case of the set has this id"
    assert (second.format, second.edition) == ("bitronix_tlog", "2.1")


def test_line_has_a_limit_and_the_next_line_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(form, "MAX_LINE", 2000)
    monkeypatch.setattr(load, "MAX_LINE", 2000)
    path = tmp_path / "cases.jsonl.gz"
    lines = [text(good(title="x" * 5_000_000)), text(GOOD), b"x" * 2001]
    path.write_bytes(gzip.compress(b"\n".join(lines)))
    assert [case.fault for case in Intake().file(path)] == [
        "cases.jsonl.gz, line 1: longer than 2000 bytes",
        "",
        "cases.jsonl.gz, line 3: longer than 2000 bytes",
    ]


def test_unicode_line_separators_do_not_end_a_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    line = json.dumps(good(params={"a": "x\u2028y\x85z"}), ensure_ascii=False)
    path.write_text(line + "\r\n", encoding="utf-8", newline="")
    (case,) = Intake().file(path)
    assert (case.fault, case.params) == ("", {"a": "x\u2028y\x85z"})


def test_file_without_cases_is_refused_completely(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b"\n" * 2000)
    with pytest.raises(Unfit, match="more than 1000 lines are not cases"):
        list(Intake().file(path))
    path.write_bytes(gzip.compress(text(GOOD))[:-9])
    with pytest.raises(Unfit, match="gzip"):
        list(Intake().file(path))
    with pytest.raises(Unfit, match="not a regular file"):
        list(Intake().file(tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_reading_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unfit, match="not a regular file"):
        list(Intake().file(tmp_path / "pipe"))


def test_files_shared_by_cases_are_separate_lines(tmp_path: Path) -> None:
    held = {"content": "0", "size": "100", "fill": "00", "extents": [["3", "aabb"]]}
    other = {**held, "content": "1", "extents": []}

    def case(name: str, *contents: Any) -> dict[str, Any]:
        files = [{"path": f"{at}.log", "content": content} for at, content in enumerate(contents)]
        return good(id=f"btm.core.{name}", input={"files": files})

    lines: list[Any] = [
        held,
        other,
        case("a", "0", "1"),
        case("b", "2"),
        case("c", ["0"]),
        case("d", "1", "1"),
    ]
    lines += [{**held, "size": "x"}, case("e", "0"), case("f", "1"), case("g")]
    (tmp_path / "cases.jsonl").write_bytes(b"\n".join(map(text, lines)))
    a, b, c, d, e, f, g = Intake().file(tmp_path / "cases.jsonl")
    assert a.files() == {"0.log": bytes(3) + b"\xaa\xbb" + bytes(95), "1.log": bytes(100)}
    assert d.files() == {"0.log": bytes(100), "1.log": bytes(100)}
    assert "refers to an absent content: KeyError('2')" in b.fault
    assert "refers to an absent content: TypeError" in c.fault
    assert "input.files[0].size" in e.fault
    # The numbers of contents start again after a case.
    assert "refers to an absent content: KeyError('1')" in f.fault
    assert g.fault == ""


def test_permitted_answers_shared_by_cases_are_separate_lines(tmp_path: Path) -> None:
    expect = [{"when": {"op": "read"}, "verdict": "clean", "records": []}]
    lines: list[Any] = [
        {"permitted": "0", "expect": expect},
        good(id="btm.core.a", expect="0"),
        good(id="btm.core.b", expect="1"),
        {"permitted": "1", "expect": "0"},
        good(id="btm.core.c", expect="1"),
        good(id="btm.core.d", expect="0"),
        good(id="btm.core.e"),
        {"permitted": "1", "expect": expect, "more": 1},
    ]
    (tmp_path / "cases.jsonl").write_bytes(b"\n".join(map(text, lines)))
    a, b, c, d, e, f = Intake().file(tmp_path / "cases.jsonl")
    assert [*map(dict, a.expect)] == expect
    assert "refers to absent answers: 1" in b.fault
    assert "expect" in c.fault
    assert "refers to absent answers: 0" in d.fault
    assert e.fault == ""
    assert f.fault


def test_schema_with_more_rules_than_the_parser_is_detected() -> None:
    with pytest.raises(ValueError, match="no way to check multipleOf"):
        form._resolved({"type": "string", "multipleOf": 3}, {})
    with pytest.raises(ValueError, match="one more of minItems"):
        form._resolved({"$ref": "#/$defs/x", "minItems": 1}, {"x": {"type": "array", "minItems": 2}})
