"""The worst cases: what happens, a picture of what is lost, and what products made of it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from docutils import nodes

from journalspec.formats import Format
from journalspec_corpus.crash.story import losses, picture, story
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.crash.worst import FILE, Form, Worst, findings, text_of, worst_cases
from journalspec_corpus.crash.worst import FINDINGS_FILE as FINDINGS
from journalspec_docs import markup
from journalspec_docs.base import FormatDirective


class WorstCases(FormatDirective):
    """``{worst-cases} FORMAT``: one section for each worst case of the format."""

    def build(self, format_: Format) -> Iterator[nodes.Node]:
        """Return the sections."""
        room = Path(str(resources.files("journalspec_corpus"))) / format_.id
        self.depends_on(room / FILE, room / FINDINGS)
        for worst in worst_cases(format_.id):
            anchor = nodes.make_id(f"worst-{worst.id}")
            part = markup.section(worst.title, anchor)
            part += self.block(worst.text)
            part += markup.fields(list(self._facts(worst)))
            part += self._pictures(worst)
            part += self._products(worst)
            yield part

    def _facts(self, worst: Worst) -> Iterator[tuple[str, markup.Cell]]:
        broken = ", ".join(VERDICTS[worst.verdict]) or "none"
        presets = worst.presets()
        yield "Verdict", [markup.literal(worst.verdict), nodes.Text(f"; invariants broken: {broken}")]
        yield (
            "Preset",
            [
                nodes.Text("from "),
                markup.literal(presets[0]),
                nodes.Text(" (the strongest that shows it) to "),
                markup.literal(presets[-1]),
            ],
        )
        yield "Requirements", self.refs("req", worst.requirements)
        yield "Design rules", self.refs("rule", worst.rules)
        yield "Cases", [*self.refs("case", (worst.id, worst.small_id)), nodes.Text(" (made small)")]

    def _pictures(self, worst: Worst) -> Iterator[nodes.Node]:
        yield markup.paragraph("The full state:")
        yield self._picture(worst, worst.full, told=False)
        yield markup.paragraph("The same, made as small as it gets, with all that was done:")
        yield self._picture(worst, worst.small, told=True)

    def _picture(self, worst: Worst, form: Form, *, told: bool) -> nodes.Node:
        state = worst.state(form)
        out = list(story(state)) if told else []
        head, lost = losses(state)
        out += ["", head] if told else [head]
        for loss in lost:
            out += [f"  {loss}", *(f"    {line}" for line in picture(state, loss))]
        text = "\n".join(out)
        return nodes.literal_block(text, text, language="text")

    def _products(self, worst: Worst) -> Iterator[nodes.Node]:
        found = [entry for entry in findings(worst.format) if entry.case == worst.id]
        if not found:
            yield markup.paragraph("No product was run on it yet: predicted.")
            return
        yield markup.paragraph("What products make of the full state:")
        yield markup.bullets([[nodes.Text(text_of(entry))] for entry in found])
