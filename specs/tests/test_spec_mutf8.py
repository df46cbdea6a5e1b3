"""Java's modified UTF-8: examples from its definition, and random texts that are encoded and decoded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from journalspec import mutf8

#: Texts and their bytes, computed by hand. U+1F4E8 consists of the surrogates D83D and DCE8.
EXAMPLES = [
    ("data-1.amq", b"data-1.amq"),
    ("a\0b", b"a\xc0\x80b"),
    ("\u00e9", b"\xc3\xa9"),
    ("\u20ac", b"\xe2\x82\xac"),
    ("\U0001f4e8", b"\xed\xa0\xbd\xed\xb3\xa8"),
]


@pytest.mark.parametrize(("text", "data"), EXAMPLES)
def test_sample_texts_have_the_bytes_computed_by_hand(text: str, data: bytes) -> None:
    assert mutf8.encode(text) == data
    assert mutf8.decode(data) == text


def test_zero_byte_is_read_as_java_reads_it() -> None:
    assert mutf8.decode(b"a\0b") == "a\0b"


@pytest.mark.parametrize("data", ["\U0001f4e8".encode(), b"\xed\xa0\xbd", b"\xff", b"\xc3", b"\x80"])
def test_invalid_modified_utf8_is_refused(data: bytes) -> None:
    with pytest.raises(UnicodeDecodeError):
        mutf8.decode(data)


@given(st.text())
def test_text_is_equal_after_encoding_and_decoding(text: str) -> None:
    assert mutf8.decode(mutf8.encode(text)) == text
