"""Case pages: the input, the permitted answers, and the reasons.

A case written by hand has a sheet, which shows its bytes as an annotated hexdump. The cases of a family are
generated from a table. A family has one page with three parts. The parts are the first case as a sheet, a
strip with a column per case, and a table with a row per case. The strip shows the bytes or sectors at which
the answers change.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from functools import partial
from hashlib import sha256
from html import escape
from itertools import groupby
from typing import Any

from journalspec_corpus.case import Case
from journalspec_corpus.flags import Flag
from journalspec_docs import hexdump, markup, sources
from journalspec_docs.domain import link_html, requirement_id
from journalspec_reference.api import load

STRATA = {"R": "reachable by a crash", "C": "corruption after durability", "H": "hostile bytes"}
#: The command that shortened bytes and answers refer to. A page says once what ID is, because the ids took a
#: hundredth of the site.
SHOW = "journalspec show ID"
#: The maximum number of sheets on one page, which may contain several groups. A longer group is divided into
#: several pages.
PER_PAGE = 66
#: The additional sheets that are allowed if a page contains several groups.
BESIDE = 4
#: A family with more cases than this is shown as a strip and a table. With fewer cases, a sheet for each case
#: is easier to read.
FEW = 3
#: A dump with more characters of HTML than this is initially folded. The dumps of families are always folded.
OPEN_BELOW = 6000
#: A repeated dump with more HTML than this is replaced by a link to the first one.
SHORT = 400
#: The first number is the maximum number of dump lines for a case or captured directory. The second is the
#: minimum for each of its files. JSON_LETTERS is the maximum number of characters of an answer. A command on
#: the page prints the complete answer.
DUMP_LINES, FILE_LINES = 11, 5
JSON_LETTERS = 750
#: A member of an answer whose items are on lines of their own. It is put on one line of at most JSON_LINE
#: characters.
MEMBER, JSON_LINE = re.compile(r'^( "\w+": [\[{])\n((?:  .*\n)+) ([\]}],?)$', re.MULTILINE), 100
#: If a file is longer than this (bytes), the fill bytes at its end are not shown.
WHOLE = 1 << 16
#: Maps a verdict to its letter in the class of a mark. The class is short because the pages contain ten
#: thousand marks.
MARKS = {"clean": "c", "recovered": "r", "refused": "x", "open": "o"}
#: The strongest mark, whose class has no number.
FULL = 10
Answer = Mapping[str, Any]


def node_id(case_id: str) -> str:
    """Return the anchor of a case."""
    return "case-" + case_id.replace(".", "-")


def flag_id(format_id: str, name: str) -> str:
    """Return the anchor of a flag."""
    return f"flag-{format_id}-{name.lower()}"


def is_family(cases: Sequence[Case]) -> bool:
    """Return whether a group is shown as a strip and a table."""
    return len(cases) > FEW and all(case.origin.kind == "family" for case in cases)


def pages(cases: Sequence[Case]) -> list[Sequence[Case]]:
    """Divide a group into parts, each for one page. A family is a single part."""
    step = len(cases) if is_family(cases) else PER_PAGE
    return [cases[start : start + step] for start in range(0, len(cases), step)]


def packed(groups: Mapping[str, Sequence[Case]]) -> list[list[tuple[str, int]]]:
    """Return the pages of a format; each page is a list of (group, number of its part), in order."""
    out: list[list[tuple[str, int]]] = []
    room = 0
    for name, cases in groups.items():
        for number, part in enumerate(pages(cases), 1):
            # A row of a family's table counts as a third of a sheet; the weight of a sheet depends on its
            # number of files.
            files = sum(2 + len(case.input.files) for case in part) // 3
            weight = 1 + len(part) // 3 if is_family(cases) else max(len(part), files)
            if weight > room:
                out.append([])
                room = PER_PAGE + BESIDE
            out[-1].append((name, number))
            room -= weight
    return out


def dumps_of(case: Case, dumped: dict[str, str]) -> Iterator[str]:
    """Yield the annotated bytes of each input file in a folding box, or a reference to the same bytes."""
    spans = list(load(case.format).spans(case.files(), edition=case.edition))
    for file in case.input.files:
        content = shown(file.content(), file.fill)
        rest = file.size - len(content)
        more = f" (the last {rest} are all {file.fill:02x})" if rest else ""
        own = [span for span in spans if span.file == file.path]
        roles = sources.roles_of(case.format)
        html = hexdump.fields_html(content, own, roles, lines_of_dump(case.input.files), SHOW)
        # The key includes all bytes of the file, because a dump omits some bytes.
        same = f"{sha256(file.content()).hexdigest()} {html}"
        if len(html) > SHORT and same in dumped:
            yield f"<p><code>{escape(file.path)}</code> equals {dumped[same]}.</p>"
            continue
        dumped.setdefault(
            same, f'<code>{escape(file.path)}</code> in <a href="#{node_id(case.id)}">{case.id}</a>'
        )
        is_open = case.origin.kind == "authored" and len(html) < OPEN_BELOW
        yield markup.details(f"{file.path}, {file.size} bytes{more}", html, is_open=is_open)


def lines_of_dump(files: Sized) -> int:
    """Return how many lines each file's dump may have."""
    return max(DUMP_LINES // max(len(files), 1), FILE_LINES)


def shown(content: bytes, fill: int) -> bytes:
    """Return the part of a file that a page shows: all of it, or all but the fill at its end."""
    return content if len(content) <= WHOLE else content.rstrip(bytes([fill]))


def case_facts(cases: Sequence[Case], told: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (heading, HTML) of each fact about a case or a family. For a family, a fact has the number of its
    cases.

    The meaning of a flag is written only once on a page; `told` contains the flags written so far.
    """
    format_id = cases[0].format
    effects = {name: flag.effect for name, flag in sources.flags(format_id).items()}

    def required(name: str) -> str:
        return link_html(f"../requirements.html#{requirement_id(name)}", name)

    def flagged(name: str) -> str:
        link = link_html(f"index.html#{flag_id(format_id, name)}", name)
        if name in told:
            return link
        told.append(name)
        return f"{link}: {markup.code_html(effects.get(name, ''))}"

    def origin(case: Case) -> str:
        made = case.origin
        how = made.how if len(cases) == 1 else ""
        return ", ".join(filter(None, (made.kind, made.base and f"from {made.base}", how)))

    said: dict[str, tuple[Callable[[Case], Iterable[str]], Callable[[str], str]]] = {
        "Edition": (lambda case: [case.edition], escape),
        # Facts that a sheet omits are in the list of cases.
        "Level": (lambda case: [case.level] if case.level != "must" else [], markup.badge_html),
        "Class": (lambda case: [case.stratum], lambda name: f"{name}: {STRATA.get(name, '')}".rstrip(": ")),
        "Category": (lambda case: [case.category], escape),
        "Obeys": (lambda case: case.obeys, required),
        "Breaks": (lambda case: case.breaks, required),
        "Flags": (lambda case: case.flags, flagged),
        "Needs": (lambda case: case.needs, escape),
        "Parameters": (lambda case: [f"{key} = {value}" for key, value in case.params.items()], escape),
        "Origin": (lambda case: [origin(case)], escape),
        "Checked by": (lambda case: case.origin.checked_by, escape),
    }
    for head, (names, show) in said.items():
        counts = Counter(name for case in cases for name in names(case) if name)
        values = [
            show(name) + (f" ({count} cases)" if count < len(cases) else "") for name, count in counts.items()
        ]
        if values:
            yield head, ("<br>" if head == "Flags" else ", ").join(values)


def question(probe: str) -> str:
    """Return the question of a probe, without its case."""
    return probe.rpartition("/")[2]


def expectations(case: Case) -> Iterator[str]:
    """Yield a box per answer with all its questions, because most policies share the same answer."""
    asked: dict[str, list[str]] = {}
    for probe in case.probes:
        answers = " or ".join(f"<b>{escape(in_short(entry))}</b>" for entry in probe.expect)
        entries = ({key: value for key, value in entry.items() if key != "when"} for entry in probe.expect)
        box = f"must be {answers}</summary>{''.join(json_html(entry) for entry in entries)}"
        asked.setdefault(box, []).append(f"<code>{escape(question(probe.id))}</code>")
    for box, names in asked.items():
        yield f"<details><summary>{', '.join(names)} {box}</details>"


def sentence(text: str) -> str:
    """Return text with a capital letter and a full stop."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else text + "."


def in_short(entry: Answer) -> str:
    """Return an expectation in a few words, for the title of its folding box."""
    if "allowed" in entry and "verdict" not in entry:
        return "one of the histories that the crash allows"
    verdict = str(entry.get("verdict", "any verdict"))
    if verdict == "refused" and "code" in entry:
        return f"refused ({entry.get('phase')}: {entry['code']})"
    if "records" in entry:
        number = len(entry["records"])
        return f"{verdict}, {number} record{'' if number == 1 else 's'}"
    return verdict


def json_html(value: object) -> str:
    """Return `value` as text, truncated to JSON_LETTERS. A command prints the complete value."""
    text = _compact(json.dumps(value, indent=1, ensure_ascii=False))
    if len(text) <= JSON_LETTERS:
        return preformatted(text)
    end = text.rfind("\n", 0, JSON_LETTERS)
    cut = text[: end if end > 0 else JSON_LETTERS]
    return preformatted(f"{cut}\n… {len(text) - len(cut)} more letters: {SHOW}")


def _compact(text: str) -> str:
    """Put short arrays and objects on one line, so that a record is one line."""
    out: list[str] = []
    for line in text.splitlines():
        if line.startswith("   ") and out:
            is_edge = out[-1].endswith(("[", "{")) or line.strip(" ,") in ("]", "}")
            out[-1] += ("" if is_edge else " ") + line.strip()
        elif line.startswith("  ") and line.strip(" ,") in ("]", "}") and out:
            out[-1] += line.strip()
        else:
            out.append(line)
    return MEMBER.sub(_one_line, "\n".join(out))


def _one_line(member: re.Match[str]) -> str:
    begin, items, end = member.groups()
    line = begin + " ".join(item.strip() for item in items.splitlines()) + end
    return line if len(line) <= JSON_LINE else member[0]


def preformatted(text: str) -> str:
    """Return text in a box that keeps its lines."""
    return f"<pre class=jspec-json>{escape(text, quote=False)}</pre>"


Answers = Mapping[str, Mapping[str, Sequence[Answer]]]


def answers_of(cases: Sequence[Case]) -> tuple[list[str], Answers, int]:
    """Return three values: the questions about `cases`, the answers by case and question, and the highest
    number of records in an answer.
    """
    questions = list(dict.fromkeys(question(probe.id) for case in cases for probe in case.probes))
    answers = {case.id: {question(probe.id): probe.expect for probe in case.probes} for case in cases}
    entries = [entry for given in answers.values() for expect in given.values() for entry in expect]
    return questions, answers, max((len(entry.get("records", ())) for entry in entries), default=0)


def marks(given: Mapping[str, Sequence[Answer]], questions: Sequence[str], most: int) -> str:
    """Return a mark per question. Its class is the verdict's letter and a strength from 4 to 9.

    The strength grows with the share of the family's records (`most`) in the answer.
    """
    out = ""
    for expect in (given.get(name, ()) for name in questions):
        if not expect:
            out += "<i></i>"
            continue
        verdict = expect[0].get("verdict", "open") if len(expect) == 1 else "open"
        share = len(expect[0].get("records", ())) / most if most and verdict != "refused" else 1
        strength = round(4 + 6 * share)
        out += f"<i class={MARKS[verdict]}{strength if strength < FULL else ''}></i>"
    return out


def in_words(question: str, answers: Mapping[str, Sequence[Answer]]) -> str:
    """Return the permitted answers to a question in a few words, with the dropped regions."""
    return " or ".join(
        in_short(entry)
        + "".join(
            f"; {part['reason']} {part['file']}:{part['off']}+{part['len']}"
            for part in entry.get("dropped", ())
        )
        for entry in answers.get(question, ())
    )


def spanned(texts: Iterable[str]) -> list[tuple[str, int]]:
    """Return (text, length of the run) for each run of equal texts."""
    return [(text, len(list(same))) for text, same in groupby(texts)]


def varying(cases: Sequence[Case]) -> dict[str, Callable[[Case], list[str]]]:
    """Return a map from headings to functions of a case, for the facts in which the cases differ."""
    columns: dict[str, Callable[[Case], Iterable[str]]] = {
        "Edition": lambda case: [case.edition],
        "Class": lambda case: [case.stratum],
        "Category": lambda case: [case.category],
        "Flags": lambda case: case.flags,
        "Breaks": lambda case: case.breaks,
    }
    found: dict[str, Callable[[Case], list[str]]] = {}
    for head, names in columns.items():
        shared = set.intersection(*(set(names(case)) for case in cases))
        if any(set(names(case)) - shared for case in cases):
            found[head] = partial(_others, names, shared)
    return found


def _others(names: Callable[[Case], Iterable[str]], shared: set[str], case: Case) -> list[str]:
    return [name for name in names(case) if name not in shared]


def flags_in_use(format_id: str) -> Iterator[tuple[Flag, int]]:
    """Yield each flag that cases of a format have, and the number of these cases."""
    used = Counter(name for case in sources.cases(format_id) for name in case.flags)
    for name, flag in sources.flags(format_id).items():
        if used[name]:
            yield flag, used[name]
