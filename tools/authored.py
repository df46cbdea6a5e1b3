"""Cases written by hand: TOML files with undamaged journals, edits that refer to labels, and expectations.

A group is one file ``corpus/cases/<format>/<group>.toml``. Its ``[[base]]`` tables describe undamaged
journals in terms of the format; the format's author module (``journalspec_corpus.<format>.author``) builds
them. Its ``[[case]]`` tables name a base, edits (see :mod:`.edits`) and the required answer, with records and
dropped regions by label. The member ``also`` of a group or a case lists further editions. A case is repeated
for each further edition in which its requirements hold, with its base built for that edition.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from journalspec.formats import format_module, get_format
from journalspec.requirements import requirements
from journalspec.vocabulary import Field
from journalspec_corpus.author import hex_bytes
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.edits import Built, EditError, apply
from journalspec_corpus.load import AGAIN
from journalspec_corpus.making import make_case, when

#: The directory of authored groups and captured files in a checkout.
CHECKOUT = Path(__file__).resolve().parents[1] / "corpus"

#: The default members of an element of a list in a state.
_NOTHING: Mapping[str, Any] = {"int": 0, "bytes": "", "list": (), "str": ""}
#: Members of a case for which its group may state defaults. The members `edition` and `checked_by` are
#: handled separately.
_SAID = ("stratum", "category", "level", "obeys", "breaks", "flags", "needs", "params")
_OWN = ("name", "title", "base", "edits", "expect", "how", "write", "brief", "also", "history")
_CASE_KEYS = {*_SAID, *_OWN, "edition", "checked_by"}


class AuthoringError(ValueError):
    """A group file cannot be converted to cases. The message contains file and case."""


class Bases:
    """The undamaged journals of one format, built on first use; names are unique in the format."""

    def __init__(self, author: ModuleType) -> None:
        self.author = author
        self.described: dict[str, tuple[Mapping[str, Any], str]] = {}
        self._built: dict[tuple[str, str], Built] = {}

    def add(self, base: Mapping[str, Any], edition: str) -> None:
        """Add one ``[[base]]`` table; raises AuthoringError if its name is taken."""
        if base["name"] in self.described:
            raise AuthoringError(f"base {base['name']!r} is described twice")
        self.described[base["name"]] = (base, base.get("edition", edition))

    def get(self, name: str, edition: str = "") -> Built:
        """Return the base built for `edition` (default: the edition of the base). It is shared: copy it
        before a change.
        """
        if name not in self.described:
            raise AuthoringError(f"no base {name!r}: known are {', '.join(sorted(self.described))}")
        described, own = self.described[name]
        key = name, edition or own
        if key not in self._built:
            self._built[key] = self.author.build(described, key[1])
        return self._built[key]


def authored_cases(format_id: str, root: Path | None = None) -> Iterator[Case]:
    """Yield the authored cases of `format_id` in file and table order.

    `root` is the folder of the group files (default: the checkout's). Raises
    AuthoringError that names the file and the case.
    """
    folder = root or CHECKOUT / "cases" / format_id
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        return
    bases = Bases(format_module("journalspec_corpus", format_id).author)
    groups = [(path, tomllib.loads(path.read_text(encoding="utf-8"))) for path in paths]
    for path, group in groups:
        for base in group.get("base", ()):
            try:
                bases.add(base, group.get("edition", get_format(format_id).default_edition))
            except (AuthoringError, KeyError) as error:
                raise AuthoringError(f"{path.name}: {error}") from None
    holds = {item.id: item.editions for item in requirements(format_id)}
    for path, group in groups:
        for entry in group.get("case", ()):
            try:
                yield _case(format_id, group, entry, bases)
                said = [entry.get(key, group.get(key)) or () for key in ("obeys", "breaks")]
                for edition in entry.get("also", group.get("also", ())):
                    if all(edition in holds[name] for name in chain(*said)):
                        yield _case(format_id, group, entry, bases, edition)
            except (ValueError, KeyError, TypeError) as error:
                raise AuthoringError(f"{path.name}, case {entry.get('name')}: {error}") from error


def sealing(author: ModuleType) -> Callable[[Built, str], None]:
    """Return the function of this author module that recomputes a checksum after an edit."""

    def unknown(built: Built, label: str) -> None:
        raise EditError(f"{label}: {author.__name__} has no seal")

    seal: Callable[[Built, str], None] = getattr(author, "seal", unknown)
    return seal


def _case(
    format_id: str, group: Mapping[str, Any], entry: Mapping[str, Any], bases: Bases, also: str = ""
) -> Case:
    unknown = set(entry) - _CASE_KEYS
    if unknown:
        raise AuthoringError(f"unknown member {', '.join(sorted(unknown))}")
    merged = {**group, **entry}
    edition = also or merged.get("edition") or get_format(format_id).default_edition
    base = entry.get("base", "")
    sound = bases.get(base, also) if base else Built({})
    damaged = sound.copy()
    for edit in entry.get("edits", ()):
        apply(damaged, edit, bases.get, sealing(bases.author))
    name = entry["name"] + (AGAIN.format(also) if also else "")
    return make_case(
        f"{get_format(format_id).prefix.lower()}.{group['group']}.{name}",
        title=f"Edition {also}: {entry['title']}" if also else entry["title"],
        format_id=format_id,
        edition=edition,
        origin=Origin("authored", base, entry.get("how", ""), tuple(merged.get("checked_by", ()))),
        files=damaged.content(),
        write=_expanded(bases.author, entry["write"]) if "write" in entry else None,
        expect=list(_expectations(format_id, edition, entry, damaged, bases.author)),
        history=entry.get("history", ""),
        **{key: merged[key] for key in _SAID if key in merged},
    )


def _expectations(
    format_id: str, edition: str, case: Mapping[str, Any], built: Built, author: ModuleType
) -> Iterator[dict[str, Any]]:
    """Yield published expectations; one entry may apply to several questions.

    A note that the edition does not define is removed.
    """
    brief, notes = case.get("brief", False), get_format(format_id).vocabulary.notes
    for entry in case["expect"]:
        questions = entry["when"]
        for question in [questions] if isinstance(questions, str) else questions:
            out: dict[str, Any] = {"when": when(question)}
            for key, value in entry.items():
                if key == "when":
                    continue
                if key in ("records", "unanchored"):
                    out[key] = [expected_record(built, item, author, brief) for item in value]
                elif key == "dropped":
                    out[key] = [{**_region(built, item), "reason": item["reason"]} for item in value]
                elif key in ("missing", "noted"):
                    out[key] = [_gone(built, item) for item in value]
                elif key == "notes":
                    out[key] = [code for code in value if edition in (notes[code].editions or (edition,))]
                elif key == "at":
                    out[key] = _region(built, value)
                elif key == "contents":
                    out[key] = {table: [_row(row) for row in rows] for table, rows in value.items()}
                elif key == "state":
                    out[key] = _state(built, _expanded(author, value), format_id)
                else:
                    out[key] = value
            yield out


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an expected row of contents; the members in ``absent`` (``column``, ``column.member``) are null.

    A long text is ``{ text = "a", times = 33024 }``.
    """
    out = {key: value for key, value in row.items() if key != "absent"}
    for key, value in out.items():
        if isinstance(value, dict) and value.keys() == {"text", "times"}:
            out[key] = value["text"] * value["times"]
    for place in row.get("absent", ()):
        column, _, member = place.partition(".")
        out[column] = {**out[column], member: None} if member else None
    return out


def _state(built: Built, value: Mapping[str, Any], format_id: str) -> dict[str, Any]:
    """Return an authored state in full, with all members that the format's table lists."""
    told = {item.name: item for item in get_format(format_id).vocabulary.state}
    return {name: _stated(built, told[name], part) for name, part in value.items()}


def _stated(built: Built, told: Field, value: Any) -> Any:
    """Return the value of a member of a state. Elements of lists may omit members that are zero or empty."""
    if not told.of:
        return value
    entries = (_entry(built, told.of, item) for item in value)
    return [
        # Omitted members are placed last. Members of some kinds cannot be omitted.
        {
            **entry,
            **{
                of.name: _stated(built, of, entry[of.name] if of.name in entry else _NOTHING[of.kind])
                for of in told.of
                if of.name in entry or not of.optional
            },
        }
        for entry in entries
    ]


def _entry(built: Built, members: Sequence[Field], item: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an element of a list in a state: in full, or the `members` of a record.

    The record is given by its label, or by the values in order (``ADD 1 7 61``), with - for no bytes.
    """
    if not isinstance(item, str):
        return item
    said: dict[str, Any] = {}
    if " " in item:
        texts = item.split()
        for told, text in zip(members[: len(texts)], texts, strict=True):
            said[told.name] = hex_bytes(text.strip("-")).hex() if told.kind == "bytes" else text
        return said
    record = built.record(item)
    for told in members:
        if told.choices:
            # In a state, the value of the choice is a prefix of the name of the record's type.
            said[told.name] = next(name for name in told.choices if record["type"].startswith(name))
        elif told.name in record:
            said[told.name] = record[told.name]
    return said


def expected_record(
    built: Built, item: str | Mapping[str, Any], author: ModuleType, brief: bool
) -> dict[str, Any]:
    """Return the expectation of one record: by label, by label with changes, or in full."""
    if isinstance(item, str):
        whole = built.record(item)
        return {key: whole[key] for key in author.BRIEF} if brief else dict(whole)
    if "record" in item:
        whole = expected_record(built, item["record"], author, brief)
        changes = _expanded(
            author, {key: value for key, value in item.items() if key not in ("record", "without", "absent")}
        )
        # Published as null, which means that the answer must not contain the field.
        changes |= dict.fromkeys(item.get("absent", ()))
        kept = {key: value for key, value in whole.items() if key not in item.get("without", ())}
        return {**kept, **changes}
    return _expanded(author, dict(item))


def _expanded(author: ModuleType, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an authored table with the format's abbreviations expanded, including those of operations."""
    expanded: dict[str, Any] = author.expand(value) if hasattr(author, "expand") else dict(value)
    if "ops" in value and hasattr(author, "operation"):
        expanded["ops"] = [author.operation(op) for op in value["ops"]]
    return expanded


def _gone(built: Built, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of a list of notes or missing parts. If its place is a name, the offset replaces the
    name.
    """
    return {**item, "off": built.place(item["off"])[1]} if isinstance(item.get("off"), str) else dict(item)


def _region(built: Built, item: Mapping[str, Any]) -> dict[str, str]:
    if "off" in item:
        return {"file": item["file"], "off": str(item["off"]), "len": str(item["len"])}
    return built.span(item).to_json()
