"""The products' answers to the worst cases are those in the findings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from worst import findings
from worst_findings import products, run

from journalspec_conformance.harnesses import registry

FORMATS = ("bitronix_tlog", "jboss_journal", "kahadb_journal")
RUNS = [
    (format_id, product)
    for format_id in FORMATS
    for product in products(format_id)
    if any(finding.product == product for finding in findings(format_id))
]

pytestmark = [pytest.mark.product, pytest.mark.java]


def test_at_least_five_products_have_findings() -> None:
    assert len(RUNS) >= 5


@pytest.mark.parametrize(("format_id", "product"), RUNS)
def test_products_answer_as_the_findings_state(
    format_id: str, product: str, ready_product: Callable[[str], Any]
) -> None:
    ready_product(registry()[product].product)
    written = [finding for finding in findings(format_id) if finding.product == product]
    assert list(run(format_id, product)) == written
