"""Runs products on the worst cases, and records their results.

``python tools/worst_findings.py`` runs every shipped product that can be started and rewrites the findings of
its format; ``--check`` only compares. The findings of products that are not fetched stay unchanged. Exit
status: 0 good, 1 a finding has changed, 2 usage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict

from product_findings import HARMLESS
from record_findings import verdict_of
from toml_text import toml_value
from worst import FINDINGS, SEED, Finding, findings, worst_cases

from journalspec.files import replace_text
from journalspec.formats import format_ids
from journalspec_conformance.crashes.states import CrashCase, answer_of, as_crash_case, parting
from journalspec_conformance.engine import Engine
from journalspec_conformance.errors import Breakdown, Problem
from journalspec_conformance.harnesses import registry
from journalspec_conformance.running import RunRequest, setup_of
from journalspec_corpus import Probe
from journalspec_corpus.crash.formats import crash_format

#: The largest number of bytes of an unknown record that are stored.
_SHOWN = 40
_TIMEOUT = 60.0


_HEAD = """\
# SPDX-License-Identifier: CC0-1.0
# What products made of the worst cases when run; written by `python tools/worst_findings.py`.
# `wrong` is what came and should not have, `missing` what is required and did not come: names of the trace's
# records, and the beginnings of records that nobody wrote.
"""


def rendered(found: Iterable[Finding]) -> str:
    """Return the text of a file with `found` in it; members without content are omitted."""
    out = _HEAD
    for finding in found:
        members = {name: value for name, value in asdict(finding).items() if value}
        lines = [f"{name} = {toml_value(value)}" for name, value in members.items()]
        out += "\n".join(("", "[[finding]]", *lines, ""))
    return out


def products(format_id: str) -> list[str]:
    """Return the harnesses of products that have findings of this format, or could have some."""
    named = {finding.product for finding in findings(format_id)}
    return [name for name, entry in registry().items() if name in named or entry.product]


def run(format_id: str, product: str) -> Iterator[Finding]:
    """Yield the result of `product` on every worst case, in both forms, under each of its policies.

    Yields nothing for a product of other formats. Raises Problem if the product is not ready and Breakdown if
    it does not start.
    """
    adapter = crash_format(format_id)
    with closing(setup_of(RunRequest(product, timeout=_TIMEOUT)).open()) as engine:
        claims = engine.hello.formats.get(format_id)
        if claims is None:
            return
        policies = [policy for policy in adapter.readers if policy in claims.policies]
        called, version = engine.hello.impl["name"], engine.hello.impl.get("version", "")
        listed = "no-records" not in claims.features
        for worst in worst_cases(format_id):
            forms = ((worst.id, worst.full), (worst.small_id, worst.small))
            made = [
                (name, as_crash_case(format_id, form.workload, worst.state(form).descriptor(SEED)))
                for name, form in forms
            ]
            for policy in policies:
                for name, case in made:
                    if case.edition in claims.editions:
                        probe = next(probe for probe in case.probes if probe.policy == policy)
                        found = _asked(engine, case, probe, listed=listed)
                        yield Finding(name, product, called, version, policy, *found)


def _asked(
    engine: Engine, case: CrashCase, probe: Probe, *, listed: bool
) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    """Return four values: the verdict on an answer, the code of its refusal, its wrong records, and its
    missing records.
    """
    engine.forgive()
    result = engine.run(probe)
    replies = [reply["ok"] for _, reply in engine.exchanges if "ok" in reply]
    if not replies:
        return verdict_of(result), "", (), ()
    answer = answer_of(case.adapter, replies[0], listed=listed)
    verdict = case.verdict(probe.policy or "", answer)
    if verdict in HARMLESS:
        return verdict_of(result), answer.refused or "", (), ()
    told = parting(answer, case.required)
    wrong = tuple(text if len(text) <= _SHOWN else text[:_SHOWN] + "..." for text in told["wrong"])
    return verdict, answer.refused or "", wrong, told["missing"]


def collect(format_id: str) -> tuple[list[Finding], list[str]]:
    """Return two values: the findings of all products, and the names of the products that could not be
    run.
    """
    found, left = [], []
    for product in products(format_id):
        try:
            found += list(run(format_id, product))
        except (Problem, Breakdown):
            found += [finding for finding in findings(format_id) if finding.product == product]
            left.append(product)
    return found, left


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser(prog="python tools/worst_findings.py", description=__doc__)
    parser.add_argument(
        "formats", nargs="*", metavar="FORMAT", help="formats (default: all with worst cases)"
    )
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 if a finding has changed"
    )
    options = parser.parse_args(arguments)
    status = 0
    for format_id in options.formats or format_ids():
        if not worst_cases(format_id):
            continue
        found, left = collect(format_id)
        for product in left:
            print(f"{format_id}: {product} is not ready and keeps its findings", file=sys.stderr)
        if rendered(found) == rendered(findings(format_id)):
            print(f"{format_id}: {len(found)} findings, up to date")
        elif options.check:
            print(f"{format_id}: findings have changed; run python tools/worst_findings.py")
            status = 1
        else:
            replace_text(FINDINGS / f"{format_id}.toml", rendered(found))
            print(f"{format_id}: {len(found)} findings written")
    return status


if __name__ == "__main__":
    sys.exit(main())
