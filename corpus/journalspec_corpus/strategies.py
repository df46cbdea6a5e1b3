"""Hypothesis strategies for valid journals, and for single faults in them.

They are for property tests of any reader, writer or recovery tool::

    from hypothesis import given, strategies as st
    from journalspec_corpus.strategies import faults, journals

    @given(journals(FORMAT))                      # any of `journalspec formats`
    def test_my_reader_sees_what_was_written(journal):
        found = my_reader(journal.files)          # name -> bytes
        assert [r.offset for r in found] == [r.at.off for r in journal.records]

    @given(st.data())
    def test_my_recovery_refuses_damage(data):
        journal = data.draw(journals(FORMAT, EDITION))
        fault = data.draw(faults(journal))
        if fault.strict == "refused":
            with pytest.raises(MyCorruption):
                my_recovery(fault.files)

A journal contains the records and the state that it must yield, computed from the requested writes. A fault
contains the required outcome, and the reason if the format cannot detect the fault. This module needs the
extra ``hypothesis``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from journalspec.formats import get_format
from journalspec_corpus.drawn import KINDS, DrawnJournal, Fault, Field, Judgement, drawing_of, judge

__all__ = [
    "KINDS",
    "DrawnJournal",
    "Fault",
    "Field",
    "Judgement",
    "faults",
    "journals",
]

SECTORS = (512, 4096)


def journals(format_id: str, edition: str | None = None) -> st.SearchStrategy[DrawnJournal]:
    """Return a strategy for valid journals of a format (of all its editions if none is given).

    The journals are small: up to about a dozen records and a few KiB. Raises UnknownFormat for a format or
    edition that has no strategies.
    """
    drawing, description = drawing_of(format_id), get_format(format_id)
    editions = sorted(description.editions) if edition is None else [description.edition(edition).id]
    # These are the journals of the fuzzers, with values from the complete range; Hypothesis makes the
    # choices.
    return st.tuples(st.sampled_from(editions), st.randoms(use_true_random=False)).map(
        lambda drawn: drawing.base(*drawn, wide=True)
    )


def faults(journal: DrawnJournal, kinds: tuple[str, ...] = KINDS) -> st.SearchStrategy[Fault]:
    """Return a strategy for single faults of the given kinds in `journal`.

    bit-flip     one bit of one file
    torn-write   the last record of a file ends early, and the earlier bytes follow it
    lost-sector  an aligned block of 512 or 4096 bytes is zero
    stale-block  such a block has its content of the file's previous generation
    truncation   a file ends early
    pointer      a field that contains the end of the log has another value

    A journal without a single byte has no faults, so drawing a fault discards the example.
    """
    unknown = set(kinds) - set(KINDS)
    if unknown:
        raise ValueError(f"no such kind of fault: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    usable = [kind for kind in kinds if kind != "pointer" or journal.pointers]
    if not usable:
        raise ValueError(f"{journal.format} edition {journal.edition} has no pointer to damage")
    if not any(journal.files.values()):
        return st.nothing()
    return st.sampled_from(usable).flatmap(lambda kind: _DRAW[kind](journal))


def _fault(journal: DrawnJournal, kind: str, name: str, off: int, length: int, content: bytes) -> Fault:
    files: Mapping[str, bytes] = {**journal.files, name: content}
    judgement = judge(journal, files)
    return Fault(kind, files, name, off, length, judgement.strict, judgement.intact, judgement.why)


@st.composite
def _bit_flip(draw: st.DrawFn, journal: DrawnJournal) -> Fault:
    # First a field is drawn, and then a bit of the field, because most bytes of a journal are fill.
    anywhere = [Field(name, 0, len(data), "") for name, data in journal.files.items() if data]
    place = draw(st.sampled_from([field for field in journal.fields if field.length] + anywhere))
    off = place.off + draw(st.integers(0, place.length - 1))
    content = bytearray(journal.files[place.file])
    content[off] ^= 1 << draw(st.integers(0, 7))
    return _fault(journal, "bit-flip", place.file, off, 1, bytes(content))


@st.composite
def _torn_write(draw: st.DrawFn, journal: DrawnJournal) -> Fault:
    last = {record.at.file: record.at for record in journal.records}
    if not last:
        return draw(_truncation(journal))
    at = last[draw(st.sampled_from(sorted(last)))]
    kept = draw(st.integers(0, at.length - 1))
    new, old = journal.files[at.file], journal.before[at.file]
    end = at.off + at.length
    content = new[: at.off + kept] + old[at.off + kept : end] + new[end:]
    return _fault(journal, "torn-write", at.file, at.off + kept, at.length - kept, content)


Drawer = Callable[[DrawnJournal], st.SearchStrategy[Fault]]


def _block(kind: str, source: Callable[[DrawnJournal, str], bytes]) -> Drawer:
    @st.composite
    def draw_block(draw: st.DrawFn, journal: DrawnJournal) -> Fault:
        name = draw(st.sampled_from(sorted(journal.files)))
        new, old = journal.files[name], source(journal, name)
        size = draw(st.sampled_from(SECTORS))
        start = size * draw(st.integers(0, max(0, len(new) - 1) // size))
        end = min(start + size, len(new))
        return _fault(journal, kind, name, start, end - start, new[:start] + old[start:end] + new[end:])

    return draw_block


@st.composite
def _truncation(draw: st.DrawFn, journal: DrawnJournal) -> Fault:
    name = draw(st.sampled_from(sorted(name for name, data in journal.files.items() if data)))
    content = journal.files[name]
    ends = [record.at.off + record.at.length for record in journal.records if record.at.file == name]
    anywhere = st.integers(0, len(content) - 1)
    size = draw(st.sampled_from(ends) | anywhere if ends else anywhere)
    return _fault(journal, "truncation", name, size, len(content) - size, content[:size])


@st.composite
def _pointer(draw: st.DrawFn, journal: DrawnJournal) -> Fault:
    place = draw(st.sampled_from(journal.pointers))
    content = journal.files[place.file]
    end = place.off + place.length
    value = int.from_bytes(content[place.off : end], place.order)
    boundaries = [record.at.off for record in journal.records if record.at.file == place.file]
    near = st.integers(-64, 64).map(lambda step: value + step)
    anywhere = st.integers(0, len(content) + 1) | st.sampled_from([*boundaries, 0, -1, 1 << 62])
    changed = draw((near | anywhere).filter(lambda chosen: chosen != value))
    raw = (changed % (1 << 8 * place.length)).to_bytes(place.length, place.order)
    content = content[: place.off] + raw + content[end:]
    return _fault(journal, "pointer", place.file, place.off, place.length, content)


_DRAW: Mapping[str, Drawer] = {
    "bit-flip": _bit_flip,
    "torn-write": _torn_write,
    "lost-sector": _block("lost-sector", lambda journal, name: bytes(len(journal.files[name]))),
    "stale-block": _block("stale-block", lambda journal, name: journal.before[name]),
    "truncation": _truncation,
    "pointer": _pointer,
}
