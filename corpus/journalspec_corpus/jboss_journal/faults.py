"""What must still hold of a drawn journal after a fault, by a reader of the corpus's own.

The reader is the specification's rules of search in their plainest form: every
offset is looked at, and :func:`.layout.claim` decides. It shares no code with
the reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from journalspec.observation import Record
from journalspec_corpus.drawn import DrawnJournal, Judgement
from journalspec_corpus.jboss_journal.layout import CODES, VERSIONED, claim, code_of, stamp_of

HEADERS = {True: 16, False: 4}
NO_REFUSAL = (
    "damage among records is no reason to refuse: what is whole is recovered, what is torn is dropped"
)
IDS = "the file id orders the files and says which records count, and nothing protects it"


def judge(journal: DrawnJournal, files: Mapping[str, bytes]) -> Judgement:
    """Return what must hold after `journal` has become `files`."""
    edition = journal.edition
    refused, moved = False, False
    intact: list[Record] = []
    same = True
    for name in journal.files:
        sound, data = journal.files[name], files[name]
        size = HEADERS[edition in VERSIONED]
        own = [record for record in journal.recovered if record.at.file == name]
        if len(data) < size:
            refused, same = refused or edition not in VERSIONED, False
            continue
        if data[:size] != sound[:size]:
            refused = refused or _unusable(data, edition)
            moved = True
            continue
        found = list(places(data, edition))
        expected = [(record.at.off, record.at.length) for record in own]
        kept = [record for record in own if _whole(record, sound, data) and _place(record) in found]
        same = same and found == expected and len(kept) == len(own)
        intact += kept
    if refused:
        return Judgement("refused", tuple(intact))
    if moved:
        return Judgement("open", tuple(_in_order(intact, journal)), IDS)
    if same:
        return Judgement("same", tuple(intact))
    return Judgement("open", tuple(intact), NO_REFUSAL)


def _in_order(intact: list[Record], journal: DrawnJournal) -> Iterator[Record]:
    """Yield the records of files whose ids are as they were; these keep their order."""
    chosen = set(map(id, intact))
    return (record for record in journal.recovered if id(record) in chosen)


def _place(record: Record) -> tuple[int, int]:
    return record.at.off, record.at.length


def _whole(record: Record, sound: bytes, data: bytes) -> bool:
    start, end = record.at.off, record.at.off + record.at.length
    return data[start:end] == sound[start:end]


def _unusable(data: bytes, edition: str) -> bool:
    """Tell whether strict recovery refuses the header."""
    if edition not in VERSIONED:
        return False
    version, user = (int.from_bytes(data[at : at + 4], "big") for at in (0, 4))
    return version not in ((1,) if edition == "v1" else (1, 2)) or user != 0


def places(data: bytes, edition: str) -> Iterator[tuple[int, int]]:
    """Yield (offset, length) of every record of a file, looking at every offset."""
    size = HEADERS[edition in VERSIONED]
    version = int.from_bytes(data[:4], "big") if edition in VERSIONED else 0
    file_id = int.from_bytes(data[8:16] if edition in VERSIONED else data[:4], "big", signed=True)
    stamp = stamp_of(file_id, edition).to_bytes(4, "big")
    types = {code_of(kind, edition) for kind in CODES if kind != "EVENT" or edition == "v2e"}
    at = size
    while at + 5 <= len(data):  # a type and a file id
        if data[at] not in types or data[at + 1 : at + 5] != stamp:
            at += 1
            continue
        found = claim(data, at, edition, version)
        if found.reason:
            at += 1
        else:
            yield at, found.end - at
            at = found.end
