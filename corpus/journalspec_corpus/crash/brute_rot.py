"""The other strata by brute force: what a lie about a force leaves, what corruption does to settled files.

Whether a state can be is decided from its bytes: a device that lied leaves what
it had before some operation; a force that failed leaves pages of the trace's past;
corruption of a kind changes so much and no more of what had been settled. What
is owed follows from the bytes as in :mod:`.brute_debts`, except that nobody is
blamed for refusing, and that with corruption nothing can be demanded back: then
what is missing has to be told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from journalspec_corpus.crash.brute_debts import BruteDebt, Ledger, verdict
from journalspec_corpus.crash.brute_states import HOLE, Body, BruteState, Machine, brute_prefix, origin
from journalspec_corpus.crash.judge import Answer
from journalspec_corpus.crash.model import CORRUPTED, get_preset
from journalspec_corpus.crash.trace import Trace

Files = Mapping[str, bytes]
SECTOR, PAGE = 512, 4096
#: A burst is at most so many bits long, and may begin inside a byte.
BURST = 64 // 8 + 1


class Past:
    """Everything that a trace's files ever held, up to a crash point."""

    def __init__(self, trace: Trace, crash: int) -> None:
        machine = Machine(trace, 1 << 40)
        self.memories: list[BruteState] = [machine.memory()]
        for upto in range(1, crash + 1):
            machine.run(upto)
            self.memories.append(machine.memory())
        self.trace, self.crash = trace, crash
        self.settled = {name: body.data for name, body in self.memories[-1].files.items()}

    def number(self, name: str) -> int:
        """Return the number of the file that was called `name` last, -1 if there never was one."""
        return next((state.numbers[name] for state in self.memories[::-1] if name in state.numbers), -1)

    def pieces(self, name: str, start: int, end: int) -> set[bytes]:
        """Return what ``[start, end)`` of whatever file was ever called `name` has been, zeros included."""
        called = {state.numbers[name] for state in self.memories if name in state.numbers}
        out = {bytes(end - start)}
        for state in self.memories:
            for each, body in state.files.items():
                if state.numbers[each] in called:
                    out.add(body.sized(max(end, len(body.data))).data[start:end])
        return out


def _changes(past: Past, files: Files) -> dict[str, set[int]]:
    """Return the offsets that differ from what was settled, by file; of files of the same names and sizes."""
    out = {}
    for name, old in past.settled.items():
        new = files.get(name)
        if new is None or len(new) != len(old):
            return {name: set(range(len(old)))}
        if new != old:
            out[name] = {at for at, (was, now) in enumerate(zip(old, new, strict=True)) if was != now}
    return out


def _bits(past: Past, files: Files, *_: str) -> bool:
    found = [
        (past.settled[name][at], files[name][at])
        for name, spots in _changes(past, files).items()
        for at in spots
    ]
    return sum((was ^ new).bit_count() for was, new in found) in (1, 2)


def _burst(past: Past, files: Files, *_: str) -> bool:
    (spots,) = _changes(past, files).values()
    return max(spots) - min(spots) < BURST


def _cleared(unit: int) -> Callable[..., bool]:
    def check(past: Past, files: Files, name: str, where: str) -> bool:
        start = int(where) * unit
        old = past.settled[name]
        end = start + unit if unit > 1 else len(old)
        new = old[:start] + bytes(len(old[start:end])) + old[end:]
        return files == {**past.settled, name: new}

    return check


def _cut(unit: int) -> Callable[..., bool]:
    def check(past: Past, files: Files, name: str, where: str) -> bool:
        return files == {**past.settled, name: past.settled[name][: int(where) * unit]}

    return check


def _phantom(past: Past, files: Files, name: str, where: str) -> bool:
    start = int(where) * SECTOR
    (changed,) = _changes(past, files)
    piece = files[name][start : start + SECTOR]
    once = past.pieces(name, start, start + len(piece))
    same = files[name][:start] + past.settled[name][start : start + SECTOR] + files[name][start + SECTOR :]
    return changed == name and same == past.settled[name] and piece in once


