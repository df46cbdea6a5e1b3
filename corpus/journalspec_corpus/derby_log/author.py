"""The author module: it builds valid logs from descriptions, and names every range in them.

A base describes ``files``, numbered from ``first`` (1) on. Each file consists of its ``groups``, its ``end``
(``marker``, or ``none``; default: a marker in each file but the last) and zeros up to ``size``; ``header``
contains wrong fields of the file's header. A group is a list of records, or a table of ``records``, fields of
its checksum record, ``plain = true`` (no checksum record) and ``covers``, the number of covered records if it
does not cover all. The control file names the record ``checkpoint``; ``control`` has other fields of the
control file, ``mirror`` those of the mirror (``false``: no mirror). ``containers`` maps the name of each
container next to the log to its pages. A page is a version, or the result of :func:`page`.

A record is a text ``LABEL OPERATION key=value ...``. COMMIT, ABORT and PREPARE are END. The number in the
label is that of the transaction, unless ``tx`` is given. Keys of all records, in hex: ``group``, ``data``,
``body`` (the complete body), ``rest`` (after the body); ``long=1`` (every compressed number in its longest
form); fields of the operation (``undone=LABEL``, ``rows=7:0,8:4``). INSERT, UPDATE and DELETE may have
``key``, ``value`` and ``table`` (T) instead: the author module stores the pages with their versions, slots
and record ids; ``UNDO of=LABEL`` compensates one of these. ``page_version=next`` numbers the changes of a
page that use this key, from 2 on; ``{ times = 900, records = [...] }`` means records that are repeated.
``xa=1:0a:0b`` makes the transaction a branch. CHECKPOINT has ``redo`` and ``undo`` (labels, or ``f1.end``;
default: the group in which it is), and ``open`` (``7,8``: open transactions). A file has its first group at
``start`` (24).

The operations that a case writes are brief texts: ``insert T 1 one tx=a``, ``start a gtrid=01 bqual=02``;
``v*24000`` is a long value.

Labels: ``f1``, ``f1.header``, ``f1.log``, ``f1.marker``, ``g1`` (a checksum record), ``g1.whole``;
``g1.checksum``, ``b7``, ``b7.length``, ``b7.page_version``, ``b7.body.whole``, ``control`` ...
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from journalspec.derby_log import LAYOUT
from journalspec.derby_log.operations import body, change_of, databases, named, row_of, shown, tables, text_of
from journalspec.layout import Part, integer, joined
from journalspec.numbers import compressed
from journalspec_corpus.author import branch_of, brief_operation, hex_bytes, long_text, words
from journalspec_corpus.edits import Built, Range

FORMAT = "derby_log"
BRIEF = ("type", "instant", "at")
#: Maps each way in which a transaction begins or ends to operation, group and status.
STEPS = {
    "BEGIN": ("BEGIN", 0x101, 0),
    "PREPARE": ("END", 0x140, 2),
    "COMMIT": ("END", 0x112, 4),
    "ABORT": ("END", 0x122, 1),
}
#: The first row on a page of an existing database, and the version of that page.
FIRST_ROW, FIRST_VERSION = 7, 2
ROW_OPERATIONS = ("INSERT", "UPDATE", "DELETE")


def container_of(table: str, edition: str) -> int:
    """Return the container that contains a table in the edition's database."""
    return next(number for number, name in tables(edition).items() if name == table)


