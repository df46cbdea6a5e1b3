"""Case pages: what goes in, what may come out, and why.

A case that was thought out for itself has a sheet, with its bytes as an annotated hexdump. A family,
whose cases a table generated, has one page: its first case as a sheet, a strip with one column per case
that shows where along the bytes or sectors the answers change, and a table with a row for each.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from html import escape
from itertools import groupby
from typing import Any

from docutils import nodes

from journalspec.formats import Format
from journalspec_corpus.case import Case
from journalspec_docs import domain, hexdump, markup, sources
from journalspec_docs.base import Page
from journalspec_docs.domain import requirement_id
from journalspec_reference.api import load

STRATA = {"R": "reachable by a crash", "C": "corruption after durability", "H": "hostile bytes"}
#: Sheets on one page, on which several groups may stand; a longer group gets more pages.
PER_PAGE = 60
#: A family of more cases than this has a strip and a table; for fewer a sheet each is easier to read.
FEW = 3
#: A dump with more HTML than this begins folded, as do those of generated families.
OPEN_BELOW = 6000
#: A dump with less HTML than this is shown again rather than pointed at.
SHORT = 900
#: Of a text that a product was given or has told so many letters are shown.
LONGEST_TEXT = 64
#: A case or captured directory shows no more lines of dumps than this, of each file at least the latter,
#: and no more text of an answer; the rest is a command away. Nobody reads longer ones in a browser.
DUMP_LINES, FILE_LINES = 24, 6
JSON_LETTERS = 1000
#: Files longer than this are shown up to their last byte that is no fill.
WHOLE = 1 << 16
#: What the colours of a strip say.
COLOURS = (
    ("clean", "clean"),
    ("recovered", "recovered"),
    ("refused", "refused"),
    ("open", "left open"),
)
#: Verdict -> its letter in the class of a mark, of which there are ten thousand.
MARKS = {"clean": "c", "recovered": "r", "refused": "x", "open": "o"}
#: The strength of a mark that needs no number.
FULL = 10
#: Members of a provenance file that are shown in a way of their own.
SHOWN = ("title", "sha256", "session", "loads")


def node_id(case_id: str) -> str:
    """Return the anchor of a case."""
    return "case-" + case_id.replace(".", "-")


def flag_id(format_id: str, name: str) -> str:
    """Return the anchor of a flag."""
    return f"flag-{format_id}-{name.lower()}"


def captured_id(name: str) -> str:
    """Return the anchor of a captured directory."""
    return nodes.make_id(f"captured-{name}")


def is_family(cases: Sequence[Case]) -> bool:
    """Tell whether a group is shown as a strip and a table."""
    return len(cases) > FEW and all(case.origin.kind == "family" for case in cases)


def pages(cases: Sequence[Case]) -> list[Sequence[Case]]:
    """Cut a group into parts, each for one page; a family is one."""
    step = len(cases) if is_family(cases) else PER_PAGE
    return [cases[start : start + step] for start in range(0, len(cases), step)]


def packed(groups: Mapping[str, Sequence[Case]]) -> list[list[tuple[str, int]]]:
    """Return the pages of a format: on each the (group, number of its part) that stand there, in order."""
    out: list[list[tuple[str, int]]] = []
    room = 0
    for name, cases in groups.items():
        for number, part in enumerate(pages(cases), 1):
            # A row of a family's table takes a third of a sheet, a sheet as much as it has files.
            files = sum(2 + len(case.input.files) for case in part) // 3
            weight = 1 + len(part) // 3 if is_family(cases) else max(len(part), files)
            if weight > room:
                out.append([])
                room = PER_PAGE
            out[-1].append((name, number))
            room -= weight
    return out


def group(page: Page, format_: Format, name: str, number: str) -> Iterator[nodes.Node]:
    """``{case-group} FORMAT GROUP PAGE``: the cases of one page; the first page is the group's target."""
    page.depends_on_cases(format_)
    cases = sources.cases_by_group(format_.id)[name]
    if number == "1":
        anchor = "group-" + name.replace(".", "-")
        page.note("group", f"{format_.id}/{name}", anchor, f"case group {name}")
        yield markup.raw(f'<span id="{anchor}"></span>')
    if is_family(cases):
        yield from _family(page, cases, name.replace(".", "-"))
        return
    told: set[str] = set()
    dumped: dict[str, str] = {}
    for case in pages(cases)[int(number) - 1]:
        for each in (case, *sources.told_again(case)):
            page.note("case", each.id, node_id(each.id), each.title)
        yield from _sheet(case, told, dumped)


