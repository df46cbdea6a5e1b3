"""Expectation files. They list the known failures of an implementation, and the reasons for these failures.

The file belongs to the implementer. Each entry selects probes by a pattern and predicts how they fail. A
prediction that does not come true is a failure. A pattern that matches no probe is an error, and so is an
entry without a reason.

    [[expect]]
    case = "xyz.tail.*/recover.strict"     # * within a segment, ** over segments; a case id: all its probes
    outcome = "fail"                       # fail | crash | timeout | error | flaky | wontfix
    fingerprint = "records:extra"          # optional: only this failure is the expected one
    why = "the tail is not checked"        # mandatory
    issue = "https://..."                  # optional
    deviation = "id"                       # optional: of the format's deviations
    tier = "core"                          # optional: the pattern must match a probe of this tier

The ids of random journals differ with every seed. An entry about random journals must match all of them
(``case = "xyz.drawn.**/read"``) and contain a fingerprint. A random journal that fails with this fingerprint
is a known failure, any other failure is unexpected, and one that passes is reported as passed. The same holds
for crash states (``case = "xyz.crash.*/recover.strict"``).

An update of a file with a report splits the file into blocks. A block is an entry with the comments above it.
Each block is edited separately, and the blocks are sorted by the member `case`. A new entry gets a reason
that the lint refuses until a person has replaced this reason.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from journalspec.deviations import deviations
from journalspec.files import read_bytes
from journalspec.formats import format_ids
from journalspec_conformance.errors import Problem
from journalspec_conformance.result import CLASSES, Result
from journalspec_conformance.selection import CRASH, CRASH_WRITE, matches
from journalspec_corpus.draws import TIER as DRAWN
from journalspec_corpus.draws import is_drawn, kind_of
from journalspec_corpus.load import PUBLISHED_TIERS

OUTCOMES = {
    "fail": "answers wrongly",
    "crash": "ends before it answers",
    "timeout": "does not answer in time",
    "error": "answers outside the protocol",
    "flaky": "sometimes fails, sometimes not; both are tolerated (with * in case: no crash, no timeout)",
    "wontfix": "answers wrongly, and will not be repaired",
}
#: The values of `tier` in an entry: published tiers, generated and built ones, and cases from files.
TIERS = (*PUBLISHED_TIERS, DRAWN, CRASH, CRASH_WRITE, "core", "full", "files")
#: The prefix of a generated reason. The lint refuses it, because a person must write the reason.
TODO = "TODO"

#: The largest size of an expectation file (bytes). The largest shipped file is smaller than a hundredth of
#: this.
MAX_BYTES = 1 << 24
#: The largest number of dots in a line, without the dots in texts. The time for parsing a dotted key grows
#: with the square of its dots.
MAX_DOTS = 50
#: Texts and comments of TOML. An unclosed text ends with its line or the file, so that the time of a scan is
#: linear.
_TEXT = re.compile(
    r'''"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5}+)?|\'\'\'(?:[^\']++|\'(?!\'\'))*+(?:\'{3,5}+)?'''
    r"""|"(?:[^"\\\n]++|\\[^\n])*+"?|\'[^\'\n]*+\'?|\#[^\n]*+""",
    re.DOTALL,
)

_MEMBERS = ("case", "outcome", "fingerprint", "why", "issue", "deviation", "tier")
_WRONG = frozenset({"fail", "error"})
_FAILING = frozenset({"fail", "crash", "timeout", "error"})


