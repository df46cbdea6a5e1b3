"""Writing a new store: it is complete or absent, however the process ends; the report lists omitted items."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from importlib.resources import files as resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from journalspec.observation import RECOVERED, REFUSED, At, Dropped, Missing, Note, Record
from journalspec_corpus.load import find_case
from journalspec_reference import newstore
from journalspec_reference.answers import Answer, ask
from journalspec_reference.contents import Count
from journalspec_reference.filesets import FilesetError, Journal, find_journals, load
from journalspec_reference.lossreport import FIRST, LossReport, losses, remarks
from journalspec_reference.newstore import (
    CannotRebuild,
    LossItem,
    NewFile,
    NewStore,
    Part,
    StoreChoices,
    digests,
    new_store,
    sources,
    write,
)
from tables import literals

ROWS = literals(__file__)
#: Each fsync, with its path.
FORCED = ROWS["what_is_written_is_forced_before_a_name_leads_to_it"]

SCHEMA = json.loads(resources("journalspec_reference").joinpath("loss-report.schema.json").read_text("utf-8"))
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@dataclass
class Copied(NewStore):
    """A new store with the files of the old store, or with others."""

    answer: Answer
    others: Sequence[NewFile] = ()
    losses: Callable[[], Iterable[LossItem]] = tuple
    doubtful: Callable[[], Iterable[LossItem]] = tuple

    def __post_init__(self) -> None:
        super().__init__(self.answer)
        self.lines = ["--drop 07: left out"]

    @property
    def product(self) -> str:
        return "Bitronix 2.1"

    def carried(self) -> list[Count]:
        return [Count("transactions", "unfinished", 2, 200)]

    def left_out(self) -> Iterator[LossItem]:
        yield from self.losses()

    def unverified(self) -> Iterator[LossItem]:
        yield from self.doubtful()

    def steps(self) -> Sequence[str]:
        return ("Stop the product.", "Move it into place.")

    def files(self) -> Iterator[NewFile]:
        for name, data in self.answer.journal.files.items():
            yield NewFile(name, (bytes(data[at : at + 100]) for at in range(0, len(data), 100)))
        yield from self.others


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A journal that reads clean, in its own directory."""
    place = tmp_path / "old"
    place.mkdir()
    find_case("btm.clean.two-phase").materialize(place)
    return place


def answered(place: Path) -> Answer:
    (journal,) = find_journals(load(place))
    return ask(journal, "salvage")


def hashes(place: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in place.iterdir()}


def made(place: Path, target: Path, **more: object) -> LossReport:
    """Write a new store of the journal in `place`."""
    answer = answered(place)
    parts = [Part("", "salvage", answer, Copied(answer, **more))]  # type: ignore[arg-type]  # by its fields
    report = LossReport(str(place), str(target), parts)
    files = [*sources([answer.journal])]
    write(parts, target, report.write_json, report.write_page, files, digests(files))
    return report


def left(place: Path) -> list[str]:
    """Return the items next to the old store."""
    return sorted(path.name for path in place.iterdir() if path.name != "old")


def test_new_store_and_reports_exist_and_the_old_store_is_unchanged(old: Path) -> None:
    before, target = hashes(old), old.parent / "new"
    made(old, target)
    assert left(old.parent) == ["new", "new.loss-report.json", "new.loss-report.md"]
    assert hashes(target) == hashes(old) == before
    report = json.loads((old.parent / "new.loss-report.json").read_text())
    Draft202012Validator(SCHEMA).validate(report)
    assert report["not_carried_over"] == "0"
    assert {Path(each["file"]).name: each["sha256"] for each in report["source_files"]} == before
    assert {each["file"]: each["sha256"] for each in report["files"]} == before
    page = (old.parent / "new.loss-report.md").read_text()
    for words in ("2 in transactions", "2. Move it into place.", "product: Bitronix 2.1", "choice: --drop"):
        assert words in page


