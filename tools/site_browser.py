"""What a browser makes of the built site: ``python tools/site_browser.py SITE [PAGE...] [--shots DIR]``.

Opens every page (or those named) at the width of a desk and of a telephone, and lists each table or block
that is wider than its place, unless a shadow at its edge says that there is more; exit code 1 if there
is one.
With ``--faint`` it also lists text whose contrast is less than WCAG's level AA asks for, in light and dark,
and with ``--shots`` it keeps a picture of each page, from its top.

Chromium is driven through chromedriver by the WebDriver protocol, which is plain HTTP with JSON: both are
packages of Debian, and nothing of pip or npm is needed.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from site_weight import SENDS_ON

PROGRAMS = ("chromium", "chromedriver")
WIDTHS = (1280, 390)
HEIGHT = 1000
#: Seconds that a page has for what its scripts do.
PATIENCE = 30
#: Pictures are no taller than this.
TALLEST = 2000

#: Returns [what, its width, the width that it has] for each block that is cut or sticks out without a hint.
#: A hint is a box that scrolls and has a shadow for a background. Rounding of the browser is below 2 pixels.
TOO_WIDE = r"""
const root = document.scrollingElement, found = [];
const name = (node) => {
  const id = node.id || (node.closest("[id]") || {}).id || "";
  return `${node.tagName.toLowerCase()}${[...node.classList].map((c) => "." + c).join("")} in #${id}`;
};
const scrolls = (style) => ["auto", "scroll"].includes(style.overflowX);
// A shadow is behind what the box holds: that must not cover it.
const clear = (node) => getComputedStyle(node).backgroundColor.endsWith(", 0)");
const shines = (box) => [...box.children].every(clear);
if (root.scrollWidth > innerWidth + 1) found.push(["the page", root.scrollWidth, innerWidth]);
const article = document.querySelector(".content") || document.body;
if (article.scrollWidth > article.clientWidth + 1)
  found.push(["what the page says", article.scrollWidth, article.clientWidth]);
