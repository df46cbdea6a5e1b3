"""Published products that the harnesses drive: what they are, where they are kept, how they are fetched.

One data file per product lies beside this module. Nothing is downloaded unless
a user asks for it with ``journalspec products fetch``.
"""

from __future__ import annotations

from journalspec_conformance.products.catalogue import (
    Jar,
    Product,
    UnknownProductError,
    get_product,
    product_ids,
)
from journalspec_conformance.products.store import (
    NotFetchedError,
    ProductError,
    cache_dir,
    classpath,
    is_fetched,
    problems,
)

__all__ = [
    "Jar",
    "NotFetchedError",
    "Product",
    "ProductError",
    "UnknownProductError",
    "cache_dir",
    "classpath",
    "get_product",
    "is_fetched",
    "problems",
    "product_ids",
]
