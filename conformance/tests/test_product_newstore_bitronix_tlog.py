"""BTM starts on new logs, made of damaged ones, and loads the decisions that the report counts.

A sample; ``python tools/newstore_trials.py --format bitronix_tlog --product`` tries as many as are asked for.
"""

from __future__ import annotations

import pytest
from newstore.bitronix_tlog import DEVIATION, EMPTY, EQUAL, NOTHING, PRODUCTS, trials

from products import Connect, Every, of_products

STARTS, SEED = 400, 47


@of_products
@pytest.mark.parametrize("product", PRODUCTS)
def test_the_product_loads_what_the_report_counts(
    product: str, connect_product: Connect, every: Every
) -> None:
    wrong: list[str] = []
    found = trials(connect_product(product), product, STARTS // every(20), SEED, wrong.append)
    assert wrong == []
    assert found.keys() <= {EQUAL, EMPTY, NOTHING, DEVIATION}
    assert found[EQUAL] > found[NOTHING] + found[DEVIATION]
