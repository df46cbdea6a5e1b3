"""The reference implementations of all formats as one implementation under test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from journalspec import __version__
from journalspec.formats import Format, format_ids, get_format
from journalspec.observation import Level, Observation, jsonable
from journalspec_conformance.power import MEMBERS
from journalspec_conformance.serve import files_in
from journalspec_reference import Implementation, Writer, WriterRefused, load
from journalspec_reference.answers import Answer
from journalspec_reference.contents import as_json, contents
from journalspec_reference.filesets import Journal
from journalspec_reference.storage import DirectoryStorage, MemoryStorage, Storage

Message = dict[str, Any]


class Reference:
    """Answers requests for every described format that the reference implements."""

    def __init__(self, rooms: Mapping[str, Implementation] | None = None) -> None:
        """Use the installed implementations, or those in `rooms`; a format without one is not declared."""
        self._rooms = rooms

    def hello(self) -> Message:
        """Declare everything that the formats' vocabularies contain."""
        return {
            "protocol": 1,
            "impl": {"name": "journalspec-reference", "version": __version__, "language": "python"},
            "formats": {
                name: _claims(get_format(name)) for name in self._rooms or filter(_has_room, format_ids())
            },
        }

    def _room(self, request: Message) -> Implementation:
        """Return the implementation of the request's format, which is loaded with the first question."""
        return self._rooms[request["format"]] if self._rooms else load(request["format"])

    def read(self, request: Message) -> Message:
        """Answer ``read``."""
        seen = self._room(request).read(
            files_of(request), edition=request["edition"], params=request.get("params")
        )
        return {"ok": seen.to_json(Level.parse(request["observe"]))}

    def recover(self, request: Message) -> Message:
        """Answer ``recover``."""
        seen = self._room(request).recover(
            files_of(request),
            edition=request["edition"],
            policy=request["policy"],
            params=request.get("params"),
        )
        level = Level.parse(request["observe"])
        if level >= Level.CONTENTS:
            seen = replace(seen, contents=self._contents(request, seen))
        return {"ok": seen.to_json(level)}

    def _contents(self, request: Message, seen: Observation) -> dict[str, Any] | None:
        """Return the contents of the journal of a request; `seen` is the observation of its recovery.

        Only the files of the journal itself are used: a request has no neighbouring directories.
        """
        journal = Journal(
            request["format"], request["edition"], files_of(request), params=request.get("params") or {}
        )
        found = contents(Answer(journal, seen), self._room(request))
        return None if found is None else as_json(found)

    def write(self, request: Message) -> Iterator[Message]:
        """Answer ``write``: with the final reply only, or first with one reply per operation."""
        storage = _storage(request)
        traced = Traced(storage) if request.get("io") else None
        writer = self._room(request).writer(
            cast(Storage, traced or storage), edition=request["edition"], params=request.get("params")
        )
        refusals, durable = [], []
        for number, op in enumerate(request["ops"]):
            said = _apply(writer, op)
            if "refused" in said:
                refusals.append({"op": str(number), "code": said["refused"]["code"]})
            if said["durable"]:
                durable.append(str(number))
            if request.get("step"):
                _publish(request, storage)
                yield {"step": str(number), **said, **({"io": traced.taken()} if traced else {})}
        _publish(request, storage)
        yield {"ok": {"files": storage.names(), "refusals": refusals, "durable": durable}}

    def bye(self) -> None:
        """Do nothing, because no files are open."""


class Traced:
    """A storage that records each change and fsync of `inner`, in the form of the protocol."""

    def __init__(self, inner: Storage) -> None:
        self._inner = inner
        self._done: list[Message] = []

    def taken(self) -> list[Message]:
        """Return the operations since the last call."""
        done, self._done = self._done, []
        return done

    def __getattr__(self, name: str) -> Any:
        """Return a method of the storage; a change is recorded after the call."""
        method, op = getattr(self._inner, name), name.replace("_", "-")
        if op not in MEMBERS:
            return method

        def noted(*values: str | int | bytes) -> None:
            method(*values)
            told = (value.hex() if isinstance(value, bytes) else str(value) for value in values)
            self._done.append({"op": op, **dict(zip(MEMBERS[op], told, strict=True))})

        return noted


def _has_room(format_id: str) -> bool:
    return find_spec(f"journalspec_reference.{format_id}") is not None


def _claims(entry: Format) -> Message:
    return {
        "editions": list(entry.editions),
        "ops": ["read", "recover", "write"],
        "observe": "contents",
        "policies": list(entry.policies),
        "features": ["damage", "pure", "step", "io-trace", "log-alone", "memory", "missing"],
    }


def files_of(request: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the files of a request: those that it contains, or those of its directory."""
    if "files" in request:
        return dict(request["files"])
    return files_in(request["dir"])


def _storage(request: Message) -> Storage:
    if "files" in request:
        return MemoryStorage(request["files"])
    return DirectoryStorage(Path(request["dir"]))


def _publish(request: Message, storage: Storage) -> None:
    """In memory mode, put the written files into the request's mapping, which represents the directory."""
    if isinstance(storage, MemoryStorage):
        files: MutableMapping[str, bytes] = request["files"]
        files.clear()
        files.update((name, bytes(data)) for name, data in storage.files.items())


def _apply(writer: Writer, op: Mapping[str, Any]) -> Message:
    try:
        said: Message = jsonable(writer.apply(op))
    except WriterRefused as error:
        return {"durable": False, "refused": {"code": error.code, "message": str(error)}}
    return said | {"durable": bool(said.get("durable"))}
