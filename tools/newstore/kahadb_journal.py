"""Comparisons in trials of new KahaDB stores: deliveries of ActiveMQ that is started on them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from stores import OPENED, cache, jars, unpacked

from journalspec.kahadb_journal.commands import build
from journalspec_reference.answers import Answer
from journalspec_reference.contents import contents, nested
from journalspec_reference.kahadb_journal.codec import DIALECTS, HEAD, frame, parse
from journalspec_reference.kahadb_journal.contents import KahaContents, openwire
from journalspec_reference.kahadb_journal.recover import JournalState
from journalspec_reference.kahadb_journal.store import Name, place_of
from journalspec_reference.newstore import REPORT

HERE = Path(__file__).resolve()
TABLES = ("messages", "queues", "subscriptions", "jobs")
#: Columns with places, and columns about an index, which a new store lacks.
_LEFT = {"file", "off", "state", "pending", "index_only"}
#: Edition -> the release that is started on its stores. Releases 5.9.0 to 5.12.0 are not used, because they
#: ignore durable subscriptions on new stores.
RELEASES = {"5.3": "5.8.0", "5.12": "5.13.5", "5.14": "5.15.16", "5.15.1": "5.15.16", "5.15.2": "5.15.16"}
LATEST = "6.1.7"
COMMANDS = DIALECTS["5.16"].commands
#: The longest average time of a start in seconds.
SECONDS = 10
#: The number of stores that share a process.
SHARED = 60
#: The only form of selector that this module evaluates: a property equals a text. Names that begin with JMS
#: are headers, not properties.
_SELECTOR = re.compile(r"(?!JMS)([A-Za-z_]\w*) = '([^']*)'")


def stores() -> Iterator[Path]:
    """Yield the stores of brokers that are in the cache, and those next to the checkout."""
    yield from sorted((cache() / "stores").glob("kahadb-*"))
    for place in sorted((HERE.parents[3] / "shared/contents/kahadb_journal").glob("*/*kaha*")):
        if any(place.glob("db-*.log.gz")):
            yield unpacked(place, "db*.gz")


def live(answer: Answer) -> Any:
    """Return messages, queues, subscriptions, jobs, and prepared transactions."""
    found = contents(answer)
    if found is None:
        return None
    kept = {name: sorted(map(_bare, found.rows(name)), key=repr) for name in TABLES}
    prepared = (
        row for row in found.rows("transactions") if row["state"] == "prepared" and row["kind"] == "XA"
    )
    return {**kept, "prepared": sorted(map(_bare, prepared), key=repr)}


def _bare(row: Mapping[str, Any]) -> Any:
    # If a message cannot be decoded, the protocol version is a guess.
    left = _LEFT | {"protocol"} if row.get("kind") == "unknown" else _LEFT
    return {name: nested(each) for name, each in row.items() if name not in left}


def command(version: str, scratch: Path) -> list[str]:
    """Return the command of the program that receives all messages; its source is copied to `scratch`."""
    text = HERE.with_name("KahaDelivers.java").read_text(encoding="utf-8")
    if int(version.partition(".")[0]) < 6:
        text = text.replace("jakarta.jms", "javax.jms")
    source = scratch / "KahaDelivers.java"
    source.write_text(text, encoding="utf-8")
    small = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    return ["java", *small, *OPENED, "-cp", f"{jars('kahadb', version)}/*", str(source)]


def release(answer: Answer) -> str:
    """Return the release to start on a new store. Release 5.8 lacks UPDATE_MESSAGE, which 5.10 introduced."""
    early = answer.journal.edition == "5.3"
    if early and any(record.type == "UPDATE_MESSAGE" for record in answer.observation.records):
        return LATEST
    return RELEASES.get(answer.journal.edition, LATEST)


def delivered(new: Sequence[tuple[Path, Answer]], version: str = "") -> Iterator[str | None]:
    """Start ActiveMQ on a copy of each new store; yield missing and unexpected deliveries.

    None: ActiveMQ ends, as predicted.
    """
    return (_problem(want, lines) for want, lines in _all_started(new, version))


def lacking(old: Sequence[tuple[Path, Answer, frozenset[str]]]) -> Iterator[str | None]:
    """Start ActiveMQ on a copy of each old store; yield the delivered messages that the new store lacks.

    None: ActiveMQ does not start, or messages cannot be received. The new store need not contain messages in
    bytes that the report lists as damaged: without checksums, ActiveMQ reads damaged bytes as if they were
    sound.
    """
    stores = [(place, answer) for place, answer, _ in old]
    for (want, lines), (_, answer, named) in zip(_all_started(stores), old, strict=True):
        got, _, failed = _told(lines)
        if failed or not lines or not want.readable:
            yield None
            continue
        sound = {name: bytearray(data[:]) for name, data in answer.journal.seen.items() if ".log" in name}
        damaged = b""
        for each in answer.observation.dropped:
            part = slice(each.off, each.off + each.length)
            damaged += bytes(sound[each.file][part])
            sound[each.file][part] = bytes(each.length)
        whole = b"".join(sound.values())
        more = [
            f"{key}: {ident}"
            for key, messages in got.items()
            for ident, _ in messages - want.messages.get(key, Counter())
            if ident not in named and _holds(whole, ident) and not _holds(damaged, ident)
        ]
        yield "; ".join(more[:3])


def _holds(data: bytes, ident: str) -> bool:
    """Return whether data contains the id of a message, and not only a longer id that begins with it."""
    return re.search(re.escape(ident).encode() + rb"(?!\d)", data) is not None


def restarted(found: Sequence[tuple[Path, Answer]], _: str, version: str) -> Iterator[str]:
    """Start ActiveMQ on a copy of each store; yield the differences between its deliveries and the store's
    contents.
    """
    return (problem or "" for problem in delivered(found, version))


def _all_started(
    stores: Sequence[tuple[Path, Answer]], version: str = ""
) -> Iterator[tuple[Expected, Sequence[Sequence[str]]]]:
    """Start ActiveMQ on a copy of each store; yield the expectation, and the lines that ActiveMQ prints."""
    expected = [expectation(answer) for _, answer in stores]
    found: dict[int, list[list[str]]] = {}
    versions = [version or release(answer) for _, answer in stores]
    for each in sorted(set(versions)):
        mine = [number for number, other in enumerate(versions) if other == each]
        for start in range(0, len(mine), SHARED):
            some = mine[start : start + SHARED]
            found |= _started(each, [(number, stores[number][0], expected[number]) for number in some])
    yield from ((want, found.get(number, [])) for number, want in enumerate(expected))


class Expected:
    """The required deliveries of a start: messages by queue or subscription, and branches in doubt."""

    def __init__(self) -> None:
        self.messages: dict[tuple[str, str], Counter[tuple[str, int]]] = {}
        self.prepared: set[str] = set()
        #: Subscriptions of ActiveMQ 5.3 with a selector that this module does not evaluate. Such a selector
        #: may refuse messages that the release counts as pending.
        self.selected: set[tuple[str, str]] = set()
        self.openwire = 11
        #: Whether all messages and subscriptions can be read, so that they can be received.
        self.readable = True
        #: Whether transactions in doubt and subscriptions can be read. ActiveMQ reads them when it starts. It
        #: ends if it cannot read them, or if a queue has a durable subscription, as in some random journals.
        self.starts = True


def expectation(answer: Answer) -> Expected:
    """Return the required deliveries of a start on the new store of an answer."""
    out, found, now = Expected(), contents(answer), time.time() * 1000
    assert isinstance(found, KahaContents)
    for row in found.rows("queues"):
        if row["kind"] == "queue":
            out.messages[_called(row["name"]), ""] = Counter()
    selectors: dict[tuple[str, str], re.Match[str]] = {}
    for row in found.rows("subscriptions"):
        key = _called(row["queue"]), str(row["key"])
        out.messages[key] = Counter()
        if known := _SELECTOR.fullmatch(str(row["selector"])):
            selectors[key] = known
        elif row["selector"] is not None and answer.journal.edition == "5.3":
            out.selected.add(key)
    acked = set()
    for row in found.rows("transactions"):
        if row["state"] == "prepared" and row["kind"] == "XA":
            out.prepared.add(f"{row['format_id']!s}:{_hex(row['gtrid'])}:{_hex(row['bqual'])}")
            changes: Any = row["changes"]
            acked |= {(each["queue"], each["subscription"], each["id"]) for each in changes}
    for row in found.rows("messages"):
        key = _called(row["queue"]), str(row["subscription"] or "")
        if row["kind"] == "unknown":
            out.readable = False
        expiration: Any = row["expiration"]
        if (row["queue"], row["subscription"], row["id"]) in acked or (expiration or now) < now:
            continue
        text, data, kind = row["text"], row["data"], row["kind"]
        body: Any = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else b""
        body = (data or b"") if kind == "bytes" else body
        # A message that a selector refuses stays pending until it is acknowledged. ActiveMQ 5.3 does not
        # write this acknowledgement, and damage can destroy the acknowledgements of later releases.
        if key not in selectors or _selects(selectors[key], row["properties"]):
            out.messages.setdefault(key, Counter())[str(row["message_id"]), zlib.crc32(body)] += 1
    # Without checksums, a message may be damaged. ActiveMQ ends with an exception when it reads such a
    # message.
    out.readable &= not found.remarks.counts.keys() & {
        "undecodable",
        "bad-text",
        "bad-body",
        "bad-properties",
    }
    out.starts = _starts(answer, found)
    out.openwire = found.version
    return out


def _selects(selector: re.Match[str], properties: object) -> bool:
    """Return whether a selector accepts a message with these properties."""
    return isinstance(properties, Mapping) and properties.get(selector[1]) == selector[2]


def _out_of_order(place: Path) -> list[str]:
    """Return topic and key of the subscriptions that a new store's report lists as `out-of-order`."""
    report = place.with_name(f"{place.name}{REPORT}.json")
    if not report.exists():
        return []
    stores = json.loads(report.read_text(encoding="utf-8"))["stores"]
    items = chain.from_iterable(each["unverified"] for each in stores)
    return [f"{_called(each['queue'])}\t{each['id']}" for each in items if each["code"] == "out-of-order"]