@dataclass(frozen=True, slots=True)
class ExpectedFailure:
    """Represents one expected failure. The module's text describes the members."""

    case: str
    outcome: str
    why: str
    fingerprint: str = ""
    issue: str = ""
    deviation: str = ""
    tier: str = ""

    def predicts(self, result: Result) -> bool:
        """Return whether `result` failed as this entry predicts."""
        if self.outcome == "flaky":
            # A pattern does not cover a crash or a timeout. Only an entry for a single probe does.
            return result.result_class in (_WRONG if "*" in self.case else _FAILING)
        wanted = "fail" if self.outcome == "wontfix" else self.outcome
        same = not self.fingerprint or self.fingerprint == result.fingerprint
        return result.result_class == wanted and same

    @property
    def drawn(self) -> bool:
        """Whether this covers random journals or crash states, whose ids change with the seed."""
        return f".{DRAWN}." in self.case or (_of_crashes(self.case) and bool(self.fingerprint))

    @property
    def story(self) -> str:
        """The reason, with the deviation's id if the entry contains one."""
        return f"{self.why} ({self.deviation})" if self.deviation else self.why


@dataclass(frozen=True)
class Expectations:
    """The entries of one file, bound to the probes of a run."""

    entries: tuple[ExpectedFailure, ...] = ()
    _bound: dict[str, ExpectedFailure] = field(default_factory=dict)

    def apply(self, result: Result) -> Result:
        """Return `result` as known, fixed or unpredicted if an entry covers it, else unchanged."""
        if is_drawn(result.probe) or (f".{CRASH}." in result.probe and result.probe not in self._bound):
            drawn = (item for item in self.entries if item.drawn and matches(item.case, result.probe))
            known = next((item for item in drawn if item.predicts(result)), None)
            return result if known is None else result.judged("known", known.story, known.issue)
        entry = self._bound.get(result.probe)
        if entry is None or not CLASSES[result.result_class].judged:
            return result
        if entry.predicts(result):
            return result.judged("known", entry.story, entry.issue)
        if result.result_class in ("pass", "allowed"):
            if entry.outcome == "flaky":
                return result
            return result.judged(
                "fixed", f"expected to {entry.outcome}, but it passes: remove the entry", entry.issue
            )
        expected = " ".join(part for part in (entry.outcome, entry.fingerprint) if part)
        return result.judged(
            result.result_class, f"another failure than the expected one ({expected}): {result.reason}"
        )

    def bind(
        self, probe_ids: Sequence[str], tier: str, source: str = "", *, elsewhere: Sequence[str] | None = ()
    ) -> Expectations:
        """Return these entries bound to `probe_ids`; raises Problem if one matches no probe.

        An entry without a tier may also match a probe in `elsewhere` (other tiers). If `elsewhere` is None,
        other tiers are unknown, and an entry may match no probe.

        If several entries match a probe, an entry with its literal id takes precedence, then the first entry.
        """
        bound: dict[str, ExpectedFailure] = {}
        known = set(probe_ids)
        idle = []
        settled = (item for item in self.entries if not item.drawn)
        for entry in sorted(settled, key=lambda item: item.case not in known):
            literal = entry.case in known
            named = [entry.case] if literal else [name for name in probe_ids if matches(entry.case, name)]
            for probe_id in named:
                bound.setdefault(probe_id, entry)
            if named or elsewhere is None:
                continue
            if entry.tier == tier or not (entry.tier or any(matches(entry.case, name) for name in elsewhere)):
                idle.append(entry.case)
        if idle:
            raise Problem(
                f"{source or 'expectations'}: no probe matches {', '.join(sorted(idle))}",
                "Remove the entries, or set their tier (tier = ...). "
                "`journalspec list` shows all ids of a tier.",
            )
        return Expectations(self.entries, bound)


def _of_crashes(pattern: str) -> bool:
    """Return whether a pattern covers all crash states of a format."""
    return f".{CRASH}.*" in pattern


def load_expectations(path: Path) -> Expectations:
    """Read and lint an expectation file; raises Problem that lists every fault."""
    return parse_expectations(read_text(path), str(path))


