"""Products: their data files, the cache, and fetching with a tool that delivers what we tell it to."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from journalspec.formats import get_format
from journalspec_conformance.cli.products import command
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
    is_fetched,
    problems,
    product_ids,
)
from journalspec_conformance.products.fetch import TIMEOUT, Ivy, Maven, choose_fetcher, fetch_product, sweep

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
    jars = tuple(
        Jar(
            "org.example",
            stem,
            version,
            hashlib.sha256(CONTENT[f"{stem}-{version}.jar"]).hexdigest(),
            role,
            "MIT",
        )
        for stem, version, role in (("main", "1", "product"), ("api", "2", "an API"))
    )
    return replace(get_product(product_ids()[0]), id="example-1", jars=jars)


def test_every_data_file_describes_a_product_of_a_known_format_and_edition() -> None:
    assert len(product_ids()) >= 2
    for name in product_ids():
        found = get_product(name)
        for format_id in found.formats:
            get_format(format_id).edition(found.edition)
        # Products that are not programs have files only, and unpublished ones come from the user.
        assert (found.main_jar is None) == (found.java == 0 or bool(found.own))
        assert (found.main_jar or found.jars[0]).version == found.version
        assert len({jar.sha256 for jar in found.jars}) == len(found.jars)


def test_an_unknown_product_is_reported_with_the_known_ones() -> None:
    with pytest.raises(UnknownProductError, match=r"known are .*bitronix-2\.1\.4"):
        get_product("bitronix-9")


def test_fetched_files_are_verified_and_used(cache: Path, product: Product) -> None:
    with pytest.raises(NotFetchedError, match="products fetch example-1"):
        classpath(product)
    tool = Delivery(CONTENT)
    assert fetch_product(product, tool) == cache / "example-1"
    assert tool.asked == ["org.example:main:1", "org.example:api:2"]
    assert classpath(product) == [str(cache / "example-1" / name) for name in CONTENT]
    assert sorted(path.name for path in cache.iterdir()) == ["example-1"]
    fetch_product(product, tool)
    assert len(tool.asked) == 2, "intact jars are not fetched again"


def test_a_jar_with_another_hash_is_not_taken(cache: Path, product: Product) -> None:
    with pytest.raises(ProductError, match=r"api-2.jar has SHA-256 .*not taken"):
        fetch_product(product, Delivery({**CONTENT, "api-2.jar": b"something else"}))
    assert list(cache.iterdir()) == []


def test_a_spoilt_jar_is_found_out_and_replaced(cache: Path, product: Product) -> None:
    fetch_product(product, Delivery(CONTENT))
    (cache / "example-1" / "main-1.jar").write_bytes(b"spoilt")
    assert not is_fetched(product)
    with pytest.raises(ProductError, match=r"main-1\.jar has SHA-256"):
        classpath(product)
    fetch_product(product, Delivery(CONTENT))
    assert problems(product) == []


def test_a_failed_fetch_leaves_what_was_there(cache: Path, product: Product) -> None:
    fetch_product(product, Delivery(CONTENT))
    (cache / "example-1" / "api-2.jar").unlink()
    with pytest.raises(ProductError):
        fetch_product(product, Delivery({**CONTENT, "main-1.jar": b"something else"}))
    assert sorted(path.name for path in (cache / "example-1").iterdir()) == ["main-1.jar"]


def test_maven_is_preferred_and_without_any_tool_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mvn", "java"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert isinstance(choose_fetcher(), Maven)
    (tmp_path / "mvn").unlink()
    monkeypatch.setattr("journalspec_conformance.products.fetch.find_ivy", lambda: tmp_path / "ivy.jar")
    assert choose_fetcher() == Ivy(str(tmp_path / "java"), tmp_path / "ivy.jar")
    (tmp_path / "java").unlink()
    with pytest.raises(ProductError, match="install Maven"):
        choose_fetcher()


def test_a_tool_that_fails_is_quoted(tmp_path: Path, product: Product) -> None:
    program = tmp_path / "mvn"
    program.write_text("#!/bin/sh\necho no such artefact\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(ProductError, match=r"(?s)exit 3.*no such artefact"):
        Maven(str(program)).fetch(product.jars[0], tmp_path)


def test_a_classifier_is_given_to_maven_and_names_the_file(tmp_path: Path, product: Product) -> None:
    jar = replace(product.jars[0], classifier="tests")
    assert (jar.coordinates, jar.filename) == ("org.example:main:1:tests", "main-1-tests.jar")
    program = tmp_path / "mvn"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path / "asked"}\n')
    program.chmod(0o755)
    Maven(str(program)).fetch(jar, tmp_path)
    assert "-Dartifact=org.example:main:1:jar:tests " in (tmp_path / "asked").read_text()
    with pytest.raises(ProductError, match=r"main:1:tests cannot be had with Ivy: install Maven"):
        Ivy("java", tmp_path).fetch(jar, tmp_path)


def test_the_command_lists_and_complains_without_a_traceback(cache: Path) -> None:
    run = CliRunner().invoke(command, ["list", "--json"])
    assert run.exit_code == 0
    listed = json.loads(run.output)
    assert [entry["id"] for entry in listed] == list(product_ids())
    assert not any(entry["fetched"] for entry in listed)
    assert CliRunner().invoke(command, ["list"]).exit_code == 0
    wrong = CliRunner().invoke(command, ["fetch", "nonesuch"])
    assert wrong.exit_code == 2
    assert "no product 'nonesuch'" in wrong.output
    assert not cache.exists()


def test_the_harness_says_what_is_missing(cache: Path) -> None:
    pytest.importorskip("jpype", reason="JPype is missing: install journalspec[products]")
    assert cache_dir() == cache
    with pytest.raises(LookupError, match=r"products fetch bitronix-2\.1\.4"):
        product_command("bitronix-2.1.4")


def test_every_product_has_a_harness_with_known_failures() -> None:
    entries = [entry for entry in registry().values() if entry.product]
    # A product whose format is still to come is asked by tests of its own only.
    ready = [name for name in product_ids() if get_product(name).formats]
    assert sorted(entry.product for entry in entries) == ready
    # About a version that we have never run, we know nothing.
    assert all(bool(entry.expectations) != bool(get_product(entry.product).own) for entry in entries)


@pytest.mark.skipif(os.name != "posix", reason="needs signals and a shell")
def test_a_fetch_that_is_ended_leaves_neither_files_nor_children(tmp_path: Path) -> None:
    cache, tools = tmp_path / "cache", tmp_path / "bin"
    tools.mkdir()
    tool = tools / "mvn"
    tool.write_text(f"#!/bin/sh\nsleep 300 &\necho $! > {tmp_path}/child\nwait\n")
    tool.chmod(0o700)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "JOURNALSPEC_PRODUCTS": str(cache)}
    command = [sys.executable, "-m", "journalspec_conformance", "products", "fetch", "bitronix-2.1.4"]
    for ending in (signal.SIGINT, signal.SIGTERM):
        running = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _until(lambda: (tmp_path / "child").is_file() and bool((tmp_path / "child").read_text()))
        child = int((tmp_path / "child").read_text())
        assert any(cache.iterdir())
        running.send_signal(ending)
        running.wait(30)
        _until(lambda pid=child: not any(cache.iterdir()) and not _alive(pid))  # type: ignore[misc]
        (tmp_path / "child").unlink()


def test_files_of_a_killed_fetch_are_removed_by_a_later_one(tmp_path: Path) -> None:
    for name, age in (
        ("journalspec-0123", 2 * TIMEOUT),
        ("journalspec-4567", 1),
        ("bitronix-2.1.4", 2 * TIMEOUT),
    ):
        (tmp_path / name / "jars").mkdir(parents=True)
        os.utime(tmp_path / name, (time.time() - age, time.time() - age))
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bitronix-2.1.4", "journalspec-4567"]


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_output_of_a_tool_does_not_control_the_terminal(
    cache: Path, product: Product, tmp_path: Path
) -> None:
    tool = tmp_path / "mvn"
    tool.write_text("#!/bin/sh\nprintf '\\033]0;owned\\007no\\n' >&2\nexit 3\n")
    tool.chmod(0o700)
    with pytest.raises(ProductError) as raised:
        fetch_product(product, Maven(str(tool)))
    assert "\x1b" not in str(raised.value)
    assert "owned" in str(raised.value)


def _until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False
