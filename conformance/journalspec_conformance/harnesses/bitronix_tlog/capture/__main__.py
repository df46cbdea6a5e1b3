"""Make captured directories: ``OUT/<product>/<scenario>/`` for every scenario chosen."""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from journalspec_conformance.harnesses.bitronix_tlog.capture import manager
from journalspec_conformance.harnesses.bitronix_tlog.capture.expected import expected
from journalspec_conformance.harnesses.bitronix_tlog.capture.play import connect, look, play
from journalspec_conformance.harnesses.bitronix_tlog.capture.provenance import provenance
from journalspec_conformance.harnesses.bitronix_tlog.capture.scenarios import SCENARIOS, Scenario
from journalspec_conformance.harnesses.bitronix_tlog.driver import PAIR
from journalspec_conformance.products import Product, get_product, product_ids


def _digests(directory: Path) -> dict[str, str]:
    return {name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in PAIR}


def _play(scenario: Scenario, product: Product, directory: Path) -> None:
    """Play `scenario` into `directory` (empty) and write what is known about the files beside them."""
    done = play(product, scenario, directory)
    view = look(product, directory)
    connection = connect(product, scenario.charset)
    impl = connection.hello().impl
    connection.close()
    sessions = [
        ("killed" if session.killed else "closed", [step for step in done if step.session == number])
        for number, session in enumerate(scenario.sessions)
    ]
    text = provenance(
        product, impl, scenario.title, sessions, view, _digests(directory), filtered=scenario.filtered
    )
    (directory / "provenance.toml").write_text(text, encoding="utf-8")
    wanted = json.dumps(expected(done, view, filtered=scenario.filtered), indent=1, sort_keys=True) + "\n"
    (directory / "expected.json").write_text(wanted, encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Capture; 0 done, 2 a directory is already there (captures are never overwritten)."""
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}", description=__doc__)
    parser.add_argument("out", type=Path, help="where <product>/<scenario>/ are made")
    parser.add_argument("--product", action="append", choices=product_ids(), help="default: all")
    parser.add_argument("--select", default="*", help="glob over scenario names")
    options = parser.parse_args(arguments)
    jobs: list[tuple[str, Callable[[Product, Path], None]]] = [
        *((item.name, partial(_play, item)) for item in SCENARIOS),
        *((item.name, partial(manager.capture, item)) for item in manager.SCENARIOS),
    ]
    for product in map(get_product, options.product or product_ids()):
        for name, make in jobs:
            if not fnmatch.fnmatch(name, options.select):
                continue
            target = options.out / product.id / name
            if target.exists():
                print(f"error: {target} is already there: captures are never overwritten", file=sys.stderr)
                return 2
            with tempfile.TemporaryDirectory(prefix="journalspec-") as scratch:
                work = Path(scratch) / name
                work.mkdir()
                make(product, work)
                shutil.copytree(work, target)
            print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
