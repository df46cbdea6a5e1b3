from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from journalspec_conformance.cli import COMMANDS, Subcommand
from journalspec_conformance.cli._tables import show_table
from journalspec_conformance.report import load_report
from judged import CASES, call, fake, has


def run(*arguments: object, status: int | None = None) -> Result:
    """Run `journalspec run` on the four cases of these tests, in this process."""
    return call("run", "--cases", CASES, *arguments, status=status)


def test_json_of_a_run_has_counts_failures_and_groups() -> None:
    data = json.loads(
        run("--impl", fake("refuses_all"), "--select", "btm.judge.clean/*", "--json", status=1).stdout
    )
    assert data["counts"] == {"fail": 1}
    assert data["failed"][0]["fingerprint"] == "refused:fileset/no-files"
    assert [group["fingerprint"] for group in data["groups"]] == ["refused:fileset/no-files"]


def test_reports_are_exported_and_compared(tmp_path: Path) -> None:
    good, bad, fewer = tmp_path / "good.jsonl", tmp_path / "bad.jsonl", tmp_path / "fewer.jsonl"
    run("--impl", "reference", "--report", good, "--jobs", "2", status=0)
    run("--impl", fake("forgets_records"), "--report", bad, status=1)
    run("--impl", "reference", "--report", fewer, "--select", "**/read", status=0)
    report = load_report(good)
    assert (report.header["target"], report.counts) == ("reference", {"pass": 10})
    call("summary", good, status=0)
    assert "<testsuites>" in call("summary", bad, "--format", "junit", status=1).stdout
    assert "## journalspec-reference" in call("summary", bad, "--format", "markdown").stdout
    assert "| bitronix_tlog | 10/10 |" in call("matrix", good, bad, "--markdown", status=0).stdout
    assert "BTM-" in call("matrix", good, bad, "--by", "requirement").stdout
    assert "not alike" not in call("matrix", good, bad).stdout
    assert "not alike in corpus" in call("matrix", good, fewer).stdout
    assert "\n- not alike in corpus" in call("matrix", good, fewer, "--markdown").stdout
    bad.write_text(bad.read_text().rsplit("\n", 2)[0] + "\n")
    assert "footer is missing" in call("summary", bad, status=2).stderr


def test_update_of_known_failures_makes_the_next_run_green(tmp_path: Path) -> None:
    report, expect = tmp_path / "r.jsonl", tmp_path / "expect.toml"
    impl = ("--impl", fake("forgets_records"), "--select", "**/read")
    run(*impl, "--report", report, status=1)
    assert "added btm.judge.clean/read" in call("expect", "--update", expect, report, status=0).stdout
    refused = run(*impl, "--expect", expect, status=2)
    assert "the reason of the failure is missing" in refused.stderr
    expect.write_text(expect.read_text().replace("TODO: ", "forgets: "))
    run(*impl, "--expect", expect, status=0)
    fixed = run("--impl", "reference", "--expect", expect, "--report", report, status=1)
    assert "fixed" in fixed.stdout
    assert "removed btm.judge.clean/read" in call("expect", "--update", expect, report).stdout
    assert expect.read_text().strip() == ""


def test_should_is_enforced_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(CASES.read_text().replace('"level": "must"', '"level": "should"'))
    arguments = ("run", "--cases", path, "--impl", fake("forgets_records"), "--select", "**/read")
    call(*arguments, status=0)
    call(*arguments, "--enforce-should", status=1)


def test_unwritable_report_does_not_lose_the_results(tmp_path: Path) -> None:
    """If the report cannot be opened, no question is asked; if writing fails later, results are printed
    first.
    """
    nowhere = run("--impl", "reference", "--report", tmp_path / "no" / "r.jsonl", status=2)
    assert nowhere.stdout == ""
    assert "No such file or directory" in nowhere.stderr
    if Path("/dev/full").exists():
        full = run("--impl", "reference", "--report", "/dev/full", status=2)
        assert "as expected: 10 judged" in full.stdout
        said = "Error: /dev/full: No space left on device\n  next  make room, or write to another disk\n"
        assert full.stderr == said


def test_names_in_tables_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(["[red]a", "b"], [["[/]\x1b[2J", "c\nd"]], "[/nothing]\x07")
    assert capsys.readouterr().out.splitlines() == ["[/nothing]\\x07", "[red]a      b", "[/]\\x1b[2J  c\\nd"]


