"""Real Derby in the harness: rows recovered from a log, results on damaged logs, later runs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from captures import EXPECTED, PROVENANCE
from captures.derby_log import CAPTURE

from journalspec_conformance.connection import Connection
from journalspec_conformance.harnesses import table
from journalspec_conformance.harnesses.derby_log import programs
from journalspec_conformance.harnesses.java.tracing import Seen, TracingRefused, traced_write
from journalspec_conformance.harnesses.product import program
from journalspec_conformance.products import Product, get_product
from journalspec_corpus.derby_log.model import TableRows
from journalspec_reference.derby_log.recover import LogPass, recover
from journalspec_reference.derby_log.write import LogWriter
from journalspec_reference.storage import DirectoryStorage
from products import Connect, Every, Json, ReadyProduct, of_products

FORMAT = "derby_log"
CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured" / FORMAT
DIRECTORIES = sorted(path.parent for path in CAPTURED.glob("*/*/provenance.toml"))
PRODUCTS = CAPTURE.products()


def by_turns(first: int) -> Callable[[Any], Any]:
    """Ask every fourth product, beginning with number `first`; a whole run asks all.

    Each product takes seconds. The tests begin with different numbers, so that each product is used in some
    test.
    """
    chosen = PRODUCTS[first::4]
    names = [pytest.param(name, marks=[] if name in chosen else [pytest.mark.whole]) for name in PRODUCTS]
    return lambda test: of_products(pytest.mark.parametrize("name", names)(test))


OPEN = {"op": "open"}


def insert(key: int, value: str, tx: str = "") -> Json:
    return {"op": "insert", "table": "T", "key": str(key), "value": value, "tx": tx}


def request(product: Product, directory: Path, **members: Any) -> Json:
    common = {"format": FORMAT, "edition": product.edition, "dir": str(directory)}
    return {**common, "params": {"file_sync": "true"}, **members}


def recovered(connection: Connection, product: Product, directory: Path, **params: str) -> Json:
    question = request(product, directory, cmd="recover", policy="default", observe="state")
    question["params"] |= params
    found: Json = connection.ask(question)["ok"]
    return found


def keys(answer: Json) -> list[str]:
    return [row["key"] for row in answer["state"]["rows"]]


@pytest.fixture
def killed(connect_product: Connect, tmp_path: Path) -> Callable[[str, list[Json]], Path]:
    """Return a function that lets a product do operations, and kills it after the last one."""

    def play(name: str, ops: list[Json]) -> Path:
        directory = tmp_path / "log"
        directory.mkdir(exist_ok=True)
        connection = connect_product(name)
        asked = request(get_product(name), directory, cmd="write", step=True, ops=[OPEN, *ops])
        steps = connection.steps(asked)
        for _, answer in zip([OPEN, *ops], steps, strict=False):
            assert "refused" not in answer, answer
        steps.close()
        connection.close()
        return directory

    return play


@by_turns(0)
def test_committed_rows_are_kept_and_damage_is_reported_in_derbys_words(
    name: str, ready_product: ReadyProduct, connect_product: Connect, killed: Any
) -> None:
    """A case contains only the log. The database's pages are those of the base, for the second boot too."""
    product = ready_product(name)
    directory, connection = killed(name, [insert(1, "one"), insert(9, "open", tx="a")]), connect_product(name)
    # The second generation continues with these files.
    killed(name, [insert(2, "two")])
    assert keys(recovered(connection, product, directory)) == ["1", "2"]
    shutil.rmtree(directory)
    killed(name, [insert(1, "one"), insert(2, "two")])
    shutil.rmtree(directory / "database")
    whole = {name: (directory / name).read_bytes() for name in ("log1.dat", "log.ctrl")}
    assert keys(recovered(connection, product, directory)) == ["1", "2"]
    (directory / "log1.dat").write_bytes(whole["log1.dat"][:-1])
    torn = recovered(connection, product, directory)
    assert (torn["verdict"], keys(torn)) == ("recovered", ["1"])
    assert torn["message"].startswith("L010: Incomplete log record detected in file")
    (directory / "log1.dat").write_bytes(whole["log1.dat"])
    (directory / "log.ctrl").write_bytes(bytes(48))
    refused = recovered(connection, product, directory)
    assert (refused["verdict"], refused["code"]) == ("refused", "bad-header")
    # The process continues to the next database.
    (directory / "log.ctrl").write_bytes(whole["log.ctrl"])
    assert keys(recovered(connection, product, directory)) == ["1", "2"]


