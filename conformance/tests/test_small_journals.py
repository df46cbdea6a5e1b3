"""The cost of `inspect` on a small journal: modules that are entered or imported, and depth of calls.

A module is entered if a function in its source runs. A comprehension is a call on Python 3.11, and no call on
later versions. The descriptions of formats are already loaded, as in every command but the first.
"""

from __future__ import annotations

import gc
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

from field import unpacked
from journalspec.formats import format_ids
from journalspec_conformance.cli import main
from journalspec_corpus.case import Case
from journalspec_corpus.load import find_case, load_cases

PACKAGES = frozenset(
    ["journalspec", "journalspec_reference", "journalspec_corpus", "journalspec_conformance"]
)
#: The largest depth of this project's frames, the largest number of modules that a command enters, and the
#: largest number of modules that it imports.
DEEPEST, MOST_ENTERED, MOST_IMPORTED = 11, 24, 85
#: The lengths of small journals (bytes). A sample consists of every EACH-th case with such a length.
SMALL, EACH = range(200, 4001), 40
#: Further cases: files of products, and journals of all kinds of records.
CHOSEN = (
    "btm.clean.known-answer",
    "btm.clean.both-files",
    "btm.captured.bitronix-2-1-4.swap-then-crash",
    "btm.captured.bitronix-2-1-4.name-emoji-us-ascii",
    "btm.captured.bitronix-3-0-0-mk1.old-dangling-after-swap",
    "btm.captured.bitronix-3-0-0-mk1.record-too-big",
    "drb.clean.changes",
    "drb.captured.derby-10-14-2-0.changes",
    "drb.captured.derby-10-14-2-0.prepared",
    "drb.captured.derby-10-14-2-0.prepared-closed",
    "jbm.clean.every-kind-v2e",
    "jbm.clean.every-kind-s1",
    "jbm.captured.hornetq-2-1-2.killed-behind-prepare",
    "khd.clean.three",
    "khd.captured.activemq-6-1-7.unsubscribed",
    "smq.files.small-pages",
    "smq.missing.new-with-a-log-of-zeros",
    "smq.messages.kinds",
    "smq.branches.inserting",
    "smq.log.abort-of-a-removal",
    "smq.missing.shared-message",
)
#: The cases and directories that do not hold these bounds, with their own bounds of frames and
#: modules.
BEYOND = {
    # A further module tracks which messages subscriptions need.
    "khd.dense-commands.drawn-4": (11, 25),
    "khd.seeded.removed-before-commit-in-5.3": (11, 25),
    # Two further modules read objects of known shapes, and texts outside ASCII. A text is read three calls
    # below its message.
    "khd.contents.messages-of-version-9": (14, 26),
    # The header of a file is damaged, so the files are also compared with those of another format.
    "drb.evidence.empty-middle-in-10.14": (11, 25),
    "jbm.editions.emptied-s2": (11, 25),
    "jbm.seeded.header-zeroed-of-a-large-id": (11, 25),
    # More modules read the tables of a database, and the transactions of a broker.
    "drb.captured.derby-10-14-2-0.prepared-closed": (16, 33),
    "field/c5-prepared": (16, 33),
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


def written(case: Case, directory: Path) -> Path:
    for name, data in case.files().items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(data))
    return directory


def beyond(path: Path, bounds: tuple[int, int]) -> str:
    """Return what `inspect` of a journal takes beyond the bounds, or nothing."""

    def inspect() -> None:
        with suppress(SystemExit):
            main(["inspect", str(path)])

    # A cache that earlier tests filled can be cleared during the first command, so the second fills it again.
    # The garbage collector runs finalizers of earlier commands in any frame.
    inspect()
    gc.disable()
    try:
        inspect()
        found = taken(inspect)
    finally:
        gc.enable()
    frames, modules = bounds
    deeper = found.deepest if len(found.deepest) > frames else ()
    return "\n".join((*deeper, *(sorted(found.entered) if len(found.entered) > modules else ())))


def small(case: Case) -> bool:
    try:
        return sum(map(len, case.files().values())) in SMALL
    except ValueError:
        return False


@pytest.mark.parametrize("case", CHOSEN)
def test_inspect_enters_few_modules_in_few_frames(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bounds = BEYOND.get(case, (DEEPEST, MOST_ENTERED))
    assert not beyond(written(find_case(case), tmp_path), bounds)
    assert "verdict" in capsys.readouterr().out


def test_inspect_of_prepared_transactions(tmp_path: Path) -> None:
    assert not beyond(unpacked("c5-prepared", tmp_path), BEYOND["field/c5-prepared"])


@pytest.mark.parametrize("format_id", format_ids())
def test_inspect_of_small_journals_enters_few_modules_in_few_frames(format_id: str, tmp_path: Path) -> None:
    # Some of these files are no journal, or fit several editions. For these, the command prints advice.
    cases = [*filter(small, load_cases(format_id, "smoke"))][::EACH]
    found = {}
    for number, case in enumerate(cases):
        path = written(case, tmp_path / str(number))
        found[case.id] = beyond(path, BEYOND.get(case.id, (DEEPEST, MOST_ENTERED)))
    assert not {case: text for case, text in found.items() if text}


@pytest.mark.parametrize("case", CHOSEN[::2])
def test_command_imports_only_the_reader_of_its_format(case: str, tmp_path: Path) -> None:
    code = f"""
import json, sys
from journalspec_conformance.cli import main
try:
    main(["inspect", {str(written(find_case(case), tmp_path))!r}])
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
