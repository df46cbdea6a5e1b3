"""The smallest state on which an implementation still fails in the same way, by asking it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from journalspec_conformance.crashes.asking import Asker
from journalspec_conformance.crashes.tally import Failing
from journalspec_conformance.crashes.verdicts import Verdict, verdict_on
from journalspec_corpus.case import Case
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.case_builder import as_case
from journalspec_corpus.crash.reduction import NotFailing, Reduced, reduce_state
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.verdict import VERDICTS, Answer

#: Questions per failure; most need a few hundred.
BUDGET = 1500
#: What stands for no answer while a state is shrunk; the second where a refusal is looked for.
_NO_ANSWER, _NOTHING = Answer((), "no-answer"), Answer(())


@dataclass
class ImplementationReader:
    """An implementation under one policy as a reader: from files and edition to its answer.

    Where it gives none (a hang, a crash), `instead` is taken for its answer: a refusal, if nothing else is
    said. Whoever looks for a refusal says something else, or it is shrunk to a state on which it hangs.
    """

    asker: Asker
    policy: str
    instead: Answer = _NO_ANSWER
    asked: int = 0

    def __call__(self, files: Mapping[str, bytes], edition: str) -> Answer:
        """Return the answer on `files`."""
        self.asked += 1
        reply = self.asker.ask(files, edition, self.policy)
        return self.instead if reply.answer is None else reply.answer


@dataclass(frozen=True)
class Smallest:
    """A shrunk failure: the state as a case, its size, and what the implementation made of it."""

    kind: str
    case: Case
    workload: str
    descriptor: Descriptor
    records: int
    deviations: int
    #: False if the budget ended first.
    minimal: bool
    asked: int
    verdict: Verdict
    answer: Answer

    def to_json(self) -> dict[str, Any]:
        """Return everything but the case's bytes."""
        return {
            "kind": self.kind,
            "case": self.case.id,
            "workload": self.workload,
            "preset": self.descriptor.preset,
            "crash_index": self.descriptor.crash_index,
            "mask": self.descriptor.mask.hex(),
            "tear": self.descriptor.tear,
            "rot": self.descriptor.rot,
            "records": self.records,
            "deviations": self.deviations,
            "minimal": self.minimal,
            "asked": self.asked,
            "answer": self.verdict.to_json(),
            "answer_digest": digest_of(self.answer),
        }


def digest_of(answer: Answer) -> str:
    """Return 16 hex digits that stand for all of an answer but how a refusal is called."""
    parts = (
        ("refused",)
        if answer.refused is not None
        else (*answer.keys, "", *answer.aside, str(answer.reported))
    )
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def smallest(format_id: str, failing: Failing, asker: Asker, budget: int = BUDGET) -> Smallest | None:
    """Return the smallest failure of a kind, None if the kind cannot be shrunk or did not happen again.

    Only what the crash model judges is shrunk: no answer at all is not, nor is what
    a second life left, whose states depend on what was chosen from the first.
    """
    chosen = failing.first
    if chosen is None or failing.kind.verdict not in VERDICTS or isinstance(chosen.workload, SecondLife):
        return None
    adapter = crash_format(format_id)
    policy = failing.kind.policy
    salvaging = any(name in adapter.salvaging for name, known in adapter.policies.items() if known == policy)
    reader = ImplementationReader(
        asker, policy, _NOTHING if failing.kind.verdict == "refused" else _NO_ANSWER
    )
    try:
        found = reduce_state(
            adapter,
            chosen.workload,
            chosen.descriptor,
            reader,
            failing.kind.verdict,
            salvaging=salvaging,
            budget=budget,
        )
    except NotFailing:
        return None
    return _smallest(failing, found, reader, as_case(adapter, found), salvaging=salvaging)


def _smallest(
    failing: Failing, found: Reduced, reader: ImplementationReader, case: Case, *, salvaging: bool
) -> Smallest:
    situation = found.state.situation
    reply = reader.asker.ask(found.files, found.state.trace.edition, reader.policy)
    verdict = verdict_on(reply, situation.expected, found.state.refusal, holes_allowed=salvaging)
    return Smallest(
        str(failing.kind),
        case,
        found.workload.name,
        found.descriptor,
        found.records,
        found.deviations,
        found.minimal,
        reader.asked,
        verdict,
        found.answer,
    )
