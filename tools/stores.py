"""Lets a published product write a store: the product is started, used, and stopped, or halted as by kill -9.

    written("kahadb", "6.1.7", end="halt")

or, for one of real size (1,200,000 messages are about 900 MB of KahaDB, 600,000 about 400 MB of Artemis):

    python tools/stores.py kahadb 6.1.7 --messages 1200000

Needs Java 17 or newer and Maven, which fetches the product and its dependencies. A store that was written
before with the same settings is taken from the cache (JOURNALSPEC_CACHE, or ~/.cache/journalspec).
"""

from __future__ import annotations

import argparse
import atexit
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).with_name("stores")
#: Seconds that Maven, or a broker, may take.
TIMEOUT = 3600
#: Options of the JVM: a broker that runs for seconds gains nothing from the slower, optimising compiler.
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
#: With more messages than this, the usual time limit does not apply.
FEW = 10_000


#: Packages of Java that products access by reflection, although newer versions of Java hide them.
OPENED = tuple(f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("lang", "nio", "util"))


class StoreError(RuntimeError):
    """A store could not be written; the message states which program failed, and how."""


@dataclass(frozen=True)
class Product:
    """The artefacts of a broker, and the program that uses the broker. An artefact without a version has that
    of the broker.

    The program `browse` starts a broker on a store and prints its messages.
    """

    program: str
    artefacts: Sequence[str]
    browse: str = ""
    #: A source file that several programs share; it is compiled as a part of each.
    common: str = ""
    #: Pairs of names: the name in the product for which the program was written, and the name in this
    #: product.
    renames: Sequence[Sequence[str]] = ()


PRODUCTS = {
    name: Product(**entry)
    for name, entry in tomllib.loads((PROGRAMS / "products.toml").read_text(encoding="utf-8")).items()
}


def cache() -> Path:
    """Return the directory of jars and stores."""
    return Path(os.environ.get("JOURNALSPEC_CACHE", Path.home() / ".cache" / "journalspec"))


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def source_of(name: str, version: str, program: str = "") -> str:
    """Return the program's source for a version: with ActiveMQ 6, JMS moved to another package."""
    files = filter(None, (program or PRODUCTS[name].program, PRODUCTS[name].common))
    text = renamed(name, "".join((PROGRAMS / file).read_text(encoding="utf-8") for file in files))
    old = name == "kahadb" and int(version.partition(".")[0]) < 6
    return text.replace("import jakarta.jms", "import javax.jms") if old else text


def renamed(name: str, text: str) -> str:
    """Return a program with the names that a product uses; see `renames`."""
    for old, new in PRODUCTS[name].renames:
        text = text.replace(old, new)
    return text


def _run(words: list[str], what: str) -> str:
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StoreError(f"{what}: {error}") from None
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise StoreError(f"{what} ended with {done.returncode}:\n{tail}")
    return done.stdout


def jars(name: str, version: str) -> Path:
    """Return a directory with the product and its dependencies, which Maven fetches the first time."""
    product = PRODUCTS[name]
    target = cache() / "brokers" / f"{name}-{version}-{digest(*product.artefacts)}"
    if target.is_dir():
        return target
    needed = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artefact}</artifactId>"
        f"<version>{own or version}</version></dependency>"
        for group, artefact, own in (f"{item}:".split(":")[:3] for item in product.artefacts)
    )
    pom = (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        f"<groupId>x</groupId><artifactId>x</artifactId><version>1</version>"
        f"<dependencies>{needed}</dependencies></project>"
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        (Path(scratch) / "pom.xml").write_text(pom, encoding="utf-8")
        fresh = Path(scratch) / "jars"
        words = ["mvn", "-q", "-B", "-f", f"{scratch}/pom.xml", "dependency:copy-dependencies"]
        _run([*words, f"-DoutputDirectory={fresh}"], f"Maven, for {name} {version}")
        _move(fresh, target)
    return target


def _move(fresh: Path, target: Path) -> None:
    """Move a complete directory to `target`, unless another process has done so meanwhile."""
    try:
        fresh.rename(target)
    except OSError:
        if not target.is_dir():
            raise


def written(name: str, version: str, *, messages: int = 500, seed: int = 1, end: str = "stop") -> Path:
    """Return the directory of a store that the product wrote, from the cache if it is there.

    Raises StoreError. The directory is shared: copy it before any change.
    """
    program = source_of(name, version)
    settings = [str(messages), str(seed), end]
    target = cache() / "stores" / f"{name}-{version}-{digest(program, *settings)}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        fresh = Path(scratch) / "store"
        java, *words = command(name, version, Path(scratch))
        quick = QUICK if messages <= FEW else ()
        _run([java, *quick, *words, str(fresh), *settings], f"{name} {version}")
        _move(fresh, target)
    return target


def browsed(name: str, version: str, store: Path) -> list[dict[str, Any]]:
    """Return the product's own view of a store that it wrote: a mapping for each message of each queue.

    Raises StoreError. The product reads a copy, because a start changes a store.
    """
    program = PRODUCTS[name].browse
    with tempfile.TemporaryDirectory(dir=cache()) as scratch:
        copy = Path(scratch) / "store"
        shutil.copytree(store, copy)
        text = _run([*command(name, version, Path(scratch), program), str(copy)], f"{name} {version}")
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def unpacked(place: Path, pattern: str) -> Path:
    """Return a temporary directory with the files of another one; .gz files are unpacked."""
    root = Path(tempfile.mkdtemp(prefix="store-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for path in (path for path in place.glob(pattern) if path.is_file()):
        target = root / path.relative_to(place).as_posix().removesuffix(".gz")
        target.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes()
        target.write_bytes(gzip.decompress(data) if path.suffix == ".gz" else data)
    return root


def command(name: str, version: str, scratch: Path, program: str = "") -> list[str]:
    """Return the command of a product's program without arguments; its source is written to `scratch`."""
    source = scratch / (program or PRODUCTS[name].program)
    source.write_text(source_of(name, version, program), encoding="utf-8")
    return ["java", "-Xmx2g", *OPENED, "-cp", f"{jars(name, version)}/*", str(source)]


def main() -> None:
    """Write a store, or find it in the cache, and print its path."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("product", choices=PRODUCTS)
    parser.add_argument("version")
    parser.add_argument("--messages", type=int, default=500, help="messages, or rows of a database")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--end", choices=("stop", "halt"), default="halt", help="how the product ends")
    given = parser.parse_args()
    print(written(given.product, given.version, messages=given.messages, seed=given.seed, end=given.end))


if __name__ == "__main__":
    main()
