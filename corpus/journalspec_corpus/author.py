"""The common parts of all formats' author modules: brief texts, labels, expected reports, layout of files.

A format's ``author`` module turns descriptions into sound journals (:class:`.edits.Built`), and defines the
words of descriptions and the defaults of a file. The functions of this module need only the format's table of
fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from journalspec.formats import get_format
from journalspec.layout import Layout, Part
from journalspec.vocabulary import Field
from journalspec_corpus.edits import Built, Range

#: Turns the description of a record into its fields in stored order, and into the fields that a reader
#: reports.
Make = Callable[[Mapping[str, Any]], tuple[list[Part], Mapping[str, Any]]]


def hex_bytes(text: str) -> bytes:
    """Return the bytes of ``hex``; ``hex*N`` means the bytes N times."""
    return bytes.fromhex(long_text(text))


def long_text(text: str) -> str:
    """Return a text; ``text*N`` means the text before the star N times."""
    one, star, count = text.partition("*")
    return one * int(count) if star else one


def words(text: str) -> tuple[str, list[str], dict[str, str]]:
    """Return the label, the bare words and the ``key=value`` pairs of a record given as a text."""
    label, *rest = text.split()
    pairs = {key: value for key, sign, value in (item.partition("=") for item in rest) if sign}
    return label, [item for item in rest if "=" not in item], pairs


def brief_operation(text: str, members: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """Return the writer's operation that a text describes: the member ``op`` and others.

    `members` lists the names of the bare words after an operation, in order. Raises ValueError if their
    number is wrong.
    """
    kind, bare, pairs = words(text)
    out: dict[str, Any] = {"op": kind, **dict(zip((members or {}).get(kind, ()), bare, strict=True)), **pairs}
    return {**out, "commit": pairs["commit"] == "true"} if "commit" in pairs else out


def branch_of(text: str) -> dict[str, Any]:
    """Return the XA id in a text ``FORMAT:GTRID:BQUAL``, whose last two parts are hex, or ``hex*N``."""
    form, gtrid, bqual = text.split(":")
    return {"format_id": int(form), "gtrid": hex_bytes(gtrid), "bqual": hex_bytes(bqual)}


def labelled(parts: Iterable[Part], names: Mapping[str, str], before: str = "") -> list[Part]:
    """Return the parts under authors' labels: by `names`, and ``name1.length`` for ``name[0].length``.

    An element without fields of its own is ``name1.text``.
    """
    return [Part(before + _label(part.name, names), part.data) for part in parts]


def _label(path: str, names: Mapping[str, str]) -> str:
    each, bracket, rest = path.partition("[")
    if not bracket:
        return names.get(path, path)
    index, _, member = rest.partition("]")
    return f"{each}{int(index) + 1}{member or '.text'}"


def stored(
    layout: Layout, edition: str, parts: Sequence[Part], values: Mapping[str, Any], kind: str = ""
) -> dict[str, Any]:
    """Return the values of the record with the bytes `parts`. Its lists are copied from `values`."""
    data = dict(parts)
    known = [item for item in layout.structure("record", edition, kind).fields if item.name in data]
    own = {item.name: item.integer(data[item.name]) if item.is_int else data[item.name] for item in known}
    return {**values, **own}


@cache
def _told(format_id: str, kind: str, edition: str) -> tuple[Field, ...]:
    return get_format(format_id).vocabulary.fields_of(kind, edition)


def reported(layout: Layout, edition: str, kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reported fields of a record with these values, in the order of the format's table.

    Values are plain Python values; they become texts only in a finished case.
    """
    out: dict[str, Any] = {"type": kind}
    for item in _told(layout.format_id, kind, edition):
        if item.name in values:
            value = values[item.name]
            out[item.name] = value == 1 if item.kind == "bool" else value
    return out


# The first three arguments select the file. The keyword arguments describe the format of the file.
def lay_file(
    built: Built,
    label: str,
    name: str,
    file: Mapping[str, Any],
    *,
    header: Sequence[Part],
    make: Make,
    fill: bytes,
) -> None:
    """Write the header and ``records`` of `file` over the file's previous generation, and fill the remaining
    space.

    Records of the previous generation, ``before``, remain visible after the end of the new ones. Each record
    starts at a multiple of ``align``. It follows its ``gap`` (in hex), and does not start before the offset
    ``to``. A file without a ``size`` ends after the last byte that was written. The label ``LABEL.log``
    covers all records. A first record without a ``label`` is called ``LABELr1``, or ``LABELold1`` in the
    previous generation. The parts of the `header` are named ``header.FIELD`` (:func:`labelled` adds that
    prefix).
    """
    data = bytearray()
    built.labels[f"{label}.header"] = built.lay(name, label, header, data)
    start, align = len(data), file.get("align", 1)
    background = data[:]
    for prefix, key, laid in ((f"{label}old", "before", background), (f"{label}r", "records", data)):
        laid.extend(bytes(-len(laid) % align))
        for index, record in enumerate(file.get(key, ()), start=1):
            laid.extend(hex_bytes(record.get("gap", "")))
            laid.extend(fill * (record.get("to", len(laid)) - len(laid)))
            own = record.get("label", f"{prefix}{index}")
            parts, fields = make(record)
            built.records[own] = {**fields, "at": built.lay(name, own, parts, laid).to_json()}
            laid.extend(bytes(-len(laid) % align))
    built.labels[f"{label}.log"] = Range(name, start, len(data) - start)
    data += background[len(data) :]
    built.finish(name, label, data, len(data) if file.get("size") is None else file["size"], fill)
