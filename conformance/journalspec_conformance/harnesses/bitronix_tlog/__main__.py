"""The harness as a process; see the package's text."""

from __future__ import annotations

import argparse
import os
import sys

from journalspec_conformance.harnesses.bitronix_tlog.harness import Bitronix
from journalspec_conformance.products import ProductError, UnknownProductError, get_product, product_ids
from journalspec_conformance.serve import serve


def main(arguments: list[str] | None = None) -> int:
    """Serve one product over standard input and output; 0 at the end, 2 if it cannot be started."""
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}", description="drive a Bitronix product")
    parser.add_argument("--product", required=True, help=f"one of {', '.join(product_ids())}")
    parser.add_argument("--charset", default="UTF-8", help="the JVM's default charset (default: UTF-8)")
    options = parser.parse_args(arguments)
    # What anything but the protocol prints, native code included, goes to standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        implementation = Bitronix(get_product(options.product), charset=options.charset)
    except (ProductError, UnknownProductError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with answers:
        status = serve(implementation, sys.stdin, answers)
        implementation.bye()
    # The JVM's own shutdown may wait for threads of the product that never end.
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
