"""Annotated dumps show every byte once, start a row with each region, fold equal rows, and label fields."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journalspec_reference.api import Span
from journalspec_reference.hexdump import Fold, Head, Row, lines, plain, printable, regions, uniform

DATA = bytes(range(40)) + bytes(200) + b"tail"
SPANS = [
    Span("f", 0, 20, "header", "header"),
    Span("f", 0, 4, "header.magic", "field", "0x00010203"),
    Span("f", 4, 16, "header.rest", "field"),
    Span("f", 20, 20, "record[0]", "record", "ADD"),
    Span("f", 20, 1, "record[0].type", "field", "20"),
    Span("f", 240, 4, "unused", "unused"),
    Span("g", 0, 99, "of another file", "record"),
]


def test_regions_cover_the_file_and_contain_their_fields() -> None:
    found = list(regions(SPANS, "f", len(DATA)))
    assert [(item.span.path, item.span.off, item.span.length) for item in found] == [
        ("header", 0, 20),
        ("record[0]", 20, 20),
        ("unnamed", 40, 200),
        ("unused", 240, 4),
    ]
    assert [span.path for span in found[0].fields] == ["header.magic", "header.rest"]


def test_dump_is_printed_as_text() -> None:
    """Each row contains bytes, the same bytes as text, and their meaning."""
    blank = " " * (12 * 3)
    assert list(plain(DATA, SPANS, "f")) == [
        "-- header: 20 bytes at 0 (header)",
        "00000000  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  ................  magic=0x00010203, rest",
        f"00000010  10 11 12 13{blank}  ....",
        "-- record[0] ADD: 20 bytes at 20 (record)",
        '00000014  14 15 16 17 18 19 1a 1b 1c 1d 1e 1f 20 21 22 23  ............ !"#  type=20',
        f"00000024  24 25 26 27{blank}  $%&'",
        "-- unnamed: 200 bytes at 40 (unused)",
        "00000028  00 * 200 bytes, up to 000000f0",
        "-- unused: 4 bytes at 240 (unused)",
        f"000000f0  74 61 69 6c{blank}  tail",
    ]


def test_narrow_dump_puts_labels_below_the_bytes() -> None:
    text = list(plain(DATA, SPANS, "f", columns=80))
    assert text[1:3] == [
        "00000000  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  ................",
        "          magic=0x00010203, rest",
    ]
    assert all(len(line) <= 80 for line in text)


def test_fold_ends_where_a_field_begins() -> None:
    spans = [Span("f", 0, 300, "record[0]", "record"), Span("f", 250, 50, "record[0].name", "field", "x")]
    found = list(lines(bytes(300), spans, "f"))
    folds = [line for line in found if isinstance(line, Fold)]
    assert (folds[0].off, folds[0].length) == (0, 250)
    labelled = [line for line in found if isinstance(line, Row) and line.labels]
    assert [(row.off, row.labels) for row in labelled] == [(250, ("name=x",))]


def test_control_characters_are_escaped() -> None:
    assert printable("a\x1b[31mb\u202e\nc\ufffd") == "a\\x1b[31mb\\u202e\\nc\\ufffd"
    spans = [
        Span("f", 0, 4, "header", "header", "\x1b]0;x\x07"),
        Span("f", 0, 4, "header.\x9b", "field", "\r"),
    ]
    assert "".join(plain(b"abcd", spans, "f")).isascii()
    assert "\x1b" not in "".join(plain(b"abcd", spans, "f"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", None),
        (b"\0", 0),
        (b"aaa", 0x61),
        (b"aab", None),
        (bytes(1 << 17), 0),
        (bytes(1 << 17) + b"x", None),
    ],
)
def test_uniform_returns_the_only_byte_value(data: bytes, expected: int | None) -> None:
    assert uniform(data, 0, len(data)) == expected


spans_of_any_kind = st.lists(
    st.builds(
        Span,
        st.just("f"),
        st.integers(0, 300),
        st.integers(0, 200),
        st.sampled_from(["header", "record[0]", "record[0].x", "dropped"]),
        st.sampled_from(["header", "record", "field", "dropped", "unused"]),
    ),
    max_size=8,
).map(lambda spans: sorted(spans, key=lambda span: (span.off, -span.length)))


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=120) | st.binary(max_size=9).map(lambda data: data * 30), spans_of_any_kind)
def test_every_byte_is_shown_once_and_in_order(data: bytes, spans: list[Span]) -> None:
    shown = b""
    for line in lines(data, spans, "f"):
        if isinstance(line, Head):
            continue
        assert line.off == len(shown)
        if isinstance(line, Fold):
            shown += bytes([line.byte]) * line.length
        else:
            assert len(line.data) == len(line.kinds) == len(line.paths)
            shown += line.data
    assert shown == data
