"""The smallest state on which an implementation still fails in the same way, by asking it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from journalspec_conformance.crashes.asking import Asker
from journalspec_conformance.crashes.choose import Chosen
from journalspec_conformance.crashes.verdicts import Kind, verdict_on
from journalspec_corpus.case import Case
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.case_builder import as_case
from journalspec_corpus.crash.reduction import NotFailing, reduce_state
from journalspec_corpus.crash.second_crash import SecondLife
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


class Smallest(NamedTuple):
    """A shrunk failure: the state as a case, and as JSON its kind, its size, and what came of it."""

    case: Case
    told: dict[str, Any]


def digest_of(answer: Answer) -> str:
    """Return 16 hex digits that stand for all of an answer but how a refusal is called."""
    parts = (
        ("refused",)
        if answer.refused is not None
        else (*answer.keys, "", *answer.aside, str(answer.reported))
    )
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def smallest(
    format_id: str, kind: Kind, chosen: Chosen, asker: Asker, budget: int = BUDGET
) -> Smallest | None:
    """Return the smallest failure of a kind, None if the kind cannot be shrunk or did not happen again.

    Only what the crash model judges is shrunk: no answer at all is not, nor is what
    a second life left, whose states depend on what was chosen from the first.
    """
    if kind.verdict not in VERDICTS or isinstance(chosen.workload, SecondLife):
        return None
    adapter = crash_format(format_id)
    salvaging = adapter.salvages(kind.policy)
    reader = ImplementationReader(asker, kind.policy, _NOTHING if kind.verdict == "refused" else _NO_ANSWER)
    try:
        found = reduce_state(
            adapter,
            chosen.workload,
            chosen.descriptor,
            reader,
            kind.verdict,
            salvaging=salvaging,
            budget=budget,
        )
    except NotFailing:
        return None
    state, descriptor, case = found.state, found.descriptor, as_case(adapter, found)
    reply = asker.ask(found.files, state.trace.edition, kind.policy)
    verdict = verdict_on(reply, state.situation.expected, state.refusal, holes_allowed=salvaging)
    told = {
        "kind": str(kind),
        "case": case.id,
        "workload": found.workload.name,
        "preset": descriptor.preset,
        "crash_index": descriptor.crash_index,
        "mask": descriptor.mask.hex(),
        "tear": descriptor.tear,
        "rot": descriptor.rot,
        "records": found.records,
        "deviations": found.deviations,
        # False if the budget ended first.
        "minimal": found.minimal,
        "asked": reader.asked,
        "answer": verdict.to_json(),
        "answer_digest": digest_of(found.answer),
    }
    return Smallest(case, told)
