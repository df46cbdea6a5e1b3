"""The state of a scheduler.

The journal of a scheduler contains special commands, and is usually next to another journal.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from journalspec_reference.kahadb_journal.recover import JournalPass


class _Timetable:
    """Represents the jobs of one scheduler by id. Their times are sorted when they are first needed."""

    def __init__(self) -> None:
        self.jobs: dict[str, dict[str, Any]] = {}
        self._times: list[tuple[int, str]] | None = None

    def put(self, job: str, fields: dict[str, Any]) -> None:
        self.remove(job)
        self.jobs[job] = fields
        if self._times is not None:
            insort(self._times, (fields["next_execution_time"], job))

    def remove(self, job: str) -> None:
        gone = self.jobs.pop(job, None)
        if gone is not None and self._times is not None:
            del self._times[bisect_left(self._times, (gone["next_execution_time"], job))]

    def remove_between(self, start: int, end: int) -> None:
        """Remove the jobs whose next time is from `start` to `end`."""
        times = self.in_order()
        first, after = bisect_left(times, (start, "")), bisect_left(times, (end + 1, ""))
        for _, job in times[first:after]:
            del self.jobs[job]
        del times[first : max(first, after)]

    def in_order(self) -> list[tuple[int, str]]:
        """Return time and id of each job, earliest first."""
        if self._times is None:
            self._times = sorted((fields["next_execution_time"], job) for job, fields in self.jobs.items())
        return self._times


def jobs(passed: JournalPass) -> list[Mapping[str, Any]]:
    """Return the jobs that exist after all commands of a journal, ordered by scheduler and next time.

    Each job contains the fields of its ADD_SCHEDULED_JOB record except for the message, and the `place` of
    this record. A rescheduled job contains the count and the next time of its last RESCHEDULE_JOB.
    """
    found: defaultdict[str, _Timetable] = defaultdict(_Timetable)
    for place, name, fields in passed.commands():
        scheduler, job = fields.get("scheduler", ""), fields.get("job_id", "")
        after, here = fields.get("next_execution_time", 0), found[scheduler]
        if name == "ADD_SCHEDULED_JOB":
            kept = {field: value for field, value in fields.items() if field != "job"}
            here.put(job, {**kept, "place": place, "next_execution_time": after})
        elif name == "RESCHEDULE_JOB" and job in here.jobs:
            count = fields.get("rescheduled_count", 0)
            here.put(job, here.jobs[job] | {"next_execution_time": after, "rescheduled_count": count})
        elif name == "REMOVE_SCHEDULED_JOB":
            here.remove(job)
        elif name == "REMOVE_SCHEDULED_JOBS":
            here.remove_between(fields.get("start_time", 0), fields.get("end_time", 0))
        elif name == "DESTROY_SCHEDULER":
            del found[scheduler]
    return [
        found[scheduler].jobs[job] for scheduler in sorted(found) for _, job in found[scheduler].in_order()
    ]


def early(passed: JournalPass) -> bool:
    """Return whether records are bare messages.

    In such a record, the size before the message reads as a TRACE without text.
    """
    kinds = {(name, "text" in fields) for _, name, fields in passed.commands()}
    # If the journal has other commands, a TRACE is a note of the broker, not a bare message.
    return ("TRACE", False) in kinds and {name for name, _ in kinds} == {"TRACE"}