def _misdirect(past: Past, files: Files, name: str, where: str, other: str, there: str) -> bool:
    start, end = int(where) * SECTOR, int(there) * SECTOR
    meant = past.settled[name][start : start + SECTOR]
    landed = files[other][end : end + SECTOR]
    spots = {(each, at) for each, found in _changes(past, files).items() for at in found}
    within = all(
        (each == name and start <= at < start + SECTOR) or (each == other and end <= at < end + SECTOR)
        for each, at in spots
    )
    left = files[name][start : start + SECTOR]
    old = left in past.pieces(name, start, start + len(left))
    return within and old and meant[: len(landed)] == landed[: len(meant)]


def _exchanged(past: Past, files: Files, *_: str) -> bool:
    """A restore gone wrong: whole files, each as some file once was."""
    known = {body.data for state in past.memories for body in state.files.values()}
    return files != past.settled and all(content in known for content in files.values())


#: what a label begins with -> whether files may be so, from the rest of the label
KINDS: Mapping[str, Callable[..., bool]] = {
    "bit": _bits,
    "bits": _bits,
    "burst": _burst,
    "zero": _cleared(SECTOR),
    "lse": _cleared(PAGE),
    "clear": _cleared(1),
    # Who copies sector by sector and stops at the first that cannot be read has what came before it.
    "eio": _cut(SECTOR),
    "cut": _cut(1),
    "phantom": _phantom,
    "misdirect": _misdirect,
    "missing": _exchanged,
    "doubled": _exchanged,
    "swapped": _exchanged,
    "older": _exchanged,
}


def is_rotten(past: Past, files: Files, label: str) -> bool:
    """Tell whether corruption `label` may leave `files`; raises KeyError for an unknown kind."""
    kind, *rest = label.split(":")
    return bool(KINDS[kind](past, dict(files), *rest))


def lied(past: Past, files: Files, preset: str) -> BruteState | None:
    """Return the state if a device that lied may leave `files`, None if it may not."""
    content = tuple(sorted(files.items()))
    if get_preset(preset).force == "fails-clean":
        fits = all(
            data[at : at + SECTOR] in past.pieces(name, at, min(at + SECTOR, len(data)))
            for name, data in files.items()
            for at in range(0, len(data), SECTOR)
        )
        return _bare(past, files, preset) if fits else None
    for upto in range(past.crash + 1):
        for state in brute_prefix(past.trace, get_preset("prefix-sector-512"), upto):
            if state.content == content:
                return replace(state, preset=preset, crash=past.crash, torn=-1)
    return None


def _bare(past: Past, files: Files, preset: str) -> BruteState:
    bodies = {name: Body(data, origin(HOLE, len(data))) for name, data in files.items()}
    numbers = {name: past.number(name) for name in files}
    return BruteState(preset, past.crash, -1, (), bodies, numbers)


def other_debt(ledger: Ledger, past: Past, files: Files, preset: str, label: str) -> BruteDebt | None:
    """Return what is owed in a state of stratum L or C; None if it cannot be."""
    if label:
        if not is_rotten(past, files, label):
            return None
        return replace(ledger.debt(_bare(past, files, preset)), refusal="allowed")
    state = lied(past, files, preset)
    if state is None:
        return None
    debt = ledger.debt(state)
    return replace(debt, refusal="allowed") if debt.refusal == "forbidden" else debt


def other_verdict(answer: Answer, debt: BruteDebt, stratum: str, *, salvaging: bool) -> str:
    """Return what is wrong with `answer`; what corruption took may be missing if that is said."""
    if stratum != CORRUPTED or answer.refused is not None:
        return verdict(answer, debt, salvaging=salvaging)
    found = {debt.names.get(key) for key in answer.keys}
    gone = debt.must_keep - found
    said = verdict(answer, replace(debt, must_keep=debt.must_keep - gone), salvaging=salvaging)
    return "silent" if said == "pass" and gone and not answer.reported else said
