"""Reading the published tiers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import journalspec_corpus
from journalspec.formats import UnknownFormat, format_ids, get_format
from journalspec_corpus.case import Case, CaseError

#: The tiers that come with the package; ``core`` is built, see ``corpus build``.
PUBLISHED_TIERS = ("smoke", "captured", "worst")


def load_cases(format_id: str | None = None, tier: str = "smoke") -> list[Case]:
    """Return the published cases of `tier`, of one format or of all, in published order.

    Raises UnknownFormat for a format that is not described, and ValueError for
    a tier that is not published. A described format without cases gives none.
    """
    if tier not in PUBLISHED_TIERS:
        raise ValueError(f"no published tier {tier!r}: choose one of {', '.join(PUBLISHED_TIERS)}")
    if format_id is not None:
        get_format(format_id)
    chosen = format_ids() if format_id is None else (format_id,)
    return [case for name in chosen for case in _tier(name, tier)]


def find_case(case_id: str) -> Case:
    """Return the published case `case_id`; raises LookupError that names near ids."""
    near = []
    group = case_id.rpartition(".")[0] + "."
    for tier in PUBLISHED_TIERS:
        for case in load_cases(tier=tier):
            if case.id == case_id:
                return case
            if case.id.startswith(group):
                near.append(case.id)
    hint = f"; of that group: {', '.join(near[:5])}" if near else ""
    raise LookupError(f"no published case {case_id!r}{hint}")


def published_folder(format_id: str) -> Path | None:
    """Return the folder with the published tiers of `format_id`, or None if there is none.

    Every place that the package consists of is looked at, so that a format's
    files may live elsewhere.
    """
    for root in journalspec_corpus.__path__:
        folder = Path(root) / "published" / format_id
        if folder.is_dir():
            return folder
    return None


@cache
def _tier(format_id: str, tier: str) -> tuple[Case, ...]:
    folder = published_folder(format_id)
    if folder is None or not (folder / f"{tier}.jsonl").is_file():
        return ()
    path = folder / f"{tier}.jsonl"
    return tuple(parse_lines(path.read_text(encoding="utf-8"), f"published/{format_id}/{path.name}"))


def parse_lines(text: str, source: str) -> Iterator[Case]:
    """Yield the cases of a JSON-lines `text`; raises CaseError naming `source` and the line."""
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            yield Case.from_json(json.loads(line))
        except ValueError as error:
            raise CaseError(f"{source}, line {number}: {error}") from None


__all__ = ["PUBLISHED_TIERS", "UnknownFormat", "find_case", "load_cases", "parse_lines", "published_folder"]
