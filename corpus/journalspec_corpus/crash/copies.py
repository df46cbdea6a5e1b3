"""Copies of one object and of all in it that can change, made often.

How it hangs together is found out once. A copy then takes each part that can change as it is,
and ties the new parts together. What never changes is shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum
from functools import partial
from struct import Struct
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")
#: Types of which no object changes.
_FIXED = (int, float, str, bytes, type(None), range, type, Enum, Struct, FunctionType, BuiltinFunctionType)
#: The number of what is shared; all else is counted from 0 on, as it is found.
_SHARED = -1


class Original(Generic[T]):
    """An object that nobody changes any more, and of which copies are made.

    It is made of lists, dicts, counters, sets, tuples, bytearrays, bound methods and objects of classes in
    Python; frozen dataclasses count as what never changes. Raises TypeError if anything else is in it.
    """

    def __init__(self, item: T) -> None:
        self._item = item
        #: id of each part -> its number
        self._numbers: dict[int, int] = {}
        #: number -> what makes the part, for now with what the original has in it; or makes nothing yet
        self._begin: list[Callable[[], Any]] = []
        #: Parts that cannot change, with others in them that can: (number, what makes it, the others).
        self._bound: list[tuple[int, Callable[..., Any], list[tuple[int, Any]]]] = []
        #: What is put into a part by key or index, and as an attribute: (number, [(key, number)]).
        self._inside: list[tuple[int, list[tuple[Any, int]]]] = []
        self._named: list[tuple[int, list[tuple[str, int]]]] = []
        #: Dicts and sets with parts among their keys: (number, [(key, value)], each as in :meth:`_part`).
        self._keyed: list[tuple[int, list[tuple[tuple[int, Any], ...]]]] = []
        self._root = self._number(item)

    def copy(self) -> T:
        """Return a copy that goes on by itself."""
        new = [begin() for begin in self._begin]

        def now(part: tuple[int, Any]) -> Any:
            return part[1] if part[0] == _SHARED else new[part[0]]

        for number, make, parts in self._bound:
            new[number] = make(*map(now, parts))
        for number, links in self._inside:
            held = new[number]
            for key, part in links:
                held[key] = new[part]
        for number, names in self._named:
            item = new[number]
            for name, part in names:
                setattr(item, name, new[part])
        for number, entries in self._keyed:
            held = new[number]
            for entry in entries:
                if isinstance(held, dict):
                    held[now(entry[0])] = now(entry[1])
                else:
                    held.add(now(entry[0]))
        return cast(T, new[self._root]) if self._root != _SHARED else self._item

    def _number(self, item: Any) -> int:
        """Return the number of a part."""
        if _never_changes(type(item)):
            return _SHARED
        if id(item) not in self._numbers:
            kind = type(item)
            if isinstance(item, dict):
                self._mapping(item)
            elif kind is list:
                number = self._new(item, item.copy)
                if not _all_fixed(item):
                    self._links(number, enumerate(item))
            elif kind is set:
                self._set(item)
            elif kind is bytearray:
                self._new(item, item.copy)
            elif kind is MethodType:
                self._tied(item, MethodType, (item.__func__, item.__self__))
            elif kind is partial:
                self._tied(item, partial, (item.func, *item.args))
            elif isinstance(item, (tuple, frozenset)):
                make = kind if hasattr(kind, "_fields") else lambda *members: kind(members)
                self._tied(item, make, tuple(item))
            elif kind.__module__ == "builtins":
                raise TypeError(f"no copy is made of a {kind.__name__}")
            else:
                self._object(item)
        return self._numbers[id(item)]

    def _part(self, item: Any) -> tuple[int, Any]:
        """Return the number of a part, and what it is if it is shared."""
        number = self._number(item)
        return number, item if number == _SHARED else None

    def _new(self, item: Any, begin: Callable[[], Any]) -> int:
        number = self._numbers[id(item)] = len(self._begin)
        self._begin.append(begin)
        return number

    def _links(self, number: int, members: Iterable[tuple[Any, Any]]) -> None:
        links = [(key, part) for key, part in ((key, self._number(it)) for key, it in members) if part >= 0]
        if links:
            self._inside.append((number, links))

    def _mapping(self, item: dict[Any, Any]) -> None:
        kind = type(item)
        if kind not in (dict, Counter):
            raise TypeError(f"no copy is made of a {kind.__name__}")
        if _all_fixed(item):
            number = self._new(item, item.copy)
            if not _all_fixed(item.values()):
                self._links(number, item.items())
        else:
            number = self._new(item, kind)
            self._keyed.append((number, [(self._part(key), self._part(it)) for key, it in item.items()]))

    def _set(self, item: set[Any]) -> None:
        if _all_fixed(item):
            self._new(item, item.copy)
        else:
            number = self._new(item, set)
            self._keyed.append((number, [(self._part(member),) for member in item]))

    def _tied(self, item: Any, make: Callable[..., Any], members: tuple[Any, ...]) -> None:
        """Add what has to be made of all its members at once; it is shared if they all are."""
        parts = [] if _all_fixed(members) else list(map(self._part, members))
        if all(number == _SHARED for number, _ in parts):
            self._numbers[id(item)] = _SHARED
        else:
            self._bound.append((self._new(item, _nothing), make, parts))

    def _object(self, item: Any) -> None:
        kind = type(item)
        begin: dict[str, Any] = {}
        number = self._new(item, partial(_begun, kind, begin))
        names = []
        for name in (*getattr(item, "__dict__", ()), *_slots(kind)):
            part, shared = self._part(getattr(item, name))
            if part == _SHARED:
                begin[name] = shared
            else:
                names.append((name, part))
        if names:
            self._named.append((number, names))


#: type -> whether none of its objects changes, and the names of its slots
_changes: dict[type, bool] = {}
_slotted: dict[type, tuple[str, ...]] = {}


def _never_changes(kind: type) -> bool:
    if kind not in _changes:
        params = getattr(kind, "__dataclass_params__", None)
        _changes[kind] = not (issubclass(kind, _FIXED) or (params is not None and params.frozen))
    return not _changes[kind]


def _all_fixed(items: Iterable[Any]) -> bool:
    return all(map(_never_changes, set(map(type, items))))


def _slots(kind: type) -> tuple[str, ...]:
    if kind not in _slotted:
        _slotted[kind] = tuple(name for base in kind.__mro__ for name in base.__dict__.get("__slots__", ()))
    return _slotted[kind]


def _begun(kind: type, attributes: dict[str, Any]) -> Any:
    """Return an object that has these attributes and no others yet."""
    new: Any = object.__new__(kind)
    if _slots(kind):
        for name, item in attributes.items():
            setattr(new, name, item)
    else:
        new.__dict__.update(attributes)
    return new


def _nothing() -> None:
    """Return what stands for a part until the others are there."""
