"""New stores of the JBoss family, tried with the products: a start on each, all messages received.

    delivered(ARTEMIS, [directory, ...])

starts many stores in one JVM and returns what came out of each; :func:`expected` is what contents report, and
:func:`differences` compares them.
"""

from __future__ import annotations

import hashlib
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import stores

from journalspec_reference.contents import Row
from journalspec_reference.jboss_journal.contents import BrokerContents

PROGRAMS = Path(__file__).with_name("newstore")
#: So long a start may take on average.
SECONDS_EACH = 3
#: Properties that brokers take out when they read a message, or that clients are not given.
TAKEN_OUT = frozenset({"_HQ_SCHED_DELIVERY", "_AMQ_SCHED_DELIVERY"})
#: What of a compressed body the client sets anew.
SIZES = frozenset({"_AMQ_LARGE_SIZE", "_HQ_LARGE_SIZE"})
TYPES = {"unknown": -1, "plain": 0, "object": 2, "text": 3, "bytes": 4, "map": 5, "stream": 6}
#: Names of Java's classes -> those of :mod:`journalspec_reference.artemis_xml`.
CLASSES = {"byte[]": "bytes", "character": "char"}


@dataclass(frozen=True)
class Broker:
    """A product of :mod:`stores`, its version, and the program that starts it."""

    name: str
    version: str
    program: str


ARTEMIS = Broker("artemis-core", "2.44.0", "ArtemisDelivers.java")
HORNETQ = Broker("hornetq", "2.4.9.Final", "HornetqDelivers.java")


@dataclass
class Outcome:
    """What is in the queues of a store: queue -> id of a message -> fields, or when it is due.

    `failed` is why the broker did not start.
    """

    messages: dict[str, dict[int, tuple[Any, ...]]] = field(default_factory=dict)
    scheduled: dict[str, dict[int, int]] = field(default_factory=dict)
    prepared: set[str] = field(default_factory=set)
    failed: str = ""


def delivered(
    broker: Broker, directories: Sequence[Path], *, files: Sequence[Path] = ()
) -> dict[Path, Outcome]:
    """Return what a broker delivers that is started on each of the directories, which that changes.

    With `files` it imports one into each.
    """
    jars = stores.jars(broker.name, broker.version)
    opened = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("lang", "util")]
    words = [
        "java",
        "-Xmx1g",
        "-XX:TieredStopAtLevel=1",
        *opened,
        "-cp",
        f"{jars}/*",
        str(PROGRAMS / broker.program),
    ]
    pairs = [f"{one}={file}" for one, file in zip(directories, files, strict=True)] if files else directories
    try:
        done = subprocess.run(
            [*words, *map(str, pairs)],
            capture_output=True,
            timeout=SECONDS_EACH * (5 + len(pairs)),
            check=False,
        )
        output, errors = done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        output, errors = late.stdout or b"", late.stderr or b""
    found: dict[Path, Outcome] = {}
    outcome, queue = Outcome(), ""
    for line in output.decode(errors="replace").splitlines():
        kind, *parts = line.split("\t")
        if kind == "store":
            outcome = found[Path(parts[0])] = Outcome()
        elif kind == "failed":
            outcome.failed = parts[0]
        elif kind == "queue":
            queue = _plain(parts[0])
            outcome.messages[queue], outcome.scheduled[queue] = {}, {}
        elif kind == "scheduled":
            outcome.scheduled[queue][int(parts[0])] = int(parts[1])
        elif kind == "prepared":
            outcome.prepared.add(parts[0])
        elif kind == "message":
            outcome.messages[queue][int(parts[0])] = _message(parts)
    if len(found) != len(directories):
        last = f"the last of {len(found)} was {list(found)[-1]}" if found else "none was started"
        raise stores.StoreError(f"{broker.program}: {last}: {errors.decode(errors='replace')[-2000:]}")
    return found


def _message(parts: Sequence[str]) -> tuple[Any, ...]:
    _, kind, durable, expiration, timestamp, priority, digest, size, *rest = parts
    properties = {}
    for item in rest:
        name, _, typed = _plain(item).partition("=")
        java, _, value = typed.partition(":")
        called = CLASSES.get(java, java)
        properties[name] = (called, _number(called, value))
    numbers = (int(kind), durable == "true", int(expiration), int(timestamp), int(priority))
    return (*numbers, digest, int(size), _kept(properties))


def _plain(text: str) -> str:
    """Return a text with its escapes replaced."""
    units = text.encode("ascii").decode("unicode_escape")
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _number(kind: str, value: str) -> str:
    if kind not in ("float", "double"):
        return value
    return struct.pack(">f" if kind == "float" else ">d", float(value)).hex()


def _kept(properties: Mapping[str, tuple[str, str]]) -> tuple[tuple[str, tuple[str, str]], ...]:
    return tuple(sorted(item for item in properties.items() if item[0] not in TAKEN_OUT | SIZES))


