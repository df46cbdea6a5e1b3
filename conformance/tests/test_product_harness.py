"""The harnesses of products: refusals, order of files, captures, and behaviour that is visible only in the
files.
"""

from __future__ import annotations

import shutil
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from captures.bitronix_tlog import asked_records

from journalspec.formats import get_format
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.harnesses import registry
from journalspec_conformance.harnesses.bitronix_tlog.harness import CORRUPTED, pair_of, status_names
from journalspec_conformance.harnesses.bitronix_tlog.programs import covered
from journalspec_conformance.harnesses.java.jvm import Thrown
from journalspec_conformance.harnesses.product import Exceptions, program
from journalspec_conformance.running import parse_impl
from journalspec_corpus.load import find_case
from products import Connect, ReadyProduct, asked, of_products
from tables import table

CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured" / "bitronix_tlog"
STATE_AT = 12

THROWN = [
    (format_id, when, thrown, refusal)
    for format_id, phases in table("thrown").items()
    for when, rows in phases.items()
    for thrown, refusal in rows.items()
]


@pytest.mark.parametrize(("format_id", "when", "said", "wanted"), THROWN)
def test_exceptions_of_products_are_mapped_to_codes(
    format_id: str, when: str, said: str, wanted: str
) -> None:
    """Any other exception keeps its name, which is not a code of the specification."""
    exceptions = Exceptions(f"journalspec_conformance.harnesses.{format_id}")
    name, _, rest = said.partition(": ")
    text, _, methods = rest.removesuffix("]").rpartition(" [")
    kind = {"corrupted": CORRUPTED, "io": "java.io.IOException"}.get(name, f"java.lang.{name}")
    refusal = exceptions.refusal(Thrown(kind, text, tuple(methods.split())), when)
    assert f"{refusal['phase']}/{refusal['code']}" == wanted
    assert (refusal["code"] in get_format(format_id).codes) != refusal["code"].startswith("exception:")


def test_cause_of_a_plain_exception_gives_the_code() -> None:
    exceptions = Exceptions("journalspec_conformance.harnesses.jboss_journal")
    thrown = Thrown("java.lang.Exception", "", ("readJournalFile",), "java.lang.NegativeArraySizeException")
    assert exceptions.refusal(thrown, "load")["code"] == "exception:NegativeArraySizeException"


def test_status_numbers_of_bitronix_have_their_names() -> None:
    assert sorted(status_names()) == list(range(10))


@pytest.mark.parametrize(
    ("names", "pair"),
    [
        ("", "btm1 btm2"),
        ("btm2", "btm1 btm2"),
        ("log10 log2", "log2 log10"),
        ("btm1 btm2 btm3", "btm1 btm2"),
    ],
)
def test_first_two_files_of_any_name_are_a_pair(names: str, pair: str, tmp_path: Path) -> None:
    for name in names.split():
        (tmp_path / f"{name}.tlog").touch()
    assert pair_of(tmp_path) == tuple(f"{name}.tlog" for name in pair.split())


def test_file_that_becomes_active_again_has_only_new_records() -> None:
    def logged(gtrid: str, active: str, kind: str = "COMMITTING", **said: Any) -> tuple[Any, dict[str, Any]]:
        op = {"op": "log", "type": kind, "names": ["b", "a", "b"], "gtrid": gtrid}
        return op, {"step": "0", "durable": False, "active": active, **said}

    opened = ({"op": "open"}, {"step": "0", "durable": False, "active": "btm1.tlog"})
    refused = logged("03", "btm2.tlog", refused={"code": "does-not-fit"})
    history = [
        opened,
        logged("01", "btm1.tlog"),
        logged("02", "btm2.tlog"),
        refused,
        logged("04", "btm1.tlog"),
    ]
    found = asked_records(history)
    assert found["btm1.tlog"] == [{"type": "COMMITTING", "gtrid": "04", "names": ["a", "b"]}]
    assert [entry["gtrid"] for entry in found["btm2.tlog"]] == ["02"]
    empty = asked_records([logged("05", "btm1.tlog", "ACTIVE")], filtered=True)
    assert empty == {"btm1.tlog": [], "btm2.tlog": []}


@of_products
@pytest.mark.parametrize("name", ["bitronix-2.1.2", "bitronix-2.1.4", "bitronix-3.0.0-mk1"])
def test_recovery_writes_only_the_state_byte(name: str, connect_product: Connect, tmp_path: Path) -> None:
    source = CAPTURED / name / "basic-clean"
    work = tmp_path / "work"
    shutil.copytree(source, work)
    assert asked(connect_product(name), work, "bitronix_tlog", "2.1")["ok"]["state"]["active"] == "btm1.tlog"
    before, after = (bytearray((place / "btm1.tlog").read_bytes()) for place in (source, work))
    assert (before[STATE_AT], after[STATE_AT]) == (0, 255)
    after[STATE_AT] = 0
    assert after == before
    assert (work / "btm2.tlog").read_bytes() == (source / "btm2.tlog").read_bytes()


def test_record_is_covered_if_it_ends_at_or_before_the_tail() -> None:
    gtrid = b"T000-000001"
    record_end = 30 + len(gtrid) + 13
    content = bytearray(100)
    content[30 : 30 + len(gtrid)] = gtrid
    for tail, answer in ((record_end - 1, False), (record_end, True), (21, False), (100, True)):
        content[13:21] = tail.to_bytes(8, "big")
        assert covered(bytes(content), gtrid) is answer
    assert not covered(bytes(content), b"T000-000002")


@of_products
def test_sequential_writer_covers_every_synced_record(ready_product: ReadyProduct) -> None:
    """The concurrent writer can miss records too, but only by chance, so it is not tested."""
    command = program(ready_product("bitronix-2.1.4"), "races", rounds="40")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "0 of 160 fsynced records" in done.stdout


@of_products
@pytest.mark.parametrize("name", ["hornetq", "artemis"])
def test_unsynced_part_of_a_transaction_is_lost(name: str, ready_product: ReadyProduct) -> None:
    """A COMMIT counts only the records of its own file (JBM-DEV-015), so the product does not notice a lost
    record.
    """
    ready_product(registry()[name].product)
    case = find_case("jbm.prepares.first-part-lost-v2")
    (probe,) = (probe for probe in case.probes if probe.id.endswith("/recover.strict"))
    with closing(Engine(parse_impl(name).connect(timeout=60), Options(timeout=60))) as engine:
        assert engine.run(probe).result_class == "pass"
