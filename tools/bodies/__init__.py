"""Single bodies of contents: where they come from, random changes of them, and their decoders.

A format's module defines

``DECODERS``   (family, type) -> a function from a body and its version to its fields by name and its fault;
               other types are decoded only as parts of these
``stored()``   bodies that products wrote, as (family, root, version, bytes): from this checkout, and from
               ../shared if it exists

``INSIDE``     (optional) (family, type) -> a function that returns type and bytes of a body within a body

A decoder never raises an exception, whatever the bytes are. The fields that it returns are the values that
users see.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from families_draw import draw

from journalspec.families import Family, Member, Shape, decode, families, terms
from journalspec.formats import format_ids
from journalspec.numbers import NUMBERS

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "reference_impl" / "tests" / "data"
#: Stores of products, with the output of the products' own browsers; some checkouts lack them.
SHARED = ROOT.parent / "shared" / "contents"
Fields = Mapping[Any, Any]
#: A function from a body and its version to its fields and its fault (empty: none).
Decoder = Callable[[bytes, str], tuple[Fields, str]]


class Body(NamedTuple):
    """A body: its family, its type, its version, and whether a product wrote it."""

    family: Family
    root: str
    version: str
    data: bytes
    real: bool


def has_bodies(format_id: str) -> bool:
    """Return whether a format has contents whose bodies are decoded."""
    return find_spec(f"{__name__}.{format_id}") is not None


def decoders(format_id: str) -> Mapping[tuple[str, str], Decoder]:
    """Return the decoders of a format's bodies."""
    found: Mapping[tuple[str, str], Decoder] = import_module(f"{__name__}.{format_id}").DECODERS
    return found


@cache
def real_bodies(format_id: str, family: str) -> Sequence[Body]:
    """Return the bodies of a family that products wrote, each once."""
    known = families(format_id)
    rows = import_module(f"{__name__}.{format_id}").stored()
    found = (row for row in dict.fromkeys(rows) if row[0] == family)
    return [Body(known[name], root, version, data, True) for name, root, version, data in found]


def drawn_body(family: Family, random: Random) -> Body:
    """Return a random body that the table of the family permits."""
    known = decoders(family.format_id)
    root = random.choice([each for each in family.roots if (family.name, each) in known])
    version = random.choice(family.versions)
    return Body(family, root, version, draw(family, root, version, random), real=False)


def all_families() -> Iterator[Family]:
    """Yield the families of all formats whose bodies are decoded."""
    for format_id in filter(has_bodies, format_ids()):
        yield from families(format_id).values()


def lengths(body: Body) -> set[int]:
    """Return the offsets of the fields that are sizes or counts. Their uses or their names show which fields
    these are.
    """
    found, measures = set[int](), _measures(body.family)

    def see(_: int, shape: Shape, member: Member, start: int, end: int, __: object) -> None:
        goes_by = not measures.isdisjoint(((shape.name, member.name), ("", f"outer.{member.name}")))
        if goes_by or (member.type in NUMBERS and _CALLED.search(member.name)):
            found.update(range(start, end))

    decode(body.family, body.root, body.data, body.version, see)
    module = import_module(f"{__name__}.{body.family.format_id}")
    if inside := getattr(module, "INSIDE", {}).get((body.family.name, body.root)):
        root, data = inside(body.data)
        at = body.data.rindex(data)
        found |= {at + each for each in lengths(body._replace(root=root, data=data))}
    return found


#: Names of sizes and counts. They are needed because no other field refers to a constant size.
_CALLED = re.compile(r"(^|_)(size|length|count)$")


@cache
def _measures(family: Family) -> frozenset[tuple[str, str]]:
    """Return the (type, field) pairs to which sizes and counts refer; the type is "" for fields of outer
    types.
    """
    found = set()
    for shape in family.types.values():
        sizes = (
            size for each in shape.fields for size in (each.size, each.count) if size not in ("", "rest")
        )
        names = (part for size in sizes for part in terms(size) if isinstance(part, str))
        found |= {("" if "." in name else shape.name, name) for name in names}
    return frozenset(found)


def changed(data: bytes, random: Random) -> bytes:
    """Return a body with up to eight changes of bytes, numbers and lengths; some bodies stay unchanged."""
    out = bytearray(data)
    for _ in range(random.choice((0, 1, 1, 1, 2, 3, 8))):
        at = random.randrange(len(out) + 1)
        how = random.randrange(6)
        if how == 0:
            out[at : at + 1] = random.randbytes(1)
        elif how == 1:
            size = random.choice((1, 2, 4, 8))
            out[at : at + size] = random.choice(_NUMBERS)[-size:]
        elif how == 2 and random.random() < 1 / 2:
            del out[at:]
        elif how == 3:
            out[at:at] = random.randbytes(random.randrange(9))
        elif how == 4:
            del out[at : at + random.randrange(9)]
        elif at < len(out):
            out[at] ^= 1 << random.randrange(8)
    return bytes(out)


#: The values that replace a number or its last bytes.
_NUMBERS = (
    bytes(8),
    b"\xff" * 8,
    b"\x7f" + b"\xff" * 7,
    b"\x80" + bytes(7),
    bytes(7) + b"\1",
    b"\0\0\0\0\x40\0\0\0",
)
