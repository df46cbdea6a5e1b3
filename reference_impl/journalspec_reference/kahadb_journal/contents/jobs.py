"""The state of a scheduler: its journal has commands of its own, and is most often beside another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from journalspec_reference.filesets import FilesetError, find_journals, load
from journalspec_reference.kahadb_journal.codec import DIALECTS, FORMAT
from journalspec_reference.kahadb_journal.recover import JournalPass

_DIRECTORY = "scheduler"
#: So many names of a directory are looked at.
_MOST = 1000


def jobs(passed: JournalPass) -> list[Mapping[str, Any]]:
    """Return the jobs that the commands of a scheduler's journal leave, by scheduler and next time.

    Each has the fields of its ADD_SCHEDULED_JOB but the message, and the `place` of that record; one that was
    scheduled again has the `rescheduled_count` and the time of that.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for place, name, fields in passed.commands():
        scheduler = fields.get("scheduler", "")
        key = scheduler, fields.get("job_id", "")
        after = fields.get("next_execution_time", 0)
        if name == "ADD_SCHEDULED_JOB":
            kept = {field: value for field, value in fields.items() if field != "job"}
            found[key] = {**kept, "place": place, "next_execution_time": after}
        elif name == "RESCHEDULE_JOB" and key in found:
            count = fields.get("rescheduled_count", 0)
            found[key] |= {"next_execution_time": after, "rescheduled_count": count}
        elif name == "REMOVE_SCHEDULED_JOB":
            found.pop(key, None)
        elif name in ("REMOVE_SCHEDULED_JOBS", "DESTROY_SCHEDULER"):
            start, end = fields.get("start_time", 0), fields.get("end_time", 0)
            for other in [at for at in found if at[0] == scheduler]:
                time = found[other]["next_execution_time"]
                if name == "DESTROY_SCHEDULER" or start <= time <= end:
                    del found[other]
    return [
        found[key] for key in sorted(found, key=lambda key: (key[0], found[key]["next_execution_time"], key))
    ]


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
