"""``journalspec smoke``: does the harness work at all?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from journalspec.files import shown
from journalspec_conformance.cli import _options
from journalspec_conformance.cli._tables import say, show_table
from journalspec_conformance.connection import Hello
from journalspec_conformance.engine import Engine
from journalspec_conformance.errors import Problem
from journalspec_conformance.running import RunRequest, prepare
from journalspec_corpus import Probe

#: Undamaged journals asked about per format, edition and operation: enough to see that a harness speaks.
PER_KIND = 2


@click.command(
    "smoke",
    epilog=_options.EXIT_STATUS + " A failure here is most likely the harness's, not the implementation's.",
)
@_options.implementation()
def command(**options: Any) -> None:
    """Ask IMPL a handful of easy questions about undamaged journals, checking every message."""
    prepared = prepare(RunRequest(**options, validate=True, expect="none"))
    engine = prepared.open()
    try:
        _introduce(engine.hello)
        probes = list(_easy(engine, prepared.probes))
        if not probes:
            raise Problem(
                f"{engine.hello.name} declares nothing that the corpus has questions about",
                "Look at `formats` in its answer to hello; `journalspec formats` shows what there is.",
            )
        results = [engine.run(probe) for probe in probes]
    finally:
        engine.close()
    show_table(
        ["probe", "class", "what"],
        [
            [r.probe, r.result_class, " ".join(part for part in (r.fingerprint, r.reason) if part)]
            for r in results
        ],
    )
    red = [result for result in results if result.red]
    for result in red:
        if result.stderr:
            say(f"standard error at {result.probe}:", err=True)
            for line in result.stderr.strip()[-2000:].splitlines():
                say(shown(line), err=True)
    if red:
        say(f"{len(red)} of {len(results)} easy questions failed: look at the harness first")
        raise click.exceptions.Exit(1)
    say(f"ready: journalspec run --impl {prepared.setup.target.text!r}")


def _introduce(hello: Hello) -> None:
    rows = [
        [
            name,
            " ".join(sorted(claims.editions)),
            " ".join(sorted(claims.ops)),
            claims.observe.name.lower(),
            " ".join(sorted(claims.policies)),
            " ".join(sorted(claims.features)),
        ]
        for name, claims in sorted(hello.formats.items())
    ]
    show_table(["format", "editions", "operations", "level", "policies", "features"], rows, hello.name)
    say()


def _easy(engine: Engine, probes: Sequence[Probe]) -> Iterator[Probe]:
    """Yield the first probes of undamaged journals that the implementation declares to answer."""
    seen: dict[tuple[str, str, str], int] = {}
    for probe in probes:
        kind = (probe.case.format, probe.case.edition, probe.op)
        clean = all(entry.get("verdict") == "clean" for entry in probe.expect) and len(probe.expect) == 1
        if clean and seen.get(kind, 0) < PER_KIND and engine.unsupported(probe) is None:
            seen[kind] = seen.get(kind, 0) + 1
            yield probe
