"""A reply held against what the state owes: the crash model's verdicts, and those for no answer at all.

========== ======= ==============================================================
verdict    breaks  meaning
========== ======= ==============================================================
hang       I7      no answer in time, twice, the second time from a new process, or all the time at work
crash      I7      the process ended instead of answering, twice
error      --      it answered that it failed, or nothing that can be understood
unsupported --     it says that it does not do this, and had declared it; nothing is judged
========== ======= ==============================================================

All others are those of the crash model's judge. Where recovery writes to the files,
it is asked again about what it left: another answer is ``non-idempotent``.

Failures that are known stand in a TOML file, so that a maintainer can gate his build on new kinds only. Each
table ``[[known]]`` covers the kinds of failure that all its members fit;
members are patterns as for file names, and one that is left out fits everything::

    [[known]]
    verdict = "resurrected"
    category = "pointer-*"
    why = "records of an earlier life pass their checksum"

The members are writer, policy, stratum, verdict and category; ``why`` is
required. That it gave no answer (hang, crash, error) is only covered by an entry
that says so: a pattern must not turn a program that dies into one that is tolerated.
A file of findings is such a file too, under another table name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from journalspec_conformance.crashes.asking import Reply
from journalspec_conformance.errors import Problem
from journalspec_conformance.expect import parse_toml, read_text
from journalspec_corpus.crash.oracle import Expected, in_words
from journalspec_corpus.crash.verdict import VERDICTS, Answer, judge, wrong_effect

#: verdict -> the invariants that it breaks
BREAKS: Mapping[str, tuple[str, ...]] = {
    **VERDICTS,
    "hang": ("I7",),
    "crash": ("I7",),
    "error": (),
    "unsupported": (),
}
#: Verdicts on no answer at all.
BREAKDOWNS = frozenset({"hang", "crash", "error"})
#: Verdicts that are nobody's failure. To decline what was declared is one.
HARMLESS = ("pass", "acceptable")
#: In this stratum a force was a lie: what is lost there is no fault of any format.
LIED = "L"
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one state, and where the answer and what was owed part.

    `missing` are names of records that are owed and did not come, `came` those
    that came, `wrong` what came and should not have (record names, or the keys
    of records that nobody wrote). `effect` says in words what is wrong with the state that was
    decided on. `told` is what was said, for people.
    """

    name: str
    refused: str = ""
    missing: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    told: str = ""
    tries: int = 1
    effect: str = ""
    #: It was at work all the time until it was waited for no longer.
    endless: bool = False

    @property
    def failed(self) -> bool:
        """Whether it is a failure."""
        return self.name not in HARMLESS

    def to_json(self) -> dict[str, Any]:
        """Return the members that hold something."""
        lists = {"missing": list(self.missing), "came": list(self.came), "wrong": list(self.wrong)}
        members: dict[str, Any] = {"refused": self.refused, **lists, "told": self.told, "effect": self.effect}
        return {name: value for name, value in members.items() if value}


def verdict_on(reply: Reply, expected: Expected, refusal: str, *, holes_allowed: bool) -> Verdict:
    """Return the verdict on `reply` for a state that owes `expected`."""
    if reply.answer is None:
        return Verdict(reply.instead, told=reply.told, tries=reply.tries, endless=reply.busy)
    name = judge(reply.answer, expected, refusal, holes_allowed=holes_allowed)
    if name in HARMLESS and reply.second is not None and _differ(reply.answer, reply.second):
        told = f"asked again: {reply.second.refused or 'other records, or another state'}"
        return replace(_with_detail("non-idempotent", reply.answer, expected, reply), told=told)
    if name in HARMLESS:
        return Verdict(name, refused=reply.answer.refused or "", tries=reply.tries)
    return _with_detail(name, reply.answer, expected, reply)


def _differ(first: Answer, second: Answer) -> bool:
    """Tell whether two recoveries in a row, of which the first was no refusal, differ in records or state."""
    return second.refused is not None or (first.keys, first.state) != (second.keys, second.state)


