"""Comparisons in trials of new stores of the JBoss family, and brokers' deliveries from them.

    received(ARTEMIS, [directory, ...])

starts a broker on many stores in one JVM and returns the messages of each; :func:`expected` returns those
that contents report, and :func:`differences` compares both.
"""

from __future__ import annotations

import hashlib
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stores import OPENED, StoreError, cache, jars, renamed, unpacked

from journalspec.reread import LISTS
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.contents import Row, contents, nested
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.jboss_journal.contents import BrokerContents
from journalspec_reference.jboss_journal.contents.core import message_of
from journalspec_reference.jboss_journal.contents.pending import MESSAGES
from journalspec_reference.jboss_journal.selector import is_filter

HERE = Path(__file__).resolve()
#: The source that both brokers' programs share; it is compiled into each.
COMMON = "Delivers.java"
#: The longest average start in seconds, and the least bytes per second of a store or an XML file.
SECONDS_EACH, BYTES_A_SECOND = 3, 100_000
#: Properties that brokers remove when they read a message, or hide from clients.
TAKEN_OUT = frozenset({"_HQ_SCHED_DELIVERY", "_AMQ_SCHED_DELIVERY"})
#: Properties of a compressed body that the client sets again.
SIZES = frozenset({"_AMQ_LARGE_SIZE", "_HQ_LARGE_SIZE"})
#: Kind of a row -> type of a message. A row of kind "unknown" does not show the type.
TYPES: dict[str, int | None] = {
    "unknown": None,
    "plain": 0,
    "object": 2,
    "text": 3,
    "bytes": 4,
    "map": 5,
    "stream": 6,
}
#: Names of Java's classes -> those of :mod:`journalspec_reference.artemis_xml`.
CLASSES = {"byte[]": "bytes", "character": "char"}


@dataclass(frozen=True)
class Broker:
    """A product of :mod:`stores`, its version, and the program that starts it."""

    name: str
    version: str
    program: str


ARTEMIS = Broker("artemis-core", "2.44.0", "ArtemisDelivers.java")
#: This product contains the importer for XML.
CLI = Broker("artemis-cli", "2.44.0", "ArtemisDelivers.java")
HORNETQ = Broker("hornetq", "2.4.9.Final", "HornetqDelivers.java")
#: This product's classes equal those of HornetQ 2.4 under other names.
ARTEMIS_1 = Broker("artemis-1", "1.5.6", "HornetqDelivers.java")


@dataclass
class Outcome:
    """The messages in the queues of a store: queue -> id of a message -> its fields, or its due time.

    `failed` is the reason why the broker did not start.
    """

    messages: dict[str, dict[int, tuple[Any, ...]]] = field(default_factory=dict)
    scheduled: dict[str, dict[int, int]] = field(default_factory=dict)
    prepared: set[str] = field(default_factory=set)
    failed: str = ""


def command(broker: Broker, scratch: Path) -> list[str]:
    """Return the command of a broker's program without arguments; its source is copied to `scratch`."""
    source = scratch / broker.program
    parts = (HERE.with_name(name) for name in (broker.program, COMMON))
    text = "".join(part.read_text(encoding="utf-8") for part in parts)
    source.write_text(renamed(broker.name, text), encoding="utf-8")
    path = f"{jars(broker.name, broker.version)}/*"
    return ["java", "-Xmx1g", "-XX:TieredStopAtLevel=1", *OPENED, "-cp", path, str(source)]


def received(
    broker: Broker, directories: Sequence[Path], *, files: Sequence[Path] = ()
) -> dict[Path, Outcome]:
    """Start a broker on each of the directories, which changes them; return its deliveries.

    With `files` it imports one file into each.
    """
    pairs = [f"{one}={file}" for one, file in zip(directories, files, strict=True)] if files else directories
    read = (path for one in (*directories, *files) for path in (one, *one.rglob("*")) if path.is_file())
    limit = SECONDS_EACH * (20 + len(pairs)) + sum(path.stat().st_size for path in read) / BYTES_A_SECOND
    with tempfile.TemporaryDirectory(prefix="newstore-delivers-") as scratch:
        words = [*command(broker, Path(scratch)), *map(str, pairs)]
        try:
            done = subprocess.run(words, capture_output=True, timeout=limit, check=False)
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
        raise StoreError(f"{broker.program}: {last}: {errors.decode(errors='replace')[-2000:]}")
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


