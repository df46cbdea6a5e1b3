"""Writes the findings of a run of `journalspec corpus judge`.

    python tools/record_findings.py HARNESS REPORT BUILD [NAME]

This reads the REPORT of a run over the states of BUILD and asks HARNESS again about the first state of each
kind of failure. It reduces that state, and writes the file of findings NAME (default: the name of the
harness) and its cases. Every kind of failure must be explained by a cause; otherwise nothing is written, and
the unexplained kinds are listed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from product_findings import BREAKS, FOLDER, HARMLESS, MEMBERS, REACHABLE, causes_of
from toml_text import toml_value

from journalspec.files import replace_bytes, replace_text
from journalspec_conformance.crashes.states import CrashCase, answer_of, built, parting
from journalspec_conformance.crashes.story import smallest
from journalspec_conformance.engine import Engine
from journalspec_conformance.report import Report, load_report
from journalspec_conformance.result import CLASSES, Result
from journalspec_conformance.running import RunRequest, setup_of
from journalspec_corpus import Probe
from journalspec_corpus.crash import oracle
from journalspec_corpus.crash.explain import as_case
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import rank, writer_of
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.pipeline.manifest import load

_HEAD = """# SPDX-License-Identifier: CC0-1.0
# Written by `python tools/record_findings.py`, from a run; not edited.
"""
_EXAMPLE = ("workload", "preset", "crash_index", "mask", "tear")
#: Verdict -> the text about the missing or wrong records.
_WORDS = {
    "lost": "It returned {came}. It lost acknowledged records: {missing}.",
    "append-lost": "It returned {came}. It lost {missing} (acknowledged after the first crash).",
    "non-idempotent": "It returned {came}. An earlier recovery still returned {missing}.",
    "resurrected": "It returned {came}. An earlier generation of the file wrote {wrong}.",
    "torn-accepted": "It returned {came}, and {wrong}, which was never written.",
    "hole": "It returned {came}. A record before the last of these is missing.",
    "silent": "It returned {came} and did not report the damage. No acknowledged record is missing.",
    "refused": "It refused ({refused}) files in which nothing is damaged.",
    **dict.fromkeys(oracle.ORDER, "It returned {came}; {effect}."),
    "hang": "It gave no answer within {timeout:g} seconds.",
    "crash": "It ended instead of answering, twice.",
}


def sentence(verdict: str, answer: Mapping[str, Any], timeout: float) -> str:
    """Return in words how an answer differs from the required outcome; `timeout` is the time limit of a
    question in seconds.
    """
    parts = {name: _listed(answer.get(name, ())) for name in ("came", "missing", "wrong")}
    return _WORDS.get(verdict, "It returned no valid answer.").format(
        **parts,
        timeout=timeout,
        effect=answer.get("effect", "the state differs"),
        refused=str(answer.get("refused", "")).replace("exception:", ""),
    )


def _listed(names: Iterable[str]) -> str:
    shown = [name if len(name) <= 40 else name[:37] + "..." for name in names]
    return ", ".join(shown) or "nothing"


def judgement_text(harness: str, summary: Mapping[str, Any]) -> str:
    """Return a run over a harness as findings; raises LookupError that lists kinds without a cause."""
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


def verdict_of(result: Result) -> str:
    """Return the verdict of the crash model for a result."""
    verdict, _, category = result.fingerprint.partition("/")
    if category:
        return verdict
    if result.result_class == "allowed":
        return "acceptable"
    named = {"timeout": "hang", "fail": "non-idempotent"}
    return named.get(result.result_class, result.result_class)


def digest_of(answer: Answer) -> str:
    """Return 16 hex digits that represent an answer; the name of a refusal is ignored."""
    parts = (
        ("refused",)
        if answer.refused is not None
        else (*answer.keys, "", *answer.aside, str(answer.reported))
    )
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def summary_of(report: Report, build: Path, engine: Engine) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return two values: the findings of a run over a build, and the smallest failures of the run as
    cases.
    """
    manifest, options = load(build), report.header["options"]
    judged = [result for result in report.results if CLASSES[result.result_class].judged]
    editions = sorted({result.edition for result in judged})
    format_id = manifest["plan"]["format"]
    cases = {case.id: case for case in built(build, int(options["count"]), {format_id: editions})}
    counts: dict[str, dict[str, Counter[str]]] = {}
    kinds: dict[tuple[str, ...], list[tuple[CrashCase, Result]]] = {}
    for result in judged:
        case, policy, verdict = cases[result.case], result.probe.rpartition(".")[2], verdict_of(result)
        counts.setdefault(case.stratum, {}).setdefault(policy, Counter())[verdict] += 1
        if verdict not in HARMLESS:
            members = (writer_of(case.state.trace), policy, case.stratum, verdict, case.category)
            kinds.setdefault(members, []).append((case, result))
    failures, shrunk, small = [], [], []
    for kind, found in sorted(kinds.items()):
        case, result = min(found, key=_first)
        probe = next(probe for probe in case.probes if probe.id == result.probe)
        name = "/".join((kind[2], kind[3], kind[4], kind[1], kind[0] or "-"))
        engine.forgive()
        seen = engine.run(probe)
        presets = Counter(other.descriptor.preset for other, _ in found)
        ordered = sorted(presets, key=rank)
        first = {**dict(zip(MEMBERS, kind, strict=True)), **_descriptor(case), "answer": _answer(case, seen)}
        failures.append(
            {
                "kind": name,
                "breaks": list(BREAKS[kind[3]]),
                "strongest_preset": ordered[0],
                "states": {preset: presets[preset] for preset in ordered},
                "representative": first,
            }
        )
        entry = _reduced(engine, probe, seen)
        if entry is not None:
            shrunk.append({"kind": name, **entry[0]})
            small.append(entry[1])
    answered = {policy for by in counts.values() for policy in by}
    states = {result.case for result in judged}
    return {
        "impl": report.header["impl"],
        "format": format_id,
        "plan": manifest["plan"],
        "editions": editions,
        "writers": sorted({writer_of(cases[name].state.trace) for name in states}),
        "policies": sorted(answered),
        "timeout": float(options["timeout"]) if _is_number(options["timeout"]) else 10.0,
        "states": len(states),
        "answers": len(judged),
        "distinct": manifest["counts"]["distinct"],
        "traces": manifest["counts"]["traces"],
        "classes": sum(len(tables["classes"]) for tables in manifest["strata"].values()),
        "not_asked": len(cases) - len(states),
        "left_out": {
            policy: len(cases) - sum(sum(by[policy].values()) for by in counts.values() if policy in by)
            for policy in sorted(answered)
        },
        "verdicts": {
            stratum: {policy: dict(of) for policy, of in by.items()} for stratum, by in counts.items()
        },
        "failures": failures,
        "shrunk": shrunk,
    }, small


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _first(found: tuple[CrashCase, Result]) -> tuple[bool, int, bool, int, str]:
    """Return a sort key. These failures come first: not excused by a limit, strongest preset, first run,
    fewest sectors on disk.
    """
    case, result = found
    second, descriptor = isinstance(case.workload, SecondLife), case.descriptor
    return not result.red, rank(descriptor.preset), second, sum(map(bool, descriptor.mask)), case.id


