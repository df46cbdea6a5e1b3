"""This format's room as the shared rooms see it: editions as a table, detection, dispatch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from journalspec.formats import get_format
from journalspec.observation import Observation
from journalspec_reference.api import Detection, Files, Params, Span, Writer
from journalspec_reference.bitronix_tlog import nio, recover, seed, spans
from journalspec_reference.bitronix_tlog.codec import FORMAT_ID
from journalspec_reference.bitronix_tlog.nio_write import NioWriter
from journalspec_reference.bitronix_tlog.pair import PAIR, in_order, sibling
from journalspec_reference.bitronix_tlog.seed_write import SeedWriter
from journalspec_reference.bitronix_tlog.write import DiskWriter
from journalspec_reference.storage import Storage

FORMAT = "bitronix_tlog"
MAGIC = FORMAT_ID.to_bytes(4, "big")
#: The product's own file names end so; a damaged file is recognised by it.
SUFFIXES = (".tlog", ".tlog.gz")


@dataclass(frozen=True, slots=True)
class Rules:
    """What one edition is read, recovered and written with."""

    read: Callable[[Files], Observation]
    recover: Callable[[Files, str], Observation]
    spans: Callable[[Files, bool], Iterator[Span]]
    writer: Callable[[Storage, str, Params], Writer]


_DISK = Rules(recover.read, recover.recover, spans.disk, DiskWriter)
#: Nothing in the files tells which of these wrote them.
DISK_EDITIONS = ("2.1", "3.0")
RULES = {
    "seed": Rules(seed.read, seed.recover, spans.seed, SeedWriter),
    "2.1": _DISK,
    "3.0": _DISK,
    "nio": Rules(nio.read, nio.recover, spans.nio, NioWriter),
}


class BitronixTlog:
    """The reference implementation of the Bitronix transaction log."""

    format_id = FORMAT
    write_ops = ("open", "log", "force", "close")

    def detect(self, files: Files, params: Params | None = None) -> list[Detection]:
        """Return NIO files by banner, pairs by format id or name, seed logs by their first record."""
        found = [
            Detection(FORMAT, "nio", (name,), 3)
            for name in in_order(files)
            if nio.looks_like_nio(files[name])
        ]
        taken = {name for detection in found for name in detection.files}
        magic = {name for name in files if bytes(files[name][:4]) == MAGIC}
        seeds = {name for name in set(files) - taken - magic if seed.looks_like_seed(files[name])}
        named = {name for name in files if name.lower().endswith(SUFFIXES)} - taken - seeds
        groups: dict[str, list[str]] = defaultdict(list)
        for name in in_order(magic | named):
            groups[_stem(name)].append(name)
        for names in groups.values():
            found += [_pair(names[at : at + PAIR], magic) for at in range(0, len(names), PAIR)]
        found += [Detection(FORMAT, "seed", (name,), 1) for name in in_order(seeds)]
        return sorted(found, key=lambda detection: -detection.score)

    def read(self, files: Files, *, edition: str, params: Params | None = None) -> Observation:
        """Report every record of every file, and every region that holds none (BTM-RDR)."""
        return _rules(edition).read(files)

    def recover(
        self, files: Files, *, edition: str, policy: str = "strict", params: Params | None = None
    ) -> Observation:
        """Return the logical state after recovery under `policy` (BTM-RCV)."""
        if policy not in get_format(FORMAT).policies:
            raise ValueError(f"no policy {policy!r}: use one of {', '.join(get_format(FORMAT).policies)}")
        return _rules(edition).recover(files, policy)

    def spans(
        self, files: Files, *, edition: str, params: Params | None = None, fields: bool = True
    ) -> Iterator[Span]:
        """Yield the named byte ranges of all files."""
        return _rules(edition).spans(files, fields)

    def writer(self, storage: Storage, *, edition: str, params: Params | None = None) -> Writer:
        """Open or create a journal on `storage`; see the edition's writer for `params`."""
        return _rules(edition).writer(storage, edition, params or {})


def _rules(edition: str) -> Rules:
    """Return the edition's rules; raises UnknownFormat naming the editions there are."""
    return RULES[get_format(FORMAT).edition(edition).id]


def _stem(name: str) -> str:
    """Return what two files of a pair have in common: the name without its digits."""
    return "".join(char for char in PurePath(name).name if not char.isdigit())


def _pair(names: list[str], magic: set[str]) -> Detection:
    hits = sum(name in magic for name in names)
    score = 1 + (hits > 0) + (hits == PAIR)
    if len(names) < PAIR:
        other = sibling(names[0])
        names = in_order([names[0], other]) if other != names[0] else names
    return Detection(FORMAT, DISK_EDITIONS[0], tuple(names), score, DISK_EDITIONS)
