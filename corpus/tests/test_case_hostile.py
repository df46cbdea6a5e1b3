"""Cases as an adversary sends them: each is set apart with its reason, and the others are taken."""

from __future__ import annotations

import copy
import gzip
import json
import os
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from journalspec.files import Unfit
from journalspec_corpus import Case, CaseError, form, load
from journalspec_corpus.load import Intake

READ = {"when": {"op": "read"}, "verdict": "clean"}
GOOD: dict[str, Any] = {
    "id": "btm.hostile.case",
    "title": "A case",
    "format": "bitronix_tlog",
    "edition": "2.1",
    "tier": "files",
    "stratum": "H",
    "category": "clean",
    "level": "must",
    "obeys": ["BTM-FIL-001"],
    "breaks": [],
    "flags": [],
    "needs": ["read"],
    "origin": {"kind": "authored", "base": "", "how": "", "checked_by": ["hand"]},
    "input": {"files": [{"path": "a.log", "size": "100", "fill": "00", "extents": [["3", "aabb"]]}]},
    "params": {},
    "write": None,
    "expect": [READ],
}
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


#: (what it is, the line, part of the reason). The schema and the compiled form agree on all that are JSON.
HOSTILE: list[tuple[str, Any, str]] = [
    # No JSON, or none that is taken.
    ("empty line", b"", "no JSON"),
    ("half a line", b'{"id": "btm.a.b"', "no JSON"),
    ("binary", b"\x00\xff\xfe", "no UTF-8 at byte 1"),
    ("byte order mark", b"\xef\xbb\xbf" + text(GOOD), "no JSON"),
    ("a list", b"[]", "a list is no object"),
    ("a text", b'"btm.a.b"', "is no object"),
    ("null", b"null", "None is no object"),
    ("a number", b"7", "the number 7"),
    ("a long number", text(GOOD, ('"100"', "9" * 5000)), "of 5000 digits: integers are written as text"),
    ("an exponent", text(GOOD, ('"100"', "1e400")), "the number 1e400"),
    ("not a number", text(GOOD, ('"100"', "NaN")), "the number NaN"),
    ("infinity", text(GOOD, ('"100"', "-Infinity")), "the number -Infinity"),
    ("a member twice", text(GOOD, ('"level"', '"level": "may", "level"')), "member 'level' stands twice"),
    ("a member twice, deep", text(GOOD, ('"op"', '"op": "x", "op"')), "member 'op' stands twice"),
    ("nested lists", b"[" * 200_000, "nested deeper than 32"),
    ("nested state", text(expecting(state={"x": []}), ("[]}", "[" * 40 + "]" * 40 + "}")), "nested deeper"),
    ("too many values", b"[" + b"0," * 1_000_001 + b"0]", "more than 1000000 values"),
    ("half a surrogate in the title", good(title="\ud800"), "half of a surrogate pair"),
    ("half a surrogate in the id", good(id="btm.a.\udfff"), "half of a surrogate pair"),
    ("half a surrogate in a path", with_file(path="\udc80"), "half of a surrogate pair"),
    ("half a surrogate in a state", expecting(state={"\ud9ab": "x"}), "half of a surrogate pair"),
    # Ids and words.
    ("no id", without("id"), "member 'id' is missing"),
    ("id is null", good(id=None), "id: None is no text"),
    ("id is a list", good(id=["btm.a.b"]), "id: a list is no text"),
    ("id climbs", good(id="../../escaped"), "id: '../../escaped' is not of the form"),
    ("id is absolute", good(id="/var/escaped"), "id: '/var/escaped' is not of the form"),
    ("id with a slash", good(id="btm.a.b/c"), "id: "),
    ("id with a newline behind", good(id="btm.a.b\n"), r"id: 'btm.a.b\n' is not of the form"),
    ("id with an escape", good(id="btm.a.\x1b[2J"), r"\x1b[2J"),
    ("id with NUL", good(id="btm.a\x00.b"), r"btm.a\x00.b"),
    ("id empty", good(id=""), "id: '' is not of the form"),
    ("id of two segments", good(id="btm.a"), "id: 'btm.a' is not of the form"),
    ("id with an empty segment", good(id="btm..a.b"), "id: "),
    ("id with capitals", good(id="BTM.A.B"), "id: "),
    ("id with other digits", good(id="btm.a.٣"), "id: "),
    ("id too long", good(id="btm.a." + "b" * 200), "id: 206 characters, at most 120"),
    ("title empty", good(title=""), "title: 0 characters, at least 1"),
    ("title too long", good(title="x" * 501), "title: 501 characters, at most 500"),
    ("title with an escape", good(title="\x1b]0;x\x07"), "title: "),
    ("title of two lines", good(title="a\nb"), "title: "),
    ("title is an object", good(title={}), "title: an object is no text"),
    ("format is a path", good(format="../x"), "format: "),
    ("edition with a newline", good(edition="2.1\n"), "edition: "),
    ("tier is missing", without("tier"), "member 'tier' is missing"),
    ("level Must", good(level="Must"), "level: 'Must' is none of must, should, may"),
    ("stratum is a list", good(stratum=["R"]), "stratum: a list is none of R, L, C, H"),
    ("an unknown member", good(titel="x"), "unknown member 'titel' (did you mean 'title'?)"),
    ("an unknown member with an escape", good(**{"\x1b[1m": "x"}), r"unknown member '\x1b[1m'"),
    ("obeys is a text", good(obeys="BTM-FIL-001"), "obeys: 'BTM-FIL-001' is no list"),
    ("obeys something twice", good(obeys=["BTM-FIL-001"] * 2), "obeys: something stands twice"),
    ("needs null", good(needs=[None]), "needs[0]: None is no text"),
    ("nobody checked it", good(origin={**GOOD["origin"], "checked_by": []}), "origin.checked_by: 0 entries"),
    ("a param that is a list", good(params={"a": []}), "params.a: a list is no text"),
    # Files.
    ("input is a list", good(input=[]), "input: a list is no object"),
    ("no files", good(input={}), "input: member 'files' is missing"),
    ("path climbs", with_file(path="../escaped"), "input.files[0].path: '../escaped' is not of the form"),
    ("path climbs inside", with_file(path="a/../../escaped"), "input.files[0].path: "),
    ("path is absolute", with_file(path="/var/escaped"), "input.files[0].path: "),
    ("path is empty", with_file(path=""), "input.files[0].path: "),
    ("path is a dot", with_file(path="."), "input.files[0].path: "),
    ("path with an empty segment", with_file(path="a//b"), "input.files[0].path: "),
    ("path ends in a slash", with_file(path="a/"), "input.files[0].path: "),
    ("path with a dot segment", with_file(path="a/./b"), "input.files[0].path: "),
    ("path with a dot in a directory", with_file(path="a/.b"), "input.files[0].path: "),
    ("path of two dots and more", with_file(path="..a"), "input.files[0].path: "),
    ("path of a dollar", with_file(path="$a"), "input.files[0].path: "),
    ("path with a backslash", with_file(path="..\\escaped"), "input.files[0].path: "),
    ("path with a drive", with_file(path="C:escaped"), "input.files[0].path: "),
    ("path with NUL", with_file(path="a\x00b"), r"'a\x00b' is not of the form"),
    ("path with an escape", with_file(path="a\x1b[2J"), r"'a\x1b[2J' is not of the form"),
    ("path with a newline behind", with_file(path="a\n"), r"'a\n' is not of the form"),
    ("path too long", with_file(path="/".join(["a" * 100] * 6)), "605 characters, at most 512"),
    ("a name too long", with_file(path="a" * 256), "a name of 256 bytes, at most 255"),
    ("path too deep", with_file(path="/".join("abcdefghijklmnopq")), "17 segments, at most 16"),
    ("path twice", with_paths("a", "a"), "'a' and 'a' are one name"),
    ("path twice but for capitals", with_paths("a", "A"), "'A' and 'a' are one name"),
    ("a file in a file", with_paths("a/b", "c", "a"), "'a/b' lies in a file"),
    ("too many files", with_paths(*(f"f{n}" for n in range(4097))), "4097 entries, at most 4096"),
    ("40 GiB, sparse", with_file(size=str(40 << 30), extents=[]), f"{40 << 30} bytes in all, at most"),
    ("two files of 150 MiB", with_paths("a", "b", size=str(150 << 20)), "314572800 bytes in all, at most"),
    ("a size of 5000 digits", with_file(size="9" * 5000), "5000 characters, at most 20"),
    ("a negative size", with_file(size="-1"), "input.files[0].size: "),
    ("a size with underscores", with_file(size="1_0"), "input.files[0].size: "),
    ("a size with a blank", with_file(size=" 100"), "input.files[0].size: "),
    ("a size in hex", with_file(size="0x64"), "input.files[0].size: "),
    ("fill of two bytes", with_file(fill="0000"), "input.files[0].fill: "),
    ("an extent outside", with_file(extents=[["99", "aabb"]]), "the extent at 99 (2 bytes) leaves the file"),
    ("an extent far outside", with_file(extents=[["9" * 20, "aa"]]), "leaves the file"),
    ("extents that overlap", with_file(extents=[["0", "aabb"], ["1", "cc"]]), "begins before the one before"),
    ("extents out of order", with_file(extents=[["9", "aa"], ["0", "aa"]]), "begins before the one before"),
    ("half a byte", with_file(extents=[["0", "aab"]]), "input.files[0].extents[0][1]: 'aab'"),
    ("bytes in capitals", with_file(extents=[["0", "AA"]]), "input.files[0].extents[0][1]: "),
    ("bytes with blanks", with_file(extents=[["0", "aa bb"]]), "input.files[0].extents[0][1]: "),
    ("an extent of three", with_file(extents=[["0", "aa", "bb"]]), "3 entries, at most 2"),
    ("an extent of one", with_file(extents=[["0"]]), "1 entries, at least 2"),
    ("an extent that is a text", with_file(extents=["00"]), "extents[0]: '00' is no list"),
    ("too many extents", with_file(extents=[["0", ""]] * 10_001), "10001 entries, at most 10000"),
    # What is asked and expected.
    ("nothing is expected", good(expect=[]), "expect: 0 entries, at least 1"),
    ("too much is expected", good(expect=[READ] * 1001), "expect: 1001 entries, at most 1000"),
    ("no question", good(expect=[{"verdict": "clean"}]), "expect[0]: member 'when' is missing"),
    ("an unknown operation", expecting(when={"op": "wipe"}), "expect[0].when.op: 'wipe' is none of"),
    ("a question that is a list", expecting(when=["read"]), "expect[0].when: a list is no object"),
    ("a policy with an escape", expecting(when={"op": "recover", "policy": "\x1b[2J"}), "when.policy: "),
    ("a policy with a slash", expecting(when={"op": "recover", "policy": "../x"}), "when.policy: "),
    ("an unknown verdict", expecting(verdict="fine"), "expect[0].verdict: 'fine' is none of clean"),
    ("recordz", expecting(recordz=[]), "unknown member 'recordz' (did you mean 'records'?)"),
    ("records that are texts", expecting(records=["a"]), "expect[0].records[0]: 'a' is no object"),
    ("a record at a text", expecting(records=[{"type": "x", "at": "y"}]), "records[0].at: 'y' is no object"),
    ("a region without reason", expecting(dropped=[{"file": "a", "off": "0", "len": "1"}]), "'reason' is"),
    ("state is a list", expecting(state=[]), "expect[0].state: a list is no object"),
    ("allowed is a text", expecting(allowed="all"), "expect[0].allowed: 'all' is no object"),
    ("may_keep of texts", allowing(may_keep=["x"]), "may_keep[0]: "),
    ("must_report is false", allowing(must_report=False), "False is none of true"),
    ("write is true", good(write=True), "write: True is no object"),
    ("nothing is written", good(write={**WRITE, "ops": []}), "write.ops: 0 entries"),
    ("an operation that is a text", good(write={**WRITE, "ops": ["x"]}), "write.ops[0]: 'x' is no object"),
    ("an operation without a name", good(write={**WRITE, "ops": [{}]}), "write.ops[0]: member 'op' is"),
    ("power_fails is a text", good(write={**WRITE, "power_fails": "yes"}), "neither true nor false"),
    ("kill_after is negative", good(write={**WRITE, "kill_after": "-1"}), "write.kill_after: "),
]


