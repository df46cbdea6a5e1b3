"""Describes a crash state for people and programs: in words, as a published case, and as JSON.

In some states no reader can return the required records, because the order of writes, the device or the
format lost them. The format's limits list the kinds of such states (:mod:`.verdict`). The JSON is for
independent oracles: it contains the recorded trace, from which they can compute the required records
themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

from journalspec.formats import get_format
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.crash.disk import NAMES, SECTOR, SIZE, Block, Timeline
from journalspec_corpus.crash.facts import State
from journalspec_corpus.crash.formats import CrashFormat
from journalspec_corpus.crash.oracle import ALLOWED, REQUIRED, Expected
from journalspec_corpus.crash.reduce import Reduced, crashes_before
from journalspec_corpus.crash.trace import (
    CORRUPTED,
    PRESETS,
    Ack,
    Create,
    Mark,
    Op,
    Publish,
    Release,
    Rename,
    Reuse,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
    writer_of,
)
from journalspec_corpus.crash.verdict import VERDICTS, limits
from journalspec_corpus.making import make_case
from journalspec_reference import load
from journalspec_reference.hexdump import Head, lines, text_of

#: The largest number of rows in a picture.
MOST_ROWS = 14
#: Marks a row whose bytes differ from the written ones.
MARK = "! "


@dataclass(frozen=True, slots=True)
class Loss:
    """Represents one deviation: `length` bytes of `file` at `off` contain `what`; length 0 if no bytes are
    concerned.

    With `kept`, only little arrived, and these bytes are the part that arrived.
    """

    file: str
    off: int
    length: int
    what: str
    kept: bool = False

    def __str__(self) -> str:
        """Return the deviation as one line of text."""
        if not self.length:
            return f"{self.file}: {self.what}" if self.file else self.what
        return f"{self.file}, bytes {self.off} to {self.off + self.length - 1}: {self.what}"


def story(state: State) -> Iterator[str]:
    """Yield a description of each operation up to the crash, one per line."""
    trace = state.trace
    for index, op in enumerate(trace.ops[: state.situation.upto]):
        text = _said(op)
        if text is None:
            continue
        about = [note for at, note in trace.annotated if at == index and isinstance(op, Write)]
        written = [note.record for note in about if isinstance(note, Mark)]
        counting = [record for note in about if isinstance(note, Publish) for record in note.records]
        if written:
            text += f": {', '.join(written)}"
        if set(counting) - set(written):
            text += f"; live from now on: {', '.join(counting)}"
        yield text
    yield "the crash"


#: The wording of operations, by their members or records, and by the bytes of a write. All other operations
#: are annotations, which are shown with their write.
_WORDS: Mapping[type, str] = {
    Ack: "acknowledge {0}",
    Create: "create {0.file}",
    Release: "no longer required: {0}",
    Rename: "rename {0.old} to {0.new}",
    Reuse: "reuse {0.file}; its old bytes stay",
    Sync: "fsync {0.file}",
    SyncDir: "fsync the directory",
    Truncate: "set the size of {0.file} to {0.size}",
    Unlink: "remove {0.file}",
    Write: "write {1} bytes at {0.off} of {0.file}",
}


def _said(op: Op) -> str | None:
    """Describe an operation; None for an annotation that :func:`story` shows with its write."""
    words = _WORDS.get(type(op))
    about = ", ".join(op.records) if isinstance(op, (Ack, Release)) else op
    if words is None or not about:
        return None
    return words.format(about, len(op.data) if isinstance(op, Write) else 0)


def losses(state: State) -> tuple[str, list[Loss]]:
    """Return the deviations of `state`, after an introductory line."""
    states = state.situation.states
    if states.rot:
        return "All writes reached the disk. Corruption after that:", [_rotten(state, states.rot[state.row])]
    if states.torn >= 0:
        op, tear = state.trace.ops[states.torn], int(states.tear[state.row])
        if isinstance(op, Write) and 0 < tear < len(op.data):
            what = f"of {len(op.data)} bytes written at {op.off}, only {tear} reached the disk"
            return "All earlier writes reached the disk. The last write is torn:", [
                Loss(op.file, op.off + tear, len(op.data) - tear, what)
            ]
        return "All writes before the crash reached the disk, or all except the last one.", []
    lost = [loss for block, code, loss in pieces(state) if code != block.last]
    if len(lost) <= state.deviations:
        head = "All writes before the crash reached the disk"
        return f"{head}, except:" if lost else f"{head}.", lost
    kept = [replace(loss, kept=True) for _, code, loss in pieces(state, beside=0) if code]
    head = "No write without an fsync reached the disk"
    return f"{head}, except:" if kept else f"{head}.", kept


def arrived(state: State) -> list[str]:
    """Return lines on the writes that arrived in `state`, with the bytes of each deviation."""
    head, found = losses(state)
    out = [head]
    for loss in found:
        out += [f"  {loss}", *(f"    {line}" for line in picture(state, loss))]
    return out


def pieces(state: State, beside: int | None = None) -> Iterator[tuple[Block, int, Loss]]:
    """Yield each granule, size or set of names in flight, with the code and the description of its version.

    An unwritten version is described by its differences from version `beside`, or from the last version if
    `beside` is None.
    """
    states = state.situation.states
    names = file_names(state)
    for block, code in zip(states.point.blocks, states.codes[state.row].tolist(), strict=True):
        yield block, code, _loss(block, code, names, states.point.granule, beside)


def file_names(state: State) -> dict[int, str]:
    """Return the names that the files have in `state`, by the number of the file."""
    point = state.situation.states.point
    names, _ = point.layout(state.situation.states.codes[state.row].tolist())
    return {number: name for name, number in {**point.names, **names}.items()}


def _loss(block: Block, code: int, names: Mapping[int, str], granule: int, beside: int | None) -> Loss:
    """Return version `code` of `block` as a loss, see :func:`pieces`."""
    name, last = names.get(block.file, f"file {block.file}"), block.last
    if block.kind == NAMES:
        return Loss("", 0, 0, f"the names are {', '.join(sorted(block.versions[code])) or 'none'}")
    if block.kind == SIZE:
        what = "as written" if code == last else f"not {block.versions[last]}"
        return Loss(name, 0, 0, f"its size is {block.versions[code]}, {what}")
    start, length, what = block.index * granule, granule, f"its version {code} of {last}"
    if block.levels[code] < 0:
        what = "bytes that were never written there"
        for number, level in enumerate(block.levels):
            if level >= 0 and block.versions[number] == block.versions[code]:
                what = f"broken, and equal to its version {number} of {last}"
        first, end = _apart(block.versions[code], block.versions[last if beside is None else beside])
        if end:
            start, length = start + first, end - first
    elif code == last:
        what = "arrived"
    elif code == 0:
        what = "the bytes from before the write"
    return Loss(name, start, length, what)


def _apart(one: bytes, other: bytes) -> tuple[int, int]:
    """Return the begin and end of the range in which two granules differ. Return 0, 0 if they are equal."""
    apart = [at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right]
    return (apart[0], apart[-1] + 1) if apart else (0, 0)


def _rotten(state: State, what: str) -> Loss:
    whole = settled(state)
    for name, content in state.files.items():
        first, end = _apart(content, whole.get(name, content))
        if end:
            return Loss(name, first, end - first, what)
    return Loss("", 0, 0, what)


def settled(state: State) -> dict[str, bytes]:
    """Return the files that would exist if all writes before the crash had reached the disk."""
    return Timeline(state.trace, SECTOR).advance(state.situation.upto).memory()


def unarrived(state: State) -> dict[str, bytes]:
    """Return the files that would exist if only writes with an fsync had reached the disk."""
    point = state.situation.states.point
    return point.materialise(bytes(len(point.blocks)))


def picture(state: State, loss: Loss) -> Iterator[str]:
    """Yield the bytes of `loss` as they are in the state, annotated by the format's reference.

    A mark precedes each row that differs from the written bytes (with `kept`: from the bytes before the
    write). Of the unmarked rows, only the neighbours of marked rows are shown.
    """
    if not loss.length or loss.file not in state.files:
        return
    data, other = state.files[loss.file], unarrived(state) if loss.kept else settled(state)
    spans = load(state.trace.format).spans(state.files, edition=state.trace.edition)
    found = [
        line
        for line in lines(data, list(spans), loss.file)
        if line.off < loss.off + loss.length and loss.off < line.off + line.length
    ]
    rows = [slice(line.off, line.off + line.length) for line in found if not isinstance(line, Head)]
    wanted = other.get(loss.file, b"")
    odd = [data[row] != wanted[row] for row in rows]
    near = [any(odd[max(0, at - 1) : at + 2]) for at in range(len(rows))]
    at, shown, heads = 0, 0, list[str]()
    for line in found:
        text, *below = text_of(line)
        if isinstance(line, Head):
            heads = [f"  {text}"]
            continue
        if near[at]:
            yield from heads
            heads, shown = [], shown + 1
            if shown <= MOST_ROWS:
                yield from ((MARK if odd[at] else "  ") + text, *(f"  {each}" for each in below))
        at += 1


def preset_words(state: State) -> str:
    """Return the name of the state's preset, and the devices that behave like it."""
    preset = PRESETS[state.rank]
    return f"{preset.name}: {preset.imitates}"


