"""Make captured directories: ``OUT/<product>/<scenario>/`` for every scenario chosen.

With ``--again`` only the two files that tell about them are written anew.
"""

from __future__ import annotations

import argparse
import fnmatch
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from journalspec.kept import scratch
from journalspec_conformance.harnesses.bitronix_tlog.capture import manager
from journalspec_conformance.harnesses.bitronix_tlog.capture.describe import describe, describe_again
from journalspec_conformance.harnesses.bitronix_tlog.capture.play import connect, play
from journalspec_conformance.harnesses.bitronix_tlog.capture.provenance import Run, operation
from journalspec_conformance.harnesses.bitronix_tlog.capture.scenarios import SCENARIOS, Scenario
from journalspec_conformance.products import Product, get_product, product_ids


def _play(scenario: Scenario, product: Product, directory: Path) -> Run:
    """Play `scenario` into `directory` (empty)."""
    done = play(product, scenario, directory)
    connection = connect(product, scenario.charset)
    impl = connection.hello().impl
    connection.close()
    sessions = tuple(
        (
            "killed" if session.killed else "closed",
            tuple(operation(step) for step in done if step.session == number),
        )
        for number, session in enumerate(scenario.sessions)
    )
    return Run(
        product, scenario.name, scenario.title, impl["java"], impl["charset"], scenario.filtered, sessions
    )


JOBS: tuple[tuple[str, Callable[[Product, Path], Run]], ...] = (
    *((item.name, partial(_play, item)) for item in SCENARIOS),
    *((item.name, partial(manager.capture, item)) for item in manager.SCENARIOS),
)


def _make(name: str, job: Callable[[Product, Path], Run], product: Product, target: Path) -> None:
    """Capture in a scratch directory; only a complete capture arrives at `target`."""
    with scratch() as place:
        work = place / name
        work.mkdir()
        describe(job(product, work), work)
        shutil.copytree(work, target)


def main(arguments: list[str] | None = None) -> int:
    """Capture; 0 done, 2 a directory is already there (captures are never overwritten)."""
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}", description=__doc__)
    parser.add_argument("out", type=Path, help="where <product>/<scenario>/ are made")
    parser.add_argument("--product", action="append", choices=product_ids(), help="default: all")
    parser.add_argument("--select", default="*", help="glob over scenario names")
    parser.add_argument("--again", action="store_true", help="only describe what is already there")
    options = parser.parse_args(arguments)
    for product in map(get_product, options.product or product_ids()):
        for name, job in JOBS:
            target = options.out / product.id / name
            if not fnmatch.fnmatch(name, options.select):
                continue
            if options.again:
                describe_again(target)
            elif target.exists():
                print(f"error: {target} is already there: captures are never overwritten", file=sys.stderr)
                return 2
            else:
                _make(name, job, product, target)
            print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
