"""``journalspec new-harness``: the programs that it writes compile, and answer "unsupported" to each
question.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from journalspec.formats import format_ids, get_format
from journalspec_conformance.cli.new_harness import LANGUAGES
from journalspec_conformance.protocol import first_fault
from judged import call

#: Language -> a file that identifies it, the compiler, the command that builds the harness, and the command
#: that runs it.
TOOLS = {
    "c": (pytest.mark.toolchain, "cc", "make", "./harness"),
    "go": (pytest.mark.toolchain, "go", "go build -o harness .", "./harness"),
    "java": (pytest.mark.java, "javac", "javac Harness.java", "java Harness"),
    "javascript": (pytest.mark.node, "node", "node --check harness.js", "node harness.js"),
    "rust": (pytest.mark.toolchain, "cargo", "cargo build --offline --quiet", "target/debug/harness"),
}
#: A valid but unusual request: nested members repeat names, a name is escaped, `seq` comes last and has
#: blanks around it.
ODD = (
    '{"params":{"seq":"9","cmd":"bye","x":"}"},"cmd":"\\u0072ead","dir":"a\\"b\\\\","edition":"e","seq" : 7 }'
)


def test_every_language_is_tested() -> None:
    assert set(TOOLS) == set(LANGUAGES)


@pytest.mark.parametrize("language", [pytest.param(name, marks=about[0]) for name, about in TOOLS.items()])
def test_new_harness_compiles_and_answers_unsupported(language: str, tmp_path: Path) -> None:
    _, tool, build, run = TOOLS[language]
    if shutil.which(tool) is None:
        pytest.skip(f"needs {tool}")
    for format_id in format_ids():
        place = tmp_path / format_id
        done = call("new-harness", language, format_id, "--to", place, status=0)
        assert f"--format {format_id}" in done.output
    place = tmp_path / "derby_log"
    built = subprocess.run(build.split(), cwd=place, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert "warning" not in built.stderr
    asked = [json.dumps({"seq": 1, "cmd": "hello", "protocol": 1}), ODD]
    asked += [json.dumps({"seq": 8, "cmd": "recover", "policy": "strict", "dir": "d", "edition": "10.5"})]
    asked += [json.dumps({"seq": 9, "cmd": "bye"})]
    given = "".join(f"{line}\n" for line in asked)
    talk = subprocess.run(run.split(), cwd=place, input=given, capture_output=True, text=True, check=False)
    assert talk.returncode == 0, talk.stderr
    hello, *answers = map(json.loads, talk.stdout.splitlines())
    assert first_fault("reply-hello", hello) is None
    assert list(hello["formats"]) == ["derby_log"]
    assert hello["formats"]["derby_log"]["editions"] == list(get_format("derby_log").editions)
    assert answers == [
        {"seq": 7, "unsupported": {"what": "read"}},
        {"seq": 8, "unsupported": {"what": "recover"}},
    ]


def test_new_harness_writes_only_into_an_empty_or_new_directory(tmp_path: Path) -> None:
    place = tmp_path / "here"
    place.mkdir()
    (place / "mine").write_text("x")
    assert "here" in call("new-harness", "c", "derby_log", "--to", place, status=2).output
    assert [entry.name for entry in place.iterdir()] == ["mine"]