#: The flag of a case in which even a reader that follows the specification does not find the required
#: records.
BEYOND = "BeyondReaders"


def published_id(format_id: str, case_id: str) -> str:
    """Return the id under which the pipeline publishes the state with these 32 hex digits."""
    return f"{get_format(format_id).prefix.lower()}.crash.{case_id}"


def as_case(adapter: CrashFormat, shrunk: Reduced) -> Case:
    """Return the reduced state as a case, whose origin contains the id of the larger state."""
    case = case_of(adapter, shrunk.state)
    if shrunk.state.case_id == shrunk.start:
        return case
    larger = published_id(adapter.format, shrunk.start)
    return replace(case, origin=replace(case.origin, shrunk_from=larger))


def case_of(adapter: CrashFormat, state: State, *, beyond: bool | None = None, tier: str = "core") -> Case:
    """Return `state` as a case, with the oracle's requirements under every policy of the adapter.

    A case that is `beyond` all readers demands nothing (level ``may``), and has the flag :data:`BEYOND`. By
    default, `beyond` is true if the device may have ignored an fsync, or if a limit of the format may cover a
    failure. No reader runs.
    """
    trace, point = state.trace, state.situation.states.point
    if beyond is None:
        beyond = _may_be_beyond(adapter, state)
    preset = PRESETS[state.rank].name
    return make_case(
        published_id(adapter.format, state.case_id),
        title=f"{state.category} after operation {point.crash_index} of {trace.name} ({preset})",
        format_id=trace.format,
        edition=trace.edition,
        stratum=state.situation.states.stratum,
        category=state.category,
        origin=Origin("trace", trace.id, preset, ("model",)),
        files=state.files,
        expect=expectations(adapter, state),
        level="may" if beyond else "must",
        tier=tier,
        obeys=adapter.obeys.get(state.category, adapter.obeys[""]),
        flags=(BEYOND,) if beyond else (),
    )