def expected(found: BrokerContents) -> Outcome:
    """Return what contents report as live; a message that has expired is not delivered."""
    now, outcome = int(time.time() * 1000), Outcome()
    for row in found.rows("queues"):
        outcome.messages[str(row["queue"])], outcome.scheduled[str(row["queue"])] = {}, {}
    for row in found.typed_messages():
        queue, ident, due = str(row["queue"]), _int(row["id"]), _int(row["scheduled"])
        if "body" not in row or 0 < _int(row["expiration"]) <= now + 60_000:
            continue
        if due > now:
            outcome.scheduled[queue][ident] = due
        else:
            outcome.messages[queue][ident] = fields(row)
    for row in found.rows("transactions"):
        if row["state"] == "prepared" and isinstance(row["global_id"], bytes):
            outcome.prepared.add(f"{_int(row['format_id'])}:{row['global_id'].hex()}")
    return outcome


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def fields(row: Row) -> tuple[Any, ...]:
    """Return a message as :func:`delivered` has it."""
    body, types, values = row["body"], row["types"], row["properties"]
    body = body if isinstance(body, bytes) else b""
    digest, size = hashlib.sha256(body).hexdigest()[:16], len(body)
    assert isinstance(types, Mapping)
    assert isinstance(values, Mapping)
    properties = {}
    for name, value in values.items():
        kind = str(types.get(name, "null"))
        if isinstance(value, bytes):
            shown = value.hex()
        elif kind == "char":
            shown = str(ord(str(value)))
        elif kind == "boolean":
            shown = str(value).lower()
        else:
            shown = "null" if value is None else _number(kind, str(value))
        properties[name] = (kind, shown)
    numbers = (_int(row["expiration"]), _int(row["timestamp"]), _int(row["priority"]))
    if row["compressed"] and row["body"] is None:
        # Clients cannot inflate it either.
        digest, size = "-", -1
    return (TYPES[str(row["kind"])], row["durable"], *numbers, digest, size, _kept(properties))


def differences(wanted: Outcome, got: Outcome) -> Iterator[str]:
    """Yield in words what a broker delivers otherwise."""
    if got.failed:
        yield f"it does not start: {got.failed}"
        return
    for queue, messages in wanted.messages.items():
        there = got.messages.get(queue)
        if there is None:
            yield f"{queue}: not there"
            continue
        yield from (f"{queue}: {ident} is not delivered" for ident in messages.keys() - there.keys())
        yield from (f"{queue}: {ident} is delivered" for ident in there.keys() - messages.keys())
        for ident in messages.keys() & there.keys():
            if messages[ident] != there[ident]:
                pairs = zip(messages[ident], there[ident], strict=True)
                yield f"{queue}: {ident}: {[pair for pair in pairs if pair[0] != pair[1]]}"
    if wanted.scheduled != {queue: got.scheduled.get(queue) for queue in wanted.scheduled}:
        yield f"scheduled: {wanted.scheduled} and {got.scheduled}"
    if wanted.prepared != got.prepared:
        yield f"prepared: {sorted(wanted.prepared)} and {sorted(got.prepared)}"


def damaged(source: Path, target: Path, random: Random) -> str:
    """Make a copy of a store with damage as disks and copies make it; return what it is, in words."""
    shutil.copytree(source, target)
    files = sorted(path for path in target.rglob("*") if path.is_file() and path.suffix in SUFFIXES)
    done = []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        weights = [
            8 if path.parent.name == "journal" else 3 if path.suffix == ".page" else 1 for path in files
        ]
        (path,) = random.choices(files, weights)
        done.append(_damage(path, random))
    return "; ".join(done)


SUFFIXES = (".amq", ".hq", ".bindings", ".page", ".msg", ".txt")


def _damage(path: Path, random: Random) -> str:
    """Damage one file where there is something in it."""
    if not path.exists():
        return f"{path.name} is gone already"
    data = bytearray(path.read_bytes())
    used = len(bytes(data).rstrip(b"\0J")) or 1
    off, kind = (
        random.randrange(used),
        random.choice(("zeros", "sector", "garbage", "byte", "cut", "gone", "stale")),
    )
    if kind == "gone":
        if random.random() < 0.7:
            kind = "zeros"
        else:
            path.unlink()
            return f"{path.name} is removed"
    size = min(used - off, random.choice((1, 4, 16, 60, 512)))
    if kind == "sector":
        off -= off % 512
        size = min(512, len(data) - off)
    if kind == "cut":
        del data[off:]
    elif kind == "byte":
        data[off] ^= 1 << random.randrange(8)
    elif kind == "garbage":
        data[off : off + size] = random.randbytes(size)
    elif kind == "stale":
        data[off : off + size] = data[:size]
    else:
        data[off : off + size] = bytes(size)
    path.write_bytes(data)
    return f"{path.parent.name}/{path.name}: {kind} at {off}, {size} bytes"
