"""Builds in several processes, on one machine or a cluster: they are killed or interrupted, run out of space,
or lack optional packages.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from journalspec_corpus.pipeline.build import Builder, alone, build, prepare
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.shards import BuildError, sealed
from programs import alive

FORMAT = "bitronix_tlog"
#: Six shards, so that the kill comes before the end of the build even on a busy machine.
PLAN = Plan(FORMAT, "core", every=97)
#: A shorter plan for tests that do not depend on time.
SHORT = Plan(FORMAT, "core", every=499)
MAIN = "from journalspec_conformance.cli import main; main()"
#: Seconds: longer than any shard of the plan takes on a busy machine.
PATIENCE = 180.0


@pytest.fixture(scope="module")
def reference(core_build: Callable[[Plan], Path]) -> Any:
    return json.loads((core_build(PLAN) / "manifest.json").read_text())


def command(*arguments: str, before: str = "") -> list[str]:
    return [sys.executable, "-c", f"{before}\n{MAIN}", "corpus", *arguments]


def building(out: Path, *more: str, plan: Plan = PLAN) -> list[str]:
    given = ["--tier", "core", "--format", FORMAT, "--every", str(plan.every), "--out", str(out)]
    return ["build", *given, *(more or ("--jobs", "2"))]


def start(out: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*building(out)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(*arguments: str, before: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    return finished(command(*arguments, before=before), **options)


def finished(words: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def until(holds: Callable[[], bool], process: subprocess.Popen[Any] | None = None) -> None:
    """Wait until a condition holds; fail if the process ends earlier."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)


