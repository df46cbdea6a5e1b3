"""A harness that drives one product version, as a process of its own (a JVM has one class path)."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any

from journalspec_conformance.products import (
    ProductError,
    UnknownProductError,
    classpath,
    get_product,
)
from journalspec_conformance.serve import serve


def command(module: str, product_id: str) -> list[str]:
    """Return the command that starts `module` for a product; raises LookupError saying what to do."""
    if importlib.util.find_spec("jpype") is None:
        raise LookupError("JPype is missing: install `journalspec[products]`")
    try:
        classpath(get_product(product_id))
    except ProductError as error:
        raise LookupError(str(error)) from None
    return ["{python}", "-m", module, "--product", product_id]


def run(make: Callable[[], Any]) -> int:
    """Serve what `make` returns over standard input and output; 2 if it cannot be started.

    Otherwise the process ends here, without the JVM's own shutdown: that may
    wait for threads of the product that never end.
    """
    # What anything but the protocol prints, native code included, goes to standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        implementation = make()
    except (ProductError, UnknownProductError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with answers:
        status = serve(implementation, sys.stdin, answers)
        implementation.bye()
    sys.stderr.flush()
    os._exit(status)
