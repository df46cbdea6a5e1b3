"""Texts and tables with names in braces, as used in the tables of families.

``"{kept:02d} of {z.length} bytes"``: a name is a variable, ``name[key]`` an entry
of a table, ``label.off``, ``label.end`` and ``label.length`` a place in the base,
``n+900`` a sum; a format follows ``:``. Inner braces are filled first. A text that consists of one name is
replaced by the value itself, of any type. In a list, ``"{*name}"`` inserts all values of another list, and
``{for = {n = "1..6"}, each = [...]}`` inserts the entries of `each` for every n.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from journalspec_corpus.edits import Built

_INNERMOST = re.compile(r"\{([^{}]*)\}")
_SPLICE = re.compile(r"\{\*(.*)\}")
#: A plus or minus sign outside of a key.
_SIGN = re.compile(r"([+-])(?![^\[]*\])")
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:/(\d+))?")
_STEP = re.compile(r"\.(\w+)|\[([^\]]*)\]")

#: ``name.WORD``: the form in which a value occurs in ids and titles.
WORDS: Mapping[str, Callable[[Any], Any]] = {
    "slug": lambda value: re.sub(r"[+._]", "-", str(value)),
    "words": lambda value: value.replace("-", " "),
    "commas": lambda value: value.replace("-", ", "),
    "lower": lambda value: value.lower(),
    "upper": lambda value: value.upper(),
    "minus": lambda value: f"minus-{-value}" if value < 0 else str(value),
    "at": lambda value: f"minus-{-value}" if value < 0 else f"at-{value}",
    "of": lambda value: f"minus-{-value}" if value < 0 else f"of-{value}",
    "way": lambda value: f"{'plus' if value > 0 else 'minus'}-{abs(value)}",
    "abs": abs,
    "octets": lambda value: len(value) // 2,
}


class TemplateError(ValueError):
    """A name, a key or a loop in a table is invalid; the message quotes it."""


class Names(dict[str, Any]):
    """The variables, and the places of the journal `built`, if there is one; variables have priority."""

    built: Built | None = None

    def also(self, more: Mapping[str, Any]) -> Names:
        """Return these names and `more`; `more` has priority. The journal is the same."""
        out = Names({**self, **more})
        out.built = self.built
        return out

    def look_up(self, text: str) -> Any:
        """Return the value of ``term``, or the sum of ``term+term-term``."""
        first, *rest = _SIGN.split(text)
        if not first:  # a negative number
            return int(text)
        value = self._term(first)
        for sign, term in zip(rest[::2], rest[1::2], strict=True):
            value += self._term(term) if sign == "+" else -self._term(term)
        return value

    def _term(self, text: str) -> Any:
        if text[:1].isdigit():
            return int(text, 0)
        name = re.match(r"\w*", text)[0]  # type: ignore[index]  # the empty text matches too
        if name not in self:
            return self._place(text)
        value = fill(self[name], self) if isinstance(self[name], str) else self[name]
        for word, key in _STEP.findall(text[len(name) :]):
            if not word:
                value = self.entry(value, key)
            else:
                value = WORDS[word](value) if word in WORDS else value[word]
        return value

    def entry(self, table: Mapping[str, Any] | list[Any], key: str) -> Any:
        """Return the entry of `key`, or else of ``*``; from a list, return the entry with that number."""
        if isinstance(table, list):
            return table[int(key)]
        if key not in table and "*" not in table:
            raise TemplateError(f"no entry {key!r}: there are {', '.join(table)}")
        return table.get(key, table.get("*"))

    def _place(self, text: str) -> int:
        label, _, what = text.rpartition(".")
        if self.built is None or what not in ("off", "end", "length"):
            raise TemplateError(f"{text!r} is no name")
        value: int = getattr(self.built.range(label), what)
        return value


def fill(value: Any, names: Names) -> Any:
    """Return `value` with every name in it filled in; raises TemplateError."""
    if isinstance(value, str):
        return _text(value, names)
    if isinstance(value, Mapping):
        return {key: fill(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [filled for item in value for filled in _items(item, names)]
    return value


def _items(item: Any, names: Names) -> Iterable[Any]:
    """Return the value of one item of a list: itself, all the values of a list, or a loop."""
    if isinstance(item, str) and (splice := _SPLICE.fullmatch(item)):
        return fill(_text("{" + splice[1] + "}", names), names)  # type: ignore[no-any-return]
    if isinstance(item, Mapping) and "for" in item:
        ((variable, source),) = item["for"].items()
        return [
            filled
            for value in listed(fill(source, names))
            for filled in fill(item["each"], names.also({variable: value}))
        ]
    return [fill(item, names)]


def _text(value: str, names: Names) -> Any:
    while match := _INNERMOST.search(value):
        name, _, form = match[1].partition(":")
        found = fill(names.look_up(name), names)
        if match[0] == value and not form:
            return found
        value = value[: match.start()] + format(found, form) + value[match.end() :]
    return value


def listed(source: Any) -> Iterator[Any]:
    """Yield the values of a list, or of ``"first..last"`` or ``"first..last/step"``."""
    if isinstance(source, str):
        match = _RANGE.fullmatch(source)
        if match is None:
            raise TemplateError(f"{source!r} is no range: write 1..6 or 1..6/2")
        yield from range(int(match[1]), int(match[2]) + 1, int(match[3] or 1))
    else:
        yield from source


def fits(value: Any, wanted: Any) -> bool:
    """Return whether a value matches the expectation, which is a value, a list of values, a range or a
    boolean.
    """
    if isinstance(wanted, list):
        return any(fits(value, item) for item in wanted)
    if isinstance(wanted, bool):
        return bool(value) == wanted
    if isinstance(wanted, str) and isinstance(value, int) and (match := _RANGE.fullmatch(wanted)):
        return int(match[1]) <= value <= int(match[2])
    return bool(value == wanted)
