"""The products that are known: one TOML file each, found by looking in this package."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_PARTS_OF_COORDINATES = 3
_SHA256_DIGITS = 64


class UnknownProductError(LookupError):
    """No data file describes the product asked for."""


@dataclass(frozen=True, slots=True)
class Jar:
    """One published artefact: Maven coordinates, what it is for, and its SHA-256 (hex)."""

    group: str
    artifact: str
    version: str
    sha256: str
    role: str
    licence: str

    @property
    def coordinates(self) -> str:
        """``group:artifact:version``."""
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def filename(self) -> str:
        """The name under which Maven and Ivy store it: ``artifact-version.jar``."""
        return f"{self.artifact}-{self.version}.jar"


@dataclass(frozen=True, slots=True)
class Product:
    """A product version: what it writes, which harness drives it, and the jars it needs."""

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

    @property
    def main_jar(self) -> Jar:
        """The product's own jar (the others are what it needs to load)."""
        return next(jar for jar in self.jars if jar.role == "product")


def _jar(entry: dict[str, Any]) -> Jar:
    parts = str(entry["coordinates"]).split(":")
    if len(parts) != _PARTS_OF_COORDINATES:
        raise ValueError(f"coordinates {entry['coordinates']!r}: expected group:artifact:version")
    digest = str(entry["sha256"]).lower()
    if len(digest) != _SHA256_DIGITS:
        raise ValueError(f"{entry['coordinates']}: sha256 must have {_SHA256_DIGITS} hex digits")
    group, artifact, version = parts
    return Jar(group, artifact, version, sha256=digest, role=entry["role"], licence=entry["licence"])


@cache
def product_ids() -> tuple[str, ...]:
    """Return the ids of all described products, sorted."""
    names = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@cache
def get_product(product_id: str) -> Product:
    """Return the description of `product_id`; raises UnknownProductError naming the known ones."""
    if product_id not in product_ids():
        raise UnknownProductError(
            f"no product {product_id!r}: known are {', '.join(product_ids()) or 'none'}"
        )
    text = files(__package__).joinpath(f"{product_id}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    jars = tuple(_jar(entry) for entry in data["jar"])
    if [jar.role for jar in jars].count("product") != 1:
        raise ValueError(f"{product_id}.toml: exactly one jar must have the role 'product'")
    return Product(
        id=product_id,
        title=data["title"],
        version=data["version"],
        licence=data["licence"],
        source=data["source"],
        formats=tuple(data["formats"]),
        edition=data["edition"],
        harness=data["harness"],
        java=data["java"],
        jars=jars,
    )
