"""Compares the expectation file of every product with its answers on all captured files, including those of
other products.

Each product answers once without its expectation file. The answers are then compared with the file and with
the rules that generate it. Each product takes seconds, because no captured file causes a hang.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from known import FLAKY, explain

from journalspec_conformance.harnesses import registry
from journalspec_conformance.products import Product, get_product
from journalspec_conformance.running import RunRequest, prepare, run_probes
from journalspec_corpus.load import load_cases

#: The products that were run: unpublished ones have no expectations.
PRODUCTS = [
    # A default run uses the newest version of each product; its name has no version.
    pytest.param(name, marks=[pytest.mark.whole] if "-" in name else [])
    for name, entry in sorted(registry().items())
    if entry.product and entry.expectations
]
#: Seconds per question. An implementation that exceeds this limit 25 times in a row is not asked again.
TIMEOUT = 5.0


def own_cases(product: Product) -> set[str]:
    """Return the cases with files that a product wrote itself; there must be some."""
    every = [case for format_id in product.formats for case in load_cases(format_id, "captured")]
    own = {case.id for case in every if case.origin.base == product.id}
    assert own
    return own


@pytest.mark.product
@pytest.mark.java
@pytest.mark.parametrize("name", PRODUCTS)
def test_expectations_match_the_product_behaviour(name: str, ready_product: Callable[[str], Any]) -> None:
    product = get_product(ready_product(registry()[name].product).id)
    bound = prepare(RunRequest(name, tier="captured", timeout=TIMEOUT)).setup.expectations
    plain = prepare(RunRequest(name, tier="captured", timeout=TIMEOUT, expect="none"))
    with closing(plain.setup.open()) as engine:
        results = list(run_probes(plain.setup, plain.probes, 1, engine))
    applied = [bound.apply(result) for result in results]
    asked = [result.case for result in applied if result.result_class not in ("unsupported", "unasked")]
    # Many cases pass. If the product reads only one edition, at least the cases with its own files pass.
    assert len(asked) > 50 or {*asked} == own_cases(product)
    assert [(result.probe, result.reason) for result in applied if result.red] == []

    cases = {case.id: case for format_id in product.formats for case in load_cases(format_id, "captured")}
    known, unexplained = explain(product, {result.probe: result for result in results}, cases)
    assert [(result.probe, result.fingerprint) for result in unexplained] == []
    # The rules generate the expectation file again.
    failed = {result.probe for result in results if result.red}
    by_file = {
        (probe, entry.outcome, entry.deviation)
        for probe, entry in bound._bound.items()
        if probe in failed or entry.outcome == FLAKY
    }
    assert {(probe, fact.outcome, fact.rule.deviation) for probe, fact in known.items()} == by_file
