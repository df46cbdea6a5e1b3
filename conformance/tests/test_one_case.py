"""A request for one case parses only that case, and loads no reader of another format."""

from __future__ import annotations

import subprocess
import sys

import pytest

from journalspec.formats import format_ids
from journalspec_conformance.errors import Problem
from journalspec_conformance.selection import cases_of, find, probes_of
from journalspec_corpus import Case, load_cases
from journalspec_corpus.load import PUBLISHED_TIERS

ONE, OTHER = "btm.clean.empty", "jbm.clean.every-kind-seed"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of the ids of cases that are parsed from lines."""
    made: list[str] = []
    right = Case.from_trusted_json

    def counted(data: dict[str, str]) -> Case:
        made.append(data["id"])
        return right(data)

    monkeypatch.setattr(Case, "from_trusted_json", counted)
    return made


@pytest.mark.parametrize("select", [(ONE,), (f"{ONE}/read",), (f"{ONE}/read", OTHER)])
def test_only_the_selected_cases_are_parsed(select: tuple[str, ...], read: list[str]) -> None:
    chosen = cases_of("smoke", select=select)
    named = [pattern.partition("/")[0] for pattern in select]
    assert [case.id for case in chosen] == named
    assert set(read) <= set(named), "only the selected cases are parsed"
    assert {probe.case.id for probe in probes_of(chosen, select)} == set(named)


def test_case_is_found_by_its_id_alone(read: list[str]) -> None:
    assert find(OTHER).id == OTHER
    assert set(read) <= {OTHER}


@pytest.mark.parametrize("select", [("btm.clean.em*",), (ONE, "btm.clean.nosuch"), ("btm.nosuch.at-all",)])
def test_pattern_or_no_name_parses_all_cases(select: tuple[str, ...]) -> None:
    chosen = cases_of("smoke", select=select)
    assert chosen == load_cases("bitronix_tlog")
    if "*" not in select[0]:
        with pytest.raises(Problem, match=r"names none of \d{3,} probes"):
            probes_of(chosen, select)


@pytest.mark.parametrize("tier", PUBLISHED_TIERS)
def test_each_published_line_begins_with_its_id(tier: str) -> None:
    for format_id in format_ids():
        every = load_cases(format_id, tier)
        assert load_cases(format_id, tier, frozenset(case.id for case in every)) == every


def test_readers_of_other_formats_are_not_loaded() -> None:
    program = f"""
import sys
from journalspec_conformance.cli import cli
cli.main(["run", "--impl", "reference", "--select", "{OTHER}/read"], standalone_mode=False)
print(*sorted(name for name in sys.modules if name.endswith(".recover")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "as expected: 1 judged" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1] == "journalspec_reference.jboss_journal.recover"
