"""The meaning of a format's operations to its user. It is a pure state machine, one for each format.

It is the member ``MODEL`` of a format's corpus package. The runner derives from it the states that recovery
may find after a crash, independent of any writer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from journalspec.formats import UnknownFormat, format_module, get_format
from journalspec.observation import jsonable
from journalspec.vocabulary import Field

Json = Any  # A JSON value, as in journalspec.observation.


class Stepwise(Protocol):
    """Represents the transitions of a model.

    States and operations are JSON; states are never changed in place.
    """

    def begin(self, state: Mapping[str, Json]) -> Any:
        """Return the state of the model for a recovered `state`."""

    def after(self, kept: Any, op: Mapping[str, Json], edition: str) -> Any:
        """Return the state after `op`."""


class Model(Stepwise, Protocol):
    """Represents the meaning of a format's operations, and the required report of recovery."""

    def shown(self, kept: Any) -> dict[str, Json]:
        """Return the members of the state that recovery must report, each in a canonical form."""


@dataclass(frozen=True, slots=True)
class History:
    """Represents the required result of recovery after the first 0, 1, 2 ... operations of a write."""

    model: Model
    shown: tuple[dict[str, Json], ...]

    def between(self, durable: int, issued: int) -> list[dict[str, Json]]:
        """Return the states that a crash may leave after `durable` acknowledged and `issued` started
        operations.
        """
        return list(self.shown[durable : issued + 1])

    def seen(self, state: Mapping[str, Json]) -> dict[str, Json]:
        """Return a recovered state in the form of :attr:`shown`."""
        return self.model.shown(self.model.begin(state))


#: The fields that identify a branch of a transaction.
XA_ID = ("format_id", "gtrid", "bqual")


class StateForm:
    """Converts a format's state between an observation's form and tuples, which can be compared and stored.

    A state consists of the lists `names` in the format's vocabulary. A list becomes a tuple of its elements.
    An object becomes a tuple of its members in the vocabulary's order; the parts of an XA id are one member,
    a tuple of their own. The lists `unordered`, including inner lists, are sorted.
    """

    def __init__(self, format_id: str, names: Sequence[str], unordered: Collection[str] = ()) -> None:
        known = {item.name: item for item in get_format(format_id).vocabulary.state}
        self._fields = tuple(known[name] for name in names)
        self._unordered = frozenset(unordered)

    def canonical(self, told: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the tuples of a reported state; raises KeyError if a part of the state is absent."""
        return self._row(self._fields, told)

    def _row(self, fields: Sequence[Field], told: Mapping[str, Any]) -> tuple[Any, ...]:
        # A loop is used here because this function is recursive. It takes one frame for each level of
        # nesting.
        values: list[Any] = []
        for item in fields:
            value = told[item.name]
            if item.kind == "int":
                value = int(value)
            elif item.kind == "list":
                rows: list[Any] = []
                for each in value:
                    rows.append(self._row(item.of, each) if item.of else each)
                value = tuple(sorted(rows) if item.name in self._unordered else rows)
            elif not isinstance(value, str):
                value = jsonable(value)
            values.append(value)
        if _names_branch(fields):
            values[: len(XA_ID)] = [tuple(values[: len(XA_ID)])]
        return tuple(values)

    def told(self, state: Sequence[Any]) -> dict[str, Any]:
        """Convert tuples to the observation's form, with Python values."""
        return _members(self._fields, state)

    def as_json(self, state: Sequence[Any]) -> dict[str, Any]:
        """Convert tuples to the observation's form, as JSON."""
        found: dict[str, Any] = jsonable(self.told(state))
        return found


def _names_branch(fields: Sequence[Field]) -> bool:
    return tuple(item.name for item in fields[: len(XA_ID)]) == XA_ID


def _members(fields: Sequence[Field], row: Sequence[Any]) -> dict[str, Any]:
    if _names_branch(fields):
        row = (*row[0], *row[1:])
    return {item.name: _told(item, value) for item, value in zip(fields, row, strict=True)}


def _told(item: Field, value: Any) -> Any:
    if item.kind != "list":
        return value
    return [_members(item.of, each) if item.of else each for each in value]


def model_of(format_id: str) -> Model | None:
    """Return the model of `format_id`, or None if it has none."""
    try:
        found: Model | None = getattr(format_module("journalspec_corpus", format_id), "MODEL", None)
    except UnknownFormat:
        return None
    return found


def history(
    model: Model,
    state: Mapping[str, Json],
    ops: Iterable[Mapping[str, Json]],
    refused: frozenset[int],
    edition: str,
) -> History:
    """Return the states after each of `ops`, from `state` on; operations in `refused` change nothing."""
    kept = model.begin(state)
    shown = [model.shown(kept)]
    for number, op in enumerate(ops):
        if number not in refused:
            kept = model.after(kept, op, edition)
        shown.append(model.shown(kept))
    return History(model, tuple(shown))
