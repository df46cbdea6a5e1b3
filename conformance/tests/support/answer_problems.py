"""Checks answers by the tables of a format: each name must be an entry there, and each part complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from journalspec.observation import REFUSED, VERDICTS
from journalspec.vocabulary import Entry, Field, Json, Vocabulary, members


def problems(words: Vocabulary, answer: Mapping[str, Json], edition: str, op: str) -> Iterator[str]:
    """Yield the faults of `answer` (an observation as JSON) by the tables of a format.

    A part may be missing if a lower level was requested. A record, header or state that is present must be
    complete.
    """
    if answer.get("verdict") not in VERDICTS:
        yield f"verdict: {answer.get('verdict')!r} is none of {', '.join(VERDICTS)}"
    shapes: dict[Json, tuple[Field, ...]] = {}
    for group in ("records", "unanchored"):
        for index, record in enumerate(answer.get(group, ())):
            where = f"{group}[{index}]"
            kind = record.get("type")
            yield from _known(words.record_types, kind, f"{where}.type", edition, op)
            inner = {name: value for name, value in record.items() if name not in ("type", "at")}
            if kind not in shapes:
                shapes[kind] = words.fields_of(kind, edition)
            yield from members(shapes[kind], inner, where, edition)
    for index, region in enumerate(answer.get("dropped", ())):
        yield from _known(words.reasons, region.get("reason"), f"dropped[{index}].reason", edition, op)
    for index, gone in enumerate(answer.get("missing", ())):
        yield from _gone(words, gone, f"missing[{index}]", edition, op)
    for index, entry in enumerate(answer.get("files", ())):
        where = f"files[{index}]"
        yield from _known(words.roles, entry.get("role"), f"{where}.role", edition, op)
        if entry.get("header"):
            yield from members(words.header, entry["header"], f"{where}.header", edition)
    for index, note in enumerate(answer.get("notes", ())):
        yield from _note(words, note, f"notes[{index}]", edition, op)
    if answer.get("state") is not None:
        yield from members(words.state, answer["state"], "state", edition)
    if answer.get("verdict") == REFUSED:
        yield from _refusal(words, answer, edition, op)


def _note(words: Vocabulary, note: Mapping[str, Json], where: str, edition: str, op: str) -> Iterator[str]:
    code = note.get("code")
    yield from _known(words.notes, code, f"{where}.code", edition, op)
    entry = words.notes.get(str(code))
    for name in ("file", "off", "text") if entry else ():
        if bool(getattr(entry, name)) != (name in note):
            state = "lacks" if name not in note else "has, and the table does not,"
            yield f"{where}: {code} {state} {name!r}"


def _gone(words: Vocabulary, gone: Mapping[str, Json], where: str, edition: str, op: str) -> Iterator[str]:
    code = gone.get("code")
    yield from _known(words.missing, code, f"{where}.code", edition, op)
    entry = words.missing.get(str(code))
    if entry and "count" in gone and not entry.count:
        yield f"{where}: {code} has, and the table does not, 'count'"
    for name in ("file", "off") if entry else ():
        if bool(getattr(entry, name)) < (name in gone):
            yield f"{where}: {code} has, and the table does not, {name!r}"


def _refusal(words: Vocabulary, answer: Mapping[str, Json], edition: str, op: str) -> Iterator[str]:
    code = answer.get("code")
    yield from _known(words.codes, code, "code", edition, op)
    entry = words.codes.get(str(code))
    if entry is None:
        return
    if answer.get("phase") != entry.phase:
        yield f"phase: {answer.get('phase')!r} with the code {code}, whose phase is {entry.phase}"
    if bool(entry.at) != ("at" in answer):
        yield f"at: the code {code} {'lacks' if entry.at else 'carries'} a place"


def _known(table: Mapping[str, Entry], name: Json, where: str, edition: str, op: str) -> Iterator[str]:
    entry = table.get(str(name))
    if entry is None:
        yield f"{where}: {name!r} is none of {', '.join(table) or 'none'}"
    elif entry.editions and edition not in entry.editions:
        yield f"{where}: {name} is not one of edition {edition}"
    elif entry.ops and op not in entry.ops:
        yield f"{where}: {name} is not for {op}"
