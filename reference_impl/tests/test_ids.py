"""Numbers that are stored by id equal those of a dictionary, in the same order."""

from __future__ import annotations

from random import Random

from journalspec_reference.ids import IdNumbers


def test_numbers_by_id_equal_those_of_a_dictionary_in_order() -> None:
    random, late = Random("numbers by ids"), 0
    for _ in range(200):
        found, wanted = IdNumbers(), dict[int, int]()
        for number in range(random.randrange(40)):
            # Most ids ascend; some are low, some occur twice.
            ident = random.choice((3 * number, 3 * number, random.randrange(-50, 130)))
            late += any(ident < each for each in wanted)
            found.put(ident, number)
            wanted[ident] = number
        assert list(found.items()) == list(wanted.items())
        assert len(found) == len(wanted)
        for ident in range(-51, 131):
            assert found.get(ident) == wanted.get(ident)
    assert late > 1000