def _sheet(
    case: Case, told: set[str], dumped: dict[str, str], *, anchored: bool = True
) -> Iterator[nodes.Node]:
    """Yield title, facts, bytes and permitted answers of one case, as HTML: there are thousands.

    Trees of them, and of their headings in the navigation of every other page, took most of a build.
    The first of a family is `anchored` at its row of the table. What a flag means is said once, and bytes are
    shown once: `told` and `dumped` know.
    """
    origin, anchor = case.origin, node_id(case.id)
    named = f"<code>{case.id}</code>"
    link = f'<a class="headerlink" href="#{anchor}">¶</a>'
    yield markup.raw(
        (f'<h3 id="{anchor}">{named}{link}</h3>' if anchored else f"<h4>{named}</h4>")
        + f"<p>{markup.code_html(_sentence(case.title))}</p>"
    )
    parts = [_facts([case], told)]
    if again := sources.told_again(case):
        same = (f'<code id="{node_id(each.id)}">{each.id}</code>' for each in again)
        parts.append(f"<p>The same in other editions: {', '.join(same)}.</p>")
    if origin.kind == "captured":
        name = f"{origin.base}/{origin.how}"
        href = f"../captured/{origin.base}.html#{captured_id(name)}"
        parts.append(f'<p>Its bytes, and how they came about: <a href="{href}"><code>{name}</code></a>.</p>')
    else:
        parts += [*_dumps(case, dumped)] or ["<p>No files at all.</p>"]
    if case.write is not None:
        parts.append(
            markup.details("Write operations", _json_html(case.write, _command(case.id)), is_open=True)
        )
    yield markup.raw("".join([*parts, *_expectations(case)]), searched=False)


def _dumps(case: Case, dumped: dict[str, str]) -> Iterator[str]:
    """Yield the annotated bytes of each input file, in a box that folds, or where on the page they are."""
    spans = list(load(case.format).spans(case.files(), edition=case.edition))
    for file in case.input.files:
        content = shown(file.content(), file.fill)
        rest = file.size - len(content)
        more = f" (the last {rest} are all {file.fill:02x})" if rest else ""
        own = [span for span in spans if span.file == file.path]
        roles = sources.roles_of(case.format)
        html = hexdump.fields_html(content, own, roles, _lines(case.input.files), _command(case.id))
        same = f"{file.size} {html.replace(case.id, '')}"
        if len(html) > SHORT and same in dumped:
            yield f"<p><code>{escape(file.path)}</code> has the bytes of {dumped[same]}.</p>"
            continue
        dumped.setdefault(
            same, f'<code>{escape(file.path)}</code> in <a href="#{node_id(case.id)}">{case.id}</a>'
        )
        is_open = case.origin.kind == "authored" and len(html) < OPEN_BELOW
        yield markup.details(f"{file.path}, {file.size} bytes{more}", html, is_open=is_open)