const room = article.getBoundingClientRect();
const boxes = "div, section, table, pre, p, ul, ol, dl, dd, figure, svg, details, h1, h2, h3, h4, aside";
for (const node of article.querySelectorAll(boxes)) {
  const box = node.getBoundingClientRect();
  if (!box.width) continue;
  // Few nodes stick out or hold more than they show: what they stand in is asked of these only.
  const over = node.scrollWidth > node.clientWidth + 1 && scrolls(getComputedStyle(node));
  if (!over && box.right <= room.right + 2) continue;
  let hinted = false, scrolled = false;
  for (let at = node; at && at !== article; at = at.parentElement) {
    const style = getComputedStyle(at);
    if (!scrolls(style)) continue;
    if (at.scrollWidth > at.clientWidth + 1) {
      scrolled = true;
      if (style.backgroundImage.includes("gradient") && shines(at)) hinted = true;
    }
  }
  if (over && !hinted)
    found.push([name(node), node.scrollWidth, node.clientWidth]);
  if (!scrolled && box.right > room.right + 2)
    found.push([name(node), Math.round(box.right), Math.round(room.right)]);
}
const hinted = [...article.querySelectorAll("div")].filter((node) =>
  node.clientWidth && node.scrollWidth > node.clientWidth + 1 && scrolls(getComputedStyle(node))
).map((node) => [name(node.firstElementChild || node), node.scrollWidth, node.clientWidth]);
return {found: found.slice(0, 50), hinted};
"""


THEMES = ("light", "dark")
#: Returns [what, an example, its contrast] for each kind of text that is too faint in the theme asked for:
#: below 4.5, or 3 if it is large. What is behind it: the colours of all that it stands in, or of the box that
#: is drawn under it.
FAINT = r"""
document.body.dataset.theme = arguments[0];
for (const details of document.querySelectorAll("details")) details.open = true;
const parsed = (text) => {
  const numbers = text.match(/[\d.]+/g).map(Number);
  return numbers.length > 3 ? numbers : [...numbers, 1];
};
const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3]));
const behind = (node) => {
  const layers = [];
  for (let at = node; at; at = at.parentElement) layers.push(parsed(getComputedStyle(at).backgroundColor));
  return layers.reduceRight((below, top) => over(top, below), [255, 255, 255]);
};
const shine = (color) => {
  const [red, green, blue] = color.map((value) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const className = (node) => node.className.baseVal ?? node.className;
const found = {};
const skipped = ["SCRIPT", "STYLE", "TITLE", "OPTION"];
for (const node of document.querySelectorAll("body *")) {
  if (skipped.includes(node.nodeName.toUpperCase())) continue;
  if (![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) continue;
  if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
  const style = getComputedStyle(node), drawn = node.closest("svg");
  const box = node.closest("g") && node.closest("g").querySelector("rect");
  let back = behind(drawn ? drawn.parentElement : node);
  if (box) back = over(parsed(getComputedStyle(box).fill), back);
  const ink = parsed(drawn ? style.fill : style.color);
  for (let at = node; at; at = at.parentElement) ink[3] *= Number(getComputedStyle(at).opacity);
  const [low, high] = [shine(over(ink, back)), shine(back)].sort((one, other) => one - other);
  const contrast = (high + 0.05) / (low + 0.05), size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  if (contrast >= (large ? 3 : 4.5)) continue;
  const [around, own] = [node.parentElement, node].map((each) => `${each.nodeName}.${className(each)}`);
  found[`${around} > ${own}`] ??= [node.textContent.trim().slice(0, 30), contrast.toFixed(2)];
}
return Object.entries(found).map(([name, told]) => [name, ...told]);
"""


class BrowserProblem(RuntimeError):
    """The browser is missing, did not start, or refused a command."""


class Browser:
    """A running browser without a window."""

    def __init__(self, address: str, width: int = WIDTHS[0]) -> None:
        self.address = address
        # Without its own network services: pages of the site load nothing from elsewhere.
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        arguments += ["--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"]
        options = {"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}
        found = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": options}})
        self.session = f"/session/{found['sessionId']}"
        self.resize(width)

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)  # noqa: S310
        try:
            with urlopen(request, timeout=120) as answer:  # noqa: S310 - our own driver
                return json.load(answer)["value"]
        except HTTPError as error:
            told = json.load(error)["value"]
            raise BrowserProblem(f"{told.get('error')}: {told.get('message')}") from None

    def _devtools(self, command: str, **parameters: object) -> Any:
        body = {"cmd": command, "params": parameters}
        return self._ask("POST", f"{self.session}/goog/cdp/execute", body)

    def resize(self, width: int, height: int = HEIGHT) -> None:
        """Make pages as wide as on a screen of `width` pixels; no window is as narrow as a telephone."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._devtools("Emulation.setDeviceMetricsOverride", **size)

    def open(self, page: Path, query: str = "") -> None:
        """Load a page from its file."""
        self._ask("POST", f"{self.session}/url", {"url": page.resolve().as_uri() + query})

    def run(self, script: str, *arguments: object) -> Any:
        """Return what a script returns on the open page."""
        body = {"script": script, "args": list(arguments)}
        return self._ask("POST", f"{self.session}/execute/sync", body)

    def wait(self, script: str, *arguments: object) -> Any:
        """Return what a script returns on the open page as soon as that is something; or BrowserProblem."""
        end = time.monotonic() + PATIENCE
        while not (found := self.run(script, *arguments)):
            if time.monotonic() > end:
                raise BrowserProblem(f"waited in vain: {script}")
            time.sleep(0.02)
        return found

    def choose(self, selector: str, *files: Path) -> None:
        """Choose files in the page's field for files, as its user would."""
        found = self._ask("POST", f"{self.session}/element", {"using": "css selector", "value": selector})
        element = next(iter(found.values()))
        text = "\n".join(str(path.resolve()) for path in files)
        self._ask("POST", f"{self.session}/element/{element}/value", {"text": text})

    def complaints(self) -> list[str]:
        """Return what scripts and the loading of pages complained of since the last time."""
        told = self._ask("POST", f"{self.session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in told if entry["level"] == "SEVERE"]

    def picture(self, path: Path, height: int = HEIGHT) -> None:
        """Keep the upper `height` pixels of the open page as a PNG."""
        width = self.run("return innerWidth")
        self.resize(width, height)
        path.write_bytes(base64.b64decode(self._ask("GET", f"{self.session}/screenshot")))
        self.resize(width)

    def close(self) -> None:
        """End the browser."""
        self._ask("DELETE", self.session)


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser and end it; raises BrowserProblem where there is none."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        raise BrowserProblem(f"{' and '.join(missing)} not found: apt-get install chromium chromium-driver")
    with tempfile.TemporaryFile("w+") as log:
        driver = subprocess.Popen([PROGRAMS[1], "--port=0"], stdout=log, stderr=subprocess.STDOUT)
        try:
            opened = Browser(f"http://127.0.0.1:{_port(driver, log)}")
            try:
                yield opened
            finally:
                opened.close()
        finally:
            driver.terminate()
            driver.wait()


def _port(driver: subprocess.Popen[bytes], log: Any) -> int:
    """Return the port that the driver chose, which it says in its first lines."""
    for _ in range(100):
        log.seek(0)
        told = log.read()
        if found := re.search(r"started successfully on port (\d+)", told):
            return int(found[1])
        if driver.poll() is not None:
            break
        time.sleep(0.1)
    raise BrowserProblem(f"{PROGRAMS[1]} did not start: {told.strip()}")


def pages(site: Path) -> list[Path]:
    """Return the pages that are there to be read, not those that only send on."""
    return [path for path in sorted(site.rglob("*.html")) if SENDS_ON not in path.read_text("utf-8")[:400]]


def problems(
    opened: Browser,
    found: Sequence[Path],
    widths: Sequence[int] = WIDTHS,
    may_scroll: Mapping[int, Sequence[str]] | None = None,
) -> Iterator[str]:
    """Yield a line for each block without a hint that is wider than its place.

    At a width in `may_scroll` also for what has a hint, unless its name has one of the parts listed there.
    """
    for width in widths:
        opened.resize(width)
        for path in found:
            opened.open(path)
            told = opened.run(TOO_WIDE)
            may = (may_scroll or {}).get(width)
            hinted = [] if may is None else told["hinted"]
            scrolling = [entry for entry in hinted if not any(part in entry[0] for part in may or ())]
            for what, has, room in [*told["found"], *scrolling]:
                yield f"{path} at {width}: {what} has {has} of {room} pixels"


def faint(opened: Browser, found: Sequence[Path]) -> Iterator[str]:
    """Yield a line for each kind of text that is too faint on a page, in one theme or the other."""
    for path in found:
        opened.open(path)
        for theme in THEMES:
            for what, example, contrast in opened.run(FAINT, theme):
                yield f"{path}, {theme}: {what} has the contrast {contrast}: {example}"


def shoot(opened: Browser, site: Path, found: Sequence[Path], folder: Path) -> None:
    """Keep a picture of each page at each width."""
    for width in WIDTHS:
        opened.resize(width)
        for path in found:
            name = path.relative_to(site).with_suffix("").as_posix().replace("/", "_")
            opened.open(path)
            height = opened.run("return document.scrollingElement.scrollHeight")
            opened.picture(folder / f"{name}-{width}.png", min(height, TALLEST))


def main() -> int:
    """List what is too wide; exit code 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("pages", nargs="*", help="below SITE; all if none is named")
    parser.add_argument("--shots", type=Path, metavar="DIR", help="keep a picture of each page here")
    parser.add_argument("--faint", action="store_true", help="also list text without enough contrast")
    options = parser.parse_args()
    found = [options.site / name for name in options.pages] or pages(options.site)
    if not found:
        parser.error(f"no page below {options.site}")
    with browser() as opened:
        told = [*problems(opened, found), *(faint(opened, found) if options.faint else ())]
        if options.shots:
            options.shots.mkdir(parents=True, exist_ok=True)
            shoot(opened, options.site, found, options.shots)
    print(*told, f"{len(found)} pages, {len(told)} problems", sep="\n")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
