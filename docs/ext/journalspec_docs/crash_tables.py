"""Tables of the crash model: presets, categories, verdicts, invariants. The code's own data."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from journalspec_corpus.crash.persistence import PRESETS, Preset
from journalspec_corpus.crash.verdict import CODES, INVARIANTS, MEANINGS, VERDICTS
from journalspec_docs import markup


class PresetTable(SphinxDirective):
    """``{preset-table}``: the persistence presets, strongest first."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [
            (
                _names(item),
                item.stratum,
                str(item.granule),
                _order(item),
                item.imitates,
                item.assumes,
            )
            for item in PRESETS
        ]
        heads = ("Preset", "Stratum", "Granule (bytes)", "Order", "Imitates", "Takes for granted")
        return [markup.table(heads, rows)]


def _names(item: Preset) -> list[nodes.Node]:
    return markup.joined([markup.literal(name) for name in (item.name, *item.also)], " = ")


def _order(item: Preset) -> str:
    """Return what a preset may do to writes, in words."""
    words = [item.order]
    if item.broken:
        words.append("any granules may be broken")
    elif item.trash:
        words.append("one granule may be garbage")
    if item.append != "any":
        words.append(f"files grow {item.append.replace('together', 'with their data')}")
    if item.fresh != "zero":
        words.append(f"new space shows {item.fresh} blocks")
    if item.metadata == "any":
        words.append("each name for itself")
    elif item.metadata == "journaled":
        words.append("names and sizes in order")
    if item.force != "honest":
        words.append(
            f"a force {item.force.replace('fails-clean', 'fails once').replace('ignored', 'is ignored')}"
        )
    if item.share > 1:
        words.append(f"about one trace in {item.share}")
    return ", ".join(words)


class CategoryTable(SphinxDirective):
    """``{category-table}``: what kinds of states there are, by code."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        codes: dict[str, list[nodes.Node]] = {}
        for name, code in CODES.items():
            codes.setdefault(code, []).append(markup.literal(name))
        ordered = sorted(codes, key=lambda code: ("RC".index(code[0]), code))
        rows = [(code, markup.joined(codes[code])) for code in ordered]
        return [markup.table(("Code", "Categories"), rows)]


class VerdictTable(SphinxDirective):
    """``{verdict-table}``: every verdict, and what it says is broken."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [
            ([markup.literal(name)], ", ".join(broken), MEANINGS[name]) for name, broken in VERDICTS.items()
        ]
        return [markup.table(("Verdict", "Breaks", "Meaning"), rows)]


class InvariantTable(SphinxDirective):
    """``{invariant-table}``: the invariants, and where each is looked at."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [
            (
                ident,
                item.name,
                item.statement,
                ", ".join(item.looked_at),
                ", ".join(item.strata),
                markup.joined([markup.literal(name) for name in item.verdicts(ident)]),
            )
            for ident, item in INVARIANTS.items()
        ]
        heads = ("", "Name", "Statement", "Looked at by", "Strata", "Verdicts")
        return [markup.table(heads, rows)]
