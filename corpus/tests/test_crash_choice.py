"""What second lives begin with: chosen by the compiled engine and by the one in Python, the same states.

The compiled engine's functions are interpreted here, in a process of its own, as in ``test_crash_engine.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from journalspec_corpus.crash import second_crash
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.persistence import get_preset
from journalspec_corpus.crash.second_crash import FIRST_CRASH, SEED, ChosenImages
from journalspec_corpus.crash.switches import ENGINE_SWITCH, KERNEL_SWITCH, engine_asked
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.pipeline.plan import Plan

numba = pytest.importorskip("numba")
PRESETS = tuple(map(get_preset, FIRST_CRASH))
#: Format -> (kinds of workloads, life): one trace of each is looked at.
LOOKED_AT = {
    "bitronix_tlog": (("append", 1), ("swap", 1), ("again", 2)),
    "jboss_journal": (("append", 1), ("compact", 1), ("again", 2)),
}
TIMEOUT = 900


def traces(format_id: str) -> list[Trace]:
    """Return one trace of each kind that is looked at, neither short nor long."""
    adapter = crash_format(format_id)
    lives = [adapter.build(work) for work in Plan(format_id, "core", every=31).workloads()]
    lives += [adapter.build(work) for work in Plan(format_id, "full", every=499).workloads()]
    found = []
    for kind, life in LOOKED_AT[format_id]:
        mine = [each for each in lives if each.tags["kind"] == kind and each.life == life and each.ops]
        assert mine, f"no {kind}"
        found.append(sorted(mine, key=lambda each: (len(each.ops), each.name))[len(mine) // 2])
    return found


def said(chosen: ChosenImages) -> tuple[Any, ...]:
    """Return all that is known of chosen states."""
    return chosen.images, [list(image.files) for image in chosen.images], dict(chosen.left_out), chosen.fine


def compared(format_id: str, fault: str) -> dict[str, Any]:
    """Return of which traces the two ways choose other states, and how many states there were."""
    from journalspec_corpus.crash import engine_choice  # it needs Numba

    differing, count, refused = [], 0, 0
    with pytest.MonkeyPatch.context() as patch:
        if fault == "id":
            patch.setattr(engine_choice, "promise", lambda *_: b"")
        if fault == "order":
            patch.setattr(engine_choice.ClassedStates, "smallest", lambda _, rows, most: rows[:most])
        for trace in traces(format_id):
            made = engine_choice.classed_states(trace, PRESETS, SEED)
            assert made is not None
            for gone in (False, True):
                plain = said(second_crash._choose_plainly(trace, PRESETS, gone))
                fast = said(second_crash._choose_among(made, gone))
                differing += [] if plain == fast else [trace.name]
                count += len(plain[0])
                refused += plain[2]["refusal-required"]
    return {"differing": differing, "states": count, "refused": refused}


def interpreted(*arguments: str) -> Any:
    """Return what :func:`compared` gives where nothing is compiled."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore", ENGINE_SWITCH: "0"}
    environment["PYTHONPATH"] = os.pathsep.join(part for part in sys.path if part)
    done = subprocess.run(
        [sys.executable, __file__, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("format_id", sorted(LOOKED_AT))
def test_both_ways_choose_the_same_states(format_id: str) -> None:
    found = interpreted(format_id, "")
    assert found["differing"] == []
    assert found["states"] > 20


@pytest.mark.parametrize("fault", ["id", "order"])
def test_a_fault_in_the_choice_is_seen(fault: str) -> None:
    assert interpreted("bitronix_tlog", fault)["differing"]


def test_the_switches_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}
    for engine in ("0", "1"):
        for kernel in ("0", "1"):
            monkeypatch.setenv(ENGINE_SWITCH, engine)
            monkeypatch.setenv(KERNEL_SWITCH, kernel)
            asked[engine, kernel] = engine_asked()
    assert asked == {("0", "0"): False, ("0", "1"): False, ("1", "0"): False, ("1", "1"): True}


if __name__ == "__main__":
    print(json.dumps(compared(*sys.argv[1:])))