def line_of(given: Any) -> bytes:
    return given if isinstance(given, bytes) else json.dumps(given).encode()


def test_there_are_enough() -> None:
    assert len(HOSTILE) >= 60
    assert len({what for what, _, _ in HOSTILE}) == len(HOSTILE)


def test_hostile_cases_are_quarantined_one_by_one_and_the_others_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    with path.open("wb") as stream:
        for number, (_, given, _) in enumerate(HOSTILE):
            stream.write(line_of(given) + b"\n")
            stream.write(text(good(id=f"btm.good.c{number}")) + b"\n")
    begun = time.process_time()
    cases = list(Intake().file(path))
    assert time.process_time() - begun < 60
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
def test_what_the_schema_says_is_what_is_checked(what: str, given: dict[str, Any]) -> None:
    """What the schema refuses is refused, and nothing else but by the limits that no schema can state."""
    with pytest.raises(CaseError) as caught:
        Case.from_json(given)
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
    # Python's $ also stands before a newline at the end, that of JSON Schema does not.
    assert fits == (any(words in str(caught.value) for words in beyond) or "newline" in what)


def test_a_schema_that_asks_for_more_than_is_checked_is_noticed() -> None:
    with pytest.raises(ValueError, match="no way to check multipleOf"):
        form._compiled({"type": "string", "multipleOf": 3}, {})
    with pytest.raises(ValueError, match="one more of minItems"):
        form._compiled({"$ref": "#/$defs/x", "minItems": 1}, {"x": {"type": "array", "minItems": 2}})


