"""What this format answers with, and how its logs are distinguished from other files."""

from __future__ import annotations

from contextlib import suppress

from journalspec.derby_log.operations import databases, tables_of_all
from journalspec_reference.api import Detection, Files, Implementation, Params
from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.bodies import EDITIONS
from journalspec_reference.derby_log.codec import BadLog
from journalspec_reference.derby_log.evidence import PROPERTIES
from journalspec_reference.derby_log.recover import FORMAT, SEED, plan, recover
from journalspec_reference.derby_log.scan import CONTROLS, container_names, gather, is_container, one
from journalspec_reference.derby_log.spans import spans


def detect(files: Files, _: Params) -> list[Detection]:
    """Return the control and log files among `files` as one log, by name and by how they begin.

    The containers beside them are of it: recovery starts from their pages.
    """
    logs = gather(files)
    names = [name for name in CONTROLS if name in files] + [file.name for file in logs.values()]
    if not names:
        return []
    beside = tuple(name for name in sorted(files) if is_container(name) or name == PROPERTIES)
    found, hits = [], 0
    for name in filter(files.__contains__, CONTROLS):
        with suppress(BadLog):
            found.append(codec.control(bytes(files[name][: codec.CONTROL + 1])))
    for file in logs.values():
        with suppress(BadLog):
            file.previous()
            hits += 1
    score = 1 + bool(found or hits) + bool(found and hits == len(logs))
    if not found:
        # Checksum records are not of the oldest level.
        firsts = (one(file.source, number, codec.HEADER, summed=True) for number, file in logs.items())
        summed = any(first.more["sums"] for first in firsts)
        admitted = EDITIONS[1:] if summed else EDITIONS
        return [Detection(FORMAT, EDITIONS[-1], tuple(names), score, admitted, neighbours=beside)]
    level = found[0].major, found[0].minor
    own = next((edition for edition, known in databases().items() if level <= known.newest), EDITIONS[-1])
    return [Detection(FORMAT, own, tuple(names), score, neighbours=beside)]


def assumed(files: Files) -> Params:
    """Return that rows are reported of the suite's database alone: pages of its tables are beside its log."""
    # In other databases the containers of these numbers are other tables: they are not flat.
    own = container_names(name for name in files if name.startswith("seg0."))
    return {} if own.keys() & tables_of_all().keys() else {"tables": "none"}


IMPLEMENTATION = Implementation(
    FORMAT,
    __package__,
    dict.fromkeys((SEED, *EDITIONS), "LogWriter"),
    detect,
    recover,
    plan,
    spans,
    assumed,
    lacks=False,
    of_refused=True,
)