def expected(found: BrokerContents, bad: Collection[object] = ()) -> Outcome:
    """Return the live items of contents, without the messages `bad` and without expired ones."""
    now, outcome = int(time.time() * 1000), Outcome()
    for row in found.rows("queues"):
        outcome.messages[str(row["queue"])], outcome.scheduled[str(row["queue"])] = {}, {}
    for row in found.typed_messages():
        queue, ident, due = str(row["queue"]), _int(row["id"]), _int(row["scheduled"])
        if row["id"] in bad or (_int(row["expiration"]) or now * 2) <= now + 60_000:
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
    """Return a message in the form of :func:`delivered`."""
    body, types, values = row["body"], row["types"], row["properties"]
    body = body if isinstance(body, bytes) else b""
    digest: str | None = hashlib.sha256(body).hexdigest()[:16]
    size: int | None = len(body)
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
        digest = size = None
    return (TYPES[str(row["kind"])], row["durable"], *numbers, digest, size, _kept(properties))


def differences(wanted: Outcome, got: Outcome) -> Iterator[str]:
    """Yield the differences of a broker's deliveries in words."""
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
            # The result of a client for a body that cannot be inflated is not predicted.
            pairs = zip(messages[ident], there[ident], strict=True)
            if others := [pair for pair in pairs if pair[0] != pair[1] and pair[0] is not None]:
                yield f"{queue}: {ident}: {others}"
    if wanted.scheduled != {queue: got.scheduled.get(queue) for queue in wanted.scheduled}:
        yield f"scheduled: {wanted.scheduled} and {got.scheduled}"
    if wanted.prepared != got.prepared:
        yield f"prepared: {sorted(wanted.prepared)} and {sorted(got.prepared)}"


# The interface for the trials.

#: Columns with places of items, or with counts of items that may be omitted.
_PLACES = {"file", "off", "compact_count", "kind"}
_COUNTS = {"messages", "bytes", "sends", "acknowledges", "queue"}
#: The number of stores that share a process.
SHARED = 40


def stores() -> Iterator[Path]:
    """Yield stores with messages of each kind: test data, stores in the cache, and stores next to the
    checkout.

    Stores next to the checkout are yielded a second time without their bindings.
    """
    yield HERE.parents[2] / "reference_impl" / "tests" / "data" / "hornetq_contents.tar.xz"
    for name in (
        "artemis-core-2.44.0",
        "hornetq-2.4.9.Final",
        "artemis-2.19.1",
        "artemis-2.31.2",
        "artemis-2.6.4",
    ):
        yield from sorted((cache() / "stores").glob(f"{name}-*"))[:1]
    for place in sorted((HERE.parents[3] / "shared/contents/jboss_journal").glob("artemis-*")):
        yield unpacked(place, "*/**/*")
        yield unpacked(place, "[!b]*/**/*")


def starts(files: Mapping[str, bytes]) -> bool:
    """Return whether a broker can be started on a store."""
    names = {name.partition("/")[0] for name in files}
    return "journal" in names


