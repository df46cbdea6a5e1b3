"""Journals drawn at random, with the required answers of every correct reader.

Plain values, shared by the Hypothesis strategies and the fuzzer. What a journal must yield follows from
what was asked to be written, never from reading it; what must hold after a fault is what the naive reader
of its format finds.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from journalspec.formats import UnknownFormat, format_module, get_format
from journalspec.layout import Layout
from journalspec.observation import REFUSED, At, Record
from journalspec_corpus.edits import Built


@dataclass(frozen=True, slots=True)
class Field:
    """A named byte range of one file: `length` bytes at `off`; integers in byte order `order`."""

    file: str
    off: int
    length: int
    name: str
    order: Literal["big", "little"] = "big"


@dataclass(frozen=True)
class DrawnJournal:
    """A valid journal, as a conforming writer leaves it.

    `records` is what reading the whole journal reports, in its order;
    `recovered` is what recovery counts, and `state` what it concludes.
    `before` holds the files as they were in their previous generation (same names and
    lengths): what shows through where a write did not reach the disk. `fields`
    names the bytes, `pointers` those of them that say where the log ends. `ends` says for each of `recovered`
    up to where its file must be there: it may count only with others.
    """

    format: str
    edition: str
    files: Mapping[str, bytes]
    records: tuple[Record, ...]
    recovered: tuple[Record, ...]
    state: Mapping[str, object]
    before: Mapping[str, bytes]
    fields: tuple[Field, ...]
    pointers: tuple[Field, ...] = ()
    ends: tuple[int, ...] = ()


#: What strict recovery must make of a fault.
Strict = Literal["same", "refused", "open"]


@dataclass(frozen=True)
class Judgement:
    """The required outcome for a journal after a fault.

    strict    ``same``: records and state as before the fault; ``refused``: no
              result; ``open``: the format cannot tell, `why` says why not.
    intact    records that salvage must still report, in this order, whatever
              else it reports; empty if the fault takes the file itself away.
    """

    strict: Strict
    intact: tuple[Record, ...]
    why: str = ""


@dataclass(frozen=True)
class Fault:
    """A single fault in a drawn journal: the damaged files, and what must still hold.

    `kind` is one of KINDS; `file`, `off` and `length` say which bytes it hit
    (at most; some of them may have kept their value).
    """

    kind: str
    files: Mapping[str, bytes]
    file: str
    off: int
    length: int
    strict: Strict
    intact: tuple[Record, ...]
    why: str = ""


KINDS = ("bit-flip", "torn-write", "lost-sector", "stale-block", "truncation", "pointer")

#: Why recovery may go on, and with what: the naive reader found nothing that the format forbids.
UNSEEN = "nothing in the files is against the specification, or what is, is no reason to refuse"


def lenient(format_id: str) -> str:
    """Return the policy of a format that recovers most from damage: salvage, or else its first."""
    policies = get_format(format_id).policies
    return "salvage" if "salvage" in policies else next(iter(policies))


def judge(journal: DrawnJournal, files: Mapping[str, bytes]) -> Judgement:
    """Return the required outcome after `journal` became `files`, by the naive reader of its format."""
    naive = format_module("journalspec_corpus", journal.format).naive
    strict = naive.recover(files, journal.edition, "strict")
    salvaged = naive.recover(files, journal.edition, lenient(journal.format)).get("records", ())
    sound = {record.at: record for record in journal.recovered}
    kept = [record_of(entry) for entry in salvaged]
    intact = tuple(sound[record.at] for record in kept if sound.get(record.at) == record)
    if strict["verdict"] == REFUSED:
        return Judgement("refused", intact)
    if intact == journal.recovered == tuple(kept) and strict["state"] == journal.state:
        return Judgement("same", intact)
    return Judgement("open", intact, UNSEEN)


class JournalDrawing(Protocol):
    """What a package has as ``drawing``: journals drawn at random, the same ones for the same `rng`."""

    def base(self, edition: str, rng: random.Random, *, wide: bool = False) -> DrawnJournal:
        """Return a small valid journal; `wide`: with values from the whole range of each field."""

    def lies(self, edition: str, rng: random.Random) -> Mapping[str, bytes]:
        """Return files with wrong fields under a right checksum."""


def drawing_of(format_id: str) -> JournalDrawing:
    """Return what draws journals of a format; raises UnknownFormat if nothing does."""
    package = format_module("journalspec_corpus", format_id)
    if not hasattr(package, "drawing"):
        raise UnknownFormat(f"no journals of {format_id} can be drawn")
    drawing: JournalDrawing = package.drawing
    return drawing


def varied(
    record: dict[str, Any], layout: Layout, edition: str, words: Mapping[str, str], rng: random.Random
) -> dict[str, Any]:
    """Return a described record with some other values that its fields may have.

    `words` are authors' words for fields. Bytes are described in hex, or by how many zeros
    they are; a list of texts has its elements in hex, under its name and ``_hex``.
    """
    out = dict(record)
    for item in layout.structure("record", edition).fields:
        word = words.get(item.name, item.name)
        if item.type == "list":
            word += "_hex"
        if word not in record or rng.randrange(4):
            continue
        if item.show == "bool":
            out[word] = rng.randrange(2)
        elif item.is_int:
            low = -(1 << 8 * item.width - 1) if item.signed else 0
            out[word] = rng.choice(
                (low, low + (1 << 8 * item.width) - 1, low + rng.getrandbits(8 * item.width))
            )
        elif item.type == "list":
            texts = {_some(rng, 0x20, 0x7F).hex() for _ in range(rng.randrange(5))}
            out[word] = sorted(texts)
        else:
            out[word] = 6 * rng.randrange(2) if isinstance(record[word], int) else _some(rng, 0, 256).hex()
    return out


def _some(rng: random.Random, low: int, end: int) -> bytes:
    """Return a few bytes from `low` up to but not including `end`."""
    return bytes(low + byte % (end - low) for byte in rng.randbytes(rng.randrange(1, 41)))


def record_of(entry: Mapping[str, Any]) -> Record:
    """Return a record from what an author module or a naive reader says of it."""
    at = entry["at"]
    fields = {key: value for key, value in entry.items() if key not in ("type", "at")}
    return Record(entry["type"], fields, At(at["file"], int(at["off"]), int(at["len"])))


def written(built: Built) -> list[str]:
    """Return the labels of the records of this generation, for files described without labels."""
    return [label for label in built.records if "old" not in label]


def lie(
    record: dict[str, Any], fields: Sequence[str], numbers: Sequence[int], rng: random.Random
) -> dict[str, Any]:
    """Return a described record in which one or two of the `fields` hold one of `numbers`."""
    out = dict(record)
    for _ in range(rng.choice((1, 1, 2))):
        number = rng.choice(numbers)
        out[rng.choice(fields)] = number
    return out


def lie_in(built: Built, lies: Sequence[bytes], times: int, rng: random.Random, *, small: int = 0) -> None:
    """Put wrong values into fields of intact files, `times` times: at their beginnings, or in any bytes.

    Where `small` is given there may be a number below it as well. A field longer than the wrong value gets a
    wrong bit.
    """
    names = [label for label, spot in built.labels.items() if spot.length > 0 and "." in label]
    for _ in range(times):
        spot = built.range(rng.choice(names))
        if spot.length <= len(lies[0]):
            number = [bytes(spot.length - 1) + bytes([rng.randrange(small)])] if small else []
            values = (rng.choice(lies)[: spot.length], rng.randbytes(spot.length), *number)
            built.put(spot, rng.choice(values))
        else:
            built.files[spot.file][spot.off + rng.randrange(spot.length)] ^= 1 << rng.randrange(8)


def drawn(  # all but the first three are keyword-only
    of: tuple[str, str],
    lives: tuple[Built, Built],
    state: Mapping[str, Any],
    *,
    recovered: Collection[str] | None = None,
    left: Collection[str] = (),
    pointer: str = "",
    ends: Sequence[int] | None = None,
) -> DrawnJournal:
    """Return the journal of a format and edition that was laid out as its author module does.

    `lives` are this one and the previous one, whose files are made as long as those of this one. Of the
    records, those with the labels `recovered` count for recovery (none given: all); `left` are records of
    the previous generation that are still there, and count as records of this one. `pointer` is how the
    labels of the fields end that say where the log ends. `ends` says up to where the file of each that counts
    must be there (not given: up to its own end).
    """
    now, then = lives
    for name, data in now.files.items():
        then.files[name] = (then.files.get(name, bytearray()) + bytes(len(data)))[: len(data)]
    labels = written(now)
    records = {label: record_of(now.records[label]) for label in (*labels, *left)}
    fields = _fields_of(now, labels)
    counting = tuple(records[label] for label in (labels if recovered is None else recovered))
    return DrawnJournal(
        *of,
        now.content(),
        records=tuple(records.values()),
        recovered=counting,
        state=state,
        before=then.content(),
        fields=fields,
        pointers=tuple(spot for spot in fields if pointer and spot.name.endswith(pointer)),
        ends=tuple(ends or (record.at.off + record.at.length for record in counting)),
    )


def _fields_of(built: Built, records: Collection[str]) -> tuple[Field, ...]:
    """Return every field of the `records`, by label, and of the files' headers."""
    headers = (f"f{number}.header." for number in range(1, len(built.files) + 1))
    owners = (*(f"{label}." for label in records), *headers)
    return tuple(
        Field(spot.file, spot.off, spot.length, label)
        for label, spot in built.labels.items()
        if label.startswith(owners)
    )
