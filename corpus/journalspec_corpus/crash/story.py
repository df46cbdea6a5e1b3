"""A crash state in words and as a picture: what was done, what did not arrive, what stands there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from journalspec_corpus.crash.blocks import NAMES, SIZE, Block, Timeline
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.reduction import State
from journalspec_corpus.crash.trace import (
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
    Truncate,
    Unlink,
    Write,
)
from journalspec_reference import load
from journalspec_reference.hexdump import (
    COLUMNS,
    Fold,
    Head,
    Row,
    fold_text,
    head_text,
    lines,
    notes,
    row_text,
)

#: Rows of a picture, at most.
MOST_ROWS = 14
#: In front of a row that holds something else than was written.
MARK = "! "


@dataclass(frozen=True, slots=True)
class Loss:
    """One deviation: `length` bytes of `file` at `off` hold `what`; length 0 if it is not about bytes.

    `kept` if hardly anything arrived, and this did.
    """

    file: str
    off: int
    length: int
    what: str
    kept: bool = False

    def __str__(self) -> str:
        """Return it as a line."""
        if not self.length:
            return f"{self.file}: {self.what}" if self.file else self.what
        return f"{self.file}, bytes {self.off} to {self.off + self.length - 1}: {self.what}"


def story(state: State) -> Iterator[str]:
    """Yield what was done up to the crash, one operation a line, in words."""
    trace = state.trace
    states = state.situation.states
    upto = max(states.point.crash_index, states.torn + 1)
    for index, op in enumerate(trace.ops[:upto]):
        text = _said(op)
        if text is None:
            continue
        about = [note for at, note in trace.annotated if at == index and isinstance(op, Write)]
        written = [note.record for note in about if isinstance(note, Mark)]
        counting = [record for note in about if isinstance(note, Publish) for record in note.records]
        if written:
            text += f": {', '.join(written)}"
        if set(counting) - set(written):
            text += f"; from now on {', '.join(counting)} count"
        yield text
    yield "the crash"


#: Operations in words; what is not among them is an annotation, told with its write.
_WORDS: Mapping[type, str] = {
    Ack: "acknowledge {0}",
    Create: "create {0.file}",
    Release: "no longer owed: {0}",
    Rename: "rename {0.old} to {0.new}",
    Reuse: "{0.file} begins a new life, its old bytes stay",
    Sync: "force {0.file}",
    SyncDir: "force the names",
    Truncate: "set the size of {0.file} to {0.size}",
    Unlink: "remove {0.file}",
}


def _said(op: Op) -> str | None:
    """Return an operation in words, None for what says nothing by itself."""
    if isinstance(op, Write):
        return f"write {len(op.data)} bytes at {op.off} of {op.file}"
    if isinstance(op, (Ack, Release)):
        what = _WORDS[type(op)].partition("{")[0]
        return what + ", ".join(op.records) if op.records else None
    words = _WORDS.get(type(op))
    return None if words is None else words.format(op)


def losses(state: State) -> tuple[str, list[Loss]]:
    """Return a line that introduces the deviations of `state`, and these."""
    states = state.situation.states
    if states.rot:
        return "Everything arrived, and then:", [_rotten(state, states.rot[state.row])]
    if states.torn >= 0:
        op, tear = state.trace.ops[states.torn], int(states.tear[state.row])
        if isinstance(op, Write) and 0 < tear < len(op.data):
            what = f"not arrived: of {len(op.data)} bytes written at {op.off}, {tear} did"
            return "Everything before arrived, and the last write is torn:", [
                Loss(op.file, op.off + tear, len(op.data) - tear, what)
            ]
        return "Everything up to the crash arrived, or all but the last write.", []
    blocks, codes = states.point.blocks, states.codes[state.row].tolist()
    names, granule = file_names(state), states.point.granule
    lost = [
        _loss(block, code, names, granule)
        for block, code in zip(blocks, codes, strict=True)
        if code != block.last
    ]
    if len(lost) <= state.deviations:
        head = (
            "Everything up to the crash arrived, but for:" if lost else "Everything up to the crash arrived."
        )
        return head, lost
    kept = [
        replace(_loss(block, code, names, granule, beside=0), kept=True)
        for block, code in zip(blocks, codes, strict=True)
        if code
    ]
    head = "Of what had not been forced nothing arrived"
    return f"{head}, but for:" if kept else f"{head}.", kept


def pieces(state: State) -> Iterator[tuple[Block, int, Loss]]:
    """Yield each granule, size or set of names in flight, its version in `state`, and that in words."""
    states = state.situation.states
    names = file_names(state)
    for block, code in zip(states.point.blocks, states.codes[state.row].tolist(), strict=True):
        yield block, code, _loss(block, code, names, states.point.granule)


def file_names(state: State) -> dict[int, str]:
    """Return the names that the files have in `state`, by the number of the file."""
    point = state.situation.states.point
    names, _ = point.layout(state.situation.states.codes[state.row].tolist())
    return {number: name for name, number in {**point.names, **names}.items()}


def _loss(block: Block, code: int, names: Mapping[int, str], granule: int, beside: int | None = None) -> Loss:
    """Return version `code` of `block` as a loss; one that is broken lies where it is not as in `beside`."""
    name, last = names.get(block.file, f"file {block.file}"), block.last
    if block.kind == NAMES:
        return Loss("", 0, 0, f"the names are {', '.join(sorted(block.versions[code])) or 'none'}")
    if block.kind == SIZE:
        what = "as written" if code == last else f"not {block.versions[last]}"
        return Loss(name, 0, 0, f"its size is {block.versions[code]}, {what}")
    start, length, what = block.index * granule, granule, f"its version {code} of {last}"
    if block.levels[code] < 0:
        what = "something that was never written there"
        for number, level in enumerate(block.levels):
            if level >= 0 and block.versions[number] == block.versions[code]:
                what = f"broken, and by that the same as its version {number} of {last}"
        first, end = _apart(block.versions[code], block.versions[last if beside is None else beside])
        if end:
            start, length = start + first, end - first
    elif code == last:
        what = "arrived"
    elif code == 0:
        what = "what stood there before"
    return Loss(name, start, length, what)


def _apart(one: bytes, other: bytes) -> tuple[int, int]:
    """Return where two granules begin to differ and where they are alike again; 0, 0 if nowhere."""
    apart = [at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right]
    return (apart[0], apart[-1] + 1) if apart else (0, 0)


def _rotten(state: State, what: str) -> Loss:
    whole = settled(state)
    for name, content in state.files.items():
        old = whole.get(name)
        if old is not None and old != content:
            changed = [at for at in range(min(len(old), len(content))) if old[at] != content[at]]
            if changed:
                return Loss(name, changed[0], changed[-1] - changed[0] + 1, what)
    return Loss("", 0, 0, what)


def settled(state: State) -> dict[str, bytes]:
    """Return the files as they would be if everything up to the crash had arrived."""
    states = state.situation.states
    line = Timeline(state.trace, 512).advance(max(states.point.crash_index, states.torn + 1))
    return line.settled().materialise(b"")


def sectors(state: State, size: int = 512) -> Iterator[tuple[str, int, int, str]]:
    """Yield (file, offset, length, what) of each run of sectors of which the same became.

    What was written since the last force has ``arrived``, is ``lost`` (what stood there before still does,
    or zeros, if the file has grown around it),
    or has come ``partly``: not all writes, or a part of one, or garbage. All other sectors are ``settled``.
    """
    point = state.situation.states.point
    before = point.materialise(np.zeros(len(point.blocks), np.uint16))
    after = settled(state)
    for name, content in state.files.items():
        old, new = before.get(name, b""), after.get(name, b"")
        run = start = 0
        last = ""
        for at in range(0, len(content), size):
            now, was, wanted = (data[at : at + size] for data in (content, old, new))
            if now == wanted:
                what = "settled" if now == was else "arrived"
            else:
                what = "lost" if now == was.ljust(len(now), b"\0") else "partly"
            if what != last and run:
                yield name, start, run, last
                start, run = at, 0
            last, run = what, run + len(now)
        if run:
            yield name, start, run, last


def picture(state: State, loss: Loss) -> Iterator[str]:
    """Yield the bytes of `loss` as they are in the state, annotated by the format's reference.

    A mark stands before each row that holds something else than was written (of a
    loss that was `kept`: than stood there before); of the other rows only their
    neighbours are shown.
    """
    if not loss.length or loss.file not in state.files:
        return
    found = list(_rows(state, loss))
    rows = [at for at, entry in enumerate(found) if not entry.head]
    near = {
        rows[beside]
        for place, at in enumerate(rows)
        if found[at].odd
        for beside in (place - 1, place, place + 1)
        if 0 <= beside < len(rows)
    }
    shown = 0
    for at, entry in enumerate(found):
        later = next((other for other in range(at + 1, len(found)) if found[other].head), len(found))
        if entry.head:
            wanted = bool(near & set(range(at, later)))
        else:
            wanted = at in near and shown < MOST_ROWS
            shown += wanted
        if wanted:
            yield from entry.lines


def _other(state: State, loss: Loss) -> Mapping[str, bytes]:
    """Return the files that a picture of `loss` is compared with."""
    if not loss.kept:
        return settled(state)
    point = state.situation.states.point
    return point.materialise(np.zeros(len(point.blocks), np.uint16))


@dataclass(frozen=True, slots=True)
class _Entry:
    """One row of a dump with what stands below it, or the head of a region."""

    lines: tuple[str, ...]
    head: bool = False
    odd: bool = False


def _rows(state: State, loss: Loss) -> Iterator[_Entry]:
    data, wanted = state.files[loss.file], _other(state, loss).get(loss.file, b"")
    spans = load(state.trace.format).spans(state.files, edition=state.trace.edition)
    start, end = loss.off, min(loss.off + loss.length, len(data))
    for line in lines(data, list(spans), loss.file):
        length = len(line.data) if isinstance(line, Row) else line.length
        if line.off + length <= start or line.off >= end:
            continue
        if isinstance(line, Head):
            yield _Entry(("  " + head_text(line),), head=True)
            continue
        odd = data[line.off : line.off + length] != wanted[line.off : line.off + length]
        mark = MARK if odd else "  "
        if isinstance(line, Fold):
            yield _Entry((mark + fold_text(line),), odd=odd)
        else:
            beside, below = notes(line.labels, COLUMNS)
            yield _Entry((mark + row_text(line, beside), *("  " + text for text in below)), odd=odd)


def preset_words(state: State) -> str:
    """Return the state's preset and what behaves like it."""
    preset = PRESETS[state.rank]
    return f"{preset.name}: {preset.imitates}"
