"""The worst effects of a crash on a format, as data, and the results of products.

For each case, ``docs/data/worst/FORMAT.toml`` describes the effect. It contains the verdict on the reference,
the requirements and design rules concerned, and the workload and descriptor of a full state and of a small
one. ``most_records`` is the number of records that a small state may have. The tests check all of it: they
rebuild both states, compute the verdicts, and reduce the full state to the small one.

``docs/data/worst-findings/FORMAT.toml`` contains one entry for each case, product and policy that was run.
Only ``python tools/worst_findings.py`` writes this file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from journalspec.formats import get_format
from journalspec_corpus.crash.disk import SECTOR
from journalspec_corpus.crash.explain import settled, unarrived
from journalspec_corpus.crash.facts import State, find
from journalspec_corpus.crash.formats import Named, crash_format, named_reader
from journalspec_corpus.crash.reduce import situations
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import PRESETS, REACHABLE, Trace, Workload
from journalspec_corpus.crash.verdict import PRODUCT_WORDS, VERDICTS
from journalspec_corpus.rows import members

TIER = "worst"
_DATA = Path(__file__).resolve().parents[1] / "docs" / "data"
#: The directories of the cases and of the findings; each format has a file there.
CASES, FINDINGS = _DATA / "worst", _DATA / "worst-findings"
#: The seed for the content of trashed sectors; nothing else in a worst case is random.
SEED = 1


class WorstError(ValueError):
    """A file of worst cases is wrong; the message identifies the case."""


@dataclass(frozen=True)
class Form:
    """One of the two states of a case: the workload, and the descriptor of the crash."""

    workload: Workload
    preset: str
    crash_index: int
    mask: bytes
    tear: int = 0

    def descriptor(self, trace: Trace) -> Descriptor:
        """Return the descriptor of the state in `trace`, the trace of the workload."""
        return Descriptor(
            trace.id, self.preset, self.crash_index, self.mask, self.tear, trace.background, SEED
        )


@dataclass(frozen=True)
class Worst:
    """One case. `verdict` is the verdict on the adapter's `reader` in both forms.

    `keeps` is the beginning of the key of a record that is wrongly in effect; it is empty if there is none.
    `strongest` is the strongest preset under which the small form's workload fails in this way.
    """

    format: str
    id: str
    title: str
    text: str
    reader: str
    verdict: str
    requirements: tuple[str, ...]
    rules: tuple[str, ...]
    strongest: str
    full: Form
    small: Form
    keeps: str = ""
    flags: tuple[str, ...] = ()

    @property
    def small_id(self) -> str:
        """The case id of the small form."""
        return f"{self.id}-small"

    @cached_property
    def named(self) -> Named:
        """The reader that fails."""
        return named_reader(self.format, self.reader)

    def state(self, form: Form) -> State:
        """Return the state of one form; raises WorstError if it does not exist."""
        adapter = crash_format(self.format)
        try:
            trace = adapter.build(form.workload)
            return find(trace, form.descriptor(trace))
        except (LookupError, ValueError) as error:
            raise WorstError(f"{self.id}: {error}") from None

    def presets(self) -> list[str]:
        """Return the presets under which the small form's workload fails in this way, strongest first.

        For a case that passes now (MENDED), only the preset under which it was found.
        """
        if self.verdict == MENDED:
            return [self.strongest]
        named, trace = self.named, crash_format(self.format).build(self.small.workload)
        failing = set()
        for situation in situations(trace, len(PRESETS) - 1, SEED, REACHABLE):
            for row in range(len(situation.states)):
                state = State(situation, row)
                if state.rank not in failing:
                    answer = named.reader(state.files, trace.edition)
                    if state.verdict(answer, salvaging=named.salvaging) == self.verdict:
                        failing.add(state.rank)
        return [PRESETS[rank].name for rank in sorted(failing)]


#: The verdict of a case that failed with an earlier version of the reference and passes now; its id stays.
MENDED = "pass"


@cache
def worst_cases(format_id: str) -> tuple[Worst, ...]:
    """Return the worst cases of `format_id` in the order of its file; none if there is no such file.

    Raises WorstError on an id that occurs twice and UnknownFormat for a format that is not described.
    """
    entries = _table(CASES, format_id).get("worst", ())
    if not entries:
        return ()
    tables = crash_format(format_id).tables
    if tables is None:
        raise WorstError(f"{CASES.name}/{format_id}.toml: the format makes no workloads from tables")

    def form(workload: Mapping[str, Any], mask: str = "", **place: Any) -> Form:
        return Form(tables.workload_of(workload), mask=bytes.fromhex(mask), **place)

    def worst(entry: Mapping[str, Any]) -> Worst:
        forms = {name: form(**entry[name]) for name in ("full", "small")}
        return Worst(format_id, **{**members(entry), **forms})

    found = []
    for entry in entries:
        try:
            found.append(worst(entry))
        except (KeyError, TypeError) as error:
            raise WorstError(f"{entry.get('id', 'a case without id')}: {error!r}") from None
    names = [worst.id for worst in found]
    if len(set(names)) != len(names):
        raise WorstError(f"{CASES.name}/{format_id}.toml: an id occurs twice")
    return tuple(found)


def _table(folder: Path, format_id: str) -> Mapping[str, Any]:
    """Return the content of a format's file; empty without one. Raises UnknownFormat."""
    path = folder / f"{get_format(format_id).id}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one version of a product on one case under one policy.

    `product` is the name of the product's harness, `called` the product's own name. `refused` is the code of
    a refusal, empty if there was none.
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


@cache
def findings(format_id: str) -> tuple[Finding, ...]:
    """Return the findings of `format_id` in the order of its file; none if there is no such file."""
    return tuple(Finding(**members(row)) for row in _table(FINDINGS, format_id).get("finding", ()))


def text_of(finding: Finding) -> str:
    """Return a finding as one sentence for people."""
    words = PRODUCT_WORDS.get(finding.verdict, finding.verdict)
    broken = f" ({', '.join(finding.breaks)})" if finding.breaks else ""
    detail = finding.refused or ", ".join(finding.wrong or finding.missing)
    more = f": {detail}" if detail else ""
    return f"{finding.called} {finding.version}, {finding.policy}: {words}{broken}{more}."


def sectors(state: State) -> Iterator[tuple[str, int, int, str]]:
    """Yield (file, offset, length, what) of each run of sectors with the same outcome.

    Writes since the last fsync have ``arrived``, are ``lost``, or arrived ``partly``: only some of them, a
    part of one write, or garbage. A ``lost`` sector has its old content, or zeros if the file has grown
    around it. All other sectors are ``settled``.
    """
    before, after = unarrived(state), settled(state)
    for name, content in state.files.items():
        versions = content, before.get(name, b""), after.get(name, b"")
        found = [
            (_became(*(data[at : at + SECTOR] for data in versions)), at)
            for at in range(0, len(content), SECTOR)
        ]
        for what, run in groupby(found, itemgetter(0)):
            places = [at for _, at in run]
            yield name, places[0], min(places[-1] + SECTOR, len(content)) - places[0], what


def _became(now: bytes, was: bytes, wanted: bytes) -> str:
    if now == wanted:
        return "settled" if now == was else "arrived"
    return "lost" if now == was.ljust(len(now), b"\0") else "partly"
