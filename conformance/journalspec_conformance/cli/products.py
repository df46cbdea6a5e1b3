"""``journalspec products``: commands about the published products that harnesses drive."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from journalspec.deviations import Deviation
from journalspec_conformance import products
from journalspec_conformance.cli._tables import say, show_table
from journalspec_conformance.products import Product, ProductError, UnknownProductError
from journalspec_conformance.products.fetch import fetch_product
from journalspec_conformance.showing import Shown, Showroom, find_deviation, overall


@click.group("products")
def command() -> None:
    """List and fetch the published products that harnesses drive, and show where they deviate.

    Exit status: 0 done, 1 a product could not be fetched or did not show the deviation, 2 usage; 3 `show`
    could not try a deviation.
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead of a table.")
def list_products(as_json: bool) -> None:
    """Show every known product and whether it is in the cache."""
    known = [products.get_product(name) for name in products.product_ids()]
    if as_json:
        click.echo(json.dumps([_described(product) for product in known], indent=2))
        return
    rows = [
        [one.id, one.version, one.licence, ", ".join(one.formats), "no" if products.problems(one) else "yes"]
        for one in known
    ]
    head = ["product", "version", "licence", "formats", "fetched"]
    show_table(head, rows, f"products in {products.cache_dir()}")


def _described(product: Product) -> dict[str, Any]:
    wrong = products.problems(product)
    return {
        "id": product.id,
        "title": product.title,
        "version": product.version,
        "licence": product.licence,
        "formats": list(product.formats),
        "edition": product.edition,
        "harness": product.harness,
        "java": str(product.java),
        "jars": [{"coordinates": jar.coordinates, "sha256": jar.sha256} for jar in product.jars],
        "fetched": not wrong,
        "problems": wrong,
    }


@command.command("fetch")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def fetch(names: tuple[str, ...]) -> None:
    """Fetch the named products (all of them without a name) into the cache.

    Uses Maven if `mvn` is on PATH, else Java and the Ivy of an installed
    PySpark, each with your own repository settings. A jar is used only if its
    SHA-256 equals the recorded one. The cache is $JOURNALSPEC_PRODUCTS or the
    platform's cache directory.
    """
    try:
        wanted = [products.get_product(name) for name in names or products.product_ids()]
    except UnknownProductError as error:
        raise click.UsageError(str(error.args[0])) from None
    failed = False
    for product in wanted:
        try:
            place = fetch_product(product, say=say)
        except ProductError as error:
            say(f"error: {product.id}: {error}", err=True)
            failed = True
        else:
            say(f"{product.id}: {place}")
    if failed:
        raise SystemExit(1)


@command.command("show")
@click.argument("deviation_id", metavar="DEVIATION")
@click.option("--product", "only", metavar="ID", help="Default: all products with the deviation.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead of text.")
def show(deviation_id: str, only: str | None, as_json: bool) -> None:
    """Show DEVIATION (BTM-DEV-001) on the real product: the requirement, the product's behaviour, and whether
    both differ as listed.

    Exit status: 0 shown, 1 not shown, 2 usage, 3 not tried: the product is not fetched, a tool is missing, or
    no product runs here.
    """
    format_id, deviation = find_deviation(deviation_id)
    results = []
    room = Showroom()
    try:
        for product in (only,) if only else deviation.products:
            results += list(room.show(format_id, deviation, product))
    finally:
        room.close()
    if as_json:
        click.echo(json.dumps([result.to_json() for result in results], indent=2))
    else:
        _print(deviation, results)
    raise SystemExit(overall(results))


def _print(deviation: Deviation, results: Sequence[Shown]) -> None:
    say(f"{deviation.id}: {deviation.title}")
    say(f"departs from {', '.join(deviation.requirements)}")
    for table in deviation.show:
        if table.way == "none":
            say(f"no product that runs here shows it: {table.data['none']}")
    for result in results:
        say()
        say(f"{result.product}: {result.asked}")
        for title, lines in (("demanded", result.demanded), ("done", result.did)):
            say(f"  {title}:")
            for line in lines:
                say(f"    {line}")
        say(f"  {result.verdict} ({result.seconds:.1f} s)")