@of_products
def test_every_product_opens_databases_of_older_versions_but_not_of_newer_ones(
    ready_product: ReadyProduct, connect_product: Connect, killed: Any, every: Every, tmp_path: Path
) -> None:
    def log_of(product: Product, *ops: Json) -> Path:
        shutil.rmtree(tmp_path / "log", ignore_errors=True)
        directory: Path = killed(product.id, [*ops])
        shutil.rmtree(directory / "database")
        return directory

    products = sorted(map(ready_product, PRODUCTS), key=lambda item: tuple(map(int, item.edition.split("."))))
    products = products[:: every(3)]
    oldest, newest = products[0], products[-1]
    directory = log_of(oldest, insert(1, "one"), insert(2, "two", tx="a"), insert(3, "three"))
    for product in products:
        answer = recovered(connect_product(product.id), product, directory, base=oldest.edition)
        assert keys(answer) == ["1", "3"], product.id
    directory = log_of(newest, insert(1, "one"))
    for product in products[:-1]:
        answer = recovered(connect_product(product.id), product, directory, base=newest.edition)
        assert (answer["verdict"], answer["code"]) == ("refused", "newer-level"), product.id


@by_turns(3)
def test_harness_reports_its_missing_capabilities(
    name: str, ready_product: ReadyProduct, connect_product: Connect, tmp_path: Path
) -> None:
    product, connection = ready_product(name), connect_product(name)
    assert recovered(connection, product, tmp_path)["code"] == "no-files"
    assert "unsupported" in connection.ask(request(product, tmp_path, cmd="read"))
    assert "unsupported" in connection.ask(request(product, tmp_path, cmd="write", ops=[{"op": "rename"}]))


# Captured logs; tests for all formats check that they contain the listed rows and that products find them.


def captures(name: str, place: Path) -> Iterator[tuple[Path, Path, dict[str, str]]]:
    """Yield for each captured directory of a product: the directory, a copy of it in `place`, and its
    parameters.
    """
    for directory in DIRECTORIES:
        if directory.parent.name == name:
            copy = place / directory.name
            shutil.copytree(directory, copy, ignore=shutil.ignore_patterns(PROVENANCE, EXPECTED))
            told = tomllib.loads((directory / PROVENANCE).read_text(encoding="utf-8"))
            scenario = CAPTURE.told_in(directory).scenario
            yield directory, copy, CAPTURE.params(get_product(told["product"]), scenario)


def after(ops: list[Json], state: Json) -> Any:
    """Return the model's state after operations on `state` and the boot after them."""
    model = TableRows()
    kept = model.begin(state)
    for op in ops:
        kept = model.after(kept, op, "")
    return model.shown(kept)


@by_turns(2)
def test_product_boots_its_log_after_the_reference_has_appended_to_it(
    name: str, ready_product: ReadyProduct, connect_product: Connect, tmp_path: Path
) -> None:
    product, connection, count = ready_product(name), connect_product(name), 0
    more = [insert(901, "more"), insert(902, "open", tx="x"), {**insert(903, "und"), "table": "U"}]
    for directory, copy, params in captures(name, tmp_path):
        # The process stops without closing the log.
        writer = LogWriter(DirectoryStorage(copy), product.edition, params)
        for op in [OPEN, *more]:
            writer.apply(op)
        answer = recovered(connection, product, copy, **params)
        assert answer["verdict"] == "clean", (directory, answer)
        before = json.loads((directory / EXPECTED).read_text(encoding="utf-8"))["expect"][-1]["state"]
        assert after([], answer["state"]) == after([OPEN, *more, OPEN], before), directory
        count += 1
    assert count


