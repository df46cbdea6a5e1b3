"""Writes a new KahaDB journal from the recovered state: db-1.log and so on, without an index.

ActiveMQ creates the index when it first starts. Records of messages are copied as bytes into batches with new
checksums. Facts that only db.data contains are written as commands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from journalspec.formats import get_format
from journalspec.observation import CLEAN, Observation
from journalspec.reread import Changed
from journalspec_reference.answers import Answer
from journalspec_reference.api import Files
from journalspec_reference.batches import source_of
from journalspec_reference.contents import Count
from journalspec_reference.kahadb_journal.codec import CONTROL, DIALECTS, FORMAT, sums
from journalspec_reference.kahadb_journal.contents import NOT_IN_INDEX, KahaContents
from journalspec_reference.kahadb_journal.contents.jobs import early
from journalspec_reference.kahadb_journal.evidence import OPENWIRE
from journalspec_reference.kahadb_journal.recover import AUDIT, JOB, JournalPass, JournalState
from journalspec_reference.kahadb_journal.salvage import Mended, Offered, mended
from journalspec_reference.kahadb_journal.store import PLACE, Name, Step, TxId, place_of, tx_text
from journalspec_reference.kahadb_journal.survivors import Survivors
from journalspec_reference.kahadb_journal.write import data_files
from journalspec_reference.newstore import (
    BYTES,
    CannotRebuild,
    ChoiceRefused,
    LossItem,
    NewFile,
    NewStore,
    StoreChoices,
)

#: A run of zeros that is longer than the zeros at the end of any command.
_UNWRITTEN = 64
_DOUBT = "the checksum is wrong: any of these records can have wrong bytes"


class BareStore(NewStore):
    """Writes the new store of a seed journal. It contains all records, because their content is opaque."""

    def carried(self) -> Iterable[Count]:
        """Return the number and the size of the store's records."""
        sizes = [record.at.length for record in self.answer.observation.records]
        return [Count("records", "", len(sizes), sum(sizes))]

    def files(self) -> Iterator[NewFile]:
        """Yield the data files."""
        sources = {name: source_of(data) for name, data in self.answer.journal.seen.items()}
        places = (record.at for record in self.answer.observation.records)
        records = (sources[at.file].read(at.off, at.length) for at in places)
        return data_files(records, self.answer.journal.edition)


