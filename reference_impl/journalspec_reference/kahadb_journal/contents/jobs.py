"""The state of a scheduler: its journal has commands of its own, and is most often beside another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from journalspec_reference.filesets import FilesetError, find_journals, load
from journalspec_reference.kahadb_journal.codec import DIALECTS, FORMAT
from journalspec_reference.kahadb_journal.recover import JournalPass

_DIRECTORY = "scheduler"
#: So many names of a directory are looked at.
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Job:
    """One message that is sent at a time, or again and again: the place of its record, times in ms."""

    scheduler: str
    ident: str
    place: int
    start: int
    next: int
    cron: str
    delay: int
    period: int
    repeat: int
    #: how often it was done already
    count: int = 0


def jobs(passed: JournalPass) -> list[Job]:
    """Return the jobs that the commands of a scheduler's journal leave, by scheduler and next time."""
    found: dict[tuple[str, str], Job] = {}
    for place, name, fields in passed.commands():
        scheduler = fields.get("scheduler", "")
        key = scheduler, fields.get("job_id", "")
        if name == "ADD_SCHEDULED_JOB":
            found[key] = _job(place, *key, fields)
        elif name == "RESCHEDULE_JOB" and key in found:
            count = fields.get("rescheduled_count", 0)
            found[key] = replace(found[key], next=fields.get("next_execution_time", 0), count=count)
        elif name == "REMOVE_SCHEDULED_JOB":
            found.pop(key, None)
        elif name == "REMOVE_SCHEDULED_JOBS":
            start, end = fields.get("start_time", 0), fields.get("end_time", 0)
            for other in [at for at, job in found.items() if at[0] == scheduler and start <= job.next <= end]:
                del found[other]
        elif name == "DESTROY_SCHEDULER":
            for other in [at for at in found if at[0] == scheduler]:
                del found[other]
    return sorted(found.values(), key=lambda job: (job.scheduler, job.next, job.ident))


def _job(place: int, scheduler: str, ident: str, fields: Mapping[str, Any]) -> Job:
    def number(name: str) -> int:
        return int(fields.get(name, 0))

    start, after = number("start_time"), number("next_execution_time")
    cron, rest = fields.get("cron_entry", ""), (number("delay"), number("period"), number("repeat"))
    return Job(scheduler, ident, place, start, after, cron, *rest)


def beside(root: Path | None) -> Iterator[JournalPass]:
    """Yield the journals of schedulers beside the directory of a journal; links are not followed."""
    if root is None:
        return
    above = root.absolute().parent
    names: list[Path] = []
    with suppress(OSError):
        names = sorted(each for each in islice(above.iterdir(), _MOST) if not each.is_symlink())
    for directory in (above, *names):
        yield from opened(directory / _DIRECTORY)


def opened(directory: Path) -> Iterator[JournalPass]:
    """Yield what a directory beside a journal gives, if it is one and holds a journal."""
    if directory.is_symlink() or not directory.is_dir():
        return
    with suppress(FilesetError):
        for journal in find_journals(load(directory), FORMAT):
            yield JournalPass(journal.seen, DIALECTS[journal.edition], "salvage")
