from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from journalspec_conformance.cli import COMMANDS, cli
from journalspec_conformance.cli._tables import show_table
from journalspec_conformance.report import load_report

Cli = Callable[..., Result]


@pytest.fixture
def call() -> Cli:
    return lambda *arguments: CliRunner().invoke(cli, [str(part) for part in arguments])


@pytest.fixture
def run(call: Cli, cases_file: Path) -> Cli:
    """`journalspec run` on the four cases of these tests, in this process."""
    return lambda *arguments: call("run", "--cases", cases_file, *arguments)


def test_all_as_expected(run: Cli) -> None:
    done = run("--impl", "reference", "--validate")
    assert done.exit_code == 0
    assert "as expected: 10 judged, 0 not" in done.stdout
    assert done.stderr == ""


def test_something_failed(run: Cli, fake_command: Callable[[str], str]) -> None:
    done = run("--impl", fake_command("forgets_records"), "--select", "**/read")
    assert done.exit_code == 1
    assert "fail records:missing: btm.judge.clean/read" in done.stdout


def test_details(run: Cli, fake_command: Callable[[str], str]) -> None:
    done = run("--impl", fake_command("forgets_records"), "--select", "btm.judge.clean/read", "--details")
    assert done.exit_code == 1
    assert "first difference, at records[" in done.stdout
    assert "crc32=" in done.stdout


def test_json(run: Cli, fake_command: Callable[[str], str]) -> None:
    done = run("--impl", fake_command("refuses_all"), "--select", "btm.judge.clean/*", "--json")
    assert done.exit_code == 1
    data = json.loads(done.stdout)
    assert data["counts"] == {"fail": 1}
    assert data["failed"][0]["fingerprint"] == "refused:fileset/no-files"


