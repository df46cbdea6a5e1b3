"""The reference implementations of all formats as one implementation under test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from journalspec import __version__
from journalspec.formats import Format, UnknownFormat, format_ids, get_format
from journalspec.observation import Level, jsonable
from journalspec_reference import Implementation, Writer, WriterRefused, load
from journalspec_reference.storage import DirectoryStorage, MemoryStorage, Storage

Message = dict[str, Any]


class Reference:
    """Answers for every described format that the reference has a room for."""

    def __init__(self) -> None:
        """Load the rooms that exist; a format without one is not declared."""
        self._rooms: dict[str, Implementation] = {}
        for name in format_ids():
            try:
                self._rooms[name] = load(name)
            except UnknownFormat:
                continue

    def hello(self) -> Message:
        """Declare everything that the formats' vocabularies hold."""
        return {
            "protocol": 1,
            "impl": {"name": "journalspec-reference", "version": __version__, "language": "python"},
            "formats": {name: _claims(get_format(name)) for name in self._rooms},
        }

    def read(self, request: Message) -> Message:
        """Answer ``read``."""
        seen = self._rooms[request["format"]].read(
            files_of(request), edition=request["edition"], params=request.get("params")
        )
        return {"ok": seen.to_json(Level.parse(request["observe"]))}

    def recover(self, request: Message) -> Message:
        """Answer ``recover``."""
        seen = self._rooms[request["format"]].recover(
            files_of(request),
            edition=request["edition"],
            policy=request["policy"],
            params=request.get("params"),
        )
        return {"ok": seen.to_json(Level.parse(request["observe"]))}

    def write(self, request: Message) -> Iterator[Message]:
        """Answer ``write``: the final reply only, or one per operation and then the final one."""
        storage = _storage(request)
        writer = self._rooms[request["format"]].writer(
            storage, edition=request["edition"], params=request.get("params")
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
                yield {"step": str(number), **said}
        _publish(request, storage)
        yield {"ok": {"files": storage.names(), "refusals": refusals, "durable": durable}}

    def bye(self) -> None:
        """Nothing is held open."""


def _claims(entry: Format) -> Message:
    return {
        "editions": list(entry.editions),
        "ops": ["read", "recover", "write"],
        "observe": "layout",
        "policies": list(entry.policies),
        "features": ["damage", "pure", "step", "memory"],
    }


def files_of(request: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the files that a request is about: the ones it carries, or those of its directory."""
    if "files" in request:
        return dict(request["files"])
    root = Path(request["dir"])
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


def _storage(request: Message) -> Storage:
    if "files" in request:
        return MemoryStorage(request["files"])
    return DirectoryStorage(Path(request["dir"]))


def _publish(request: Message, storage: Storage) -> None:
    """In memory mode, put what was written into the mapping that stands for the directory."""
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