def _lines(files: Sized) -> int:
    """Return how many lines each file's dump may have."""
    return max(DUMP_LINES // max(len(files), 1), FILE_LINES)


def shown(content: bytes, fill: int) -> bytes:
    """Return the part of a file that a page shows: all of it, or all but the fill at its end."""
    return content if len(content) <= WHOLE else content.rstrip(bytes([fill]))


def _facts(cases: Sequence[Case], told: set[str]) -> str:
    """Return what is to be said of a case, or of a family: what not all cases share with its number."""
    format_id = cases[0].format
    effects = {name: flag.effect for name, flag in sources.flags(format_id).items()}

    def required(name: str) -> str:
        return domain.link_html(f"../requirements.html#{requirement_id(name)}", name)

    def flagged(name: str) -> str:
        link = domain.link_html(f"flags.html#{flag_id(format_id, name)}", name)
        if name in told:
            return link
        told.add(name)
        return f"{link}: {markup.code_html(effects.get(name, ''))}"

    said: dict[str, tuple[Callable[[Case], Iterable[str]], Callable[[str], str]]] = {
        "Edition": (lambda case: [case.edition], escape),
        # The list of cases says what holds where a sheet says nothing.
        "Level": (lambda case: [case.level] if case.level != "must" else [], markup.badge_html),
        "Stratum": (
            lambda case: [case.stratum],
            lambda name: f"{name}: {STRATA.get(name, '')}".rstrip(": "),
        ),
        "Category": (lambda case: [case.category], escape),
        "Obeys": (lambda case: case.obeys, required),
        "Breaks": (lambda case: case.breaks, required),
        "Flags": (lambda case: case.flags, flagged),
        "Needs": (lambda case: case.needs, escape),
        "Parameters": (lambda case: [f"{key} = {value}" for key, value in case.params.items()], escape),
        "Origin": (lambda case: [_origin(case, how=len(cases) == 1)], escape),
        "Checked by": (lambda case: case.origin.checked_by, escape),
    }
    out = []
    for head, (names, show) in said.items():
        counts = Counter(name for case in cases for name in names(case))
        values = [
            show(name) + (f" ({count} cases)" if count < len(cases) else "")
            for name, count in counts.items()
            if name
        ]
        if values:
            # Ends that HTML lets one leave out are a tenth of a sheet.
            out.append(f"<dt>{head}<dd>{('<br>' if head == 'Flags' else ', ').join(values)}")
    return f'<dl class="jspec-facts">{"".join(out)}</dl>'


def _origin(case: Case, *, how: bool) -> str:
    origin = case.origin
    parts = [origin.kind, f"from {origin.base}" if origin.base else "", origin.how if how else ""]
    return ", ".join(filter(None, parts))


def _expectations(case: Case) -> Iterator[str]:
    """Yield a box per answer, with all questions that have it: strict and salvage mostly agree."""
    asked: dict[str, list[str]] = {}
    for probe in case.probes:
        answers = " or ".join(f"<b>{escape(_verdict(entry))}</b>" for entry in probe.expect)
        entries = ({key: value for key, value in entry.items() if key != "when"} for entry in probe.expect)
        texts = "".join(_json_html(entry, _command(case.id)) for entry in entries)
        box = f"must give {answers}</summary>{texts}"
        asked.setdefault(box, []).append(f"<code>{_question(probe.id)}</code>")
    for box, names in asked.items():
        yield f'<details class="jspec-details jspec-expect"><summary>{", ".join(names)} {box}</details>'


def _question(probe: str) -> str:
    return escape(probe.rpartition("/")[2])


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


def _command(case: str) -> str:
    return f"journalspec show {case}"


def _json_html(value: object, rest: str) -> str:
    """Return `value` as text, as much of it as a sheet holds; the command `rest` shows all of it."""
    text = _compact(json.dumps(value, indent=1, ensure_ascii=False))
    if len(text) <= JSON_LETTERS:
        return _pre(text)
    end = text.rfind("\n", 0, JSON_LETTERS)
    cut = text[: end if end > 0 else JSON_LETTERS]
    return _pre(f"{cut}\n… {len(text) - len(cut)} more letters: {rest}")


def _compact(text: str) -> str:
    """Put short arrays and objects on one line: a record is read as a line."""
    out: list[str] = []
    for line in text.splitlines():
        if line.startswith("   ") and out:
            is_edge = out[-1].endswith(("[", "{")) or line.strip(" ,") in ("]", "}")
            out[-1] += ("" if is_edge else " ") + line.strip()
        elif line.startswith("  ") and line.strip(" ,") in ("]", "}") and out:
            out[-1] += line.strip()
        else:
            out.append(line)
    return "\n".join(out)


def _family(page: Page, cases: Sequence[Case], name: str) -> Iterator[nodes.Node]:
    """Yield the page of a family: what its cases share, the strip, the table, the first case in full."""
    for case in cases:
        page.note("case", case.id, node_id(case.id), case.title)
    yield markup.paragraph(
        f"{len(cases)} generated cases. The first is shown in full at the end; ",
        markup.literal("journalspec show ID"),
        " shows any other.",
    )
    yield markup.raw(_facts(cases, set()), searched=False)
    questions = list(dict.fromkeys(_question(probe.id) for case in cases for probe in case.probes))
    answers = {case.id: {_question(probe.id): probe.expect for probe in case.probes} for case in cases}
    yield markup.section(
        "At a glance", f"{name}-strip", markup.raw(_strips(cases, questions, answers), searched=False)
    )
    yield markup.section("The cases", f"{name}-cases", markup.raw(_rows(cases, questions, answers)))
    yield markup.section("The first in full", f"{name}-first", *_sheet(cases[0], set(), {}, anchored=False))


Answers = Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]


