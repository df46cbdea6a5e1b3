"""What follows for reading and recovery from what the generator put where.

A family lays out files and knows of every stretch of a log whether it is a
whole record, a framed but broken one, or not framed at all. This module turns
that knowledge into expectations by the specification's rules; it never looks
at a byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from journalspec_corpus.bitronix_tlog.author import BRIEF, FILE_NAMES
from journalspec_corpus.edits import Built, Range

#: Reasons under which the frame still says where the next record starts.
SKIPPABLE = frozenset({"malformed", "bad-checksum"})
QUESTIONS = ("read", "recover.strict", "recover.salvage")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a log: a whole record (`fields`), or what is wrong there (`reason`)."""

    at: Range
    fields: Mapping[str, Any] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file: its timestamp, length and log; or the `problem` that makes it unusable."""

    name: str
    timestamp: int
    size: int
    pieces: tuple[Piece, ...] = ()
    problem: str = ""

    @property
    def whole(self) -> list[Mapping[str, Any]]:
        """The records that stand."""
        return [piece.fields for piece in self.pieces if piece.fields is not None]

    @property
    def lost(self) -> list[dict[str, str]]:
        """The dropped regions: those of the log, or the whole file."""
        if self.problem:
            return [{"file": self.name, "off": "0", "len": str(self.size), "reason": self.problem}]
        return [{**piece.at.to_json(), "reason": piece.reason} for piece in self.pieces if piece.reason]


def whole(built: Built, *labels: str) -> tuple[Piece, ...]:
    """Return the pieces of sound records."""
    return tuple(Piece(built.labels[label], built.records[label]) for label in labels)


def broken(built: Built, label: str, reason: str) -> Piece:
    """Return a framed but invalid record that takes the place of `label`."""
    return Piece(built.labels[label], None, reason)


def unframed(start: Range, tail: int, reason: str) -> Piece:
    """Return everything from `start` to the tail: no frame, so nothing behind it counts."""
    return Piece(Range(start.file, start.off, tail - start.off), None, reason)


def state(active: FilePlan) -> dict[str, Any]:
    """Return the state that families' journals have: every decision without an end is open.

    Families log each gtrid's decision and its end at most once and with all
    names, so that "decided and not ended" is all there is to the rule.
    """
    ended = {record["gtrid"] for record in active.whole if record["type"] == "COMMITTED"}
    open_ = [
        record for record in active.whole if record["type"] == "COMMITTING" and record["gtrid"] not in ended
    ]
    unfinished = [{"gtrid": record["gtrid"], "names": record["names"]} for record in open_]
    return {
        "active": active.name,
        "unfinished": sorted(unfinished, key=lambda entry: str(entry["gtrid"])),
        "in_doubt": [],
    }


def elect(plans: Iterable[FilePlan]) -> FilePlan | None:
    """Return the usable file with the larger timestamp; the later one on a tie."""
    best = None
    for plan in plans:
        if not plan.problem and (best is None or plan.timestamp >= best.timestamp):
            best = plan
    return best


def _first_problem(plans: tuple[FilePlan, ...]) -> tuple[str, str] | None:
    """Return phase and code of the first thing that strict recovery objects to in the file set."""
    for code in ("short-file", "unequal-lengths", "bad-format-id", "bad-position"):
        if code == "unequal-lengths":
            if len({plan.size for plan in plans}) > 1:
                return "fileset", code
        elif any(plan.problem == code for plan in plans):
            return "header", code
    return None


def expectations(
    first: FilePlan, second: FilePlan, *, notes: tuple[str, ...] = (), questions: tuple[str, ...] = QUESTIONS
) -> Iterator[dict[str, Any]]:
    """Yield the expectations for a pair of which both files exist."""
    plans = (first, second)
    answers = {"read": _read, "recover.strict": _strict, "recover.salvage": _salvage}
    for question in questions:
        op, _, policy = question.partition(".")
        out: dict[str, Any] = {"when": {"op": op, "policy": policy} if policy else {"op": op}}
        out.update(answers[question](plans))
        if notes and out["verdict"] != "refused":
            out["notes"] = list(notes)
        yield out


def _brief(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{key: record[key] for key in BRIEF} for record in records]


def _set_verdict(plans: tuple[FilePlan, ...], lost: list[dict[str, str]]) -> str:
    return "recovered" if lost or len({plan.size for plan in plans}) > 1 else "clean"


def _refused(problem: tuple[str, str] | None) -> dict[str, Any]:
    if problem is None:
        raise ValueError("no file is usable and yet nothing is wrong with the set")
    return {"verdict": "refused", "phase": problem[0], "code": problem[1]}


def _read(plans: tuple[FilePlan, ...]) -> dict[str, Any]:
    """Return the answer to reading: all files, without the state, which the salvage question has."""
    if elect(plans) is None:
        return {"verdict": "refused"}
    lost = [region for plan in plans for region in plan.lost]
    records = [record for plan in plans if not plan.problem for record in plan.whole]
    return {"verdict": _set_verdict(plans, lost), "records": _brief(records), "dropped": lost}


def _strict(plans: tuple[FilePlan, ...]) -> dict[str, Any]:
    problem = _first_problem(plans)
    if problem:
        return _refused(problem)
    active = elect(plans)
    if active is None:
        raise ValueError("a set without a problem has an active file")
    for piece in active.pieces:
        if piece.reason:
            phase = "checksum" if piece.reason == "bad-checksum" else "record"
            return {"verdict": "refused", "phase": phase, "code": piece.reason, "at": piece.at.to_json()}
    return {"verdict": "clean", "records": _brief(active.whole), "dropped": [], "state": state(active)}


def _salvage(plans: tuple[FilePlan, ...]) -> dict[str, Any]:
    active = elect(plans)
    if active is None:
        return _refused(_first_problem(plans))
    lost = [region for plan in plans if plan.problem for region in plan.lost] + active.lost
    return {
        "verdict": _set_verdict(plans, lost),
        "records": _brief(active.whole),
        "dropped": lost,
        "state": state(active),
    }


PAIR = (FILE_NAMES["f1"], FILE_NAMES["f2"])
