from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from journalspec.formats import format_ids
from journalspec_corpus.crash.formats import has_crash_format
from journalspec_corpus.crash.trace import PRESETS, STRATA
from journalspec_corpus.crash.verdict import CATEGORIES, VERDICTS, first_that_covers, limits, parse_limits

GOOD = '[[limit]]\nid = "a"\nwhy = "w"\nrules = ["L1"]\nverdicts = ["lost"]\n'
ROOMS = [name for name in format_ids() if has_crash_format(name)]


def test_states_covered_by_a_limit() -> None:
    table = parse_limits(GOOD + 'writers = ["v2/*"]\nstrata = ["R"]\npresets = ["sector-*"]\n')
    assert first_that_covers(table, "v2/x", "any", "R", "lost", "clean", "sector-trash-512") is table[0]
    assert first_that_covers(table, "v3", "any", "R", "lost", "clean", "sector-trash-512") is None
    assert first_that_covers(table, "v2/x", "any", "C", "lost", "clean", "sector-trash-512") is None
    assert first_that_covers(table, "v2/x", "any", "R", "silent", "clean", "sector-trash-512") is None
    assert first_that_covers(table, "v2/x", "any", "R", "lost", "clean", "prefix-byte") is None


#: What patterns may name.
KNOWN = {
    "strata": STRATA,
    "verdicts": [name for name, broken in VERDICTS.items() if broken],
    "categories": CATEGORIES,
    "presets": [preset.name for preset in PRESETS],
}


@pytest.mark.parametrize("format_id", ROOMS)
def test_every_limit_excuses_some_states_but_not_too_many(format_id: str) -> None:
    found = limits(format_id)
    assert len({limit.id for limit in found}) == len(found)
    for limit in found:
        assert limit.verdicts
        assert limit.rules or limit.deviations
        for member, names in KNOWN.items():
            for pattern in getattr(limit, member):
                assert any(fnmatchcase(name, pattern) for name in names), f"{limit.id}: {member}: {pattern}"


def test_a_table_with_another_member_is_refused() -> None:
    for text in (GOOD + 'verdict = "lost"\n', GOOD.replace('why = "w"\n', "")):
        with pytest.raises(TypeError):
            parse_limits(text)
