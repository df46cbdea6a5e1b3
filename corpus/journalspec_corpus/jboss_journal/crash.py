"""What the JBoss journal gives to the crash engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from journalspec_corpus.crash.adapter import CrashFormat, Kernel, LongWorkloads, StateReader, long_workloads
from journalspec_corpus.crash.second_crash import SecondLives
from journalspec_corpus.jboss_journal import crash_reader, long, resume, shrinking
from journalspec_corpus.jboss_journal.traces import FORMAT, Step, Workload, build, workloads


def _workload_of(members: Mapping[str, Any]) -> Workload:
    """Return a workload by its members, its steps by theirs in order."""
    steps = tuple(Step(*step) for step in members.get("steps", ()))
    return Workload(**{**members, "steps": steps})


def _kernel() -> Kernel:
    from journalspec_corpus.jboss_journal import kernel  # noqa: PLC0415  # needs a compiler

    return Kernel(crash_reader.read, kernel.signatures, kernel.PATIENCE)


#: The readers that answer, in order: two policies of the reference, and one mutant of
#: strict recovery that takes a COMMIT or PREPARE with one count for healthy, whatever it counts.
#: All may leave records out: a torn region is stepped over and reported, that is the format's way.
READERS = (
    StateReader("strict", "strict", salvaging=True),
    StateReader("salvage", "salvage", salvaging=True),
    StateReader("counts-not-compared", salvaging=True),
)

CRASH = CrashFormat(
    format=FORMAT,
    first_lives=workloads,
    record=build,
    state_readers=READERS,
    obeys=crash_reader.OBEYS,
    read=crash_reader.read,
    answer=crash_reader.answer,
    record_json=crash_reader.record_json,
    kinds={"create": "create", "compact": "compact", "reopen": "recovery-crash"},
    workload_of=_workload_of,
    smaller=shrinking.smaller,
    second=SecondLives(
        lives=resume.second_lives,
        live=resume.live,
        begin=resume.begin,
        plain=shrinking.PLAIN_LIVES,
        released_is_gone=resume.RELEASED_IS_GONE,
        beside=resume.BESIDE,
        excuses=resume.EXCUSES,
    ),
    long=LongWorkloads(long_workloads(__package__, long.LINES), long.build, shrinking.shorter),
    kernel=_kernel,
)
