"""Reads cases from the published tiers, and from sets of any other source."""

from __future__ import annotations

import errno
import gc
import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import journalspec_corpus
from journalspec.files import Unfit, reading, shown
from journalspec.formats import UnknownFormat, format_ids, get_format
from journalspec_corpus.case import Case, CaseError
from journalspec_corpus.form import MAX_LINE, is_id, lines_of, parse

#: The tiers that come with the package; ``core`` is built, see ``corpus build``.
PUBLISHED_TIERS = ("smoke", "captured", "worst")
#: The file with the cases of a core build: JSON lines, see :class:`Shared`.
CASES = "cases.jsonl.gz"
#: The suffix of a case's id if the case is published again in another edition. The edition replaces the
#: braces.
AGAIN = "-in-{}"
#: The message if there are no published cases: they are a separate distribution, which operators do not need.
NOT_INSTALLED = "the published cases are not installed\n  next  pip install 'journalspec[cases]'"
#: The greatest number of lines in a set that are not cases. A file with more such lines is not a set of
#: cases.
MOST_FAULTY = 1000


def load_cases(
    format_id: str | None = None, tier: str = "smoke", only: frozenset[str] = frozenset()
) -> list[Case]:
    """Return the published cases of `tier`, of one format or of all, in published order.

    With `only`, only the cases with these ids are read. Raises UnknownFormat for a format that is not
    described, ValueError for a tier that is not published, FileNotFoundError if no cases are installed. For a
    described format without cases, the result is empty.
    """
    if tier not in PUBLISHED_TIERS:
        raise ValueError(f"no published tier {tier!r}: choose one of {', '.join(PUBLISHED_TIERS)}")
    if format_id is not None:
        get_format(format_id)
    chosen = format_ids() if format_id is None else (format_id,)
    return [case for name in chosen for case in _tier(name, tier, only)]


def find_case(case_id: str) -> Case:
    """Return the published or random case `case_id`; raises LookupError that lists similar ids."""
    from journalspec_corpus.draws import drawn_case  # noqa: PLC0415 - only random journals need naive readers

    drawn = drawn_case(case_id)
    if drawn is not None:
        return drawn
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


def told_in(case: Case, editions: Collection[str]) -> Case:
    """Return the form of `case` in one of `editions`; the case itself if it has no form in any of them."""
    if case.edition in editions:
        return case
    wanted = {case.id + AGAIN.format(edition) for edition in editions}
    told = (other for tier in PUBLISHED_TIERS for other in load_cases(case.format, tier))
    return next((other for other in told if other.id in wanted), case)


def published_folder(format_id: str) -> Path | None:
    """Return the folder with the published tiers of `format_id`, or None if there is none.

    All directories of the package are searched, so that a format's files may be elsewhere.
    """
    for root in journalspec_corpus.__path__:
        folder = Path(root) / "published" / format_id
        if folder.is_dir():
            return folder
    return None


@cache
def _tier(format_id: str, tier: str, only: frozenset[str]) -> tuple[Case, ...]:
    folder = published_folder(format_id)
    if not any((Path(root) / "published").is_dir() for root in journalspec_corpus.__path__):
        raise FileNotFoundError(errno.ENOENT, NOT_INSTALLED)
    if folder is None or not (folder / f"{tier}.jsonl").is_file():
        return ()
    path = folder / f"{tier}.jsonl"
    looks = gc.isenabled()
    gc.disable()  # Cases contain no reference cycles, and the search for cycles took most of the time.
    try:
        return tuple(_published(path, f"published/{format_id}/{path.name}", only))
    finally:
        if looks:
            gc.enable()


def _published(path: Path, source: str, only: frozenset[str]) -> Iterator[Case]:
    """Yield the cases of a published file.

    Their form is not checked here, because tests check it. The id is the first member of each line: a line
    that is not in `only` is not parsed further.
    """
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if only and line[: line.find(b",")].removeprefix(b'{"id":').strip(b'"').decode() not in only:
            continue
        try:
            yield Case.from_trusted_json(json.loads(line))
        except ValueError as error:
            raise CaseError(f"{source}, line {number}: {error}") from None


