"""Reads ``scenarios.toml``: operations on a format's products, for captures and experiments.

    always          requirements that every capture covers if its edition has them
    [words]         WORD = "MEMBER MEMBER=DEFAULT MEMBER:KIND MEMBER...": an operation's members in order.
                    `...` takes all remaining arguments. KIND is `hex` (a text, or 0x and digits) or of:
    [kinds]         KIND = "a template for a number"
    [blocks]        WORD = lines; in these lines, {0} is the first argument, {rest} are all others
    [edition.E]     NAME = the value of {NAME} in a line for edition E
    [[scenario]]    name, title, and `sessions`: one list of lines for each process. The process opens the
                    journal first, and is killed after the last line unless that line is "close"

A line is "WORD ARGUMENT... MEMBER=VALUE..."; x*9 is x nine times. ``{ each = [1, 7], do = LINES }`` repeats
LINES for the numbers 1 to 7: {n} is the number, {next} the next number. With ``cycle = { NAME = [...] }``,
{NAME} is the list's element at the index {n} modulo the length of the list. ``tools/captures`` in the
repository describes members of a scenario that only captures use.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from journalspec_conformance.harnesses import table

Op = dict[str, Any]
_OPEN = "open"
_MEMBER = re.compile(r"(?P<name>\w+)(:(?P<kind>\w+))?(?P<rest>\.\.\.)?(=(?P<default>.*))?")
_REPEATED = re.compile(r"(?P<start>0x)?(?P<part>.+)\*(?P<count>\d+)")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A named sequence of operations on one journal, in several processes. `told` is its table entry."""

    name: str
    title: str
    sessions: tuple[tuple[Op, ...], ...]
    told: Mapping[str, Any]


class Table:
    """A format's ``scenarios.toml``; `told` is the parsed file."""

    def __init__(self, package: str) -> None:
        """Read the table in `package`. Blocks are not expanded yet."""
        self.told = table(package, "scenarios.toml")
        self._made: dict[str, tuple[Scenario, ...]] = {}

    def scenarios(self, edition: str) -> tuple[Scenario, ...]:
        """Return all scenarios, as operations of `edition`."""
        if edition not in self._made:
            self._made[edition] = tuple(self._expanded(self.told.get("edition", {}).get(edition, {})))
        return self._made[edition]

    def ops(self, line: str, **values: Any) -> Iterator[Op]:
        """Yield the operations of a line."""
        return self._ops(line, (), values)

    def _expanded(self, values: Mapping[str, Any]) -> Iterator[Scenario]:
        return (
            Scenario(
                told["name"],
                told["title"],
                tuple(
                    tuple(op for line in (_OPEN, *lines) for op in self._ops(line, (), values))
                    for lines in told.get("sessions", ())
                ),
                told,
            )
            for told in self.told["scenario"]
        )

    def _ops(
        self, line: str | Mapping[str, Any], arguments: tuple[str, ...], values: Mapping[str, Any]
    ) -> Iterator[Op]:
        """Yield the operations of `line`; `arguments` are those of the block around it."""
        if not isinstance(line, str):
            first, last = (int(str(end).format(*arguments)) for end in line["each"])
            for number in range(first, last + 1):
                own = {name: turns[number % len(turns)] for name, turns in line.get("cycle", {}).items()}
                for inner in line["do"]:
                    yield from self._ops(inner, arguments, {**values, **own, "n": number, "next": number + 1})
            return
        rest = shlex.join(arguments[1:])
        word, *given = shlex.split(line.format(*arguments, rest=rest, **values))
        if word in self.told.get("blocks", {}):
            for inner in self.told["blocks"][word]:
                yield from self._ops(inner, tuple(given), values)
        else:
            yield self._op(word, given)

    def _op(self, word: str, given: list[str]) -> Op:
        members = [_MEMBER.fullmatch(part) for part in shlex.split(self.told["words"][word])]
        found = [member for member in members if member is not None]
        optional = {member["name"] for member in found if member["default"] is not None}
        named = {}
        positional = []
        for argument in given:
            name, equals, value = argument.partition("=")
            if equals and name in optional:
                named[name] = value
            else:
                positional.append(argument)
        op: Op = {"op": word}
        for member in found:
            name, kind = member["name"], member["kind"]
            if member["rest"]:
                op[name] = [self._value(kind, text) for text in positional]
            elif name in optional:
                op[name] = self._value(kind, named.get(name, member["default"]))
            else:
                op[name] = self._value(kind, positional.pop(0))
        return op

    def _value(self, kind: str | None, text: str) -> str:
        repeated = _REPEATED.fullmatch(text)
        if repeated:
            text = (repeated["start"] or "") + repeated["part"] * int(repeated["count"])
        if kind is None:
            return text
        if kind == "hex":
            return text[2:] if text.startswith("0x") else text.encode().hex()
        made: str = self.told["kinds"][kind].format(int(text))
        return made
