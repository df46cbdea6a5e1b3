"""Mutants are private copies: each differs in one place, and the reference stays unchanged."""

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
def test_every_format_has_enough_mutants_with_a_reason(format_id: str) -> None:
    mutants = load_mutants(format_id)
    assert len(mutants) >= min(25, len(list(requirements(format_id))))
    assert all(mutant.why and mutant.find != mutant.replace for mutant in mutants)
    # Mutants name a function: a change of that function can only break its own mutants.
    assert all(":" in mutant.at for mutant in mutants)


@pytest.mark.parametrize("format_id", format_ids())
def test_modules_of_a_mutant_do_not_use_the_original(format_id: str) -> None:
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
def test_mutant_whose_text_does_not_occur_exactly_once_is_refused(at: str, find: str, complaint: str) -> None:
    with pytest.raises(MutantError, match=complaint):
        Mutant("bad", FORMAT, at, find, "x", "").source()


def test_mutant_that_cannot_be_imported_is_refused() -> None:
    bad = Mutant("bad-syntax", FORMAT, "scan:scan", "if summed != stored:", "if summed !=", "")
    with pytest.raises(MutantError, match="cannot be imported"):
        bad.implementation()


def test_command_lists_the_mutants(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--table", FORMAT]) == 0
    assert "skip-checksum" in capsys.readouterr().out
    assert main(["nosuch"]) == 2


def test_late_imports_of_a_copy_are_separate_modules() -> None:
    mutant = next(mutant for mutant in load_mutants("jboss_journal") if mutant.module == "write")
    writer = mutant.implementation().writer(MemoryStorage(), edition="v2", params={})
    assert type(writer).__module__ == f"{mutant.package}.write"
