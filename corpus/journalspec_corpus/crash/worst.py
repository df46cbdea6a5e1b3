"""The worst that a crash can do to a format, as data, and what products made of it.

A format's ``worst.toml`` says of each case in words what happens, which verdict
the reference gets and what the requirements and design rules are that it is about,
and gives workload and descriptor of a full state and a small one. ``most_records`` is how many
records a small one may have. Nothing in it is believed: the
tests rebuild both states, judge them and reduce the full one to the small one.

``worst_findings.toml`` has one entry for each case, product and policy, as it was run; it is
written by ``python tools/worst_findings.py`` and by nothing else.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from journalspec.formats import UnknownFormat, format_module, get_format
from journalspec_corpus.case import Case
from journalspec_corpus.crash.adapter import PACKAGE, CrashFormat, crash_format
from journalspec_corpus.crash.case_builder import case_of
from journalspec_corpus.crash.expected import Expected
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.reading import Named, named_reader
from journalspec_corpus.crash.reduction import State, find, situations, wrong
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import Trace, Workload
from journalspec_corpus.crash.verdict import VERDICTS, Answer

TIER = "worst"
FILE = "worst.toml"
#: Nothing in a worst case depends on chance but the content of trashed sectors.
SEED = 1
#: All of them are states that a crash can leave where forces are honest.
REACHABLE = "R"


class WorstError(ValueError):
    """A worst.toml says something that is not so; the message names the case."""


@dataclass(frozen=True)
class Form:
    """One of the two states of a case: the workload, and where in it the crash came."""

    workload: Workload
    preset: str
    crash_index: int
    mask: bytes
    tear: int

    def descriptor(self, trace: Trace) -> Descriptor:
        """Return the descriptor of the state of `trace`, which is the workload's."""
        return Descriptor(
            trace.id, self.preset, self.crash_index, self.mask, self.tear, trace.background, SEED
        )


@dataclass(frozen=True)
class Worst:
    """One case. `reader` is the adapter's reader that gets `verdict` on both forms.

    `keeps` is how the key of a record begins that is in effect there and should not
    be, or empty. `strongest` is the preset with the strongest guarantees under which
    the small form's workload fails so.
    """

    format: str
    id: str
    title: str
    text: str
    reader: str
    verdict: str
    keeps: str
    requirements: tuple[str, ...]
    rules: tuple[str, ...]
    flags: tuple[str, ...]
    strongest: str
    full: Form
    small: Form

    @property
    def small_id(self) -> str:
        """The id of the small form's case."""
        return f"{self.id}-small"

    def keep(self, answer: Answer, expected: Expected) -> bool:
        """Tell whether `answer` has what the case is about."""
        return not self.keeps or any(key.startswith(self.keeps) for key in wrong(answer, expected))

    def fails(self, state: State) -> bool:
        """Tell whether the case's reader fails on `state` as the case says."""
        answer = self.named.reader(state.files, state.trace.edition)
        verdict = state.verdict(answer, salvaging=self.named.salvaging)
        return verdict == self.verdict and self.keep(answer, state.situation.expected)

    @cached_property
    def named(self) -> Named:
        """The reader that fails."""
        return named_reader(self.format, self.reader)

    def state(self, form: Form) -> State:
        """Return the state of one form; raises WorstError if there is none such."""
        adapter = crash_format(self.format)
        try:
            trace = adapter.build(form.workload)
            return find(trace, form.descriptor(trace))
        except (LookupError, ValueError) as error:
            raise WorstError(f"{self.id}: {error}") from None

    def cases(self) -> tuple[Case, Case]:
        """Return the published cases of the full and the small form."""
        adapter = crash_format(self.format)
        return (
            self._case(adapter, self.full, self.id, self.title, ""),
            self._case(adapter, self.small, self.small_id, f"{self.title}, made small", self.id),
        )

    def _case(self, adapter: CrashFormat, form: Form, name: str, title: str, larger: str) -> Case:
        return case_of(
            adapter,
            self.state(form),
            beyond=bool(VERDICTS[self.verdict]),
            tier=TIER,
            name=name,
            title=title,
            base=form.workload.name,
            shrunk_from=larger,
            obeys=self.requirements,
            flags=self.flags,
        )

    def presets(self) -> list[str]:
        """Return the presets under which the small form's workload fails in this way, strongest first.

        Of a state that was answered wrongly once, and passes now, the one under which it was found.
        """
        if self.verdict == MENDED:
            return [self.strongest]
        named, trace = self.named, crash_format(self.format).build(self.small.workload)
        failing = set()
        for situation in situations(
            trace, len(PRESETS) - 1, SEED, self.state(self.small).situation.states.stratum
        ):
            for row in range(len(situation.states)):
                state = State(situation, row)
                if state.rank not in failing:
                    answer = named.reader(state.files, trace.edition)
                    if state.verdict(answer, salvaging=named.salvaging) == self.verdict:
                        failing.add(state.rank)
        return [preset.name for at, preset in enumerate(PRESETS) if at in failing]


#: The verdict of a case that shows what an earlier reading got wrong: its id stays.
MENDED = "pass"