def test_names_of_what_is_quarantined(tmp_path: Path) -> None:
    """The id where it can be one and nobody else has it, the place where not."""
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


def test_a_line_has_a_limit_and_the_next_one_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_other_separators_of_lines_are_text(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    line = json.dumps(good(params={"a": "x\u2028y\x85z"}), ensure_ascii=False)
    path.write_text(line + "\r\n", encoding="utf-8", newline="")
    (case,) = Intake().file(path)
    assert (case.fault, case.params) == ("", {"a": "x\u2028y\x85z"})


def test_what_is_no_file_of_cases_is_refused_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b"\n" * 2000)
    with pytest.raises(Unfit, match="more than 1000 lines are no cases"):
        list(Intake().file(path))
    path.write_bytes(gzip.compress(text(GOOD))[:-9])
    with pytest.raises(Unfit, match="gzip"):
        list(Intake().file(path))
    with pytest.raises(Unfit, match="not a regular file"):
        list(Intake().file(tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unfit, match="not a regular file"):
        list(Intake().file(tmp_path / "pipe"))


def test_files_that_cases_share_are_lines_of_their_own(tmp_path: Path) -> None:
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
    assert "names a content that is not there: KeyError('2')" in b.fault
    assert "names a content that is not there: TypeError" in c.fault
    assert "input.files[0].size" in e.fault
    # The first content after a case begins anew.
    assert "names a content that is not there: KeyError('1')" in f.fault
    assert g.fault == ""