def family(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    with suppress(psutil.NoSuchProcess):
        return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
    return [pid]


def runs(pids: list[int], name: str) -> bool:
    """Return whether the command line of one of the processes contains this text."""
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            if any(name in word for word in psutil.Process(pid).cmdline()):
                return True
    return False


def two_workers(process: subprocess.Popen[str]) -> list[int]:
    """Return both workers of a build (Linux), without Python's resource tracker, which is also a child."""

    def workers() -> list[int]:
        return [pid for pid in family(process.pid)[1:] if runs([pid], "spawn_main")]

    until(lambda: len(workers()) == 2, process)
    return workers()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds worker processes in /proc")
def test_killed_builds_continue_with_the_same_result(tmp_path: Path, reference: Any) -> None:
    out = tmp_path / "out"
    # The builder is killed, then a worker; then Ctrl-C comes. Sealed shards remain, and no process continues.
    process = start(out)
    until(lambda: sealed(out) >= 1, process)
    workers = two_workers(process)
    process.kill()
    # The workers share the standard output. When it is closed, they end and print nothing.
    assert process.communicate() == ("", "")
    until(lambda: not any(map(alive, workers)))
    before = sealed(out)
    assert 0 < before < PLAN.shards()
    process = start(out)
    os.kill(two_workers(process)[0], signal.SIGKILL)
    _, said = process.communicate()
    assert process.returncode == 1
    assert "a worker process ended with signal SIGKILL; the system may have run out of memory" in said
    assert "repeat the same command to continue" in said
    assert "Traceback" not in said
    assert before <= sealed(out) < PLAN.shards()
    process = start(out)
    two_workers(process)
    # A terminal sends the signal to the whole foreground process group.
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "interrupted; finished parts are kept" in said
    assert "Traceback" not in said
    assert sealed(out) < PLAN.shards()
    # Two processes write the same output as one process.
    manifest = build(PLAN, out, Builder(jobs=2))
    run, _ = manifest.pop("run"), manifest.pop("seal")
    assert manifest == {name: of for name, of in reference.items() if name not in ("run", "seal")}
    assert run["workers"] == 2
    assert run["shards_run"] < PLAN.shards()
    assert sorted(path.name for path in out.iterdir()) == [
        "cases.jsonl.gz",
        "manifest.json",
        "plan.json",
        "states",
    ]
    assert not list((out / "states").glob(".*"))


def test_files_of_a_killed_merge_are_removed(tmp_path: Path, core_build: Callable[[Plan], Path]) -> None:
    out, whole = tmp_path / "out", json.loads((core_build(SHORT) / "manifest.json").read_text())
    prepare(SHORT, out)
    for folder in (out / "states", out / "work" / "states"):
        folder.mkdir()
        (folder / "part-00000.parquet").write_bytes(b"of another one")
    (out / "work" / "states" / ".part-00000.parquet.77.partial").write_bytes(b"half")
    (out / ".manifest.json.77.partial").write_text("{")
    assert build(SHORT, out, Builder())["digest"] == whole["digest"]
    names = sorted(path.name for path in (out / "states").iterdir())
    assert names == sorted(Path(part["file"]).name for part in whole["parts"])
    assert not (out / ".manifest.json.77.partial").exists()


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_full_disk_in_a_worker_is_reported_and_leaves_no_partial_file(tmp_path: Path) -> None:
    """test_corpus_verify.py does this for one process, at every file."""
    out = tmp_path / "out"
    done = run(*building(out, "--jobs", "2", plan=SHORT), preexec_fn=limited)
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert "finished parts are kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((out / "work").glob(".*"))


def test_two_builds_cannot_use_one_directory(tmp_path: Path) -> None:
    prepare(PLAN, tmp_path / "out")
    with alone(tmp_path / "out"), pytest.raises(BuildError, match="another build is at work"):
        build(PLAN, tmp_path / "out", Builder())


def test_internal_error_in_a_worker_is_reported_as_internal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Workers receive their work as a message. This worker receives an invalid message.
    broken = Plan(FORMAT, "core", every=97, presets=("no-such-preset",))
    monkeypatch.setattr(Plan, "shards", lambda plan: 3)
    with pytest.raises(BuildError, match="no preset 'no-such-preset'") as caught:
        build(broken, tmp_path / "out", Builder(jobs=2))
    assert "JOURNALSPEC_TRACEBACK" in caught.value.hint


WITHOUT = "import sys; sys.modules[{!r}] = None"


@pytest.mark.parametrize("missing", ["numpy", "pyarrow"])
def test_missing_optional_packages_are_reported(tmp_path: Path, missing: str) -> None:
    before = WITHOUT.format(missing)
    done = run(*building(tmp_path / "out"), before=before)
    assert done.returncode == 2
    assert "pip install 'journalspec[corpus]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
    listed = run("--help", before=before)
    assert listed.returncode == 0
    assert "verify" in listed.stdout


def test_build_is_verified_and_reported_without_numpy_and_pyarrow(core_build: Callable[[Plan], Path]) -> None:
    before = "import sys; sys.modules.update(numpy=None, pyarrow=None)"
    for name in ("verify", "report"):
        done = run(name, str(core_build(SHORT)), before=before)
        assert done.returncode == 0, done.stderr


# --- On a Spark cluster ----------------------------------------------------------------------------


def end(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


#: Options that let executors start as quickly as the driver: optimising compilation is not worth its time.
QUICK = "--conf spark.executor.extraJavaOptions='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' pyspark-shell"


@pytest.fixture
def java() -> None:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is missing on PATH")


def submitting(out: Path, master: str, *more: str) -> list[str]:
    return command(*building(out, "--json", "--engine", "spark", "--master", master, *more, plan=PLAN))


@pytest.mark.spark
@pytest.mark.java
@pytest.mark.usefixtures("java")
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds worker processes in /proc")
def test_cluster_that_loses_a_worker_writes_the_same_bytes(tmp_path: Path, reference: Any) -> None:
    """Spark starts this cluster: two executors with one core each, in separate processes."""
    out = tmp_path / "out"
    words = submitting(out, "local-cluster[2,1,1024]")
    driver = subprocess.Popen(
        words,
        env={**os.environ, "PYSPARK_SUBMIT_ARGS": QUICK},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def at_work() -> list[int]:
        """Return the processes of those executors whose Python has started."""
        own = [pid for pid in family(driver.pid) if runs([pid], "CoarseGrainedExecutorBackend")]
        families = [found for found in map(family, own) if runs(found, "pyspark.daemon")]
        return families[0] if families else []

    try:
        until(lambda: sealed(out) >= 2 and bool(at_work()), driver)
        before = sealed(out)
        end(at_work())
        assert 0 < before < PLAN.shards()
        printed, said = driver.communicate(timeout=PATIENCE)
    finally:
        end(family(driver.pid))
        driver.wait()
    assert driver.returncode == 0, said
    assert "Lost executor" in said
    manifest = json.loads(printed)
    assert manifest["digest"] == reference["digest"]
    assert manifest["strata"] == reference["strata"]
    assert manifest["run"]["master"] == "local-cluster[2,1,1024]"
    assert manifest["run"]["shards_run"] == PLAN.shards()


@pytest.mark.spark
@pytest.mark.java
@pytest.mark.usefixtures("java")
def test_unreachable_cluster_is_reported(tmp_path: Path) -> None:
    done = finished(submitting(tmp_path / "out", "nonsense://nowhere"))
    assert done.returncode == 1
    assert "Spark does not start" in done.stderr
    assert "Traceback" not in done.stderr
