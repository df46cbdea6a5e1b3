"""The functions and tables that templates can use, by name. See parts.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import chain
from pathlib import Path

from design_rules import BASES, findings, invariants, rules
from product_findings import causes, worst_seen
from worst import worst_cases

from journalspec import contents
from journalspec.deviations import deviations
from journalspec.families import ENCODINGS, families
from journalspec.formats import format_ids, get_format
from journalspec.messages import messages
from journalspec.requirements import requirements
from journalspec.schemas import described
from journalspec_conformance.harnesses import registry
from journalspec_conformance.products import get_product, product_ids
from journalspec_conformance.result import CLASSES
from journalspec_corpus import asked
from journalspec_corpus.crash.trace import PRESETS
from journalspec_corpus.crash.verdict import MEANINGS, VERDICTS
from journalspec_docs import (
    alternatives,
    captured_pages,
    case_pages,
    contents_pages,
    crash_pages,
    diagram,
    domain,
    front_page,
    generate,
    ksy,
    markup,
    matrix,
    observation_pages,
    reference_pages,
    requirement_pages,
    rule_pages,
    schema_pages,
    sources,
    try_page,
)

#: The directories of all files from which parts of pages are made, including the templates.
MADE_FROM = (
    "specs/journalspec",
    "corpus/journalspec_corpus",
    "corpus/captured",
    "conformance/journalspec_conformance",
    "docs/data",
    "docs/reports",
    "docs/upstream",
    "docs/ext",
)


def counted(names: Iterable[str], counts: Mapping[str, int], form: str = "{}") -> list[str]:
    """Return the count of each name as text, an empty text for a name without a count."""
    return [form.format(counts[name]) if name in counts else "" for name in names]


@cache
def _files() -> tuple[Path, ...]:
    """Return all files from which parts of pages are made."""
    kinds = (".toml", ".ksy", ".json", ".jsonl", ".jsonl.gz", ".md")
    found = chain.from_iterable((sources.ROOT / folder).rglob("*") for folder in MADE_FROM)
    return tuple(sorted(path for path in found if path.name.endswith(kinds)))


@cache
def files(formats: frozenset[str]) -> tuple[str, ...]:
    """Return the source files of a part about these formats. Without `formats`, it is about all formats."""
    others = set(format_ids()) - formats if formats else ()
    places = ((str(path), path.relative_to(sources.ROOT).as_posix()) for path in _files())
    return tuple(path for path, place in places if not any(name in place for name in others))


MODULES = (
    captured_pages,
    case_pages,
    contents_pages,
    crash_pages,
    front_page,
    matrix,
    observation_pages,
    reference_pages,
    requirement_pages,
    rule_pages,
    schema_pages,
    sources,
    try_page,
)
OTHERS = (
    Counter,
    alternatives.by_edition,
    causes,
    counted,
    described,
    deviations,
    diagram.sides,
    domain.requirement_id,
    families,
    findings,
    format_ids,
    generate.area_id,
    get_format,
    get_product,
    invariants,
    ksy.offset_text,
    markup.code_html,
    markup.details,
    messages,
    product_ids,
    requirements,
    rules,
    worst_cases,
    worst_seen,
)
#: The functions of the modules above, by name.
FUNCTIONS: dict[str, Callable[..., object]] = {
    name: thing
    for module in MODULES
    for name, thing in vars(module).items()
    if callable(thing) and thing.__module__ == module.__name__ and not name.startswith("_")
} | {each.__name__: each for each in OTHERS}
FUNCTIONS |= {"contents_of": contents.described, "asked_in": asked.in_words}
TABLES = {
    "bases": BASES,
    "blamed": crash_pages.BLAMED,
    "classes": CLASSES,
    "encodings": ENCODINGS,
    "endian": schema_pages.ENDIAN,
    "field_meanings": schema_pages.MEANINGS,
    "harnesses": registry,
    "kinds_of_deviations": requirement_pages.KINDS,
    "levels": requirement_pages.LEVELS,
    "meanings": MEANINGS,
    "observation_tables": sources.PAGE_TABLES["observation"],
    "presets": PRESETS,
    "root": sources.ROOT,
    "severities": rule_pages.SEVERITIES,
    "signs": rule_pages.SIGNS,
    "strata": case_pages.STRATA,
    "verdicts": VERDICTS,
}