def expectations(adapter: CrashFormat, state: State) -> list[dict[str, Any]]:
    """Return the permitted outcomes under each policy of the adapter, as the pipeline publishes them."""
    sets = ExpectedSets(adapter, state.trace).sets(state.situation.expected)
    return permitted_by_policy(adapter, sets, state.refusal, state.situation.states.stratum)


def permitted_by_policy(
    adapter: CrashFormat, sets: Mapping[str, Any], refusal: str, stratum: str
) -> list[dict[str, Any]]:
    """Return the permitted outcomes under each policy of the adapter, if `sets` are required.

    `refusal` states whether a reader may refuse the state. For damage that others must refuse, a reader that
    may omit records reports the damage. After corruption, each record is either kept, or its loss is
    reported.
    """
    out: list[dict[str, Any]] = []
    every = sets["must_keep"] + sets["may_keep"]
    for policy in adapter.readers:
        when = {"op": "recover", "policy": policy}
        reports = refusal == REQUIRED and adapter.salvages(policy)
        allowed = {**sets, "refusal": ALLOWED if reports else refusal}
        loses = stratum == CORRUPTED and (reports or refusal != REQUIRED)
        if loses:
            # A misdirected write, or a doubled file, leaves a record in two places.
            allowed["may_keep"] = sets["may_keep"] + every
        elif reports:
            allowed["must_report"] = True
        verdict = "refused" if allowed["refusal"] == REQUIRED else "clean"
        out.append({"when": when, "verdict": verdict, "allowed": allowed})
        if loses:
            lost = {**allowed, "must_keep": [], "may_keep": every + every, "must_report": True}
            out.append({"when": when, "verdict": "recovered", "allowed": lost})
    return out


