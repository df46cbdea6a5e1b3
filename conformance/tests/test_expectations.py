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


def bound(*entries: str) -> Expectations:
    text = "\n".join(f"[[expect]]\n{entry}\n" for entry in entries)
    return parse_expectations(text, "file.toml").bind(PROBES, "smoke", "file.toml")


@pytest.mark.parametrize(("pattern", "named"), TABLE["patterns"].items())
def test_patterns(pattern: str, named: int) -> None:
    assert sum(matches(pattern, probe) for probe in PROBES) == named


@pytest.mark.parametrize(
    ("entry", "row"), [(entry, row) for entry, rows in TABLE["predictions"].items() for row in rows]
)
def test_prediction(entry: str, row: list[str]) -> None:
    *seen, becomes = row
    said = entry.replace(", ", "\n")
    expectations = bound(f'case = "{PROBES[0]}"\nwhy = "reason"\nissue = "https://x/1"\n{said}')
    judged = expectations.apply(result(PROBES[0], *seen))
    assert judged.result_class == becomes
    if becomes == "known":
        assert (judged.reason, judged.issue) == ("reason", "https://x/1")
    if becomes == "fail":
        assert "another failure" in judged.reason


def test_a_literal_entry_wins_over_an_earlier_pattern() -> None:
    expectations = bound(
        'case = "x.tail.*"\noutcome = "crash"\nwhy = "wide"',
        f'case = "{PROBES[0]}"\noutcome = "fail"\nwhy = "narrow"',
    )
    assert expectations.apply(result()).reason == "narrow"
    assert expectations.apply(result(PROBES[2], "crash", "")).reason == "wide"
    assert expectations.apply(result(PROBES[3])).result_class == "fail"


def test_an_entry_that_names_nothing_is_an_error_unless_it_is_about_another_tier() -> None:
    with pytest.raises(Problem, match=r"x\.gone\.\*\*"):
        bound('case = "x.gone.**"\noutcome = "fail"\nwhy = "w"')
    bound('case = "x.gone.**"\noutcome = "fail"\nwhy = "w"\ntier = "captured"')
    with pytest.raises(Problem, match=r"x\.gone\.\*\*"):
        bound('case = "x.gone.**"\noutcome = "fail"\nwhy = "w"\ntier = "smoke"')
    other = parse_expectations('[[expect]]\ncase = "x.other.*"\noutcome = "fail"\nwhy = "w"\n', "f")
    other.bind(PROBES, "smoke", elsewhere=["x.other.a/read"])
    other.bind(PROBES, "files", elsewhere=None)
    with pytest.raises(Problem, match="no probe matches"):
        other.bind(PROBES, "smoke", elsewhere=["x.another.a/read"])


ENTRY = '[[expect]]\ncase = "x"\noutcome = "fail"\nwhy = "w"\n'
#: The text of a file -> the message about it.
REFUSED = {
    ENTRY.replace('case = "x"\n', ""): "case is missing",
    ENTRY.replace('why = "w"\n', ""): "the reason of the failure is missing",
    ENTRY.replace('"w"', '"TODO: x"'): "the reason of the failure is missing",
    ENTRY.replace('"fail"', '"broken"'): "outcome must be one of",
    ENTRY * 2: "occurs twice",
    "[[expected]]\ncase = 'a'": "unknown table 'expected'",
    f'{ENTRY}reason = "r"': "unknown member 'reason'",
    f'{ENTRY}fingerprnt = "verdict"': "unknown member 'fingerprnt' (did you mean 'fingerprint'?)",
    f'{ENTRY}tier = "coer"': "no tier 'coer' (did you mean 'core'?)",
    f'{ENTRY}deviation = "BTM-DEV-999"': "no deviation 'BTM-DEV-999'",
    f"{ENTRY}issue = 7": "issue must be a text",
    f'{ENTRY}deviation = {{a = "b"}}': "deviation must be a text",
    f'{ENTRY}tier = ["smoke"]': "tier must be a text",
    ENTRY.replace('"x"', '["x"]'): "case must be a text",
    ENTRY.replace('"fail"', '["fail"]'): "outcome must be a text",
    ENTRY.replace('"w"', "7"): "why must be a text",
    "expect = 7": "an array of tables",
    "expect = [7]": "an array of tables",
    "[[expect": "no TOML",
    "a = " + "[" * 100_000: "no TOML: nested too deeply",
    f"{ENTRY}issue = {'9' * 5000}\n": "no TOML: Exceeds the limit",
    "\ufeff" + ENTRY: "no TOML: Invalid statement",
    ENTRY + "\0": "no TOML",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[-40:])
def test_a_file_with_a_fault_is_refused_and_named(text: str) -> None:
    with pytest.raises(Problem, match=r"^mine\.toml: ") as caught:
        parse_expectations(text, "mine.toml")
    assert REFUSED[text] in str(caught.value)


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


