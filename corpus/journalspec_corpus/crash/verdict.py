"""Compares a reader's answer with the expectation: the standard verdicts.

A verdict determines which of the twelve invariants are broken. Each invariant is checked in one or more of
three ways:

``verdict``
    The function :func:`judge` checks every state and reader; the result is a column of the build.
``metamorphic``
    The test corpus/tests/test_crash_relations.py compares answers with answers, without an expectation.
``limits``
    The program that runs an implementation checks a time and a memory limit per case, on any bytes.

If a format cannot prevent a loss, no reader can avoid the failure. Such losses are listed in the format's
``limits.toml``. Each entry covers verdicts by writer, policy, class, category and preset (patterns as for
file names; an omitted one matches everything). It gives the reason, and refers to the design rules or the
deviations of a writer that justify it. The entries follow from the format's specification, not from a
reader's answers. Tests with the reference check that each entry is needed, and that no other failure occurs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

from journalspec.formats import format_text
from journalspec.observation import CLEAN, REFUSED, Observation
from journalspec_corpus.crash import oracle
from journalspec_corpus.crash.oracle import FORBIDDEN, REQUIRED, Expected
from journalspec_corpus.crash.trace import CORRUPTED, SECOND_LIFE
from journalspec_corpus.rows import members

#: The only verdict that depends on the permission to omit records.
HOLE = "hole"
_TABLES = tomllib.loads(files(__package__).joinpath("verdicts.toml").read_text(encoding="utf-8"))
#: Maps each verdict to the broken invariants, in the order in which the verdicts are checked.
VERDICTS: Mapping[str, tuple[str, ...]] = {row["name"]: tuple(row["breaks"]) for row in _TABLES["verdict"]}
#: Maps each verdict to its meaning.
MEANINGS: Mapping[str, str] = {row["name"]: row["means"] for row in _TABLES["verdict"]}
#: Maps each verdict to the behaviour of a product that gets it. This also applies to products without an
#: answer.
PRODUCT_WORDS: Mapping[str, str] = _TABLES["product"]


@dataclass(frozen=True, slots=True)
class Answer:
    """Represents one reader's answer for one state. The answer contains the keys of the records in effect, or
    a refusal.

    `reported` is whether the reader reported an omission. `aside` contains the keys of listed records that
    are not in effect, for example those of an unfinished transaction; a writer must have written them.
    `state` is the recovered logical state, in the canonical form of the format's :class:`.oracle.Semantics`;
    None if the answer contains no state. An `unlisted` answer lists no records, so only its state is checked.
    """

    keys: tuple[str, ...]
    refused: str | None = None
    reported: bool = False
    aside: tuple[str, ...] = ()
    state: oracle.State | None = None
    unlisted: bool = False


def answering(
    key_of: Callable[[str, Mapping[str, Any]], str],
    canonical: Callable[[Mapping[str, Any]], oracle.State],
    decided: Set[str],
    uncounted: Collection[str] = (),
) -> Callable[[Observation], Answer]:
    """Return a function from an observation to an Answer, without records of `uncounted` types.

    `key_of` returns the key of a record from its type and fields; `canonical` converts the state to the form
    of the format's semantics. If the state lacks one of the members `decided`, the Answer has no state.
    """

    def answer(observation: Observation) -> Answer:
        if observation.verdict == REFUSED:
            return Answer((), observation.code)
        counting = (record for record in observation.records if record.type not in uncounted)
        keys = tuple(key_of(record.type, record.fields) for record in counting)
        found: Mapping[str, Any] = observation.state or {}
        state = canonical(found) if found.keys() >= decided else None
        return Answer(keys, None, observation.verdict != CLEAN, state=state)

    return answer


def judge(answer: Answer, expected: Expected, refusal: str, *, holes_allowed: bool) -> str:
    """Return the verdict on `answer` under the required outcome `expected`.

    `refusal` is allowed, required or forbidden; `holes_allowed` is true for policies that may omit records if
    they report it. Records are checked first, because their faults explain faults of the state. If the
    records are right, the state has to follow from them.
    """
    if answer.unlisted and answer.refused is None:
        return _of_state(answer, expected, refusal)
    said = _of_records(answer, expected, refusal, holes_allowed=holes_allowed)
    if said != "pass":
        return said
    wrong = wrong_effect(answer, expected)
    return said if wrong is None else wrong.verdict


def _of_state(answer: Answer, expected: Expected, refusal: str) -> str:
    """Return the verdict on the state in `answer`, ignoring its records."""
    wrong = wrong_effect(answer, expected)
    if wrong is not None:
        return wrong.verdict
    if refusal == REQUIRED and not answer.reported:
        return "silent"
    if answer.reported or answer.state is None or expected.effects is None:
        return "pass"
    if expected.effects.keeps(answer.state):
        return "pass"
    return "silent" if expected.stratum == CORRUPTED else oracle.EFFECT_LOST


def wrong_effect(answer: Answer, expected: Expected) -> oracle.Wrong | None:
    """Return the fault of the state in `answer`, or None."""
    if answer.state is None or answer.refused is not None or expected.effects is None:
        return None
    if answer.unlisted:
        return expected.effects.wrong_alone(answer.state)
    return expected.effects.wrong(answer.keys, answer.aside, answer.state)


def _of_records(answer: Answer, expected: Expected, refusal: str, *, holes_allowed: bool) -> str:
    """Return the verdict on the records that `answer` lists."""
    if answer.refused is not None:
        return "refused" if refusal == FORBIDDEN else "acceptable"
    present = list(map(expected.record_of.get, answer.keys))
    beside = list(map(expected.record_of.get, answer.aside))
    if None in present or None in beside:
        return "torn-accepted"
    if not expected.must_drop.isdisjoint(present) or not expected.must_drop.isdisjoint(beside):
        return "resurrected"
    missing = expected.must_keep.difference(present)
    if missing and expected.stratum != CORRUPTED:
        return _lost(missing, expected)
    if not holes_allowed and _has_hole(present, expected):
        return HOLE
    if missing and not answer.reported:
        return "silent"
    if refusal == REQUIRED and not answer.reported:
        return "silent"
    return "pass"


def _lost(missing: Collection[str], expected: Expected) -> str:
    """Return the verdict on a loss.

    Lost records of this run take precedence over lost records of earlier runs.
    """
    if expected.life > 1 and any(record.startswith(SECOND_LIFE) for record in missing):
        return "append-lost"
    return "non-idempotent" if not expected.fine.isdisjoint(missing) else "lost"


def _has_hole(present: Sequence[str | None], expected: Expected) -> bool:
    """Return whether `present`, without `possible` records, is not a prefix of the required order.

    If records were released, files may have been switched or compacted, so only the set is compared, not the
    order.
    """
    if expected.possible:
        present = [record for record in present if record not in expected.possible]
    if expected.released:
        left = set(present) - expected.released
        return not left.issubset(expected.order[: len(left)])
    return tuple(present) != expected.order[: len(present)]


#: Maps each category to its code in the plan of the corpus. Names are permanent; several categories may share
#: a code.
CODES: Mapping[str, str] = _TABLES["category"]
CATEGORIES = tuple(CODES)


PACKAGE = "journalspec_corpus"
FILE = "limits.toml"
#: The members of a limit that contain patterns, in the order of the parameters of `Limit.covers`.
MEMBERS = ("writers", "policies", "strata", "verdicts", "categories", "presets")


@dataclass(frozen=True, slots=True)
class Limit:
    """Represents one guarantee that a format cannot provide, and the patterns of its consequences."""

    id: str
    why: str
    verdicts: tuple[str, ...]
    rules: tuple[str, ...] = ()
    deviations: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    presets: tuple[str, ...] = ()

    def covers(self, *values: str) -> bool:
        """Return whether this limit covers a failure of a writer, policy, class, verdict, category and
        preset.
        """
        given = (getattr(self, name) for name in MEMBERS)
        return all(
            not patterns or any(fnmatchcase(value, pattern) for pattern in patterns)
            for value, patterns in zip(values, given, strict=True)
        )


@cache
def limits(format_id: str) -> tuple[Limit, ...]:
    """Return the guarantees that `format_id` cannot provide. The result is empty if the format lists none."""
    return parse_limits(format_text(PACKAGE, format_id, FILE))


def parse_limits(text: str) -> tuple[Limit, ...]:
    """Read a table of limits; raises TypeError if an entry has an unknown member or lacks a required one."""
    return tuple(Limit(**members(row)) for row in tomllib.loads(text).get("limit", ()))


def first_that_covers(known: Iterable[Limit], *values: str) -> Limit | None:
    """Return the first limit that covers a failure (values as for `Limit.covers`), or None."""
    return next((limit for limit in known if limit.covers(*values)), None)