def live(answer: Answer) -> Any:
    """Return messages, queues and transactions; for journals of other kinds records and transactions.

    If the ADD of an UPDATE is lost, the new journal contains the UPDATE as an ADD. Messages that prevent a
    broker's start are omitted, and so are operations of transactions in lost queues.
    """
    found = contents(answer)
    if not isinstance(found, BrokerContents) or not (
        found.store.queues or found.store.bindings_replay is not None
    ):
        state: Any = answer.observation.state or {"live": (), "prepared": ()}
        ids = {item["id"] for item in state["live"]}
        prepared = [
            # A DELETE of an absent record has no effect, so the new journal does not contain it.
            {
                **tx,
                "deletes": [
                    each for each in tx["deletes"] if each["id"] in ids | {own["id"] for own in tx["records"]}
                ],
            }
            for tx in state["prepared"]
        ]
        return {"live": [*map(_bare, state["live"])], "prepared": [*map(_bare, prepared)]}
    bad, known = undecodable(found), {*found.store.queues.values()}
    rows = {
        name: [row for row in found.rows(name) if row["id"] not in bad]
        for name in ("messages", "in_doubt", "duplicates")
    }
    rows["in_doubt"] = [row for row in rows["in_doubt"] if row["queue"] in known]
    named = {name: ident for ident, name in found.store.queues.items()}
    for name in ("messages", "in_doubt"):
        # A queue receives a new name if its binding is lost.
        rows[name] = [{**row, "queue": named.get(str(row["queue"]))} for row in rows[name]]
    rows["duplicates"] = [row for row in rows["duplicates"] if row["address"] is not None]
    for name in ("transactions", "queues"):
        rows[name] = [
            {key: value for key, value in row.items() if key not in _COUNTS} for row in found.rows(name)
        ]
    # A filter that keeps a broker from starting is omitted.
    rows["queues"] = [
        row if is_filter(str(row["filter"] or "")) else {**row, "filter": None} for row in rows["queues"]
    ]
    if found.store.bindings_replay is None or answer.journal.root is None:
        rows["queues"] = [{"id": row["id"]} for row in rows["queues"]]
    return {name: sorted(map(_bare, each), key=repr) for name, each in rows.items()}


def alike(before: Any, now: Any) -> Any:
    """Return the new store's items, with only the ids of queues if the old store has no bindings.

    An empty old store may be reported as records without queues; an empty new store equals it.
    """
    if "live" in before and not any([*before.values(), *now.values()]):
        return before
    bare = all(row.keys() == {"id"} for row in before.get("queues", ()))
    queues = [{"id": row["id"]} for row in now.get("queues", ())]
    return {**now, "queues": sorted(queues, key=repr)} if bare and queues else now


def undecodable(found: BrokerContents) -> set[object]:
    """Return the ids of messages that prevent a broker's start, or that a broker cannot read from a page."""
    items = (item for item in found.store.replay.live() if item.user_type in MESSAGES)
    messages = [(item.id, message_of(item.user_type, item.stored)) for item in items]
    for _, entry in found.store.entries():
        message = message_of(entry.kind, entry.data[entry.start : entry.end])
        messages.append((message.id, message))
    # HornetQ delivers neither a large message without a body nor the messages after it.
    hornetq, file = found.store.product[0] == "HornetQ 2", found.store.large.open
    odd = (
        (
            ident,
            each.problem
            or each.priority not in range(10)
            or (hornetq and each.large and not ((body := file(ident)) and body.size)),
        )
        for ident, each in messages
    )
    return {ident for ident, wrong in odd if wrong}


def _bare(value: Any) -> Any:
    """Return a value without the members that are places of items."""
    if isinstance(value, Mapping):
        return {name: _bare(each) for name, each in value.items() if name not in _PLACES}
    return [*map(_bare, value)] if isinstance(value, LISTS) else nested(value)


def delivered(new: Sequence[tuple[Path, Answer]]) -> Iterator[str | None]:
    """Start a broker on a copy of each complete new store; yield differences of its deliveries."""
    for (place, answer), got in zip(new, _started(new), strict=True):
        yield None if got is None else "; ".join([*differences(carried(place, answer), got)][:3])


