"""Checks the built site in a browser: ``python tools/site_browser.py SITE [PAGE...] [--shots DIR]``.

Opens every page (or the given ones) at the width of a desktop and of a telephone. Lists each table or block
that is wider than its place, unless a shadow at its edge indicates that it can be scrolled; exit code 1 if
there is one. With ``--faint`` it also lists text whose contrast is below WCAG's level AA, in the light and
dark theme. With ``--shots`` it stores a picture of the top of each page.

Chromium is controlled through chromedriver by the WebDriver protocol, which is plain HTTP with JSON. Both
programs are packages of Debian; no package of pip or npm is needed.
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
#: Seconds for the scripts of a page.
PATIENCE = 30
#: The greatest height of a picture.
TALLEST = 2000
THEMES = ("light", "dark")
#: Scripts that return the blocks of an open page that are too wide, and the texts that are too faint in a
#: theme.
TOO_WIDE, FAINT = (Path(__file__).with_name(name).read_text("utf-8") for name in ("too_wide.js", "faint.js"))


class BrowserProblem(RuntimeError):
    """The browser is missing, did not start, or refused a command."""


class Browser:
    """A running browser without a window."""

    def __init__(self, address: str, width: int = WIDTHS[0]) -> None:
        self.address = address
        # The browser's own network services are off: pages of the site load nothing from elsewhere.
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
        """Make pages as wide as a screen of `width` pixels; a window cannot be as narrow as a telephone."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._devtools("Emulation.setDeviceMetricsOverride", **size)

    def open(self, page: Path, query: str = "") -> None:
        """Load a page from its file."""
        self._ask("POST", f"{self.session}/url", {"url": page.resolve().as_uri() + query})

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script on the open page and return its result."""
        body = {"script": script, "args": list(arguments)}
        return self._ask("POST", f"{self.session}/execute/sync", body)

    def wait(self, script: str, *arguments: object) -> Any:
        """Repeat a script until its result is not empty; return the result, or raise BrowserProblem."""
        end = time.monotonic() + PATIENCE
        while not (found := self.run(script, *arguments)):
            if time.monotonic() > end:
                raise BrowserProblem(f"waited in vain: {script}")
            time.sleep(0.02)
        return found

    def choose(self, selector: str, *files: Path) -> None:
        """Choose files in the page's file field, as a user would."""
        found = self._ask("POST", f"{self.session}/element", {"using": "css selector", "value": selector})
        element = next(iter(found.values()))
        text = "\n".join(str(path.resolve()) for path in files)
        self._ask("POST", f"{self.session}/element/{element}/value", {"text": text})

    def complaints(self) -> list[str]:
        """Return the errors of scripts and of loading since the last call."""
        told = self._ask("POST", f"{self.session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in told if entry["level"] == "SEVERE"]

    def picture(self, path: Path, height: int = HEIGHT) -> None:
        """Store the upper `height` pixels of the open page as a PNG."""
        width = self.run("return innerWidth")
        self.resize(width, height)
        path.write_bytes(base64.b64decode(self._ask("GET", f"{self.session}/screenshot")))
        self.resize(width)

    def close(self) -> None:
        """End the browser."""
        self._ask("DELETE", self.session)


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser and end it; raises BrowserProblem if there is none."""
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
    """Return the port that the driver chose; its first lines of output contain it."""
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
    """Return the pages for reading, without those that only redirect."""
    return [path for path in sorted(site.rglob("*.html")) if SENDS_ON not in path.read_text("utf-8")[:400]]


def problems(
    opened: Browser,
    found: Sequence[Path],
    widths: Sequence[int] = WIDTHS,
    may_scroll: Mapping[int, Sequence[str]] | None = None,
) -> Iterator[str]:
    """Yield a line for each block without a hint that is wider than its place.

    At a width in `may_scroll`, blocks with a hint are included, unless their name contains one of the parts
    listed there.
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
    """Yield a line for each kind of text that is too faint on a page, in either theme."""
    for path in found:
        opened.open(path)
        for theme in THEMES:
            for what, example, contrast in opened.run(FAINT, theme):
                yield f"{path}, {theme}: {what} has the contrast {contrast}: {example}"


def shoot(opened: Browser, site: Path, found: Sequence[Path], folder: Path) -> None:
    """Store a picture of each page at each width."""
    for width in WIDTHS:
        opened.resize(width)
        for path in found:
            name = path.relative_to(site).with_suffix("").as_posix().replace("/", "_")
            opened.open(path)
            height = opened.run("return document.scrollingElement.scrollHeight")
            opened.picture(folder / f"{name}-{width}.png", min(height, TALLEST))


def main() -> int:
    """List the blocks that are too wide; exit code 1 if there is one."""
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
