"""Design rules: every format has an entry for every rule, every proof holds, and limits of formats excuse few
states.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from design_rules import (
    FOLDER,
    SOUND,
    WEAK,
    Finding,
    RuleError,
    StateProof,
    findings,
    invariants,
    parse_findings,
    rules,
)
from mutants import mutant_reader

from journalspec.deviations import deviations as deviations_of
from journalspec.formats import format_ids, get_format
from journalspec.observation import CLEAN, RECOVERED, REFUSED
from journalspec.requirements import requirements
from journalspec_corpus.crash.facts import Facts, State, find
from journalspec_corpus.crash.formats import CrashFormat, crash_format, has_crash_format, named_reader
from journalspec_corpus.crash.states import Descriptor, crash_states
from journalspec_corpus.crash.trace import PRESETS, STRATA, Trace, get_preset
from journalspec_corpus.crash.verdict import CATEGORIES, VERDICTS, first_that_covers, limits, parse_limits
from journalspec_corpus.flags import load_flags
from journalspec_corpus.load import find_case

FORMATS = [name for name in format_ids() if has_crash_format(name)]


def entries() -> Iterator[tuple[str, str, Finding]]:
    """Yield (format, rule, finding) for all findings."""
    for name in FORMATS:
        for rule, found in findings(name).items():
            for item in found:
                yield name, rule, item


def proofs() -> list[Any]:
    """Return one parameter per proof by a state."""
    return [
        pytest.param(name, item, proof, id=f"{name}-{rule}-{number}-{proof.reader}-{proof.expect}")
        for name, rule, item in entries()
        for number, proof in enumerate(item.states)
    ]


@lru_cache(maxsize=8)
def workloads(format_id: str, scope: str) -> dict[str, Any]:
    return {work.name: work for work in crash_format(format_id).workloads(scope)}


def trace_of(adapter: CrashFormat, proof: StateProof) -> Trace:
    """Return the trace of a proof; the smallest scope is searched first for its workload."""
    for scope in ("smoke", "core", "full"):
        if proof.workload in workloads(adapter.format, scope):
            return adapter.build(workloads(adapter.format, scope)[proof.workload])
    raise LookupError(f"{adapter.format} has no workload {proof.workload!r}")


def state_named(trace: Trace, proof: StateProof) -> State:
    """Return the enumerated state of a proof; a state that no preset reaches is refused.

    A mask may omit blocks that have only one version.
    """
    named = descriptor_of(trace, proof)
    for states in crash_states(trace, (get_preset(proof.preset),), proof.seed, everywhere=True):
        if states.point.crash_index == proof.crash_index:
            free = [at for at, size in enumerate(states.point.dims) if size > 1]
            for row in np.flatnonzero(states.tear == proof.tear).tolist():
                state = State(Facts(states), row)
                full = state.descriptor(proof.seed)
                short = replace(full, mask=bytes(full.mask[at] for at in free)) if full.mask else full
                if named in (full, short):
                    assert state.files == find(trace, full).files
                    return state
    raise LookupError(f"{trace.name}: no state of {proof.preset} is {named}")


def descriptor_of(trace: Trace, proof: StateProof) -> Descriptor:
    return Descriptor(
        trace.id,
        proof.preset,
        proof.crash_index,
        proof.mask,
        proof.tear,
        trace.background,
        proof.seed,
        proof.rot,
    )


def verdict_of(format_id: str, proof: StateProof) -> str:
    """Judge the answer of the proof's reader to its state; a policy of the reference reads whole files."""
    state = state_named(trace_of(crash_format(format_id), proof), proof)
    # A mutant of the reference shows the result of an implementation without a check.
    known = proof.reader in crash_format(format_id).readers
    named = (named_reader if known else mutant_reader)(format_id, proof.reader)
    return state.verdict(named.reader(state.files, state.trace.edition), salvaging=named.salvaging)


def test_there_are_twenty_one_rules() -> None:
    assert list(rules()) == [f"L{number}" for number in range(1, 22)]
    assert all(set(rule.invariants) <= invariants().keys() for rule in rules().values())


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_with_crash_traces_has_a_finding_for_every_rule_and_edition(name: str) -> None:
    found = findings(name)
    assert found, f"{name} has crash states and no file in {FOLDER}: see CONTRIBUTING.md, A design rule"
    assert list(found) == list(rules())
    for items in found.values():
        assert sorted(edition for item in items for edition in item.editions) == sorted(
            get_format(name).editions
        )


def test_weakness_lists_requirements_that_exist() -> None:
    weak = 0
    for name, rule, item in entries():
        known = {requirement.id for requirement in requirements(name)}
        assert set(item.requirements) <= known, (name, rule)
        weak += item.verdict == WEAK
        assert item.requirements or item.verdict != WEAK, (name, rule)
    assert weak > 10


@pytest.mark.parametrize("name", FORMATS)
def test_flags_refer_to_existing_rules(name: str) -> None:
    named = {flag.name: flag.rules for flag in load_flags(name).values() if flag.rules}
    assert all(set(given) <= set(rules()) for given in named.values())
    assert {rule for given in named.values() for rule in given} >= {"L1", "L6", "L8", "L9", "L14"}


@pytest.mark.parametrize(("name", "item", "proof"), proofs())
def test_proof_by_a_state_holds(name: str, item: Finding, proof: StateProof) -> None:
    adapter = crash_format(name)
    trace = trace_of(adapter, proof)
    assert trace.edition in item.editions
    verdict = verdict_of(name, proof)
    assert verdict == proof.expect
    breaks = VERDICTS[verdict]
    if item.verdict == SOUND and proof.reader in adapter.readers:
        assert not breaks


