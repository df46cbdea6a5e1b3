"""Fingerprints: what they are, that all ways to compute them agree, and that they tell states apart."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journalspec_corpus.crash import fingerprints as fp
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.expected import expected_at
from journalspec_corpus.crash.ids import content_words
from journalspec_corpus.crash.pages import PAGE
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.pipeline.run import published_ids, state_ids

#: Pages as they occur: of any length up to a whole one, many of them mostly or wholly zeros.
PAGES = st.one_of(
    st.binary(max_size=PAGE),
    st.integers(0, PAGE).map(bytes),
    st.tuples(st.integers(0, PAGE - 1), st.integers(1, 255)).map(lambda at: bytes(at[0]) + bytes([at[1]])),
)
PLACES = st.lists(st.tuples(PAGES, st.integers(0, 1 << 40)), min_size=1, max_size=8)

#: Published: another program that computes fingerprints can check itself with these.
VECTORS = {
    "empty directory": "00000000000000000000000000000000",
    "empty file a": "1648fc0e4b7fba7e18b9b6908954b2b8",
    "file a of one zero": "9620b6c09fb0794f816b95541653282a",
    "file a, abc": "f3e20705932bde55b826053b6b812dfa",
    "file a of 512 bytes 0..255 twice": "9f57a8e4bb6a5a03e6cf001404d4deb7",
    "two files": "e4d09095604dbf2157e502b5a31c2297",
    "file x, 700 zeros then 01": "2b4f2fcd7cb932e80476924a6b17a7e5",
}
FILES: dict[str, dict[str, bytes]] = {
    "empty directory": {},
    "empty file a": {"a": b""},
    "file a of one zero": {"a": b"\0"},
    "file a, abc": {"a": b"abc"},
    "file a of 512 bytes 0..255 twice": {"a": bytes(range(256)) * 2},
    "two files": {"btm1.tlog": bytes(range(256)) * 5, "btm2.tlog": b"\1" * 1025},
    "file x, 700 zeros then 01": {"x": bytes(700) + b"\1"},
}


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_of_contents(name: str) -> None:
    assert fp.packed(fp.content_pair(FILES[name])).hex() == VECTORS[name]


def test_vectors_of_parts() -> None:
    assert fp.packed(fp.leaf(b"abc")).hex() == "7a6d29252b5cff6d621f3a9bf15ca86d"
    promise = fp.promise_pair("bitronix_tlog", "2.1", "R", ["k1", "k2"])
    assert fp.packed(promise).hex() == "7b5647c9766177b86a2bd0ffd283709e"
    state = fp.state_pair(fp.content_pair(FILES["two files"]), promise)
    assert fp.packed(state).hex() == "821b9b003ad62e45fc9f3d2e50e3b63c"


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_arrays_multiply_as_numbers_do(one: int, two: int) -> None:
    found = fp.mums(np.asarray([one], np.uint64), np.asarray([two], np.uint64))
    assert int(found[0]) == (one * two ^ one * two >> 64) % 2**64 == fp.mum(one, two)


@settings(max_examples=60, deadline=None)
@given(PLACES)
def test_pages_are_hashed_alike_by_numbers_and_arrays(places: list[tuple[bytes, int]]) -> None:
    pages, numbers = [page for page, _ in places], [number for _, number in places]
    plain = [fp.placed(page, number) for page, number in places]
    assert fp.page_pairs(pages, numbers).tolist() == list(map(list, plain))


@given(st.text(max_size=20), st.integers(0, 1 << 50), st.tuples(*[st.integers(0, 2**64 - 1)] * 2))
def test_files_are_named_alike_by_numbers_and_arrays(name: str, size: int, pages: fp.Pair) -> None:
    columns = [np.asarray([each], np.uint64) for each in (fp.words_of(name), size, pages)]
    assert fp.file_terms(*columns).tolist() == [list(fp.file_term(name, size, pages))]
    states = fp.states_of(columns[2], pages)
    assert states.tolist() == [list(fp.state_pair(pages, pages))]
    assert fp.packed_rows(states) == [fp.packed(fp.state_pair(pages, pages))]


@pytest.mark.parametrize("format_id", ["bitronix_tlog", "jboss_journal", "kahadb_journal", "derby_log"])
def test_states_go_by_what_their_files_hold_and_what_is_owed(format_id: str) -> None:
    adapter = crash_format(format_id)
    works = list(adapter.workloads("core"))
    names: dict[bytes, bytes] = {}
    rows = 0
    for work in works[:: len(works) // 32]:
        trace = adapter.build(work)
        for number, states in enumerate(crash_states(trace, PRESETS, 1)):
            expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
            found = state_ids(states, expected)
            for blake, name in zip(published_ids(states, expected), found, strict=True):
                # Two states with one id have one name, two names are of two ids.
                assert names.setdefault(blake, name) == name
            if number % 5:
                continue
            words = content_words(states.point, states.codes)
            plain = [fp.content_pair(states.point.materialise(codes)) for codes in states.codes[::9]]
            assert words[::9].tolist() == list(map(list, plain))
            keys = [key for key, record in expected.record_of.items() if record in expected.must_keep]
            promise = fp.promise_pair(trace.format, trace.edition, states.stratum, keys)
            assert found[::9] == [fp.packed(fp.state_pair(pair, promise)) for pair in plain]
            rows += len(plain)
    assert rows > 100
    assert len(set(names.values())) == len(names) > 500


def test_zeros_count_nothing_and_length_does() -> None:
    assert fp.placed(bytes(PAGE), 3) == (0, 0)
    assert fp.content_pair({"a": b"x"}) != fp.content_pair({"a": b"x\0"})
    assert fp.content_pair({"a": b"x", "b": b"y"}) != fp.content_pair({"a": b"y", "b": b"x"})
    assert fp.content_pair({"a": b"x" * PAGE + b"y" * PAGE}) != fp.content_pair(
        {"a": b"y" * PAGE + b"x" * PAGE}
    )


def _near(count: int) -> list[bytes]:
    """Return different pages that are as alike as pages in flight are: a byte, a word, a field apart."""
    draw = random.Random(7)
    base = draw.randbytes(PAGE)
    out = {bytes(PAGE - 1) + b"\1", base}
    for at in range(PAGE):
        for bit in range(8):
            for ground in (base, bytes(PAGE)):
                page = bytearray(ground)
                page[at] ^= 1 << bit
                out.add(bytes(page))
    for number in range(count):
        out.add(number.to_bytes(8, "big").rjust(draw.randrange(1, 60) * 8, b"\0").ljust(PAGE, b"\0"))
        out.add(base[:100] + number.to_bytes(4, "little") * 3 + base[112:])
    return sorted(out)


def test_each_part_of_each_lane_tells_pages_apart_as_chance_would() -> None:
    """Any 24 bits of a lane meet as often as random numbers do: the birthday bound is what it seems."""
    pages = _near(12_000)
    pairs = fp.page_pairs(pages, [5] * len(pages))
    n, room = len(pages), 1 << 24
    by_chance = n - room * -np.expm1(n * np.log1p(-1 / room))
    for lane in range(2):
        for shift in (0, 20, 40):
            part = pairs[:, lane] >> np.uint64(shift) & np.uint64(room - 1)
            met = n - len(np.unique(part))
            assert abs(met - by_chance) < 6 * np.sqrt(by_chance), (lane, shift, met, by_chance)
