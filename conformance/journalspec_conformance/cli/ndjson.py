"""``--ndjson``: writes journals as lines of JSON, each an object with one key, while they are read.

For each journal, the first line is its identity (``journal``). The records follow (``record``), and then the
other parts of the answer (``answer``). The last line lists the omitted files (``left_out``), if there are
any. If a journal is refused, its lines may contain the records before the place of the refusal; the line
``answer`` has the refusal.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from json.encoder import encode_basestring_ascii as quoted

from journalspec import jsontext
from journalspec.files import shown
from journalspec.formats import get_format
from journalspec.observation import RECOVERED, Level, Observation, Record
from journalspec_conformance.cli import journal_view as view
from journalspec_conformance.cli.contents import json_text
from journalspec_conformance.cli.places import Stores, UsageProblem
from journalspec_conformance.cli.redaction import Redactor
from journalspec_reference.answers import settled, stretches
from journalspec_reference.batches import ReadingRefused
from journalspec_reference.filesets import Journal

#: Members of an answer that have their own lines.
OTHERWISE = ("records", "left_out")


def write_journals(found: Stores, command: str, level: Level, policy: str | None = None) -> None:
    """Write the journals that were found; ends the command with the exit status of the worst verdict.

    Without a `policy`, the journals are only read, and records are written while the rest is still unread.
    Raises UsageProblem if the rest of the files proves another edition than the one under which the written
    records were read.
    """
    with view.unchanging(found.journals), view.reading(found.size) as bar:
        if sys.stdout.isatty():
            bar()
        raise SystemExit(_written(found, command, level, policy))


def _written(found: Stores, command: str, level: Level, policy: str | None) -> int:
    more = {} if policy is None else {"policy": policy}
    at_once = policy is None and level >= Level.RECORDS
    status = view.STATUSES[RECOVERED] if found.unlisted else 0
    given: list[view.Part] = []
    for place in found.places:
        for journal in place.journals:
            known = {"edition": journal.edition, "editions": list(journal.editions)}
            path = place.asked.called(place.asked.paths[0])
            head = {"version": view.VERSION, "format": journal.format, **known, "path": path}
            write_line({"journal": {**head, "files": list(journal.files)}})
            sys.stdout.flush()
            told = journal
            if at_once:
                told = settled(journal)
                _records(map(Redactor(told, place.asked.redact).record, _as_read(told)))
            answer = view.answer_of(place.asked, command, journal, policy)
            wanted = answer.journal.edition
            if at_once and _reader(answer.journal) != _reader(told):
                raise UsageProblem(
                    f"the records of {shown(str(place.asked))} were given as edition {told.edition},"
                    f" and the files are of {wanted}",
                    f"ask again with --edition {wanted}",
                )
            part = view.Part(place, answer)
            if not at_once and level >= Level.RECORDS:
                _records(part.seen.records)
            whole = view.document([part], (), lambda part: {**part.seen.members(level), **more})
            write_line({"answer": {name: value for name, value in whole.items() if name not in OTHERWISE}})
            status = max(status, view.STATUSES[answer.observation.verdict])
            # `left_out` needs the list of all journals, but only the verdict of each journal.
            given.append(
                view.Part(place, replace(answer, observation=Observation(answer.observation.verdict)))
            )
    if left := view.left_json(view.left_out(given, found.unlisted)):
        write_line({"left_out": left})
    return status


def _reader(journal: Journal) -> str:
    """Return the edition by whose rules a journal is read."""
    return get_format(journal.format).editions[journal.edition].reads_as or journal.edition


def _as_read(journal: Journal) -> Iterator[Record]:
    """Yield the records of a journal while it is scanned, up to the offset where it is refused."""
    with suppress(ReadingRefused):
        yield from (
            record for part in stretches(journal) for batch in part.scan() for record in part.tell(batch)
        )


def _records(records: Iterable[Record]) -> None:
    # Standard output collects short lines itself.
    sys.stdout.writelines(map(line_of, records))


def line_of(record: Record) -> str:
    """Return the line of a record: the JSON of its members, joined without building objects first."""
    at = record.at
    place = f'{{"file":{quoted(at.file)},"off":"{at.off}","len":"{at.length}"}}'
    fields = "".join([f"{quoted(name)}:{json_text(value)}," for name, value in record.fields.items()])
    return f'{{"record":{{"type":{quoted(record.type)},{fields}"at":{place}}}}}\n'


def write_line(value: Mapping[str, object]) -> None:
    """Write a value, which may be large, as one line."""
    for piece in jsontext.pieces(value, ""):
        sys.stdout.write(piece)
    sys.stdout.write("\n")
