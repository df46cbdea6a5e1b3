"""Write down what a run of `journalspec corpus judge` found.

    python tools/record_findings.py HARNESS DIR [NAME]

This reads what the run left in DIR (`--out DIR`) and writes the file of findings NAME, and its
cases; a run without a NAME is named as the harness. Every kind of failure must be explained
by a cause; otherwise nothing is written, and the kinds are named.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from toml_text import toml_value

from journalspec.files import replace_bytes, replace_text
from journalspec_conformance.crashes import findings
from journalspec_conformance.crashes.findings import REACHABLE, causes_of
from journalspec_conformance.crashes.tally import SHRUNK, SUMMARY
from journalspec_conformance.crashes.verdicts import MEMBERS
from journalspec_corpus.crash import oracle

FOLDER = Path(findings.__file__).parent / "findings"
_HEAD = """# SPDX-License-Identifier: CC0-1.0
# Written by `python tools/record_findings.py`, from a run; not edited.
"""
_EXAMPLE = ("workload", "preset", "crash_index", "mask", "tear")
#: verdict -> what is said of the records that are missing or wrong
_WORDS = {
    "lost": "It gave {came}; {missing} had been acknowledged.",
    "append-lost": "It gave {came}; {missing} had been acknowledged after the first crash.",
    "non-idempotent": "It gave {came}; a recovery before had still found {missing}.",
    "resurrected": "It gave {came}; {wrong} is of an earlier life of the file.",
    "torn-accepted": "It gave {came}, and {wrong}, which nobody wrote.",
    "hole": "It gave {came}, with a record missing in between.",
    "silent": "It gave {came} and said nothing of what was damaged; nothing acknowledged is missing.",
    "refused": "It refused ({refused}) files in which nothing is damaged.",
    **dict.fromkeys(oracle.ORDER, "It gave {came}; {effect}."),
    "hang": "It had not answered after {timeout:g} seconds.",
    "crash": "It ended instead of answering, twice.",
}


def sentence(verdict: str, answer: Mapping[str, Any], timeout: float) -> str:
    """Return in words how an answer and what was owed part; a question had `timeout` seconds."""
    parts = {name: _listed(answer.get(name, ())) for name in ("came", "missing", "wrong")}
    return _WORDS.get(verdict, "It gave no proper answer.").format(
        **parts,
        timeout=timeout,
        effect=answer.get("effect", "the state is another"),
        refused=str(answer.get("refused", "")).replace("exception:", ""),
    )


def _listed(names: Iterable[str]) -> str:
    shown = [name if len(name) <= 40 else name[:37] + "..." for name in names]
    return ", ".join(shown) or "nothing"


def judgement_text(harness: str, summary: Mapping[str, Any]) -> str:
    """Return a run over a harness as findings; raises LookupError that names kinds without a cause."""
    run = {
        "harness": harness,
        "product": f"{summary['impl']['name']} {summary['impl'].get('version', '')}".strip(),
        "format": summary["format"],
        "tier": summary["plan"]["tier"],
        "seed": summary["plan"]["seed"],
        "engine": summary["plan"]["engine"],
        "editions": summary["editions"],
        "writers": summary["writers"],
        "policies": summary["policies"],
        "timeout": summary["timeout"],
        "count": summary["states"] + summary["not_asked"],
        **{
            name: summary[name]
            for name in ("states", "answers", "distinct", "classes", "traces", "not_asked", "left_out")
        },
    }
    lines = [_HEAD, "[run]", *(f"{name} = {toml_value(value)}" for name, value in run.items())]
    for stratum, policies in sorted(summary["verdicts"].items(), key=lambda entry: entry[0] != REACHABLE):
        for policy, counts in policies.items():
            place = f"verdicts.{policy}" if stratum == REACHABLE else f"strata.{stratum}.{policy}"
            lines += ["", f"[{place}]", *(f"{name} = {count}" for name, count in counts.items())]
    shrunk = {entry["kind"]: entry for entry in summary["shrunk"]}
    unexplained = []
    for failure in summary["failures"]:
        first = failure["representative"]
        members = tuple(first[name] for name in MEMBERS)
        explained = causes_of(summary["format"], members, harness)
        if not explained:
            unexplained.append(failure["kind"])
        small = shrunk.get(failure["kind"])
        example = {name: (small or first)[name] for name in _EXAMPLE}
        said = sentence(first["verdict"], (small or first)["answer"], summary["timeout"])
        if small is not None:
            more = ("case", "records", "deviations", "minimal", "answer_digest")
            example |= {name: small[name] for name in more}
        lines += [
            "",
            "[[finding]]",
            *(f"{name} = {toml_value(value)}" for name, value in zip(MEMBERS, members, strict=True)),
            f"breaks = {toml_value(failure['breaks'])}",
            f"states = {sum(failure['states'].values())}",
            f"strongest_preset = {toml_value(failure['strongest_preset'])}",
            f"causes = {toml_value([cause.id for cause in explained])}",
            f"why = {toml_value('; '.join(cause.title for cause in explained))}",
            f"said = {toml_value(said)}",
            f"example = {toml_value(example)}",
        ]
    if unexplained:
        raise LookupError(f"no cause explains {', '.join(unexplained)}")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write the findings of one run; 1 if something is unexplained, 2 on wrong usage."""
    if len(arguments) not in (2, 3) or not Path(arguments[1], SUMMARY).is_file():
        print(f"usage: {Path(__file__).name} HARNESS DIR [NAME] (with {SUMMARY} in DIR)", file=sys.stderr)
        return 2
    harness, out, name = arguments[0], Path(arguments[1]), arguments[-1] if arguments[2:] else arguments[0]
    try:
        text = judgement_text(harness, json.loads((out / SUMMARY).read_text(encoding="utf-8")))
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 1
    replace_text(FOLDER / f"{name}.toml", text)
    if (out / SHRUNK).is_file():
        replace_bytes(FOLDER / f"{name}.jsonl.gz", gzip.compress((out / SHRUNK).read_bytes(), mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
