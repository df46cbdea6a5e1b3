"""Derby's log, which is not registered yet: its tables, and its schemas on what real Derby wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator

from journalspec.derby_log.operations import Form, Slot, groups, objects, operations

TYPES = {"u1", "u2", "s4", "s8", "cint", "clong", "utf", "bytes", "list", "object"}


def slots(form: Form) -> Iterator[tuple[Slot, list[str]]]:
    """Give every field, those of elements of lists too, with the names of what stands before it."""
    before: list[str] = []
    for slot in form.fields:
        yield slot, list(before)
        if isinstance(slot.of, tuple):
            yield from ((member, []) for member in slot.of)
        before.append(slot.name)


def test_operations_and_objects_have_names_and_ids_of_their_own() -> None:
    forms = [*operations().values(), *objects().values()]
    assert len({form.name for form in forms}) == len({form.id for form in forms}) == len(forms)
    assert all(re.fullmatch("[A-Z][A-Z0-9_]+", form.name) for form in operations().values())


def test_what_a_field_refers_to_stands_before_it() -> None:
    for form in [*operations().values(), *objects().values()]:
        names = [slot.name for slot in form.fields]
        assert len(set(names)) == len(names), form.name
        for slot, before in slots(form):
            assert slot.type in TYPES, slot
            assert (slot.type == "object") == (isinstance(slot.of, str) and slot.of in objects()), slot
            for name in (slot.length, slot.count, slot.when[0] if slot.when else ""):
                assert not name or name in before, slot


def test_an_operation_s_groups_are_made_of_named_bits() -> None:
    known = sum(groups().values())
    assert all(bit & ~known == 0 for form in operations().values() for bit in form.group)
    assert all(form.group for form in operations().values())
