"""Memory depends on the live data of a journal, not on the size of the journal.

A second reading has the same result.
"""

from __future__ import annotations

import gc
import json
import textwrap
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest
from click.testing import Result
from hypothesis import example, given, settings
from hypothesis import strategies as st

from journalspec import jsontext, reread
from journalspec.formats import format_ids, get_format
from journalspec.jboss_journal import LAYOUT
from journalspec.observation import CLEAN
from journalspec_conformance.cli import journal_view
from journalspec_conformance.cli.journal_view import wrapped_lines
from journalspec_corpus import load_cases
from journalspec_reference import answers, batches, filesets, load
from journalspec_reference.batches import source_of
from journalspec_reference.bitronix_tlog import recover as bitronix
from journalspec_reference.content import BLOCK, Blocks
from journalspec_reference.filesets import find_journals
from journalspec_reference.filesets import load as load_files
from journalspec_reference.ids import Ids
from journalspec_reference.jboss_journal import recover
from journalspec_reference.jboss_journal.codec import DIALECTS
from journalspec_reference.jboss_journal.fileset import DataFile
from journalspec_reference.jboss_journal.scan import scan
from journalspec_reference.swiftmq_store.scan import Log
from judged import in_full

TOOL = Path(__file__).parents[2] / "tools" / "memory.py"
#: The items of a state that are live data.
LIVE: dict[str, Callable[[Any], Sequence[Any]]] = {
    "bitronix_tlog": lambda state: state["unfinished"],
    "jboss_journal": lambda state: state["live"],
    "kahadb_journal": lambda state: [one for each in state["destinations"] for one in each["messages"]],
    "derby_log": lambda state: state["rows"],
    "swiftmq_store": lambda state: [one for each in state["queues"] for one in each["messages"]],
}
#: Parameters for reading files that the suite itself makes.
LOOKED = {"derby_log": {"tables": "suite"}}
#: Journals that begin with additional records.
BEGUN = {"derby_log", "kahadb_journal", "swiftmq_store"}
#: The smallest number of live items for shapes in which each item has its own page; the default is 50.
LIVING = {"swiftmq_store": 10}


