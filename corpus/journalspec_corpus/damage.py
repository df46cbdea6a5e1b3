"""Where a sound journal is damaged: loops over its labels, for the tables of families.

A generator yields what one step of a loop binds, by name; the edits of the table
then say what happens there (see :mod:`.edits`). Nothing here knows a format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from journalspec_corpus.edits import Built

Bound = Iterator[dict[str, Any]]


def _kept(built: Built, options: Mapping[str, Any]) -> Bound:
    """How many bytes of a place are kept: ``step`` apart, or ``at`` (from the end if negative)."""
    length = built.range(options["kept"]).length
    last = length if options.get("whole", True) else length - 1
    if "at" in options:
        points = sorted({at if at >= 0 else length + at for at in options["at"]} | _whole(options, length))
    else:
        points = list(range(0, length + 1, options.get("step", 1)))
    yield from ({"kept": kept} for kept in points if kept <= last)


def _whole(options: Mapping[str, Any], length: int) -> set[int]:
    return {length} if options.get("whole", False) else set()


def _bytes(built: Built, options: Mapping[str, Any]) -> Bound:
    """Every byte of a record or header, with its field, and the masks to change it by.

    ``masks`` may differ by field; none means one bit, the next one in each byte.
    """
    start = built.range(options["bytes"]).off
    for name, spot in built.labels.items():
        owner, _, field = name.partition(f"{options['bytes']}.")
        if owner or not field:
            continue
        masks = options.get("masks", {})
        for off in range(spot.off, spot.end):
            for mask in masks.get(field, masks.get("*", [1 << ((off - start) % 8)])):
                yield {"field": field, "off": off, "index": off - start, "mask": f"{mask:02x}"}


def _fields(built: Built, options: Mapping[str, Any]) -> Bound:
    """Fields of a record and what is added to each, written ``name+1``; those that it lacks are left out.

    Of those in ``letters`` the first byte is meant, of others the whole number.
    """
    for change in options["changes"]:
        at = max(change.find("+"), change.find("-"))
        field, amount = change[:at], int(change[at:])
        spot = built.labels.get(f"{options['fields']}.{field}")
        if spot is not None:
            width = 1 if field in options.get("letters", ()) else spot.length
            yield {"field": field, "amount": amount, "width": width}


def _sectors(built: Built, options: Mapping[str, Any]) -> Bound:
    """Every set of lost sectors of file ``f1``, which has so many."""
    count = options["sectors"]
    for mask in range(1, 1 << count):
        numbers = [number for number in range(count) if mask >> number & 1]
        texts = [str(number) for number in numbers]
        yield {
            "lost": [["f1", number] for number in numbers],
            "numbers": numbers,
            "dashed": "-".join(texts),
            "listed": ", ".join(texts),
        }


#: The first member of a loop's table -> generator.
GENERATORS: Mapping[str, Callable[[Built, Mapping[str, Any]], Bound]] = {
    "kept": _kept,
    "bytes": _bytes,
    "fields": _fields,
    "sectors": _sectors,
}