@pytest.mark.parametrize(("target", "why"), ROWS["a_place_that_is_not_fit_is_refused"])
def test_unsuitable_target_is_refused(old: Path, target: str, why: str) -> None:
    (old.parent / "there").mkdir()
    (old.parent / "dangling").symlink_to("nowhere")
    (old.parent / "link-to-old").symlink_to("old")
    with pytest.raises(FilesetError, match=why):
        newstore.refuse_target(old.parent / target, [old])


def test_unwritable_parent_is_refused(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(FilesetError, match="not writable"):
        newstore.refuse_target(old.parent / "new", [old])


@pytest.mark.parametrize(
    "name",
    ["../out", "/etc/x", "a//b", "a/../b", "con", "aux.txt", "a:b", "a\\b", "x.", "x ", "a\nb", "BTM1.TLOG"],
)
def test_file_name_that_some_systems_forbid_is_refused_and_no_file_is_left(old: Path, name: str) -> None:
    with pytest.raises(FilesetError, match="a file of the new store would be called"):
        made(old, old.parent / "new", others=[NewFile(name, (b"x",))])
    assert left(old.parent) == []


def test_directories_without_a_file_are_created(old: Path) -> None:
    made(old, old.parent / "new", others=[NewFile("tmp/deep/", ())])
    assert (old.parent / "new/tmp/deep").is_dir()


@pytest.mark.parametrize(
    ("before", "after", "accepted"),
    [
        (["a", ""], ["", "a"], True),
        (["a", "b", "a"], ["a", "a", "b"], True),
        (["a", ""], ["a", "a"], False),
        (["a", "b"], ["a", "c"], False),
    ],
)
def test_new_store_of_a_directory_may_lack_an_item_only_if_an_old_store_does(
    before: list[str], after: list[str], accepted: bool, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each store lacks the named item, or nothing."""
    answer = answered(old)

    def asked(journal: Journal, policy: str) -> Answer:
        if journal.root is None or not journal.params["lacks"]:
            return answer
        missing = (Missing("body", journal.params["lacks"], "f"),)
        return replace(answer, observation=replace(answer.observation, verdict=RECOVERED, missing=missing))

    journals = [replace(answer.journal, params={"lacks": name}) for name in after]
    monkeypatch.setattr(newstore, "journals_in", lambda *_: journals)
    monkeypatch.setattr(newstore, "ask", asked)
    stores: Any = [
        SimpleNamespace(opaque=False, lacks=frozenset([("body", name)] if name else [])) for name in before
    ]
    with nullcontext() if accepted else pytest.raises(CannotRebuild, match="recovered: body"):
        newstore._read_again(old, [Part("", "strict", answer, store) for store in stores])


@pytest.mark.parametrize("verdict", [RECOVERED, REFUSED])
def test_new_store_that_is_not_clean_is_removed(
    old: Path, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = answered(old)
    again = replace(answer, observation=replace(answer.observation, verdict=verdict))
    monkeypatch.setattr(newstore, "ask", lambda *_: again)
    with pytest.raises(CannotRebuild, match="not clean"):
        made(old, old.parent / "new")
    assert left(old.parent) == []


def test_sources_are_files_but_not_links(old: Path) -> None:
    beside = old.parent / "beside"
    (beside / "below").mkdir(parents=True)
    for name in ("b", "a", "below/c"):
        (beside / name).write_bytes(b"x")
    (beside / "link").symlink_to(old / "btm1.tlog")
    (beside / "dangling").symlink_to("nowhere")
    found = [path.relative_to(old.parent).as_posix() for _, path in sources([], [beside, beside])]
    assert found == ["beside/a", "beside/b", "beside/below/c"]


@pytest.mark.parametrize("end", [b"\0more", b"\1"])
def test_source_that_changes_during_the_run_is_detected(old: Path, end: bytes) -> None:
    """The old store becomes longer, or one of its bytes changes."""

    def change() -> Iterator[bytes]:
        (old / "btm1.tlog").write_bytes((old / "btm1.tlog").read_bytes()[:-1] + end)
        yield b"x"

    with pytest.raises(FilesetError, match="changed during the read"):
        made(old, old.parent / "new", others=[NewFile("extra", change())])
    assert left(old.parent) == []


def test_other_files_with_the_names_of_the_reports_are_unchanged(old: Path) -> None:
    other = old.parent / "new.loss-report.md"
    other.write_text("mine")
    with pytest.raises(FilesetError, match="not a report of journalspec"):
        made(old, old.parent / "new")
    assert other.read_text() == "mine"
    other.unlink()
    other.symlink_to(old / "btm1.tlog")
    with pytest.raises(FilesetError, match="not a report of journalspec"):
        made(old, old.parent / "new")
    assert left(old.parent) == ["new.loss-report.md"]


@needs_fork
def test_simultaneous_runs_do_not_write_one_store(old: Path) -> None:
    def second() -> Iterator[bytes]:
        with pytest.raises(FilesetError, match="by another process"):
            made(old, old.parent / "new")
        yield b"x"

    made(old, old.parent / "new", others=[NewFile("extra", second())])
    assert (old.parent / "new" / "extra").read_bytes() == b"x"


@needs_fork
def test_simultaneous_run_is_detected_by_its_lock(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second run looked for other runs before the first one had its lock; now it makes its directory."""
    other = old.parent / ".new.partial-01234567"
    mkdir = Path.mkdir

    def second(path: Path, *args: Any, **more: Any) -> None:
        mkdir(path, *args, **more)
        if path.name.startswith(".new.partial-"):
            mkdir(other)
            locks.enter_context(newstore.locked(other))

    with ExitStack() as locks:
        monkeypatch.setattr(Path, "mkdir", second)
        with pytest.raises(FilesetError, match="by another process"):
            made(old, old.parent / "new")
    assert left(old.parent) == [other.name]


def test_store_of_another_program_that_appears_meanwhile_is_kept_without_reports(old: Path) -> None:
    def appears() -> Iterator[bytes]:
        (old.parent / "new").mkdir()
        (old.parent / "new" / "theirs").write_text("theirs")
        yield b"x"

    with pytest.raises(FilesetError, match="already exists"):
        made(old, old.parent / "new", others=[NewFile("extra", appears())])
    assert left(old.parent) == ["new"]
    assert left(old.parent / "new") == ["theirs"]


def test_only_files_of_ended_runs_are_removed(old: Path) -> None:
    others = [".new.partial-mine", ".new.partial-x.partial-01234567", ".new.partial-012345678"]
    for name in (*others, ".new.partial-01234567"):
        (old.parent / name).mkdir()
    made(old, old.parent / "new")
    assert left(old.parent) == [*sorted(others), "new", "new.loss-report.json", "new.loss-report.md"]


def test_files_of_another_user_are_kept_and_do_not_stop_the_run(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = old.parent / ".new.partial-01234567"
    other.mkdir()
    opened = os.open

    def denied(path: Any, *more: Any, **options: Any) -> int:
        if Path(path) == other:
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path, *more, **options)

    monkeypatch.setattr(os, "open", denied)
    made(old, old.parent / "new")
    assert {other.name, "new"} <= {*left(old.parent)}


def forked(action: Callable[[], None]) -> int:
    """Run an action in a child process; return the exit status as in a shell."""
    child = os.fork()
    if not child:
        try:
            action()
        except FilesetError as error:
            os._exit(3 if "disk is full" in str(error) else 4)
        except BaseException:
            os._exit(5)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def killed_at(number: int, old: Path) -> Callable[[], None]:
    """Return a function that makes a new store in a process that is killed at file system call `number`."""
    left_over = [number]

    def hook(event: str, _: object) -> None:
        if event in ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree"):
            left_over[0] -= 1
            if not left_over[0]:
                os.kill(os.getpid(), signal.SIGKILL)

    def action() -> None:
        sys.addaudithook(hook)
        made(old, old.parent / "new")

    return action


@needs_fork
def test_run_killed_at_any_point_leaves_a_complete_store_or_files_that_the_next_run_removes(
    old: Path,
) -> None:
    want, seen, number = hashes(old), set(), 0
    while True:
        number += 1
        ended = forked(killed_at(number, old))
        found = left(old.parent)
        partial = [name for name in found if name.startswith(".new.partial-")]
        reports = [name for name in found if name.startswith("new.loss-report")]
        seen.add((len(partial), len(reports), "new" in found))
        assert len(partial) <= 1
        assert {*found} - {*partial, *reports} <= {"new"}
        if "new" in found:
            assert hashes(old.parent / "new") == want
            assert len(reports) == 2
            for path in sorted((old.parent / "new").iterdir()):
                path.unlink()
            (old.parent / "new").rmdir()
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
    # The states, in order: no file, a part, one report, both reports, the complete store.
    assert {(0, 0, False), (1, 0, False), (1, 1, False), (1, 2, False), (1, 2, True), (0, 2, True)} == seen
    assert number > 20
    forked(killed_at(number - 12, old))
    made(old, old.parent / "new")
    assert left(old.parent) == ["new", "new.loss-report.json", "new.loss-report.md"]


def test_file_content_is_synced_before_the_file_gets_its_name(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, int]] = []
    fsync, rename = os.fsync, os.rename

    def force(handle: int) -> None:
        done.append(("forced", os.fstat(handle).st_ino))
        fsync(handle)

    def move(source: Path, target: Path) -> None:
        done.append(("named", source.stat().st_ino))
        rename(source, target)

    monkeypatch.setattr(os, "fsync", force)
    monkeypatch.setattr(os, "rename", move)
    made(old, old.parent / "new", others=[NewFile("below/x", (b"x",))])
    name_of = {path.stat().st_ino: path.relative_to(old.parent).as_posix() for path in old.parent.rglob("*")}
    name_of[old.parent.stat().st_ino] = "."
    assert [(what, name_of[inode]) for what, inode in done] == FORCED


@needs_fork
@pytest.mark.parametrize("limit", [10, 300, 1000])
def test_full_disk_leaves_no_files_and_is_reported(old: Path, limit: int) -> None:
    def action() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        made(old, old.parent / "new")

    assert forked(action) == 3
    assert left(old.parent) == []


def test_interruption_leaves_no_files(old: Path) -> None:
    def stop() -> Iterator[bytes]:
        yield b"x"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made(old, old.parent / "new", others=[NewFile("extra", stop())])
    assert left(old.parent) == []


def test_store_at_its_final_path_is_not_reported_as_unwritten(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last fsync of names fails, but the new store exists, with its reports."""
    target = old.parent / "new"

    def force(place: Path) -> None:
        if target.exists():
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(newstore, "force_names", force)
    with pytest.raises(FilesetError, match="is in its place, but") as found:
        made(old, target)
    assert "nothing was written" not in str(found.value)
    assert left(old.parent) == ["new", "new.loss-report.json", "new.loss-report.md"]


def test_losses_of_the_answer_are_in_the_report_and_other_notes_are_remarks(old: Path) -> None:
    answer = answered(old)
    seen = replace(
        answer.observation,
        dropped=(Dropped("btm1.tlog", 16, 40, "bad-checksum"),),
        missing=(Missing("newer-records", "btm2.tlog", "btm1.tlog"),),
        notes=(
            Note("missing-file", "btm2.tlog"),
            Note("position-as-timestamp", "btm1.tlog", 4, "timestamp 100"),
        ),
    )
    answer = replace(answer, observation=seen)
    found = [*losses(answer, "../other/")]
    assert [each.code for each in found] == ["bad-checksum", "newer-records", "missing-file"]
    assert (found[0].file, found[0].off, found[0].length) == ("../other/btm1.tlog", 16, 40)
    assert all(each.text for each in found)
    (remark,) = remarks(answer, "../other/")
    assert (remark.what, remark.code) == ("note", "position-as-timestamp")
    assert (remark.file, remark.off) == ("../other/btm1.tlog", 4)
    assert remark.text.endswith(": timestamp 100")


def test_intact_record_in_dropped_bytes_is_listed_with_its_offset(old: Path) -> None:
    answer = answered(old)
    record = Record("COMMITTING", {"gtrid": "07", "time": 5}, At("btm1.tlog", 120, 60))
    seen = replace(
        answer.observation,
        dropped=(Dropped("btm1.tlog", 100, 90, "bad-checksum"), Dropped("btm1.tlog", 300, 5, "bad-checksum")),
        unanchored=(record, replace(record, at=At("btm1.tlog", 400, 60))),
    )
    text = "an intact record in bytes that cannot be used"
    assert [*losses(replace(answer, observation=seen), "../x/")][2:] == [
        LossItem("record", "given-up", text, "gtrid 07", file="../x/btm1.tlog", off=120, length=60)
    ]


def test_report_sums_the_losses_of_all_its_stores(old: Path) -> None:
    answer = answered(old)
    region = replace(answer.observation, dropped=(Dropped("btm1.tlog", 100, 90, "bad-checksum"),))
    damaged = replace(answer, observation=region)
    beside = replace(damaged, journal=replace(damaged.journal, root=old.parent / "bindings"))
    items = lambda: [LossItem("message", "torn", "", str(at), "q", "f", 10 * at, at) for at in (1, 2)]  # noqa: E731
    store = Copied(damaged, losses=items)
    undone = {"other": "it is encrypted"}
    report = LossReport("old", "new", [Part("", "salvage", damaged, store, (beside,))], undone)
    out = io.StringIO()
    report.write_json(out, [])
    assert report.lost == 5
    (told,) = json.loads(out.getvalue())["stores"]
    places = [(each["file"], each["off"], each["length"]) for each in told["left_out"]]
    assert places == ROWS["places of what is left out"]
    assert told["totals"]["left_out"] == ROWS["totals of what is left out"]
    page = io.StringIO()
    report.write_page(page)
    for words in ROWS["what the page of losses has"]:
        assert words in page.getvalue()


def test_long_report_is_written_as_a_stream_and_its_page_has_the_first_of_each_kind(old: Path) -> None:
    def many() -> Iterator[LossItem]:
        for number in range(3000):
            yield LossItem("message", "torn", "cut off", f"m{number}|`x", "q\n2", "f", number, 1)
        yield LossItem("row", "unknown", "", "r", "t")

    def one() -> Iterator[LossItem]:
        yield LossItem("message", "resurrected", "no checksum covers it", "u", "q", "f", 7)

    report = made(old, old.parent / "new", losses=many, doubtful=one)
    assert report.lost == 3001
    read = json.loads((old.parent / "new.loss-report.json").read_text())
    Draft202012Validator(SCHEMA).validate(read)
    (store,) = read["stores"]
    assert len(store["left_out"]) == 3001
    assert [store["totals"]] == ROWS["totals of a long report"]
    page = (old.parent / "new.loss-report.md").read_text()
    assert "message, the first 100 of 3,000" in page
    assert page.count("`f:") == FIRST + 1
    assert "| `m0\\|'x` | `q\\n2` | `f:0..1` | torn | cut off |" in page


def test_format_without_new_stores_and_answer_without_a_state_are_refused(old: Path) -> None:
    answer = answered(old)
    refused = replace(answer, observation=replace(answer.observation, state=None))
    with pytest.raises(CannotRebuild, match="recovery keeps no data"):
        new_store(refused, StoreChoices())
    unknown = replace(answer, journal=replace(answer.journal, format="no_such_format"))
    with pytest.raises(CannotRebuild, match="no new store can be made"):
        new_store(unknown, StoreChoices())


def test_unreadable_file_has_a_reason_instead_of_a_digest(old: Path) -> None:
    found = digests([("gone", old / "gone"), ("btm1.tlog", old / "btm1.tlog")])
    assert (found[0].sha256, found[0].why) == ("", "No such file or directory")
    assert (len(found[1].sha256), found[1].why) == (64, "")
