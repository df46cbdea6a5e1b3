"""Families of generated cases of all formats: their content, and expectations from naive readers."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from families import TABLE, FamilyError, generated_cases
from publish import collect, render
from templates import Names, fill

from journalspec.formats import format_ids, format_module, get_format
from journalspec.observation import jsonable
from journalspec.requirements import requirements
from journalspec_corpus import load_cases
from journalspec_corpus.edits import Built, Range
from journalspec_corpus.load import published_folder
from journalspec_corpus.pipeline.manifest import MANIFEST

FORMATS = [
    name
    for name in format_ids()
    if (Path(format_module("journalspec_corpus", name).__file__ or "").parent / TABLE).is_file()
]
each_format = pytest.mark.parametrize("format_id", FORMATS)
#: The compared parts. Notes are compared too; some naive readers also report records outside the log.
COMPARED = ("verdict", "phase", "code", "dropped", "records", "missing", "state")
#: Files of table pages, which a naive reader ignores because it reads only the log.
PAGES = "seg0."
#: The parts that a naive reader omits: control files, left-over files and other extensions.
NOT_NAIVE = ("control.ctr", ".tmp", ".cmp", ".bak", ".lock", ".txt")


@each_format
def test_few_smoke_cases_ask_the_same_question_about_the_same_bytes(format_id: str) -> None:
    """Two cases with equal inputs in one edition must differ in their form or their purpose."""
    seen = Counter(
        (case.edition, tuple(sorted(case.files().items())), tuple(case.params.items()))
        for case in load_cases(format_id)
        if case.write is None
    )
    repeated = sum(count - 1 for count in seen.values())
    assert repeated <= len(seen) // 20


@each_format
def test_committed_cases_are_up_to_date_with_their_sources(format_id: str) -> None:
    # The sources are in the checkout, even if the installed package is tested.
    rendered = render(format_id, collect(format_id, Path(__file__).resolve().parents[1]))
    folder = published_folder(format_id)
    assert folder is not None
    stale = [name for name, data in rendered.items() if (folder / name).read_bytes() != data]
    assert not stale, "run python tools/publish.py"
    smoke = json.loads(rendered[MANIFEST])["tiers"]["smoke"]
    assert smoke["sha256"] == hashlib.sha256(rendered["smoke.jsonl"]).hexdigest()
    # A case is never moved to another tier, so a tier only grows.
    assert smoke["bytes"] <= 6 * 1024 * 1024
    assert 5 * len(list(requirements(format_id))) <= smoke["cases"] <= 2000


def covers(have: Any, want: Any) -> bool:
    """Return whether an answer contains the wanted values; its objects may have further members."""
    if isinstance(want, Mapping):
        return all(covers(have.get(name), value) for name, value in want.items())
    if isinstance(want, list):
        return len(have or ()) == len(want) and all(map(covers, have or (), want))
    return bool(have == want)


@each_format
def test_products_have_files_or_a_stated_reason(format_id: str) -> None:
    assert bool(load_cases(format_id, "captured")) != bool(get_format(format_id).uncaptured)


@pytest.mark.parametrize(
    ("format_id", "tier"),
    [
        (name, tier)
        for name in FORMATS
        for tier in ("smoke", "captured")
        if tier == "smoke" or not get_format(name).uncaptured
    ],
)
def test_naive_reader_agrees_with_hand_derived_and_product_cases(format_id: str, tier: str) -> None:
    """The naive reader returns the expectations that were derived by hand or from products."""
    naive = format_module("journalspec_corpus", format_id).naive
    asked = 0
    # All versions of a product have the same scenarios, so the test takes every second capture.
    for case in load_cases(format_id, tier)[:: 1 if tier == "smoke" else 2]:
        configured = {key: value for key, value in case.params.items() if tier != "captured"}
        if case.write is not None or configured or case.origin.kind == "family":
            continue
        if any(word in file.path for file in case.input.files for word in NOT_NAIVE):
            continue
        if case.id in getattr(naive, "BEYOND", ()):
            continue
        for expected in case.expect:
            when = expected["when"]
            policy = (when["policy"],) if when["op"] == "recover" else ()
            if policy and any(PAGES in file.path for file in case.input.files):
                continue
            if len([other for other in case.expect if other["when"] == when]) > 1:
                continue  # The specification does not decide this.
            seen = jsonable(getattr(naive, when["op"])(case.files(), case.edition, *policy))
            for name in (*COMPARED, *(["unanchored"] if "unanchored" in seen else [])):
                assert covers(seen.get(name), expected.get(name, seen.get(name))), (case.id, when, name)
            for code in getattr(naive, "NOTED", ()):
                wanted, found = (list(answer.get("notes", ())).count(code) for answer in (expected, seen))
                exact = code in expected.get("unnoted", ())
                assert found == wanted if exact else found >= wanted, (case.id, when, code)
            for note in expected.get("noted", ()):
                told = note["code"] not in getattr(naive, "NOTED", ()) or note in seen["noted"]
                assert told, (case.id, when, note)
            asked += 1
    assert asked > (min(100, len(list(requirements(format_id)))) if tier == "smoke" else 20)


NAMES = Names(
    {"n": 5, "word": "over-two.words", "table": {"a": "x{n}", "*": "rest"}, "lists": [["p"], ["q", "r"]]}
)
NAMES.built = Built({}, {"r1": Range("f", 4, 8), "r1.size": Range("f", 6, 2)})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{nobody}", "'nobody' is no name"),
        ("{r2.off}", "no place 'r2'"),
        ("{lone[b]}", "no entry 'b': there are a"),
    ],
)
def test_unknown_name_in_a_sweep_is_quoted(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        fill(text, NAMES.also({"lone": {"a": 1}}))


def test_mistake_is_reported_with_its_sweep() -> None:
    table = '[family.x]\n[[sweep]]\nfamily = "x"\njournal = { size = 90, records = ["r{no}"] }\n'
    with pytest.raises(FamilyError, match=r"families\.toml, sweep 1 \(x\): 'no' is no name"):
        list(generated_cases("bitronix_tlog", table))
