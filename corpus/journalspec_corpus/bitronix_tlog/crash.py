"""What the disk journal gives to the crash engine."""

from __future__ import annotations

from typing import Any

from journalspec.observation import CLEAN, REFUSED, Observation
from journalspec_corpus.bitronix_tlog import workloads as tables
from journalspec_corpus.bitronix_tlog.recording import FORMAT, LongRun, build, resumed
from journalspec_corpus.crash.adapter import (
    CrashFormat,
    LongWorkloads,
    Signatures,
    StateReader,
    long_workloads,
    refuses,
)
from journalspec_corpus.crash.second_crash import Excuse, SecondLives
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.crash.workloads import Continuations, from_table, recorded
from journalspec_reference.bitronix_tlog.codec import STATUS_CODES

#: The fields of a key, in its order, as observations name them.
_KEY_FIELDS = ("status", "time", "sequence_number", "crc32", "gtrid", "names")


def answer(observation: Observation) -> Answer:
    """Return what an observation amounts to."""
    if observation.verdict == REFUSED:
        return Answer((), observation.code)
    keys = []
    for record in observation.records:
        fields: dict[str, Any] = {"status": STATUS_CODES.get(record.type), **record.fields}
        gtrid, names = fields["gtrid"], [str(name) for name in fields["names"]]
        fields |= {"gtrid": gtrid.hex() if isinstance(gtrid, bytes) else gtrid, "names": ",".join(names)}
        keys.append(":".join(str(fields[name]) for name in _KEY_FIELDS))
    return Answer(tuple(keys), None, observation.verdict != CLEAN)


def record_json(keys: list[str]) -> dict[str, Any]:
    """Return the fields of an observed record that all `keys` agree on (a re-created copy has its own)."""
    columns = zip(*(text.split(":", 5) for text in keys), strict=True)
    out: dict[str, Any] = {
        name: values[0] for name, values in zip(_KEY_FIELDS, columns, strict=True) if len(set(values)) == 1
    }
    if "names" in out:
        out["names"] = out["names"].split(",") if out["names"] else []
    return out


def _kernel() -> Signatures:
    from journalspec_corpus.bitronix_tlog.kernel import signatures  # noqa: PLC0415  # Numba is optional

    return signatures


#: Two policies of the reference, and one mutant of strict recovery that takes well-formed records without
#: looking at their checksum.
READERS = (
    StateReader("strict", "strict"),
    StateReader("salvage", "salvage", salvaging=True, differs=refuses),
    StateReader("skip-checksum", differs=lambda first: first.refused == "bad-checksum"),
)
LONG = long_workloads(__package__)
CONTINUATIONS = Continuations(
    begin=resumed,
    then=tables.THEN,
    firsts=tables.firsts,
    choices=lambda first, scope: tables.CHOICES[scope],
    after_long=tables.AFTER_LONG,
    long=LONG,
)

CRASH = CrashFormat(
    format=FORMAT,
    first_lives=tables.workloads,
    record=build,
    workload_of=from_table(tables.Workload, tables.Step),
    kinds={"create": "create", "swap": "rotate"},
    state_readers=READERS,
    answer=answer,
    record_json=record_json,
    obeys={
        "": ("BTM-RDR-002", "BTM-RCV-004", "BTM-RCV-005", "BTM-RCV-008"),
        "clean": ("BTM-RDR-001", "BTM-RCV-002", "BTM-RCV-004"),
        "prefix-torn": ("BTM-RDR-002", "BTM-RDR-004", "BTM-RCV-005"),
        "pointer-ahead": ("BTM-RDR-004", "BTM-RDR-006", "BTM-RCV-005"),
        "pointer-behind": ("BTM-RDR-002", "BTM-RDR-014"),
        "rotate": ("BTM-RCV-002", "BTM-RCV-004", "BTM-SWP-008"),
        "create": ("BTM-FIL-014", "BTM-RCV-001"),
    },
    long=LongWorkloads(LONG, recorded(LongRun), tables.REDUCTION.shorter),
    second=SecondLives(
        lives=CONTINUATIONS.lives,
        live=CONTINUATIONS.live,
        begin=CONTINUATIONS.begin,
        plain=tables.REDUCTION.lives,
        # A released record was left behind by a swap. Nothing leads a reader to it any more.
        released_is_gone=True,
        excuses=(
            Excuse(
                "I11",
                "refused",
                "the products move the tail in the epoch of the records below it: where it arrives without"
                " them strict recovery refuses, where it does not either nothing is missed",
                readers=("strict",),
                writers=("2.1.4", "3.0"),
            ),
            Excuse(
                "I11",
                "fewer",
                "the products write a swap's timestamp in the epoch of what it makes count: where it arrives"
                " alone it elects a file without the records, and hides the one that has them",
                writers=("2.1.4", "3.0"),
            ),
        ),
    ),
    smaller=tables.REDUCTION.smaller,
    kernel=_kernel,
)
