"""The crash model, what products lose and invent after a crash, and the worst cases. The code's own data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from importlib import resources
from itertools import groupby
from pathlib import Path

from docutils import nodes

from journalspec.formats import Format
from journalspec_conformance.crashes.findings import (
    Cause,
    Finding,
    ProductRun,
    causes,
    judgements,
    worst_seen,
)
from journalspec_conformance.crashes.verdicts import HARMLESS
from journalspec_corpus.crash.persistence import PRESETS, Preset, rank
from journalspec_corpus.crash.story import losses, picture, sectors, story
from journalspec_corpus.crash.verdict import CODES, INVARIANTS, MEANINGS, VERDICTS
from journalspec_corpus.crash.worst import FILE, Form, Worst, text_of, worst_cases
from journalspec_corpus.crash.worst import FINDINGS_FILE as FINDINGS
from journalspec_corpus.crash.worst import findings as worst_findings
from journalspec_docs import markup
from journalspec_docs.base import Page, table

BLAMED = {
    "format": "the format",
    "writer": "the product's order of writes",
    "reader": "the product's reader",
    "disk": "a disk that does not do what it says",
}


@table("Preset", "Stratum", "Granule (bytes)", "Order", "Imitates", "Takes for granted")
def presets(page: Page) -> Iterator[markup.Row]:
    """``{preset-table}``: the persistence presets, strongest first."""
    for item in PRESETS:
        names = markup.literals((item.name, *item.also), " = ")
        order = ", ".join(_order(item))
        yield names, item.stratum, str(item.granule), order, item.imitates, item.assumes


def _order(item: Preset) -> Iterator[str]:
    """Yield what a preset may do to writes, in words."""
    yield item.order
    if item.broken:
        yield "any granules may be broken"
    elif item.trash:
        yield "one granule may be garbage"
    if item.append != "any":
        yield f"files grow {item.append.replace('together', 'with their data')}"
    if item.fresh != "zero":
        yield f"new space shows {item.fresh} blocks"
    if item.metadata == "any":
        yield "each name for itself"
    elif item.metadata == "journaled":
        yield "names and sizes in order"
    if item.force != "honest":
        yield f"a force {item.force.replace('fails-clean', 'fails once').replace('ignored', 'is ignored')}"
    if item.share > 1:
        yield f"about one trace in {item.share}"


@table("Code", "Categories")
def categories(page: Page) -> Iterator[markup.Row]:
    """``{category-table}``: what kinds of states there are, by code."""
    codes: dict[str, list[str]] = {}
    for name, code in CODES.items():
        codes.setdefault(code, []).append(name)
    ordered = sorted(codes, key=lambda code: ("RC".index(code[0]), code))
    yield from ((code, markup.literals(codes[code])) for code in ordered)


@table("Verdict", "Breaks", "Meaning")
def verdicts(page: Page) -> Iterator[markup.Row]:
    """``{verdict-table}``: every verdict, and what it says is broken."""
    for name, broken in VERDICTS.items():
        yield markup.literal(name), ", ".join(broken), MEANINGS[name]


@table("", "Name", "Statement", "Looked at by", "Strata", "Verdicts")
def invariants(page: Page) -> Iterator[markup.Row]:
    """``{invariant-table}``: the invariants, and where each is looked at."""
    for ident, item in INVARIANTS.items():
        where, strata = ", ".join(item.looked_at), ", ".join(item.strata)
        yield ident, item.name, item.statement, where, strata, markup.literals(item.verdicts(ident))


def products(page: Page) -> Iterable[nodes.Node]:
    """``{crash-judgements}``: every product, how many states it was asked about, and what it got."""
    _depends_on_findings(page)
    runs = [
        (item, stratum, policy, counts)
        for item in judgements()
        for stratum, policies in item.strata.items()
        for policy, counts in policies.items()
    ]
    seen = {name for *_, counts in runs for name in counts}
    names = sorted(seen, key=lambda name: (name not in HARMLESS, name))
    rows: list[markup.Row] = [
        (
            markup.lines(
                [nodes.Text(f"{item.product}: {policy}, {stratum}")],
                [nodes.Text(f"written by {', '.join(item.run['writers'])}")] if item.run["writers"] else [],
            ),
            f"{sum(counts.values()):,}",
            *(f"{counts[name]:,}" if name in counts else "" for name in names),
        )
        for item, stratum, policy, counts in runs
    ]
    heads = ("Product, policy, stratum, writers of the states", "answers", *names)
    yield markup.table(heads, rows, "jspec-matrix")


def _depends_on_findings(page: Page) -> None:
    root = Path(str(resources.files("journalspec_conformance"))) / "crashes" / "findings"
    page.depends_on(*sorted(root.glob("*.toml")))


@table("Verdict, where", "States, strongest preset", "Why, for example", classes="jspec-wide-last")
def findings(page: Page, name: str) -> Iterator[markup.Row]:
    """``{crash-findings} NAME``: what failed in one run over a product; kinds that fail alike are one row."""
    _depends_on_findings(page)
    found = next((item for item in judgements() if item.name == name), None)
    if found is None:
        raise LookupError(f"nothing was found about {name!r}")
    titles = {cause.id: cause.title for cause in causes()}
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for item in found.findings:
        key = (item.verdict, item.breaks, item.stratum, item.policy, item.causes)
        alike.setdefault(key, []).append(item)
    for those in alike.values():
        item = min(those, key=lambda one: rank(one.strongest))
        kinds = f"{_names(one.category for one in those)}; written by {_names(one.writer for one in those)}"
        yield (
            markup.lines(
                [markup.badge(item.verdict, "fail"), nodes.Text(" " + ", ".join(item.breaks))],
                [nodes.Text(f"{item.stratum}, {item.policy}")],
            ),
            markup.lines(
                [nodes.Text(f"{sum(one.states for one in those):,}")], [markup.literal(item.strongest)]
            ),
            markup.lines(
                [nodes.Text(f"{'; '.join(titles[cause] for cause in item.causes)}. {_example(item)}")],
                [nodes.Text(f"Kinds of state: {kinds}.")],
            ),
        )


def _names(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _example(item: Finding) -> str:
    if "records" not in item.example:
        return item.said
    return f"{item.said} ({item.example['records']} record(s), {item.example['deviations']} deviation(s))"


def why(page: Page, format_: Format) -> Iterable[nodes.Node]:
    """``{crash-causes} FORMAT``: what happens, who is at fault, and what can be done, one section each."""
    _depends_on_findings(page)
    for cause in causes():
        if cause.format == format_.id:
            facts = markup.fields(
                [
                    ("What to do", markup.code_text(" ".join(cause.advice.split()))),
                    ("Where it cannot happen", cause.safe),
                    ("Whose fault", ", ".join(BLAMED[name] for name in cause.blame)),
                    ("Seen on", [markup.bullets([[nodes.Text(text)] for text in _seen(cause)])]),
                    ("Design rules", page.refs("rule", cause.rules)),
                    ("Requirements", page.refs("req", cause.requirements)),
                    ("Deviations", page.refs("deviation", cause.deviations)),
                ]
            )
            text = markup.paragraph(*markup.code_text(" ".join(cause.text.split())))
            yield markup.section(cause.title, nodes.make_id(f"cause-{cause.id}"), text, facts)


def _seen(cause: Cause) -> Iterator[str]:
    """Yield for each product how often the cause was seen, and under what."""
    for item in judgements():
        mine = [finding for finding in item.findings if cause.id in finding.causes]
        if mine:
            strongest = min((finding.strongest for finding in mine), key=rank)
            yield f"{item.product}: {_counted(item, mine)}, the strongest preset {strongest}"


def _counted(item: ProductRun, found: list[Finding]) -> str:
    """Return in how many states, per stratum and policy; a kind with two causes counts for both."""
    states = Counter[tuple[str, str, int]]()
    for finding in found:
        states[finding.stratum, finding.policy, finding.of] += finding.states
    return ", ".join(
        f"{count:,} of {of:,} states of {stratum} under {policy}"
        for (stratum, policy, of), count in states.items()
    )


@table("Case", "Product", "Policy", "As found", "Made small", "Prediction")
def worst_table(page: Page) -> Iterator[markup.Row]:
    """``{worst-seen}``: the worst cases of each format and what the products got on them."""
    _depends_on_findings(page)
    for item in worst_seen():
        got = [[markup.badge(name, "pass" if name == "pass" else "fail")] for name in (item.full, item.small)]
        came = "confirmed" if item.confirmed else f"refuted: {item.expected} was predicted"
        yield page.ref("case", item.id), item.harness, item.policy, *got, came


def worst(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{worst-cases} FORMAT``: one section for each worst case of the format."""
    room = Path(str(resources.files("journalspec_corpus"))) / format_.id
    page.depends_on(room / FILE, room / FINDINGS)
    for item in worst_cases(format_.id):
        part = markup.section(item.title, nodes.make_id(f"worst-{item.id}"), *page.block(item.text))
        part += markup.fields(list(_facts(page, item)))
        part += markup.paragraph("Made as small as it gets, with all that was done:")
        part += _boxes(item, item.small)
        part += _story(item)
        part += markup.folded("Its bytes", _picture(item, item.small))
        part += markup.paragraph("The full state:")
        part += _boxes(item, item.full)
        part += markup.folded("Its bytes", _picture(item, item.full))
        found = [entry for entry in worst_findings(format_.id) if entry.case == item.id]
        if found:
            part += markup.paragraph("What products make of the full state:")
            part += markup.bullets([[nodes.Text(text_of(entry))] for entry in found])
        else:
            part += markup.paragraph("No product was run on it yet: predicted.")
        yield part


