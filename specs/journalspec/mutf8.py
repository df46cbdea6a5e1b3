"""Java's modified UTF-8, the encoding in which Java programs store strings.

Modified UTF-8 differs from UTF-8 in two respects. U+0000 takes the two bytes ``c0 80``. A character beyond
U+FFFF is stored as its two surrogates, three bytes each.
"""

from __future__ import annotations

_NUL = b"\xc0\x80"
_FOUR_BYTES = 0xF0


def encode(text: str) -> bytes:
    """Return `text` in modified UTF-8."""
    if text.isascii():
        return text.encode("ascii").replace(b"\0", _NUL)
    units = text.encode("utf-16-be", "surrogatepass")
    chars = (chr(int.from_bytes(units[at : at + 2], "big")) for at in range(0, len(units), 2))
    return "".join(chars).encode("utf-8", "surrogatepass").replace(b"\0", _NUL)


def decode(data: bytes) -> str:
    """Return the text of `data`; raises UnicodeDecodeError unless the bytes are modified UTF-8 of complete
    characters.

    A zero byte is read as U+0000, as by Java's own reader.
    """
    if data.isascii():
        return data.decode("ascii")
    for at, byte in enumerate(data):
        if byte >= _FOUR_BYTES:
            raise UnicodeDecodeError("modified utf-8", data, at, at + 1, "no character takes four bytes")
    units = data.replace(_NUL, b"\0").decode("utf-8", "surrogatepass")
    return units.encode("utf-16-be", "surrogatepass").decode("utf-16-be")


def readable(data: bytes) -> str:
    """Return the text of any `data`; bytes that are not modified UTF-8 are replaced."""
    if data.isascii():
        return data.decode("ascii")
    try:
        text = data.replace(_NUL, b"\0").decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "replace")
