"""Case pages: what goes in (as an annotated hexdump), what may come out, and why."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives

from journalspec.formats import Format
from journalspec_corpus.case import Case
from journalspec_docs import hexdump, markup, sources
from journalspec_docs.base import FormatDirective
from journalspec_reference.api import Implementation, Span, load

STRATA = {"R": "reachable by a crash", "C": "corruption after durability", "H": "hostile bytes"}
#: Cases on one page; a longer group gets more pages.
PER_PAGE = 60
#: A dump with more HTML than this begins folded, as do those of generated families.
OPEN_BELOW = 6000
#: Files longer than this are shown up to their last byte that is no fill.
WHOLE = 1 << 16


def node_id(case_id: str) -> str:
    """Return the anchor of a case."""
    return "case-" + case_id.replace(".", "-")


def pages(cases: Sequence[Case]) -> list[Sequence[Case]]:
    """Cut a group into pages."""
    return [cases[start : start + PER_PAGE] for start in range(0, len(cases), PER_PAGE)]


def dumps(implementation: Implementation, case: Case, roles: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (summary, HTML) per input file of `case`."""
    contents = {file.path: shown(file.content(), file.fill) for file in case.input.files}
    spans: dict[str, list[Span]] = {}
    whole = case.files()
    for span in implementation.spans(whole, edition=case.edition):
        spans.setdefault(span.file, []).append(span)
    for file in case.input.files:
        content = contents[file.path]
        rest = file.size - len(content)
        summary = f"{file.path}, {file.size} bytes"
        if rest:
            summary += f" (the last {rest} are all {file.fill:02x})"
        yield summary, hexdump.fields_html(content, spans.get(file.path, ()), roles)


def shown(content: bytes, fill: int) -> bytes:
    """Return the part of a file that a page shows: all of it, or all but the fill at its end."""
    return content if len(content) <= WHOLE else content.rstrip(bytes([fill]))


class CaseEntries(FormatDirective):
    """``{case-entries} FORMAT GROUP PAGE``: the cases of one page, each with its anchor."""

    uses_cases = True
    required_arguments = 3

    def build(self, format_: Format) -> Iterator[nodes.Node]:
        """Return one section per case."""
        group, number = self.arguments[1], int(self.arguments[2])
        implementation = load(format_.id)
        for case in pages(sources.cases_by_group(format_.id)[group])[number - 1]:
            yield self._entry(implementation, case)

    def _entry(self, implementation: Implementation, case: Case) -> nodes.section:
        self.jspec.note("case", case.id, node_id(case.id), case.title)
        title = markup.paragraph(*self.inline(_sentence(case.title)))
        part = markup.section([markup.literal(case.id)], node_id(case.id), title, self._facts(case))
        folded = [
            markup.details(summary, html, is_open=case.origin.kind == "authored" and len(html) < OPEN_BELOW)
            for summary, html in dumps(implementation, case, sources.roles_of(case.format))
        ]
        part += markup.raw("".join(folded) or "<p>No files at all.</p>")
        if case.write is not None:
            part += markup.raw(markup.details("Write operations", _json_html(case.write), is_open=True))
        part += [self._expectation(case, probe.id, probe.expect) for probe in case.probes]
        return part

    def _facts(self, case: Case) -> nodes.Node:
        known = sources.flags(case.format)
        flags = [
            markup.paragraph(
                self.ref("flag", f"{case.format}/{name}", name),
                ": ",
                known[name].effect if name in known else "",
            )
            for name in case.flags
        ]
        origin = case.origin
        how = [origin.kind]
        how += [f"from {origin.base}"] if origin.base else []
        how += [origin.how] if origin.how else []
        return markup.fields(
            [
                ("Edition", case.edition),
                ("Level", [markup.badge(case.level, case.level)]),
                ("Stratum", f"{case.stratum}: {STRATA.get(case.stratum, '')}".rstrip(": ")),
                ("Category", case.category),
                ("Obeys", self.refs("req", case.obeys)),
                ("Breaks", self.refs("req", case.breaks)),
                ("Flags", flags),
                ("Needs", ", ".join(case.needs)),
                ("Parameters", ", ".join(f"{key} = {value}" for key, value in case.params.items())),
                ("Origin", ", ".join(how)),
                ("Checked by", ", ".join(origin.checked_by)),
            ]
        )

    def _expectation(self, case: Case, probe: str, expect: Sequence[Mapping[str, Any]]) -> nodes.Node:
        question = probe.rpartition("/")[2]
        answers = " or ".join(f"<b>{escape(_verdict(entry))}</b>" for entry in expect)
        body = "".join(
            _json_html({key: value for key, value in entry.items() if key != "when"}) for entry in expect
        )
        html = (
            f'<details class="jspec-details jspec-expect"><summary><code>{escape(question)}</code> '
            f"must give {answers}</summary>{body}</details>"
        )
        return markup.raw(html)


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else text + "."


def _verdict(entry: Mapping[str, Any]) -> str:
    """Return an expectation in a few words, for the line that folds it."""
    if "allowed" in entry and "verdict" not in entry:
        return "one of the histories that the crash allows"
    verdict = str(entry.get("verdict", "any verdict"))
    if verdict == "refused" and "code" in entry:
        return f"refused ({entry.get('phase')}: {entry['code']})"
    if "records" in entry:
        number = len(entry["records"])
        return f"{verdict}, {number} record{'' if number == 1 else 's'}"
    return verdict