@by_turns(1)
def test_product_and_reference_keep_the_same_rows_of_damaged_captures(
    name: str, ready_product: ReadyProduct, connect_product: Connect, every: Every, memory_path: Path
) -> None:
    """The last file is cut at some byte, zeroed from there, or has a hole of one sector."""
    product, connection, count = ready_product(name), connect_product(name), 0
    for directory, copy, params in captures(name, memory_path):
        files = {path.name: path.read_bytes() for path in copy.iterdir()}
        passed = LogPass(files, product.edition, "default")
        assert [*passed.batches()]
        assert passed.last is not None
        last, end = passed.last.file.name, passed.last.end.off
        checkpoint = passed.chosen.control.checkpoint if passed.chosen.control else None
        # The records with which recovery starts lie before this offset; damage there has other effects.
        start = checkpoint.position + 100 if checkpoint and last == f"log{checkpoint.number}.dat" else 24
        for at in range(start, end, max(1, (end - start) * every(48) // 80)):
            data = files[last]
            kinds = (data[:at], data[:at] + bytes(len(data) - at), data[:at] + bytes(512) + data[at + 512 :])
            for damaged in kinds:
                (copy / last).write_bytes(damaged)
                found = recovered(connection, product, copy, **params)
                predicted = recover({**files, last: damaged}, product.edition, "default", {})
                assert predicted.state is not None, predicted
                assert after([], found["state"]) == after([], predicted.to_json()["state"]), (directory, at)
                count += 1
    # A default run tests one in six damaged logs, because a boot takes sixty milliseconds.
    assert count > 300 // every(6)


# Damaged logs: the table has observations that a test repeats.


@by_turns(3)
def test_damaged_logs_are_treated_as_the_table_says(
    name: str, ready_product: ReadyProduct, every: Every
) -> None:
    """By default, the test uses only cases with control files, and a few others."""
    ready_product(name)
    begins = "c" if every(2) > 1 else ""
    command = program(get_product(name), "experiment", id=f"{begins}*")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    # The product deviates; the table has the observed result.
    assert done.returncode == 1, done.stdout + done.stderr
    every_one = table(programs.__package__, "experiments.toml")["experiment"]
    known = [entry["id"] for entry in every_one if entry["id"].startswith(begins)]
    assert len(done.stdout.splitlines()) == len(known) >= 10


# The order of writes: strace must show the order that the specification of the writer states.

#: Events: a letter for the operation, and the file. W: records. H: header. M: end marker. Z: zeros. S: fsync.
#: U: unlink of a log file. K and m: the control file and its mirror; SK and Sm: their fsyncs. p: a page; s:
#: its fsync.
BEGIN = CONTROL = r"K1 SK m1 Sm "
#: New pages are written at once (10.1 also syncs them); all pages are written and synced before the
#: checkpoint's record.
ORDERS = {
    # Each commit and the end marker get separate fsyncs; no space is preallocated.
    "true": rf"{BEGIN}(W1 S1 |p |s )+H2 S2 M1 S1 (W2 S2 |p |s )*s W2 S2 {CONTROL}U1 $",
    # Each write is durable when it returns: only the header of the new file and its zeros get an fsync.
    "false": rf"{BEGIN}(W1 |p |s )+H2 S2 M1 (Z2 )+S2 (W2 |p |s )*s W2 {CONTROL}U1 $",
}
SWITCHING = [
    OPEN,
    insert(1, "one"),
    *(insert(number, "x" * 2900) for number in range(2, 38)),
    *(insert(99, "y", tx="a"), {"op": "commit", "tx": "a"}, {"op": "checkpoint"}),
]


def letters(seen: list[Seen]) -> Iterator[str]:
    """Yield a letter for each write and sync of the log and the pages; single bytes of a header are one
    write.
    """
    header = 0
    for item in seen:
        control = {"log.ctrl": "K", "logmirror.ctrl": "m"}.get(item.file)
        number = item.file.removeprefix("log").removesuffix(".dat")
        if control:
            yield f"{control}1" if item.kind == "write" else f"S{control}"
        elif re.fullmatch(r"c[0-9a-f]+\.dat", item.file):
            yield "p" if item.kind == "write" else "s"
        elif not number.isdigit():
            continue
        elif item.kind != "write":
            yield f"{ {'sync': 'S', 'unlink': 'U'}[item.kind] }{number}"
        elif item.off == header and len(item.data) == 1:
            header = (header + 1) % 24
            if not header:
                yield f"H{number}"
        elif not any(item.data):
            yield f"{'M' if len(item.data) == 4 else 'Z'}{number}"
        else:
            yield f"W{number}"


@by_turns(3)
@pytest.mark.parametrize("file_sync", ORDERS)
def test_commits_a_switch_and_a_checkpoint_are_written_in_this_order(
    name: str, file_sync: str, ready_product: ReadyProduct, tmp_path: Path
) -> None:
    product = ready_product(name)
    if shutil.which("strace") is None:
        pytest.skip("strace is missing: the product's system calls cannot be seen")
    directory, log = tmp_path / "log", tmp_path / "trace"
    directory.mkdir()
    asked = request(product, directory, seq=1, cmd="write", ops=SWITCHING)
    asked["params"] = {"file_sync": file_sync, "log_switch_interval": "100000"}
    try:
        seen = traced_write(name, asked, directory, log)
    except TracingRefused as error:
        pytest.skip(f"strace is not permitted here: {error}")
    order = "".join(f"{letter} " for letter in letters(seen))
    assert re.match(ORDERS[file_sync], order), order
    # Each commit is one write: the commits of 37 rows, of a transaction, and of the checkpoint.
    commits = [item for item in seen if re.fullmatch(r"log\d\.dat", item.file) and len(item.data) > 37]
    assert len([item for item in commits if any(item.data)]) >= len(SWITCHING) - 2
    # The last log file is opened for synchronous writes only without `file_sync`.
    shown = log.read_text(encoding="ascii")
    opened = "".join(f"\\x{byte:02x}" for byte in b"log2.dat")
    last = [line for line in shown.splitlines() if "openat(" in line and f'{opened}"' in line][-1]
    assert ("O_DSYNC" in last or "O_SYNC" in last) == (file_sync == "false"), last
