"""Named places in a set of files, and edits at such places.

A format's author module builds sound files and names every range in them; cases are those files with edits.
This module does not depend on a format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from journalspec.layout import Part

_PLACE = re.compile(r"^(?P<label>[A-Za-z0-9_.-]*?)(?:\.(?P<side>start|end))?(?P<shifts>([+-]\d+)*)$")

_SHIFT = re.compile(r"[+-]\d+")


class EditError(ValueError):
    """An edit, or a place in it, is invalid. The message quotes it."""


@dataclass(frozen=True, slots=True)
class Range:
    """`length` bytes at `off` of `file`."""

    file: str
    off: int
    length: int

    @property
    def end(self) -> int:
        """The offset after the range."""
        return self.off + self.length

    def to_json(self) -> dict[str, str]:
        """Return ``{"file", "off", "len"}`` as published."""
        return {"file": self.file, "off": str(self.off), "len": str(self.length)}


@dataclass
class Built:
    """Represents files under construction, the names of places in them, and the values of each record.

    `labels` are the labels of the sound files; edits do not move them. `records` maps a record's label to its
    full expectation, `at` included.
    """

    files: dict[str, bytearray]
    labels: dict[str, Range] = field(default_factory=dict)
    records: dict[str, dict[str, Any]] = field(default_factory=dict)

    def copy(self) -> Built:
        """Return a copy whose files can be changed; names and records are shared."""
        return Built({name: bytearray(data) for name, data in self.files.items()}, self.labels, self.records)

    def content(self) -> dict[str, bytes]:
        """Return name -> bytes."""
        return {name: bytes(data) for name, data in self.files.items()}

    def lay(self, file: str, label: str, parts: Iterable[Part], data: bytearray) -> Range:
        """Append `parts` to `data`, the content of `file` so far; name each part, and return their range."""
        start = len(data)
        for part in parts:
            self.labels[f"{label}.{part.name}"] = Range(file, len(data), len(part.data))
            data += part.data
        whole = self.labels[label] = Range(file, start, len(data) - start)
        return whole

    def finish(self, file: str, label: str, data: bytearray, size: int, fill: bytes) -> None:
        """Fill `data` up to `size`, and name the file; raises EditError if `data` is already longer."""
        if size < len(data):
            raise EditError(f"{file}: the records take {len(data)} bytes, the file has {size}")
        data += fill * (size - len(data))
        self.files[file] = data
        self.labels[label] = Range(file, 0, size)

    def range(self, label: str) -> Range:
        """Return the range called `label`; raises EditError that lists near names."""
        try:
            return self.labels[label]
        except KeyError:
            near = [name for name in self.labels if name.startswith(label.split(".", maxsplit=1)[0])]
            raise EditError(f"no place {label!r}; near it: {', '.join(near[:12]) or 'none'}") from None

    def record(self, label: str) -> dict[str, Any]:
        """Return the content of the record with the label `label`; raises EditError that lists all."""
        if label not in self.records:
            raise EditError(f"no record {label!r}: known are {', '.join(self.records)}")
        return self.records[label]

    def place(self, text: str | int, file: str = "") -> tuple[str, int]:
        """Return (file, offset) of ``label[.start|.end]{+N|-N}``, or of a plain offset in `file`."""
        if isinstance(text, int):
            return file, text
        match = _PLACE.match(text)
        if match is None:
            raise EditError(
                f"{text!r} is not a place: write label, label.start, label.end, each with +N or -N"
            )
        spot = self.range(match["label"])
        off = spot.end if match["side"] == "end" else spot.off
        return spot.file, off + sum(map(int, _SHIFT.findall(match["shifts"])))

    def span(self, edit: Mapping[str, Any]) -> Range:
        """Return the range of an edit: ``at`` (with optional ``len``) or ``from`` and ``to``."""
        if "from" in edit:
            file, start = self.place(edit["from"], edit.get("file", ""))
            other, end = self.place(edit["to"], file)
            if other != file or end < start:
                raise EditError(f"{edit['from']!r} to {edit['to']!r} is not a range of one file")
            return Range(file, start, end - start)
        text = edit["at"]
        if isinstance(text, str) and text in self.labels and "len" not in edit:
            return self.labels[text]
        file, start = self.place(text, edit.get("file", ""))
        return Range(file, start, edit.get("len", 0))

    def put(self, spot: Range, data: bytes) -> None:
        """Overwrite bytes with `data` from the start of `spot` on. Raises EditError beyond the file's end."""
        target = self.files[spot.file]
        if spot.off < 0 or spot.off + len(data) > len(target):
            raise EditError(f"{len(data)} bytes at {spot.off} leave {spot.file} ({len(target)} bytes)")
        target[spot.off : spot.off + len(data)] = data


def _set_hex(built: Built, edit: Mapping[str, Any]) -> None:
    spot, data = built.span(edit), bytes.fromhex(edit["hex"])
    if spot.length and len(data) > spot.length:
        raise EditError(f"{len(data)} bytes are more than {edit['at']!r} has ({spot.length})")
    built.put(spot, data)