def _json_html(value: object) -> str:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return f'<div class="jspec-scroll"><pre class="jspec-json">{escape(_compact(text))}</pre></div>'


def _compact(text: str) -> str:
    """Put short arrays and objects on one line: a record is read as a line."""
    out: list[str] = []
    for line in text.splitlines():
        if line.startswith("   ") and out:
            out[-1] += (" " if not out[-1].endswith(("[", "{")) else "") + line.strip()
        elif line.startswith("  ") and line.strip(" ,") in ("]", "}") and out:
            out[-1] += line.strip()
        else:
            out.append(line)
    return "\n".join(out)


class CaseIndex(FormatDirective):
    """``{case-list} FORMAT [GROUP]``: the groups with counts, or the cases of a group."""

    uses_cases = True
    optional_arguments = 1

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return the table."""
        groups = sources.cases_by_group(format_.id)
        if not groups:
            raise LookupError(f"{format_.id} has no published cases")
        if len(self.arguments) > 1:
            return [self._cases(groups[self.arguments[1]])]
        return [self._totals(groups), self._groups(groups)]

    def _totals(self, groups: Mapping[str, Sequence[Case]]) -> nodes.Node:
        every = [case for cases in groups.values() for case in cases]
        strata = Counter(case.stratum for case in every)
        parts = ", ".join(f"{strata[key]} {key} ({text})" for key, text in STRATA.items() if strata[key])
        return markup.paragraph(
            f"{len(every)} cases in {len(groups)} groups: {parts}. The strata are never added up."
        )

    def _groups(self, groups: Mapping[str, Sequence[Case]]) -> nodes.Node:
        rows: list[markup.Row] = []
        for name, cases in groups.items():
            strata = Counter(case.stratum for case in cases)
            rows.append(
                (
                    self.ref("group", f"{cases[0].format}/{name}", name),
                    str(len(cases)),
                    *(str(strata[key] or "") for key in STRATA),
                    cases[0].title,
                )
            )
        return markup.table(("Group", "Cases", *STRATA, "The first of them"), rows)

    def _cases(self, cases: Sequence[Case]) -> nodes.Node:
        rows = [(self.ref("case", case.id), case.stratum, case.title) for case in cases]
        return markup.table(("Case", "Stratum", "Title"), rows)


class CaseGroup(FormatDirective):
    """``{case-group} FORMAT GROUP``: makes the page that holds it the group's target."""

    required_arguments = 2

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return the anchor."""
        name = self.arguments[1]
        anchor = "group-" + name.replace(".", "-")
        self.jspec.note("group", f"{format_.id}/{name}", anchor, f"case group {name}")
        return [nodes.target("", "", ids=[anchor])]


class Hexdump(FormatDirective):
    """``{hexdump} FORMAT SOURCE [FILE]``: an annotated hexdump of a case or of captured files.

    SOURCE is a case id. Options: ``:style:`` fields (default) or grid, and for
    a grid ``:from:`` and ``:to:`` as byte offsets.
    """

    uses_cases = True
    required_arguments = 2
    optional_arguments = 1
    option_spec: ClassVar[dict[str, Callable[[str], object]] | None] = {
        "style": lambda text: directives.choice(text, ("fields", "grid")),
        "from": directives.nonnegative_int,
        "to": directives.nonnegative_int,
    }

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return the dump of one file (the first, unless named)."""
        wanted = self.arguments[1]
        case = next((case for case in sources.cases(format_.id) if case.id == wanted), None)
        if case is None:
            raise LookupError(f"{format_.id} has no case {wanted!r}")
        files = case.files()
        name = self.arguments[2] if len(self.arguments) > 2 else next(iter(files))
        if name not in files:
            raise LookupError(f"{wanted} has no file {name!r}; it has {', '.join(files)}")
        spans = [span for span in load(format_.id).spans(files, edition=case.edition) if span.file == name]
        roles = sources.roles_of(format_.id)
        if self.options.get("style") == "grid":
            bounds = self.options.get("from", 0), self.options.get("to")
            html = hexdump.grid_html(files[name], spans, roles, *bounds)
        else:
            html = hexdump.fields_html(shown(files[name], 0), spans, roles)
        caption = markup.paragraph(markup.literal(name), " of ", self.ref("case", wanted))
        return [caption, markup.raw(html)]


class FlagList(FormatDirective):
    """``{flag-list} FORMAT``: the flags that cases of a format carry, each an anchor."""

    uses_cases = True

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return a table row per flag in use."""
        used = Counter(name for case in sources.cases(format_.id) for name in case.flags)
        for name, entry in sources.flags(format_.id).items():
            if not used[name]:
                continue
            anchor = f"flag-{format_.id}-{name.lower()}"
            self.jspec.note("flag", f"{format_.id}/{name}", anchor, entry.effect)
            facts = markup.fields(
                [
                    ("Damage", entry.damage),
                    ("Cases", str(used[name])),
                    ("Requirements", self.refs("req", entry.requirements)),
                    ("Design rules", self.refs("rule", entry.rules)),
                ]
            )
            yield markup.section([markup.literal(name)], anchor, markup.paragraph(entry.effect), facts)