@dataclass
class _Writer:
    """The state of a writer before its next record."""

    built: Built
    edition: str
    #: The number of the current file, and its content so far.
    number: int = 0
    data: bytearray = field(default_factory=bytearray)
    versions: dict[tuple[int, int], int] = field(default_factory=dict)
    #: Maps container and key to the position of a row, and the value of the row.
    rows: dict[tuple[int, int], tuple[dict[str, int], str]] = field(default_factory=dict)
    given: dict[int, int] = field(default_factory=dict)
    instants: dict[str, int] = field(default_factory=dict)
    written: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    #: Maps a transaction to its first record.
    begun: dict[int, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the file."""
        return f"log{self.number}.dat"

    def values(self, label: str, kind: str, pairs: dict[str, str], group: int) -> dict[str, Any]:
        """Parse a record in the form of authors: operation, group, transaction, fields and tail."""
        out: dict[str, Any] = {"operation": kind, "group": 0x180}
        out["transaction"] = int(pairs.pop("tx", label.lstrip("abcdefghijklmnopqrstuvwxyz") or "0"))
        if "xa" in pairs:
            out["global_id"] = branch_of(pairs.pop("xa"))
        if kind in STEPS:
            out |= zip(("operation", "group", "status"), STEPS[kind], strict=True)
        elif kind == "CHECKPOINT":
            redo, undo = (pairs.pop(name, "") for name in ("redo", "undo"))
            out |= {"group": 0x100, "has_table": 1}
            out["redo_from"] = self.instants[redo] if redo else group
            out["undo_from"] = self.instants[undo] if undo else out["redo_from"]
            numbers = pairs.pop("open", str(out["transaction"])).split(",")
            out["table"] = {"entries": [self._open(int(number)) for number in numbers]}
        elif kind == "UNDO":
            out |= self._undo(pairs.pop("of"))
        elif kind in ROW_OPERATIONS and "key" in pairs:
            out |= self._row(kind, pairs)
        if pairs.get("page_version") == "next":
            page = self._page(int(pairs["container"]), int(pairs["page"]))
            pairs["page_version"] = str(page["page_version"])
        out |= {name: hex_bytes(pairs.pop(name)) for name in ("data", "body", "rest") if name in pairs}
        return out | {name: self._value(name, value) for name, value in pairs.items()}

    def _value(self, name: str, value: str) -> Any:
        """Return the value of a field in a text.

        ``rows`` contains numbers, or pairs of numbers (``7:0,8:4``).
        """
        if name == "rows":
            names = ("record_id", "reserved")
            return [dict(zip(names, map(int, row.split(":")), strict=False)) for row in value.split(",")]
        if name == "undone":
            return self.instants[value]
        if name == "file_name":
            return value
        return hex_bytes(value) if name == "header" else int(value, 0)

    def _open(self, number: int) -> dict[str, Any]:
        begun = self.begun.get(number)
        first = None if begun is None else {"file": begun >> 32, "position": begun & 0x7FFFFFFF}
        return {"entry": {"transaction": {"number": number}, "first": first}}

    def _page(self, container: int, page: int) -> dict[str, int]:
        version = self.versions.get((container, page), FIRST_VERSION)
        self.versions[container, page] = version + 1
        return {"segment": 0, "container": container, "page": page, "page_version": version}

    def _row(self, kind: str, pairs: dict[str, str]) -> dict[str, Any]:
        container = container_of(pairs.pop("table", "T"), self.edition)
        key, value = int(pairs.pop("key")), long_text(pairs.pop("value", ""))
        tail: dict[str, Any] = {"deleted": 1}
        if kind == "INSERT":
            number = self.given[container] = self.given.get(container, FIRST_ROW - 1) + 1
            place = {"record_id": number, "slot": number - FIRST_ROW + 1}
            self.rows[container, key] = place, value
            tail = {"insert_flags": 1, "data": row_of(number, key, value.encode())}
        else:
            place, was = self.rows[container, key]
            if kind == "UPDATE":
                self.rows[container, key] = place, value
                data = change_of(place["record_id"], value.encode(), text_of(was.encode()))
                tail = {"data": data, "was": ((container, key), (place, was))}
        return {**self._page(container, 1), **place, **tail}

    def _undo(self, label: str) -> dict[str, Any]:
        done = self.written[label]
        kind = "PHYSICAL_UNDO" if done["operation"] == "UPDATE" else "LOGICAL_UNDO"
        if "was" in done:
            key, row = done["was"]
            self.rows[key] = row
        place = {**self._page(done["container"], done["page"]), "record_id": done["record_id"]}
        return {"operation": kind, "group": 0x184, "undone": self.instants[label], **place}

    def lay_group(self, label: str, group: Any) -> None:
        """Lay the checksum record `label`, if the group has one, and the records that it covers."""
        given = dict(group) if isinstance(group, Mapping) else {"records": group}
        records = [*_each(given.pop("records"))]
        plain = given.pop("plain", self.edition in ("seed", "10.0"))
        covers = given.pop("covers", len(records))
        data, start, ends = self.data, len(self.data), [0]
        summed = {"operation": "CHECKSUM", "group": 0x900, "algorithm": 1}
        place = self.instants[label] = self.number << 32 | start
        if not plain:
            self.lay(label, {**summed, **given})
        covered = len(data)
        for text in records:
            own, kinds, pairs = words(text)
            longest = bool(pairs.pop("long", ""))
            self.lay(own, self.values(own, kinds[0] if kinds else "OTHER", pairs, place), longest=longest)
            ends.append(len(data) - covered)
        if not plain:
            summed_over = bytes(data[covered : covered + ends[covers]])
            behind = bytes(data[covered:])
            # The covered range is now known, so the checksum record is written again.
            del data[start:]
            self.lay(
                label,
                {**summed, "data_length": len(summed_over), "checksum": zlib.crc32(summed_over), **given},
            )
            data += behind
        self.built.labels[f"{label}.whole"] = Range(self.name, start, len(data) - start)

    def lay(self, label: str, values: Mapping[str, Any], *, longest: bool = False) -> None:
        """Lay one record, and store a reader's report of it."""
        fields = [Part("text", values["body"])] if "body" in values else body(values, longest=longest)
        stored, start = joined(fields), len(self.data)
        instant = self.number << 32 | start
        length = Part("length", integer(len(stored), 4))
        parts = [length, Part("instant", integer(instant, 8)), *fields, Part("length_again", length.data)]
        at = self.built.lay(self.name, label, parts, self.data)
        self.built.labels[f"{label}.body.whole"] = Range(self.name, start + 12, len(stored))
        self.built.records[label] = {**told(values, self.edition, stored, instant), "at": at.to_json()}
        self.instants[label], self.written[label] = instant, values
        if values.get("transaction") is not None:
            self.begun.setdefault(values["transaction"], instant)


def _each(records: Iterable[Any]) -> Iterator[str]:
    """Yield the records of a group. Repeated records are yielded several times."""
    for one in records:
        if isinstance(one, str):
            yield one
        else:
            yield from one["records"] * one["times"]


def told(values: Mapping[str, Any], edition: str, stored: bytes, instant: int) -> dict[str, Any]:
    """Return a reader's report of a record."""
    first: dict[str, Any] = {"length": len(stored), "instant": instant}
    if edition == "seed" or "body" in values:
        return {"type": "OTHER", **first, "body": stored}
    out = {"type": values["operation"], **first, "group": values["group"]}
    if values.get("transaction") is not None:
        out["transaction"] = values["transaction"]
    out |= shown(named()[values["operation"]].fields, values)
    out |= {name: values[name] for name in ("undone", "data") if values.get(name)}
    return out


def build(base: Mapping[str, Any], edition: str) -> Built:
    """Return the log that `base` describes, in the form of `edition`."""
    built = Built({})
    writer = _Writer(built, edition)
    before, groups = 0, 0
    for at, file in enumerate(base["files"], start=1):
        number = writer.number = base.get("first", 1) + at - 1
        name, data = writer.name, bytearray()
        writer.data = data
        header = {"number": number, "previous": before, **file.get("header", {})}
        built.lay(name, f"f{at}.header", LAYOUT.encode("header", edition, header), data)
        data += bytes(file.get("start", len(data)) - len(data))
        start = len(data)
        for group in file.get("groups", ()):
            groups += 1
            writer.lay_group(f"g{groups}", group)
        built.labels[f"f{at}.log"] = Range(name, start, len(data) - start)
        before = writer.instants[f"f{at}.end"] = number << 32 | len(data)
        last = at == len(base["files"])
        marker = bytes(4) if file.get("end", "none" if last else "marker") == "marker" else b""
        built.labels[f"f{at}.marker"] = Range(name, len(data), len(marker))
        data += marker
        built.finish(name, f"f{at}", data, max(len(data), file.get("size", 0)), b"\0")
    checkpoint = writer.instants[base["checkpoint"]] if "checkpoint" in base else 0
    level = databases()[edition].level if edition != "seed" else ()
    for label, name in (("control", "log.ctrl"), ("mirror", "logmirror.ctrl")):
        own = base.get(label, {})
        if own is not False and (edition != "seed" or label == "control"):
            given = {key: hex_bytes(value) if isinstance(value, str) else value for key, value in own.items()}
            data = built.files[name] = bytearray()
            values = {**dict(zip(("major", "minor"), level, strict=False)), "checkpoint": checkpoint, **given}
            built.lay(name, label, LAYOUT.encode("control", edition, values), data)
    for name, pages in base.get("containers", {}).items():
        container = int(name[len("seg0/c") : -len(".dat")], 16)
        said: list[Mapping[str, Any]] = [
            {"version": each, "sound": False} if isinstance(each, int) else each for each in pages
        ]
        size = said[0].get("info", (0, 0, 1024))[2]
        parts = [page(container, number, len(said) - 1, each, size) for number, each in enumerate(said)]
        built.files[name] = bytearray().join(parts)
    return built


def page(container: int, number: int, last: int, said: Mapping[str, Any], size: int) -> bytes:
    """Return page `number` of a container whose last page is `last`: `size` bytes, zeros if it is ``blank``.

    ``rows`` are given in hex, in one or several texts, and ``behind`` contains the bytes in the space that is
    reserved after each row. With ``heap``, the formats of columns, the first row describes the columns.
    ``version``, ``format``, ``status`` and ``overflow`` are fields of the header. The first page has ``info``
    (format, status and size of a page), ``pages`` (the number of pages after it), and ``following`` (the next
    page that lists pages). ``wrong`` states which checksum is wrong: page (or its upper half) or info. An
    unsound page has only the part with which a log is compared.
    """
    given = ([row] if isinstance(row, str) else row for row in said.get("rows", ()))
    data, rows = bytearray(size), [b"".join(map(hex_bytes, row)) for row in given]
    behind = [*map(hex_bytes, said.get("behind", ())), *[b""] * len(rows)][: len(rows)]
    if said.get("blank"):
        return bytes(data)
    if (formats := said.get("heap")) is not None:
        columns = integer(len(formats), 4) + b"".join(integer(each, 2) for each in formats)
        described = integer(467, 2) + bytes(4) + integer(container, 8) + columns + b"\0"
        rows.insert(0, b"\4\6\0\1\0" + compressed(len(described)) + described)
        behind.insert(0, b"")
    data[:2] = integer(said.get("format", 117 if number else 118), 2)
    data[4:6] = bytes([said.get("overflow", 0), said.get("status", 1)])
    data[6:14], data[14:16] = integer(said.get("version", 1), 8), integer(len(rows), 2)
    # Rows are in the order of their slots, which need not be the order of their offsets.
    at, slots = 60, b""
    for row, spare in reversed([*zip(rows, behind, strict=True)]):
        data[at : at + len(row + spare)] = row + spare
        slots += integer(at, 2) + integer(len(row), 2) + integer(len(spare), 2)
        at += len(row + spare)
    data[size - 8 - len(slots) : size - 8] = slots
    if not number:
        data[117:121] = integer(size, 4)
    if not said.get("sound", True):
        return bytes(data)
    if not number:
        data[60:68], data[197:213] = integer(said.get("following", -1), 8), integer(1, 8) + integer(10_216, 8)
        data[213:217] = integer(said.get("pages", last), 4)
        data[109:189], data[108] = bytes(80), 80
    data[-8:] = integer(zlib.crc32(data[:-8]), 8)
    if not number:
        info = b"".join(integer(each, 4) for each in said.get("info", (116, 0, 1024))) + bytes(60)
        data[109:189] = info + integer(zlib.crc32(info) ^ (said.get("wrong") == "info"), 8)
    data[-1] ^= said.get("wrong") == "page"
    data[-5] ^= said.get("wrong") == "upper half"
    return bytes(data)


#: Maps an operation to the members for its bare words.
_WORDS = {
    "insert": ("table", "key", "value"),
    "update": ("table", "key", "value"),
    "delete": ("table", "key"),
    **dict.fromkeys(("start", "prepare", "commit", "rollback"), ("tx",)),
}


def operation(text: str) -> dict[str, Any]:
    """Return the writer's operation that a text describes:

    ``insert T 1 one tx=a``; ``v+w*24000`` is a long value.
    """
    out = brief_operation(text, _WORDS)
    if "value" in out:
        out["value"] = "".join(map(long_text, out["value"].split("+")))
    return out


def seal(built: Built, label: str) -> None:
    """Recompute the checksum of a control file, or of the checksum record `label`."""
    spot = built.range(f"{label}.checksum")
    data = built.files[spot.file]
    if label in ("control", "mirror"):
        covered = data[: spot.off]
    else:
        size = built.range(f"{label}.data_length")
        start = built.range(label).end
        covered = data[start : start + int.from_bytes(data[size.off : size.end], "big")]
    built.put(spot, integer(zlib.crc32(covered), 8))
