"""The pipeline on Spark: one mapInArrow stage whose rows are shard numbers.

Workers rebuild traces and states from the plan, judge them, and write each
shard to the build directory themselves (on a cluster: a directory that all
workers share, and this package installed on each). Only summaries come back.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.store import BuildError, sealed, write_shard

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SUMMARY = "shard int, states long"
_POLL_SECONDS = 0.3


def session(master: str | None = None) -> SparkSession:
    """Return a quiet Spark session; an active one is used as it is.

    The default master is ``local[*]`` unless the program was submitted with
    another one. Raises BuildError if PySpark or Java is missing.
    """
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415  # an optional part, and slow to import
    except ImportError:
        raise BuildError(
            "PySpark is not installed", "pip install 'journalspec[spark]', or --engine local"
        ) from None
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Java's own words about modules and host names are no news to anyone.
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    quiet = Path(__file__).with_name("log4j2.properties")
    builder = SparkSession.builder.appName("journalspec").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={quiet.as_uri()}")
    if master is not None or "spark.master" not in os.environ.get("PYSPARK_SUBMIT_ARGS", ""):
        builder = builder.master(master or "local[*]")
        # Without a cluster nothing needs to be reached from outside.
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config(
            "spark.driver.host", "127.0.0.1"
        )
    try:
        found = builder.getOrCreate()
    except Exception as error:  # PySpark raises its own, Py4J's and RuntimeError
        raise BuildError(
            f"Spark does not start: {error}",
            "Java 17 or newer must be on PATH or in JAVA_HOME; or --engine local",
        ) from None
    found.sparkContext.setLogLevel("ERROR")
    return found


def run(
    plan: Plan,
    out: Path,
    shards: Sequence[int],
    progress: Callable[[int], None],
    *,
    spark: SparkSession,
    partitions: int,
) -> None:
    """Judge and write `shards` in `partitions` tasks; call `progress` with the number done."""
    if not shards:
        return
    rows = [(number,) for number in _dealt(shards, partitions)]
    frame = spark.createDataFrame(spark.sparkContext.parallelize(rows, partitions), "shard int")
    job = frame.mapInArrow(_Stage(plan, str(out.resolve())), _SUMMARY)
    already = sealed(out)
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(_POLL_SECONDS):
            progress(sealed(out) - already)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        done = job.collect()
    finally:
        stop.set()
        watcher.join()
    if sorted(row["shard"] for row in done) != sorted(shards):
        raise BuildError("Spark lost shards", "run the same command again: what is finished is kept")
    progress(len(shards))


def _dealt(shards: Sequence[int], partitions: int) -> list[int]:
    """Return `shards` dealt out like cards: neighbours cost alike, so each task gets some of each."""
    return [shard for start in range(partitions) for shard in shards[start::partitions]]


class _Stage:
    """The function of the stage: shard numbers in, summaries out."""

    def __init__(self, plan: Plan, out: str) -> None:
        self._plan = plan
        self._out = out

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            done = [
                write_shard(self._plan, Path(self._out), number) for number in batch.column(0).to_pylist()
            ]
            yield pa.RecordBatch.from_pydict(
                {
                    "shard": pa.array([entry.shard for entry in done], pa.int32()),
                    "states": pa.array([entry.states for entry in done], pa.int64()),
                }
            )
