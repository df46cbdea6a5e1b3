"""The site in a real browser: no content is cut off, and a page reads files with the results of the command
line.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from site_browser import WIDTHS, Browser, BrowserProblem, browser, faint, pages, problems

from journalspec.schemas import described
from looked import CAPTURED, directories

pytestmark = pytest.mark.browser
#: On a wide screen, only two kinds of blocks may scroll sideways: a matrix, whose first column stays visible,
#: and a dump, whose offsets stay visible.
MAY_SCROLL = ("jspec-matrix", "jspec-hex", "svg", "pre")


#: JavaScript that tests whether the page of a format's schemas is open, and whether the field in its address
#: exists.
AT_FIELD = (
    "return location.pathname.endsWith(`/${arguments[0]}/schemas.html`) && location.hash.startsWith('#f-')"
    " && !!document.querySelector(':target')"
)


def page_of_dumps(site: Path, format_id: str) -> Path:
    """Return a page of cases with a dump whose fields can be reached one by one."""
    return next(
        path
        for path in sorted((site / "formats" / format_id / "cases").glob("*.html"))
        if 'jspec-hex-fields" tabindex="0"><u>' in path.read_text(encoding="utf-8")
    )


@pytest.fixture(scope="module")
def opened() -> Iterator[Browser]:
    try:
        with browser() as found:
            yield found
    except BrowserProblem as error:
        pytest.skip(str(error))


def page_with(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "page.html"
    head = '<!doctype html><meta name="viewport" content="width=device-width">'
    path.write_text(head + body, encoding="utf-8")
    return path


WIDE = '<div style="width:2000px">wide</div>'
COVERED = '<div style="width:2000px; background:white">wide</div>'
HINT = "background: linear-gradient(red, blue)"


@pytest.mark.parametrize(
    ("body", "is_found"),
    [
        ('<div class="content"><p>short</p></div>', False),
        (f'<div class="content">{WIDE}</div>', True),
        (f'<div class="content" style="overflow:hidden">{WIDE}</div>', True),
        (f'<div class="content" style="overflow:auto">{WIDE}</div>', True),
        (f'<div class="content"><div style="overflow:auto">{WIDE}</div></div>', True),
        (f'<div class="content"><div style="overflow:auto;{HINT}">{WIDE}</div></div>', False),
        (f'<div class="content"><div style="overflow:auto;{HINT}">{COVERED}</div></div>', True),
    ],
)
def test_clipped_content_is_detected_unless_declared(
    body: str, is_found: bool, opened: Browser, tmp_path: Path
) -> None:
    assert bool(list(problems(opened, [page_with(tmp_path, body)]))) is is_found


def test_no_page_clips_content_and_only_matrices_and_dumps_scroll(opened: Browser, site: Path) -> None:
    """Every page is checked at both widths.

    Of the generated pages of cases, only half are checked at each width.
    """
    found = pages(site)
    assert len(found) > 50
    cases = [path for path in found if path.parent.name == "cases"]
    for number, width in enumerate(WIDTHS):
        asked = sorted({*found} - {*cases[1 - number :: 2]})
        assert list(problems(opened, asked, (width,), {WIDTHS[0]: MAY_SCROLL})) == []


def seen(opened: Browser, files: list[Path], asked: str) -> list[dict[str, Any]]:
    """Return what the page shows about files."""
    opened.run(
        "document.getElementById('try-edition').value = arguments[0];"
        "document.getElementById('try-file').value = '';"
        "delete document.getElementById('try-found').dataset.files;",
        asked,
    )
    opened.choose("#try-file", *files)
    ended = "return document.getElementById('try-found').dataset.files == arguments[0] && journalspecFound"
    found: list[dict[str, Any]] = opened.wait(ended, len(files))
    return found


@pytest.mark.parametrize("format_id", described())
def test_page_recognises_the_format_of_a_file(
    format_id: str, opened: Browser, site: Path, tmp_path: Path
) -> None:
    """The test chooses no format; the page draws the records, and their fields on request."""
    opened.resize(WIDTHS[0])
    opened.open(site / "try.html")
    files = [path for looked in islice(directories(format_id, tmp_path), 3) for path in looked.files]
    found = seen(opened, files, "")
    assert any(entry["records"] for entry in found)
    assert {entry["format"] for entry in found if entry["records"]} == {format_id}
    drawn = opened.run("return document.querySelectorAll('#try-found details[data-off]').length")
    assert drawn == sum(len(entry["records"]) for entry in found)
    opened.run("document.querySelector('#try-found details[data-off]').open = true")
    rows = opened.wait("return document.querySelectorAll('#try-found details[data-off] tbody tr').length")
    assert rows == len(next(entry for entry in found if entry["records"])["records"][0]["fields"])


@pytest.mark.parametrize("format_id", described())
def test_field_is_highlighted_from_its_bytes_its_box_and_its_row(
    format_id: str, opened: Browser, site: Path
) -> None:
    """In a section, dump, drawing and table highlight the same fields. Other dumps link to the section."""
    opened.resize(WIDTHS[0])
    opened.open(site / "formats" / format_id / "schemas.html")
    over = """
    const section = [...document.querySelectorAll("pre[class^=jspec-hex]")].pop().closest("section");
    const box = section.querySelector("g[data-f]"), name = box.dataset.f;
    const lit = (node) => {
      node.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
      return [...section.querySelectorAll(".jspec-on")].map((one) => one.nodeName).sort().join(" ");
    };
    const from_box = lit(box);
    const bytes = [...section.querySelectorAll("pre b.jspec-on")];
    const row = section.querySelector("tr.jspec-on");
    return [name, from_box, lit(row), ...bytes.map(lit)];
    """
    name, *seen_from = opened.run(over)
    assert len(seen_from) > 2, name
    assert len(set(seen_from)) == 1, f"{name}: {seen_from}"
    assert {"B", "TR", "g"} <= set(seen_from[0].split())
    opened.open(page_of_dumps(site, format_id))
    opened.run("document.querySelector('pre.jspec-hex-fields u ~ b').click()")
    assert opened.wait(AT_FIELD, format_id)


def test_page_describes_the_damaged_bytes(opened: Browser, site: Path, tmp_path: Path) -> None:
    """The page shows a sentence about the damage; test_docs_try.py tests the places of damage in Node."""
    data = bytearray((CAPTURED / "bitronix_tlog/bitronix-2.1.4/partial-commit/btm1.tlog").read_bytes())
    data[21 + 8 + 6] ^= 1  # the time of the first record
    path = tmp_path / "btm1.tlog"
    path.write_bytes(data)
    opened.open(site / "try.html")
    (found,) = seen(opened, [path], "")
    assert found["damage"] == [{"off": 21, "why": "the checksum does not match"}]
    shown = opened.run("return document.querySelector('#try-found .jspec-problem').textContent")
    assert shown == "Damaged here: offset 21: the checksum does not match."


def test_file_of_an_unknown_format_is_harmless(opened: Browser, site: Path, tmp_path: Path) -> None:
    path = tmp_path / "<b>noise"
    path.write_bytes(bytes(range(256)) * 8)
    opened.open(site / "try.html")
    assert [entry["records"] for entry in seen(opened, [path], "")] == [[]]
    assert opened.run("return document.querySelectorAll('#try-found b').length") == 0
    shown = opened.run("return document.querySelector('#try-found .jspec-problem').textContent")
    assert "none of the five formats" in shown
    assert opened.complaints() == []


#: One in this many pages is checked for faint text, because pages of one kind have equal styles.
EVERY_PAGE = 8


@pytest.mark.parametrize(
    ("style", "is_found"),
    [
        ("color: #767676", False),
        ("color: #787878", True),
        ("color: #949494; font-size: 24px", False),
        ("color: black; opacity: 0.4", True),
        ("color: white; background: #0008", True),
        ("color: white; background: #000c", False),
    ],
)
def test_text_with_low_contrast_is_detected(
    style: str, is_found: bool, opened: Browser, tmp_path: Path
) -> None:
    path = page_with(tmp_path, f'<body><div style="background:white"><p style="{style}">text</p></div>')
    assert bool(list(faint(opened, [path]))) is is_found


def test_text_has_contrast_in_both_themes(opened: Browser, site: Path) -> None:
    opened.resize(WIDTHS[0])
    top = [path for path in pages(site) if path.parent == site]
    assert list(faint(opened, [*top, *pages(site)[::EVERY_PAGE]])) == []


#: A script that tests keys: it presses them at the focus, and returns the highlighted elements and the new
#: focus.
PRESS = """
const [selector, ...keys] = arguments;
const box = document.querySelector(selector);
box.focus();
for (const key of keys)
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
const lit = [...document.querySelectorAll(".jspec-on")].map((node) => node.nodeName.toLowerCase());
return [document.activeElement === box, [...new Set(lit)].sort(), getComputedStyle(box).outlineStyle];
"""


@pytest.mark.parametrize("format_id", described())
def test_fields_can_be_reached_by_keyboard(format_id: str, opened: Browser, site: Path) -> None:
    """The keyboard reaches a field's bytes, box and row, as a pointer does; Enter opens the description."""
    schemas = site / "formats" / format_id / "schemas.html"
    opened.open(schemas)
    # A section with a dump also has a drawing and a table.
    opened.run(
        "const dump = [...document.querySelectorAll('pre[class^=jspec-hex]')].pop();"
        "const part = dump.closest('section');"
        "dump.id = 'a-dump'; part.querySelector('svg').id = 'a-drawing';"
        "part.querySelector('table.jspec-fields').id = 'a-table';"
    )
    for selector, key in (("#a-drawing", "ArrowRight"), ("#a-table", "ArrowDown")):
        stays, lit, outline = opened.run(PRESS, selector, key)
        assert stays, selector
        assert {"g", "tr"} <= set(lit), selector
        assert outline != "none", f"{selector} has the focus, and nothing shows it"
    stays, lit, _ = opened.run(PRESS, "#a-dump", "ArrowDown")
    assert stays
    assert "b" in lit
    opened.open(page_of_dumps(site, format_id))
    opened.run("for (const box of document.querySelectorAll('details')) box.open = true")
    opened.run(PRESS, "pre.jspec-hex-fields:has(u)", "ArrowDown", "Enter")
    assert opened.wait(AT_FIELD, format_id)


