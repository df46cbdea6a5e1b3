"""BTM starts on new logs, made from damaged ones, and loads the decisions that the report counts.

This is a sample; ``python tools/newstore_trials.py --format bitronix_tlog --product`` tries any number.
"""

from __future__ import annotations

import newstore_trials
import pytest
from newstore.bitronix_tlog import PRODUCTS

from products import Every, ReadyProduct, of_products


@of_products
def test_products_load_the_decisions_that_the_report_counts(
    capsys: pytest.CaptureFixture[str], ready_product: ReadyProduct, every: Every
) -> None:
    for product in PRODUCTS:
        ready_product(product)
    count = str(600 // every(20))
    status = newstore_trials.main(
        ["--format", "bitronix_tlog", "--count", count, "--seed", "47", "--product"]
    )
    text = capsys.readouterr().out
    assert status == 0, text
    (line,) = (line.split() for line in text.splitlines() if line.startswith("all"))
    kept, _, _, wrong, started, _ = map(int, line[1:])
    # No product has the edition `seed`.
    assert wrong == 0
    assert kept >= started > int(count) // 2
