"""Where fetched products are kept, and whether what lies there is what it should be.

The cache is ``$JOURNALSPEC_PRODUCTS`` or the platform's cache directory; every
product has a directory of its own in it, named by its id.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from journalspec_conformance.products.catalogue import Jar, Product

#: Overrides the platform's cache directory.
CACHE_VARIABLE = "JOURNALSPEC_PRODUCTS"
_BLOCK = 1 << 20


class ProductError(Exception):
    """A product cannot be used; the message says what is wrong and what to do."""


class NotFetchedError(ProductError):
    """The product's jars are not in the cache."""


def cache_dir() -> Path:
    """Return the directory that holds all products (it need not exist yet)."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "journalspec" / "products"


def product_dir(product: Product) -> Path:
    """Return the directory of `product` in the cache."""
    return cache_dir() / product.id


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as hex, read in blocks of 1 MiB."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def jar_problem(jar: Jar, folder: Path) -> str | None:
    """Return what is wrong with `jar` in `folder`, or None if it is the artefact expected."""
    path = folder / jar.filename
    if not path.is_file():
        return f"{jar.filename} is not there"
    found = sha256_of(path)
    if found != jar.sha256:
        return f"{jar.filename} has SHA-256 {found}, expected {jar.sha256}"
    return None


def problems(product: Product, folder: Path | None = None) -> list[str]:
    """Return everything that is wrong with the product's jars in `folder` (default: the cache)."""
    place = folder or product_dir(product)
    return [text for jar in product.jars if (text := jar_problem(jar, place)) is not None]


def is_fetched(product: Product) -> bool:
    """Return whether all jars of `product` are in the cache and intact."""
    return not problems(product)


def classpath(product: Product) -> list[str]:
    """Return the paths of the product's jars, the product's own first.

    Raises NotFetchedError if the product was never fetched, ProductError if a jar
    is missing or is not the published one.
    """
    folder = product_dir(product)
    if not folder.is_dir():
        raise NotFetchedError(
            f"{product.title} is not in {cache_dir()}: run `journalspec products fetch {product.id}` first"
        )
    wrong = problems(product, folder)
    if wrong:
        raise ProductError(
            f"{folder}: {'; '.join(wrong)}: run `journalspec products fetch {product.id}` to replace it"
        )
    return [str(folder / jar.filename) for jar in product.jars]
