"""The front page: a picture of a torn journal, one line about the losses of products, and badges."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from importlib import resources
from pathlib import Path

from product_findings import HARMLESS, ProductRun, judgements

import journalspec
from journalspec.deviations import deviations
from journalspec.formats import format_ids
from journalspec_conformance.products import product_ids
from journalspec_docs import hexdump, matrix, sources
from journalspec_reference.api import load
from journalspec_reference.hexdump import regions

#: The names of the kinds of regions in the picture.
NAMES = {"dropped": "torn", "unused": "not used", "fill": "not used"}
#: The number of bytes that are shown of a dropped region.
SHOWN = 64


def torn_journal(format_id: str, wanted: str) -> str:
    """Return HTML with the first file of a case as boxes, and with the bytes of its dropped region."""
    case = sources.case_of(format_id, wanted)
    files = case.files()
    name, content = next(iter(files.items()))
    spans = [span for span in load(format_id).spans(files, edition=case.edition) if span.file == name]
    found = [item.span for item in regions(spans, name, len(content))]
    lost = next((span for span in found if span.kind == "dropped"), None)
    if lost is None:
        raise LookupError(f"nothing is torn in {name} of {wanted}")
    boxes = ""
    for span in found:
        said = ": ".join(filter(None, (NAMES.get(span.kind, span.kind), span.value)))
        text = f"<b>{escape(said)}</b><br>{span.length} bytes at {span.off}"
        boxes += f'<div class="kind-{span.kind}" style="flex-grow:{span.length}">{text}</div>'
    rows = hexdump.grid_html(content, spans, sources.roles_of(format_id), lost.off, lost.off + SHOWN)
    return (
        f'<figure class="jspec-torn"><div class="jspec-file">{boxes}</div>{rows}'
        f"<figcaption>{escape(name)} after a power cut: {escape(case.title)}.</figcaption></figure>"
    )


def lost_by_products() -> tuple[int, int, list[str]]:
    """Return three values: the number of tested products, the number of products that fail, and the most
    frequent failures.
    """
    asked = {item.product for item in judgements() if "R" in item.strata}
    wrong = {item.product for item in judgements() if _harm([item], "R")}
    kinds = Counter(name for item in judgements() for name in sorted(_harm([item], "R")))
    return len(asked), len(wrong), [name for name, _ in kinds.most_common(3)]


def headline_numbers() -> dict[str, int | str]:
    """Return the total numbers of observations, and the most frequent failures."""
    runs = judgements()
    answers = sum(
        sum(each.values()) for item in runs for given in item.strata.values() for each in given.values()
    )
    lost: Counter[str] = Counter()
    for counts in (counts for item in runs for counts in item.verdicts.values()):
        lost.update({name: count for name, count in counts.items() if name not in HARMLESS})
    worst = [f"{name} ({count:,})" for name, count in lost.most_common() if count]
    found = [item for name in format_ids() for item in deviations(name)]
    return {
        "Formats": len(format_ids()),
        "Releases of products": len(product_ids()),
        "Published cases": sum(len(sources.cases(name)) for name in format_ids()),
        "Answers of products for states after a crash or corruption": answers,
        "Deviations": len(found),
        "of these, the product is wrong": sum(item.kind == "errata" for item in found),
        "What products did wrong after an ordinary crash, and how often": ", ".join(worst),
    }


def _harm(runs: Iterable[ProductRun], stratum: str) -> set[str]:
    """Return those verdicts on a product's answers in a class of states that break an invariant."""
    return {
        name
        for item in runs
        for counts in item.strata.get(stratum, {}).values()
        for name, count in counts.items()
        if count and name not in HARMLESS
    }


def being_written() -> Iterator[str]:
    """Yield the titles of the formats whose specification is a draft."""
    for path in sorted(Path(str(resources.files(journalspec))).glob("*/format.toml")):
        if path.parent.name not in format_ids():
            yield str(tomllib.loads(path.read_text(encoding="utf-8"))["title"])


def product_results() -> Iterator[tuple[str, str, tuple[int, int] | None, dict[str, int | None]]]:
    """Yield four values: format, product, (good, judged) of the report, and a map from class of state to the
    number of kinds of failure.

    (good, judged) is None if no report has the format. The number is None if no state of the class was
    tested.
    """
    for name in format_ids():
        scores = {}
        for report in matrix.committed_reports():
            mine = [result.result_class for result in report.results if result.format == name]
            if mine:
                scores[report.name] = (
                    sum(map(matrix.GOOD.__contains__, mine)),
                    sum(map(matrix.JUDGED.__contains__, mine)),
                )
        runs: dict[str, list[ProductRun]] = {}
        for item in judgements():
            if item.format == name:
                runs.setdefault(item.product, []).append(item)
        for product in sorted({*scores, *runs}):
            own = runs.get(product, [])
            wrong = {
                stratum: len(_harm(own, stratum)) if any(stratum in item.strata for item in own) else None
                for stratum in "RC"
            }
            yield name, product, scores.get(product), wrong
