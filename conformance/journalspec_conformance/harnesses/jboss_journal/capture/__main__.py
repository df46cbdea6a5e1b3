"""Make captured directories: ``OUT/<product>/<scenario>/`` for every scenario chosen."""

from __future__ import annotations

import argparse
import fnmatch
import shutil
import sys
from pathlib import Path

from journalspec.kept import scratch
from journalspec_conformance.harnesses.jboss_journal.brands import PRODUCTS, brand_of
from journalspec_conformance.harnesses.jboss_journal.capture.describe import describe
from journalspec_conformance.harnesses.jboss_journal.capture.histories import scenarios
from journalspec_conformance.harnesses.jboss_journal.capture.play import look, play
from journalspec_conformance.harnesses.jboss_journal.capture.scenarios import Scenario
from journalspec_conformance.products import Product, get_product


def _make(scenario: Scenario, product: Product, target: Path) -> None:
    """Capture in a scratch directory; only a complete capture arrives at `target`."""
    with scratch() as place:
        work = place / scenario.name
        work.mkdir()
        done = play(product, scenario, work)
        describe(product, scenario, done, look(product, scenario, work), work)
        shutil.copytree(work, target)


def main(arguments: list[str] | None = None) -> int:
    """Capture; 0 done, 2 a directory is already there (captures are never overwritten)."""
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}", description=__doc__)
    parser.add_argument("out", type=Path, help="where <product>/<scenario>/ are made")
    parser.add_argument("--product", action="append", choices=PRODUCTS, help="default: all")
    parser.add_argument("--select", default="*", help="glob over scenario names")
    options = parser.parse_args(arguments)
    for product in map(get_product, options.product or PRODUCTS):
        for scenario in scenarios(product.edition):
            target = options.out / product.id / scenario.name
            if not fnmatch.fnmatch(scenario.name, options.select):
                continue
            if scenario.only not in ("", brand_of(product).name):
                continue
            if target.exists():
                print(f"error: {target} is already there: captures are never overwritten", file=sys.stderr)
                return 2
            _make(scenario, product, target)
            print(target, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
