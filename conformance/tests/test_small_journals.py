"""The cost of `inspect` on a small journal: modules that are entered or imported, and depth of calls.

A module is entered if a function in its source runs. A comprehension is a call on Python 3.11, and no call on
later versions. The descriptions of formats are already loaded, as in every command but the first.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from traceback import walk_stack
from types import FrameType
from typing import Any, NamedTuple

import pytest

from journalspec.formats import format_ids
from journalspec_conformance.cli import main
from journalspec_corpus.load import find_case

PACKAGES = frozenset(
    ["journalspec", "journalspec_reference", "journalspec_corpus", "journalspec_conformance"]
)
#: The largest number of modules that are entered, for all formats, and the largest number of modules that one
#: command imports.
MOST_ENTERED, MOST_IMPORTED = 24, 85
#: Maps a database whose tables are listed to that number, because more modules read its containers.
MOST_WITH_TABLES = {"drb.captured.derby-10-14-2-0.prepared-closed": 33}
#: Maps a case to the largest depth of this project's frames. The goal is 11.
DEEPEST = {
    "btm.clean.known-answer": 11,
    "btm.clean.both-files": 11,
    "btm.captured.bitronix-2-1-4.swap-then-crash": 11,
    "btm.captured.bitronix-2-1-4.name-emoji-us-ascii": 11,
    "btm.captured.bitronix-3-0-0-mk1.old-dangling-after-swap": 11,
    "btm.captured.bitronix-3-0-0-mk1.record-too-big": 11,
    "drb.clean.changes": 11,
    "drb.captured.derby-10-14-2-0.changes": 11,
    "drb.captured.derby-10-14-2-0.prepared": 11,
    "drb.captured.derby-10-14-2-0.prepared-closed": 17,
    "jbm.clean.every-kind-v2e": 11,
    "jbm.clean.every-kind-s1": 11,
    "jbm.captured.hornetq-2-1-2.killed-behind-prepare": 11,
    "khd.clean.three": 11,
    "khd.captured.activemq-6-1-7.unsubscribed": 11,
    "smq.files.small-pages": 11,
    "smq.missing.new-with-a-log-of-zeros": 11,
    "smq.messages.kinds": 11,
    "smq.branches.inserting": 11,
    "smq.log.abort-of-a-removal": 11,
    "smq.missing.shared-message": 11,
}


class Taken(NamedTuple):
    """The modules that were entered, and the deepest calls."""

    entered: frozenset[str]
    deepest: tuple[str, ...]


def is_ours(frame: FrameType) -> bool:
    # Functions that dataclasses generate have no source file.
    written = not frame.f_code.co_filename.startswith("<")
    return written and frame.f_globals.get("__name__", "").partition(".")[0] in PACKAGES


def taken(task: Callable[[], object]) -> Taken:
    entered, deepest = set[str](), tuple[str, ...]()

    def enters(frame: FrameType, event: str, _: Any) -> None:
        nonlocal deepest
        if event != "call" or not is_ours(frame) or frame.f_code.co_name == "<module>":
            return
        entered.add(frame.f_globals["__name__"])
        ours = [here for here, _ in walk_stack(frame) if is_ours(here)]
        if len(ours) > len(deepest):
            deepest = tuple(f"{here.f_globals['__name__']}:{here.f_code.co_qualname}" for here in ours[::-1])

    before = sys.getprofile()
    sys.setprofile(enters)
    try:
        task()
    finally:
        sys.setprofile(before)
    return Taken(frozenset(entered), deepest)


def written(case: str, directory: Path) -> Path:
    for name, data in find_case(case).files().items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(data))
    return directory


@pytest.mark.parametrize("case", DEEPEST)
def test_inspect_of_a_small_journal_enters_few_modules_in_few_frames(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(case, tmp_path)

    def inspect() -> None:
        with suppress(SystemExit):
            main(["inspect", str(path)])

    # A cache that earlier tests filled can be cleared during the first command, so the second fills it again.
    inspect()
    inspect()
    found = taken(inspect)
    assert "verdict" in capsys.readouterr().out
    assert len(found.entered) <= MOST_WITH_TABLES.get(case, MOST_ENTERED), sorted(found.entered)
    assert len(found.deepest) <= DEEPEST[case], "\n".join(found.deepest)


@pytest.mark.parametrize("case", list(DEEPEST)[::2])
def test_command_imports_only_the_reader_of_its_format(case: str, tmp_path: Path) -> None:
    code = f"""
import json, sys
from journalspec_conformance.cli import main
try:
    main(["inspect", {str(written(case, tmp_path))!r}])
except SystemExit:
    print(json.dumps([*sys.modules]))"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = json.loads(done.stdout.splitlines()[-1])
    ours = [name for name in names if name.partition(".")[0] in PACKAGES]
    assert len(ours) <= MOST_IMPORTED
    readers = {name for name in format_ids() if f"journalspec_reference.{name}" in ours}
    # Bitronix files may have any name, so a command also tries the Bitronix reader if the format is not
    # certain.
    assert readers - {"bitronix_tlog"} <= {find_case(case).format}