def test_update_keeps_what_people_wrote() -> None:
    done = update(FILE, [result("x.tail.b/read", "fail", "records:extra"), result(PROBES[0], "pass", "")])
    assert done.changed == ("x.tail.b/read",)
    assert (done.added, done.removed) == ((), ())
    assert 'fingerprint = "records:extra"' in done.text
    for comment in (
        "# Known failures of my-reader.",
        "# Kept by hand.",
        "# all of them",
        '# the tail, see the design notes\n[[expect]]\ncase = "x.tail.b/read"',
    ):
        assert comment in done.text
    assert done.text.index("x.head") < done.text.index("x.tail.b")


def test_update_adds_what_fails_and_drops_what_is_fixed() -> None:
    results = [
        result("x.tail.b/read", "fixed", ""),
        result(PROBES[0], "fail", "notes"),
        result(PROBES[1], "timeout", ""),
        replace(result(PROBES[3], "known", "")),
    ]
    done = update(FILE, results)
    assert done.removed == ("x.tail.b/read",)
    assert done.added == (PROBES[0], PROBES[1])
    assert "no tail check" not in done.text
    with pytest.raises(Problem, match="the reason of the failure is missing"):
        parse_expectations(done.text, "f")
    answered = done.text.replace("TODO: ", "")
    assert [entry.case for entry in parse_expectations(answered, "f").entries] == [
        "x.head.**",
        PROBES[0],
        PROBES[1],
    ]
    assert update(done.text, results[1:]).text == done.text


def test_update_keeps_a_pattern_as_long_as_one_of_its_probes_fails() -> None:
    entry = '[[expect]]\ncase = "x.tail.*"\noutcome = "fail"\nwhy = "w"\n'
    some = [result(PROBES[0], "fixed", ""), result(PROBES[2], "known", "")]
    assert update(entry, some).removed == ()
    assert update(entry, [replace(one, result_class="fixed") for one in some]).removed == ("x.tail.*",)


def test_update_from_nothing() -> None:
    done = update("", [result()])
    assert done.added == (PROBES[0],)
    assert done.text.startswith("[[expect]]")


def test_update_refuses_what_it_cannot_take_apart() -> None:
    with pytest.raises(Problem, match="cannot be distinguished"):
        update('expect = [{case = "a", outcome = "fail", why = "w"}]\n', [])


@pytest.mark.parametrize("result_class", ["crash", "timeout"])
def test_expectation_pattern_does_not_cover_crash_or_timeout(result_class: str) -> None:
    entry = 'outcome = "flaky"\nwhy = "w"'
    assert bound(f'case = "**"\n{entry}').apply(result(result_class=result_class)).red
    assert bound(f'case = "**"\n{entry}').apply(result()).result_class == "known"
    literal = bound(f'case = "{PROBES[0]}"\n{entry}')
    assert literal.apply(result(result_class=result_class)).result_class == "known"


def test_unasked_probe_is_never_a_known_failure() -> None:
    for outcome in ("flaky", "error", "crash", "fail"):
        entry = bound(f'case = "**"\noutcome = "{outcome}"\nwhy = "w"')
        seen = entry.apply(result(result_class="unasked", fingerprint=""))
        assert seen.result_class == "unasked"
        assert seen.red


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_only_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "bytes").write_bytes(b"# \xff")
    for name, said in (("fifo", "not a regular file"), ("bytes", "no UTF-8 at byte 2"), ("gone", "No such")):
        with pytest.raises(Problem, match=f"{name}: cannot be read: {said}"):
            load_expectations(tmp_path / name)


def test_pattern_with_many_stars_is_as_fast_as_with_one() -> None:
    """Each of its own would try every way to share a segment: longer than anybody waits."""
    segment = "a" * 200
    assert not matches("*" * 40 + "z", segment)
    assert matches("***a", segment)
    assert not matches("***a", f"b.{segment}")


DOTS = "a" + ".a" * 30_000


@pytest.mark.parametrize(
    "text",
    [
        f"{DOTS} = 1",
        f"[{DOTS}]",
        f"x = {{ {DOTS} = 1 }}",
        '"a"' + " . 'a'" * 100 + " = 1",
        f'x = {{ y = """a"""", {DOTS} = 1 }}',
        f"x = {{ y = '''a'''', {DOTS} = 1 }}",
        f'x = "\\"{DOTS}"\n{DOTS} = 1',
    ],
)
def test_a_key_of_many_dots_is_refused_unparsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tomllib.loads", lambda _: pytest.fail("it costs seconds and a gigabyte"))
    with pytest.raises(Problem, match=r"f: line \d: \d+ dots outside texts"):
        parse_expectations(text, "f")


def test_dots_of_texts_and_comments_do_not_count() -> None:
    text = f"""# {DOTS}
[[expect]]
case = "{DOTS}"
outcome = "fail"
why = \"\"\"
{DOTS} "" \\\"\"\" \"\"\"
issue = '''
{DOTS}'''
fingerprint = '{DOTS}'  # {DOTS}
"""
    assert parse_expectations(text, "f").entries[0].case == DOTS


@pytest.mark.parametrize("piece", ['"', '\\"', '"""\\', "'", "'''x", "#", "''''", "x.\n"])
def test_looking_for_dots_takes_no_square_of_time(piece: str) -> None:
    with pytest.raises(Problem, match="f: "):
        parse_expectations("x = " + piece * 300_000 + "\x00", "f")
