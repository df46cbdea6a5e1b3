"""``provenance.toml``: how a captured directory came about."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from journalspec_conformance.harnesses.bitronix_tlog.capture.play import Done, ProductView
from journalspec_conformance.products import Product

SETTINGS = "serverId journalspec, disableJmx, no force batching"


def _value(value: object) -> str:
    """Return `value` in TOML: strings (JSON's are TOML's), booleans, lists and inline tables."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    raise TypeError(f"no TOML form for {value!r}")


def _entry(step: Done) -> Mapping[str, Any]:
    said = {key: step.answer[key] for key in ("durable", "active", "refused") if key in step.answer}
    return {**step.op, "answer": said}


def provenance(
    product: Product,
    impl: Mapping[str, str],
    title: str,
    sessions: Iterable[tuple[str, list[Any]]],
    view: ProductView,
    digests: Mapping[str, str],
    *,
    filtered: bool = False,
) -> str:
    """Return the file's text. `sessions` are (how it ended, its operations), `digests` file -> SHA-256."""
    lines = [
        "# SPDX-License-Identifier: CC0-1.0",
        "# Written by the product itself. The files beside this one are never edited.",
        "",
        f"title = {_value(title)}",
        'format = "bitronix_tlog"',
        f"edition = {_value(product.edition)}",
        f"product = {_value(product.id)}",
        f"coordinates = {_value(product.main_jar.coordinates)}",
        f"jar_sha256 = {_value(product.main_jar.sha256)}",
        f"java = {_value(impl['java'])}",
        f"charset = {_value(impl['charset'])}",
        'made_with = "python -m journalspec_conformance.harnesses.bitronix_tlog.capture"',
        f"settings = {_value(SETTINGS + (', filterLogStatus' if filtered else ''))}",
    ]
    lines += ["", "[sha256]", *(f'"{name}" = {_value(digest)}' for name, digest in sorted(digests.items()))]
    for end, ops in sessions:
        lines += ["", "[[session]]", f"end = {_value(end)}", "ops = ["]
        lines += [f"  {_value(_entry(op) if isinstance(op, Done) else op)}," for op in ops]
        lines += ["]"]
    for policy, answer in (("strict", view.strict), ("salvage", view.salvage)):
        lines += [
            "",
            f"# What the same product loads from a copy under the policy {policy}.",
            f"[loads.{policy}]",
        ]
        lines += [
            f"{key} = {_value(answer[key])}"
            for key in ("verdict", "phase", "code", "message")
            if key in answer
        ]
        if "state" in answer:
            lines += [f"active = {_value(answer['state']['active'])}", "unfinished = ["]
            lines += [f"  {_value(entry)}," for entry in answer["state"]["unfinished"]] + ["]"]
    return "\n".join(lines) + "\n"
