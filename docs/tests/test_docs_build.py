"""The whole site: built once, with warnings as errors, then checked."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import print_version
import pytest
from site_browser import pages

import journalspec
from journalspec.contents import described
from journalspec.deviations import deviations
from journalspec.families import families
from journalspec.formats import format_ids, get_format
from journalspec.requirements import requirements
from journalspec_docs import addresses, case_pages, generate, lean, parts, reference_pages, sources

DOCS = Path(__file__).resolve().parents[1]
#: The directories of hand-written pages.
PAGES = ("docs/*.md", "docs/messages/*.md", "docs/reference/*.md", "specs/journalspec/*/spec.md")
TOOL = DOCS.parent / "tools" / "site_weight.py"


class Page(HTMLParser):
    """A page: its anchors, links, duplicate anchors, levels of headings, and heads of tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.twice: set[str] = set()
        self.links: list[str] = []
        self.levels: list[int] = []
        #: The `scope` of each head cell, table by table.
        self.scopes: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag == "table":
            self.scopes.append([])
        if tag == "th":
            self.scopes[-1].append(dict(attrs).get("scope") or "")
        for name, value in attrs:
            if name == "id" and value:
                (self.twice if value in self.ids else self.ids).add(value)
            if tag == "a" and name == "href" and value:
                self.links.append(value)
            if tag == "meta" and name == "content" and value and value.startswith("0;url="):
                self.links.append(value.removeprefix("0;url="))