def _facts(page: Page, item: Worst) -> Iterator[tuple[str, markup.Cell]]:
    broken = ", ".join(VERDICTS[item.verdict]) or "none"
    names = item.presets()
    yield "Verdict", [markup.literal(item.verdict), nodes.Text(f"; invariants broken: {broken}")]
    yield (
        "Preset",
        [
            nodes.Text("from "),
            markup.literal(names[0]),
            nodes.Text(" (the strongest that shows it) to "),
            markup.literal(names[-1]),
        ],
    )
    yield "Requirements", page.refs("req", item.requirements)
    yield "Design rules", page.refs("rule", item.rules)
    yield "Cases", [*page.refs("case", (item.id, item.small_id)), nodes.Text(" (made small)")]


#: What a box of a picture says, by what became of its sectors.
BOXES = {
    "settled": "as it should be",
    "arrived": "new: it arrived",
    "lost": "old: what was written is lost",
    "partly": "in part: some of it arrived, or garbage",
}


def _boxes(item: Worst, form: Form) -> nodes.Node:
    """Return the files as boxes, one for each run of sectors of which the same became."""
    out: list[str] = []
    for name, runs in groupby(sectors(item.state(form)), key=lambda run: run[0]):
        boxes = "".join(
            f'<div class="sector-{what}" style="flex-grow:{max(length // 512, 1)}"><b>{BOXES[what]}</b><br>'
            f"{length} bytes at {off}</div>"
            for _, off, length, what in runs
        )
        out.append(f'<p><code>{escape(name)}</code></p><div class="jspec-file">{boxes}</div>')
    return markup.raw(f'<figure class="jspec-torn">{"".join(out)}</figure>', searched=False)


def _story(item: Worst) -> nodes.Node:
    """Return what was done up to the crash, in words."""
    text = "\n".join(story(item.state(item.small)))
    return nodes.literal_block(text, text, language="text")


def _picture(item: Worst, form: Form) -> nodes.Node:
    """Return what is lost, with the bytes."""
    state = item.state(form)
    head, lost = losses(state)
    out = [head]
    for loss in lost:
        out += [f"  {loss}", *(f"    {line}" for line in picture(state, loss))]
    text = "\n".join(out)
    return nodes.literal_block(text, text, language="text")
