"""Draws random bytes that a family of contents permits, to test decoders on more than captured bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from random import Random

from journalspec import mutf8
from journalspec.families import (
    Family,
    Member,
    Shape,
    alternative,
    asked,
    evaluate,
    holds,
    terms,
    values_of,
)
from journalspec.numbers import NUMBERS

#: Encoding in tables -> how a text is stored.
ENCODERS: Mapping[str, Callable[[str], bytes]] = {
    "utf8": str.encode,
    "mutf8": mutf8.encode,
    "utf16le": lambda text: text.encode("utf-16-le"),
    "utf16be": lambda text: text.encode("utf-16-be"),
    "latin1": lambda text: text.encode("latin-1"),
}
#: Beyond this depth, types that may contain each other are omitted, if the table permits it.
DEEP = 4
#: The greatest length of a text, bytes or a list, if no number with a smaller limit measures the length.
LONG = 12
#: The number of attempts to draw a value whose length fits the number that measures it.
TRIES = 20


def draw(family: Family, name: str, version: str, random: Random) -> bytes:
    """Return newly drawn bytes of a type; raises ValueError if the table permits no value."""
    return _Drawer(family, version, random).shape(family.types[name], (), 0)


@cache
def _measured(family: Family, name: str, field: str) -> tuple[tuple[str, Member], ...]:
    """Return the fields of :func:`_uses` whose size or count depends on the number `field`."""
    return tuple((called, use) for called, use in _uses(family, name, field) if called in _measures(use))


@cache
def _uses(family: Family, name: str, field: str) -> tuple[tuple[str, Member], ...]:
    """Return the fields of a type and its inner types that refer to `field`, each with its name for
    `field`.
    """
    found = [(field, each) for each in family.types[name].fields if field in each.references]
    seen: set[str] = set()
    rest = [kind for each in family.types[name].fields for kind in each.types]
    while rest:
        kind = rest.pop()
        if kind in seen or field not in family.needs.get(kind, ()):
            continue
        seen.add(kind)
        inner = family.types[kind].fields
        found += [(f"outer.{field}", each) for each in inner if f"outer.{field}" in each.references]
        rest += [
            each for member in inner for each in member.types if field not in {one.name for one in inner}
        ]
    return tuple(found)


@cache
def _endless(family: Family) -> frozenset[str]:
    """Return the types that may contain themselves, at any depth."""

    def within(name: str, seen: set[str]) -> Iterator[str]:
        for kind in {each for member in family.types[name].fields for each in member.types} & set(
            family.types
        ):
            yield kind
            if kind not in seen:
                seen.add(kind)
                yield from within(kind, seen)

    reach = {name: set(within(name, set())) for name in family.types}
    return frozenset(name for name in reach if any(name2 in reach[name2] for name2 in {name, *reach[name]}))


class _Drawer:
    """Draws types from left to right. Each number is chosen so that the fields that depend on it can be
    drawn.
    """

    def __init__(self, family: Family, version: str, random: Random) -> None:
        self.family = family
        self.version = version
        self.random = random

    def shape(self, shape: Shape, outer: tuple[dict[str, int], ...], depth: int) -> bytes:
        """Return the bytes of a type; `outer` contains the numbers of the structures around it."""
        values: dict[str, int] = {}
        scopes = (*outer, values)
        chunks: list[tuple[Member, bytes]] = []
        for member in shape.fields:
            if member.left and self.random.random() < 1 / 2:
                break
            if not self.family.has(member, self.version) or not asked(member, values_of(scopes)):
                continue
            if self.waits(shape, member):
                chunks.append((member, b""))
            elif member.type in NUMBERS and not member.count:
                chunks.append((member, self.number(shape, member, scopes, depth)))
            elif _waited(self.family, shape.name, member.size):
                chunks.append((member, self.filled(shape, member, scopes, depth)))
            else:
                chunks.append((member, self.field(member, scopes, depth)))
        return b"".join(
            NUMBERS[member.type].write(values.get(member.name, 0)) if self.waits(shape, member) else data
            for member, data in chunks
        )

    def waits(self, shape: Shape, member: Member) -> bool:
        """Return whether a number is the size of a type, and therefore known only after the type has been
        drawn.
        """
        return member.type in NUMBERS and _waits(self.family, shape.name, member.name)

    def number(self, shape: Shape, member: Member, scopes: tuple[dict[str, int], ...], depth: int) -> bytes:
        """Return the bytes of a number, and store its value in `scopes`."""
        form, place = NUMBERS[member.type], (self.family, shape.name, member.name)
        low = form.low if member.low is None else max(member.low, form.low)
        high = form.high if member.high is None else min(member.high, form.high)
        if isinstance(member.const, int):
            value: int | float = member.const
        elif form.real:
            value = self.random.randint(-1000, 1000) / 8
        elif _uses(*place):
            measured, possible = _measured(*place), [each for each in _tried(*place) if low <= each <= high]
            if measured:
                possible = [each for each in possible if _fits(measured, each, scopes)]
            if depth >= DEEP:
                least = min(_depth_of(*place, each) for each in possible)
                possible = [each for each in possible if _depth_of(*place, each) == least]
            value = self.random.choice(possible)
        else:
            bits = self.random.randint(0, high.bit_length())
            value = min(max(self.random.randint(-(1 << bits), 1 << bits), low), high)
        scopes[-1][member.name] = int(value)
        return form.write(value)

    def filled(self, shape: Shape, member: Member, scopes: tuple[dict[str, int], ...], depth: int) -> bytes:
        """Return the bytes of a type that has a size, and store the size in the number that measures the
        type.
        """
        (field,) = (
            each for each in shape.fields if self.waits(shape, each) and each.name in terms(member.size)
        )
        form = NUMBERS[field.type]
        for step in range(TRIES):
            data = self.field(member, scopes, depth + step)
            for value in range(
                max(form.low, len(data) // 8 - LONG), min(form.high, len(data) * 8 + LONG) + 1
            ):
                trial = (*scopes[:-1], {**scopes[-1], field.name: value})
                if evaluate(member.size, values_of(trial)) == len(data) and not field.refuses(value):
                    scopes[-1].setdefault(field.name, value)
                    return data
        raise ValueError(f"{member.name}: no drawn value fits into its size")

    def field(self, member: Member, scopes: tuple[dict[str, int], ...], depth: int) -> bytes:
        """Return the bytes of a field that is not a single number."""
        value_of = values_of(scopes)
        kind = member.kind(value_of)
        size = self.random.randint(0, LONG) // 2 * 2
        if member.type in ("bytes", "text") and member.size != "rest":
            size = evaluate(member.size, value_of)
        number = 1
        if member.count:
            number = self.random.randint(0, 3) if member.count == "rest" else evaluate(member.count, value_of)
        return b"".join(
            self.one(member, kind, size, scopes, depth) for _ in range(number if size >= 0 else 0)
        )

    def one(
        self, member: Member, kind: str, size: int, scopes: tuple[dict[str, int], ...], depth: int
    ) -> bytes:
        """Return the bytes of one value."""
        if kind in self.family.types:
            return self.shape(self.family.types[kind], scopes, depth + 1)
        if kind in NUMBERS:
            form = NUMBERS[kind]
            return form.write(
                self.random.randint(0, 99) / 4 if form.real else self.random.randint(form.low, form.high)
            )
        if kind == "none":
            return b""
        if isinstance(member.const, str):
            return bytes.fromhex(member.const)
        return self.random.randbytes(size) if kind == "bytes" else self.text(size, member.encoding)

    def text(self, size: int, encoding: str) -> bytes:
        """Return a text of the given number of bytes."""
        out = b""
        while len(out) < size:
            sign = "\u00e9" if encoding == "latin1" else self.random.choice("az ~\u00e9\u20ac\U0001f600")
            stored = ENCODERS[encoding](sign)
            out += stored if len(out) + len(stored) <= size else ENCODERS[encoding]("x")
        return out


@cache
def _waits(family: Family, name: str, number: str) -> bool:
    """Return whether a number of a type is the size of a field that is neither bytes nor text."""
    fields = family.types[name].fields
    return any(number in _terms(use.size) and use.type not in ("bytes", "text") for use in fields)


@cache
def _waited(family: Family, name: str, size: str) -> bool:
    """Return whether a field of this size determines a number of the type."""
    return any(
        each.name in _terms(size) and each.type in NUMBERS and _waits(family, name, each.name)
        for each in family.types[name].fields
    )


@cache
def _depth_of(family: Family, name: str, field: str, value: int) -> int:
    """Return the number of fields that are present if `field` has `value` and whose types may contain
    themselves.
    """
    found = 0
    for called, use in _uses(family, name, field):
        kinds = {use.cases.get(value, use.otherwise)} if use.on == called else set(use.types)
        there = use.when[:1] != (called,) or holds(use.when[1:], value)
        counted = use.count in ("", "rest") or called not in terms(use.count) or value > 0
        found += bool(kinds & _endless(family)) and there and counted
    return found


@cache
def _tried(family: Family, name: str, field: str) -> tuple[int, ...]:
    """Return the useful values of a field on which other fields depend, in order."""
    uses = _uses(family, name, field)
    every = {each for called, use in uses for each in _values(called, use)}
    return tuple(each for each in sorted(every) if all(_chooses(called, use, each) for called, use in uses))


def _chooses(name: str, use: Member, value: int) -> bool:
    """Return whether the field `use` is possible if the number `name` has this value: the value selects a
    type for the field, or the field is absent, or its type does not depend on the number.
    """
    absent = use.when[:1] == (name,) and not holds(use.when[1:], value)
    return absent or use.on != name or value in use.cases or bool(use.otherwise)


def _values(name: str, use: Member) -> Iterator[int]:
    """Yield the useful values of a field that `use` refers to as `name`."""
    if use.on == name:
        yield from use.cases
    if use.when[:1] == (name,):
        for _, low, high in map(alternative, use.when[1:]):
            yield from (low - 1, low, low + 1, high, high + 1)
    if name in _measures(use):
        yield from range(-1, 2 * LONG)


def _measures(use: Member) -> tuple[int | str, ...]:
    return (*_terms(use.size), *_terms(use.count))


def _terms(text: str) -> tuple[int | str, ...]:
    return () if text in ("", "rest") else terms(text)


def _fits(uses: Sequence[tuple[str, Member]], value: int, scopes: tuple[dict[str, int], ...]) -> bool:
    """Return whether all fields that depend on a number are possible if the number is `value`."""
    for name, use in uses:
        if use.when[:1] == (name,) and not holds(use.when[1:], value):
            continue
        for text in (use.size, use.count):
            parts = _terms(text)
            if name not in parts:
                continue
            found = value
            if len(parts) > 1:
                field = {name.removeprefix("outer."): value}
                # The inner type refers to names outside of it. Its own fields are not drawn yet, so their
                # scope is empty.
                known = (*scopes[:-1], {**scopes[-1], **field}, *([{}] if "." in name else []))
                try:
                    found = evaluate(text, values_of(known))
                except KeyError:
                    continue
            wide = use.encoding.startswith("utf16") and text == use.size
            if found > LONG * 4 or (wide and found > 0 and found % 2):
                return False
    return True