@pytest.fixture(scope="module")
def parsed(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def inner_links(path: Path, page: Page) -> Iterator[tuple[Path, str]]:
    for link in page.links:
        parts = urlsplit(link)
        if not parts.scheme and not parts.netloc:
            # The path is only normalised. Resolving it would ask the file system, and the site has no
            # symbolic links.
            target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
            yield target, unquote(parts.fragment)


def test_every_link_has_a_target(parsed: dict[Path, Page]) -> None:
    broken = []
    for path, page in parsed.items():
        for target, fragment in inner_links(path, page):
            if (
                target.suffix == ".html"
                and target in parsed
                and fragment
                and fragment not in parsed[target].ids
            ):
                broken.append(f"{path.name} -> {target.name}#{fragment}")
            elif not target.exists():
                broken.append(f"{path.name} -> {target}")
    assert not broken, broken[:20]


def test_anchors_of_a_page_are_unique(parsed: dict[Path, Page]) -> None:
    assert {path.name: page.twice for path, page in parsed.items() if page.twice} == {}


def test_headings_have_no_gaps_and_table_heads_have_a_scope(parsed: dict[Path, Page], site: Path) -> None:
    """Every page also shows its version."""
    for path in pages(site):
        page = parsed[path]
        assert f"journalspec {journalspec.__version__}" in path.read_text(encoding="utf-8"), path
        assert page.levels.count(1) == 1, path
        assert page.levels[0] == 1, path
        assert [(one, other) for one, other in pairwise(page.levels) if other > one + 1] == [], path
        for scopes in page.scopes:
            assert "col" in scopes, path
            assert set(scopes) <= {"col", "row", "rowgroup"}, path


def test_reduced_page_has_the_same_content(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert lean.lean(text) == text
    page = "<table>\n<tr><td>a</td>\n  <td><pre>b\n\n</td></pre></td></tr>\n</table>\n\n<p>c  d</p>\n"
    assert lean.lean(page) == "<table>\n<tr><td>a<td><pre>b\n\n</td></pre></table>\n<p>c  d</p>\n"
    # Of two links to one target, the first keeps the hint; journalspec.js copies it to the second.
    link = '<a class="jspec-ref" href="x.html" title="a b">c</a>'
    first = '<a class=jspec-ref href=x.html title="a b">c</a>'
    assert lean.lean(link * 2) == first + "<a class=jspec-ref href=x.html>c</a>"
    # A browser closes open elements itself; Python's parser reports the same elements and texts.
    assert Page(lean.lean(page)).scopes == Page(page).scopes == [[]]


@pytest.mark.parametrize("format_id", format_ids())
def test_family_is_one_page_with_a_column_and_a_row_for_each_case(format_id: str, site: Path) -> None:
    groups = sources.cases_by_group(format_id)
    families = {name: cases for name, cases in groups.items() if case_pages.is_family(cases)}
    for page in case_pages.packed(groups):
        cases = [case for name, _ in page for case in families.get(name, ())]
        first, number = page[0]
        name = first if number == 1 else f"{first}-{number}"
        text = (site / "formats" / format_id / "cases" / f"{name}.html").read_text(encoding="utf-8")
        columns = re.findall(r"<a href=#([^ >]+)>(?:<i[^>]*></i>)+</a>", text)
        assert sorted(columns) == sorted(case_pages.node_id(case.id) for case in cases)
        assert text.count("<tr id=case-") == len(cases)


@pytest.mark.parametrize("format_id", format_ids())
def test_page_of_observations_has_every_name(format_id: str, site: Path) -> None:
    """The page also contains one complete answer, from the verdict to the notes."""
    text = (site / "formats" / format_id / "observation.html").read_text(encoding="utf-8")
    shown = set(re.findall(r"<code[^>]*>([^<]+)</code>", text))
    table = get_format(format_id).vocabulary
    names = {item.name for item in (*table.fields, *table.header, *table.state, *table.params)}
    for entries in (table.record_types, table.roles, table.reasons, table.codes, table.notes):
        names |= set(entries)
    names |= {*table.operations, *table.framing}
    assert names - shown == set()
    for item in table.state:
        assert all(f"{item.name}[].{inner.name}" in shown for inner in item.of)
    answer = unescape(re.sub(r"<[^>]+>", "", text[text.index("id=observation-a-worked-answer") :]))
    for member in ("verdict", "records", "dropped", "state", "files", "notes"):
        assert f'"{member}":' in answer


@pytest.mark.parametrize("format_id", format_ids())
def test_page_of_contents_has_every_table_and_every_field_of_bodies(
    format_id: str, site: Path, parsed: dict[Path, Page]
) -> None:
    """The page also has a file to download for each family of bodies."""
    path = site / "formats" / format_id / "contents.html"
    text = path.read_text(encoding="utf-8")
    about = described(format_id)
    assert about is not None
    shown = set(re.findall(r"<code[^>]*>([^<]+)</code>", text))
    assert {*about.tables, *about.remarks} - shown == set()
    assert {column.name for table in about.tables.values() for column in table.columns} - shown == set()
    for family in families(format_id).values():
        for shape in family.types.values():
            assert f"contents-{family.name}-{shape.name}".replace("_", "-") in parsed[path].ids
            assert {member.name for member in shape.fields} - shown == set()
        assert any(link.endswith(f"/{format_id}_{family.name}.ksy") for link in parsed[path].links)


#: A file, the file with the same bytes, and the anchor of the case with that file.
HAS_THE_BYTES = re.compile(r'<p><code>([^<]*)</code> equals <code>([^<]*)</code> in <a href="#([^"]*)"')


@pytest.mark.parametrize("format_id", format_ids())
def test_file_shown_as_equal_to_another_one_has_the_same_bytes(format_id: str) -> None:
    """Dumps omit bytes, so two different files may look the same. The page must compare all bytes."""
    dumped: dict[str, str] = {}
    files: dict[tuple[str, str], bytes] = {}
    for case in sources.cases(format_id)[:400]:
        paths = {file.path: file.content() for file in case.input.files}
        files |= {(case_pages.node_id(case.id), path): content for path, content in paths.items()}
        for html in case_pages.dumps_of(case, dumped):
            said = HAS_THE_BYTES.match(html)
            if said is not None:
                own, other, node = map(unescape, said.groups())
                assert paths[own] == files[node, other], (case.id, own)


def test_page_of_cases_has_every_member_and_the_schemas(site: Path) -> None:
    text = (site / "reference" / "cases.html").read_text(encoding="utf-8")
    schema = reference_pages.case_schema()
    for name, member in schema["properties"].items():
        assert f"<code>{name}</code>" in text
        assert member["description"] in unescape(text)
    for name in ("case", "observation", "refused", "common"):
        assert re.search(rf'href="?[^" >]*_downloads/[^" >]*/{name}\.schema\.json', text)


def test_site_and_each_page_are_within_their_bounds(site: Path, tool: ModuleType) -> None:
    assert tool.weigh(site).problems() == []


def test_too_large_pages_are_reported(tmp_path: Path, tool: ModuleType) -> None:
    """The site has a page with too many nodes, a page with too many bytes, and one page too many.

    Redirects are not counted.
    """
    for number in range(tool.PAGES + 1):
        (tmp_path / f"{number}.html").write_text("<p>Page</p>", encoding="utf-8")
    (tmp_path / "old.html").write_text(f'{tool.SENDS_ON} content="0;url=0.html">', encoding="utf-8")
    (tmp_path / "0.html").write_text("<p>a</p>" * (tool.PAGE_NODES // 2 + 1), encoding="utf-8")
    (tmp_path / "1.html").write_text(" " * (tool.PAGE_BYTES + 1), encoding="utf-8")
    site = tool.weigh(tmp_path)
    assert len(site.pages) == tool.PAGES + 2
    assert [problem.split(" has ")[0] for problem in site.problems()] == ["the site", "1.html", "0.html"]
    (tmp_path / "all.bin").write_bytes(bytes(tool.SITE_BYTES))
    assert "25,000,000 are allowed" in tool.weigh(tmp_path).problems()[0]


@pytest.mark.parametrize("format_id", format_ids())
def test_every_requirement_case_and_deviation_has_a_permanent_address(
    format_id: str, site: Path, parsed: dict[Path, Page]
) -> None:
    """Each link leads to its own anchor; the test of all links checks that the anchor exists.

    The addresses of pages and of groups of cases are permanent too.
    """
    anchors = {item.id: f"req-{item.id.lower()}" for item in requirements(format_id)}
    anchors |= {case.id: case_pages.node_id(case.id) for case in sources.cases(format_id)}
    anchors |= {item.id: f"deviation-{item.id.lower()}" for item in deviations(format_id)}
    for name, anchor in anchors.items():
        path = site / "r" / name / "index.html"
        assert [urlsplit(link).fragment for link in parsed[path].links] == [anchor]
    pages = [page.name for page in generate.PAGES]
    for page in (*pages, *(f"cases/{group}" for group in sources.cases_by_group(format_id))):
        assert (site / "formats" / format_id / f"{page}.html").is_file()


def test_removed_page_redirects_to_its_replacement(site: Path, parsed: dict[Path, Page]) -> None:
    for old, new in addresses.MOVED.items():
        (link,) = parsed[site / f"{old}.html"].links
        assert link.partition("#")[0] == f"{new}.html"


@pytest.mark.node
def test_search_finds_definitions_first(site: Path) -> None:
    """The definition comes first for each id (in capitals or small letters) and for 95 of 100 words.

    All words are from the glossary. Some of them are also names of fields in answers.
    """
    node = shutil.which("node") or pytest.skip("Node.js is not installed")
    glossary = re.findall(r'<dt id="?(term-[^ ">]+)"?>([^<]+)', (site / "glossary.html").read_text("utf-8"))
    defined = {word: {f"glossary#{anchor}"} for anchor, word in glossary}
    for format_id in format_ids():
        table = get_format(format_id).vocabulary
        names = [*table.record_types, *table.roles, *table.reasons, *table.codes, *table.notes]
        for name in [*names, *(item.name for item in (*table.fields, *table.state))]:
            defined.setdefault(name, set()).add(f"formats/{format_id}/observation")
        for remark in remarks_of(format_id):
            defined.setdefault(remark, set()).add(f"formats/{format_id}/contents")
    others = sorted(set(defined) - {word for _, word in glossary})
    words = [word for _, word in glossary] + random.Random(48).sample(others, 100 - len(glossary))
    assert len(words) == 100
    # The search takes a name with hyphens apart, so each note and remark with such a name is searched, too.
    coded = {
        name
        for format_id in format_ids()
        for name in (*get_format(format_id).vocabulary.notes, *remarks_of(format_id))
        if "-" in name
    }
    words += sorted(coded - {*words})
    # Every third id of an area is searched, because these ids differ only in their numbers.
    ids = [item.id for format_id in format_ids() for item in list(requirements(format_id))[::3]]
    ids.append(ids[0].lower())
    # The search takes the id of a case apart, too.
    found_cases = [case.id for format_id in format_ids() for case in sources.cases(format_id)[::400]]
    anchors = [f"req-{name.lower()}" for name in ids]
    anchors += [f"case-{name.replace('.', '-')}" for name in found_cases]
    ids += found_cases
    command = [node, str(DOCS / "tests" / "search.mjs"), str(site / "_static"), str(site / "searchindex.js")]
    done = subprocess.run([*command, *ids, *words], capture_output=True, text=True, check=True, timeout=300)
    lines = done.stdout.splitlines()
    assert [line.rpartition("#")[2] for line in lines[: len(ids)]] == anchors
    missed = {
        word: found
        for word, found in zip(words, lines[len(ids) :], strict=True)
        if not {found, found.partition("#")[0]} & defined[word]
    }
    assert len(missed) <= 5, missed
    assert not coded & {*missed}


@pytest.mark.node
def test_search_finds_the_specification_before_cases_and_captured_files(site: Path) -> None:
    node = shutil.which("node") or pytest.skip("Node.js is not installed")
    asked = {
        "bitronix election": "bitronix_tlog",
        "bitronix checksum": "bitronix_tlog",
        "nio banner": "bitronix_tlog",
        "jboss control file": "jboss_journal",
        "jboss copy of a data file": "jboss_journal",
        "kahadb reading by lengths": "kahadb_journal",
        "derby recovery": "derby_log",
        "swiftmq transaction log": "swiftmq_store",
    }
    command = [node, str(DOCS / "tests" / "search.mjs"), str(site / "_static"), str(site / "searchindex.js")]
    done = subprocess.run([*command, *asked], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.split() == [f"formats/{format_id}/spec" for format_id in asked.values()]


@pytest.mark.parametrize("format_id", format_ids())
def test_specification_has_another_title_than_the_first_page(format_id: str, site: Path) -> None:
    titles = [
        re.findall("<title>(.*?)</title>", (site / "formats" / format_id / f"{page}.html").read_text("utf-8"))
        for page in ("index", "spec")
    ]
    assert titles[1][0].startswith("Specification: ")
    assert titles[0] != titles[1]


@pytest.mark.parametrize("format_id", format_ids())
def test_format_can_be_printed_as_one_page(format_id: str, site: Path) -> None:
    page = print_version.joined(site, format_id)
    for item in requirements(format_id):
        assert f'id="requirements-req-{item.id.lower()}"' in page
    parsed = Page(page)
    assert parsed.twice == set()
    inner = [link[1:] for link in parsed.links if link.startswith("#")]
    assert len(inner) > 100
    assert [anchor for anchor in inner if unquote(anchor) not in parsed.ids] == []


def remarks_of(format_id: str) -> list[str]:
    """Return the codes of the remarks of a format's contents."""
    about = described(format_id)
    return list(about.remarks) if about else []


def test_every_generated_part_is_on_a_page() -> None:
    written = [path.read_text(encoding="utf-8") for folder in PAGES for path in DOCS.parent.glob(folder)]
    text = "\n".join([*written, *(text for _, text in generate.pages(DOCS))])
    assert set(parts.names()) - set(re.findall(r"^```\{([a-z-]+)\}", text, re.MULTILINE)) == set()


def test_pages_load_no_files_from_other_sites(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        found = re.findall(r'(?:src|<link[^>]*href)="?(https?://[^" >]+)', text)
        assert not found, f"{path.name} loads {found}"


def test_reference_without_a_target_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    conf = f"""
import sys
sys.path[:0] = [{str(DOCS / "ext")!r}, {str(DOCS.parent / "tools")!r}]
extensions = ["myst_parser", "journalspec_docs"]
exclude_patterns = ["formats"]
"""
    (source / "conf.py").write_text(conf, encoding="utf-8")
    text = "# A page\n\nSee {req}`NOP-XYZ-999`.\n\n```{field-table} no_such_format record\n```\n"
    (source / "index.md").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-n", "-q", "-b", "dummy", str(source), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert "jspec:req reference target not found: NOP-XYZ-999" in done.stderr
    assert "field-table: no format 'no_such_format'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("format_id", format_ids())
def test_coverage_page_shows_the_proof_of_each_must(format_id: str, site: Path) -> None:
    text = (site / "formats" / format_id / "coverage.html").read_text(encoding="utf-8")
    proofs = sources.proofs(format_id)
    assert proofs
    for proof in proofs.values():
        assert all(proof[key] in text for key in ("mutant", "case") if key in proof)


def test_page_of_downloads_has_the_command_for_each_archive(site: Path) -> None:
    text = unescape((site / "downloads.html").read_text(encoding="utf-8"))
    for name in format_ids():
        assert f"journalspec corpus archive --format {name} --out {name}-cases.tar.gz" in text
