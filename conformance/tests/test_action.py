"""The project's GitHub Action: the tests run its steps as GitHub does, in bash with the given inputs."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "harness"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, JUDGE = ACTION["runs"]["steps"]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash, as the action does")


def filled(text: str, inputs: dict[str, str], path: Path) -> str:
    """Return `text` with the expressions of GitHub replaced, as far as the action uses them."""
    values = {name: about.get("default") for name, about in ACTION["inputs"].items()} | inputs
    for name, value in values.items():
        text = text.replace(f"${{{{ inputs.{name} }}}}", str(value))
    return text.replace("${{ github.action_path }}", str(path))


def step(
    given: dict[str, Any], inputs: dict[str, str], work: Path, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run a step in `work`. As with GitHub's `shell: bash`, the first command that fails ends the step."""
    assert given["shell"] == "bash"
    own = {name: filled(text, inputs, work / "action") for name, text in given["env"].items()}
    own |= {"RUNNER_TEMP": str(work / "temp"), "GITHUB_STEP_SUMMARY": str(work / "summary.md")}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", given["run"]]
    return subprocess.run(
        command, cwd=work, env={**os.environ, "GITHUB_ACTIONS": "true", **own, **env},
        text=True, capture_output=True, check=False,
    )  # fmt: skip


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return a directory with the tutorial's reader, and a journalspec command where the first step installs
    it.
    """
    for source in TUTORIAL.glob("*.py"):
        shutil.copy(source, tmp_path)
    tool = tmp_path / "temp" / "journalspec" / "bin" / "journalspec"
    tool.parent.mkdir(parents=True)
    tool.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m journalspec_conformance "$@"\n')
    tool.chmod(0o755)
    return tmp_path


def test_first_step_installs_from_the_path_of_the_action(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    fake = tmp_path / "bin" / "python3"
    fake.parent.mkdir()
    fake.write_text(
        f'#!/bin/sh\necho "$@" >> {shlex.quote(str(calls))}\n'
        '[ "$2" = venv ] && mkdir -p "$3/bin" && cp "$0" "$3/bin/python"\nexit 0\n'
    )
    fake.chmod(0o755)
    done = step(INSTALL, {}, tmp_path, PATH=f"{fake.parent}:{os.environ['PATH']}")
    assert done.returncode == 0, done.stderr
    assert calls.read_text().splitlines() == [
        f"-m venv {tmp_path}/temp/journalspec",
        f"-m pip install --quiet {tmp_path}/action",
    ]


def test_failing_reader_ends_with_1_and_gets_annotations_summary_and_red_badge(work: Path) -> None:
    reader = work / "my_reader.py"
    sound = reader.read_text(encoding="utf-8")
    assert sound.count("start = 21") == 1
    inputs = {"impl": f"{shlex.quote(sys.executable)} my_reader.py", "format": "bitronix_tlog"}
    assert step(JUDGE, inputs, work).returncode == 0
    reader.write_text(sound.replace("start = 21", "start = 22"), encoding="utf-8")
    done = step(JUDGE, inputs, work)
    assert done.returncode == 1, done.stderr
    assert "::error title=" in done.stdout
    assert "bitronix_tlog" in (work / "summary.md").read_text(encoding="utf-8")
    badge = json.loads((work / ACTION["inputs"]["badge"]["default"]).read_text(encoding="utf-8"))
    assert (badge["schemaVersion"], badge["label"], badge["color"]) == (1, "journalspec", "red")


def test_reference_gets_a_green_badge_for_a_single_tier(work: Path) -> None:
    inputs = {"impl": "reference", "format": "bitronix_tlog", "tier": "worst", "badge": "out.json"}
    done = step(JUDGE, inputs, work)
    assert done.returncode == 0, done.stderr
    badge = json.loads((work / "out.json").read_text(encoding="utf-8"))
    assert badge["color"] == "green"
    assert badge["message"].startswith("worst ")


def test_wrong_input_is_reported_and_writes_no_badge(work: Path) -> None:
    done = step(JUDGE, {"impl": "reference", "format": "no_such"}, work)
    assert done.returncode == 2
    assert "no_such" in done.stderr
    assert not (work / ACTION["inputs"]["badge"]["default"]).exists()
