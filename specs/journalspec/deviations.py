"""Deviations of products from the specification, from a format's ``deviations.toml``.

Only observed deviations are listed. The kind of an entry is ``errata`` if the product is wrong. It is
``permissive`` if the product accepts (or writes) more than the specification allows, without harm to a user.
Every entry also states what the deviation costs a user (`cost`) and what the product could do instead
(`change`).

Every entry has one or more tables ``[[deviation.show]]``. Each states how a run of a product shows the
deviation, and `journalspec products show` executes it:

    products  ids of the products that show it; all ways but `none` need it
    demands   what the specification demands, in words (a case states it itself)

and one of these ways:

    case      a published case; `op` is the question (read, recover.strict, ..., write), `fails`
              the fingerprint of the failure, or timeout or crash; with ``or`` between two of them
    steps     requests in one directory: {cmd = "write", ops = [...]}, {cmd = "read"},
              {cmd = "recover", policy = "salvage"} (with aside = true about a copy), or
              {cmd = "put", file, off, hex}, which changes the files and sends no request
    trace     operations of one write request, watched by strace; `order` and `never` are regular
              expressions over lines like "write FILE OFFSET LENGTH", "sync FILE",
              "rename FILE TARGET" and "unlink FILE": `order` must match, `never` must not
    program   a program of the product's harness, run with --product ID and `arguments` up to
              `tries` times; its exit status is 1 if it has observed the deviation, else 0
    none      why no product that runs here can show it

Steps and traces begin with the files of the case `start`. Without `start` they begin without files; then
`edition` is needed, and `params` may be given. `seen` lists checks, all of which must hold. {file, off, hex}
and {file, len} check the resulting files. {answer, at, is} checks the member `at` (a path such as
state.unfinished.0.names) of the answer to step number `answer`. With `has` or `lacks` in place of `is`, this
member is a list, which must contain the value or must not.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from journalspec.formats import UnknownFormat, format_ids, get_format
from journalspec.requirements import requirements

FILE_NAME = "deviations.toml"
KINDS = ("errata", "permissive")
MEMBERS = (
    "id",
    "product",
    "since",
    "until",
    "kind",
    "requirements",
    "title",
    "text",
    "example",
    "cases",
    "cost",
    "change",
    "observed",
    "show",
)
#: Way to show a deviation -> its required and its optional members.
WAYS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "case": (frozenset({"products", "op", "fails"}), frozenset({"demands", "seen"})),
    "steps": (frozenset({"products", "demands", "seen"}), frozenset({"start", "edition", "params"})),
    "trace": (
        frozenset({"products", "demands"}),
        frozenset({"start", "edition", "params", "order", "never"}),
    ),
    "program": (frozenset({"products", "demands"}), frozenset({"arguments", "tries"})),
    "none": (frozenset(), frozenset()),
}
#: The ways that can show a deviation without a case.
_NO_CASE = ("steps", "trace", "program")
#: The possible forms of a check, by their members.
_CHECKS = (
    {"file", "off", "hex"},
    {"file", "len"},
    {"answer", "at", "is"},
    {"answer", "at", "has"},
    {"answer", "at", "lacks"},
)
_COMMANDS = {
    "write": {"ops", "params"},
    "read": {"aside", "params"},
    "recover": {"policy", "aside", "params"},
    "put": {"file", "off", "hex"},
}
_ID = re.compile(r"(?P<prefix>[A-Z]{3})-DEV-[0-9]{3}")
_HEX = re.compile(r"([0-9a-f]{2})+")
_CASE = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+){2,}")


@dataclass(frozen=True, slots=True)
class Show:
    """Represents one way to show a deviation: `way` is a key of WAYS, `data` the table itself."""

    way: str
    data: Mapping[str, Any]

    @property
    def products(self) -> tuple[str, ...]:
        """The ids of the products on which the deviation is shown."""
        return tuple(self.data.get("products", ()))


@dataclass(frozen=True, slots=True)
class Deviation:
    """Represents one deviation of a product, and how it was observed.

    `since` and `until` are the first and last version known to have the deviation; an empty `until` means
    that the newest version checked still has it. `example` is ``{"hex", "where"}`` and may be empty;
    `observed` is ``{"how", "on"}``.
    """

    id: str
    product: str
    since: str
    until: str
    kind: str
    requirements: tuple[str, ...]
    title: str
    text: str
    example: Mapping[str, str]
    cases: tuple[str, ...]
    cost: str
    change: str
    observed: Mapping[str, str]
    show: tuple[Show, ...] = ()

    @property
    def products(self) -> tuple[str, ...]:
        """The ids of the products on which the deviation is shown, in the order of its tables."""
        return tuple(dict.fromkeys(name for show in self.show for name in show.products))


@cache
def deviations(format_id: str) -> tuple[Deviation, ...]:
    """Return the deviations of `format_id` in document order. Return no deviations if the format has no such
    file.

    Raises UnknownFormat, or ValueError that lists every fault that :func:`lint` finds.
    """
    source = get_format(format_id).root.joinpath(FILE_NAME)
    if not source.is_file():
        return ()
    data = tomllib.loads(source.read_text(encoding="utf-8"))
    faults = lint(format_id, data)
    if faults:
        raise ValueError(f"{format_id}/{FILE_NAME}:\n" + "\n".join(faults))
    return tuple(_deviation(entry) for entry in data.get("deviation", ()))


def _deviation(entry: Mapping[str, Any]) -> Deviation:
    return Deviation(
        id=entry["id"],
        product=entry["product"],
        since=entry["since"],
        until=entry.get("until", ""),
        kind=entry["kind"],
        requirements=tuple(entry["requirements"]),
        title=entry["title"],
        text=" ".join(entry["text"].split()),
        example=dict(entry.get("example", {})),
        cases=tuple(entry["cases"]),
        cost=entry["cost"],
        change=entry["change"],
        observed=dict(entry["observed"]),
        show=tuple(Show(_way(table), dict(table)) for table in entry.get("show", ())),
    )


def _way(table: Mapping[str, Any]) -> str:
    found = [way for way in WAYS if way in table]
    return found[0] if len(found) == 1 else ""


def lint(format_id: str, data: Mapping[str, Any], known_cases: Collection[str] | None = None) -> list[str]:
    """Return the faults of the parsed ``deviations.toml``, one line per fault.

    `known_cases` are the ids of existing cases. The specification itself contains no cases, so without
    `known_cases` only the form of ids is checked.
    """
    faults = [f"{key!r} is not a member of this file" for key in data if key != "deviation"]
    seen: set[str] = set()
    shown = any("show" in entry for entry in data.get("deviation", ()))
    for number, entry in enumerate(data.get("deviation", ()), start=1):
        name = str(entry.get("id", f"deviation number {number}"))
        if name in seen:
            faults.append(f"{name}: the id is used twice")
        seen.add(name)
        found = [*_form_faults(format_id, name, entry), *_reference_faults(format_id, entry, known_cases)]
        faults += [f"{name}: {fault}" for fault in found]
        if shown and not entry.get("show"):
            faults.append(f"{name}: it cannot be shown: add a [[deviation.show]], at least with `none`")
        for table in entry.get("show", ()):
            faults += [f"{name}: show: {fault}" for fault in _show_faults(table, known_cases)]
    return faults


def _show_faults(table: Mapping[str, Any], known_cases: Collection[str] | None) -> Iterator[str]:
    way = _way(table)
    if not way:
        yield f"exactly one of {', '.join(WAYS)} is needed, it has {', '.join(table) or 'nothing'}"
        return
    needed, optional = WAYS[way]
    yield from (f"{way}: there is no {member}" for member in sorted(needed) if not table.get(member))
    unknown = sorted(set(table) - {way} - needed - optional)
    yield from (f"{way}: {member!r} is none of its members" for member in unknown)
    for case in (table[member] for member in ("case", "start") if member in table):
        if not _CASE.fullmatch(str(case)):
            yield f"{case!r} does not have the form of a case id"
        elif known_cases is not None and case not in known_cases:
            yield f"there is no case {case}"
    if way in ("steps", "trace") and ("start" in table) == ("edition" in table):
        yield f"{way}: either a case to start from or an edition is needed"
    if way == "trace" and not table.get("order") and not table.get("never"):
        yield "trace: `order` or `never` is needed, else it cannot fail"
    for member in ("order", "never"):
        try:
            re.compile(table.get(member, ""))
        except (re.error, TypeError) as error:
            yield f"{member} is not a regular expression: {error}"
    if way == "steps":
        yield from _step_faults(table["steps"])
    yield from (
        f"seen: {check!r} does not have the members of a check"
        for check in table.get("seen", ())
        if set(check) not in _CHECKS
    )


def _step_faults(steps: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for step in steps:
        command = step.get("cmd")
        if command not in _COMMANDS:
            yield f"steps: cmd {command!r} is none of {', '.join(_COMMANDS)}"
        else:
            unknown = sorted(set(step) - {"cmd"} - _COMMANDS[command])
            yield from (f"steps: {member!r} is none of {command}'s members" for member in unknown)


def _form_faults(format_id: str, name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    prefix = get_format(format_id).prefix
    match = _ID.fullmatch(name)
    if not match or match["prefix"] != prefix:
        yield f"the id is not of the form {prefix}-DEV-000"
    for member in entry:
        if member not in MEMBERS:
            yield f"{member!r} is none of {', '.join(MEMBERS)}"
    for member in ("product", "since", "title", "text", "cost", "change"):
        if not isinstance(entry.get(member), str) or not entry[member].strip():
            yield f"there is no {member}"
    if entry.get("kind") not in KINDS:
        yield f"kind {entry.get('kind')!r} is none of {', '.join(KINDS)}"
    yield from _example_faults(entry.get("example"))
    observed = entry.get("observed")
    if not isinstance(observed, Mapping) or not observed.get("how") or not observed.get("on"):
        yield "observed lacks `how` or `on`: only observed deviations are listed"


def _example_faults(example: object) -> Iterator[str]:
    if example is None:
        return
    if not isinstance(example, Mapping) or not example.get("where"):
        yield "the example lacks the place of its bytes (`where`)"
        return
    if not _HEX.fullmatch(str(example.get("hex", "")).replace(" ", "")):
        yield "the example's hex must consist of pairs of lower-case hexadecimal digits"


def _reference_faults(
    format_id: str, entry: Mapping[str, Any], known_cases: Collection[str] | None
) -> Iterator[str]:
    known = requirements(format_id)
    if not entry.get("requirements"):
        yield "it lists no requirement that it violates"
    for requirement in entry.get("requirements", ()):
        if requirement not in known:
            yield f"there is no requirement {requirement}"
    # If no product of the format can be run, only earlier runs show the deviation. Then `none` is also
    # enough.
    enough = {*_NO_CASE, "none"} if get_format(format_id).uncaptured else {*_NO_CASE}
    if not entry.get("cases") and not any(enough & set(show) for show in entry.get("show", ())):
        yield "it lists no case that shows it"
    for case in entry.get("cases", ()):
        if not _CASE.fullmatch(case):
            yield f"{case!r} does not have the form of a case id"
        elif known_cases is not None and case not in known_cases:
            yield f"there is no case {case}"


def main() -> int:
    """Lint the deviations of all formats; return the exit status."""
    try:
        for name in format_ids():
            print(f"{name}: {len(deviations(name))} deviations")
    except (UnknownFormat, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
