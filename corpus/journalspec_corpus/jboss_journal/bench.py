"""What the families of generated cases have in common: journals, damage, and expectations from both.

A family says what it put where: which records stand, and where a candidate
begins that is none. What such a candidate claims follows from its bytes by the
specification's order of checks; what the records amount to follows from
:mod:`.outcome` unless the family says it itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from journalspec.observation import CLEAN, RECOVERED, REFUSED
from journalspec.requirements import requirements as known
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.edits import Built
from journalspec_corpus.jboss_journal.author import build
from journalspec_corpus.jboss_journal.layout import FORMAT_ID, claim
from journalspec_corpus.jboss_journal.outcome import outcome
from journalspec_corpus.making import make_case

Files = Mapping[str, bytes | bytearray]


@dataclass(frozen=True, slots=True)
class Family:
    """What the cases of one family share."""

    group: str
    stratum: str
    category: str
    base: str
    breaks: tuple[str, ...] = ()
    obeys: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    checked_by: tuple[str, ...] = ("hand",)

    def but(self, **changes: Any) -> Family:
        """Return the family with some members changed."""
        return replace(self, **changes)


@dataclass(frozen=True)
class Seen:
    """What a reader must see of the damaged files of `built`.

    records   labels of the records that stand, in reading order
    torn      (file, offset) of each candidate that is none and begins a dropped region
    added     records that the damage itself makes, by label: full expectations
    state     the outcome, where a family states it itself
    unusable  (file, reason) of files that are dropped whole
    refused   (phase, code) of strict recovery
    """

    records: Sequence[str]
    torn: Sequence[tuple[str, int]] = ()
    added: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    state: Mapping[str, Any] | None = None
    notes: Sequence[str] = ()
    unusable: Sequence[tuple[str, str]] = ()
    refused: tuple[str, str] | None = None
    #: Ids of the data files that are usable; None: those of `built` that are still there.
    present: Sequence[int] | None = None


def slug(edition: str) -> str:
    """Return the edition as part of a case id."""
    return edition.replace("+", "-")


def journal(edition: str, *files: Sequence[Any] | Mapping[str, Any], **each: Any) -> Built:
    """Return a journal of files given as tables or lists of records; `each` holds for all of them."""
    described = [file if isinstance(file, Mapping) else {"records": file} for file in files]
    return build({"files": described, "each": each}, edition)


def only(edition: str, requirements: Iterable[str]) -> tuple[str, ...]:
    """Return those of `requirements` that hold in `edition`."""
    table = {item.id: item.editions for item in known(FORMAT_ID)}
    return tuple(name for name in requirements if edition in table[name])


def regions(
    files: Files, seen: Seen, records: Sequence[Mapping[str, Any]], edition: str
) -> Iterator[dict[str, Any]]:
    """Yield the dropped regions: from each torn place to its claimed end or to the next record."""
    reached: dict[str, int] = {}
    for name, off in seen.torn:
        if off < reached.get(name, 0):
            continue  # inside a region that is reported already
        data = bytes(files[name])
        version = int.from_bytes(data[:4], "big") if edition in ("v2", "v2e") else 2
        found = claim(data, off, edition, version)
        if not found.reason:
            raise ValueError(f"{name}: a healthy record at {off} is called torn")
        behind = [int(record["at"]["off"]) for record in records if record["at"]["file"] == name]
        end = min([found.end, *(start for start in behind if start > off)])
        reached[name] = end
        yield {"file": name, "off": off, "len": end - off, "reason": found.reason}


def case(  # noqa: PLR0913  # the last is keyword-only, and all of them are what a case is made of
    family: Family,
    edition: str,
    name: str,
    title: str,
    built: Built,
    files: Files,
    seen: Seen,
    *,
    how: str,
    params: Mapping[str, str] | None = None,
) -> Case:
    """Return the case that asks for a reading and for both recoveries of `files`."""
    records = [{**built.records, **seen.added}[label] for label in seen.records]
    unusable = [
        {"file": file, "off": 0, "len": len(files[file]), "reason": reason} for file, reason in seen.unusable
    ]
    dropped = [*unusable, *regions(files, seen, records, edition)]
    present = _present(built, files, seen) if seen.present is None else seen.present
    state = outcome(records, present, edition) if seen.state is None else seen.state
    rejected = any(item["why"] != "no-end" for item in state["discarded"])
    verdict = RECOVERED if dropped or rejected else CLEAN
    reading: dict[str, Any] = {
        "when": {"op": "read"},
        "verdict": verdict,
        "records": [_brief(r) for r in records],
    }
    reading |= {"dropped": dropped, "notes": [*seen.notes, *_notes(state)]}
    strict: dict[str, Any] = {"when": {"op": "recover", "policy": "strict"}}
    if seen.refused is not None:
        phase, code = seen.refused
        strict |= {"verdict": REFUSED, "phase": phase, "code": code}
    else:
        strict |= {"verdict": verdict, "state": state}
    expect = [reading, strict]
    if seen.refused is not None or unusable:
        salvage = {"when": {"op": "recover", "policy": "salvage"}, "verdict": verdict}
        expect.append({**salvage, "state": state, "dropped": dropped})
    return make_case(
        f"jbm.{family.group}.{slug(edition)}-{name}",
        title=title,
        format_id=FORMAT_ID,
        edition=edition,
        stratum=family.stratum,
        category=family.category,
        obeys=only(edition, family.obeys),
        breaks=only(edition, family.breaks),
        flags=family.flags,
        origin=Origin("family", family.base, how, family.checked_by),
        files={file: bytes(data) for file, data in files.items()},
        params=params,
        expect=expect,
    )


def _brief(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: record[key] for key in ("type", "id", "tx", "at") if key in record}


def _notes(state: Mapping[str, Any]) -> list[str]:
    codes = {"no-end": "incomplete-transaction"}
    return sorted({codes.get(item["why"], item["why"]) for item in state["discarded"]})


def _present(built: Built, files: Files, seen: Seen) -> list[int]:
    gone = {name for name, _ in seen.unusable}
    found = []
    for label, spot in built.labels.items():
        if label.endswith(".header.file_id") and spot.file in files and spot.file not in gone:
            data = files[spot.file][spot.off : spot.end]
            found.append(int.from_bytes(data, "big", signed=True))
    return found
