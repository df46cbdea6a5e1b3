"""Indexes with random damage: the naive reader and the reference report the same missing parts and never
fail.
"""

from __future__ import annotations

import random

import pytest

from journalspec_corpus import load_cases
from journalspec_corpus.kahadb_journal import naive
from journalspec_reference import load

FORMAT = "kahadb_journal"
BASES = [case for case in load_cases(FORMAT) if "db.data" in case.files()]


def _damaged(data: bytes, rng: random.Random) -> bytes:
    """Return the index with a few bytes of its headers or pages changed, a page copied, or its end cut."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(out)) if rng.random() < 0.2 else rng.randrange(4096, max(len(out), 4097))
        kind = rng.random()
        if kind < 0.6 and at < len(out):
            out[at] = rng.choice((0, 1, 2, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        elif kind < 0.8 and at + 8 <= len(out):
            out[at : at + 8] = rng.randrange(-2, 12).to_bytes(8, "big", signed=True)
        elif kind < 0.95:
            pages = (len(out) - 4096) // 512
            if pages > 0:
                one, other = (4096 + 512 * rng.randrange(pages) for _ in range(2))
                out[one : one + 512] = out[other : other + 512]
        else:
            del out[at:]
            out = out or bytearray(b"#")
    return bytes(out)


@pytest.mark.parametrize("seed", range(6))
def test_naive_reader_and_reference_report_the_same_missing_parts_of_damaged_indexes(seed: int) -> None:
    rng = random.Random(seed)
    reference = load(FORMAT)
    for _ in range(30):
        case = rng.choice(BASES)
        files = {**case.files()}
        name = rng.choice([name for name in ("db.data", "db.data", "db.redo") if name in files])
        files[name] = _damaged(files[name], rng)
        for policy in ("", "strict"):
            if policy:
                seen = reference.recover(files, edition=case.edition, policy=policy)
                expected = naive.recover(files, case.edition, policy)
            else:
                seen, expected = reference.read(files, edition=case.edition), naive.read(files, case.edition)
            found = [(gone.code, gone.name, gone.off, gone.count) for gone in seen.missing]
            wanted = [
                (gone["code"], gone["name"], gone.get("off"), gone.get("count"))
                for gone in expected.get("missing", ())
            ]
            assert (seen.verdict, found) == (expected["verdict"], wanted), (case.id, name)