def test_long_value_is_shortened_in_text_and_complete_in_json() -> None:
    name = "drb.write.switch"
    shown, data = call("show", name, "--no-hex"), call("show", name, "--json")
    assert max(map(len, shown.stdout.splitlines())) < 1000
    values = [op.get("value", "") for op in json.loads(data.stdout)["write"]["ops"]]
    # The letters take more than one byte each, and even more bytes as JSON.
    assert max(len(value.encode()) for value in values) > 10000
    assert re.search(r'"\\ud83d.*\.\.\. \(4000 letters\)', shown.stdout)


def raising(error: Exception) -> Callable[..., None]:
    def broken(*_: object) -> None:
        raise error

    return broken


def test_internal_error_is_one_paragraph_and_lack_of_memory_is_not_an_internal_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("journalspec_conformance.cli.run.prepare", raising(MemoryError()))
    done = call("run", "--impl", "reference", status=2)
    assert "not enough memory" in done.stderr
    assert "fault" not in done.stderr
    monkeypatch.setattr("journalspec_conformance.cli.run.prepare", raising(ZeroDivisionError("by zero")))
    done = call("run", "--impl", "reference", status=2)
    assert "fault of journalspec, please report it: ZeroDivisionError" in done.stderr
    monkeypatch.setenv("JOURNALSPEC_TRACEBACK", "1")
    assert isinstance(call("run", "--impl", "reference").exception, ZeroDivisionError)


def test_help_lists_every_command_and_the_exit_statuses() -> None:
    text = call("--help").stdout
    for name, entry in COMMANDS.items():
        shown = call(name, "--help")
        if shown.exit_code == 0:
            assert entry.summary in text
            assert "Exit status" in shown.stdout or name in ("products", "corpus", "results")


def test_command_with_a_missing_module_does_not_break_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "ghost", Subcommand("ghost", "command", "Not there."))
    assert "ghost" not in call("--help").stdout
    call("ghost", status=2)
    call("formats", status=0)


def test_the_installed_command_starts_fast_and_imports_little() -> None:
    code = (
        "import sys; from journalspec_conformance.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'rich', 'construct', 'jsonschema', 'tomlkit', 'journalspec_corpus'}\n"
        "print(heavy & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "set()\n"


def test_archive_command_prints_the_number_of_cases_and_bytes(tmp_path: Path) -> None:
    out = tmp_path / "c.tar"
    done = call(
        "corpus", "archive", "--tier", "captured", "--format", "jboss_journal", "--out", out, status=0
    )
    assert f" cases in {out}, {out.stat().st_size} bytes" in done.stdout


def test_github_gets_one_annotation_per_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "r.jsonl"
    arguments = ("--impl", fake("refuses_all"), "--select", "**/read")
    assert "::error" not in run(*arguments, "--report", report).stdout
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    marked = [line for line in run(*arguments).stdout.splitlines() if line.startswith("::error ")]
    assert len(marked) == 1
    assert "fail refused%3Afileset/no-files::fail refused:fileset/no-files: btm." in marked[0]
    assert not [line for line in run("--impl", "reference").stdout.splitlines() if line.startswith("::")]


def test_report_without_tested_probes_is_not_a_success(tmp_path: Path) -> None:
    report = tmp_path / "r.jsonl"
    run("--impl", fake("declares_nothing"), "--report", report, status=2)
    has(call("summary", report, status=1).stdout, "0 judged, 10 not (unsupported 10)", "nothing was judged")


@pytest.mark.parametrize("link", [None, "symlink_to", "hardlink_to"])
@pytest.mark.parametrize("option", ["--cases", "--expect"])
def test_report_does_not_replace_an_input_file(option: str, link: str | None, tmp_path: Path) -> None:
    read = {"--cases": tmp_path / "cases.jsonl", "--expect": tmp_path / "expect.toml"}
    read["--cases"].write_bytes(CASES.read_bytes())
    read["--expect"].write_text("# nothing\n")
    before = {path: path.read_bytes() for path in read.values()}
    report = read[option]
    if link is not None:
        report = tmp_path / "report.jsonl"
        getattr(report, link)(read[option])
    options = [part for name, path in read.items() for part in (name, path)]
    # The implementation cannot be started, so no question was asked.
    done = call("run", *options, "--impl", "./gone --x", "--report", report, status=2)
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


def test_implementation_that_starts_only_once_is_an_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "once.py"
    program.write_text(GREETS_ONCE)
    done = run("--impl", f"{sys.executable} {program} {tmp_path / 'mark'}", "--jobs", "2", status=2)
    has(done.stderr, "once.py", "it did not answer hello", "exit status 3")
    assert "Traceback" not in done.stderr + capfd.readouterr().err
