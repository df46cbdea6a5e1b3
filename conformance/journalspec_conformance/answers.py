"""Checks the names and the JSON structure of an implementation's answers, before they are compared.

A misspelt name must not hide an answer. The declaration in ``hello`` determines which parts are requested and
compared. A name in the declaration that the format does not define would silently remove a part of the
comparison. So a run with such a name is refused before the first question. An answer that contains an unknown
name fails its probe. Names that begin with ``x-`` are the implementation's own, and never compared.

This is not a schema validation (see ``--validate``): members may be missing, or contain values that the
protocol does not allow. The comparison relies only on lists being lists and objects being objects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from journalspec.formats import Format, format_ids, get_format
from journalspec.observation import PHASES, REFUSED, Level
from journalspec_conformance.connection import FormatClaims, Hello
from journalspec_conformance.errors import Misbehaved, Problem

OWN = "x-"
#: The prefix of an additional code of a refusal: an exception that no code of the specification describes.
EXCEPTION = "exception:"
OPERATIONS = ("read", "recover", "write")
#: Features, each with its meaning.
FEATURES = {
    "damage": "damaged journals are judged too",
    "pure": "read and recover change no byte of the directory",
    "step": "write can be done stepwise",
    "io-trace": "every step of a write lists its storage operations",
    "silent": "clean and recovered are not distinguished",
    "no-records": "recover lists no records, so only the recovered state is judged",
    "log-alone": "a restart uses the log alone, without other files",
    "missing": "missing parts of a journal are reported",
    "memory": "(Python classes) files are given as a mapping of names to bytes",
}
MEMBERS = ("editions", "ops", "observe", "policies", "features", "state", "fields")


def check_claims(hello: Hello) -> None:
    """Raise Problem that lists every word of `hello` that its format does not define."""
    faults = []
    for format_id, claims in hello.formats.items():
        where = f"formats.{format_id}"
        if format_id not in format_ids():
            if not format_id.startswith(OWN):
                faults.append(_fault("formats", format_id, format_ids()))
            continue
        faults += _claims_faults(where, claims, get_format(format_id))
        declared = hello.message.get("formats", {}).get(format_id, {})
        faults += [_fault(where, name, MEMBERS) for name in _strange(declared, MEMBERS)]
    if faults:
        raise Problem(
            f"{hello.name}: its answer to hello has names that the format does not define:\n  "
            + "\n  ".join(faults),
            "Correct the declaration of the implementation. A misspelt name would never be asked or compared."
            f" Names of your own start with {OWN!r}.",
        )


def _claims_faults(where: str, claims: FormatClaims, entry: Format) -> Iterator[str]:
    words = entry.vocabulary
    for member, names, known in (
        ("editions", claims.editions, tuple(entry.editions)),
        ("ops", claims.ops, OPERATIONS),
        ("policies", claims.policies, tuple(entry.policies)),
        ("features", claims.features, tuple(FEATURES)),
        ("state", claims.state or (), words.state_names),
        ("fields", claims.fields or (), ("type", *words.field_names)),
    ):
        yield from (_fault(f"{where}.{member}", name, known) for name in _strange(names, known))
    if claims.observe == Level.VERDICT and "silent" in claims.features:
        yield f'{where}: "observe": "verdict" with the feature silent leaves nothing to compare'
    if claims.observe == Level.VERDICT and "damage" not in claims.features:
        # The verdict on every undamaged journal is clean, so an implementation with a constant answer would
        # pass.
        yield f'{where}: "observe": "verdict" without the feature damage leaves nothing to compare'
    if claims.observe == Level.RECORDS and "no-records" in claims.features:
        yield f'{where}: "observe": "records" contradicts the feature no-records'


def _strange(names: Iterable[str], known: Collection[str]) -> list[str]:
    return sorted(name for name in names if name not in known and not name.startswith(OWN))


def _fault(where: str, name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, known, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"{where}: unknown name {name!r}.{hint} Known: {', '.join(known)}"


def stranger_in(observed: Mapping[str, Any], format_id: str) -> tuple[str, str] | None:
    """Return the first name in `observed` that `format_id` does not define, or None.

    The result is the name with its kind (``records.gtird``), and an error message.
    """
    found = next(_strangers(observed, _words(format_id)), None)
    if found is None:
        return None
    group, path, name, known = found
    return f"{group}.{name}", _fault(path, name, sorted(known))


#: Reasons that every format has. They are for bytes that the disk cannot return, and for the bytes after
#: them.
NOT_READ = ("unreadable", "unreached")


@cache
def _words(format_id: str) -> Mapping[str, frozenset[str]]:
    words = get_format(format_id).vocabulary
    return {
        "record": frozenset(("type", "at", *words.field_names)),
        "type": frozenset(words.record_types),
        "reason": frozenset((*words.reasons, *NOT_READ)),
        "missing": frozenset(words.missing),
        "role": frozenset(words.roles),
        "header": frozenset(field.name for field in words.header),
        "note": frozenset(words.notes),
        "state": frozenset(words.state_names),
        "code": frozenset(words.codes),
        "phase": frozenset(PHASES),
    }


Found = tuple[str, str, str, frozenset[str]]


#: For each list of an answer: its name, the member of its entries to check, and the vocabulary with the known
#: words.
_LISTED = (
    ("records", "type", "type"),
    ("unanchored", "type", "type"),
    ("dropped", "reason", "reason"),
    ("missing", "code", "missing"),
    ("files", "role", "role"),
    ("notes", "code", "note"),
)


def _strangers(observed: Mapping[str, Any], words: Mapping[str, frozenset[str]]) -> Iterator[Found]:
    for group, member, kind in _LISTED:
        for at, entry in enumerate(observed.get(group) or ()):
            yield from _word(group, f"{group}[{at}].{member}", entry.get(member), words[kind])
            if kind == "type" and not entry.keys() <= words["record"]:
                yield from _names(group, f"{group}[{at}]", entry, words["record"])
    for at, entry in enumerate(observed.get("files") or ()):
        yield from _names("files.header", f"files[{at}].header", entry.get("header") or (), words["header"])
    yield from _names("state", "state", observed.get("state") or (), words["state"])
    if observed.get("verdict") == REFUSED:
        yield from _word("refused", "phase", observed.get("phase"), words["phase"])
        if not str(observed.get("code")).startswith(EXCEPTION):
            yield from _word("refused", "code", observed.get("code"), words["code"])


def _names(group: str, path: str, names: Iterable[str], known: frozenset[str]) -> Iterator[Found]:
    yield from ((group, f"{path}.{name}", name, known) for name in _strange(names, known))


def _word(group: str, path: str, value: object, known: frozenset[str]) -> Iterator[Found]:
    """Yield `value` if it is an unknown text; the comparison reports values of other types."""
    if isinstance(value, str) and value not in known and not value.startswith(OWN):
        yield group, path, value, known


def check_observation(observed: Mapping[str, Any]) -> None:
    """Raise Misbehaved if `observed` is not an observation that can be compared."""
    if not isinstance(observed.get("verdict"), str):
        raise Misbehaved(f"the observation has no verdict, only {', '.join(sorted(observed)) or 'nothing'}")
    for name, _, _ in _LISTED:
        _check_objects(name, observed.get(name))
    for name in ("state", "contents", "at"):
        if not isinstance(observed.get(name), dict | None):
            raise Misbehaved(f"{name} is not an object: {observed[name]!r:.100}")
    for table, rows in (observed.get("contents") or {}).items():
        _check_list(f"contents.{table}", rows)


def check_written(answer: Mapping[str, Any]) -> None:
    """Raise Misbehaved if `answer` is not a valid answer to ``write``."""
    for name in ("files", "durable"):
        values = answer.get(name, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise Misbehaved(f"{name} is not a list of texts: {values!r:.100}")
    _check_objects("refusals", answer.get("refusals"))


def check_io(step: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the storage operations of a step's answer; raises Misbehaved if they are invalid."""
    if not isinstance(step.get("io"), list):
        raise Misbehaved("io-trace is declared, but the answer to a step has no list io")
    _check_objects("io", step["io"])
    found: list[Mapping[str, Any]] = step["io"]
    return found


def _check_objects(name: str, values: object) -> None:
    """Raise Misbehaved unless this is a list of objects whose `at`, if present, is an object."""
    for index, value in enumerate(_check_list(name, values)):
        if not isinstance(value.get("at"), dict | None):
            raise Misbehaved(f"{name}[{index}].at is not an object: {value['at']!r:.100}")


def _check_list(name: str, values: object) -> list[dict[str, Any]]:
    """Return `values` if it is a list of objects, or an empty list for None; else raise Misbehaved."""
    if values is None:
        return []
    if not isinstance(values, list):
        raise Misbehaved(f"{name} is not a list: {values!r:.100}")
    for index, value in enumerate(values):
        if not isinstance(value, dict):
            raise Misbehaved(f"{name}[{index}] is not an object: {value!r:.100}")
    return values
