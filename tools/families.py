"""Families of generated cases: tables of damage, and the naive reader's answers.

A format's ``families.toml`` has ``[family.GROUP]`` tables (stratum, category, requirements, flags; ``like``
copies those of another family) and ``[[sweep]]`` tables, which yield the cases in published order:

for       loops, each ``{name = values}``; values are a list, a range, a table by
          edition, or a generator (``GENERATORS``); a value that is a table binds its
          members. Inner ``[[sweep.row]]`` tables are gone through in each round.
journal   the sound journal, described for the format's author module; ``other`` has more
damage    edits (:mod:`.edits`)
fresh     omits cases with the same bytes as an earlier case of this sweep and journal
id, title, how, edition, params, notes and all members that a family may have
by        changes by outcome: ``{when = {reason = "bad-length"}, breaks = [...]}``

All texts may contain names in braces (:mod:`.templates`). Besides the variables there are, for ``by`` and
texts: ``verdict`` and ``reason`` (of the first dropped region) of reading, ``records`` (how many),
``sound`` (nothing was changed), and ``was`` and ``now``, the value of the place ``watch``. The expectations
are the result of the format's ``naive.expected`` for the damaged bytes.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from types import ModuleType
from typing import Any

from authored import sealing
from templates import Names, fill, fits, listed

from journalspec.formats import UnknownFormat, format_module, get_format
from journalspec.requirements import requirements
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.edits import Built, apply
from journalspec_corpus.making import make_case

TABLE = "families.toml"
#: The members of a family with their defaults; a sweep may contain them, too.
_SAID: Mapping[str, Any] = {
    "stratum": "",
    "category": "",
    "base": "",
    "obeys": (),
    "breaks": (),
    "flags": (),
    "history": "",
    "checked_by": ("hand",),
}


class FamilyError(ValueError):
    """A table of families cannot be converted to cases. The message contains the sweep."""


def generated_cases(format_id: str, text: str | None = None) -> Iterator[Case]:
    """Yield the cases of the format's table of families, in published order; none if it has no table.

    `text` is the table (default: the format's own). Raises FamilyError.
    """
    try:
        package = format_module("journalspec_corpus", format_id)
    except UnknownFormat:
        return
    path = files(package).joinpath(TABLE)
    if text is None and not path.is_file():
        return
    table = tomllib.loads(path.read_text(encoding="utf-8") if text is None else text)
    generator = _Families(format_id, table, package.author, package.naive.expected)
    for number, sweep in enumerate(table.get("sweep", ()), start=1):
        try:
            yield from generator.cases(sweep, generator.shared)
        except (ValueError, KeyError, TypeError) as error:
            name = sweep.get("family", sweep.get("title", "without a family"))
            raise FamilyError(f"{format_id}/{TABLE}, sweep {number} ({name}): {error}") from error


class _Families:
    """One table: its families, and the journals that were built from it."""

    def __init__(
        self, format_id: str, table: Mapping[str, Any], author: ModuleType, expected: Callable[..., Any]
    ) -> None:
        self.format_id, self.author, self.expected = format_id, author, expected
        self.families = table["family"]
        self.shared = Names({"edition": get_format(format_id).default_edition, **table.get("let", {})})
        self.editions = {item.id: item.editions for item in requirements(format_id)}
        self._built: dict[str, Built] = {}

    def cases(self, sweep: Mapping[str, Any], names: Names) -> Iterator[Case]:
        """Yield the cases of a sweep, or of one of its rows; `names` are the names of the outer tables."""
        own = names.also({key: value for key, value in sweep.items() if key not in ("for", "row")})
        seen: set[tuple[Any, ...]] = set()
        for bound in self._looped(sweep.get("for", []), own):
            for row in sweep.get("row", ()):
                yield from self.cases(row, bound)
            if "row" not in sweep:
                yield from self._case(bound, seen)

    def _looped(self, loops: list[Any], names: Names) -> Iterator[Names]:
        """Yield the values of the names in every round of all loops; the last loop is the innermost."""
        if not loops:
            yield names
            return
        ((variable, source),) = loops[0].items()
        for value in self._values(source, names):
            yield from self._looped(
                loops[1:], names.also(value if isinstance(value, Mapping) else {variable: value})
            )

    def _values(self, source: Any, names: Names) -> Iterator[Any]:
        if not isinstance(source, Mapping):
            yield from listed(fill(source, names) if isinstance(source, str) else source)
            return
        generator = GENERATORS.get(next(iter(source)))
        if generator is None:
            edition = names["edition"]
            yield from self._values(source.get(edition, source.get("*", [])), names)
        else:
            yield from generator(self._journal(names, names["journal"]), fill(source, names))

    def _journal(self, names: Names, described: Mapping[str, Any]) -> Built:
        """Return the journal of a description (shared: copy before changing it)."""
        table, edition = fill(described, names), names["edition"]
        key = edition + json.dumps(table)
        if key not in self._built:
            self._built[key] = self.author.build(table, edition)
        return self._built[key]

    def _case(self, names: Names, seen: set[tuple[Any, ...]]) -> Iterator[Case]:
        built = names.built = self._journal(names, names["journal"])
        damaged = built.copy()
        for edit in fill(names.get("damage", []), names):
            apply(
                damaged, edit, lambda name: self._journal(names, names["other"][name]), sealing(self.author)
            )
        content = damaged.content()
        key = (id(built), *content.items())
        if names.get("fresh") and key in seen:
            return
        seen.add(key)
        options = {name: fill(names[name], names) for name in ("notes", "full", "params") if name in names}
        expect = self.expected(content, names["edition"], **options)
        names = names.also(_facts(built, damaged, expect, fill(names.get("watch", ""), names)))
        for change in names.get("by", ()):
            if all(fits(names.look_up(name), wanted) for name, wanted in change["when"].items()):
                names = names.also({name: value for name, value in change.items() if name != "when"})
        yield self._made(names, content, expect)

    def _made(self, names: Names, content: Mapping[str, bytes], expect: list[dict[str, Any]]) -> Case:
        edition, group = names["edition"], fill(names["family"], names)
        family = self._family(group)
        said = {name: fill(names.get(name, default), names) for name, default in family.items()}
        breaks = dict.fromkeys((*said["breaks"], *fill(names.get("more", []), names)))
        return make_case(
            f"{get_format(self.format_id).prefix.lower()}.{group}.{fill(names['id'], names)}",
            title=fill(names["title"], names),
            format_id=self.format_id,
            edition=edition,
            stratum=said["stratum"],
            category=said["category"],
            obeys=[name for name in said["obeys"] if edition in self.editions[name]],
            breaks=[name for name in breaks if edition in self.editions[name]],
            flags=said["flags"],
            origin=Origin("family", said["base"], fill(names["how"], names), tuple(said["checked_by"])),
            files=content,
            params=fill(names.get("params", {}), names),
            expect=expect,
            history=fill(names.get("history", ""), names),
        )

    def _family(self, group: str) -> dict[str, Any]:
        family = self.families[group]
        inherited = self._family(family["like"]) if "like" in family else dict(_SAID)
        return {name: family.get(name, default) for name, default in inherited.items()}


def _facts(built: Built, damaged: Built, expect: list[dict[str, Any]], watch: str) -> dict[str, Any]:
    """Return the values of an outcome, for ``by`` and for texts."""
    reading = expect[0]
    dropped = reading.get("dropped", [])
    out = {
        "verdict": reading["verdict"],
        "reason": dropped[0]["reason"] if dropped else "",
        "records": len(reading.get("records", [])),
        "sound": damaged.files == built.files,
    }
    if watch:
        spot = built.range(watch)
        for name, files_ in (("was", built.files), ("now", damaged.files)):
            out[name] = int.from_bytes(files_[spot.file][spot.off : spot.end], "big", signed=True)
    return out


Bound = Iterator[dict[str, Any]]


def _kept(built: Built, options: Mapping[str, Any]) -> Bound:
    """Yield the numbers of bytes of a place that are kept: every ``step``, or ``at`` (negative: from the
    end).
    """
    length = built.range(options["kept"]).length
    last = length if options.get("whole", True) else length - 1
    if "at" in options:
        points = sorted({at if at >= 0 else length + at for at in options["at"]} | _whole(options, length))
    else:
        points = list(range(0, length + 1, options.get("step", 1)))
    yield from ({"kept": kept} for kept in points if kept <= last)


def _whole(options: Mapping[str, Any], length: int) -> set[int]:
    return {length} if options.get("whole", False) else set()


def _bytes(built: Built, options: Mapping[str, Any]) -> Bound:
    """Yield every byte of a record or header, with its field, and the masks that change it.

    ``masks`` may differ by field. Without masks, one bit of each byte changes, and each next byte has the
    next bit.
    """
    start = built.range(options["bytes"]).off
    for name, spot in built.labels.items():
        owner, _, field = name.partition(f"{options['bytes']}.")
        if owner or not field:
            continue
        masks = options.get("masks", {})
        for off in range(spot.off, spot.end):
            for mask in masks.get(field, masks.get("*", [1 << ((off - start) % 8)])):
                yield {"field": field, "off": off, "index": off - start, "mask": f"{mask:02x}"}


def _fields(built: Built, options: Mapping[str, Any]) -> Bound:
    """Yield fields of a record, with the number added to each, written ``name+1``; fields that it lacks are
    omitted.

    For fields in ``letters`` the number is added to the first byte, for others to the whole number.
    """
    for change in options["changes"]:
        at = max(change.find("+"), change.find("-"))
        field, amount = change[:at], int(change[at:])
        spot = built.labels.get(f"{options['fields']}.{field}")
        if spot is not None:
            width = 1 if field in options.get("letters", ()) else spot.length
            yield {"field": field, "amount": amount, "width": width}


def _sectors(built: Built, options: Mapping[str, Any]) -> Bound:
    """Yield every set of lost sectors of the file ``f1``."""
    count = options["sectors"]
    for mask in range(1, 1 << count):
        numbers = [number for number in range(count) if mask >> number & 1]
        texts = [str(number) for number in numbers]
        yield {
            "lost": [["f1", number] for number in numbers],
            "numbers": numbers,
            "dashed": "-".join(texts),
            "listed": ", ".join(texts),
        }


#: The first member of a loop's table -> the generator of places to damage, which yields the values of the
#: names in each round.
GENERATORS: Mapping[str, Callable[[Built, Mapping[str, Any]], Bound]] = {
    "kept": _kept,
    "bytes": _bytes,
    "fields": _fields,
    "sectors": _sectors,
}