def test_strip_is_one_tab_stop_and_arrow_keys_do_not_change_the_page(opened: Browser, site: Path) -> None:
    page = next(
        path
        for path in sorted((site / "formats").rglob("cases/*.html"))
        if "class=jspec-strip" in path.read_text(encoding="utf-8")
    )
    opened.open(page)
    stops = "return document.querySelector('.jspec-strip').querySelectorAll('a[tabindex=\"0\"]').length"
    assert opened.run(stops) == 1
    before = opened.run("return location.pathname")
    opened.run(PRESS, ".jspec-strip a[tabindex='0']", "ArrowRight", "ArrowRight")
    assert opened.run(stops) == 1
    links = "[...document.querySelector('.jspec-strip').querySelectorAll('a')]"
    assert opened.run(f"return {links}.indexOf(document.activeElement)") == 2
    assert opened.run("return document.activeElement.title") != ""
    assert opened.run("return location.pathname") == before


def test_link_to_a_requirement_has_its_text_as_a_hint(opened: Browser, site: Path) -> None:
    format_id = described()[0]
    opened.open(site / "formats" / format_id / "schemas.html")
    opened.run("document.querySelector('a[href*=\"#req-\"]').focus()")
    title = opened.wait("return document.activeElement.title")
    assert title.partition(":")[0] in {"must", "should", "may"}
    assert opened.complaints() == []
