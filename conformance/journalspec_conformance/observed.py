"""The shape of what implementations send: enough of it that comparing cannot trip.

This is not validation (see ``--validate``): members may be missing or hold
other values than the protocol allows, but lists are lists and objects objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from journalspec_conformance.errors import Misbehaved

_LISTS_OF_OBJECTS = ("records", "dropped", "files", "notes", "unanchored")


def check_observation(observed: Mapping[str, Any]) -> None:
    """Raise Misbehaved if `observed` is no observation that can be compared."""
    if not isinstance(observed.get("verdict"), str):
        raise Misbehaved(f"the observation has no verdict, only {', '.join(sorted(observed)) or 'nothing'}")
    for name in _LISTS_OF_OBJECTS:
        _check_objects(name, observed.get(name))
    state = observed.get("state")
    if state is not None and not isinstance(state, dict):
        raise Misbehaved(f"state is no object: {state!r:.100}")
    _check_place("at", observed.get("at"))


def check_written(answer: Mapping[str, Any]) -> None:
    """Raise Misbehaved if `answer` is no answer to ``write`` that can be judged."""
    for name in ("files", "durable"):
        values = answer.get(name, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise Misbehaved(f"{name} is no list of texts: {values!r:.100}")
    _check_objects("refusals", answer.get("refusals"))


def check_io(step: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the storage operations of a step's answer; raises Misbehaved if it lists none as it should."""
    if not isinstance(step.get("io"), list):
        raise Misbehaved("io-trace is declared, but the answer to a step has no list io")
    _check_objects("io", step["io"])
    found: list[Mapping[str, Any]] = step["io"]
    return found


def _check_objects(name: str, values: object) -> None:
    if values is None:
        return
    if not isinstance(values, list):
        raise Misbehaved(f"{name} is no list: {values!r:.100}")
    for index, value in enumerate(values):
        if not isinstance(value, dict):
            raise Misbehaved(f"{name}[{index}] is no object: {value!r:.100}")
        _check_place(f"{name}[{index}].at", value.get("at"))


def _check_place(name: str, place: object) -> None:
    if place is not None and not isinstance(place, dict):
        raise Misbehaved(f"{name} is no object: {place!r:.100}")
