"""Published products that harnesses drive. This module contains their descriptions, cache directories, and
checksums.

One data file per product is next to this module. Nothing is downloaded unless a user asks for it with
``journalspec products fetch``. The cache is ``$JOURNALSPEC_PRODUCTS`` or the platform's cache directory;
every product has a directory of its own in it, named by its id.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

#: Overrides the platform's cache directory.
CACHE_VARIABLE = "JOURNALSPEC_PRODUCTS"
_PARTS_OF_COORDINATES = (3, 4)
_SHA256_DIGITS = 64


class UnknownProductError(LookupError):
    """No data file describes the requested product."""


@dataclass(frozen=True, slots=True)
class Jar:
    """Represents one published artefact: Maven coordinates, its purpose, and its SHA-256 (hex).

    `classifier` (for example ``tests``) distinguishes artefacts of the same name and version; most have none.
    """

    group: str
    artifact: str
    version: str
    sha256: str
    role: str
    licence: str
    classifier: str = ""

    @property
    def coordinates(self) -> str:
        """``group:artifact:version``, and ``:classifier`` if there is one."""
        return ":".join(filter(None, (self.group, self.artifact, self.version, self.classifier)))

    @property
    def filename(self) -> str:
        """The name under which Maven and Ivy store it: ``artifact-version[-classifier].jar``."""
        return "-".join(filter(None, (self.artifact, self.version, self.classifier))) + ".jar"


@dataclass(frozen=True, slots=True)
class Product:
    """Represents a product version: the formats it writes, the harness that drives it, and the jars it needs.

    For a product that is not a Java program, there are no jars, and `java` is 0. An unpublished product comes
    from a class path of the user: `own` is the environment variable with that class path, and `jars` lists
    additional jars.
    """

    id: str
    title: str
    version: str
    licence: str
    source: str
    formats: tuple[str, ...]
    edition: str
    harness: str
    java: int
    jars: tuple[Jar, ...]
    own: str = ""

    @property
    def main_jar(self) -> Jar | None:
        """The product's own jar (the others are its dependencies)."""
        return next((jar for jar in self.jars if jar.role == "product"), None)


def _jar(entry: dict[str, Any]) -> Jar:
    parts = str(entry["coordinates"]).split(":")
    if len(parts) not in _PARTS_OF_COORDINATES:
        raise ValueError(
            f"coordinates {entry['coordinates']!r}: expected group:artifact:version[:classifier]"
        )
    digest = str(entry["sha256"]).lower()
    if len(digest) != _SHA256_DIGITS:
        raise ValueError(f"{entry['coordinates']}: sha256 must have {_SHA256_DIGITS} hex digits")
    group, artifact, version, *classifier = parts
    return Jar(group, artifact, version, digest, entry["role"], entry["licence"], *classifier)


@cache
def product_ids() -> tuple[str, ...]:
    """Return the ids of all described products, sorted."""
    names = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@cache
def get_product(product_id: str) -> Product:
    """Return the description of `product_id`; raises UnknownProductError that lists the known products."""
    if product_id not in product_ids():
        raise UnknownProductError(
            f"no product {product_id!r}: known are {', '.join(product_ids()) or 'none'}"
        )
    text = files(__name__).joinpath(f"{product_id}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    jars = tuple(_jar(entry) for entry in data.get("jar", ()))
    if [jar.role for jar in jars].count("product") != (data["java"] > 0 and "own" not in data):
        raise ValueError(f"{product_id}.toml: exactly one jar of a Java program must have the role 'product'")
    return Product(
        **{
            name: data[name]
            for name in ("title", "version", "licence", "source", "edition", "harness", "java")
        },
        id=product_id,
        formats=tuple(data["formats"]),
        jars=jars,
        own=data.get("own", ""),
    )


class ProductError(Exception):
    """A product cannot be used; the message contains the fault and the advice."""


class NotFetchedError(ProductError):
    """The product's jars are not in the cache."""


def cache_dir() -> Path:
    """Return the directory of all products, which need not exist yet."""
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


def jar_problem(jar: Jar, folder: Path) -> str | None:
    """Return the fault of `jar` in `folder`, or None if it is the expected artefact."""
    path = folder / jar.filename
    if not path.is_file():
        return f"{jar.filename} is missing"
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != jar.sha256:
        return f"{jar.filename} has SHA-256 {found}, expected {jar.sha256}"
    return None


def problems(product: Product, folder: Path | None = None) -> list[str]:
    """Return all faults of the product's jars in `folder` (default: the cache)."""
    place = folder or product_dir(product)
    return [text for jar in product.jars if (text := jar_problem(jar, place)) is not None]


def own_classpath(product: Product) -> list[str]:
    """Return the class path that the user provides for an unpublished product.

    Entries are files and directories; an entry that ends in ``*`` means all jars in its directory, as in
    Java. Raises ProductError if there is no class path, or an entry does not exist.
    """
    found: list[str] = []
    for entry in filter(None, os.environ.get(product.own, "").split(os.pathsep)):
        path = Path(entry).expanduser()
        places = sorted(path.parent.glob("*.jar")) if path.name == "*" else [path]
        missing = next((place for place in places or [path] if not place.exists()), None)
        if missing is not None:
            raise ProductError(f"{product.own}: there is nothing at {missing}")
        found += map(str, places)
    if not found:
        raise ProductError(
            f"{product.title} is not published anywhere: put the class path of your copy into {product.own}"
        )
    return found


def classpath(product: Product) -> list[str]:
    """Return the paths of the product's jars, beginning with the product's own jar.

    Raises NotFetchedError if the product was never fetched. Raises ProductError if a jar is missing or is not
    the published jar, or if a path in the user's class path does not exist.
    """
    own = own_classpath(product) if product.own else []
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
    return own + [str(folder / jar.filename) for jar in product.jars]
