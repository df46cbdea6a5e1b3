"""ActiveMQ starts on new KahaDB stores, made of damaged ones, and delivers what is counted as carried over.

A sample; ``tools/newstore_trials.py --format kahadb_journal --product`` tries as many as are asked for.
"""

from __future__ import annotations

import shutil

import newstore_trials
import pytest
import stores

pytestmark = [pytest.mark.product, pytest.mark.java]


def test_activemq_delivers_what_the_report_counts(capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("java") is None:
        pytest.skip("no Java on PATH")
    if shutil.which("mvn") is None and not list((stores.cache() / "brokers").glob("kahadb-*")):
        pytest.skip("neither the broker's jars nor Maven are here")
    for version in ("5.8.0", "5.15.16", "6.1.7"):
        stores.written("kahadb", version, end="halt")
    status = newstore_trials.main(
        ["--format", "kahadb_journal", "--count", "25", "--seed", "47", "--product"]
    )
    text = capsys.readouterr().out
    assert status == 0, text
    (line,) = (line.split() for line in text.splitlines() if line.startswith("all"))
    kept, _, _, wrong, started = map(int, line[1:])
    assert (wrong, started) == (0, kept)
    assert kept >= 20
