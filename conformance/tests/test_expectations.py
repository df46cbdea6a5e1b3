from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from journalspec_conformance.errors import Problem
from journalspec_conformance.expect import Expectations, load_expectations, parse_expectations, update
from journalspec_conformance.result import Result
from journalspec_conformance.selection import matches
from tables import table

TABLE = table("expectations")
PROBES = ("x.tail.a/read", "x.tail.a/recover.strict", "x.tail.b/read", "x.head.c-d/read")


def result(probe: str = PROBES[0], result_class: str = "fail", fingerprint: str = "records:extra") -> Result:
    return Result(probe, probe.partition("/")[0], "x", "1", "t", result_class, fingerprint, "because")


def entry(case: str, outcome: str = "fail", why: str = "w", more: str = "") -> str:
    return f'[[expect]]\ncase = "{case}"\noutcome = "{outcome}"\nwhy = "{why}"\n{more}\n'


def bound(*entries: str) -> Expectations:
    return parse_expectations("".join(entries), "mine.toml").bind(PROBES, "smoke", "mine.toml")


@pytest.mark.parametrize(("pattern", "named"), TABLE["patterns"].items())
def test_pattern_matches_the_stated_number_of_probes(pattern: str, named: int) -> None:
    assert sum(matches(pattern, probe) for probe in PROBES) == named


def test_pattern_with_many_stars_is_as_fast_as_with_one() -> None:
    """If each star tried every split of the segment, matching would in practice never end."""
    segment = "a" * 200
    assert not matches("*" * 40 + "z", segment)
    assert matches("***a", segment)
    assert not matches("***a", f"b.{segment}")


@pytest.mark.parametrize(
    ("said", "row"), [(said, row) for said, rows in TABLE["predictions"].items() for row in rows]
)
def test_entry_changes_the_result_class_as_stated(said: str, row: list[str]) -> None:
    *seen, becomes = row
    lines = [*([] if "case" in said else [f'case = "{PROBES[0]}"']), *said.split(", ")]
    lines += ['why = "reason"', 'issue = "https://x/1"']
    judged = bound("\n".join(["[[expect]]", *lines])).apply(result(PROBES[0], *seen))
    assert judged.result_class == becomes
    if becomes == "known":
        assert (judged.reason, judged.issue) == ("reason", "https://x/1")
    if becomes == "fail":
        assert "another failure" in judged.reason
    if becomes in ("unsupported", "quarantined", "unasked"):
        assert judged.reason == "because", "nothing was judged"


def test_literal_entry_has_priority_over_an_earlier_pattern() -> None:
    expectations = bound(entry("x.tail.*", "crash", "wide"), entry(PROBES[0], "fail", "narrow"))
    assert expectations.apply(result()).reason == "narrow"
    assert expectations.apply(result(PROBES[2], "crash", "")).reason == "wide"
    assert expectations.apply(result(PROBES[3])).result_class == "fail"


def test_entry_without_a_matching_probe_may_refer_to_another_tier() -> None:
    bound(entry("x.gone.**", more='tier = "captured"'))
    other = parse_expectations(entry("x.other.*"), "f")
    other.bind(PROBES, "smoke", elsewhere=["x.other.a/read"])
    other.bind(PROBES, "files", elsewhere=None)
    with pytest.raises(Problem, match="no probe matches"):
        other.bind(PROBES, "smoke", elsewhere=["x.another.a/read"])


REFUSED = [(said, "\n".join(lines)) for said, *lines in TABLE["refused"]["lines"]]
ENORMOUS = [("no TOML: nested too deeply", "a = " + "[" * 100_000), ("no TOML: Exceeds", "a = " + "9" * 5000)]


@pytest.mark.parametrize(("said", "text"), [*REFUSED, *ENORMOUS], ids=range(len(REFUSED) + len(ENORMOUS)))
def test_faulty_file_is_refused_with_its_name_and_the_reason(said: str, text: str) -> None:
    with pytest.raises(Problem, match=r"^mine\.toml: ") as caught:
        bound(text)
    assert said in str(caught.value)


DOTS = "a" + ".a" * 30_000


def test_key_with_many_dots_is_refused_before_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tomllib.loads", lambda _: pytest.fail("it costs seconds and a gigabyte"))
    # The last form has no bare key: its dots are between texts, and their number is just over the limit.
    for form in [*TABLE["dots"]["refused"], '"a"' + " . 'a'" * 51 + " = 1"]:
        with pytest.raises(Problem, match=r"f: line \d: \d+ dots outside texts"):
            parse_expectations(form.replace("DOTS", DOTS), "f")


def test_dots_in_texts_and_comments_are_not_counted() -> None:
    text = TABLE["dots"]["taken"].replace("DOTS", DOTS)
    assert parse_expectations(text, "f").entries[0].case == DOTS


