"""The forms of a structure: by edition, by type of record, with and without its optional parts.

The forms come from the format's table of bytes (``[layout]`` of its ``fields.toml``), and from the conditions
of a ``.ksy`` for structures that only a schema describes. Each alternative is a separate
:class:`~journalspec_docs.ksy.Type`, whose name is the condition for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from journalspec.formats import format_module, get_format
from journalspec.layout import Field as Stored
from journalspec.layout import Layout
from journalspec_docs import sources
from journalspec_docs.ksy import Extent, Field, KsySchema, Type, role_of_name

#: The fields of one form. Two forms are equal if their fields are equal.
Form = tuple[Field, ...]
#: The structure and the edition.
Place = tuple[str, str]

#: Two conditions of this form on the same field exclude each other if their values differ.
_VALUE = re.compile(r"(.+) == \d+")
#: Conditions on the position in the file. They depend on whether bytes follow, not on the form of the bytes.
_PLACE = "_io."
#: A type with more fields than this has only one diagram, not one for each type of its content.
MANY = 12


def of_type(format_id: str, schema: KsySchema, kind: Type) -> list[Type]:
    """Return the alternatives of a type of a schema. Return none if the type has only one form."""
    own = [each for each in _places(format_id) if _described(format_id, *each) == (schema.id, kind.name)]
    found = _side_by_side(format_id, own)
    return found if len(found) > 1 else _by_condition(kind) or _by_content(schema, kind)


def by_edition(format_id: str) -> dict[str, list[Type]]:
    """Return a map from each structure that differs between editions to its alternatives in all editions."""
    places: dict[str, list[Place]] = {}
    for structure, edition in _places(format_id):
        places.setdefault(structure, []).append((structure, edition))
    return {
        structure: _side_by_side(format_id, own)
        for structure, own in places.items()
        if len({tuple(_forms(format_id, *each).values()) for each in own}) > 1
    }


def _layout(format_id: str) -> Layout:
    layout: Layout = format_module("journalspec", format_id).LAYOUT
    return layout


def _described(format_id: str, structure: str, edition: str) -> tuple[str, str]:
    layout = _layout(format_id)
    return layout.ksy(edition)[0], layout.structure(structure, edition).ksy


def _places(format_id: str) -> Iterator[Place]:
    if not hasattr(format_module("journalspec", format_id), "LAYOUT"):
        return  # A format may describe its bytes only in schemas.
    layout = _layout(format_id)
    for structure in layout.structure_names:
        for edition in get_format(format_id).editions:
            if layout.has(structure, edition):
                yield structure, edition


def _side_by_side(format_id: str, places: Sequence[Place]) -> list[Type]:
    """Return the forms that differ. Forms of the same record types are adjacent, ordered by edition."""
    by_kind: dict[str, dict[Form, list[str]]] = {}
    for structure, edition in places:
        for name, form in _forms(format_id, structure, edition).items():
            by_kind.setdefault(name, {}).setdefault(form, []).append(edition)
    alike: dict[tuple[tuple[Form, tuple[str, ...]], ...], list[str]] = {}
    for name, editions in by_kind.items():
        alike.setdefault(tuple((form, tuple(own)) for form, own in editions.items()), []).append(name)
    every = {edition for _, edition in places}
    return [
        _type(", ".join(filter(None, names)), own if set(own) != every else (), form)
        for forms, names in alike.items()
        for form, own in forms
    ]


def _type(name: str, editions: Sequence[str], fields: Form) -> Type:
    title = ": ".join(filter(None, (", ".join(editions), name)))
    size = fields[-1].offset + fields[-1].size if fields else Extent()
    return Type(title, "", fields, size)


def _forms(format_id: str, structure: str, edition: str) -> dict[str, Form]:
    """Return the forms of a structure in an edition: a map from record type and optional part to fields."""
    layout = _layout(format_id)
    kinds = list(layout.types(edition)) if layout.by_type(structure) else [""]
    found = {}
    for kind in kinds:
        stored = layout.structure(structure, edition, kind).fields
        left_out = next((item for item in stored if item.optional), None)
        if left_out is None:
            found[kind] = _laid(format_id, stored)
            continue
        # Fields in the same region as the optional part are absent together with it.
        rest = [item for item in stored if item is not left_out and item.fills != left_out.fills]
        found[f"{kind} with {left_out.name}".strip()] = _laid(format_id, stored)
        found[f"{kind} without {left_out.name}".strip()] = _laid(format_id, rest)
    return found


def _laid(format_id: str, stored: Iterable[Stored]) -> Form:
    roles = sources.roles_of(format_id)
    return _one_behind_the_other(
        Field(
            id=item.name,
            type=f"{'' if item.signed else 'u'}int{8 * item.width}" if item.is_int else item.type,
            offset=Extent(),
            size=Extent(item.width) if item.width else Extent(0, (item.length or f"size({item.name})",)),
            doc="",
            role=roles.get(item.name) or role_of_name(item.name),
        )
        for item in stored
    )


def _one_behind_the_other(fields: Iterable[Field]) -> Form:
    at = Extent()
    out = []
    for each in fields:
        out.append(replace(each, offset=at))
        at += Extent() if each.is_group else each.size
    return tuple(out)


def _by_condition(kind: Type) -> list[Type]:
    """Return two alternatives of a type: with and without the fields whose condition depends on bytes of the
    file.
    """
    computed = {item.id for item in kind.instances}
    conditions = list(
        dict.fromkeys(
            item.condition
            for item in kind.fields
            if item.condition and not item.depth and item.there != Extent()
            if _PLACE not in item.condition and item.condition not in computed
        )
    )
    if not conditions:
        return []
    about = {match[1] if (match := _VALUE.fullmatch(text)) else text for text in conditions}
    if len(conditions) > 1 and (len(about) == 1 or _are_opposite(*conditions)):
        chosen: list[tuple[str, set[str]]] = [(text, {text}) for text in conditions]
        # If the deciding field is in the type itself, the conditions cover all of its values.
        if _VALUE.fullmatch(conditions[0]) and not about & {item.id for item in kind.fields}:
            chosen.append(("otherwise", set()))
    else:
        # Each condition implies the previous one. For example, a number has a third part only if it has a
        # second part.
        chosen = [(f"unless {conditions[0]}", set())]
        chosen += [(text, set(conditions[: at + 1])) for at, text in enumerate(conditions)]
    return [
        _type(
            title,
            (),
            _one_behind_the_other(
                replace(item, size=item.there if item.condition in holds else item.size, condition="")
                for item in kind.fields
                if item.depth or item.condition not in conditions or item.condition in holds
            ),
        )
        for title, holds in chosen
    ]


def _are_opposite(*conditions: str) -> bool:
    """Return whether one of two conditions is the negation of the other."""
    denied = {" == ": " != ", " != ": " == ", " or ": " and ", " and ": " or "}
    turned = re.sub("|".join(denied), lambda match: denied[match[0]], conditions[0])
    return len(conditions) == 2 and (
        conditions[1] in (turned, f"not {conditions[0]}") or conditions[0] == f"not {conditions[1]}"
    )


def _by_content(schema: KsySchema, kind: Type) -> list[Type]:
    """Return an alternative for each type of the one field whose type varies. It contains the inner fields of
    this type.
    """
    varying = [item for item in kind.fields if item.cases]
    if len(varying) != 1 or len(kind.fields) > MANY:
        return []
    found: dict[tuple[tuple[str, str], ...], tuple[Form, list[str]]] = {}
    for value, name in varying[0].cases:
        inner = schema.types.get(name)
        content = inner.fields if inner and inner.fields else (replace(varying[0], id=name, cases=()),)
        form = _one_behind_the_other(
            each for item in kind.fields for each in (content if item is varying[0] else (item,))
        )
        look = tuple((item.id, str(item.size)) for item in form)
        found.setdefault(look, (form, []))[1].append(value)
    if len(found) == 1:
        return []
    deciding = varying[0].decided_by
    return [_type(f"{deciding} {', '.join(values)}", (), form) for form, values in found.values()]