def test_weakness_is_proved_by_a_failure_or_a_loss_of_service() -> None:
    """The state is in the finding itself.

    For a finding with an argument only, it is in another finding of the rule.
    """
    for name, rule, item in entries():
        if item.verdict == WEAK and item.states and not item.cases:
            assert any(VERDICTS[proof.expect] for proof in item.states), (name, rule)
        elif item.verdict == WEAK and not item.cases:
            assert any(other.states or other.cases for other in findings(name)[rule]), (name, rule)


def test_proof_by_a_case_holds() -> None:
    verdicts = {CLEAN, RECOVERED, REFUSED}
    seen = 0
    for name, rule, item in entries():
        for proof in item.cases:
            case = find_case(proof.id)
            where = (name, rule, proof.id)
            assert case.format == name, where
            assert case.edition in item.editions, where
            when = {"op": "recover", "policy": proof.policy}
            expected = {entry["verdict"] for entry in case.expect if entry["when"] == when}
            assert expected == {proof.expect} <= verdicts, where
            seen += 1
    assert seen > 60


def test_changed_proof_fails() -> None:
    """If a member of a proof is changed, the verdict differs or the proof is refused."""
    name, proof = next(
        (name, proof)
        for name, _, item in entries()
        for proof in item.states
        if (proof.expect, proof.reader, proof.preset) == ("torn-accepted", "strict", "epoch-subset-512")
    )
    assert verdict_of(name, replace(proof, mask=bytes([1] * len(proof.mask)))) != "torn-accepted"
    wrong: list[dict[str, Any]] = [{"mask": proof.mask + b"\0"}, {"crash_index": proof.crash_index + 1}]
    wrong += [
        {"workload": proof.workload + "/not"},
        {"rot": "bit:nothing:0:0"},
        {"tear": 3},
        {"reader": "me"},
    ]
    for members in wrong:
        with pytest.raises(LookupError):
            verdict_of(name, replace(proof, **members))


#: Changes that make a file of findings wrong.
SPOILT: dict[str, Callable[[list[Any]], Any]] = {
    "no rule 4": lambda rules: rules.pop(3),
    "a rule twice": lambda rules: rules[3].update(id=rules[2]["id"]),
    "an edition is missing": lambda rules: rules[0]["finding"][0]["editions"].pop(),
    "an edition that is none": lambda rules: rules[0]["finding"][0]["editions"].append("none-such"),
    "no proof": lambda rules: [
        rules[0]["finding"][0].pop(member, None) for member in ("states", "cases", "argument")
    ],
    "no verdict": lambda rules: rules[0]["finding"][0].update(verdict="strong"),
    "no requirement": lambda rules: rules[0]["finding"][0].update(verdict="weak", requirements=[]),
    "an unknown member": lambda rules: rules[0]["finding"][0].update(note="x"),
}


@pytest.mark.parametrize("spoilt", SPOILT)
def test_wrong_file_of_findings_is_refused(spoilt: str) -> None:
    name = FORMATS[0]  # Any format is suitable, because one reader loads all files.
    data = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    parse_findings(name, copy.deepcopy(data))
    SPOILT[spoilt](data["rule"])
    with pytest.raises(RuleError, match=f"design-rules/{name}.toml"):
        parse_findings(name, data)


# --- Limits: failures that no reader can prevent ---

GOOD = '[[limit]]\nid = "a"\nwhy = "w"\nrules = ["L1"]\nverdicts = ["lost"]\n'


def test_limit_excuses_only_states_that_match_all_its_members() -> None:
    table = parse_limits(GOOD + 'writers = ["v2/*"]\nstrata = ["R"]\npresets = ["sector-*"]\n')
    assert first_that_covers(table, "v2/x", "any", "R", "lost", "clean", "sector-trash-512") is table[0]
    assert first_that_covers(table, "v3", "any", "R", "lost", "clean", "sector-trash-512") is None
    assert first_that_covers(table, "v2/x", "any", "C", "lost", "clean", "sector-trash-512") is None
    assert first_that_covers(table, "v2/x", "any", "R", "silent", "clean", "sector-trash-512") is None
    assert first_that_covers(table, "v2/x", "any", "R", "lost", "clean", "prefix-byte") is None


#: The names that patterns may contain.
KNOWN = {
    "strata": STRATA,
    "verdicts": [name for name, broken in VERDICTS.items() if broken],
    "categories": CATEGORIES,
    "presets": [preset.name for preset in PRESETS],
}


@pytest.mark.parametrize("format_id", FORMATS)
def test_every_limit_excuses_some_states_but_not_too_many(format_id: str) -> None:
    found = limits(format_id)
    assert len({limit.id for limit in found}) == len(found)
    for limit in found:
        assert limit.verdicts
        assert limit.rules or limit.deviations
        for member, names in KNOWN.items():
            for pattern in getattr(limit, member):
                assert any(fnmatchcase(name, pattern) for name in names), f"{limit.id}: {member}: {pattern}"


def test_table_with_an_unknown_member_is_refused() -> None:
    for text in (GOOD + 'verdict = "lost"\n', GOOD.replace('why = "w"\n', "")):
        with pytest.raises(TypeError):
            parse_limits(text)


@pytest.mark.parametrize("format_id", FORMATS)
def test_every_limit_refers_to_existing_arguments(format_id: str) -> None:
    found = findings(format_id)
    deviations = {entry.id for entry in deviations_of(format_id)}
    weak = [item for items in found.values() for item in items if item.verdict in ("weak", "partly")]
    assert limits(format_id) or not weak
    for limit in limits(format_id):
        assert set(limit.deviations) <= deviations
        for rule in limit.rules:
            assert {entry.verdict for entry in found[rule]} & {"weak", "partly"}, (
                f"{limit.id}: {rule} is sound"
            )