@pytest.mark.parametrize("format_id", format_ids())
def test_answers_are_equal_whether_items_are_stored_or_read_again(
    format_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [case for case in load_cases(format_id) if not case.write][::20]
    kept = _answers(format_id, cases)
    assert kept
    monkeypatch.setattr(reread, "KEEP", 0)
    assert _answers(format_id, cases) == kept


def _answers(format_id: str, cases: list[Any]) -> list[Any]:
    implementation = load(format_id)
    found = []
    for case in cases:
        files, options = case.files(), {"edition": case.edition, "params": case.params}
        seen = [implementation.read(files, **options)]
        seen += [
            implementation.recover(files, policy=policy, **options)
            for policy in get_format(format_id).policies
        ]
        found += [(each.to_json(), [record.to_json() for record in each.given_up]) for each in seen]
    return found


def made(within: Path, tool: ModuleType, size: int) -> Path:
    """Make a journal of each kind that has a maker, each in its own directory."""
    for format_id in {*tool.MAKERS} & {*format_ids()}:
        for shape in tool.SHAPES:
            place = within / format_id / shape
            place.mkdir(parents=True)
            tool.MAKERS[format_id](place, size, tool.SHAPES[shape])
    return within


def places(directory: Path) -> Iterator[Path]:
    return (shape for format_id in sorted(directory.iterdir()) for shape in sorted(format_id.iterdir()))


def run(command: str, *arguments: object) -> Result:
    result = in_full(command, *arguments)
    assert result.exit_code in (0, 1, 3), result.output
    return result


def test_output_is_the_same_for_stored_and_reread_items(
    tmp_path: Path, tool: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = made(tmp_path, tool, 1 << 13)
    asked = [("inspect",), ("inspect", "--json"), ("inspect", "--hex"), ("recover",), ("recover", "--json")]
    printed = []
    for keep in (reread.KEEP, 0):
        monkeypatch.setattr(reread, "KEEP", keep)
        printed.append(
            [run(command, place, *given).output for place in places(directory) for command, *given in asked]
        )
    assert printed[0] == printed[1]


def test_journals_of_the_tool_are_valid_and_have_the_stated_live_items(
    tmp_path: Path, tool: ModuleType
) -> None:
    for place in places(made(tmp_path, tool, 1 << 15)):
        (journal,) = find_journals(load_files(place))
        journal = replace(journal, params=LOOKED.get(journal.format, {}))
        seen = answers.ask(journal, "strict").observation
        assert (journal.format, seen.verdict) == (place.parent.name, CLEAN)
        assert bool(seen.records) == (place.name != "large" or journal.format in BEGUN)
        assert seen.state is not None
        live = len(LIVE[journal.format](seen.state))
        assert (live > LIVING.get(journal.format, 50)) == (place.name == "live")


#: Format, shape, two sizes, and the least memory for reported data, as a part of the size. The smaller
#: journal is at least as long as one read, because a shorter journal takes less memory. Both sizes exceed the
#: reduced bounds of the test (KEEP, the bytes read at once, cached blocks, SWEEP_FROM).
GROWN = [
    ("bitronix_tlog", "deleted", (1 << 18, 5 << 17), 1.0),
    ("jboss_journal", "one-file", (1 << 18, 5 << 17), 1.0),
    ("kahadb_journal", "one-file", (1 << 14, 1 << 16), 1.0),
    ("swiftmq_store", "deleted", (1 << 21, 1 << 23), 0.0),
    ("swiftmq_store", "committed", (1 << 18, 5 << 17), 0.0),
    ("swiftmq_store", "large", (1 << 21, 1 << 23), 0.0),
]
#: The permitted difference in memory between both sizes: a part of the larger size, and a bound in bytes.
BESIDE, MOST_BESIDE = 10, 1 << 18


@pytest.fixture
def collected() -> Iterator[None]:
    """Collect garbage as often as for users, because conftest.py makes garbage collections rare."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("collected")
@pytest.mark.parametrize("policy", [None, "strict"])
@pytest.mark.parametrize(("format_id", "shape", "sizes", "part"), GROWN)
def test_memory_does_not_grow_with_the_journal(
    tmp_path: Path,
    tool: ModuleType,
    format_id: str,
    shape: str,
    sizes: tuple[int, int],
    part: float,
    policy: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The loaded parts of files are bounded."""
    monkeypatch.setattr(reread, "KEEP", 1 << 14)
    monkeypatch.setattr(batches, "STRETCH", 1 << 13)
    monkeypatch.setattr(filesets, "_BLOCKS", Blocks(BLOCK))
    for module in (bitronix, recover):
        monkeypatch.setattr(module, "scan", partial(module.scan, stretch=1 << 13))
    monkeypatch.setattr(Log.scan, "__defaults__", (0, None, 1 << 13))
    monkeypatch.setattr(recover, "SWEEP_FROM", 1 << 13)
    peaks = []
    for size in sizes:
        place = tmp_path / str(size)
        place.mkdir()
        body = tool.SHAPES[shape].body
        tool.MAKERS[format_id](place, size, tool.SHAPES[shape]._replace(body=min(size >> 3, body)))
        (journal,) = find_journals(load_files(place))
        answers.ask(journal, policy)
        tracemalloc.start()
        try:
            seen = answers.ask(journal, policy).observation
            told = sum(map(len, jsontext.pieces(seen.members())))
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        assert seen.verdict == CLEAN
        assert told > max(100, part * size)
    assert peaks[1] < 1.5 * peaks[0] + min(sizes[1] // BESIDE, MOST_BESIDE)


def test_transaction_and_delete_may_be_far_from_their_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweep of deleted items changes neither the order nor the handling of duplicates."""
    monkeypatch.setattr(recover, "SWEEP_FROM", 2)
    delivered: list[tuple[str, int]] = []
    deleted, records = set(), []
    for number in range(2000):
        steps = [("ADD", number), ("ADD", number + 1000), ("UPDATE", number)]
        steps += [("DELETE", number), ("DELETE", number + 1000 * (number % 5))] if number % 3 else []
        for name, ident in steps:
            records.append(LAYOUT.build("record", "v2", name, file_id=1, id=ident))
            if name == "DELETE":
                deleted.add(ident)
            else:
                delivered.append((name, ident))
    data, dialect = b"".join(records), DIALECTS["v2"]
    book = recover.Replay([1])
    book.next_file(DataFile("a", data, dialect, 1, limit=len(data)))
    for batch in scan(source_of(data), dialect, 1, 0, len(data), stretch=1000):
        book.take(batch)
    live = [(item["kind"], item["id"]) for item in book.outcome()["live"]]
    assert live == [item for item in delivered if item[1] not in deleted]
    assert 1000 < len(live) < 4000


@example({0, 1, 255, 256, -1, -256, -257, 2**63 - 1, -(2**63)})
@given(st.sets(st.integers(-300, 300) | st.sampled_from([2**63 - 1, -(2**63)])))
def test_ids_behave_like_a_set(there: set[int]) -> None:
    ids = Ids()
    ids.update(there)
    near = {number + step for number in there for step in (-2, -1, 0, 1, 2)}
    assert {number for number in near if number in ids} == there


def test_file_that_changes_between_two_passes_is_reported(
    tmp_path: Path, tool: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.MAKERS["jboss_journal"](tmp_path, 1 << 17, tool.SHAPES["live"])
    (path,) = tmp_path.iterdir()
    monkeypatch.setattr(reread, "KEEP", 0)
    asked, whole = answers.ask, path.read_bytes()
    # The files are in memory, so that the second pass reads the changed bytes.
    held: dict[str, Any] = {}
    (journal,) = find_journals(load_files(tmp_path))

    def changing(_: Any, policy: str | None = None) -> answers.Answer:
        held[path.name] = bytearray(whole)
        found = asked(replace(journal, files=held, edition="v2", editions=()), policy)
        held[path.name][5000:6000] = bytes(1000)
        return found

    monkeypatch.setattr(journal_view, "ask", changing)
    for options in ((), ("--json",)):
        result = in_full("inspect", tmp_path, *options, status=2)
        assert f"{path.name} changed while it was read: the output above is incomplete" in result.stderr
        assert "next  stop the program that writes there, or read a copy" in result.stderr
        with pytest.raises(json.JSONDecodeError):
            json.loads(result.stdout)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.text(st.sampled_from("ab-,;"), max_size=9) | st.sampled_from(["f" * 150, "", " "]), max_size=20
    ).map(lambda words: " ".join(words).lstrip(" ")),
    st.integers(28, 60),
)
def test_lines_are_wrapped_as_textwrap_does(text: str, room: int) -> None:
    wanted = textwrap.wrap(text, room, break_on_hyphens=False) or [""]
    assert list(wrapped_lines(text, room)) == [line.rstrip(" ") for line in wanted]


def test_ranges_of_all_files_are_computed_once(tmp_path: Path) -> None:
    for number in range(1, 31):
        head = (2).to_bytes(4, "big") + bytes(4) + number.to_bytes(8, "big")
        (tmp_path / f"data-{number}.hq").write_bytes(head + bytes(200))
    implementation = load("jboss_journal")
    with patch.object(
        type(implementation), "spans", autospec=True, side_effect=type(implementation).spans
    ) as asked:
        for options in (("--hex",), ()):
            asked.reset_mock()
            shown = run("inspect", tmp_path, "--edition", "v2", *options).output
            assert asked.call_count == 1
            assert shown.count("216 bytes") == 30


def test_memory_tool_measures_each_command_in_a_process(
    tool: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--format", "jboss_journal", "--shape", "large", "--command", "recover"]
    assert tool.main([*arguments, "--command", "inspect-ndjson", "--size", "48MiB"]) == 0
    _, *rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 2
    for row in rows:
        size, _, peak, over, _, status = map(float, row.split()[3:])
        assert (size, status) == (48, 0)
        # Each body has 1 MiB, and a body in JSON is longer. A few bodies are in memory at a time.
        assert over < peak < 64
    with pytest.raises(SystemExit):
        tool.main(["--size", "large"])


def test_changed_number_of_items_in_the_second_pass_is_reported() -> None:
    assert list(reread.Lazy([reread.Part("data-1", lambda: "ab", 2)])) == ["a", "b"]
    for count in (1, 3):
        with pytest.raises(reread.Changed, match="data-1 changed while it was read"):
            list(reread.Lazy([reread.Part("data-1", lambda: "ab", count)]))
