"""``provenance.toml``: how a captured directory came about."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from journalspec_conformance.harnesses.bitronix_tlog.capture.play import Done, ProductView
from journalspec_conformance.harnesses.java.capturing import toml_value
from journalspec_conformance.products import Product, get_product

SETTINGS = "serverId journalspec, disableJmx, no force batching"
FILTERED = ", filterLogStatus"


@dataclass(frozen=True, slots=True)
class Run:
    """One capture: who wrote it, where, and what was done.

    `sessions` are (how it ended, its operations with the answers to them).
    """

    product: Product
    name: str
    title: str
    java: str
    charset: str
    filtered: bool
    sessions: tuple[tuple[str, tuple[Mapping[str, Any], ...]], ...]


def operation(step: Done) -> Mapping[str, Any]:
    """Return a stepwise operation with what the harness said about it."""
    said = {key: step.answer[key] for key in ("durable", "active", "refused") if key in step.answer}
    return {**step.op, "answer": said}


def steps(run: Run) -> list[Done]:
    """Return the operations of `run` again as they were done."""
    return [
        Done(number, {key: value for key, value in op.items() if key != "answer"}, dict(op["answer"]))
        for number, (_, ops) in enumerate(run.sessions)
        for op in ops
    ]


def provenance(run: Run, view: ProductView, digests: Mapping[str, str], checked_by: Sequence[str]) -> str:
    """Return the file's text; `digests` are file -> SHA-256."""
    jar = run.product.main_jar
    lines = [
        "# SPDX-License-Identifier: CC0-1.0",
        "# Written by the product itself. The journal files beside this one are never edited.",
        "",
        f"title = {toml_value(run.title)}",
        'format = "bitronix_tlog"',
        f"edition = {toml_value(run.product.edition)}",
        f"product = {toml_value(run.product.id)}",
        f"coordinates = {toml_value(jar.coordinates)}",
        f"jar_sha256 = {toml_value(jar.sha256)}",
        f"java = {toml_value(run.java)}",
        f"charset = {toml_value(run.charset)}",
        'made_with = "python -m journalspec_conformance.harnesses.bitronix_tlog.capture"',
        f"settings = {toml_value(SETTINGS + FILTERED * run.filtered)}",
        f"checked_by = {toml_value(list(checked_by))}",
    ]
    lines += [
        "",
        "[sha256]",
        *(f'"{name}" = {toml_value(digest)}' for name, digest in sorted(digests.items())),
    ]
    for end, ops in run.sessions:
        lines += ["", "[[session]]", f"end = {toml_value(end)}", "ops = ["]
        lines += [f"  {toml_value(op)}," for op in ops]
        lines += ["]"]
    return "\n".join([*lines, *_loads(view)]) + "\n"


def _loads(view: ProductView) -> Iterator[str]:
    for policy, answer in (("strict", view.strict), ("salvage", view.salvage)):
        yield from (
            "",
            f"# What the same product loads from a copy under the policy {policy}.",
            f"[loads.{policy}]",
        )
        for key in ("verdict", "phase", "code", "message"):
            if key in answer:
                yield f"{key} = {toml_value(answer[key])}"
        if "state" in answer:
            yield f"active = {toml_value(answer['state']['active'])}"
            yield "unfinished = ["
            yield from (f"  {toml_value(entry)}," for entry in answer["state"]["unfinished"])
            yield "]"


def parse(text: str, name: str) -> Run:
    """Return the run that `text` tells of."""
    told = tomllib.loads(text)
    return Run(
        product=get_product(told["product"]),
        name=name,
        title=told["title"],
        java=told["java"],
        charset=told["charset"],
        filtered=told["settings"].endswith(FILTERED),
        sessions=tuple((entry["end"], tuple(entry["ops"])) for entry in told["session"]),
    )
