"""This format's room as the shared rooms see it: detection, dispatch by edition."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from journalspec.formats import get_format
from journalspec.observation import Observation
from journalspec_reference.api import Detection, Files, Params, Span, Writer
from journalspec_reference.jboss_journal import recover, spans
from journalspec_reference.jboss_journal.codec import INT, LONG_HEADER
from journalspec_reference.jboss_journal.dialect import DIALECTS, Dialect
from journalspec_reference.jboss_journal.fileset import CONTROL, LEFTOVERS, NAME, UNFILLED
from journalspec_reference.jboss_journal.write import RECORD_OPS, JournalWriter
from journalspec_reference.storage import Storage

FORMAT = "jboss_journal"
#: Extensions that the products use, and the edition to assume: headers do not tell (JBM-FIL).
EXTENSIONS = {"jbm": "seed", "hq": "v2", "jms": "v2", "amq": "v2e", "bindings": "v2"}


class JbossJournal:
    """The reference implementation of the JBoss Messaging journal and its heirs."""

    format_id = FORMAT
    write_ops = ("open", *RECORD_OPS, "force", "next", "reclaim", "compact", "close")

    def detect(self, files: Files) -> list[Detection]:
        """Return one journal for each extension that has files of the right name and header."""
        groups: dict[str, list[str]] = defaultdict(list)
        for name in sorted(files):
            base = name.removesuffix(".gz")
            for suffix in LEFTOVERS:
                base = base.removesuffix(suffix)
            match = NAME.match(base)
            if match and match["extension"] in EXTENSIONS:
                groups[match["extension"]].append(name)
        found = []
        for extension, names in groups.items():
            hits = sum(_plausible(files[name], EXTENSIONS[extension]) for name in names)
            score = 1 + (hits > 0) + (hits == len(names))
            edition = EXTENSIONS[extension]
            extra = (CONTROL,) if CONTROL in files and extension != "bindings" else ()
            found.append(Detection(FORMAT, edition, (*names, *extra), score))
        return sorted(found, key=lambda detection: -detection.score)

    def read(self, files: Files, *, edition: str, params: Params | None = None) -> Observation:
        """Report every record of every file, torn regions, and records of earlier lives (JBM-RDR)."""
        return recover.read(files, _dialect(edition), params or {})

    def recover(
        self, files: Files, *, edition: str, policy: str = "strict", params: Params | None = None
    ) -> Observation:
        """Return what recovery delivers under `policy` (JBM-RCV)."""
        if policy not in get_format(FORMAT).policies:
            raise ValueError(f"no policy {policy!r}: use one of {', '.join(get_format(FORMAT).policies)}")
        return recover.recover(files, _dialect(edition), policy, params or {})

    def spans(self, files: Files, *, edition: str) -> Iterator[Span]:
        """Yield the named byte ranges of all files."""
        return spans.spans(files, _dialect(edition), {})

    def writer(self, storage: Storage, *, edition: str, params: Params | None = None) -> Writer:
        """Open or create a journal on `storage`; see the writer for `params`."""
        return JournalWriter(storage, _dialect(edition).name, params or {})


def _dialect(edition: str) -> Dialect:
    """Return the edition's table; raises UnknownFormat naming the editions there are."""
    return DIALECTS[get_format(FORMAT).edition(edition).id]


def _plausible(data: Any, edition: str) -> bool:
    """Tell whether a file's header could be one of the edition's."""
    if DIALECTS[edition].versions:
        if len(data) < LONG_HEADER.size:
            return False
        version, _, file_id = LONG_HEADER.unpack_from(data)
        return version in DIALECTS[edition].versions and file_id >= 0
    return len(data) >= INT.size and (INT.unpack_from(data)[0] >= 0 or bytes(data[:4]) == UNFILLED)
