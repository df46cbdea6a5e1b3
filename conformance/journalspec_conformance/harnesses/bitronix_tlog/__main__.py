"""The harness as a process; see the package's text."""

from __future__ import annotations

import argparse
import sys

from journalspec_conformance.harnesses.bitronix_tlog.harness import Bitronix
from journalspec_conformance.harnesses.java import child
from journalspec_conformance.products import get_product, product_ids


def main(arguments: list[str] | None = None) -> int:
    """Serve one product over standard input and output; 0 at the end, 2 if it cannot be started."""
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}", description="drive a Bitronix product")
    parser.add_argument("--product", required=True, help=f"one of {', '.join(product_ids())}")
    parser.add_argument("--charset", default="UTF-8", help="the JVM's default charset (default: UTF-8)")
    options = parser.parse_args(arguments)
    return child.run(lambda: Bitronix(get_product(options.product), charset=options.charset))


if __name__ == "__main__":
    sys.exit(main())