class ExpectedSets:
    """Represents required and forbidden records at the crash points of one trace, as an observation would
    list them.
    """

    def __init__(self, adapter: CrashFormat, trace: Trace) -> None:
        self._record_json = adapter.record_json
        self._uncounted = adapter.uncounted
        written = [op for op in trace.ops if isinstance(op, Mark)]
        marks = {(op.record, op.alternative[:2]) for op in (*trace.standing, *trace.possible, *written)}
        #: maps a record to the number of times it was written, at other places or in other parts
        self._copies = Counter(record for record, _ in marks)

    def sets(self, expected: Expected) -> dict[str, list[Any]]:
        """Return must_keep, may_keep and must_drop of `expected`, and its permitted states if few."""
        keys: dict[str, list[str]] = {}
        for key, record in expected.record_of.items():
            keys.setdefault(record, []).append(key)

        def records(ids: Iterable[str]) -> list[dict[str, Any]]:
            return [self._record_json(keys[record]) for record in sorted(ids) if record in keys]

        # Records written in several places (by an unfinished compaction) may be read from each of them.
        known = expected.must_keep | expected.may_keep
        copies = [record for record in known for _ in range(1, self._copies[record])]
        states = [] if expected.effects is None else expected.effects.states()
        return {
            "must_keep": records(expected.must_keep),
            "may_keep": records([*(expected.may_keep - expected.must_keep), *copies]),
            "must_drop": records(expected.must_drop),
            **({"states": list(map(dict, states))} if states else {}),
            **({"uncounted": list(self._uncounted)} if self._uncounted else {}),
        }


def _may_be_beyond(adapter: CrashFormat, state: State) -> bool:
    """Return whether even a correct reader may fail: the device ignored an fsync, or a limit covers the
    failure.
    """
    stratum, preset = state.situation.states.stratum, PRESETS[state.rank].name
    return stratum == "L" or any(
        limit.covers(writer_of(state.trace), policy, stratum, verdict, state.category, preset)
        for limit in limits(adapter.format)
        for policy in adapter.readers
        for verdict in VERDICTS
    )