def _called(name: object) -> str:
    """Return a name in the form that the program prints: null for a destination without a name."""
    return _trimmed(name) or "null"


def _trimmed(name: object) -> str:
    """Return a name as ActiveMQ uses it: without blanks and control characters at its ends."""
    return str(name).strip("".join(map(chr, range(33))))


def _plain(name: Name, ident: str, record: bytes) -> bool:
    """Return whether ActiveMQ can read a command, which may be damaged if there are no checksums.

    ActiveMQ reads the bytes after an unknown key as keys (KHD-DEV-011). It cannot read a message without an
    id (KHD-DEV-013) or a destination without a name.
    """
    command, message, _ = frame(record[HEAD:], COMMANDS)
    built = build(command, parse(command, message))
    return bool(_trimmed(name[1]) and ident and built == message)


def _starts(answer: Answer, found: KahaContents) -> bool:
    """Return whether ActiveMQ can start: it reads commands, subscriptions, and transactions in doubt."""
    codes = {each.code for each in found.remarks.kept if each.table == "subscriptions"}
    starts = "undecodable" not in codes
    state = answer.observation.state
    if isinstance(state, JournalState):
        for step in chain.from_iterable(state.passed.store.prepared.values()):
            _, fields, _ = state.passed.places.command(step.place)
            blob = fields.get("message", b"") or fields.get("ack", b"")
            starts &= not openwire.read(blob, found.version).wrong
        for name, here in state.passed.store.destinations.items():
            starts &= name[0].endswith("TOPIC") or not here.subscriptions
            for ident, stored in here.messages.items():
                starts &= _plain(name, ident, state.passed.places.record(place_of(stored)))
    return starts