class KahaNewStore(NewStore):
    """Writes the new store of a journal in an edition with known commands."""

    def __init__(self, answer: Answer, choices: StoreChoices) -> None:
        super().__init__(answer)
        journal, state = answer.journal, answer.observation.state
        self._edition, self._choices = journal.edition, choices
        self._mended = Mended({})
        self._kept: dict[str, str] = {}
        files: Files = journal.seen
        if not isinstance(state, JournalState):
            raise CannotRebuild("recovery gave no state of this journal")
        passed = state.passed
        self._seen: Observation = answer.observation
        contents = KahaContents(passed, journal.root)
        self._version = contents.version
        if choices.salvage_records:
            self._mended = mended(files, self._seen.dropped, DIALECTS[self._edition], self._version)
            files = self._mended.files
        if choices.salvage_records or choices.commit or choices.rollback or choices.keep:
            # Choices change the state, so they are applied to a separate pass. The answer's state stays
            # unchanged.
            passed = JournalPass(files, DIALECTS[self._edition], passed.policy)
            self._seen = passed.observation()
            contents = KahaContents(passed, journal.root)
        self._passed, self._contents, self._files = passed, contents, files
        self._settle(choices)
        self._survivors = Survivors(passed, choices)
        self._check()
        if next(self._anything(), None) is None:
            if early(passed):
                raise CannotRebuild(
                    "it has only records of scheduled messages: their times are only in scheduleDB.data"
                )
            if self._seen.verdict != CLEAN and not self._only_unfinished():
                raise CannotRebuild("recovery keeps no queue, no message and no transaction of this journal")

    @property
    def product(self) -> str:
        """The releases of ActiveMQ that write journals of this edition."""
        return get_format(FORMAT).edition(self._edition).title

    def _anything(self) -> Iterator[object]:
        store = self._passed.store
        yield from store.destinations
        yield from self._survivors.needed
        yield from self._survivors.prepared()
        yield from self._survivors.jobs()

    def _only_unfinished(self) -> bool:
        """Return whether the damage is a last batch without its end, which was never acknowledged.

        A complete last batch with a wrong checksum may have been acknowledged.
        """
        seen, files = self._seen, self._files
        if seen.missing or [region.file for region in seen.dropped] != [
            note.file for note in seen.notes if note.code == "torn-tail"
        ]:
            return False
        for region in seen.dropped:
            source = source_of(files[region.file])
            if region.reason not in ("out-of-bounds", "bad-checksum", "bad-chain", "truncated"):
                return False
            header = source.read(region.off, min(CONTROL, region.length))
            if len(header) == CONTROL:
                end = region.off + CONTROL + sums(header, 0)[0]
                least = min(_UNWRITTEN, end - region.off - CONTROL)
                if end <= source.size and any(source.read(end - least, least)):
                    return False
        return True

    # The choices of the user.

    def _settle(self, choices: StoreChoices) -> None:
        """Apply the choices --commit, --rollback and --keep."""
        store = self._passed.store
        branches = {tx_text(tx): tx for tx in store.prepared if tx[0] == "XA"}
        for verb, asked in (("COMMIT", choices.commit), ("ROLLBACK", choices.rollback)):
            for name in asked:
                if name not in branches:
                    known = ", ".join(sorted(branches)) or "none"
                    raise ChoiceRefused(f"{name!r} is not a branch in doubt", f"in doubt: {known}")
                tx = branches.pop(name)
                steps = store.prepared[tx]
                self._end(verb, tx)
                done = "committed" if verb == "COMMIT" else "rolled back"
                self.lines.append(
                    f"{name} was {done}, with {len(steps)} change(s); the other resources of its transaction "
                    "are not touched"
                )
        for name in choices.keep:
            self._keep(name)

    def _end(self, verb: str, tx: TxId) -> None:
        self._passed.store.replay([Step(verb, ("QUEUE", ""), "", 0, 0, None, tx, None)])

    def _keep(self, name: str) -> None:
        """Apply an open transaction, or a message of an open transaction."""
        store = self._passed.store
        for tx, steps in list(store.open.items()):
            # A transaction has two spellings: that of the table of transactions, and that of notes.
            if name in (tx_text(tx), tx_text(tx[1:])):
                self._kept |= {step.message_id: name for step in steps}
                self._end("COMMIT", tx)
                self.lines.append(f"{name} has no end and was kept, with {len(steps)} change(s)")
                return
            found = [step for step in steps if step.message_id == name and step.command == "ADD_MESSAGE"]
            if found:
                self._kept[name] = tx_text(tx)
                store.replay(found, ended=True)
                self.lines.append(f"message {name} of {tx_text(tx)}, which has no end, was kept")
                return
        if any(name in here.messages for here in store.destinations.values()):
            self.lines.append(f"message {name} is carried over anyway")
            return
        raise ChoiceRefused(f"--keep {name!r} matches nothing that would be left out")

    def _check(self) -> None:
        """Raise ChoiceRefused for a choice that matches nothing. Describe the effect of the other choices."""
        queues, drop = self._choices.queues, self._choices.drop
        if self._choices.index_acks and self._passed.known is None:
            raise ChoiceRefused("--index-acks: there is no usable db.data next to this journal")
        if not queues and not drop:
            return
        store, every = self._passed.store, Survivors(self._passed, StoreChoices())
        steps = [step for found in store.prepared.values() for step in found]
        names = {listed.name for listed in every.lists} | {step.destination for step in steps}
        known = {name for _, name in (*names, *store.destinations, *self._passed.idle())}
        for name in queues:
            if name not in known:
                raise ChoiceRefused(f"--queue {name!r} matches no queue or topic of this journal")
            self.lines.append(f"only queue {name!r}, as requested")
        known |= {tx_text(tx) for tx in store.prepared} | {step.message_id for step in steps}
        known |= {job.get("job_id", "") for job in every.jobs()}
        for name in drop:
            held = {each[1] for each, here in store.destinations.items() if name in here.messages}
            held |= {
                each[1] for each, needs in every.needed.items() if any(name in ids for ids in needs.values())
            }
            if name not in known and not held:
                raise ChoiceRefused(f"--drop {name!r} matches nothing that is kept")
            where = f", a message of {', '.join(sorted(held))}" if held else ""
            self.lines.append(f"{name}{where}: left out, as requested")

    # The parts of the report.

    def carried(self) -> Iterable[Count]:
        """Yield the counts of each queue and subscription, of branches, and of jobs."""
        for name, rows, size in self._survivors.queues():
            yield Count("messages", name, rows, size)
        branches = sum(1 for _ in self._survivors.prepared())
        if branches:
            yield Count("transactions", "prepared", branches, 0)
        totals: dict[str, Count] = {}
        for job in self._survivors.jobs():
            size, scheduler = self._passed.places.length(job["place"]), job.get("scheduler", "")
            totals.setdefault(scheduler, Count("jobs", scheduler)).add(size, None)
        yield from totals.values()

    def left_out(self) -> Iterator[LossItem]:
        """Yield the omitted items that the answer does not report."""
        yield from self._of_transactions()
        yield from self._by_choice()
        yield from self._in_damage()
        known = self._passed.known
        if known is not None:
            for (name, ident), (number, off) in known.lost.items():
                text = "db.data refers to it, but the journal does not have it"
                yield LossItem("message", "lost", text, ident, name[1], f"db-{number}.log", off)
        if JOB not in self._passed.last:
            for row in self._contents.rows("jobs"):
                text = "it is in the scheduler's own store: recover that directory as well"
                job, queue, file = str(row["id"]), str(row["queue"] or ""), str(row["file"])
                yield LossItem("job", "beside", text, job, queue, file, _int(row["off"]), _int(row["size"]))

    def _of_transactions(self) -> Iterator[LossItem]:
        """Yield the messages of transactions that a start of ActiveMQ rolls back."""
        store = self._passed.store
        prepared = ((tx, steps) for tx, steps in store.prepared.items() if tx[0] != "XA")
        for tx, steps in (*store.open.items(), *prepared):
            text = f"{tx_text(tx)} has no end: ActiveMQ rolls it back"
            for step in steps:
                if step.command == "ADD_MESSAGE" and step.message_id not in self._kept:
                    name, ident, place = step.destination, step.message_id, step.place
                    yield self._item(name, ident, place, "incomplete-transaction", text)

    def _by_choice(self) -> Iterator[LossItem]:
        """Yield the items that a choice omits."""
        store, kept = self._passed.store, self._survivors
        for name, here in sorted(store.destinations.items(), key=lambda item: item[0]):
            if not kept.takes(name[1]):
                text = f"{len(here.messages)} message(s), {len(here.subscriptions)} subscription(s)"
                yield LossItem("destination", "chosen", text, name[1], name[1])
                continue
            hidden = self._survivors.hidden(name)
            for ident in sorted((kept.drop | hidden) & here.messages.keys()):
                code = "index-acknowledged" if ident in hidden else "chosen"
                text = "no longer in db.data" if ident in hidden else "left out, as requested"
                yield self._item(name, ident, place_of(here.messages[ident]), code, text)
        for tx, steps in store.prepared.items():
            if tx_text(tx) in kept.drop:
                yield LossItem("transaction", "chosen", f"{len(steps)} change(s), in doubt", tx_text(tx))

    def _in_damage(self) -> Iterator[LossItem]:
        """Yield the withheld records of damaged regions, and the records that --salvage-records would add."""
        found, dialect = self._mended, DIALECTS[self._edition]
        if not self._choices.salvage_records:
            found = mended(self._files, self._seen.dropped, dialect, self._version)
        yield from (_item_of(each, "withheld", each.why) for each in found.records if each.why)
        taken = {(each.file, each.off): each for each in found.records if not each.why}
        if taken and not self._choices.salvage_records:
            passed = JournalPass(found.files, dialect, self._passed.policy)
            where = Survivors(passed, self._choices)
            for _, _, place in where.live():
                if (offered := taken.get(passed.places.where(place))) is not None:
                    text = f"{offered.checks}; it is carried over with --salvage-records"
                    yield _item_of(offered, "salvageable", text)

    def _resurrected(self) -> Iterator[LossItem]:
        """Yield messages that db.data lacks, although it covers them. Their acknowledgements may be lost."""
        known = self._passed.known
        if known is None or self._choices.index_acks:
            return
        text = "db.data covers it and does not have it: it may have been consumed; --index-acks leaves it out"
        for listed in self._survivors.lists:
            hides = listed.subscription is not None or listed.name in known.hidden
            if hides and self._survivors.takes(listed.name[1]):
                for entry in listed.entries():
                    if entry.state == NOT_IN_INDEX and entry.ident not in self._survivors.drop:
                        yield self._item(listed.name, entry.ident, entry.place, NOT_IN_INDEX, text)

    def unverified(self) -> Iterator[LossItem]:
        """Yield the carried-over items that no checksum or commit covers: each message, or one item for the
        batches of a file.
        """
        salvaged = {(each.file, each.off): each for each in self._mended.records if not each.why}
        places = self._passed.places
        if salvaged or self._kept:
            for name, ident, place in self._survivors.live():
                found = salvaged.get(places.where(place))
                if found is not None:
                    yield _item_of(found, "salvaged", found.checks)
                elif ident in self._kept:
                    text = f"{self._kept[ident]} has no end"
                    yield self._item(name, ident, place, "kept", text)
        for each in salvaged.values():
            if each.command not in ("ADD_MESSAGE", "UPDATE_MESSAGE", "TRACE"):
                yield _item_of(each, "salvaged", f"{each.command}: {each.checks}")
        for file, off, text in self._mended.hypotheses:
            yield LossItem(BYTES, "one-byte-hypothesis", text, file=file, off=off, length=1)
        yield from self._resurrected()
        text = (
            "it acknowledged messages out of order: a release that replays only the last acknowledgement "
            "delivers some of them again; from the old journal without db.data, too"
        )
        for topic, key in self._survivors.out_of_order():
            yield LossItem("subscription", "out-of-order", text, key, topic)
        yield from self._unchecked()

    def _unchecked(self) -> Iterator[LossItem]:
        """Yield items whose checksum was not compared. For each file, this is one item with the number of
        messages.

        A message to which only the index refers can be in a damaged region.
        """
        every = self._passed.policy in ("default", "unchecked")
        files = {note.file for note in self._seen.notes if note.code == "unverified"}
        only = {place: (name, ident) for name, ident, place in self._survivors.of_the_index()}
        if not every and not files and not only:
            return
        live: dict[int, set[int]] = {}
        for _, _, place in self._survivors.live():
            live.setdefault(place >> PLACE, set()).add(place & (1 << PLACE) - 1)
        counts: dict[str, list[int]] = {}
        for turn, file, batch in self._passed.batches():
            here, covered = live.get(turn, set()), False
            first = frozenset(batch.more.get("first", ()))
            for row, off in enumerate(batch.off):
                only.pop((turn << PLACE) + batch.base + off, None)
                if row in first:
                    covered = not every and sums(batch.data, off - CONTROL)[1] != 0
                if not covered and batch.base + off in here:
                    count = counts.setdefault(file.name, [0, batch.base + off])
                    count[0] += 1
        for place, (name, ident) in only.items():
            text = "only db.data leads to it, and it is in a damaged region"
            yield self._item(name, ident, place, "unverified", text)
        for name_of, (total, start) in counts.items():
            why = (
                f"policy {self._passed.policy} does not compare checksums"
                if every
                else "no checksum is stored"
            )
            text = f"{total} message(s), the first of them here: {why}"
            yield LossItem(BYTES, "unverified", text, file=name_of, off=start)

    def chosen(self) -> Iterator[str]:
        """Yield the choices and their effects."""
        yield from self.lines
        if self._choices.index_acks:
            yield "messages that are acknowledged only in db.data were omitted"
        elif self._passed.known is not None and self._passed.known.hidden:
            count = sum(map(len, self._passed.known.hidden.values()))
            yield (
                f"{count} message(s) that db.data does not have, although it covers them, are carried over: "
                "--index-acks leaves them out"
            )
        if self._choices.salvage_records:
            found = self._mended.records
            taken = sum(not each.why for each in found)
            yield (
                f"{taken} of {len(found)} record(s) in damaged regions were taken, {len(found) - taken} were "
                f"withheld; {_DOUBT}"
            )

    def steps(self) -> Sequence[str]:
        """Return the steps to put the new store in place."""
        out = [
            "Stop the broker, and move its KahaDB directory away with all that is in it: no db.data, db.redo "
            "or db.free may be left.",
            "Put this directory in its place: ActiveMQ makes a new index when it starts.",
        ]
        if self._version != OPENWIRE:
            out.append(
                f"ActiveMQ 5.12 and later: set storeOpenWireVersion={self._version} on the broker element: "
                "messages are in that version, and without an index the broker takes 11 for granted."
            )
        store = self._passed.store
        if any(here.subscriptions for here in store.destinations.values()) or self._survivors.needed:
            out.append(
                "Do not start ActiveMQ 5.9.0 to 5.12.0 on it first: without an index these ignore durable "
                "subscriptions. 5.8 and earlier, 5.12.1 and later do not."
            )
        if AUDIT in self._passed.last:
            # A missing audit is not a loss. A start reads the audit to which an index refers. Without an
            # index, the start makes an audit from the messages.
            out.append(
                "ActiveMQ makes its audit of producers anew, of the messages that are here: a message that "
                "was consumed before is not recognised if a client sends it again after a failover."
            )
        if next(self._survivors.out_of_order(), None) is not None:
            out.append(
                "A durable subscription that acknowledged messages out of order may get some of them again. "
                "Let the other subscriptions of its topic receive first: ActiveMQ 5.15.4 and earlier take "
                "from these what it acknowledges once more, 5.15.8 and later do not."
            )
        if any(tx[:2] == ("XA", 61616) for tx in store.prepared):
            out.append(
                "It is one store of a MultiKahaDB: put it back together with the others and with txStore, "
                "which has the outcome of its branches."
            )
        return out

    def files(self) -> Iterator[NewFile]:
        """Yield the data files, to be read in order."""
        return data_files(self._survivors.records(), self._edition)

    def _item(self, name: Name, ident: str, place: int, code: str, text: str) -> LossItem:
        records = self._passed.places
        file, off = records.where(place)
        try:
            length: int | None = records.length(place)
        except Changed:
            length = None
        return LossItem("message", code, text, ident, name[1], file, off, length)


def _item_of(record: Offered, code: str, text: str) -> LossItem:
    what = "message" if record.command in ("ADD_MESSAGE", "UPDATE_MESSAGE") else "record"
    return LossItem(what, code, text, record.id, record.queue, record.file, record.off, record.length)


def _int(value: object) -> int | None:
    return value if isinstance(value, int) else None


def new_store(answer: Answer, choices: StoreChoices) -> KahaNewStore | BareStore:
    """Return the new store of a recovered journal; raises ChoiceRefused and CannotRebuild."""
    if not DIALECTS[answer.journal.edition].bare:
        return KahaNewStore(answer, choices)
    if choices != StoreChoices():
        raise ChoiceRefused("the records of this edition have no ids or queues to choose by")
    return BareStore(answer)
