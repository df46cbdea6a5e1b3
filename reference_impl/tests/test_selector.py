"""Filters of queues that brokers accept when they start: Artemis 2.44 and HornetQ 2.4.9 agree."""

from __future__ import annotations

import pytest

from journalspec_reference.jboss_journal.selector import is_filter

TAKEN = (
    "", " \t", "region = 'EU'", "'EU' = 'EU'", "NOT region", "(((region)))", "region = TRUE", "TRUE",
    "region IS NULL", "a IS NOT NULL", "region IN ('E', 'it''s')", "1=1 AND region",
    "region not in ('a','b')",
    "region NOT LIKE 'a%' ESCAPE '\\'", "a BETWEEN 1 AND 2", "a NOT BETWEEN b AND c + 1", "NOT a = 1",
    "-a = 1", "+a = 1", "a = - 5", "a = 1L", "a = 1.5e3", "a = .5", "a = 5.", "a = 017", "a = 0x1F", "a <> 1",
    "a$_ = 1", "TRUE AND FALSE OR a", "a = '\u00e9\u4e00'", "a = 1 -- c", "price > 10AND b", "(a = 1)",
    "a - b * 2 >= c / 3",
)  # fmt: skip
REFUSED = (
    "region = 'EU;", "region @ 'EU'", "regi n = 'EU'", "region = 2EU'", "5", "(5)", "'x'", "5 > 'EU'",
    "region LIKE 5", "region+'EU'", "region > 'EU'", "region = \u4e00EU'", "r\u00ffgion = 'EU'",
    "region BETWEEN",
    "region = 'E'--", "x.y = 'EU'", "0x5g = 3", "1=1 AND 5", "TRUE = 'EU'", "region > TRUE", "TRUE > FALSE",
    "region = NULL", "region IN (1)", "a IS TRUE", "a < b < c", "a BETWEEN 'x' AND 2", "a + 1", "a = 089",
    "a =1 OR", "a == 1", "a != 1", "a && b", "NOT 5", "(a = 1", "a = 1)", "a IS 5", "1a = 1", "a b", "a = 1;",
    "a = 1 #", "a IN 'x'", "(a + 1) IN ('x')", "1 IN ('x')", "a LIKE b", "a > (1 = 1)", "(1=1) > 1",
    "a NOT = 1",
    "(" * 100_000,
)  # fmt: skip
#: HornetQ has a different parser.
ARTEMIS_ALONE = (
    "3 = 'EU'", "region = \"E U\"", "x-y = 'EU'", "hyphenated_props:x-y = 1", "hyphenated_props:x-y",
    "convert_string_expressions:a = 1", "a = 1 /* c */", "a = b = c", "null", "a % 2 = 0", "NOT NOT a",
    "NULL IS NULL", "( a ) IN ('x')", "x IS NOT NULL OR (y + 2) < 7.5",
)  # fmt: skip


@pytest.mark.parametrize("text", [*TAKEN, *ARTEMIS_ALONE])
def test_broker_starts_with_a_valid_selector(text: str) -> None:
    assert is_filter(text)


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:20])
def test_broker_does_not_start_with_an_invalid_selector(text: str) -> None:
    assert not is_filter(text)