def _set_int(built: Built, edit: Mapping[str, Any]) -> None:
    spot, value = built.span(edit), int(edit["int"])
    width = 8 * spot.length
    if not -(1 << (width - 1)) <= value < 1 << width:
        raise EditError(f"{value} does not fit in the {spot.length} bytes of {edit['at']!r}")
    built.put(spot, (value % (1 << width)).to_bytes(spot.length, edit.get("order", "big")))


def _plus(built: Built, edit: Mapping[str, Any]) -> None:
    """Add to an integer modulo two to the power of its bits."""
    spot = built.span(edit)
    value = int.from_bytes(built.files[spot.file][spot.off : spot.end], edit.get("order", "big"))
    value = (value + int(edit["plus"])) % (1 << (8 * spot.length))
    built.put(spot, value.to_bytes(spot.length, edit.get("order", "big")))


def _xor(built: Built, edit: Mapping[str, Any]) -> None:
    spot, mask = built.span(edit), bytes.fromhex(edit["xor"])
    old = built.files[spot.file][spot.off : spot.off + len(mask)]
    built.put(spot, bytes(a ^ b for a, b in zip(old, mask, strict=True)))


def _fill(built: Built, edit: Mapping[str, Any]) -> None:
    spot = built.span(edit)
    built.put(spot, (bytes.fromhex(edit["fill"]) * (spot.length + 1))[: spot.length])


def _insert(built: Built, edit: Mapping[str, Any]) -> None:
    """Insert zeros. Later bytes move to higher offsets, and bytes that move beyond the end of the file are
    lost.
    """
    file, at = built.place(edit["at"], edit.get("file", ""))
    data = built.files[file]
    data[at:] = (bytes(edit["insert"]) + data[at:])[: len(data) - at]


def _remove(built: Built, edit: Mapping[str, Any]) -> None:
    """Remove bytes. Later bytes move to lower offsets, and copies of the file's last byte fill the end."""
    spot = built.span(edit["remove"])
    data = built.files[spot.file]
    data[spot.off :] = data[spot.end :] + data[-1:] * spot.length


def _truncate(built: Built, edit: Mapping[str, Any]) -> None:
    file, size = built.place(edit["truncate"], edit.get("file", ""))
    if not 0 <= size <= len(built.files[file]):
        raise EditError(f"{file} has {len(built.files[file])} bytes and cannot be cut to {size}")
    del built.files[file][size:]


def _extend(built: Built, edit: Mapping[str, Any]) -> None:
    built.files[edit["file"]].extend(bytes.fromhex(edit.get("with", "00")) * edit["extend"])


def _delete(built: Built, edit: Mapping[str, Any]) -> None:
    name = edit["delete"]
    del built.files[built.labels[name].file if name in built.labels else name]


def _rename(built: Built, edit: Mapping[str, Any]) -> None:
    built.files[edit["to"]] = built.files.pop(edit["rename"])


def _add(built: Built, edit: Mapping[str, Any]) -> None:
    built.files[edit["add"]] = bytearray(bytes.fromhex(edit["hex"]))


_EDITS: dict[str, Callable[[Built, Mapping[str, Any]], None]] = {
    "int": _set_int,
    "plus": _plus,
    "insert": _insert,
    "remove": _remove,
    "xor": _xor,
    "fill": _fill,
    "truncate": _truncate,
    "extend": _extend,
    "delete": _delete,
    "rename": _rename,
    "add": _add,
    "hex": _set_hex,
}


def apply(
    built: Built, edit: Mapping[str, Any], bases: Callable[[str], Built], seal: Callable[..., None]
) -> None:
    """Carry out one edit on `built` in place.

    Besides the edits of this module: ``{at, paste = "base:label"}`` copies the bytes of a place in another
    base, ``{at, under = "base"}`` the bytes at the same offsets of another base. ``{seal = "label"}``
    corrects the checksum of a damaged record, by the format's author module. With ``sectors`` (each a file's
    label and a number) and ``size``, ``fill`` and ``under`` go to these sectors.
    """
    if "seal" in edit:
        seal(built, edit["seal"])
    elif "sectors" in edit:
        for label, index in edit["sectors"]:
            whole = built.range(label)
            sector = {"file": whole.file, "at": index * edit["size"], "len": edit["size"]}
            rest = {key: value for key, value in edit.items() if key in ("fill", "under")}
            apply(built, {**sector, **rest}, bases, seal)
    elif "under" in edit:
        spot = built.span(edit)
        built.put(spot, bytes(bases(edit["under"]).files[spot.file][spot.off : spot.end]))
    elif "paste" in edit:
        base, _, label = edit["paste"].rpartition(":")
        source = bases(base) if base else built
        spot = source.range(label)
        data = bytes(source.files[spot.file][spot.off : spot.end])
        built.put(built.span(edit), data[edit.get("skip", 0) :][: edit.get("len", len(data))])
    else:
        for key, action in _EDITS.items():
            if key in edit:
                action(built, edit)
                return
        raise EditError(
            f"unknown edit {dict(edit)!r}: expected one of {', '.join([*_EDITS, 'paste', 'seal'])}"
        )
