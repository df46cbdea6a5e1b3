"""The pipeline on Spark: one stage over the numbers of shards.

Workers rebuild traces and states from the plan, judge them, and write each shard to the build directory
themselves (on a cluster: a directory that all workers share, and this package installed on each). Only
summaries are returned.
"""

from __future__ import annotations

import atexit
import os
import platform
import shutil
import sys
import tempfile
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from journalspec_corpus.pipeline.manifest import WORK
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.shards import BuildError, ShardsDone, sealed, tried, write_shard

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_POLL_SECONDS = 0.3
_LOOPBACK = "127.0.0.1"
#: The number of tasks per core. It is large enough that all cores finish at about the same time, and that a
#: lost worker costs little.
TASKS_PER_CORE = 8


def session(master: str | None = None) -> SparkSession:
    """Return a quiet Spark session; an active one is used as it is.

    The master is ``local[*]`` unless the program was submitted with another one. Spark's own files are in a
    scratch directory that is deleted when this process ends. Raises BuildError if PySpark or Java is missing.
    """
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415  # optional, and slow to import
    except ImportError:
        raise BuildError(
            "PySpark is not installed", "pip install 'journalspec[spark]', or --engine local"
        ) from None
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    quiet = Path(__file__).with_name("log4j2.properties")
    scratch = tempfile.mkdtemp(prefix="journalspec-")
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    java = [
        f"-Dlog4j2.configurationFile={quiet.as_uri()}",
        f'"-Djava.io.tmpdir={scratch}"',
        "-XX:-UsePerfData",
        # The work is done in Python: Java code does not run long enough for an optimising compiler.
        "-XX:TieredStopAtLevel=1",
    ]
    settings: dict[str, bool | float | int | str | None] = {
        "spark.app.name": "journalspec",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": " ".join(java),
    }
    if master is not None or "spark.master" not in os.environ.get("PYSPARK_SUBMIT_ARGS", ""):
        settings["spark.master"] = master = master or "local[*]"
        if master.startswith(("local", f"spark://{_LOOPBACK}:", "spark://localhost:")):
            # No connection comes from outside, so Java's warnings about host names are irrelevant.
            os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
            settings |= {"spark.driver.bindAddress": _LOOPBACK, "spark.driver.host": _LOOPBACK}
        if master.startswith("local"):
            # Spark removes its files when it ends normally, but not if it is killed.
            settings["spark.local.dir"] = scratch
    try:
        found = SparkSession.builder.config(map=settings).getOrCreate()
    except Exception as error:  # PySpark raises its own exceptions, those of Py4J, and RuntimeError.
        raise BuildError(
            f"Spark does not start: {_first_line(error)}",
            "Java 17 or newer must be on PATH or in JAVA_HOME and the master must answer; or --engine local",
        ) from None
    found.sparkContext.setLogLevel("ERROR")
    return found


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def run(
    plan: Plan,
    out: Path,
    shards: Sequence[int],
    progress: ShardsDone,
    spark: SparkSession,
    partitions: int,
) -> None:
    """Judge and write `shards` in `partitions` tasks. Call `progress` with the number of finished shards."""
    # Shards are distributed round robin: neighbouring shards cost about the same, so all tasks cost about the
    # same.
    dealt = [shard for start in range(partitions) for shard in shards[start::partitions]]
    # An error that a retry would not change is returned, not raised.
    work = partial(tried, partial(_write, plan, out.resolve()))
    job = spark.sparkContext.parallelize(dealt, partitions).map(work)
    already, stop = sealed(out), threading.Event()

    def watch() -> None:
        while not stop.wait(_POLL_SECONDS):
            progress(sealed(out) - already)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        done = job.collect()
    except Exception as error:  # These are exceptions of Py4J and PySpark, after Spark has stopped retrying.
        raise BuildError(
            f"Spark gave up: {_cause(error)}", "finished parts are kept: repeat the same command to continue"
        ) from None
    finally:
        stop.set()
        watcher.join()
    for answer in done:
        if isinstance(answer, Exception):
            raise answer
    progress(len(shards))


def _write(plan: Plan, out: Path, number: int) -> None:
    if not (out / WORK).is_dir():
        raise BuildError(
            f"{out} is not there on worker {platform.node()}",
            "choose a directory that the driver and all workers share",
        )
    write_shard(plan, out, number)


def _cause(error: BaseException) -> str:
    """Return the line with the cause in the text of a Java or Python error of a task."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if "Error: " in line or "Exception: " in line]
    return next((line for line in reversed(telling) if not line.startswith("at ")), _first_line(error))
