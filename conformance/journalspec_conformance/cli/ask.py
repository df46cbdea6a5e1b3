"""``journalspec ask``: shows one case, the request, the expected answer and the answer of the implementation.

This module also writes the files of `run --keep`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from journalspec.files import making
from journalspec_conformance.cli import _options
from journalspec_conformance.cli._tables import say, say_all, there_already
from journalspec_conformance.compare import Claims, closest
from journalspec_conformance.errors import Problem
from journalspec_conformance.explain import difference_lines, dump_lines, stderr_lines
from journalspec_conformance.result import Result, carried
from journalspec_conformance.running import RunRequest, setup_of
from journalspec_conformance.selection import find
from journalspec_conformance.wording import beside, spelled
from journalspec_corpus import Probe

Message = Mapping[str, Any]


@click.command("ask", epilog=_options.EXIT_STATUS)
@click.argument("case_id", metavar="CASE")
@_options.implementation()
@_options.level()
@click.option("--cases", multiple=True, type=_options.FILE, metavar="FILE", help="Search for CASE in FILE.")
@click.option("--validate", is_flag=True, help="Check every message against the protocol's schemas.")
@click.option(
    "--keep",
    type=_options.FILE,
    metavar="DIR",
    help="The directory for the journal, requests and answers. Default: a new directory for temporary files.",
)
def ask_command(case_id: str, cases: tuple[Path, ...], keep: Path | None, **options: Any) -> None:
    """Ask IMPL about CASE, and show the request, the expected answer and the answer of IMPL.

    CASE is the id of a case or probe, also of a random journal. The journal, the requests and the answers are
    stored in a directory, so that you can repeat a question by hand.
    """
    case = find(case_id.partition("/")[0], cases)
    probes = [probe for probe in case.probes if case_id in (case.id, probe.id)]
    if not probes:
        raise Problem(
            f"{case.id} has no question {case_id!r}",
            "It has: " + ", ".join(probe.id for probe in case.probes),
        )
    request = RunRequest(**options, expect="none")
    place = keep or Path(tempfile.mkdtemp(prefix="journalspec-ask-"))
    red = False
    with closing(setup_of(request).open()) as engine:
        for probe in probes:
            result = engine.run(probe)
            red |= result.red
            folder = keep_probe(place, probe, result, engine.exchanges)
            say(" ".join(part for part in (f"{result.result_class}:", probe.id, result.fingerprint) if part))
            if result.reason:
                say(f"  {result.reason}")
            for asked, reply in engine.exchanges:
                say(f"request: {json.dumps(carried(_about(asked, folder / 'journal')))}")
                if "ok" not in reply:
                    say(f"reply: {spelled(carried(reply), 2000)}")
            answers = [reply["ok"] for _, reply in engine.exchanges if "ok" in reply]
            if answers and probe.op != "write":
                nearest, _ = closest(probe.expect, answers[0], Claims())
                say_all(beside(probe.expect[nearest], carried(answers[0])))
            say_all((*difference_lines(result), *dump_lines(result, case), *stderr_lines(result.stderr)))
            say(f"kept: {folder}")
            say()
    raise click.exceptions.Exit(int(red))


def keep_probe(
    directory: Path, probe: Probe, result: Result, exchanges: list[tuple[Any, Any]] | None = None
) -> Path:
    """Keep the journal, the question, and the expected and actual answer in a new directory below
    `directory`. Return the new directory.
    """
    folder = directory / probe.id.replace("/", ".")
    try:
        with making(folder) as made:
            probe.case.materialize(made / "journal")
            _write(made / "expected.json", [dict(entry) for entry in probe.expect])
            if result.answer is not None:
                _write(made / "answer.json", result.answer)
            for number, (asked, reply) in enumerate(exchanges or (), start=1):
                request = _about(asked, (folder / "journal").resolve())
                _write(made / f"request-{number}.json", request)
                _write(made / f"reply-{number}.json", reply)
            _write(made / "result.json", result.to_json())
    except FileExistsError as error:
        raise there_already(error) from None
    return folder


def _about(asked: Message, directory: Path) -> dict[str, Any]:
    """Return a copy of the request `asked` that is about the files in `directory`."""
    return {name: value for name, value in asked.items() if name != "files"} | {"dir": str(directory)}


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(carried(value), indent=1) + "\n", encoding="utf-8")
