"""The harness of the SwiftMQ store runs with a fake class path, because the product is not published.

The client library is the published one. The fake store only stores a text.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance import connect
from journalspec_conformance.connection import Connection
from journalspec_conformance.errors import Breakdown, Problem
from journalspec_conformance.harnesses.product import Exceptions, serving
from journalspec_conformance.harnesses.swiftmq_store.harness import settings
from journalspec_conformance.products import ProductError, classpath, get_product, own_classpath
from journalspec_conformance.running import parse_impl
from journalspec_corpus.swiftmq_store.author import message
from judged import call
from products import Every, Json, ReadyProduct, of_products
from products import asked as question

PRODUCT, OWN = "swiftmq-13.1.2", "JOURNALSPEC_SWIFTMQ_STORE"
FAKE = Path(__file__).parent / "fake_swiftmq"
Ask = Callable[..., Json]


@pytest.fixture(scope="module")
def fake(ready_product: ReadyProduct, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a class path with a store that only stores a text."""
    product = ready_product(PRODUCT)
    compiler = shutil.which("javac")
    if compiler is None:
        pytest.skip("no Java compiler on PATH: install a JDK")
    place = tmp_path_factory.mktemp("classes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OWN, str(place))
        jars = os.pathsep.join(classpath(product))
    sources = map(str, sorted(FAKE.glob("*.java")))
    done = subprocess.run(
        [compiler, "-cp", jars, "-d", str(place), *sources], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return place


@pytest.fixture(scope="module")
def connection(fake: Path) -> Iterator[Connection]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OWN, str(fake))
        made = connect.to(serving(PRODUCT), timeout=30)
        yield made
        made.close()


def asked(connection: Connection, directory: Path, cmd: str = "recover", **members: Any) -> Json:
    members = {**({"policy": "default"} if cmd == "recover" else {}), **members}
    return question(connection, directory, "swiftmq_store", "13", cmd=cmd, **members)


def store(directory: Path, *lines: str) -> Path:
    (directory / "db").mkdir()
    (directory / "db" / "page.db").write_text("".join(f"{line}\n" for line in lines))
    return directory


@of_products
def test_answer_has_the_content_of_the_store(connection: Connection, tmp_path: Path) -> None:
    data = message("told*20")
    lines = [f"message b 3 4 2 99 {data.hex()}", "message b 5 9 1 0 unreadable", "queue a", "durable c n t"]
    before = sorted(store(tmp_path, *lines).rglob("*"))
    answer = asked(connection, tmp_path)["ok"]
    names = ("key", "priority", "deliveries", "expiration", "length", "sha256")
    read = dict(
        zip(names, ("3", "4", "2", "99", str(len(data)), hashlib.sha256(data).hexdigest()), strict=True)
    )
    unread = dict(zip(names, ("5", "9", "1", "0", "0"), strict=False))
    assert answer["verdict"] == "recovered"
    assert answer["message"] == "bad-message: messages that cannot be read: 1"
    assert answer["state"] == {
        "queues": [
            {"name": b"a".hex(), "messages": []},
            {"name": b"b".hex(), "messages": [read, unread]},
        ],
        "in_doubt": [],
        "durables": [{"client": "c", "name": "n", "topic": "t", "no_local": True}],
    }
    assert sorted(tmp_path.rglob("*")) == before, "a start is made in a copy"


@of_products
def test_warning_gives_recovered_and_exception_gives_refused(connection: Connection, tmp_path: Path) -> None:
    store(tmp_path, "warn Queue Store orders is inconsistent - removed!", "warn of something else")
    answer = asked(connection, tmp_path)["ok"]
    said = "queue-dropped: Queue Store orders is inconsistent - removed!"
    assert (answer["verdict"], answer["message"]) == ("recovered", said)
    for text, code in (
        ("get pageNo 7 is out of range [0..3]", "bad-root"),
        ("odd", "exception:RuntimeException"),
    ):
        (tmp_path / "db" / "page.db").write_text(f"throw {text}\n")
        refused = asked(connection, tmp_path)["ok"]
        assert (refused["verdict"], refused["phase"], refused["code"]) == ("refused", "replay", code)
        assert text in refused["message"]


@of_products
@pytest.mark.parametrize(("line", "told"), [("exit", "ended"), ("hang", "within")])
def test_store_that_ends_the_process_or_hangs_is_a_breakdown(
    line: str, told: str, fake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OWN, str(fake))
    made = connect.to(serving(PRODUCT), timeout=4)
    with pytest.raises(Breakdown, match=told):
        asked(made, store(tmp_path, line))
    made.close()


@of_products
def test_refusal_reports_lack_of_memory_and_the_next_question_is_answered(
    connection: Connection, tmp_path: Path
) -> None:
    refused = asked(connection, store(tmp_path, "memory"))["ok"]
    assert (refused["verdict"], refused["code"]) == ("refused", "exception:OutOfMemoryError")
    (tmp_path / "db" / "page.db").write_text("queue a\n")
    assert asked(connection, tmp_path)["ok"]["verdict"] == "clean"
    assert connection.late() is None


@of_products
def test_harness_answers_a_thousand_questions(connection: Connection, every: Every, tmp_path: Path) -> None:
    """After some hundreds of questions the harness starts a new JVM."""
    store(tmp_path, "queue a")
    for _ in range(1000 // every(3)):
        answer = asked(connection, tmp_path)["ok"]
        assert (answer["verdict"], len(answer["state"]["queues"])) == ("clean", 1)


@of_products
def test_harness_performs_operations_as_a_router_does(connection: Connection, tmp_path: Path) -> None:
    first, second = message("first*20").hex(), message("second*20").hex()
    branch = {"gtrid": "0102", "bqual": "03"}

    def insert(queue: str, text: str, **tx: str) -> Json:
        return {"op": "insert", "queue": queue, "message": text, **tx}

    ops = [
        {"op": "open"},
        insert("a", first),
        insert("a", second, tx="1"),
        insert("b", first, tx="2"),
        {"op": "remove", "queue": "a", "key": "0", "tx": "2"},
        {"op": "commit", "tx": ["1", "2"]},
        insert("a", first, tx="3"),
        {"op": "rollback", "tx": "3"},
        insert("c", second, tx="4"),
        {"op": "prepare", "tx": "4", "format_id": "7", **branch},
        {"op": "decide", "commit": False, **branch},
        {"op": "checkpoint"},
        {"op": "close"},
    ]
    answer = asked(connection, tmp_path, "write", ops=ops, params={"page_size": "4096", "force_sync": "true"})
    assert answer["ok"]["refusals"] == []
    assert answer["ok"]["durable"] == [str(number) for number in (0, 1, 5, 7, 9, 10, 11, 12)]
    log = (tmp_path / "log" / "transaction.log").read_text().splitlines()
    assert log[0] == "page size 4096, force-sync true, backup"
    # The commit of two transactions is one batch; before a checkpoint, no transaction is open.
    assert [line for line in log if line.startswith("batch of 2")] == ["batch of 2"]
    assert log[-2:] == ["checkpoint, active 0", "shutdown"]
    assert "abort a" in log
    queues = asked(connection, tmp_path)["ok"]["state"]["queues"]
    held = {bytes.fromhex(each["name"]): [one["sha256"] for one in each["messages"]] for each in queues}
    one, two = (hashlib.sha256(bytes.fromhex(text)).hexdigest() for text in (first, second))
    assert held == {b"a": [two], b"b": [one], b"c": []}


@of_products
def test_missing_capabilities_are_reported(connection: Connection, tmp_path: Path) -> None:
    assert asked(connection, tmp_path, "read")["unsupported"]["what"] == "operation"
    assert asked(connection, tmp_path, policy="strict")["unsupported"]["what"] == "policy:strict"
    swap = [{"op": "open"}, {"op": "swap", "queue": "a", "message": ""}]
    assert "'swap'" in asked(connection, tmp_path, "write", ops=swap)["unsupported"]["message"]
    away = [{"op": "open"}, {"op": "remove", "queue": "a", "key": "9"}]
    assert "no key 9" in asked(connection, tmp_path, "write", ops=away)["unsupported"]["message"]


@of_products
def test_harness_answers_all_cases_of_the_format(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake store cannot read real bytes, so every case fails; none of the results is an error."""
    monkeypatch.setenv(OWN, str(fake))
    chosen = ("--format", "swiftmq_store", "--select", "smq.branches.*")
    assert "error:" not in call("run", "--impl", "swiftmq", *chosen, status=1).output


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("", "not published anywhere: put the class path of your copy into"),
        ("/nonesuch.jar", "nothing at /nonesuch.jar"),
    ],
)
def test_invalid_class_path_is_refused_with_a_reason(
    value: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OWN, value)
    with pytest.raises(ProductError, match=told):
        own_classpath(get_product(PRODUCT))
    with pytest.raises(Problem, match=told):
        parse_impl("swiftmq")


@of_products
def test_class_path_without_a_store_is_refused(ready_product: ReadyProduct, tmp_path: Path) -> None:
    ready_product(PRODUCT)
    done = subprocess.run(
        serving(PRODUCT), env={**os.environ, OWN: str(tmp_path)}, input=b"", capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"the class path has no store (com.swiftmq.impl.store.standard.StoreSwiftletImpl)" in done.stderr


def test_entries_of_a_class_path_are_expanded_as_java_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b.jar", "a.jar", "c.txt"):
        (tmp_path / name).touch()
    monkeypatch.setenv(OWN, os.pathsep.join([str(tmp_path / "*"), str(tmp_path)]))
    found = [tmp_path / "a.jar", tmp_path / "b.jar", tmp_path]
    assert own_classpath(get_product(PRODUCT)) == [*map(str, found)]


def test_parameters_of_a_request_override_the_configuration(tmp_path: Path) -> None:
    found = settings(tmp_path, {"page_size": "8192", "force_sync": "false"}, tmp_path / "x")
    database = found["database"]
    assert database["page-size-current"] == database["page-size-recommended"] == ("Integer", "8192")
    assert found["transaction-log"]["force-sync"] == ("Boolean", "false")
    assert found["transaction-log"]["checkpoint-size"] == ("Long", "1048576")
    assert found["swap"]["path"][1] == str(tmp_path / "swap")
    assert found["backup"]["path"][1] == str(tmp_path / "x")


def test_only_warnings_about_damage_become_notes() -> None:
    found = Exceptions("journalspec_conformance.harnesses.swiftmq_store").notes
    assert found(["pageNo 4 seems to be damaged!", "shrunk"]) == ["bad-page: pageNo 4 seems to be damaged!"]