def _hex(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else ""


def _started(version: str, some: Sequence[tuple[int, Path, Expected]]) -> dict[int, list[list[str]]]:
    """Return the lines that the program prints for each store, by the number of the store."""
    out: dict[int, list[list[str]]] = {}
    with tempfile.TemporaryDirectory(prefix="newstore-start-") as scratch:
        words = command(version, Path(scratch))
        for number, place, want in some:
            shutil.copytree(place, Path(scratch, str(number)))
            # The steps of the report require that the other subscriptions receive first.
            late = "\n".join(_out_of_order(place))
            Path(scratch, f"{number}.last").write_text(late, encoding="utf-8")
            words.append(f"{scratch}/{number}={want.openwire}" + ("" if want.readable else "=count"))
        limit = SECONDS * (20 + len(some))
        try:
            done = subprocess.run(words, capture_output=True, timeout=limit, check=False)
            output, errors = done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            output, errors = late.stdout or b"", late.stderr or b""
        number = -1
        for line in output.decode(errors="replace").splitlines():
            parts = line.split("\t")
            if parts[0] == "store":
                number = int(Path(parts[1]).name)
                out[number] = []
            elif number in out:
                out[number].append(parts)
        if number < 0:
            raise RuntimeError(f"ActiveMQ {version}: {errors.decode(errors='replace')[-2000:]}")
    return out


def _told(
    lines: Sequence[Sequence[str]],
) -> tuple[dict[tuple[str, str], Counter[tuple[str, int]]], set[str], str]:
    """Return three values: the messages by queue and subscription, the branches in doubt, and the reason of a
    failure.
    """
    got: dict[tuple[str, str], Counter[tuple[str, int]]] = {}
    prepared, failed = set(), ""
    for line in lines:
        if line[0] == "failed":
            failed = failed or line[1]
        elif line[0] == "prepared":
            prepared.add(line[1])
        elif line[0] in ("queue", "subscription"):
            got[line[1], line[2] if line[0] == "subscription" else ""] = Counter()
        elif line[0] == "message":
            got[line[1], line[2]][line[3], int(line[4])] += 1
    return got, prepared, failed


def _problem(want: Expected, lines: Sequence[Sequence[str]]) -> str | None:
    """Return the difference from the expectation, if any, or None if ActiveMQ ends as predicted."""
    got, prepared, failed = _told(lines)
    if failed:
        return failed if want.starts else None
    if got.keys() != want.messages.keys():
        return f"queues and subscriptions {sorted(got)} instead of {sorted(want.messages)}"
    if prepared != want.prepared:
        return f"in doubt {sorted(prepared)} instead of {sorted(want.prepared)}"
    if want.readable:
        for key, messages in want.messages.items():
            more, less = got[key] - messages, messages - got[key]
            if more or (less and key not in want.selected):
                return f"{key}: not wanted {list(more)[:3]}, missing {list(less)[:3]}"
    return ""
