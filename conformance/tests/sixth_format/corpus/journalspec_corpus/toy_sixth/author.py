"""Build valid toy files from a list of texts; the notes have the labels r1, r2, ..."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import xor
from typing import Any

from journalspec_corpus.edits import Built, Range

BRIEF = ("type", "text", "at")


def build(base: Mapping[str, Any], edition: str) -> Built:
    """Return ``notes.toy`` with the texts of `base`."""
    data = bytearray(b"TOY6")
    built = Built({"notes.toy": data})
    for index, text in enumerate(base["texts"], start=1):
        raw = text.encode("latin-1")
        at = Range("notes.toy", len(data), len(raw) + 2)
        data += bytes([len(raw)]) + raw + bytes([reduce(xor, raw, 0)])
        built.labels[f"r{index}"] = at
        built.records[f"r{index}"] = {"type": "NOTE", "text": text, "at": at.to_json()}
    return built
