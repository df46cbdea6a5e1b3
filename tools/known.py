"""Makes expectation files from reports and rules, which assign each failure to a deviation.

``python tools/known.py --product ID --out FILE REPORT...`` reads reports of runs without expectations (all
published tiers). It explains every failure by the first fitting rule of the ``known.toml`` beside the
product's harness, and writes one entry per pattern. A failure that no rule explains is printed, and the exit
status is 1: the failure is new, and a person has to examine it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from journalspec.files import replace_text
from journalspec.formats import get_format
from journalspec_conformance.errors import Problem
from journalspec_conformance.products import Product, get_product, product_ids
from journalspec_conformance.report import load_report
from journalspec_conformance.result import Result
from journalspec_conformance.selection import matches
from journalspec_conformance.wording import UNJUDGED
from journalspec_corpus.case import Case
from journalspec_corpus.load import PUBLISHED_TIERS, load_cases

RED = frozenset({"fail", "timeout"})
FLAKY = "flaky"


@dataclass(frozen=True, slots=True)
class KnownRule:
    """One kind of failure and the deviation that causes it; empty conditions are ignored.

    `versions` (products' versions), `ops` (``read``, ``recover.strict``...) and `told` (codes, reasons and
    notes of the case's expectations) are lists of alternatives. `cases` are patterns, `outcome` is a result
    class, `fingerprint` is a regular expression. `says` is a regular expression for the beginning of the
    reason, which contains the expected and the actual value. With `outcome` "flaky" all cases of the rule are
    listed, failed or not.
    """

    deviation: str
    why: str
    outcome: str = "fail"
    fingerprint: str = ".*"
    says: str = ""
    versions: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()

    @property
    def flaky(self) -> bool:
        """Whether the outcome varies from run to run."""
        return self.outcome == FLAKY

    def fits(self, version: str, result: Result, told: frozenset[str]) -> bool:
        """Return whether this rule explains `result`."""
        op = result.probe.partition("/")[2]
        return (
            (self.flaky or result.result_class == self.outcome)
            and re.fullmatch(self.fingerprint, result.fingerprint) is not None
            and re.match(self.says, result.reason) is not None
            and (not self.versions or version in self.versions)
            and (not self.ops or op in self.ops)
            and (not self.told or bool(told & set(self.told)))
            and (not self.cases or any(matches(pattern, result.probe) for pattern in self.cases))
        )


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """The content of an entry, apart from its probes."""

    rule: KnownRule
    outcome: str
    fingerprint: str


def rules(harness: str) -> tuple[KnownRule, ...]:
    """Return the rules of `harness` (a folder of ``harnesses``) in order; there may be none."""
    source = files("journalspec_conformance").joinpath("harnesses", harness, "known.toml")
    if not source.is_file():
        return ()
    return tuple(_rule(entry) for entry in tomllib.loads(source.read_text(encoding="utf-8"))["rule"])


def _rule(entry: Mapping[str, Any]) -> KnownRule:
    lists: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
    }
    return KnownRule(**lists)


def told_by(case: Case) -> frozenset[str]:
    """Return every code, reason and note in the expectations of `case`."""
    found: set[str] = set()
    for entry in case.expect:
        found.update(region["reason"] for region in entry.get("dropped", ()))
        found.update(refusal["code"] for refusal in entry.get("refusals", ()))
        found.update(entry.get("notes", ()))
        if "code" in entry:
            found.add(entry["code"])
    return frozenset(found)


def explain(
    product: Product, results: Mapping[str, Result], cases: Mapping[str, Case]
) -> tuple[dict[str, KnownFailure], list[Result]]:
    """Return (probe -> known failure, failures without explanation).

    A ``read`` whose answer lacks only the state has the cause of the failed recovery of the same files: under
    ``salvage`` if the product has that policy, else under ``strict``.
    """
    known: dict[str, KnownFailure] = {}
    unexplained = []
    found = rules(product.harness)
    for result in results.values():
        if result.result_class in UNJUDGED or result.case not in cases:
            continue
        chance = next(
            (rule for rule in found if rule.flaky and rule.fits(product.version, result, frozenset())), None
        )
        if chance is not None:
            known[result.probe] = KnownFailure(chance, FLAKY, "")
        if chance is not None or result.result_class not in RED:
            continue
        told = told_by(cases[result.case])
        cause = result
        if result.probe.endswith("/read") and result.fingerprint == _no_state(result):
            recovered = (results.get(f"{result.case}/recover.{name}") for name in ("salvage", "strict"))
            cause = next((other for other in recovered if other and other.result_class in RED), result)
        rule = next((rule for rule in found if rule.fits(product.version, cause, told)), None)
        if rule is None:
            unexplained.append(result)
        else:
            known[result.probe] = KnownFailure(rule, result.result_class, result.fingerprint)
    return known, unexplained


def _no_state(result: Result) -> str:
    """Return the fingerprint of an answer without a state: the fingerprint of the state's first key."""
    return f"state:{next(iter(get_format(result.format).state))}"


def entries(known: Mapping[str, KnownFailure], asked: Sequence[str]) -> Iterator[tuple[str, KnownFailure]]:
    """Yield pairs (pattern, known failure). Each probe in `known` is matched, and wide patterns keep the
    number of pairs small.

    A pattern is usable if all probes of the run that it matches have the same known failure.
    """
    left = dict(known)
    for probe in known:
        if probe not in left:
            continue
        fact = left[probe]
        for pattern in _patterns(probe):
            named = [other for other in asked if matches(pattern, other)]
            several = len({other.partition("/")[0] for other in named}) > 1
            good = several or "*" not in pattern
            if good and all(known.get(other) == fact for other in named):
                yield pattern, fact
                for other in named:
                    left.pop(other, None)
                break


def _patterns(probe: str) -> Iterator[str]:
    """Yield patterns that match `probe`, the widest first, the probe itself last."""
    case, _, op = probe.partition("/")
    group, _, name = case.rpartition(".")
    words = name.split("-")
    stems = ["-".join(words[:count]) + "-*" for count in range(1, len(words))]
    for choice in ("*", *stems):
        yield f"{group}.{choice}"
        yield f"{group}.{choice}/{op}"
    yield case
    yield probe


def render(product: Product, found: Iterable[tuple[str, KnownFailure]]) -> str:
    """Return the text of the expectation file."""
    out = [
        f"# Known differences between the answers of {product.title} and the specification.",
        f"# Generated from a run by the rules of harnesses/{product.harness}/known.toml;"
        " change reasons there.",
        "",
    ]
    for pattern, fact in sorted(found, key=lambda item: item[0]):
        out += ["[[expect]]", f'case = "{pattern}"', f'outcome = "{fact.outcome}"']
        out += [f'fingerprint = "{fact.fingerprint}"'] if fact.fingerprint else []
        out += [f"why = {json.dumps(fact.rule.why)}", f'deviation = "{fact.rule.deviation}"', ""]
    return "\n".join(out)


def main(arguments: list[str] | None = None) -> int:
    """Write an expectation file; return 0 if all failures are explained, 1 if one is not, 2 if a report is
    incomplete.
    """
    parser = argparse.ArgumentParser(prog="python tools/known.py")
    parser.add_argument("reports", nargs="+", type=Path)
    parser.add_argument("--product", required=True, help=f"one of {', '.join(product_ids())}")
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args(arguments)
    try:
        reports = [load_report(path) for path in options.reports]
    except Problem as error:
        print(error, file=sys.stderr)
        return 2
    product = get_product(options.product)
    formats = product.formats
    cases = {case.id: case for name in formats for tier in PUBLISHED_TIERS for case in load_cases(name, tier)}
    results = {result.probe: result for report in reports for result in report.results}
    known, unexplained = explain(product, results, cases)
    asked = [probe for probe, result in results.items() if result.result_class not in UNJUDGED]
    replace_text(options.out, render(product, entries(known, asked)))
    for result in unexplained:
        print(
            f"not explained: {result.result_class} {result.fingerprint} {result.probe}: {result.reason[:160]}"
        )
    print(f"{len(known)} failures explained, {len(unexplained)} not")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
