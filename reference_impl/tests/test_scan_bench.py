"""Tests the benchmark of the readers on small files.

It prints a row for each format, and the simple loop and the scan find equal records.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
import scan_bench

from journalspec.formats import format_ids

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def test_benchmark_prints_a_row_for_each_format() -> None:
    pytest.importorskip("numpy", reason="NumPy is missing: pip install 'journalspec[corpus]'")
    words = [sys.executable, str(TOOLS / "scan_bench.py"), "--mb", "1", "--loops"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    found = {row[0]: [float(number) for number in row[1:]] for row in rows if row[0] in format_ids()}
    assert {*found} == {*format_ids()}
    assert all(len(row) == 6 and min(row) > 0 for row in found.values())
    assert all(f"def naive_{name.partition('_')[0]}" in done.stdout for name in format_ids())


@pytest.mark.parametrize("format_id", format_ids())
def test_plain_loop_finds_the_same_records(format_id: str, tmp_path: Path) -> None:
    make, naive, pattern = scan_bench.PLAIN[format_id]
    make(tmp_path, 1 << 19, random.Random(2))
    count = sum(naive(path) for path in tmp_path.glob(pattern))
    # The scan also counts the first record of a SwiftMQ log, which starts a generation.
    assert scan_bench.scanned(tmp_path) == count + (format_id == "swiftmq_store")
