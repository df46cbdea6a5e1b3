"""Which requirement is covered by which cases, on which side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from journalspec.requirements import Requirement, requirements
from journalspec_corpus.case import Case


@dataclass(slots=True)
class Coverage:
    """The cases of one requirement: ids of those that obey it and of those that break it."""

    requirement: Requirement
    obeys: list[str] = field(default_factory=list)
    breaks: list[str] = field(default_factory=list)

    @property
    def missing(self) -> tuple[str, ...]:
        """The sides without any case."""
        return tuple(side for side in ("obeys", "breaks") if not getattr(self, side))


def coverage(format_id: str, cases: Iterable[Case]) -> dict[str, Coverage]:
    """Return requirement id -> coverage for every requirement of `format_id`, in document order.

    Requirement ids that do not exist are left out; the lint names them.
    """
    table = {item.id: Coverage(item) for item in requirements(format_id)}
    for case in cases:
        for side in ("obeys", "breaks"):
            for requirement_id in getattr(case, side):
                if requirement_id in table:
                    getattr(table[requirement_id], side).append(case.id)
    return table
