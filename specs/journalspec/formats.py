"""The described formats. The functions find formats by their folders, not by a list of names.

A format is a sub-package of :mod:`journalspec` that contains a ``format.toml``. No code outside a format's
own folders mentions the format, so a new format needs only new files. A format in preparation has ``draft =
true`` in that file, and is listed only if the environment variable ``JOURNALSPEC_DRAFTS`` contains its id.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import ModuleType
from typing import Any

import journalspec
from journalspec import vocabulary
from journalspec.vocabulary import Vocabulary

#: Tables that ``format.toml`` must not contain, because they belong in ``fields.toml``.
_IN_FIELDS = frozenset({"record_types", "reasons", "codes", "notes", "missing", "state"})


class UnknownFormat(LookupError):
    """The requested format or edition is not described here."""


@dataclass(frozen=True, slots=True)
class Edition:
    """Represents one edition: the seed document's description, or what a product writes.

    `reads_as` is the edition whose rules a reader uses, if it is a different edition. `but_for` contains the
    record types that only that edition has. Both sets of rules read an undamaged journal in the same way if
    and only if it contains no such record. `unchecked` is a sentence about the bytes that no check of the
    edition covers.
    """

    id: str
    title: str
    products: tuple[str, ...]
    doc: str
    reads_as: str = ""
    but_for: tuple[str, ...] = ()
    unchecked: str = ""


@dataclass(frozen=True, slots=True)
class Holds:
    """Represents a list of the state whose entries contain the items that users count, such as queues with
    messages.

    Without a `list`, the tallies of the observation are used.

    - `names`: the members that form an entry's name, after `prefix`. Entries with the same name are added up.
    - `own`: the names that belong to the product itself. They are omitted.
    - `count`: the member with the list of counted items. If it is empty, each entry counts as one item.
    - `size`: the member of an item with its size or bytes.
    - `owners`: the member with the subscribers that wait for items.
    - `noun`: the word for one item; `head`: the word for its container.
    """

    list: str
    noun: str
    head: str
    names: tuple[str, ...] = ()
    prefix: str = ""
    count: str = ""
    size: str = ""
    owners: str = ""
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InDoubt:
    """Represents a list of the state whose entries are transactions without an end, and the sentence on one
    of them.

    - `ids`: the members that identify a transaction.
    - `says`: the sentence. A member in braces is replaced with its value, or with the number of its entries.
    - `by`: if the entries have these members, entries with equal values of them are counted together.
      `words` describes the values.
    - `where`: only entries with these values are used.
    - `noun`: the phrase for several transactions.
    """

    list: str
    ids: tuple[str, ...]
    says: str
    by: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    where: Mapping[str, object] = field(default_factory=dict)
    noun: str = "in doubt"


@dataclass(frozen=True, slots=True)
class AtStart:
    """Represents the effect of a start of the product if an answer has one of the codes `when` and none of
    `unless`.

    `source` is the evidence. `short` is the effect as a clause for the verdict. In `says`, ``{texts}`` is
    replaced by the texts of the remarks, or of the notes on neighbouring files, that have the codes. With
    `fails`, the product is known not to start, or to lose data, although the journal is intact.

    The codes in `when` and `unless`:

    - the code of a note, a dropped region, a refusal or a missing thing;
    - ``refused-CODE``: the code of a refusal, but not of a note with the same name;
    - ``without-PART``: one of the format's `parts` is absent;
    - ``contents-CODE``: the code of a remark on contents;
    - ``clean``, ``in-doubt``, and ``beside`` (a file next to the journal is damaged).
    """

    when: tuple[str, ...]
    says: str
    source: str
    short: str = ""
    unless: tuple[str, ...] = ()
    fails: bool = False

    def applies(self, codes: Iterable[str]) -> bool:
        """Return whether a start of the product has this effect for an answer with these codes."""
        found = frozenset(codes)
        return not found.isdisjoint(self.when) and found.isdisjoint(self.unless)


@dataclass(frozen=True)
class Format:
    """Represents a format: its definition in ``format.toml`` and its names in ``fields.toml``.

    Each mapping is from a name to one sentence with its meaning.
    """

    id: str
    title: str
    prefix: str
    summary: str
    default_edition: str
    editions: Mapping[str, Edition]
    policies: Mapping[str, str]
    #: The fields that identify the owner of a record, for sentences about single records.
    identity: tuple[str, ...]
    root: Traversable
    #: Patterns of the names of the format's files, the most specific first. Every file of the format matches
    #: one of them.
    names: tuple[str, ...] = ("*",)
    #: The files of a journal in subdirectories, as patterns with one ``/``.
    below: tuple[str, ...] = ()
    #: Patterns of files that a running product locks, in the journal's directory or its parent. `*` stands
    #: for the journal's files.
    locks: tuple[str, ...] = ()
    #: Reasons that keep a file from being deleted. Each kind has the sentences `what` and `freed`; `rule` is
    #: the product's rule.
    why: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    #: Whether a record has a variable number of parts. If so, no single structure of the table is a complete
    #: record.
    composed: bool = False
    #: Why none of the published files was written by a product. The text is empty if a product wrote some of
    #: them.
    uncaptured: str = ""
    #: Filters of rows: ``id``, ``tx``, ``queue``, ``table``, ``time``. Each has the columns that can hold the
    #: value. ``without`` are the fields that are not columns.
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    holds: tuple[Holds, ...] = ()
    in_doubt: tuple[InDoubt, ...] = ()
    at_start: tuple[AtStart, ...] = ()
    #: Maps the code of a loss or of a missing thing to the clause in a verdict, with {names} in braces.
    phrases: Mapping[str, str] = field(default_factory=dict)
    #: The usual name of the product, if the title is that of a product family.
    brand: str = ""
    #: Codes of the notes on the bytes after damage, or on the end of the log.
    after: tuple[str, ...] = ()
    #: Patterns of the sibling directories that form one store. `parts` are directories with a journal, the
    #: decisive one first. `beside` are directories without a journal.
    parts: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    #: The name for a file that is a complete journal. It is empty if a journal is never a single file.
    alone: str = ""
    #: The effect of `recover --to` on a damaged store, as a suggested next step. If this is empty, the step
    #: is not suggested.
    rebuilt: str = ""

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The names of ``fields.toml``.

        They are read on first use, because most runs need at most one format.
        """
        try:
            return vocabulary.parse(_table(self.id, "fields.toml"), tuple(self.editions))
        except ValueError as error:
            raise ValueError(f"{self.id}/fields.toml: {error}") from None

    @property
    def keeps_most(self) -> str:
        """The policy that keeps the most data of a damaged journal.

        It is ``salvage`` if the format has that policy, else ``default``.
        """
        return "salvage" if "salvage" in self.policies else "default"

    @property
    def record_types(self) -> Mapping[str, str]:
        """The types of records."""
        return {name: entry.doc for name, entry in self.vocabulary.record_types.items()}

    @property
    def reasons(self) -> Mapping[str, str]:
        """The reasons why a region was dropped."""
        return {name: entry.doc for name, entry in self.vocabulary.reasons.items()}

    @property
    def codes(self) -> Mapping[str, str]:
        """The codes of refusals. The phase of each code precedes its meaning."""
        return {name: f"{entry.phase}: {entry.doc}" for name, entry in self.vocabulary.codes.items()}

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that an answer may report."""
        return {name: entry.doc for name, entry in self.vocabulary.notes.items()}

    @property
    def missing(self) -> Mapping[str, str]:
        """The things that an answer may report as missing."""
        return {name: entry.doc for name, entry in self.vocabulary.missing.items()}

    @property
    def state(self) -> Mapping[str, str]:
        """The keys of the logical state."""
        return {entry.name: entry.doc for entry in self.vocabulary.state}

    def meaning(self, table: str, name: str) -> str:
        """Return the meaning of `name` in a table (reasons, codes, notes) of the format or of the tools."""
        own: Mapping[str, str] = getattr(self, table)
        return own.get(name) or tool_words().get(table, {}).get(name, "")

    def edition(self, name: str | None) -> Edition:
        """Return the edition `name`, or the default one; raises UnknownFormat."""
        key = name or self.default_edition
        try:
            return self.editions[key]
        except KeyError:
            known = ", ".join(self.editions)
            raise UnknownFormat(f"{self.id} has no edition {key!r}: choose one of {known}") from None


#: The environment variable with ids of drafts to treat as described formats, separated by commas.
DRAFTS = "JOURNALSPEC_DRAFTS"


@cache
def _table(format_id: str, name: str) -> dict[str, Any]:
    return tomllib.loads(files(journalspec).joinpath(format_id, name).read_text(encoding="utf-8"))


@cache
def format_ids() -> tuple[str, ...]:
    """Return the ids of all described formats, sorted. A draft is included only if the variable `DRAFTS`
    lists it.
    """
    asked = os.environ.get(DRAFTS, "").split(",")
    found = []
    for module in pkgutil.iter_modules(journalspec.__path__):
        table = files(journalspec).joinpath(module.name, "format.toml")
        if not module.ispkg or not table.is_file():
            continue
        if not _table(module.name, "format.toml").get("draft", False) or module.name in asked:
            found.append(module.name)
    return tuple(sorted(found))


@cache
def tool_words() -> Mapping[str, Mapping[str, str]]:
    """Return the names that tools add to an answer, by table (roles, reasons, codes, notes)."""
    return tomllib.loads(files(journalspec).joinpath("tools.toml").read_text(encoding="utf-8"))


@cache
def get_format(format_id: str) -> Format:
    """Return the description of `format_id`; raises UnknownFormat naming the known ones."""
    if format_id not in format_ids():
        raise UnknownFormat(f"no format {format_id!r}: known are {', '.join(format_ids()) or 'none'}")
    root = files(journalspec).joinpath(format_id)
    data = _table(format_id, "format.toml")
    lists = ("products", "but_for")
    editions = {
        entry["id"]: Edition(**{**entry, **{key: tuple(entry.get(key, ())) for key in lists}})
        for entry in data["edition"]
    }
    moved = sorted(set(data) & _IN_FIELDS)
    if moved:
        raise ValueError(f"{format_id}/format.toml: [{moved[0]}] belongs into the fields.toml next to it")
    return Format(
        id=format_id,
        title=data["title"],
        prefix=data["prefix"],
        summary=data["summary"],
        default_edition=data["default_edition"],
        editions=editions,
        policies=dict(data.get("policies", {})),
        identity=tuple(data.get("identity", ())),
        root=root,
        names=tuple(data.get("names", ("*",))),
        below=tuple(data.get("below", ())),
        locks=tuple(data.get("locks", ())),
        why=data.get("why", {}),
        composed=data.get("composed", False),
        uncaptured=data.get("uncaptured", ""),
        columns={name: tuple(found) for name, found in data.get("columns", {}).items()},
        holds=tuple(Holds(**_tuples(row)) for row in data.get("holds", ())),
        in_doubt=tuple(InDoubt(**_tuples(row)) for row in data.get("in_doubt", ())),
        at_start=tuple(AtStart(**_tuples(row)) for row in data.get("at_start", ())),
        phrases=dict(data.get("phrases", {})),
        brand=data.get("brand", data["title"]),
        after=tuple(data.get("after", ())),
        parts=tuple(data.get("parts", ())),
        beside=tuple(data.get("beside", ())),
        alone=data.get("alone", ""),
        rebuilt=data.get("rebuilt", ""),
    )


def _tuples(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a table, its lists as tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


def format_module(package: str, format_id: str, module: str = "") -> ModuleType:
    """Return the sub-package of `format_id` in `package` (``package.<format_id>``), or a `module` in it.

    Raises UnknownFormat if there is no such sub-package or module, or if the id is not a described format.
    """
    get_format(format_id)
    room = f"{package}.{format_id}"
    name = f"{room}.{module}" if module else room
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in (room, name):
            raise
        missing = f"{package} has no directory for {format_id}"
        raise UnknownFormat(missing if error.name == room else f"{room} has no module {module}") from None


def format_text(package: str, format_id: str, name: str) -> str:
    """Return the text of a file in the directory of `format_id` in `package`. Return an empty text if there
    is no such file.
    """
    try:
        path = files(format_module(package, format_id)).joinpath(name)
    except UnknownFormat:
        return ""
    return path.read_text(encoding="utf-8") if path.is_file() else ""
