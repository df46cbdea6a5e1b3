"""The command that shows deviations, tested without a product: when a deviation counts as shown, and exit
statuses.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from journalspec.deviations import Deviation, Show, deviations
from journalspec_conformance import showing
from journalspec_conformance.connect import in_process
from journalspec_conformance.connection import Connection
from journalspec_conformance.errors import Problem
from journalspec_conformance.harnesses.java.tracing import Seen
from journalspec_conformance.products import Product
from journalspec_conformance.showing import Shown, Showroom, overall
from judged import call
from tables import table

FORMAT = "bitronix_tlog"
PRODUCT = "bitronix-2.1.4"
START = "btm.clean.empty"
RECOVER = {"cmd": "recover", "policy": "strict"}
WRITE = {"cmd": "write", "ops": [{"op": "open"}, {"op": "close"}]}


class ReferenceRoom(Showroom):
    """A room in which every product is the reference, which has no deviation at all."""

    def connect(self, product: Product) -> Connection:
        return in_process("journalspec_conformance.harnesses.reference:Reference")


@pytest.fixture
def room() -> Iterator[ReferenceRoom]:
    made = ReferenceRoom()
    yield made
    made.close()


#: Any deviation, with an id that does not exist.
ANY = replace(deviations(FORMAT)[0], id="BTM-DEV-999", cases=(START,))


def deviation(**data: Any) -> Deviation:
    way = next(way for way in ("case", "steps", "trace", "program", "none") if way in data)
    table = {"products": [PRODUCT], "demands": "this", **data} if way != "none" else data
    return replace(ANY, show=(Show(way, table),))


def shown(room: Showroom, **data: Any) -> Shown:
    (result,) = room.show(FORMAT, deviation(**data), PRODUCT)
    return result


@pytest.mark.parametrize(("check", "answer"), table("judging")["showing"]["checked"])
def test_check_compares_a_value_of_an_answer(
    room: ReferenceRoom, check: Mapping[str, Any], answer: bool
) -> None:
    result = shown(room, start=START, steps=[RECOVER, WRITE], seen=[check])
    assert result.shown is answer
    assert result.demanded == ("this",)


def test_deviation_is_shown_only_if_all_checks_hold(room: ReferenceRoom) -> None:
    good, bad = ({"answer": 0, "at": "verdict", "is": verdict} for verdict in ("clean", "refused"))
    assert shown(room, start=START, steps=[RECOVER], seen=[good]).shown is True
    assert shown(room, start=START, steps=[RECOVER], seen=[good, bad]).shown is False


def test_next_step_reads_the_bytes_that_the_previous_step_wrote(room: ReferenceRoom) -> None:
    put = {"cmd": "put", "file": "btm1.tlog", "off": 0, "hex": "00"}
    refused = {"answer": 1, "at": "verdict", "is": "refused"}
    assert shown(room, start=START, steps=[put, RECOVER], seen=[refused]).shown is True
    aside = {**WRITE, "ops": [{"op": "open"}]}
    state = {"file": "btm1.tlog", "off": 12, "hex": "ff"}
    assert shown(room, start=START, steps=[aside], seen=[state]).shown is True
    clean = {"answer": 0, "at": "verdict", "is": "clean"}
    assert shown(room, start=START, steps=[RECOVER | {"aside": True}], seen=[state]).shown is False
    assert shown(room, start=START, steps=[RECOVER | {"aside": True}], seen=[clean]).shown is True


def test_deviation_is_shown_only_by_the_listed_failure_of_its_case(room: ReferenceRoom) -> None:
    result = shown(room, case=START, op="recover.strict", fails="records:missing")
    assert (result.shown, result.verdict) == (False, "not shown")
    assert any("permitted" in line for line in result.demanded)
    assert shown(room, case=START, op="recover.strict", fails="pass").shown is True
    with pytest.raises(Problem, match="is not asked"):
        shown(room, case=START, op="write", fails="verdict")


@pytest.mark.parametrize(("texts", "answer"), table("judging")["showing"]["traced"])
def test_trace_shows_texts_that_are_present_and_texts_that_are_absent(
    room: ReferenceRoom, monkeypatch: pytest.MonkeyPatch, texts: dict[str, str], answer: bool
) -> None:
    write, sync = Seen("write", "a.log", 0, b"abcd"), Seen("sync", "a.log")
    seen = [write, sync, Seen("rename", "a.log", target="b.log")]
    monkeypatch.setattr(showing, "traced_write", lambda *_: seen)
    monkeypatch.setattr("shutil.which", lambda _: "strace")
    assert shown(room, trace=[{"op": "open"}], edition="2.1", **texts).shown is answer
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert shown(ReferenceRoom(), trace=[{"op": "open"}], edition="2.1", **texts).shown is None


@pytest.mark.parametrize(("status", "answer"), [(1, True), (0, False), (2, None)])
def test_exit_status_of_a_program_shows_a_deviation(
    room: ReferenceRoom, monkeypatch: pytest.MonkeyPatch, status: int, answer: bool | None
) -> None:
    tried = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        tried.append(command)
        return subprocess.CompletedProcess(command, status, "seen\n", "")

    monkeypatch.setattr("subprocess.run", run)
    assert shown(room, program="races", arguments=["--x"], tries=3).shown is answer
    assert len(tried) == (3 if answer is False else 1)
    assert tried[0][-3:] == ["--product", PRODUCT, "--x"]


def test_product_without_the_deviation_is_refused(room: ReferenceRoom) -> None:
    with pytest.raises(Problem, match="not shown on 'hornetq'"):
        list(room.show(FORMAT, deviation(case=START, op="read", fails="x"), "hornetq"))


def test_exit_status_reports_not_shown_before_not_tried() -> None:
    yes, no, untried = (Shown("D", "p", "asked", (), (), answer, 0.1) for answer in (True, False, None))
    assert overall([yes]) == 0
    assert overall([yes, no, untried]) == 1
    assert overall([yes, untried]) == overall([]) == 3


def test_command_reports_deviations_that_it_could_not_try(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JOURNALSPEC_PRODUCTS", str(tmp_path))
    made = deviation(case=START, op="read", fails="verdict")
    monkeypatch.setattr(showing, "deviations", lambda name: (made,) if name == FORMAT else ())
    assert "not tried" in call("products", "show", made.id, status=3).output
    text = call("products", "show", made.id, "--json", status=3).output
    assert json.loads(text)[0]["verdict"] == "not tried"
    if "JPype" not in text:
        assert f"journalspec products fetch {PRODUCT}" in text
    monkeypatch.setattr(showing, "deviations", lambda name: (deviation(none="too old"),))
    assert "too old" in call("products", "show", made.id, status=3).output
