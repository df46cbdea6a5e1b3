"""The toy format's reader: one file, one loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import xor
from typing import Any

from journalspec.observation import CLEAN, RECOVERED, At, Dropped, FileMap, Observation, Record, refused
from journalspec_reference.api import Detection, Files, Params, Span, Writer, WriterRefused
from journalspec_reference.storage import Storage

MAGIC = b"TOY6"


class Toy:
    """The reference implementation of the toy format."""

    format_id = "toy_sixth"
    write_ops = ("open", "note")

    def detect(self, files: Files, params: Params | None = None) -> list[Detection]:
        """Return each file that begins with the magic value."""
        names = [name for name in sorted(files) if bytes(files[name][:4]) == MAGIC]
        return [Detection(self.format_id, "1", (name,), 3) for name in names]

    def read(self, files: Files, *, edition: str, params: Params | None = None) -> Observation:
        """Return the records up to the first bad one."""
        return self.recover(files, edition=edition, policy="salvage")

    def recover(
        self, files: Files, *, edition: str, policy: str = "strict", params: Params | None = None
    ) -> Observation:
        """Return the texts of the one file."""
        if not files:
            return refused("fileset", "no-files", "there is no file")
        name, data = next(iter(files.items()))
        data = bytes(data)
        if data[:4] != MAGIC:
            return refused("header", "bad-magic", f"{name} does not begin with TOY6", At(name, 0, 4))
        at, records, reason = 4, [], ""
        while at < len(data) and not reason:
            text = data[at + 1 : at + 1 + data[at]]
            end = at + 2 + data[at]
            if end > len(data):
                reason = "truncated"
            elif reduce(xor, text, 0) != data[end - 1]:
                reason = "bad-sum"
            else:
                records.append(Record("NOTE", {"text": text.decode("latin-1")}, At(name, at, end - at)))
                at = end
        if reason and policy == "strict":
            phase = "checksum" if reason == "bad-sum" else "record"
            return refused(phase, reason, f"{name}: bad record at {at}", At(name, at, len(data) - at))
        return Observation(
            RECOVERED if reason else CLEAN,
            records=tuple(records),
            dropped=(Dropped(name, at, len(data) - at, reason),) if reason else (),
            state={"texts": [record.fields["text"] for record in records]},
            files=(FileMap(name, len(data), "active"),),
        )

    def spans(
        self, files: Files, *, edition: str, params: Params | None = None, fields: bool = True
    ) -> Iterator[Span]:
        """Yield header and records."""
        for name in files:
            yield Span(name, 0, 4, "header", "header", "TOY6")
            for index, record in enumerate(self.read({name: files[name]}, edition=edition).records):
                yield Span(name, record.at.off, record.at.length, f"record[{index}]", "record", "NOTE")

    def writer(self, storage: Storage, *, edition: str, params: Params | None = None) -> Writer:
        """Open or create ``notes.toy``."""
        return ToyWriter(storage)


class ToyWriter:
    """Appends notes to one file."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def apply(self, op: Mapping[str, Any]) -> dict[str, Any]:
        """Perform ``open`` or ``note`` (``text``, at most 255 bytes)."""
        if op.get("op") == "open":
            if "notes.toy" not in self._storage.names():
                self._storage.create("notes.toy")
                self._storage.write("notes.toy", 0, MAGIC)
            return {"durable": True}
        if op.get("op") != "note":
            raise ValueError(f"unknown operation {op.get('op')!r}")
        text = str(op["text"]).encode("latin-1")
        if len(text) > 255:
            raise WriterRefused("truncated", "a text is at most 255 bytes")
        data = bytes([len(text)]) + text + bytes([reduce(xor, text, 0)])
        self._storage.write("notes.toy", self._storage.size("notes.toy"), data)
        self._storage.sync("notes.toy")
        return {"durable": True}


IMPLEMENTATION = Toy()
