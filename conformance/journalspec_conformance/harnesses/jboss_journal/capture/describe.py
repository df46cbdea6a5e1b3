"""The two files beside captured ones: ``provenance.toml`` and ``expected.json``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from journalspec.files import replace_text
from journalspec.requirements import requirements
from journalspec_conformance.harnesses.java.capturing import toml_value
from journalspec_conformance.harnesses.jboss_journal.capture.asked import asked_state, without_counts
from journalspec_conformance.harnesses.jboss_journal.capture.play import ProductView, Sessions, params_of
from journalspec_conformance.harnesses.jboss_journal.capture.scenarios import Scenario
from journalspec_conformance.products import Product

Json = dict[str, Any]
PROVENANCE, EXPECTED = "provenance.toml", "expected.json"
SETTINGS = "unbuffered NIO, no automatic compaction; reclaiming only where an operation asks for it"
#: What every capture shows, where its edition knows it.
ALWAYS = (
    "JBM-FIL-001",
    "JBM-FIL-003",
    "JBM-FIL-017",
    "JBM-HDR-002",
    "JBM-HDR-007",
    "JBM-REC-001",
    "JBM-REC-019",
    "JBM-CHK-001",
    "JBM-RDR-001",
)


def describe(
    product: Product, scenario: Scenario, done: Sessions, view: ProductView, directory: Path
) -> None:
    """Write what is known of the files in `directory` beside them.

    Raises ValueError if the product does not load just what it was asked to keep.
    """
    _check(scenario, done, view)
    names = sorted(path.name for path in directory.iterdir())
    digests = {name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in names}
    text = "\n".join(_provenance(product, scenario, done, view, digests)) + "\n"
    wanted = json.dumps(_expected(product, scenario, view), indent=1, sort_keys=True) + "\n"
    replace_text(directory / PROVENANCE, text)
    replace_text(directory / EXPECTED, wanted)


def _check(scenario: Scenario, done: Sessions, view: ProductView) -> None:
    """Hold what the product says against what it was asked for."""
    operations = [step for _, steps in done for step in steps]
    refused = tuple(index for index, (_, answer) in enumerate(operations) if "refused" in answer)
    if refused != scenario.refused:
        raise ValueError(f"{scenario.name}: refused were {refused}, not {scenario.refused}")
    asked, loaded = asked_state(operations), without_counts(view.recover["state"])
    if asked != loaded:
        raise ValueError(f"{scenario.name}: asked for {asked}, loaded {loaded}")
    if view.read["state"] != view.recover["state"]:
        raise ValueError(f"{scenario.name}: two loads differ")


def _expected(product: Product, scenario: Scenario, view: ProductView) -> Json:
    known = {item.id for item in requirements("jboss_journal").items if product.edition in item.editions}
    found = {"verdict": "clean", "dropped": [], "state": view.recover["state"]}
    return {
        "title": f"{scenario.title} ({product.title})",
        "edition": product.edition,
        "obeys": [name for name in dict.fromkeys([*ALWAYS, *scenario.obeys]) if name in known],
        "breaks": [],
        "params": {"extension": params_of(product, scenario)["extension"]},
        "expect": [
            {"when": {"op": "read"}, **found, "records": view.read["records"]},
            *(
                {"when": {"op": "recover", "policy": policy}, **found, "records": view.recover["records"]}
                for policy in ("strict", "salvage")
            ),
        ],
    }


def _provenance(
    product: Product, scenario: Scenario, done: Sessions, view: ProductView, digests: dict[str, str]
) -> Iterator[str]:
    jar = product.main_jar
    yield "# SPDX-License-Identifier: CC0-1.0"
    yield "# Written by the product itself. The journal files beside this one are never edited."
    yield ""
    told: Json = {
        "title": scenario.title,
        "format": "jboss_journal",
        "edition": product.edition,
        "product": product.id,
        "coordinates": jar.coordinates,
        "jar_sha256": jar.sha256,
        "java": view.java,
        "made_with": f"python -m {__package__}",
        "settings": SETTINGS,
        "checked_by": [product.id],
        "params": params_of(product, scenario),
    }
    yield from (f"{key} = {toml_value(value)}" for key, value in told.items())
    yield from ("", "[sha256]", *(f'"{name}" = {toml_value(digest)}' for name, digest in digests.items()))
    for end, steps in done:
        yield from ("", "[[session]]", f"end = {toml_value(end)}", "ops = [")
        for op, answer in steps:
            said = {key: answer[key] for key in ("durable", "refused") if key in answer}
            yield f"  {toml_value({**op, 'answer': said} if said else op)},"
        yield "]"
