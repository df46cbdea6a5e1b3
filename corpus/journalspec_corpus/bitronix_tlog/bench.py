"""The families' workbench: journals to damage, and the step from a plan to a case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from journalspec_corpus.bitronix_tlog.author import FILE_NAMES, build
from journalspec_corpus.bitronix_tlog.plan import QUESTIONS, FilePlan, Piece, expectations
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.edits import Built
from journalspec_corpus.making import make_case

FORMAT = "bitronix_tlog"
FIRST, SECOND = FILE_NAMES["f1"], FILE_NAMES["f2"]
LOG_START = 21
NEWER, OLDER = 1000, 500
#: Time of the records of a file's previous life, well before those of this one.
FORMER_TIME = 1_600_000_000_000
NAMES = ("db1", "jms1")


@dataclass(frozen=True, slots=True)
class Family:
    """What the cases of one family have in common."""

    group: str
    stratum: str
    category: str
    base: str
    obeys: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    edition: str = "2.1"
    level: str = "must"
    #: What a person went through to be sure of the expectations.
    checked_by: tuple[str, ...] = ("hand",)

    def but(self, **changes: Any) -> Family:
        """Return the family with some members changed."""
        return replace(self, **changes)


def record(number: int, kind: str = "COMMITTING", **more: Any) -> dict[str, Any]:
    """Return the description of record ``r<number>``: a decision on transaction `number`."""
    base = {"id": f"r{number}", "type": kind, "gtrid": f"g{number}", "names": list(NAMES), "seq": number}
    return {**base, **more}


def decisions(count: int, **more: Any) -> list[dict[str, Any]]:
    """Return `count` decisions on as many transactions; 64 bytes each with the default names."""
    return [record(number, **more) for number in range(1, count + 1)]


def former(count: int, **more: Any) -> list[dict[str, Any]]:
    """Return decisions of the file's previous life: other transactions, earlier, same sizes."""
    return [
        record(number, gtrid=f"g{900 + number}", time=FORMER_TIME, seq=100 + number, **more)
        for number in range(1, count + 1)
    ]


def pair(records: Iterable[Mapping[str, Any]], size: int = 512, **first: Any) -> Built:
    """Return a journal with `records` in file 1, which is active, and an empty file 2."""
    file1 = {"timestamp": NEWER, "state": 255, "records": list(records), **first}
    return build({"size": size, "file1": file1, "file2": {"timestamp": OLDER}}, "2.1")


def second(size: int, problem: str = "") -> FilePlan:
    """Return the plan of the empty file 2."""
    return FilePlan(SECOND, OLDER, size, (), problem)


def first(size: int, pieces: Iterable[Piece], problem: str = "") -> FilePlan:
    """Return the plan of file 1, the active one unless it has a problem."""
    return FilePlan(FIRST, NEWER, size, tuple(pieces), problem)


def case(  # noqa: PLR0913  # name, title and what the case consists of; the rest is keyword-only
    family: Family,
    name: str,
    title: str,
    files: Mapping[str, bytes | bytearray],
    one: FilePlan,
    two: FilePlan,
    *,
    how: str,
    notes: tuple[str, ...] = (),
    questions: tuple[str, ...] = QUESTIONS,
) -> Case:
    """Return the case ``btm.<group>.<name>`` with the expectations of the two plans."""
    return make_case(
        f"btm.{family.group}.{name}",
        title=title,
        format_id=FORMAT,
        edition=family.edition,
        stratum=family.stratum,
        category=family.category,
        level=family.level,
        obeys=family.obeys,
        breaks=family.breaks,
        flags=family.flags,
        origin=Origin("family", family.base, how, family.checked_by),
        files={path: bytes(data) for path, data in files.items()},
        expect=list(expectations(one, two, notes=notes, questions=questions)),
    )


class Fresh:
    """Lets the first of several equal inputs through: a tear that changes nothing is no case."""

    def __init__(self) -> None:
        self._seen: set[tuple[tuple[str, bytes], ...]] = set()

    def __call__(self, files: Mapping[str, bytes | bytearray]) -> bool:
        """Tell whether `files` have not been seen before, and remember them."""
        key = tuple((name, bytes(files[name])) for name in sorted(files))
        if key in self._seen:
            return False
        self._seen.add(key)
        return True
