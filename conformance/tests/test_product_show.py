"""Every deviation is reproduced on a product that has it, and is not found in the reference.

Without ``--products whole`` each deviation is reproduced on one of the products that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from journalspec.deviations import Deviation, Show, deviations
from journalspec.formats import format_ids
from journalspec_conformance.connect import in_process
from journalspec_conformance.connection import Connection
from journalspec_conformance.expect import load_expectations
from journalspec_conformance.harnesses import registry
from journalspec_conformance.products import Product, get_product, product_ids
from journalspec_conformance.selection import any_matches
from journalspec_conformance.showing import Showroom
from journalspec_corpus.load import find_case

ALL = [(name, deviation) for name in format_ids() for deviation in deviations(name)]
ReadyProduct = Callable[[str], Product]


def chosen(deviation: Deviation, product: str) -> list[pytest.MarkDecorator]:
    """Return the mark of a probe that only a whole run tries. A default run tries one in four deviations, on
    one product each.
    """
    turn = int(deviation.id[-3:])
    product_in_turn = deviation.products[turn % len(deviation.products)]
    return [] if turn % 4 == 0 and product_in_turn == product else [pytest.mark.whole]


SHOWS = [
    pytest.param(name, deviation, product, id=f"{deviation.id}-{product}", marks=chosen(deviation, product))
    for name, deviation in ALL
    for product in deviation.products
]
#: Checks of deviations that also apply to the reference. They run once for all products, because the
#: reference reads all editions. A check with "pass" concerns files that a product wrote, for any reader.
ASKED = [
    pytest.param(name, deviation, show, id=f"{deviation.id}-{number}")
    for name, deviation in ALL
    for number, show in enumerate(deviation.show)
    if show.way in ("case", "steps") and show.data.get("fails") != "pass" and show.products
]


class ReferenceRoom(Showroom):
    def connect(self, product: Product) -> Connection:
        return in_process("journalspec_conformance.harnesses.reference:Reference")


Rooms = tuple[Showroom, ReferenceRoom]


@pytest.fixture(scope="module")
def rooms() -> Iterator[Rooms]:
    made = Showroom(), ReferenceRoom()
    yield made
    for room in made:
        room.close()


def test_products_of_a_deviation_exist_and_have_its_format() -> None:
    assert {format_id for format_id, _ in ALL} == {*format_ids()}
    for format_id, deviation in ALL:
        for name in deviation.products:
            assert name in product_ids(), deviation.id
            assert format_id in get_product(name).formats, deviation.id


def test_every_listed_case_shows_its_deviation() -> None:
    """A listed case fails on products because of the deviation. A captured case lists it because a product
    wrote the files.
    """
    folder = Path(str(files("journalspec_conformance"))) / "expectations"
    names = sorted({item.expectations for item in registry().values() if item.expectations})
    entries = [entry for name in names for entry in load_expectations(folder / name).entries]
    for _, deviation in ALL:
        asked = {str(show.data.get(key)) for show in deviation.show for key in ("case", "start")}
        patterns = [entry.case for entry in entries if entry.deviation == deviation.id]
        others = [name for name in deviation.cases if name not in asked and ".captured." not in name]
        for name in others if deviation.products else ():
            assert any(any_matches(patterns, probe.id) for probe in find_case(name).probes), deviation.id


@pytest.mark.product
@pytest.mark.java
@pytest.mark.parametrize(("format_id", "deviation", "product"), SHOWS)
def test_product_has_the_deviation(
    format_id: str, deviation: Deviation, product: str, rooms: Rooms, ready_product: ReadyProduct
) -> None:
    ready_product(product)
    results = list(rooms[0].show(format_id, deviation, product))
    lacking = [line for result in results if result.shown is None for line in result.did]
    if lacking:
        pytest.skip("; ".join(lacking))
    assert [(result.asked, result.did) for result in results if not result.shown] == []


@pytest.mark.parametrize(("format_id", "deviation", "show"), ASKED)
def test_reference_does_not_have_the_deviation(
    format_id: str, deviation: Deviation, show: Show, rooms: Rooms
) -> None:
    (result,) = rooms[1].show(format_id, replace(deviation, show=(show,)), show.products[0])
    assert not result.shown, result.asked
