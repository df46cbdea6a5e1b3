"""Sets of ids and numbers by id equal those of Python, and dense ids take almost no memory."""

from __future__ import annotations

import tracemalloc
from random import Random

import pytest

from journalspec_reference import ids
from journalspec_reference.ids import IdNumbers, Ids


def test_set_of_ids_equals_a_python_set(monkeypatch: pytest.MonkeyPatch) -> None:
    # With this limit, few ids are enough for full blocks, and for full blocks of the numbers of such blocks.
    monkeypatch.setattr(ids, "MOST_MASKS", 4)
    for seed in range(40):
        random = Random(f"set of ids {seed}")
        found, wanted = Ids(), set[int]()
        assert not found
        for _ in range(random.randrange(1, 12)):
            start = random.choice((0, -3000, random.randrange(60_000), random.randrange(1 << 40)))
            added = [
                *range(start, start + random.choice((50, 3000, 70_000)), random.choice((1, 1, 3))),
                *(start + random.randrange(5000) for _ in range(20)),
            ]
            if random.random() < 0.3:
                for ident in added:
                    found.add(ident)
            else:
                found.update(added)
            wanted.update(added)
        assert found
        near = [ident + random.randrange(-300, 300) for ident in random.sample(sorted(wanted), 60)]
        for ident in (*near, *random.sample(sorted(wanted), 60)):
            assert (ident in found) == (ident in wanted)


def test_set_of_dense_ids_takes_memory_only_for_the_ids_that_are_missing() -> None:
    tracemalloc.start()
    try:
        found = Ids()
        for start in range(0, 1_000_000, 10_000):
            found.update(ident for ident in range(start, start + 10_000) if ident % 5000)
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    # 200 missing ids at 256 bytes, and blocks that were added since the set last looked for full ones.
    assert taken < 256 * 200 + 250 * 2 * ids.MOST_MASKS


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
