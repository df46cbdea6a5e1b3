"""The worst cases: each fails as its text states, and is published in a full and a small form."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from functools import partial

import pytest
from design_rules import rules
from publish import worst_cases_of
from worst import (
    CASES,
    FINDINGS,
    MENDED,
    SEED,
    TIER,
    Finding,
    Form,
    Worst,
    findings,
    sectors,
    text_of,
    worst_cases,
)
from worst_findings import rendered

from journalspec.formats import get_format
from journalspec.requirements import requirements
from journalspec_corpus import Case, load_cases
from journalspec_corpus.crash.explain import settled
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.oracle import Expected
from journalspec_corpus.crash.reduce import reduce_state, wrong
from journalspec_corpus.crash.trace import PRESETS
from journalspec_corpus.crash.verdict import VERDICTS, Answer
from journalspec_reference import load

FORMATS = ("bitronix_tlog", "derby_log", "jboss_journal", "kahadb_journal", "swiftmq_store")
WORST = [worst for name in FORMATS for worst in worst_cases(name)]
each = pytest.mark.parametrize("worst", WORST, ids=lambda worst: worst.id)
#: Cases for which the case's reader still gives a wrong answer.
failing = pytest.mark.parametrize(
    "worst", [worst for worst in WORST if worst.verdict != MENDED], ids=lambda worst: worst.id
)


def keeps(worst: Worst, answer: Answer, expected: Expected) -> bool:
    """Return whether `answer` has the wrong record that the case describes."""
    return not worst.keeps or any(key.startswith(worst.keeps) for key in wrong(answer, expected))


@each
def test_both_forms_fail_as_the_text_states(worst: Worst) -> None:
    adapter = crash_format(worst.format)
    for form in (worst.full, worst.small):
        state = worst.state(form)
        trace = adapter.build(form.workload)
        assert state.situation.states.stratum == "R"
        answer = worst.named.reader(state.files, trace.edition)
        assert state.verdict(answer, salvaging=worst.named.salvaging) == worst.verdict
        assert keeps(worst, answer, state.situation.expected)


@failing
def test_small_form_is_the_reduction_of_the_full_form(worst: Worst) -> None:
    adapter, state = crash_format(worst.format), worst.state(worst.full)
    out = reduce_state(
        adapter,
        worst.full.workload,
        state.descriptor(SEED),
        worst.named,
        worst.verdict,
        keep=partial(keeps, worst),
    )
    assert out.minimal
    assert (out.workload, out.descriptor) == (worst.small.workload, worst.state(worst.small).descriptor(SEED))
    path = CASES / f"{worst.format}.toml"
    assert out.records <= tomllib.loads(path.read_text(encoding="utf-8")).get("most_records", 3)
    assert out.state.deviations <= 2


@each
def test_stated_strongest_preset_is_the_strongest(worst: Worst) -> None:
    assert worst.presets()[0] == worst.strongest
    assert worst.small.preset == worst.strongest
    assert worst.strongest in {preset.name for preset in PRESETS}


@each
def test_requirements_exist_and_apply_to_the_edition(worst: Worst) -> None:
    known = requirements(worst.format)
    for name in worst.requirements:
        assert worst.state(worst.full).trace.edition in known[name].editions
    assert worst.rules
    assert set(worst.rules) <= set(rules())
    assert worst.text.endswith(".")


def wrong_bodies(worst: Worst, form: Form) -> Iterator[tuple[bytes, bytes]]:
    """For each wrong record of a journal, yield the written body and the delivered one."""
    state = worst.state(form)
    answer, expected = worst.named.reader(state.files, state.trace.edition), state.situation.expected
    written = {
        ident: bytes.fromhex(body)
        for _, _, ident, _, body, *_ in (key.split(":") for key in expected.record_of)
        if body
    }
    for key in wrong(answer, expected):
        yield written[key.split(":")[2]], bytes.fromhex(key.split(":")[4])


@pytest.mark.parametrize("name", ["jbm.worst.foreign-middle", "jbm.worst.mixture-in-a-transaction"])
def test_both_messages_contain_a_part_of_another_message(name: str) -> None:
    (worst,) = (entry for entry in WORST if entry.id == name)
    found = list(wrong_bodies(worst, worst.full))
    assert len(found) == 2
    for written, delivered in found:
        assert written != delivered
        assert len(written) == len(delivered)
        assert (written[:64], written[-64:]) == (delivered[:64], delivered[-64:])


def test_hole_in_a_worst_case_contains_zeros() -> None:
    (worst,) = (entry for entry in WORST if entry.id == "jbm.worst.hole-of-zeros")
    for form in (worst.full, worst.small):
        ((_, delivered),) = wrong_bodies(worst, form)
        assert delivered.count(0) == 512


@each
def test_case_requires_only_possible_outcomes_and_no_reader_defines_them(
    worst: Worst, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blind(*_: object, **__: object) -> object:
        raise AssertionError("a reader was asked")

    monkeypatch.setattr(type(load(worst.format)), "recover", blind)
    full, small = (case for case in worst_cases_of(worst.format) if case.id in (worst.id, worst.small_id))
    assert (full.origin.shrunk_from, small.origin.shrunk_from) == ("", worst.id)
    for case in (full, small):
        assert case.level == ("may" if VERDICTS[worst.verdict] else "must")
        assert ("BeyondReaders" in case.flags) == (case.level == "may")
        assert {probe.policy for probe in case.probes} == set(crash_format(worst.format).readers)
        assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case


@pytest.mark.parametrize("format_id", [name for name in FORMATS if not get_format(name).uncaptured])
def test_findings_cover_exactly_all_cases(format_id: str) -> None:
    found = findings(format_id)
    cases = {case.id: case.edition for case in load_cases(format_id, TIER)}
    asked = {(finding.product, finding.policy) for finding in found}
    assert len({finding.product for finding in found}) >= 2
    for product, policy in asked:
        mine = [finding.case for finding in found if (finding.product, finding.policy) == (product, policy)]
        editions = {cases[name] for name in mine}
        assert sorted(mine) == sorted(name for name, edition in cases.items() if edition in editions)
    text = (FINDINGS / f"{format_id}.toml").read_text(encoding="utf-8")
    assert rendered(found) == text
    known = {name for worst in worst_cases(format_id) for name in worst.state(worst.full).trace.marks}
    assert not {name for finding in found for name in finding.missing} - known


#: These have no product that can be asked: no Derby 10.0 is published, no Derby has a policy that refuses,
#: and no SwiftMQ is published.
PREDICTED = {
    *("drb.worst.hole-in-a-row", "drb.worst.next-file-begun"),
    *("smq.worst.end-of-a-record-missing", "smq.worst.neighbour-takes-a-message"),
}
#: Verdicts on a product that lists no records, so its state is compared.
UNLISTED = {"lost": {"effect-lost", "decision-lost"}}


def test_each_worst_case_was_observed_in_a_product() -> None:
    """A prediction must be removed when some product shows the failure of the case under its policy."""
    for worst in WORST:
        both = [finding for finding in findings(worst.format) if finding.case in (worst.id, worst.small_id)]
        seen = {finding.verdict for finding in both if finding.policy == worst.reader}
        unlisted = {finding.verdict for finding in both if finding.policy == "default"}
        told = worst.verdict in seen or unlisted & UNLISTED.get(worst.verdict, set())
        assert bool(told) == (worst.id not in PREDICTED), worst.id


def test_finding_is_described_in_words() -> None:
    finding = Finding("a.b.c", "p", "Product", "1.2", "strict", "resurrected", wrong=("stale-0", "stale-1"))
    assert text_of(finding) == (
        "Product 1.2, strict: delivers a record of an earlier generation of the file (I4): stale-0, stale-1."
    )
    refusal = Finding("a.b.c", "p", "Product", "1.2", "strict", "acceptable", 'odd "code"\\')
    assert text_of(refusal) == 'Product 1.2, strict: refuses the journal, which is allowed: odd "code"\\.'
    assert tomllib.loads(rendered([refusal]))["finding"][0]["refused"] == refusal.refused
    assert Finding("a", "p", "P", "1", "x", "hang").breaks == ("I7",)
    assert Finding("a", "p", "P", "1", "x", "error").breaks == ()


@pytest.mark.parametrize("format_id", FORMATS)
def test_boxes_of_a_picture_cover_each_file_and_describe_its_content(format_id: str) -> None:
    """The test compares the boxes with the completely written files, and with the files after the crash."""
    kinds: set[str] = set()
    for item in worst_cases(format_id):
        state = item.state(item.small)
        whole = settled(state)
        found: dict[str, list[tuple[int, int, str]]] = {}
        for name, off, length, what in sectors(state):
            assert what in ("settled", "arrived", "lost", "partly")
            found.setdefault(name, []).append((off, length, what))
        assert {name for name, data in state.files.items() if data} == set(found)
        for name, runs in found.items():
            ends = [off + length for off, length, _ in runs]
            assert [off for off, _, _ in runs] == [0, *ends[:-1]]
            assert ends[-1] == len(state.files[name])
            for off, length, what in runs:
                same = state.files[name][off : off + length] == whole.get(name, b"")[off : off + length]
                assert same == (what in ("settled", "arrived")), f"{item.id}: {name} at {off}"
                kinds.add(what)
    # SwiftMQ's records are not aligned to sectors, so a missing sector loses a part of a record.
    assert {"swiftmq_store": "partly"}.get(format_id, "lost") in kinds
