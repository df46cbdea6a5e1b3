"""What operations amount to, by the letter of the specifications: the naive models of the second oracle.

A format's model stands in a module of its own beside this one; none uses the model that the engine has.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from brute_effects import FoldModel


def fold_model(format_id: str) -> FoldModel | None:
    """Return the naive model of a format, None if there is none."""
    name = f"brute_model_{format_id}"
    if find_spec(name) is None:
        return None
    found: FoldModel = import_module(name).MODEL
    return found
