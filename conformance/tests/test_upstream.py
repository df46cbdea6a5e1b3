"""Reports for maintainers of products: they are self-contained, and the products still behave as reported."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import upstream

from products import Every, ReadyProduct, of_products

REPORTS = list(upstream.reports())
PRODUCTS = sorted({report.product.id for report in REPORTS})
HEADINGS = ("What happens", "How to see it", "What is expected", "What it costs a user", "Suggested change")
#: Words that a maintainer of a product does not know.
OURS = re.compile(
    r"\b(journalspec|salvage|strict|deviations?|requirements?|corpus|probes?|editions?|conformance|laps?|gtrids?|verdicts?)\b"
    r"|[A-Z]{3}-[A-Z]{3}-\d+",
    re.IGNORECASE,
)


def test_at_least_thirty_reports_exist_and_each_reports_a_fault() -> None:
    assert len({report.deviation.id for report in REPORTS}) == len(REPORTS) >= 30
    assert {report.deviation.kind for report in REPORTS} == {"errata"}


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.deviation.id)
def test_report_is_complete_and_uses_words_that_its_reader_knows(report: upstream.Report) -> None:
    """The program in the report imports only classes of the product and of Java."""
    assert OURS.findall(re.sub(r"`[^`]*`", "", report.text)) == []
    for heading in HEADINGS:
        section = report.text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
        assert len(section.split()) >= 5, heading
    assert report.entry["prints"].strip()
    found = set(re.findall(r"^import ([\w.]+);", report.program, re.MULTILINE))
    assert found
    assert [name for name in found if not name.startswith(("java.", "bitronix.", "org.apache."))] == []
    assert "@" not in re.sub(r"/\*\*.*?\*/", "", report.program)


@of_products
@pytest.mark.parametrize("product", PRODUCTS)
def test_program_of_a_report_prints_the_stated_output(
    product: str, ready_product: ReadyProduct, every: Every, tmp_path: Path
) -> None:
    """A default run uses a third of each product's programs, because each starts one or more JVMs."""
    ready_product(product)
    mine = [report for report in REPORTS if report.product.id == product][:: every(3)]
    for report in mine:
        (tmp_path / f"{report.name}.java").write_text(report.program, encoding="utf-8")
    said = {report.deviation.id: text for report, text in upstream.printed(mine, tmp_path)}
    assert said == {report.deviation.id: report.entry["prints"].strip() for report in mine}
