"""Products: their data files, the cache, and downloads with a fake tool that delivers chosen files."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from journalspec.formats import get_format
from journalspec_conformance.harnesses import registry
from journalspec_conformance.harnesses.product import command as product_command
from journalspec_conformance.products import (
    Jar,
    NotFetchedError,
    Product,
    ProductError,
    UnknownProductError,
    cache_dir,
    classpath,
    get_product,
    problems,
    product_ids,
)
from journalspec_conformance.products.fetch import TIMEOUT, Ivy, Maven, choose_fetcher, fetch_product, sweep
from judged import PROGRAM, call
from programs import alive, until

CONTENT = {"main-1.jar": b"the product", "api-2.jar": b"what it needs"}


@dataclass
class Delivery:
    """A tool that delivers `files`."""

    files: dict[str, bytes]
    name: str = "a test"
    asked: list[str] = field(default_factory=list)

    def fetch(self, jar: Jar, folder: Path) -> None:
        self.asked.append(jar.coordinates)
        (folder / jar.filename).write_bytes(self.files[jar.filename])


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOURNALSPEC_PRODUCTS", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def product() -> Product:
    def jar(stem: str, version: str, role: str) -> Jar:
        digest = hashlib.sha256(CONTENT[f"{stem}-{version}.jar"]).hexdigest()
        return Jar("org.example", stem, version, digest, role, "MIT")

    jars = (jar("main", "1", "product"), jar("api", "2", "an API"))
    return replace(get_product(product_ids()[0]), id="example-1", jars=jars)


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Maven]:
    """Return a function that puts a shell script of this name first on PATH."""
    if os.name != "posix":
        pytest.skip("needs a shell")
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")

    def made(script: str, name: str = "mvn") -> Maven:
        program = place / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return Maven(str(program))

    return made


def test_every_data_file_describes_a_product_of_a_known_format_and_edition() -> None:
    assert len(product_ids()) >= 2
    for name in product_ids():
        found = get_product(name)
        for format_id in found.formats:
            get_format(format_id).edition(found.edition)
        # Products without programs have only files here, and users supply unpublished products.
        assert (found.main_jar is None) == (found.java == 0 or bool(found.own))
        assert (found.main_jar or found.jars[0]).version == found.version
        assert len({jar.sha256 for jar in found.jars}) == len(found.jars)


def test_unknown_product_is_reported_with_the_known_ones() -> None:
    with pytest.raises(UnknownProductError, match=r"known are .*bitronix-2\.1\.4"):
        get_product("bitronix-9")


def test_fetched_files_are_verified_and_used(cache: Path, product: Product) -> None:
    with pytest.raises(NotFetchedError, match="products fetch example-1"):
        classpath(product)
    delivery = Delivery(CONTENT)
    assert fetch_product(product, delivery) == cache / "example-1"
    assert delivery.asked == ["org.example:main:1", "org.example:api:2"]
    assert classpath(product) == [str(cache / "example-1" / name) for name in CONTENT]
    assert sorted(path.name for path in cache.iterdir()) == ["example-1"]
    fetch_product(product, delivery)
    assert len(delivery.asked) == 2, "intact jars are not fetched again"


def test_jar_with_another_hash_is_refused(cache: Path, product: Product) -> None:
    with pytest.raises(ProductError, match=r"api-2.jar has SHA-256 .*discarded"):
        fetch_product(product, Delivery({**CONTENT, "api-2.jar": b"something else"}))
    assert list(cache.iterdir()) == []


def test_modified_jar_is_detected_and_replaced(cache: Path, product: Product) -> None:
    fetch_product(product, Delivery(CONTENT))
    (cache / "example-1" / "main-1.jar").write_bytes(b"spoilt")
    assert problems(product)
    with pytest.raises(ProductError, match=r"main-1\.jar has SHA-256"):
        classpath(product)
    fetch_product(product, Delivery(CONTENT))
    assert problems(product) == []
    (cache / "example-1" / "api-2.jar").unlink()
    with pytest.raises(ProductError):
        fetch_product(product, Delivery({**CONTENT, "main-1.jar": b"something else"}))
    assert sorted(path.name for path in (cache / "example-1").iterdir()) == ["main-1.jar"]


def test_maven_is_preferred_and_a_missing_tool_is_reported(
    tool: Callable[..., Maven], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool("", "mvn")
    tool("", "java")
    place = tmp_path / "bin"
    monkeypatch.setenv("PATH", str(place))
    assert isinstance(choose_fetcher(), Maven)
    (place / "mvn").unlink()
    monkeypatch.setattr("journalspec_conformance.products.fetch.find_ivy", lambda: tmp_path / "ivy.jar")
    assert choose_fetcher() == Ivy(str(place / "java"), tmp_path / "ivy.jar")
    (place / "java").unlink()
    with pytest.raises(ProductError, match="install Maven"):
        choose_fetcher()


def test_error_of_a_tool_is_quoted_without_control_characters(
    tool: Callable[..., Maven], cache: Path, product: Product
) -> None:
    with pytest.raises(ProductError, match=r"(?s)exit 3.*no such artefact") as raised:
        fetch_product(product, tool("echo no such artefact; printf '\\033]0;owned\\007no\\n' >&2; exit 3"))
    assert "owned" in str(raised.value)
    assert "\x1b" not in str(raised.value)


def test_classifier_is_passed_to_maven_and_is_part_of_the_file_name(
    tool: Callable[..., Maven], tmp_path: Path, product: Product
) -> None:
    jar = replace(product.jars[0], classifier="tests")
    assert (jar.coordinates, jar.filename) == ("org.example:main:1:tests", "main-1-tests.jar")
    tool(f'echo "$@" > {tmp_path / "asked"}').fetch(jar, tmp_path)
    assert "-Dartifact=org.example:main:1:jar:tests " in (tmp_path / "asked").read_text()
    with pytest.raises(ProductError, match=r"main:1:tests cannot be fetched with Ivy: install Maven"):
        Ivy("java", tmp_path).fetch(jar, tmp_path)


def test_command_lists_products_and_reports_errors_without_a_traceback(cache: Path) -> None:
    listed = json.loads(call("products", "list", "--json", status=0).output)
    assert [entry["id"] for entry in listed] == list(product_ids())
    assert not any(entry["fetched"] for entry in listed)
    call("products", "list", status=0)
    assert "no product 'nonesuch'" in call("products", "fetch", "nonesuch", status=2).output
    assert not cache.exists()


def test_harness_reports_missing_files(cache: Path) -> None:
    pytest.importorskip("jpype", reason="JPype is missing: install journalspec[products]")
    assert cache_dir() == cache
    with pytest.raises(LookupError, match=r"products fetch bitronix-2\.1\.4"):
        product_command("bitronix-2.1.4")


def test_every_product_has_a_harness_and_an_expectation_file() -> None:
    entries = [entry for entry in registry().values() if entry.product]
    # Only its own tests use a product whose format does not exist yet.
    ready = [name for name in product_ids() if get_product(name).formats]
    assert sorted(entry.product for entry in entries) == ready
    # A version without a recorded run has no expectations.
    assert all(bool(entry.expectations) != bool(get_product(entry.product).own) for entry in entries)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_fetch_leaves_no_files_and_no_child_processes(
    ending: signal.Signals, tool: Callable[..., Maven], cache: Path, tmp_path: Path
) -> None:
    told = tmp_path / "child"
    tool(f"sleep 300 &\necho $! > {told}\nwait")
    running = subprocess.Popen(
        [*PROGRAM, "products", "fetch", "bitronix-2.1.4"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert until(lambda: told.is_file() and told.read_text())
    assert any(cache.iterdir())
    running.send_signal(ending)
    running.wait(30)
    assert until(lambda: not any(cache.iterdir()) and not alive(int(told.read_text())))


def test_files_of_a_killed_fetch_are_removed_by_a_later_one(tmp_path: Path) -> None:
    """Old directories of downloads are removed; a young one may belong to a download that still runs."""
    old, young = time.time() - 2 * TIMEOUT, time.time() - 1
    for name, begun in (("journalspec-0123", old), ("journalspec-4567", young), ("bitronix-2.1.4", old)):
        (tmp_path / name / "jars").mkdir(parents=True)
        os.utime(tmp_path / name, (begun, begun))
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bitronix-2.1.4", "journalspec-4567"]
