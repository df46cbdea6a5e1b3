"""Mutants are private copies: they differ in one place, and the reference stays unchanged."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from mutants import Mutant, MutantError, load_mutants, main

from journalspec.formats import format_ids
from journalspec.requirements import requirements
from journalspec_reference.storage import MemoryStorage

FORMAT = "bitronix_tlog"


@pytest.mark.parametrize("format_id", format_ids())
def test_there_are_enough_and_each_has_a_reason(format_id: str) -> None:
    mutants = load_mutants(format_id)
    assert len(mutants) >= min(25, len(list(requirements(format_id))))
    assert all(mutant.why and mutant.find != mutant.replace for mutant in mutants)
    # A change of a function can only break the mutants of that function.
    assert all(":" in mutant.at for mutant in mutants)


@pytest.mark.parametrize("format_id", format_ids())
def test_no_module_beside_a_mutant_uses_the_original(format_id: str) -> None:
    """Only modules that the fault cannot affect are shared with the original."""
    mutant = next(mutant for mutant in load_mutants(format_id) if mutant.module == "scan")
    mutant.implementation()
    beside = {name: module for name, module in sys.modules.items() if name.startswith(f"{mutant.package}.")}
    copied = {name.partition(".")[2] for name, module in beside.items() if module.__name__ == name}
    sound = {f"journalspec_reference.{format_id}.{name}" for name in copied}
    for name, module in beside.items():
        # The module of a definition shows whether it is the copy's or the original's.
        names = {getattr(value, "__module__", "") for value in vars(module).values()}
        names |= {value.__name__ for value in vars(module).values() if isinstance(value, ModuleType)}
        assert names & sound == set(), name


@pytest.mark.parametrize(
    ("at", "find", "complaint"),
    [
        ("codec:split_names", "no such text", "occurs 0 times in the code of codec:split_names"),
        ("codec:split_names", "return", "it has to occur once"),
        ("codec:nosuch", "x", "codec.py has 0 places 'nosuch'"),
        ("nosuch:split_names", "x", "no module 'nosuch'"),
        ("scan:scan", "at + UNCOUNTED > room:  # BTM-RDR-003", "occurs 0 times in the code of scan:scan"),
    ],
)
def test_a_mutant_that_does_not_fit_reports_it(at: str, find: str, complaint: str) -> None:
    with pytest.raises(MutantError, match=complaint):
        Mutant("bad", FORMAT, at, find, "x", "").source()


def test_a_mutant_that_cannot_be_imported_reports_it() -> None:
    bad = Mutant("bad-syntax", FORMAT, "scan:scan", "if summed != stored:", "if summed !=", "")
    with pytest.raises(MutantError, match="cannot be imported"):
        bad.implementation()


def test_the_command_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--table", FORMAT]) == 0
    assert "skip-checksum" in capsys.readouterr().out
    assert main(["nosuch"]) == 2


def test_late_imports_of_a_copy_are_separate_modules() -> None:
    mutant = next(mutant for mutant in load_mutants("jboss_journal") if mutant.module == "write")
    writer = mutant.implementation().writer(MemoryStorage(), edition="v2", params={})
    assert type(writer).__module__ == f"{mutant.package}.write"