@cache
def worst_cases(format_id: str) -> tuple[Worst, ...]:
    """Return the worst cases of `format_id` in the order of its file; none if it has no such file.

    Raises WorstError on an id that stands twice and UnknownFormat for a format that is not described.
    """
    try:
        adapter = format_module(PACKAGE, format_id)
    except UnknownFormat:
        get_format(format_id)
        return ()
    path = files(adapter).joinpath(FILE)
    if not path.is_file():
        return ()
    workload_of = crash_format(format_id).workload_of
    if workload_of is None:
        raise WorstError(f"{format_id}/{FILE}: the format makes no workloads from tables")
    found = tuple(
        _worst(format_id, workload_of, entry)
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("worst", ())
    )
    names = [worst.id for worst in found]
    if len(set(names)) != len(names):
        raise WorstError(f"{format_id}/{FILE}: an id stands twice")
    return found


def published_cases(format_id: str) -> Iterator[Case]:
    """Yield the cases of the tier, the full form of each before its small one."""
    for worst in worst_cases(format_id):
        yield from worst.cases()


def _worst(
    format_id: str, workload_of: Callable[[Mapping[str, Any]], Workload], entry: Mapping[str, Any]
) -> Worst:
    try:
        return Worst(
            format_id,
            entry["id"],
            entry["title"],
            entry["text"].strip(),
            entry["reader"],
            entry["verdict"],
            entry.get("keeps", ""),
            tuple(entry["requirements"]),
            tuple(entry["rules"]),
            tuple(entry.get("flags", ())),
            entry["strongest"],
            _form(workload_of, entry["full"]),
            _form(workload_of, entry["small"]),
        )
    except (KeyError, TypeError) as error:
        raise WorstError(f"{entry.get('id', 'a case without id')}: {error!r}") from None


def _form(workload_of: Callable[[Mapping[str, Any]], Workload], entry: Mapping[str, Any]) -> Form:
    """Return a form; a workload is given by its members, its steps by theirs in order."""
    mask = bytes.fromhex(entry.get("mask", ""))
    return Form(
        workload_of(entry["workload"]), entry["preset"], entry["crash_index"], mask, entry.get("tear", 0)
    )


FINDINGS_FILE = "worst_findings.toml"
#: verdict -> what a product does that gets it; those of products that do not answer are among them.
_WORDS = {
    "pass": "gives what is owed",
    "acceptable": "refuses the journal, which it may",
    "refused": "refuses a journal in which nothing is damaged",
    "lost": "loses what was acknowledged",
    "torn-accepted": "hands out what nobody wrote",
    "resurrected": "brings back what the file held in its earlier life",
    "hole": "leaves out a record between two that it gives",
    "silent": "does not report the damage",
    "append-lost": "loses what was acknowledged after the first crash",
    "non-idempotent": "loses on the second start what it had on the first",
    "effect-lost": "loses the effect of what was acknowledged",
    "decision-lost": "forgets a transaction that was decided or prepared",
    "half-transaction": "leaves half of a transaction",
    "hang": "does not answer in time",
    "crash": "ends instead of answering",
    "error": "fails",
}
_HEAD = """\
# SPDX-License-Identifier: CC0-1.0
# What products made of the worst cases when run; written by `python tools/worst_findings.py`.
# `wrong` is what came and should not have, `missing` what is owed and did not come: names of the trace's
# records, and the beginnings of records that nobody wrote.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one version of a product made of one case under one policy.

    `product` is the name of its harness, `called` its own. `refused` is the code
    of a refusal, empty if there was none.
    """

    case: str
    product: str
    called: str
    version: str
    policy: str
    verdict: str
    refused: str = ""
    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def breaks(self) -> tuple[str, ...]:
        """The invariants that are broken."""
        return VERDICTS.get(self.verdict, ("I7",) if self.verdict in ("hang", "crash") else ())

    def lines(self) -> list[str]:
        """Return the entry as lines of TOML; members without content are left out."""
        texts = ("case", "product", "called", "version", "policy", "verdict", "refused")
        out = ["[[finding]]"]
        out += [f"{name} = {_quoted(getattr(self, name))}" for name in texts if getattr(self, name)]
        for name in ("wrong", "missing"):
            if getattr(self, name):
                out.append(f"{name} = [{', '.join(map(_quoted, getattr(self, name)))}]")
        return out


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@cache
def findings(format_id: str) -> tuple[Finding, ...]:
    """Return the findings of `format_id` in the order of its file; none if it has no such file."""
    try:
        path = files(format_module(PACKAGE, format_id)).joinpath(FINDINGS_FILE)
    except UnknownFormat:
        get_format(format_id)
        return ()
    if not path.is_file():
        return ()
    return tuple(
        Finding(
            **{**entry, "wrong": tuple(entry.get("wrong", ())), "missing": tuple(entry.get("missing", ()))}
        )
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("finding", ())
    )


def rendered(found: Iterable[Finding]) -> str:
    """Return the text of a file with `found` in it."""
    return _HEAD + "".join("\n" + "\n".join(finding.lines()) + "\n" for finding in found)


def text_of(finding: Finding) -> str:
    """Return a finding as one sentence for people."""
    words = _WORDS.get(finding.verdict, finding.verdict)
    broken = f" ({', '.join(finding.breaks)})" if finding.breaks else ""
    detail = ""
    if finding.refused:
        detail = f": {finding.refused}"
    elif finding.wrong:
        detail = f": {', '.join(finding.wrong)}"
    elif finding.missing:
        detail = f": {', '.join(finding.missing)}"
    return f"{finding.called} {finding.version}, {finding.policy}: {words}{broken}{detail}."
