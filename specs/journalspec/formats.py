"""The formats that are described: found by looking, never by a list of names.

A format is a sub-package of :mod:`journalspec` that holds a ``format.toml``.
Nothing outside a format's own folders names it; adding one adds only files.
"""

from __future__ import annotations

import importlib
import pkgutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import ModuleType

import journalspec


class UnknownFormat(LookupError):
    """The format or edition asked for is not described here."""


@dataclass(frozen=True, slots=True)
class Edition:
    """One edition: the seed document's description, or what a product writes."""

    id: str
    title: str
    products: tuple[str, ...]
    doc: str


@dataclass(frozen=True)
class Format:
    """A format's vocabulary, from its ``format.toml``.

    Each mapping gives name -> one sentence that says what it means.
    """

    id: str
    title: str
    prefix: str
    summary: str
    default_edition: str
    editions: Mapping[str, Edition]
    policies: Mapping[str, str]
    record_types: Mapping[str, str]
    reasons: Mapping[str, str]
    codes: Mapping[str, str]
    notes: Mapping[str, str]
    state: Mapping[str, str]
    #: The fields that tell whose a record is, for sentences about single records.
    identity: tuple[str, ...]
    root: Traversable

    def edition(self, name: str | None) -> Edition:
        """Return the edition `name`, or the default one; raises UnknownFormat."""
        key = name or self.default_edition
        try:
            return self.editions[key]
        except KeyError:
            known = ", ".join(self.editions)
            raise UnknownFormat(f"{self.id} has no edition {key!r}: choose one of {known}") from None


@cache
def format_ids() -> tuple[str, ...]:
    """Return the ids of all described formats, sorted."""
    found = []
    for module in pkgutil.iter_modules(journalspec.__path__):
        if module.ispkg and files(journalspec).joinpath(module.name, "format.toml").is_file():
            found.append(module.name)
    return tuple(sorted(found))


@cache
def get_format(format_id: str) -> Format:
    """Return the description of `format_id`; raises UnknownFormat naming the known ones."""
    if format_id not in format_ids():
        raise UnknownFormat(f"no format {format_id!r}: known are {', '.join(format_ids()) or 'none'}")
    root = files(journalspec).joinpath(format_id)
    data = tomllib.loads(root.joinpath("format.toml").read_text(encoding="utf-8"))
    editions = {
        entry["id"]: Edition(entry["id"], entry["title"], tuple(entry.get("products", ())), entry["doc"])
        for entry in data["edition"]
    }
    tables = {
        name: dict(data.get(name, {}))
        for name in ("policies", "record_types", "reasons", "codes", "notes", "state")
    }
    return Format(
        id=format_id,
        title=data["title"],
        prefix=data["prefix"],
        summary=data["summary"],
        default_edition=data["default_edition"],
        editions=editions,
        identity=tuple(data.get("identity", ())),
        root=root,
        **tables,
    )


def format_module(package: str, format_id: str) -> ModuleType:
    """Return the room of `format_id` in `package` (``package.<format_id>``).

    Raises UnknownFormat if that package has no room for it, or if the id is
    not a described format at all.
    """
    get_format(format_id)
    name = f"{package}.{format_id}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise UnknownFormat(f"{package} has no room for {format_id}") from None
