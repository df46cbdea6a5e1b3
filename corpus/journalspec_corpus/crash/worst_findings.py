"""What products answered in the worst cases: one entry for each case, product and policy, as it was run.

A format's ``worst_findings.toml`` is written by ``python -m journalspec_conformance.worst``
and by nothing else. :func:`text_of` says one finding in a sentence.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from journalspec.formats import UnknownFormat, format_module, get_format
from journalspec_corpus.crash.judge import VERDICTS
from journalspec_corpus.crash.room import PACKAGE

FILE = "worst_findings.toml"
#: verdict -> what a product does that gets it; those of products that do not answer are among them.
_WORDS = {
    "pass": "gives what is owed",
    "acceptable": "refuses the journal, which it may",
    "refused": "refuses a journal in which nothing is damaged",
    "lost": "loses what was acknowledged",
    "torn-accepted": "hands out what nobody wrote",
    "resurrected": "brings back what the file held in its earlier life",
    "hole": "leaves out a record between two that it gives",
    "silent": "does not report the damage",
    "append-lost": "loses what was acknowledged after the first crash",
    "non-idempotent": "loses on the second start what it had on the first",
    "hang": "does not answer in time",
    "crash": "ends instead of answering",
    "error": "fails",
}
_HEAD = """\
# SPDX-License-Identifier: CC0-1.0
# What products made of the worst cases when run; written by `python -m journalspec_conformance.worst`.
# `wrong` is what came and should not have, `missing` what is owed and did not come: names of the trace's
# records, and the beginnings of records that nobody wrote.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one version of a product made of one case under one policy.

    `product` is the name of its harness, `called` its own. `refused` is the code
    of a refusal, empty if there was none.
    """

    case: str
    product: str
    called: str
    version: str
    policy: str
    verdict: str
    refused: str = ""
    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def breaks(self) -> tuple[str, ...]:
        """The invariants that are broken."""
        return VERDICTS.get(self.verdict, ("I7",) if self.verdict in ("hang", "crash") else ())

    def lines(self) -> list[str]:
        """Return the entry as lines of TOML; members without content are left out."""
        texts = ("case", "product", "called", "version", "policy", "verdict", "refused")
        out = ["[[finding]]"]
        out += [f"{name} = {_quoted(getattr(self, name))}" for name in texts if getattr(self, name)]
        for name in ("wrong", "missing"):
            if getattr(self, name):
                out.append(f"{name} = [{', '.join(map(_quoted, getattr(self, name)))}]")
        return out


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@cache
def findings(format_id: str) -> tuple[Finding, ...]:
    """Return the findings of `format_id` in the order of its file; none if it has no such file."""
    try:
        path = files(format_module(PACKAGE, format_id)).joinpath(FILE)
    except UnknownFormat:
        get_format(format_id)
        return ()
    if not path.is_file():
        return ()
    return tuple(
        Finding(
            **{**entry, "wrong": tuple(entry.get("wrong", ())), "missing": tuple(entry.get("missing", ()))}
        )
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("finding", ())
    )


def rendered(found: Iterable[Finding]) -> str:
    """Return the text of a file with `found` in it."""
    return _HEAD + "".join("\n" + "\n".join(finding.lines()) + "\n" for finding in found)


def text_of(finding: Finding) -> str:
    """Return a finding as one sentence for people."""
    words = _WORDS.get(finding.verdict, finding.verdict)
    broken = f" ({', '.join(finding.breaks)})" if finding.breaks else ""
    detail = ""
    if finding.refused:
        detail = f": {finding.refused}"
    elif finding.wrong:
        detail = f": {', '.join(finding.wrong)}"
    elif finding.missing:
        detail = f": {', '.join(finding.missing)}"
    return f"{finding.called} {finding.version}, {finding.policy}: {words}{broken}{detail}."
