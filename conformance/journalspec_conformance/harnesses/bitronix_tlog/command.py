"""The commands behind the harness names, made only if the product is ready."""

from __future__ import annotations

import importlib.util

from journalspec_conformance.products import ProductError, classpath, get_product


def bitronix_2_1() -> list[str]:
    """Return the command for BTM 2.1.4; raises LookupError saying what to do."""
    return _command("bitronix-2.1.4")


def bitronix_3_0() -> list[str]:
    """Return the command for BTM 3.0.0-mk1; raises LookupError saying what to do."""
    return _command("bitronix-3.0.0-mk1")


def _command(product_id: str) -> list[str]:
    if importlib.util.find_spec("jpype") is None:
        raise LookupError("JPype is missing: install `journalspec[products]`")
    try:
        classpath(get_product(product_id))
    except ProductError as error:
        raise LookupError(str(error)) from None
    return ["{python}", "-m", __package__, "--product", product_id]
