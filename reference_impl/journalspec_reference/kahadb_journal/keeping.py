"""The reasons why the cleanup of ActiveMQ does not delete data files.

The cleanup begins with all files and excludes those in use: by the index itself, by transactions, messages or
subscriptions, or by acknowledgements of messages in kept files. All other files are deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from journalspec_reference.api import Files, Params
from journalspec_reference.kahadb_journal.codec import DIALECTS
from journalspec_reference.kahadb_journal.fileset import DataFile, gather
from journalspec_reference.kahadb_journal.index import INDEX, REDO, Index, Place, UnusableIndex, shown
from journalspec_reference.kahadb_journal.recover import JournalPass
from journalspec_reference.kahadb_journal.store import PLACE, Step, Store, place_of, tx_text
from journalspec_reference.keeping import Holder, Keeping, held_for_others


def kept(files: Files, edition: str, params: Params) -> Keeping:
    """Return the reasons to keep each data file, as they are when the product has just started."""
    found, dialect = gather(files), DIALECTS[edition]
    passed = JournalPass(files, dialect, "salvage")
    lengths = {file.name: file.length for file in found}
    index: Index | None = None
    with suppress(UnusableIndex):
        index = Index(files[INDEX], files.get(REDO)) if INDEX in files else None
    holders = [*_of_the_store(found, index), *_of_transactions(found, passed.store)]
    holders += _of_messages(found, passed)
    for (topic, key), place in sorted(passed.store.subscribed.items()):
        name, off = passed.places.where(place)
        holders.append(Holder(name, "subscription", f"{key} of {shown(topic)}", first=off))
    names = [file.name for file in found]
    needs = {names[turn]: [names[at] for at in others] for turn, others in passed.store.acknowledged.items()}
    staying = {holder.file for holder in holders}
    staying |= held_for_others(names, staying, needs)
    for name, others in needs.items():
        holders += (Holder(name, "acks", other, below=other) for other in sorted(others) if other in staying)
    doubt = "a part of the journal is damaged, and its content is unknown" if passed.lossy else ""
    if dialect.bare:
        doubt = "the content of the records of this edition is unknown"
    basis = "db.data" if index is not None else "the journal alone, as a rebuilt index would have it"
    return Keeping(lengths, tuple(holders), doubt, basis)


def _of_the_store(found: Sequence[DataFile], index: Index | None) -> Iterator[Holder]:
    """Yield the files that the store itself needs: the last file, and the files that its index refers to."""
    if found:
        yield Holder(found[-1].name, "current")
    if index is None:
        return
    names = {file.number: file.name for file in found}
    places: Iterable[tuple[str, Place | None]] = (
        ("update", index.last_update),
        ("audit", index.audit),
        ("ack-map", index.acknowledgements),
    )
    for kind, place in places:
        if place is not None and place[0] in names:
            yield Holder(names[place[0]], kind, first=place[1])
    if index.last_update is not None:
        for number, name in names.items():
            if number > index.last_update[0]:
                yield Holder(name, "after-update")


def _of_transactions(found: Sequence[DataFile], store: Store) -> Iterator[Holder]:
    """Yield the files from the first to the last record of each unfinished transaction."""
    open_: list[tuple[str, Sequence[Step]]] = [(tx_text(tx), steps) for tx, steps in store.open.items()]
    prepared = [(tx_text(tx), steps) for tx, steps in store.prepared.items()]
    for kind, transactions in (("open", open_), ("prepared", prepared)):
        for tx, steps in sorted(transactions):
            turns = [step.place >> PLACE for step in steps]
            for turn in range(min(turns), max(turns) + 1) if turns else ():
                yield Holder(found[turn].name, kind, tx, turns.count(turn))


def _of_messages(found: Sequence[DataFile], passed: JournalPass) -> Iterator[Holder]:
    """Yield each file with the number of messages of each destination in it, the oldest file first."""
    groups: dict[tuple[int, str], list[int]] = {}
    for destination, here in passed.store.destinations.items():
        name = shown(destination)
        for place in map(place_of, here.messages.values()):
            _, off = passed.places.where(place)
            group = groups.setdefault((place >> PLACE, name), [0, 0, off])
            group[:] = group[0] + 1, group[1] + passed.places.length(place), min(group[2], off)
    for (turn, name), (count, size, first) in sorted(
        groups.items(), key=lambda item: (item[0][0], -item[1][0])
    ):
        yield Holder(found[turn].name, "messages", name, count, size, first)
