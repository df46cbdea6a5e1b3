"""Orders of writes and forces: that of the specification, and those of the products as traced.

``spec`` is the order that keeps every promise (JBM-WRT, JBM-CMP); the others
follow the products, defects included, so that their crash states can be
enumerated.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Order:
    """When what is written and forced.

    `force_fill` forces a new file once before it has its header. `force_left`
    forces a file before the first record goes into the next one. `force_names`
    forces the directory after files were created, renamed or removed.
    `force_open` ends a start with a force. `staged_control` writes the control
    file under another name and renames it when it is complete. `output` is how a
    compaction comes by a file: ``staged`` under the name that it will have,
    ``bare`` so and still empty, ``renamed`` from a data file made as always.
    `whole_output` then writes header, records and zeros to its end at once.
    """

    force_fill: bool = False
    force_left: bool = True
    force_names: bool = False
    force_open: bool = False
    staged_control: bool = False
    output: str = "staged"
    whole_output: bool = True


ORDERS = {
    "spec": Order(force_names=True, force_open=True, staged_control=True, whole_output=False),
    "hornetq": Order(force_fill=True, force_left=False, output="bare"),
    "artemis": Order(force_fill=True, output="renamed"),
}


def get_order(name: str) -> Order:
    """Return the order `name`; raises ValueError that lists the known ones."""
    try:
        return ORDERS[name]
    except KeyError:
        raise ValueError(f"unknown order {name!r}: expected one of {', '.join(ORDERS)}") from None