def as_json(adapter: CrashFormat, workload: Any, state: State) -> dict[str, Any]:
    """Return `state` of `workload`: its trace, the writes that arrived, its files, and the required outcome.

    Bytes are in hex. Offsets and lengths are in bytes. Operations are numbered from 0. `crashes_before`
    describes, in order of time, the earlier crash states from which the trace continues.
    """
    states, expected = state.situation.states, state.situation.expected
    return {
        "case": published_id(adapter.format, state.case_id),
        "format": state.trace.format,
        "edition": state.trace.edition,
        "workload": state.trace.name,
        "stratum": states.stratum,
        "category": state.category,
        "field": state.field,
        "preset": PRESETS[state.rank].name,
        "after": states.point.crash_index,
        "under_way": states.torn if states.torn >= 0 else None,
        "trace": _trace(adapter, state.trace),
        "arrived": _arrived(state),
        "files": _files(state.files),
        "owed": {
            "sets": ExpectedSets(adapter, state.trace).sets(expected),
            "must_keep": sorted(expected.must_keep),
            "may_keep": sorted(expected.may_keep - expected.must_keep),
            "must_drop": sorted(expected.must_drop),
            "found_before": sorted(expected.fine),
            "refusal": state.refusal,
            "expect": [
                {**entry["when"], "verdict": entry["verdict"], "refusal": entry["allowed"]["refusal"]}
                for entry in expectations(adapter, state)
            ],
        },
        "crashes_before": [
            {**_shown(before), "trace": _trace(adapter, before.trace), "files": _files(before.files)}
            for before in crashes_before(adapter, workload)
        ],
    }


def _shown(state: State) -> dict[str, Any]:
    states = state.situation.states
    return {
        "after": states.point.crash_index,
        "under_way": states.torn if states.torn >= 0 else None,
        "preset": PRESETS[state.rank].name,
        "arrived": _arrived(state),
    }


def _files(files: Mapping[str, bytes]) -> list[dict[str, Any]]:
    return [
        {"file": name, "size": len(content), "bytes": content.hex()}
        for name, content in sorted(files.items())
    ]


def _trace(adapter: CrashFormat, trace: Trace) -> dict[str, Any]:
    """Return the starting content and all operations in order, with their annotations."""
    standing = {mark.record for mark in trace.standing}

    def before(marks: Iterable[Mark]) -> list[dict[str, Any]]:
        return [{**_mark(adapter, mark), "acknowledged": mark.record in standing} for mark in marks]

    return {
        "id": trace.id,
        "life": trace.life,
        "background": trace.background,
        "base": _files(trace.base),
        "before": before(trace.before),
        "let_go_before": sorted(trace.done),
        "stale": [_mark(adapter, mark) for mark in trace.stale],
        "operations": [{"number": number, **_op(adapter, op)} for number, op in enumerate(trace.ops)],
    }


def _mark(adapter: CrashFormat, mark: Mark) -> dict[str, Any]:
    """Return the positions of a record and of its fields. `entry` is the record as an answer lists it."""
    fields = sorted(mark.fields)
    ends = [end for _, end in pairwise([*(start for start, _ in fields), mark.length])]
    return {
        "record": mark.record,
        "entry": adapter.record_json([mark.key]),
        "file": mark.file,
        "off": mark.off,
        "length": mark.length,
        "fields": [
            {"name": name, "off": mark.off + start, "length": end - start}
            for (start, name), end in zip(fields, ends, strict=True)
        ],
    }


def _op(adapter: CrashFormat, op: Op) -> dict[str, Any]:
    kind = type(op).__name__.lower()
    if isinstance(op, Mark):
        return {"op": kind, **_mark(adapter, op), **({"copy": op.copy} if hasattr(op, "copy") else {})}
    return {"op": kind, **{name: _plain(value) for name, value in asdict(op).items()}}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    return list(value) if isinstance(value, tuple) else value


def _arrived(state: State) -> dict[str, Any]:
    """Return the data and the text of the writes in flight that arrived."""
    states = state.situation.states
    head, lost = losses(state)
    out: dict[str, Any] = {"words": [head, *map(str, lost)]}
    if states.rot:
        return {**out, "corrupted": states.rot[state.row]}
    if states.torn >= 0:
        return {**out, "bytes_of_last": int(states.tear[state.row])}
    names = file_names(state)
    return {
        **out,
        "pieces": [
            {
                "kind": block.kind,
                **({} if block.kind == NAMES else {"file": names.get(block.file, "")}),
                **({} if block.kind in (NAMES, SIZE) else {"off": loss.off, "length": loss.length}),
                "version": code,
                "versions": len(block.levels),
                "written": block.levels[code] >= 0,
                "what": loss.what,
            }
            for block, code, loss in pieces(state)
        ],
    }
