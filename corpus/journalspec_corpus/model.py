"""What a format's operations mean to its user: a pure state machine, one per format.

A format's corpus package gives it as ``MODEL``. The judge of writers takes from
it which states recovery may find after a crash; no writer has a say in that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from journalspec.formats import UnknownFormat, format_module

Json = Any  # as in journalspec.observation


class Model(Protocol):
    """What is kept, as values that are never changed. States and operations are JSON, as in cases."""

    def begin(self, state: Mapping[str, Json]) -> Any:
        """Return what a recovered `state` holds; nothing if it is empty."""

    def after(self, kept: Any, op: Mapping[str, Json], edition: str) -> Any:
        """Return what is kept once `op` was done."""

    def shown(self, kept: Any) -> dict[str, Json]:
        """Return what recovery must report of it: key of the state -> value in a canonical form."""


@dataclass(frozen=True, slots=True)
class History:
    """What is to be recovered after the first 0, 1, 2 ... operations of a write."""

    model: Model
    shown: tuple[dict[str, Json], ...]

    def between(self, durable: int, issued: int) -> list[dict[str, Json]]:
        """Return the states that a crash may leave if so many operations are promised and begun."""
        return list(self.shown[durable : issued + 1])

    def seen(self, state: Mapping[str, Json]) -> dict[str, Json]:
        """Return a recovered state in the form of :attr:`shown`."""
        return self.model.shown(self.model.begin(state))


def model_of(format_id: str) -> Model | None:
    """Return the model of `format_id`, None if it has none."""
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
    """Return what `ops` lead to from `state`; those whose number is in `refused` change nothing."""
    kept = model.begin(state)
    shown = [model.shown(kept)]
    for number, op in enumerate(ops):
        if number not in refused:
            kept = model.after(kept, op, edition)
        shown.append(model.shown(kept))
    return History(model, tuple(shown))
