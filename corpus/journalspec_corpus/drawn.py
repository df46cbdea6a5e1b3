"""Random journals, with the answers that every correct reader must give.

The Hypothesis strategies and the fuzzer share these plain values. The required result for a sound journal
follows from the requested writes, never from reading the journal. The required result after a fault is the
naive reader's result.
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
    """Represents a named byte range of one file: `length` bytes at `off`; integers in byte order `order`."""

    file: str
    off: int
    length: int
    name: str
    order: Literal["big", "little"] = "big"


@dataclass(frozen=True)
class DrawnJournal:
    """Represents a valid journal, as a conforming writer leaves it.

    `records` are the records that a reading of the whole journal reports, in this order. `recovered` are the
    records that recovery keeps, and `state` is the recovered state. `before` contains the files in their
    previous generation, with the same names and lengths. Their bytes are visible wherever a write did not
    reach the disk. `fields` contains named byte ranges; `pointers` are the fields that contain the end of the
    log. For each record in `recovered`, `ends` contains the offset up to which its file must be intact,
    because a record may be valid only together with others.
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


#: The required results of strict recovery after a fault.
Strict = Literal["same", "refused", "open"]


@dataclass(frozen=True)
class Judgement:
    """Represents the required outcome for a journal after a fault.

    strict    ``same``: records and state as before the fault; ``refused``: no
              result; ``open``: the format cannot decide, `why` gives the reason.
    intact    records that salvage must still report, in this order, whatever
              else it reports; empty if the fault removes the file itself.
    """

    strict: Strict
    intact: tuple[Record, ...]
    why: str = ""


@dataclass(frozen=True)
class Fault:
    """Represents a single fault in a drawn journal: the damaged files, and the required outcome.

    `kind` is one of KINDS; `file`, `off` and `length` are the affected bytes (some may have kept their
    value).
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

#: The reason for an ``open`` outcome: the naive reader found no reason to refuse.
UNSEEN = "the files have no fault, or only faults that are not a reason to refuse"


def judge(journal: DrawnJournal, files: Mapping[str, bytes]) -> Judgement:
    """Use the format's naive reader to return the required outcome for `files`, a damaged `journal`."""
    naive = format_module("journalspec_corpus", journal.format).naive
    strict = naive.recover(files, journal.edition, "strict")
    most = get_format(journal.format).keeps_most
    salvaged = naive.recover(files, journal.edition, most).get("records", ())
    sound = {record.at: record for record in journal.recovered}
    kept = [record_of(entry) for entry in salvaged]
    intact = tuple(sound[record.at] for record in kept if sound.get(record.at) == record)
    if strict["verdict"] == REFUSED:
        return Judgement("refused", intact)
    if intact == journal.recovered == tuple(kept) and strict["state"] == journal.state:
        return Judgement("same", intact)
    return Judgement("open", intact, UNSEEN)


class JournalDrawing(Protocol):
    """The interface of the module ``drawing`` of a format's package: random journals that depend only on
    `rng`.
    """

    def base(self, edition: str, rng: random.Random, *, wide: bool = False) -> DrawnJournal:
        """Return a small valid journal.

        With `wide`, its values come from the complete range of each field.
        """

    def lies(self, edition: str, rng: random.Random) -> Mapping[str, bytes]:
        """Return files with wrong fields under a valid checksum."""


def drawing_of(format_id: str) -> JournalDrawing:
    """Return the module that draws journals of a format; raises UnknownFormat if it has none."""
    package = format_module("journalspec_corpus", format_id)
    if not hasattr(package, "drawing"):
        raise UnknownFormat(f"no journals of {format_id} can be drawn")
    drawing: JournalDrawing = package.drawing
    return drawing


def varied(
    record: dict[str, Any], layout: Layout, edition: str, words: Mapping[str, str], rng: random.Random
) -> dict[str, Any]:
    """Return a described record with other valid values in some fields.

    `words` are authors' words for fields. Bytes are described in hex, or by a number of zeros. A list of
    texts is described by its elements in hex; ``_hex`` is added to its name.
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
    """Return a few bytes. Each byte is at least `low` and below `end`."""
    return bytes(low + byte % (end - low) for byte in rng.randbytes(rng.randrange(1, 41)))


def record_of(entry: Mapping[str, Any]) -> Record:
    """Return the record that `entry` of a module of cases or of a naive reader describes."""
    at = entry["at"]
    fields = {key: value for key, value in entry.items() if key not in ("type", "at")}
    return Record(entry["type"], fields, At(at["file"], int(at["off"]), int(at["len"])))


def written(built: Built) -> list[str]:
    """Return the labels of the records of this generation if the files are described without labels."""
    return [label for label in built.records if "old" not in label]


def lie(
    record: dict[str, Any], fields: Sequence[str], numbers: Sequence[int], rng: random.Random
) -> dict[str, Any]:
    """Return a described record in which one or two of the `fields` contain one of `numbers`."""
    out = dict(record)
    for _ in range(rng.choice((1, 1, 2))):
        number = rng.choice(numbers)
        out[rng.choice(fields)] = number
    return out


def lie_in(built: Built, lies: Sequence[bytes], times: int, rng: random.Random, *, small: int = 0) -> None:
    """Put a wrong value into a random field of intact files, `times` times.

    The value is one of `lies` (cut to the field's length), random, or, if `small` is given, a number below
    it. A field longer than `lies` gets one flipped bit instead.
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


def drawn(  # All parameters except the first three are keyword-only.
    of: tuple[str, str],
    lives: tuple[Built, Built],
    state: Mapping[str, Any],
    *,
    recovered: Collection[str] | None = None,
    left: Collection[str] = (),
    pointer: str = "",
    ends: Sequence[int] | None = None,
) -> DrawnJournal:
    """Return the journal of a format and edition that its author module has laid out.

    `lives` are this generation and the previous generation. The files of both get the same length.
    `recovered` are the labels of records that recovery keeps (default: all). `left` contains labels of
    records of the previous generation that still exist, and are read as records of this generation. `pointer`
    is the suffix in the labels of fields that contain the end of the log. `ends` is as in
    :class:`DrawnJournal` (default: the end of each record).
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
