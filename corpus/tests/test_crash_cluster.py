"""A build on a Spark cluster that loses a worker in mid-run gets through, and writes the same bytes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from journalspec_corpus.pipeline.build import Engine, build
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.store import sealed

pytestmark = [pytest.mark.spark, pytest.mark.java]

FORMAT = "bitronix_tlog"
PLAN = Plan(FORMAT, "core", every=97)
PATIENCE = 180.0
HOST = "127.0.0.1"
COMMAND = [sys.executable, "-c", "from journalspec_conformance.cli import main; main()", "corpus", "build"]


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return build(PLAN, tmp_path_factory.mktemp("cluster") / "out", Engine("local", jobs=2))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def family(pid: int) -> list[int]:
    """Return a process and all that came from it (Linux)."""
    try:
        threads = [path / "children" for path in Path(f"/proc/{pid}/task").iterdir()]
        children = [text for path in threads for text in path.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return [pid]
    return [pid, *(found for child in children for found in family(int(child)))]


def end(pids: list[int]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def until(holds: Callable[[], bool], what: str) -> None:
    stop = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < stop, what
        time.sleep(0.02)


@dataclass
class Cluster:
    """A standalone master with two workers of one core each, as PySpark's own files start them."""

    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    url: str = ""

    def start(self) -> None:
        port = free_port()
        self.url = f"spark://{HOST}:{port}"
        self._spark("master", "master.Master", "--host", HOST, "--port", str(port), "--webui-port", "0")
        until(lambda: "I have been elected leader" in self.log("master"), self.log("master"))
        for number in (1, 2):
            options = ["--host", HOST, "--webui-port", "0", "--cores", "1", "--memory", "1g"]
            work = str(self.folder / f"work-{number}")
            self._spark(f"worker-{number}", "worker.Worker", *options, "--work-dir", work, self.url)
        until(lambda: self.log("master").count("Registering worker") == 2, self.log("master"))

    def _spark(self, name: str, module: str, *options: str) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        java = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{module}", *options]
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes.append(
                subprocess.Popen(
                    java,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    env=os.environ | {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": HOST},
                )
            )

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def stop(self) -> None:
        end([pid for process in self.processes for pid in family(process.pid)])
        for process in self.processes:
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is missing on PATH")
    if not Path("/proc/self/task").is_dir():
        pytest.skip("finds worker processes in /proc")
    made = Cluster(tmp_path)
    try:
        made.start()
        yield made
    finally:
        made.stop()


def building(out: Path, master: str) -> list[str]:
    plan = ["--tier", "core", "--format", FORMAT, "--every", str(PLAN.every), "--out", str(out), "--json"]
    return [*COMMAND, *plan, "--engine", "spark", "--master", master]


def test_a_cluster_that_loses_a_worker_writes_the_same_bytes(
    tmp_path: Path, cluster: Cluster, reference: Any
) -> None:
    out = tmp_path / "out"
    driver = subprocess.Popen(
        building(out, cluster.url), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    lost = cluster.processes[2]
    try:
        until(lambda: sealed(out) >= 2 or driver.poll() is not None, "nothing was sealed")
        assert driver.poll() is None, driver.communicate()
        # The worker, its executor and the Python processes of that are gone at once.
        doomed = family(lost.pid)
        commands = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in doomed]
        before = sealed(out)
        end(doomed)
        assert 0 < before < PLAN.shards()
        assert any(b"CoarseGrainedExecutorBackend" in text for text in commands)
        assert any(b"pyspark" in text and b"daemon" in text for text in commands)
        printed, said = driver.communicate(timeout=PATIENCE)
    finally:
        end(family(driver.pid))
        driver.wait()
    assert driver.returncode == 0, said
    assert "Lost executor" in said
    assert "Removing worker" in cluster.log("master") or "removing it" in cluster.log("master")
    manifest = json.loads(printed)
    assert manifest["digest"] == reference["digest"]
    assert manifest["strata"] == reference["strata"]
    assert manifest["run"]["master"] == cluster.url
    assert manifest["run"]["shards_run"] == PLAN.shards()


def test_one_core_of_spark_writes_the_same_bytes(tmp_path: Path, reference: Any) -> None:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is missing on PATH")
    done = subprocess.run(
        [*building(tmp_path / "out", "local[1]"), "--partitions", "7"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["digest"] == reference["digest"]


def test_a_cluster_that_is_not_there_is_said(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is missing on PATH")
    done = subprocess.run(
        building(tmp_path / "out", "nonsense://nowhere"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "Spark does not start" in done.stderr
    assert "Traceback" not in done.stderr
