"""What shows a deviation on a damaged log: one of the experiments, done again.

``python -m journalspec_conformance.harnesses.derby_log.programs experiment --product ID --id EXPERIMENT``
"""

from __future__ import annotations

from journalspec_conformance.harnesses.derby_log import experiments
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.product import run_program
from journalspec_conformance.products import Product


def experiment(product: Product, *, id: str) -> bool:  # the option's name
    """Tell whether `product` still does what the table of experiments says that it was seen to do."""
    jvm.start(product)
    ((entry, seen),) = experiments.run(product, id)
    print(f"{entry['title']}: {seen}")
    return seen == experiments.expected(entry, product)


if __name__ == "__main__":
    run_program({"experiment": experiment})
