"""Checks whether a text is a valid filter of a queue: a JMS selector, as Artemis 2 parses it.

A broker does not start if a queue has an invalid filter. HornetQ has a few more rules about types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

#: The possible prefixes of a filter. In a filter with the first prefix, names can contain hyphens.
_HYPHENATED, _PREFIX = "hyphenated_props:", re.compile(r"(no_)?convert_string_expressions:")
_TOKEN = re.compile(
    r"""(?P<skip>[ \t\n\r\f]+|--[^\n\r]*[\n\r]|/\*.*?\*/)
    |(?P<text>'(?:[^']|'')*')
    |(?P<number>0[xX][0-9a-fA-F]+|(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?|(?:0[0-7]*|[1-9]\d*)[lL]?)
    |(?P<word>[A-Za-z_$][\w$]*)
    |(?P<name>"(?:[^"]|"")*")
    |(?P<operator><>|<=|>=|[-+*/%=<>(),])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
#: Maps a word or an operator to its token.
_LIKE_IT = {
    **dict.fromkeys(("*", "/", "%"), "*"), **dict.fromkeys(("=", "<>"), "="),
    **dict.fromkeys(("<", "<=", ">", ">="), "<"), **dict.fromkeys(("TRUE", "FALSE"), "literal"),
    **{each: each for each in "+-(),"},
    **{word: word for word in ("NULL", "NOT", "AND", "OR", "BETWEEN", "LIKE", "ESCAPE", "IN", "IS")},
}  # fmt: skip
#: The kinds of expression that are valid as a condition, or as a number.
_CONDITIONS = frozenset({"name", "literal", "NULL", "condition"})
_NUMBERS = frozenset({"name", "number", "sum"})


class _NoFilter(ValueError):
    pass


def is_filter(text: str) -> bool:
    """Return whether a broker starts with a queue that has this filter."""
    try:
        if text.startswith(_HYPHENATED):
            text = text.removeprefix(_HYPHENATED).replace("-", "_")
        tokens = [*_tokens(_PREFIX.sub("", text, 1) if _PREFIX.match(text) else text)]
        return not tokens or _Filter(tokens).is_condition()
    except (_NoFilter, RecursionError):
        return False


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            # A comment up to the end of the text is allowed only as the last token.
            if text.startswith("--", at):
                return
            raise _NoFilter
        at, kind = match.end(), str(match.lastgroup)
        if kind in ("word", "operator"):
            yield _LIKE_IT.get(match[0].upper(), "name")
        elif kind != "skip":
            yield kind


class _Filter:
    """Contains the remaining tokens. Each method parses an expression and returns its kind."""

    def __init__(self, tokens: list[str]) -> None:
        self._left = tokens[::-1]

    def is_condition(self) -> bool:
        """Return whether the complete text is one condition."""
        return self._either() in _CONDITIONS and not self._left

    def _took(self, *tokens: str) -> str:
        """Consume and return the next token if it is one of these; else return an empty text."""
        return self._left.pop() if self._left and self._left[-1] in tokens else ""

    def _joined(self, part: Callable[[], str], word: str) -> str:
        kind = part()
        while self._took(word):
            _check(kind in _CONDITIONS and part() in _CONDITIONS)
            kind = "condition"
        return kind

    def _either(self) -> str:
        return self._joined(lambda: self._joined(self._equality, "AND"), "OR")

    def _equality(self) -> str:
        kind = self._comparison()
        while word := self._took("=", "IS"):
            if word == "IS":
                self._took("NOT")
                _check(self._took("NULL"))
            else:
                other = self._comparison()
                _check("NULL" not in (kind, other))
                _check(kind != "literal" or other not in ("text", "number"))
            kind = "condition"
        return kind

    def _comparison(self) -> str:
        kind = self._sum()
        while word := self._took("<", "NOT", "LIKE", "BETWEEN", "IN"):
            word = self._took("LIKE", "BETWEEN", "IN") if word == "NOT" else word
            if word == "LIKE":
                _check(self._took("text") and (not self._took("ESCAPE") or self._took("text")))
            elif word == "IN":
                _check(kind == "name" and self._took("(") and self._took("text"))
                while self._took(","):
                    _check(self._took("text"))
                _check(self._took(")"))
            else:
                _check(word and kind in _NUMBERS and self._sum() in _NUMBERS)
                _check(word == "<" or (self._took("AND") and self._sum() in _NUMBERS))
            kind = "condition"
        return kind

    def _sum(self) -> str:
        kind = self._operand()
        while self._took("+", "-", "*"):
            self._operand()
            kind = "sum"
        return kind

    def _operand(self) -> str:
        if self._took("NOT"):
            _check(self._operand() in _CONDITIONS)
            return "condition"
        if sign := self._took("+", "-"):
            kind = self._operand()
            return kind if sign == "+" or kind == "number" else "sum"
        if self._took("("):
            kind = self._either()
            _check(self._took(")"))
            return kind
        kind = self._took("name", "number", "text", "literal", "NULL")
        _check(kind)
        return kind


def _check(holds: object) -> None:
    if not holds:
        raise _NoFilter