def read_text(path: Path) -> str:
    """Return the text of an expectation file; raises Problem if it cannot be read."""
    try:
        return read_bytes(path, MAX_BYTES).decode("utf-8")
    except OSError as error:
        raise Problem(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise Problem(f"{path}: cannot be read: no UTF-8 at byte {error.start}") from None


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """Return the tables of a TOML file called `source`; raises Problem."""
    bare = _TEXT.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(bare.split("\n"), start=1):
        if line.count(".") > MAX_DOTS:
            raise Problem(
                f"{source}: line {number}: {line.count('.')} dots outside texts",
                f"At most {MAX_DOTS}: no key of such a file has any.",
            )
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise Problem(f"{source}: no TOML: nested too deeply") from None
    except ValueError as error:  # TOML's parser also raises this for too many digits.
        raise Problem(f"{source}: no TOML: {error}") from None


def parse_expectations(text: str, source: str) -> Expectations:
    """Read and lint the text of an expectation file called `source`; raises Problem."""
    data = parse_toml(text, source)
    items = data.get("expect", [])
    faults = [f"unknown table {name!r}" for name in data if name != "expect"]
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise Problem(f"{source}: expect must be an array of tables ([[expect]])")
    seen: set[tuple[str, str]] = set()
    for number, item in enumerate(items, start=1):
        label = f"entry {number} ({item.get('case', 'without case')})"
        faults += [f"{label}: {fault}" for fault in _faults(item)]
        case = str(item.get("case"))
        many = f".{DRAWN}." in case or _of_crashes(case)
        key = case, str(item.get("fingerprint", "")) if many else ""
        if key in seen:
            faults.append(f"{label}: the same case occurs twice")
        seen.add(key)
    if faults:
        raise Problem(f"{source}: {'; '.join(faults)}")
    return Expectations(tuple(ExpectedFailure(**item) for item in items))


def _faults(item: dict[str, Any]) -> list[str]:
    """Return the faults of one entry."""
    faults = [f"unknown member {name!r}{_meant(name, _MEMBERS)}" for name in item if name not in _MEMBERS]
    faults += [f"{name} must be a text" for name in item if not isinstance(item[name], str)]
    if not item.get("case"):
        faults.append("case is missing")
    if item.get("outcome") not in tuple(OUTCOMES):
        faults.append(f"outcome must be one of {', '.join(OUTCOMES)}")
    if item.get("tier", TIERS[0]) not in TIERS:
        faults.append(f"no tier {item['tier']!r}{_meant(item['tier'], TIERS)}: one of {', '.join(TIERS)}")
    if item.get("deviation", "") not in ("", *_deviations()):
        faults.append(f"no deviation {item['deviation']!r}{_meant(item['deviation'], _deviations())}")
    case = str(item.get("case", ""))
    vague = item.get("outcome") in ("fail", "wontfix") and not item.get("fingerprint")
    if f".{DRAWN}." in case and (is_drawn(case) or vague):
        faults.append(f"ids of random journals depend on the seed: name {kind_of(case)!r} and a fingerprint")
    why = str(item.get("why", "")).strip()
    if not why or why.startswith(TODO):
        faults.append("the reason of the failure is missing")
    return faults


@cache
def _deviations() -> tuple[str, ...]:
    return tuple(entry.id for format_id in format_ids() for entry in deviations(format_id))


def _meant(name: object, known: Sequence[str]) -> str:
    near = get_close_matches(str(name), known, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


_HEADER = re.compile(r"^\s*\[\[\s*expect\s*\]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Update:
    """Represents the new text, and the cases whose entries were added, removed or changed by an update."""

    text: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


def update(text: str, results: Iterable[Result], source: str = "the file") -> Update:
    """Return `text` updated with `results`; raises Problem if it cannot be split into entries."""
    preamble, blocks = _cut(text, source)
    # Random journals that fail with the same fingerprint get one entry.
    by_probe = {
        (_named_in_file(result) + result.fingerprint if _changing(result) else result.probe): result
        for result in results
        if not _changing(result) or result.result_class in _FAILING
    }
    kept, removed, changed = _revise(blocks, by_probe)
    covered = [case for case, _ in kept]
    # A known failure of a random journal has an entry already, so it needs no new one.
    failed = [result for result in by_probe.values() if result.result_class in _FAILING]
    new = [one for one in failed if _changing(one) or not any(matches(case, one.probe) for case in covered)]
    kept += [(_named_in_file(result), _new_block(result)) for result in new]
    kept.sort(key=lambda block: block[0])
    parts = [part.strip("\n") for part in (preamble, *(body for _, body in kept))]
    out = "\n\n".join(part for part in parts if part) + "\n"
    tomllib.loads(out)
    return Update(out, tuple(sorted(map(_named_in_file, new))), tuple(removed), tuple(changed))


def _changing(result: Result) -> bool:
    """Return whether the id of a result depends on a seed."""
    return is_drawn(result.probe) or (f".{CRASH}." in result.probe and bool(result.fingerprint))


def _named_in_file(result: Result) -> str:
    return re.sub(rf"\.{CRASH}\.\w+", f".{CRASH}.*", kind_of(result.probe))


def _cut(text: str, source: str) -> tuple[str, list[tuple[str, str]]]:
    """Split a file into (preamble, [(case, block)]). A block begins with the comments above its header."""
    whole = parse_toml(text, source).get("expect", [])
    lines = text.splitlines(keepends=True)
    starts = []
    for number, line in enumerate(lines):
        if _HEADER.match(line):
            while number > 0 and lines[number - 1].lstrip().startswith("#"):
                number -= 1  # noqa: PLW2901 - the comment block above belongs to the entry
            starts.append(number)
    ends = [*starts[1:], len(lines)]
    bodies = ["".join(lines[at:end]) for at, end in zip(starts, ends, strict=False)]
    try:
        found = [tomllib.loads(body)["expect"][0] for body in bodies]
    except (tomllib.TOMLDecodeError, KeyError):
        found = []
    if found != whole:
        raise Problem(
            f"{source}: the entries cannot be distinguished; write each as [[expect]] on a line of its own"
        )
    preamble = "".join(lines[: starts[0]] if starts else lines)
    return preamble, [(str(entry.get("case", "")), body) for entry, body in zip(found, bodies, strict=True)]


def _revise(
    blocks: list[tuple[str, str]], by_probe: Mapping[str, Result]
) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """Remove entries whose probes all pass; correct entries for a single probe that fails in another way."""
    kept, removed, changed = [], [], []
    for case, body in blocks:
        about = [result for probe, result in by_probe.items() if matches(case, probe)]
        if about and all(result.result_class == "fixed" for result in about):
            removed.append(case)
            continue
        single = by_probe.get(case)
        if single is not None and single.result_class in _FAILING:
            changed.append(case)
            kept.append((case, _corrected(body, single)))
        else:
            kept.append((case, body))
    return kept, removed, changed


def _corrected(body: str, result: Result) -> str:
    import tomlkit  # noqa: PLC0415 - needed only for updating a file, which keeps its comments
    from tomlkit.items import AoT  # noqa: PLC0415 - only an update needs it

    document = tomlkit.parse(body)
    entries = document["expect"]
    if not isinstance(entries, AoT):
        raise AssertionError("_cut made sure that this is an array of tables")
    entry = entries[0]
    entry["outcome"] = result.result_class
    if result.fingerprint:
        entry["fingerprint"] = result.fingerprint
    elif "fingerprint" in entry:
        del entry["fingerprint"]
    return tomlkit.dumps(document)


def _new_block(result: Result) -> str:
    import tomlkit  # noqa: PLC0415 - only an update needs it

    entry = {
        "case": _named_in_file(result),
        "outcome": result.result_class,
        "fingerprint": result.fingerprint,
        "why": f"{TODO}: {' '.join(result.reason.split())[:160]}",
    }
    return tomlkit.dumps({"expect": [{name: value for name, value in entry.items() if value}]})