def _descriptor(case: CrashCase) -> dict[str, Any]:
    told = {"workload": case.workload.name, **asdict(case.descriptor), "mask": case.descriptor.mask.hex()}
    return {name: told[name] for name in _EXAMPLE}


def _answer(case: CrashCase, result: Result) -> dict[str, Any]:
    if result.answer is None:
        return {}
    answer = answer_of(case.adapter, result.answer)
    return {**parting(answer, case.required), "refused": answer.refused or ""}


def _reduced(engine: Engine, probe: Probe, result: Result) -> tuple[dict[str, Any], dict[str, Any]] | None:
    found = smallest(engine, probe, result)
    if found is None or not isinstance(probe.case, CrashCase):
        return None
    case = as_case(probe.case.adapter, found)
    told = {
        "case": case.id,
        "workload": found.workload.name,
        **asdict(found.descriptor),
        "mask": found.descriptor.mask.hex(),
        "records": found.records,
        "deviations": found.state.deviations,
        "minimal": found.minimal,
        "answer": {
            **parting(found.answer, found.state.situation.expected),
            "refused": found.answer.refused or "",
        },
        "answer_digest": digest_of(found.answer),
    }
    return told, case.to_json()


def main(arguments: list[str]) -> int:
    """Write the findings of one run; 1 if something is unexplained, 2 on wrong usage."""
    if len(arguments) not in (3, 4):
        print(f"usage: {Path(__file__).name} HARNESS REPORT BUILD [NAME]", file=sys.stderr)
        return 2
    harness, report, build = arguments[0], load_report(Path(arguments[1])), Path(arguments[2])
    name = arguments[3] if arguments[3:] else harness
    with closing(setup_of(RunRequest(harness)).open()) as engine:
        summary, small = summary_of(report, build, engine)
    try:
        text = judgement_text(harness, summary)
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 1
    replace_text(FOLDER / f"{name}.toml", text)
    lines = "".join(json.dumps(case, separators=(",", ":"), ensure_ascii=False) + "\n" for case in small)
    replace_bytes(FOLDER / f"{name}.jsonl.gz", gzip.compress(lines.encode(), mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