def test_report_exports_matrix(
    run: Cli, call: Cli, fake_command: Callable[[str], str], tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    assert run("--impl", "reference", "--report", good, "--jobs", "2").exit_code == 0
    assert run("--impl", fake_command("forgets_records"), "--report", bad).exit_code == 1
    report = load_report(good)
    assert report.header["target"] == "reference"
    assert report.counts == {"pass": 10}
    assert call("summary", good).exit_code == 0
    failed = call("summary", bad, "--format", "junit")
    assert failed.exit_code == 1
    assert "<testsuites>" in failed.stdout
    assert "## journalspec-reference" in call("summary", bad, "--format", "markdown").stdout
    both = call("matrix", good, bad, "--markdown")
    assert both.exit_code == 0
    assert "| bitronix_tlog | 10/10 |" in both.stdout
    assert "BTM-" in call("matrix", good, bad, "--by", "requirement").stdout
    bad.write_text(bad.read_text().rsplit("\n", 2)[0] + "\n")
    cut = call("summary", bad)
    assert cut.exit_code == 2
    assert "footer is missing" in cut.stderr


def test_known_failures_from_the_first_run_to_green(
    run: Cli, call: Cli, fake_command: Callable[[str], str], tmp_path: Path
) -> None:
    report, expect = tmp_path / "r.jsonl", tmp_path / "expect.toml"
    impl = ("--impl", fake_command("forgets_records"), "--select", "**/read")
    assert run(*impl, "--report", report).exit_code == 1
    updated = call("expect", "--update", expect, report)
    assert updated.exit_code == 0
    assert "added btm.judge.clean/read" in updated.stdout
    refused = run(*impl, "--expect", expect)
    assert refused.exit_code == 2
    assert "why it fails is not said" in refused.stderr
    expect.write_text(expect.read_text().replace("TODO: ", "forgets: "))
    assert run(*impl, "--expect", expect).exit_code == 0
    fixed = run("--impl", "reference", "--expect", expect, "--report", report)
    assert fixed.exit_code == 1
    assert "fixed" in fixed.stdout
    assert "removed btm.judge.clean/read" in call("expect", "--update", expect, report).stdout
    assert expect.read_text().strip() == ""


def test_expectations_that_name_no_probe(call: Cli, tmp_path: Path) -> None:
    expect = tmp_path / "expect.toml"
    expect.write_text('[[expect]]\ncase = "zzz.**"\noutcome = "fail"\nwhy = "w"\n')
    done = call("run", "--impl", "reference", "--expect", expect)
    assert done.exit_code == 2
    assert "no probe is named by zzz.**" in done.stderr


def test_should_is_enforced_on_demand(
    run: Cli, call: Cli, fake_command: Callable[[str], str], cases_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(cases_file.read_text().replace('"level": "must"', '"level": "should"'))
    arguments = ("run", "--cases", path, "--impl", fake_command("forgets_records"), "--select", "**/read")
    assert call(*arguments).exit_code == 0
    assert call(*arguments, "--enforce-should").exit_code == 1


def test_smoke(call: Cli, fake_command: Callable[[str], str]) -> None:
    good = call("smoke", "--impl", "reference")
    assert good.exit_code == 0, good.output
    assert "ready: journalspec run --impl 'reference'" in good.stdout
    bad = call("smoke", "--impl", fake_command("bad_schema"))
    assert bad.exit_code == 1
    assert "look at the harness first" in bad.stdout
    none = call("smoke", "--impl", fake_command("declares_nothing"))
    assert none.exit_code == 2
    assert "declares nothing" in none.stderr


def test_silence_is_no_success(run: Cli, fake_command: Callable[[str], str]) -> None:
    done = run("--impl", fake_command("declares_nothing"))
    assert done.exit_code == 2
    assert "nothing was judged: none of 10 probes is supported: format bitronix_tlog (10)" in done.stderr
    assert "as expected" not in done.stdout


@pytest.mark.parametrize("command", [("run",), ("smoke",), ("corpus", "judge", "--format", "bitronix_tlog")])
@pytest.mark.parametrize(
    "timeout", ["inf", "-inf", "nan", "0", "-1", "1e308", "1e-400", "5e-324", "soon", "\u0661\u0660", "1_0"]
)
def test_a_timeout_is_a_time(call: Cli, command: tuple[str, ...], timeout: str) -> None:
    done = call(*command, "--impl", "reference", "--timeout", timeout)
    assert done.exit_code == 2
    assert "Invalid value for '--timeout'" in done.stderr


@pytest.mark.parametrize(
    ("option", "value"), [("--jobs", -1), ("--jobs", 10**6), ("--min-judged", 0), ("--min-judged", -1)]
)
def test_numbers_have_bounds(run: Cli, option: str, value: int) -> None:
    done = run("--impl", "reference", option, value)
    assert done.exit_code == 2
    assert f"Invalid value for '{option}'" in done.stderr


def test_more_judged_than_there_is(run: Cli) -> None:
    done = run("--impl", "reference", "--min-judged", 10**25)
    assert done.exit_code == 2
    assert f"10 of 10 probes were judged, and at least {10**25} are asked for\n" in done.stderr


def test_a_report_that_cannot_be_written_costs_no_answers(run: Cli, tmp_path: Path) -> None:
    """Where it can be known before, nothing is asked; where not, what was found is shown first."""
    nowhere = run("--impl", "reference", "--report", tmp_path / "no" / "r.jsonl")
    assert nowhere.exit_code == 2
    assert nowhere.stdout == ""
    assert "No such file or directory" in nowhere.stderr
    if Path("/dev/full").exists():
        full = run("--impl", "reference", "--report", "/dev/full")
        assert full.exit_code == 2
        assert "as expected: 10 judged" in full.stdout
        assert full.stderr == "Error: /dev/full: No space left on device\n"


def test_a_report_is_not_there_before_its_run_has_ended(
    cases_file: Path, fake_command: Callable[[str], str], tmp_path: Path
) -> None:
    """Interrupted, a run leaves the report of the last one."""
    report, asked = tmp_path / "r.jsonl", tmp_path / "asked"
    report.write_text("the last one")
    impl = f"sh -c 'touch {asked}; exec {fake_command('hanger')}'"
    code = "from journalspec_conformance.cli import main; main()"
    line = ["run", "--impl", impl, "--cases", str(cases_file), "--report", str(report)]
    with subprocess.Popen([sys.executable, "-c", code, *line], stderr=subprocess.PIPE) as process:
        while not asked.exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    assert report.read_text() == "the last one"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["asked", "r.jsonl"]


def test_reports_that_are_no_comparison(run: Cli, call: Cli, tmp_path: Path) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    assert run("--impl", "reference", "--report", one).exit_code == 0
    assert run("--impl", "reference", "--report", other, "--select", "**/read").exit_code == 0
    assert "not alike in corpus" in call("matrix", one, other).stdout
    assert "\n- not alike in corpus" in call("matrix", one, other, "--markdown").stdout
    assert "not alike" not in call("matrix", one, one).stdout


def test_names_in_tables_are_neither_markup_nor_orders(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(["[red]a", "b"], [["[/]\x1b[2J", "c\nd"]], "[/nothing]\x07")
    out = capsys.readouterr().out
    assert out.splitlines() == ["[/nothing]\\x07", "[red]a      b", "[/]\\x1b[2J  c\\nd"]


def test_list_show_materialize(call: Cli, cases_file: Path, tmp_path: Path) -> None:
    listed = call("list", "--cases", cases_file, "--json")
    assert len(listed.stdout.splitlines()) == 10
    assert "btm.judge.clean/read" in call("list", "--cases", cases_file).stdout
    shown = call("show", "--cases", cases_file, "btm.judge.clean/read")
    assert shown.exit_code == 0
    assert "asked: btm.judge.clean/recover.strict" in shown.stdout
    assert "gtrid=" in shown.stdout
    assert (
        json.loads(call("show", "--cases", cases_file, "btm.judge.clean", "--json").stdout)["id"]
        == "btm.judge.clean"
    )
    near = call("show", "--cases", cases_file, "btm.judge.cleen")
    assert near.exit_code == 2
    assert "btm.judge.second-missing" in near.stderr
    out = tmp_path / "out"
    assert call("materialize", out, "--cases", cases_file, "--select", "btm.judge.clean").exit_code == 0
    assert sorted(path.name for path in out.rglob("*")) == [
        "btm.judge.clean",
        "btm.judge.clean.json",
        "btm1.tlog",
        "btm2.tlog",
    ]
    again = call("materialize", out, "--cases", cases_file, "--select", "btm.judge.clean")
    assert again.exit_code == 2
    assert "nothing is overwritten" in again.stderr


def test_formats(call: Cli) -> None:
    data = json.loads(call("formats", "--json").stdout)
    assert [entry["id"] for entry in data["formats"]]
    assert "reference" in [entry["name"] for entry in data["harnesses"]]
    assert "reference" in call("formats").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "Missing option '--impl'"),
        (["run", "--impl", "nonsense"], "neither a shipped harness"),
        (["run", "--impl", "./gone --x"], "cannot be started"),
        (["run", "--impl", "reference", "--tier", "huge"], "no published tier 'huge'"),
        (["run", "--impl", "reference", "--format", "x"], "no format 'x'"),
        (["run", "--impl", "reference", "--select", "x.y"], "names none of"),
        (["run", "--impl", "reference", "--cases", "gone.jsonl"], "gone.jsonl: cannot be read"),
        (["run", "--impl", "reference", "--timeout", "-1"], "no time to answer"),
        (["run", "--impl", "reference", "--expect", "gone.toml"], "gone.toml: cannot be read"),
        (
            ["run", "--impl", "reference", "--report", "/no/such/dir/r.jsonl"],
            "/no/such/dir/r.jsonl: No such file",
        ),
        (["summary", "gone.jsonl"], "gone.jsonl: cannot be read"),
        (["matrix"], "Missing argument"),
        (["expect", "--update", "x.toml", "gone.jsonl"], "gone.jsonl: cannot be read"),
        (["show", "nothing"], "there is no case 'nothing'"),
        (["bogus"], "No such command"),
    ],
)
def test_wrong_usage(call: Cli, arguments: list[str], message: str) -> None:
    done = call(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_cases_that_are_none(call: Cli, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "x"}\n')
    done = call("run", "--impl", "reference", "--cases", path)
    assert done.exit_code == 2
    assert "line 1" in done.stderr


def test_a_fault_of_ours_is_one_paragraph(call: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("journalspec_conformance.cli.run.prepare", broken)
    done = call("run", "--impl", "reference")
    assert done.exit_code == 2
    assert "fault of journalspec, please report it: ZeroDivisionError" in done.stderr
    monkeypatch.setenv("JOURNALSPEC_TRACEBACK", "1")
    assert isinstance(call("run", "--impl", "reference").exception, ZeroDivisionError)


def test_help_names_every_command_and_the_exit_statuses(call: Cli) -> None:
    text = call("--help").stdout
    for name, entry in COMMANDS.items():
        if call(name, "--help").exit_code == 0:
            assert entry.summary in text
            assert "Exit status" in call(name, "--help").stdout or name in ("products", "corpus")
    assert "Exit status: 0 all as expected, 1 something failed, 2 usage" in " ".join(text.split())


def test_a_command_whose_module_is_missing_breaks_nothing(call: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from journalspec_conformance.cli import Subcommand

    monkeypatch.setitem(COMMANDS, "ghost", Subcommand("ghost", "command", "Not there."))
    assert "ghost" not in call("--help").stdout
    assert call("ghost").exit_code == 2
    assert call("formats").exit_code == 0


def test_the_installed_command_starts_fast_and_imports_little() -> None:
    code = (
        "import sys; from journalspec_conformance.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'rich', 'construct', 'jsonschema', 'tomlkit', 'journalspec_corpus'}\n"
        "print(heavy & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "set()\n"


def test_output_to_a_closed_pipe_is_no_traceback(cases_file: Path) -> None:
    code = "from journalspec_conformance.cli import main; main()"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", code, "list", "--cases", str(cases_file)],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert "Traceback" not in done.stderr


def test_an_archive_is_written_once_and_under_a_name_that_says_what_it_is(call: Cli, tmp_path: Path) -> None:
    asked = ("corpus", "archive", "--tier", "captured", "--format", "jboss_journal", "--out")
    done = call(*asked, tmp_path / "c.tar")
    assert done.exit_code == 0
    assert f" cases in {tmp_path / 'c.tar'}, {(tmp_path / 'c.tar').stat().st_size} bytes" in done.stdout
    for name, complaint in (
        ("c.tar", "is there already"),
        ("c.zip", "an archive's name ends in"),
        ("no/c.tar", "cannot be written"),
    ):
        refused = call(*asked, tmp_path / name)
        assert (refused.exit_code, complaint in refused.stderr) == (2, True), refused.stderr


@pytest.mark.parametrize(
    ("old", "new", "status", "said"),
    [
        ('"level": "must"', '"level": "Must"', 2, "level: 'Must' is none of must, should, may"),
        ('"records"', '"recordz"', 2, "unknown member 'recordz' (did you mean 'records'?)"),
        ('"policy"', '"polciy"', 1, "unknown member 'polciy' (did you mean 'policy'?)"),
    ],
)
def test_a_case_whose_words_would_not_be_compared_is_quarantined(
    old: str, new: str, status: int, said: str, call: Cli, cases_file: Path, tmp_path: Path
) -> None:
    """The status is 2 where nothing is left to be judged."""
    path = tmp_path / "cases.jsonl"
    path.write_text(cases_file.read_text().replace(old, new))
    done = call("run", "--impl", "reference", "--cases", path)
    assert done.exit_code == status
    assert said in done.output


def test_equal_failures_are_one_line_with_a_count(run: Cli, fake_command: Callable[[str], str]) -> None:
    done = run("--impl", fake_command("refuses_all"), "--select", "**/read")
    assert done.exit_code == 1
    lines = [line for line in done.stdout.splitlines() if line.startswith("fail ")]
    assert len(lines) == 1
    assert "probes fail so; this is the first)" in lines[0]


def test_github_gets_one_annotation_per_group(
    run: Cli, call: Cli, fake_command: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "r.jsonl"
    arguments = ("--impl", fake_command("refuses_all"), "--select", "**/read")
    assert "::error" not in run(*arguments, "--report", report).stdout
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    marked = [line for line in run(*arguments).stdout.splitlines() if line.startswith("::error ")]
    assert len(marked) == 1
    assert "fail refused%3Afileset/no-files::fail refused:fileset/no-files: btm." in marked[0]
    exported = call("summary", report, "--format", "github")
    assert exported.exit_code == 1
    assert exported.stdout.count("::error title=") == 1
    assert not [line for line in run("--impl", "reference").stdout.splitlines() if line.startswith("::")]


def test_a_report_that_judges_nothing_is_no_success(
    run: Cli, call: Cli, fake_command: Callable[[str], str], tmp_path: Path
) -> None:
    report = tmp_path / "r.jsonl"
    assert run("--impl", fake_command("declares_nothing"), "--report", report).exit_code == 2
    done = call("summary", report)
    assert done.exit_code == 1
    assert "0 judged, 10 not (unsupported 10)" in done.stdout
    assert "nothing was judged" in done.stdout


@pytest.mark.parametrize("link", [None, "symlink_to", "hardlink_to"])
@pytest.mark.parametrize("option", ["--cases", "--expect"])
def test_a_report_replaces_nothing_that_is_read(
    option: str, link: str | None, call: Cli, cases_file: Path, tmp_path: Path
) -> None:
    read = {"--cases": tmp_path / "cases.jsonl", "--expect": tmp_path / "expect.toml"}
    read["--cases"].write_bytes(cases_file.read_bytes())
    read["--expect"].write_text("# nothing\n")
    before = {path: path.read_bytes() for path in read.values()}
    report = read[option]
    if link is not None:
        report = tmp_path / "report.jsonl"
        getattr(report, link)(read[option])
    options = [part for name, path in read.items() for part in (name, path)]
    # The implementation cannot be started: nothing was asked.
    done = call("run", *options, "--impl", "./gone --x", "--report", report)
    assert done.exit_code == 2
    assert f"is the same file as {option} {read[option]}" in done.stderr
    assert {path: path.read_bytes() for path in read.values()} == before


GREETS_ONCE = """
import os, sys
from journalspec_conformance.harnesses.reference import Reference
from journalspec_conformance.serve import serve
try:
    os.close(os.open(sys.argv[1], os.O_CREAT | os.O_EXCL))
except FileExistsError:
    sys.exit(3)
serve(Reference(), sys.stdin, sys.stdout)
"""


def test_an_implementation_that_starts_only_once(
    run: Cli, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "once.py"
    program.write_text(GREETS_ONCE)
    done = run("--impl", f"{sys.executable} {program} {tmp_path / 'mark'}", "--jobs", "2")
    assert done.exit_code == 2
    assert "once.py" in done.stderr
    assert "it did not introduce itself" in done.stderr
    assert "exit status 3" in done.stderr
    assert "Traceback" not in done.stderr + capfd.readouterr().err