def _with_detail(name: str, answer: Answer, expected: Expected, reply: Reply) -> Verdict:
    records = [expected.record_of.get(key) for key in answer.keys]
    came = tuple(dict.fromkeys(record for record in records if record is not None))
    strange = [key for key in (*answer.keys, *answer.aside) if key not in expected.record_of]
    old = [record for record in came if record in expected.must_drop]
    effect = wrong_effect(answer, expected)
    missing = () if answer.refused is not None else tuple(sorted(expected.must_keep.difference(came)))
    return Verdict(
        name,
        answer.refused or "",
        missing,
        came,
        (*old, *(key if len(key) <= _SHOWN else key[: _SHOWN - 3] + "..." for key in strange)),
        reply.told,
        reply.tries,
        "" if effect is None else in_words(effect),
    )


class Kind(NamedTuple):
    """What failures have in common: who wrote, how it was read, in which stratum and kind of state."""

    writer: str
    policy: str
    stratum: str
    verdict: str
    category: str

    def __str__(self) -> str:
        """Return the kind as one word for tables and allowances."""
        return "/".join((self.stratum, self.verdict, self.category, self.policy, self.writer or "-"))


@dataclass
class Judged:
    """One state (its place in the choice) under one policy, with the verdict.

    `limit` is the id of what the format cannot promise there, if it is that which failed.
    """

    at: int
    policy: str
    verdict: Verdict
    limit: str = ""


TABLES = ("known", "finding")
#: What else stands in a file of findings.
_BESIDE = ("run", "verdicts", "strata")
MEMBERS = Kind._fields


@dataclass(frozen=True, slots=True)
class KnownKind:
    """One table: patterns in the order of MEMBERS, and why it is known."""

    patterns: tuple[str, ...]
    why: str

    def covers(self, kind: Kind) -> bool:
        """Tell whether `kind` fits."""
        if kind.verdict in BREAKDOWNS and kind.verdict != self.patterns[MEMBERS.index("verdict")]:
            return False
        return all(map(fnmatchcase, kind, self.patterns))

    def __str__(self) -> str:
        """Return the members that say something, for people."""
        given = zip(MEMBERS, self.patterns, strict=True)
        return ", ".join(f"{name} {pattern!r}" for name, pattern in given if pattern != "*") or "everything"


def load_known(path: Path) -> tuple[KnownKind, ...]:
    """Return the entries of an allowance; raises Problem that says where it is wrong."""
    loaded = parse_toml(read_text(path), str(path))
    names = [name for name in TABLES if name in loaded]
    if not names or not all(isinstance(loaded[name], list) for name in names):
        raise Problem(f"{path}: no table [[known]]", "Each known kind of failure is one such table.")
    unknown = [name for name in loaded if name not in (*TABLES, *_BESIDE)]
    if unknown:
        raise Problem(f"{path}: unknown table {', '.join(map(repr, unknown))}", "Tables are [[known]].")
    return tuple(
        _entry(f"{path}: [[{name}]] number {number}", table)
        for name in names
        for number, table in enumerate(loaded[name], start=1)
    )


def _entry(where: str, table: Any) -> KnownKind:
    if not isinstance(table, dict) or not all(isinstance(table.get(name, ""), str) for name in MEMBERS):
        raise Problem(f"{where}: {', '.join(MEMBERS)} are texts")
    unknown = [name for name in table if name not in (*MEMBERS, "why")]
    if unknown and "[[known]]" in where:
        raise Problem(
            f"{where}: unknown member {', '.join(map(repr, unknown))}",
            f"Members are {', '.join(MEMBERS)}, why.",
        )
    if not isinstance(table.get("why"), str) or not table["why"]:
        raise Problem(f"{where}: it does not say why", 'Add why = "..."')
    verdict = table.get("verdict", "*")
    if not any(fnmatchcase(name, verdict) for name in BREAKS):
        raise Problem(f"{where}: no verdict fits {verdict!r}", f"Verdicts are {', '.join(BREAKS)}.")
    return KnownKind(tuple(table.get(name, "*") for name in MEMBERS), table["why"])


def compare(kinds: Iterable[Kind], known: Iterable[KnownKind]) -> tuple[list[Kind], list[KnownKind]]:
    """Return which of `kinds` no entry covers, and which entries cover none of them."""
    seen, entries = list(kinds), list(known)
    return (
        [kind for kind in seen if not any(entry.covers(kind) for entry in entries)],
        [entry for entry in entries if not any(entry.covers(kind) for kind in seen)],
    )
