"""Contents as trees of shared pages: they are the bytes that they stand for, and share what is the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from journalspec_corpus.crash.ids import content_id, file_head
from journalspec_corpus.crash.pages import FAN, PAGE, Pages, blake

LEAF = FAN * PAGE
SIZES = st.sampled_from(
    [0, 1, PAGE - 1, PAGE, PAGE + 1, LEAF - 1, LEAF, LEAF + 1, 3 * LEAF + 700, FAN * LEAF + 5]
)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 4 * LEAF), st.binary(min_size=1, max_size=3 * PAGE)),
        st.tuples(st.just("resized"), st.integers(0, 4 * LEAF), st.just(b"")),
    ),
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(SIZES, st.binary(min_size=1, max_size=40), CHANGES)
def test_changes_are_those_of_bytes(size: int, pattern: bytes, changes: list[tuple[str, int, bytes]]) -> None:
    plain = (pattern * (size // len(pattern) + 1))[:size]
    pages = Pages.of(plain)
    for what, at, data in changes:
        if what == "put":
            plain = plain.ljust(at, b"\0")
            plain, before = plain[:at] + data + plain[at + len(data) :], pages
            pages = pages.put(at, data)
            assert set(pages.differing(before)) <= set(range(at // PAGE, (at + len(data)) // PAGE + 1))
        else:
            plain, pages = plain[:at].ljust(at, b"\0"), pages.resized(at)
        assert bytes(pages) == plain
        assert len(pages) == len(plain)
        assert pages[at : at + 700] == plain[at : at + 700]
        assert pages == Pages.of(plain)
        # The name of a file is defined by its bytes, whatever way they came about.
        assert blake(file_head("x", len(plain)) + b"".join(pages.names())) == content_id({"x": plain})


def test_a_part_is_named_as_the_file_that_it_would_be() -> None:
    data = bytes(range(1, 251)) * 900
    for size in (0, 1, PAGE, LEAF, LEAF + 1, 5 * LEAF - 3):
        assert Pages.of(data).ids(size, {}) == Pages.of(data[:size]).names()


def test_a_change_makes_one_path_new() -> None:
    pages = Pages.of(b"\1" * (FAN * LEAF))
    changed = pages.put(5 * LEAF, b"\2")
    assert list(changed.differing(pages)) == [5 * FAN]
    shared = [changed.node(1, at) is pages.node(1, at) for at in range(FAN)]
    assert shared == [at != 5 for at in range(FAN)]
    # Zeros are one node, however many there are.
    assert Pages(1 << 40).node(1, 7) is Pages.of(bytes(LEAF)).node(1, 0)