def _strips(cases: Sequence[Case], questions: Sequence[str], answers: Answers) -> str:
    """Return a strip per edition: a column per case, a line per question, coloured by the answer.

    The more of the family's records an answer has, the stronger its colour.
    """
    most = max(
        (
            len(entry.get("records", ()))
            for given in answers.values()
            for expect in given.values()
            for entry in expect
        ),
        default=0,
    )
    names = ", ".join(f"<code>{name}</code>" for name in questions)
    colours = " ".join(f'<span class="jspec-out out-{verdict}">{text}</span>' for verdict, text in COLOURS)
    out = [
        f"<p>A column per case, in order; from top to bottom: {names}. {colours}; "
        "the paler, the fewer records are left.</p>"
    ]
    for edition in dict.fromkeys(case.edition for case in cases):
        columns = []
        for case in (case for case in cases if case.edition == edition):
            given = answers[case.id]
            marks = "".join(_mark(given.get(name, ()), most) for name in questions)
            # A script gives it the words of the row that it leads to as its title.
            columns.append(f"<a href=#{node_id(case.id)}>{marks}</a>")
        out.append(f'<p>Edition {escape(edition)}:</p><div class="jspec-strip">{"".join(columns)}</div>')
    return "".join(out)


def _mark(expect: Sequence[Mapping[str, Any]], most: int) -> str:
    """Return the mark of an answer; its class is the verdict's letter, and how pale it is from 4 to 9."""
    if not expect:
        return "<i></i>"
    verdict = expect[0].get("verdict", "open") if len(expect) == 1 else "open"
    share = len(expect[0].get("records", ())) / most if most and verdict != "refused" else 1
    strength = round(4 + 6 * share)
    return f"<i class={MARKS[verdict]}{strength if strength < FULL else ''}></i>"


def _answer(expect: Sequence[Mapping[str, Any]]) -> str:
    """Return the permitted answers in a few words, with what is dropped."""
    return " or ".join(
        _verdict(entry)
        + "".join(
            f"; {part['reason']} {part['file']}:{part['off']}+{part['len']}"
            for part in entry.get("dropped", ())
        )
        for entry in expect
    )


def _last(case: Case) -> str:
    return case.id.rpartition(".")[2]


