"""The plugin in a separate pytest, as users run it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from journalspec_conformance.selection import cases_of, probes_of
from judged import fake, has
from tables import table

SOME = "--journalspec-select=btm.clean.*/read"
ONE = "btm.clean.two-phase/read"


pytest_plugins = ["pytester"]

Run = Callable[..., pytest.RunResult]
ARGUMENTS = ("-p", "no:cacheprovider", "--pyargs", "journalspec_conformance")


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    return lambda *arguments: pytester.runpytest_inprocess(*ARGUMENTS, *arguments)


@pytest.fixture(scope="module")
def chosen() -> list[str]:
    return [probe.id for probe in probes_of(cases_of("smoke"), ["btm.clean.*/read"])]


def test_plugin_adds_nothing_without_its_options(run: Run, tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text("def test_own(): pass\n")
    words = [sys.executable, "-m", "pytest", "-q", "test_own.py"]
    own = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "journalspec" not in own.stdout.replace(str(tmp_path), "")
    assert run("-q").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    heavy = {"construct", "tomlkit", "jsonschema", "journalspec_corpus", "journalspec_reference", "rich"}
    code = f"import sys, journalspec_conformance.plugin; print({heavy!r} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout == "set()\n"


def test_each_probe_is_one_item_with_properties(
    run: Run, chosen: list[str], pytester: pytest.Pytester
) -> None:
    done = run("--journalspec-impl=reference", SOME, "-v", "--junitxml=out.xml")
    assert done.ret == 0, str(done.stdout) + str(done.stderr)
    for probe in chosen:
        assert f"journalspec::{probe} PASSED" in str(done.stdout)
    cases = list(ET.parse(pytester.path / "out.xml").iter("testcase"))  # noqa: S314 - pytest's own output
    assert [case.get("name") for case in cases] == chosen
    properties = {item.get("name"): item.get("value") for item in cases[0].iter("property")}
    assert properties["class"] == "pass"
    assert properties["case"] == chosen[0].partition("/")[0]
    assert "requirement" in properties


def test_items_are_selected_by_keyword(run: Run, chosen: list[str]) -> None:
    name = chosen[0].partition("/")[0].rpartition(".")[2]
    done = run("--journalspec-impl=reference", SOME, "-k", name, "--collect-only", "-q")
    listed = [line for line in done.outlines if "::" in line]
    assert listed == [f"journalspec::{probe}" for probe in chosen if name in probe]


def test_failure_is_explained_without_a_traceback(run: Run) -> None:
    done = run(f"--journalspec-impl={fake('forgets_records')}", f"--journalspec-select={ONE}")
    assert done.ret == 1
    said = str(done.stdout)
    has(said, f"fail records:missing: {ONE}", "requirements:", "first difference, at records[")
    has(said, "around offset", "gtrid=", "repeat:\n  journalspec run --impl")
    assert "engine.py" not in said
    assert "Traceback" not in said


def test_unsupported_is_skipped_with_its_reason(run: Run) -> None:
    done = run(f"--journalspec-impl={fake('declares_nothing')}", SOME, "-rs")
    assert done.ret == 1, "a run without a supported probe is not a success"
    has(str(done.stdout), "0 judged", "a skipped probe is no success", "unsupported: format bitronix_tlog")
    assert "passed" not in str(done.stdout)


def test_known_failure_is_xfailed_and_fixed_one_is_an_error(run: Run, pytester: pytest.Pytester) -> None:
    entry = f'[[expect]]\ncase = "{ONE}"\noutcome = "fail"\nwhy = "it forgets"\n'
    (pytester.path / "expect.toml").write_text(entry)
    arguments = (f"--journalspec-select={ONE}", "--journalspec-expect=expect.toml", "-rx")
    known = run(f"--journalspec-impl={fake('forgets_records')}", *arguments)
    assert known.ret == 0
    has(str(known.stdout), "1 xfailed", "it forgets")
    fixed = run(f"--journalspec-impl={fake('perfect')}", *arguments)
    assert fixed.ret == 1
    assert "remove the entry" in str(fixed.stdout)


def test_plugin_works_with_xdist(run: Run, chosen: list[str]) -> None:
    pytest.importorskip("xdist")
    done = run("--journalspec-impl=reference", SOME, "-n", "2", "-q")
    assert done.ret == 0, str(done.stdout) + str(done.stderr)
    assert f"{len(chosen)} passed" in str(done.stdout)


@pytest.mark.parametrize(("arguments", "message"), table("judging")["pytest_plugin"]["usage"])
def test_wrong_options_are_usage_errors(run: Run, arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert message in str(done.stderr)
    assert "Traceback" not in str(done.stderr) + str(done.stdout)


def test_implementation_without_hello_ends_the_session(run: Run) -> None:
    done = run(f"--journalspec-impl={sys.executable} -c print('hello')", SOME)
    assert done.ret == 2
    assert "did not answer hello" in str(done.stdout) + str(done.stderr)
