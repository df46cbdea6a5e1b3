"""Bodies of SwiftMQ: messages, their properties, prepared branches, and files of durable subscribers."""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from struct import pack

from bodies import DATA, Decoder, Fields
from journalspec_reference.answers import ask
from journalspec_reference.contents import contents
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.contents import StoreContents
from journalspec_reference.swiftmq_store.contents.message import decode
from journalspec_reference.swiftmq_store.durable import durable, presumed

#: The name of a durable subscriber's file contains the client and the name of the subscription.
NAME = "client$name.durable"
#: The start of a plain message, up to the flag that announces properties. The start of a bytes message, up to
#: its body.
_PLAIN = pack(">iqiqii?", 0, 0, 4, 0, 1, 2, False) + bytes(7) + b"\1"
_BYTES = pack(">iqiqii?", 1, 0, 4, 0, 1, 2, False) + bytes(11)


def stored() -> Iterator[tuple[str, str, str, bytes]]:
    """Yield the bodies that the product's own classes wrote."""
    with tempfile.TemporaryDirectory() as scratch, tarfile.open(DATA / "swiftmq_contents.tar.xz") as packed:
        packed.extractall(scratch, filter="data")
        (journal,) = find_journals(load(Path(scratch)), "swiftmq_store")
        found = contents(ask(journal))
        assert isinstance(found, StoreContents)
        for queue in found._found.queues:  # a row lacks the bytes of the message
            for at in range(len(queue.entries)):
                data = bytes(queue.entries.content(at))
                yield "message", "message", "", data
                if queue.name == codec.PREPARED:
                    _, body, end = codec.message(data)
                    yield "message", "branch", "", data[body + 4 : end]
        for path in sorted(Path(scratch).rglob("*.durable")):
            yield "durable", "durable", "", path.read_bytes()


def _message(data: bytes, _: str) -> tuple[Fields, str]:
    row, problems = decode(data)
    values = row["properties"]
    own = {f".{name}": value for name, value in values.items()} if isinstance(values, Mapping) else {}
    body = [row[name] for name in ("kind", "text", "content", "data", "class_name")]
    left = ("properties", "kind", "text", "content", "data", "class_name")
    rest = {name: value for name, value in row.items() if name not in left}
    return {**rest, **own, "body": body}, "; ".join(text for _, text in problems)


def _properties(data: bytes, version: str) -> tuple[Fields, str]:
    return _message(_PLAIN + pack(">i", len(data)) + data + bytes(3), version)


def _refusing(read: Callable[[bytes], object]) -> Decoder:
    """Return a decoder for data that is decoded completely or refused."""

    def decoded(data: bytes, _: str) -> tuple[Fields, str]:
        try:
            found = read(data)
        except codec.BadStore as error:
            return {}, str(error)
        return (found._asdict() if hasattr(found, "_asdict") else {}), ""

    return decoded


def _durable(data: bytes, _: str) -> tuple[Fields, str]:
    try:
        return durable(NAME, data)._asdict(), ""
    except codec.BadStore as error:
        found = presumed(NAME, data)
        return found._asdict() if found else {}, str(error)


DECODERS: Mapping[tuple[str, str], Decoder] = {
    ("message", "message"): _message,
    ("message", "properties"): _properties,
    ("message", "branch"): _refusing(lambda data: codec.branch(_BYTES + pack(">i", len(data)) + data)),
    ("durable", "durable"): _durable,
}