def _rows(cases: Sequence[Case], questions: Sequence[str], answers: Answers) -> str:
    """Return the table: a row with an anchor per case, and a column for what differs between cases."""
    columns: dict[str, Callable[[Case], Iterable[str]]] = {
        "Edition": lambda case: [case.edition],
        "Stratum": lambda case: [case.stratum],
        "Category": lambda case: [case.category],
        "Flags": lambda case: case.flags,
        "Breaks": lambda case: case.breaks,
    }
    shared = {
        head: set.intersection(*(set(names(case)) for case in cases)) for head, names in columns.items()
    }
    columns = {
        head: names
        for head, names in columns.items()
        if any(set(names(case)) - shared[head] for case in cases)
    }
    heads = "".join(
        f"<th scope=col>{head}</th>"
        for head in ("Case", "What is done", *columns, *(f"<code>{name}</code>" for name in questions))
    )
    rows = []
    for case in cases:
        cells = [
            f"<a href=#{node_id(case.id)}><code>{escape(_last(case))}</code></a>",
            markup.code_html(_sentence(case.title)),
        ]
        cells += [
            "<br>".join(escape(name) for name in names(case) if name not in shared[head])
            for head, names in columns.items()
        ]
        row = [f"<td>{cell}" for cell in cells]
        # What several questions have in common stands once, over their columns.
        for text, same in groupby(escape(_answer(answers[case.id].get(name, ()))) for name in questions):
            width = len(list(same))
            row.append(f"<td colspan={width}>{text}" if width > 1 else f"<td>{text}")
        rows.append(f'<tr id="{node_id(case.id)}">' + "".join(row))
    return (
        '<div class="table-wrapper"><table class="jspec-table jspec-family docutils">'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def index(page: Page, format_: Format) -> Iterable[nodes.Node]:
    """``{case-list} FORMAT``: the groups with counts."""
    page.depends_on_cases(format_)
    groups = sources.cases_by_group(format_.id)
    if not groups:
        raise LookupError(f"{format_.id} has no published cases")
    strata = Counter(case.stratum for cases in groups.values() for case in cases)
    parts = ", ".join(f"{strata[key]} {key} ({text})" for key, text in STRATA.items() if strata[key])
    yield markup.paragraph(
        f"{strata.total()} cases in {len(groups)} groups: {parts}. The level of one that names none is must."
    )
    rows: list[markup.Row] = []
    for name, cases in groups.items():
        own = Counter(case.stratum for case in cases)
        numbers = [str(own[key] or "") for key in STRATA]
        link = page.ref("group", f"{format_.id}/{name}", name)
        rows.append((link, str(len(cases)), *numbers, cases[0].title))
    yield markup.table(("Group", "Cases", *STRATA, "The first of them"), rows)


def flags(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{flag-list} FORMAT``: the flags that cases of a format carry, each an anchor."""
    page.depends_on_cases(format_)
    used = Counter(name for case in sources.cases(format_.id) for name in case.flags)
    for name, entry in sources.flags(format_.id).items():
        if not used[name]:
            continue
        anchor = flag_id(format_.id, name)
        page.note("flag", f"{format_.id}/{name}", anchor, entry.effect)
        facts = markup.fields(
            [
                ("Damage", entry.damage),
                ("Cases", str(used[name])),
                ("Requirements", page.refs("req", entry.requirements)),
                ("Design rules", page.refs("rule", entry.rules)),
            ]
        )
        yield markup.section([markup.literal(name)], anchor, markup.paragraph(entry.effect), facts)


def dump(page: Page, format_: Format, wanted: str, name: str = "") -> Iterable[nodes.Node]:
    """``{hexdump} FORMAT CASE [FILE]``: an annotated hexdump of one file of a case (the first, unless named).

    Options: ``:style:`` fields (default) or grid, and for a grid ``:from:`` and ``:to:`` as byte offsets.
    """
    page.depends_on_cases(format_)
    case = next((case for case in sources.cases(format_.id) if case.id == wanted), None)
    if case is None:
        raise LookupError(f"{format_.id} has no case {wanted!r}")
    files = case.files()
    name = name or next(iter(files))
    if name not in files:
        raise LookupError(f"{wanted} has no file {name!r}; it has {', '.join(files)}")
    spans = [span for span in load(format_.id).spans(files, edition=case.edition) if span.file == name]
    roles = sources.roles_of(format_.id)
    if page.options.get("style") == "grid":
        bounds = page.options.get("from", 0), page.options.get("to")
        html = hexdump.grid_html(files[name], spans, roles, *bounds)
    else:
        html = hexdump.fields_html(shown(files[name], 0), spans, roles)
    yield markup.paragraph(markup.literal(name), " of ", page.ref("case", wanted))
    yield markup.raw(html, searched=False)


def captured_bases(format_: Format) -> list[str]:
    """Return the names of the products whose files were captured: each has a page."""
    root = sources.captured_root(format_.id)
    return sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []


def captured_pages(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{captured-pages} FORMAT``: what was captured of whom, each a link."""
    root = sources.captured_root(format_.id)
    rows: list[tuple[markup.Cell, ...]] = []
    for base in captured_bases(format_):
        for path in sorted((root / base).rglob("provenance.toml")):
            name = path.parent.relative_to(root).as_posix()
            title = str(tomllib.loads(path.read_text(encoding="utf-8"))["title"])
            rows.append(([page.ref("captured", f"{format_.id}/{name}", name)], _sentence(title)))
    if not rows:
        yield markup.paragraph("None was captured yet.")
        return
    yield markup.table(("Directory", "What it shows"), rows)


def captured(page: Page, format_: Format, base: str) -> Iterator[nodes.Node]:
    """``{captured-list} FORMAT BASE``: every directory captured from one product, with its bytes."""
    root = sources.captured_root(format_.id)
    found = sorted((root / base).rglob("provenance.toml"))
    page.depends_on(*found)
    told: dict[str, str] = {}
    for path in found:
        facts = tomllib.loads(path.read_text(encoding="utf-8"))
        name = path.parent.relative_to(root).as_posix()
        anchor = captured_id(name)
        title = str(facts["title"])
        page.note("captured", f"{format_.id}/{name}", anchor, title)
        scalars: list[tuple[str, markup.Cell]] = [
            (key.replace("_", " ").capitalize(), [markup.literal(str(value))])
            for key, value in facts.items()
            if key not in SHOWN and not isinstance(value, list | dict)
        ]
        yield markup.section(
            [markup.literal(name)],
            anchor,
            markup.paragraph(_sentence(title)),
            markup.fields(scalars),
            markup.raw("".join(_folds(format_, name, facts, told)), searched=False),
        )


def _folds(format_: Format, name: str, facts: Mapping[str, Any], told: dict[str, str]) -> Iterator[str]:
    """Yield what was done, what the product loads from it, and the bytes of each file.

    `told` names what each content was shown as on this page, by its SHA-256: nothing is shown twice.
    """
    sessions = facts.get("session", ())
    if sessions:
        lines: list[str] = []
        for number, session in enumerate(sessions, start=1):
            lines += [f"session {number}, {session.get('end', '')}:"]
            lines += [f"  {_operation(entry)}" for entry in session.get("ops", ())]
        yield markup.details("What was done", _pre("\n".join(lines)))
    for policy, answer in facts.get("loads", {}).items():
        text = "\n".join(f"{key}: {_plain(value)}" for key, value in answer.items())
        yield markup.details(f"What the product itself loads from it, policy {policy}", _pre(text))
    hashes = facts.get("sha256", {})
    directory = sources.captured_root(format_.id) / name
    files = {file: (directory / file).read_bytes() for file in hashes if (directory / file).is_file()}
    spans = list(load(format_.id).spans(files, edition=str(facts["edition"])))
    command = f"journalspec inspect --hex corpus/captured/{format_.id}/{name}"
    for file, content in files.items():
        title = f"{file}, {len(content)} bytes, SHA-256 {hashes[file]}"
        if hashes[file] in told:
            yield f"<p><code>{escape(file)}</code> has the bytes of {told[hashes[file]]}.</p>"
            continue
        told[hashes[file]] = f'<code>{escape(file)}</code> in <a href="#{captured_id(name)}">{name}</a>'
        own = [span for span in spans if span.file == file]
        html = hexdump.fields_html(
            shown(content, 0), own, sources.roles_of(format_.id), _lines(files), command
        )
        yield markup.details(title, html)


def _operation(entry: object) -> str:
    if not isinstance(entry, Mapping):
        return str(entry)
    return "  ".join(f"{key}={_plain(value)}" for key, value in entry.items())


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_plain(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "[]"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}… ({len(text)} letters)"


def _pre(text: str) -> str:
    return f"<pre class=jspec-json>{escape(text, quote=False)}</pre>"
