"""What a start of the product does with a store, as far as that is known: the rows `at_start` of a format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from journalspec.files import shown
from journalspec.formats import AtStart, get_format
from journalspec.observation import CLEAN
from journalspec_conformance.cli.contents import Holdings, of_answer
from journalspec_conformance.cli.facts import some_of
from journalspec_conformance.cli.places import Directory
from journalspec_reference.answers import Answer

#: What codes of remarks on contents begin with here.
_OF_CONTENTS = "contents-"


@dataclass(frozen=True)
class LookedAt:
    """A journal: where it is, what came of it, perhaps its contents, and codes that came so."""

    place: Directory
    answers: Sequence[Answer]
    contents: Holdings | None = None
    own: AbstractSet[str] = frozenset()

    @property
    def codes(self) -> set[str]:
        """What the rows `at_start` of a format are about."""
        found = {*self.own, *(f"without-{name}" for name in self._without())}
        for answer in self.answers:
            seen = answer.observation
            found |= {note.code for note in seen.notes} | {entry.code for entry in seen.missing}
            found |= {region.reason for region in seen.dropped} | {seen.code or "", f"refused-{seen.code}"}
        if self.answers[0].observation.verdict == CLEAN:
            found.add(CLEAN)
        if self.contents is not None:
            # Other remarks of these codes are on what a start leaves alone, such as properties and pages.
            found |= {f"{_OF_CONTENTS}{code}" for code in self.contents.judge()}
        return found

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield codes of what is missing, of notes on neighbours, and of remarks, each with its text."""
        for answer in self.answers:
            for entry in answer.observation.missing:
                yield entry.code, entry.text
            for note in answer.observation.notes:
                if note.file in answer.journal.neighbours:
                    yield note.code, note.text
        if self.contents is not None:
            for remark in self.contents.contents.remarks.kept:
                yield f"{_OF_CONTENTS}{remark.code}", remark.text

    def _without(self) -> list[str]:
        """Return which directories are not beside the one that holds what people ask for, and should be."""
        root, patterns = self.place.loaded.root, get_format(self.answers[0].journal.format).parts
        alone = not patterns or self.place.asked.archive == root
        if alone or not fnmatchcase(root.resolve().name, patterns[0]):
            return []
        names = [path.name for path in root.resolve().parent.iterdir() if path.is_dir()]
        return [
            each.strip("*") for each in patterns[1:] if not any(fnmatchcase(name, each) for name in names)
        ]


def at_start(journals: Iterable[LookedAt]) -> list[AtStart]:
    """Return what a start does with the journals of a store."""
    rows: dict[AtStart, None] = {}
    texts: dict[str, dict[str, None]] = {}
    for journal in journals:
        codes = journal.codes
        for code, text in journal.texts():
            texts.setdefault(code, {})[shown(text)] = None
        known = get_format(journal.answers[0].journal.format).at_start
        rows |= dict.fromkeys(row for row in known if row.applies(codes))
    return [
        replace(
            row,
            says=row.says.format(texts=some_of([text for code in row.when for text in texts.get(code, ())])),
        )
        for row in rows
    ]


def trouble(place: Directory, answer: Answer) -> str:
    """Return that a start fails on files that are whole, or loses something; empty: nothing says so."""
    if answer.observation.verdict != CLEAN:
        return ""
    rows = [row for row in get_format(answer.journal.format).at_start if row.fails]
    # Contents may take a pass over all of the journal.
    wanted = any(code.startswith(_OF_CONTENTS) for row in rows for code in row.when)
    contents = of_answer(answer, redact=place.asked.redact) if wanted else None
    codes = LookedAt(place, [answer], contents).codes
    return "; ".join(row.short for row in rows if row.applies(codes))
