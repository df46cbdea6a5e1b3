"""Pages on the crash model, the results of products after a crash, and the worst cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from itertools import groupby

from product_findings import HARMLESS, Cause, Finding, ProductRun, causes, judgements
from worst import Form, Worst, findings, sectors, text_of

from journalspec_corpus.crash.explain import arrived, story
from journalspec_corpus.crash.trace import rank
from journalspec_corpus.crash.verdict import CODES

BLAMED = {
    "format": "the format",
    "writer": "the product's order of writes",
    "reader": "the product's reader",
    "disk": "a disk that acknowledges an unperformed fsync",
}
#: Maps the outcome of the writes to a run of sectors to the words in its box of a picture.
BOXES = {
    "settled": "as it should be",
    "arrived": "new: it arrived",
    "lost": "old: the written bytes are lost",
    "partly": "in part: some bytes arrived, or garbage",
}
#: Product, stratum, policy, and the number of answers with each verdict.
Run = tuple[ProductRun, str, str, Mapping[str, int]]


def categories() -> Iterator[tuple[str, list[str]]]:
    """Yield (code, names) of each category of states; the categories of reachable states come first."""
    for code in sorted({*CODES.values()}, key=lambda code: ("RC".index(code[0]), code)):
        yield code, [name for name, own in CODES.items() if own == code]


def judged() -> tuple[list[Run], list[str]]:
    """Return the results of each product, and all verdicts in them. Harmless verdicts come first."""
    runs = [
        (item, stratum, policy, counts)
        for item in judgements()
        for stratum, policies in item.strata.items()
        for policy, counts in policies.items()
    ]
    seen = {name for *_, counts in runs for name in counts}
    return runs, sorted(seen, key=lambda name: (name not in HARMLESS, name))


def found_alike(name: str) -> Iterator[tuple[Finding, list[Finding]]]:
    """Yield two values for each group of equal failures in a run: the failure with the strongest preset, and
    all failures of the group.
    """
    run = next((item for item in judgements() if item.name == name), None)
    if run is None:
        raise LookupError(f"nothing was found about {name!r}")
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for item in run.findings:
        key = (item.verdict, item.breaks, item.stratum, item.policy, item.causes)
        alike.setdefault(key, []).append(item)
    for those in alike.values():
        yield min(those, key=lambda one: rank(one.strongest)), those


def titles() -> dict[str, str]:
    """Map each cause to its title."""
    return {cause.id: cause.title for cause in causes()}


def seen_on(cause: Cause) -> Iterator[str]:
    """Yield for each product the number of states with this cause.

    The states are counted by class and policy; a kind of failure with two causes is counted for both.
    """
    for item in judgements():
        mine = [finding for finding in item.findings if cause.id in finding.causes]
        states = Counter[tuple[str, str, int]]()
        for finding in mine:
            states[finding.stratum, finding.policy, finding.of] += finding.states
        counted = ", ".join(
            f"{count:,} of {of:,} states of class {stratum} under {policy}"
            for (stratum, policy, of), count in states.items()
        )
        if mine:
            strongest = min((finding.strongest for finding in mine), key=rank)
            yield f"{item.product}: {counted}, the strongest preset {strongest}"


def sector_boxes(item: Worst, form: Form) -> str:
    """Return the files as boxes, one for each run of sectors with the same outcome."""
    out: list[str] = []
    for name, runs in groupby(sectors(item.state(form)), key=lambda run: run[0]):
        boxes = "".join(
            f'<div class="sector-{what}" style="flex-grow:{max(length // 512, 1)}"><b>{BOXES[what]}</b><br>'
            f"{length} bytes at {off}</div>"
            for _, off, length, what in runs
        )
        out.append(f'<p><code>{escape(name)}</code></p><div class="jspec-file">{boxes}</div>')
    return f'<figure class="jspec-torn">{"".join(out)}</figure>'


def what_was_done(item: Worst) -> str:
    """Return the operations before the crash, in words."""
    return "\n".join(story(item.state(item.small)))


def lost_bytes(item: Worst, form: Form) -> str:
    """Return lines on how much of each write reached the disk, with the bytes that differ."""
    return "\n".join(arrived(item.state(form)))


def made_of(item: Worst) -> list[str]:
    """Return the results of products on a worst case before its reduction, in words."""
    return [text_of(entry) for entry in findings(item.format) if entry.case == item.id]
