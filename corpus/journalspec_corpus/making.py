"""Creates cases: the code that authored groups, families and captured files share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from journalspec.observation import CLEAN, jsonable
from journalspec_corpus.case import Case, Input, InputFile, Origin


def make_case(  # noqa: PLR0913  # one parameter for each member of a case; only the first is positional
    case_id: str,
    *,
    title: str,
    format_id: str,
    edition: str,
    stratum: str,
    category: str,
    origin: Origin,
    files: Mapping[str, bytes],
    expect: Iterable[Mapping[str, Any]],
    level: str = "must",
    tier: str = "smoke",
    obeys: Iterable[str] = (),
    breaks: Iterable[str] = (),
    flags: Iterable[str] = (),
    needs: Iterable[str] = (),
    params: Mapping[str, Any] | None = None,
    write: Mapping[str, Any] | None = None,
    history: str = "",
) -> Case:
    """Return a case; numbers in `expect`, `params` and `write` become decimal strings.

    `needs` is completed with the requested operations and with ``damage``.
    """
    entries = tuple(jsonable(entry) for entry in expect)
    return Case(
        id=case_id,
        title=title,
        format=format_id,
        edition=edition,
        tier=tier,
        stratum=stratum,
        category=category,
        level=level,
        obeys=tuple(obeys),
        breaks=tuple(breaks),
        flags=tuple(flags),
        needs=tuple(sorted({*needs, *implied_needs(entries)})),
        origin=origin,
        input=Input(tuple(InputFile.of(name, files[name]) for name in sorted(files))),
        params=jsonable(params or {}),
        write=None if write is None else jsonable(write),
        expect=entries,
        history=history,
    )


def implied_needs(expect: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the needs that follow from the expectations: operations, and ``damage``.

    A case needs ``damage`` if its plain reading is not clean. A case without a reading needs ``damage`` if
    any recovery is not clean.
    """
    # Missing parts alone do not count as damage here, because an implementation may lack the feature that
    # reports them.
    entries = [
        entry
        for entry in expect
        if entry["when"]["op"] != "write" and (entry.get("dropped") or not entry.get("missing"))
    ]
    needs = {entry["when"]["op"] for entry in expect}
    readings = [entry for entry in entries if entry["when"]["op"] == "read"]
    if any(entry["verdict"] != CLEAN for entry in readings or entries):
        needs.add("damage")
    return needs


def when(text: str) -> dict[str, str]:
    """Return the ``when`` object of ``read``, ``write`` or ``recover.<policy>``."""
    op, _, policy = text.partition(".")
    if op not in ("read", "recover", "write") or bool(policy) != (op == "recover"):
        raise ValueError(f"{text!r} is not a question: write read, write or recover.<policy>")
    return {"op": op, "policy": policy} if policy else {"op": op}