class Shared:
    """Represents the shared parts of a file of cases: contents of files, and permitted answers.

    A line ``{"content": NUMBER, "size", "fill", "extents"}`` contains the content of a file. A later case
    refers to it by ``{"path", "content": NUMBER}`` among its files. A line ``{"permitted": NUMBER,
    "expect"}`` contains the permitted answers of later cases with ``"expect": NUMBER``. The first such line
    after a case discards all earlier ones.
    """

    def __init__(self) -> None:
        self._contents: dict[str, Any] = {}
        self._permitted: dict[str, Any] = {}
        self._used = False

    def takes(self, data: Any) -> bool:
        """Store the content or permitted answers of a line; return whether the line contains such parts."""
        is_content = isinstance(data, dict) and data.keys() >= {"content", "size"}
        if not is_content and not (isinstance(data, dict) and data.keys() == {"permitted", "expect"}):
            return False
        if self._used:
            self._contents, self._permitted, self._used = {}, {}, False
        if is_content:
            self._contents[str(data.pop("content"))] = data
        else:
            self._permitted[str(data["permitted"])] = data["expect"]
        return True

    def expanded(self, data: Any) -> Any:
        """Return a case with its referenced contents and answers; raises ValueError if one is absent."""
        self._used = True
        if not (self._contents or self._permitted):
            return data
        try:
            for file in data["input"]["files"]:
                if "content" in file:
                    file.update(self._contents[file.pop("content")])
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"a file of the case refers to an absent content: {error!r}") from None
        if isinstance(data["expect"], str):
            if data["expect"] not in self._permitted:
                raise ValueError(f"the case refers to absent answers: {data['expect']}")
            data["expect"] = self._permitted[data["expect"]]
        return data


class Intake:
    """Reads cases from unknown sources into one set. Lines that are not cases are quarantined, and the others
    are accepted.

    Ids are unique in a set: a second case with the same id is quarantined.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._faulty = 0

    def file(self, path: Path) -> Iterator[Case]:
        """Yield one case per line of a file of JSON lines, also compressed.

        Raises OSError if the file is not regular, damaged, too big, or obviously not a file of cases.
        """
        shared = Shared()
        with reading(path) as stream:
            for number, line in enumerate(lines_of(stream), start=1):
                case = self._take(path, number, line, shared)
                if case is not None:
                    yield case

    def _take(self, path: Path, number: int, line: bytes | None, shared: Shared) -> Case | None:
        """Return the case of a line (None: too long a line), quarantined if invalid; None for shared parts.

        Raises OSError after too many lines that are not cases.
        """
        data = None
        try:
            if line is None:
                raise ValueError(f"longer than {MAX_LINE} bytes")
            data = parse(line)
            if shared.takes(data):
                return None
            case = Case.from_json(shared.expanded(data))
            if case.id in self._names:
                raise CaseError(f"{case.id}: another case of the set has this id")
        except ValueError as error:
            self._faulty += 1
            if self._faulty > MOST_FAULTY:
                raise Unfit(f"more than {MOST_FAULTY} lines are not cases; the last: {error}", path) from None
            return Case.quarantined(self._name(path, number, data), f"{_line(path, number)}: {error}", data)
        self._names.add(case.id)
        return case

    def _name(self, path: Path, number: int, data: Any) -> str:
        """Return a name that no other case of the set has.

        It is the id, or otherwise the position of the case's line.
        """
        name = data.get("id") if isinstance(data, Mapping) else None
        if not is_id(name) or name in self._names:
            name = f"{shown(str(path))}:{number}"
        while name in self._names:
            name += "+"
        self._names.add(str(name))
        return str(name)


def _line(path: Path, number: int) -> str:
    return f"{shown(path.name)}, line {number}"


__all__ = ["PUBLISHED_TIERS", "Intake", "UnknownFormat", "find_case", "load_cases", "published_folder"]