def lacking(old: Sequence[tuple[Path, Answer, frozenset[str]]]) -> Iterator[str | None]:
    """Start a broker on a copy of each old store; yield the delivered messages that the new store lacks."""
    stores = [(place, answer) for place, answer, _ in old]
    for (_, answer, named), got in zip(old, _started(stores), strict=True):
        if got is None or got.failed:
            yield None
            continue
        found = contents(answer)
        assert isinstance(found, BrokerContents)
        wanted = expected(found, undecodable(found))
        more = [
            f"{queue}: {ident}"
            for queue, there in got.messages.items()
            for ident in there.keys() - wanted.messages.get(queue, {}).keys()
            if str(ident) not in named
        ]
        yield "; ".join(more[:3])


def _started(stores: Sequence[tuple[Path, Answer]]) -> list[Outcome | None]:
    """Start a broker on a copy of each store; return its deliveries, None if no broker fits."""
    found: list[Outcome | None] = [None] * len(stores)
    for broker, product in ((ARTEMIS, "ActiveMQ Artemis 2"), (HORNETQ, "HornetQ 2")):
        mine = [number for number, each in enumerate(stores) if _product(*each) == product]
        for start in range(0, len(mine), SHARED):
            some = mine[start : start + SHARED]
            for number, got in zip(some, _copied(broker, [stores[each][0] for each in some]), strict=True):
                found[number] = got
    return found


def _copied(broker: Broker, places: Sequence[Path]) -> list[Outcome]:
    """Return deliveries of copies of stores.

    If one store ends the process, each half of the stores is tried again.
    """
    with tempfile.TemporaryDirectory(prefix="newstore-start-") as scratch:
        copies = [Path(scratch, str(number)) for number in range(len(places))]
        for copy, place in zip(copies, places, strict=True):
            shutil.copytree(place, copy)
        try:
            got = received(broker, copies)
            return [got[copy] for copy in copies]
        except StoreError as error:
            if len(places) == 1:
                return [Outcome(failed=str(error))]
    half = len(places) // 2
    return [*_copied(broker, places[:half]), *_copied(broker, places[half:])]


def restarted(found: Sequence[tuple[Path, Answer]], name: str, version: str) -> Iterator[str]:
    """Start a broker on a copy of each store; yield the differences between its deliveries and the store's
    contents.
    """
    own = {broker.name: broker.program for broker in (ARTEMIS, ARTEMIS_1, HORNETQ)}
    with tempfile.TemporaryDirectory(prefix="newstore-start-") as scratch:
        copies = [Path(scratch, str(number)) for number in range(len(found))]
        for copy, (place, _) in zip(copies, found, strict=True):
            shutil.copytree(place, copy)
        got = received(Broker(name, version, own[name]), copies)
        for copy, (_, answer) in zip(copies, found, strict=True):
            held = contents(answer)
            assert isinstance(held, BrokerContents)
            wanted = expected(held, undecodable(held))
            foretold = got[copy].failed and name == HORNETQ.name and held.remarks.counts["empty-address-file"]
            yield "" if foretold else "; ".join([*differences(wanted, got[copy])][:3])


def _product(place: Path, answer: Answer) -> str:
    """Return the product that is started on a new store, or an empty text if no product is started."""
    found = contents(answer)
    whole = (place / "journal").is_dir() and (place / "bindings").is_dir()
    return str(found.store.product[0]) if whole and isinstance(found, BrokerContents) else ""


def carried(place: Path, answer: Answer) -> Outcome:
    """Return the deliveries required from the new store at a place, from the old store's contents."""
    found, there = contents(answer), contents(ask(find_journals(load(place / "journal"))[0], SALVAGE))
    assert isinstance(found, BrokerContents)
    assert isinstance(there, BrokerContents)
    outcome, names = expected(found, undecodable(found)), there.store.queues
    renamed = {name: names.get(ident, name) for ident, name in found.store.queues.items()}
    outcome.messages = {renamed[name]: each for name, each in outcome.messages.items()}
    outcome.scheduled = {renamed[name]: each for name, each in outcome.scheduled.items()}
    return outcome
