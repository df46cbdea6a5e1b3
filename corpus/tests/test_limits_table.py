from __future__ import annotations

import pytest

from journalspec.deviations import deviations as known_deviations
from journalspec.formats import format_ids
from journalspec_corpus.crash.adapter import has_crash_format
from journalspec_corpus.crash.verdict import LimitError, first_that_covers, limits, parse_limits
from journalspec_corpus.design_rules import findings

GOOD = '[[limit]]\nid = "a"\nwhy = "w"\nrules = ["L1"]\nverdicts = ["lost"]\n'
ROOMS = [name for name in format_ids() if has_crash_format(name)]


@pytest.mark.parametrize("format_id", ROOMS)
def test_every_limit_is_argued_by_what_is_there(format_id: str) -> None:
    found = findings(format_id)
    deviations = {entry.id for entry in known_deviations(format_id)}
    weak = [item for items in found.values() for item in items if item.verdict in ("weak", "partly")]
    assert limits(format_id) or not weak
    for limit in limits(format_id):
        assert set(limit.deviations) <= deviations
        for rule in limit.rules:
            assert {entry.verdict for entry in found[rule]} & {"weak", "partly"}, (
                f"{limit.id}: {rule} is sound"
            )


def test_what_a_limit_covers() -> None:
    table = parse_limits(GOOD + 'writers = ["v2/*"]\nstrata = ["R"]\npresets = ["sector-*"]\n')
    assert first_that_covers(table, "v2/x", "any", "R", "lost", "clean", "sector-trash-512") is table[0]
    assert first_that_covers(table, "v3", "any", "R", "lost", "clean", "sector-trash-512") is None
    assert first_that_covers(table, "v2/x", "any", "C", "lost", "clean", "sector-trash-512") is None
    assert first_that_covers(table, "v2/x", "any", "R", "silent", "clean", "sector-trash-512") is None
    assert first_that_covers(table, "v2/x", "any", "R", "lost", "clean", "prefix-byte") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD + 'verdict = "lost"\n', "unknown member verdict"),
        (GOOD.replace('why = "w"\n', ""), "id and why are texts"),
        (GOOD.replace('rules = ["L1"]\n', ""), "neither rules nor deviations"),
        (GOOD.replace('verdicts = ["lost"]\n', ""), "verdicts are needed"),
        (GOOD.replace("lost", "lots"), "nothing is called 'lots'"),
        (GOOD.replace("lost", "pass"), "nothing is called 'pass'"),
        (GOOD.replace("lost", "crash"), "nothing is called 'crash'"),
        (GOOD + 'presets = ["sector-trasch"]\n', "sector-trasch"),
        (GOOD + GOOD, "stands twice"),
    ],
)
def test_a_table_that_lets_off_too_much_is_refused(text: str, said: str) -> None:
    with pytest.raises(LimitError, match=said):
        parse_limits(text)
