"""Fetches a product's jars with the usual tools for Java: Maven, or the Ivy that is part of Spark.

The repositories are those in the user's configuration of these tools. A file is accepted only if its SHA-256
is the one in the data file.
"""

from __future__ import annotations

import importlib.util
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING, ClassVar, Protocol

from journalspec.files import shown
from journalspec_conformance.products import ProductError, jar_problem, problems, product_dir
from journalspec_conformance.programs import PREFIX, completed, drop_scratch, make_scratch, remove

if TYPE_CHECKING:
    from collections.abc import Callable

    from journalspec_conformance.products import Jar, Product

#: The seconds for one artefact, including the tool's downloads for its own needs.
TIMEOUT = 300.0
_TAIL_LINES = 12


class Fetcher(Protocol):
    """A tool that can copy one published jar into a folder."""

    @property
    def name(self) -> str:
        """The name of the tool, for messages."""

    def fetch(self, jar: Jar, folder: Path) -> None:
        """Put ``jar.filename`` into `folder`; raises ProductError."""


def _run(name: str, command: list[str], jar: Jar) -> None:
    """Run a fetching tool quietly; raises ProductError with the end of its output."""
    try:
        # The command is safe: it has fixed words, a path found on PATH, and coordinates of a data file.
        done = completed(command, TIMEOUT)
    except OSError as error:
        raise ProductError(f"{name} could not be started: {error}") from error
    except TimeoutExpired:
        raise ProductError(f"{name} did not deliver {jar.coordinates} in {TIMEOUT:.0f} s") from None
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines()
        tail = "\n".join(map(shown, lines[-_TAIL_LINES:]))
        raise ProductError(f"{name} could not get {jar.coordinates} (exit {done.returncode}):\n{tail}")


@dataclass(frozen=True)
class Maven:
    """``mvn dependency:copy`` with the user's own settings; `program` is the path of ``mvn``."""

    program: str
    name: ClassVar[str] = "Maven"

    def fetch(self, jar: Jar, folder: Path) -> None:
        """Copy one artefact without its dependencies."""
        name = f"{jar.group}:{jar.artifact}:{jar.version}"
        artifact = f"{name}:jar:{jar.classifier}" if jar.classifier else name
        command = [self.program, "-q", "-B", "dependency:copy"]
        command += [f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
        _run(self.name, command, jar)


@dataclass(frozen=True)
class Ivy:
    """The Ivy jar of an installed PySpark, for machines without Maven."""

    java: str
    ivy_jar: Path
    name: ClassVar[str] = "Ivy"

    def fetch(self, jar: Jar, folder: Path) -> None:
        """Retrieve one artefact without its dependencies."""
        if jar.classifier:
            # Ivy's command line has no option for classifiers.
            raise ProductError(f"{jar.coordinates} cannot be fetched with Ivy: install Maven (`mvn` on PATH)")
        command = [self.java, "-jar", str(self.ivy_jar), "-notransitive", "-confs", "default"]
        command += ["-dependency", jar.group, jar.artifact, jar.version]
        command += ["-retrieve", str(folder / "[artifact]-[revision].[ext]")]
        _run(self.name, command, jar)


def find_ivy() -> Path | None:
    """Return the Ivy jar inside an installed PySpark (which is not imported), if any."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        return None
    jars = Path(next(iter(spec.submodule_search_locations))) / "jars"
    return next(iter(sorted(jars.glob("ivy-*.jar"))), None)


def choose_fetcher() -> Fetcher:
    """Return Maven if it is on PATH, else Spark's Ivy; raises ProductError if there is neither."""
    maven = shutil.which("mvn")
    if maven:
        return Maven(maven)
    java, ivy = shutil.which("java"), find_ivy()
    if java and ivy:
        return Ivy(java, ivy)
    raise ProductError(
        "neither Maven (`mvn` on PATH) nor Java with PySpark's Ivy was found: install Maven, "
        "or Java 17+ and the extra `journalspec[spark]`"
    )


def sweep(cache: Path) -> None:
    """Remove the remains of killed fetches from `cache`: directories too old for a running fetch."""
    for left in cache.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > TIMEOUT:
                remove(left)


def fetch_product(
    product: Product, fetcher: Fetcher | None = None, say: Callable[[str], None] = lambda _: None
) -> Path:
    """Fetch all jars of `product` into the cache and return its directory.

    Nothing happens if they exist and are intact. Otherwise they are fetched into a scratch directory. Every
    SHA-256 is compared, and only a complete set replaces the previous directory. Raises ProductError.
    """
    target = product_dir(product)
    if not problems(product, target):
        say(f"{product.id}: already downloaded")
        return target
    tool = fetcher or choose_fetcher()
    target.parent.mkdir(parents=True, exist_ok=True)
    sweep(target.parent)
    scratch = make_scratch(target.parent)  # The directory is next to the target, so that it can be renamed.
    try:
        fresh = scratch / "jars"
        fresh.mkdir()
        for jar in product.jars:
            say(f"{product.id}: {jar.coordinates} ({tool.name})")
            tool.fetch(jar, fresh)
            wrong = jar_problem(jar, fresh)
            if wrong:
                raise ProductError(f"{product.id}: {wrong}: discarded (delivered by {tool.name})")
        _replace(fresh, target, scratch / "old")
    finally:
        drop_scratch(scratch)
    return target


def _replace(fresh: Path, target: Path, aside: Path) -> None:
    """Replace `target` with `fresh`; a directory cannot be renamed over one that is not empty."""
    replaced = target.exists()
    try:
        if replaced:
            target.rename(aside)
        fresh.rename(target)
    except OSError as error:
        if replaced and not target.exists() and aside.exists():
            aside.rename(target)
        raise ProductError(f"{target} could not be replaced: {error}") from error
