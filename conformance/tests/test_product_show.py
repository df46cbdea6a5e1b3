"""Every deviation is shown by the product that has it, and the reference shows none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest

from journalspec.deviations import Deviation, deviations
from journalspec.formats import format_ids
from journalspec_conformance.connection import Connection
from journalspec_conformance.inprocess import InProcessConnection
from journalspec_conformance.products import Product, get_product, is_fetched, product_ids
from journalspec_conformance.showing import Showroom

ALL = [(name, deviation) for name in format_ids() for deviation in deviations(name)]
SHOWS = [
    pytest.param(name, deviation, product, id=f"{deviation.id}-{product}")
    for name, deviation in ALL
    for product in deviation.products
]
#: What a reader or writer that follows the specification can be asked as well.
ASKED = [
    pytest.param(name, deviation, product, id=f"{deviation.id}-{product}")
    for name, deviation in ALL
    for product in deviation.products
    if any(show.way in ("case", "steps") for show in deviation.show if product in show.products)
]


@pytest.fixture(scope="module")
def room() -> Iterator[Showroom]:
    made = Showroom()
    yield made
    made.close()


class ReferenceRoom(Showroom):
    def connect(self, product: Product) -> Connection:
        return InProcessConnection("journalspec_conformance.harnesses.reference:Reference")


@pytest.fixture(scope="module")
def reference_room() -> Iterator[ReferenceRoom]:
    made = ReferenceRoom()
    yield made
    made.close()


@pytest.mark.parametrize(("format_id", "deviation"), ALL, ids=[deviation.id for _, deviation in ALL])
def test_the_products_that_show_it_exist_and_are_of_the_format(format_id: str, deviation: Deviation) -> None:
    for name in deviation.products:
        assert name in product_ids()
        assert format_id in get_product(name).formats


@pytest.mark.product
@pytest.mark.java
@pytest.mark.parametrize(("format_id", "deviation", "product"), SHOWS)
def test_the_product_shows_it(format_id: str, deviation: Deviation, product: str, room: Showroom) -> None:
    pytest.importorskip("jpype", reason="JPype is missing: install journalspec[products]")
    if shutil.which("java") is None:
        pytest.skip("no Java runtime on PATH")
    if not is_fetched(get_product(product)):
        pytest.skip(f"{product} is missing: run `journalspec products fetch {product}`")
    results = list(room.show(format_id, deviation, product))
    lacking = [line for result in results if result.shown is None for line in result.did]
    if lacking:
        pytest.skip("; ".join(lacking))
    assert [(result.asked, result.did) for result in results if not result.shown] == []


@pytest.mark.parametrize(("format_id", "deviation", "product"), ASKED)
def test_the_reference_does_not(
    format_id: str, deviation: Deviation, product: str, reference_room: ReferenceRoom
) -> None:
    shows = tuple(show for show in deviation.show if show.way in ("case", "steps"))
    results = list(reference_room.show(format_id, replace(deviation, show=shows), product))
    assert [result.asked for result in results if result.shown] == []