@pytest.mark.parametrize("piece", ['"', '\\"', '"""\\', "'", "'''x", "#", "''''", "x.\n"])
def test_counting_dots_takes_linear_time(piece: str) -> None:
    with pytest.raises(Problem, match="f: "):
        parse_expectations("x = " + piece * 300_000 + "\x00", "f")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "bytes").write_bytes(b"# \xff")
    for name, said in (("fifo", "not a regular file"), ("bytes", "no UTF-8 at byte 2"), ("gone", "No such")):
        with pytest.raises(Problem, match=f"{name}: cannot be read: {said}"):
            load_expectations(tmp_path / name)


FILE = """\
# Known failures of my-reader.
# Kept by hand.

# the tail, see the design notes
[[expect]]
case = "x.tail.b/read"
outcome = "fail"
fingerprint = "verdict"   # since 1.2
why = "no tail check"

[[expect]]
case = "x.head.**"   # all of them
outcome = "crash"
why = "short headers"
"""
#: The same file with its entries in order, and with one more failure.
UPDATED = """\
# Known failures of my-reader.
# Kept by hand.

[[expect]]
case = "x.head.**"   # all of them
outcome = "crash"
why = "short headers"

# the tail, see the design notes
[[expect]]
case = "x.tail.b/read"
outcome = "fail"
fingerprint = "records:extra"   # since 1.2
why = "no tail check"
"""


def test_update_keeps_manually_written_text() -> None:
    done = update(FILE, [result("x.tail.b/read", "fail", "records:extra"), result(PROBES[0], "pass", "")])
    assert (done.changed, done.added, done.removed) == (("x.tail.b/read",), (), ())
    assert done.text == UPDATED
    assert "fingerprint" not in update(FILE, [result("x.tail.b/read", "crash", "")]).text


def test_update_adds_failing_probes_and_removes_fixed_ones() -> None:
    """An added entry has no valid reason, because a person must write the reason."""
    fixed, known = result("x.tail.b/read", "fixed", ""), result(PROBES[3], "known", "")
    failing = [result(PROBES[0], "fail", "notes"), result(PROBES[1], "timeout", "")]
    done = update(FILE, [fixed, known, *failing])
    assert (done.removed, done.added) == (("x.tail.b/read",), (PROBES[0], PROBES[1]))
    with pytest.raises(Problem, match="the reason of the failure is missing"):
        parse_expectations(done.text, "f")
    answered = parse_expectations(done.text.replace("TODO: ", ""), "f")
    assert [each.case for each in answered.entries] == ["x.head.**", PROBES[0], PROBES[1]]
    assert update(done.text, [known, *failing]).text == done.text
    assert update("", failing).text.startswith("[[expect]]")


def test_update_keeps_a_pattern_while_one_of_its_probes_fails() -> None:
    some = [result(PROBES[0], "fixed", ""), result(PROBES[2], "known", "")]
    assert update(entry("x.tail.*"), some).removed == ()
    fixed = [replace(one, result_class="fixed") for one in some]
    assert update(entry("x.tail.*"), fixed).removed == ("x.tail.*",)


def test_update_removes_an_entry_for_a_complete_case_if_all_its_probes_pass() -> None:
    both = [result(probe, "fixed", "") for probe in PROBES[:2]]
    assert update(entry("x.tail.a"), both).removed == ("x.tail.a",)
    assert update(entry("x.tail.a"), [both[0], result(PROBES[1], "known", "")]).removed == ()


def test_update_keeps_the_breakdown_of_a_draw_if_another_draw_passes() -> None:
    """The two draws have one entry, because their ids change with the seed."""
    ended, passed = (
        result(f"btm.drawn.s4.n{number}/read", seen, "") for number, seen in enumerate(("crash", "pass"))
    )
    for results in ([ended, passed], [passed, ended]):
        assert update("", results).added == ("btm.drawn.**/read",)
    assert update("", [passed]).added == ()


def test_case_occurs_once_but_draws_and_crash_states_once_for_each_fingerprint() -> None:
    def parsed(case: str, *prints: str) -> Expectations:
        return parse_expectations("".join(entry(case, more=f'fingerprint = "{one}"') for one in prints), "f")

    for case in ("btm.drawn.**/read", "btm.crash.*/recover.strict"):
        assert len(parsed(case, "notes", "layout").entries) == 2
        with pytest.raises(Problem, match="occurs twice"):
            parsed(case, "notes", "notes")
    with pytest.raises(Problem, match="occurs twice"):
        parsed("x.tail.a/read", "notes", "layout")


def test_entry_for_crash_states_without_a_fingerprint_is_removed_when_one_passes() -> None:
    probe = "btm.crash.0a/recover.strict"
    text = entry("btm.crash.*/recover.strict", "timeout")
    expectations = parse_expectations(text, "f").bind([probe], "crash")
    assert expectations.apply(result(probe, "timeout", "")).result_class == "known"
    assert expectations.apply(result(probe, "pass", "")).result_class == "fixed"


def test_update_refuses_a_file_that_it_cannot_split_into_entries() -> None:
    with pytest.raises(Problem, match="cannot be distinguished"):
        update('expect = [{case = "a", outcome = "fail", why = "w"}]\n', [])
