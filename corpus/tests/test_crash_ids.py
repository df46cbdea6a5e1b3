"""The ids of traces, states and cases, which are permanent, and the choice of traces by their ids."""

from __future__ import annotations

import hashlib

import pytest

from journalspec_corpus.crash.disk import case_id, content_id, selected
from journalspec_corpus.crash.trace import Trace, promise


def blake(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def of_pages(content: bytes) -> bytes:
    """Return the ids of pages of 512 bytes; more than 32 ids are replaced by those of groups of 32."""
    ids = [blake(content[at : at + 512]) for at in range(0, len(content), 512)]
    while len(ids) > 32:
        ids = [blake(b"".join(ids[at : at + 32])) for at in range(0, len(ids), 32)]
    return b"".join(ids)


@pytest.mark.parametrize("size", [0, 3, 512, 700, 33 * 512 + 5, 1025 * 512])
def test_ids_are_computed_from_names_sizes_and_pages(size: int) -> None:
    content = (bytes(range(251)) * (size // 251 + 1))[:size]
    head = b"\0\0\0\1b" + size.to_bytes(8, "big")
    empty = b"\0\0\0\2aa" + bytes(8)
    assert content_id({"b": content, "aa": b""}) == blake(empty + head + of_pages(content))


@pytest.mark.parametrize("size", [1 << 16, (1 << 16) + 1])
def test_id_of_a_trace_contains_the_bytes_of_short_files_and_the_page_ids_of_long_ones(size: int) -> None:
    content = bytes(range(256)) * 256 + b"x" * (size - 65536)
    told = content if size == 65536 else of_pages(content)
    head = b'["toy", "1", "zero", 0, {}, 1]' + f"log\0{size}\0".encode()
    # The trace has no operations, and no standing, stale or possible records.
    assert Trace("toy", "1", "toy", {"log": content}, (), "zero").id == blake(head + told + b"0\0" * 4).hex()


def test_case_id_includes_all_required_records() -> None:
    text = b"toy\x001\x00R\x00k1\x00k2"
    assert promise("toy", "1", "R", ["k2", "k1"]) == blake(text)
    assert case_id(b"c" * 16, blake(text)) == blake(b"c" * 16 + blake(text))


def test_about_one_trace_in_the_given_number_is_chosen() -> None:
    """Only the id decides. The count is within four sigma of a binomial distribution.

    The choice for 128 is a subset of that for 32.
    """
    names = [f"{number:032x}" for number in range(1 << 14)]
    chosen = {share: {name for name in names if selected(name, share)} for share in (1, 16, 32, 128)}
    for share, found in chosen.items():
        due = len(names) / share
        assert abs(len(found) - due) <= 4 * (due * (1 - 1 / share)) ** 0.5
    assert chosen[128] < chosen[32] < chosen[16] < chosen[1]
